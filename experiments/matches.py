"""One game between two engines: what is to be played, and what came of it, as values."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from mancala_ai import Engine, GameRecord, IllegalMoveError, Limit, State, load_engine, load_game

_game = functools.cache(load_game)


class Termination(StrEnum):
    """How a game of a tournament ended."""

    NORMAL = "normal"
    INFINITE = "infinite"
    ILLEGAL_MOVE = "illegal move"  # lost by the engine that wanted to play it
    ENGINE_ERROR = "engine error"  # lost by the engine that raised, or did not return a `SearchResult`


@dataclass(frozen=True)
class GameSpec:
    """A game to be played. All that decides its course, the engines' clocks apart.

    Attributes:
        game: game string.
        pair: number of the game pair among those of the two engines in this game, from 0.
        south, north: engine strings.
        opening: the position string at which the history starts.
        rng_seed: the tournament's; engines get seeds derived from it.
        limit: for every move of both engines; None: the engines' own.
    """

    game: str
    pair: int
    south: str
    north: str
    opening: str
    rng_seed: int = 0
    limit: Limit | None = None

    @property
    def players(self) -> tuple[str, str]:
        """Engine strings of South and North."""
        return self.south, self.north

    @property
    def key(self) -> str:
        """Names the game within its tournament, whatever else is played there."""
        return f"{self.game}|{self.south}|{self.north}|{self.pair}"

    @property
    def pair_key(self) -> str:
        """Names the game pair: the same for the game with sides swapped."""
        return "|".join([self.game, *sorted(self.players), str(self.pair)])

    def engine_rng_seed(self, side: int) -> int:
        """Returns the ``rng_seed`` of the engine on a side (0 South, 1 North): 63 bits."""
        digest = hashlib.blake2b(f"{self.rng_seed}|{self.key}|{side}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") >> 1


@dataclass(frozen=True)
class GameResult:
    """A game that was played.

    Attributes:
        spec: what was to be played.
        outcome: 1 South won, -1 North won, 0 draw.
        termination: how it ended.
        record: the game itself.
        fault: what the loser did wrong: the error in one line; None after a normal or infinite ending.
        seconds: wall-clock time that South's and North's engines took; does not count in comparisons.
    """

    spec: GameSpec
    outcome: int
    termination: Termination
    record: GameRecord
    fault: str | None = None
    seconds: tuple[float, float] = field(default=(0.0, 0.0), compare=False)

    @property
    def points(self) -> tuple[float, float]:
        """Points of South and North: 1 for a win, half for a draw."""
        return (1 + self.outcome) / 2, (1 - self.outcome) / 2


def play_game(
    spec: GameSpec, engines: dict[str, Engine] | None = None, stopped: Callable[[], bool] = lambda: False
) -> GameResult | None:
    """Plays one game.

    An engine that raises, or whose move is not legal, loses.

    Args:
        spec: the game.
        engines: engines by engine string, to be used again; missing ones are added.
        stopped: asked before each move.

    Returns:
        The result, or None if ``stopped`` said so before the end.

    Raises:
        KeyboardInterrupt: also if an engine reports that its search was interrupted.
    """
    state = _game(spec.game).state(spec.opening)
    engines = {} if engines is None else engines
    seconds = [0.0, 0.0]
    for side, player in enumerate(spec.players):
        try:
            if player not in engines:
                engines[player] = load_engine(player)
            engines[player].new_game(rng_seed=spec.engine_rng_seed(side))
        except (Exception, SystemExit) as error:
            return _forfeit(spec, state, side, Termination.ENGINE_ERROR, error)

    while not state.is_over:
        if stopped():
            return None
        side = state.to_move
        start = time.perf_counter()
        try:
            found = engines[spec.players[side]].search(state, spec.limit)
            move, interrupted = found.move, found.interrupted
        except (Exception, SystemExit) as error:
            return _forfeit(spec, state, side, Termination.ENGINE_ERROR, error)
        seconds[side] += time.perf_counter() - start
        if interrupted:
            raise KeyboardInterrupt
        try:
            state = state.play(move if isinstance(move, str) else repr(move))
        except IllegalMoveError as error:
            return _forfeit(spec, state, side, Termination.ILLEGAL_MOVE, error)

    assert state.outcome is not None
    record = GameRecord.from_state(state, spec.players, extra=_extra(spec))
    return GameResult(spec, state.outcome, Termination(str(state.termination)), record, None, (seconds[0], seconds[1]))


def _forfeit(spec: GameSpec, state: State, side: int, termination: Termination, error: BaseException) -> GameResult:
    text = str(error) if isinstance(error, IllegalMoveError) else f"{type(error).__name__}: {error}"
    fault = " ".join(text.split())
    outcome = 1 if side else -1
    extra = {**_extra(spec), "fault": fault}
    record = GameRecord.from_state(state, spec.players, outcome=outcome, termination=termination.value, extra=extra)
    return GameResult(spec, outcome, termination, record, fault)


def _extra(spec: GameSpec) -> dict[str, Any]:
    """Returns what a record says beside the game: enough to play it again."""
    limit = {"limit": {k: v for k, v in asdict(spec.limit).items() if v is not None}} if spec.limit else {}
    return {"pair": spec.pair, "rng_seed": spec.rng_seed, **limit}
