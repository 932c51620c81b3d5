"""Who is how strong: cross-tables, and Elo ratings with intervals, from the results of games.

A game's result is the winner's point, half a point each for a draw. The model is that of Bradley and Terry (1952): the
expected result of i against j is

    p(i, j) = 1 / (1 + exp(theta_j - theta_i)),    Elo_i = 400 / ln(10) * theta_i,

the theta of one engine, the anchor, being 0. For two engines with a share p of the points this is the familiar
400 * log10(p / (1 - p)). The thetas are those of maximum (quasi-)likelihood: a binomial regression with logit link, one
row a game, +1 in the column of one engine and -1 in that of the other. A game that counts as several (see
`experiments.matches.GameResult.weight`) weighs as many rows.

The two games of a game pair begin alike and are not independent, so that the covariance of the estimates is the
"sandwich" of Liang and Zeger (1986), clustered by game pair: A^-1 B A^-1, where A is the information and B sums, over
pairs, the outer product of the pair's summed scores; with the customary correction G / (G - 1) * (N - 1) / (N - K) for
few clusters. Intervals are estimate +- 1.96 standard errors. The likelihood of superiority (LOS) of one engine over
another is Phi(difference / its standard error), the covariance of the two included.

Results of several games (rulesets) can be pooled in one fit: then an engine has one theta for all of them, a mean
strength over the games as they are mixed. Game pairs stay apart, since a pair's key names its game.

A maximum exists only within a circle of engines that have all taken points from each other, directly or through others
(Ford 1957). The likelihood rates an engine outside the anchor's circle infinitely higher or lower. What is given for it
is a bound: its rating if, in every pairing across circles, the winner of all points had half a point less.

References:
    - Bradley, R. A., & Terry, M. E. (1952). Rank analysis of incomplete block designs: I. Biometrika 39, 324-345.
    - Elo, A. E. (1978). The Rating of Chessplayers, Past and Present. Arco.
    - Ford, L. R. (1957). Solution of a ranking problem from binary comparisons. Amer. Math. Monthly 64 (8), 28-33.
    - Liang, K.-Y., & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear models. Biometrika 73,
      13-22.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from experiments.matches import GameResult

Floats = npt.NDArray[np.float64]
ELO = 400 / math.log(10)
"""Elo points of one unit of theta."""
Z95 = 1.959963984540054  # 97.5 % point of the normal distribution
SMALLEST_VARIANCE = 1e-15
"""Of theta: below it, all game pairs are alike but for rounding."""


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses of one side of a comparison; scores add up."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """1 for each win, half for each draw."""
        return self.wins + self.draws / 2

    @property
    def inverted(self) -> Score:
        """The opponent's score."""
        return Score(self.losses, self.draws, self.wins)

    def __add__(self, other: Score) -> Score:
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


@dataclass(frozen=True)
class Rating:
    """An engine's rating.

    Attributes:
        engine: engine string.
        score: against all others together.
        elo: the anchor's is 0; None if there is no finite estimate.
        interval: ends of the 95 % interval; None for the anchor, without a finite estimate, and where game pairs are
            too few or too much alike to tell.
        bound: without a finite estimate: ``(">", Elo)`` or ``("<", Elo)``; see the module. None if nothing links the
            engine to the anchor.
        los: likelihood of superiority, the probability that the engine is stronger than the next lower one; None for
            the last, if the two are not of one circle, and where there is nothing to tell the difference's error by.
    """

    engine: str
    score: Score
    elo: float | None = None
    interval: tuple[float, float] | None = None
    bound: tuple[Literal[">", "<"], float] | None = None
    los: float | None = None

    @property
    def rank_key(self) -> tuple[float, float, float]:
        """Larger for a better rank: by rating, beyond that of any finite one where it is a bound; then points."""
        if self.bound is None:
            return 0.0, -math.inf if self.elo is None else round(self.elo, 6), self.score.points
        return 1.0 if self.bound[0] == ">" else -1.0, self.bound[1], self.score.points


def crosstable(results: Sequence[GameResult], engines: Sequence[str]) -> dict[tuple[str, str], Score]:
    """Returns the score of each engine against each other one, ``table[engine, opponent]``, games by their weight."""
    counts = {(one, other): [0, 0, 0] for one in engines for other in engines if one != other}
    for result in results:
        counts[result.spec.south, result.spec.north][1 - result.outcome] += result.weight
        counts[result.spec.north, result.spec.south][1 + result.outcome] += result.weight
    return {pairing: Score(*count) for pairing, count in counts.items()}


def rate(results: Sequence[GameResult], engines: Sequence[str]) -> list[Rating]:
    """Returns the ratings of engines, best first.

    Args:
        results: games between them, of one game or several, all to be judged by one rating.
        engines: engine strings; the first is the anchor, whose rating is 0.
    """
    table = crosstable(results, engines)
    scores = [sum((table[one, other] for other in engines if other != one), Score()) for one in engines]
    points = np.array([[table[i, j].points if i != j else 0 for j in engines] for i in engines])
    reach = _reach(points > 0)
    linked = reach[0] | reach[:, 0]  # to the anchor, which is number 0
    circles = reach & reach.T  # by row: the engines in the circle of each
    circle = circles[0]

    theta, covariance = _fit(results, engines, np.flatnonzero(circle))
    bounds = _fit_bounds(points, circle, np.flatnonzero(linked)) if linked.sum() > circle.sum() else {}
    ratings = []
    for i, engine in enumerate(engines):
        elo = ELO * theta[i] if i in theta else None
        interval = None
        if elo is not None and (error := _error(covariance, theta, i, 0)):
            interval = elo - Z95 * ELO * error, elo + Z95 * ELO * error
        sign: Literal[">", "<"] = ">" if reach[i, 0] else "<"
        bound = (sign, bounds[i]) if i in bounds and not circle[i] else None
        ratings.append(Rating(engine, scores[i], elo, interval, bound))
    ratings.sort(key=lambda rating: rating.rank_key, reverse=True)
    order = [engines.index(rating.engine) for rating in ratings]
    for rank, (i, j) in enumerate(pairwise(order)):
        if not circles[i, j]:
            continue
        if i not in theta:  # a circle of its own, whose members can still be compared
            theta, covariance = _fit(results, engines, np.flatnonzero(circles[i]))
        if error := _error(covariance, theta, i, j):
            los = 0.5 * math.erfc((theta[j] - theta[i]) / error / math.sqrt(2))
            ratings[rank] = replace(ratings[rank], los=los)
    return ratings


def _error(covariance: Floats, theta: dict[int, float], i: int, j: int) -> float | None:
    """Returns the standard error of theta_i - theta_j; None where there is nothing to tell it by."""
    members = list(theta)
    one, other = members.index(i), members.index(j)
    variance = float(covariance[one, one] + covariance[other, other] - 2 * covariance[one, other])
    return math.sqrt(variance) if SMALLEST_VARIANCE < variance < math.inf else None


def _reach(took_points: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Returns which engines took points from which, directly or through others; each from itself (Warshall)."""
    reach = took_points | np.eye(len(took_points), dtype=bool)
    for k in range(len(reach)):
        reach |= np.outer(reach[:, k], reach[k])
    return reach


def _fit(
    results: Sequence[GameResult], engines: Sequence[str], members: npt.NDArray[np.int64]
) -> tuple[dict[int, float], Floats]:
    """Returns theta by engine number, from the games among the members, the first at 0; and its covariance.

    The covariance, of shape ``(members, members)``, is 0 for the first, and NaN if there is a single game pair.
    """
    column = {engines[member]: position for position, member in enumerate(members)}
    covariance = np.zeros((len(members), len(members)))
    if len(members) == 1:
        return {int(members[0]): 0.0}, covariance
    games = [result for result in results if result.spec.south in column and result.spec.north in column]
    pairs: defaultdict[str, int] = defaultdict(lambda: len(pairs))
    design = _design([(column[game.spec.south], column[game.spec.north]) for game in games], len(members))
    shares = np.array([game.points[0] for game in games])
    clusters = np.array([pairs[game.spec.pair_key] for game in games])
    weights = np.array([float(game.weight) for game in games])
    theta, covariance[1:, 1:] = _regress(design, shares, weights, clusters if len(pairs) > 1 else None)
    if len(pairs) == 1:
        covariance[1:, 1:] = math.nan  # one pair does not tell how far off the estimates are
    return {int(member): float(value) for member, value in zip(members, [0.0, *theta], strict=True)}, covariance


def _fit_bounds(points: Floats, circle: npt.NDArray[np.bool_], members: npt.NDArray[np.int64]) -> dict[int, float]:
    """Returns Elo by engine number, with half a point moved in pairings won outright."""
    reach = _reach(points > 0)
    rows, shares, games = [], [], []
    for i, j in ((i, j) for i in members for j in members if i < j):
        played = points[i, j] + points[j, i]
        if played:
            rows.append((int(np.searchsorted(members, i)), int(np.searchsorted(members, j))))
            same = reach[i, j] and reach[j, i]
            won = points[i, j] if same else min(max(points[i, j], 0.5), played - 0.5)
            shares.append(won / played)
            games.append(played)
    theta, _ = _regress(_design(rows, len(members)), np.array(shares), np.array(games))
    return {int(member): ELO * float(value) for member, value in zip(members[1:], theta, strict=True)}


def _design(rows: Sequence[tuple[int, int]], members: int) -> Floats:
    """Returns one row a comparison: 1 for the one, -1 for the other; without the column of the anchor, number 0."""
    design = np.zeros((len(rows), members))
    one, other = np.array(rows).T
    design[np.arange(len(rows)), one] = 1
    design[np.arange(len(rows)), other] = -1
    return design[:, 1:]


def _regress(
    design: Floats, shares: Floats, weights: Floats, clusters: npt.NDArray[np.int64] | None = None
) -> tuple[Floats, Floats]:
    """Returns coefficients of a binomial regression and their covariance (robust, if clusters are given)."""
    from statsmodels.genmod.families import Binomial  # takes a second to import
    from statsmodels.genmod.generalized_linear_model import GLM

    covariance: dict[str, Any] = {}
    if clusters is not None:
        covariance = {"cov_type": "cluster", "cov_kwds": {"groups": clusters}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = GLM(shares, design, family=Binomial(), freq_weights=weights).fit(**covariance)
        return fit.params, fit.cov_params()
