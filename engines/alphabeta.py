"""Plain negamax alpha-beta over the generic kernels, with material as evaluation."""

from __future__ import annotations

import time
from typing import ClassVar

import numpy as np

from mancala_ai import Engine, EngineOption, Limit, SearchResult, State
from mancala_ai.kernels import (
    NO_MOVE,
    end_margin,
    infinite_margin,
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

WIN = 10_000
"""Value of a won game beside its margin: a result outweighs any difference of seeds."""

_0, _1 = np.uint64(0), np.uint64(1)
_INFINITY = np.int64(1 << 20)


@kernel
def result_value(margin, side):
    """Returns the value (``int64``) of a finished game for ``side`` (``uint64``): outcome first, then margin."""
    value = margin if side == _0 else -margin
    if value > 0:
        return value + WIN
    return value - WIN if value < 0 else value


@kernel
def _negamax(rules, position, depth, alpha, beta, path, ply, nodes):
    # `path` (uint64, shape (plies, words)) holds the keys of the game's history and of the line searched: `ply` keys.
    nodes[0] += 1
    side = side_to_move(position)
    if is_over(position):
        return result_value(end_margin(rules, position), side)
    if _repeats(key(rules, position), path, ply):
        return result_value(infinite_margin(rules, position), side)
    if depth == 0:
        return material(rules, position) if side == _0 else -material(rules, position)
    store(key(rules, position), path[ply])
    best = -_INFINITY
    move = next_move(rules, position, _0)
    while move != NO_MOVE:
        after = play(rules, position, move)
        if side_to_move(after) == side:  # an extra move: the same player's view
            value = _negamax(rules, after, depth - 1, alpha, beta, path, ply + 1, nodes)
        else:
            value = -_negamax(rules, after, depth - 1, -beta, -alpha, path, ply + 1, nodes)
        best = max(best, value)
        alpha = max(alpha, value)
        if alpha >= beta:
            break
        move = next_move(rules, position, move + _1)
    return best


@kernel
def _repeats(position_key, path, ply):
    for i in range(ply):
        same = True
        for word in range(len(position_key)):
            same &= path[i, word] == position_key[word]
        if same:
            return True
    return False


@kernel
def _search_root(rules, words, depth, path, ply, nodes, moves, values):
    # Fills `values` (int64, like `moves`) with bounds good enough to find the first best move; the best are exact.
    position = load(rules, words)
    side = side_to_move(position)
    alpha = -_INFINITY
    for i in range(len(moves)):
        after = play(rules, position, np.uint64(moves[i]))
        if side_to_move(after) == side:
            values[i] = _negamax(rules, after, depth - 1, alpha, _INFINITY, path, ply, nodes)
        else:
            values[i] = -_negamax(rules, after, depth - 1, -_INFINITY, -alpha, path, ply, nodes)
        alpha = max(alpha, values[i])


class AlphaBetaEngine(Engine):
    """Alpha-beta to a fixed depth. A repetition of the game or of the line searched is worth what the rules say."""

    name = "alphabeta"
    options: ClassVar = {"depth": EngineOption(4, "plies searched")}

    def __init__(self, depth: int = 4) -> None:
        self._depth = depth

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """See `Engine.search`. The value is in seeds, beyond ±10,000 for a decided game."""
        start = time.perf_counter()
        depth = (limit.depth if limit else None) or self._depth
        moves = np.array(state.legal_move_numbers(), dtype=np.int64)
        values = np.empty_like(moves)
        history = state.history
        path = np.zeros((len(history) + depth + 1, history.shape[1]), dtype=np.uint64)
        path[: len(history)] = history
        nodes = np.zeros(1, dtype=np.int64)
        _search_root(state.game.rules, state.words, depth, path, len(history), nodes, moves, values)
        best = int(values.argmax())
        move = state.game.rules.move_name(int(moves[best]))
        return SearchResult(
            move,
            value=float(values[best]),
            pv=(move,),
            depth=depth,
            nodes=int(nodes[0]),
            seconds=time.perf_counter() - start,
        )
