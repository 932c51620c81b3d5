"""Plays many games on several processes, of this machine or of a cluster, and hands over the results as they come."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import multiprocessing.process
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.synchronize import Semaphore
from types import TracebackType
from typing import Any, NamedTuple

from experiments.guard import play_guarded
from experiments.matches import GamePlayer, GameResult, GameSpec, Termination, Watch, warm_up
from mancala_ai import MancalaError, State, load_engine
from mancala_ai.cache import COMPILING, announce_compilation
from mancala_ai.errors import one_line_with_place

CHUNK_SECONDS = 0.1  # work handed to a process at a time: far more than handing it over takes, short enough to wait for
MOST_IN_CHUNK = 64  # games
MOST_DEATHS = 10  # of processes that had the same games, most of them the fault of others
MOST_IDLE = 20  # looks at a cluster that does nothing while games are to be played
LOOK_SECONDS = 1.0  # between two looks at the processes
GRACE_SECONDS = 2.0  # for games that are being played when everything is to stop
HUNG = 75  # exit code of a process whose engine did not come back
_SPAWN = multiprocessing.get_context("spawn")  # forked processes and compiled code do not go together


def available_cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerDiedError(Exception):
    """A process ended though every engine was kept out of it (no memory left, or killed from outside)."""


class LocalPool:
    """Processes of this machine. A pool that has lost one is useless; `start` gives a new one."""

    death: tuple[type[Exception], ...] = (BrokenProcessPool,)
    """What a future raises whose process has died."""
    survives = False
    """Whether the others go on when a process has died."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._others = set(multiprocessing.active_children())
        self._to_tell = _SPAWN.Semaphore(1)  # taken by the process that says that kernels are compiled

    def start(self) -> Executor:
        """Starts all processes at once: they import while others still prepare."""
        pool = concurrent.futures.ProcessPoolExecutor(self.number, _SPAWN, _start_worker, (self._to_tell,))
        with _sigint_blocked():
            for _ in range(self.number):
                pool.submit(int)
        return pool

    def is_whole(self) -> bool:
        """Whether no process has died; a pool whose process has left children behind does not notice that itself."""
        return len(self._processes()) >= self.number

    def kill(self) -> None:
        """Ends all processes, whatever they do."""
        for process in self._processes():
            process.kill()

    def _processes(self) -> set[multiprocessing.process.BaseProcess]:
        return set(multiprocessing.active_children()) - self._others

    def end(self, pool: Executor, at_once: bool) -> None:
        """Ends all processes; ``at_once`` also those that are busy."""
        if at_once:
            self.kill()
        pool.shutdown(wait=not at_once, cancel_futures=True)


class DaskPool:
    """The workers of a Dask cluster, through the executor interface of ``distributed``.

    Raises:
        MancalaError: ``distributed`` is not installed, or nobody answers at the address.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
            from distributed.scheduler import KilledWorker
        except ImportError:
            raise MancalaError(
                "--dask: distributed is not installed: expected pip install 'mancala-ai[cluster]'"
            ) from None
        try:
            client: Any = Client(address, timeout=10)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise MancalaError(f"--dask {address}: {reason}: expected the address of a Dask scheduler") from None
        self._client, self._idle = client, 0
        self.number = max(1, sum(client.nthreads().values()))
        self.death: tuple[type[Exception], ...] = (KilledWorker,)
        self.survives = True

    def start(self) -> Executor:
        """Returns the executor of the cluster."""
        return self._client.get_executor(pure=False)  # type: ignore[no-any-return]

    def is_whole(self) -> bool:
        """Whether the cluster is at work, or was a moment ago: it can lose games whose worker has died, in silence."""
        self._idle = 0 if any(self._client.processing().values()) else self._idle + 1
        return self._idle < MOST_IDLE

    def kill(self) -> None:
        """Does nothing: the cluster is not ours."""

    def end(self, pool: Executor, at_once: bool) -> None:
        """Lets the cluster go; it stays as it is."""
        pool.shutdown(wait=not at_once)
        self._client.close()


@contextlib.contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Processes started within are deaf to Ctrl-C, from their first moment on; this one hears it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    usual = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)


class _Chunk(NamedTuple):
    """Games handed to a worker together.

    Attributes:
        specs: the games.
        deaths: how often a process has died while it had them.
        guarded: whether to play them in processes that may die (see `experiments.guard`).
    """

    specs: list[GameSpec]
    deaths: int = 0
    guarded: bool = False


class _Played(NamedTuple):
    """What a worker sends back: results, and how long they took in all."""

    results: list[GameResult]
    seconds: float


class Workers:
    """Processes that play games. To be used in a ``with`` statement.

    When a process dies, all games that were under way are played again, guarded: one that ends its process a second
    time is lost by the player that was thinking.
    """

    def __init__(self, pool: LocalPool | DaskPool) -> None:
        self._pool = pool
        self._executor = pool.start()
        self._warming: list[Future[list[str]]] = []
        self._running: dict[Future[_Played], _Chunk] = {}
        self._again: list[_Chunk] = []
        self._suspects: set[str] = set()  # players that have ended a process: the next time not one of the pool

    def warm_up(self, engines: Sequence[str], games: Sequence[str]) -> list[str]:
        """Lets every engine make a first move in every game, so that the kernels of all are compiled, side by side.

        Engines of one game share kernels, so a process does them together unless there are too few games.

        Args:
            engines: engine strings.
            games: game strings.

        Returns:
            What went wrong, a line each.

        Raises:
            KeyboardInterrupt: nothing was played.
        """
        parts = [engines] if len(games) >= self._pool.number else [[engine] for engine in engines]
        self._warming = [self._executor.submit(_warm_up, part, game) for game in games for part in parts]
        while concurrent.futures.wait(self._warming, LOOK_SECONDS).not_done and self._pool.is_whole():
            pass
        failures: tuple[type[Exception], ...] = (*self._pool.death, TimeoutError)
        try:
            warnings = [line for future in self._warming for line in future.result(timeout=0)]
        except failures:
            warnings = ["a process died while engines were warmed up"]
            self._pool.kill()
            self._restart()
        self._warming = []
        return warnings

    def play(self, specs: Iterable[GameSpec], add: Callable[[GameResult], None]) -> None:
        """Plays games and hands every result to ``add``, in any order.

        Raises:
            KeyboardInterrupt: `stop` has what is finished beside what was handed over.
            WorkerDiedError: likewise.
        """
        specs = iter(specs)
        size = 1
        while True:
            while len(self._running) < 2 * self._pool.number:
                chunk = self._again.pop() if self._again else self._next(specs, size)
                if not chunk.specs:
                    break
                try:
                    self._running[self._executor.submit(_play_chunk, chunk.specs, chunk.guarded)] = chunk
                except self._pool.death:  # a process has died since the last look at the futures
                    self._again.append(chunk)
                    break
            if not self._running and not self._again:
                return
            if not self._running:
                self._recover()
                continue
            done, _ = concurrent.futures.wait(
                self._running, LOOK_SECONDS, return_when=concurrent.futures.FIRST_COMPLETED
            )
            with _uninterrupted():
                died = any(isinstance(future.exception(), self._pool.death) for future in done)
                if died or not (done or self._pool.is_whole()):
                    done = self._recover()
                for future in done:
                    played = self._collect(future, add)
                    if played.results:
                        size = max(1, min(MOST_IN_CHUNK, int(CHUNK_SECONDS * len(played.results) / played.seconds)))

    def _next(self, specs: Iterator[GameSpec], size: int) -> _Chunk:
        chunk = list(islice(specs, size))
        return _Chunk(chunk, guarded=any(not self._suspects.isdisjoint(spec.players) for spec in chunk))

    def _recover(self) -> set[Future[_Played]]:
        """Gets over the death of a process; returns the futures that have ended by now."""
        if self._pool.survives and any(future.done() for future in self._running):
            return {future for future in self._running if future.done()}
        self._pool.kill()  # with one process all futures fail, unless a child of its keeps the pool from noticing
        done = concurrent.futures.wait(self._running, GRACE_SECONDS).done
        for future in set(self._running) - done:
            chunk = self._running.pop(future)
            self._again.append(_Chunk(chunk.specs, chunk.deaths + 1, guarded=True))
        self._restart()
        return done

    def _restart(self) -> None:
        """Starts new processes in the place of those that were killed."""
        if not self._pool.survives:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = self._pool.start()

    def _collect(self, future: Future[_Played], add: Callable[[GameResult], None]) -> _Played:
        """Hands over the results of a chunk; one whose process has died is noted, to be played again."""
        chunk = self._running.pop(future)
        try:
            played = future.result()
        except self._pool.death as error:
            if chunk.deaths == MOST_DEATHS:
                raise WorkerDiedError from error
            self._again.append(_Chunk(chunk.specs, chunk.deaths + 1, guarded=True))
            return _Played([], 0)
        for result in played.results:
            if chunk.guarded and result.termination in (Termination.ENGINE_ERROR, Termination.TIME_FORFEIT):
                self._suspects.add(result.spec.players[0 if result.outcome < 0 else 1])
            add(result)
        return played

    def stop(self, add: Callable[[GameResult], None]) -> None:
        """Ends all play, and hands over what is finished."""
        for future in list(self._running):
            if future.cancel():
                del self._running[future]
        done = concurrent.futures.wait(self._running, GRACE_SECONDS).done
        with _uninterrupted():
            for future in done:
                for result in () if future.exception() else future.result().results:
                    add(result)
                del self._running[future]

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.end(self._executor, at_once=bool(self._running or self._warming))


def play_here(specs: Iterable[GameSpec], add: Callable[[GameResult], None]) -> None:
    """Plays games in this process, in order; an engine that does not come back keeps it.

    Raises:
        KeyboardInterrupt: what was played has been handed over.
    """
    player = GamePlayer()
    for spec in specs:
        result = player.play(spec)
        with _uninterrupted():
            add(result)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Puts Ctrl-C off to the end of the block, so that what is in it happens as a whole."""
    if threading.current_thread() is not threading.main_thread():  # which alone hears signals
        yield
        return
    heard = False

    def note(*_: object) -> None:
        nonlocal heard
        heard = True

    usual = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual or signal.default_int_handler)
    if heard:
        signal.raise_signal(signal.SIGINT)


# The side of the worker.


_local = threading.local()  # each thread of a worker has engines of its own


def _start_worker(to_tell: Semaphore) -> None:
    announce_compilation(lambda: print(COMPILING, file=sys.stderr) if to_tell.acquire(block=False) else None)
    os.dup2(2, 1)  # what engines print must not get into our output
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes; the parent decides what it means
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    # A pool's workers do not notice when the parent is killed.
    parent = multiprocessing.process.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class _Alarm(Watch):
    """Ends the process when a player does not come back: nothing else would free it.

    The system does so (SIGALRM), whatever the process is busy with; so only where a process has one player at a time.
    """

    def __init__(self) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def thinks(self, state: State, side: int, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def rests(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)


class _Watchdog(Watch):
    """The same by a thread, which some that hang in compiled code can keep from running."""

    def __init__(self) -> None:
        self._deadline = float("inf")
        threading.Thread(target=self._guard, daemon=True).start()

    def thinks(self, state: State, side: int, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds

    def rests(self) -> None:
        self._deadline = float("inf")

    def _guard(self) -> None:
        while time.monotonic() < self._deadline:
            time.sleep(0.1)
        os._exit(HUNG)


def _watch() -> Watch:
    alone = threading.current_thread() is threading.main_thread()
    return _Alarm() if alone and hasattr(signal, "setitimer") else _Watchdog()


def _warm_up(engines: Sequence[str], game: str) -> list[str]:
    warnings = []
    for engine in engines:
        try:
            warm_up(load_engine(engine), game)
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            warnings.append(f"{engine} cannot play {game}: {one_line_with_place(error)}")
    return warnings


def _play_chunk(specs: list[GameSpec], guarded: bool) -> _Played:
    start = time.perf_counter()
    if guarded:
        return _Played(play_guarded(specs), time.perf_counter() - start)
    if not hasattr(_local, "player"):
        _local.player = GamePlayer(_watch(), deaf=True)
    results = [_local.player.play(spec) for spec in specs]
    return _Played(results, time.perf_counter() - start)
