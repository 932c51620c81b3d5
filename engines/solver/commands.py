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
    from engines.endgame.probe import EndgameDatabase
    from engines.solver.goals import Goal
    from engines.solver.solve import Solution
    from mancala_ai import Game, State
    from mancala_ai.protocol import Limit

PLAYERS = ("South", "North")
OUTCOMES = {1: "wins", 0: "draws", -1: "loses"}


def solve(
    what: Annotated[
        str, typer.Argument(metavar="POSITION|FILE", help="A position string, or a file with one puzzle a line.")
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

    A file is one of puzzles, in either form (docs/puzzles.md); of a JSON object "game" and "position" are enough. Where
    it says what is to be reached, such as "win by 5", the answer is to that.

    With --json each line of the output is an object, too: position, solved, mover_outcome (1 win, 0 draw, -1 loss of
    the side to move, null if unsolved), best (moves), pv, nodes, seconds, moves (their outcomes), database (most
    seeds); with --margin lower and upper (null: infinite, or nothing proved); and of puzzles stipulation and reached
    (null if unsolved). If "win by 5" is reached, best and pv are the moves and the line that reach it.

    Examples:
      mancala-ai solve '0,0,0,0,1,2,0,1/0,0,0,0,2,0,3,1 S 59-59' --margin
      mancala-ai solve '0,0,2,2,0,1/0,2,0,1,0,2 N 20-18' --game 'giuthi(holes=6,seeds=4)'
      mancala-ai solve puzzles.jsonl --json --limit seconds=10
    """
    from engines.solver.levels import default_game, open_levels
    from engines.solver.solve import check_solvable
    from mancala_ai.errors import MancalaError
    from mancala_ai.protocol import parse_limit

    limits = parse_limit(limit)
    if limits.depth or limits.simulations:
        raise MancalaError(f"limit {limit!r}: expected seconds or nodes")
    is_file = Path(what).is_file() or what.endswith(".jsonl")
    tasks = list(_read(Path(what))) if is_file else [(_load(game or default_game(), what), None)]
    if not tasks:
        raise MancalaError(f"{what}: expected a position")
    states = [state for state, _ in tasks]
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
    for number, (state, goal) in enumerate(tasks, 1):
        solution, reached = _solve(state, goal, databases[state.game], limits, margin, memory_mb)
        solved += solution.solved
        if as_json:
            asked = {} if goal is None else {"stipulation": str(goal), "reached": reached}
            typer.echo(json.dumps({**_to_data(solution, margin), **asked}))
        elif is_file:
            typer.echo(f"{number:>4}  {_verdict(solution, goal, reached)}, {solution.seconds:.3f} s  {state}")
        else:
            _print(solution, margin)
    if is_file and not as_json:
        typer.echo(f"{solved} of {len(tasks)} solved")


def seeds_of(state: State) -> int:
    """Returns the seeds on the board."""
    from engines.endgame.index import seeds_on_board

    return int(seeds_on_board(state.game.rules, state.position))


def _load(game: str, position: str) -> State:
    from mancala_ai import load_game

    return load_game(game).state(position)


def _read(path: Path) -> Iterator[tuple[State, Goal | None]]:
    from engines.solver.goals import check_player, read_fields, read_goal, read_lines
    from mancala_ai.errors import MancalaError

    for where, line in read_lines(path):
        try:
            fields = read_fields(line)
            texts = [fields.get("game"), fields.get("position"), fields.get("stipulation", "")]
            if not all(isinstance(text, str) for text in texts):
                raise MancalaError(
                    'expected a JSON object with texts "game", "position" and, if it is there, "stipulation"'
                )
            state = _load(texts[0], texts[1])
            goal = read_goal(texts[2]) if "stipulation" in fields else None
            if goal is not None:
                check_player(goal, state)
        except MancalaError as error:
            raise MancalaError(f"{where}: {error}") from None
        yield state, goal


def _solve(
    state: State, goal: Goal | None, database: EndgameDatabase, limits: Limit, margin: bool, memory_mb: int
) -> tuple[Solution, bool | None]:
    """Returns the solution of a position, and whether the goal is reached; None if that is unsolved, or without a goal.

    The outcome says all about a win or a draw. To win by more is a question of its own; it comes first, and what it
    leaves of the limits is for the outcome.
    """
    from engines.solver.goals import Reach, reach
    from engines.solver.solve import solve as solve_state

    found, seconds, nodes = Reach(), limits.seconds, limits.nodes
    wanted = 0 if goal is None or goal.margin is None else goal.margin
    if wanted > 1:
        found = reach(state, wanted, database, seconds, nodes, memory_mb)
        seconds = None if seconds is None else max(seconds - found.seconds, 0)
        nodes = None if nodes is None else max(nodes - found.nodes, 0)
    solution = solve_state(state, database, seconds, nodes, margin, memory_mb)
    if wanted <= 1:
        outcome = solution.mover_outcome
        return solution, None if goal is None or outcome is None else outcome >= wanted
    solution.solved &= found.solved
    solution.nodes += found.nodes
    solution.seconds += found.seconds
    if found.reached:
        solution.mover_outcome, solution.best, solution.pv = 1, found.best, found.pv
        solution.moves.update(dict.fromkeys(found.best, 1))
    return solution, found.reached


def _verdict(solution: Solution, goal: Goal | None, reached: bool | None) -> str:
    player, outcome = PLAYERS[solution.state.to_move], solution.mover_outcome
    # All moves of a lost position lose.
    moves = "" if outcome in (None, -1) else f" with {' '.join(solution.best)}"
    moves += "" if solution.solved else ", the rest unsolved"
    answer = "unsolved" if outcome is None else f"{player} {OUTCOMES[outcome]}{moves}"
    if goal is None or (reached is None and outcome is None):
        return answer
    if reached:
        return f"{player} wins by {goal.margin}{moves}" if (goal.margin or 0) > 1 else answer
    asked = f"{goal.aim} unsolved" if reached is None else f"{player} does not {goal.aim}"
    return f"{asked}; {'outcome ' if outcome is None else ''}{answer}"


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
