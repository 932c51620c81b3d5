"""Observations hold what the position string says, mover first, in the documented order."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import mancala_ai
from mancala_ai.observation import observation, observation_layout, observation_size
from tests.helpers import GAME_STRINGS, read_vectors

LETTERS = "abcdefghij"


def expected(game: str, position: str, total: int) -> list[float]:
    """Return the observation of a position string, read from the text alone."""
    board, side, *rest = position.split()
    rows = [row.split(",") for row in board.split("/")]
    half = len(rows) // 2
    south = [pit for row in rows[half:][::-1] for pit in row]
    north = [pit for row in rows[:half] for pit in row[::-1]]
    captured = [0, 0]
    if rest and re.fullmatch(r"\d+-\d+", rest[0]):
        captured = [int(n) for n in rest.pop(0).split("-")]
    extra = rest[0] if rest else ""
    if side == "N":
        south, north, captured = north, south, captured[::-1]
    pits = south + north
    values = [int(pit.strip("*x") or 0) / total for pit in pits]
    values += [n / total for n in captured]
    values += [1.0 if pit[-1] in "*x" else 0.0 for pit in pits]
    if game.startswith("kpe"):
        sown = extra.split("/") if side == "S" else extra.split("/")[::-1]
        values += [float(c in pits) for pits in sown for c in LETTERS[: len(rows[0])]]
    if game.startswith("kiothi"):
        step, _, rest_of_extra = extra.removeprefix("open:").partition(":")
        hand, _, pit = rest_of_extra.partition(":")
        place = (LETTERS + LETTERS.upper()).find(pit) + 1 if pit else 0
        values += [("", "empty2", "empty1", "place").index(step) / 3, int(hand or 0) / total, place / 20]
    return [*values, float(side == "N")]


@pytest.mark.parametrize("line", read_vectors("games.jsonl")[::4], ids=lambda line: line["game"])
def test_observations_hold_what_the_position_string_says(line: dict[str, list[str]]) -> None:
    name = str(line["game"])
    game = mancala_ai.load_game(name)
    total = game.initial_state().total_seeds
    for position in line["positions"]:
        found = observation(game.state(position))
        assert found.dtype == np.float32
        assert found.shape == (observation_size(game),)
        np.testing.assert_array_equal(found, np.array(expected(name, position, total), dtype=np.float32), position)


@pytest.mark.parametrize("name", [name for names in GAME_STRINGS.values() for name in names[:4]])
def test_the_layout_covers_the_vector(name: str) -> None:
    game = mancala_ai.load_game(name)
    sections = observation_layout(game)
    names = ["own_pits", "opponent_pits", "captured", "own_marks", "opponent_marks", "extra", "side"]
    assert [section.name for section in sections] == names
    ends = [section.start + section.size for section in sections]
    assert [section.start for section in sections] == [0, *ends[:-1]]
    assert ends[-1] == observation_size(game)
    state, rng = game.initial_state(), random.Random(5)
    while not state.is_over:
        vector = observation(state)
        assert vector.min() >= 0
        assert vector.max() <= 1
        assert vector[-1] == state.to_move
        state = state.play_number(rng.choice(state.legal_move_numbers()))
    assert observation(state).shape == (ends[-1],)


def test_seeds_are_shares_of_the_games_own_number() -> None:
    """Also where fewer seeds are in play."""
    state = mancala_ai.load_game("giuthi(holes=5,seeds=4)").state("0,0,0,0,3/5,0,0,0,0 N 2-1")
    assert observation(state)[:12].tolist() == pytest.approx([3 / 40, *[0] * 4, 5 / 40, *[0] * 4, 1 / 40, 2 / 40])
