"""Timing of fixed work, done repeatedly after a warm-up."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple


class Done(NamedTuple):
    """What one run of a benchmark did.

    Attributes:
        work: how much, in the benchmark's unit; 0 where only the time matters.
        signature: a number that changes only when behaviour does; 0 for none.
        seconds: how long it took, where the run knows better than the clock around it.
    """

    work: int
    signature: int
    seconds: float | None = None


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
    """

    name: str
    unit: str
    work: int
    signature: int
    seconds: tuple[float, ...]
    target: float | None = None

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


def measure(benchmark: Benchmark, repeats: int) -> Measurement:
    """Runs a benchmark once to warm up and then ``repeats`` times.

    Raises:
        Skipped: it cannot be done on this machine.
        AssertionError: a run did something else than the one before.
    """
    run = benchmark.prepare()
    expected = None if benchmark.once else run()[:2]
    seconds = []
    for _ in range(1 if benchmark.once else repeats):
        start = time.perf_counter()
        done = run()
        taken = time.perf_counter() - start
        seconds.append(taken if done.seconds is None else done.seconds)
        expected = expected or done[:2]
        if done[:2] != expected:
            raise AssertionError(f"{benchmark.name} changed its result between runs: {expected} and {done[:2]}")
    assert expected is not None
    return Measurement(benchmark.name, benchmark.unit, *expected, tuple(seconds), benchmark.target)
