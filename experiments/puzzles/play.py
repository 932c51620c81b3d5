"""Solving puzzles in the terminal. `Session` is the state of affairs and prints nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from engines.endgame.probe import EndgameDatabase
from engines.solver.goals import reach
from engines.solver.solve import solve
from experiments.puzzles.judge import Judge, open_database
from experiments.puzzles.puzzle import Puzzle, PuzzleError, read_puzzles
from mancala_ai import Game, IllegalMoveError, MancalaError, State
from mancala_ai.cli import interruptibly
from mancala_ai.diagram import PLAYERS, describe_result
from mancala_ai.kernels import ENDLESS

HELP = """\
MOVE       play a move
hint       say with which pit the solution begins
solution   show the solution, and go on to the next puzzle
next       go on to the next puzzle
help       show this
quit       leave"""

REMINDER = "Infinite play, such as a position that repeats, draws the whole game, whatever has been captured."
_MOST_MOVES = 60  # of a line that is shown
_UNPROVED = 16  # moves of a line that could not be proved to the end
_SECONDS = 20.0  # for a line that the database does not know


class Session:
    """One puzzle being solved.

    Attributes:
        puzzle: the puzzle.
        state: the present state.
        solved: whether the rest is easy: the game is over, or several moves are right.
        wrong: how many wrong moves were tried.
    """

    def __init__(self, puzzle: Puzzle, database: EndgameDatabase) -> None:
        self.puzzle, self.state = puzzle, puzzle.state
        self.solved, self.wrong = False, 0
        self._database = database
        self._judge = Judge(puzzle, database)

    def play(self, move: str) -> str:
        """Plays a move of the solver, and the opponent's reply; a wrong one is shown to be wrong and taken back.

        Returns:
            What to say about it.

        Raises:
            IllegalMoveError: the move is not legal.
        """
        legal = self.state.legal_moves()
        if move not in legal:
            raise IllegalMoveError(f"{move!r} is not a move here: expected {', '.join(legal)}, or help")
        after = self.state.play(move)
        if not self._judge.holds(after):
            self.wrong += 1
            return f"{move} does not {self.puzzle.goal.aim}. {self._refutation(after)}"
        self.state = after
        said = [f"{move} is right."]
        while not self._is_settled():
            moves = self.state.legal_moves()
            own = self.state.to_move == self.puzzle.goal.player
            if own and len(moves) > 1:
                break
            reply = moves[0] if own else self._judge.reply(self.state)
            said.append(f"{PLAYERS[self.state.to_move]} plays {reply}.")
            self.state = self.state.play(reply)
        self.solved = self._is_settled()
        return " ".join(said)

    def hint(self) -> str:
        """Returns what the right move begins with."""
        right = self._judge.keeping(self.state)[0]
        return f"The right move begins with pit {right[0]}." if right != "pass" else "The right move is to pass."

    def solution(self) -> str:
        """Returns a line that solves what is left: moves of both sides, and how the game ends."""
        return f"Solution: {describe_line(self.state, self._continuation())}"

    def account(self) -> str:
        """Returns what was played, and how it may go on to the end of the game."""
        played = describe_line(self.puzzle.state, self.state.moves)
        rest = self._continuation()
        return f"Line of play: {played}" + (f"\nIt may go on: {describe_line(self.state, rest)}" if rest else "")

    def _continuation(self) -> list[str]:
        """Returns a line from here that reaches the goal, to the end of the game if that can be proved in time."""
        if self.state.is_over:
            return []
        if self.puzzle.goal.margin is None:
            line = solve(self.state, self._database, seconds=_SECONDS).pv
        else:
            line = reach(self.state, self.puzzle.goal.margin, self._database, seconds=_SECONDS).pv
        return line or self._judge.line(self.state, _UNPROVED)

    def _is_settled(self) -> bool:
        if self.state.is_over:
            return True
        own = self.state.to_move == self.puzzle.goal.player
        return own and len(self.state.legal_moves()) > 1 and len(self._judge.keeping(self.state)) > 1

    def _refutation(self, after: State) -> str:
        if after.is_over:
            return describe_end(after)
        found = solve(after, self._database, seconds=_SECONDS)
        verdict = self._verdict(after, found.mover_outcome)
        line = [after.moves[-1], *found.pv]
        end = _follow(self.state, line)
        # Beyond the database a line shows who wins, and not by how much.
        if end.is_over and self.puzzle.goal.is_reached(end):
            return f"{verdict}."
        return f"{verdict}: {describe_line(self.state, line)}"

    def _verdict(self, after: State, mover_outcome: int | None) -> str:
        opponent = 1 - self.puzzle.goal.player
        if mover_outcome is None:
            return f"{PLAYERS[opponent]} holds out"
        outcome = mover_outcome if after.to_move == opponent else -mover_outcome
        return f"{PLAYERS[opponent]} {('loses by less', 'draws', 'wins')[outcome + 1]}"


def _follow(state: State, moves: Sequence[str]) -> State:
    """Returns where moves lead; if the game is over before, which its history may bring about, they end there."""
    for move in moves:
        if state.is_over:
            break
        state = state.play(move)
    return state


def describe_line(state: State, moves: Sequence[str]) -> str:
    """Writes moves of both sides, such as "South e+ f+, North c-", and how the game ends if it does."""
    played = len(state.moves)
    end = _follow(state, moves)
    groups: list[list[str]] = []
    mover = None
    for move in end.moves[played:][:_MOST_MOVES]:
        if state.to_move != mover:
            mover = state.to_move
            groups.append([PLAYERS[mover]])
        groups[-1].append(move)
        state = state.play(move)
    text = ", ".join(" ".join(group) for group in groups)
    left = len(end.moves) - len(state.moves)
    if left:
        text += f", and {left} moves more"
    return f"{text}. {describe_end(end)}" if end.is_over else f"{text} ..."


def describe_end(end: State) -> str:
    """Says how a game ended; of infinite play, of what kind it is. That draws here (`Judge`)."""
    if end.termination == "infinite":
        return f"{'The sowing never ends' if end.words[-1] & ENDLESS else 'The position repeats'}: a draw."
    text = describe_result(end)
    return text[0].upper() + text[1:]


def solve_puzzles(puzzles: Sequence[Puzzle], base: Path | None, start: int = 1) -> None:
    """Puts puzzles one after the other, until they or the person's patience come to an end.

    Args:
        puzzles: all puzzles; their numbers count from 1.
        base: see `engines.endgame.store.directory_of`.
        start: number of the one to begin with.
    """
    databases: dict[Game, EndgameDatabase] = {}
    done = first_try = 0
    typer.echo(REMINDER)
    try:
        for number, puzzle in enumerate(puzzles[start - 1 :], start):
            session = interruptibly(lambda puzzle=puzzle: _start(puzzle, databases, base), "opening endgame databases")  # type: ignore[misc]
            grade = f"   {puzzle.grade}" if puzzle.grade else ""
            typer.echo(f"\nPuzzle {number} of {len(puzzles)}   {puzzle.game}{grade}\n")
            if not _converse(session):
                break
            done += session.solved
            first_try += session.solved and not session.wrong
    except (EOFError, KeyboardInterrupt) as end:
        typer.echo(f"\n{_farewell(done, first_try)}")
        if isinstance(end, KeyboardInterrupt):
            raise
        return
    typer.echo(_farewell(done, first_try))


def _farewell(done: int, first_try: int) -> str:
    return f"{done} solved, {first_try} of them without a wrong move. Good-bye."


def _start(puzzle: Puzzle, databases: dict[Game, EndgameDatabase], base: Path | None) -> Session:
    game = puzzle.state.game
    if game not in databases or databases[game].bounds(puzzle.state) is None:
        databases[game] = open_database(puzzle, base)
    return Session(puzzle, databases[game])


def _converse(session: Session) -> bool:
    """Lets a person solve one puzzle; returns False to leave."""
    show = True
    while not session.solved:
        if show:
            typer.echo(f"{session.state.board()}\n\n{session.puzzle.goal}.")
        show = False
        line = _read(PLAYERS[session.state.to_move])
        try:
            if line == "quit":
                return False
            if line == "next":
                return True
            if line == "help":
                typer.echo(HELP)
            elif line == "hint":
                typer.echo(interruptibly(session.hint, "thinking"))
            elif line == "solution":
                typer.echo(interruptibly(session.solution, "thinking"))
                return True
            elif line:
                before = session.state
                typer.echo(interruptibly(lambda line=line: session.play(line), "thinking"))  # type: ignore[misc]
                show = session.state is not before
        except MancalaError as error:
            typer.echo(str(error))
    typer.echo(f"{session.state.board()}\nSolved. {interruptibly(session.account, 'thinking')}")
    return True


def _read(prompt: str) -> str:
    """Returns the line that the person types; raises EOFError at the end of the input."""
    line = input(f"{prompt}> ").strip()
    if not sys.stdin.isatty():
        typer.echo(line)  # where nobody types, the input is part of the account
    return line


def load_puzzles(path: Path) -> list[Puzzle]:
    """Returns the puzzles of a file.

    Raises:
        PuzzleError: a line is malformed, or there is no puzzle.
        OSError: the file cannot be read.
    """
    puzzles = list(read_puzzles(path))
    if not puzzles:
        raise PuzzleError(f"{path}: expected a puzzle")
    return puzzles
