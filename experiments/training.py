"""Fits the weights of the static evaluation from self-play: ``python -m experiments.training GAME --write``.

Alpha-beta plays itself from random openings; every position of a game is one observation, with the game's features
and its outcome. A logistic regression without intercept (the features are South's minus North's, so swapping sides
swaps the outcome) gives the weights, by maximum likelihood with a small ridge penalty; they are scaled so that the
first feature, the difference in seeds, is worth 32 units, and rounded. Same arguments, same weights.
"""

from __future__ import annotations

import datetime
import json
import platform
import shlex
import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.optimize
import typer
from rich.progress import track

import engines
import mancala_ai
from engines.evaluation import SEED
from experiments.openings import random_opening
from mancala_ai import Game, Limit, State, kernels, load_engine, load_game

RIDGE = 1e-4  # of the mean loss, per squared weight of a standardised feature
OPENING_PLIES = 6
WEIGHT_FOLDER = Path(engines.__file__).parent / "weights"


class Observations(NamedTuple):
    """Positions of self-play.

    Attributes:
        features: ``float64``, shape ``(positions, features)``, South's minus North's.
        outcomes: ``float64``, shape ``(positions,)``: 1 if South won in the end, 0 if North did, 1/2 for a draw.
        games: ``int64``, shape ``(positions,)``: number of the game that a position comes from.
    """

    features: npt.NDArray[np.float64]
    outcomes: npt.NDArray[np.float64]
    games: npt.NDArray[np.int64]


def self_play(game: Game, games: int, depth: int, rng_seed: int) -> Observations:
    """Lets alpha-beta, valuing material, play itself.

    Args:
        game: the game.
        games: number of games.
        depth: plies that each side searches.
        rng_seed: decides the openings.
    """
    engine = load_engine("alphabeta(evaluation=material,tt_mb=1)")
    features, outcomes, numbers = [], [], []
    for number in track(range(games), description=f"self-play of {game}", transient=True):
        state = game.state(str(random_opening(game, OPENING_PLIES, f"training|{rng_seed}|{number}")))
        line: list[State] = []
        while not state.is_over:
            line.append(state)
            state = state.play(engine.search(state, Limit(depth=depth)).move)
        features += [[int(fact) for fact in kernels.features(game.rules, state.position)] for state in line]
        outcomes += [((state.outcome or 0) + 1) / 2] * len(line)
        numbers += [number] * len(line)
    return Observations(np.array(features, dtype=np.float64), np.array(outcomes), np.array(numbers))


def fit(observations: Observations) -> tuple[npt.NDArray[np.int64], float]:
    """Fits the weights.

    Returns:
        Weights in units (``int64``, the first 32), and the mean loss in nats per position of the unrounded weights.
    """
    scale = observations.features.std(axis=0)
    scale[scale == 0] = 1
    x, y = observations.features / scale, observations.outcomes

    def loss(weights: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        z = x @ weights
        value = np.mean(np.logaddexp(0, z) - y * z)
        gradient = x.T @ (1 / (1 + np.exp(-z)) - y) / len(y)
        return float(value + RIDGE * weights @ weights), gradient + 2 * RIDGE * weights

    result = scipy.optimize.minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B")
    weights = result.x / scale
    if weights[0] <= 0:
        raise ValueError(f"the difference in seeds was found to be worth {weights[0]:.4f}: expected more than 0")
    return np.rint(weights / weights[0] * SEED).astype(np.int64), float(result.fun)


def train(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Game string.")],
    games: Annotated[int, typer.Option(min=1, help="Games of self-play.")] = 2000,
    depth: Annotated[int, typer.Option(min=1, max=12, help="Plies that both sides search.")] = 3,
    rng_seed: Annotated[int, typer.Option(help="Start of all random choices.")] = 0,
    write: Annotated[bool, typer.Option("--write", help="Write engines/weights/NAME.json.")] = False,
) -> None:
    """Fit the weights of a game's evaluation from self-play.

    Examples:
      python -m experiments.training kpe --games 4000 --write
    """
    played = load_game(game)
    observations = self_play(played, games, depth, rng_seed)
    weights, loss = fit(observations)
    file = WEIGHT_FOLDER / f"{played.name}.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    data = {
        **{name: value for name, value in known.items() if name == "quiescence"},  # does not come from here
        "weights": dict(zip(played.rules.features, weights.tolist(), strict=True)),
        "provenance": {
            "command": shlex.join(["python", "-m", "experiments.training", *sys.argv[1:]]),
            "game": str(played),
            "games": games,
            "positions": len(observations.outcomes),
            "loss": round(loss, 5),
            "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
            "mancala-ai": mancala_ai.__version__,
            "python": platform.python_version(),
        },
    }
    typer.echo(json.dumps(data, indent=2))
    if write:
        WEIGHT_FOLDER.mkdir(exist_ok=True)
        file.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    typer.run(train)
