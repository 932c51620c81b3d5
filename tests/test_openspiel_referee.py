"""Oware and Kalah against OpenSpiel's C++ games, move by move: a referee that has seen none of this project's code."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import pyspiel
import pytest

import mancala_ai
from mancala_ai import State
from tests import reference

FULL_MOVES, SHORT_MOVES = 200_000, 20_000  # of each game

# Our game string, OpenSpiel's, and the share of the moves to compare.
OWARE = [
    ("oware", "oware", 1.0),
    ("oware(holes=3,seeds=2)", "oware(num_houses_per_player=3,num_seeds_per_house=2)", 0.1),
    ("oware(holes=4,seeds=8)", "oware(num_houses_per_player=4,num_seeds_per_house=8)", 0.1),
    ("oware(holes=5,seeds=1)", "oware(num_houses_per_player=5,num_seeds_per_house=1)", 0.1),
    ("oware(holes=7,seeds=3)", "oware(num_houses_per_player=7,num_seeds_per_house=3)", 0.1),
    ("oware(holes=8,seeds=8)", "oware(num_houses_per_player=8,num_seeds_per_house=8)", 0.1),
]
KALAH = [("kalah", "mancala", 1.0)]


class Seen(NamedTuple):
    """What OpenSpiel says of a state, in the ring order of the rules."""

    pits: list[int]
    captured: tuple[int, int]
    to_move: int


def oware_seen(theirs: Any) -> Seen:
    """Read ``player | South's and North's score | pits``."""
    side, captured, pits = ([int(word) for word in part.split()] for part in theirs.observation_string(0).split("|"))
    return Seen(pits, (captured[0], captured[1]), side[0])


def kalah_seen(theirs: Any) -> Seen:
    """Read the tensor: North's store, South's pits, South's store, North's pits, side to move, number of moves."""
    numbers = [int(number) for number in theirs.observation_tensor(0)]
    return Seen(numbers[1:7] + numbers[8:14], (numbers[7], numbers[0]), numbers[14])


def kalah_action(move: int, to_move: int) -> int:
    """Return OpenSpiel's number of a Kalah move: the place in the tensor."""
    return move + (8 if to_move else 1)


def seen(state: State) -> Seen:
    """Take a position string apart."""
    board, side, captured = str(state).split()
    top, bottom = ([int(pit) for pit in row.split(",")] for row in board.split("/"))
    south, north = captured.split("-")
    return Seen([*bottom, *reversed(top)], (int(south), int(north)), "SN".index(side))


def is_grand_slam(state: State, move: str) -> bool:
    """Tell whether an Oware move would capture all that the opponent has."""
    game: Any = reference.load_game(str(state.game))
    pits, row = seen(state).pits, game.own_row(1 - state.to_move)
    last = game.sow(pits, game.own_row(state.to_move)["abcdefgh".index(move)])
    return last in row and not any(pits[last + 1 : row.stop]) and all(n in (2, 3) for n in pits[row.start : last + 1])


def compare(
    ours: str,
    theirs: str,
    moves: int,
    look: Callable[[Any], Seen],
    action: Callable[[int, int], int],
) -> Counter[str]:
    """Play random games in both until so many moves are compared, and return what happened in them."""
    rng = random.Random(f"referee of {ours}")
    game, other_game = mancala_ai.load_game(ours), pyspiel.load_game(theirs)
    counts: Counter[str] = Counter()
    while counts["moves"] < moves:
        state, other = game.initial_state(), other_game.new_initial_state()
        while True:
            reached = f"{state!r}"
            assert other.is_terminal() == state.is_over, reached
            if state.is_over:
                break
            assert look(other) == seen(state), reached
            assert other.current_player() == state.to_move, reached
            numbers = state.legal_move_numbers()
            assert other.legal_actions() == [action(number, state.to_move) for number in numbers], reached
            assert state.margin is None
            number = rng.choice(numbers)
            if game.name == "oware":
                counts["grand slams"] += is_grand_slam(state, game.rules.move_name(number))
            other.apply_action(action(number, state.to_move))
            previous, state = state, state.play_number(number)
            counts["moves"] += 1
            counts["moves again"] += previous.to_move == state.to_move
        assert state.outcome is not None
        assert other.returns() == [state.outcome, -state.outcome], reached
        last = look(other)
        pits, captured, to_move = seen(state)
        assert last.to_move == to_move
        awarded = sum(pits[: len(pits) // 2]), sum(pits[len(pits) // 2 :])
        final = captured[0] + awarded[0], captured[1] + awarded[1]
        assert state.final == final, reached
        if game.name == "oware":  # OpenSpiel has emptied the board
            assert last.captured == final, reached
        else:
            assert (last.pits, last.captured) == (pits, captured), reached
        counts[f"ends, {state.termination}"] += 1
        counts["ends with more than half captured"] += 2 * max(captured) > state.total_seeds
        counts["longest game"] = max(counts["longest game"], len(state.moves))
    return counts


@pytest.fixture(scope="module")
def moves(full: bool) -> int:
    """How many random moves of each game to compare."""
    return FULL_MOVES if full else SHORT_MOVES


@pytest.fixture
def record(record_property: Callable[[str, object], None]) -> Callable[[str, Counter[str]], None]:
    """Hand counts to the summary that conftest.py prints."""

    def run(ours: str, counts: Counter[str]) -> None:
        for what, number in counts.items():
            record_property(f"compared with OpenSpiel, {ours}: {what}", number)

    return run


@pytest.mark.parametrize(("ours", "theirs", "share"), OWARE, ids=[ours for ours, _, _ in OWARE])
def test_oware(ours: str, theirs: str, share: float, moves: int, record: Callable[[str, Counter[str]], None]) -> None:
    """Legal moves, board, side to move, end, scores and returns, repetitions and grand slams included."""
    counts = compare(ours, theirs, int(share * moves), oware_seen, lambda move, _: move)
    record(ours, counts)
    assert counts["moves again"] == 0
    assert counts["ends, normal"] > 0
    if ours == "oware":
        assert counts["ends, infinite"] > 0
        assert counts["grand slams"] > 0
        assert 0 < counts["ends with more than half captured"] < counts["ends, normal"]


def test_kalah(moves: int, record: Callable[[str, Counter[str]], None]) -> None:
    """The same; no game comes near to the 1,000 moves after which OpenSpiel ends it."""
    ((ours, theirs, _),) = KALAH
    counts = compare(ours, theirs, moves, kalah_seen, kalah_action)
    record(ours, counts)
    assert counts["moves again"] > 1000
    assert counts["ends, infinite"] == 0
    assert counts["longest game"] < 100


def openspiel_perft(other: Any, depth: int) -> int:
    """Count move sequences by playing all of them in OpenSpiel."""
    if depth == 0:
        return 1
    return sum(openspiel_perft(other.child(action), depth - 1) for action in other.legal_actions())


@pytest.mark.parametrize(("ours", "theirs"), [(ours, theirs) for ours, theirs, _ in OWARE + KALAH])
def test_perft(ours: str, theirs: str) -> None:
    """The same number of move sequences from the start, to a depth at which nothing can be repeated."""
    state, other = mancala_ai.load_game(ours).initial_state(), pyspiel.load_game(theirs).new_initial_state()
    for depth in range(1, 7 if ours in ("oware", "kalah") else 5):
        assert mancala_ai.perft(state, depth) == openspiel_perft(other, depth)
