"""Kernels of `mancala_ai.batch`: many environments of one game, each with the history that decides repetition.

A history is the keys of the positions since the last capture, the present one last: no earlier one can recur. One word
of bits tells most new positions from all of them at once, so that they are rarely compared.

Every kernel works on the environments ``first .. last - 1`` only and writes to no others, so that threads can share
out a batch. Arguments are not checked.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_ai.kernels import (
    ENDLESS,
    FLAGS,
    NO_MOVE,
    OVER,
    captured,
    end_margin,
    extra_fact,
    inline,
    is_over,
    kernel,
    key,
    load,
    next_move,
    pit,
    play,
    side_to_move,
)
from mancala_ai.playouts import (
    ALWAYS_RANDOM,
    FILTER_WORDS,
    TO_THE_END,
    copy_words,
    next_random,
    play_out,
    random_below,
    remember,
)

_0, _1, _2, _32, _58 = (np.uint64(n) for n in (0, 1, 2, 32, 58))
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST_CAPACITY = 1024  # plies of a playout; grows when one is longer


class Environments(NamedTuple):
    """The arrays of n environments, all ``uint64`` and flat (one-dimensional)."""

    words: npt.NDArray[Any]  # (n * W,): positions; OVER and ENDLESS also say that a position has recurred
    starts: npt.NDArray[Any]  # (n * W,): where each environment begins again
    lengths: npt.NDArray[Any]  # (n,): keys of each history, that of the present position included
    seen: npt.NDArray[Any]  # (n,): one bit of 64 for every key of the history: most new keys find theirs clear
    history: npt.NDArray[Any]  # (n * capacity * W,): keys, oldest first


@inline
def _store(position, words, first):
    for i in range(len(position)):
        words[first + np.uint64(i)] = position[i]


@inline
def _seen_bit(position_key):
    word = _0
    for i in range(len(position_key)):
        word = (word ^ position_key[i]) * _GOLDEN
    return _1 << (word >> _58)


@inline
def _stretch(environments):
    # Words that the history of one environment takes in the array.
    return np.uint64(len(environments.history)) // np.uint64(len(environments.lengths))


@inline
def _recurs(position_key, history, first, length):
    # Tells whether a key is among the `length` keys from index `first` on.
    width = np.uint64(len(position_key))
    for number in range(length):
        same = True
        for word in range(len(position_key)):
            same &= history[first + np.uint64(number) * width + np.uint64(word)] == position_key[word]
        if same:
            return True
    return False


@inline
def _fill_mask(rules, position, mask, i):
    # Writes row i of a mask and returns how many moves are legal.
    for move in range(mask.shape[1]):
        mask[i, move] = False
    count = _0
    if not is_over(position):
        move = next_move(rules, position, _0)
        while move != NO_MOVE:
            mask[i, move] = True
            count += _1
            move = next_move(rules, position, move + _1)
    return count


@kernel
def advance(
    rules, first, last, environments, ply, where, moves, choose, mask, steps, restart, rng_seed, games, margins
):
    """Plays moves in environments that are not over.

    Args:
        rules: a ruleset.
        first: first environment.
        last: the one after the last.
        environments: their arrays; the histories must have room for ``steps`` more keys.
        ply: counts on from call to call; random choices depend on it.
        where: ``bool``, shape ``(n,)``: environments that move; the others stay as they are.
        moves: ``int64``, shape ``(n,)``: legal moves; written if they are to be chosen here (-1 where over).
        choose: whether moves are chosen here: uniformly, from ``rng_seed``, number of the environment and ``ply``.
        mask: ``bool``, shape ``(n, moves)``: the legal moves from which the last one was chosen; else not looked at.
        steps: plies, at least 1; more than one only if moves are chosen here.
        restart: whether environments that are over begin again at once.
        rng_seed: ``uint64``.
        games: ``int64``, shape ``(n,)``: one is added for every game that ends.
        margins: ``int64``, shape ``(n,)``: the final margins of those games are added.

    Returns:
        Length of the longest history.
    """
    width = np.uint64(len(load(rules, environments.words)))
    stretch = _stretch(environments)
    longest = _0
    for i in range(np.uint64(first), np.uint64(last)):  # one after the other, so that each has the processor's cache
        for step in range(np.uint64(steps)):
            longest = max(longest, environments.lengths[i])
            if not where[i]:
                continue
            position = load(rules, environments.words, i * width)
            if choose:
                count = _fill_mask(rules, position, mask, i)
                if count == _0:
                    moves[i] = -1
                    continue
                _, stream = next_random(rng_seed + i)
                _, bits = next_random(stream + (np.uint64(ply) + step) * _GOLDEN)
                skip = random_below(bits, count)
                move = _0
                while skip != _0 or not mask[i, move]:
                    skip -= np.uint64(mask[i, move])
                    move += _1
                moves[i] = move
            else:
                if is_over(position):
                    continue
                move = np.uint64(moves[i])

            after = play(rules, position, move)
            after_key = key(rules, after)
            length, seen = environments.lengths[i], environments.seen[i]
            before_key = key(rules, position)
            if ((after[-1] ^ after_key[-1]) ^ (position[-1] ^ before_key[-1])) & ~FLAGS != _0:
                length, seen = _0, _0  # after a capture no earlier position can recur
            bit = _seen_bit(after_key)
            history = i * stretch
            if seen & bit != _0 and not is_over(after) and _recurs(after_key, environments.history, history, length):
                after = after[:-1] + (after[-1] | OVER | ENDLESS,)
            if is_over(after):
                games[i] += 1
                margins[i] += end_margin(rules, after)
                if restart:
                    after = load(rules, environments.starts, i * width)
                    after_key = key(rules, after)
                    length, seen, bit = _0, _0, _seen_bit(after_key)
            _store(after, environments.words, i * width)
            _store(after_key, environments.history, history + length * width)
            environments.seen[i] = seen | bit
            environments.lengths[i] = length + _1
            longest = max(longest, length + _1)
    return longest


@kernel
def begin(rules, first, last, environments, where):
    """Begins environments again where a mask (``bool``, shape ``(n,)``) says so."""
    width = np.uint64(len(load(rules, environments.words)))
    for i in range(np.uint64(first), np.uint64(last)):
        if where[i]:
            position = load(rules, environments.starts, i * width)
            position_key = key(rules, position)
            _store(position, environments.words, i * width)
            _store(position_key, environments.history, i * _stretch(environments))
            environments.seen[i] = _seen_bit(position_key)
            environments.lengths[i] = _1


@kernel
def mark_seen(rules, environments):
    """Enters the bits of histories that were written from outside."""
    width = np.uint64(len(load(rules, environments.words)))
    for i in range(np.uint64(len(environments.lengths))):
        environments.seen[i] = _0
        for number in range(environments.lengths[i]):
            first = i * _stretch(environments) + np.uint64(number) * width
            environments.seen[i] |= _seen_bit(load(rules, environments.history, first))


@kernel
def legal_mask(rules, first, last, words, mask):
    """Fills a mask of the legal moves (``bool``, shape ``(n, moves)``)."""
    width = np.uint64(len(load(rules, words)))
    for i in range(np.uint64(first), np.uint64(last)):
        _fill_mask(rules, load(rules, words, i * width), mask, i)


@kernel
def count_legal(rules, first, last, words, counts):
    """Fills the numbers of legal moves (``int64``, shape ``(n,)``)."""
    width = np.uint64(len(load(rules, words)))
    for i in range(np.uint64(first), np.uint64(last)):
        position = load(rules, words, i * width)
        count = 0
        if not is_over(position):
            move = next_move(rules, position, _0)
            while move != NO_MOVE:
                count += 1
                move = next_move(rules, position, move + _1)
        counts[i] = count


@kernel
def list_legal(rules, first, last, words, offsets, moves):
    """Fills the legal moves of environment i into ``moves[offsets[i]:offsets[i + 1]]`` (``int64`` both)."""
    width = np.uint64(len(load(rules, words)))
    for i in range(np.uint64(first), np.uint64(last)):
        position = load(rules, words, i * width)
        move = _0
        for at in range(offsets[i], offsets[i + _1]):
            move = next_move(rules, position, move)
            moves[at] = move
            move += _1


@kernel
def first_illegal(rules, first, last, words, where, moves, limit):
    """Returns the first environment whose move is not legal (where over: not -1), n if there is none.

    Moves are ``int64``, shape ``(n,)``, any value, and matter only ``where`` (``bool``, shape ``(n,)``) an environment
    moves. ``limit`` is how many numbers moves can have.
    """
    width = np.uint64(len(load(rules, words)))
    for i in range(np.uint64(first), np.uint64(last)):
        position = load(rules, words, i * width)
        move = moves[i]
        if not where[i]:
            continue
        if is_over(position):
            if move != -1:
                return i
        elif move < 0 or move >= limit or next_move(rules, position, np.uint64(move)) != np.uint64(move):
            return i
    return np.uint64(len(moves))


@kernel
def final_margins(rules, first, last, words, margins):
    """Fills the final margins (``int64``, shape ``(n,)``), 0 where not over."""
    width = np.uint64(len(load(rules, words)))
    for i in range(np.uint64(first), np.uint64(last)):
        position = load(rules, words, i * width)
        margins[i] = end_margin(rules, position) if is_over(position) else np.int64(0)


@kernel
def observations(rules, first, last, words, scored, extra, total, values):
    """Fills observations (`mancala_ai.observation`).

    Args:
        rules: a ruleset.
        first: first environment.
        last: the one after the last.
        words: ``uint64``, flat.
        scored: whether captured seeds are the score.
        extra: how many extra facts there are.
        total: the game's own number of seeds, ``float64``.
        values: ``float32``, shape ``(n, observation_size)``; written.
    """
    width = np.uint64(len(load(rules, words)))
    pits = np.uint64((values.shape[1] - extra - 3) // 2)  # of both players; seeds and mark each, captured, side
    for i in range(np.uint64(first), np.uint64(last)):
        position = load(rules, words, i * width)
        side = side_to_move(position)
        index = side * (pits >> _1)
        for at in range(pits):
            seeds, mark = pit(rules, position, index)
            values[i, at] = np.float64(seeds) / total
            values[i, pits + _2 + at] = np.float32(mark)
            index = _0 if index + _1 == pits else index + _1
        for player in range(_2):
            seeds = captured(position, side ^ player) if scored else _0
            values[i, pits + player] = np.float64(seeds) / total
        for at in range(np.uint64(extra)):
            values[i, _2 * pits + _2 + at] = extra_fact(rules, position, at, total)
        values[i, values.shape[1] - 1] = np.float32(side)


@kernel
def playouts(rules, first, last, environments, rng_seed, margins, plies):
    """Plays random games from every environment to the end.

    Fills ``margins`` and ``plies`` (``int64``, shape ``(n, k)``). Game j of environment i depends on its history and on
    ``rng_seed + (i << 32) + j`` only. Where an environment is over, its margin and 0.
    """
    width = np.uint64(len(load(rules, environments.words)))
    stretch = _stretch(environments)
    path = np.empty((_FIRST_CAPACITY + stretch // width, width), dtype=np.uint64)
    first_filter = np.empty(FILTER_WORDS, dtype=np.uint64)
    seen = np.empty_like(first_filter)
    for i in range(np.uint64(first), np.uint64(last)):
        position = load(rules, environments.words, i * width)
        if is_over(position):
            for game in range(margins.shape[1]):
                margins[i, game], plies[i, game] = end_margin(rules, position), 0
            continue
        for word in range(FILTER_WORDS):
            first_filter[word] = _0
        known = environments.lengths[i]
        for number in range(known):
            earlier = load(rules, environments.history, i * stretch + np.uint64(number) * width)
            remember(earlier, path, number, first_filter)
        for game in range(margins.shape[1]):
            _, rng = next_random(rng_seed + (i << _32) + np.uint64(game))
            copy_words(first_filter, seen)
            _, _, margin, length, path, _ = play_out(rules, position, path, known, seen, rng, TO_THE_END, ALWAYS_RANDOM)
            margins[i, game], plies[i, game] = margin, length - known
