"""Our games as OpenSpiel games: OpenSpiel's own checks, the vectors, and a key that tells apart what it must."""

from __future__ import annotations

import importlib
import pickle
import random
import unittest
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyspiel
import pytest

import engines.openspiel_games
import mancala_ai
from engines.openspiel_games import PREFIX, GameState, spiel_game, spiel_state
from mancala_ai import GameStringError, IllegalMoveError, PositionError, State
from mancala_ai.observation import observation, observation_layout
from mancala_ai.registry import game_types
from tests import make_playthroughs
from tests.helpers import GAME_STRINGS, late_states, run_python, tree_size, vector_parameters, without_captured

GAMES = [game.name for game in game_types()]
# Two set-ups of each game: the default and the last of those listed.
SETUPS = [name for game in GAMES for name in (game, GAME_STRINGS[game][-1])]


def moves_of(state: GameState) -> list[str]:
    """Return the legal moves, as strings."""
    return [state.action_to_string(state.current_player(), action) for action in state.legal_actions()]


def random_states(game: str, games: int, rng_seed: int = 3) -> Iterator[tuple[GameState, State]]:
    """Yield the states of random games, ends included, with the same states of ours, played beside them."""
    rng = random.Random(rng_seed)
    for _ in range(games):
        spiel, ours = (
            spiel_game(mancala_ai.load_game(game)).new_initial_state(),
            mancala_ai.load_game(game).initial_state(),
        )
        yield spiel, ours
        while not spiel.is_terminal():
            action = rng.choice(spiel.legal_actions())
            spiel.apply_action(action)
            ours = ours.play_number(action)
            yield spiel, ours


# Registration and parameters.


def test_every_game_is_registered_once() -> None:
    """With all its options; importing the module again changes nothing."""
    before = pyspiel.registered_names()
    importlib.reload(engines.openspiel_games)
    importlib.reload(engines.openspiel_games)
    assert pyspiel.registered_names() == before
    for game_type in game_types():
        (found,) = [game for game in pyspiel.registered_games() if game.short_name == PREFIX + game_type.name]
        assert found.long_name == game_type.title
        options = {option.name: option.default for option in game_type.options}
        assert found.parameter_specification == {**options, "position": "", "utility": "outcome"}
        assert found.default_loadable


@pytest.mark.parametrize("name", [name for names in GAME_STRINGS.values() for name in names[::7]])
def test_options_are_parameters(name: str) -> None:
    ours = mancala_ai.load_game(name)
    game = spiel_game(ours)
    assert game.mancala_game == ours
    assert game.num_distinct_actions() == ours.rules.moves
    assert pyspiel.load_game(str(game)).mancala_game == ours


def test_the_example_of_the_documentation() -> None:
    state = pyspiel.load_game("python_giuthi(holes=6,seeds=4)").new_initial_state()
    assert str(state) == "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"
    assert moves_of(state)[:4] == ["a+", "a-", "b+", "b-"]
    state.apply_action(state.string_to_action("c+"))
    assert state.to_mancala() == mancala_ai.load_game("giuthi(holes=6,seeds=4)").initial_state().play("c+")
    assert state.information_state_string(1) == "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0 | c+"
    assert state.observation_string(0) == "4,4,4,4,4,1/4,0,2,7,7,7 N 0-0"


def test_position_starts_anywhere() -> None:
    text = "0,0,2,0,0,3*,1,0,0,2*/3,0,0,4*,0,0,1,2,0,1 N 20-15"
    game = pyspiel.load_game("python_kiothi", {"position": text})
    assert str(game) == f"python_kiothi(position={text.replace(',', ';')})"
    for again in (game, pyspiel.load_game(str(game)), pickle.loads(pickle.dumps(game))):
        state = again.new_initial_state()
        assert str(state) == text
        assert state.current_player() == 1
        assert moves_of(state) == mancala_ai.load_game("kiothi").state(text).legal_moves()


def test_a_game_may_be_over_where_it_starts() -> None:
    state = pyspiel.load_game("python_kpe(position=1;0;0;0/0;0;0;0 S 20-10 abcd/abcd)").new_initial_state()
    assert state.is_terminal()
    assert state.current_player() == pyspiel.PlayerId.TERMINAL
    assert state.legal_actions() == []
    assert state.returns() == [1, -1]
    empty = pyspiel.load_game("python_kpe(position=0;0;0;0/0;0;0;0 S 0-0 abcd/abcd,utility=margin)")
    assert empty.new_initial_state().returns() == [0, 0]


@pytest.mark.parametrize(
    ("game", "error", "message"),
    [
        ("python_giuthi(holes=99)", GameStringError, "giuthi: holes=99: did you mean '9'?"),
        ("python_kpe(utility=money)", GameStringError, "python_kpe: utility='money': expected outcome or margin"),
        ("python_kpe(position=6;6/6;6 S 0-0 -/-)", PositionError, "position '6,6/6,6 S 0-0 -/-': row 1 '6,6'"),
    ],
)
def test_wrong_parameters_are_explained(game: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        pyspiel.load_game(game)
    assert str(caught.value).startswith(message)


def test_illegal_actions_change_nothing() -> None:
    state = pyspiel.load_game("python_giuthi(holes=5,seeds=4,position=0;0;0;0;1/1;2;0;0;0 S 20-16)").new_initial_state()
    before = str(state), state.legal_actions()
    for action in (0, 4, 10, 11, 1000, -2, -(2**62), 2**62):
        with pytest.raises(IllegalMoveError, match=f"action {action} in .*: expected one of the legal actions: 2, 3"):
            state.clone().apply_action(action)
        with pytest.raises(IllegalMoveError):
            state._apply_action(action)
        assert (str(state), state.legal_actions()) == before
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(IllegalMoveError, match="none, the game is over"):
        state._apply_action(2)


# The rules.


@pytest.mark.parametrize("line", vector_parameters("games.jsonl"))
def test_vector_games_replay(line: dict[str, Any]) -> None:
    """The same legal actions, players and returns, by outcome and by margin."""
    ours = mancala_ai.load_game(line["game"])
    state = spiel_game(ours).new_initial_state()
    by_margin = spiel_game(ours, utility="margin").new_initial_state()
    for move, position, legal in zip(line["moves"], line["positions"], line["legal"], strict=False):
        assert state.observation_string(0) == position
        assert not state.is_terminal()
        assert state.current_player() == "SN".index(position.split()[1])
        assert state.returns() == state.rewards() == by_margin.returns() == [0, 0]
        actions = state.legal_actions()
        assert actions == sorted(set(actions))
        if legal is not None:
            assert moves_of(state) == legal.split()
        action = ours.rules.move_number(move)
        state.apply_action(action)
        by_margin.apply_action(action)
    assert state.is_terminal()
    assert state.legal_actions() == []
    assert state.observation_string(1) == line["positions"][-1]
    assert state.returns() == state.rewards() == [line["outcome"], -line["outcome"]]
    share = line["margin"] / (ours.initial_state().total_seeds if ours.rules.scored else 1)
    assert by_margin.returns() == pytest.approx([share, -share])
    assert str(state).endswith(" infinite") == (line["end"] == "infinite")
    assert state.to_mancala().moves == line["moves"]
    assert str(spiel_state(state.to_mancala())) == str(state)


@pytest.mark.parametrize("name", SETUPS)
def test_clones_live_their_own_lives(name: str) -> None:
    """What is played on one changes nothing of the other."""
    rng = random.Random(4)
    for state, ours in random_states(name, 2):
        clone = state.clone()
        expected = str(state)
        for _ in range(3):
            if not clone.is_terminal():
                clone.apply_action(rng.choice(clone.legal_actions()))
        assert str(state) == expected
        assert state.history() == [ours.game.rules.move_number(move) for move in ours.moves]


# The key.


@pytest.mark.parametrize("name", SETUPS)
def test_keys_tell_apart_what_repetition_needs(name: str) -> None:
    """Two states have one key exactly if position, possible repetitions and end are the same.

    What can be repeated is taken from the position strings alone: those since the captured seeds last changed.
    """
    keys: dict[str, tuple[object, ...]] = {}
    seen: dict[tuple[object, ...], str] = {}
    recent: list[str] = []
    captured: object = None
    for state, ours in random_states(name, 25):
        position = str(ours)
        captured_now = position.split()[2] if ours.captured else ""
        if ours.parent is None or captured_now != captured:
            recent, captured = [], captured_now
        recent.append(without_captured(position))
        what = (position, ours.termination, None if ours.is_over else frozenset(recent))
        assert keys.setdefault(str(state), what) == what
        assert seen.setdefault(what, str(state)) == str(state)
    assert len(keys) > 50


def test_positions_repeat_only_with_their_history() -> None:
    """The same position string, but one state's game is nearly over."""
    kpe = mancala_ai.load_game("kpe(holes=3,seeds=4)")
    state = kpe.state("0,0,1/1,0,0 S 11-11 abc/abc")
    keys = {str(spiel_state(state))}
    for _ in range(3):
        later = state.play(state.legal_moves()[0])
        keys |= {str(spiel_state(later)), str(spiel_state(kpe.state(str(later))))}
        state = later
    assert len(keys) == 7
    assert len({key.partition(" ~")[0] for key in keys}) == 4


# Observations.


@pytest.mark.parametrize("name", SETUPS)
def test_observations(name: str) -> None:
    """The vector of `mancala_ai.observation`, whoever looks; the strings say where and how."""
    game = spiel_game(mancala_ai.load_game(name))
    observers = [game.make_py_observer(), game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True))]
    layout = [section for section in observation_layout(game.mancala_game) if section.size]
    for observer in observers:
        assert {part: view.shape for part, view in observer.dict.items()} == {s.name: (s.size,) for s in layout}
    for state, ours in random_states(name, 1):
        expected = observation(ours)
        for player in (0, 1):
            np.testing.assert_array_equal(np.array(state.observation_tensor(player), dtype=np.float32), expected)
            assert state.information_state_tensor(player) == state.observation_tensor(player)
            assert state.observation_string(player) == str(ours)
            assert state.information_state_string(player) == " ".join([str(ours.start), "|", *ours.moves])
        for observer in observers:
            observer.set_from(state, 0)
            np.testing.assert_array_equal(np.concatenate(list(observer.dict.values())), expected)
    nothing = game.make_py_observer(pyspiel.IIGObservationType(public_info=False, perfect_recall=False))
    assert (nothing.tensor, nothing.string_from(state, 0)) == (None, "")
    with pytest.raises(GameStringError, match="expected none"):
        game.make_py_observer(None, {"x": 1})


# OpenSpiel's own checks.


@pytest.mark.parametrize("name", SETUPS)
def test_random_simulations(name: str) -> None:
    """OpenSpiel's checks in C++, with serialisation."""
    for utility in ("outcome", "margin"):
        game = spiel_game(mancala_ai.load_game(name), utility=utility)
        pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def run_openspiel(case: type[unittest.TestCase], **attributes: Any) -> None:
    """Run a test class of OpenSpiel's."""
    case = type("Checks", (case,), attributes)
    result = unittest.TestResult()
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    assert suite.countTestCases() >= 5
    suite.run(result)
    assert result.testsRun >= 5
    assert [text for _, text in result.errors + result.failures] == []


@pytest.mark.parametrize("name", SETUPS)
def test_openspiels_checks_of_a_part_of_the_tree(name: str) -> None:
    api_test = pytest.importorskip("open_spiel.integration_tests.api_test")
    np.random.seed(1)
    run_openspiel(
        api_test.EnforceAPIOnPartialTreeBase, game=spiel_game(mancala_ai.load_game(name)), game_name=PREFIX + name
    )


@pytest.mark.parametrize("name", SETUPS)
def test_openspiels_simulation_in_python(name: str) -> None:
    games_sim_test = pytest.importorskip("open_spiel.python.tests.games_sim_test")
    np.random.seed(1)
    game = spiel_game(mancala_ai.load_game(name))
    games_sim_test.GamesSimTest("sim_game").sim_game(game)


@pytest.mark.parametrize("game", GAMES)
def test_openspiels_checks_of_a_whole_tree(game: str) -> None:
    """Perfect recall included; the number of states, which those checks know for other games, is counted by us."""
    api_test = pytest.importorskip("open_spiel.integration_tests.api_test")
    roots = (state.game.state(str(state)) for state in late_states(game, least=10, most=150))
    root = next(root for root in roots if tree_size(root, 300))
    counts = [0, 0]

    def count(state: State) -> None:
        counts[state.is_over] += 1
        for move in state.legal_moves():
            count(state.play(move))

    count(root)
    spiel = spiel_game(root.game, str(root))

    def test_number_of_nodes(case: Any) -> None:
        assert counts == [sum(state.is_terminal() == over for state in case.all_states) for over in (False, True)]

    def test_game_is_perfect_recall(case: Any) -> None:
        assert len(api_test._assert_is_perfect_recall(spiel)) == counts[0]

    run_openspiel(
        api_test.EnforceAPIOnFullTreeBase,
        game=spiel,
        game_name=game,
        test_number_of_nodes=test_number_of_nodes,
        test_game_is_perfect_recall=test_game_is_perfect_recall,
    )


@pytest.mark.parametrize("game", GAMES)
def test_playthroughs(game: str) -> None:
    """No game lacks one, and each comes out the same (`tests.make_playthroughs` writes them anew)."""
    path = make_playthroughs.FOLDER / f"{PREFIX}{game}.txt"
    assert path.exists(), "run python -m tests.make_playthroughs"
    written, played = make_playthroughs.generator().replay(str(path))
    assert played == written


def test_playthroughs_belong_to_games() -> None:
    assert {path.stem for path in make_playthroughs.FOLDER.iterdir()} == {PREFIX + game for game in GAMES}


@pytest.mark.parametrize("name", SETUPS)
def test_serialisation(name: str) -> None:
    """By OpenSpiel and by pickle; what is read plays on like what was written."""
    rng = random.Random(6)
    for number, (state, _) in enumerate(random_states(name, 2)):
        if number % 9:
            continue
        _, read = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))
        for other in (read, pickle.loads(pickle.dumps(state))):
            original = state.clone()
            for _ in range(4):
                assert (str(other), other.history()) == (str(original), original.history())
                assert other.returns() == original.returns()
                assert other.legal_actions() == original.legal_actions()
                if not other.is_terminal():
                    action = rng.choice(other.legal_actions())
                    other.apply_action(action)
                    original.apply_action(action)


# Processes of their own.


def test_python_ends_in_peace() -> None:
    """OpenSpiel lets go of its games when Python has ended: that must not abort the process."""
    code = "import engines.openspiel_games, pyspiel; print(pyspiel.load_game('python_kpe').new_initial_state())"
    assert run_python(code) == "6,6,6,6/6,6,6,6 S 0-0 -/-\n"


def test_without_compiled_kernels() -> None:
    code = """
import random, engines.openspiel_games, pyspiel
state = pyspiel.load_game("python_kpe(holes=3,seeds=2)").new_initial_state()
while not state.is_terminal():
    state.apply_action(state.legal_actions()[-1])
print(state, state.history())
"""
    assert run_python(code, env={"NUMBA_DISABLE_JIT": "1"}) == run_python(code)
