"""Static evaluation: a linear function of a game's features, with integer weights that are data.

Values of a search, ``int64``, from some player's view:

    |value| <  10,000          undecided: 32 units are one captured seed
    |value| in 10,000..20,000  decided, since a player has captured more than half; the rest is the evaluation
    |value| >= 20,000          the game is over: won or lost by (|value| - 20,000) seeds; a draw is 0

so that outcomes always weigh more than seeds. Weights of a game come from ``weights/NAME.json``, if there is such a
file (made by ``experiments.training``, which also writes where they come from); otherwise only the first feature
counts, which is the difference in seeds. The same file says how the game's captures are searched beyond the depth, if
they are.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_ai import Game
from mancala_ai.kernels import DRAW, captured, features, inline, material

SEED = 32  # units
DECIDED = 10_000
WON = 20_000
INFINITY = np.int64(32_000)

_0, _1 = np.uint64(0), np.uint64(1)


class Quiescence(NamedTuple):
    """Which captures a search looks at beyond its depth: so many plies, those that gain so much material in seeds."""

    plies: int = 0
    gain: int = 1


@functools.cache
def _data_of(name: str) -> dict[str, Any]:
    file = importlib.resources.files("engines") / "weights" / f"{name}.json"
    return json.loads(file.read_text()) if file.is_file() else {}


def quiescence_of(name: str) -> Quiescence:
    """Returns what has proven best for a game; none without a weight file that says so."""
    return Quiescence(**_data_of(name).get("quiescence", {}))


def weights_of(name: str, feature_names: tuple[str, ...]) -> tuple[int, ...]:
    """Returns the weights of a game's features, in units.

    Raises:
        ValueError: the weight file names other features than the game has.
    """
    if not _data_of(name):
        return (SEED, *[0] * (len(feature_names) - 1))
    weights = _data_of(name)["weights"]
    if tuple(weights) != feature_names:
        raise ValueError(f"weights/{name}.json: features {list(weights)}: expected {list(feature_names)}")
    return tuple(weights.values())


@functools.cache
def game_weights(game: Game, evaluation: str) -> npt.NDArray[np.uint64]:
    """Returns the weights to evaluate a game with, ``int64`` as bits of a ``uint64`` array of shape ``(features,)``.

    The array is shared: it is to be copied from.

    Args:
        game: the game.
        evaluation: ``"fitted"`` for the game's weight file, ``"material"`` for the difference in seeds alone.
    """
    names = game.rules.features
    material_only = (SEED, *[0] * (len(names) - 1))
    weights = material_only if evaluation == "material" else weights_of(game.name, names)
    return np.array(weights, dtype=np.int64).view(np.uint64)


@inline
def result_value(margin, side):
    """Returns the value of a finished game for ``side`` (``uint64``)."""
    value = margin if side == _0 else -margin
    if value > 0:
        return value + WON
    return value - WON if value < 0 else value


@inline
def evaluate(rules, position, weights, first, total):
    """Returns the static value of a position for South, ``int64``.

    Args:
        rules: a ruleset.
        position: words of a position that is not over.
        weights: ``uint64`` array that holds the weights (``int64`` as bits) from index ``first`` on.
        first: ``uint64``.
        total: seeds of the whole game, board and captured, ``int64``.
    """
    facts = features(rules, position)
    value = np.int64(0)
    for i in range(len(facts)):
        value += facts[i] * np.int64(weights[first + np.uint64(i)])
    if rules.infinite != DRAW:  # where infinite play draws the whole game, captured seeds decide nothing
        left = total - np.int64(captured(position, _0)) - np.int64(captured(position, _1))
        ahead = material(rules, position)
        if ahead > left:
            value += DECIDED
        elif -ahead > left:
            value -= DECIDED
    return value
