"""The environments keep to the interfaces of PettingZoo and Gymnasium, and to the rules."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, seed_test

import mancala_ai
from mancala_ai import IllegalMoveError, MancalaError, State
from mancala_ai.environments import AecEnvironment, VectorEnvironment, env
from mancala_ai.observation import observation
from mancala_ai.registry import game_types
from tests.helpers import run_python

GAMES = [game.name for game in game_types()]
every_game = pytest.mark.parametrize("text", GAMES)


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


# PettingZoo.


@every_game
def test_pettingzoo_api(text: str) -> None:
    """PettingZoo's own test, on the bare environment and in its wrappers; the one warning is about ended games."""
    for made in (AecEnvironment(text), env(text)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")
            warnings.filterwarnings("ignore", "Observation is not a NumPy array")  # it is a dictionary, as in chess
            warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
            api_test(made, num_cycles=150)
    seed_test(lambda: env(text), num_cycles=30)


@every_game
def test_pettingzoo_plays_by_the_rules(text: str) -> None:
    """Random games move by move beside states: turns, masks, observations, rewards and the board."""
    rng = random.Random(text)
    made = env(text, render_mode="ansi")
    for _ in range(4):
        made.reset(seed=1)
        state = mancala_ai.load_game(text).initial_state()
        rewards = {"player_0": 0.0, "player_1": 0.0}
        for agent in made.agent_iter():
            observed, reward, terminated, truncated, info = made.last()
            rewards[agent] += reward
            assert not truncated
            assert terminated == state.is_over
            assert np.array_equal(observed["observation"], observation(state))
            assert observed["observation"].dtype == np.float32
            assert np.flatnonzero(observed["action_mask"]).tolist() == state.legal_move_numbers()
            if terminated:
                view = 1 if agent == "player_0" else -1
                assert info == {"margin": view * (state.margin or 0), "infinite": state.termination == "infinite"}
                made.step(None)
                continue
            assert agent == f"player_{state.to_move}"
            assert not made.observe(f"player_{1 - state.to_move}")["action_mask"].any()
            assert made.render() == state.board()
            move = rng.choice(state.legal_move_numbers())
            state = state.play_number(move)
            made.step(np.int64(move))
        outcome = state.outcome or 0
        assert rewards == {"player_0": outcome, "player_1": -outcome}


def test_pettingzoo_starts_where_asked() -> None:
    made = AecEnvironment("kpe(holes=3,seeds=4)", "ansi")
    position = "0,0,0/1,0,1 N 11-11 abc/abc"
    with pytest.raises(MancalaError, match=f"^position {position!r}: the game is over: expected one that can"):
        made.reset(options={"position": position})
    position = "0,1,0/1,0,1 N 11-10 abc/abc"
    made.reset(options={"position": position})
    assert made.agent_selection == "player_1"
    assert made.render() == mancala_ai.load_game("kpe(holes=3,seeds=4)").state(position).board()


def test_illegal_moves_in_pettingzoo() -> None:
    """An error in the bare environment; in the wrappers the game is lost."""
    made = AecEnvironment("kisolo")
    made.reset()
    with pytest.raises(IllegalMoveError, match=r"^moves\[0\] = 0 in .*: expected one of 14, 15, 16, 17, 18, 19, 20$"):
        made.step(0)
    wrapped = env("kisolo")
    wrapped.reset()
    wrapped.step(0)
    assert wrapped.terminations == {"player_0": True, "player_1": True}
    assert wrapped.unwrapped.rewards == {"player_0": -1, "player_1": 0}


# Gymnasium.


def assert_conforms(made: VectorEnvironment, result: tuple[Any, ...]) -> None:
    """Check the parts of what `reset` or `step` returned against the spaces."""
    n = made.num_envs
    observations, *signals, infos = result
    assert made.observation_space.contains(observations)
    assert made.observation_space.shape == (n, *(made.single_observation_space.shape or ()))
    assert made.action_space.shape == (n,)
    for values, dtype in zip(signals, (np.float64, np.bool_, np.bool_), strict=False):
        assert (values.shape, values.dtype) == ((n,), dtype)
    assert sorted(infos) == ["_action_mask", "_margin", "_player", "action_mask", "margin", "player"]
    for name, values in infos.items():
        assert len(values) == n
        assert not name.startswith("_") or (values.dtype == np.bool_ and values.all())
    mask = infos["action_mask"]
    assert (mask.shape, mask.dtype) == ((n, made.game.rules.moves), np.int8)
    assert made.single_action_space == Discrete(made.game.rules.moves)
    assert np.isin(mask, (0, 1)).all()
    over = signals[1] if signals else np.zeros(n, dtype=np.bool_)
    assert (mask.any(axis=1) == ~over).all()


def choose(made: VectorEnvironment, mask: npt.NDArray[np.int8], rng: random.Random) -> npt.NDArray[np.int64]:
    """Return random legal actions, any at all where there is no legal one."""
    return np.array([rng.choice(np.flatnonzero(row) if row.any() else range(mask.shape[1])) for row in mask])


@every_game
def test_self_play(text: str) -> None:
    """Gymnasium's interface beside states: one move a step, the reward of the mover, a step to begin again."""
    rng = random.Random(text)
    made = VectorEnvironment(text, num_envs=7, render_mode="ansi")
    assert made.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    first = mancala_ai.load_game(text).initial_state()
    result: tuple[Any, ...] = made.reset(seed=3)
    states, games = [first] * 7, 0
    for _ in range(200):
        assert_conforms(made, result)
        assert np.array_equal(result[0], [observation(state) for state in states])
        assert result[-1]["player"].tolist() == [state.to_move for state in states]
        assert made.render() == tuple(state.board() for state in states)
        actions = choose(made, result[-1]["action_mask"], rng)
        result = made.step(actions)
        movers = [state.to_move for state in states]
        begin = [state.is_over for state in states]
        states = [
            first if state.is_over else state.play_number(move) for state, move in zip(states, actions, strict=True)
        ]
        margins = [(1 - 2 * mover) * (state.margin or 0) for mover, state in zip(movers, states, strict=True)]
        assert result[-1]["margin"].tolist() == margins
        assert result[1].tolist() == [sign(margin) for margin in margins]
        assert result[2].tolist() == [state.is_over for state in states]
        assert not result[3].any()
        games += sum(begin)
    assert games >= 7
    made.close()


def last_legal(observations: npt.NDArray[np.float32], masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Choose the legal move with the largest number."""
    assert len(observations) == len(masks) > 0
    return np.array([np.flatnonzero(row)[-1] for row in masks])


def answered(state: State, agent: int) -> State:
    """Return the state after the moves that `last_legal` makes before the agent is to move again."""
    while not state.is_over and state.to_move != agent:
        state = state.play_number(state.legal_move_numbers()[-1])
    return state


@every_game
def test_against_an_opponent(text: str) -> None:
    """The agent is always to move; sides alternate from environment to environment and from game to game."""
    rng = random.Random(text)
    made = VectorEnvironment(text, num_envs=6, opponent=last_legal)
    first = mancala_ai.load_game(text).initial_state()
    result: tuple[Any, ...] = made.reset()
    agents = [0, 1] * 3
    states, games = [answered(first, agent) for agent in agents], 0
    for _ in range(150):
        assert_conforms(made, result)
        assert np.array_equal(result[0], [observation(state) for state in states])
        assert all(state.is_over or state.to_move == agent for state, agent in zip(states, agents, strict=True))
        actions = choose(made, result[-1]["action_mask"], rng)
        result = made.step(actions)
        for i, (state, agent) in enumerate(zip(states, agents, strict=True)):
            if state.is_over:
                agents[i] = 1 - agent
                states[i] = answered(first, agents[i])
                games += 1
            else:
                states[i] = answered(state.play_number(actions[i]), agent)
        margins = [(1 - 2 * agent) * (state.margin or 0) for agent, state in zip(agents, states, strict=True)]
        assert result[-1]["margin"].tolist() == margins
        assert result[1].tolist() == [sign(margin) for margin in margins]
        assert result[2].tolist() == [state.is_over for state in states]
    assert games >= 6


def test_the_random_opponent_depends_on_the_seed_alone() -> None:
    """Same seed, same games, for any number of threads; and it plays all legal moves equally often."""

    def play(seed: int, threads: int) -> npt.NDArray[np.float32]:
        made = VectorEnvironment("kpe", 3000, "random", threads)
        result: tuple[Any, ...] = made.reset(seed=seed)
        seen = [result[0]]
        for _ in range(20):
            result = made.step(result[-1]["action_mask"].argmax(axis=1))
            seen.append(result[0])
        return np.array(seen)

    assert np.array_equal(play(1, 1), play(1, 2))
    assert not np.array_equal(play(1, 1), play(2, 1))
    made = VectorEnvironment("kpe", 8000, "random")
    observations, _ = made.reset(seed=5)
    empty = observations[1::2, 4:8].argmin(axis=1)  # where the opponent, South, has moved first: the pit it emptied
    assert all(abs(count - 1000) < 5 * 1000**0.5 for count in np.bincount(empty, minlength=4))


def test_bad_input() -> None:
    with pytest.raises(MancalaError, match=r"^opponent 'me': expected None, 'random' or a function$"):
        VectorEnvironment("kpe", opponent="me")
    with pytest.raises(MancalaError, match=r"^render_mode 'human': expected 'ansi' or None$"):
        VectorEnvironment("kpe", render_mode="human")
    with pytest.raises(MancalaError, match=r"^render_mode 'human': expected 'ansi' or None$"):
        AecEnvironment("kpe", render_mode="human")
    with pytest.raises(MancalaError, match=r"^environments 0: expected at least 1$"):
        VectorEnvironment("kpe", num_envs=0)
    made = VectorEnvironment("kisolo", 2)
    with pytest.raises(ResetNeeded, match=r"^step before the first reset: expected reset\(\) first$"):
        made.step(np.array([14, 14]))
    made.reset()
    with pytest.raises(IllegalMoveError, match=r"^moves\[1\] = 3 in .*: expected one of 14, 15"):
        made.step(np.array([14, 3]))
    made = VectorEnvironment("kpe", 2, opponent=lambda observations, masks: [0.5])
    with pytest.raises(
        MancalaError, match=r"^opponent's moves of shape \(1,\) and dtype float64: expected \(1,\) and "
    ):
        made.reset()


def test_without_the_packages() -> None:
    """One line that says what to install; the rest of the package does not need them."""
    code = """if True:
        import sys
        sys.modules["gymnasium"] = sys.modules["pettingzoo"] = None
        from mancala_ai import MancalaError, batch
        try:
            import mancala_ai.environments
        except MancalaError as error:
            print(error)
    """
    assert run_python(code).strip().endswith(": expected pip install 'mancala-ai[rl]'")
