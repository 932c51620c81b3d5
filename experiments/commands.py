"""The command ``tournament``. What it needs is imported when it runs, so that ``--help`` appears at once."""

from __future__ import annotations

import json
import time
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mancala_ai.errors import MancalaError

if TYPE_CHECKING:
    from rich.console import Console

    from experiments.tournament import Tournament, TournamentConfig
    from mancala_ai import GameRecord

ENGINES = ("random", "greedy", "alphabeta(depth=4)")
INTERRUPTED, FAILED = 130, 1  # exit codes


def tournament(
    game: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="GAME", help="Game to play (repeatable).  [default: all games]"),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            "--engine",
            metavar="ENGINE",
            help=f"Engine (repeatable); the first is rated 0.  [default: {', '.join(ENGINES)}]",
        ),
    ] = None,
    pairs: Annotated[int, typer.Option(help="Game pairs for every two engines in each game.")] = 50,
    plies: Annotated[int, typer.Option(help="Random moves of an opening.")] = 4,
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="LIMIT", help="For every move, such as seconds=0.05 or nodes=10000.  [default: the engines']"
        ),
    ] = None,
    rng_seed: Annotated[int, typer.Option(help="Start of all random choices.")] = 0,
    workers: Annotated[
        int | None, typer.Option(help="Processes; the results do not depend on it.  [default: all cores]")
    ] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Write all games to a file, as they are played.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file of records.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
) -> None:
    """Play a round-robin tournament between engines, and rate them.

    Engines play game pairs: the same opening twice, with sides swapped. Openings are positions after a few random
    moves; in Kiothi, the whole redistribution is random. For each game a cross-table and a rating table are printed.
    The same --rng-seed gives the same games for any number of workers, unless seconds limit the engines. Ctrl-C ends
    the tournament early and keeps what was played.

    Examples:
      mancala-ai tournament
      mancala-ai tournament --game giuthi --game 'kpe(holes=3)' --pairs 200
      mancala-ai tournament --engine greedy --engine 'alphabeta(depth=2)' --engine 'alphabeta(depth=6)'
      mancala-ai tournament --pairs 10 --rng-seed 7 --records games.jsonl
      mancala-ai tournament --json > tables.json
    """
    from rich.console import Console

    from experiments.tables import print_tables, to_data
    from experiments.tournament import TournamentConfig
    from experiments.workers import available_cores
    from mancala_ai.plugins import entry_points
    from mancala_ai.protocol import parse_limit
    from mancala_ai.registry import GAMES

    config = TournamentConfig(
        games=tuple(game or entry_points(GAMES)),
        engines=tuple(engine or ENGINES),
        pairs=pairs,
        plies=plies,
        rng_seed=rng_seed,
        limit=parse_limit(limit) if limit else None,
    )
    workers = available_cores() if workers is None else workers
    if workers < 1:
        raise MancalaError(f"--workers {workers}: expected at least 1")
    file = _RecordFile(records, force) if records else None
    errors = Console(stderr=True, markup=False, highlight=False)
    played = _play(config, workers, file, errors)
    if as_json:
        print(json.dumps(to_data(played), indent=2))
    elif played.results:
        print_tables(played, Console(markup=False, highlight=False))
    if played.stopped:
        errors.print(f"{played.stopped}: {len(played.results)} of {played.total} games were played")
        raise typer.Exit(INTERRUPTED if played.stopped == "interrupted" else FAILED)


class _RecordFile:
    """A new file that records are written to, each at once and whole; it does not exist before the first of them."""

    def __init__(self, path: Path, force: bool) -> None:
        self._path, self._mode = path, "w" if force else "x"
        self._file: FileIO | None = None
        if path.exists() and not force:
            raise MancalaError(f"--records {path}: exists already: expected a new file, or --force")
        if not path.parent.is_dir():
            raise MancalaError(f"--records {path}: expected a directory {path.parent} that exists")

    def write(self, record: GameRecord) -> None:
        """Appends a record."""
        try:
            if self._file is None:
                self._file = FileIO(self._path, self._mode)  # unbuffered
            self._file.write(record.to_json().encode() + b"\n")
        except OSError as error:
            raise MancalaError(f"--records {self._path}: cannot be written: {error.strerror}") from None


def _play(config: TournamentConfig, workers: int, file: _RecordFile | None, console: Console) -> Tournament:
    """Plays the tournament behind a progress bar."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from experiments.tournament import run_tournament

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
    task = bar.add_task("warming up", total=None, speed="")
    start = time.perf_counter()

    def show(so_far: Tournament) -> None:
        nonlocal start
        done = len(so_far.results)
        if not done:
            start = time.perf_counter()
        elif file is not None:
            file.write(so_far.results[-1].record)
        speed = f"{done / (time.perf_counter() - start):.0f} games/s" if done else ""
        bar.update(task, description="playing", total=so_far.total, completed=done, speed=speed)

    with bar:
        played = run_tournament(config, workers, show)
    seconds = time.perf_counter() - start
    console.print(f"{len(played.results)} games in {seconds:.1f} s, {len(played.results) / seconds:.0f} games/s")
    return played
