"""What a game is like, by the games that engines played of it: the first player's advantage, draws, length, choice.

These are facts about a ruleset as *these engines* play it from *these openings*.

Counted are the games that the rules ended (terminations ``normal`` and ``infinite``); one that an engine lost by a
fault was cut short and says nothing of the game. Plies and legal moves are counted from the opening position on,
without the game's own opening phase where engines played one, such as a redistribution of seeds before the first
sowing. Every ply is a decision, even if only one move was legal.

The two games of a game pair are not independent: they begin alike, and the stronger engine plays South in only one of
them. So standard errors are clustered by game pair. For a ratio of sums r = sum y / sum n (points by games, plies by
games, legal moves by plies) over G pairs, with e_g = y_g - r n_g, the variance of r is

    G / (G - 1) * sum e_g^2 / (sum n)^2                             (linearisation; Cochran 1977, chapter 6)

and the 95 % interval of a mean r +- 1.96 standard errors. That of a rate or score r is Wilson's (1927), which stays
between 0 and 1, with r (1 - r) / variance in the place of the number of games, the effective sample size (Franco et al.
2019); where all pairs are alike, and there is no variance to be had, with the number of pairs. Where pairs are what is
counted, they are independent, and Wilson's interval is the usual one.

References:
    - Cochran, W. G. (1977). Sampling Techniques, 3rd ed. Wiley.
    - Franco, C., Little, R. J. A., Louis, T. A., & Slud, E. V. (2019). Comparative study of confidence intervals for
      proportions in complex sample surveys. J. Survey Statistics and Methodology 7 (3), 334-364.
    - Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. J. Amer. Statist.
      Assoc. 22, 209-212.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.matches import GameResult, Termination
from experiments.ratings import Z95
from mancala_ai import GameRecord, MancalaError, RecordError, load_game

Floats = npt.NDArray[np.float64]
_game = functools.cache(load_game)


@dataclass(frozen=True)
class Estimate:
    """A number estimated from games.

    Attributes:
        value: the estimate.
        interval: ends of its 95 % interval; None for a mean that comes from a single game pair, or from game pairs that
            are all alike.
    """

    value: float
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class GameFacts:
    """What a ruleset is like; see the module for what is counted.

    Attributes:
        game: game string.
        games: number of games counted.
        pairs: number of game pairs that they come from, incomplete ones included.
        left_out: games that ended otherwise than by the rules.
        south_score: expected score of the first player, 0 to 1; a first-player advantage is what it has above 1/2.
        draws: share of drawn games.
        infinite: share of games that ended by infinite play, however these were scored.
        decisive_pairs: share of complete game pairs that tell the two engines apart, one of them taking more than half
            the points; in the others each engine drew both games, or the side to win was settled by the opening. None
            without a complete pair.
        plies: mean length of a game.
        plies_quartiles: first quartile, median and third quartile of the length.
        branching: mean number of legal moves in a decision (branching factor); None if no decision was made.
    """

    game: str
    games: int
    pairs: int
    left_out: int
    south_score: Estimate
    draws: Estimate
    infinite: Estimate
    decisive_pairs: Estimate | None
    plies: Estimate
    plies_quartiles: tuple[float, float, float]
    branching: Estimate | None


def game_facts(results: Sequence[GameResult]) -> GameFacts | None:
    """Returns the facts about a game, or None if the rules ended none of its games.

    Every game is played again, which takes about 7 microseconds a ply.

    Args:
        results: games of one ruleset.

    Raises:
        MancalaError: the games are of different rulesets.
        RecordError: a record does not replay.
    """
    games = list(dict.fromkeys(result.spec.game for result in results))
    if len(games) > 1:
        raise MancalaError(f"facts about a game: got results of {games[0]} and {games[1]}: expected one game")
    counted = [result for result in results if result.termination in (Termination.NORMAL, Termination.INFINITE)]
    if not counted:
        return None
    numbers: dict[str, int] = {}
    pair = np.array([numbers.setdefault(result.spec.pair_key, len(numbers)) for result in counted])
    replayed = np.array([count_moves(result.record) for result in counted], dtype=np.float64)
    plies, legal_moves = replayed.T
    ones = np.ones(len(counted))
    outcomes = np.array([result.outcome for result in counted])
    infinite = np.array([result.termination == Termination.INFINITE for result in counted], dtype=np.float64)
    first, median, third = np.percentile(plies, [25, 50, 75]).tolist()
    return GameFacts(
        game=games[0],
        games=len(counted),
        pairs=len(numbers),
        left_out=len(results) - len(counted),
        south_score=_rate((1 + outcomes) / 2, pair),
        draws=_rate((outcomes == 0).astype(np.float64), pair),
        infinite=_rate(infinite, pair),
        decisive_pairs=_decisive_pairs(counted),
        plies=_mean(plies, ones, pair),
        plies_quartiles=(first, median, third),
        branching=_mean(legal_moves, plies, pair) if plies.any() else None,
    )


def count_moves(record: GameRecord) -> tuple[int, int]:
    """Plays a game again, and returns the number of plies, and of moves that were legal in all of them together.

    The game's own opening phase does not count; see the module.

    Raises:
        RecordError: the game string, the start or a move is refused.
    """
    try:
        game = _game(record.game)
        state = game.state(record.start)
    except MancalaError as error:
        raise RecordError(f"game record: {error}") from None
    plies = legal_moves = 0
    opening = True
    for move in record.moves:
        number, legal = game.rules.move_number(move), state.legal_move_numbers()
        if number not in legal:
            raise RecordError(f"game record: move {move!r} in {str(state)!r}: expected a legal move")
        opening = opening and game.rules.opening_weights(state.position, legal) is not None
        if not opening:
            plies += 1
            legal_moves += len(legal)
        state = state.play_number(number)
    return plies, legal_moves


def _decisive_pairs(results: Sequence[GameResult]) -> Estimate | None:
    games: Counter[str] = Counter()
    balance: Counter[str] = Counter()  # wins minus losses of the engine whose name comes first
    for result in results:
        games[result.spec.pair_key] += 1
        balance[result.spec.pair_key] += result.outcome if result.spec.south < result.spec.north else -result.outcome
    decided = [balance[key] != 0 for key, played in games.items() if played == 2]
    return _wilson(sum(decided) / len(decided), len(decided)) if decided else None


def _ratio(sums: Floats, counts: Floats, clusters: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Returns the ratio of sums to counts and its variance, clustered; 0 if there is none to be had.

    Args:
        sums: by game.
        counts: by game.
        clusters: number of each game's cluster, all from 0 on.
    """
    value = float(sums.sum() / counts.sum())
    errors = np.bincount(clusters, sums - value * counts)
    if len(errors) < 2 or np.abs(errors).max() < 1e-9 * max(1, abs(value)):  # but for rounding, all alike
        return value, 0.0
    return value, len(errors) / (len(errors) - 1) * float(errors @ errors) / float(counts.sum()) ** 2


def _mean(sums: Floats, counts: Floats, clusters: npt.NDArray[np.int64]) -> Estimate:
    value, variance = _ratio(sums, counts, clusters)
    half_width = Z95 * math.sqrt(variance)
    return Estimate(value, (value - half_width, value + half_width) if half_width else None)


def _rate(values: Floats, clusters: npt.NDArray[np.int64]) -> Estimate:
    """Returns the mean of values between 0 and 1, with Wilson's interval for the effective sample size."""
    value, variance = _ratio(values, np.ones(len(values)), clusters)
    return _wilson(value, value * (1 - value) / variance if variance else len(np.unique(clusters)))


def _wilson(value: float, sample_size: float) -> Estimate:
    from statsmodels.stats.proportion import proportion_confint  # takes a second to import

    low, high = proportion_confint(value * sample_size, sample_size, alpha=0.05, method="wilson")
    return Estimate(value, (max(0.0, float(low)), min(1.0, float(high))))  # by rounding, an end can leave the range
