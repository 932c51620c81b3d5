"""Probing endgame databases: from kernels, and from Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engines.endgame.index import (
    BOUNDS,
    LEVELS,
    MAX_SEEDS,
    Words,
    check_supported,
    index_of,
    is_covered,
    new_database,
    seeds_on_board,
)
from engines.endgame.memory import NO_LOWER, NO_UPPER, attach_level, stored_bounds
from engines.endgame.retrograde import bounds_of_mover
from engines.endgame.store import Level, directory_of, level_path, levels_in, read_level
from mancala_ai.errors import MancalaError
from mancala_ai.game import Game, State
from mancala_ai.kernels import (
    ENDLESS,
    NO_MOVE,
    SPLIT,
    end_margin,
    is_over,
    kernel,
    load,
    material,
    next_move,
    play,
    side_to_move,
)

UNKNOWN = (np.int64(1), np.int64(0))
"""What `probe_bounds` answers for a position that is not in the database: no bounds have lower > upper."""

_0, _1 = np.uint64(0), np.uint64(1)
_EXIT, _INFINITE = -1, -2  # instead of the number of the position after a move


@kernel
def probe_bounds(rules, position, database):
    """Returns both bounds of a position: margins to come, for the side to move, ``int64`` each.

    They hold if no position with as many seeds has occurred before.

    Args:
        rules: any ruleset; what has no endgames is unknown.
        position: words of a position.
        database: made by `EndgameDatabase` for the ruleset, or `index.empty_database`.

    Returns:
        Lower and upper bound; NO_LOWER and NO_UPPER stand for infinity; UNKNOWN if the position is not in the database.
    """
    if database[LEVELS] != _0 and is_covered(rules, position, database):
        seeds = seeds_on_board(rules, position)
        if seeds < database[LEVELS] and database[BOUNDS + seeds] != _0:
            _, number = index_of(rules, position, side_to_move(position), database)
            return stored_bounds(database, seeds, number)
    return UNKNOWN


@kernel
def _move_bounds(rules, words, database, found):
    # Fills a row of `found` (int64, shape (moves, 5)) for each legal move, and returns how many there are: move, both
    # bounds for the player who makes it, number of the position after it (or _EXIT, _INFINITE), 1 for moving again.
    position = load(rules, words)
    seeds = seeds_on_board(rules, position)
    side = side_to_move(position)
    before = material(rules, position)
    count = 0
    move = next_move(rules, position, _0)
    while move != NO_MOVE:
        after = play(rules, position, move)
        row = found[count]
        row[0], row[3], row[4] = move, _EXIT, 0
        if is_over(after):
            if (after[-1] & ENDLESS) != _0:
                row[1], row[2], row[3] = NO_LOWER, NO_UPPER, _INFINITE
            else:
                margin = end_margin(rules, after) - before
                row[1] = row[2] = margin if side == _0 else -margin
        else:
            again = side_to_move(after) == side
            seeds_after, number = index_of(rules, after, side_to_move(after), database)
            lower, upper = stored_bounds(database, seeds_after, number)
            gained = material(rules, after) - before
            row[1], row[2] = bounds_of_mover(lower, upper, gained if side == _0 else -gained, again)
            if seeds_after == seeds:
                row[3], row[4] = number, again
        count += 1
        move = next_move(rules, position, move + _1)
    return count


@kernel
def _bounds(rules, words, database, found):
    # Fills `found` (int64, shape (2,)) with the answer of `probe_bounds`.
    found[0], found[1] = probe_bounds(rules, load(rules, words), database)


@kernel
def probe_all(rules, positions, database, found):
    """Fills ``found`` (``int64``, shape ``(n, 2)``) with the bounds of positions (``uint64``, shape ``(n, words)``)."""
    for i in range(len(positions)):
        found[i, 0], found[i, 1] = probe_bounds(rules, load(rules, positions[i]), database)


class Bounds(NamedTuple):
    """Margins to come that the side to move can force; None is infinite play (minus infinity below, plus above)."""

    lower: int | None
    upper: int | None


class MoveBounds(NamedTuple):
    """A legal move and what it leads to, for the player who makes it.

    Attributes:
        move: move string.
        lower: margin to come, what the move captures included, if infinite play is worth minus infinity; None for that.
        upper: the same if it is worth plus infinity.
        outcome: 1 win, 0 draw, -1 loss, with what both have captured so far.
        distance: moves until there are fewer seeds on the board or the game is over, if both keep to ``lower``, counted
            from after this one; 0 also if ``lower`` takes no forcing.
    """

    move: str
    lower: int | None
    upper: int | None
    outcome: int
    distance: int


class EndgameDatabase:
    """The levels of one game that are there, open for probing.

    Attributes:
        game: the game.
        levels: the levels by their seed counts, from 0 on without gaps.
        array: what kernels take (`probe_bounds`): ``uint64``; valid as long as this object lives.

    Raises:
        MancalaError: the game has no endgames, or a level is missing below another.
    """

    def __init__(self, game: Game, levels: Mapping[int, Level]) -> None:
        check_supported(game)
        if list(levels) != list(range(len(levels))):
            raise MancalaError(f"{game}: endgame levels {list(levels)}: expected all from 0 on")
        self.game, self.levels = game, dict(levels)
        self.array: Words = new_database(game.rules)
        for seeds, level in self.levels.items():
            attach_level(self.array, seeds, level.bounds)

    @classmethod
    def open(cls, game: Game, base: Path | None = None, seeds: int = MAX_SEEDS, check: bool = False) -> EndgameDatabase:
        """Opens all levels that have a file, from 0 up to the first that has none.

        Args:
            game: the game.
            base: see `engines.endgame.store.directory_of`.
            seeds: leave out levels with more.
            check: also compare checksums, which reads all files.

        Raises:
            MancalaError: the game has no endgames, or a file is wrong.
        """
        check_supported(game)
        directory = directory_of(game, base)
        levels: dict[int, Level] = {}
        for found in levels_in(directory):
            if found == len(levels) and found <= seeds:
                levels[found] = read_level(level_path(directory, found), game, found, check)
        return cls(game, levels)

    def bounds(self, state: State) -> Bounds | None:
        """Returns both bounds of a position, None if it is not in the database.

        They hold for the game if `is_exact` says so.

        Raises:
            MancalaError: the state is of a game with other endgames.
        """
        if state.game.rules.endgame_string != self.game.rules.endgame_string:
            expected = f"expected one of {self.game.rules.endgame_string}"
            raise MancalaError(f"position {str(state)!r} of {state.game}: {expected}")
        found = np.empty(2, dtype=np.int64)
        _bounds(self.game.rules, state.words, self.array, found)
        if (found[0], found[1]) == UNKNOWN:
            return None
        return _bounds_of(found[0], found[1])

    def outcome(self, state: State) -> int | None:
        """Returns 1 if the side to move wins, 0 for a draw, -1 if it loses; None if the position is not known."""
        found = self.bounds(state)
        return None if found is None else outcome(_difference(state), found)

    @staticmethod
    def is_exact(state: State) -> bool:
        """Tells whether what the database says holds in spite of the game's history.

        It does if the position is the first with its seed count: no other one of the history can recur.
        """
        return len(state.recent_history) == 1

    def moves(self, state: State) -> list[MoveBounds]:
        """Returns what every legal move leads to, the best first.

        The first is the one to play: who starts in a position for which `is_exact` holds and always plays it gets what
        the database promises. A move that repeats a position of the history counts as the infinite play that it is.

        Args:
            state: a state in the database that is not over.

        Raises:
            MancalaError: the state is over, not in the database, or of a game with other endgames.
        """
        if state.is_over or self.bounds(state) is None:
            expected = "expected a state that is not over" if state.is_over else f"expected {self._described()}"
            raise MancalaError(f"position {str(state)!r}: not in the endgame database: {expected}")
        rules = self.game.rules
        found = np.empty((rules.moves, 5), dtype=np.int64)
        count = _move_bounds(rules, state.words, self.array, found)
        split = rules.infinite == SPLIT
        difference = _difference(state)
        distances = self.levels[int(seeds_on_board(rules, state.position))].distances
        ordered = []
        for move, low, high, number, again in found[:count].tolist():
            if len(state.recent_history) > 1 and number >= 0 and state.play_number(move).is_over:
                number = _INFINITE
            values = _bounds_of(low, high)
            if number == _INFINITE:
                values = Bounds(0, 0) if split else Bounds(None, None)
            forces = values.lower is not None and (values.lower > 0 or not split)
            distance = int(distances[number, 0 if again else 1]) if forces and number >= 0 else 0
            entry = MoveBounds(rules.move_name(move), *values, outcome(difference, values), distance)
            ordered.append((_worth(entry, split), entry))
        ordered.sort(key=lambda pair: pair[0], reverse=True)
        return [entry for _, entry in ordered]

    def best_move(self, state: State) -> str:
        """Returns the first of `moves`."""
        return self.moves(state)[0].move

    def _described(self) -> str:
        most = max(self.levels, default=None)
        return "levels that are built (there are none)" if most is None else f"at most {most} seeds, and no marks"


def outcome(difference: int, bounds: Bounds) -> int:
    """Returns 1 for a win of the side to move, 0 for a draw, -1 for a loss.

    Args:
        difference: what the side to move has captured more than the other.
        bounds: of the position.
    """
    if bounds.lower is not None and difference + bounds.lower > 0:
        return 1
    if bounds.upper is not None and difference + bounds.upper < 0:
        return -1
    return 0


def _worth(entry: MoveBounds, split: bool) -> tuple[float, ...]:
    # To be compared among the moves of a position. Forcing takes progress: among equals the smallest distance.
    lower = -math.inf if entry.lower is None else entry.lower
    upper = math.inf if entry.upper is None else entry.upper
    if entry.outcome > 0 or split:
        return (entry.outcome, lower, -entry.distance)
    return (entry.outcome, upper, lower, -entry.distance)


def _bounds_of(lower: int, upper: int) -> Bounds:
    return Bounds(None if lower == NO_LOWER else int(lower), None if upper == NO_UPPER else int(upper))


def _difference(state: State) -> int:
    south, north = state.captured or (0, 0)
    return south - north if state.to_move == 0 else north - south
