"""The same work done by other programs on the same machine, measured in the same run."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measure import Measurement, measure

SOURCE = Path(__file__).with_name("giuthi_perft.c")
FLAGS = ("-O3", "-march=native")
OPENSPIEL_GAMES = {"oware": "oware", "kalah": "mancala"}  # those with the same rules, and their names there
OPENSPIEL_PLAYOUTS = 2_000


def c_perft(depth: int, repeats: int) -> Measurement | None:
    """Compiles and runs Giuthi perft in C, one process per measured run.

    Args:
        depth: perft depth.
        repeats: measured runs.

    Returns:
        A measurement with the checksum of `mancala_ai.counting` as signature; None without a C compiler.
    """
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "giuthi_perft"
        subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(program)], check=True)
        seconds = []
        for _ in range(repeats + 1):
            leaves, checksum, run = subprocess.run(
                [str(program), str(depth), "1"], check=True, capture_output=True, text=True
            ).stdout.split()
            seconds.append(float(run))
    name = f"perft {depth} giuthi in C, {Path(compiler).name} {FLAGS[0]}"
    return Measurement(name, "leaves", int(leaves), int(checksum), tuple(seconds[1:]))


def openspiel_playouts(repeats: int) -> Iterator[Measurement]:
    """Yields a measurement per game that OpenSpiel has in C++, of random games from the start: one call a game."""
    for name, theirs in OPENSPIEL_GAMES.items():
        result = measure(partial(_play_out_in_openspiel, theirs), repeats)
        yield Measurement(f"playouts {name} in OpenSpiel, C++", "games", *result)


def _play_out_in_openspiel(name: str) -> tuple[int, int]:
    import pyspiel  # here, so that the command's help need not wait for it

    start = pyspiel.load_game(name).new_initial_state()
    bots = [pyspiel.make_uniform_random_bot(player, player + 1) for player in (0, 1)]
    south = [pyspiel.evaluate_bots(start.clone(), bots, game)[0] for game in range(OPENSPIEL_PLAYOUTS)]
    return OPENSPIEL_PLAYOUTS, zlib.crc32(bytes(int(utility) + 1 for utility in south))
