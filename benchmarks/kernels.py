"""Speed of the rules: perft and random playouts of every game, one thread."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from benchmarks.measure import Benchmark, Done
from mancala_ai import Game, State, load_game
from mancala_ai.counting import perft_with_checksum
from mancala_ai.playouts import random_playouts

# A Kiothi position after both redistributions, reached by random placements: the opening itself is not sowing.
_KIOTHI_MIDDLE = "3*,8*,6*,6*,1*,2*,5*,1*,0,2*/2*,2*,2*,2*,1*,7*,1*,3*,1*,5* S 0-0"


class PerftCase(NamedTuple):
    """A perft to time; ``position`` None is the start, and a quick run is so many plies less deep."""

    game: str
    position: str | None
    depth: int
    target: float | None  # leaves per second
    quick: int = 1


PERFTS = (
    PerftCase("giuthi", None, 6, 16e6),
    PerftCase("kpe", None, 11, 25e6, 2),
    PerftCase("rio_kadalis", None, 9, 8e6, 2),
    PerftCase("kisolo", None, 12, 8e6, 2),
    PerftCase("kiothi", _KIOTHI_MIDDLE, 5, 8e6),
    PerftCase("oware", None, 10, None, 2),
    PerftCase("kalah", None, 10, None, 2),
)
PLAYOUTS = (
    ("giuthi", 150_000.0),
    *((name, None) for name in ("kpe", "rio_kadalis", "kisolo", "kiothi", "oware", "kalah")),
)
PLAYOUT_GAMES = 20_000


def middle_state(name: str) -> State:
    """Returns a state of a game from which moves are the usual ones: after Kiothi's opening, else the start."""
    game: Game = load_game(name)
    given = [case.position for case in PERFTS if case.game == name and case.position]
    return game.state(given[0]) if given else game.initial_state()


def benchmarks(quick: bool) -> Iterator[Benchmark]:
    """Yields perfts (signature: the checksum over all leaf positions) and random playouts, repetition included."""
    for case in PERFTS:
        depth = case.depth - case.quick * quick
        prepare = partial(_perft, middle_state(case.game), depth)
        yield Benchmark(f"perft {depth} {case.game}", "leaves", prepare, case.target)
    for name, target in PLAYOUTS:
        games = PLAYOUT_GAMES // 10 if quick else PLAYOUT_GAMES
        yield Benchmark(f"playouts {name}", "games", partial(_playouts, name, games), target)


def _perft(state: State, depth: int) -> Callable[[], Done]:
    return lambda: Done(*perft_with_checksum(state, depth))


def _playouts(name: str, games: int) -> Callable[[], Done]:
    state = load_game(name).initial_state()

    def run() -> Done:
        margins, plies = random_playouts(state, games, rng_seed=1)
        return Done(games, zlib.crc32(margins.tobytes() + plies.tobytes()))

    return run
