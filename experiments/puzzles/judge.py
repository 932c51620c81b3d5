"""Who is right about a puzzle: which moves reach the goal, and what follows."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.endgame.index import seeds_on_board
from engines.endgame.probe import EndgameDatabase
from engines.solver.levels import open_levels
from engines.solver.proof import Proof
from engines.solver.solve import check_solvable
from experiments.puzzles.puzzle import Puzzle, PuzzleError, Tree
from mancala_ai import State

BUDGET = 20_000_000
"""Positions that are expanded for a puzzle, at most, where endgame databases do not answer."""

_ROOM = 4_000_000
_DEEPEST, _MOST_LEAVES = 12, 60  # of a solution tree


class Judge:
    """Knows which moves of a puzzle reach its goal.

    Where it is the goal to win, moves are judged as if the game began with them. Play from the puzzle on can differ in
    one way: a detour that keeps the win, but through positions that have been on the board, draws.
    """

    def __init__(self, puzzle: Puzzle, database: EndgameDatabase, budget: int = BUDGET) -> None:
        """Prepares to judge.

        Args:
            puzzle: the puzzle.
            database: levels that may be probed.
            budget: positions to expand, at most.

        Raises:
            MancalaError: the puzzle is none that the solver takes.
        """
        self.puzzle, self.goal, self._database = puzzle, puzzle.goal, database
        check_solvable(puzzle.state)
        if puzzle.state.game.rules.infinite != 0:
            raise PuzzleError(f"{puzzle.game}: expected a ruleset with infinite=draw")
        self._budget = budget
        # To draw is to keep the opponent from winning.
        draw = self.goal.margin is None
        prover = 1 - self.goal.player if draw else self.goal.player
        self._proof = Proof(database, prover, self.goal.margin or 1)
        self._wanted = not draw

    def holds(self, state: State) -> bool:
        """Tells whether the goal is within reach from a state of the puzzle.

        Raises:
            PuzzleError: that cannot be decided within the budget.
        """
        if state.is_over:
            return self.goal.is_reached(state)
        value = self._proof.value(state)
        if value is None:
            self._proof.ask([state])
            self._proof.advance(self._budget - self._proof.expanded, _ROOM, np.zeros(1, dtype=np.uint64))
            value = self._proof.value(state)
        if value is None:
            raise PuzzleError(f"position {str(state)!r}: expected one that the solver solves")
        return value == self._wanted

    def keeping(self, state: State) -> list[str]:
        """Returns the moves that keep the goal within reach, of whoever is to move; the quickest win first."""
        moves = [move for move in state.legal_moves() if self.holds(state.play(move))]
        if self._database.bounds(state) is not None and self.goal.margin is not None:
            order = [entry.move for entry in self._database.moves(state)]
            moves.sort(key=order.index)
        return moves

    def reply(self, state: State) -> str:
        """Returns the opponent's move that is hardest to answer: few right moves then, and a long way to go."""
        legal = state.legal_moves()
        return max(legal, key=lambda move: (self.forced(state.play(move), 6), -legal.index(move)))

    def forced(self, state: State, depth: int) -> int:
        """Returns how many decisions follow that have one right move among several, against the best defence."""
        if depth == 0 or state.is_over:
            return 0
        moves = state.legal_moves()
        if state.to_move != self.goal.player:
            return max(self.forced(state.play(move), depth - 1) for move in moves)
        keeping = self.keeping(state)
        if len(keeping) != 1:
            return 0
        return (len(moves) > 1) + self.forced(state.play(keeping[0]), depth - 1)

    def line(self, state: State, most: int) -> list[str]:
        """Returns a line of at most so many moves that reaches the goal, as long as there is one right move."""
        moves: list[str] = []
        while not state.is_over and len(moves) < most:
            own = state.to_move == self.goal.player
            keeping = self.keeping(state)
            if own and len(keeping) > 1 and moves:
                break
            moves.append(keeping[0] if own else self.reply(state))
            state = state.play(moves[-1])
        return moves

    def tree(self) -> Tree:
        """Returns the solution, see `Tree`: as long as there is one right move, with the hardest replies first."""
        self._leaves = 0
        return self._tree(self.puzzle.state, _DEEPEST)

    def _tree(self, state: State, depth: int) -> Tree:
        if state.is_over:
            self._leaves += 1
            return "draw" if state.outcome == 0 else f"margin {state.margin:+d}"
        if depth == 0 or self._leaves >= _MOST_LEAVES:
            return "and so on"
        if state.to_move != self.goal.player:
            replies = sorted(
                state.legal_moves(), key=lambda move: self.forced(state.play(move), min(depth - 1, 4)), reverse=True
            )
            return {move: self._tree(state.play(move), depth - 1) for move in replies}
        keeping = self.keeping(state)
        if len(keeping) != 1:
            self._leaves += 1
            return keeping
        return {keeping[0]: self._tree(state.play(keeping[0]), depth - 1)}


def open_database(puzzle: Puzzle, base: Path | None = None) -> EndgameDatabase:
    """Returns the levels that there are for a puzzle, and those that are cheap to build, see `open_levels`."""
    state = puzzle.state
    return open_levels(state.game, int(seeds_on_board(state.game.rules, state.position)), base)
