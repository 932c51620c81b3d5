"""Openings: seeded, different from each other, and playable."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import islice

import pytest

from experiments.openings import distinct_openings, random_opening, suite_openings
from mancala_ai import MancalaError, load_game
from mancala_ai.registry import game_types

GAMES = [game.name for game in game_types()]


@pytest.mark.parametrize("name", GAMES)
def test_an_opening_can_be_played_and_nothing_is_decided(name: str) -> None:
    opening = random_opening(load_game(name), 4, 1)
    assert not opening.is_over
    assert opening.decided is None
    assert len(opening.moves) >= 4
    assert opening != load_game(name).initial_state()


@pytest.mark.parametrize("name", GAMES)
def test_openings_depend_on_rng_seed_game_and_number_only(name: str) -> None:
    game = load_game(name)
    few, many = (list(islice(distinct_openings(game, 4, 7), count)) for count in (3, 12))
    assert many[:3] == few
    assert len(set(many)) == 12
    assert list(islice(distinct_openings(game, 4, 8), 3)) != few


def test_openings_differ_between_rulesets() -> None:
    one, other = (random_opening(load_game(f"giuthi(infinite={how})"), 4, 1) for how in ("draw", "split"))
    assert str(one) != str(other)


def test_no_plies_leave_the_start_position() -> None:
    game = load_game("kpe")
    assert list(distinct_openings(game, 0, 0)) == [game.initial_state()]


def test_a_small_ruleset_runs_out_of_openings() -> None:
    openings = list(map(str, distinct_openings(load_game("kpe(holes=3)"), 1, 0)))
    assert sorted(openings) == sorted(set(openings))
    assert len(openings) == 3


def test_too_many_plies_are_refused() -> None:
    with pytest.raises(MancalaError, match=r"openings of kisolo\(holes=6\): all of .* end within 5000 plies"):
        random_opening(load_game("kisolo(holes=6)"), 5000, 0)


def test_an_opening_phase_is_played_to_its_end() -> None:
    game = load_game("kiothi")
    for state in islice(distinct_openings(game, 4, 0), 20):
        opening = str(state)
        assert game.rules.opening_weights(state.position, state.legal_move_numbers()) is None
        assert "open" not in opening
        assert all(pit == "0" or pit.endswith("*") for pit in opening.split()[0].replace("/", ",").split(","))


@pytest.mark.parametrize("rng_seed", range(5))
def test_all_redistributions_of_one_player_are_equally_likely(rng_seed: int) -> None:
    rng = random.Random(rng_seed)
    state = load_game("kiothi").initial_state()
    probability = Fraction(1)
    while state.to_move == 0:
        moves = state.legal_move_numbers()
        weights = state.game.rules.opening_weights(state.position, moves)
        assert weights is not None
        chosen = rng.randrange(len(moves))
        probability *= Fraction(weights[chosen], sum(weights))
        state = state.play_number(moves[chosen])
    # Two of six pits; then ten seeds into twenty pits.
    assert probability == Fraction(1, math.comb(6, 2) * math.comb(10 + 19, 10))


@pytest.mark.parametrize("name", GAMES)
def test_a_suite_comes_with_the_program(name: str) -> None:
    game = load_game(name)
    openings = suite_openings(game, "suite")
    assert len(openings) == len(set(openings)) == 100
    assert all(game.state(opening).decided is None for opening in openings)


def test_a_suite_is_for_one_ruleset_only() -> None:
    with pytest.raises(MancalaError, match=r"openings 'suite of giuthi': none for giuthi\(holes=6,seeds=4\)"):
        suite_openings(load_game("giuthi(holes=6,seeds=4)"), "suite")
