"""The protocol of engines: all that a player must offer, and how its thinking is limited and reported."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, ClassVar, NamedTuple

from mancala_ai.errors import GameStringError, suggest
from mancala_ai.game import State


@dataclass(frozen=True)
class Limit:
    """How long an engine may think about one move; whichever comes first. Without any limit the engine's own holds.

    Attributes:
        depth: plies.
        nodes: calls of the search function.
        seconds: wall-clock time.
        simulations: iterations of MCTS.
        clock: seconds that the player has left for the rest of the game; see `move_seconds`.
        increment: seconds that are added to the clock after each move; may be 0, and needs a clock.

    Raises:
        GameStringError: a limit is not a positive number, or not whole where it counts something; an increment without
            a clock.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    simulations: int | None = None
    clock: float | None = None
    increment: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is None:
                continue
            allowed, expected = ((int, float), "a number") if name in _TIMES else ((int,), "a whole number")
            if not isinstance(value, allowed) or isinstance(value, bool):
                raise GameStringError(f"limit {name}={value!r}: expected {expected}")
            if not value > 0 and not (name == "increment" and value == 0):
                raise GameStringError(f"limit {name}={value}: expected more than 0")
            if value == math.inf:
                raise GameStringError(f"limit {name}={value}: expected a finite number")
        if self.increment is not None and self.clock is None:
            raise GameStringError(f"limit increment={self.increment}: expected a clock, too, such as clock=60")

    @property
    def move_seconds(self) -> float | None:
        """Wall-clock time for this move, None if nothing limits it: `seconds`, or a share of the clock if that is less.

        The share is a thirtieth of the clock and four fifths of the increment, but leaves 0.05 s (of less than 0.1 s
        the half) for what lies between the engine and whoever holds the clock.
        """
        if self.clock is None:
            return self.seconds
        share = self.clock / 30 + 0.8 * (self.increment or 0)
        share = min(share, self.clock - min(0.05, self.clock / 2))
        return share if self.seconds is None else min(share, self.seconds)

    def __str__(self) -> str:
        """Writes the limit as `parse_limit` reads it; nothing if there is none."""
        return ",".join(f"{name}={Decimal(str(value)):f}" for name, value in vars(self).items() if value is not None)


_TIMES = ("seconds", "clock", "increment")


def parse_limit(text: str) -> Limit:
    """Returns the limit of a string such as ``"seconds=0.5,depth=6"``; an empty string means no limit.

    Raises:
        GameStringError: an unknown limit, one given twice, or a value that it cannot have.
    """
    names = [field.name for field in fields(Limit)]
    values: dict[str, Any] = {}
    for part in (part.strip() for part in text.split(",") if text.strip()):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            raise GameStringError(f"limit {part!r}: expected name=value, such as seconds=0.5")
        if name not in names:
            raise GameStringError(f"limit {name!r}: {suggest(name, names)}")
        if name in values:
            raise GameStringError(f"limit {name!r} is given twice: expected once")
        decimal = name in _TIMES
        if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)" if decimal else r"[+-]?[0-9]{1,18}", value):
            raise GameStringError(f"limit {name}={value!r}: expected {'a number' if decimal else 'a whole number'}")
        values[name] = float(value) if decimal else int(value)
    return Limit(**values)


class Line(NamedTuple):
    """One move's value and what follows it."""

    value: float
    pv: tuple[str, ...]


@dataclass(frozen=True)
class SearchResult:
    """What an engine says of a state.

    Attributes:
        move: the chosen move string.
        value: the engine's valuation in its own unit, from the side to move's view; None if it has none.
        pv: principal variation, the chosen move first.
        depth: plies searched in full.
        nodes: calls of the search function.
        simulations: iterations of MCTS.
        seconds: wall-clock time used.
        proven: the outcome that the value states is the true result of the game, its history included.
        lines: the best moves with their values, best first, as many as were asked for.
        interrupted: Ctrl-C cut the search short; the caller should stop, too.
    """

    move: str
    value: float | None = None
    pv: tuple[str, ...] = ()
    depth: int = 0
    nodes: int = 0
    simulations: int = 0
    seconds: float = 0.0
    proven: bool = False
    lines: tuple[Line, ...] = ()
    interrupted: bool = False


class EngineOption(NamedTuple):
    """One option of an engine string; the default's type is the type that values must have."""

    default: int | float | bool | str
    help: str


class Engine:
    """Base of all engines. A third party derives from it and names the class in the group ``mancala_ai.engines``.

    Options of the engine string are passed to the constructor by keyword.
    """

    name: ClassVar[str]
    options: ClassVar[Mapping[str, EngineOption]] = {}

    def new_game(self, rng_seed: int | None = None) -> None:
        """Forgets everything that earlier games have left; ``rng_seed``, if given, replaces the engine's own."""

    def stop(self) -> None:
        """Asks the search that runs in another thread to end soon, with what it has found.

        May be called again and again until it does. Engines that answer at once need not do anything.
        """

    def analyse(self, state: State, limit: Limit | None = None, lines: int = 1) -> Iterator[SearchResult]:
        """Yields results as they improve, the last one being that of `search`.

        Args:
            state: a state that is not over.
            limit: when to stop; the engine's own limits if None.
            lines: how many of the best moves the results should value, if the engine can.
        """
        yield self.search(state, limit)

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Chooses a move.

        Args:
            state: a state that is not over.
            limit: when to stop; the engine's own limits if None.
        """
        raise NotImplementedError
