"""Game records: one game a line of JSON, complete enough to be replayed and verified by anybody.

    >>> import mancala_ai
    >>> state = mancala_ai.load_game("kpe").initial_state().play("a").play("c")
    >>> record = mancala_ai.GameRecord.from_state(state, players=("Ada", "greedy"))
    >>> mancala_ai.GameRecord.from_json(record.to_json()).replay() == state
    True

A line is an object with the fields of `GameRecord`; the four that make up the result are null in an unfinished game.
The terminations ``normal`` and ``infinite`` are the endings of the rules, and are verified when a record is replayed;
any other (adjudication, a lost connection, ...) is the word of whoever wrote the record.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numba

import mancala_ai
from mancala_ai.errors import IllegalMoveError, MancalaError, RecordError, suggest
from mancala_ai.game import INFINITE, NORMAL, Number, State
from mancala_ai.registry import load_game


def current_versions(state: State) -> dict[str, str]:
    """Returns the versions that a record of this state's game names."""
    return {
        "mancala-ai": mancala_ai.__version__,
        "rules": str(state.game.rules.version),
        "python": platform.python_version(),
        "numba": numba.__version__,
    }


@dataclass(frozen=True)
class GameRecord:
    """One game, finished or not.

    Attributes:
        game: game string.
        start: position string in which the history begins.
        moves: move strings.
        players: names of South and North.
        outcome: 1 South has won, -1 North, 0 a draw; None if unfinished.
        margin: South's final score minus North's; None if unfinished, or decided by something else than the rules.
        final: final scores of South and North; None likewise, and where the game has no score.
        termination: ``normal``, ``infinite``, or any other word for how the game was ended; None if unfinished.
        versions: of the program, the rules, Python and Numba that the game was played with.
        extra: whatever else is to be kept; must be representable in JSON.
    """

    game: str
    start: str
    moves: tuple[str, ...]
    players: tuple[str, str]
    outcome: int | None = None
    margin: int | None = None
    final: tuple[Number, Number] | None = None
    termination: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_state(
        cls,
        state: State,
        players: tuple[str, str],
        *,
        outcome: int | None = None,
        termination: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> GameRecord:
        """Returns the record of a state and its history.

        Args:
            state: the last state of the game.
            players: names of South and North.
            outcome: who has won a game that the rules have not ended: 1 South, -1 North, 0 a draw.
            termination: what ended such a game.
            extra: whatever else is to be kept.

        Raises:
            RecordError: an outcome without a termination or the reverse, or a game that the rules have ended already.
        """
        if (outcome is None) != (termination is None):
            raise RecordError(f"outcome {outcome}, termination {termination!r}: expected both or none")
        if state.is_over and termination is not None:
            raise RecordError(f"termination {termination!r}: expected none, the game is over ({state.termination})")
        return cls(
            game=str(state.game),
            start=str(state.start),
            moves=tuple(state.moves),
            players=players,
            outcome=state.outcome if outcome is None else outcome,
            margin=state.margin,
            final=state.final,
            termination=state.termination if termination is None else termination,
            versions=current_versions(state),
            extra=extra or {},
        )

    @classmethod
    def from_json(cls, line: str, where: str = "game record") -> GameRecord:
        """Returns the record of a line, checked for its form but not replayed.

        Args:
            line: one line of JSON.
            where: begins error messages, such as ``"line 3"``.

        Raises:
            RecordError: the line is not a record; the message names the field.
        """
        try:
            data = json.loads(line)
        except json.JSONDecodeError as error:
            raise RecordError(f"{where}: not JSON: {error.msg} at column {error.colno}") from None
        except (ValueError, RecursionError) as error:  # numbers or nesting beyond what Python reads
            raise RecordError(f"{where}: not readable: {error}") from None
        if not isinstance(data, dict):
            raise RecordError(f"{where}: expected a JSON object")
        names = [entry.name for entry in fields(cls)]
        for name in data:
            if name not in names:
                raise RecordError(f"{where}: field {name!r}: {suggest(name, names)}")
        for name, (is_valid, expected) in _FIELDS.items():
            if name not in data and name != "extra":
                raise RecordError(f"{where}: {name} is missing: expected {expected}")
            if name in data and not is_valid(data[name]):
                raise RecordError(f"{where}: {name} {json.dumps(data[name])[:80]}: expected {expected}")
        if (data["outcome"] is None) != (data["termination"] is None):
            raise RecordError(f"{where}: outcome and termination: expected both, or null for both if unfinished")
        values: dict[str, Any] = {n: tuple(value) if isinstance(value, list) else value for n, value in data.items()}
        return cls(**values)

    def to_json(self) -> str:
        """Returns the record as one line of JSON, without the line end."""
        return json.dumps(asdict(self), ensure_ascii=False)

    def replay(self, where: str = "game record") -> State:
        """Plays the game again and verifies it.

        Args:
            where: begins error messages, such as ``"games.jsonl line 3"``.

        Returns:
            The last state, with its history.

        Raises:
            RecordError: the game string, the start or a move is refused, or the result is not the recorded one.
        """
        try:
            state = load_game(self.game).state(self.start)
        except MancalaError as error:
            raise RecordError(f"{where}: {error}") from None
        for number, move in enumerate(self.moves, 1):
            try:
                state = state.play(move)
            except IllegalMoveError:
                legal = ", ".join(state.legal_moves()) or "none, the game is over"
                expected = f"expected one of the legal moves: {legal}"
                raise RecordError(f"{where}: move {number} {move!r} in {str(state)!r}: {expected}") from None
        ended_by_rules = self.termination in (None, NORMAL, INFINITE)
        for name in ("termination", "outcome", "margin", "final") if ended_by_rules else ():
            recorded, found = getattr(self, name), getattr(state, name)
            if recorded != found:
                end = f"after {len(self.moves)} moves, in {str(state)!r}"
                raise RecordError(f"{where}: {name} {json.dumps(recorded)}: expected {json.dumps(found)} {end}")
        return state


def write_records(path: str | os.PathLike[str], records: Iterable[GameRecord], append: bool = False) -> None:
    """Writes records to a file, one a line.

    Args:
        path: the file.
        records: the records.
        append: whether to keep what the file holds; otherwise it is replaced.

    Raises:
        RecordError: the file to append to ends in the middle of a line.
    """
    if append and _ends_within_line(Path(path)):
        raise RecordError(f"{os.fspath(path)}: the last line is incomplete: expected a line end to append after")
    with open(path, "a" if append else "w", encoding="utf-8", newline="\n") as file:
        for record in records:
            file.write(record.to_json() + "\n")


def _ends_within_line(path: Path) -> bool:
    # What a program that was killed while it wrote leaves behind.
    if not path.exists() or not path.stat().st_size:
        return False
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def read_records(path: str | os.PathLike[str], verify: bool = True) -> Iterator[GameRecord]:
    """Yields the records of a file.

    Args:
        path: the file.
        verify: whether to replay every game.

    Raises:
        RecordError: a line is corrupt; the message names file, line, and field or move.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            where = f"{os.fspath(path)} line {number}"
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                raise RecordError(f"{where}: not UTF-8: {error}") from None
            record = GameRecord.from_json(text, where)
            if verify:
                record.replay(where)
            yield record


# The form of every field: a test, and what error messages say.


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_optional_int(value: Any) -> bool:
    return value is None or type(value) is int


def _is_scores(value: Any) -> bool:
    return value is None or (
        isinstance(value, list) and len(value) == 2 and all(type(score) in (int, float) for score in value)
    )


def _is_texts_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "game": (_is_text, "a game string"),
    "start": (_is_text, "a position string"),
    "moves": (_is_texts, "a list of move strings"),
    "players": (lambda value: _is_texts(value) and len(value) == 2, "the names of South and North"),
    "outcome": (lambda value: _is_optional_int(value) and value in (None, -1, 0, 1), "1, 0, -1 or null"),
    "margin": (_is_optional_int, "a whole number or null"),
    "final": (_is_scores, "the scores of South and North or null"),
    "termination": (lambda value: value is None or (_is_text(value) and bool(value)), "a word or null"),
    "versions": (_is_texts_by_name, "an object of version strings"),
    "extra": (lambda value: isinstance(value, dict), "an object"),
}
