"""Engines and tournaments that know endgame databases."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from engines.endgame.build import build_levels
from engines.endgame.probe import EndgameDatabase
from engines.endgame.store import DIR_VARIABLE
from experiments.config import Terms, TournamentConfig
from experiments.matches import Termination
from experiments.store import Store
from experiments.tournament import run_tournament
from mancala_ai import Game, Limit, MancalaError, State, load_engine, load_game

GAME = "giuthi(holes=5,seeds=4)"
KNOWN, TRUTH = 6, 8  # seeds that the engines know about, and that the tests do


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("known")
    build_levels(load_game(GAME), KNOWN, folder)
    return folder


@pytest.fixture(name="truth", scope="module")
def _truth(tmp_path_factory: pytest.TempPathFactory) -> EndgameDatabase:
    folder = tmp_path_factory.mktemp("truth")
    build_levels(load_game(GAME), TRUTH, folder)
    return EndgameDatabase.open(load_game(GAME), folder)


def endgames(game: Game, seeds: int, count: int, rng_seed: int) -> list[State]:
    """Return random positions with so many seeds that are not over, nobody ahead by much."""
    rng = random.Random(f"{seeds}|{rng_seed}")
    states: list[State] = []
    while len(states) < count:
        pits = [0] * 10
        for _ in range(seeds):
            pits[rng.randrange(10)] += 1
        south = (40 - seeds) // 2 + rng.randint(-2, 2)
        rows = ",".join(map(str, pits[:5])), ",".join(map(str, pits[5:]))
        state = game.state(f"{'/'.join(rows)} {rng.choice('SN')} {south}-{40 - seeds - south}")
        if not state.is_over:
            states.append(state)
    return states


@pytest.mark.parametrize("engine", ["alphabeta(exact_depth=True,{})", "mcts(simulations=100,{})"])
def test_what_is_proven_with_a_database_is_true(engine: str, folder: Path, truth: EndgameDatabase) -> None:
    with_database, without = load_engine(engine.format(f"endgame={folder}")), load_engine(engine.format("endgame=off"))
    proven = [0, 0]
    for seeds in (KNOWN + 1, TRUTH):
        for state in endgames(load_game(GAME), seeds, 40, 1):
            for which, searcher in enumerate((with_database, without)):
                result = searcher.search(state, Limit(depth=6))
                assert result.value is not None
                if result.proven:
                    claimed = (result.value > 0.5) - (result.value < -0.5)
                    assert claimed == truth.outcome(state), (str(state), result)
                    after = state.play(result.move)
                    if not after.is_over:
                        value = truth.outcome(after)
                        assert value is not None
                        assert (value if after.to_move == state.to_move else -value) == claimed
                    proven[which] += 1
    assert proven[0] > proven[1]


@pytest.mark.parametrize("engine", ["alphabeta(depth=2,endgame={})", "mcts(simulations=50,endgame={})"])
def test_a_won_endgame_is_won(engine: str, folder: Path, truth: EndgameDatabase) -> None:
    ours, rng = load_engine(engine.format(folder)), random.Random(2)
    others = [load_engine("random(rng_seed=1)"), load_engine("alphabeta(depth=3)")]
    played = 0
    for state in endgames(load_game(GAME), KNOWN, 200, 2):
        if truth.outcome(state) != 1:
            continue
        side, other = state.to_move, rng.choice(others)
        result = ours.search(state)
        assert result.proven
        assert result.value is not None
        assert result.value > 0.5
        line = state
        for move in result.pv:
            line = line.play(move)
        assert line.outcome == (1 if side == 0 else -1)  # with best play on both sides
        while not state.is_over:
            state = state.play((ours if state.to_move == side else other).search(state).move)
        assert state.outcome == (1 if side == 0 else -1)
        played += 1
    assert played >= 30


def test_databases_are_off_unless_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DIR_VARIABLE, str(folder))
    state = endgames(load_game(GAME), KNOWN, 1, 3)[0]
    for name in ("alphabeta(depth=1)", "mcts(simulations=1)"):
        assert load_engine(name).search(state).nodes > 1 or not load_engine(name).search(state).proven
    assert TournamentConfig((GAME,), ("alphabeta", "mcts")).endgames() == {}
    assert load_engine("alphabeta(depth=1,endgame=auto)").search(state).proven


def test_a_missing_folder_is_refused_and_other_games_have_none() -> None:
    state = load_game("kisolo").initial_state()
    with pytest.raises(MancalaError, match=re.escape("endgame=/nowhere: no such folder: expected off, auto, or")):
        load_engine("alphabeta(endgame=/nowhere)").search(state)
    with pytest.raises(MancalaError, match="endgame=/nowhere: no such folder"):
        TournamentConfig((GAME,), ("random", "alphabeta(endgame=/nowhere)"))
    assert load_engine("alphabeta(depth=1,endgame=auto)").search(state).depth == 1


def test_tournaments_adjudicate_by_databases_and_say_by_which(folder: Path, tmp_path: Path) -> None:
    def config(endgame: str) -> TournamentConfig:
        return TournamentConfig((GAME,), ("random", "greedy"), pairs=20, terms=Terms(endgame=endgame))

    file = tmp_path / "games.sqlite"
    with Store(file, config(str(folder))) as store:
        short = run_tournament(config(str(folder)), store=store)
    adjudicated = [result for result in short.results if result.termination == Termination.ADJUDICATED]
    assert len(adjudicated) >= 10
    database = EndgameDatabase.open(load_game(GAME), folder)
    for result in adjudicated:
        last = result.record.replay()
        outcome = database.outcome(last)
        assert outcome is not None
        assert result.outcome == (outcome if last.to_move == 0 else -outcome)
        assert database.is_exact(last)
    with Store(file) as store:
        (by_game,) = store.about["endgames"].values()
        assert re.fullmatch(rf"up to {KNOWN} seeds, [0-9a-f]{{16}}", by_game[str(load_game(GAME))])
    build_levels(load_game(GAME), KNOWN + 1, folder)
    from engines.endgame.play import opened_database

    opened_database.cache_clear()
    with pytest.raises(MancalaError, match=r"holds another tournament .*endgame databases: .*up to 6 seeds"):
        Store(file, config(str(folder)))
