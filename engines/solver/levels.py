"""Which levels of the endgame databases the solver uses, and which it builds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engines.endgame.build import ensure_levels
from engines.endgame.index import level_size, seeds_on_board
from engines.endgame.probe import EndgameDatabase
from engines.endgame.store import directory_of, level_path
from mancala_ai.game import State

CHEAP = 8_000_000
"""Numbers of positions that are built without being asked: some seconds' work. Beyond that the search is quicker."""


def open_levels(
    state: State,
    base: Path | None = None,
    opened: EndgameDatabase | None = None,
    note: Callable[[str], None] | None = None,
) -> EndgameDatabase:
    """Returns the endgame database of a game, with all levels that are there and those that are cheap to build.

    Args:
        state: the position to be solved; levels with more seeds are not built.
        base: see `engines.endgame.store.directory_of`.
        opened: a database opened before, to be used again if it has the levels.
        note: called with a line for the user before levels are built.

    Raises:
        MancalaError: the game has no endgames, or a file is wrong.
        OSError: a file cannot be read or written.
    """
    rules, directory = state.game.rules, directory_of(state.game, base)
    missing, wanted = 0, 0
    for level in range(int(seeds_on_board(rules, state.position)) + 1):
        if not level_path(directory, level).exists():
            missing += level_size(rules, level)
        if missing > CHEAP:
            break
        wanted = level
    if opened is not None and wanted in opened.levels:
        return opened
    return ensure_levels(state.game, wanted, base, note)
