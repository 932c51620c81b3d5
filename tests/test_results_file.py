"""Results in a file: resuming after any end, refusing what does not belong, and what is read back."""

from __future__ import annotations

import contextlib
import csv
import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from experiments import commands
from experiments.config import Terms, TournamentConfig, config_of, read_settings
from experiments.openings import distinct_openings
from experiments.schedule import Schedule
from experiments.store import Store
from experiments.tables import to_data
from experiments.tournament import Tournament, run_tournament, stored_tournament
from mancala_ai import Limit, MancalaError, load_game, read_records
from tests.test_tournament import FAILING, config, number_of_games


def play(tournament: TournamentConfig, file: Path, stop_after: int | None = None) -> Tournament:
    """Play a tournament into a file, in this process."""

    def press(so_far: Tournament) -> None:
        if stop_after is not None and len(so_far.results) - so_far.resumed == stop_after:
            raise KeyboardInterrupt

    with Store(file, tournament) as store:
        return run_tournament(tournament, 0, press, store=store)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    games = ("kpe(holes=3)", "rio_kadalis")
    terms = Terms(limit=Limit(depth=3), adjudicate=True)
    tournament = config("random", f"{FAILING}:Raising", games=games, plies=1, pairs=5, terms=terms)
    done = play(tournament, file)
    assert done.shortages == {"kpe(holes=3,seeds=6)": 3}
    assert done.total == len(done.results) == 16
    with Store(file) as store:
        assert store.config == tournament
        assert list(store.results()) == done.results
        assert [result.seconds for result in store.results()] == [result.seconds for result in done.results]
        assert {"versions", "machine", "created", "suites", "endgames"} == set(store.about)
        assert to_data(stored_tournament(store)) == to_data(done)


def test_a_tournament_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    tournament = config("random", "greedy", "alphabeta(depth=2)", pairs=3)
    whole = run_tournament(tournament)
    file = tmp_path / "games.sqlite"
    assert play(tournament, file, 5).stopped == "interrupted"
    second = play(tournament, file, 11)
    assert (second.resumed, len(second.results)) == (5, 16)
    last = play(tournament, file)
    assert (last.resumed, last.stopped) == (16, None)
    assert last.results == whole.results
    assert to_data(last) == to_data(whole)
    nothing_left = play(tournament, file)
    assert nothing_left.resumed == len(whole.results)
    assert to_data(nothing_left) == to_data(whole)


def test_games_missing_in_the_middle_are_played(tmp_path: Path) -> None:
    tournament, file = config("random", "greedy"), tmp_path / "games.sqlite"
    whole = play(tournament, file)
    with sqlite3.connect(file) as database:
        database.execute("DELETE FROM games WHERE number IN (2, 3, 7)")
    again = play(tournament, file)
    assert again.resumed == len(whole.results) - 3
    assert again.results == whole.results


def test_kill_9_at_any_moment_loses_and_doubles_nothing(tmp_path: Path, full: bool) -> None:
    file, rng = tmp_path / "games.sqlite", random.Random(1)
    options = ["--game", "giuthi", "--game", "kpe", "--engine", "random", "--engine", "greedy", "--pairs", "400"]
    command = [sys.executable, "-m", "mancala_ai", "tournament", *options, "--output", str(file), "--workers", "2"]
    known = 0
    for _ in range(20 if full else 3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while number_of_games(file) <= known and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert number_of_games(file) >= known
        known = number_of_games(file)
        assert 0 < known <= 1600
    finished = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    with Store(file) as store:
        assert [result.spec for result in store.results()] == list(Schedule(store.config))
        undisturbed = run_tournament(store.config)
        assert list(store.results()) == undisturbed.results
        assert json.loads(finished.stdout) == json.loads(json.dumps(to_data(undisturbed)))


def test_another_tournament_is_refused_with_what_differs(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    play(config("random", "greedy"), file)
    content = file.read_bytes()
    for other, said in (
        (config("random", "greedy", pairs=4), "pairs: 3 there, 4 here"),
        (config("random", "greedy", rng_seed=1), "rng-seed: 0 there, 1 here"),
        (config("greedy", "random"), r"engine: \['random', 'greedy'\] there, \['greedy', 'random'\] here"),
        (config("random", "greedy", terms=Terms(limit=Limit(depth=2))), "limit: None there, 'depth=2' here"),
    ):
        with pytest.raises(MancalaError, match=f"games.sqlite: holds another tournament .*{said}"):
            play(other, file)
    assert file.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["games.sqlite"]


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path: Path) -> None:
    file, tournament = tmp_path / "games.sqlite", config("random", "greedy")
    with Store(file, tournament) as store:
        run_tournament(tournament, store=store)
        with pytest.raises(MancalaError, match="is being written by another process"):
            Store(file, tournament)
        with Store(file) as reader:
            assert len(list(reader.results())) == 12


def test_what_is_no_file_of_results_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    with pytest.raises(MancalaError, match="no such file"):
        Store(file)
    with pytest.raises(MancalaError, match=r"expected a directory .* that exists"):
        Store(tmp_path / "missing" / "games.sqlite", config("random", "greedy"))
    file.write_text("something else " * 100)
    for tournament in (None, config("random", "greedy")):
        with pytest.raises(MancalaError, match="file is not a database: expected results of a tournament"):
            Store(file, tournament)
    file.unlink()
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE other (a)")
    for tournament in (None, config("random", "greedy")):
        with pytest.raises(MancalaError, match="version 0 of the results: expected 1"):
            Store(file, tournament)


def test_a_reader_does_not_disturb_the_end(tmp_path: Path) -> None:
    file, tournament = tmp_path / "games.sqlite", config("random", "greedy")
    with Store(file, tournament) as store:
        reader = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)
        assert reader.execute("SELECT count(*) FROM games").fetchone() == (0,)
        done = run_tournament(tournament, store=store)
    reader.close()
    assert play(tournament, file).results == done.results
    assert [path.name for path in tmp_path.iterdir()] == ["games.sqlite"]


def test_results_can_be_read_without_what_was_needed_to_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, suite, file = tmp_path / "mine.py", tmp_path / "openings.txt", tmp_path / "games.sqlite"
    engine.write_text(FAILING.read_text())
    suite.write_text(str(next(distinct_openings(load_game("kpe"), 4, 1))))
    tournament = config("random", f"{engine}:First", games=("kpe",), openings=str(suite))
    done = play(tournament, file)
    engine.unlink()
    suite.unlink()
    with Store(file) as store:
        assert to_data(stored_tournament(store)) == to_data(done)


def test_other_openings_in_the_same_file_are_refused(tmp_path: Path) -> None:
    suite, file = tmp_path / "openings.txt", tmp_path / "games.sqlite"
    openings = list(map(str, islice(distinct_openings(load_game("kpe"), 4, 1), 2)))
    for number, lines in enumerate((openings, openings[::-1])):
        suite.write_text("\n".join(lines))
        tournament = config("random", "greedy", games=("kpe",), openings=str(suite), pairs=2)
        if number == 0:
            play(tournament, file)
        else:
            with pytest.raises(MancalaError, match=r"holds another tournament \(contents of the openings: "):
                play(tournament, file)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE tournament SET value = 'x' WHERE name = 'config'",
        "UPDATE tournament SET value = '[1]' WHERE name = 'config'",
        "DELETE FROM tournament",
        "UPDATE games SET termination = 'boredom'",
        "UPDATE games SET outcome = 5",
        "UPDATE games SET record = '{}'",
        "DROP TABLE games",
    ],
)
def test_damaged_results_are_refused(damage: str, tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    play(config("random", "greedy", pairs=1), file)
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute(damage)
    with pytest.raises(MancalaError, match=r"games.sqlite: "):
        commands.standings(file)


def test_a_finished_file_can_be_copied(tmp_path: Path) -> None:
    file, copy = tmp_path / "games.sqlite", tmp_path / "copy.sqlite"
    done = play(config("random", "greedy"), file)
    shutil.copy(file, copy)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.sqlite", "games.sqlite"]
    with Store(copy) as store:
        assert list(store.results()) == done.results


# Settings.


def test_settings_of_a_file_and_flags_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "league.toml"
    file.write_text('game = ["kpe"]\nengine = ["random", "greedy"]\npairs = 9\nrng-seed = 4\nlimit = "depth=2"\n')
    commands.tournament(file, pairs=2, workers=1, as_json=True)
    data = json.loads(capsys.readouterr().out)
    assert data["played"] == 4
    chosen = {"game": ["kpe(holes=4,seeds=6)"], "engine": ["random", "greedy"], "pairs": 2, "rng-seed": 4}
    assert chosen.items() <= data["config"].items()
    assert data["config"]["limit"] == "depth=2"
    assert config_of(data["config"]) == config_of(read_settings(file) | {"pairs": 2})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pair = 3", "setting 'pair': did you mean 'pairs'?"),
        ("pairs = 'many'", "pairs = 'many': expected a whole number"),
        ("pairs = true", "pairs = True: expected a whole number"),
        ("engine = 'greedy'", "engine = 'greedy': expected a list of strings"),
        ("engine = [1]", r"engine = \[1\]: expected a list of strings"),
        ("balance = 'x'", "balance = 'x': expected a number"),
        ("= 3", "expected a TOML file: "),
    ],
)
def test_wrong_settings_are_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    file.write_text(text)
    with pytest.raises(MancalaError, match=message):
        commands.tournament(file)


def test_a_missing_file_of_settings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MancalaError, match=r"league.toml: cannot be read: No such file"):
        commands.tournament(tmp_path / "league.toml")


# Reading commands.


@pytest.fixture(name="league", scope="module")
def _league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("league") / "league.sqlite"
    play(config("random", "greedy", f"{FAILING}:Raising", games=("kpe", "rio_kadalis")), file)
    return file


def test_standings_of_a_file(league: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands.standings(league, as_json=True)
    data = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert [game["game"] for game in data["games"]] == ["kpe(holes=4,seeds=6)", "rio_kadalis(holes=6)"]
    for part in (data["overall"], *data["games"]):
        assert part["played"] == sum(part["terminations"].values())
        for rating in part["ratings"]:
            assert rating["wins"] + rating["draws"] / 2 == rating["points"]
    assert data["overall"]["played"] == data["played"] == 36
    commands.standings(league)
    printed = capsys.readouterr().out
    assert "all games together" in printed
    assert "lost 12 games by engine error, the first: RuntimeError" in " ".join(printed.split())


def listed(capsys: pytest.CaptureFixture[str], *arguments: Any, **options: Any) -> str:
    """Return what the command prints."""
    commands.records(*arguments, **options)
    return capsys.readouterr().out


def test_games_are_listed_and_exported(league: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "36 games" in listed(capsys, league)
    with Store(league) as store:
        lost = [r for r in store.results() if "random" in r.spec.players and r.points[r.spec.north == "random"] == 0]
    assert lost
    assert f"{len(lost)} games" in listed(capsys, league, player="random", lost=True)
    assert "24 games" in listed(capsys, league, termination="engine error")
    assert "18 games" in listed(capsys, league, game="kpe")
    file = tmp_path / "lost.jsonl"
    assert listed(capsys, league, player="random", lost=True, export=file) == f"{len(lost)} games in {file}\n"
    assert [record.moves for record in read_records(file)] == [result.record.moves for result in lost]
    with pytest.raises(MancalaError, match="exists already"):
        commands.records(league, export=file)
    table = tmp_path / "games.csv"
    commands.records(league, export=table)
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == 36
    assert {row["result"] for row in rows} <= {"1-0", "0-1", "1/2-1/2"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"player": "gredy"}, "--player 'gredy': did you mean 'greedy'?"),
        ({"lost": True}, "expected --player as well"),
        ({"game": "giuthi"}, "--game 'giuthi.*': did you mean 'kpe.*'"),
        ({"termination": "bored"}, "--termination 'bored': "),
        ({"export": Path("games.txt")}, r"games.txt: expected a name that ends in .jsonl or .csv"),
    ],
)
def test_wrong_selections_are_refused(league: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(MancalaError, match=message):
        commands.records(league, **options)
