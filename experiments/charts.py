"""What charts show, computed: bins of histograms, and where intervals lie on their axis. Templates draw it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_BINS = 25
"""Of a histogram."""


@dataclass(frozen=True)
class Histogram:
    """Whole numbers, counted in bins of equal width.

    Attributes:
        first: where the first bin begins.
        width: of every bin: from ``first + i * width`` on, that many whole numbers.
        counts: by bin.
        mean: of the numbers themselves.
    """

    first: int
    width: int
    counts: tuple[int, ...]
    mean: float

    def label(self, number: int) -> str:
        """Says which numbers a bin holds."""
        low = self.first + number * self.width
        return str(low) if self.width == 1 else f"{low} to {low + self.width - 1}"


def histogram(values: Sequence[int]) -> Histogram | None:
    """Returns the histogram of whole numbers in at most `MOST_BINS` bins of a round width; None without any."""
    if not values:
        return None
    low, high = min(values), max(values)
    width = next(w for w in _round_numbers() if high // w - low // w < MOST_BINS)
    counts = [0] * (high // width - low // width + 1)
    for value in values:
        counts[value // width - low // width] += 1
    return Histogram(low // width * width, width, tuple(counts), sum(values) / len(values))


def _round_numbers() -> Any:
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


@dataclass(frozen=True)
class Axis:
    """A stretch of numbers, drawn from 0 to 100 % of some width.

    Attributes:
        low: its begin.
        high: its end.
        ticks: round numbers on it.
    """

    low: float
    high: float
    ticks: tuple[int, ...]

    def at(self, value: float) -> float:
        """Returns where a number lies, in per cent."""
        return 100 * (value - self.low) / (self.high - self.low)


def rating_axis(ratings: Sequence[Mapping[str, Any]]) -> Axis:
    """Returns an axis with room for ratings, their intervals and bounds (as `experiments.tables.to_data` has them)."""
    values = [0.0]
    for rating in ratings:
        values += [rating["elo"]] if rating["elo"] is not None else []
        values += [rating["bound"]["elo"]] if rating["bound"] else []
        values += rating["interval"] or []
    room = max(20.0, 0.06 * (max(values) - min(values)))
    low, high = min(values) - room, max(values) + room
    step = next(number for number in _round_numbers() if (high - low) / number <= 6)
    ticks = range(math.ceil(low / step) * step, math.floor(high) + 1, step)
    return Axis(low, high, tuple(ticks))
