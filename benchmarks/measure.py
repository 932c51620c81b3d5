"""Timing of repeated, fixed work."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple


class Measurement(NamedTuple):
    """One line of a benchmark: fixed work, done several times after a warm-up.

    Attributes:
        name: what was measured.
        unit: what ``work`` counts, such as ``leaves``.
        work: how much one run does; 0 where only the time matters.
        signature: a number that changes only when behaviour does.
        seconds: times of the runs, in order.
        target: least work per second (or most seconds, where there is no work) that the project aims at, None if none.
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
    def rate(self) -> float:
        """Work per second in the median run."""
        return self.work / self.median


def measure(run: Callable[[], tuple[int, int]], repeats: int) -> tuple[int, int, tuple[float, ...]]:
    """Runs ``run`` once to warm up and then ``repeats`` times.

    Args:
        run: does the fixed work and returns its amount and its signature, the same every time.
        repeats: number of measured runs.

    Returns:
        Amount, signature, and the seconds of each run.

    Raises:
        AssertionError: a run did something else than the warm-up.
    """
    expected = run()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        seconds.append(time.perf_counter() - start)
        if result != expected:
            raise AssertionError(f"a benchmark changed its result between runs: {expected} and {result}")
    return *expected, tuple(seconds)
