"""Plays many games on several processes and hands the results over in order."""

from __future__ import annotations

import concurrent.futures
import contextlib
import ctypes
import multiprocessing
import multiprocessing.process
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import TracebackType
from typing import Any

from experiments.matches import GameResult, GameSpec, play_game
from mancala_ai import Engine

CHUNK_SECONDS = 0.1  # work handed to a process at a time: far more than handing it over takes, short enough to wait for
MOST_IN_CHUNK = 64  # games
GRACE_SECONDS = 2.0  # for a move that is being thought about when everything is to stop
_SPAWN = multiprocessing.get_context("spawn")  # forked processes and compiled code do not go together


def available_cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerDiedError(Exception):
    """A process ended without a word (a crash in compiled code, or no memory left)."""


class Workers:
    """Processes that play games; with one worker, this very process. To be used in a ``with`` statement."""

    def __init__(self, number: int) -> None:
        self._engines: dict[str, Engine] = {}  # of this process
        self._ahead: dict[int, list[GameResult]] = {}  # chunks played but not handed over, by number
        self._next = 0  # number of the chunk to be handed over next
        self._running: dict[concurrent.futures.Future[_Played], int] = {}
        self._pool: concurrent.futures.ProcessPoolExecutor | None = None
        if number > 1:
            self._stop = _SPAWN.RawValue(ctypes.c_bool, False)
            self._others = set(multiprocessing.active_children())
            self._pool = concurrent.futures.ProcessPoolExecutor(number, _SPAWN, _start_worker, (self._stop,))
            self._window = 2 * number
            for _ in range(number):  # starts all processes at once: they import while others still prepare
                self._pool.submit(int)

    def play(self, specs: Iterable[GameSpec], add: Callable[[GameResult], None]) -> None:
        """Plays games and hands every result to ``add``, in the order of the specs.

        Raises:
            KeyboardInterrupt: also if a worker was interrupted. `stop` has what was played beside what was handed over.
            WorkerDiedError: likewise.
        """
        if self._pool is None:
            for spec in specs:
                result = play_game(spec, self._engines)
                assert result is not None
                with _uninterrupted():
                    add(result)
            return

        specs = iter(specs)
        size, submitted = 1, 0
        while True:
            while len(self._running) < self._window and (chunk := list(islice(specs, size))):
                self._running[self._pool.submit(_play_chunk, chunk)] = submitted
                submitted += 1
            if not self._running:
                return
            done, _ = concurrent.futures.wait(self._running, return_when=concurrent.futures.FIRST_COMPLETED)
            with _uninterrupted():
                for future in done:
                    played = self._collect(future)
                    if played.results:
                        size = max(1, min(MOST_IN_CHUNK, int(CHUNK_SECONDS * len(played.results) / played.seconds)))
                while self._next in self._ahead:
                    for result in self._ahead.pop(self._next):
                        add(result)
                    self._next += 1

    def _collect(self, future: concurrent.futures.Future[_Played]) -> _Played:
        """Takes over the results of a chunk."""
        number = self._running.pop(future)
        try:
            played = future.result()
        except concurrent.futures.process.BrokenProcessPool as error:
            raise WorkerDiedError from error
        self._ahead[number] = played.results
        if played.interrupted:
            raise KeyboardInterrupt
        return played

    def stop(self, add: Callable[[GameResult], None]) -> None:
        """Ends all play, and hands over the results that are left: in order, with gaps perhaps.

        Games under way are given up at their next move.
        """
        if self._pool is None:
            return
        self._stop.value = True
        for future in list(self._running):
            if future.cancel():
                del self._running[future]
        done = concurrent.futures.wait(self._running, GRACE_SECONDS).done
        with _uninterrupted():
            for future in done:
                with contextlib.suppress(KeyboardInterrupt, WorkerDiedError):
                    self._collect(future)
            for number in sorted(self._ahead):
                for result in self._ahead.pop(number):
                    add(result)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is None:
            return
        if self._running:  # something went wrong, or an engine does not come back from its move
            for process in set(multiprocessing.active_children()) - self._others:
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


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


class _Played:
    """What a worker sends back: the results of a chunk as far as it came, and how long they took in all."""

    def __init__(self) -> None:
        self.results: list[GameResult] = []
        self.seconds = 0.0
        self.interrupted = False


# The side of the worker. Its globals are set once, by _start_worker.

_engines: dict[str, Engine] = {}
_stop: Any


def _start_worker(stop: Any) -> None:
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes; the parent decides what it means
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    # A pool's workers do not notice when the parent is killed.
    parent = multiprocessing.process.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _play_chunk(specs: list[GameSpec]) -> _Played:
    played = _Played()
    start = time.perf_counter()
    try:
        for spec in specs:
            result = play_game(spec, _engines, stopped=lambda: bool(_stop.value))
            if result is None:
                break
            played.results.append(result)
    except KeyboardInterrupt:
        played.interrupted = True
    played.seconds = time.perf_counter() - start
    return played
