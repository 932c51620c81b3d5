"""Games and engines by name, found through Python entry points so that any package can add one."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import inspect
import math
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from mancala_ai import plugins
from mancala_ai.errors import GameStringError, MancalaError, one_line_with_place, suggest
from mancala_ai.game import Game
from mancala_ai.plugins import entry_points
from mancala_ai.protocol import Engine, EngineOption
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
    """Returns the class of an installed engine, or of one in a file, such as ``"path/to/file.py:ClassName"``.

    Raises:
        GameStringError: there is no such engine, or it cannot be imported.
    """
    file, _, class_name = name.rpartition(":")
    if file:
        return _engine_in_file(file, class_name, f"engine {name!r}")
    found = entry_points(ENGINES)
    if name not in found:
        raise GameStringError(f"engine {name!r}: {suggest(name, found)}")
    return plugins.load(found[name])  # type: ignore[no-any-return]


def load_engine(text: str) -> Engine:
    """Returns a new engine from an engine string such as ``"alphabeta(depth=4)"``.

    A class that no package brings is named by its file: ``"path/to/file.py:ClassName(option=3)"``.

    Raises:
        GameStringError: unknown engine or option, or a value that the engine refuses.
    """
    name, cls, options = parse_engine(text)
    try:
        return cls(**options)
    except MancalaError:
        raise
    except Exception as error:
        if ":" not in name:  # an engine that is installed is a program to be mended, one in a file is an input
            raise
        raise GameStringError(f"engine {name!r}: cannot be made: {one_line_with_place(error)}") from error


def canonical_engine_string(text: str) -> str:
    """Returns the engine string with every option written out, by name, and the file's full path if it has one.

    Two engine strings mean the same engine exactly if these are equal.

    Raises:
        GameStringError: unknown engine or option, or a value of the wrong type.
    """
    name, cls, options = parse_engine(text)
    file, _, class_name = name.rpartition(":")
    if file:
        name = f"{Path(file).resolve()}:{class_name}"
    values = {option: info.default for option, info in cls.options.items()} | options
    return f"{name}({','.join(f'{option}={write_value(value)}' for option, value in sorted(values.items()))})"


def parse_engine(text: str) -> tuple[str, type[Engine], dict[str, Any]]:
    """Returns name, class and chosen options of an engine string.

    Raises:
        GameStringError: unknown engine or option, or a value of the wrong type.
    """
    name, options = split_string(text, "such as random(rng_seed=1)")
    cls = engine_type(name)
    return name, cls, {option: check_option(name, cls.options, option, value) for option, value in options.items()}


_KINDS = {int: "a whole number", float: "a number", bool: "True or False", str: "a word"}


def check_option(owner: str, known: Mapping[str, EngineOption], option: str, value: Any) -> Any:
    """Returns the value of an option as the type that its default has.

    Args:
        owner: whose option it is; begins the error message.
        known: the owner's options.
        option: name.
        value: what `split_string` made of it.

    Raises:
        GameStringError: an unknown option, or a value of another type.
    """
    if option not in known:
        raise GameStringError(f"{owner}: option {option!r}: {suggest(option, known)}")
    expected = type(known[option].default)
    if expected is float and type(value) is int:
        return float(value)
    if type(value) is not expected:
        raise GameStringError(f"{owner}: {option}={value!r}: expected {_KINDS[expected]}")
    return value


# Engines in files.


def _engine_in_file(file: str, class_name: str, where: str) -> type[Engine]:
    if not os.path.isfile(file):
        raise GameStringError(f"{where}: no file {file!r}: expected FILE.py:CLASS")
    try:
        members = vars(_import_file(Path(file).resolve()))
    except (Exception, SystemExit) as error:
        raise GameStringError(f"{where}: cannot be imported: {one_line_with_place(error)}") from error
    if class_name not in members:
        raise GameStringError(f"{where}: no class {class_name!r}: {suggest(class_name, _engine_names(members))}")
    if class_name not in _engine_names(members):
        raise GameStringError(f"{where}: not an engine: expected a class with a method search(self, state, limit)")
    return _with_protocol(members[class_name])


@functools.cache
def _import_file(path: Path) -> ModuleType:
    # Compiled kernels are cached by the name of their module, so that it must change whenever the file does.
    content = hashlib.blake2b(str(path).encode(errors="surrogateescape") + b"\0" + path.read_bytes(), digest_size=8)
    name = f"engine_file_{content.hexdigest()}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look there
    try:
        with contextlib.redirect_stdout(sys.stderr):  # our output is not the place for what it prints
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _engine_names(members: Mapping[str, Any]) -> list[str]:
    # Classes with a method `search` of their own.
    return [
        name
        for name, member in members.items()
        if isinstance(member, type) and getattr(member, "search", Engine.search) is not Engine.search
    ]


@functools.cache
def _with_protocol(cls: type) -> type[Engine]:
    """Returns an engine class with all that is needed.

    One that does not derive from `Engine` gets what it lacks from there; one that does not describe its ``options``
    gets those that its constructor has defaults for.
    """
    described = {"__doc__": cls.__doc__, "__module__": cls.__module__}
    own = getattr(cls, "options", None) or {
        name: EngineOption(parameter.default, "")
        for name, parameter in inspect.signature(cls).parameters.items()
        if type(parameter.default) in _KINDS
    }
    if issubclass(cls, Engine) and own == cls.options:
        return cls
    bases = (cls,) if issubclass(cls, Engine) else (cls, Engine)
    return type(cls.__name__, bases, {**described, "options": own})


# The form of game and engine strings.

# A path may hold anything but "=", which only options have.
_STRING = re.compile(r"\s*((?:[^=\n]+?\.py:)?\w+)\s*(?:\((.*)\))?\s*")
_QUOTED = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_PART = re.compile(rf"([^,=]*=\s*{_QUOTED}[^,]*|[^,]*)(?:,|$)", re.DOTALL)


def split_string(text: str, example: str) -> tuple[str, dict[str, Any]]:
    """Takes ``name(option=value,...)`` apart; see `split_options` for the values.

    Args:
        text: the string; blanks around names, values and separators are ignored.
        example: how the error message ends.

    Returns:
        The name, with the file before it (``file.py:name``) if there is one, and the options.

    Raises:
        GameStringError: the string is not of that form.
    """
    match = _STRING.fullmatch(text)
    if not match and text.strip().endswith(".py"):
        raise GameStringError(f"{text!r}: expected a class, too: FILE.py:CLASS")
    if not match:
        raise GameStringError(f"{text!r}: expected a name with options, {example}")
    return match[1], split_options(match[2] or "", text)


def split_options(listed: str, text: str) -> dict[str, Any]:
    """Takes ``option=value,...`` apart.

    Values become bool, int or float where they look like one. A value in double or single quotes is text, whatever is
    in it; a backslash before a quote or a backslash stands for the latter.

    Args:
        listed: the options; may be empty.
        text: what they were found in; begins the error message.

    Raises:
        GameStringError: the options are not of that form.
    """
    options: dict[str, Any] = {}
    for part in _parts(listed.strip()):
        option, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not option.isidentifier() or not value:
            raise GameStringError(f"{text!r}: {part!r}: expected option=value")
        if option in options:
            raise GameStringError(f"{text!r}: option {option!r} is given twice: expected once")
        if value[0] in "\"'":
            if not re.fullmatch(_QUOTED, value, re.DOTALL):
                raise GameStringError(f"{text!r}: {part!r}: expected the value to end with the quote it begins with")
            options[option] = re.sub(r"\\([\\\"'])", r"\1", value[1:-1])
        else:
            options[option] = _value(value)
    return options


def _parts(listed: str) -> Iterator[str]:
    """Yields what stands between commas, of which those in quoted values are none."""
    start, comma = 0, bool(listed)
    while comma:
        match = _PART.match(listed, start)
        assert match is not None
        yield match[1].strip()
        start, comma = match.end(), match[0].endswith(",")


def write_value(value: OptionValue | float) -> str:
    """Writes a value so that `split_options` reads it again, in quotes if need be."""
    if not isinstance(value, str):
        return str(value)
    if re.fullmatch(r"\w[\w.+-]*", value) and _value(value) == value:
        return value
    return '"' + re.sub(r'([\\"])', r"\\\1", value) + '"'


def _value(text: str) -> OptionValue | float:
    if text in ("True", "False"):
        return text == "True"
    if re.fullmatch(r"[+-]?[0-9]{1,1000}", text):  # Python converts no more than 4,300 digits
        return int(text)
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text
