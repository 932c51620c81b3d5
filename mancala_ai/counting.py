"""Perft: counts move sequences, to check kernels against each other and to measure their speed.

perft(d) is the number of sequences of exactly d legal moves. Repetition is ignored; a pass and each step of the Kiothi
opening are moves; the end of a game, endless sowings included, has no successors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mancala_ai.errors import MancalaError
from mancala_ai.game import State
from mancala_ai.kernels import NO_MOVE, OVER, is_over, kernel, load, next_move, play

_0, _1, _MIX = np.uint64(0), np.uint64(1), np.uint64(0x9E3779B97F4A7C15)


@kernel
def _perft(rules, position, depth):
    count = _0
    checksum = _0
    move = next_move(rules, position, _0)
    while move != NO_MOVE:
        after = play(rules, position, move)
        if depth == _1:
            count += _1
            word = _0
            for i in range(len(after)):
                word = word * _MIX + after[i]
            checksum += word
        elif not is_over(after):
            below, below_checksum = _perft(rules, after, depth - _1)
            count += below
            checksum += below_checksum
        move = next_move(rules, position, move + _1)
    return count, checksum


@kernel
def _perft_words(rules, words, depth):
    return _perft(rules, load(rules, words), np.uint64(depth))


class Perft(NamedTuple):
    """A perft count, with a checksum over all leaf positions that changes when any move does."""

    leaves: int
    checksum: int


def perft_with_checksum(state: State, depth: int) -> Perft:
    """Plays every sequence of ``depth`` legal moves from a state.

    Args:
        state: where to start; its history is ignored.
        depth: number of moves, 0 or more.

    Raises:
        MancalaError: the depth is negative.
    """
    if depth < 0:
        raise MancalaError(f"depth {depth}: expected 0 or more")
    if depth == 0:
        return Perft(1, 0)
    if state.position[-1] & OVER:  # a repetition, which is over too, is ignored
        return Perft(0, 0)
    count, checksum = _perft_words(state.game.rules, state.words, depth)
    return Perft(int(count), int(checksum))


def perft(state: State, depth: int) -> int:
    """Returns the number of sequences of exactly ``depth`` legal moves; every leaf is really played.

    Args:
        state: where to start; its history is ignored.
        depth: number of moves, 0 or more.

    Raises:
        MancalaError: the depth is negative.
    """
    return perft_with_checksum(state, depth).leaves


def divide(state: State, depth: int) -> dict[str, int]:
    """Returns ``perft(depth)`` split by first move, in the order of ``state.legal_moves()``.

    Args:
        state: where to start.
        depth: number of moves, 1 or more.

    Raises:
        MancalaError: the depth is less than 1.
    """
    if depth < 1:
        raise MancalaError(f"depth {depth}: expected 1 or more")
    root = State(state.game, state.words)
    return {move: perft(root.play(move), depth - 1) for move in root.legal_moves()}
