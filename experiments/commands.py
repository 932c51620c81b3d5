"""The commands ``tournament``, ``standings`` and ``records``. What they need is imported when they run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mancala_ai.cli import FAILED, INTERRUPTED, check_new_file
from mancala_ai.errors import MancalaError

if TYPE_CHECKING:
    from rich.console import Console

    from experiments.config import TournamentConfig
    from experiments.store import Store
    from experiments.tournament import Tournament

ENGINES = ("random", "greedy", "alphabeta(depth=4)")

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Results = Annotated[Path, typer.Argument(metavar="FILE.sqlite", help="Results of a tournament.")]


def tournament(
    settings: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE.toml]", help="Settings, named as the options; options given here come first."),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="GAME", help="Game to play (repeatable).  [default: all games]"),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            "--engine",
            metavar="ENGINE",
            help="Engine (repeatable), with a limit of its own perhaps: greedy, or alphabeta@seconds=0.05; "
            f"the first is rated 0.  [default: {', '.join(ENGINES)}]",
        ),
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="round-robin, gauntlet (the first engine against all), or match.")
    ] = None,
    pairs: Annotated[
        int | None, typer.Option(help="Game pairs for every two engines in each game.  [default: 50]")
    ] = None,
    openings: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="random, suite, none, or a file of position strings.  [default: random]"),
    ] = None,
    plies: Annotated[int | None, typer.Option(help="Random moves of an opening.  [default: 4]")] = None,
    balance: Annotated[
        float | None, typer.Option(help="Only random openings that a search values within so many seeds of 0.")
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="LIMIT",
            help="For every move, such as seconds=0.05, nodes=10000 or clock=60,increment=0.1.  "
            "[default: the engines']",
        ),
    ] = None,
    patience: Annotated[
        float | None,
        typer.Option(
            help="Seconds after which an engine that does not move has lost: at least ten times its limit, and "
            "twenty times this where its limit is not one of time.  [default: 30]"
        ),
    ] = None,
    rounds: Annotated[
        bool | None, typer.Option("--rounds", "--match", help="Rio Kadalis: whole matches over rounds.")
    ] = None,
    adjudicate: Annotated[
        bool | None, typer.Option("--adjudicate", help="End games whose outcome is beyond doubt.")
    ] = None,
    endgame: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="Also end games whose outcome an endgame database knows: auto, or a folder.  [default: off]",
        ),
    ] = None,
    one_warrior: Annotated[
        int | None, typer.Option(help="Kiothi: as how many wins a one-warrior victory counts.  [default: 1]")
    ] = None,
    rng_seed: Annotated[int | None, typer.Option(help="Start of all random choices.  [default: 0]")] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE.sqlite", help="Keep every game in a file; one that exists is resumed."),
    ] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Write all games to a new file at the end.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file of records.")] = False,
    workers: Annotated[
        int | None, typer.Option(help="Processes; the results do not depend on it.  [default: all cores]")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Play on the workers of a Dask scheduler instead.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play a tournament between engines, and rate them.

    Engines play game pairs: the same opening twice, with sides swapped. Random openings are positions after a few
    random moves; in Kiothi, the whole redistribution is random. For each game a cross-table and a rating table are
    printed. The same settings give the same games for any number of workers, unless seconds limit the engines.

    With --output every game is kept at once in an SQLite file. Whatever ends the tournament, Ctrl-C or a power cut:
    the same command goes on where it was. An engine that raises, hangs, dies, or plays an illegal move loses that game.

    Examples:
      mancala-ai tournament
      mancala-ai tournament --game giuthi --game 'kpe(holes=3)' --pairs 200
      mancala-ai tournament --engine greedy --engine 'alphabeta(depth=2)' --engine 'alphabeta(depth=6)'
      mancala-ai tournament --engine alphabeta@seconds=0.02 --engine mcts@seconds=0.02 --output games.sqlite
      mancala-ai tournament --engine greedy --engine my_engine.py:MyEngine --game kpe
      mancala-ai tournament league.toml --pairs 500 --output league.sqlite
      mancala-ai tournament --pairs 10 --rng-seed 7 --records games.jsonl
      mancala-ai tournament --json > tables.json
    """
    from rich.console import Console

    from experiments.config import config_of, read_settings
    from experiments.tables import print_tables, to_data
    from mancala_ai import write_records
    from mancala_ai.plugins import entry_points
    from mancala_ai.registry import GAMES

    flags: dict[str, Any] = {
        "game": game or None,
        "engine": engine or None,
        "format": format,
        "pairs": pairs,
        "openings": openings,
        "plies": plies,
        "balance": balance,
        "limit": limit,
        "patience": patience,
        "rounds": rounds,
        "adjudicate": adjudicate,
        "endgame": endgame,
        "one-warrior": one_warrior,
        "rng-seed": rng_seed,
    }
    given = {name: value for name, value in flags.items() if value is not None}
    from_file = {} if settings is None else read_settings(settings)
    config = config_of({"game": entry_points(GAMES), "engine": ENGINES} | from_file | given)
    if records is not None:
        check_new_file(records, force)
    errors = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    with open_store(output, config) as store:
        played = play_tournament(config, workers, dask, store, errors)
    if records is not None:
        write_records(records, (result.record for result in played.results))
    if as_json:
        print(json.dumps(to_data(played), indent=2))
    elif played.results:
        print_tables(played, Console(markup=False, highlight=False))
    if played.stopped:
        errors.print(f"{played.stopped}: {len(played.results)} of {played.total} games were played")
        if output is not None and played.results:
            errors.print(f"they are kept in {output}: the same command plays the others")
        raise typer.Exit(INTERRUPTED if played.stopped == "interrupted" else FAILED)


def standings(
    results: Results,
    population: Annotated[
        bool, typer.Option("--population", help="Also alpha-rank and Nash average (extra egt).")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the tables of a tournament whose results were kept in a file; also while it is being played.

    Examples:
      mancala-ai standings league.sqlite
      mancala-ai standings league.sqlite --json
    """
    from rich.console import Console

    from experiments.store import Store
    from experiments.tables import print_facts, print_population, print_tables, to_data
    from experiments.tournament import stored_tournament

    with Store(results) as store:
        played = stored_tournament(store)
    console = Console(markup=False, highlight=False)
    if as_json:
        print(json.dumps(to_data(played), indent=2))
    elif played.results:
        print_tables(played, console)
        print_facts(played, console)
        if population:
            print_population(played, console)
    else:
        print("no game has been played yet")


def records(
    results: Results,
    player: Annotated[str | None, typer.Option(metavar="ENGINE", help="Only games of this engine.")] = None,
    won: Annotated[bool, typer.Option("--won", help="Only games that the player won.")] = False,
    drawn: Annotated[bool, typer.Option("--drawn", help="Only drawn games.")] = False,
    lost: Annotated[bool, typer.Option("--lost", help="Only games that the player lost.")] = False,
    game: Annotated[str | None, typer.Option(metavar="GAME", help="Only games of this ruleset.")] = None,
    termination: Annotated[
        str | None, typer.Option(metavar="WORD", help="Only games that ended so, such as 'engine error'.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write them to a new file: records (.jsonl) or a table (.csv).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
) -> None:
    """List the games of a tournament, and export them.

    Examples:
      mancala-ai records league.sqlite --player alphabeta --lost
      mancala-ai records league.sqlite --termination 'engine error'
      mancala-ai records league.sqlite --game kpe --export kpe.jsonl
      mancala-ai records league.sqlite --export games.csv
    """
    from rich.console import Console

    from experiments.listing import Selection, export_games, list_games
    from experiments.store import Store

    outcomes = tuple(sign for sign, wanted in ((1, won), (0, drawn), (-1, lost)) if wanted)
    with Store(results) as store:
        chosen = Selection(player, outcomes, game, termination).of(store)
    if export is None:
        list_games(chosen, Console(markup=False, highlight=False))
    else:
        check_new_file(export, force)
        export_games(chosen, export)
        print(f"{len(chosen)} games in {export}")


def open_store(path: Path | None, config: TournamentConfig) -> AbstractContextManager[Store | None]:
    """Returns the file that results are to be kept in, if there is to be one."""
    from experiments.store import Store

    return nullcontext() if path is None else Store(path, config)


def play_tournament(
    config: TournamentConfig,
    workers: int | None,
    dask: str | None,
    store: Store | None,
    console: Console,
    status: Callable[[Tournament], str] | None = None,
) -> Tournament:
    """Plays a tournament behind a progress bar.

    Args:
        config: the tournament.
        workers: processes; None: all cores.
        dask: address of a Dask scheduler, or None.
        store: where to keep the games.
        console: for the progress bar and what there is to say.
        status: called for every game, its answer is shown with the progress; None: the standings. It may raise
            `experiments.tournament.EnoughPlayed`.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from experiments.tables import short_standings
    from experiments.tournament import run_tournament
    from experiments.workers import available_cores

    cores = available_cores()
    workers = cores if workers is None else workers
    if workers < 1:
        raise MancalaError(f"--workers {workers}: expected at least 1")
    threads = max(_threads(player) for player in config.engines)
    if dask is None and workers * threads > cores:
        console.print(f"{workers} workers x {threads} threads on {cores} cores: times are not to be trusted")
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left {task.fields[standings]}"),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
    task = bar.add_task("warming up", total=None, speed="", standings="")
    start = shown = time.perf_counter()

    def show(so_far: Tournament) -> None:
        nonlocal start, shown
        new, now = len(so_far.results) - so_far.resumed, time.perf_counter()
        if not new:
            start = now
            if so_far.resumed:
                console.print(f"{so_far.resumed} games were played before")
        speed = f"{new / (now - start):.0f} games/s" if new else ""
        if status is not None:
            bar.update(task, standings=status(so_far))
        elif now - shown > 1:
            bar.update(task, standings=short_standings(so_far))
            shown = now
        bar.update(task, description="playing", total=so_far.total, completed=len(so_far.results), speed=speed)

    def show_all(so_far: Tournament) -> None:
        if len(so_far.results) == so_far.resumed:
            for warning in so_far.warnings:
                console.print(f"warning: {warning}")
        show(so_far)

    with bar:
        played = run_tournament(config, workers, show_all, store=store, dask=dask)
    seconds, new = time.perf_counter() - start, len(played.results) - played.resumed
    console.print(f"{new} games in {seconds:.1f} s, {new / seconds:.{0 if new > 9 * seconds else 1}f} games/s")
    return played


def _threads(player: str) -> int:
    from experiments.players import parse_player
    from mancala_ai.registry import parse_engine

    threads = parse_engine(parse_player(player).engine)[2].get("threads", 1)
    return threads if isinstance(threads, int) else 1
