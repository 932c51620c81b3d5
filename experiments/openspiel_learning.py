"""Example: OpenSpiel's tabular Q-learning on one of our games, against itself, then against random moves.

    python -m experiments.openspiel_learning 'kpe(holes=3,seeds=2)'

Any game will run; a table is of use only where random games meet the same observations again and again.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from open_spiel.python import rl_environment
from open_spiel.python.algorithms.random_agent import RandomAgent
from open_spiel.python.algorithms.tabular_qlearner import QLearner

from engines.openspiel_games import spiel_game
from mancala_ai import load_game


def play(environment: Any, agents: Sequence[Any], learn: bool) -> float:
    """Plays one episode and returns South's reward.

    Args:
        environment: an ``rl_environment.Environment`` of a game.
        agents: South's and North's.
        learn: whether the agents learn from it.
    """
    time_step = environment.reset()
    while not time_step.last():
        player = time_step.observations["current_player"]
        step = agents[player].step(time_step, is_evaluation=not learn)
        time_step = environment.step([step.action])
    for agent in agents:
        agent.step(time_step, is_evaluation=not learn)
    return float(time_step.rewards[0])


def score(environment: Any, learners: Sequence[Any], opponents: Sequence[Any], episodes: int) -> float:
    """Returns the learners' share of the points (a draw is half a point) against opponents, in turn on both sides."""
    rewards = []
    for _ in range(episodes // 2):
        rewards.append(play(environment, [learners[0], opponents[1]], learn=False))
        rewards.append(-play(environment, [opponents[0], learners[1]], learn=False))
    return float(np.mean(rewards)) / 2 + 0.5


def learn(game: str, episodes: int, rng_seed: int, test_games: int) -> tuple[float, float]:
    """Has two Q-learners play each other.

    Args:
        game: game string.
        episodes: games that they learn from.
        rng_seed: start of all random choices.
        test_games: games against random moves, before and after.

    Returns:
        Their `score` against random moves before and after.
    """
    np.random.seed(rng_seed)  # the learners draw from NumPy's global generator
    environment = rl_environment.Environment(
        spiel_game(load_game(game)), observation_type=rl_environment.ObservationType.OBSERVATION
    )
    actions = environment.action_spec()["num_actions"]
    learners = [QLearner(player_id=player, num_actions=actions, step_size=0.3) for player in (0, 1)]
    opponents = [RandomAgent(player_id=player, num_actions=actions) for player in (0, 1)]
    before = score(environment, learners, opponents, test_games)
    for _ in range(episodes):
        play(environment, learners, learn=True)
    return before, score(environment, learners, opponents, test_games)


def main(arguments: Sequence[str] | None = None) -> None:
    """Learns and prints the scores before and after."""
    parser = argparse.ArgumentParser(description="Tabular Q-learning against itself, with OpenSpiel's agent.")
    parser.add_argument("game", help="game string, such as kpe(holes=3,seeds=2)")
    parser.add_argument("--episodes", type=int, default=5000, help="games to learn from (default: 5000)")
    parser.add_argument("--rng-seed", type=int, default=1, help="start of all random choices (default: 1)")
    parser.add_argument("--test-games", type=int, default=400, help="games against random moves (default: 400)")
    options = parser.parse_args(arguments)
    before, after = learn(options.game, options.episodes, options.rng_seed, options.test_games)
    print(f"score against random moves: {before:.1%} before learning, {after:.1%} after {options.episodes} games")


if __name__ == "__main__":
    main()
