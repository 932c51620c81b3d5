"""The index of endgame positions: a bijection, seen by the side to move, equal for mirrored positions."""

from __future__ import annotations

from math import comb
from random import Random
from typing import Any

import numpy as np
import pytest

import mancala_ai
from engines.endgame.boards import boards_of, find, following, write_position
from engines.endgame.index import (
    empty_database,
    index_of,
    is_covered,
    layout_of,
    level_size,
    new_database,
    positions_in,
    seeds_on_board,
)
from engines.endgame.probe import UNKNOWN, probe_bounds
from mancala_ai import State
from mancala_ai.kernels import kernel, load, side_to_move
from mancala_ai.notation import Pit
from mancala_ai.ruleset import ring_to_rows

GAMES = [
    "giuthi(holes=5)",
    "giuthi",
    "giuthi(holes=9)",
    "giuthi(holes=10)",
    "kpe",
    "kpe(holes=5)",
    "rio_kadalis",
    "kalah",
]


@kernel
def _numbers(rules: Any, boards: Any, database: Any, words: Any, numbers: Any) -> None:
    # Numbers of all positions of a level in the order of `boards`; -1 where the way back ends elsewhere.
    segment, x, y = find(boards.segments, 0)
    for i in range(len(numbers)):
        write_position(boards, segment, x, y, words)
        position = load(rules, words)
        seeds, number = index_of(rules, position, side_to_move(position), database)
        back, back_x, back_y = find(boards.segments, i)
        right = back == segment and back_x == x and back_y == y and is_covered(rules, position, database)
        numbers[i] = number if right and seeds == seeds_on_board(rules, position) else -1
        segment, x, y = following(boards.segments, segment, x, y)


@kernel
def _number(rules: Any, words: Any, database: Any, found: Any) -> None:
    # Seeds and number of one position, and whether it is one of those that databases hold.
    position = load(rules, words)
    if is_covered(rules, position, database):
        found[0], found[1] = index_of(rules, position, side_to_move(position), database)
    else:
        found[0] = found[1] = -1


@kernel
def _probe(rules: Any, words: Any, database: Any, found: Any) -> None:
    found[0], found[1] = probe_bounds(rules, load(rules, words), database)


def number_of(state: State, database: np.ndarray) -> tuple[int, int]:
    """Seeds and number of a state's position."""
    found = np.empty(2, dtype=np.int64)
    _number(state.game.rules, state.words, database, found)
    return int(found[0]), int(found[1])


@pytest.mark.parametrize("text", GAMES)
def test_numbers_have_no_gaps(text: str) -> None:
    """Going through a level in order gives the numbers 0, 1, 2, ... and back."""
    rules = mancala_ai.load_game(text).rules
    for seeds in range(6):
        size = level_size(rules, seeds)
        numbers = np.empty(size, dtype=np.int64)
        _numbers(rules, boards_of(rules, seeds), new_database(rules), np.empty(rules.words, dtype=np.uint64), numbers)
        assert numbers.tolist() == list(range(size))
        pits = 2 * layout_of(type(rules)).holes
        assert positions_in(rules, seeds) == comb(seeds + pits - 1, pits - 1)


@pytest.mark.parametrize("text", GAMES)
def test_numbers_are_those_of_the_mover_and_of_the_mirror_image(text: str) -> None:
    """Turning the board round changes nothing; mirroring it does so only where the rules do not."""
    game = mancala_ai.load_game(text)
    database = new_database(game.rules)
    holes = layout_of(type(game.rules)).holes
    board = game.rules.endgame_board()
    assert board is not None
    rng = Random(1)

    def number(ring: list[int], side: int) -> tuple[int, int]:
        fields = board._replace(rows=ring_to_rows([Pit(n) for n in ring]), side=side)
        return number_of(game.state(str(fields)), database)

    changed = 0
    for _ in range(300):
        ring = [0] * (2 * holes)
        for _ in range(rng.randrange(30)):
            ring[rng.randrange(2 * holes)] += 1
        turned = ring[holes:] + ring[:holes]
        mirrored = ring[:holes][::-1] + ring[holes:][::-1]
        assert number(ring, 0) == number(turned, 1)
        assert number(ring, 0)[0] == sum(ring)
        assert number(ring, 0)[1] < level_size(game.rules, sum(ring))
        changed += number(ring, 0) != number(mirrored, 0)
    assert (changed == 0) == game.rules.mirrored


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("kpe", "0,1,0,2/0,0,3,0 S 10-10 abcd/abcd", "0,1,0,2/0,0,3,0 S 10-10 abcd/abd"),
        ("rio_kadalis", "0,1,0,2,0,0/0,0,3,0,0,0 N 4-4", "0,1,0,2,0,0/x,0,3,0,0,0 N 4-4"),
        ("giuthi", "0,1,0,2,0,0,0,0/0,0,0,0,0,3,0,0 N 0-9", None),
    ],
)
def test_marks_take_a_position_out_of_the_database(text: str, inside: str, outside: str | None) -> None:
    """A lock on captures, or a closed pit, is more than pits."""
    game = mancala_ai.load_game(text)
    database = new_database(game.rules)
    assert number_of(game.state(inside), database)[0] == 6
    assert outside is None or number_of(game.state(outside), database) == (-1, -1)


@pytest.mark.parametrize("text", ["giuthi", "kpe", "rio_kadalis", "kiothi", "kisolo"])
def test_an_empty_database_knows_nothing(text: str) -> None:
    """Every game's kernels can be given one, those without endgames included."""
    game = mancala_ai.load_game(text)
    found = np.empty(2, dtype=np.int64)
    _probe(game.rules, game.initial_state().words, empty_database(), found)
    assert tuple(found) == UNKNOWN
