"""The compiled kernels do what the literal reference does: random games, random typed positions, properties.

Kernels and reference share no code. `pytest --full` compares 1,000,000 random moves of every game, half of them in
games from the start and half from typed positions; without the option some 20,000. Both runs are seeded.
"""

from __future__ import annotations

import copy
import pickle
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_ai
from mancala_ai import IllegalMoveError, State, kernels
from tests import reference
from tests.helpers import GAME_STRINGS, seeds_in, without_captured

EVERY_GAME = [pytest.param(name, text, id=text) for name, texts in GAME_STRINGS.items() for text in texts]
ALL_STRINGS = [text for texts in GAME_STRINGS.values() for text in texts]


def assert_same(state: State, literal: reference.State[Any], reached: str) -> None:
    """Compare all that a state says of itself; ``reached`` names it in the message."""
    kernels = (str(state), state.to_move, state.legal_moves(), state.is_over)
    expected = (str(literal), literal.to_move, literal.legal_moves(), literal.is_over)
    assert kernels == expected, reached
    result = (state.termination, state.outcome, state.margin, state.final)
    assert result == (literal.termination, literal.outcome, literal.margin, literal.final), reached


def play_both(text: str, start: str | None, rng: random.Random, most: int, counts: Counter[str]) -> None:
    """Play random moves in both implementations until the game is over, and compare every state.

    Args:
        text: the game string.
        start: a position string, or None for the start position.
        rng: chooses the moves.
        most: largest number of moves to play.
        counts: to which moves, ends and captures are added.
    """
    game, literal_game = mancala_ai.load_game(text), reference.load_game(text)
    state: State = game.initial_state() if start is None else game.state(start)
    literal: Any = literal_game.initial_state() if start is None else literal_game.state(start)
    reached = f"{text}: {literal}"
    assert_same(state, literal, reached)
    total = seeds_in(str(state))
    for _ in range(most):
        if literal.is_over:
            break
        move = rng.choice(literal.legal_moves())
        reached = f"{text}: {literal}: {move}"
        state, literal = state.play(move), literal.play(move)
        assert_same(state, literal, reached)
        if not state.game.rules.scored and state.termination == "normal":
            assert seeds_in(str(state)) < total, reached  # the seeds of a winning capture are in no pit
        else:
            assert seeds_in(str(state)) == total, reached
        counts["moves"] += 1
    counts[f"ends, {literal.termination}" if literal.is_over else "not played to the end"] += 1
    counts["endless sowings"] += literal.endless


def record(record_property: Callable[[str, object], None], name: str, how: str, counts: Counter[str]) -> None:
    """Hand the counts to the summary that conftest.py prints."""
    for what, number in counts.items():
        record_property(f"compared {name}, {how}: {what}", number)


@pytest.mark.parametrize(("name", "text"), EVERY_GAME)
def test_random_games(
    name: str, text: str, moves_per_game: int, record_property: Callable[[str, object], None]
) -> None:
    """Whole games from the start position."""
    rng = random.Random(f"games of {text}")
    counts: Counter[str] = Counter()
    while counts["moves"] < moves_per_game / 2 / len(GAME_STRINGS[name]):
        play_both(text, None, rng, 10_000, counts)
    record(record_property, name, "games from the start", counts)
    assert counts["not played to the end"] == 0


@pytest.mark.parametrize(("name", "text"), EVERY_GAME)
def test_random_typed_positions(
    name: str, text: str, moves_per_game: int, record_property: Callable[[str, object], None]
) -> None:
    """Positions that no game may ever reach, over at once or played on for some moves."""
    rng = random.Random(f"positions of {text}")
    literal_game: Any = reference.load_game(text)
    counts: Counter[str] = Counter()
    while counts["moves"] < moves_per_game / 2 / len(GAME_STRINGS[name]):
        play_both(text, literal_game.random_position(rng), rng, rng.choice((1, 3, 10, 100)), counts)
    record(record_property, name, "typed positions", counts)
    assert counts["ends, normal"] > 0


@pytest.mark.parametrize("name", GAME_STRINGS)
def test_every_option_is_compared(name: str) -> None:
    """The list of game strings above leaves out no value of any option and no set-up."""
    from mancala_ai.registry import game_types, split_string

    (game_type,) = (game for game in game_types() if game.name == name)
    shown: dict[str, set[object]] = {name: set() for name in game_type.option_names}
    for text in GAME_STRINGS[name]:
        _, chosen = split_string(text, "")
        for option_name, value in chosen.items():
            shown[option_name].add(value)
        for option in game_type.options:
            if option.name not in chosen:
                shown[option.name].add(option.default)
    expected = {option.name: set(option.values) for option in game_type.options}
    if game_type.setups:
        expected["setup"] = set(game_type.setups)
    assert shown == expected


# What search takes from compiled kernels, and `State` from interpreted ones.


@numba.njit
def _compiled_facts(rules, words, numbers, positions):  # type: ignore[no-untyped-def]
    # Fills `numbers` (int64, one-dimensional) and `positions` (uint64, shape (2, words)).
    position = kernels.load(rules, words)
    numbers[0] = kernels.margin(rules, position)
    numbers[1] = kernels.material(rules, position)
    numbers[2] = kernels.board_difference(rules, position)
    numbers[3] = kernels.infinite_margin(rules, position)
    numbers[4] = kernels.end_margin(rules, position)
    facts = kernels.features(rules, position)
    for i in range(len(facts)):
        numbers[5 + i] = facts[i]
    kernels.store(kernels.key(rules, position), positions[0])
    kernels.store(kernels.settle(rules, position), positions[1])


@pytest.mark.parametrize(
    "text",
    ["giuthi(infinite=own_side)", "kiothi", "kpe(infinite=draw)", "kisolo", "rio_kadalis(infinite=own_side)"],
)
def test_compiled_facts_are_those_of_the_reference(text: str) -> None:
    """Margins, material and repetition keys: compiled, interpreted, and as the reference counts them."""
    rng = random.Random(f"facts of {text}")
    literal_game: Any = reference.load_game(text)
    game = mancala_ai.load_game(text)
    rules: Any = game.rules
    numbers, positions = np.zeros(5 + len(rules.features), np.int64), np.zeros((2, rules.words), np.uint64)
    for _ in range(300):
        state = game.state(literal_game.random_position(rng))
        if not state.is_over:
            state = state.play(rng.choice(state.legal_moves()))
        literal = literal_game.state(str(state))
        _compiled_facts(rules, state.words, numbers, positions)
        position = state.position
        with np.errstate(over="ignore"):
            interpreted = [
                kernels.margin(rules, position),
                kernels.material(rules, position),
                kernels.board_difference(rules, position),
                kernels.infinite_margin(rules, position),
                kernels.end_margin(rules, position),
                *kernels.features(rules, position),
            ]
        assert numbers.tolist() == [int(number) for number in interpreted], str(state)
        assert positions.tolist() == [list(kernels.key(rules, position)), list(kernels.settle(rules, position))]

        south, north = literal_game.rows(literal.position)
        captured = literal.position.captured
        material = captured[0] - captured[1] if rules.scored else south - north
        assert numbers[1:4].tolist() == [material, south - north, literal_game.margin(literal.position, "infinite")]
        if state.is_over:
            assert numbers[4] == state.margin
        if literal.termination == "normal":  # not a capture that wins: no string says so
            assert numbers[0] == literal.margin


# Properties of the package alone.


def typed_state(text: str, rng_seed: int, plies: int) -> State:
    """Return the state after some random moves from the start or from a made-up position."""
    rng = random.Random(rng_seed)
    literal: Any = reference.load_game(text)
    game = mancala_ai.load_game(text)
    state: State = game.state(literal.random_position(rng)) if rng.random() < 0.7 else game.initial_state()
    for _ in range(plies):
        if not state.is_over:
            state = state.play(rng.choice(state.legal_moves()))
    return state


STATES = st.builds(typed_state, st.sampled_from(ALL_STRINGS), st.integers(0, 2**32), st.integers(0, 25))


@settings(max_examples=300)
@given(STATES, st.integers(0, 2**32))
def test_position_strings_are_read_back(state: State, rng_seed: int) -> None:
    """A position string gives the position again, with any blanks around separators too."""
    text = str(state)
    typed = state.game.state(text)
    assert str(typed) == text
    assert (typed, typed.captured, typed.moves) == (state, state.captured, [])

    rng = random.Random(rng_seed)
    blanks = ("", "", " ", "  ", "\t")
    separator = r"^|$| |[,/:]|(?<=\d)-(?=\d)"
    spaced = re.sub(separator, lambda match: rng.choice(blanks) + match[0] + rng.choice(blanks), text)
    assert str(state.game.state(spaced)) == text


@settings(max_examples=200)
@given(STATES)
def test_play_conserves_seeds_and_leaves_the_state_alone(state: State) -> None:
    """Every legal move: seeds are neither made nor lost, and the state that was played from stays as it was."""
    before = (str(state), state.moves, state.words.tolist())
    for move in state.legal_moves():
        after = state.play(move)
        lost = seeds_in(str(state)) - seeds_in(str(after))
        won_unscored = not state.game.rules.scored and after.termination == "normal"
        assert lost > 0 if won_unscored else lost == 0
        assert after.moves == [*state.moves, move]
        assert after.positions == [*state.positions, str(after)]
        assert after.parent is state
    assert (str(state), state.moves, state.words.tolist()) == before


@settings(max_examples=60)
@given(STATES)
def test_legal_moves_are_those_that_play_accepts(state: State) -> None:
    """Of all move strings that the game has, exactly the legal ones can be played; numbers and names agree."""
    rules = state.game.rules
    names = [rules.move_name(number) for number in range(rules.moves)]
    assert [rules.move_number(name) for name in names] == list(range(rules.moves))
    legal = state.legal_moves()
    assert legal == [name for name in names if name in legal]  # in the order of their numbers, each once
    assert [names[number] for number in state.legal_move_numbers()] == legal
    assert state.is_over == (legal == [])
    for name in names:
        if name in legal:
            assert state.play(name).moves[-1] == name
        else:
            with pytest.raises(IllegalMoveError, match="expected one of the legal moves"):
                state.play(name)


@settings(max_examples=150)
@given(STATES)
def test_states_survive_pickle_copy_and_repr(state: State) -> None:
    """All of a state comes back: position, captured seeds, history and result."""

    def whole(state: State) -> tuple[Any, ...]:
        result = (state.termination, state.outcome, state.margin, state.final, state.captured)
        return (*result, str(state.game), state.moves, state.positions, state.words.tolist(), state.history.tolist())

    copies = [pickle.loads(pickle.dumps(state, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    copies += [copy.copy(state), copy.deepcopy(state), eval(repr(state), {"mancala_ai": mancala_ai})]
    for restored in copies:
        assert whole(restored) == whole(state)
        assert restored == state
        assert hash(restored) == hash(state)
    games = [pickle.loads(pickle.dumps(state.game)), eval(repr(state.game), {"mancala_ai": mancala_ai})]
    assert [(game, hash(game)) for game in games] == [(state.game, hash(state.game))] * 2


@settings(max_examples=150)
@given(STATES, STATES)
def test_states_are_equal_when_their_positions_are(one: State, other: State) -> None:
    """Equal are states of one game with the same string, captured seeds apart."""

    def identity(state: State) -> tuple[str, str]:
        return str(state.game), without_captured(str(state))

    for state in (other, one, State(one.game, one.words)):
        assert (one == state) == (identity(one) == identity(state))
        assert one != state or hash(one) == hash(state)
    assert one != str(one)
    if one.captured is not None and one.captured != (0, 0):
        poorer = str(one).replace(f" {one.captured[0]}-{one.captured[1]}", " 0-0")
        assert one.game.state(poorer) == one


@settings(max_examples=200)
@given(
    st.sampled_from(("kpe(holes=3,seeds=2)", "kpe(holes=4,seeds=1)", "giuthi(holes=5,seeds=4)", "rio_kadalis")),
    st.integers(0, 2**32),
)
def test_a_game_ends_by_repetition_when_a_position_recurs(text: str, rng_seed: int) -> None:
    """The whole position without captured seeds, and nothing else, decides; it is the second time that counts."""
    rng = random.Random(rng_seed)
    state = typed_state(text, rng_seed, 0)
    seen = [without_captured(str(state))]
    while not state.is_over:
        state = state.play(rng.choice(state.legal_moves()))
        assert (state.termination == "infinite") == (without_captured(str(state)) in seen)
        seen.append(without_captured(str(state)))
    assert len(state.history) == len(state.positions) == len(seen)


@pytest.mark.parametrize("captured", ["0-0", "5-3", "22-0"])
def test_captured_seeds_do_not_make_a_position_another(captured: str) -> None:
    """Two single seeds walk round the ring: the sixth move repeats the start, whatever had been captured before."""
    state = mancala_ai.load_game("kpe(holes=3,seeds=4)").state(f"0,0,1/1,0,0 S {captured} abc/abc")
    start = str(state)
    for move in ("a", "a", "b", "b", "c"):
        state = state.play(move)
        assert state.termination is None
    state = state.play("c")
    assert (str(state), state.termination, state.legal_moves()) == (start, "infinite", [])
    south, north = state.captured or (0, 0)
    assert (state.final, state.margin) == ((south + 1, north + 1), south - north)


@pytest.mark.parametrize("asked", [False, True])
def test_a_position_has_its_seeds_whatever_was_asked_before(asked: bool) -> None:
    """The capture that wins Kisolo takes seeds off the board."""
    state = mancala_ai.load_game("kisolo").initial_state()
    for move in ["xC", "xC", "xB", "xE", "xE", "xD", "xA"]:
        if asked:
            assert state.total_seeds == 84
        state = state.play(move)
    assert state.is_over
    assert (
        state.total_seeds == state.game.state(str(state)).total_seeds == pickle.loads(pickle.dumps(state)).total_seeds
    )
