"""Games and engines by name, found through Python entry points so that any package can add one."""

from __future__ import annotations

import functools
import importlib.metadata
import re
from collections.abc import Mapping
from typing import Any

from mancala_ai.errors import GameStringError, suggest
from mancala_ai.game import Game
from mancala_ai.protocol import Engine
from mancala_ai.ruleset import GameType, OptionValue

GAMES, ENGINES = "mancala_ai.games", "mancala_ai.engines"


@functools.cache
def entry_points(group: str) -> Mapping[str, importlib.metadata.EntryPoint]:
    """Returns the installed entry points of a group by name, sorted."""
    return {entry.name: entry for entry in sorted(importlib.metadata.entry_points(group=group))}


def game_types() -> list[GameType]:
    """Returns all installed games, sorted by name."""
    return [entry.load() for entry in entry_points(GAMES).values()]


def load_game(text: str) -> Game:
    """Returns the game of a game string such as ``"giuthi(holes=6,seeds=4)"``.

    Raises:
        GameStringError: unknown game, option or value; the message lists what exists.
    """
    name, options = split_string(text)
    found = entry_points(GAMES)
    if name not in found:
        raise GameStringError(f"game {name!r}: {suggest(name, found)}")
    game_type: GameType = found[name].load()
    return Game(game_type.ruleset(options))


def engine_type(name: str) -> type[Engine]:
    """Returns the class of an installed engine.

    Raises:
        GameStringError: there is no such engine; the message lists what exists.
    """
    found = entry_points(ENGINES)
    if name not in found:
        raise GameStringError(f"engine {name!r}: {suggest(name, found)}")
    return found[name].load()  # type: ignore[no-any-return]


def load_engine(text: str) -> Engine:
    """Returns a new engine from an engine string such as ``"alphabeta(depth=4)"``.

    Raises:
        GameStringError: unknown engine or option, or a value that the engine refuses.
    """
    name, options = split_string(text)
    cls = engine_type(name)
    for option in options:
        if option not in cls.options:
            raise GameStringError(f"{name}: option {option!r}: {suggest(option, cls.options)}")
    for option, value in options.items():
        expected = type(cls.options[option].default)
        if type(value) is not expected and not (expected is float and type(value) is int):
            raise GameStringError(f"{name}: {option}={value}: expected {_KINDS[expected]}")
    return cls(**options)


_KINDS = {int: "a whole number", float: "a number", bool: "True or False", str: "a word"}


def split_string(text: str) -> tuple[str, dict[str, Any]]:
    """Takes ``name(option=value,...)`` apart; values become bool, int or float where they look like one.

    Raises:
        GameStringError: the string is not of that form.
    """
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text)
    if not match:
        raise GameStringError(f"{text!r}: expected a name with options, such as giuthi(holes=6,seeds=4)")
    options: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in (match[2] or "").split(","))):
        option, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not option.isidentifier() or not value:
            raise GameStringError(f"{text!r}: {part!r}: expected option=value")
        if option in options:
            raise GameStringError(f"{text!r}: option {option!r} is given twice: expected once")
        options[option] = _value(value)
    return match[1], options


def _value(text: str) -> OptionValue | float:
    if text in ("True", "False"):
        return text == "True"
    if re.fullmatch(r"[+-]?[0-9]+", text):
        return int(text)
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        return float(text)
    return text
