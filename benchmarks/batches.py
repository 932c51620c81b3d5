"""Speed of batches: steps of random games, chosen in the kernel or by the caller, and playouts from every position."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.measure import Benchmark, Done, counted
from mancala_ai import load_game
from mancala_ai.batch import Batch

SIZE, STEPS = 4096, 100
PLAYOUTS = 10  # from each position
TARGETS = {("giuthi", 2): 20e6}  # steps a second, by game and threads


def benchmarks(quick: bool) -> Iterator[Benchmark]:
    """Yields steps of batches (signature: the positions afterwards), playouts, and observations."""
    steps = STEPS // 10 if quick else STEPS
    for name in ("giuthi",) if quick else ("giuthi", "kiothi", "kpe", "kisolo", "rio_kadalis"):
        for threads in (1, 2):
            label = f"batch of {SIZE} {name}, random steps, {counted(threads, 'thread')}"
            prepare = partial(_random_steps, name, steps, threads)
            yield Benchmark(label, "steps", prepare, TARGETS.get((name, threads)))
    for threads in (1, 2):
        label = f"batch of {SIZE} giuthi, playouts, {counted(threads, 'thread')}"
        yield Benchmark(label, "games", partial(_playouts, "giuthi", 1 if quick else PLAYOUTS, threads))
    yield Benchmark(f"batch of {SIZE} giuthi, moves of the caller", "steps", partial(_steps, "giuthi", steps))
    yield Benchmark(f"batch of {SIZE} giuthi, observations", "positions", partial(_observe, "giuthi", steps))


def _crc(batch: Batch) -> int:
    return zlib.crc32(np.ascontiguousarray(batch.words).tobytes())


def _random_steps(name: str, steps: int, threads: int) -> Callable[[], Done]:
    new = Batch.start(load_game(name), SIZE, threads=threads)

    def run() -> Done:
        batch = new.copy()
        start = time.perf_counter()
        batch.random_steps(steps, rng_seed=1)
        return Done(SIZE * steps, _crc(batch), time.perf_counter() - start)

    return run


def _playouts(name: str, games: int, threads: int) -> Callable[[], Done]:
    batch = Batch.start(load_game(name), SIZE, threads=threads)

    def run() -> Done:
        played = batch.random_playouts(games, rng_seed=1)
        return Done(SIZE * games, zlib.crc32(played.margins.tobytes() + played.plies.tobytes()))

    return run


def _different_games(name: str) -> Batch:
    batch = Batch.start(load_game(name), SIZE)
    batch.random_steps(20, rng_seed=1)
    return batch


def _steps(name: str, steps: int) -> Callable[[], Done]:
    different = _different_games(name)

    def run() -> Done:
        batch = different.copy()
        start = time.perf_counter()
        for _ in range(steps):
            batch.step(batch.legal_mask().argmax(axis=1))  # the first legal move
        return Done(SIZE * steps, _crc(batch), time.perf_counter() - start)

    return run


def _observe(name: str, steps: int) -> Callable[[], Done]:
    batch = _different_games(name)

    def run() -> Done:
        for _ in range(steps):
            seen = batch.to_observation()
        return Done(SIZE * steps, zlib.crc32(seen.tobytes()))

    return run
