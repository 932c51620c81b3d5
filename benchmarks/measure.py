"""Timing of fixed work, done repeatedly after a warm-up, and the memory that it takes."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import signal
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Done(NamedTuple):
    """What one run of a benchmark did.

    Attributes:
        work: how much, in the benchmark's unit; 0 where only the time matters.
        signature: a number that changes only when behaviour does; 0 for none.
        seconds: how long it took, where the run knows better than the clock around it.
        memory: bytes of memory at most, where the work is done by another process.
    """

    work: int
    signature: int
    seconds: float | None = None
    memory: int | None = None


class Benchmark(NamedTuple):
    """Fixed work that can be measured.

    Attributes:
        name: what is measured; unique.
        unit: what the work counts, such as ``leaves``.
        prepare: makes all that is needed and returns the run; raises `Skipped` if it cannot be done here.
        target: least work per second (or most seconds, where there is no work) that the project aims at, None if none.
        once: whether to measure a single run, without a warm-up.
    """

    name: str
    unit: str
    prepare: Callable[[], Callable[[], Done]]
    target: float | None = None
    once: bool = False


class Skipped(Exception):  # noqa: N818 (not an error)
    """A benchmark cannot be done on this machine; the message says what is missing."""


class Measurement(NamedTuple):
    """One line of the results; see `Benchmark` and `Done`.

    Attributes:
        seconds: times of the runs, in order.
        memory: bytes that it needed at most, beyond what this process held before; of another process that does the
            work, all. None where that cannot be known.
    """

    name: str
    unit: str
    work: int
    signature: int
    seconds: tuple[float, ...]
    target: float | None = None
    memory: int | None = None

    @property
    def best(self) -> float:
        """Shortest run, in seconds."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """Median run, in seconds."""
        return statistics.median(self.seconds)

    @property
    def spread(self) -> float:
        """Longest run less the shortest, as a share of the median."""
        return (max(self.seconds) - self.best) / self.median

    @property
    def rate(self) -> float:
        """Work per second in the median run."""
        return self.work / self.median


def counted(number: int, thing: str) -> str:
    """Returns a number of things in words, such as "1 thread" or "2 threads"."""
    return f"{number} {thing}{'s' * (number != 1)}"


def measure(benchmark: Benchmark, repeats: int) -> Measurement:
    """Runs a benchmark once to warm up and then ``repeats`` times.

    Raises:
        KeyboardInterrupt: Ctrl-C, also where what is measured takes it for the end of its work.
        Skipped: it cannot be done on this machine.
        AssertionError: a run did something else than the one before.
    """
    with _interruptibly():
        return _measure(benchmark, repeats)


@contextlib.contextmanager
def _interruptibly() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # which alone hears signals
        yield
        return
    heard = False

    def note(*arguments: Any) -> None:
        nonlocal heard
        heard = True
        signal.default_int_handler(*arguments)

    usual = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if heard:
            raise KeyboardInterrupt


def _measure(benchmark: Benchmark, repeats: int) -> Measurement:
    held = peak_memory() if forget_peak_memory() else None
    run = benchmark.prepare()
    expected = None if benchmark.once else run()[:2]
    forget_peak_memory()  # compiling is not what is measured
    seconds, memory = [], 0
    for _ in range(1 if benchmark.once else repeats):
        start = time.perf_counter()
        done = run()
        taken = time.perf_counter() - start
        seconds.append(taken if done.seconds is None else done.seconds)
        memory = max(memory, done.memory or 0)
        expected = expected or done[:2]
        if done[:2] != expected:
            raise AssertionError(f"{benchmark.name} changed its result between runs: {expected} and {done[:2]}")
    assert expected is not None
    if not memory and held is not None:
        memory = max(0, peak_memory() - held)
    return Measurement(benchmark.name, benchmark.unit, *expected, tuple(seconds), benchmark.target, memory or None)


def peak_memory() -> int:
    """Returns the most memory that this process has held since `forget_peak_memory`, in bytes (Linux only)."""
    (peak,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return 1024 * int(peak.split()[1])


def forget_peak_memory() -> bool:
    """Begins anew with `peak_memory`, from what the process needs now; returns whether the system can (Linux)."""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)  # what is free, but kept for later (GNU C library), is not needed
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True
