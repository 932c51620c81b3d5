"""The sequential test against a brute-force maximisation, published values and simulated matches; and its command."""

from __future__ import annotations

import json
import math
import random
from dataclasses import astuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm

from experiments.matches import GameResult
from experiments.ratings import rate
from experiments.sprt import PairCounts, Sprt, Verdict, count_pairs, estimate_elo, expected_score, log_likelihood_ratio
from mancala_ai import MancalaError
from tests.test_cli import run
from tests.test_ratings import games

COUNTS = st.builds(PairCounts, *[st.integers(0, 500)] * 5)
SHARES = np.array([0, 0.25, 0.5, 0.75, 1])


def results_of(counts: PairCounts, one: str = "b", other: str = "a") -> list[GameResult]:
    """Return games with these counts, ``one`` playing South in the first of each pair and North in the second."""
    results = []
    turned = str.maketrans("+-", "-+")
    kinds = zip(("--", "-=", "+-", "+=", "++"), astuple(counts), strict=True)
    pairs = [kind for kind, count in kinds for _ in range(count)]
    for number, pair in enumerate(pairs):
        results += games(one, other, pair[0], number) + games(other, one, pair[1].translate(turned), number)
    return results


# Counts.


def test_counts_add_up_and_turn_round() -> None:
    assert PairCounts(1, 2, 3, 4, 5) + PairCounts(10, 0, 0, 0, 1) == PairCounts(11, 2, 3, 4, 6)
    assert PairCounts(1, 2, 3, 4, 5).inverted == PairCounts(5, 4, 3, 2, 1)
    assert PairCounts(1, 2, 3, 4, 5).pairs == 15
    assert PairCounts(1, 0, 0, 1, 2).score == (0 + 0.75 + 2) / 4
    assert PairCounts().score is None


def test_counts_of_a_string() -> None:
    assert PairCounts.parse(" 1, 2,3,4 ,50") == PairCounts(1, 2, 3, 4, 50)


@pytest.mark.parametrize("text", ["", "1,2,3,4", "1,2,3,4,5,6", "1,2,3,4,-5", "1,2,3,4,x", "1,2,3,4,1.5", "1,2,,4,5"])
def test_strings_that_are_no_counts(text: str) -> None:
    with pytest.raises(MancalaError, match=r"^counts .*: expected five whole numbers LL,LD,DD\+WL,WD,WW"):
        PairCounts.parse(text)


def test_counts_are_not_negative() -> None:
    with pytest.raises(MancalaError, match="expected none below 0"):
        PairCounts(1, 2, 3, -4, 5)


def test_counts_of_results() -> None:
    counts = PairCounts(1, 2, 3, 4, 5)
    results = results_of(counts)
    random.Random(1).shuffle(results)
    assert count_pairs(results, "b", "a") == counts
    assert count_pairs(results, "a", "b") == counts.inverted
    drawn = games("a", "b", "==", first_pair=90)  # an even pair, like one won and one lost
    lonely = games("a", "b", "+", first_pair=91)
    others = results_of(counts, "b", "c") + results_of(counts, "c", "a")
    assert count_pairs(results + drawn + lonely + others, "b", "a") == counts + PairCounts(even=1)


# The log-likelihood ratio.


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [  # as fastchess's own tests have them, given there with two decimals
        (PairCounts(223, 9863, 20279 + 1000, 10037, 246), 0.5, 2.5, -3.07),
        (PairCounts(871, 26175, 55003 + 980, 26678, 821), 0.0, 2.0, -4.98),
    ],
)
def test_published_values(counts: PairCounts, elo0: float, elo1: float, llr: float) -> None:
    assert log_likelihood_ratio(counts, elo0, elo1) == pytest.approx(llr, abs=0.005)


def likeliest(counts: list[float], mean: float) -> float:
    """Return the greatest sum of n log p over distributions p with a mean, by general-purpose optimisation."""
    n = np.array(counts)
    shares = n / n.sum()
    # The distribution closest to the observed one that is surely feasible: mixed with the two ends.
    end = np.array([0, 0, 0, 0, 1.0]) if shares @ SHARES < mean else np.array([1.0, 0, 0, 0, 0])
    part = (mean - shares @ SHARES) / (end @ SHARES - shares @ SHARES)
    best = minimize(
        lambda p: -shares @ np.log(p),
        (1 - part) * shares + part * end,
        jac=lambda p: -shares / p,
        method="SLSQP",
        bounds=[(1e-12, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: np.ones(5)},
            {"type": "eq", "fun": lambda p: p @ SHARES - mean, "jac": lambda p: SHARES},
        ],
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert abs(best.x.sum() - 1) < 1e-9
    assert abs(best.x @ SHARES - mean) < 1e-9
    return -float(best.fun) * float(n.sum())


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1"),
    [
        ((10, 20, 40, 22, 8), 0, 5),
        ((2, 8, 20, 30, 40), 0, 20),
        ((30, 20, 10, 4, 1), 0, 10),
        ((120, 40, 10, 6, 3), -30, 40),
        ((5, 1, 1, 1, 9), -100, 100),
        ((3, 14, 15, 9, 26), -5, 300),
    ],
)
def test_the_ratio_is_that_of_a_brute_force_maximisation(
    counts: tuple[int, int, int, int, int], elo0: float, elo1: float
) -> None:
    brute = likeliest(list(counts), expected_score(elo1)) - likeliest(list(counts), expected_score(elo0))
    assert log_likelihood_ratio(PairCounts(*counts), elo0, elo1) == pytest.approx(brute, abs=1e-5)


def test_pair_scores_that_did_not_occur_count_as_a_thousandth() -> None:
    filled = [0.001, 0.001, 3, 5, 12]
    brute = likeliest(filled, expected_score(15)) - likeliest(filled, expected_score(-5))
    assert log_likelihood_ratio(PairCounts(0, 0, 3, 5, 12), -5, 15) == pytest.approx(brute, abs=1e-5)


def test_wins_and_losses_alone_are_a_binomial() -> None:
    # Nearly: the three empty pair scores are worth 0.003 pairs.
    counts = PairCounts(400, 0, 0, 0, 600)
    s0, s1 = expected_score(0), expected_score(30)
    binomial = 600 * math.log(s1 / s0) + 400 * math.log((1 - s1) / (1 - s0))
    assert log_likelihood_ratio(counts, 0, 30) == pytest.approx(binomial, abs=0.01)


@given(COUNTS, st.integers(-300, 300), st.integers(1, 300))
def test_the_opponent_sees_the_same_with_its_sign_turned(counts: PairCounts, elo0: int, step: int) -> None:
    llr = log_likelihood_ratio(counts, elo0, elo0 + step)
    assert math.isfinite(llr)
    assert log_likelihood_ratio(counts.inverted, -elo0 - step, -elo0) == pytest.approx(-llr, rel=1e-9, abs=1e-9)


@given(COUNTS, st.integers(-300, 300), st.integers(1, 100), st.integers(1, 100))
def test_ratios_of_adjoining_hypotheses_add_up(counts: PairCounts, elo0: int, one: int, two: int) -> None:
    parts = log_likelihood_ratio(counts, elo0, elo0 + one) + log_likelihood_ratio(counts, elo0 + one, elo0 + one + two)
    assert log_likelihood_ratio(counts, elo0, elo0 + one + two) == pytest.approx(parts, rel=1e-9, abs=1e-9)


HUGE = 10**15


@pytest.mark.parametrize(
    ("counts", "sign"),
    [
        (PairCounts(), 0),
        (PairCounts(ww=1), 1),
        (PairCounts(ll=1), -1),
        (PairCounts(even=1), 0),
        (PairCounts(even=HUGE), 0),
        (PairCounts(ll=1, ww=1), 0),
        (PairCounts(ld=7), -1),
        (PairCounts(ww=HUGE), 1),
        (PairCounts(ll=HUGE), -1),
        (PairCounts(ll=1, ww=HUGE), 1),
    ],
)
def test_degenerate_counts_have_a_finite_ratio_of_the_right_sign(counts: PairCounts, sign: int) -> None:
    for elo in (1e-3, 5, 2000):
        llr = log_likelihood_ratio(counts, -elo, elo)
        assert math.isfinite(llr)
        if sign:
            assert llr * sign > 0
        else:
            assert abs(llr) < 1e-10 * max(1, counts.pairs)


def test_perfect_scores_decide_in_the_end() -> None:
    test = Sprt(0, 20)
    assert test.judge(PairCounts(ww=20)).verdict == Verdict.INCONCLUSIVE
    assert test.judge(PairCounts(ww=100)).verdict == Verdict.H1
    assert test.judge(PairCounts(ll=100)).verdict == Verdict.H0
    assert test.judge(PairCounts(even=100)).verdict == Verdict.H0  # Elo 0 by all one can see


# Verdicts.


def test_bounds_are_those_of_wald() -> None:
    judgement = Sprt(0, 5, alpha=0.01, beta=0.1).judge(PairCounts(10, 20, 40, 22, 8))
    assert judgement.lower == pytest.approx(math.log(0.1 / 0.99))
    assert judgement.upper == pytest.approx(math.log(0.9 / 0.01))
    assert judgement.verdict == Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 5, elo1 5: expected elo0 below elo1"),
        ({"elo0": 5, "elo1": 0}, "elo0 5, elo1 0: expected elo0 below elo1"),
        ({"elo1": 2001}, "elo1 2001: expected -2000 to 2000"),
        ({"elo0": -math.inf}, "elo0 -inf: expected -2000 to 2000"),
        ({"elo0": math.nan}, "elo0 nan: expected -2000 to 2000"),
        ({"alpha": 0}, "alpha 0: expected more than 0 and less than 0.5"),
        ({"beta": 0.5}, r"beta 0.5: expected more than 0 and less than 0.5"),
        ({"beta": math.nan}, "beta nan: expected more than 0 and less than 0.5"),
    ],
)
def test_tests_that_make_no_sense(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(MancalaError, match=f"^{message}$"):
        Sprt(**arguments)


@pytest.mark.parametrize(("elo", "wrong"), [(0, Verdict.H1), (80, Verdict.H0)])
def test_errors_are_as_rare_as_was_asked_for(elo: float, wrong: Verdict) -> None:
    """Simulated matches with an unequal distribution whose mean is exactly that of a hypothesis."""
    test, matches = Sprt(0, 80, alpha=0.1, beta=0.1), 250
    rng = np.random.default_rng(7)
    base = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    tilt = minimize(lambda x: (tilted(base, x[0]) @ SHARES - expected_score(elo)) ** 2, [0.0], tol=1e-14).x[0]
    chances = tilted(base, tilt)
    assert chances @ SHARES == pytest.approx(expected_score(elo), abs=1e-5)
    verdicts: list[Verdict] = []
    for _ in range(matches):
        counts = [0] * 5
        while (verdict := test.judge(PairCounts(*counts)).verdict) == Verdict.INCONCLUSIVE:
            counts[rng.choice(5, p=chances)] += 1
        verdicts.append(verdict)
    # 0.1 is expected, less for the overshoot, more for the small numbers; 0.16 is three standard deviations away.
    assert 0.02 < verdicts.count(wrong) / matches < 0.16


def tilted(base: npt.NDArray[np.float64], x: float) -> npt.NDArray[np.float64]:
    """Return a distribution with larger or smaller mean."""
    weights = base * np.exp(x * SHARES)
    return np.asarray(weights / weights.sum())


# Elo.


@pytest.mark.parametrize("counts", [(10, 20, 40, 22, 8), (0, 1, 4, 10, 25), (3, 0, 0, 0, 9), (0, 2, 0, 1, 0)])
def test_elo_and_interval_are_those_of_the_ratings(counts: tuple[int, int, int, int, int]) -> None:
    strength = estimate_elo(PairCounts(*counts))
    ratings = {rating.engine: rating for rating in rate(results_of(PairCounts(*counts)), ["a", "b"])}
    assert strength.elo == pytest.approx(ratings["b"].elo, abs=1e-6)
    assert strength.interval == pytest.approx(ratings["b"].interval, abs=1e-4)
    assert strength.bound is None


def test_a_perfect_score_is_a_bound() -> None:
    for counts in (PairCounts(ww=10), PairCounts(ll=10)):
        strength = estimate_elo(counts)
        (rating,) = (rating for rating in rate(results_of(counts), ["a", "b"]) if rating.engine == "b")
        assert (strength.elo, strength.interval) == (None, None)
        assert strength.bound is not None
        assert rating.bound is not None
        assert strength.bound[0] == rating.bound[0]
        assert strength.bound[1] == pytest.approx(rating.bound[1], abs=1e-6)
    assert estimate_elo(PairCounts(ww=10**30)).bound == (">", 400 * math.log10(4 * 10**30 - 1))


def test_pairs_that_are_all_alike_have_no_interval() -> None:
    assert estimate_elo(PairCounts(even=20)) == estimate_elo(PairCounts(even=1))
    even = estimate_elo(PairCounts(even=20))
    assert (even.elo, even.interval, even.bound, even.los) == (0, None, None, 0.5)
    assert estimate_elo(PairCounts(ld=20)).interval is None
    nothing = estimate_elo(PairCounts())
    assert (nothing.score, nothing.elo, nothing.interval, nothing.bound, nothing.los) == (None, None, None, None, 0.5)


def test_los_by_hand() -> None:
    # 3 pairs of 3/4 and 1 of 1/4: half a point too many where the sum of squares is 4/16.
    assert estimate_elo(PairCounts(ld=1, wd=3)).los == pytest.approx(norm.cdf(0.5 / 0.5))
    assert estimate_elo(PairCounts(ww=9)).los == pytest.approx(norm.cdf(3))
    assert estimate_elo(PairCounts(3, 0, 1, 0, 3)).los == 0.5


@given(COUNTS)
def test_the_opponent_s_elo_is_the_negative(counts: PairCounts) -> None:
    one, other = estimate_elo(counts), estimate_elo(counts.inverted)
    assert one.los + other.los == pytest.approx(1)
    if one.elo is not None:
        assert other.elo == pytest.approx(-one.elo, abs=1e-9)
    if one.interval is not None:
        assert other.interval == pytest.approx((-one.interval[1], -one.interval[0]), abs=1e-9)


# The command.


def test_the_command() -> None:
    code, out, err = run("sprt", "--counts", "223,9863,21279,10037,246", "--elo0", "0.5", "--elo1", "2.5")
    assert (code, err) == (0, "")
    assert "H0 accepted: Elo 0.5 rather than 2.5" in out
    assert "-3.07  (H0 at -2.94, H1 at 2.94)" in out
    assert "41648 pairs" in out
    assert "first engine's point of view" in out


@pytest.mark.parametrize(
    ("counts", "verdict", "elo"),
    [
        ("0,0,0,0,500", "H1 accepted", "> 1320 (all points won"),
        ("500,0,0,0,0", "H0 accepted", "< -1320 (none won"),
        ("0,0,20,0,0", "inconclusive", "0.0, without an interval"),
        ("0,0,0,0,0", "inconclusive", "-"),
        ("10,20,40,22,8", "inconclusive", "-3.5, 95 % interval -40.0 to 33.1"),
    ],
)
def test_the_command_whatever_the_counts(counts: str, verdict: str, elo: str) -> None:
    code, out, _ = run("sprt", "--counts", counts)
    assert code == 0
    assert f"verdict  {verdict}" in out
    assert f"Elo      {elo}" in out


def test_the_command_as_json() -> None:
    code, out, _ = run("sprt", "--counts", "0,1,4,10,25", "--elo0", "-10", "--elo1", "50", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["config"] == {"elo0": -10, "elo1": 50, "alpha": 0.05, "beta": 0.05}
    assert data["counts"] == {"ll": 0, "ld": 1, "even": 4, "wd": 10, "ww": 25}
    assert (data["pairs"], data["verdict"]) == (40, "H1")
    assert data["llr"] == log_likelihood_ratio(PairCounts(0, 1, 4, 10, 25), -10, 50)
    assert data["interval"][0] < data["elo"] < data["interval"][1]
    assert json.loads(run("sprt", "--counts", "0,0,0,0,2", "--json")[1])["bound"]["is"] == ">"


@pytest.mark.parametrize("arguments", ["--counts 1,2", "--counts 1,2,3,4,5 --elo0 9", "--counts 1,2,3,4,5 --alpha 2"])
def test_the_command_with_wrong_input(arguments: str) -> None:
    code, out, err = run("sprt", *arguments.split())
    assert (code, out) == (2, "")
    assert err.startswith("mancala-ai: ")
    assert err.count("\n") == 1


def test_the_command_has_help_with_examples() -> None:
    code, out, _ = run("sprt", "--help")
    assert code == 0
    assert "\n  Examples:\n    mancala-ai sprt --engine" in out
