"""Games and engines by name, found through Python entry points so that any package can add one."""

from __future__ import annotations

import math
import re
from typing import Any

from mancala_ai import plugins
from mancala_ai.errors import GameStringError, suggest
from mancala_ai.game import Game
from mancala_ai.plugins import entry_points
from mancala_ai.protocol import Engine
from mancala_ai.ruleset import GameType, OptionValue

GAMES, ENGINES = "mancala_ai.games", "mancala_ai.engines"


def game_types() -> list[GameType]:
    """Returns all installed games, sorted by name."""
    return [plugins.load(entry) for entry in entry_points(GAMES).values()]


def load_game(text: str) -> Game:
    """Returns the game of a game string such as ``"giuthi(holes=6,seeds=4)"``.

    Raises:
        GameStringError: unknown game, option or value; the message lists what exists.
    """
    name, options = split_string(text, "such as giuthi(holes=6,seeds=4)")
    found = entry_points(GAMES)
    if name not in found:
        raise GameStringError(f"game {name!r}: {suggest(name, found)}")
    game_type: GameType = plugins.load(found[name])
    return Game(game_type.ruleset(options))


def engine_type(name: str) -> type[Engine]:
    """Returns the class of an installed engine.

    Raises:
        GameStringError: there is no such engine; the message lists what exists.
    """
    found = entry_points(ENGINES)
    if name not in found:
        raise GameStringError(f"engine {name!r}: {suggest(name, found)}")
    return plugins.load(found[name])  # type: ignore[no-any-return]


def load_engine(text: str) -> Engine:
    """Returns a new engine from an engine string such as ``"alphabeta(depth=4)"``.

    Raises:
        GameStringError: unknown engine or option, or a value that the engine refuses.
    """
    name, options = split_string(text, "such as random(rng_seed=1)")
    cls = engine_type(name)
    for option in options:
        if option not in cls.options:
            raise GameStringError(f"{name}: option {option!r}: {suggest(option, cls.options)}")
    for option, value in options.items():
        expected = type(cls.options[option].default)
        if type(value) is not expected and not (expected is float and type(value) is int):
            raise GameStringError(f"{name}: {option}={value!r}: expected {_KINDS[expected]}")
    return cls(**options)


_KINDS = {int: "a whole number", float: "a number", bool: "True or False", str: "a word"}


def split_string(text: str, example: str) -> tuple[str, dict[str, Any]]:
    """Takes ``name(option=value,...)`` apart; values become bool, int or float where they look like one.

    Args:
        text: the string; blanks around names, values and separators are ignored.
        example: how the error message ends.

    Raises:
        GameStringError: the string is not of that form.
    """
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text)
    if not match:
        raise GameStringError(f"{text!r}: expected a name with options, {example}")
    options: dict[str, Any] = {}
    listed = (match[2] or "").strip()
    for part in (part.strip() for part in listed.split(",") if listed):
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
    if re.fullmatch(r"[+-]?[0-9]{1,1000}", text):  # Python converts no more than 4,300 digits
        return int(text)
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text
