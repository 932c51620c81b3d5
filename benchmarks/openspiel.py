"""Speed of our games in OpenSpiel, driven from Python, beside a Python game that does nothing at all."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pyspiel

from benchmarks.measure import Benchmark, Done
from engines.openspiel_games import NO_BOUND, PREFIX, TERMINAL
from mancala_ai.registry import game_types

MOVES = 50_000
TARGETS = {"giuthi": 100_000.0}  # moves per second
EMPTY = PREFIX + "empty"
EMPTY_MOVES = 64
"""Moves of a game that does nothing."""


class EmptyState(pyspiel.State):  # type: ignore[misc]
    """A state of a game of `EMPTY_MOVES` moves out of sixteen, without any effect."""

    def __init__(self, game: EmptyGame) -> None:
        super().__init__(game)
        self._left = EMPTY_MOVES

    def current_player(self) -> int:
        """Returns South, always."""
        return 0 if self._left else TERMINAL

    def is_terminal(self) -> bool:
        """Returns whether all moves are played."""
        return not self._left

    def _legal_actions(self, player: int) -> list[int]:
        return _SIXTEEN

    def _apply_action(self, action: int) -> None:
        self._left -= 1

    def returns(self) -> list[float]:
        """Returns nothing for nothing."""
        return [0.0, 0.0]


_SIXTEEN = list(range(16))


class EmptyGame(pyspiel.Game):  # type: ignore[misc]
    """The fastest game that OpenSpiel can have in Python."""

    def __init__(self, parameters: Any = None) -> None:
        info = pyspiel.GameInfo(16, 0, 2, -1.0, 1.0, 0.0, NO_BOUND)
        super().__init__(_TYPE, info, parameters or {})

    def new_initial_state(self) -> EmptyState:
        """Returns the state before the first move."""
        return EmptyState(self)


_TYPE = pyspiel.GameType(
    EMPTY,
    "Empty game",
    pyspiel.GameType.Dynamics.SEQUENTIAL,
    pyspiel.GameType.ChanceMode.DETERMINISTIC,
    pyspiel.GameType.Information.PERFECT_INFORMATION,
    pyspiel.GameType.Utility.ZERO_SUM,
    pyspiel.GameType.RewardModel.TERMINAL,
    2,
    2,
    False,
    False,
    False,
    False,
    {},
)
if EMPTY not in pyspiel.registered_names():
    pyspiel.register_game(_TYPE, EmptyGame)


def benchmarks(quick: bool) -> Iterator[Benchmark]:
    """Yields random moves driven from Python, of every game and of the empty one; the signature is of the games."""
    moves = MOVES // 10 if quick else MOVES
    for name in [PREFIX + game_type.name for game_type in game_types()] + [EMPTY]:
        prepare = partial(_play, name, moves)
        yield Benchmark(f"OpenSpiel {name}", "moves", prepare, TARGETS.get(name.removeprefix(PREFIX)))


def _play(name: str, most: int) -> Callable[[], Done]:
    game = pyspiel.load_game(name)

    def run() -> Done:
        choice = random.Random(1).choice
        moves, signature = 0, 0
        while moves < most:
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(choice(state.legal_actions()))
            moves += len(state.history())
            signature = zlib.crc32(repr(state.returns()).encode(), signature + len(state.history()))
        return Done(moves, signature)

    return run
