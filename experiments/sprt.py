"""Is one engine stronger than another? The sequential test for it, on the results of game pairs.

The two games of a pair begin alike, so that they are not independent; what counts is the engine's score of the pair,
one of five: 0, 1/2, 1, 3/2 or 2 points. The pairs are independent draws from a distribution over these five
("pentanomial"), of which nothing is assumed. A hypothesis is its mean, the expected score of a game at an Elo
difference of ``elo0`` (H0) or ``elo1`` (H1): 1 / (1 + 10^(-Elo / 400)).

The test is the generalised sequential probability ratio test. With counts n_i of the pair scores a_i (a share of the
two points), its statistic is

    LLR = max of sum n_i log p_i where sum p_i a_i = s1   -   the same with s0,

maxima over all distributions p; both are found exactly, see ``_log_weights``. The test goes on while

    log(beta / (1 - alpha)) < LLR < log((1 - beta) / alpha);

at or below the lower bound H0 is accepted, at or above the upper one H1. For two simple hypotheses these bounds give
error probabilities alpha (H1 accepted, though H0 holds) and beta (the reverse), but for the overshoot at the end
(Wald 1945); for the generalised ratio they hold approximately, the better the longer the test (Li et al. 2014, van den
Bergh). Nothing but a bound stops the test; it takes longest where the truth lies between the hypotheses.

Pair scores that have not occurred are counted as `EMPTY` = 0.001 pairs, as fishtest and fastchess do, so that every
mean can be reached whatever has occurred, and figures can be compared with theirs. Without a single pair LLR is 0.

References:
    - Wald, A. (1945). Sequential tests of statistical hypotheses. Ann. Math. Statist. 16 (2), 117-186.
    - Owen, A. B. (1988). Empirical likelihood ratio confidence intervals for a single functional. Biometrika 75,
      237-249.
    - Li, X., Liu, J., & Ying, Z. (2014). Generalized sequential probability ratio test for separate families of
      hypotheses. Sequential Analysis 33 (4), 539-563.
    - Van den Bergh, M. (2017). A practical introduction to the GSPRT. www.cantate.be/Fishtest/GSPRT_approximation.pdf.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from enum import StrEnum
from typing import Literal

from experiments.matches import GameResult
from experiments.ratings import ELO, Z95
from mancala_ai import MancalaError

EMPTY = 1e-3
"""Pairs that a pair score counts as having which has not occurred."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The five pair scores, as shares of the two points."""
MOST_ELO = 2000
"""Hypotheses lie within: beyond it, the expected score is 0 or 1 but for a hundred-thousandth."""


class Verdict(StrEnum):
    """What the test says. Inconclusive is a third answer, not a weak form of the others."""

    H0 = "H0"
    H1 = "H1"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class PairCounts:
    """How many game pairs gave the first engine which score; counts add up.

    Attributes:
        ll: both games lost, 0 points.
        ld: one lost, one drawn, 1/2.
        even: both drawn, or one won and one lost, 1.
        wd: one won, one drawn, 3/2.
        ww: both won, 2.

    Raises:
        MancalaError: a count is negative.
    """

    ll: int = 0
    ld: int = 0
    even: int = 0
    wd: int = 0
    ww: int = 0

    def __post_init__(self) -> None:
        if min(astuple(self)) < 0:
            raise MancalaError(f"counts of game pairs {astuple(self)}: expected none below 0")

    @classmethod
    def parse(cls, text: str) -> PairCounts:
        """Returns the counts of a string such as ``"10,20,40,22,8"`` (LL, LD, DD+WL, WD, WW).

        Raises:
            MancalaError: it is not five whole numbers.
        """
        numbers = [number.strip() for number in text.split(",")]
        if len(numbers) != 5 or not all(re.fullmatch("[0-9]{1,15}", number) for number in numbers):
            raise MancalaError(f"counts {text!r}: expected five whole numbers LL,LD,DD+WL,WD,WW, such as 10,20,40,22,8")
        return cls(*map(int, numbers))

    @property
    def pairs(self) -> int:
        """Number of game pairs."""
        return sum(astuple(self))

    @property
    def score(self) -> float | None:
        """The first engine's share of all points, from 0 to 1; None without a pair."""
        # Quarters are counted, so that the share is exact where it can be.
        quarters = sum(i * count for i, count in enumerate(astuple(self)))
        return quarters / (4 * self.pairs) if self.pairs else None

    @property
    def inverted(self) -> PairCounts:
        """The same pairs as the opponent sees them."""
        return PairCounts(self.ww, self.wd, self.even, self.ld, self.ll)

    def __add__(self, other: PairCounts) -> PairCounts:
        return PairCounts(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))


def count_pairs(results: Iterable[GameResult], engine: str, opponent: str) -> PairCounts:
    """Returns the counts of the complete game pairs between two engines, as ``engine`` sees them.

    Args:
        results: games, in any order; those of other engines, and those whose partner is missing, do not count.
        engine: engine string of the first engine.
        opponent: engine string of the other.
    """
    pairs: defaultdict[str, list[int]] = defaultdict(list)
    for result in results:
        if result.spec.players == (engine, opponent):
            pairs[result.spec.pair_key].append(result.outcome)
        elif result.spec.players == (opponent, engine):
            pairs[result.spec.pair_key].append(-result.outcome)
    counts = [0] * 5
    for outcomes in pairs.values():
        if len(outcomes) == 2:
            counts[2 + sum(outcomes)] += 1
    return PairCounts(*counts)


@dataclass(frozen=True)
class Judgement:
    """The state of a test.

    Attributes:
        llr: log-likelihood ratio (natural logarithm) of H1 against H0.
        lower: H0 is accepted at or below it.
        upper: H1 is accepted at or above it.
        verdict: which it is.
    """

    llr: float
    lower: float
    upper: float
    verdict: Verdict


@dataclass(frozen=True)
class Sprt:
    """A test's configuration: does the first engine have an Elo of ``elo1`` against the other, rather than ``elo0``?

    Attributes:
        elo0: Elo difference under H0, logistic like that of the ratings.
        elo1: Elo difference under H1, above ``elo0``.
        alpha: probability of accepting H1 under H0.
        beta: probability of accepting H0 under H1.

    Raises:
        MancalaError: the hypotheses are not in order or out of range, or an error probability is not between 0 and 1/2.
    """

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            if not abs(getattr(self, name)) <= MOST_ELO:
                raise MancalaError(f"{name} {getattr(self, name)}: expected {-MOST_ELO} to {MOST_ELO}")
        if not expected_score(self.elo0) < expected_score(self.elo1):
            raise MancalaError(f"elo0 {self.elo0}, elo1 {self.elo1}: expected elo0 below elo1")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise MancalaError(f"{name} {getattr(self, name)}: expected more than 0 and less than 0.5")

    @property
    def lower(self) -> float:
        """H0 is accepted when LLR is at or below it."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted when LLR is at or above it."""
        return math.log((1 - self.beta) / self.alpha)

    def judge(self, counts: PairCounts) -> Judgement:
        """Returns what the pairs played so far say; takes about 0.2 ms."""
        llr = log_likelihood_ratio(counts, self.elo0, self.elo1)
        verdict = Verdict.H1 if llr >= self.upper else Verdict.H0 if llr <= self.lower else Verdict.INCONCLUSIVE
        return Judgement(llr, self.lower, self.upper, verdict)


def expected_score(elo: float) -> float:
    """Returns the expected score of a game, 0 to 1, at an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def log_likelihood_ratio(counts: PairCounts, elo0: float, elo1: float) -> float:
    """Returns the generalised log-likelihood ratio (natural logarithm) of ``elo1`` against ``elo0``; see the module."""
    if not counts.pairs:
        return 0.0
    filled = [count or EMPTY for count in astuple(counts)]
    weights0 = _log_weights(filled, expected_score(elo0))
    weights1 = _log_weights(filled, expected_score(elo1))
    return math.fsum(n * (w0 - w1) for n, w0, w1 in zip(filled, weights0, weights1, strict=True))


def _log_weights(counts: list[float], mean: float) -> list[float]:
    """Returns log(q_i / p_i), q the observed distribution and p the likeliest one that has the given mean.

    By Lagrange's method p_i = q_i / (1 + x (a_i - mean)), where x makes the mean right (Owen 1988). x lies between the
    two values where a p_i ceases to be positive. With t from 0 to 1 between them, the denominator is

        w_i = (1 - t) (1 - a_i) / (1 - mean) + t a_i / mean,

    a sum of terms that are not negative: nothing cancels, however near x is to an end, as it is after many pairs of
    which all were won. u = log(t / (1 - t)) is what is solved for.

    Args:
        counts: numbers of pairs by pair score, all above 0.
        mean: between 0 and 1.
    """
    from scipy.optimize import brentq  # takes a moment to import

    total = sum(counts)
    shares = [count / total for count in counts]
    lows = [(1 - a) / (1 - mean) for a in SHARES]
    highs = [a / mean for a in SHARES]

    def weights(u: float) -> list[float]:
        t, rest = _logistic(u), _logistic(-u)
        return [rest * low + t * high for low, high in zip(lows, highs, strict=True)]

    def excess(u: float) -> float:  # falls from the largest score's share to minus the smallest one's
        scale = _logistic(u) * _logistic(-u)
        terms = zip(shares, lows, highs, weights(u), strict=True)
        return math.fsum(share * (high - low) * scale / weight for share, low, high, weight in terms)

    return [math.log(weight) for weight in weights(brentq(excess, -100, 100, xtol=1e-13))]


def _logistic(u: float) -> float:
    return 1 / (1 + math.exp(-u))


@dataclass(frozen=True)
class EloEstimate:
    """How much stronger the first engine is, by all pairs, as if their number had been fixed beforehand.

    A test that stopped at a bound stopped when the first engine did well (or badly): then the estimate exaggerates.

    Attributes:
        score: its share of the points, 0 to 1; None without a pair.
        elo: 400 log10(score / (1 - score)); None without a pair and for a perfect score.
        interval: ends of the 95 % interval of Elo; None without Elo, and if all pairs gave the same score, since
            there is nothing to tell the spread by.
        bound: for a perfect score ``(">", Elo)`` or ``("<", Elo)``: Elo if half a point more had been lost, or won.
        los: likelihood of superiority, the probability that the first engine is the stronger one.
    """

    score: float | None
    elo: float | None
    interval: tuple[float, float] | None
    bound: tuple[Literal[">", "<"], float] | None
    los: float


def estimate_elo(counts: PairCounts) -> EloEstimate:
    """Returns the Elo difference that the pairs show: that of `experiments.ratings.rate` for two engines.

    The interval is Elo +- 1.96 standard errors, the score's standard error taken from the spread of the pair scores.
    LOS is Phi(z), z the score's distance from 1/2 in standard errors taken from the spread *around 1/2*, by which a
    perfect score of few pairs is not mistaken for certainty; 1/2 if all pairs were even, or none was played.
    """
    score, pairs = counts.score, counts.pairs
    if score is None:
        return EloEstimate(None, None, None, None, 0.5)
    numbers = list(zip(astuple(counts), SHARES, strict=True))
    around_half = sum(n * (a - 0.5) ** 2 for n, a in numbers)
    los = _normal(pairs * (score - 0.5) / math.sqrt(around_half)) if around_half else 0.5
    if score in (0, 1):
        elo = 400 * math.log10(4 * pairs - 1)  # (1 - s) / s with s = (1/2) / (2 pairs)
        return EloEstimate(score, None, None, (">", elo) if score == 1 else ("<", -elo), los)
    elo = 400 * math.log10(score / (1 - score))
    interval = None
    if max(astuple(counts)) < pairs:
        variance = sum(n * (a - score) ** 2 for n, a in numbers) / (pairs - 1) / pairs
        half_width = Z95 * ELO * math.sqrt(variance) / (score * (1 - score))
        interval = elo - half_width, elo + half_width
    return EloEstimate(score, elo, interval, None, los)


def _normal(z: float) -> float:
    return 0.5 * math.erfc(-z / math.sqrt(2))
