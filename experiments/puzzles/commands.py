"""The command ``puzzle`` with its sub-commands. What they need is imported when they run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engines.endgame.commands import DirOption
from mancala_ai.cli import INTERRUPTED, check_new_file, with_subcommands, write_new_file

if TYPE_CHECKING:
    from experiments.puzzles.puzzle import Puzzle

FileArgument = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="Puzzles, in either form.  [default: those that come with it]")
]


def make(
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="Game string.  [default: Giuthi on 2x8 pits]")
    ] = None,
    seeds: Annotated[str, typer.Option(metavar="FROM..TO", help="Seeds on the board.")] = "8..11",
    count: Annotated[int, typer.Option(min=1, help="How many puzzles.")] = 20,
    rng_seed: Annotated[int, typer.Option(help="Start of all random choices.")] = 0,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A new file to write to.  [default: the terminal]")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    text: Annotated[bool, typer.Option("--text", help="Write the one-line text form instead of JSON.")] = False,
    directory: DirOption = None,
) -> None:
    """Make puzzles: positions of real play in which exactly one move reaches the best outcome.

    They are graded, without mirror images, and come out sorted, the easiest first. Levels of the endgame database that
    are missing are built. Ctrl-C keeps what has been found.

    Examples:
      mancala-ai puzzle make --game giuthi --seeds 8..11 --count 50 --output mine.jsonl
      mancala-ai puzzle make --game 'giuthi(holes=6,seeds=4)' --seeds 7 --count 3 --text
    """
    from rich.console import Console

    from engines.endgame.build import ensure_levels
    from engines.solver.levels import default_game
    from experiments.puzzles.make import make_puzzles
    from mancala_ai import load_game
    from mancala_ai.errors import MancalaError

    found = re.fullmatch(r"(\d{1,3})(?:\.\.(\d{1,3}))?", seeds)
    span = range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)
    if not span or span[0] < 2:
        raise MancalaError(f"--seeds {seeds!r}: expected a number from 2 on, or two such as 8..11")
    if output is not None:
        check_new_file(output, force)
    loaded = load_game(game or default_game())
    database = ensure_levels(loaded, span[-1], directory, lambda note: typer.echo(note, err=True))
    if span[-1] not in database.levels:
        command = f"mancala-ai endgame build '{loaded}' --seeds {span[-1]}"
        raise MancalaError(f"--seeds {seeds}: expected fewer seeds, or levels built before: {command}")
    puzzles: list[Puzzle] = []
    interrupted = False
    console = Console(stderr=True)
    try:
        with console.status("playing") as status:
            for _, puzzle in zip(range(count), make_puzzles(loaded, database, span, rng_seed), strict=False):
                puzzles.append(puzzle)
                status.update(f"{len(puzzles)} of {count} puzzles")
    except KeyboardInterrupt:
        interrupted = True
    lines = [puzzle.to_text() if text else puzzle.to_json() for puzzle in sorted(puzzles, key=lambda p: p.rating or 0)]
    if output is None:
        typer.echo("\n".join(lines))
    else:
        write_new_file(output, "".join(f"{line}\n" for line in lines), force)
        typer.echo(f"{len(lines)} puzzles in {output}")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def play(
    file: FileArgument = None,
    start: Annotated[int, typer.Option("--from", min=1, help="Number of the puzzle to begin with.")] = 1,
    directory: DirOption = None,
) -> None:
    """Solve puzzles. A wrong move is answered by its refutation, and taken back.

    Type moves by their letters; `help` lists what else can be typed. A puzzle is over when more than one move is right.

    Examples:
      mancala-ai puzzle play
      mancala-ai puzzle play --from 40
      mancala-ai puzzle play mine.jsonl
    """
    from experiments.puzzles.play import load_puzzles, solve_puzzles
    from experiments.puzzles.puzzle import COLLECTION
    from mancala_ai.errors import MancalaError

    puzzles = load_puzzles(file or COLLECTION)
    if start > len(puzzles):
        raise MancalaError(f"--from {start}: expected 1 to {len(puzzles)}")
    solve_puzzles(puzzles, directory, start)


def sheet(
    output: Annotated[Path, typer.Argument(metavar="FILE.html", help="The page to write.")],
    source: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Puzzles.  [default: those that come with it]")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the page.")] = False,
) -> None:
    """Write puzzles as a page to print, with the solutions at the end.

    Examples:
      mancala-ai puzzle sheet puzzles.html
      mancala-ai puzzle sheet mine.html --from mine.jsonl
    """
    from experiments.puzzles.play import load_puzzles
    from experiments.puzzles.puzzle import COLLECTION
    from experiments.puzzles.sheet import sheet as page

    puzzles = load_puzzles(source or COLLECTION)
    write_new_file(output, page(puzzles), force)
    typer.echo(f"{len(puzzles)} puzzles in {output}")


@with_subcommands(make, play, sheet)
def puzzle() -> None:
    """Make puzzles, solve them, print them: positions in which one move alone is right."""
