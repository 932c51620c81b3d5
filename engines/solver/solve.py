"""The exact solver: the outcome of a position, the moves that keep it, and a line that shows it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engines.control import run_stoppable
from engines.endgame.index import MAX_SEEDS, check_supported, is_covered, level_size, seeds_on_board
from engines.endgame.probe import EndgameDatabase
from engines.solver import graph as kernels
from engines.solver.proof import Proof
from mancala_ai.errors import MancalaError, PositionError
from mancala_ai.game import State
from mancala_ai.kernels import DRAW

MEMORY_MB = 2048
_FIRST_BUDGET = 20_000  # expansions
_LONGEST_LINE = 5_000  # moves


@dataclass
class Solution:
    """What has been proved of a position; None where it has not, or where a bound is infinite (see ``solved``).

    Attributes:
        state: the position.
        solved: whether everything that was asked has been proved.
        mover_outcome: 1 if the side to move wins, 0 for a draw, -1 if it loses.
        moves: outcomes of the moves, for the side to move; None where not proved.
        best: moves proved to reach the outcome; all of them if ``solved``.
        pv: moves of both sides that lead from the position to the end of the game, with the outcome.
        nodes: positions expanded; 0 if the database alone answers.
        seconds: time taken.
        level: most seeds of the database that was used, None for none.
        lower: the largest further margin that is proved to be forced by the side to move; None: minus infinity.
        upper: the largest that is not proved to be out of reach; None: plus infinity. Both if asked for.
    """

    state: State
    solved: bool = False
    mover_outcome: int | None = None
    moves: dict[str, int | None] = field(default_factory=dict)
    best: list[str] = field(default_factory=list)
    pv: list[str] = field(default_factory=list)
    nodes: int = 0
    seconds: float = 0.0
    level: int | None = None
    lower: int | None = None
    upper: int | None = None


def solve(
    state: State,
    database: EndgameDatabase,
    seconds: float | None = None,
    nodes: int | None = None,
    margin: bool = False,
    memory_mb: int = MEMORY_MB,
) -> Solution:
    """Solves a position, as if the game began there.

    Args:
        state: the position; its history does not count.
        database: levels that may be probed.
        seconds: limit of time, None for none.
        nodes: limit of expanded positions, None for none.
        margin: also find both bounds.
        memory_mb: limit of the memory that the search takes, in MiB.

    Raises:
        MancalaError: the position is over, is none of those that databases hold, or has too many seeds.
    """
    state = state.game.state(str(state))
    check_solvable(state)
    search = _Search(state, database, nodes, margin, memory_mb)
    run_stoppable(search.work, search.stop, seconds)
    return search.solution


def check_solvable(state: State) -> None:
    """Raises MancalaError for a position that the solver does not take."""
    check_supported(state.game)
    rules = state.game.rules
    if state.is_over:
        raise PositionError(f"position {str(state)!r}: the game is over: expected one that can be played on")
    if not is_covered(rules, state.position, EndgameDatabase(state.game, {}).array):
        raise PositionError(f"position {str(state)!r}: expected one without marks, of which the pits alone decide")
    seeds = int(seeds_on_board(rules, state.position))
    if seeds > MAX_SEEDS or level_size(rules, seeds) >= 1 << kernels.KEY_BITS:
        raise PositionError(f"position {str(state)!r}: {seeds} seeds on the board: expected fewer")


class _Search:
    """The solution of one position in the making."""

    def __init__(
        self, state: State, database: EndgameDatabase, nodes: int | None, margin: bool, memory_mb: int
    ) -> None:
        self._state, self._database, self._margin = state, database, margin
        self._budget = nodes
        self._room = max(1000, (memory_mb << 20) // kernels.BYTES_PER_NODE // 2)  # two questions at a time
        self._stop = np.zeros(1, dtype=np.uint64)
        self._spent = 0
        self._children = {move: state.play(move) for move in state.legal_moves()}
        self._start = time.perf_counter()
        self.solution = Solution(state, level=max(database.levels, default=None))

    def stop(self) -> None:
        """Makes `work` end soon."""
        self._stop[0] = 1

    def work(self) -> None:
        """Finds as much as the limits allow."""
        found = self.solution
        if self._database.bounds(self._state) is not None:
            self._ask_database()
        else:
            self._search()
        found.best = [move for move, outcome in found.moves.items() if outcome is not None and outcome == found.mover_outcome]
        found.nodes, found.seconds = self._spent, time.perf_counter() - self._start

    def _ask_database(self) -> None:
        found, bounds = self.solution, self._database.bounds(self._state)
        assert bounds is not None
        outcomes = {move.move: move.outcome for move in self._database.moves(self._state)}
        found.moves = {move: outcomes[move] for move in self._children}
        found.mover_outcome = max(outcomes.values())
        found.lower, found.upper = bounds
        found.pv = self._line([])
        found.solved = True

    def _search(self) -> None:
        found, mover = self.solution, self._state.to_move
        found.moves = dict.fromkeys(self._children)
        win, loss = (Proof(self._database, prover, 1, self._room) for prover in (mover, 1 - mover))
        for proof in (win, loss):
            proof.ask([self._state])
        budget = _FIRST_BUDGET
        while found.mover_outcome is None:
            for proof in (win, loss):
                if proof.value(self._state) is None and not self._stopped():
                    self._advance(proof, budget)
            found.mover_outcome = self._outcome(win.value(self._state), loss.value(self._state))
            if self._stopped() or (win.full and loss.full):
                break
            budget *= 2
        if found.mover_outcome is None:
            self._note_moves(win, loss)
            return
        # The moves that keep a win are those that win; those that keep a draw are those that do not lose.
        if found.mover_outcome >= 0:
            proof = win if found.mover_outcome > 0 else loss
            proof.ask(child for child in self._children.values() if not child.is_over)
            while not self._advance(proof, budget) and not self._stopped() and not proof.full:
                budget *= 2
        self._note_moves(win, loss)
        found.pv = self._line([win, loss])
        keeps = win if found.mover_outcome > 0 else loss
        open_moves = (move for move, outcome in found.moves.items() if outcome is None)
        found.solved = all(keeps.value(self._children[move]) is not None for move in open_moves)

    def _advance(self, proof: Proof, budget: int) -> bool:
        if self._budget is not None:
            budget = min(budget, self._budget - self._spent)
        before = proof.expanded
        done = proof.advance(budget, self._stop)
        self._spent += proof.expanded - before
        return done

    def _stopped(self) -> bool:
        return bool(self._stop[0]) or (self._budget is not None and self._spent >= self._budget)

    def _outcome(self, wins: bool | None, loses: bool | None) -> int | None:
        if wins:
            return 1
        if loses:
            return -1
        # Without a proof of either, infinite play decides; and only where it draws that needs no more.
        draws = wins is False and loses is False and self._state.game.rules.infinite == DRAW
        return 0 if draws else None

    def _note_moves(self, win: Proof, loss: Proof) -> None:
        found, mover = self.solution, self._state.to_move
        for move, child in self._children.items():
            if child.is_over:
                assert child.outcome is not None
                found.moves[move] = child.outcome if mover == 0 else -child.outcome
                continue
            found.moves[move] = self._outcome(win.value(child), loss.value(child))
            if found.mover_outcome == -1:
                found.moves[move] = -1
            elif found.mover_outcome == 0 and loss.value(child) is False:
                found.moves[move] = 0

    def _line(self, proofs: list[Proof]) -> list[str]:
        """Returns the principal variation; as far as it is known, if the search was stopped."""
        state = self._state
        while not state.is_over and len(state.moves) < _LONGEST_LINE:
            if self._database.bounds(state) is not None:
                move = self._database.best_move(state)
            else:
                found = self._proved_move(state, *proofs)
                if found is None:
                    break
                move = found
            state = state.play(move)
        return state.moves

    def _proved_move(self, state: State, win: Proof, loss: Proof) -> str | None:
        outcome = self.solution.mover_outcome
        children = {move: state.play(move) for move in state.legal_moves()}
        if outcome == 0:  # keep the opponent from winning
            proof = loss if state.to_move == self._state.to_move else win
            return next((move for move, child in children.items() if self._holds(proof, child)), None)
        proof = win if outcome == 1 else loss
        distances = {}
        for move, child in children.items():
            proved, distance = (True, 0) if child.is_over else proof.look_up(child)
            if child.is_over:
                assert child.margin is not None
                proved = (child.margin if proof.prover == 0 else -child.margin) >= proof.target
            if proved:
                distances[move] = distance
        if not distances:
            return None
        choose = min if state.to_move == proof.prover else max
        return choose(distances, key=lambda move: distances[move])

    def _holds(self, proof: Proof, child: State) -> bool:
        if child.is_over:
            assert child.margin is not None
            return (child.margin if proof.prover == 0 else -child.margin) < proof.target
        return proof.value(child) is False
