"""Facts about games, by hand and by another way."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy.stats import binomtest

from experiments.facts import count_moves, game_facts
from experiments.matches import GameResult, GameSpec, Termination
from mancala_ai import GameRecord, MancalaError, RecordError, load_game
from tests.test_ratings import games


def random_results(game: str, pairs: int, rng_seed: int = 1) -> list[GameResult]:
    """Return games played at random, in pairs."""
    rng = random.Random(rng_seed)
    results = []
    for pair in range(pairs):
        for players in (("a", "b"), ("b", "a")):
            state = load_game(game).initial_state()
            while not state.is_over:
                state = state.play(rng.choice(state.legal_moves()))
            assert state.outcome is not None
            record = GameRecord.from_state(state, players)
            spec = GameSpec(game, pair, *players, record.start)
            results.append(GameResult(spec, state.outcome, Termination(str(state.termination)), record))
    return results


def with_moves(results: Sequence[GameResult], played: Sequence[Sequence[str]]) -> list[GameResult]:
    """Return games with records of other moves, from the start position."""
    start = str(load_game("kpe").initial_state())
    return [
        replace(result, record=replace(result.record, start=start, moves=tuple(moves)))
        for result, moves in zip(results, played, strict=True)
    ]


def line(length: int) -> list[str]:
    """Return the first moves of a game in which the first legal move is always played."""
    state = load_game("kpe").initial_state()
    for _ in range(length):
        state = state.play(state.legal_moves()[0])
    return state.moves


def test_rates_by_hand() -> None:
    # Outcomes are South's. Four pairs: South's points 2, 1, 1/2, 1; so 4.5 of 8.
    results = with_moves(
        games("a", "b", "+", 0) + games("b", "a", "+", 0)  # each engine won as South: settled by the opening
        + games("a", "b", "+", 1) + games("b", "a", "-", 1)  # a won both
        + games("a", "b", "=", 2) + games("b", "a", "-", 2)  # a had 3/2
        + games("a", "b", "=", 3) + games("b", "a", "=", 3),
        [line(2)] * 8,
    )  # fmt: skip
    results[7] = replace(results[7], termination=Termination.INFINITE)
    facts = game_facts(results)
    assert facts is not None
    assert (facts.game, facts.games, facts.pairs, facts.left_out) == ("kpe", 8, 4, 0)
    assert facts.south_score.value == 4.5 / 8
    assert facts.draws.value == 3 / 8
    assert facts.infinite.value == 1 / 8
    assert facts.decisive_pairs is not None
    assert facts.decisive_pairs.value == 2 / 4
    wilson = binomtest(2, 4).proportion_ci(method="wilson")
    assert facts.decisive_pairs.interval == pytest.approx(tuple(wilson))


def test_intervals_of_rates_are_wilson_s_with_the_effective_number_of_games() -> None:
    # Draws in pairs: 2, 0, 0, 0 of 2. Rate 1/4, errors 3/2, -1/2, -1/2, -1/2 and 4/3 * 3 / 64 = 1/16 of variance, which
    # is that of 3 independent games.
    results = with_moves(games("a", "b", "==++++++"), [line(2)] * 8)
    facts = game_facts(results)
    assert facts is not None
    p, n, z = 0.25, 3, 1.959964
    middle, half = p + z**2 / (2 * n), z * (p * (1 - p) / n + z**2 / (4 * n**2)) ** 0.5
    ends = ((middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n))
    assert facts.draws.interval == pytest.approx(ends, abs=1e-6)


def test_rates_of_pairs_that_are_all_alike_have_the_interval_of_as_many_games() -> None:
    facts = game_facts(with_moves(games("a", "b", "+-" * 10), [line(2)] * 20))
    assert facts is not None
    assert facts.south_score.value == 0.5
    assert facts.south_score.interval == pytest.approx(tuple(binomtest(5, 10).proportion_ci(method="wilson")))
    assert facts.draws.value == 0
    assert facts.draws.interval == pytest.approx(tuple(binomtest(0, 10).proportion_ci(method="wilson")), abs=1e-12)
    everything = game_facts(with_moves(games("a", "b", "+" * 6), [line(2)] * 6))
    assert everything is not None
    assert everything.south_score.interval == pytest.approx(tuple(binomtest(3, 3).proportion_ci(method="wilson")))


def test_lengths_and_branching_by_hand() -> None:
    lengths = [4, 6, 1, 3, 5, 5]
    results = with_moves(games("a", "b", "++--+-"), [line(length) for length in lengths])
    facts = game_facts(results)
    assert facts is not None
    assert facts.plies.value == 4
    assert facts.plies_quartiles == (3.25, 4.5, 5)
    # Pairs have 10, 4 and 10 plies, 2, -4 and 2 off: 3/2 * 24 / 36 = 1.
    assert facts.plies.interval == pytest.approx((4 - 1.959964, 4 + 1.959964))

    choices = []
    state = load_game("kpe").initial_state()
    for _ in range(6):
        choices.append(len(state.legal_moves()))
        state = state.play(state.legal_moves()[0])
    assert len(set(choices)) > 1
    sums = [sum(choices[:length]) for length in lengths]
    mean = sum(sums) / 24
    assert facts.branching is not None
    assert facts.branching.value == pytest.approx(mean)
    errors = [sums[i] + sums[i + 1] - mean * (lengths[i] + lengths[i + 1]) for i in (0, 2, 4)]
    half_width = 1.959964 * (3 / 2 * sum(error**2 for error in errors)) ** 0.5 / 24
    assert facts.branching.interval == pytest.approx((mean - half_width, mean + half_width))


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    # Pairs of games of which the second repeats the first: what treats them as independent covers about 83 %.
    rng = random.Random(5)
    covered = 0
    for _ in range(300):
        outcomes = "".join(rng.choices("+=-", (5, 2, 3))[0] * 2 for _ in range(60))
        facts = game_facts([replace(game, record=NO_MOVES) for game in games("a", "b", outcomes)])
        assert facts is not None
        assert facts.south_score.interval is not None
        covered += facts.south_score.interval[0] <= 0.6 <= facts.south_score.interval[1]
    assert 0.92 < covered / 300 < 0.98


NO_MOVES = GameRecord("kpe", str(load_game("kpe").initial_state()), (), ("a", "b"))


@pytest.mark.parametrize(
    "game", ["giuthi(holes=5,seeds=4)", "kiothi", "kpe(holes=3)", "kisolo(holes=6)", "rio_kadalis"]
)
def test_facts_of_random_games(game: str) -> None:
    results = random_results(game, 6)
    facts = game_facts(results)
    assert facts is not None
    assert facts.games == 12
    assert facts.south_score.value == np.mean([result.points[0] for result in results])
    assert facts.infinite.value == np.mean([result.record.termination == "infinite" for result in results])
    # Legal moves, counted where the verified replay passed, but for the game's own opening phase.
    choices = []
    for result in results:
        state = result.record.replay().parent
        while state is not None:
            choices.append(0 if "open:" in str(state) else len(state.legal_moves()))
            state = state.parent
    counted = [choice for choice in choices if choice]
    assert facts.plies.value == pytest.approx(len(counted) / 12)
    assert facts.branching is not None
    assert facts.branching.value == pytest.approx(np.mean(counted))
    assert (len(counted) < len(choices)) == (game == "kiothi")
    assert json.loads(json.dumps(asdict(facts)))["draws"]["value"] == facts.draws.value


def test_games_lost_by_a_fault_are_left_out() -> None:
    played = with_moves(games("a", "b", "++--"), [line(3)] * 4)
    faults = [
        replace(game, termination=Termination.ENGINE_ERROR) for game in with_moves(games("a", "b", "--"), [[]] * 2)
    ]
    facts = game_facts(played + faults)
    assert facts is not None
    assert (facts.games, facts.left_out) == (4, 2)
    assert facts == replace(game_facts(played), left_out=2)  # type: ignore[type-var]
    assert game_facts(faults) is None
    assert game_facts([]) is None


def test_one_pair_gives_no_interval_of_a_mean() -> None:
    facts = game_facts(with_moves(games("a", "b", "+-"), [line(3), line(5)]))
    assert facts is not None
    assert (facts.plies.value, facts.plies.interval) == (4, None)


def test_games_without_a_partner_and_without_a_move() -> None:
    facts = game_facts([replace(game, record=NO_MOVES) for game in games("a", "b", "+-", per_pair=1)])
    assert facts is not None
    assert (facts.pairs, facts.decisive_pairs, facts.branching) == (2, None, None)


def test_games_of_two_rulesets_are_refused() -> None:
    one, other = games("a", "b", "+-")
    with pytest.raises(MancalaError, match=r"got results of kpe and kisolo: expected one game"):
        game_facts([one, replace(other, spec=replace(other.spec, game="kisolo"))])


def test_records_that_do_not_replay_are_refused() -> None:
    with pytest.raises(RecordError, match="move 'z' in '6,6,6,6/6,6,6,6 S 0-0 -/-': expected a legal move"):
        count_moves(replace(NO_MOVES, moves=("z",)))
    with pytest.raises(RecordError, match=r"^game record: position"):
        count_moves(replace(NO_MOVES, start="nonsense"))
