"""Speed of the public Python interface, and what a tournament costs beside its engines."""

from __future__ import annotations

import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.kernels import PERFTS, middle_state
from benchmarks.measure import Benchmark, Done, counted
from experiments.config import Terms, TournamentConfig
from experiments.store import Store
from experiments.tournament import run_tournament
from mancala_ai import Limit, load_engine

CALLS = 10_000
PAIRS = 20  # of a tournament whose games are timed beside their engines
PAIRS_BY_WORKERS = 300  # of a tournament long enough for the start of its processes not to be all


def benchmarks(quick: bool) -> Iterator[Benchmark]:
    """Yields single calls from Python, and tournaments kept in a file."""
    calls = CALLS // 10 if quick else CALLS
    state = middle_state("giuthi")
    move, text, game = state.legal_moves()[0], str(state), state.game
    engine = load_engine("alphabeta")
    for what, call in (
        ("State.play(move)", lambda: state.play(move)),
        ("State.legal_moves()", state.legal_moves),
        ("str(State)", lambda: str(state)),
        ("Game.state(text)", lambda: game.state(text)),
        ("alphabeta, a search to depth 1", lambda: engine.search(state, Limit(depth=1)).nodes),
    ):
        yield Benchmark(f"call of {what}", "calls", partial(_calls, call, calls))
    for name in ("giuthi",) if quick else [case.game for case in PERFTS]:
        yield Benchmark(f"random game by State.play, {name}", "moves", partial(_random_moves, name, calls))
        yield Benchmark(f"tournament beside its engines, {name}", "games", partial(_overhead, name), 1000)
    for workers in (1, 2):
        label = f"tournament giuthi, {counted(workers, 'worker')}"
        yield Benchmark(
            label, "games", partial(_tournament, "giuthi", PAIRS_BY_WORKERS // (10 if quick else 1), workers)
        )


def _calls(call: Callable[[], object], times: int) -> Callable[[], Done]:
    def run() -> Done:
        for _ in range(times):
            found = call()
        return Done(times, zlib.crc32(str(found).encode()))

    return run


def _random_moves(name: str, moves: int) -> Callable[[], Done]:
    start = middle_state(name)

    def run() -> Done:
        choice, state, crc = 1, start, 0
        for _ in range(moves):
            legal = state.legal_move_numbers()
            choice = choice * 1103515245 + 12345 & 0x7FFFFFFF
            state = state.play_number(legal[(choice >> 8) % len(legal)])
            if state.is_over:
                crc = zlib.crc32(str(state).encode(), crc)
                state = start
        return Done(moves, crc)

    return run


def _played(name: str, pairs: int, workers: int) -> tuple[Done, float]:
    """Plays a tournament, and returns what was done, in so many seconds, and the engines' own seconds."""
    engines = ("alphabeta(depth=2)", "alphabeta(depth=1)")
    config = TournamentConfig((str(middle_state(name).game),), engines, pairs=pairs, terms=Terms(rng_seed=1))
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.sqlite", config) as store:
        start = time.perf_counter()
        played = run_tournament(config, workers, store=store)
        taken = time.perf_counter() - start
    moves = " ".join(move for result in played.results for move in result.record.moves)
    thinking = sum(sum(result.seconds) for result in played.results)
    return Done(len(played.results), zlib.crc32(moves.encode()), taken), thinking


def _tournament(name: str, pairs: int, workers: int) -> Callable[[], Done]:
    return lambda: _played(name, pairs, workers)[0]


def _overhead(name: str) -> Callable[[], Done]:
    def run() -> Done:
        done, thinking = _played(name, PAIRS, 0)
        assert done.seconds is not None
        return done._replace(seconds=done.seconds - thinking)

    return run
