"""Puzzles as values, and the two forms in which files hold them. See docs/puzzles.md."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines.solver.goals import Goal, check_player, read_fields, read_goal, read_lines
from mancala_ai import MancalaError, State, load_game

COLLECTION = Path(__file__).with_name("collection.jsonl")
"""The puzzles that come with the project."""

Tree = Any
"""A solution: an object from moves to what follows; a list of moves that all do; or a text, at the end."""


class PuzzleError(MancalaError):
    """A puzzle is malformed, or not right."""


@dataclass(frozen=True)
class Puzzle:
    """A position with a task, of which exactly one first move is the solution.

    Attributes:
        game: game string.
        position: position string.
        goal: what the side to move is to reach.
        key: the move that solves it.
        solution: what follows, see `Tree`; None if that is not given.
        rating: how difficult it is, from about 1; None if not rated.
        facts: what the rating is made of (docs/puzzles.md), for people.
    """

    game: str
    position: str
    goal: Goal
    key: str
    solution: Tree = None
    rating: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> State:
        """The position."""
        return load_game(self.game).state(self.position)

    @property
    def grade(self) -> str:
        """The rating in a word; empty if there is none."""
        if self.rating is None:
            return ""
        return next((word for limit, word in GRADES if self.rating < limit), HARDEST)

    def to_json(self) -> str:
        """Returns the line of a JSON file."""
        outcome = 0 if self.goal.margin is None else 1
        data = {
            "game": self.game,
            "position": self.position,
            "stipulation": str(self.goal),
            "mover_outcome": outcome,
            "best": [self.key],
            **({} if self.rating is None else {"rating": self.rating, "grade": self.grade, **self.facts}),
            **({} if self.solution is None else {"solution": self.solution}),
        }
        return json.dumps(data, ensure_ascii=False)

    def to_text(self) -> str:
        """Returns the one-line text form."""
        return f"{self.game} | {self.position} | {self.goal} | {self.key}"


GRADES = ((4, "easy"), (7, "medium"), (10, "hard"))
HARDEST = "very hard"


def parse_puzzle(line: str, where: str = "puzzle") -> Puzzle:
    """Returns the puzzle of a line in either form.

    Args:
        line: JSON, or the text form.
        where: begins the message of an error.

    Raises:
        PuzzleError: the line is malformed, or game, position, player and move do not fit together.
    """
    try:
        puzzle = _puzzle_of(read_fields(line))
        state = puzzle.state
        if state.is_over:
            raise PuzzleError("the game is over: expected a position that can be played on")
        check_player(puzzle.goal, state)
        if puzzle.key not in state.legal_moves():
            raise PuzzleError(f"solution {puzzle.key!r}: expected a legal move: {', '.join(state.legal_moves())}")
    except MancalaError as error:
        raise PuzzleError(f"{where}: {error}") from None
    return puzzle


_FACTS = ("decisions", "plausible", "failed", "longest_relay")


def _puzzle_of(data: dict[str, Any]) -> Puzzle:
    try:
        game, position, stipulation, best = (data[name] for name in ("game", "position", "stipulation", "best"))
        texts = [game, position, stipulation, *best]
        if not all(isinstance(text, str) for text in texts) or len(best) != 1:
            raise TypeError
    except (KeyError, TypeError):
        raise PuzzleError(
            'expected a JSON object with texts "game", "position", "stipulation" and one in "best"'
        ) from None
    rating = data.get("rating")
    if rating is not None and (not isinstance(rating, int | float) or isinstance(rating, bool)):
        raise PuzzleError(f"rating {rating!r}: expected a number")
    facts = {name: data[name] for name in _FACTS if name in data}
    return Puzzle(game, position, read_goal(stipulation), best[0], data.get("solution"), rating, facts)


def read_puzzles(path: str | os.PathLike[str]) -> Iterator[Puzzle]:
    """Yields the puzzles of a file; empty lines and lines that begin with # do not count.

    Raises:
        MancalaError: a line is malformed; the message names it.
        OSError: the file cannot be read.
    """
    for where, line in read_lines(path):
        yield parse_puzzle(line, where)
