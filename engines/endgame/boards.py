"""The positions of a level in the order of their numbers: the way back from `engines.endgame.index`, for kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engines.endgame.index import (
    Words,
    first_half,
    halves_with,
    layout_of,
    level_size,
    pairs_with,
    pit_words,
    splits_of,
)
from mancala_ai.kernels import inline, kernel
from mancala_ai.ruleset import Ruleset


class Boards(NamedTuple):
    """The positions of one level.

    Attributes:
        segments: ``int64``, shape ``(n, 7)``; a row is a run of numbers: the first of them, the first row of ``x`` and
            how many rows, the same of ``y``, the row of ``middle``, and 1 if X does not come before Y, else 0.
        x: words of all halves X, ``uint64``, shape ``(n, words)``.
        y: words of all halves Y.
        middle: words of the rest of the board, flags included.
        mirrored: whether a position and its mirror image share a number.
    """

    segments: npt.NDArray[np.int64]
    x: Words
    y: Words
    middle: Words
    mirrored: bool


def boards_of(rules: Ruleset, seeds: int) -> Boards:
    """Returns the positions with so many seeds, South to move and nothing captured."""
    layout = layout_of(type(rules))
    ones, nothing = pit_words(rules)
    x, y = (np.empty((first_half(layout, seeds + 1), len(nothing)), dtype=np.uint64) for _ in "xy")
    _write_halves(ones[list(layout.x)], seeds, x)
    _write_halves(ones[list(layout.y)], seeds, y)
    middles = [nothing]
    if layout.middle:
        first, second = ones[list(layout.middle)]
        splits = [(z - other, other) for z in range(seeds + 1) for other in range(z + 1)]
        middles = [nothing + np.uint64(a) * first + np.uint64(b) * second for a, b in splits]
    segments, start = [], 0
    for row in range(len(middles)):
        z = int((np.sqrt(8 * row + 1) - 1) // 2) if layout.middle else 0
        for a in splits_of(layout, seeds - z):
            b = seeds - z - a
            triangle = int(layout.mirrored and a == b)
            spans = (first_half(layout, a), halves_with(layout, a), first_half(layout, b), halves_with(layout, b))
            segments.append((start, *spans, row, triangle))
            start += pairs_with(layout, seeds - z, a)
    assert start == level_size(rules, seeds)
    return Boards(np.array(segments, dtype=np.int64), x, y, np.array(middles), layout.mirrored)


@kernel
def _write_halves(ones, most, words):
    # Fills `words` with all halves of 0..most seeds; `ones` is what a seed in each pit adds.
    pits, width = ones.shape
    sums = np.zeros(pits, dtype=np.int64)
    row = 0
    for seeds in range(most + 1):
        sums[:] = 0
        sums[pits - 1] = seeds
        while True:
            before = 0
            for w in range(width):
                words[row, w] = 0
            for i in range(pits):
                for w in range(width):
                    words[row, w] += np.uint64(sums[i] - before) * ones[i, w]
                before = sums[i]
            row += 1
            i = 0
            while i < pits - 1 and sums[i] == sums[i + 1]:
                i += 1
            if i == pits - 1:
                break
            sums[i] += 1
            for j in range(i):
                sums[j] = 0


@inline
def find(segments, number):
    """Returns segment and rows of x and y (relative to the segment's first) of a position's number, ``int64`` each."""
    low, high = 0, len(segments)
    while high - low > 1:
        between = (low + high) >> 1
        if segments[between, 0] <= number:
            low = between
        else:
            high = between
    rest = number - segments[low, 0]
    if segments[low, 6] == 0:
        return low, rest // segments[low, 4], rest % segments[low, 4]
    x = np.int64((np.sqrt(8.0 * rest + 1.0) - 1.0) * 0.5)
    while x * (x + 1) // 2 > rest:
        x -= 1
    while (x + 1) * (x + 2) // 2 <= rest:
        x += 1
    return low, x, rest - x * (x + 1) // 2


@inline
def following(segments, segment, x, y):
    """Returns segment and rows of the next number."""
    y += 1
    if y == (x + 1 if segments[segment, 6] != 0 else segments[segment, 4]):
        y = np.int64(0)
        x += 1
        if x == segments[segment, 2]:
            x = np.int64(0)
            segment += 1
    return segment, x, y


@inline
def write_position(boards, segment, x, y, words):
    """Writes the words of a position, South to move and nothing captured, into an array of shape ``(words,)``."""
    row_x, row_y = boards.segments[segment, 1] + x, boards.segments[segment, 3] + y
    row = boards.segments[segment, 5]
    for w in range(len(words)):
        words[w] = boards.middle[row, w] + boards.x[row_x, w] + boards.y[row_y, w]
