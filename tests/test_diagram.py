"""Drawings: what a person must be able to read off the board."""

from __future__ import annotations

import doctest

import pytest

import mancala_ai
from mancala_ai import diagram


def draw(game: str, position: str) -> str:
    return mancala_ai.load_game(game).state(position).board()


def test_the_example_in_the_docstring() -> None:
    assert doctest.testmod(diagram).failed == 0


def test_two_rows_in_full() -> None:
    board = draw("rio_kadalis(holes=5)", "0,1,12,x,x/x,3,0,0,10 N 9-5")
    assert board.splitlines() == [
        "            e    d    c    b    a    captured",
        "         ┌────┬────┬────┬────┬────┐",
        "▸ North  │  0 │  1 │ 12 │  x │  x │      5",
        "         ├────┼────┼────┼────┼────┤",
        "  South  │  x │  3 │  0 │  0 │ 10 │      9",
        "         └────┴────┴────┴────┴────┘",
        "            a    b    c    d    e",
        "",
        "North to move.",
    ]


def test_four_rows_have_small_letters_outside_and_capitals_inside() -> None:
    board = draw("kisolo(holes=6)", "1,2,3,4,5,6/0,0,0,0,0,1/0,0,0,0,2,0/7,8,9,10,0,0 S")
    assert board.splitlines() == [
        "            f    e    d    c    b    a    seeds",
        "         ┌────┬────┬────┬────┬────┬────┐",
        "         │  1 │  2 │  3 │  4 │  5 │  6 │",
        "  North  ├──F─┼──E─┼──D─┼──C─┼──B─┼──A─┤   22",
        "         │  0 │  0 │  0 │  0 │  0 │  1 │",
        "         ╞════╪════╪════╪════╪════╪════╡",
        "         │  0 │  0 │  0 │  0 │  2 │  0 │",
        "▸ South  ├──A─┼──B─┼──C─┼──D─┼──E─┼──F─┤   36",
        "         │  7 │  8 │  9 │ 10 │  0 │  0 │",
        "         └────┴────┴────┴────┴────┴────┘",
        "            a    b    c    d    e    f",
        "",
        "South to move.",
    ]


def test_nki_do_not_disturb_the_columns() -> None:
    lines = draw("kiothi", "0,3*,1,0,12*,0,0,0,0,0/0,0,0,0,5*,5,5,5,5,5* S 0-0").splitlines()
    assert lines[2] == "  North  │  0 │  3*│  1 │  0 │ 12*│  0 │  0 │  0 │  0 │  0 │      0"
    assert len({len(line) for line in lines[1:6:2]}) == 1


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_columns_are_as_wide_as_the_fullest_pit_and_fit_a_terminal(digits: int) -> None:
    seeds = 10 ** (digits - 1)
    lines = draw("giuthi(holes=10,seeds=9)", f"0,0,0,0,0,0,0,0,0,0/{seeds},2,0,0,0,0,0,0,0,0 S 60-10").splitlines()
    assert max(map(len, lines)) <= 80
    border = lines[1]
    for line in (lines[2], lines[4]):
        assert [i for i, c in enumerate(line) if c == "│"] == [i for i, c in enumerate(border) if c in "┌┬┐"]
    assert lines[4].index(str(seeds)) + digits - 1 == lines[6].index("a")


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("open:empty2", "Opening: choose the first of two own pits to empty (!a to !j)."),
        ("open:empty1:5:e", "Opening: 5 in hand from e; choose a pit to the right of e to empty as well."),
        ("open:place:9:-", "Opening: 9 in hand; place one: own @a to @j, or the opponent's @A to @J."),
        ("open:place:9:g", "Opening: 9 in hand; place one: own @g to @j, or the opponent's @A to @J."),
        ("open:place:1:C", "Opening: 1 in hand; place one: the opponent's @C to @J."),
    ],
)
def test_the_opening_says_what_is_to_be_done(extra: str, words: str) -> None:
    board = draw("kiothi", f"5,5,5,5,5,5,0,0,0,0/0,0,0,0,0,0,5,5,5,5 S 0-0 {extra}")
    assert board.splitlines()[-2:] == ["South to move.", words]


def test_the_capture_lock_is_said_in_words() -> None:
    locked = draw("kpe", "6,6,6,6/6,6,6,6 S 0-0 abcd/ac")
    assert locked.endswith("\n\nSouth to move.\nNo capture before sowing from: North bd.")
    assert draw("kpe", "6,6,6,6/6,6,6,6 N 0-0 abcd/abcd").endswith("\n\nNorth to move.")


@pytest.mark.parametrize(
    ("game", "position", "result"),
    [
        ("kpe", "1,0,0,0/0,0,0,0 S 30-14 abcd/abcd", "South wins by 15 (South 30, North 15)."),
        ("kpe", "2,0,0,0/0,0,0,0 S 10-8 abcd/abcd", "drawn (South 10, North 10)."),
        ("kisolo", "0,0,0,0,0,0,0/0,0,0,0,0,0,0/0,0,1,0,0,0,0/0,0,0,0,0,0,0 N", "South wins."),
        (
            "kiothi",
            "1,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 S 28-29",
            "North wins by 2 (South 28, North 30), a one-warrior victory.",
        ),
    ],
)
def test_the_end_is_told(game: str, position: str, result: str) -> None:
    board = draw(game, position)
    assert board.splitlines()[-1] == f"Game over: {result}"
    assert diagram.TO_MOVE not in board


@pytest.mark.parametrize(
    ("game", "position", "moves", "result"),
    [
        (
            "rio_kadalis(holes=5)",
            "1,0,1,0,1/2,0,1,0,2 S 24-8",
            "a",
            "South wins by 16 after infinite play, an endless sowing (South 28, North 12).",
        ),
        (
            "kpe(holes=3,seeds=4)",
            "1,0,1/1,0,0 S 12-9 abc/abc",
            "a c b a c b",
            "South wins by 3 after infinite play, a repetition (South 13.5, North 10.5).",
        ),
        (
            "kpe(holes=3,seeds=4,infinite=draw)",
            "1,0,1/1,0,0 S 12-9 abc/abc",
            "a c b a c b",
            "drawn by infinite play, a repetition.",
        ),
    ],
)
def test_infinite_play_is_told(game: str, position: str, moves: str, result: str) -> None:
    state = mancala_ai.load_game(game).state(position)
    for move in moves.split():
        state = state.play(move)
    assert diagram.describe_result(state) == result


def test_a_result_needs_an_end() -> None:
    with pytest.raises(ValueError, match="expected a game that is over"):
        diagram.describe_result(mancala_ai.load_game("kpe").initial_state())
