"""Speed of the rules: perft and random playouts of every game, one thread."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from benchmarks.measure import Measurement, measure
from mancala_ai import State, load_game
from mancala_ai.counting import perft_with_checksum
from mancala_ai.playouts import random_playouts

# A Kiothi position after both redistributions, reached by random placements: the opening itself is not sowing.
_KIOTHI_MIDDLE = "3*,8*,6*,6*,1*,2*,5*,1*,0,2*/2*,2*,2*,2*,1*,7*,1*,3*,1*,5* S 0-0"


class PerftCase(NamedTuple):
    """A perft to time; ``position`` None is the start."""

    game: str
    position: str | None
    depth: int
    target: float | None  # leaves per second


PERFTS = (
    PerftCase("giuthi", None, 6, 16e6),
    PerftCase("kpe", None, 11, 25e6),
    PerftCase("rio_kadalis", None, 9, 8e6),
    PerftCase("kisolo", None, 12, 8e6),
    PerftCase("kiothi", _KIOTHI_MIDDLE, 5, 8e6),
    PerftCase("oware", None, 10, None),
    PerftCase("kalah", None, 10, None),
)
PLAYOUTS = (
    ("giuthi", 150_000.0),
    *((name, None) for name in ("kpe", "rio_kadalis", "kisolo", "kiothi", "oware", "kalah")),
)
PLAYOUT_GAMES = 20_000


def perfts(repeats: int) -> Iterator[Measurement]:
    """Yields a measurement per perft case; the signature is the checksum over all leaf positions."""
    for case in PERFTS:
        game = load_game(case.game)
        state = game.state(case.position) if case.position else game.initial_state()
        result = measure(partial(perft_with_checksum, state, case.depth), repeats)
        yield Measurement(f"perft {case.depth} {case.game}", "leaves", *result, case.target)


def playouts(repeats: int) -> Iterator[Measurement]:
    """Yields a measurement per game of random playouts from the start, repetition included."""
    for name, target in PLAYOUTS:
        state = load_game(name).initial_state()

        yield Measurement(f"playouts {name}", "games", *measure(partial(_play_out, state), repeats), target)


def _play_out(state: State) -> tuple[int, int]:
    margins, plies = random_playouts(state, PLAYOUT_GAMES, rng_seed=1)
    return PLAYOUT_GAMES, zlib.crc32(margins.tobytes() + plies.tobytes())
