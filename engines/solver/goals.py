"""What is to be reached from a position: stipulations, files that hold them, and which moves reach a margin.

The files are described in docs/puzzles.md.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from engines.control import run_stoppable
from engines.endgame.probe import EndgameDatabase
from engines.solver.graph import bytes_per_node
from engines.solver.proof import Proof
from engines.solver.solve import MEMORY_MB, check_solvable
from mancala_ai.diagram import PLAYERS
from mancala_ai.errors import MancalaError
from mancala_ai.game import State
from mancala_ai.kernels import DRAW

FORM = "'South to move and win', '... and draw' or '... and win by 5'"
TEXT_FIELDS = ("game", "position", "stipulation", "solution")
_FIRST_BUDGET = 20_000  # expansions
_LONGEST_LINE = 5_000  # moves


class Goal(NamedTuple):
    """What the side to move is to reach.

    Attributes:
        player: 0 South, 1 North.
        margin: the final margin that the player wants at least; None for a draw, or better.
    """

    player: int
    margin: int | None

    @property
    def aim(self) -> str:
        """The goal without the player, such as "win by 5"."""
        return "draw" if self.margin is None else "win" if self.margin == 1 else f"win by {self.margin}"

    def __str__(self) -> str:
        return f"{PLAYERS[self.player]} to move and {self.aim}"

    def is_reached(self, end: State) -> bool:
        """Tells whether a state that is over is as wanted. Infinite play is never a win."""
        assert end.margin is not None
        margin = end.margin if self.player == 0 else -end.margin
        return margin >= (0 if self.margin is None else self.margin)


def read_goal(text: str) -> Goal:
    """Returns the goal of a stipulation such as "South to move and win by 5".

    Raises:
        MancalaError: it is none.
    """
    found = re.fullmatch(r"(South|North) to move and (draw|win)(?: by ([1-9]\d{0,2}))?", text)
    if not found or (found[2] == "draw" and found[3]):
        raise MancalaError(f"stipulation {text!r}: expected {FORM}")
    margin = None if found[2] == "draw" else int(found[3] or 1)
    return Goal(PLAYERS.index(found[1]), margin)


def check_player(goal: Goal, state: State) -> None:
    """Raises MancalaError for a goal that is not one of the side to move."""
    if goal.player != state.to_move:
        raise MancalaError(f"stipulation {str(goal)!r}: expected {PLAYERS[state.to_move]} to move")


def read_fields(line: str) -> dict[str, Any]:
    """Returns the fields of a line in either form: JSON, or ``game | position | stipulation | solution``.

    Of the text form they are named as in JSON: the first move of the solution is the one in ``best``.

    Raises:
        MancalaError: the line has neither form. What is in the fields of JSON is not looked at.
    """
    if line.lstrip().startswith("{"):
        try:
            data: dict[str, Any] = json.loads(line)
        except ValueError:
            raise MancalaError("not JSON: expected a JSON object") from None
        return data
    parts = [part.strip() for part in line.split("|")]
    if len(parts) != len(TEXT_FIELDS):
        count = "1 part" if len(parts) == 1 else f"{len(parts)} parts"
        raise MancalaError(f"{count}: expected {' | '.join(TEXT_FIELDS)}, or a JSON object")
    game, position, stipulation, solution = parts
    return {"game": game, "position": position, "stipulation": stipulation, "best": (solution.split() or [""])[:1]}


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Yields the lines of a file that count, each with its place; empty ones, and those that begin with #, do not.

    Raises:
        MancalaError: a line is not UTF-8; the message names it.
        OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            where = f"{os.fspath(path)} line {number}"
            try:
                text = line.decode().strip()
            except UnicodeDecodeError:
                raise MancalaError(f"{where}: expected UTF-8") from None
            if text and not text.startswith("#"):
                yield where, text


@dataclass
class Reach:
    """Which moves of a position reach a margin.

    Attributes:
        moves: whether they do; None where that is not proved.
        pv: moves of both sides that lead to the end of the game, with such a margin; none if it is out of reach.
        nodes: positions expanded.
        seconds: time taken.
    """

    moves: dict[str, bool | None] = field(default_factory=dict)
    pv: list[str] = field(default_factory=list)
    nodes: int = 0
    seconds: float = 0.0

    @property
    def solved(self) -> bool:
        """Whether that is known of all moves."""
        return None not in self.moves.values()

    @property
    def best(self) -> list[str]:
        """The moves that are proved to reach it."""
        return [move for move, reaches in self.moves.items() if reaches]

    @property
    def reached(self) -> bool | None:
        """Whether some move reaches it, None if that is not known."""
        return True if self.best else False if self.solved else None


def reach(
    state: State,
    margin: int,
    database: EndgameDatabase,
    seconds: float | None = None,
    nodes: int | None = None,
    memory_mb: int = MEMORY_MB,
) -> Reach:
    """Finds the moves after which the side to move forces a final margin, as if the game began there.

    Args:
        state: the position; its history does not count.
        margin: the final margin that is wanted, at least 1; infinite play is a failure.
        database: levels that may be probed.
        seconds: limit of time, None for none.
        nodes: limit of expanded positions, None for none.
        memory_mb: limit of the memory that the search takes, in MiB.

    Raises:
        MancalaError: the position is none of those that `engines.solver.solve.solve` takes.
    """
    state = state.game.state(str(state))
    check_solvable(state)
    goal = Goal(state.to_move, margin)
    _compile(state, database)
    proof = Proof(database, goal.player, margin)
    children = {move: state.play(move) for move in state.legal_moves()}
    proof.ask(child for child in children.values() if not child.is_over)
    start = time.perf_counter()
    stop = np.zeros(1, dtype=np.uint64)
    room = (memory_mb << 20) // bytes_per_node(state.game.rules)

    def work() -> None:
        budget, done = _FIRST_BUDGET, False
        while not done and not stop[0] and not proof.full and (nodes is None or proof.expanded < nodes):
            done = proof.advance(budget if nodes is None else min(budget, nodes - proof.expanded), room, stop)
            budget *= 2

    run_stoppable(work, lambda: stop.fill(1), seconds)
    found = Reach({move: _reaches(proof, goal, child) for move, child in children.items()})
    found.pv = _line(proof, goal, database, state) if found.best else []
    found.nodes, found.seconds = proof.expanded, time.perf_counter() - start
    return found


def _compile(state: State, database: EndgameDatabase) -> None:
    """Compiles or loads the kernels that `reach` uses, so that they do not count as time of the search."""
    proof = Proof(database, state.to_move, 1)
    proof.ask([state])
    proof.compile()
    proof.value(state)
    if database.bounds(state) is not None:
        database.best_move(state)


def _reaches(proof: Proof, goal: Goal, state: State) -> bool | None:
    if state.is_over:
        return goal.is_reached(state)
    value = proof.value(state)
    # What cannot be forced may still come from infinite play, where that does not draw.
    return None if value is False and state.game.rules.infinite != DRAW else value


def _line(proof: Proof, goal: Goal, database: EndgameDatabase, state: State) -> list[str]:
    """Returns moves from a proved position to the end of the game: the quickest way, and the longest defence."""
    while not state.is_over and len(state.moves) < _LONGEST_LINE:
        if database.bounds(state) is not None:
            state = state.play(database.best_move(state))
            continue
        proved = [child for child in map(state.play, state.legal_moves()) if _reaches(proof, goal, child)]
        choose = min if state.to_move == goal.player else max
        state = choose(proved, key=lambda child: 0 if child.is_over else proof.look_up(child)[1])
    return state.moves
