"""Lists and exports single games of a tournament."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from experiments.matches import GameResult, Termination
from experiments.store import Store
from mancala_ai import MancalaError, load_game, write_records
from mancala_ai.errors import suggest


@dataclass(frozen=True)
class Selection:
    """Which games are wanted.

    Attributes:
        player: those of this player; None: of all.
        outcomes: how they ended for that player: 1 won, 0 drawn, -1 lost; empty: in any way.
        game: those of this game string; None: all.
        termination: those that ended so; None: all.
    """

    player: str | None = None
    outcomes: tuple[int, ...] = ()
    game: str | None = None
    termination: str | None = None

    def of(self, store: Store) -> list[GameResult]:
        """Returns the games of a file.

        Raises:
            MancalaError: the file knows no such player or game, or there is no such termination.
        """
        config = store.config
        if self.player is not None and self.player not in config.engines:
            raise MancalaError(f"--player {self.player!r}: {suggest(self.player, config.engines)}")
        if self.player is None and self.outcomes not in ((), (0,)):
            raise MancalaError("--won and --lost: expected --player as well, to say whose games they are")
        game = None if self.game is None else str(load_game(self.game))
        if game is not None and game not in config.games:
            raise MancalaError(f"--game {game!r}: {suggest(game, config.games)}")
        if self.termination is not None and self.termination not in list(Termination):
            raise MancalaError(f"--termination {self.termination!r}: {suggest(self.termination, list(Termination))}")
        return [
            result
            for result in store.results()
            if (self.player is None or self.player in result.spec.players)
            and (not self.outcomes or self._outcome(result) in self.outcomes)
            and (game is None or result.spec.game == game)
            and (self.termination is None or result.termination == self.termination)
        ]

    def _outcome(self, result: GameResult) -> int:
        return -result.outcome if result.spec.north == self.player else result.outcome


_COLUMNS = ("number", "game", "pair", "south", "north", "result", "margin", "plies", "termination", "fault")


def _row(result: GameResult) -> tuple[str, ...]:
    spec = result.spec
    points = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}[result.outcome]
    margin = "" if result.margin is None else str(result.margin)
    return (
        *(str(spec.number), spec.game, str(spec.pair), spec.south, spec.north, points, margin),
        *(str(result.plies), result.termination.value, result.fault or ""),
    )


def list_games(results: Sequence[GameResult], console: Console) -> None:
    """Prints a line a game."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, caption=f"{len(results)} games")
    for column in _COLUMNS[:-1]:
        number = column in ("number", "pair", "margin", "plies")
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    for result in results:
        row = _row(result)
        table.add_row(*row[:-2], f"{row[-2]}: {row[-1]}" if row[-1] else row[-2])
    unlimited = console.options.update(width=10_000)  # a long line is better than names that cannot be read
    console.width = max(console.width, Measurement.get(console, unlimited, table).maximum)
    console.print(table, crop=False)


def export_games(results: Sequence[GameResult], path: Path) -> None:
    """Writes games to a file: records if its name ends in ``.jsonl``, a table if it ends in ``.csv``.

    Raises:
        MancalaError: the name ends otherwise, or the file cannot be written.
    """
    try:
        if path.suffix == ".jsonl":
            write_records(path, (result.record for result in results))
        elif path.suffix == ".csv":
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow([*_COLUMNS, "opening", "moves", "south seconds", "north seconds"])
                for result in results:
                    seconds = (f"{taken:.6f}" for taken in result.seconds)
                    moves = " | ".join(" ".join(moves) for moves in result.rounds)
                    writer.writerow([*_row(result), result.spec.opening, moves, *seconds])
        else:
            raise MancalaError(f"{path}: expected a name that ends in .jsonl or .csv")
    except OSError as error:
        raise MancalaError(f"{path}: cannot be written: {error.strerror}") from None
