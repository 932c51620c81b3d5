"""Alpha-rank and Nash averaging, where they can be worked out by hand."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from experiments.population import Population, judge_payoffs, judge_population, payoffs
from mancala_ai import MancalaError
from tests.test_ratings import games

ENGINES = ["a", "b", "c"]
CIRCLE = games("a", "b", "++++") + games("b", "c", "++++") + games("c", "a", "++++")


@pytest.fixture
def egt() -> Iterator[None]:
    """The packages of the extra; and no warning from them passes."""
    for package in ("cvxpy", "matplotlib", "networkx"):
        pytest.importorskip(package)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def alpha_ranks(population: list[Population]) -> list[float]:
    return [place.alpha_rank for place in population]


def nash_weights(population: list[Population]) -> list[float]:
    return [place.nash_weight for place in population]


def test_payoffs_are_shares_of_points() -> None:
    results = games("a", "b", "+++-") + games("b", "a", "=-") + games("a", "c", "+=") + games("c", "b", "-")
    assert payoffs(results, ENGINES).tolist() == [[0.5, 4.5 / 6, 0.75], [1.5 / 6, 0.5, 1], [0.25, 0, 0.5]]


def test_engines_that_have_not_met_are_refused() -> None:
    with pytest.raises(MancalaError, match=r"^payoffs: a and c have not met: expected games between all engines$"):
        payoffs(games("a", "b", "+") + games("b", "c", "+"), ENGINES)


@pytest.mark.usefixtures("egt")
def test_a_circle_has_equal_places() -> None:
    population = judge_population(CIRCLE, ENGINES)
    assert [place.engine for place in population] == ENGINES
    assert alpha_ranks(population) == pytest.approx([1 / 3] * 3)
    assert nash_weights(population) == pytest.approx([1 / 3] * 3, abs=1e-5)
    assert [place.nash_score for place in population] == pytest.approx([0.5] * 3, abs=1e-5)


@pytest.mark.usefixtures("egt")
def test_an_engine_that_beats_all_others_has_everything() -> None:
    population = judge_population(CIRCLE + [g for e in ENGINES for g in games("d", e, "++-")], [*ENGINES, "d"])
    assert alpha_ranks(population) == pytest.approx([0, 0, 0, 1], abs=1e-6)
    assert nash_weights(population) == pytest.approx([0, 0, 0, 1], abs=1e-5)
    assert [place.nash_score for place in population] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 2], abs=1e-5)


@pytest.mark.usefixtures("egt")
def test_the_nash_average_of_an_uneven_circle() -> None:
    # In equilibrium the weight of each is as the result between the two others: 1, 0.8 and 1.
    matrix = np.array([[0.5, 1, 0.1], [0, 0.5, 1], [0.9, 0, 0.5]])
    population = judge_payoffs(matrix, ENGINES)
    assert nash_weights(population) == pytest.approx([1 / 2.8, 0.8 / 2.8, 1 / 2.8], abs=1e-5)
    assert alpha_ranks(population) == pytest.approx([1 / 3] * 3, abs=1e-6)  # who beats whom is as before


@pytest.mark.usefixtures("egt")
def test_copies_of_an_engine_share_its_weight() -> None:
    results = CIRCLE + games("d", "b", "++++") + games("c", "d", "++++") + games("a", "d", "==")
    population = judge_population(results, [*ENGINES, "d"])
    assert nash_weights(population) == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 6], abs=1e-4)


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "open_spiel.python.algorithms.nash_averaging", raising=False)
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(MancalaError, match=r"cvxpy.*: expected pip install 'mancala-ai\[egt\]'$"):
        judge_population(CIRCLE, ENGINES)
