"""Hand-worked examples of the rules of Oware as OpenSpiel has them, one sentence of the rules each.

The board is 2x6, drawn ``F,E,D,C,B,A/a,b,c,d,e,f`` (South lower case, North upper case), sown in the order
``a b c d e f A B C D E F``.
"""

from __future__ import annotations

import re

import pytest

from tests.rules.worked import LoadGame, after

OWARE = "oware"

# Two single seeds going round once: see test_a_repeated_position_ends_the_game.
ROUND = tuple("aabbccddeeff")


# --- Board and options ---------------------------------------------------------------------------


def test_standard_is_six_pits_of_four_seeds(load_game: LoadGame) -> None:
    start = "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"
    assert str(load_game("oware").initial_state()) == start
    assert str(load_game("oware(holes=6,seeds=4)").initial_state()) == start


@pytest.mark.parametrize(("options", "row"), [("holes=3,seeds=1", "1,1,1"), ("holes=8,seeds=8", "8,8,8,8,8,8,8,8")])
def test_three_to_eight_pits_of_one_to_eight_seeds(load_game: LoadGame, options: str, row: str) -> None:
    assert str(load_game(f"oware({options})").initial_state()) == f"{row}/{row} S 0-0"


@pytest.mark.parametrize("option", ["holes=2", "holes=9", "seeds=0", "seeds=9"])
def test_other_boards_are_refused(load_package_game: LoadGame, option: str) -> None:
    with pytest.raises(ValueError, match=option):
        load_package_game(f"oware({option})")


# --- Moves and sowing ----------------------------------------------------------------------------


def test_any_own_non_empty_pit_is_sown_singletons_too(load_game: LoadGame) -> None:
    state = after(load_game, OWARE, "0,0,0,0,0,3/1,0,2,0,0,0 S 0-0")
    assert state.legal_moves() == ["a", "c"]
    for illegal in ("b", "g", "A", "a+", "pass"):
        with pytest.raises(ValueError, match=re.escape(repr(illegal))):
            state.play(illegal)


@pytest.mark.parametrize(
    ("before", "move", "after_it"),
    [
        ("4,4,4,4,4,4/4,4,4,4,4,4 S 0-0", "d", "4,4,4,4,5,5/4,4,4,0,5,5 N 0-0"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 N 0-0", "d", "5,5,0,4,4,4/5,5,4,4,4,4 S 0-0"),
        # the emptied pit is skipped: the twelfth seed falls into b, and so does the twenty-third
        ("0,0,0,0,0,1/12,0,0,0,0,0 S 0-0", "a", "1,1,1,1,1,2/0,2,1,1,1,1 N 0-0"),
        ("0,0,0,0,0,1/23,0,0,0,0,0 S 0-0", "a", "2,2,2,2,2,3/0,3,2,2,2,2 N 0-0"),
        # eleven seeds: every other pit once, and F holds one
        ("0,0,0,0,0,1/11,0,0,0,0,0 S 0-0", "a", "1,1,1,1,1,2/0,1,1,1,1,1 N 0-0"),
    ],
)
def test_one_lap_counter_clockwise_that_skips_the_emptied_pit(
    load_game: LoadGame, before: str, move: str, after_it: str
) -> None:
    assert str(after(load_game, OWARE, before, move)) == after_it


# --- Captures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "move", "after_it"),
    [
        # e(4) -> f, A 2, B 3, C 2: all three are captured, D is not in the chain
        ("0,0,5,1,2,1/0,0,0,0,4,1 S 0-0", "e", "0,0,5,0,0,0/0,0,0,0,0,2 N 7-0"),
        # the same for North, who captures in South's row
        ("4,1,0,0,0,0/1,2,1,5,0,0 N 0-0", "f", "0,1,0,0,0,0/2,3,2,6,0,0 S 0-0"),
        ("3,1,0,0,0,0/1,2,1,5,0,0 N 0-0", "f", "0,1,0,0,0,0/0,0,0,5,0,0 S 0-7"),
        # B 4 ends the chain: A 2 stays
        ("0,0,5,1,3,1/0,0,0,0,4,1 S 0-0", "e", "0,0,5,0,4,2/0,0,0,0,0,2 N 2-0"),
        # f 2 is South's own
        ("0,0,3,0,0,1/0,0,0,0,2,1 S 0-0", "e", "0,0,3,0,0,0/0,0,0,0,0,2 N 2-0"),
        # a last seed in the own row captures nothing
        ("0,0,0,0,0,4/2,0,1,0,0,0 S 0-0", "a", "0,0,0,0,0,4/0,1,2,0,0,0 N 0-0"),
        # one or four are no capture
        ("0,0,3,0,0,3/0,0,0,0,2,1 S 0-0", "e", "0,0,3,0,0,4/0,0,0,0,0,2 N 0-0"),
        ("0,0,3,0,0,0/0,0,0,0,2,1 S 0-0", "e", "0,0,3,0,0,1/0,0,0,0,0,2 N 0-0"),
    ],
)
def test_a_last_seed_captures_twos_and_threes_backwards_in_the_opponents_row(
    load_game: LoadGame, before: str, move: str, after_it: str
) -> None:
    assert str(after(load_game, OWARE, before, move)) == after_it


@pytest.mark.parametrize(
    ("before", "after_it"),
    [
        # e(3) -> f, A 2, B 3, and North has nothing else: nothing is captured
        ("0,0,0,0,2,1/0,0,0,0,3,1 S 0-0", "0,0,0,0,3,2/0,0,0,0,0,2 N 0-0"),
        # C is left to North: both are captured
        ("0,0,0,9,2,1/0,0,0,0,3,1 S 0-0", "0,0,0,9,0,0/0,0,0,0,0,2 N 5-0"),
        # A 6 is left to North: B is captured
        ("0,0,0,0,1,5/0,0,0,0,3,1 S 0-0", "0,0,0,0,0,6/0,0,0,0,0,2 N 2-0"),
    ],
)
def test_a_grand_slam_captures_nothing(load_game: LoadGame, before: str, after_it: str) -> None:
    assert str(after(load_game, OWARE, before, "e")) == after_it


# --- Feeding -------------------------------------------------------------------------------------


def test_an_opponent_without_seeds_must_be_fed(load_game: LoadGame) -> None:
    # d(3) and f(1) reach A, a(1) does not
    assert after(load_game, OWARE, "0,0,0,0,0,0/1,0,0,3,0,1 S 0-0").legal_moves() == ["d", "f"]
    # North's f gives away the last seed; South must give one back
    assert after(load_game, OWARE, "1,0,0,0,0,0/0,0,0,0,0,1 N 10-10", "f").legal_moves() == ["f"]


def test_an_opponent_with_a_seed_need_not_be_fed(load_game: LoadGame) -> None:
    assert after(load_game, OWARE, "1,0,0,0,0,0/1,0,0,3,0,1 S 0-0").legal_moves() == ["a", "d", "f"]


# --- The end -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "moves", "after_it", "final"),
    [
        # nothing to sow
        ("0,0,0,0,0,3/0,0,0,0,0,0 S 5-7", "", "0,0,0,0,0,3/0,0,0,0,0,0 S 5-7", (5, 10)),
        # nothing that would feed
        ("0,0,0,0,0,0/1,0,1,0,0,0 S 3-5", "", "0,0,0,0,0,0/1,0,1,0,0,0 S 3-5", (5, 5)),
        # f(1) captures A, and North's b(2) cannot reach South
        ("0,0,0,0,2,1/0,0,0,0,0,1 S 9-9", "f", "0,0,0,0,2,0/0,0,0,0,0,0 N 11-9", (11, 11)),
        # e(2) captures two: 25 of 48
        ("0,0,0,0,1,1/0,0,0,3,2,0 S 23-18", "e", "0,0,0,0,1,0/0,0,0,3,0,1 N 25-18", (29, 19)),
        # typed with more than half captured
        ("0,0,0,0,0,1/1,0,0,0,0,0 S 5-0", "", "0,0,0,0,0,1/1,0,0,0,0,0 S 5-0", (6, 1)),
        ("0,0,0,0,0,1/1,0,0,0,0,0 N 0-5", "", "0,0,0,0,0,1/1,0,0,0,0,0 N 0-5", (1, 6)),
    ],
)
def test_the_game_ends_without_a_legal_move_or_with_more_than_half_captured(
    load_game: LoadGame, before: str, moves: str, after_it: str, final: tuple[int, int]
) -> None:
    state = after(load_game, OWARE, before, *moves)
    assert str(state) == after_it
    assert state.legal_moves() == []
    assert (state.termination, state.final, state.margin) == ("normal", final, final[0] - final[1])


@pytest.mark.parametrize("captured", ["24-19", "19-24"])
def test_half_of_the_seeds_is_not_enough(load_game: LoadGame, captured: str) -> None:
    # 24 of 48, with five seeds on the board
    state = after(load_game, OWARE, f"0,0,0,0,1,0/0,0,0,3,0,1 N {captured}")
    assert not state.is_over
    assert state.legal_moves() == ["b"]


@pytest.mark.parametrize(
    ("infinite", "final", "margin"), [("own_side", (4, 5), -1), ("split", (5, 4), 1), ("draw", (4, 3), 0)]
)
def test_a_repeated_position_ends_the_game(
    load_game: LoadGame, infinite: str, final: tuple[int, int], margin: int
) -> None:
    # North's f gives A and F's seeds away in turn: after twelve plies both are back
    moves = ROUND[-1:] + ROUND[:-1]
    position = "1,0,0,0,0,1/0,0,0,0,0,0 N 4-3"
    game = f"oware(infinite={infinite})"
    assert not after(load_game, game, position, *moves[:-1]).is_over
    state = after(load_game, game, position, *moves)
    assert str(state) == position
    assert (state.termination, state.final, state.margin) == ("infinite", final, margin)


def test_after_a_repetition_each_player_gets_the_own_row(load_game: LoadGame) -> None:
    state = after(load_game, OWARE, "0,0,0,0,0,1/1,0,0,0,0,0 S 4-3", *ROUND)
    assert (state.termination, state.outcome, state.final) == ("infinite", 1, (5, 4))
