"""Game-playing AI research on five traditional mancala games.

    >>> import mancala_ai
    >>> state = mancala_ai.load_game("giuthi").initial_state()
    >>> state.legal_moves()[:3]
    ['a+', 'a-', 'b+']

Everything below is imported when it is first used, so that the command line starts at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mancala_ai.counting import divide, perft
    from mancala_ai.errors import (
        EngineError,
        GameStringError,
        IllegalMoveError,
        MancalaError,
        PositionError,
        RecordError,
    )
    from mancala_ai.game import Game, State
    from mancala_ai.protocol import Engine, EngineOption, Limit, Line, SearchResult
    from mancala_ai.records import GameRecord, read_records, write_records
    from mancala_ai.registry import load_engine, load_game

_HOMES = {
    "mancala_ai.errors": (
        *("EngineError", "GameStringError", "IllegalMoveError", "MancalaError", "PositionError", "RecordError"),
    ),
    "mancala_ai.game": ("Game", "State"),
    "mancala_ai.counting": ("divide", "perft"),
    "mancala_ai.protocol": ("Engine", "EngineOption", "Limit", "Line", "SearchResult"),
    "mancala_ai.records": ("GameRecord", "read_records", "write_records"),
    "mancala_ai.registry": ("load_engine", "load_game"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__version__ = "0.1.0"
__all__ = [
    "Engine",
    "EngineError",
    "EngineOption",
    "Game",
    "GameRecord",
    "GameStringError",
    "IllegalMoveError",
    "Limit",
    "Line",
    "MancalaError",
    "PositionError",
    "RecordError",
    "SearchResult",
    "State",
    "divide",
    "load_engine",
    "load_game",
    "perft",
    "read_records",
    "write_records",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
