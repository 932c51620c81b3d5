"""What engines make of endgame databases: at the root of a search they play by them, below it they probe them."""

from __future__ import annotations

import functools
import hashlib
import time
from pathlib import Path

import numpy as np

from engines.endgame.index import check_supported
from engines.endgame.memory import NO_LOWER, NO_UPPER
from engines.endgame.probe import EndgameDatabase, MoveBounds, probe_bounds
from mancala_ai import EngineOption, Game, Line, MancalaError, SearchResult, State
from mancala_ai.kernels import inline, material, side_to_move

OPTION = EngineOption("off", "endgame databases: off, auto (those in the usual folder), or a folder")
UNKNOWN_OUTCOME = 2
_LONGEST_PV = 60
_0 = np.uint64(0)


@inline
def probe_outcome(rules, position, database):
    """Returns what a position is worth for the side to move, if it is the first of its seed count on the line.

    Args:
        rules: a ruleset.
        position: words of a position that is not over.
        database: see `engines.endgame.probe.probe_bounds`.

    Returns:
        The outcome (1, 0, -1, or UNKNOWN_OUTCOME) and the final margin that can be forced, 0 for a draw; ``int64``.
    """
    lower, upper = probe_bounds(rules, position, database)
    ahead = material(rules, position)
    if side_to_move(position) != _0:
        ahead = -ahead
    if lower > upper:
        return UNKNOWN_OUTCOME, ahead
    if lower != NO_LOWER and ahead + lower > 0:
        return 1, ahead + lower
    if upper != NO_UPPER and ahead + upper < 0:
        return -1, ahead + upper
    return 0, ahead - ahead


def open_database(choice: str, game: Game) -> EndgameDatabase | None:
    """Returns the database that an engine's option chooses for a game; None for none.

    Raises:
        MancalaError: the folder does not exist, or a file in it is wrong.
    """
    return None if choice == "off" else opened_database(choice, game)  # a search asks: off should cost it nothing


@functools.cache
def opened_database(choice: str, game: Game) -> EndgameDatabase | None:
    """Returns the same for a choice that is not ``off``; each database is opened once."""
    folder = None if choice == "auto" else Path(choice)
    if folder is not None and not folder.is_dir():
        raise MancalaError(f"endgame={choice}: no such folder: expected off, auto, or a folder of endgame databases")
    try:
        check_supported(game)
    except MancalaError:  # the game has no endgames
        return None
    database = EndgameDatabase.open(game, folder)
    return database if database.levels else None


def fingerprint(choice: str, game: Game) -> str | None:
    """Returns what identifies the database that an engine's option chooses for a game; None for none."""
    database = open_database(choice, game)
    if database is None:
        return None
    checksums = ",".join(f"{level.header.checksum:08x}" for level in database.levels.values())
    digest = hashlib.blake2b(checksums.encode(), digest_size=8).hexdigest()
    return f"up to {max(database.levels)} seeds, {digest}"


def root_result(database: EndgameDatabase | None, state: State, lines: int) -> SearchResult | None:
    """Returns what the database says of a state; None if it says nothing, or cannot be relied on.

    It can if no earlier position has as many seeds, or if the side to move has kept to the database since: then every
    move of a win has come closer to its end, so that nothing that was on the board can come back.
    """
    start = time.perf_counter()
    if database is None or state.is_over or database.bounds(state) is None or not _has_followed(database, state):
        return None
    moves = database.moves(state)[: max(lines, 1)]
    said = tuple(Line(_value(state, entry), _pv(database, state, entry.move)) for entry in moves)
    proven = database.is_exact(state)
    seconds = time.perf_counter() - start
    return SearchResult(
        said[0].pv[0], value=said[0].value, pv=said[0].pv, seconds=seconds, proven=proven, lines=said, nodes=1
    )


def _has_followed(database: EndgameDatabase, state: State) -> bool:
    at = state
    for _ in range(len(state.recent_history) - 1):
        before = at.parent
        assert before is not None
        if before.to_move == state.to_move and database.best_move(before) != at.last_move:
            return False
        at = before
    return True


def _value(state: State, entry: MoveBounds) -> float:
    """Returns a move's value as alpha-beta gives it: ±(1000 + final margin) for a game that is decided."""
    south, north = state.captured or (0, 0)
    ahead = south - north if state.to_move == 0 else north - south
    if entry.outcome == 0:
        return 0.0
    margin = entry.lower if entry.outcome > 0 else entry.upper
    assert margin is not None
    return float(ahead + margin + 1000 * entry.outcome)


def _pv(database: EndgameDatabase, state: State, move: str) -> tuple[str, ...]:
    pv = [move]
    state = state.play(move)
    while not state.is_over and len(pv) < _LONGEST_PV:
        pv.append(database.best_move(state))
        state = state.play(pv[-1])
    return tuple(pv)
