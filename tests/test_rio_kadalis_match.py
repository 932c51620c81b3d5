"""The Rio Kadalis match over rounds: one test for every sentence of the rules, worked by hand.

Holdings are set up by rounds that are claimed, not played: `holding` makes a match of one round, with that result.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

import mancala_ai
from mancala_ai import GameStringError, MancalaError, RecordError, State
from mancala_ai.games.rio_kadalis_match import MAX_ROUNDS, Match, Round

SIX = "rio_kadalis"
FIVE = "rio_kadalis(holes=5)"
FIVE_DRAW = "rio_kadalis(holes=5,infinite=draw)"
START = "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"


def new(game: str) -> Match:
    """Return a match before its first round."""
    return Match.start(mancala_ai.load_game(game))


def holding(game: str, south: int, north: int) -> Match:
    """Return a match after a first round that has left these holdings."""
    match = new(game)
    return Match(match.game, (Round(0, str(match.round_state()), (south, north)),))


def play(state: State, moves: str) -> State:
    """Return the state after moves of one letter each."""
    for move in moves:
        state = state.play(move)
    return state


# Rounds and pits.


@pytest.mark.parametrize(
    ("game", "holdings", "start"),
    [(SIX, (24, 24), START), (FIVE, (20, 20), "4,4,4,4,4/4,4,4,4,4 S 0-0")],
)
def test_both_begin_with_four_seeds_for_each_pit(game: str, holdings: tuple[int, int], start: str) -> None:
    """The first round is the game's start position, and South begins it."""
    match = new(game)
    assert (match.holdings, match.reserves, match.rounds) == (holdings, (0, 0), ())
    assert (match.is_over, match.outcome, match.starter) == (False, None, 0)
    assert str(match.round_state()) == start == str(match.game.initial_state())


@pytest.mark.parametrize(
    ("south", "north", "start", "reserves"),
    [
        # South is drawn below, a leftmost; North above, a rightmost: the closed pits are the first letters of each.
        (16, 32, "4,4,4,4,4,4/x,x,4,4,4,4 N 0-0", (0, 8)),
        (32, 16, "4,4,4,4,x,x/4,4,4,4,4,4 N 0-0", (8, 0)),
        (15, 33, "4,4,4,4,4,4/x,x,x,4,4,4 N 0-0", (3, 9)),
        (44, 4, "4,x,x,x,x,x/4,4,4,4,4,4 N 0-0", (20, 0)),
        (23, 25, "4,4,4,4,4,4/x,4,4,4,4,4 N 0-0", (3, 1)),
        (7, 41, "4,4,4,4,4,4/x,x,x,x,x,4 N 0-0", (3, 17)),
    ],
)
def test_pits_are_filled_with_fours_from_the_own_rightmost(
    south: int, north: int, start: str, reserves: tuple[int, int]
) -> None:
    """Pits that cannot be filled are closed; other seeds stay in reserve, also those beyond the last pit."""
    match = holding(SIX, south, north)
    assert str(match.round_state()) == start
    assert match.reserves == reserves
    assert match.holdings == (south, north)
    assert not match.is_over


def test_reserves_still_count_and_open_closed_pits_again() -> None:
    """South holds 15, of which 12 are played with; a round that brings 13 makes 16 with the reserve: a fourth pit."""
    match = holding(SIX, 15, 33)
    match = Match(match.game, (*match.rounds, Round(1, str(match.round_state()), (13, 23))))
    assert match.holdings == (16, 32)  # 3 + 13 and 9 + 23
    assert str(match.round_state()) == "4,4,4,4,4,4/x,x,4,4,4,4 S 0-0"
    assert match.reserves == (0, 8)


def test_players_alternate_in_starting_rounds_south_first() -> None:
    """Who won the last round does not matter."""
    match, starters = new(SIX), []
    for final in [(28, 20), (24, 24), (20, 28), (25, 23)]:
        state = match.round_state()
        assert state.to_move == match.starter
        starters.append(match.starter)
        match = Match(match.game, (*match.rounds, Round(match.starter, str(state), final)))
    assert starters == [0, 1, 0, 1]


def test_a_round_played_out_by_hand() -> None:
    """One pit each, South's e and North's e: the ring has two pits, and every second seed falls into the own one.

    North sows four: South 5, North 1, South 6, and the last makes North 2: a relay of two, South 7, and the last falls
    into North's pit just emptied. South sows seven: North 2, South 1, North 3, South 2, North 4 (captured by North),
    South 3, and the last into North's emptied pit. North sows that one: South has four, binikh for North. No seed is
    left to South, who is to move.
    """
    match = holding(FIVE_DRAW, 6, 5)
    state = match.round_state()
    assert str(state) == "4,x,x,x,x/x,x,x,x,4 N 0-0"
    assert match.reserves == (2, 1)
    state = state.play("e")
    assert str(state) == "1,x,x,x,x/x,x,x,x,7 S 0-0"
    state = state.play("e")
    assert str(state) == "1,x,x,x,x/x,x,x,x,3 N 0-4"
    state = state.play("e")
    assert (str(state), state.termination, state.final) == ("0,x,x,x,x/x,x,x,x,0 S 0-8", "normal", (0, 8))
    after = match.finish_round(state)
    assert after.rounds == (*match.rounds, Round(1, "4,x,x,x,x/x,x,x,x,4 N 0-0", (0, 8)))
    assert after.holdings == (2, 9)
    assert (after.is_over, after.outcome) == (True, -1)
    assert match.holdings == (6, 5)  # as it was


# The end of a match.


@pytest.mark.parametrize(
    ("south", "north", "outcome"),
    [(44, 4, None), (45, 3, 1), (48, 0, 1), (3, 45, -1), (4, 44, None), (24, 24, None)],
)
def test_a_match_is_won_when_the_opponent_holds_fewer_than_four(south: int, north: int, outcome: int | None) -> None:
    """Four seeds still open a pit."""
    match = holding(SIX, south, north)
    assert match.outcome == outcome
    assert match.is_over == (outcome is not None)


@pytest.mark.parametrize(("last", "outcome"), [((24, 24), 0), ((25, 23), 1), ((20, 28), -1)])
def test_a_match_of_100_rounds_is_decided_by_holdings(last: tuple[int, int], outcome: int) -> None:
    """Equal holdings are a draw; after 99 rounds the match goes on."""
    match = new(SIX)
    while len(match.rounds) < MAX_ROUNDS - 1:
        match = Match(match.game, (*match.rounds, Round(match.starter, str(match.round_state()), (24, 24))))
    assert (len(match.rounds), match.is_over, match.outcome, match.starter) == (99, False, None, 1)
    assert str(match.round_state()) == START.replace("S", "N")
    match = Match(match.game, (*match.rounds, Round(1, str(match.round_state()), last)))
    assert (match.is_over, match.outcome, match.holdings) == (True, outcome, last)
    with pytest.raises(MancalaError, match="round 101: the match is over: expected no further round"):
        match.round_state()


# Infinite play. From two pits each, the moves e e d d d repeat the position after the third of them: North's e sows all
# round; South's e relays through the whole ring and brings North three mid-lap fours; then four single steps.


@pytest.mark.parametrize(
    ("infinite", "final", "holdings"),
    [
        ("draw", (0, 12), (1, 14)),  # "awards nothing": four seeds leave the match
        ("split", (2, 14), (3, 16)),  # two each
        ("own_side", (2, 14), (3, 16)),  # two seeds lie in either row
    ],
)
def test_final_scores_of_a_round_without_end_are_carried_over(
    infinite: str, final: tuple[int, int], holdings: tuple[int, int]
) -> None:
    """Holdings are the reserve (here 1 and 2) plus what the option says."""
    match = holding(f"rio_kadalis(holes=5,infinite={infinite})", 9, 10)
    state = play(match.round_state(), "eeddd")
    assert state.positions[3] == state.positions[5] == "2,0,x,x,x/x,x,x,1,1 S 0-12"
    assert (state.termination, state.final) == ("infinite", final)
    match = match.finish_round(state)
    assert match.holdings == holdings
    assert match.outcome == -1


def test_both_below_four_is_a_draw() -> None:
    """Possible only where seeds leave the match: each has won against the other."""
    match = holding(FIVE_DRAW, 3, 2)
    assert (match.is_over, match.outcome) == (True, 0)


def test_repetition_is_counted_afresh_in_every_round() -> None:
    """Two rounds may begin with, and pass through, the same positions."""
    match = Match(new(FIVE_DRAW).game, (*holding(FIVE_DRAW, 8, 8).rounds, Round(1, "-", (8, 8)), Round(0, "-", (8, 8))))
    first = holding(FIVE_DRAW, 8, 8).round_state()
    second = match.round_state()
    assert str(first) == str(second)
    assert (second.moves, second.positions) == ([], [str(first)])
    assert play(second, "eedd").termination is None
    assert play(second, "eeddd").termination == "infinite"


@pytest.mark.parametrize("infinite", ["draw", "split", "own_side"])
@pytest.mark.parametrize("holes", [6, 5])
def test_random_matches(holes: int, infinite: str) -> None:
    """Whole matches: seeds are conserved, every round can be begun, records come back."""
    rng = random.Random(f"{holes} {infinite}")
    game = mancala_ai.load_game(f"rio_kadalis(holes={holes},infinite={infinite})")
    endless = 0
    for _ in range(4):
        match = Match.start(game)
        while not match.is_over:
            state, lost = match.round_state(), 0
            assert state.to_move == len(match.rounds) % 2
            while not state.is_over:
                state = state.play(rng.choice(state.legal_moves()))
            if state.termination == "infinite" and infinite == "draw":
                lost = state.game.rules.unpack(state.position).seeds_on_board
            endless += state.termination == "infinite"
            before, match = match, match.finish_round(state)
            assert sum(match.holdings) == sum(before.holdings) - lost
            assert all(type(seeds) is int and seeds >= 0 for seeds in match.holdings + match.reserves)
            assert match.rounds[:-1] == before.rounds
        assert len(match.rounds) <= MAX_ROUNDS
        assert match.outcome in (1, 0, -1)
        assert Match.from_json(match.to_json()) == match
    assert endless > 0


# What is refused.


def test_a_match_never_changes() -> None:
    """Matches and rounds are values: equal when their contents are, and frozen."""
    assert holding(SIX, 20, 28) == holding("rio_kadalis(holes=6)", 20, 28)
    assert holding(SIX, 20, 28) != holding(SIX, 28, 20)
    assert hash(holding(SIX, 20, 28)) == hash(holding(SIX, 20, 28))
    with pytest.raises(dataclasses.FrozenInstanceError):
        new(SIX).rounds = ()  # type: ignore[misc]


def test_only_rio_kadalis_has_matches() -> None:
    """Another game is refused."""
    with pytest.raises(GameStringError, match=r"match of 'kpe\(.*\)': expected rio_kadalis"):
        new("kpe")


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (lambda match: match.round_state(), r"round 2: goes on in '4,4,x,x,x/x,x,x,4,4 N 0-0': expected the end"),
        (lambda match: new(FIVE).round_state(), r"round 2: game 'rio_kadalis\(holes=5\)': expected 'rio_kadalis\("),
        (lambda match: match.game.initial_state(), r"round 2: began in '4,4,4,4,4/4,4,4,4,4 S 0-0': expected '4,4,x"),
        (lambda match: match.game.state("2,0,x,x,x/x,x,x,1,1 S 0-12"), "round 2: began in '2,0,x.*': expected '4,4,x"),
    ],
)
def test_only_the_end_of_the_round_to_be_played_is_taken(state: Callable[[Match], State], message: str) -> None:
    """An unfinished round, another game, another start."""
    match = holding(FIVE_DRAW, 9, 10)
    with pytest.raises(MancalaError, match=message):
        match.finish_round(state(match))


# Records.


def three_rounds() -> Match:
    """Return a match with three rounds played at random."""
    match, rng = new(SIX), random.Random(3)
    while len(match.rounds) < 3:
        state = match.round_state()
        while not state.is_over:
            state = state.play(rng.choice(state.legal_moves()))
        match = match.finish_round(state)
    return match


def test_a_record_is_one_line_of_json() -> None:
    """Rounds, starters and holdings, as the rules demand."""
    text = holding(SIX, 15, 33).to_json()
    assert "\n" not in text
    assert json.loads(text) == {
        "game": "rio_kadalis(holes=6)",
        "rounds": [{"starter": "S", "start": START, "final": [15, 33], "holdings": [15, 33]}],
        "outcome": None,
    }
    assert Match.from_json(text) == holding(SIX, 15, 33)
    assert Match.from_json(new(FIVE).to_json()) == new(FIVE)
    assert Match.from_json(three_rounds().to_json()) == three_rounds()


def changed(path: tuple[Any, ...], value: Any) -> str:
    """Return the record of `three_rounds` with one entry replaced."""
    record = json.loads(three_rounds().to_json())
    inner = record
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(record)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "match record '': expected a line of JSON"),
        ('{"game": ', "match record .*: expected a line of JSON"),
        ("[" * 100_000, "match record .*: expected a line of JSON"),
        ("[]", r"match record '\[\]': expected an object with game, rounds and outcome"),
        ("{}", r"match record '\{\}': expected an object with game, rounds and outcome"),
        (changed(("game",), 6), "match record .*: expected a game string and a list of rounds"),
        (changed(("rounds",), "none"), "match record .*: expected a game string and a list of rounds"),
        (changed(("game",), "rio_kadali"), "match record: game 'rio_kadali': did you mean 'rio_kadalis'"),
        (changed(("game",), "kpe"), "match record: match of 'kpe.*': expected rio_kadalis"),
        (changed(("rounds", 1), 7), "round 2: 7: expected an object with starter, start, final and holdings"),
        (changed(("rounds", 1, "starter"), "S"), "round 2: starter 'S': expected N"),
        (changed(("rounds", 0, "start"), START[:-1]), f"round 1: start '{START[:-1]}': expected '{START}'"),
        (changed(("rounds", 0, "final"), [24]), r"round 1: final \[24\]: expected South's and North's seeds"),
        (changed(("rounds", 0, "final"), [24.5, 23.5]), "round 1: final .*: expected .* two whole numbers"),
        (changed(("rounds", 0, "final"), [-4, 52]), "round 1: final .*: expected .* two whole numbers"),
        (changed(("rounds", 0, "final"), [24, 20]), r"round 1: final \[24, 20\]: expected 48 seeds in all"),
        (changed(("rounds", 0, "final"), None), "round 1: final None: expected South's"),
        (changed(("rounds", 2, "holdings"), [0, 0]), r"round 3: holdings \[0, 0\]: expected \["),
        (changed(("outcome",), 1), "match record: outcome 1: expected None"),
    ],
)
def test_a_wrong_record_says_where(text: str, message: str) -> None:
    """Malformed records, and records that contradict themselves."""
    with pytest.raises(RecordError, match=message) as caught:
        Match.from_json(text)
    assert "\n" not in str(caught.value)


def test_a_record_may_lose_seeds_only_where_nothing_is_awarded() -> None:
    """Under `infinite=draw` a round may bring less than was put out, never more."""
    lossy = holding(FIVE_DRAW, 12, 20)
    assert Match.from_json(lossy.to_json()) == lossy
    with pytest.raises(RecordError, match=r"round 1: final .*: expected at most 40 seeds in all"):
        Match.from_json(holding(FIVE_DRAW, 24, 20).to_json())
    with pytest.raises(RecordError, match=r"round 1: final .*: expected 40 seeds in all"):
        Match.from_json(holding(FIVE, 12, 20).to_json())


def test_a_record_has_no_round_after_the_end() -> None:
    """The match was won before."""
    record = json.loads(holding(SIX, 45, 3).to_json())
    record["rounds"].append(record["rounds"][0])
    with pytest.raises(RecordError, match="round 2: the match is over: expected no further round"):
        Match.from_json(json.dumps(record))
