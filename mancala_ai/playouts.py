"""Random playouts: whole games of uniformly random legal moves, played inside a kernel.

Repetition ends a playout exactly as the rules say: every position of the game so far is kept. A small table of bits
tells most new positions from all earlier ones at once, so that the full comparison is rarely made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_ai.errors import MancalaError
from mancala_ai.game import State
from mancala_ai.kernels import (
    NO_MOVE,
    end_margin,
    infinite_margin,
    inline,
    is_over,
    kernel,
    key,
    load,
    next_move,
    play,
    store,
)

_0, _1, _6, _32, _63 = (np.uint64(n) for n in (0, 1, 6, 32, 63))
_30, _27, _31 = (np.uint64(n) for n in (30, 27, 31))
_GOLDEN, _MIX1, _MIX2 = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_FILTER_WORDS = 32  # 2048 bits
_FILTER_SHIFT = np.uint64(64 - 11)
_FIRST_CAPACITY = 1024  # plies; grows when a game is longer


@inline
def next_random(rng):
    """Returns the next state of a SplitMix64 generator and 64 random bits (Steele, Lea and Flood, 2014)."""
    rng = rng + _GOLDEN
    bits = (rng ^ (rng >> _30)) * _MIX1
    bits = (bits ^ (bits >> _27)) * _MIX2
    return rng, bits ^ (bits >> _31)


@inline
def random_below(bits, n):
    """Returns a number below n (at most 2**32) from the upper 32 of 64 random bits (Lemire, 2019)."""
    return ((bits >> _32) * n) >> _32


@inline
def random_move(rules, position, bits):
    """Returns a uniformly random legal move, NO_MOVE if there is none."""
    count = _0
    move = next_move(rules, position, _0)
    while move != NO_MOVE:
        count += _1
        move = next_move(rules, position, move + _1)
    skip = random_below(bits, count)
    move = next_move(rules, position, _0)
    while skip != _0:
        skip -= _1
        move = next_move(rules, position, move + _1)
    return move


@inline
def _hash(position_key):
    word = _0
    for i in range(len(position_key)):
        word = (word ^ position_key[i]) * _GOLDEN
    return word >> _FILTER_SHIFT


@kernel
def _playouts(rules, words, history, rng_seed, margins, plies):
    # Fills `margins` (int64) and `plies` (int64), one place per playout; playout i depends on rng_seed + i only.
    start = load(rules, words)
    known = len(history)
    path = np.empty((_FIRST_CAPACITY + known, len(start)), dtype=np.uint64)
    path[:known] = history
    first_filter = np.zeros(_FILTER_WORDS, dtype=np.uint64)
    for i in range(known):
        bit = _hash(load(rules, path[i]))
        first_filter[bit >> _6] |= _1 << (bit & _63)
    seen = np.empty_like(first_filter)
    for game in range(len(margins)):
        _, rng = next_random(np.uint64(rng_seed) + np.uint64(game))
        position = start
        seen[:] = first_filter
        length = known
        while True:
            rng, bits = next_random(rng)
            position = play(rules, position, random_move(rules, position, bits))
            if is_over(position):
                margins[game] = end_margin(rules, position)
                break
            position_key = key(rules, position)
            bit = _hash(position_key)
            mask = _1 << (bit & _63)
            if seen[bit >> _6] & mask != _0 and _occurs(position_key, path, length):
                margins[game] = infinite_margin(rules, position)
                break
            seen[bit >> _6] |= mask
            if length == len(path):
                longer = np.empty((2 * length, len(start)), dtype=np.uint64)
                longer[:length] = path
                path = longer
            store(position_key, path[length])
            length += 1
        plies[game] = length - known + 1


@inline
def _occurs(position_key, path, length):
    for i in range(length):
        same = True
        for word in range(len(position_key)):
            same &= path[i, word] == position_key[word]
        if same:
            return True
    return False


def random_playouts(state: State, count: int, rng_seed: int = 0) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Plays games of uniformly random moves to the end.

    Args:
        state: where every game starts; its history counts for repetition.
        count: number of games.
        rng_seed: start of the random numbers; playout i depends on ``rng_seed + i`` only.

    Returns:
        Final margins and lengths in plies, ``int64`` arrays of shape ``(count,)``.

    Raises:
        MancalaError: the game is over already, or the count is negative.
    """
    if state.is_over:
        raise MancalaError(f"position {str(state)!r}: the game is over: expected one that can be played on")
    if count < 0:
        raise MancalaError(f"count {count}: expected 0 or more")
    margins, plies = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    _playouts(state.game.rules, state.words, state.history.copy(), np.int64(rng_seed), margins, plies)
    return margins, plies
