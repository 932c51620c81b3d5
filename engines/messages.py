"""The lines of the protocol between a controller and an engine in a process of its own: docs/protocol.md."""

from __future__ import annotations

import math
import re
from typing import Any

from mancala_ai import EngineOption, Game, GameStringError, Limit, Line, MancalaError, SearchResult, State
from mancala_ai.game import replay
from mancala_ai.protocol import parse_limit

VERSION = 1
HELLO = f"mancala {VERSION}"
TYPES: dict[str, type] = {"int": int, "float": float, "bool": bool, "string": str}
_COUNTS = ("depth", "nodes", "simulations")


class MessageError(MancalaError):
    """A line that is not of the protocol."""


# Options.


def option_line(name: str, default: int | float | bool | str) -> str:
    """Announces an option with its present value."""
    kind = next(kind for kind, python_type in TYPES.items() if type(default) is python_type)
    return f"option name {name} type {kind} default {default}".rstrip()


def read_option(words: str) -> tuple[str, EngineOption]:
    """Returns name and meaning of an announced option.

    Args:
        words: what follows ``option``.
    """
    match = re.fullmatch(rf"name (\w+) type ({'|'.join(TYPES)}) default ?(.*)", words)
    if not match:
        raise MessageError(f"option {words!r}: expected name NAME type {'|'.join(TYPES)} default VALUE")
    return match[1], EngineOption(read_value(match[3], TYPES[match[2]], match[1]), "")


def read_value(text: str, kind: type, name: str) -> Any:
    """Returns an option's value as its type.

    Raises:
        MessageError: it is not of that type.
    """
    try:
        if kind is bool:
            return {"True": True, "False": False}[text]
        value = kind(text)
        if kind is float and not math.isfinite(value):
            raise ValueError
    except (KeyError, ValueError):
        word = next(word for word, python_type in TYPES.items() if python_type is kind)
        raise MessageError(f"option {name}={text!r}: expected {word}") from None
    return value


# Positions.


def position_line(state: State) -> str:
    """Tells a state: where its history began, the moves since, and what an engine without rules wants to know."""
    moves, legal = " ".join(state.moves), " ".join(state.legal_moves())
    return f"position {state.start} moves {moves} now {state} legal {legal}"


def read_position(game: Game, words: str) -> State:
    """Returns the state of a position line.

    Args:
        game: the game.
        words: what follows ``position``.

    Raises:
        PositionError: the start is malformed.
        IllegalMoveError: a move is not legal.
    """
    start, *moves = re.split(r"\s*\b(?:moves|now|legal)\b\s*", words, maxsplit=1)
    listed = re.split(r"\b(?:now|legal)\b", moves[0], maxsplit=1)[0].split() if moves else []
    return replay(game, start, listed)


# Searches.


def go_line(limit: Limit | None, lines: int) -> str:
    """Asks for a move."""
    return " ".join(["go", *([str(limit)] if limit and str(limit) else []), *([f"lines={lines}"] if lines > 1 else [])])


def read_go(words: str) -> tuple[Limit | None, int]:
    """Returns the limit (None for the engine's own) and how many of the best moves are to be valued.

    Args:
        words: what follows ``go``.
    """
    limit, lines = None, 1
    for word in words.split():
        number = re.fullmatch(r"lines=([1-9][0-9]{0,3})", word)
        if number:
            lines = int(number[1])
        elif limit is None:
            limit = parse_limit(word)
        else:
            raise GameStringError(f"go {words!r}: expected one limit, such as seconds=0.05,depth=6")
    return limit, lines


def info_line(result: SearchResult) -> str:
    """Tells how far a search has come."""
    words = [f"{name} {getattr(result, name)}" for name in _COUNTS if getattr(result, name)]
    words.append(f"seconds {result.seconds:.6f}")
    if result.proven:
        words.append("proven True")
    for value, pv in result.lines or [(result.value, result.pv or (result.move,))]:
        words += ([] if value is None else [f"value {float(value)!r}"]) + [f"pv {' '.join(pv)}"]
    return f"info {' '.join(words)}"


def read_info(words: str) -> dict[str, Any]:
    """Returns fields of a `SearchResult`, by name, as far as an info line states them.

    Args:
        words: what follows ``info``.
    """
    said: dict[str, Any] = {}
    lines: list[tuple[float | None, tuple[str, ...]]] = []
    value: float | None = None
    rest = words.split()
    while rest and rest[0] != "string":
        name = rest.pop(0)
        if name == "pv":
            length = next((i for i, word in enumerate(rest) if word == "value"), len(rest))
            lines.append((value, tuple(rest[:length])))
            rest, value = rest[length:], None
            if not length:
                raise MessageError(f"info {words!r}: pv: expected moves")
            continue
        text = rest.pop(0) if rest else ""
        try:
            if name in _COUNTS:
                said[name] = int(text)
            elif name == "seconds":
                said[name] = float(text)
            elif name == "value":
                value = float(text)
            elif name == "proven":
                said[name] = {"True": True, "False": False}[text]
            else:
                expected = ", ".join([*_COUNTS, "seconds", "proven", "value", "pv", "string"])
                raise MessageError(f"info {words!r}: {name!r}: expected one of {expected}")
        except (KeyError, ValueError) as error:
            if isinstance(error, MessageError):
                raise
            raise MessageError(f"info {words!r}: {name} {text!r}: not a value of {name}") from None
    if lines:
        said["value"], said["pv"] = lines[0]
        said["lines"] = tuple(Line(value, pv) for value, pv in lines if value is not None)
    return said
