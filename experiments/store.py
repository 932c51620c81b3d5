"""Results of a tournament in one SQLite file, game by game, so that nothing that was played is ever lost.

Schema, version 1 (``PRAGMA user_version``):

    tournament   name TEXT PRIMARY KEY, value TEXT (JSON)
        config     every setting by the name of its flag, defaults included
        versions   of mancala-ai, Python, Numba and NumPy, when the file was made
        machine    processor, system and number of cores, when the file was made
        created    UTC, ISO 8601
        suites     what identifies the openings of a suite or a file, by game
        endgames   what identifies the endgame databases in use, by the option that chooses them and the game
        shortages  games with too few openings: how many pairs they have openings for, as far as is known
    games        one row a finished game
        key        TEXT PRIMARY KEY: game string | South | North | number of the pair
        number     INTEGER: place in the schedule, from 0
        game, pair, south, north, opening: what was to be played (see `experiments.matches.GameSpec`)
        outcome    INTEGER: 1 South has won, -1 North, 0 draw
        termination TEXT (see `experiments.matches.Termination`); fault TEXT: what the loser did wrong, or NULL
        margin     INTEGER: South's final score minus North's; NULL if decided otherwise
        plies      INTEGER: moves played, openings not counted
        south_seconds, north_seconds  REAL: wall-clock time of the engines
        record     TEXT: the game, as `mancala_ai.GameRecord` writes it

The file is in WAL mode while it is written, and each game is a transaction of its own. Only one process may write: it
holds a lock on ``FILE.lock``. At every clean end the write-ahead log is moved into the file, which then is all that
there is.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from experiments.config import TournamentConfig, config_of, differences
from experiments.matches import GameResult, GameSpec, Termination
from mancala_ai import GameRecord, MancalaError
from mancala_ai.errors import one_line
from mancala_ai.machine import machine, versions

VERSION = 1
_COLUMNS = (
    "key, number, game, pair, south, north, opening, outcome, termination, fault, margin, plies, "
    "south_seconds, north_seconds, record"
)
_SCHEMA = f"""
CREATE TABLE tournament (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE games (
    key TEXT PRIMARY KEY, number INTEGER NOT NULL, game TEXT NOT NULL, pair INTEGER NOT NULL, south TEXT NOT NULL,
    north TEXT NOT NULL, opening TEXT NOT NULL, outcome INTEGER NOT NULL, termination TEXT NOT NULL, fault TEXT,
    margin INTEGER, plies INTEGER NOT NULL, south_seconds REAL NOT NULL, north_seconds REAL NOT NULL,
    record TEXT NOT NULL
);
PRAGMA user_version = {VERSION};
"""


class Store:
    """A file of results. To be used in a ``with`` statement.

    Attributes:
        path: the file.
        config: the configuration of its tournament.
        about: what else the file says of itself: versions, machine, created.
    """

    def __init__(self, path: Path | str, config: TournamentConfig | None = None) -> None:
        """Opens a file of results.

        Args:
            path: the file.
            config: to write: the tournament, whose file is made if there is none. To read only: None.

        Raises:
            MancalaError: the file is missing, damaged, no such file, of another version, of another tournament, or is
                being written by another process.
        """
        self.path = path = Path(path)
        self._lock = FileLock(f"{path}.lock")
        if config is None:
            if not path.is_file():
                raise MancalaError(f"{path}: no such file: expected results of a tournament")
            mode = "ro"
        else:
            self._take_lock()
            mode = "rwc"
        with contextlib.ExitStack() as undo:
            undo.callback(self._release_lock)
            try:
                self._connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True)
                undo.callback(self._connection.close)
                if config is not None:
                    self._prepare(config)
                stored = self._read_header()
            except (sqlite3.Error, json.JSONDecodeError) as error:
                raise MancalaError(f"{path}: {error}: expected results of a tournament") from None
            try:
                self.config = config_of(stored["config"], checked=False)
            except (KeyError, TypeError, AttributeError, MancalaError) as error:
                raise MancalaError(f"{path}: damaged: no configuration of a tournament ({one_line(error)})") from None
            undo.pop_all()
        self.about = {name: value for name, value in stored.items() if name not in ("config", "shortages")}

    def _take_lock(self) -> None:
        if not self.path.absolute().parent.is_dir():
            raise MancalaError(f"{self.path}: expected a directory {self.path.parent} that exists")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise MancalaError(
                f"{self.path}: is being written by another process: expected to be the only one"
            ) from None
        except OSError as error:
            raise MancalaError(f"{self.path}: cannot be written: {error.strerror}") from None

    def _release_lock(self) -> None:
        if self._lock.is_locked:
            with contextlib.suppress(OSError):  # not every system removes a file that is open
                os.unlink(self._lock.lock_file)
            self._lock.release()

    def _prepare(self, config: TournamentConfig) -> None:
        connection, settings = self._connection, config.to_settings()
        endgames, suites = config.endgames(), config.suites()  # reads their files
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            header: dict[str, Any] = {
                "config": settings,
                "versions": versions(),
                "machine": machine(),
                "endgames": endgames,
                "suites": suites,
                "created": datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds"),
            }
            connection.execute("BEGIN")
            for statement in filter(str.strip, _SCHEMA.split(";")):
                connection.execute(statement)
            rows = [(name, json.dumps(value)) for name, value in header.items()]
            connection.executemany("INSERT INTO tournament VALUES (?, ?)", rows)
            connection.commit()
        header = self._read_header()
        names = {"endgames": "endgame databases", "suites": "contents of the openings"}
        there = header["config"] | {said: header.get(name, {}) for name, said in names.items()}
        here = settings | {names["endgames"]: endgames, names["suites"]: suites}
        different = differences(there, here)
        if different:
            raise MancalaError(
                f"{self.path}: holds another tournament ({'; '.join(different)}): expected the same, or a new file"
            )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # what is committed survives the death of the process

    def _read_header(self) -> dict[str, Any]:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            raise MancalaError(f"{self.path}: version {version} of the results: expected {VERSION}")
        return {name: json.loads(value) for name, value in self._connection.execute("SELECT * FROM tournament")}

    def add(self, result: GameResult) -> None:
        """Keeps a game, at once and for good."""
        spec, record = result.spec, result.record
        row = (spec.key, spec.number, spec.game, spec.pair, spec.south, spec.north, spec.opening, result.outcome)
        row += (result.termination.value, result.fault, result.margin, result.plies)  # type: ignore[assignment]
        row += (*result.seconds, record.to_json())  # type: ignore[assignment]
        with self._writing():
            self._connection.execute(f"INSERT INTO games ({_COLUMNS}) VALUES ({', '.join('?' * len(row))})", row)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            with self._connection:
                yield
        except sqlite3.Error as error:
            raise MancalaError(f"{self.path}: cannot be written: {error}") from None

    @property
    def shortages(self) -> dict[str, int]:
        """Games that have too few openings, and how many pairs they have openings for, as far as is known."""
        row = self._connection.execute("SELECT value FROM tournament WHERE name = 'shortages'").fetchone()
        return {} if row is None else dict(json.loads(row[0]))

    def keep_shortages(self, shortages: Mapping[str, int]) -> None:
        """Keeps what has become known of `shortages`."""
        with self._writing():
            value = json.dumps(self.shortages | dict(shortages))
            self._connection.execute("INSERT OR REPLACE INTO tournament VALUES ('shortages', ?)", (value,))

    def results(self) -> Iterator[GameResult]:
        """Yields all games in the order of the schedule."""
        try:
            for row in self._connection.execute(f"SELECT {_COLUMNS} FROM games ORDER BY number"):
                yield self._result(*row)
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise MancalaError(f"{self.path}: damaged: {error}") from None

    def _result(self, *row: Any) -> GameResult:
        _, number, game, pair, south, north, opening, outcome, termination, fault, _, _, *seconds, record = row
        if outcome not in (-1, 0, 1):
            raise ValueError(f"game {number}: outcome {outcome}: expected 1, 0 or -1")
        spec = GameSpec(game, pair, south, north, opening, self.config.terms, number)
        read = GameRecord.from_json(record, f"game {number}")
        return GameResult(spec, outcome, Termination(termination), read, fault, (seconds[0], seconds[1]))

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock.is_locked:
            with contextlib.suppress(sqlite3.Error):  # somebody reads it: then the log stays beside the file
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()
        self._release_lock()
