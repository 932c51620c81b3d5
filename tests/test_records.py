"""Game records: what is written can be read and replayed, and nothing corrupt passes."""

from __future__ import annotations

import doctest
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mancala_ai
from mancala_ai import GameRecord, RecordError, State, read_records, records, write_records

GAMES = [
    "giuthi(holes=5,seeds=4)",
    "kiothi",
    "kpe(holes=3,seeds=4)",
    "kisolo",
    "rio_kadalis(holes=5)",
    "oware",
    "kalah",
]
PLAYERS = ("South's name", "Noëlle")


def random_game(game: str, rng_seed: int, plies: int = 10_000) -> State:
    """A game of random moves, to its end or for so many plies."""
    rng = random.Random(rng_seed)
    state = mancala_ai.load_game(game).initial_state()
    while not state.is_over and len(state.moves) < plies:
        state = state.play(rng.choice(state.legal_moves()))
    return state


def a_record(plies: int = 10_000) -> GameRecord:
    return GameRecord.from_state(random_game("kpe(holes=3,seeds=4)", 4, plies), PLAYERS)


def test_the_example_in_the_docstring() -> None:
    assert doctest.testmod(records).failed == 0


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("plies", [0, 3, 10_000])
def test_a_record_says_all_of_a_game(game: str, plies: int) -> None:
    state = random_game(game, 7, plies)
    record = GameRecord.from_state(state, PLAYERS, extra={"round": 3, "times": [0.5, None]})
    assert GameRecord.from_json(record.to_json()) == record
    replayed = record.replay()
    assert (replayed.moves, replayed.positions) == (state.moves, state.positions)
    result = record.outcome, record.margin, record.final, record.termination
    assert result == (state.outcome, state.margin, state.final, state.termination)
    assert "\n" not in record.to_json()


def test_versions_are_kept() -> None:
    assert set(a_record().versions) == {"mancala-ai", "rules", "python", "numba"}
    assert a_record().versions["mancala-ai"] == mancala_ai.__version__


def test_a_game_may_begin_anywhere() -> None:
    state = mancala_ai.load_game("kpe").state("0,2,0,0/0,1,0,3 S 20-22 abcd/abcd").play("b")
    record = GameRecord.from_state(state, PLAYERS)
    assert (record.start, record.moves) == ("0,2,0,0/0,1,0,3 S 20-22 abcd/abcd", ("b",))
    assert record.replay() == state


def test_other_terminations_carry_their_own_outcome() -> None:
    state = random_game("kisolo", 1, plies=4)
    record = GameRecord.from_state(state, PLAYERS, outcome=-1, termination="time forfeit")
    assert (record.outcome, record.margin, record.final) == (-1, None, None)
    assert record.replay() == state


def test_an_outcome_needs_a_termination_and_an_unfinished_game() -> None:
    unfinished, finished = random_game("kpe", 1, plies=2), random_game("kpe", 1)
    with pytest.raises(RecordError, match="expected both or none"):
        GameRecord.from_state(unfinished, PLAYERS, outcome=1)
    with pytest.raises(RecordError, match=r"the game is over \(normal\)"):
        GameRecord.from_state(finished, PLAYERS, outcome=1, termination="adjudication")


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games = [GameRecord.from_state(random_game(game, 2), PLAYERS) for game in GAMES]
    write_records(path, games[:2])
    write_records(path, iter(games[2:]), append=True)
    assert list(read_records(path)) == games
    assert path.read_bytes().count(b"\n") == len(games)
    write_records(path, games[:1])
    assert list(read_records(path, verify=False)) == games[:1]


def test_a_torn_file_is_not_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(a_record().to_json()[:50])
    with pytest.raises(RecordError, match=r"games\.jsonl: the last line is incomplete"):
        write_records(path, [a_record()], append=True)
    path.write_text("")
    write_records(path, [a_record()], append=True)
    assert list(read_records(path)) == [a_record()]


def edited(**changes: Any) -> str:
    """A finished game's line with some fields changed; a value of ... removes the field."""
    data = {**json.loads(a_record().to_json()), **changes}
    return json.dumps({name: value for name, value in data.items() if value is not ...})


CORRUPT: dict[str, tuple[Callable[[], str], str]] = {
    "not JSON": (lambda: edited()[:70], "not JSON: "),
    "no object": (lambda: "[1]", "expected a JSON object"),
    "empty line": (lambda: "", "not JSON"),
    "missing field": (lambda: edited(moves=...), "moves is missing: expected a list of move strings"),
    "unknown field": (lambda: edited(mvoes=[]), "field 'mvoes': did you mean 'moves'?"),
    "wrong type": (lambda: edited(moves="abc"), 'moves "abc": expected a list of move strings'),
    "one player": (lambda: edited(players=["a"]), r"players \[\"a\"\]: expected the names of South and North"),
    "outcome": (lambda: edited(outcome=2), "outcome 2: expected 1, 0, -1 or null"),
    "outcome of a wrong type": (lambda: edited(outcome=True), "outcome true: expected"),
    "half a result": (lambda: edited(outcome=None), "outcome and termination: expected both"),
    "unknown game": (lambda: edited(game="kpee"), "game 'kpee': did you mean 'kpe'?"),
    "unknown start": (lambda: edited(start="1,2"), "position '1,2': "),
    "illegal move": (lambda: edited(moves=["a", "q"]), r"move 2 'q' in '.*': expected one of the legal moves: a, "),
    "move after the end": (
        lambda: edited(moves=[*a_record().moves, "a"]),
        rf"move {len(a_record().moves) + 1} 'a' in '.*': .* none, the game is over",
    ),
    "other margin": (lambda: edited(margin=99), r"margin 99: expected -?\d+ after \d+ moves"),
    "other final": (lambda: edited(final=[1, 2]), r"final \[1, 2\]: expected \["),
    "other ending": (lambda: edited(termination="infinite"), 'termination "infinite": expected "normal" after'),
    "cut off": (lambda: edited(moves=a_record().moves[:-1]), 'termination "normal": expected null after'),
    "result withheld": (
        lambda: edited(outcome=None, termination=None, margin=None, final=None),
        'termination null: expected "normal" after',
    ),
}


@pytest.mark.parametrize("name", CORRUPT)
def test_corruption_is_named_with_its_place(name: str, tmp_path: Path) -> None:
    line, message = CORRUPT[name][0](), CORRUPT[name][1]
    path = tmp_path / "games.jsonl"
    path.write_text(f"{edited()}\n{edited()}\n{line}\n{edited()}\n")
    reading = read_records(path)
    assert next(reading) == next(reading)
    with pytest.raises(RecordError, match=rf"games\.jsonl line 3: {message}") as caught:
        next(reading)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b'{"game": "\xff"}\n')
    with pytest.raises(RecordError, match="line 1: not UTF-8"):
        next(read_records(path))
