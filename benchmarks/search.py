"""Time and nodes to depth of alpha-beta, on ten fixed positions of each game."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from benchmarks.measure import Measurement, measure
from experiments.openings import distinct_openings
from mancala_ai import Engine, Limit, State, load_engine, load_game

POSITIONS = 10
OPENING_PLIES = 4
DEPTHS = {"giuthi": 10, "kiothi": 6, "kpe": 15, "kisolo": 14, "rio_kadalis": 16}


def searches(repeats: int, engine: str = "alphabeta") -> Iterator[Measurement]:
    """Yields a measurement per game: nodes of all ten positions to the game's depth; they are the signature, too."""
    for name, depth in DEPTHS.items():
        game = load_game(name)
        openings = distinct_openings(game, OPENING_PLIES, rng_seed=1)
        states = [game.state(str(next(openings))) for _ in range(POSITIONS)]
        result = measure(partial(_search_all, load_engine(engine), states, depth), repeats)
        yield Measurement(f"{engine} {name} to depth {depth}", "nodes", *result)


def branching_factor(name: str, depth: int) -> float:
    """Returns the effective branching factor of alpha-beta from the start: the geometric mean growth of nodes a ply."""
    nodes = [result.nodes for result in load_engine("alphabeta").analyse(load_game(name).initial_state(), Limit(depth))]
    return math.exp(math.log(nodes[-1] / nodes[0]) / (len(nodes) - 1))


def _search_all(engine: Engine, states: list[State], depth: int) -> tuple[int, int]:
    nodes = sum(engine.search(state, Limit(depth=depth)).nodes for state in states)
    return nodes, nodes
