"""Installed parts, found through Python entry points: games, engines, commands."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mancala_ai
from mancala_ai.errors import MancalaError


@functools.cache
def entry_points(group: str) -> Mapping[str, importlib.metadata.EntryPoint]:
    """Returns the installed entry points of a group by name, sorted."""
    return {entry.name: entry for entry in sorted(importlib.metadata.entry_points(group=group))}


def load(entry: importlib.metadata.EntryPoint) -> Any:
    """Imports what an entry point names.

    Raises:
        MancalaError: it cannot be imported, or another module of the same name hides it; the message says which.
    """
    problem = _shadow(entry)
    if problem is None:
        try:
            return entry.load()
        except (ImportError, AttributeError) as error:
            raise MancalaError(f"{entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
    raise MancalaError(f"{entry.name!r} ({entry.value}) {problem}")


def _shadow(entry: importlib.metadata.EntryPoint) -> str | None:
    """Says what hides a package of our own distribution, whose packages lie side by side; None if nothing does."""
    package = entry.module.partition(".")[0]
    if entry.dist is None or entry.dist.name != "mancala-ai":
        return None
    spec = importlib.util.find_spec(package)
    if spec is None:
        return f"cannot be loaded: no module named {package!r}"
    found = Path(next(iter(spec.submodule_search_locations or [spec.origin or ""])))
    home = Path(mancala_ai.__file__).parents[1]
    if found.resolve().parent == home.resolve():
        return None
    return f"is hidden by {found}: expected {home / package}; rename the former, or leave it out of Python's path"
