"""Players of a tournament: an engine, and how long it may think about a move."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from mancala_ai import Engine, Limit, MancalaError, load_engine
from mancala_ai.protocol import parse_limit


class Player(NamedTuple):
    """An engine string, and a limit of its own instead of the tournament's (None: the tournament's)."""

    engine: str
    limit: Limit | None = None

    def load(self) -> Engine:
        """Returns a new engine."""
        return load_engine(self.engine)


@functools.cache
def parse_player(text: str) -> Player:
    """Returns the player of a string such as ``"alphabeta"`` or ``"mcts(threads=2)@seconds=0.05"``.

    Raises:
        MancalaError: the limit is not one; the engine is not looked at.
    """
    match = re.fullmatch(r"(.+?)(?:@([^@()\"'/]*))?", text.strip(), re.DOTALL)
    if match is None or match[2] == "":
        raise MancalaError(f"engine {text!r}: expected an engine string, or one with a limit: greedy@seconds=0.05")
    return Player(match[1].strip(), None if match[2] is None else parse_limit(match[2]))
