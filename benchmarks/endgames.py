"""Speed of endgame databases: building levels, and looking positions up from a kernel."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.measure import Benchmark, Done, counted
from engines.endgame.build import build_levels
from engines.endgame.probe import EndgameDatabase, probe_all
from mancala_ai import load_game

SEEDS = {True: 6, False: 10}  # by whether it is quick
BUILD_TARGET = 5_311_735 / 3  # positions a second: 2x8 up to 10 seeds in 3 s
PROBES, PROBE_TARGET = 200_000, 1 / 0.3e-6


def benchmarks(quick: bool) -> Iterator[Benchmark]:
    """Yields building (signature: the checksums of all levels) and probing (signature: the sum of all bounds)."""
    seeds = SEEDS[quick]
    for threads in (1, 2):
        name = f"endgames giuthi, up to {seeds} seeds, {counted(threads, 'thread')}"
        yield Benchmark(name, "positions", partial(_build, seeds, threads), BUILD_TARGET if threads == 2 else None)
    yield Benchmark(f"endgame probes giuthi, {seeds} seeds", "probes", partial(_probe, seeds), PROBE_TARGET)


def _build(seeds: int, threads: int) -> Callable[[], Done]:
    game = load_game("giuthi")

    def run() -> Done:
        with tempfile.TemporaryDirectory() as folder:
            headers = [level.header for level in build_levels(game, seeds, Path(folder), threads).levels.values()]
        signature = sum(header.checksum << header.seeds for header in headers) % 2**32
        return Done(sum(header.positions for header in headers), signature)

    return run


def _probe(seeds: int) -> Callable[[], Done]:
    game = load_game("giuthi")
    with tempfile.TemporaryDirectory() as folder:
        database: EndgameDatabase = build_levels(game, seeds, Path(folder))  # stays open when the files are gone
    rng = np.random.default_rng(1)
    total = game.initial_state().total_seeds
    pits = rng.multinomial(seeds, np.full(16, 1 / 16), size=PROBES // 100)
    rows = [(",".join(map(str, p[:8])), ",".join(map(str, p[8:]))) for p in pits]
    texts = [f"{north}/{south} {'SN'[i % 2]} {total - seeds}-0" for i, (north, south) in enumerate(rows)]
    positions = np.tile(np.array([game.state(text).words for text in texts]), (100, 1))

    found = np.empty((len(positions), 2), dtype=np.int64)

    def run() -> Done:
        probe_all(game.rules, positions, database.array, found)
        return Done(len(positions), int(found.sum()) % 2**32)

    return run
