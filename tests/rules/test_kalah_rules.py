"""Hand-worked examples of the rules of Kalah as OpenSpiel's ``mancala`` has them, one sentence of the rules each.

The board is 2x6, drawn ``F,E,D,C,B,A/a,b,c,d,e,f`` (South lower case, North upper case). South sows in the order
``a b c d e f``, South's store, ``A B C D E F``; North in the order ``A B C D E F``, North's store, ``a b c d e f``.
"""

from __future__ import annotations

import re

import pytest

from tests.rules.worked import LoadGame, after

KALAH = "kalah"


# --- Board and options ---------------------------------------------------------------------------


def test_standard_is_six_pits_of_four_seeds(load_game: LoadGame) -> None:
    start = "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"
    assert str(load_game("kalah").initial_state()) == start
    assert str(load_game("kalah(holes=6,seeds=4)").initial_state()) == start


@pytest.mark.parametrize(("options", "row"), [("holes=3,seeds=1", "1,1,1"), ("holes=6,seeds=6", "6,6,6,6,6,6")])
def test_three_to_six_pits_of_one_to_six_seeds(load_game: LoadGame, options: str, row: str) -> None:
    assert str(load_game(f"kalah({options})").initial_state()) == f"{row}/{row} S 0-0"


@pytest.mark.parametrize("option", ["holes=2", "holes=7", "seeds=0", "seeds=7", "infinite"])
def test_other_boards_and_infinite_play_are_refused(load_package_game: LoadGame, option: str) -> None:
    with pytest.raises(ValueError, match=option):
        load_package_game(f"kalah({option if '=' in option else option + '=draw'})")


# --- Moves and sowing ----------------------------------------------------------------------------


def test_any_own_non_empty_pit_is_sown_singletons_too(load_game: LoadGame) -> None:
    state = after(load_game, KALAH, "0,0,0,0,0,3/1,0,2,0,0,0 S 0-0")
    assert state.legal_moves() == ["a", "c"]
    for illegal in ("b", "g", "A", "a+", "pass"):
        with pytest.raises(ValueError, match=re.escape(repr(illegal))):
            state.play(illegal)


@pytest.mark.parametrize(
    ("before", "move", "after_it"),
    [
        # d(4) -> e, f, store, A
        ("4,4,4,4,4,4/4,4,4,4,4,4 S 0-0", "d", "4,4,4,4,4,5/4,4,4,0,5,5 N 1-0"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 N 0-0", "d", "5,5,0,4,4,4/5,4,4,4,4,4 S 0-1"),
        # f(8) -> store, A..F, and past North's store into a
        ("1,1,1,1,1,1/1,0,0,0,0,8 S 0-0", "f", "2,2,2,2,2,2/2,0,0,0,0,0 N 1-0"),
        ("8,0,0,0,0,1/1,1,1,1,1,1 N 0-0", "f", "0,0,0,0,0,2/2,2,2,2,2,2 S 0-1"),
        # a(14) -> the emptied pit is not skipped: a 1, b 2
        ("0,0,0,0,0,1/14,0,0,0,0,0 S 0-0", "a", "1,1,1,1,1,2/1,2,1,1,1,1 N 1-0"),
    ],
)
def test_one_lap_through_the_own_store_and_past_the_opponents(
    load_game: LoadGame, before: str, move: str, after_it: str
) -> None:
    assert str(after(load_game, KALAH, before, move)) == after_it


def test_a_last_seed_in_the_own_store_moves_again(load_game: LoadGame) -> None:
    state = after(load_game, KALAH, "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0", "c")
    assert str(state) == "4,4,4,4,4,4/4,4,0,5,5,5 S 1-0"
    assert state.legal_moves() == ["a", "b", "d", "e", "f"]
    assert str(after(load_game, KALAH, "1,2,0,0,0,1/1,0,0,0,0,0 N 0-0", "f", "e")) == "1,0,0,0,0,1/1,0,0,0,0,0 N 0-2"


# --- Captures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "move", "after_it"),
    [
        # a(1) -> b, which was empty, opposite to E
        ("0,5,0,0,0,1/1,0,0,0,0,1 S 0-0", "a", "0,0,0,0,0,1/0,0,0,0,0,1 N 6-0"),
        # North's a(1) -> B, opposite to e
        ("1,0,0,0,0,1/1,0,0,0,3,0 N 2-2", "a", "1,0,0,0,0,0/1,0,0,0,0,0 S 2-6"),
        # thirteen seeds come back to the emptied pit
        ("0,0,0,0,0,1/13,0,0,0,0,0 S 0-0", "a", "0,1,1,1,1,2/0,1,1,1,1,1 N 3-0"),
        # nothing opposite: the last seed stays, too
        ("0,0,0,0,0,1/1,0,0,0,0,1 S 0-0", "a", "0,0,0,0,0,1/0,1,0,0,0,1 N 0-0"),
        # an own pit that was not empty
        ("0,5,0,0,0,1/1,1,0,0,0,1 S 0-0", "a", "0,5,0,0,0,1/0,2,0,0,0,1 N 0-0"),
        # an empty pit of the opponent, A, opposite to f, which has just been emptied, and to nothing else
        ("1,0,0,0,0,0/1,0,0,0,0,2 S 0-0", "f", "1,0,0,0,0,1/1,0,0,0,0,0 N 1-0"),
    ],
)
def test_a_last_seed_in_an_empty_own_pit_captures_what_is_opposite_and_itself(
    load_game: LoadGame, before: str, move: str, after_it: str
) -> None:
    assert str(after(load_game, KALAH, before, move)) == after_it


# --- The end -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "moves", "after_it", "final"),
    [
        # the opponent has run out, by a capture
        ("0,5,0,0,0,0/1,0,0,0,0,1 S 0-0", "a", "0,0,0,0,0,0/0,0,0,0,0,1 N 6-0", (7, 0)),
        # the mover has run out, and would move again
        ("0,0,0,0,0,3/0,0,0,0,0,1 S 2-2", "f", "0,0,0,0,0,3/0,0,0,0,0,0 S 3-2", (3, 5)),
        # the mover has run out, and the opponent could move
        ("0,0,0,0,0,3/0,0,0,0,0,2 S 2-2", "f", "0,0,0,0,0,4/0,0,0,0,0,0 N 3-2", (3, 6)),
        # typed without a seed on one side, whoever is to move
        ("0,0,0,0,0,0/1,0,0,0,0,1 S 4-6", "", "0,0,0,0,0,0/1,0,0,0,0,1 S 4-6", (6, 6)),
        ("0,0,0,0,0,0/1,0,0,0,0,1 N 4-6", "", "0,0,0,0,0,0/1,0,0,0,0,1 N 4-6", (6, 6)),
    ],
)
def test_the_game_ends_when_either_row_is_empty(
    load_game: LoadGame, before: str, moves: str, after_it: str, final: tuple[int, int]
) -> None:
    state = after(load_game, KALAH, before, *moves)
    assert str(state) == after_it
    assert state.legal_moves() == []
    assert (state.termination, state.final, state.margin) == ("normal", final, final[0] - final[1])


def test_more_than_half_of_the_seeds_does_not_end_the_game(load_game: LoadGame) -> None:
    assert after(load_game, KALAH, "0,0,0,0,0,1/1,0,0,0,0,1 S 40-5").legal_moves() == ["a", "f"]
