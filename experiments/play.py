"""The command ``play``: a person against an engine, or two people, in the terminal.

`Table` is the game and all that can be done to it, and prints nothing; the functions below it talk to the person.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from rich.console import Console

import mancala_ai
from mancala_ai.cli import interruptibly
from mancala_ai.errors import (
    EngineError,
    GameStringError,
    IllegalMoveError,
    MancalaError,
    RecordError,
    blamed_on,
    suggest,
)
from mancala_ai.plugins import entry_points
from mancala_ai.registry import ENGINES

if TYPE_CHECKING:
    from mancala_ai import Engine, Limit, State

HUMAN = "human"
OPPONENT = "alphabeta(depth=6)"
PLAYERS = ("South", "North")

HELP = """\
MOVE ...   play a move, or several of the same turn
moves      list the legal moves
hint       ask an engine for a move
undo       take back your last move, and all that came after it
save FILE  write the game to a file; afterwards `save` alone writes it again
load FILE  go on with the last game in a file
help       show this
quit       leave"""


def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game string, such as giuthi or 'kpe(holes=3)'.")],
    position: Annotated[
        str | None, typer.Argument(metavar="POSITION", help="A position string; the start position if left out.")
    ] = None,
    south: Annotated[str, typer.Option(metavar="ENGINE", help="Who plays South: human or an engine string.")] = HUMAN,
    north: Annotated[
        str, typer.Option(metavar="ENGINE", help="Who plays North: human or an engine string.")
    ] = OPPONENT,
    limit: Annotated[
        str, typer.Option(metavar="LIMIT", help="For every move of an engine, such as seconds=0.5 or nodes=10000.")
    ] = "",
) -> None:
    """Play against an engine, or with two people.

    Type moves by their letters; `help` lists what else can be typed.

    Examples:
      mancala-ai play kisolo
      mancala-ai play giuthi --limit seconds=0.5
      mancala-ai play kpe --south greedy --north human
      mancala-ai play 'kiothi(setup=5x5)' --north human
    """
    loaded = mancala_ai.load_game(game)
    start = loaded.initial_state() if position is None else loaded.state(position)
    table = Table(start, (south, north), limit)
    try:
        _converse(table)
    except EOFError:
        typer.echo(f"\n{table.farewell()}")
    except KeyboardInterrupt:
        typer.echo(f"\n{table.farewell()}")
        raise


class Played(NamedTuple):
    """One move as it is told."""

    player: str
    move: str
    again: bool  # an extra move was won; not said in an opening, whose steps have remarks of their own


class Table:
    """A game between persons and engines.

    Attributes:
        state: the present state.
        names: engine strings, or ``human``, of South and North.
        news: what has been played since a person was last asked, that person's own moves included.
        saved: file and number of moves of the last save; None if there was none.
    """

    def __init__(self, state: State, names: tuple[str, str], limit: str) -> None:
        from mancala_ai.protocol import parse_limit

        self.state = state
        self.names = names
        self.news: list[Played] = []
        self.saved: tuple[str, int] | None = None
        self._options = ["--south", names[0], "--north", names[1], *(["--limit", limit] if limit else [])]
        self._limit: Limit | None = parse_limit(limit) if limit else None
        self._engines = [None if name == HUMAN else _load_player(name) for name in names]
        self._adviser: Engine | None = next(filter(None, self._engines), None)  # loaded when a hint is asked for
        self._own_file: str | None = None  # what `save` may write over
        self._commands: dict[str, Callable[[str], str | None]] = {
            "moves": self._moves,
            "hint": self._hint,
            "undo": self._undo,
            "save": self._save,
            "load": self._load,
            "help": lambda argument: HELP,
        }

    @property
    def persons(self) -> int:
        """How many of the players are persons."""
        return self.names.count(HUMAN)

    @property
    def engine_to_move(self) -> bool:
        """Whether it is an engine's turn."""
        return not self.state.is_over and self._engines[self.state.to_move] is not None

    def play(self, moves: Sequence[str]) -> None:
        """Plays moves of one turn.

        Raises:
            IllegalMoveError: one of them is not legal, or belongs to the other player; then none has been played.
        """
        state, news = self.state, []
        for move in moves:
            if state.to_move != self.state.to_move:
                raise IllegalMoveError(f"move {move!r}: expected none, it is {PLAYERS[state.to_move]}'s turn by then")
            legal = state.legal_moves()
            if move not in legal:
                raise IllegalMoveError(f"{move!r} is not a move here: expected {', '.join(legal) or 'none'}, or help")
            player = PLAYERS[state.to_move]
            state = state.play(move)
            opening = state.game.rules.unpack(state.position).extra
            again = PLAYERS[state.to_move] == player and not state.is_over and not opening
            news.append(Played(player, move, again))
        self.state = state
        self.news += news

    def play_engine(self) -> None:
        """Has the engine whose turn it is play a move."""
        engine = self._engines[self.state.to_move]
        assert engine is not None
        name = self.names[self.state.to_move]
        move = self._ask(engine, name).move
        if move not in self.state.legal_moves():
            legal = ", ".join(self.state.legal_moves())
            raise EngineError(f"{name} wants to play {move!r} in {str(self.state)!r}: expected one of {legal}")
        self.play([move])

    def obey(self, line: str) -> str | None:
        """Does what a person has typed.

        Returns:
            An answer to print, None if the board has changed.

        Raises:
            MancalaError: it cannot be done; the message says why.
        """
        word, _, argument = line.partition(" ")
        if word in self._commands:
            return self._commands[word](argument.strip())
        if self.state.is_over:
            raise IllegalMoveError(f"{line!r}: the game is over: expected undo, save, load, help or quit")
        news, self.news = self.news, []
        try:
            self.play(line.split())
        except IllegalMoveError:
            self.news = news
            raise
        return None

    def tell(self) -> str:
        """Returns the news as sentences, one a line."""
        text, before = "", None
        for now in self.news:
            if before is None or before.player != now.player:
                text += f"{'.' + chr(10) if text else ''}{now.player} played {now.move}"
            else:
                text += f", again {now.move}" if before.again else f", {now.move}"
            before = now
        if before is None:
            return ""
        return f"{text}. {before.player} moves again." if before.again else f"{text}."

    def farewell(self) -> str:
        """Says what becomes of the game when the person leaves."""
        count = len(self.state.moves)
        if self.saved is None:
            return "Good-bye; the game was not saved." if count and not self.state.is_over else "Good-bye."
        file, moves = self.saved
        later = f"; what was played since ({count - moves} moves) is not in it" if count > moves else ""
        command = shlex.join(["mancala-ai", "play", str(self.state.game), *self._options])
        return f"The game is in {file}, as of move {moves}{later}.\nTo go on: {command}\nand then: load {file}"

    def _ask(self, engine: Engine, name: str) -> mancala_ai.SearchResult:
        state = self.state
        with blamed_on(name):
            return interruptibly(lambda: engine.search(state, self._limit), f"{name} is thinking")

    def _moves(self, argument: str) -> str:
        return f"Legal moves: {' '.join(self.state.legal_moves()) or 'none, the game is over'}"

    def _hint(self, argument: str) -> str:
        if self.state.is_over:
            raise MancalaError("hint: expected a game that is not over")
        if self._adviser is None:
            self._adviser = mancala_ai.load_engine(OPPONENT)
        found = self._ask(self._adviser, "the adviser")
        line = f", then {' '.join(found.pv[1:])}" if len(found.pv) > 1 else ""
        value = "" if found.value is None else f" (value {found.value:+.2f})"
        return f"Hint: {found.move}{value}{line}"

    def _undo(self, argument: str) -> None:
        state = self.state.parent
        while state is not None and self._engines[state.to_move] is not None:
            state = state.parent
        if state is None:
            raise MancalaError("undo: expected a move of yours to take back")
        self.state, self.news = state, []

    def _save(self, argument: str) -> str:
        file = argument or self._own_file
        if not file:
            raise MancalaError("save: expected a file name, such as save game.jsonl")
        if file != self._own_file and Path(file).exists():
            raise MancalaError(f"save: {file} exists: expected a new file name")
        mancala_ai.write_records(file, [mancala_ai.GameRecord.from_state(self.state, self.names)])
        self._own_file, self.saved = file, (file, len(self.state.moves))
        return f"Saved in {file}."

    def _load(self, argument: str) -> None:
        if not argument:
            raise MancalaError("load: expected a file name, such as load game.jsonl")
        records = list(mancala_ai.read_records(argument))
        if not records:
            raise RecordError(f"{argument}: expected a game record")
        self.state, self.news = records[-1].replay(argument), []
        # A file of several games is not ours to write over.
        self._own_file = argument if len(records) == 1 else None
        self.saved = (argument, len(self.state.moves))
        for engine in filter(None, self._engines):
            engine.new_game()


def _load_player(name: str) -> Engine:
    known = entry_points(ENGINES)
    if name.isidentifier() and name not in known:
        raise GameStringError(f"player {name!r}: {suggest(name, [HUMAN, *known])}")
    return mancala_ai.load_engine(name)


def _converse(table: Table) -> None:
    """Plays until the person leaves, or until the end if no person plays."""
    console = Console(highlight=False)
    _show(table, console)
    if table.persons and not table.state.is_over:
        typer.echo(f"Type a move, such as {table.state.legal_moves()[0]}, or help.")
    while True:
        if table.engine_to_move:
            if not table.persons:
                table.news = []
            table.play_engine()
            if not table.engine_to_move or not table.persons:
                _show(table, console)
            continue
        if not table.persons:
            return
        line = _read("game over" if table.state.is_over else PLAYERS[table.state.to_move])
        if line == "quit":
            typer.echo(table.farewell())
            return
        try:
            answer = table.obey(line) if line else None
        except MancalaError as error:
            answer = str(error)
        except OSError as error:
            answer = f"{error.filename}: {error.strerror}"
        if answer is not None:
            typer.echo(answer)
        elif console.is_terminal or not table.engine_to_move:  # on a screen, something to look at while it thinks
            _show(table, console)


def _read(prompt: str) -> str:
    """Returns the line that the person types, without blanks around it; raises EOFError at the end of the input."""
    line = input(f"{prompt}> ").strip()
    if not sys.stdin.isatty():
        typer.echo(line)  # where nobody types, the input is part of the account
    return line


def _show(table: Table, console: Console) -> None:
    """Draws the board on an empty screen, below what has been played."""
    console.clear()  # does nothing where there is no screen
    state = table.state
    console.print(f"\n{state.game}   South: {table.names[0]}   North: {table.names[1]}", markup=False)
    console.print(table.tell() + "\n", markup=False)
    typer.echo(state.board())
    legal = state.legal_moves()
    if len(legal) == 1:
        typer.echo(f"The only legal move is {legal[0]}.")
    if state.is_over and table.persons:
        typer.echo("Type undo, save FILE, or quit.")
