"""What was measured: as a table, as JSON, and against what was measured before."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.measure import Measurement
from mancala_ai import MancalaError
from mancala_ai.machine import machine, versions

SIGNIFICANCE = 0.05  # of the test whether two sets of times differ
LEAST_CHANGE = 0.03  # of the median; less is not worth a word


class Change(StrEnum):
    """How a benchmark compares with an earlier run."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "no difference"  # that the spread would let one see
    TOO_FEW = "too few runs"  # to see any difference
    OTHER_WORK = "other work"  # the signature or the amount differs: times cannot be compared


def to_data(measured: Sequence[Measurement], quick: bool, before: Mapping[str, Measurement]) -> dict[str, Any]:
    """Returns measurements with machine and versions, and how they compare with earlier ones, as JSON can hold them."""

    def compared(m: Measurement) -> dict[str, Any]:
        if m.name not in before:
            return {}
        ratio, change = compare(m, before[m.name])
        return {"ratio": ratio, "verdict": change.value}

    return {
        "quick": quick,
        "machine": machine(),
        "versions": versions(),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "measurements": [{**m._asdict(), "median": m.median, "spread": m.spread, **compared(m)} for m in measured],
    }


def read_measurements(path: Path) -> list[Measurement]:
    """Reads what `to_data` returned from a JSON file.

    Raises:
        MancalaError: the file cannot be read or is something else.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["measurements"]
        fields = Measurement._fields
        return [Measurement(**{f: e[f] for f in fields if f in e} | {"seconds": tuple(e["seconds"])}) for e in entries]
    except OSError as error:
        raise MancalaError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise MancalaError(f"{path}: expected measurements, as bench --json prints them") from None


def compare(new: Measurement, old: Measurement) -> tuple[float, Change]:
    """Compares two measurements of the same benchmark.

    Returns:
        How many times as fast the new one is, by the medians, and whether that says something: the runs differ by the
        test of Mann and Whitney (1947), and their medians by 3 % or more. The test needs three and five runs at least.
    """
    from scipy.stats import mannwhitneyu  # takes a moment to import

    ratio = old.median / new.median
    if (new.work, new.signature) != (old.work, old.signature):
        return ratio, Change.OTHER_WORK
    if 2 / math.comb(len(new.seconds) + len(old.seconds), len(new.seconds)) > SIGNIFICANCE:  # the least p there is
        return ratio, Change.TOO_FEW
    differ = abs(ratio - 1) >= LEAST_CHANGE and mannwhitneyu(new.seconds, old.seconds).pvalue < SIGNIFICANCE
    return ratio, (Change.FASTER if ratio > 1 else Change.SLOWER) if differ else Change.SAME


def table(measured: Sequence[Measurement], before: Mapping[str, Measurement]) -> Table:
    """Returns a table of measurements, with how they compare with earlier ones of the same name."""
    columns = ["benchmark", "median", "rate", "spread", "target", "memory", "signature"]
    drawn = Table(*columns, *(["ratio", "verdict"] if before else []), box=None, pad_edge=False)
    for column in drawn.columns[1:8]:
        column.justify = "right"
    for m in measured:
        target = "" if m.target is None else f"{_count(m.target)}/s" if m.work else f"{m.target:g} s"
        if m.target is not None and (m.rate < m.target if m.work else m.median > m.target):
            target += " missed"
        row = [m.name, _time(m.median), f"{_count(m.rate)}/s" if m.work else "", f"{m.spread:.0%}", target]
        row.append("" if m.memory is None else _memory(m.memory))
        row.append(f"{m.signature % 2**32:08x}" if m.signature else "")
        if m.name in before:
            ratio, change = compare(m, before[m.name])
            row += [f"{ratio:.2f}", change.value]
        drawn.add_row(*row)
    return drawn


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _count(rate: float) -> str:
    return f"{rate / 1e6:.1f} M" if rate >= 1e6 else f"{rate:,.0f}"


def _memory(size: int) -> str:
    return "< 1 MB" if size < 1e6 else f"{size / 1e6:,.0f} MB"
