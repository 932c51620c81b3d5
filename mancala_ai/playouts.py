"""Playouts: whole games of random moves, played inside a kernel.

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
    material,
    next_move,
    play,
    side_to_move,
    store,
)

_0, _1, _6, _32, _63 = (np.uint64(n) for n in (0, 1, 6, 32, 63))
_30, _27, _31 = (np.uint64(n) for n in (30, 27, 31))
_GOLDEN, _MIX1, _MIX2 = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_FILTER_SHIFT = np.uint64(64 - 11)
_LOW_32 = np.uint64((1 << 32) - 1)
_FIRST_CAPACITY = 1024  # plies; grows when a game is longer

FILTER_WORDS = 32
"""Size of the table of bits that `remember` fills: 2048 bits."""

ALWAYS_RANDOM = np.uint64(1 << 32)
"""The ``epsilon`` of `play_out` that makes every move a random one."""

TO_THE_END = np.uint64((1 << 64) - 1)
"""The ``most`` of `play_out` that sets no bound."""


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
def play_next(rules, position, rng, epsilon):
    """Plays a random move or a greedy one: the largest immediate gain of material, a random one among equals.

    Args:
        rules: a ruleset.
        position: words of a position that is not over.
        rng: state of the random generator, ``uint64``.
        epsilon: how many in 2**32 moves are uniformly random, ``uint64``.

    Returns:
        The position after the move, and the next state of the random generator.
    """
    rng, bits = next_random(rng)
    at_random = (bits & _LOW_32) < epsilon
    move = random_move(rules, position, bits) if at_random else next_move(rules, position, _0)
    best, equals = position, _0
    best_material = np.int64(0)
    while True:  # over one move or all of them: `play` is large, and compiled once that way
        after = play(rules, position, move)
        if at_random:
            return after, rng
        gained = material(rules, after) if side_to_move(position) == _0 else -material(rules, after)
        if equals == _0 or gained > best_material:
            best, best_material, equals = after, gained, _1
        elif gained == best_material:  # each of n equals stays with probability 1 / n
            equals += _1
            rng, bits = next_random(rng)
            if random_below(bits, equals) == _0:
                best = after
        move = next_move(rules, position, move + _1)
        if move == NO_MOVE:
            return best, rng


@inline
def _filter_bit(position_key):
    word = _0
    for i in range(len(position_key)):
        word = (word ^ position_key[i]) * _GOLDEN
    return word >> _FILTER_SHIFT


@inline
def remember(position_key, path, length, seen):
    """Enters a repetition key as number ``length`` of a path, with its bit in the table; the path must have room."""
    bit = _filter_bit(position_key)
    seen[bit >> _6] |= _1 << (bit & _63)
    store(position_key, path[length])


@inline
def occurs(position_key, path, length, seen):
    """Tells whether a repetition key is among the first ``length`` of a path that `remember` has entered."""
    bit = _filter_bit(position_key)
    return seen[bit >> _6] & (_1 << (bit & _63)) != _0 and _found(position_key, path, length)


@inline
def _found(position_key, path, length):
    for i in range(length):
        same = True
        for word in range(len(position_key)):
            same &= path[i, word] == position_key[word]
        if same:
            return True
    return False


@inline
def copy_words(words, copy):
    """Copies a one-dimensional array into another: a slice assignment would take seconds to compile."""
    for i in range(len(words)):
        copy[i] = words[i]


@inline
def _longer(path):
    longer = np.empty((2 * len(path), path.shape[1]), dtype=np.uint64)
    for i in range(len(path)):
        for word in range(path.shape[1]):
            longer[i, word] = path[i, word]
    return longer


@kernel
def play_out(rules, position, path, length, seen, rng, most, epsilon):
    """Plays a game to its end, or for a number of plies.

    Args:
        rules: a ruleset.
        position: words of a position that is not over.
        path: repetition keys of the game so far, ``position`` included (`remember`): ``uint64``, shape
            ``(capacity, words)``; written beyond ``length``.
        length: number of keys in the path, ``uint64``.
        seen: their bits: ``uint64``, shape ``(FILTER_WORDS,)``; written.
        rng: state of the random generator, ``uint64``.
        most: plies after which to stop, at least 1, ``uint64``.
        epsilon: how many in 2**32 moves are uniformly random (`play_next`), ``uint64``.

    Returns:
        The last position; whether the game has ended there, and its final margin (``int64``); the length and the array
        of the path (another one if it had to grow); the state of the random generator.
    """
    end = length + most if most < TO_THE_END - length else TO_THE_END
    while True:
        position, rng = play_next(rules, position, rng, epsilon)
        if is_over(position):
            return position, True, end_margin(rules, position), length + _1, path, rng
        position_key = key(rules, position)
        if occurs(position_key, path, length, seen):
            return position, True, infinite_margin(rules, position), length + _1, path, rng
        if length == np.uint64(len(path)):
            path = _longer(path)
        remember(position_key, path, length, seen)
        length += _1
        if length == end:
            return position, False, np.int64(0), length, path, rng


@kernel
def _playouts(rules, words, history, rng_seed, margins, plies):
    # Fills `margins` (int64) and `plies` (int64), one place per playout; playout i depends on rng_seed + i only.
    start = load(rules, words)
    known = np.uint64(len(history))
    path = np.empty((_FIRST_CAPACITY + len(history), len(start)), dtype=np.uint64)
    first_filter = np.zeros(FILTER_WORDS, dtype=np.uint64)
    for i in range(len(history)):
        remember(load(rules, history[i]), path, i, first_filter)
    seen = np.empty_like(first_filter)
    for game in range(len(margins)):
        _, rng = next_random(np.uint64(rng_seed) + np.uint64(game))
        copy_words(first_filter, seen)
        _, _, margins[game], length, path, _ = play_out(rules, start, path, known, seen, rng, TO_THE_END, ALWAYS_RANDOM)
        plies[game] = length - known


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
