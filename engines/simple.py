"""Two engines without search: the yardsticks of every tournament."""

from __future__ import annotations

import random
import time
from typing import ClassVar

import numpy as np

from mancala_ai import Engine, EngineOption, Limit, SearchResult, State
from mancala_ai.kernels import kernel, load, material, play, side_to_move

RNG_SEED = EngineOption(0, "start of the engine's random choices")


def choice_rng(rng_seed: int, state: State) -> random.Random:
    """Returns a generator that depends on the seed and on the game so far only, not on what was searched before."""
    return random.Random(f"{rng_seed}|{state.game}|{state}|{len(state.history)}")


@kernel
def _gains(rules, words, moves, gains):
    # Fills `gains` (int64, like `moves`) with the change of material that each move brings its player.
    position = load(rules, words)
    sign = -1 if side_to_move(position) != np.uint64(0) else 1
    before = material(rules, position)
    for i in range(len(moves)):
        gains[i] = sign * (material(rules, play(rules, position, np.uint64(moves[i]))) - before)


class SeededEngine(Engine):
    """Base of the engines that need nothing but a seed; every game can bring another one."""

    options: ClassVar = {"rng_seed": RNG_SEED}

    def __init__(self, rng_seed: int = 0) -> None:
        self._rng_seed = rng_seed

    def new_game(self, rng_seed: int | None = None) -> None:
        """See `Engine.new_game`."""
        if rng_seed is not None:
            self._rng_seed = rng_seed


class RandomEngine(SeededEngine):
    """Chooses uniformly among the legal moves."""

    name = "random"

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """See `Engine.search`; limits do not matter."""
        start = time.perf_counter()
        move = choice_rng(self._rng_seed, state).choice(state.legal_moves())
        return SearchResult(move, pv=(move,), seconds=time.perf_counter() - start)


class GreedyEngine(SeededEngine):
    """Takes the move with the largest immediate gain of material, a random one among equals."""

    name = "greedy"

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """See `Engine.search`; limits do not matter. The value is the gain in seeds."""
        start = time.perf_counter()
        moves = np.array(state.legal_move_numbers(), dtype=np.int64)
        gains = np.empty_like(moves)
        _gains(state.game.rules, state.words, moves, gains)
        best = moves[gains == gains.max()].tolist()
        move = state.game.rules.move_name(choice_rng(self._rng_seed, state).choice(best))
        seconds = time.perf_counter() - start
        return SearchResult(move, value=float(gains.max()), pv=(move,), depth=1, nodes=len(moves), seconds=seconds)
