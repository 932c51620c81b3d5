"""Solving puzzles in the terminal. `Session` is the state of affairs and prints nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from engines.commands import variation
from engines.endgame.probe import EndgameDatabase
from engines.solver.solve import solve
from experiments.puzzles.judge import Judge, open_database
from experiments.puzzles.puzzle import PLAYERS, Puzzle, PuzzleError, read_puzzles
from mancala_ai import Game, IllegalMoveError, MancalaError, State
from mancala_ai.cli import interruptibly

HELP = """\
MOVE       play a move
hint       say with which pit the solution begins
solution   show the solution, and go on to the next puzzle
next       go on to the next puzzle
help       show this
quit       leave"""

_REFUTATION = 16  # moves shown
_SECONDS = 20.0  # for a refutation that the database does not know


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
            return f"{move} does not {self._aim()}. {self._refutation(after)}"
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
        """Returns a line that solves what is left."""
        return f"Solution: {variation(self.state, tuple(self._judge.line(self.state, _REFUTATION)))}"

    def _is_settled(self) -> bool:
        if self.state.is_over:
            return True
        own = self.state.to_move == self.puzzle.goal.player
        return own and len(self.state.legal_moves()) > 1 and len(self._judge.keeping(self.state)) > 1

    def _aim(self) -> str:
        return str(self.puzzle.goal).partition(" and ")[2]

    def _refutation(self, after: State) -> str:
        if after.is_over:
            drawn = after.termination == "infinite"
            return "It is infinite play, a draw." if drawn else f"The game is over, {_result(after)}."
        found = solve(after, self._database, seconds=_SECONDS)
        line = variation(self.state, (after.moves[-1], *found.pv[:_REFUTATION]))
        more = " ..." if len(found.pv) > _REFUTATION else ""
        return f"{self._verdict(after, found.mover_outcome)}: {line}{more}"

    def _verdict(self, after: State, mover_outcome: int | None) -> str:
        opponent = 1 - self.puzzle.goal.player
        if mover_outcome is None:
            return f"{PLAYERS[opponent]} holds out"
        outcome = mover_outcome if after.to_move == opponent else -mover_outcome
        return f"{PLAYERS[opponent]} {('loses by less', 'draws', 'wins')[outcome + 1]}"


def _result(state: State) -> str:
    assert state.final is not None
    return f"{state.final[0]}-{state.final[1]}"


def solve_puzzles(puzzles: Sequence[Puzzle], base: Path | None) -> None:
    """Puts puzzles one after the other, until they or the person's patience come to an end."""
    databases: dict[Game, EndgameDatabase] = {}
    done = first_try = number = 0
    try:
        for number, puzzle in enumerate(puzzles, 1):
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
    typer.echo(f"{session.state.board()}\nSolved.")
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
