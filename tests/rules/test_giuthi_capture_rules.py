"""Hand-worked examples of the capture of Giuthi, and of its option ``capture_needs_target``.

The board is 2x5, drawn ``E,D,C,B,A/a,b,c,d,e`` (South lower case, North upper case). The ring is
``a b c d e A B C D E`` counter-clockwise (``+``); facing pits are a-E, b-D, c-C, d-B, e-A.

Most examples begin with the same two laps, ``d+`` of two seeds with one seed in A:

    lap 1: d(2)+ -> e 1, A 2, A was occupied: lift 2
    lap 2: A(2)- -> e 2, d 1, d was emptied by lap 1: own side, and A had been entered: capture

so the seed in d is taken with all of B, and a chain goes on clockwise: c (facing C), b (D), a (E).
"""

from __future__ import annotations

import pytest

from tests.rules.worked import LoadGame, after

G5 = "giuthi(holes=5,seeds=4)"
NEEDS_TARGET = "giuthi(holes=5,seeds=4,capture_needs_target=True)"
EITHER = pytest.mark.parametrize("game", [G5, NEEDS_TARGET])


@EITHER
def test_capture_takes_the_last_seed_and_the_opposite_pit_and_passes_the_turn(load_game: LoadGame, game: str) -> None:
    # d 1 and B 3; c is occupied: no chain. Lap 2 itself stays in the own row: "in the whole move" counts
    state = after(load_game, game, "0,0,2,3,1/0,0,1,2,0 S 0-0", "d+")
    assert str(state) == "0,0,2,0,0/0,0,1,0,2 N 4-0"


@EITHER
def test_capture_chain_stops_at_an_occupied_pit(load_game: LoadGame, game: str) -> None:
    # d 1 and B 3; c is empty: C 2; b is occupied: D stays, and so does E although a is empty
    state = after(load_game, game, "5,4,2,3,1/0,1,0,2,0 S 0-0", "d+")
    assert str(state) == "5,4,0,0,0/0,1,0,0,2 N 6-0"


@EITHER
def test_capture_chain_stops_at_the_end_of_the_own_row(load_game: LoadGame, game: str) -> None:
    # d 1 and B 3; c, b, a are empty: C 2, D 4, E 5. Beyond a the ring has E ... A, all empty now:
    # e 2, which faces A, is not taken
    state = after(load_game, game, "5,4,2,3,1/0,0,0,2,0 S 0-0", "d+")
    assert str(state) == "0,0,0,0,0/0,0,0,0,2 N 15-0"


@EITHER
def test_capture_chain_goes_on_in_the_last_laps_direction(load_game: LoadGame, game: str) -> None:
    # lap 1: b(2)- -> a 1, E 2, E was occupied: lift 2
    # lap 2: E(2)+ -> a 2, b 1, b was emptied: capture b 1 and D 3
    # the chain goes on counter-clockwise: c is empty: C 2; d is occupied: it stops
    state = after(load_game, game, "1,3,2,4,5/0,2,0,1,0 S 0-0", "b-")
    assert str(state) == "0,0,0,4,5/2,0,0,1,0 N 6-0"


@EITHER
def test_capture_chain_after_a_single_lap_goes_on_in_its_direction(load_game: LoadGame, game: str) -> None:
    # c(8)+ -> d 1, e 1, A 2, B 1, C 1, D 1, E 1, a 1, a was empty: capture a 1 and E 1
    # the chain goes on counter-clockwise: b is empty: D 1; c was emptied: C 1; d is occupied: it stops
    state = after(load_game, game, "0,0,0,0,1/0,0,8,0,0 S 0-0", "c+")
    assert str(state) == "0,0,0,1,2/0,0,0,1,1 N 4-0"


@EITHER
def test_north_captures_alike(load_game: LoadGame, game: str) -> None:
    # lap 1: D(2)+ -> E 1, a 2, a was occupied: lift 2
    # lap 2: a(2)- -> E 2, D 1, D was emptied: capture D 1 and b 3; C is empty: c 2; B is occupied: it stops
    state = after(load_game, game, "0,2,0,1,0/1,3,2,0,4 N 0-0", "d+")
    assert str(state) == "2,0,0,1,0/0,0,0,0,4 S 0-6"


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (G5, "0,4,0,0,0/0,1,0,0,2 N 3-0"),  # d 1 although B is empty; c is empty: C 2; b is occupied
        (NEEDS_TARGET, "0,4,2,0,0/0,1,0,1,2 N 0-0"),  # B is empty: nothing at all, and the turn passes
    ],
)
def test_landing_opposite_an_empty_pit(load_game: LoadGame, game: str, expected: str) -> None:
    assert str(after(load_game, game, "0,4,2,0,1/0,1,0,2,0 S 0-0", "d+")) == expected


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (G5, "0,0,0,0,0/0,0,0,0,2 N 13-0"),  # d 1 and B 3, c: C has none, b: D 4, a: E 5
        (NEEDS_TARGET, "5,4,0,0,0/0,0,0,0,2 N 4-0"),  # d 1 and B 3; C is empty: the chain ends at c
    ],
)
def test_capture_chain_past_an_empty_target(load_game: LoadGame, game: str, expected: str) -> None:
    assert str(after(load_game, game, "5,4,0,3,1/0,0,0,2,0 S 0-0", "d+")) == expected


@EITHER
def test_nothing_is_captured_without_entering_the_opponents_row(load_game: LoadGame, game: str) -> None:
    # a(2)+ -> b 1, c 1, c was empty; C 3 faces it
    assert str(after(load_game, game, "0,0,3,0,0/2,0,0,2,0 S 0-0", "a+")) == "0,0,3,0,0/0,1,1,2,0 S 0-0"


@EITHER
def test_captured_seeds_leave_the_board_and_add_to_what_was_captured(load_game: LoadGame, game: str) -> None:
    # d 1 and B 3 as above; 9 seeds on the board and 10 captured before, 5 and 14 after
    state = after(load_game, game, "0,0,2,3,1/0,0,1,2,0 S 7-3", "d+")
    assert str(state) == "0,0,2,0,0/0,0,1,0,2 N 11-3"


# --- The handicap set-up 2x10x9: ten seeds at once ------------------------------------------------


def test_2x10x9_first_move_a_plus_captures_exactly_ten(load_game: LoadGame) -> None:
    # lap 1: a(9)+ -> b..j 10 each, j was occupied: lift 10
    # lap 2: j(10)- -> i..b 11 each, a 1, J 10, J was occupied: lift 10
    # lap 3: J(10)+ -> a 2, b..i 12 each, j 1, j was emptied: capture j 1 and A 9; the own row ends at j
    state = load_game("giuthi(setup=2x10x9)").initial_state().play("a+")
    assert str(state) == "0,9,9,9,9,9,9,9,9,0/2,12,12,12,12,12,12,12,12,0 N 10-0"


def test_2x10x9_first_move_j_minus_captures_exactly_ten(load_game: LoadGame) -> None:
    # lap 1: j(9)- -> i..a 10 each, a was occupied: lift 10
    # lap 2: a(10)+ -> b..i 11 each, j 1, A 10, A was occupied: lift 10
    # lap 3: A(10)- -> j 2, i..b 12 each, a 1, a was emptied: capture a 1 and J 9; the own row ends at a
    state = load_game("giuthi(setup=2x10x9)").initial_state().play("j-")
    assert str(state) == "0,9,9,9,9,9,9,9,9,0/0,12,12,12,12,12,12,12,12,2 N 10-0"


def test_2x10x9_every_other_first_move_captures_nothing(load_game: LoadGame) -> None:
    start = load_game("giuthi(setup=2x10x9)").initial_state()
    others = [move for move in start.legal_moves() if move not in ("a+", "j-")]
    assert len(others) == 18
    for move in others:
        assert str(start.play(move)).endswith(" 0-0"), move
