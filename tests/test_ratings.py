"""Ratings against values computed in another way, and where there is no finite value."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist

import pytest

from experiments.matches import GameResult, GameSpec, Termination
from experiments.ratings import ELO, Score, crosstable, rate
from mancala_ai import GameRecord


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def games(south: str, north: str, outcomes: str, first_pair: int = 0, per_pair: int = 2) -> list[GameResult]:
    """Return games with the given outcomes, ``+`` for South, ``per_pair`` consecutive ones in a game pair."""
    results = []
    for number, outcome in enumerate(outcomes):
        spec = GameSpec("kpe", first_pair + number // per_pair, south, north, "")
        record = GameRecord("kpe", "", (), (south, north))
        results.append(GameResult(spec, {"+": 1, "-": -1, "=": 0}[outcome], Termination.NORMAL, record))
    return results


def test_scores_add_up_and_turn_round() -> None:
    assert Score(3, 1, 2) + Score(0, 1, 0) == Score(3, 2, 2)
    assert Score(3, 2, 1).inverted == Score(1, 2, 3)
    assert (Score(3, 1, 2).points, Score(3, 1, 2).games) == (3.5, 6)


def test_a_crosstable_counts_both_sides_of_every_pairing() -> None:
    table = crosstable(games("a", "b", "++=") + games("b", "a", "+"), ["a", "b", "c"])
    assert table["a", "b"] == Score(2, 1, 1)
    assert table["b", "a"] == Score(1, 1, 2)
    assert table["a", "c"] == Score()


@pytest.mark.parametrize("outcomes", ["++-+", "+=-=", "+++=", "--+=--"])
def test_two_engines_have_the_rating_of_the_closed_form(outcomes: str) -> None:
    ratings = {rating.engine: rating for rating in rate(games("b", "a", outcomes), ["a", "b"])}
    share = sum({"+": 1, "=": 0.5, "-": 0}[outcome] for outcome in outcomes) / len(outcomes)
    assert ratings["a"].elo == 0
    assert ratings["a"].interval is None
    assert ratings["b"].elo == pytest.approx(400 * math.log10(share / (1 - share)), abs=1e-6)


def test_several_engines_have_the_ratings_of_maximum_likelihood() -> None:
    rng = random.Random(1)
    engines = ["a", "b", "c", "d"]
    results = []
    for i, one in enumerate(engines):
        for other in engines[i + 1 :]:
            results += games(one, other, "".join(rng.choices("+=-", (2, 1, 3), k=30)))
    # Zermelo's iteration (1929), which needs no derivatives.
    table = crosstable(results, engines)
    strength = dict.fromkeys(engines, 1.0)
    for _ in range(2000):
        for one in engines:
            met = [(table[one, other].games, strength[other]) for other in engines if other != one]
            points = sum(table[one, other].points for other in engines if other != one)
            strength[one] = points / sum(n / (strength[one] + theirs) for n, theirs in met)
    ratings = rate(results, engines)
    values = [rating.elo for rating in ratings if rating.elo is not None]
    assert values == sorted(values, reverse=True)
    for rating in ratings:
        assert rating.elo == pytest.approx(400 * math.log10(strength[rating.engine] / strength["a"]), abs=1e-4)


def test_intervals_are_clustered_by_game_pair() -> None:
    outcomes = "++-++-+=--++=+-+"
    (rating,) = (rating for rating in rate(games("b", "a", outcomes), ["a", "b"]) if rating.engine == "b")
    points = [{"+": 1, "=": 0.5, "-": 0}[outcome] for outcome in outcomes]
    n, pairs = len(points), len(points) // 2
    p = sum(points) / n
    meat = sum((points[i] + points[i + 1] - 2 * p) ** 2 for i in range(0, n, 2)) * pairs / (pairs - 1)
    half_width = 1.959964 * ELO * math.sqrt(meat) / (n * p * (1 - p))
    assert rating.elo is not None
    assert rating.interval == pytest.approx((rating.elo - half_width, rating.elo + half_width), abs=1e-3)


def test_games_that_repeat_their_partner_tell_less_and_those_that_balance_it_more() -> None:
    def width(outcomes: str) -> float:
        (rating,) = (rating for rating in rate(games("b", "a", outcomes), ["a", "b"]) if rating.engine == "b")
        assert rating.interval is not None
        return rating.interval[1] - rating.interval[0]

    alike, independent, balanced = "++--" * 8 + "++++", "++--+-+-" * 4 + "++++", "+-+-" * 8 + "++++"
    assert width(alike) > 1.2 * width(independent) > 1.4 * width(balanced)


def test_games_of_several_rulesets_are_pooled_and_their_pairs_kept_apart() -> None:
    def of(game: str, results: list[GameResult]) -> list[GameResult]:
        return [replace(result, spec=replace(result.spec, game=game)) for result in results]

    one, two = "++-++-+=--++", "+--=----+=-+"
    pooled = rate(of("kpe", games("b", "a", one)) + of("kisolo", games("b", "a", two)), ["a", "b"])
    # As if the pairs of the second game had other numbers, but not as if they had the same.
    assert pooled == rate(games("b", "a", one) + games("b", "a", two, first_pair=50), ["a", "b"])
    assert pooled != rate(games("b", "a", one) + games("b", "a", two), ["a", "b"])


def test_los_of_two_engines_by_hand() -> None:
    outcomes = "++-++-+=--++=+-+"
    points = [{"+": 1, "=": 0.5, "-": 0}[outcome] for outcome in outcomes]
    n, pairs, p = len(points), len(points) // 2, sum(points) / len(points)
    meat = sum((points[i] + points[i + 1] - 2 * p) ** 2 for i in range(0, n, 2)) * pairs / (pairs - 1)
    error = math.sqrt(meat) / (n * p * (1 - p))
    best, last = rate(games("b", "a", outcomes), ["a", "b"])
    assert best.los == pytest.approx(NormalDist().cdf(math.log(p / (1 - p)) / error))
    assert last.los is None


def test_los_compares_neighbours_whoever_is_the_anchor() -> None:
    rng = random.Random(7)
    engines = ["a", "b", "c", "d"]
    results = []
    for i, one in enumerate(engines):
        for other in engines[i + 1 :]:
            results += games(one, other, "".join(rng.choices("+=-", (4, 2, 3), k=30)))
    tables = [{rating.engine: rating for rating in rate(results, engines[i:] + engines[:i])} for i in range(4)]
    order = list(tables[0])
    for upper, lower in pairwise(order):
        los = tables[0][upper].los
        assert los is not None
        assert 0.5 <= los < 1
        assert [table[upper].los for table in tables] == pytest.approx([los] * 4)
        # With the lower one as the anchor, the upper one's interval tells the same.
        mine = tables[engines.index(lower)][upper]
        assert mine.elo is not None
        assert mine.interval is not None
        error = (mine.interval[1] - mine.interval[0]) / 2 / 1.959964
        assert los == pytest.approx(NormalDist().cdf(mine.elo / error), abs=1e-6)
    assert tables[0][order[-1]].los is None


def test_los_compares_engines_that_both_beat_the_anchor_outright() -> None:
    among = games("c", "b", "++-++-+=--++=+-+")
    ratings = rate(among + games("b", "a", "+" * 8) + games("c", "a", "+" * 8), ["a", "b", "c"])
    assert [(rating.engine, rating.elo) for rating in ratings] == [("c", None), ("b", None), ("a", 0)]
    assert ratings[0].los == pytest.approx(rate(among, ["b", "c"])[0].los)
    assert [rating.los for rating in ratings[1:]] == [None, None]


def test_los_needs_games_that_link_the_two_and_a_spread() -> None:
    assert [rating.los for rating in rate(games("b", "a", "+" * 20), ["a", "b"])] == [None, None]
    assert [rating.los for rating in rate(games("b", "a", "+="), ["a", "b"])] == [None, None]
    assert [rating.los for rating in rate(games("b", "a", "+-" * 8), ["a", "b"])] == [None, None]


def test_pairs_that_are_all_alike_have_no_interval() -> None:
    for outcomes in ("+=" * 30, "==" * 5, "+-" * 40):
        (rating,) = (rating for rating in rate(games("b", "a", outcomes), ["a", "b"]) if rating.engine == "b")
        assert rating.elo is not None
        assert rating.interval is None


def test_one_game_pair_has_no_interval() -> None:
    (best, _) = rate(games("b", "a", "+="), ["a", "b"])
    assert best.elo == pytest.approx(400 * math.log10(3))
    assert best.interval is None


@pytest.mark.parametrize(("outcomes", "sign", "share"), [("+" * 20, ">", 19.5 / 20), ("-" * 20, "<", 0.5 / 20)])
def test_a_perfect_score_is_a_one_sided_bound(outcomes: str, sign: str, share: float) -> None:
    ratings = {rating.engine: rating for rating in rate(games("b", "a", outcomes), ["a", "b"])}
    assert (ratings["b"].elo, ratings["b"].interval) == (None, None)
    assert ratings["b"].bound is not None
    assert ratings["b"].bound[0] == sign
    assert ratings["b"].bound[1] == pytest.approx(400 * math.log10(share / (1 - share)), abs=1e-6)
    assert ratings["a"].elo == 0


def test_engines_that_the_rest_beat_outright_do_not_disturb_the_others() -> None:
    among = games("b", "a", "++-+=+-+", per_pair=2)
    all_games = among + games("c", "a", "-" * 8) + games("c", "b", "-" * 8) + games("d", "a", "+" * 8)
    all_games += games("d", "b", "+" * 8) + games("d", "c", "+" * 8)
    ratings = rate(all_games, ["a", "b", "c", "d"])
    assert [rating.engine for rating in ratings] == ["d", "b", "a", "c"]
    alone = {rating.engine: rating for rating in rate(among, ["a", "b"])}
    assert ratings[1].elo == pytest.approx(alone["b"].elo)
    assert ratings[1].interval == pytest.approx(alone["b"].interval)
    assert ratings[0].bound is not None
    assert ratings[3].bound is not None
    assert (ratings[0].bound[0], ratings[3].bound[0]) == (">", "<")
    assert ratings[0].bound[1] > 0 > ratings[3].bound[1]


def test_engines_that_have_not_met_have_no_rating() -> None:
    ratings = rate(games("b", "a", "+-"), ["a", "b", "c"])
    assert [rating.engine for rating in ratings][-1] == "c"
    assert (ratings[-1].elo, ratings[-1].bound) == (None, None)
    assert [rating.elo for rating in rate([], ["a", "b"])] == [0, None]
