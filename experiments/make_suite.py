"""Makes the suite of balanced openings of a game: ``python -m experiments.make_suite giuthi --write``."""

from __future__ import annotations

import shlex
import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

import mancala_ai
from experiments.openings import JUDGE, JUDGE_LIMIT, distinct_openings
from mancala_ai import MancalaError, load_game

SUITES = Path(__file__).parent / "suites"


def make_suite(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Game string.")],
    count: Annotated[int, typer.Option(min=1, help="Number of openings.")] = 100,
    plies: Annotated[int, typer.Option(min=1, help="Random moves of an opening.")] = 4,
    balance: Annotated[float, typer.Option(help="Seeds that a search may value an opening from 0.")] = 2.0,
    rng_seed: Annotated[int, typer.Option(help="Start of all random choices.")] = 1,
    write: Annotated[bool, typer.Option("--write", help="Write experiments/suites/NAME.txt.")] = False,
) -> None:
    """Make the suite of balanced openings of a game.

    Examples:
      python -m experiments.make_suite kpe --balance 1 --write
    """
    played = load_game(game)
    openings = [str(state) for state in islice(distinct_openings(played, plies, rng_seed, balance), count)]
    if len(openings) < count:
        raise MancalaError(f"openings of {played}: only {len(openings)} are within {balance} seeds: expected {count}")
    lines = [
        f"# {count} openings of {played}: different positions after {plies} random moves that {JUDGE} ({JUDGE_LIMIT})",
        f"# values within {balance:g} seeds of 0. Made by mancala-ai {mancala_ai.__version__}:",
        f"# {shlex.join(['python', '-m', 'experiments.make_suite', *sys.argv[1:]])}",
        f"[{played}]",
        *openings,
    ]
    text = "\n".join(lines) + "\n"
    if write:
        (SUITES / f"{played.name}.txt").write_text(text, encoding="utf-8")
    else:
        typer.echo(text, nl=False)


if __name__ == "__main__":
    typer.run(make_suite)
