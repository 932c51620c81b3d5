"""One question about a game, and all that has been found out about it: can a player force a certain margin?"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from engines.endgame.probe import EndgameDatabase
from engines.solver import graph, search
from mancala_ai.game import State

Words = npt.NDArray[np.uint64]
_FIRST_NODES, _GROWTH = 30_000, 4


class Proof:
    """Whether a player forces the game to end with some margin at least, infinite play being a failure.

    Attributes:
        prover: 0 South, 1 North.
        target: the margin, for the prover.
        full: whether the last `advance` ended since there was no more room.
    """

    def __init__(self, database: EndgameDatabase, prover: int, target: int) -> None:
        """Asks the question.

        Args:
            database: levels that may be probed.
            prover: 0 South, 1 North.
            target: the final margin that the prover wants.
        """
        self.prover, self.target, self.full = prover, target, False
        self._database, self._rules = database, database.game.rules
        self._question = (np.uint64(prover), np.int64(target))
        self._graph = graph.new_graph(self._rules, _FIRST_NODES)
        self._found = np.empty(2, dtype=np.int64)

    @property
    def expanded(self) -> int:
        """Positions expanded so far."""
        return int(self._graph.counters[graph.WORK])

    def ask(self, states: Iterable[State]) -> None:
        """Makes positions the goals of `advance`, in place of earlier ones."""
        search.drop_goals(self._graph)
        for state in states:
            search.add_goal(self._rules, self._database.array, self._graph, state.words, *self._question)

    @property
    def nodes(self) -> int:
        """Positions in memory."""
        return int(self._graph.counters[graph.NODES])

    def compile(self) -> None:
        """Compiles what is not compiled yet, so that it does not count as time of the search."""
        self._graph = graph.grown(self._rules, self._graph, _FIRST_NODES)
        self.advance(0, 1, np.zeros(1, dtype=np.uint64))
        search.refocus(self._rules, self._database.array, self._graph, *self._question)

    def forget(self) -> None:
        """Gives all memory back; nothing is known any more."""
        self._graph = graph.new_graph(self._rules, 1)

    def advance(self, budget: int, most: int, stop: Words) -> bool:
        """Searches on; returns whether all goals are decided.

        Args:
            budget: positions to expand.
            most: positions to have in memory, at most.
            stop: ``uint64``, shape ``(1,)``: ends the search soon when it is set to another value than 0.
        """
        where = (self._rules, self._database.array, self._graph, *self._question)
        last = self.expanded + budget
        while True:
            answer = search.run(*where, np.int64(last - self.expanded), np.int64(most), stop)
            self.full = answer == search.FULL
            capacity = min(_GROWTH * self.nodes, most + graph.MAX_MOVES)
            if not self.full or self.nodes >= most or capacity <= len(self._graph.status):
                break
            self._graph = graph.grown(self._rules, self._graph, capacity)
            where = (self._rules, self._database.array, self._graph, *self._question)
        if self.full or answer == search.DONE:
            return not self.full
        return int(search.refocus(*where)) == 0

    def value(self, state: State) -> bool | None:
        """Returns whether the player forces the margin from a position, None if that is not decided."""
        return self.look_up(state)[0]

    def look_up(self, state: State) -> tuple[bool | None, int]:
        """Returns `value`, and a distance that the prover can make smaller with every move; 0 in the database."""
        where = (self._rules, self._database.array, self._graph, state.words, *self._question)
        search.look_up(*where, self._found)
        value, distance = self._found.tolist()
        return (None if value < 0 else bool(value)), distance
