"""The command ``endgame`` with its sub-commands. What they need is imported when they run."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mancala_ai.cli import FAILED, INTERRUPTED, PATIENCE, with_subcommands
from mancala_ai.commands import AsJson, GameArgument

if TYPE_CHECKING:
    from rich.console import Console

    from engines.endgame.verify import Verification
    from mancala_ai.ruleset import Ruleset

DirOption = Annotated[
    Path | None,
    typer.Option(
        "--dir", metavar="DIR", help="Where databases lie.  [default: MANCALA_AI_ENDGAME_DIR or the user's data]"
    ),
]


def build(
    game: GameArgument,
    seeds: Annotated[int, typer.Option(help="Most seeds on the board.")],
    directory: DirOption = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads; the files do not depend on it.  [default: all cores]")
    ] = None,
) -> None:
    """Build the levels 0 to --seeds that are not there yet.

    Each level is a file of its own, written when it is finished. Ctrl-C, or worse, costs only the level being built.

    Examples:
      mancala-ai endgame build giuthi --seeds 12
      mancala-ai endgame build 'kpe(infinite=draw)' --seeds 20 --dir databases
    """
    from rich.console import Console

    from engines.endgame.build import available_memory, build_levels, in_bytes, plan_build
    from engines.endgame.store import directory_of
    from mancala_ai import load_game

    loaded = load_game(game)
    plan = plan_build(loaded, seeds, directory)
    name, folder = loaded.rules.endgame_string, directory_of(loaded, directory)
    if not plan.missing:
        build_levels(loaded, seeds, directory)
        typer.echo(f"{name}: all levels up to {seeds} seeds are in {folder}")
        return
    free = available_memory()
    typer.echo(
        f"{name}: {len(plan.missing)} levels up to {seeds} seeds, {plan.positions:,} positions\n"
        f"memory: about {in_bytes(plan.memory)}"
        + (f" of {in_bytes(free)} that are free" if free is not None else "")
        + "\n"
        f"disk: {in_bytes(plan.disk)} in {folder}"
    )
    start = time.perf_counter()
    console = Console(stderr=True, markup=False, highlight=False)
    try:
        with _Bar(console, plan.missing, loaded.rules) as bar:
            database = build_levels(loaded, seeds, directory, threads, bar.show)
    except KeyboardInterrupt:
        console.print("interrupted: finished levels are kept")
        raise typer.Exit(INTERRUPTED) from None
    seconds = time.perf_counter() - start
    typer.echo(
        f"built up to {max(database.levels)} seeds in {seconds:.1f} s, {plan.positions / seconds:,.0f} positions/s"
    )


class _Bar:
    """A progress bar over several levels, each as long as it has positions. It appears when the work takes longer."""

    def __init__(self, console: Console, levels: list[int], rules: Ruleset) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        from engines.endgame.index import level_size

        self._before: dict[int, int] = {}
        self._sizes = {level: level_size(rules, level) for level in levels}
        total = 0
        for level in levels:
            self._before[level] = total
            total += self._sizes[level]
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._task = self._bar.add_task("", total=total)
        self._visible_at = time.monotonic() + PATIENCE
        self._visible = False

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._visible:
            self._bar.stop()

    def show(self, level: int, done: float) -> None:
        """Moves the bar: a share of a level is done, and all levels below it."""
        if not self._visible and time.monotonic() > self._visible_at:
            self._visible = True
            self._bar.start()
        completed = self._before[level] + done * self._sizes[level]
        self._bar.update(self._task, description=f"level {level}", completed=completed)


def stats(game: GameArgument, as_json: AsJson = False, directory: DirOption = None) -> None:
    """Show what the levels that are there hold.

    Positions are those seen by the side to move, mirrored ones counted as two. They are won, drawn or lost for the side
    to move, with as many seeds captured by both. Exact: both bounds are equal. Cycle: both are infinite.

    Examples:
      mancala-ai endgame stats giuthi
      mancala-ai endgame stats 'kpe(holes=5)' --json --dir databases
    """
    from rich.console import Console
    from rich.table import Table

    from engines.endgame.index import check_supported
    from engines.endgame.store import directory_of, level_path, levels_in, read_level
    from mancala_ai import load_game

    loaded = load_game(game)
    check_supported(loaded)
    folder = directory_of(loaded, directory)
    headers = [read_level(level_path(folder, seeds), loaded, seeds, check=True).header for seeds in levels_in(folder)]
    names = ("positions", "win", "draw", "loss", "exact", "cycle")
    if as_json:
        rows = [{"seeds": header.seeds, **{name: getattr(header, name) for name in names}} for header in headers]
        typer.echo(json.dumps(rows))
        return
    if not headers:
        typer.echo(f"{loaded.rules.endgame_string}: no levels in {folder}: build them with mancala-ai endgame build")
        return
    typer.echo(f"{loaded.rules.endgame_string}: {folder}\n")
    table = Table(box=None, padding=(0, 0, 0, 2), header_style="dim")
    for heading in ("seeds", *names, "longest"):
        table.add_column(heading, justify="right")
    for header in headers:
        shares = (f"{100 * getattr(header, name) / header.positions:.1f} %" for name in names[1:])
        table.add_row(str(header.seeds), f"{header.positions:,}", *shares, str(header.longest))
    Console(markup=False, highlight=False).print(table)


def verify(
    game: GameArgument,
    sample: Annotated[int, typer.Option(min=1, help="Positions of each level, drawn at random.")] = 100_000,
    everything: Annotated[bool, typer.Option("--all", help="Every position.")] = False,
    rng_seed: Annotated[int, typer.Option(help="Start of all random choices.")] = 0,
    directory: DirOption = None,
) -> None:
    """Check levels: whole files, and positions against their successors.

    With --all that is a proof, as far as the rules themselves are right. Exit code 1 if anything is wrong.

    Examples:
      mancala-ai endgame verify giuthi
      mancala-ai endgame verify 'kpe(holes=5)' --all --dir databases
    """
    from engines.endgame.probe import EndgameDatabase
    from engines.endgame.store import directory_of
    from engines.endgame.verify import counts_are_right, verify_level
    from mancala_ai import load_game
    from mancala_ai.cli import interruptibly

    loaded = load_game(game)
    database = EndgameDatabase.open(loaded, directory, check=True)
    if not database.levels:
        typer.echo(f"{loaded.rules.endgame_string}: no levels in {directory_of(loaded, directory)}")
        return
    failed = False
    for seeds in database.levels:

        def work(seeds: int = seeds) -> tuple[Verification, bool]:
            found = verify_level(database, seeds, None if everything else sample, rng_seed)
            return found, not everything or counts_are_right(database, seeds)

        (checked, wrong), counted = interruptibly(work, f"level {seeds}")
        failed |= bool(wrong) or not counted
        said = f"{len(wrong):,} wrong, such as number {wrong[0]}" if wrong else "right"
        typer.echo(
            f"{seeds:>2} seeds: {checked:>13,} checked, {said}" + ("" if counted else "; wrong counts in the header")
        )
    if failed:
        raise typer.Exit(FAILED)


@with_subcommands(build, stats, verify)
def endgame() -> None:
    """Build endgame databases, and look at them: exact bounds of all positions with few seeds."""
