"""The commands ``games``, ``show`` and ``perft``."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import mancala_ai
from mancala_ai.cli import interruptibly, write_new_file

if TYPE_CHECKING:
    from mancala_ai.game import State
    from mancala_ai.ruleset import GameType, OptionValue

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="A game string, such as giuthi or 'kpe(holes=3)'.")]
PositionArgument = Annotated[
    str | None, typer.Argument(metavar="POSITION", help="A position string; the start position if left out.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON for other programs.")]


def games(as_json: AsJson = False) -> None:
    """List the games, with their options and set-ups.

    Examples:
      mancala-ai games
      mancala-ai games --json
    """
    from mancala_ai.registry import game_types

    if as_json:
        typer.echo(json.dumps([_describe(game) for game in game_types()], ensure_ascii=False, indent=2))
        return
    for game in game_types():
        _print_game(game)


def show(
    game: GameArgument,
    position: PositionArgument = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE.svg", help="Also draw the board into a new file.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Draw a position and list its legal moves.

    Examples:
      mancala-ai show giuthi
      mancala-ai show kisolo --json
      mancala-ai show kpe '0,1,2,0/3,0,0,1 N 20-21 abcd/abcd'
      mancala-ai show kiothi --svg kiothi.svg
    """
    state = _state(game, position)
    if svg is not None:
        write_new_file(svg, state.svg() + "\n", force)
    moves = state.legal_moves()
    if as_json:
        names = ("to_move", "captured", "termination", "outcome", "margin", "final")
        values = {name: getattr(state, name) for name in names}
        typer.echo(json.dumps({"game": str(state.game), "position": str(state), "legal_moves": moves, **values}))
        return
    typer.echo(f"{state.board()}\n")
    _print_fields([("game", str(state.game)), ("position", str(state)), ("moves", " ".join(moves) or "none")])


def perft(
    game: GameArgument,
    position: PositionArgument = None,
    depth: Annotated[int, typer.Option(min=1, max=100, help="Number of moves.")] = 4,
    divide: Annotated[bool, typer.Option("--divide", help="Count the deepest level only, by first move.")] = False,
) -> None:
    """Count move sequences, to check rules and measure speed.

    perft(d) is the number of sequences of exactly d legal moves, each of them played. Repetition is ignored. Ctrl-C
    keeps what has been counted.

    Examples:
      mancala-ai perft kisolo --depth 6
      mancala-ai perft giuthi '0,0,0,0,0,0,0,5/0,0,2,3,1,0,0,0 S 60-57' --depth 8
      mancala-ai perft kpe --depth 5 --divide
    """
    state = _state(game, position)
    interruptibly(lambda: mancala_ai.perft(state, 1), "compiling")  # so that it is not counted as time
    typer.echo(f"{state.game}  {state}\n")
    if divide:
        _print_divided(state, depth)
        return
    typer.echo(_ROW.format("depth", "leaves", "seconds", "leaves/s"))
    for level in range(1, depth + 1):
        count, seconds = _timed_perft(state, level)
        typer.echo(_counted(str(level), count, seconds))


_ROW = "{:>6}  {:>20}  {:>9}  {:>14}"


def _counted(label: str, count: int, seconds: float) -> str:
    return _ROW.format(label, f"{count:,}", f"{seconds:.3f}", f"{count / seconds:,.0f}" if seconds else "")


def _timed_perft(state: State, depth: int) -> tuple[int, float]:
    start = time.perf_counter()
    count = interruptibly(lambda: mancala_ai.perft(state, depth), f"counting at depth {depth}")
    return count, time.perf_counter() - start


def _print_divided(state: State, depth: int) -> None:
    typer.echo(_ROW.format("move", "leaves", "seconds", "leaves/s"))
    counts, times = [0], [0.0]
    for move in state.legal_moves():
        count, seconds = _timed_perft(state.play(move), depth - 1)
        typer.echo(_counted(move, count, seconds))
        counts.append(count)
        times.append(seconds)
    typer.echo(_counted("all", sum(counts), sum(times)))


def _state(game: str, position: str | None) -> State:
    loaded = mancala_ai.load_game(game)
    return loaded.initial_state() if position is None else loaded.state(position)


def _print_fields(fields: Sequence[tuple[str, str]]) -> None:
    """Prints labelled texts, wrapped beside their labels; what has no blanks is not broken: it may be copied."""
    from rich.console import Console

    margin = max(len(label) for label, _ in fields) + 2
    wrapper = textwrap.TextWrapper(Console().width, break_long_words=False, break_on_hyphens=False)
    wrapper.subsequent_indent = " " * margin
    for label, text in fields:
        typer.echo(wrapper.fill(f"{label:<{margin}}{text}"))


def _print_game(game: GameType) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text.assemble((game.name, "bold"), f"  {game.title} ({game.origin}), board {game.board}"))
    console.print(Padding(Text(game.summary), (0, 0, 1, 2)))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("option", "default", "values", "meaning"):
        table.add_column(heading)
    for option in game.options:
        table.add_row(option.name, str(option.default), _values(option.values), option.help)
    if game.setups:
        replaced = " and ".join(dict.fromkeys(name for setup in game.setups.values() for name in setup))
        table.add_row("setup", "", _values(tuple(game.setups)), f"{replaced} by one name")
    console.print(Padding(table, (0, 0, 1, 2)))
    console.print(Padding(Text.assemble(("examples  ", "dim"), "  ".join(_examples(game))), (0, 0, 1, 2)))


def _values(values: Sequence[OptionValue]) -> str:
    """Writes the values of an option; many whole numbers in a row as a range."""
    first, last = values[0], values[-1]
    if len(values) > 2 and isinstance(first, int) and isinstance(last, int) and last - first == len(values) - 1:
        return f"{first}..{last}"
    return ", ".join(map(str, values))


def _examples(game: GameType) -> list[str]:
    """Returns game strings: the plain name, a set-up, and every option with a value that is not its default."""
    examples = [game.name]
    if game.setups:
        examples.append(f"{game.name}(setup={next(iter(game.setups))})")
    for option in game.options:
        others = [value for value in option.values if value != option.default]
        if others:
            examples.append(f"{game.name}({option.name}={others[0]})")
    return examples[:3]


def _describe(game: GameType) -> dict[str, Any]:
    return {
        **{name: getattr(game, name) for name in ("name", "title", "origin", "board", "summary")},
        "options": [option._asdict() for option in game.options],
        "setups": game.setups,
        "examples": _examples(game),
    }
