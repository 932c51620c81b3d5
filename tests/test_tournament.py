"""Tournaments: schedule, determinism, engines that fail, Ctrl-C, records, and the command."""

from __future__ import annotations

import contextlib
import json
import math
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import pytest

from experiments import commands
from experiments.config import Terms, TournamentConfig
from experiments.matches import GamePlayer, GameResult, GameSpec, Termination
from experiments.openings import distinct_openings, random_opening
from experiments.ratings import crosstable
from experiments.schedule import Schedule
from experiments.store import Store
from experiments.tables import different_games, to_data
from experiments.tournament import Tournament, run_tournament
from experiments.workers import LocalPool, Workers
from mancala_ai import GameRecord, Limit, MancalaError, load_engine, load_game, read_records
from mancala_ai.games.rio_kadalis_match import Match
from mancala_ai.registry import engine_type

FAILING = Path(__file__).parent / "failing_engines.py"
FIRST = f"{FAILING}:First"
WARM_UP = Limit(depth=1, nodes=1, simulations=1)  # before an engine's first game
START = str(load_game("kpe").initial_state())


def spec(south: str, north: str, **changes: Any) -> GameSpec:
    """Return a game from the start of Kpé."""
    return GameSpec(**{"game": "kpe", "pair": 0, "south": south, "north": north, **changes}, opening=START)


def play(south: str, north: str, **changes: Any) -> GameResult:
    """Return the result of a game from the start of Kpé."""
    return GamePlayer().play(spec(south, north, **changes))


def config(*engines: str, **settings: Any) -> TournamentConfig:
    """Return a small tournament."""
    terms = Terms(rng_seed=settings.pop("rng_seed", 0))
    chosen = {"games": ("kpe(holes=3)", "rio_kadalis"), "pairs": 3, "terms": terms, **settings}
    return TournamentConfig(engines=engines, **chosen)


# Schedule.


def test_a_gauntlet_is_played_by_the_first_engine() -> None:
    engines = ("random", "greedy", FIRST)
    specs = list(Schedule(config(*engines, format="gauntlet")))
    assert len(specs) == 2 * 3 * 2 * 2
    assert {frozenset(game.players) for game in specs} == {frozenset(("random", other)) for other in engines[1:]}


def test_without_openings_games_begin_at_the_start() -> None:
    tournament = config("alphabeta(depth=1)", "alphabeta(depth=2)", games=("kiothi", "kpe"), openings="none", pairs=2)
    assert {game.opening for game in Schedule(tournament) if game.game.startswith("kpe")} == {START}
    done = run_tournament(tournament)
    assert len(done.results) == 8
    assert len(different_games(done.results)) == 4  # deterministic engines repeat themselves
    assert to_data(done)["counted"] == 4
    again = run_tournament(config("random", "greedy", games=("kpe",), openings="none", pairs=2))
    assert len(different_games(again.results)) == 4  # others may do so by chance


def test_openings_of_a_suite(tmp_path: Path) -> None:
    suite = tmp_path / "openings.txt"
    openings = list(map(str, islice(distinct_openings(load_game("kpe"), 3, 8), 2)))
    suite.write_text(f"# comment\n\n[kpe]\n{openings[0]}  # first\n[giuthi]\n1,2\n[kpe(holes=4)]\n{openings[1]}\n")
    tournament = config("random", "greedy", games=("kpe",), openings=str(suite), pairs=5)
    schedule = Schedule(tournament)
    assert [game.opening for game in schedule] == [openings[0]] * 2 + [openings[1]] * 2
    assert schedule.shortages == {"kpe(holes=4,seeds=6)": 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "openings.txt line 1: "),
        ("[kpe]\n\n[chess]", "openings.txt line 3: game 'chess'"),
        (f"{START}\n{START}", "openings.txt line 2: .* is there twice"),
        ("0,0,0,0/0,0,0,0 S 24-24 -/-", "line 1: .*the game is over"),
        ("# nothing", r"none for kpe\(holes=4,seeds=6\): expected position strings"),
        ("[giuthi]\n1", "none for kpe"),
    ],
)
def test_a_wrong_suite_is_refused(text: str, message: str, tmp_path: Path) -> None:
    suite = tmp_path / "openings.txt"
    suite.write_text(text)
    with pytest.raises(MancalaError, match=message):
        list(Schedule(config("random", "greedy", games=("kpe",), openings=str(suite))))


def test_balanced_openings_are_those_that_a_search_values_near_zero() -> None:
    game = load_game("giuthi(holes=5,seeds=4)")
    judge = load_engine("alphabeta")
    found = list(islice(distinct_openings(game, 4, 1, balance=1.5), 5))
    for state in found:
        assert abs(judge.search(game.state(str(state)), Limit(nodes=20_000)).value or 0) <= 1.5
    assert set(map(str, found)) - set(map(str, islice(distinct_openings(game, 4, 1), 5)))  # some were left out


def test_every_two_engines_play_every_opening_twice_with_sides_swapped() -> None:
    engines = ("random", "greedy", FIRST)
    specs = list(Schedule(config(*engines)))
    assert len(specs) == len({game.key for game in specs}) == Schedule(config(*engines)).total == 2 * 3 * 3 * 2
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
        return {(game.game, game.pair): game.opening for game in Schedule(tournament)}

    few, many = openings(config("random", "greedy")), openings(config(FIRST, "random", pairs=5))
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
        (("random", " random(rng_seed = 0)"), {}, r"engine 'random\(rng_seed = 0\)' is given twice \(as 'random'\)"),
        (("random", "gredy"), {}, "engine 'gredy': did you mean 'greedy'"),
        (("random", "greedy"), {"games": ("kpe", "kpe(holes=4)")}, r"game 'kpe\(holes=4,seeds=6\)' is given twice"),
        (("random", "greedy"), {"games": ("chess",)}, "game 'chess': known: "),
        (("random", "greedy"), {"format": "swiss"}, "format 'swiss': known: round-robin, gauntlet, match"),
        (("random", "greedy", FIRST), {"format": "match"}, "format match with 3 engines: expected 2"),
        (("random", "greedy"), {"balance": -1.0}, "balance -1.0: expected at least 0"),
        (
            ("random", "greedy"),
            {"balance": 1.0, "openings": "none"},
            "balance with openings 'none': expected random ones",
        ),
        (("random", "greedy"), {"terms": Terms(one_warrior=2)}, "one-warrior: expected a game with such a victory"),
        (("random", "greedy"), {"terms": Terms(patience=0)}, "patience 0: expected 0 to 1000000 seconds"),
        (("random", "greedy"), {"terms": Terms(patience=math.inf)}, "patience inf: expected 0 to 1000000 seconds"),
        (("random", "greedy"), {"terms": Terms(one_warrior=0)}, "one-warrior 0: expected at least 1"),
        (
            ("random", "greedy"),
            {"terms": Terms(rounds=True)},
            r"match of 'kpe\(.*: expected a game that is played in matches over rounds",
        ),
        (("random", "greedy"), {"terms": Terms(rounds=True), "openings": "suite"}, "rounds with openings 'suite'"),
        (("random", "random@depth="), {}, "limit depth='': expected a whole number"),
        (("random", "random@deep=3"), {}, "limit 'deep': "),
        (("random@depth=3", "random@ depth = 3"), {}, "engine 'random@ depth = 3' is given twice"),
    ],
)
def test_a_wrong_configuration_is_refused(engines: tuple[str, ...], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(MancalaError, match=message):
        config(*engines, **settings)


# Determinism.


def test_the_same_rng_seed_gives_the_same_games_for_any_number_of_workers() -> None:
    tournament = config("random", "greedy", "alphabeta(depth=2)", rng_seed=5, pairs=4)
    alone, one, together = (run_tournament(tournament, workers) for workers in (0, 1, 2))
    assert alone.results == one.results == together.results
    assert [result.spec for result in alone.results] == list(Schedule(tournament))
    lines = [[result.record.to_json() for result in done.results] for done in (alone, together)]
    assert lines[0] == lines[1]
    assert to_data(alone) == to_data(together)


def test_another_rng_seed_gives_other_games() -> None:
    one, other = (run_tournament(config("random", "greedy", rng_seed=rng_seed)).results for rng_seed in (1, 2))
    assert [result.record.moves for result in one] != [result.record.moves for result in other]


def test_engines_get_seeds_of_their_own_and_the_limit() -> None:
    telling = f"{FAILING}:Telling"
    told: list[Any] = engine_type(telling).told  # type: ignore[attr-defined]
    told.clear()
    game = spec(telling, "random", terms=Terms(rng_seed=3, limit=Limit(depth=2)))
    player = GamePlayer()
    assert player.play(game) == player.play(game) == GamePlayer().play(game)
    assert set(told) - {(None, WARM_UP), (game.engine_rng_seed(0), WARM_UP)} == {
        (game.engine_rng_seed(0), Limit(depth=2))
    }
    one, two = Terms(rng_seed=3), Terms(rng_seed=4)
    others = [spec("random", telling, terms=one), spec(telling, "random", pair=1), spec(telling, "random", terms=two)]
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
        ("Raising", Termination.ENGINE_ERROR, "RuntimeError: no idea what to do (failing_engines.py:"),
        ("Unready", Termination.ENGINE_ERROR, "OSError: no table"),
        ("Quitting", Termination.ENGINE_ERROR, "SystemExit: goodbye"),
        ("Nothing", Termination.ENGINE_ERROR, "EngineError: search returned NoneType: expected SearchResult"),
        ("Illegal", Termination.ILLEGAL_MOVE, "move 'z9' in "),
        ("Number", Termination.ILLEGAL_MOVE, "move '3' in "),
        ("Cancelled", Termination.ENGINE_ERROR, "CancelledError"),
        ("Unspeakable", Termination.ENGINE_ERROR, "UnspeakableError"),
        ("Surrogate", Termination.ENGINE_ERROR, "ValueError: bad \\ud800 name"),
        ("Slow@clock=0.25", Termination.TIME_FORFEIT, "0.0"),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_an_engine_that_fails_loses(engine: str, termination: Termination, fault: str, side: int) -> None:
    name = f"{FAILING}:{engine}"
    result = play(*((name, FIRST), (FIRST, name))[side])
    assert result.termination == result.record.termination == termination
    assert result.outcome == result.record.outcome == (1 if side else -1)
    assert result.fault == result.record.extra["fault"]
    assert result.fault is not None
    assert result.fault.startswith(fault)
    assert "\n" not in result.fault
    assert result.record.margin is None
    result.record.replay()


def test_an_increment_is_added_to_the_clock_after_every_move() -> None:
    slow = f"{FAILING}:Slow"
    without, with_increment = play(f"{slow}@clock=0.55", FIRST), play(f"{slow}@clock=0.55,increment=0.06", FIRST)
    assert without.termination == with_increment.termination == Termination.TIME_FORFEIT
    moved = [result.record.replay().positions[:-1] for result in (without, with_increment)]
    before, after = (sum(" S " in position for position in positions) for positions in moved)
    assert before <= 6
    assert before < after <= 13  # each move costs 0.04 s at least, on a busy machine more


def test_a_move_that_takes_far_too_long_loses_even_if_it_comes() -> None:
    terms = Terms(limit=Limit(seconds=0.002), patience=0.05)
    result = play(f"{FAILING}:Slow", FIRST, terms=terms)
    assert (result.outcome, result.termination) == (-1, Termination.TIME_FORFEIT)
    assert result.fault == "0.1 s for a move, 0.05 s allowed"


@pytest.mark.parametrize(
    ("limit", "seconds"),
    [
        (None, 600),
        (Limit(depth=3), 600),
        (Limit(seconds=1), 30),
        (Limit(seconds=5), 50),
        (Limit(clock=100, increment=1), 130),
        (Limit(clock=100, seconds=1), 30),
    ],
)
def test_how_long_a_move_may_take(limit: Limit | None, seconds: float) -> None:
    assert Terms().allowed_seconds(limit) == seconds


def test_adjudicated_games_end_early_with_the_outcome_of_the_whole_game() -> None:
    early = 0
    for pair in range(20):
        whole = play("random", "greedy", pair=pair)
        short = play("random", "greedy", pair=pair, terms=Terms(adjudicate=True))
        assert short.outcome == whole.outcome
        assert short.record.moves == whole.record.moves[: len(short.record.moves)]
        if len(short.record.moves) < len(whole.record.moves):
            assert short.termination == Termination.ADJUDICATED
            early += 1
    assert early >= 10


def test_infinite_play_that_draws_the_game_leaves_nothing_to_adjudicate() -> None:
    game = load_game("giuthi(holes=5,seeds=4)")
    spec = GameSpec(str(game), 0, "random", "random", str(game.initial_state()), Terms(adjudicate=True))
    assert GamePlayer().play(spec).termination != Termination.ADJUDICATED


def test_a_match_over_rounds_is_played_and_recorded() -> None:
    game = load_game("rio_kadalis(holes=5)")
    opening = " ".join(random_opening(game, 3, 1).moves)
    result = GamePlayer().play(GameSpec(str(game), 0, "greedy", "random", opening, Terms(rounds=True)))
    match = Match.start(game)
    records = [GameRecord(**{**r, **_tuples(r)}) for r in result.record.extra["match"]["rounds"]] + [result.record]
    assert " ".join(records[0].moves[:3]) == opening
    for record in records:
        match = match.finish_round(record.replay())
    assert match.is_over
    assert result.outcome == match.outcome == result.record.extra["match"]["outcome"]
    assert list(match.holdings) == list(result.record.extra["match"]["holdings"])
    assert result.margin == match.holdings[0] - match.holdings[1]
    assert result.plies == sum(len(record.moves) for record in records)


def _tuples(record: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) for name, value in record.items() if isinstance(value, list)}


def test_a_one_warrior_victory_weighs_as_much_as_is_asked() -> None:
    game, found = load_game("kiothi"), 0
    for pair, opening in enumerate(islice(distinct_openings(game, 4, 1), 100)):
        ten = GamePlayer().play(GameSpec(str(game), pair, "random", "greedy", str(opening), Terms(one_warrior=10)))
        one = replace(ten, spec=replace(ten.spec, terms=Terms()))
        narrow = abs(ten.record.margin or 0) == 2
        assert (one.weight, ten.weight) == (1, 10 if narrow else 1)
        for result in (one, ten):
            score = crosstable([result], ["random", "greedy"])["random", "greedy"]
            assert score.games == result.weight
            assert score.wins == (result.weight if result.outcome > 0 else 0)
        found += narrow
    assert found >= 2


# Processes that die.


@pytest.mark.parametrize(
    ("engine", "termination", "fault"),
    [
        ("Hanging", Termination.TIME_FORFEIT, "no move within 2 s"),
        ("Crashing", Termination.ENGINE_ERROR, "the process ended with signal 9 while "),
        ("DyingAtOnce", Termination.ENGINE_ERROR, "the process ended with exit code 3 while "),
        ("HangingInCompiledCode", Termination.TIME_FORFEIT, "no move within 2 s"),
        ("Forking", Termination.ENGINE_ERROR, "the process ended with exit code 5 while "),
    ],
)
def test_a_tournament_goes_on_when_a_player_takes_its_process_with_it(
    engine: str, termination: Termination, fault: str
) -> None:
    name = f"{FAILING}:{engine}"
    terms = Terms(limit=Limit(seconds=0.01), patience=2)
    tournament = config(FIRST, "greedy", name, games=("kpe",), pairs=1, terms=terms)
    done = run_tournament(tournament, 2)
    assert done.stopped is None
    assert [result.spec for result in done.results] == list(Schedule(tournament))
    alone = run_tournament(config(FIRST, "greedy", games=("kpe",), pairs=1, terms=terms))
    assert [result for result in done.results if name not in result.spec.players] == alone.results
    for result in done.results:
        if name in result.spec.players:
            side = result.spec.players.index(name)
            assert (result.outcome, result.termination) == (1 if side else -1, termination)
            assert (result.fault or "").startswith(fault)
            first = 0 if engine == "DyingAtOnce" else 4
            assert len(result.record.moves) in (first, first + 1)  # the first time that it is its turn
            assert result.record.replay().to_move == side or not first


def test_a_constructor_may_hang() -> None:
    name = f"{FAILING}:HangingConstructor"
    terms = Terms(limit=Limit(seconds=0.01), patience=0.1)  # engines are made within twenty times this
    done = run_tournament(config("random", name, games=("kpe",), pairs=1, terms=terms), 1)
    assert [result.termination for result in done.results] == [Termination.TIME_FORFEIT] * 2


def test_an_engine_cannot_press_ctrl_c_or_write_into_the_output(capfd: pytest.CaptureFixture[str]) -> None:
    name = f"{FAILING}:Interrupting"
    commands.tournament(game=["kpe"], engine=["random", name], pairs=1, workers=1, as_json=True)
    data = json.loads(capfd.readouterr().out)
    assert (data["played"], data["stopped"]) == (2, None)
    assert data["games"][0]["terminations"]["engine error"] == 2


def test_an_engine_that_cannot_begin_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    broken = 'process(command="false")'
    commands.tournament(game=["kpe"], engine=["random", broken], pairs=1, workers=1)
    assert f"warning: {broken} cannot play kpe(holes=4,seeds=6): EngineError: " in capsys.readouterr().err


def test_a_process_that_dies_while_it_warms_up_is_told_and_replaced() -> None:
    game, results = spec("random", "greedy"), list[GameResult]()
    with Workers(LocalPool(2)) as workers:
        assert workers.warm_up(["random", f"{FAILING}:Illegal"], ["kpe"])[0].startswith(
            f"{FAILING}:Illegal cannot play"
        )
        warnings = workers.warm_up([f"{FAILING}:DyingAtOnce"], ["kpe"])
        assert warnings == ["a process died while engines were warmed up"]
        workers.play([game], results.append)
    assert [result.spec for result in results] == [game]


def test_a_worker_killed_from_outside_costs_nothing() -> None:
    killed = 0

    def kill(tournament: Tournament) -> None:
        nonlocal killed
        if len(tournament.results) in (1, 30):
            killed += 1
            for child in multiprocessing.active_children():
                child.kill()

    tournament = config("random", "greedy", games=("giuthi",), pairs=50)
    assert run_tournament(tournament, 2, kill).results == run_tournament(tournament).results
    assert killed == 2


# Interruption.


def test_ctrl_c_keeps_what_was_played() -> None:
    def press(tournament: Tournament) -> None:
        if len(tournament.results) == 6:
            raise KeyboardInterrupt

    done = run_tournament(config("random", "greedy"), on_result=press)
    assert done.stopped == "interrupted"
    assert [result.spec for result in done.results] == list(Schedule(done.config))[:6]
    assert (len(done.results), done.total) == (6, 12)


def test_ctrl_c_in_the_terminal_keeps_what_was_played_and_leaves_no_processes(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    options = ["--game", "giuthi", "--engine", "random", "--engine", "greedy", "--pairs", "100000", "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "mancala_ai", "tournament", *options, "--output", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for_games(process, file, 20)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    with Store(file) as store:
        played = list(store.results())
    assert list(tmp_path.iterdir()) == [file]  # no log and no lock is left: the file can be copied
    assert f"interrupted: {len(played)} of 200000 games were played" in err
    assert f"they are kept in {file}: the same command plays the others" in err
    assert f"{len(played)} games of" in out
    for result in played[:50]:
        result.record.replay()
    deadline = time.monotonic() + 10
    while _is_alive(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def wait_for_games(process: subprocess.Popen[str], file: Path, count: int) -> None:
    """Wait until a tournament has kept so many games."""
    deadline = time.monotonic() + 60
    while number_of_games(file) < count:
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)


def number_of_games(file: Path) -> int:
    """Return how many games a file of results holds, 0 if it is none yet."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as db,
    ):
        return int(db.execute("SELECT count(*) FROM games").fetchone()[0])
    return 0


def _is_alive(group: int) -> bool:
    # Not counting processes that have ended and that nobody has asked about ("Z"). Elsewhere than on Linux, trust.
    alive = False
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended meanwhile
            state, _, process_group = status.read_text().rpartition(")")[2].split()[:3]
            alive |= int(process_group) == group and state != "Z"
    return alive


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
    illegal = f"{FAILING}:Illegal"
    commands.tournament(game=["kpe", "rio_kadalis"], engine=["random", illegal], pairs=2, workers=1, as_json=True)
    data = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert (data["played"], data["total"], data["stopped"]) == (8, 8, None)
    assert data["config"]["game"] == ["kpe(holes=4,seeds=6)", "rio_kadalis(holes=6)"]
    (kpe, _) = data["games"]
    assert kpe["terminations"]["illegal move"] == 4
    assert kpe["crosstable"][0] == {"engine": "random", "opponent": illegal, "wins": 4, "draws": 0, "losses": 0}
    assert [rating["engine"] for rating in kpe["ratings"]] == ["random", illegal]
    assert kpe["ratings"][1]["elo"] is None
    assert kpe["ratings"][1]["bound"]["is"] == "<"
    assert data["overall"]["terminations"]["illegal move"] == 8


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
    assert "all games together" not in printed  # of one game


def test_too_few_workers_are_refused() -> None:
    with pytest.raises(MancalaError, match="--workers 0: expected at least 1"):
        commands.tournament(workers=0)


def test_progress_is_reported_game_by_game() -> None:
    seen: list[tuple[int, int]] = []

    def note(tournament: Tournament) -> None:
        seen.append((len(tournament.results), tournament.total))

    run_tournament(config("random", "greedy", games=("kpe",), pairs=2), on_result=note)
    assert seen == [(done, 4) for done in range(5)]
