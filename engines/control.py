"""Running long kernels so that they can be stopped.

A signal is not delivered while the main thread is inside a kernel, so the kernel runs in a worker thread while the
caller waits. A word of an array says when to stop; the kernel reads it with an atomic load, which no compiler may move
out of a loop.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

T = TypeVar("T")
POLL = 0.01  # seconds
Words = npt.NDArray[np.uint64]


def load_shared(words: Any, index: int) -> Any:
    """Returns ``words[index]`` of a one-dimensional ``uint64`` array, as another thread last wrote it."""
    return words[index]


@intrinsic
def _load_atomic(typing_context, words, index):
    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        position = cgutils.gep(builder, array.data, args[1])
        return builder.load_atomic(position, "monotonic", 8)

    return types.uint64(words, types.intp), generate


@overload(load_shared, jit_options={"forceinline": True})
def _load_shared(words, index):
    return lambda words, index: _load_atomic(words, index)


def _wait(deadline: float | None) -> float:
    """Returns how long to wait, in seconds: never long, since a signal may arrive while another thread runs."""
    return POLL if deadline is None else min(max(deadline - time.perf_counter(), 0), POLL)


def results_of(
    work: Callable[[Callable[[T], None]], None], stop: Callable[[], None], seconds: float | None = None
) -> Iterator[T]:
    """Runs ``work(report)`` in a worker thread and yields what it reports, as it comes.

    Args:
        work: calls ``report`` with each result, and ends soon after ``stop`` was called.
        stop: called when the time is up, and when the consumer stops (Ctrl-C included).
        seconds: time limit, None for none.

    Yields:
        The reported results.
    """
    reports: queue.SimpleQueue[list[T]] = queue.SimpleQueue()  # an empty list says that there are no more

    def run() -> None:
        try:
            work(lambda result: reports.put([result]))
        except BaseException as error:  # handed to the caller's thread
            failure.append(error)
        finally:
            reports.put([])

    failure: list[BaseException] = []
    thread = threading.Thread(target=run, daemon=True)
    deadline = None if seconds is None else time.perf_counter() + seconds
    thread.start()
    try:
        while True:
            try:
                report = reports.get(timeout=_wait(deadline))
            except queue.Empty:
                if deadline is not None and time.perf_counter() >= deadline:
                    stop()
                    deadline = None
                continue
            if not report:
                break
            yield report[0]
    finally:
        stop()
        thread.join()
    if failure:
        raise failure[0]


def run_stoppable(work: Callable[[], T], stop: Callable[[], None], seconds: float | None = None) -> T:
    """Runs ``work`` in a worker thread and returns its result; stops it on time and on Ctrl-C.

    Args:
        work: calls kernels that end soon after ``stop`` was called.
        stop: asks them to end; called when the time is up, and on KeyboardInterrupt, which is raised again afterwards.
        seconds: time limit, None for none.

    Returns:
        What ``work`` returns.
    """
    result: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:  # handed to the caller's thread
            failure.append(error)

    thread = threading.Thread(target=run, daemon=True)
    deadline = None if seconds is None else time.perf_counter() + seconds
    thread.start()
    try:
        while thread.is_alive() and (deadline is None or time.perf_counter() < deadline):
            thread.join(_wait(deadline))
        stop()
        thread.join()
    except BaseException:
        stop()
        thread.join()
        raise
    if failure:
        raise failure[0]
    return result[0]
