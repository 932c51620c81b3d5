"""Tournaments: schedule, determinism, engines that fail, Ctrl-C, records, and the command."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from ctypes import c_bool
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import pytest
import typer

from experiments import commands, workers
from experiments.matches import GameResult, GameSpec, Termination, play_game
from experiments.tables import to_data
from experiments.tournament import RoundRobin, Tournament, TournamentConfig, run_tournament
from mancala_ai import Engine, Limit, MancalaError, SearchResult, State, load_game, plugins, read_records, registry

# Engines that misbehave, as a third party might bring them.


class _First(Engine):
    """Plays the first legal move, and notes what it is told."""

    name = "first"
    told: ClassVar[list[tuple[int | None, Limit | None]]] = []
    rng_seed: int | None = None

    def new_game(self, rng_seed: int | None = None) -> None:
        self.rng_seed = rng_seed

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        self.told.append((self.rng_seed, limit))
        return SearchResult(state.legal_moves()[0])


class _Raising(_First):
    """Raises at the third move of a game."""

    name = "raising"

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        if len(state.moves) >= 2:
            raise RuntimeError("no idea\nwhat to do")
        return super().search(state, limit)


class _Unready(_First):
    """Cannot begin a game."""

    name = "unready"

    def new_game(self, rng_seed: int | None = None) -> None:
        raise OSError("no table")


class _Quitting(_First):
    """Calls ``sys.exit``."""

    name = "quitting"

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        sys.exit("goodbye")


class _Illegal(_First):
    """Plays a move that does not exist."""

    name = "illegal"

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        return SearchResult("z9")


class _Number(_First):
    """Returns a move that is no string."""

    name = "number"

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        return SearchResult(3)  # type: ignore[arg-type]


class _Nothing(_First):
    """Returns nothing."""

    name = "nothing"

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        return None  # type: ignore[return-value]


class _Interrupted(_First):
    """Meets Ctrl-C in its seventh game, as an engine that catches it does or as one that does not."""

    name = "interrupted"
    games = 0
    reports = False

    def new_game(self, rng_seed: int | None = None) -> None:
        type(self).games += 1

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        if self.games < 7:
            return super().search(state, limit)
        if self.reports:
            return SearchResult(state.legal_moves()[0], interrupted=True)
        raise KeyboardInterrupt


OURS = (_First, _Raising, _Unready, _Quitting, _Illegal, _Number, _Nothing, _Interrupted)


@pytest.fixture(autouse=True)
def _engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the engines of this file, for this process."""
    installed = plugins.entry_points(registry.ENGINES)
    ours = {
        cls.name: importlib.metadata.EntryPoint(cls.name, f"{__name__}:{cls.__qualname__}", registry.ENGINES)
        for cls in OURS
    }
    groups = {registry.ENGINES: {**installed, **ours}, registry.GAMES: plugins.entry_points(registry.GAMES)}

    def entry_points(group: str) -> Mapping[str, importlib.metadata.EntryPoint]:
        return groups[group]

    monkeypatch.setattr(registry, "entry_points", entry_points)
    monkeypatch.setattr(_Interrupted, "games", 0)
    monkeypatch.setattr(_First, "told", [])


def spec(south: str, north: str, **changes: Any) -> GameSpec:
    """Return a game from the start of Kpé."""
    return GameSpec(**{"game": "kpe", "pair": 0, "south": south, "north": north, **changes}, opening=START)


START = str(load_game("kpe").initial_state())


def play(south: str, north: str, **changes: Any) -> GameResult:
    """Return the result of a game from the start of Kpé."""
    result = play_game(spec(south, north, **changes))
    assert result is not None
    return result


def config(*engines: str, **settings: Any) -> TournamentConfig:
    """Return a small tournament."""
    return TournamentConfig(**{"games": ("kpe(holes=3)", "rio_kadalis"), "pairs": 3, **settings}, engines=engines)


# Schedule.


def test_every_two_engines_play_every_opening_twice_with_sides_swapped() -> None:
    engines = ("random", "greedy", "first")
    specs = list(RoundRobin(config(*engines)))
    assert len(specs) == len({game.key for game in specs}) == RoundRobin(config(*engines)).total == 2 * 3 * 3 * 2
    by_pair: dict[str, list[GameSpec]] = {}
    for game in specs:
        by_pair.setdefault(game.pair_key, []).append(game)
    assert len(by_pair) == 2 * 3 * 3
    for one, other in by_pair.values():
        assert one.opening == other.opening
        assert one.players == other.players[::-1]
    for pair in range(3):
        met = {frozenset(game.players) for game in specs if game.pair == pair and game.game.startswith("rio")}
        assert met == {frozenset(pairing) for pairing in combinations(engines, 2)}


def test_openings_do_not_depend_on_engines_and_pairs() -> None:
    def openings(tournament: TournamentConfig) -> dict[tuple[str, int], str]:
        return {(game.game, game.pair): game.opening for game in RoundRobin(tournament)}

    few, many = openings(config("random", "greedy")), openings(config("first", "random", pairs=5))
    assert few.items() <= many.items()
    assert len(set(many.values())) == len(many)


def test_a_game_that_runs_out_of_openings_is_played_with_those_there_are() -> None:
    done = run_tournament(config("random", "greedy", games=("kpe(holes=3)", "giuthi"), pairs=5, plies=1))
    assert done.shortages == {"kpe(holes=3,seeds=6)": 3}
    assert len(done.results) == done.total == 2 * (3 + 5)
    assert [game["openings_found"] for game in to_data(done)["games"]] == [3, None]


@pytest.mark.parametrize(
    ("engines", "settings", "message"),
    [
        (("random",), {}, "number of engines 1: expected at least 2"),
        (("random", "greedy"), {"pairs": 0}, "pairs 0: expected at least 1"),
        (("random", "greedy"), {"plies": -1}, "plies -1: expected at least 0"),
        (("random", "greedy"), {"games": ()}, "number of games 0: expected at least 1"),
        (("random", "greedy", "random"), {}, "engine 'random' is given twice: expected different ones"),
        (("random", " random( rng_seed = 0 )"), {}, r"engine 'random\(rng_seed=0\)' is given twice \(as 'random'\)"),
        (("random", "gredy"), {}, "engine 'gredy': did you mean 'greedy'"),
        (("random", "greedy"), {"games": ("kpe", "kpe(holes=4)")}, r"game 'kpe\(holes=4,seeds=6\)' is given twice"),
        (("random", "greedy"), {"games": ("chess",)}, "game 'chess': known: "),
    ],
)
def test_a_wrong_configuration_is_refused(engines: tuple[str, ...], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(MancalaError, match=message):
        config(*engines, **settings)


# Determinism.


def test_the_same_rng_seed_gives_the_same_games_for_any_number_of_workers() -> None:
    tournament = config("random", "greedy", "alphabeta(depth=2)", rng_seed=5, pairs=4)
    alone, together = run_tournament(tournament, 1), run_tournament(tournament, 2)
    assert alone.results == together.results
    assert [result.spec for result in alone.results] == list(RoundRobin(tournament))
    lines = [[result.record.to_json() for result in done.results] for done in (alone, together)]
    assert lines[0] == lines[1]
    assert to_data(alone) == to_data(together)


def test_another_rng_seed_gives_other_games() -> None:
    one, other = (run_tournament(config("random", "greedy", rng_seed=rng_seed)).results for rng_seed in (1, 2))
    assert [result.record.moves for result in one] != [result.record.moves for result in other]


def test_engines_get_seeds_of_their_own_and_the_limit() -> None:
    game = spec("first", "random", rng_seed=3, limit=Limit(depth=2))
    assert play_game(game) == play_game(game)
    assert set(_First.told) == {(game.engine_rng_seed(0), Limit(depth=2))}
    others = [spec("random", "first", rng_seed=3), spec("first", "random", pair=1), spec("first", "random", rng_seed=4)]
    seeds = [each.engine_rng_seed(side) for each in (game, *others) for side in (0, 1)]
    assert len(set(seeds)) == 8
    assert all(0 <= seed < 2**63 for seed in seeds)


# Games.


def test_a_game_is_recorded_and_replays() -> None:
    result = play("greedy", "random")
    state = result.record.replay()
    assert (result.outcome, result.termination) == (state.outcome, state.termination)
    assert result.points in ((1, 0), (0, 1), (0.5, 0.5))
    assert result.record.extra == {"pair": 0, "rng_seed": 0}
    assert all(seconds > 0 for seconds in result.seconds)


@pytest.mark.parametrize(
    ("engine", "termination", "fault"),
    [
        ("raising", Termination.ENGINE_ERROR, "RuntimeError: no idea what to do"),
        ("unready", Termination.ENGINE_ERROR, "OSError: no table"),
        ("quitting", Termination.ENGINE_ERROR, "SystemExit: goodbye"),
        ("nothing", Termination.ENGINE_ERROR, "AttributeError: 'NoneType' object has no attribute 'move'"),
        ("illegal", Termination.ILLEGAL_MOVE, "move 'z9' in "),
        ("number", Termination.ILLEGAL_MOVE, "move '3' in "),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_an_engine_that_fails_loses(engine: str, termination: Termination, fault: str, side: int) -> None:
    result = play(*((engine, "random"), ("random", engine))[side])
    assert result.termination == result.record.termination == termination
    assert result.outcome == result.record.outcome == (1 if side else -1)
    assert result.fault == result.record.extra["fault"]
    assert result.fault is not None
    assert result.fault.startswith(fault)
    assert "\n" not in result.fault
    assert result.record.margin is None
    result.record.replay()


def test_a_tournament_goes_on_after_faults(capsys: pytest.CaptureFixture[str]) -> None:
    commands.tournament(game=["kpe"], engine=["random", "raising", "illegal"], pairs=2, workers=1)
    printed = capsys.readouterr().out
    assert "12 games" in printed
    words = " ".join(printed.split())
    assert "raising lost 4 games by engine error, the first: RuntimeError: no idea what to do" in words
    assert "illegal lost 8 games by illegal move, the first: move 'z9' in" in words


def test_a_game_that_is_stopped_has_no_result() -> None:
    assert play_game(spec("random", "first"), stopped=lambda: True) is None


# Ctrl-C.


@pytest.mark.parametrize("reports", [False, True])
def test_ctrl_c_keeps_what_was_played(reports: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Interrupted, "reports", reports)
    done = run_tournament(config("random", "interrupted"))
    assert done.stopped == "interrupted"
    assert [result.spec for result in done.results] == list(RoundRobin(done.config))[:6]
    assert (len(done.results), done.total) == (6, 12)


def test_a_worker_hands_over_what_it_played_before_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_engines", {})
    monkeypatch.setattr(workers, "_stop", c_bool(False), raising=False)
    played = workers._play_chunk(list(RoundRobin(config("random", "interrupted"))))
    assert (len(played.results), played.interrupted) == (6, True)
    monkeypatch.setattr(workers, "_stop", c_bool(True))
    assert workers._play_chunk(list(RoundRobin(config("random", "greedy")))).results == []


def test_ctrl_c_in_the_terminal_leaves_valid_records_and_no_processes(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    options = ["--game", "giuthi", "--engine", "random", "--engine", "greedy", "--pairs", "100000", "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "mancala_ai", "tournament", *options, "--records", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not (file.exists() and file.stat().st_size > 10_000):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    records = list(read_records(file))
    assert f"interrupted: {len(records)} of 200000 games were played" in err
    assert f"{len(records)} games of" in out
    deadline = time.monotonic() + 10
    while _is_alive(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _is_alive(group: int) -> bool:
    # Not counting processes that have ended and that nobody has asked about ("Z"). Elsewhere than on Linux, trust.
    alive = False
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended meanwhile
            state, _, process_group = status.read_text().rpartition(")")[2].split()[:3]
            alive |= int(process_group) == group and state != "Z"
    return alive


def test_the_death_of_a_worker_ends_the_tournament_and_keeps_what_was_played() -> None:
    def kill(tournament: Tournament) -> None:
        if len(tournament.results) == 1:
            for child in multiprocessing.active_children():
                child.kill()

    done = run_tournament(config("random", "greedy", games=("giuthi",), pairs=1000), 2, kill)
    assert done.stopped == "a worker process died"
    assert 0 < len(done.results) < done.total
    done.results[0].record.replay()


# The command.


def test_records_are_written_in_order_and_never_over_others(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    settings: dict[str, Any] = {
        "game": ["kpe"],
        "engine": ["random", "greedy"],
        "pairs": 2,
        "records": file,
        "workers": 1,
    }
    commands.tournament(**settings)
    written = file.read_bytes()
    assert [(record.extra["pair"], *record.players) for record in read_records(file)] == [
        (pair, *players) for pair in (0, 1) for players in (("random", "greedy"), ("greedy", "random"))
    ]
    with pytest.raises(MancalaError, match=r"games.jsonl: exists already: expected a new file, or --force"):
        commands.tournament(**settings)
    assert file.read_bytes() == written
    commands.tournament(**settings, force=True)
    assert file.read_bytes() == written
    with pytest.raises(MancalaError, match=r"expected a directory .*missing that exists"):
        commands.tournament(**{**settings, "records": tmp_path / "missing" / "games.jsonl"})


def test_json_has_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    commands.tournament(game=["kpe", "rio_kadalis"], engine=["random", "illegal"], pairs=2, workers=1, as_json=True)
    data = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert (data["played"], data["total"], data["stopped"]) == (8, 8, None)
    assert data["config"]["games"] == ["kpe(holes=4,seeds=6)", "rio_kadalis(holes=6)"]
    (kpe, _) = data["games"]
    assert kpe["terminations"]["illegal move"] == 4
    assert kpe["crosstable"][0] == {"engine": "random", "opponent": "illegal", "wins": 4, "draws": 0, "losses": 0}
    assert [rating["engine"] for rating in kpe["ratings"]] == ["random", "illegal"]
    assert kpe["ratings"][1]["elo"] is None
    assert kpe["ratings"][1]["bound"]["is"] == "<"


def test_tables_fit_a_terminal_of_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    commands.tournament(game=["rio_kadalis"], pairs=2, workers=1)
    printed = capsys.readouterr().out
    assert all(len(line) <= 80 for line in printed.splitlines())
    for title in (
        "rio_kadalis(holes=6)",
        "12 games of",
        "points   games",
        "Elo   95 % interval",
        "anchor",
        "random = 0",
    ):
        assert title in printed
    assert printed.count("alphabeta(depth=4)") == 2


def test_an_interrupted_command_prints_its_tables_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ending:
        commands.tournament(game=["kpe"], engine=["random", "interrupted"], workers=1)
    assert ending.value.exit_code == 130
    printed = capsys.readouterr()
    assert "6 games of" in printed.out
    assert "interrupted: 6 of 100 games were played" in printed.err


def test_too_few_workers_are_refused() -> None:
    with pytest.raises(MancalaError, match="--workers 0: expected at least 1"):
        commands.tournament(workers=0)


def test_progress_is_reported_game_by_game() -> None:
    seen: list[tuple[int, int]] = []

    def note(tournament: Tournament) -> None:
        seen.append((len(tournament.results), tournament.total))

    run_tournament(config("random", "greedy", games=("kpe",), pairs=2), on_result=note)
    assert seen == [(done, 4) for done in range(5)]
