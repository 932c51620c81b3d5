"""Engines judged as a population, where "who beats whom" may go in circles and no single rating fits.

From the payoff matrix, the share of points of each engine against each other one, OpenSpiel computes

* alpha-rank (Omidshafiei et al. 2019): how often each engine is the one that a population of engines plays, which
  evolves by copying what does better. Selection is strong (alpha 100, 50 individuals): nearly all that counts is who
  beats whom, not by how much.
* the Nash average (Balduzzi et al. 2018): the mixed strategy of maximum entropy among the equilibria of the game "each
  side names an engine, and the two play". Engines that are copies of each other share one weight, so that they do not
  distort the rest.

The payoffs are taken as they are, without regard to how many games they rest on.

Needs the packages of the extra ``egt``.

References:
    - Balduzzi, D., Tuyls, K., Perolat, J., & Graepel, T. (2018). Re-evaluating evaluation. NeurIPS 31.
    - Omidshafiei, S., et al. (2019). alpha-Rank: Multi-agent evaluation by evolution. Scientific Reports 9, 9937.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.matches import GameResult
from experiments.ratings import crosstable
from mancala_ai import MancalaError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Population:
    """An engine's place in a population.

    Attributes:
        engine: engine string.
        alpha_rank: its mass in the stationary distribution of alpha-rank; all engines' add up to 1.
        nash_weight: its probability in the Nash average; all engines' add up to 1.
        nash_score: its expected score, 0 to 1, against an opponent drawn from the Nash average; at most 1/2, and 1/2
            for all engines of positive weight.
    """

    engine: str
    alpha_rank: float
    nash_weight: float
    nash_score: float


def judge_population(results: Sequence[GameResult], engines: Sequence[str]) -> list[Population]:
    """Returns the place of every engine, in the order given.

    Args:
        results: games between them, of one game or several.
        engines: engine strings; each must have met each other one.

    Raises:
        MancalaError: two engines have not met, or a package is missing.
    """
    return judge_payoffs(payoffs(results, engines), engines)


def payoffs(results: Sequence[GameResult], engines: Sequence[str]) -> Floats:
    """Returns the share of points of the row's engine against the column's: ``(engines, engines)``, diagonal 1/2.

    Raises:
        MancalaError: two engines have not met.
    """
    matrix = np.full((len(engines), len(engines)), 0.5)
    for (one, other), score in crosstable(results, engines).items():
        if not score.games:
            raise MancalaError(f"payoffs: {one} and {other} have not met: expected games between all engines")
        matrix[engines.index(one), engines.index(other)] = score.points / score.games
    return matrix


def judge_payoffs(matrix: Floats, engines: Sequence[str]) -> list[Population]:
    """Returns the place of every engine.

    Args:
        matrix: see `payoffs`.
        engines: engine strings of the rows and columns.

    Raises:
        MancalaError: a package is missing.
    """
    try:
        import pyspiel
        from open_spiel.python.algorithms.nash_averaging import nash_averaging
        from open_spiel.python.egt import alpharank
    except ImportError as error:
        raise MancalaError(f"alpha-rank and Nash averaging: {error}: expected pip install 'mancala-ai[egt]'") from None

    lead = matrix - matrix.T  # antisymmetric to the last bit, which Nash averaging insists on
    # Very unlikely changes of the population overflow on their way to 0.
    with np.errstate(over="ignore"):
        masses = alpharank.compute([matrix], m=50, alpha=100)[2]
    game = pyspiel.create_matrix_game("payoffs", "payoffs", list(engines), list(engines), lead, -lead)
    weights = np.clip(np.ravel(nash_averaging(game)[0]), 0, None)
    weights /= weights.sum()  # the solver is exact to some 1e-6
    scores = matrix @ weights
    return [Population(engine, *map(float, row)) for engine, *row in zip(engines, masses, weights, scores, strict=True)]
