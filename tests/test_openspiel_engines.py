"""OpenSpiel's bots as engines, our engines as bots, and its algorithms on our games."""

from __future__ import annotations

import itertools
import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy, rl_environment
from open_spiel.python.algorithms import evaluate_bots, minimax

import mancala_ai
from engines.openspiel_bots import EngineBot
from engines.openspiel_engines import BotEngine, OpenSpielAlphaBetaEngine, PolicyEngine
from engines.openspiel_games import spiel_game, spiel_state
from experiments import openspiel_learning
from mancala_ai import GameStringError, Limit, MancalaError, SearchResult, State, load_engine, load_game
from mancala_ai.kernels import material
from mancala_ai.observation import observation
from mancala_ai.registry import game_types
from tests.helpers import late_states, random_state, read_vectors, run_python

GAMES = [game.name for game in game_types()]
ENGINES = ["openspiel_mcts(simulations=20)", "openspiel_alphabeta(depth=2)", "openspiel_random"]
LATE_POSITIONS = 40  # of each game


# Their bots as engines.


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("game", GAMES)
def test_the_same_state_gives_the_same_result(game: str, engine: str) -> None:
    """Whatever was searched before; every result is a legal move."""
    states = [random_state(game, plies, plies) for plies in (0, 7, 30, 60)]
    expected = [load_engine(engine).search(state) for state in states]
    again = load_engine(engine)
    for state, result in reversed(list(zip(states, expected, strict=True))):
        found = again.search(state)
        assert found.move in state.legal_moves()
        assert (found.move, found.value, found.proven) == (result.move, result.value, result.proven)
        assert found.value is None or -1 <= found.value <= 1


@pytest.mark.parametrize("engine", [ENGINES[0], ENGINES[2]])
def test_rng_seed_matters(engine: str) -> None:
    states = [random_state("giuthi", plies, plies) for plies in range(12)]
    player = load_engine(engine)
    played = []
    for rng_seed in (0, 1, 0):
        player.new_game(rng_seed)
        played.append([player.search(state).move for state in states])
    assert played[0] == played[2] != played[1]


def test_random_covers_all_moves() -> None:
    state = load_game("giuthi").initial_state()
    engine = load_engine("openspiel_random")
    moves = set()
    for rng_seed in range(150):
        engine.new_game(rng_seed)
        moves.add(engine.search(state).move)
    assert moves == set(state.legal_moves())


def test_mcts_proves_what_is_true() -> None:
    """On the endgames whose best moves a solver of its own has found."""
    engine = load_engine("openspiel_mcts(simulations=400)")
    proven = 0
    for line in read_vectors("puzzles.jsonl"):
        result = engine.search(load_game(line["game"]).state(line["position"]))
        if result.proven:
            proven += 1
            assert result.value == line["mover_outcome"]
            assert result.move in line["best"]
    assert proven >= 5


def test_mcts_limits() -> None:
    state = random_state("kisolo", 4, 1)
    engine = load_engine("openspiel_mcts(simulations=60)")
    assert engine.search(state).simulations == 60
    assert engine.search(state, Limit(simulations=25)).simulations == 25
    assert engine.search(state, Limit(simulations=1)).move in state.legal_moves()
    timed = engine.search(state, Limit(seconds=0.3))
    assert timed.simulations > 60  # time has taken the place of their number
    assert engine.search(state, Limit(clock=1e-9)).move in state.legal_moves()


def plain_minimax(state: State, depth: int) -> float:
    """Return the value for the side to move, in shares of all seeds."""
    sign = 1 - 2 * state.to_move
    if state.is_over:
        assert state.margin is not None
        return sign * state.margin / (state.total_seeds if state.game.rules.scored else 1)
    if depth == 0:
        return sign * int(material(state.game.rules, state.position)) / state.total_seeds
    after = [state.play(move) for move in state.legal_moves()]
    return max(plain_minimax(s, depth - 1) * (1 if s.to_move == state.to_move else -1) for s in after)


@pytest.mark.parametrize("game", GAMES)
def test_alphabeta_is_minimax_over_material(game: str) -> None:
    for plies in (4, 33, 50):
        state = random_state(game, plies, plies)
        for depth in (1, 2):
            result = load_engine(f"openspiel_alphabeta(depth={depth})").search(state)
            assert result.value == pytest.approx(plain_minimax(state, depth))
            assert result.depth == depth or result.proven
            after = state.play(result.move)
            value = plain_minimax(after, result.depth - 1) * (1 if after.to_move == state.to_move else -1)
            assert value == pytest.approx(result.value)


def test_alphabeta_limits() -> None:
    """Depth 1 is always searched; results come one depth after the other."""
    state = random_state("rio_kadalis", 6, 1)
    engine = load_engine("openspiel_alphabeta(depth=30)")
    assert [result.depth for result in engine.analyse(state, Limit(depth=3))] == [1, 2, 3]
    assert engine.search(state, Limit(seconds=1e-9)).depth == 1
    limited = engine.search(state, Limit(nodes=200))
    assert 1 <= limited.depth < 30
    assert limited.nodes <= 200
    assert load_engine("openspiel_alphabeta").search(state).depth == 4


def test_alphabeta_stops() -> None:
    state = random_state("giuthi", 6, 1)
    engine = OpenSpielAlphaBetaEngine(depth=30)
    results: list[SearchResult] = []
    first = threading.Event()

    def search() -> None:
        for result in engine.analyse(state):
            results.append(result)
            first.set()

    thread = threading.Thread(target=search)
    thread.start()
    assert first.wait(60)
    while thread.is_alive():
        engine.stop()
        thread.join(0.05)
    assert 1 <= results[-1].depth < 30


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("openspiel_mcts(simulations=0)", "openspiel_mcts: simulations=0: expected 1 to 2147483647"),
        ("openspiel_mcts(uct_c=-1)", "openspiel_mcts: uct_c=-1.0: expected 0 to 100"),
        ("openspiel_alphabeta(depth=0)", "openspiel_alphabeta: depth=0: expected 1 to 1000"),
    ],
)
def test_wrong_options(engine: str, message: str) -> None:
    with pytest.raises(GameStringError) as caught:
        load_engine(engine)
    assert str(caught.value) == message


def test_a_tournament_is_the_same_again(tmp_path: Path) -> None:
    """By the command line, in processes of its own, with limits and seeds."""
    code = "import sys; from mancala_ai.cli import main; main(sys.argv[1:])"
    arguments = ["tournament", "--game", "kpe(holes=3,seeds=2)", "--pairs", "2", "--limit", "simulations=10,depth=2"]
    for engine in ("openspiel_mcts", "openspiel_alphabeta", "openspiel_random"):
        arguments += ["--engine", engine]
    records = []
    for number in range(2):
        path = tmp_path / f"{number}.jsonl"
        run_python(code, *arguments, "--records", str(path), cwd=tmp_path)
        records.append([(game.players, game.moves) for game in mancala_ai.read_records(path)])
    assert len(records[0]) == 12
    assert records[0] == records[1]


def test_without_open_spiel(tmp_path: Path) -> None:
    """One clear line from the engines; everything else works."""
    (tmp_path / "pyspiel.py").write_text("raise ModuleNotFoundError(\"No module named 'pyspiel'\")\n")
    code = """
import contextlib, sys
from mancala_ai.cli import main
sys.stderr = sys.stdout
for arguments in (["engines"], ["analyse", "kpe", "--engine", sys.argv[1]]):
    try:
        main(arguments)
    except SystemExit as end:
        print("exit", end.code)
"""
    for engine in ("openspiel_mcts", "openspiel_alphabeta", "openspiel_random"):
        out = run_python(code, engine, path=[tmp_path])
        assert "openspiel_mcts(simulations=1000,uct_c=2.0)" in out
        message = f"engine '{engine}': No module named 'pyspiel': expected OpenSpiel to be installed"
        assert message in " ".join(out.split())
        assert out.rstrip().endswith("exit 2")
        assert "Traceback" not in out


class Recorder(pyspiel.Bot):  # type: ignore[misc]
    """Takes the last legal action, and remembers what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[int, int]] = []

    def inform_action(self, state: pyspiel.State, player: int, action: int) -> None:
        """Remember."""
        assert action in state.legal_actions()
        self.told.append((player, action))

    def step(self, state: pyspiel.State) -> int:
        """Choose."""
        assert [action for _, action in self.told] == state.history()
        return int(state.legal_actions()[-1])


def test_any_bot_is_an_engine() -> None:
    """It is told of all moves so far."""
    bots: list[Recorder] = []

    def make(game: pyspiel.Game, player: int, rng_seed: int) -> Recorder:
        bots.append(Recorder())
        return bots[-1]

    state = random_state("giuthi", 9, 2)
    assert BotEngine(make).search(state).move == state.legal_moves()[-1]
    (bot,) = bots
    players = [state.game.initial_state()]
    for move in state.moves[:-1]:
        players.append(players[-1].play(move))
    moved = [(s.to_move, s.game.rules.move_number(move)) for s, move in zip(players, state.moves, strict=True)]
    assert bot.told == moved


def test_any_policy_is_an_engine() -> None:
    """Of Python or C++; also where the only action is number 0."""
    state = load_game("kpe").initial_state()
    only = load_game("kpe").state("0,0,1,0/3,0,0,0 S 22-22 abcd/abcd")
    assert only.legal_moves() == ["a"]

    def moves(make: Any) -> set[str]:
        assert PolicyEngine(make).search(only).move == "a"
        return {PolicyEngine(make, rng_seed).search(state).move for rng_seed in range(60)}

    assert moves(policy.UniformRandomPolicy) == set("abcd")
    assert moves(policy.FirstActionPolicy) == {"a"}
    assert moves(lambda game: pyspiel.PreferredActionPolicy([2, 0, 1, 3])) == {"c"}


# Our engines as bots.


@pytest.mark.parametrize("game", GAMES)
def test_engines_are_bots(game: str) -> None:
    """They play what the engines play, in OpenSpiel's matches of C++ and of Python."""
    spiel = spiel_game(load_game(game))
    ours = load_game(game).initial_state()
    players = [load_engine("greedy"), load_engine("random(rng_seed=3)")]
    while not ours.is_over:
        ours = ours.play(players[ours.to_move].search(ours).move)
    bots = [EngineBot("greedy"), EngineBot(load_engine("random(rng_seed=3)"))]
    assert pyspiel.evaluate_bots(spiel.new_initial_state(), bots, 1) == [ours.outcome, -(ours.outcome or 0)]
    state = spiel.new_initial_state()
    evaluate_bots.evaluate_bots(state, bots, np.random.RandomState(1))
    assert state.to_mancala().moves == ours.moves


def test_bots_keep_their_limits() -> None:
    limits: list[Limit | None] = []

    class Spy(mancala_ai.Engine):
        def search(self, state: State, limit: Limit | None = None) -> SearchResult:
            limits.append(limit)
            return SearchResult(state.legal_moves()[0])

    EngineBot(Spy(), Limit(depth=3)).step(spiel_game(load_game("kpe")).new_initial_state())
    assert limits == [Limit(depth=3)]


def test_bots_know_our_games_only() -> None:
    with pytest.raises(MancalaError, match=r"state of 'oware': expected one of a game of engines\.openspiel_games"):
        EngineBot("greedy").step(pyspiel.load_game("oware").new_initial_state())


# Their algorithms on our games.


@pytest.mark.parametrize("game", GAMES)
def test_mcts_of_openspiel_plays_our_games(game: str) -> None:
    spiel = spiel_game(load_game(game))
    bots = [
        pyspiel.MCTSBot(spiel, pyspiel.RandomRolloutEvaluator(1, 5), 2.0, 10, 10, True, 5, False),
        pyspiel.make_uniform_random_bot(1, 5),
    ]
    returns = pyspiel.evaluate_bots(spiel.new_initial_state(), bots, 5)
    assert returns in ([1, -1], [0, 0], [-1, 1])


@pytest.mark.parametrize("game", GAMES)
def test_minimax_of_openspiel_agrees_with_ours(game: str) -> None:
    """On late positions, with their history: the outcome, which `alphabeta` has proven."""
    engine = load_engine("alphabeta(exact_depth=True,tt_mb=1)")
    values = set()
    for state in itertools.islice(late_states(game, least=2, most=300), LATE_POSITIONS):
        spiel = spiel_state(state)
        value, _ = minimax.alpha_beta_search(spiel.get_game(), spiel, maximum_depth=300)
        result = engine.search(state, Limit(depth=60))
        assert result.value is not None
        assert result.proven
        assert (result.value > 0) - (result.value < 0) == value
        values.add(value)
    assert {-1, 1} <= values


@pytest.mark.parametrize("game", GAMES)
def test_rl_environment(game: str) -> None:
    environment: Any = rl_environment.Environment(spiel_game(load_game(game)))
    state, rng = load_game(game).initial_state(), random.Random(8)
    time_step = environment.reset()
    while not time_step.last():
        seen = time_step.observations
        assert seen["current_player"] == state.to_move
        assert seen["legal_actions"][state.to_move] == state.legal_move_numbers()
        np.testing.assert_array_equal(np.float32(seen["info_state"][0]), observation(state))
        assert time_step.rewards in (None, [0, 0])
        action = rng.choice(state.legal_move_numbers())
        time_step = environment.step([action])
        state = state.play_number(action)
    assert state.is_over
    assert time_step.rewards == [state.outcome, -(state.outcome or 0)]


def test_the_example_learns(capsys: pytest.CaptureFixture[str]) -> None:
    before, after = openspiel_learning.learn("kpe(holes=3,seeds=1)", episodes=400, rng_seed=1, test_games=100)
    assert before < 0.6
    assert after > before + 0.1
    openspiel_learning.main(["kpe(holes=3,seeds=1)", "--episodes", "5", "--test-games", "10"])
    assert "after 5 games" in capsys.readouterr().out
