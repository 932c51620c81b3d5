"""All benchmarks."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import batches, endgames, interface, kernels, openspiel, peers, search, startup
from benchmarks.measure import Benchmark

MODULES = (peers, kernels, search, batches, endgames, openspiel, interface, startup)  # peers find a fresh process


def suite(quick: bool) -> Iterator[Benchmark]:
    """Yields all benchmarks, those of the quick suite (under a minute, warm) or those of the full one."""
    for module in MODULES:
        yield from module.benchmarks(quick)
