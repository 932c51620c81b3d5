"""The exact solver: the outcome of a position, the moves that keep it, and a line that shows it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from engines.control import run_stoppable
from engines.endgame.index import MAX_SEEDS, check_supported, is_covered, level_size, seeds_on_board
from engines.endgame.probe import EndgameDatabase
from engines.solver.graph import bytes_per_node
from engines.solver.proof import Proof
from engines.solver.search import KEY_BITS
from mancala_ai.errors import PositionError
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
    _compile(state, database)
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
    if seeds > MAX_SEEDS or level_size(rules, seeds) >= 1 << KEY_BITS:
        raise PositionError(f"position {str(state)!r}: {seeds} seeds on the board: expected fewer")


def _compile(state: State, database: EndgameDatabase) -> None:
    """Compiles or loads all kernels that `_Search` will use."""
    if database.bounds(state) is not None:
        database.moves(state)
        return
    proof = Proof(database, state.to_move, 1)
    proof.ask([state])
    proof.compile()
    proof.value(state)


class _Search:
    """The solution of one position in the making."""

    def __init__(
        self, state: State, database: EndgameDatabase, nodes: int | None, margin: bool, memory_mb: int
    ) -> None:
        self._state, self._database, self._margin = state, database, margin
        self._budget = nodes
        self._room = (memory_mb << 20) // bytes_per_node(state.game.rules)  # positions in memory
        self._stop = np.zeros(1, dtype=np.uint64)
        self._spent = 0
        self._proofs: list[Proof] = []
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
        found.best = [
            move for move, outcome in found.moves.items() if outcome is not None and outcome == found.mover_outcome
        ]
        found.nodes, found.seconds = self._spent, time.perf_counter() - self._start

    def _ask_database(self) -> None:
        found, bounds = self.solution, self._database.bounds(self._state)
        assert bounds is not None
        outcomes = {move.move: move.outcome for move in self._database.moves(self._state)}
        found.moves = {move: outcomes[move] for move in self._children}
        found.mover_outcome = max(outcomes.values())
        found.lower, found.upper = bounds
        found.pv = self._line()
        found.solved = True

    def _search(self) -> None:
        found, mover = self.solution, self._state.to_move
        found.moves = dict.fromkeys(self._children)
        win, loss = self._proofs = [Proof(self._database, prover, 1) for prover in (mover, 1 - mover)]
        for proof in self._proofs:
            proof.ask([self._state])
        budget = _FIRST_BUDGET
        undecided = [win, loss]
        while undecided and not self._stopped() and not all(proof.full for proof in undecided):
            for proof in undecided:
                self._advance(proof, budget)
                if proof.value(self._state):
                    undecided = []
                    break
            undecided = [proof for proof in undecided if proof.value(self._state) is None]
            budget *= 2
        found.mover_outcome = self._outcome(win.value(self._state), loss.value(self._state))
        self._note_moves(win, loss)
        if found.mover_outcome is not None:
            found.solved = self._find_best(win, loss, budget)
            found.pv = self._line(win, loss)
        if self._margin:
            known = [win.value(self._state), loss.value(self._state)]
            del win, loss
            self._find_bounds(known)

    def _find_best(self, win: Proof, loss: Proof, budget: int) -> bool:
        """Decides which moves keep the outcome; returns whether all are decided."""
        found = self.solution
        if found.mover_outcome == -1:
            return True
        keeps = win if found.mover_outcome == 1 else loss
        if keeps is win:  # only a draw needs both proofs: to make a line
            loss.forget()
        keeps.ask(child for child in self._children.values() if not child.is_over)
        while not self._advance(keeps, budget) and not self._stopped() and not keeps.full:
            budget *= 2
        self._note_moves(win, loss)
        undecided = [self._children[move] for move, outcome in found.moves.items() if outcome is None]
        if self._state.game.rules.infinite != DRAW:  # what cannot be forced may still come from infinite play
            return not undecided
        return all(keeps.value(child) is not None for child in undecided)

    def _find_bounds(self, known: list[bool | None]) -> None:
        """Finds both bounds, by halving the margins in question."""
        found, mover, seeds = (
            self.solution,
            self._state.to_move,
            int(seeds_on_board(self._state.game.rules, self._state.position)),
        )
        south, north = self._state.captured or (0, 0)
        for prover, proved in zip((mover, 1 - mover), known, strict=True):
            ahead = south - north if prover == 0 else north - south
            least, most = ahead - seeds, ahead + seeds  # of the final margins that there can be
            low, high = least - 1, most  # proved, and not refuted; the first stands for infinite play
            if proved:
                low = max(low, 1)
            elif proved is False:
                high = min(high, 0)
            while low < high and not self._stopped():
                target = least if low < least else (low + high + 1) // 2
                forced = self._is_forced(prover, target)
                if forced is None:
                    break
                if forced:
                    low = target
                else:
                    high = target - 1
            further = None if low < least else low - ahead
            if prover == mover:
                found.lower = further
            else:
                found.upper = None if further is None else -further
            found.solved &= low >= high and self._state.game.rules.infinite == DRAW

    def _is_forced(self, prover: int, target: int) -> bool | None:
        proof = Proof(self._database, prover, target)
        self._proofs = [proof]
        proof.ask([self._state])
        budget = _FIRST_BUDGET
        while not self._advance(proof, budget) and not self._stopped() and not proof.full:
            budget *= 2
        return proof.value(self._state)

    def _advance(self, proof: Proof, budget: int) -> bool:
        if self._budget is not None:
            budget = min(budget, self._budget - self._spent)
        before = proof.expanded
        taken = sum(other.nodes for other in self._proofs if other is not proof)
        done = proof.advance(budget, self._room - taken, self._stop)
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
        """Notes what is known of the moves' outcomes."""
        found = self.solution
        for move, child in self._children.items():
            if found.moves[move] is None:
                found.moves[move] = self._outcome(_value(win, child), _value(loss, child))
            if found.mover_outcome == -1:
                found.moves[move] = -1
            elif found.mover_outcome == 0 and _value(loss, child) is False:
                found.moves[move] = 0

    def _line(self, *proofs: Proof) -> list[str]:
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
            return next((move for move, child in children.items() if _value(proof, child) is False), None)
        proof = win if outcome == 1 else loss
        distances = {move: _distance(proof, child) for move, child in children.items() if _value(proof, child)}
        if not distances:
            return None
        choose = min if state.to_move == proof.prover else max
        return choose(distances, key=lambda move: distances[move])


def _value(proof: Proof, state: State) -> bool | None:
    """Returns `Proof.value`, of states that are over, too, be it by repetition."""
    if not state.is_over:
        return proof.value(state)
    assert state.margin is not None
    return (state.margin if proof.prover == 0 else -state.margin) >= proof.target


def _distance(proof: Proof, state: State) -> int:
    return 0 if state.is_over else proof.look_up(state)[1]
