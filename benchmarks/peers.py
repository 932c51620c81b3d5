"""The same work done by other programs on the same machine, measured in the same run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.kernels import PERFTS
from benchmarks.measure import Benchmark, Done, Skipped
from benchmarks.search import SIMULATIONS, simulating
from mancala_ai import Limit, load_engine, load_game

SOURCE = Path(__file__).with_name("giuthi_perft.c")
FLAGS = ("-O3", "-march=native")
_PYTHON_MOVES = """
import time
from tests.reference import load_game, perft
state = load_game("giuthi").initial_state()
played = sum(perft(state, depth) for depth in (1, 2, 3))  # the reference counts the leaves of depth 4 unplayed
start = time.perf_counter()
perft(state, 4)
print(played, time.perf_counter() - start)
"""
OPENSPIEL_GAMES = {"oware": "oware", "kalah": "mancala"}  # those with the same rules, and their names there
OPENSPIEL_PLAYOUTS = 2_000
ALPHABETA_DEPTH, ALPHABETA_QUICK = 11, 3  # a quick run is so many plies less deep
MATERIAL: dict[str, Callable[[Any], float]] = {  # seeds that South has captured, less North's; South begins
    "oware": lambda state: 48 * (state.observation_tensor(0)[12] - state.observation_tensor(0)[13]),
    "kalah": lambda state: state.observation_tensor(0)[7] - state.observation_tensor(0)[0],
}
NO_MATERIAL = 1000  # added to values, so that signatures are positive
RANDOM_PLAYOUTS = "mcts(playout=uniform,cutoff=0)"  # what OpenSpiel's MCTSBot does with its rollout evaluator


def benchmarks(quick: bool) -> Iterator[Benchmark]:
    """Yields Giuthi perft in C, whose signature is that of our own; and what OpenSpiel does in games that both have."""
    depth = PERFTS[0].depth - PERFTS[0].quick * quick
    yield Benchmark(f"perft {depth} giuthi in C", "leaves", partial(_c_perft, depth))
    yield Benchmark("moves of giuthi in plain Python, the tests' reference", "moves", _python_moves)
    less = 10 if quick else 1
    for name, theirs in OPENSPIEL_GAMES.items():
        games, simulations = OPENSPIEL_PLAYOUTS // less, SIMULATIONS // less
        yield Benchmark(f"playouts {name} in OpenSpiel (C++)", "games", partial(_openspiel_playouts, theirs, games))
        ours = partial(simulating, RANDOM_PLAYOUTS, name, simulations)
        yield Benchmark(f"{RANDOM_PLAYOUTS} {name}", "simulations", ours)
        yield Benchmark(
            f"MCTSBot {name} in OpenSpiel (C++)", "simulations", partial(_openspiel_mcts, theirs, simulations)
        )
        depth = ALPHABETA_DEPTH - ALPHABETA_QUICK * quick
        yield Benchmark(f"alphabeta by material {name}, depth {depth}", "searches", partial(_alphabeta, name, depth))
        yield Benchmark(
            f"alpha_beta_search {name} in OpenSpiel (Python on C++), depth {depth}",
            "searches",
            partial(_openspiel_alphabeta, name, depth),
        )


def _c_perft(depth: int) -> Callable[[], Done]:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise Skipped("no C compiler")
    folder = tempfile.TemporaryDirectory()  # lives as long as the run that it is bound to
    program = Path(folder.name) / "giuthi_perft"
    try:
        subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(program)], check=True, capture_output=True)
    except (subprocess.CalledProcessError, OSError) as error:
        raise Skipped(f"the C compiler fails: {error}") from None

    def run(_: object = folder) -> Done:
        command = [str(program), str(depth), "1"]
        leaves, checksum, seconds = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        return Done(int(leaves), int(checksum), float(seconds))

    return run


def _python_moves() -> Callable[[], Done]:
    root = Path(__file__).parents[1]
    if not (root / "tests" / "reference").is_dir():
        raise Skipped("not in a checkout")

    def run() -> Done:
        command = [sys.executable, "-c", _PYTHON_MOVES]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root).stdout.split()
        return Done(int(done[0]), int(done[0]), float(done[1]))

    return run


def _openspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise Skipped("no OpenSpiel") from None
    return pyspiel


def _openspiel_playouts(name: str, games: int) -> Callable[[], Done]:
    pyspiel = _openspiel()
    start = pyspiel.load_game(name).new_initial_state()

    def run() -> Done:  # one call a game
        bots = [pyspiel.make_uniform_random_bot(player, player + 1) for player in (0, 1)]
        south = [pyspiel.evaluate_bots(start.clone(), bots, game)[0] for game in range(games)]
        return Done(games, zlib.crc32(bytes(int(utility) + 1 for utility in south)))

    return run


def _openspiel_mcts(name: str, simulations: int) -> Callable[[], Done]:
    pyspiel = _openspiel()
    game = pyspiel.load_game(name)
    state = game.new_initial_state()

    def run() -> Done:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, simulations, 1000, True, 1, False)
        return Done(simulations, 1 + bot.step(state))

    return run


def _alphabeta(name: str, depth: int) -> Callable[[], Done]:
    engine = load_engine("alphabeta(evaluation=material,exact_depth=True)")
    state = load_game(name).initial_state()

    def run() -> Done:
        value = engine.search(state, Limit(depth=depth)).value
        assert value is not None
        return Done(1, NO_MATERIAL + round(value))

    return run


def _openspiel_alphabeta(name: str, depth: int) -> Callable[[], Done]:
    pyspiel = _openspiel()
    from open_spiel.python.algorithms.minimax import alpha_beta_search

    game = pyspiel.load_game(OPENSPIEL_GAMES[name])
    state = game.new_initial_state()
    material = MATERIAL[name]

    def run() -> Done:  # of its alpha-beta in C++, OpenSpiel gives Python nothing
        value, _ = alpha_beta_search(game, state, value_function=material, maximum_depth=depth)
        return Done(1, NO_MATERIAL + round(value))

    return run
