"""Monte Carlo tree search: UCT with proofs over `engines.mcts_tree`, with limits, threads, and several lines."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from engines import mcts_tree as kernels
from engines.control import results_of, run_stoppable
from engines.endgame.index import empty_database
from engines.endgame.play import OPTION, open_database, root_result
from engines.evaluation import game_weights
from engines.simple import choice_rng
from mancala_ai import Engine, EngineOption, Game, GameStringError, Limit, Line, SearchResult, State
from mancala_ai.playouts import ALWAYS_RANDOM

DEFAULT_SIMULATIONS = 10_000  # without any limit
PLAYOUTS = ("uniform", "greedy")
MAX_THREADS = 256
OPEN, SOUTH_WINS, DRAWN, NORTH_WINS = range(4)
_NO_LIMIT = (1 << 62) - 1
_LEAST_CAPACITY = 1 << 10  # nodes of a tree: the root must find room for its children
_PATIENCE = 1.0  # seconds to wait for a search that Ctrl-C has stopped
_FIRST_REPORT = 256  # simulations; further results follow whenever their number has doubled

_NO_ENDGAMES = empty_database()

Tree = npt.NDArray[np.uint64]


class _Moves(NamedTuple):
    """The children of a node, or of the same node in several trees together: one place per move.

    Attributes:
        player: who is to move: 0 South, 1 North.
        first: the first child's node.
        numbers: the numbers of the moves.
        visits: simulations through them.
        rewards: sums of their rewards, South's view, in units of 1 / UNIT.
        outcomes: what is proven of them.
    """

    player: int
    first: int
    numbers: list[int]
    visits: list[int]
    rewards: list[int]
    outcomes: list[int]

    @property
    def outcome(self) -> int:
        """The outcome of the node that follows from those of its moves; OPEN if none does."""
        win, loss = (SOUTH_WINS, NORTH_WINS) if self.player == 0 else (NORTH_WINS, SOUTH_WINS)
        if win in self.outcomes:
            return win
        if OPEN in self.outcomes or not self.outcomes:
            return OPEN
        return DRAWN if DRAWN in self.outcomes else loss

    def value(self, i: int) -> float:
        """Returns the expected score of a move that was visited, from -1 to 1, for the player to move."""
        outcome = self.outcomes[i]
        value = self.rewards[i] / (self.visits[i] * kernels.UNIT) if outcome == OPEN else float(DRAWN - outcome)
        return -value if self.player else value

    def ranked(self) -> list[int]:
        """Returns the places of all moves that were visited, best first.

        Proven wins come first and proven losses last; otherwise most visits come first. Proven draws, which get no
        further visits, stand before all open moves unless the most visited of these is worth more.
        """
        tried = sorted((i for i, visits in enumerate(self.visits) if visits), key=lambda i: -self.visits[i])
        proven = [[i for i in tried if self.outcomes[i] == outcome] for outcome in range(4)]
        won, lost = (SOUTH_WINS, NORTH_WINS) if self.player == 0 else (NORTH_WINS, SOUTH_WINS)
        undecided = [proven[DRAWN], proven[OPEN]]
        if proven[OPEN] and self.value(proven[OPEN][0]) > 0:
            undecided.reverse()
        return proven[won] + undecided[0] + undecided[1] + proven[lost]


class _Grown(NamedTuple):
    """Trees that a finished search has left for the next one: the state they belong to, and their numbers of nodes."""

    state: State
    sizes: list[int]


class MctsEngine(Engine):
    """UCT with MCTS-Solver: a tree of lines of play, grown by one playout at a time.

    The value of a result is the expected score for the side to move, from -1 (lost) over 0 (drawn) to 1 (won), as the
    simulations saw it; it is exact where the result is proven. Nodes are moves played, in the tree and in playouts.
    Limits of depth do not matter. With one thread and no time limit the same state gives the same result, whatever was
    searched before, unless trees are reused; with more threads likewise, as each has its own share of the limits.
    """

    name = "mcts"
    options: ClassVar = {
        "simulations": EngineOption(
            0, f"simulations at most; 0: only the limits given with each search ({DEFAULT_SIMULATIONS} without any)"
        ),
        "c": EngineOption(1.0, "exploration constant of UCT, for rewards from -1 to 1"),
        "playout": EngineOption("greedy", "moves of playouts: greedy (largest immediate gain, mostly) or uniform"),
        "epsilon": EngineOption(0.2, "share of random moves in greedy playouts"),
        "cutoff": EngineOption(2, "plies of a playout, which then ends with the evaluation; 0: no cut-off"),
        "endgame": OPTION,
        "threads": EngineOption(1, "threads, each with a tree of its own"),
        "tree_mb": EngineOption(128, "size of all trees together in MiB; full trees are searched on, but do not grow"),
        "reuse": EngineOption(False, "keep the part of the tree below the moves played (holds half as many nodes)"),
        "rng_seed": EngineOption(0, "start of the engine's random choices"),
    }

    def __init__(
        self,
        simulations: int = 0,
        c: float = 1.0,
        playout: str = "greedy",
        epsilon: float = 0.2,
        cutoff: int = 2,
        endgame: str = "off",
        threads: int = 1,
        tree_mb: int = 128,
        reuse: bool = False,
        rng_seed: int = 0,
    ) -> None:
        if not 0 <= simulations <= _NO_LIMIT:
            raise GameStringError(f"{self.name}: simulations={simulations}: expected 0 or more")
        if not 0 <= c <= 100:
            raise GameStringError(f"{self.name}: c={c}: expected 0 to 100")
        if playout not in PLAYOUTS:
            raise GameStringError(f"{self.name}: playout={playout}: expected {' or '.join(PLAYOUTS)}")
        if not 0 <= epsilon <= 1:
            raise GameStringError(f"{self.name}: epsilon={epsilon}: expected 0 to 1")
        if not 0 <= cutoff <= _NO_LIMIT:
            raise GameStringError(f"{self.name}: cutoff={cutoff}: expected 0 or more")
        if not 1 <= threads <= MAX_THREADS:
            raise GameStringError(f"{self.name}: threads={threads}: expected 1 to {MAX_THREADS}")
        if not 1 <= tree_mb <= 1 << 16:
            raise GameStringError(f"{self.name}: tree_mb={tree_mb}: expected 1 to {1 << 16}")
        self._simulations, self._c, self._cutoff, self._threads = simulations, float(c), cutoff, threads
        self._epsilon = round(epsilon * int(ALWAYS_RANDOM)) if playout == "greedy" else int(ALWAYS_RANDOM)
        self._endgame, self._reuse, self._rng_seed = endgame, reuse, rng_seed
        arrays = threads + reuse  # the part that is kept is copied into a spare tree
        self._capacity = max((tree_mb << 20) // (arrays * kernels.NODE_BYTES), _LEAST_CAPACITY)
        self._trees: list[Tree] = []
        self._grown: _Grown | None = None
        self._running: _Search | None = None

    def new_game(self, rng_seed: int | None = None) -> None:
        """See `Engine.new_game`."""
        self._grown = None
        if rng_seed is not None:
            self._rng_seed = rng_seed

    def stop(self) -> None:
        """See `Engine.stop`."""
        if self._running is not None:
            self._running.stop()

    def search(self, state: State, limit: Limit | None = None, lines: int = 1) -> SearchResult:
        """See `Engine.search`. There is always one simulation at least."""
        known = root_result(open_database(self._endgame, state.game), state, lines)
        if known is not None:
            return known
        search = self._running = _Search(self, state, limit or Limit(), lines)
        results: list[SearchResult] = []
        try:
            run_stoppable(lambda: search.run(results.append), search.stop, search.seconds)
        except KeyboardInterrupt:
            search.stop()
            search.ended.wait(_PATIENCE)
            return search.interrupted(results)
        return results[-1]

    def analyse(self, state: State, limit: Limit | None = None, lines: int = 1) -> Iterator[SearchResult]:
        """See `Engine.analyse`: a result whenever the number of simulations has doubled, and one at the end."""
        known = root_result(open_database(self._endgame, state.game), state, lines)
        if known is not None:
            yield known
            return
        search = self._running = _Search(self, state, limit or Limit(), lines)
        yield from results_of(partial(search.run, doubling=True), search.stop, search.seconds)

    def _borrow_trees(self, state: State, count: int) -> tuple[list[Tree], list[int]]:
        """Returns trees for one search and their numbers of nodes. A search begun meanwhile would get others."""
        trees, self._trees = self._trees, []
        grown, self._grown = self._grown, None
        trees += [kernels.new_tree(self._capacity) for _ in range(count + self._reuse - len(trees))]
        moves = _moves_since(grown.state, state) if grown else None
        sizes = []
        for i in range(count):
            size = 0
            if grown and moves is not None and i < len(grown.sizes):
                node = _follow(trees[i], moves)
                if node is not None and trees[i][kernels.VISITS, node]:
                    size = int(kernels.transplant(trees[i], node, trees[-1]))
                    trees[i], trees[-1] = trees[-1], trees[i]
            if not size:
                trees[i][:, 0] = 0
            sizes.append(size or 1)
        return trees, sizes

    def _return_trees(self, trees: list[Tree], state: State, sizes: list[int]) -> None:
        self._trees = trees
        self._grown = _Grown(state, sizes) if self._reuse else None


class _Search:
    """One search: its limits, and a workspace and a tree for each of its threads."""

    def __init__(self, engine: MctsEngine, state: State, limit: Limit, lines: int) -> None:
        if state.is_over:
            raise GameStringError(f"position {str(state)!r}: the game is over: expected one that can be played on")
        _compile(state.game)
        self._start = time.perf_counter()
        self._engine, self._state, self._lines = engine, state, lines
        self._rules, self._words, self._history = state.game.rules, state.words, state.recent_history.copy()
        simulations = [n for n in (engine._simulations, limit.simulations) if n]
        unlimited = not simulations and limit.nodes is None and limit.move_seconds is None
        self._simulations = DEFAULT_SIMULATIONS if unlimited else min([*simulations, _NO_LIMIT])
        self._seconds = limit.move_seconds
        self.ended = threading.Event()
        threads = min(engine._threads, self._simulations)
        self._trees, sizes = engine._borrow_trees(state, threads)
        self._database = open_database(engine._endgame, state.game)
        self._endgames = _NO_ENDGAMES if self._database is None else self._database.array
        weights = game_weights(state.game, "fitted")
        rng = choice_rng(engine._rng_seed, state)
        self._works = [kernels.new_workspace() for _ in range(threads)]
        for i, work in enumerate(self._works):
            work[kernels.NODE_LIMIT] = max(_share(min(limit.nodes or _NO_LIMIT, _NO_LIMIT), i, threads), 1)
            work[kernels.RNG] = rng.getrandbits(64)
            work[kernels.SIZE] = sizes[i]
            work[kernels.EPSILON] = engine._epsilon
            work[kernels.CUTOFF] = engine._cutoff
            work[kernels.TOTAL] = state.total_seeds
            work[int(kernels.WEIGHTS) : int(kernels.WEIGHTS) + len(weights)] = weights

    @property
    def seconds(self) -> float | None:
        """What is left of the time limit, None for no limit."""
        return None if self._seconds is None else max(self._seconds - (time.perf_counter() - self._start), 0.0)

    def stop(self) -> None:
        """Makes all threads end with their present simulation."""
        for work in self._works:
            work[kernels.STOP] = 1

    def run(self, report: Callable[[SearchResult], None], doubling: bool = False) -> None:
        """Simulates until a limit is reached or the outcome is proven.

        Args:
            report: called with the result at the end.
            doubling: whether to report on the way, too, whenever the number of simulations has doubled.
        """
        target = _FIRST_REPORT
        try:
            with ThreadPoolExecutor(len(self._works)) as pool:
                while not self._advance(pool, min(target, self._simulations)):
                    if doubling:
                        report(self._result())
                    target *= 2
            result = self._result()
            sizes = [int(work[kernels.SIZE]) for work in self._works]
            self._engine._return_trees(self._trees, self._state, sizes)
            report(result)
        finally:
            self.ended.set()

    def interrupted(self, results: list[SearchResult]) -> SearchResult:
        """Returns the last result as one that Ctrl-C cut short; any legal move if there is none."""
        last = results[-1] if results else SearchResult(self._state.legal_moves()[0])
        return replace(last, interrupted=True)

    def _advance(self, pool: ThreadPoolExecutor, target: int) -> bool:
        """Goes on to so many simulations of all threads together; tells whether there is nothing more to do."""
        try:
            others = [pool.submit(self._simulate, i, target) for i in range(1, len(self._works))]
            self._simulate(0, target)
            for other in others:
                other.result()
        except BaseException:
            self.stop()
            raise
        return target == self._simulations or self._root().outcome != OPEN or all(map(_is_done, self._works))

    def _simulate(self, i: int, target: int) -> None:
        """Lets one thread do its share of the simulations, at least the very first."""
        work, tree = self._works[i], self._trees[i]
        work[kernels.SIMULATION_LIMIT] = _share(target, i, len(self._works))
        enough = work[kernels.SIMULATIONS] >= work[kernels.SIMULATION_LIMIT] or _is_done(work)
        if not (work[kernels.SIMULATIONS] and enough) and _moves(tree, 0).outcome == OPEN:
            rules, words, history = self._rules, self._words, self._history
            kernels.simulate(rules, words, history, work, tree, self._endgames, self._engine._c)

    def _root(self) -> _Moves:
        """Returns the moves of the root with the results of all trees added."""
        found = [_moves(tree, 0) for tree in self._trees[: len(self._works)]]

        def together(lists: Iterator[list[int]], add: Callable[[Iterable[int]], int]) -> list[int]:
            return [add(values) for values in zip(*lists, strict=True)]

        visits = together((root.visits for root in found), sum)
        rewards = together((root.rewards for root in found), sum)
        outcomes = together((root.outcomes for root in found), max)
        return found[0]._replace(visits=visits, rewards=rewards, outcomes=outcomes)

    def _result(self) -> SearchResult:
        root = self._root()
        best = root.ranked()[: max(self._lines, 1)]
        lines = tuple(Line(root.value(i), self._pv(i)) for i in best)
        return SearchResult(
            lines[0].pv[0],
            value=lines[0].value,
            pv=lines[0].pv,
            nodes=sum(int(work[kernels.NODES]) for work in self._works),
            simulations=sum(int(work[kernels.SIMULATIONS]) for work in self._works),
            seconds=time.perf_counter() - self._start,
            proven=root.outcome != OPEN,
            lines=lines,
        )

    def _pv(self, i: int) -> tuple[str, ...]:
        """Returns the variation that begins with a move of the root, from the tree that has visited it most often."""
        trees = self._trees[: len(self._works)]
        tree = max(trees, key=lambda tree: _moves(tree, 0).visits[i])
        pv, node = [], 0
        while True:
            moves = _moves(tree, node)
            pv.append(self._rules.move_name(moves.numbers[i]))
            node = moves.first + i
            ranked = _moves(tree, node).ranked()
            if not ranked:
                return tuple(pv)
            i = ranked[0]


@functools.cache
def _compile(game: Game) -> None:
    """Runs one simulation aside, which compiles what is not compiled yet, before any clock starts."""
    state, work = game.initial_state(), kernels.new_workspace()
    work[kernels.SIZE] = work[kernels.SIMULATION_LIMIT] = work[kernels.NODE_LIMIT] = 1
    work[kernels.CUTOFF], work[kernels.TOTAL] = 1, state.total_seeds
    tree = kernels.new_tree(_LEAST_CAPACITY)
    kernels.simulate(game.rules, state.words, state.recent_history.copy(), work, tree, _NO_ENDGAMES, 1.0)


def _moves(tree: Tree, node: int) -> _Moves:
    links = tree[kernels.LINKS, node]
    first = int(kernels.first_child(links))
    children = slice(first, first + int(kernels.child_count(links)))
    of_children = tree[kernels.LINKS, children]
    return _Moves(
        int(kernels.chooser(links)),
        first,
        kernels.move_of(of_children).tolist(),
        tree[kernels.VISITS, children].tolist(),
        tree[kernels.REWARDS, children].view(np.int64).tolist(),
        kernels.outcome_of(of_children).tolist(),
    )


def _follow(tree: Tree, moves: list[int]) -> int | None:
    """Returns the node that moves from the root lead to, None if the tree does not have it."""
    node = 0
    for move in moves:
        children = _moves(tree, node)
        if move not in children.numbers:
            return None
        node = children.first + children.numbers.index(move)
    return node


def _moves_since(earlier: State, state: State) -> list[int] | None:
    """Returns the moves that led from an earlier state of the same game to this one, None if it is another game."""
    since = len(state.history) - len(earlier.history)
    if since < 0 or state.game != earlier.game:
        return None
    at: State | None = state
    for _ in range(since):
        at = at.parent if at else None
    if at is None or not np.array_equal(at.history, earlier.history) or not np.array_equal(at.words, earlier.words):
        return None
    numbers = [state.game.rules.move_number(name) for name in (state.moves[-since:] if since else [])]
    return [number for number in numbers if number is not None]


def _is_done(work: npt.NDArray[np.uint64]) -> bool:
    return bool(work[kernels.STOP] or work[kernels.NODES] >= work[kernels.NODE_LIMIT])


def _share(total: int, i: int, parts: int) -> int:
    """Returns what part i of so many gets of a total, as evenly as can be."""
    return total // parts + (i < total % parts)
