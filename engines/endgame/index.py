"""The index: numbers the positions of one seed count without gaps, seen by the side to move.

The pits are split in two *halves*, and in games that are the same when mirrored (`Ruleset.mirrored`) so that the mirror
exchanges the halves; with an odd number of pits a row the two pits in the middle stay alone:

    not mirrored    X: the mover's row                         Y: the opponent's row
    mirrored        X: the left halves of both rows, own view  Y: the right halves, read from the outside
                    and the middle pits, where there are any

A half is numbered by the combinatorial number system (Knuth, TAOCP 7.2.1.3): with s(i) the seeds in its pits 0..i, it
is the sum over i of C(s(i) + i, i + 1), which numbers all halves, those with fewer seeds first. A position is numbered
by the seeds in the middle, then those in X, then X, then Y. Mirrored positions share a number: X is the half with more
seeds, and with equal seeds the one with the greater number, so that these pairs fill a triangle.

All tables that this takes, and the addresses of the levels, are one ``uint64`` array, the *database* of kernels: it has
the same type whether levels are there or not.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from mancala_ai.errors import MancalaError
from mancala_ai.game import Game
from mancala_ai.kernels import OWN_SIDE, SIDE, Position, inline, key, seeds_in
from mancala_ai.notation import Fields, Pit
from mancala_ai.registry import game_types
from mancala_ai.ruleset import Ruleset

Words = npt.NDArray[np.uint64]

MAX_SEEDS = 63
_STRIDE = MAX_SEEDS + 1
_MOST_WORDS = 4
_WRAP = (1 << 64) - 1

# Where things begin in the database array:
_SIZES = {
    "LEVELS": 1,  # one more than the most seeds that a level is there for; 0 for an empty database
    "BOARD": _MOST_WORDS,  # key of the empty board, for South
    "NO_PITS": _MOST_WORDS,  # mask of all bits that are not a pit's
    "BOUNDS": _STRIDE,  # [n]: address of the bounds of the level with n seeds, 0 where there is none
    "BINOMIAL": 10 * _STRIDE,  # [i, s]: C(s + i, i + 1)
    "COUNT": _STRIDE,  # [a]: halves with a seeds
    "FIRST": _STRIDE,  # [a]: number of the first half with a seeds
    "SIZE": _STRIDE,  # [k]: pairs of halves with k seeds
    "PAIRS": _STRIDE * _STRIDE,  # [k, a]: what to add for pairs of k seeds, a of them in X
    "MIDDLE": _STRIDE * _STRIDE,  # [n, z]: first number with z of n seeds in the middle
}
LEVELS, BOARD, NO_PITS, BOUNDS, BINOMIAL, COUNT, FIRST, SIZE, PAIRS, MIDDLE, DATABASE_WORDS = (
    np.uint64(start) for start in itertools.accumulate(_SIZES.values(), initial=0)
)

_0, _1, _6 = (np.uint64(n) for n in (0, 1, 6))


class Layout(NamedTuple):
    """How the pits of a ruleset class are split (ring numbers, of a position with South to move)."""

    holes: int
    mirrored: bool
    x: tuple[int, ...]
    y: tuple[int, ...]
    middle: tuple[int, ...]


def layout_of(cls: type[Ruleset]) -> Layout:
    """Returns how the pits of a ruleset class with endgames are split."""
    board = cls.endgame_board()
    assert board is not None
    holes = len(board.rows[0])
    if not cls.mirrored:
        return Layout(holes, False, tuple(range(holes)), tuple(range(holes, 2 * holes)), ())
    half = holes // 2
    x = (*range(half), *range(holes, holes + half))
    y = tuple(pit // holes * holes + holes - 1 - pit % holes for pit in x)
    return Layout(holes, True, x, y, (half, holes + half) if holes % 2 else ())


def check_supported(game: Game) -> None:
    """Raises MancalaError where there can be no endgame databases; the message says why."""
    if game.rules.endgame_board() is None:
        names = ", ".join(kind.name for kind in game_types() if kind.ruleset({}).endgame_board() is not None)
        raise MancalaError(f"{game}: no endgame databases: expected a game whose pits alone decide: {names}")
    if game.rules.infinite == OWN_SIDE:
        raise MancalaError(f"{game}: infinite=own_side: no endgame databases: expected infinite=draw or split")


def positions_in(rules: Ruleset, seeds: int) -> int:
    """Returns the number of positions with so many seeds, seen by the side to move, mirrored ones counted as two."""
    pits = 2 * layout_of(type(rules)).holes
    return comb(seeds + pits - 1, pits - 1)


def level_size(rules: Ruleset, seeds: int) -> int:
    """Returns how many numbers the positions with so many seeds have."""
    layout = layout_of(type(rules))
    middles = range(seeds + 1) if layout.middle else (0,)
    return sum((z + 1) * _pairs(layout, seeds - z) for z in middles)


def halves_with(layout: Layout, seeds: int) -> int:
    """Returns how many halves have so many seeds."""
    pits = len(layout.x)
    return comb(seeds + pits - 1, pits - 1)


def first_half(layout: Layout, seeds: int) -> int:
    """Returns the number of the first half with so many seeds."""
    return comb(seeds + len(layout.x) - 1, len(layout.x))


def pairs_with(layout: Layout, seeds: int, a: int) -> int:
    """Returns the number of pairs of halves with so many seeds, ``a`` of them in X."""
    x, y = halves_with(layout, a), halves_with(layout, seeds - a)
    return x * (x + 1) // 2 if layout.mirrored and 2 * a == seeds else x * y


def splits_of(layout: Layout, seeds: int) -> range:
    """Returns how many seeds X can have."""
    return range((seeds + 1) // 2 if layout.mirrored else 0, seeds + 1)


def _pairs(layout: Layout, seeds: int) -> int:
    return sum(pairs_with(layout, seeds, a) for a in splits_of(layout, seeds))


def new_database(rules: Ruleset) -> Words:
    """Returns the array that kernels take, without any level: ``uint64``, shape ``(DATABASE_WORDS,)``."""
    layout = layout_of(type(rules))
    table = [0] * int(DATABASE_WORDS)
    ones, board = pit_words(rules)
    pits = np.bitwise_or.reduce(ones * np.uint64(MAX_SEEDS))
    for w in range(len(board)):
        table[int(BOARD) + w] = int(board[w])
        table[int(NO_PITS) + w] = ~int(pits[w]) & _WRAP
    for i in range(len(layout.x)):
        for s in range(_STRIDE):
            table[int(BINOMIAL) + i * _STRIDE + s] = comb(s + i, i + 1)
    for k in range(_STRIDE):
        table[int(COUNT) + k] = halves_with(layout, k)
        table[int(FIRST) + k] = first_half(layout, k)
        start = 0
        for a in splits_of(layout, k):
            b = k - a
            unshifted = start
            if not (layout.mirrored and a == b):  # halves come with the numbers before theirs: taken off once for all
                unshifted -= first_half(layout, a) * halves_with(layout, b) + first_half(layout, b)
            table[int(PAIRS) + k * _STRIDE + a] = unshifted & _WRAP
            start += pairs_with(layout, k, a)
        table[int(SIZE) + k] = start & _WRAP
    for n in range(_STRIDE):
        start = 0
        for z in range(n + 1):
            table[int(MIDDLE) + n * _STRIDE + z] = start & _WRAP
            start += (z + 1) * table[int(SIZE) + n - z]
    return np.array(table, dtype=np.uint64)


def empty_database() -> Words:
    """Returns a database of no game and no level, which knows nothing."""
    return np.zeros(int(DATABASE_WORDS), dtype=np.uint64)


def pit_words(rules: Ruleset) -> tuple[Words, Words]:
    """Returns what one seed in each pit of the ring adds to the words of a position, and the words without any seed.

    Returns:
        ``uint64`` arrays of shapes ``(pits, words)`` and ``(words,)``.
    """
    board = rules.endgame_board()
    assert board is not None
    holes = len(board.rows[0])
    nothing = np.array(rules.pack(board, str(board)), dtype=np.uint64)
    ones = np.empty((2 * holes, len(nothing)), dtype=np.uint64)
    for pit in range(2 * holes):
        rows = [list(row) for row in board.rows]  # North's row first, drawn from its right
        rows[0 if pit >= holes else 1][2 * holes - 1 - pit if pit >= holes else pit] = Pit(1)
        fields = Fields((tuple(rows[0]), tuple(rows[1])), 0, (0, 0), board.extra)
        ones[pit] = np.array(rules.pack(fields, str(fields)), dtype=np.uint64) ^ nothing
    return ones, nothing


# Position to number.


def index_of(rules: Any, position: Position, side: np.uint64, database: Words) -> tuple[np.uint64, np.uint64]:
    """Returns the seeds on the board and the number of a position (``uint64`` each).

    Args:
        rules: a ruleset with endgames.
        position: words of a position with at most MAX_SEEDS seeds, which differs from the endgame board in pits,
            captured seeds and flags only.
        side: the player who counts as the mover, ``uint64``.
        database: made by `new_database` for the ruleset.
    """
    return _implementation(rules.__class__)(rules, position, side, database)


@overload(index_of, strict=False, jit_options={"nogil": True, "error_model": "numpy"})
def _index_of(rules, position, side, database):
    return _implementation(rules.instance_class)


def seeds_on_board(rules: Any, position: Position) -> np.uint64:
    """Returns the seeds on the board, ``uint64``; 0 for a ruleset without endgames."""
    return _counter(rules.__class__)(rules, position)


@overload(seeds_on_board, strict=False, jit_options={"nogil": True, "error_model": "numpy"})
def _seeds_on_board(rules, position):
    return _counter(rules.instance_class)


@functools.cache
def _counter(cls: Any) -> Callable[..., Any]:
    if cls.endgame_board() is None:
        return lambda rules, position: _0
    pits = 2 * layout_of(cls).holes

    def count(rules, position):
        seeds = _0
        for i in range(pits):
            seeds += seeds_in(rules, position, np.uint64(i))
        return seeds

    return count


@functools.cache
def _implementation(cls: Any) -> Callable[..., Any]:
    if cls.endgame_board() is None:
        return lambda rules, position, side, database: (_0, _0)
    layout = layout_of(cls)
    in_row = layout.holes // 2 if layout.mirrored else layout.holes  # pits of each row that belong to X
    H, LAST, IN_ROW = (np.uint64(n) for n in (layout.holes, layout.holes - 1, in_row))  # noqa: N806

    @inline
    def combine(x, y, seeds_x, seeds_y, database):
        seeds = seeds_x + seeds_y
        return database[PAIRS + (seeds << _6) + seeds_x] + x * database[COUNT + seeds_y] + y

    if not layout.mirrored:

        def index_rows(rules, position, side, database):
            own, other = H * side, H * (_1 - side)
            x = y = seeds_x = seeds_y = _0
            for i in range(in_row):
                pit = np.uint64(i)
                row = BINOMIAL + (pit << _6)
                seeds_x += seeds_in(rules, position, own + pit)
                x += database[row + seeds_x]
                seeds_y += seeds_in(rules, position, other + pit)
                y += database[row + seeds_y]
            return seeds_x + seeds_y, combine(x, y, seeds_x, seeds_y, database)

        return index_rows

    @inline
    def halves(rules, position, side, database):
        own, other = H * side, H * (_1 - side)
        x = y = seeds_x = seeds_y = _0
        for i in range(in_row):
            pit = np.uint64(i)
            row = BINOMIAL + (pit << _6)
            seeds_x += seeds_in(rules, position, own + pit)
            x += database[row + seeds_x]
            seeds_y += seeds_in(rules, position, own + LAST - pit)
            y += database[row + seeds_y]
        for i in range(in_row):
            pit = np.uint64(i)
            row = BINOMIAL + ((IN_ROW + pit) << _6)
            seeds_x += seeds_in(rules, position, other + pit)
            x += database[row + seeds_x]
            seeds_y += seeds_in(rules, position, other + LAST - pit)
            y += database[row + seeds_y]
        if seeds_x == seeds_y:
            x -= database[FIRST + seeds_x]
            y -= database[FIRST + seeds_x]
            more, less = (x, y) if x > y else (y, x)
            number = database[PAIRS + (seeds_x << (_6 + _1)) + seeds_x] + ((more * (more + _1)) >> _1) + less
        elif seeds_x > seeds_y:
            number = combine(x, y, seeds_x, seeds_y, database)
        else:
            number = combine(y, x, seeds_y, seeds_x, database)
        return seeds_x + seeds_y, number

    def index_halves(rules, position, side, database):
        return halves(rules, position, side, database)

    def index_with_middle(rules, position, side, database):
        seeds, number = halves(rules, position, side, database)
        second = seeds_in(rules, position, H * (_1 - side) + IN_ROW)
        middle = seeds_in(rules, position, H * side + IN_ROW) + second
        total = seeds + middle
        return total, number + second * database[SIZE + seeds] + database[MIDDLE + (total << _6) + middle]

    return index_with_middle if layout.middle else index_halves


@inline
def is_covered(rules, position, database):
    """Tells whether a position differs from the endgame board in pits, captured seeds and side to move only."""
    words = key(rules, position)
    wrong = _0
    for w in range(len(words)):
        word = words[w] & ~SIDE if w == len(words) - 1 else words[w]
        wrong |= (word & database[NO_PITS + np.uint64(w)]) ^ database[BOARD + np.uint64(w)]
    return wrong == _0
