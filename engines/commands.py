"""The commands ``engines``, ``analyse`` and ``serve``. What they need is imported when they run."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mancala_ai.cli import INTERRUPTED
from mancala_ai.commands import AsJson, GameArgument, PositionArgument

if TYPE_CHECKING:
    from mancala_ai import SearchResult, State


def engines(as_json: AsJson = False) -> None:
    """List the engines, with their options.

    Examples:
      mancala-ai engines
      mancala-ai engines --json
    """
    from rich.console import Console
    from rich.table import Table

    from mancala_ai.plugins import entry_points
    from mancala_ai.registry import ENGINES, engine_type, write_value

    types = {name: engine_type(name) for name in entry_points(ENGINES)}
    if as_json:
        described = [
            {
                "name": name,
                "description": _first_line(engine),
                "options": [{"name": option, **details._asdict()} for option, details in engine.options.items()],
            }
            for name, engine in types.items()
        ]
        typer.echo(json.dumps(described, indent=2))
        return
    console = Console(highlight=False, markup=False)
    for name, engine in types.items():
        console.print(f"{name}  {_first_line(engine)}")
        table = Table("option", "default", "meaning", box=None, padding=(0, 2, 0, 2), header_style="dim")
        for option, details in engine.options.items():
            table.add_row(option, str(details.default), details.help)
        console.print(table)
        shown = [
            (option, "..." if details.default == "" else details.default)
            for option, details in list(engine.options.items())[:2]
        ]
        chosen = ",".join(f"{option}={write_value(value)}" for option, value in shown)
        console.print(f"  example  {name}({chosen})\n")


def analyse(
    game: GameArgument,
    position: PositionArgument = None,
    engine: Annotated[str, typer.Option(metavar="ENGINE", help="Engine string.")] = "alphabeta",
    limit: Annotated[
        str | None,
        typer.Option(metavar="LIMIT", help="Such as seconds=5 or depth=6,nodes=100000.  [default: the engine's]"),
    ] = None,
    moves: Annotated[
        str, typer.Option(metavar="MOVES", help="Moves to play first, separated by blanks; they count as history.")
    ] = "",
    lines: Annotated[int, typer.Option(min=1, help="How many of the best moves to value.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Have an engine think about a position, and watch.

    Every line shows depth, value for the side to move, nodes (simulations of MCTS), nodes a second, and the principal
    variation; a move in brackets is an extra move of the same player. Ctrl-C ends the search.

    Examples:
      mancala-ai analyse giuthi --limit seconds=5
      mancala-ai analyse kpe '0,1,2,0/3,0,0,1 N 20-21 abcd/abcd' --lines 3 --limit depth=12
      mancala-ai analyse giuthi --moves 'a+ c-' --engine 'mcts(c=1)' --limit simulations=100000 --json
    """
    from mancala_ai import load_engine, load_game
    from mancala_ai.errors import MancalaError, blamed_on
    from mancala_ai.protocol import parse_limit

    loaded = load_game(game)
    state = loaded.state(position) if position else loaded.initial_state()
    for move in moves.split():
        state = state.play(move)
    if state.is_over:
        raise MancalaError(f"position {str(state)!r}: the game is over: expected one that can be played on")
    limits = parse_limit(limit) if limit else None
    thinking = load_engine(engine)
    result = None
    interrupted = False
    try:
        if not as_json:
            typer.echo(f"{state.game}  {state}\n\ndepth     value        nodes  nodes/s  principal variation")
        with blamed_on(engine):
            for result in thinking.analyse(state, limits, lines):
                interrupted = result.interrupted
                if not as_json:
                    _print_result(state, result)
    except KeyboardInterrupt:
        interrupted = True
    if result is not None and as_json:
        typer.echo(json.dumps(_to_data(state, engine, result)))
    elif result is not None:
        proven = ", proven" if result.proven else ""
        typer.echo(f"\nbest move {result.move}, value {_value(result.value)}{proven}")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def serve(engine: Annotated[str, typer.Argument(metavar="ENGINE", help="Engine string.")]) -> None:
    """Let another program drive an engine, by lines of text.

    The lines, on stdin and stdout, are described in docs/protocol.md; the engine called process is the other side. The
    word quit ends it, and so does the end of the input.

    Examples:
      mancala-ai serve alphabeta
      mancala-ai serve 'mcts(threads=2)'
      mancala-ai play kpe --north 'process(command="mancala-ai serve greedy")'
    """
    from engines.serve import Server

    out = sys.stdout
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    with contextlib.redirect_stdout(sys.stderr):  # what an engine prints must not come between
        Server(engine, lambda line: print(line, file=out, flush=True)).run(sys.stdin)


def _print_result(state: State, result: SearchResult) -> None:
    nodes = result.simulations or result.nodes
    speed = f"{nodes / result.seconds:,.0f}" if result.seconds else ""
    lines = result.lines or ((result.value, result.pv),)
    for number, (value, pv) in enumerate(lines):
        counts = f"{nodes:>13,} {_short(speed):>8}" if number == 0 else " " * 22
        depth = f"{result.depth:>5}" if number == 0 else " " * 5
        typer.echo(f"{depth} {_value(value):>9}{counts}  {variation(state, pv)}")


def _short(number: str) -> str:
    # "2,345,678" becomes "2.3M": nobody reads more of a speed.
    parts = number.split(",")
    return f"{parts[0]}.{parts[1][0]}{' kMG'[len(parts) - 1]}" if len(parts) > 1 else number


def _value(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}"


def variation(state: State, pv: tuple[str, ...]) -> str:
    """Writes moves one after the other, extra moves of a player in brackets."""
    words, mover = [], None
    for move in pv:
        words.append(f"({move})" if state.to_move == mover else move)
        mover = state.to_move
        state = state.play(move)
    return " ".join(words)


def _to_data(state: State, engine: str, result: SearchResult) -> dict[str, Any]:
    names = ("move", "value", "pv", "depth", "nodes", "simulations", "seconds", "proven")
    return {
        "game": str(state.game),
        "position": str(state),
        "engine": engine,
        **{name: getattr(result, name) for name in names},
        "lines": [{"value": line.value, "pv": line.pv} for line in result.lines],
    }


def _first_line(engine: type) -> str:
    return (engine.__doc__ or "").partition("\n")[0]
