"""One game between two players: what is to be played, and what came of it, as values."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from engines.endgame.play import open_database
from experiments.config import Terms
from experiments.players import parse_player
from mancala_ai import Engine, GameRecord, IllegalMoveError, Limit, SearchResult, State, load_game
from mancala_ai.errors import EngineError, one_line_with_place
from mancala_ai.ruleset import MatchOfRounds

_game = functools.cache(load_game)


class Termination(StrEnum):
    """How a game of a tournament ended."""

    NORMAL = "normal"
    INFINITE = "infinite"
    ADJUDICATED = "adjudicated"  # ended early, since the outcome was beyond doubt
    TIME_FORFEIT = "time forfeit"  # lost by the player whose clock ran out, or who did not move at all
    ILLEGAL_MOVE = "illegal move"  # lost by the player that wanted to play it
    ENGINE_ERROR = "engine error"  # lost by the player whose engine raised, died, or did not return a `SearchResult`


@dataclass(frozen=True)
class GameSpec:
    """A game to be played. All that decides its course, the engines' clocks apart.

    Attributes:
        game: game string.
        pair: number of the game pair among those of the two players in this game, from 0.
        south, north: player strings, see `experiments.players`.
        opening: the position string at which the history starts; of a match over rounds the moves, with blanks between
            them, that the first round begins with.
        terms: the tournament's.
        number: place in the schedule, from 0.
    """

    game: str
    pair: int
    south: str
    north: str
    opening: str
    terms: Terms = field(default_factory=Terms)
    number: int = field(default=0, compare=False)

    @property
    def players(self) -> tuple[str, str]:
        """Player strings of South and North."""
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
        digest = hashlib.blake2b(f"{self.terms.rng_seed}|{self.key}|{side}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") >> 1


@dataclass(frozen=True)
class GameResult:
    """A game that was played.

    Attributes:
        spec: what was to be played.
        outcome: 1 South won, -1 North won, 0 draw.
        termination: how it ended.
        record: the game itself; of a match over rounds the last round, with the others in its ``extra``.
        fault: what the loser did wrong: the error in one line; None if nobody did.
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

    @property
    def rounds(self) -> list[Sequence[str]]:
        """The moves of each round of a match; of a game, its own only."""
        earlier = self.record.extra["match"]["rounds"] if "match" in self.record.extra else []
        return [*(one["moves"] for one in earlier), self.record.moves]

    @property
    def plies(self) -> int:
        """Moves played, of all rounds together."""
        return sum(map(len, self.rounds))

    @property
    def margin(self) -> int | None:
        """South's final score minus North's, of a match the holdings'; None if it was not the rules that decided."""
        if "match" in self.record.extra and self.fault is None:
            south, north = self.record.extra["match"]["holdings"]
            return int(south - north)
        return self.record.margin

    @property
    def weight(self) -> int:
        """As how many games this one counts: more than one only for a victory that tradition values more."""
        weight = self.spec.terms.one_warrior
        if weight == 1 or self.margin is None:
            return 1
        return weight if abs(self.margin) in _game(self.spec.game).rules.margin_names else 1


class Watch:
    """Hears what a game does, before it does it: base class, which does nothing with it."""

    def thinks(self, state: State, side: int, seconds: float) -> None:
        """A player is about to be asked something: which side, and how many seconds it may take at most."""

    def rests(self) -> None:
        """The player has answered."""


@dataclass
class _Seat:
    """One side of a game.

    Attributes:
        engine: its engine.
        limit: of every move; its clock is what was there at first.
        clock: seconds left, None without a clock.
        seconds: time taken so far.
    """

    engine: Engine
    limit: Limit | None
    clock: float | None
    seconds: float = 0.0


class _LostError(Exception):
    """A player has lost otherwise than by the rules."""

    def __init__(self, side: int, termination: Termination, fault: str) -> None:
        super().__init__(fault)
        self.outcome, self.termination, self.fault = 1 if side else -1, termination, fault


class GamePlayer:
    """Plays games one after the other, with the same engines."""

    def __init__(self, watch: Watch | None = None, deaf: bool = False) -> None:
        """Makes a player of games.

        Args:
            watch: hears of every move.
            deaf: no Ctrl-C reaches this process: what looks like one is the engine's doing.
        """
        self._watch = watch or Watch()
        self._deaf = deaf
        self._engines: dict[str, Engine] = {}
        self._warm: set[tuple[str, str]] = set()

    def play(self, spec: GameSpec) -> GameResult:
        """Plays one game.

        A player loses whose engine raises, whose move is not legal, or whose time is up.

        Raises:
            KeyboardInterrupt: also if an engine reports that its search was interrupted.
        """
        return self._play_rounds(spec) if spec.terms.rounds else self._play_game(spec)

    def _play_game(self, spec: GameSpec) -> GameResult:
        state = _game(spec.game).state(spec.opening)
        seats: list[_Seat] = []
        adjudicate = _adjudicator(spec)
        try:
            seats += (self._seat(spec, state, side) for side in (0, 1))
            for state in self._line(spec, state, seats):  # noqa: B020 (the last one counts, whatever ends it)
                if adjudicate is not None and (outcome := adjudicate(state)) is not None:
                    return _result(spec, state, seats, outcome, Termination.ADJUDICATED)
        except _LostError as lost:
            return _result(spec, state, seats, lost.outcome, lost.termination, lost.fault)
        return _result(spec, state, seats)

    def _play_rounds(self, spec: GameSpec) -> GameResult:
        match, rounds = _game(spec.game).new_match(), list[GameRecord]()
        state = match.round_state()
        for move in spec.opening.split():
            state = state.play(move)
        seats: list[_Seat] = []
        try:
            seats += (self._seat(spec, state, side) for side in (0, 1))
            while True:
                for state in self._line(spec, state, seats):  # noqa: B007, B020
                    pass
                match = match.finish_round(state)
                if match.outcome is not None:
                    return _result(spec, state, seats, match.outcome, Termination.NORMAL, match=(match, rounds))
                rounds.append(GameRecord.from_state(state, spec.players))
                state = match.round_state()
        except _LostError as lost:
            return _result(spec, state, seats, lost.outcome, lost.termination, lost.fault, (match, rounds))

    def _seat(self, spec: GameSpec, state: State, side: int) -> _Seat:
        """Makes an engine ready for a game."""
        name = spec.players[side]
        player = parse_player(name)
        limit = player.limit or spec.terms.limit
        self._watch.thinks(state, side, spec.terms.allowed_seconds(None))
        try:
            if name not in self._engines:
                self._engines[name] = player.load()
            engine = self._engines[name]
            if (name, spec.game) not in self._warm:  # kernels are loaded before any clock runs
                self._warm.add((name, spec.game))
                with self._ignoring():  # the game will tell
                    warm_up(engine, spec.game)
            engine.new_game(rng_seed=spec.engine_rng_seed(side))
        except BaseException as error:
            raise self._fault(error, side) from error
        finally:
            self._watch.rests()
        return _Seat(engine, limit, None if limit is None else limit.clock)

    @contextmanager
    def _ignoring(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:  # whatever engines may raise
            if self._is_ctrl_c(error):
                raise

    def _is_ctrl_c(self, error: BaseException) -> bool:
        return isinstance(error, KeyboardInterrupt) and not self._deaf

    def _fault(self, error: BaseException, side: int) -> BaseException:
        """Returns what to raise for an error that comes from a player's engine."""
        if self._is_ctrl_c(error):
            return error
        return _LostError(side, Termination.ENGINE_ERROR, one_line_with_place(error))

    def _line(self, spec: GameSpec, state: State, seats: list[_Seat]) -> Iterator[State]:
        """Yields a state and all that follow, to the end of the game."""
        yield state
        while not state.is_over:
            side = state.to_move
            seat = seats[side]
            limit = seat.limit if seat.clock is None else replace(seat.limit or Limit(), clock=seat.clock)
            allowed = spec.terms.allowed_seconds(limit)
            self._watch.thinks(state, side, allowed)
            start = time.perf_counter()
            try:
                found = seat.engine.search(state, limit)
                if not isinstance(found, SearchResult):
                    raise EngineError(f"search returned {type(found).__name__}: expected SearchResult")
                move = str(found.move) if isinstance(found.move, str) else repr(found.move)
                if found.interrupted and not self._deaf:
                    raise KeyboardInterrupt
            except BaseException as error:
                raise self._fault(error, side) from error
            finally:
                taken = time.perf_counter() - start
                self._watch.rests()
            seat.seconds += taken
            if taken > allowed:
                raise _LostError(side, Termination.TIME_FORFEIT, f"{taken:.1f} s for a move, {allowed:g} s allowed")
            if seat.clock is not None:
                seat.clock -= taken
                if seat.clock <= 0:
                    raise _LostError(side, Termination.TIME_FORFEIT, f"{-seat.clock:.3f} s beyond the clock")
                seat.clock += (seat.limit and seat.limit.increment) or 0
            try:
                state = state.play(move)
            except IllegalMoveError as error:
                raise _LostError(side, Termination.ILLEGAL_MOVE, " ".join(str(error).split())) from None
            yield state


def _adjudicator(spec: GameSpec) -> Callable[[State], int | None] | None:
    """Returns what says the outcome (1 South, -1 North, 0 draw) of a game that goes on, where it is beyond doubt."""
    database = open_database(spec.terms.endgame, _game(spec.game))
    if not spec.terms.adjudicate and database is None:
        return None

    def adjudicate(state: State) -> int | None:
        if state.is_over:
            return None
        if spec.terms.adjudicate and state.decided is not None:
            return state.decided
        if database is None or not database.is_exact(state):
            return None
        outcome = database.outcome(state)
        return outcome if outcome is None or state.to_move == 0 else -outcome

    return adjudicate


def warm_up(engine: Engine, game: str) -> None:
    """Lets an engine make a move in a game, so that its kernels are compiled and loaded.

    Raises:
        KeyboardInterrupt: the search was interrupted.
        Exception: whatever the engine raises.
    """
    state = _game(game).initial_state()
    found = engine.search(state, Limit(depth=1, nodes=1, simulations=1))
    if found.interrupted:
        raise KeyboardInterrupt
    state.play(found.move)


def lost_result(spec: GameSpec, moves: Sequence[str], side: int, termination: Termination, fault: str) -> GameResult:
    """Returns the result of a game whose process has ended while a player was thinking.

    Args:
        spec: the game.
        moves: what was played; not of a match over rounds, whose record then has none.
        side: the player that was thinking: 0 South, 1 North.
        termination: what to call it.
        fault: what is known of it, in one line.
    """
    state = _game(spec.game).initial_state() if spec.terms.rounds else _game(spec.game).state(spec.opening)
    for move in () if spec.terms.rounds else moves:
        state = state.play(move)
    return _result(spec, state, (), 1 if side else -1, termination, fault)


def _result(
    spec: GameSpec,
    state: State,
    seats: Sequence[_Seat],
    outcome: int | None = None,
    termination: Termination | None = None,
    fault: str | None = None,
    match: tuple[MatchOfRounds, list[GameRecord]] | None = None,
) -> GameResult:
    """Returns the result of a game: that of the rules, unless another one is given."""
    extra: dict[str, Any] = {"pair": spec.pair, "rng_seed": spec.terms.rng_seed}
    if spec.terms.limit:
        extra["limit"] = {name: value for name, value in asdict(spec.terms.limit).items() if value is not None}
    if fault is not None:
        extra["fault"] = fault
    if match is not None:
        extra["match"] = {"outcome": outcome, "holdings": match[0].holdings, "rounds": [asdict(r) for r in match[1]]}
    by_rules = state.is_over
    record = GameRecord.from_state(
        state,
        spec.players,
        outcome=None if by_rules else outcome,
        termination=None if by_rules or termination is None else termination.value,
        extra=extra,
    )
    if outcome is None or termination is None:
        assert state.outcome is not None
        outcome, termination = state.outcome, Termination(str(state.termination))
    seconds = (seats[0].seconds, seats[1].seconds) if len(seats) == 2 else (0.0, 0.0)
    return GameResult(spec, outcome, termination, record, fault, seconds)
