"""Which levels of the endgame databases the solver uses, and which it builds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engines.endgame.build import ensure_levels
from engines.endgame.index import level_size
from engines.endgame.probe import EndgameDatabase
from engines.endgame.store import directory_of, level_path
from mancala_ai.game import Game
from mancala_ai.registry import game_types

CHEAP = 8_000_000
"""Numbers of positions that are built without being asked: some seconds' work. Beyond that the search is quicker."""


def default_game() -> str:
    """Returns the name of the first game that has endgame databases."""
    return next(kind.name for kind in game_types() if kind.ruleset({}).endgame_board() is not None)


def open_levels(
    game: Game, seeds: int, base: Path | None = None, note: Callable[[str], None] | None = None
) -> EndgameDatabase:
    """Returns the endgame database of a game, with all levels that are there and those that are cheap to build.

    Args:
        game: the game.
        seeds: levels with more are not built.
        base: see `engines.endgame.store.directory_of`.
        note: called with a line for the user before levels are built.

    Raises:
        MancalaError: the game has no endgames, or a file is wrong.
        OSError: a file cannot be read or written.
    """
    directory = directory_of(game, base)
    missing, wanted = 0, 0
    for level in range(seeds + 1):
        if not level_path(directory, level).exists():
            missing += level_size(game.rules, level)
        if missing > CHEAP:
            break
        wanted = level
    return ensure_levels(game, wanted, base, note)
