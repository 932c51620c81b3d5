"""The command ``solve``. What it needs is imported when it runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engines.commands import variation
from engines.endgame.commands import DirOption
from mancala_ai.commands import AsJson

if TYPE_CHECKING:
    from engines.solver.solve import Solution
    from mancala_ai import Game, State

PLAYERS = ("South", "North")
OUTCOMES = {1: "wins", 0: "draws", -1: "loses"}


def solve(
    what: Annotated[
        str, typer.Argument(metavar="POSITION|FILE", help="A position string, or a file with one puzzle a line (JSON).")
    ],
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="Game of a position string.  [default: Giuthi on 2x8 pits]")
    ] = None,
    limit: Annotated[
        str, typer.Option(metavar="LIMIT", help="For each position: seconds=60 or nodes=1000000, or both.")
    ] = "seconds=60",
    margin: Annotated[bool, typer.Option("--margin", help="Also find by how much: both bounds.")] = False,
    as_json: AsJson = False,
    directory: DirOption = None,
    memory_mb: Annotated[int, typer.Option(min=1, help="Memory that the search may take, in MiB.")] = 2048,
) -> None:
    """Solve positions: the outcome, all moves that keep it, and a line to the end.

    What it says is proved; what cannot be proved within the limits is "unsolved". Endgame databases are used where they
    are there, and built where that takes some seconds only, which does not count. A position is taken for the start of
    a game: it has no history.

    Each line of a file is an object with "game" and "position", as in puzzle files. With --json each line of the output
    is one, too: position, solved, mover_outcome (1 win, 0 draw, -1 loss of the side to move, null if unsolved), best
    (moves), pv, nodes, seconds, database (most seeds), and with --margin lower and upper (null: infinite, or nothing
    proved).

    Examples:
      mancala-ai solve '0,0,0,0,1,2,0,1/0,0,0,0,2,0,3,1 S 59-59' --margin
      mancala-ai solve '0,0,2,2,0,1/0,2,0,1,0,2 N 20-18' --game 'giuthi(holes=6,seeds=4)'
      mancala-ai solve puzzles.jsonl --json --limit seconds=10
    """
    from engines.solver.levels import default_game, open_levels
    from engines.solver.solve import check_solvable
    from engines.solver.solve import solve as solve_state
    from mancala_ai.errors import MancalaError
    from mancala_ai.protocol import parse_limit

    limits = parse_limit(limit)
    if limits.depth or limits.simulations:
        raise MancalaError(f"limit {limit!r}: expected seconds or nodes")
    is_file = Path(what).is_file() or what.endswith(".jsonl")
    states = list(_read(Path(what))) if is_file else [_load(game or default_game(), what)]
    for state in states:
        check_solvable(state)
    largest: dict[Game, State] = {}  # the position with the most seeds on the board
    for state in states:
        largest[state.game] = max(state, largest.get(state.game, state), key=seeds_of)
    databases = {
        loaded: open_levels(loaded, seeds_of(state), directory, lambda note: typer.echo(note, err=True))
        for loaded, state in largest.items()
    }
    solved = 0
    for number, state in enumerate(states, 1):
        database = databases[state.game]
        solution = solve_state(state, database, limits.seconds, limits.nodes, margin, memory_mb)
        solved += solution.solved
        if as_json:
            typer.echo(json.dumps(_to_data(solution, margin)))
        elif is_file:
            typer.echo(f"{number:>4}  {_verdict(solution)}, {solution.seconds:.3f} s  {state}")
        else:
            _print(solution, margin)
    if is_file and not as_json:
        typer.echo(f"{solved} of {len(states)} solved")


def seeds_of(state: State) -> int:
    """Returns the seeds on the board."""
    from engines.endgame.index import seeds_on_board

    return int(seeds_on_board(state.game.rules, state.position))


def _load(game: str, position: str) -> State:
    from mancala_ai import load_game

    return load_game(game).state(position)


def _read(path: Path) -> Iterator[State]:
    from mancala_ai.errors import MancalaError

    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                entry = json.loads(line)
                yield _load(entry["game"], entry["position"])
            except MancalaError as error:
                raise MancalaError(f"{path} line {number}: {error}") from None
            except (ValueError, KeyError, TypeError, AttributeError):
                raise MancalaError(f"{path} line {number}: expected a JSON object with game and position") from None


def _verdict(solution: Solution) -> str:
    if solution.mover_outcome is None:
        return "unsolved"
    player, best = PLAYERS[solution.state.to_move], " ".join(solution.best)
    rest = "" if solution.solved else ", the rest unsolved"
    return f"{player} {OUTCOMES[solution.mover_outcome]} by {best}{rest}"


def _print(solution: Solution, margin: bool) -> None:
    state, found = solution.state, solution
    typer.echo(f"{state.game}  {state}\n\n{state.board()}\n")
    rows = [("outcome", _outcome(found)), ("moves", "  ".join(_moves(found)))]
    if margin:
        rows.append(("further margin", f"{_bound(found.lower, '-')} to {_bound(found.upper, '+')}{_how_sure(found)}"))
    if found.pv:
        rows.append(("line", f"{variation(state, tuple(found.pv))}\n{'':16}{len(found.pv)} moves, {_end(found)}"))
    level = "none" if found.level is None else f"up to {found.level} seeds"
    rows.append(("cost", f"{found.seconds:.3f} s, {found.nodes:,} positions expanded, endgame database: {level}"))
    for name, text in rows:
        typer.echo(f"{name:<16}{text}")


def _outcome(found: Solution) -> str:
    player = PLAYERS[found.state.to_move]
    if found.mover_outcome is None:
        return "unsolved"
    return f"{player} {OUTCOMES[found.mover_outcome]}" + ("" if found.solved else "; not all is solved that was asked")


def _moves(found: Solution) -> Iterator[str]:
    for word, outcome in (("win", 1), ("draw", 0), ("lose", -1)):
        moves = [move for move, value in found.moves.items() if value == outcome]
        if moves:
            yield f"{word}: {' '.join(moves)}"
    unknown = [move for move, value in found.moves.items() if value is None]
    if unknown:
        lesser = found.solved and found.mover_outcome is not None
        yield f"{'draw or lose' if lesser else 'unsolved'}: {' '.join(unknown)}"


def _bound(value: int | None, sign: str) -> str:
    return f"{sign}infinity" if value is None else f"{value:+d}"


def _how_sure(found: Solution) -> str:
    return "" if found.solved else " (proved so far)"


def _end(found: Solution) -> str:
    end = found.state
    for move in found.pv:
        end = end.play(move)
    if not end.is_over:
        return "to be continued"
    if end.termination == "infinite":
        return "then infinite play"
    assert end.final is not None
    return f"then the game is over, {end.final[0]}-{end.final[1]}"


def _to_data(solution: Solution, margin: bool) -> dict[str, Any]:
    names = ("solved", "mover_outcome", "best", "pv", "nodes", "seconds", *(("lower", "upper") if margin else ()))
    values = {name: getattr(solution, name) for name in names}
    return {
        "game": str(solution.state.game),
        "position": str(solution.state),
        **values,
        "moves": solution.moves,
        "database": solution.level,
    }
