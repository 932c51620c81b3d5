"""Alpha-beta: iterative deepening over `engines.search`, with limits, threads, and several lines."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from engines import search as kernels
from engines.control import results_of, run_stoppable
from engines.endgame.play import OPTION, open_database, root_result
from engines.evaluation import INFINITY, SEED, WON, Quiescence, game_weights, quiescence_of
from engines.transposition import GENERATIONS, new_table
from mancala_ai import Engine, EngineOption, GameStringError, Limit, Line, SearchResult, State

DEFAULT_DEPTH = 6  # without any limit
MAX_DEPTH = kernels.MAX_PLY - 4
MAX_THREADS = 256
_NO_LIMIT = (1 << 63) - 1
INSTANT = 0.001  # seconds; the next depth will hardly take more than thirty times as long
_WINDOW = 2 * SEED  # half-width of the aspiration window


class AlphaBetaEngine(Engine):
    """Principal variation search with a transposition table, iterative deepening, and any number of threads.

    The value of a result is in seeds; beyond ±1000 the game is won or lost by the rest, beyond ±300 more than half of
    the seeds are captured. With one thread and no time limit the same state gives the same result, whatever came
    before. What is exact and what is not: docs/engines.md.
    """

    name = "alphabeta"
    options: ClassVar = {
        "depth": EngineOption(0, f"plies at most; 0: only the limits of each search ({DEFAULT_DEPTH} without any)"),
        "seconds": EngineOption(0.0, "seconds a move at most; 0: only the limits of each search"),
        "threads": EngineOption(1, "threads that share the transposition table"),
        "tt_mb": EngineOption(16, "size of the transposition table in MiB"),
        "evaluation": EngineOption("fitted", "weights: fitted (engines/weights) or material"),
        "quiescence": EngineOption(True, "search large captures beyond the depth, in the games where that helps"),
        "endgame": OPTION,
        "exact_depth": EngineOption(False, "values are those of plain minimax; slower, and results can be proven"),
    }

    def __init__(
        self,
        depth: int = 0,
        seconds: float = 0.0,
        threads: int = 1,
        tt_mb: int = 16,
        evaluation: str = "fitted",
        quiescence: bool = True,
        endgame: str = "off",
        exact_depth: bool = False,
    ) -> None:
        if not 0 <= depth <= MAX_DEPTH:
            raise GameStringError(f"{self.name}: depth={depth}: expected 0 to {MAX_DEPTH}")
        if not seconds >= 0:
            raise GameStringError(f"{self.name}: seconds={seconds}: expected 0 or more")
        if not 1 <= threads <= MAX_THREADS:
            raise GameStringError(f"{self.name}: threads={threads}: expected 1 to {MAX_THREADS}")
        if not 1 <= tt_mb <= 1 << 16:
            raise GameStringError(f"{self.name}: tt_mb={tt_mb}: expected 1 to {1 << 16}")
        if evaluation not in ("fitted", "material"):
            raise GameStringError(f"{self.name}: evaluation={evaluation}: expected fitted or material")
        self._depth, self._seconds, self._threads, self._tt_mb = depth, seconds, threads, tt_mb
        self._evaluation, self._quiescence, self._exact = evaluation, quiescence, exact_depth
        self._endgame = endgame
        self._table: npt.NDArray[np.uint64] | None = None
        self._generation = 0
        self._works: list[npt.NDArray[np.uint64]] = []
        self._history_capacity = 0
        self._running: _Search | None = None

    def stop(self) -> None:
        """See `Engine.stop`."""
        if self._running is not None:
            self._running.stop()

    def search(self, state: State, limit: Limit | None = None, lines: int = 1) -> SearchResult:
        """See `Engine.search`. A search that is stopped gives its last finished depth; depth 1 is always finished.

        Nodes and seconds are those of the whole search, of an unfinished depth as well.
        """
        known = root_result(open_database(self._endgame, state.game), state, lines)
        if known is not None:
            return known
        search = self._running = _Search(self, state, limit or Limit(), lines)
        deepening = search.deepen()
        results: list[SearchResult] = []
        try:
            # Depths that take next to no time are not worth a thread.
            for result in deepening:
                results.append(result)
                if result.seconds > INSTANT or search.seconds_left is not None:
                    run_stoppable(lambda: results.extend(deepening), search.stop, search.seconds_left)
        except KeyboardInterrupt:
            return search.interrupted(results)
        return replace(results[-1], nodes=search.nodes, seconds=search.seconds)

    def analyse(self, state: State, limit: Limit | None = None, lines: int = 1) -> Iterator[SearchResult]:
        """See `Engine.analyse`: a result for every finished depth."""
        known = root_result(open_database(self._endgame, state.game), state, lines)
        if known is not None:
            yield known
            return
        search = self._running = _Search(self, state, limit or Limit(), lines)

        def work(report: Callable[[SearchResult], None]) -> None:
            for result in search.deepen():
                report(result)

        yield from results_of(work, search.stop, search.seconds_left)

    def _next_generation(self) -> tuple[npt.NDArray[np.uint64], int]:
        # A generation of its own makes every search independent of all earlier ones.
        self._generation += 1
        if self._table is None:
            self._table = new_table(self._tt_mb)
        elif self._generation == GENERATIONS:
            self._table.fill(0)
            self._generation = 1
        return self._table, self._generation

    def _cleared_workspaces(self, history_length: int) -> list[npt.NDArray[np.uint64]]:
        if history_length > self._history_capacity:
            capacity = max(2 * history_length, 256)
            self._works = [kernels.new_workspace(capacity) for _ in range(self._threads)]
            self._history_capacity = capacity
        for work in self._works:
            kernels.clear_workspace(work)
        return self._works


class _Search:
    """One search: the arrays that its threads use, and its limits."""

    def __init__(self, engine: AlphaBetaEngine, state: State, limit: Limit, lines: int) -> None:
        if state.is_over:
            raise GameStringError(f"position {str(state)!r}: the game is over: expected one that can be played on")
        self._state, self._lines = state, lines
        self._rules, self._words = state.game.rules, state.words
        self._exact = engine._exact
        self._table, generation = engine._next_generation()
        depths = [d for d in (engine._depth, limit.depth, MAX_DEPTH) if d]
        self._seconds = min((s for s in (engine._seconds, limit.move_seconds) if s), default=None)
        unlimited = limit.nodes is None and self._seconds is None and len(depths) == 1
        self._depth = DEFAULT_DEPTH if unlimited else min(depths)
        self._nodes = max((limit.nodes or _NO_LIMIT) // engine._threads, 1)  # of each thread
        self._database = open_database(engine._endgame, state.game)  # its array holds addresses: it must live as long
        weights = game_weights(state.game, engine._evaluation)
        quiescence = quiescence_of(state.game.name) if engine._quiescence else Quiescence()
        history = state.recent_history.copy()
        self._works = engine._cleared_workspaces(len(history))
        for work in self._works:
            work[kernels.GENERATION] = generation
            work[kernels.TOTAL] = state.total_seeds
            work[kernels.EXACT_MODE] = engine._exact
            work[kernels.QUIET_PLIES], work[kernels.QUIET_GAIN] = quiescence
            work[int(kernels.WEIGHTS) : int(kernels.WEIGHTS) + len(weights)] = weights
            if self._database is not None:
                work[int(kernels.DATABASE) : int(kernels.PATH)] = self._database.array
            kernels.prepare(self._rules, self._words, history, work)
        no_moves = np.empty(0, dtype=np.int64)  # compiles what is not compiled yet, before the clock starts
        kernels.search_root(self._rules, self._words, no_moves, 1, -INFINITY, INFINITY, self._works[0], self._table)
        self._start = time.perf_counter()

    def stop(self) -> None:
        """Makes all threads end within about a thousand nodes."""
        for work in self._works:
            work[kernels.STOP] = 1

    @property
    def nodes(self) -> int:
        """Nodes so far, of all threads."""
        return sum(int(work[kernels.NODES]) for work in self._works)

    @property
    def seconds(self) -> float:
        """Time so far."""
        return time.perf_counter() - self._start

    @property
    def seconds_left(self) -> float | None:
        """Time until the limit, None without one."""
        return None if self._seconds is None else self._seconds - self.seconds

    def deepen(self) -> Iterator[SearchResult]:
        """Deepens until a limit is reached, yielding a result for every finished depth."""
        helpers = [threading.Thread(target=self._help, args=(i,), daemon=True) for i in range(1, len(self._works))]
        for helper in helpers:
            helper.start()
        try:
            yield from self._deepen()
        finally:
            self.stop()
            for helper in helpers:
                helper.join()

    def interrupted(self, results: list[SearchResult]) -> SearchResult:
        """Returns the last result as one that Ctrl-C cut short; any legal move if there is none."""
        last = results[-1] if results else SearchResult(self._state.legal_moves()[0])
        return replace(last, interrupted=True)

    def _deepen(self) -> Iterator[SearchResult]:
        work = self._works[0]
        moves = self._state.legal_move_numbers()
        value = 0
        for depth in range(1, self._depth + 1):
            work[kernels.NODE_LIMIT] = self._nodes if depth > 1 else _NO_LIMIT
            static = work[kernels.STATIC]
            lines: list[tuple[int, list[int]]] = []
            left = list(moves)
            for _ in range(min(self._lines, len(moves))):
                line, index = self._search_line(work, left, depth, value if depth > 3 and not lines else None)
                if work[kernels.STOPPED]:
                    return
                lines.append((line, self._pv(work)))
                left.pop(index)
            value = lines[0][0]
            best = lines[0][1][0]
            moves.sort(key=lambda move, best=best: move != best)  # type: ignore[misc]
            complete = bool(work[kernels.STATIC] == static)
            over = abs(value) >= WON
            yield self._result(lines, depth, (self._exact or depth == 1) and (complete or over))
            left_over = self.seconds_left
            out_of_time = left_over is not None and left_over <= 0
            if complete or over or out_of_time or work[kernels.NODES] >= self._nodes:
                return

    def _search_line(
        self, work: npt.NDArray[np.uint64], moves: list[int], depth: int, guess: int | None
    ) -> tuple[int, int]:
        """Searches with a narrow window around a guess first; returns value and index of the best move."""
        numbers = np.array(moves, dtype=np.int64)
        alpha, beta = (-INFINITY, INFINITY) if guess is None else (guess - _WINDOW, guess + _WINDOW)
        value, index = kernels.search_root(self._rules, self._words, numbers, depth, alpha, beta, work, self._table)
        if not alpha < value < beta and guess is not None and not work[kernels.STOPPED]:
            value, index = kernels.search_root(
                self._rules, self._words, numbers, depth, -INFINITY, INFINITY, work, self._table
            )
        return int(value), int(index)

    def _help(self, number: int) -> None:
        """What the other threads do: the same search a little ahead or behind, for the table that they share."""
        work = self._works[number]
        work[kernels.NODE_LIMIT] = self._nodes
        moves = self._state.legal_move_numbers()
        moves = moves[number % len(moves) :] + moves[: number % len(moves)]
        for depth in range(1 + number % 2, MAX_DEPTH):
            _, index = self._search_line(work, moves, depth, None)
            if work[kernels.STOPPED]:
                return
            moves.insert(0, moves.pop(index))

    def _pv(self, work: npt.NDArray[np.uint64]) -> list[int]:
        row = int(kernels.PV)
        return [int(move) for move in work[row + 1 : row + 1 + int(work[row])]]

    def _result(self, lines: list[tuple[int, list[int]]], depth: int, proven: bool) -> SearchResult:
        name = self._rules.move_name
        said = tuple(Line(in_seeds(value), tuple(name(move) for move in pv)) for value, pv in lines)
        return SearchResult(
            said[0].pv[0],
            value=said[0].value,
            pv=said[0].pv,
            depth=depth,
            nodes=self.nodes,
            seconds=self.seconds,
            proven=proven,
            lines=said,
        )


def in_seeds(value: int) -> float:
    """Returns a value of the search in seeds; a game that is over becomes ±(1000 + margin)."""
    if abs(value) < WON:
        return value / SEED
    return value - WON + 1000 if value > 0 else value + WON - 1000
