"""Speed of the engines, on ten fixed positions of each game."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from benchmarks.measure import Benchmark, Done
from experiments.openings import distinct_openings
from mancala_ai import Limit, State, load_engine, load_game

POSITIONS = 10
OPENING_PLIES = 4
DEPTHS = {"giuthi": 10, "kiothi": 6, "kpe": 15, "kisolo": 14, "rio_kadalis": 16}
QUICK = 3  # plies less
THREADS_DEEPER = 1  # plies more for two threads, so that starting them is not what is measured
NODE_TARGETS = {"giuthi": 8e6, "kiothi": 5e6, "kpe": 5e6, "kisolo": 5e6, "rio_kadalis": 5e6}
SIMULATIONS = 20_000
MCTS: dict[str, dict[str, float]] = {
    "mcts(playout=uniform,cutoff=0)": {"giuthi": 100_000},
    "mcts": {},
    "mcts(threads=2)": {},
}
"""Engines, and their targets by game."""


def benchmarks(quick: bool) -> Iterator[Benchmark]:
    """Yields alpha-beta to a depth (signature: the nodes) and MCTS from the start (signature: its values)."""
    for name, depth in DEPTHS.items():
        to = depth - QUICK * quick
        prepare = partial(_to_depth, "alphabeta", name, to)
        yield Benchmark(f"alphabeta {name}, ten positions to depth {to}", "nodes", prepare, NODE_TARGETS[name])
        if not quick:  # how many nodes two threads search depends on how they meet, so that nodes a second are compared
            yield Benchmark(f"alphabeta {name}, 2 threads", "nodes", partial(_threads, name, depth + THREADS_DEEPER))
    simulations = SIMULATIONS // 10 if quick else SIMULATIONS
    for engine, targets in MCTS.items():
        for name in DEPTHS:
            prepare = partial(simulating, engine, name, simulations)
            yield Benchmark(f"{engine} {name}", "simulations", prepare, targets.get(name))


def fixed_states(name: str) -> list[State]:
    """Returns ten states of a game after four random moves, always the same."""
    game = load_game(name)
    return [game.state(str(state)) for state in islice(distinct_openings(game, OPENING_PLIES, 1), POSITIONS)]


def branching_factor(name: str, depth: int) -> float:
    """Returns the effective branching factor of alpha-beta from the start: the geometric mean growth of nodes a ply."""
    nodes = [result.nodes for result in load_engine("alphabeta").analyse(load_game(name).initial_state(), Limit(depth))]
    return math.exp(math.log(nodes[-1] / nodes[0]) / (len(nodes) - 1))


def _to_depth(engine: str, name: str, depth: int) -> Callable[[], Done]:
    searcher, states = load_engine(engine), fixed_states(name)

    def run() -> Done:
        nodes = sum(searcher.search(state, Limit(depth=depth)).nodes for state in states)
        return Done(nodes, nodes)

    return run


def _threads(name: str, depth: int) -> Callable[[], Done]:
    searcher, states = load_engine("alphabeta(threads=2)"), fixed_states(name)
    unit = 1_000_000  # the rate is what is compared: time is given for a million nodes

    def run() -> Done:
        results = [searcher.search(state, Limit(depth=depth)) for state in states]
        return Done(unit, 0, unit * sum(r.seconds for r in results) / sum(r.nodes for r in results))

    return run


def simulating(engine: str, name: str, simulations: int) -> Callable[[], Done]:
    """Returns a run of so many simulations from the start of a game; its signature is the result."""
    searcher, state = load_engine(engine), load_game(name).initial_state()

    def run() -> Done:
        result = searcher.search(state, Limit(simulations=simulations))
        return Done(result.simulations, zlib.crc32(f"{result.move} {result.value}".encode()))

    return run
