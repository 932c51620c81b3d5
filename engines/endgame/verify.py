"""Checking a level against its successors, without looking at how it was built.

Both bounds of a position follow from those of its successors, and every distance from theirs. If that holds for all
positions, the level is right: whoever follows the distances reaches what a finite bound promises, since each step makes
the distance smaller or the value better; and whoever is promised nothing by the other's bound can keep to moves that
leave it so for ever.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engines.endgame.boards import boards_of, find, write_position
from engines.endgame.build import COUNTS, count_positions
from engines.endgame.index import index_of
from engines.endgame.memory import NO_LOWER, NO_UPPER, stored_bounds
from engines.endgame.probe import EndgameDatabase
from engines.endgame.retrograde import bounds_of_mover
from mancala_ai.kernels import (
    ENDLESS,
    NO_MOVE,
    SPLIT,
    end_margin,
    is_over,
    kernel,
    load,
    material,
    next_move,
    play,
    settle,
    side_to_move,
)

_0, _1 = np.uint64(0), np.uint64(1)
_BLOCK = 1 << 18  # positions looked at before Ctrl-C is heard


class Verification(NamedTuple):
    """What a check of a level has found: how many positions were looked at, and the numbers of wrong ones."""

    checked: int
    wrong: list[int]


@kernel
def _check(rules, boards, database, seeds, distances, numbers, wrong):
    # Derives the positions with the given numbers (int64) from their successors, and writes the numbers of those that
    # are not as stored to `wrong` (int64, as long). Returns how many there are.
    words = np.empty(boards.x.shape[1], dtype=np.uint64)
    split = rules.infinite == SPLIT
    count = 0
    for number in numbers:
        segment, x, y = find(boards.segments, number)
        write_position(boards, segment, x, y, words)
        position = settle(rules, load(rules, words))
        lower, upper = stored_bounds(database, seeds, np.uint64(number))
        least, most = np.int64(NO_LOWER), np.int64(NO_LOWER)
        # Whether an exit alone settles the forcer's node; the smallest and greatest distance of successors that count.
        leaves = False
        smallest, greatest = np.int64(1) << 32, np.int64(0)
        if is_over(position):
            least = most = end_margin(rules, position)
            leaves = True
        else:
            move = next_move(rules, position, _0)
            while move != NO_MOVE:
                after = play(rules, position, move)
                stays = False
                if not is_over(after):
                    side = side_to_move(after)
                    seeds_after, after_number = index_of(rules, after, side, database)
                    low, high = stored_bounds(database, seeds_after, after_number)
                    low, high = bounds_of_mover(low, high, material(rules, after), side == _0)
                    stays = seeds_after == seeds
                    if stays and low == lower:
                        smallest = min(smallest, np.int64(distances[after_number, side]))
                    if stays and high == upper:
                        greatest = max(greatest, np.int64(distances[after_number, _1 - side]))
                elif (after[-1] & ENDLESS) == _0:
                    low = high = end_margin(rules, after)
                elif split:
                    low = high = np.int64(0)
                else:
                    low, high = np.int64(NO_LOWER), np.int64(NO_UPPER)
                leaves |= not stays and low == lower
                least, most = max(least, low), max(most, high)
                move = next_move(rules, position, move + _1)
        forced = defended = np.int64(0)
        if lower > (0 if split else NO_LOWER):
            forced = np.int64(1) if leaves else smallest + 1
        if upper < (0 if split else NO_UPPER):
            defended = greatest + 1
        if lower != least or upper != most or distances[number, 0] != forced or distances[number, 1] != defended:
            wrong[count] = number
            count += 1
    return count


def verify_level(database: EndgameDatabase, seeds: int, sample: int | None = None, rng_seed: int = 0) -> Verification:
    """Derives positions of a level from their successors.

    Args:
        database: all levels up to this one.
        seeds: the level.
        sample: how many positions to look at, drawn at random; None for all of them, and their counts in the header.
        rng_seed: start of the random numbers.
    """
    rules, level = database.game.rules, database.levels[seeds]
    boards = boards_of(rules, seeds)
    numbers: npt.NDArray[np.int64] | range = range(level.header.count)
    if sample is not None and sample < level.header.count:
        numbers = np.random.default_rng(rng_seed).integers(level.header.count, size=sample)
    wrong: list[int] = []
    for start in range(0, len(numbers), _BLOCK):
        block = np.asarray(numbers[start : start + _BLOCK], dtype=np.int64)
        found = np.empty_like(block)
        distances: Any = np.asarray(level.distances)
        count = _check(rules, boards, database.array, np.uint64(seeds), distances, block, found)
        wrong += found[:count].tolist()
    return Verification(len(numbers), wrong)


def counts_are_right(database: EndgameDatabase, seeds: int) -> bool:
    """Tells whether the counts in a level's header are those of its positions."""
    level = database.levels[seeds]
    stated = {name: getattr(level.header, name) for name in COUNTS}
    with ThreadPoolExecutor(1) as pool:
        return count_positions(boards_of(database.game.rules, seeds), level.bounds, pool) == stated
