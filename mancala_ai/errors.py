"""Errors of the toolkit: all are ValueErrors whose one-line message names the bad input and what was expected."""

from __future__ import annotations

import contextlib
import difflib
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path


class MancalaError(ValueError):
    """Base of all errors that a wrong input raises."""


class GameStringError(MancalaError):
    """A game or engine string names something unknown, or gives an option a value that it cannot have."""


class PositionError(MancalaError):
    """A position string is malformed or impossible."""


class IllegalMoveError(MancalaError):
    """A move is not legal in the position."""


class RecordError(MancalaError):
    """A game record is corrupt or does not replay."""


class EngineError(MancalaError):
    """A program that plays as an engine has died, is silent, or does not keep to the protocol."""


def one_line(error: BaseException) -> str:
    """Returns type and message of an error that is not ours, in one line that can be written anywhere."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:
        text = type(error).__name__
    return " ".join(text.split()).encode("utf-8", "backslashreplace").decode("utf-8")


def one_line_with_place(error: BaseException) -> str:
    """Returns the same with the file and line where it was raised, for whoever has to mend the code there."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    if not frames or isinstance(error, MancalaError | SyntaxError):  # ours; it says so itself
        return one_line(error)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
    return f"{one_line(error)} ({place.encode('utf-8', 'backslashreplace').decode('utf-8')})"


@contextlib.contextmanager
def blamed_on(engine: str) -> Iterator[None]:
    """Turns what an engine that is not installed raises within into one line; an installed one is to be mended.

    Args:
        engine: engine string.

    Raises:
        EngineError: with what was raised.
    """
    try:
        yield
    except MancalaError:
        raise
    except Exception as error:
        if ".py:" not in engine:
            raise
        raise EngineError(f"engine {engine!r}: {one_line_with_place(error)}") from error


def suggest(name: str, known: Iterable[str]) -> str:
    """Returns the end of an error message: the nearest known name, if there is one, and all that exist."""
    names = [str(entry) for entry in known]
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{hint}known: {', '.join(names) if names else 'none'}"
