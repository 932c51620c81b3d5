"""Endgame databases of a sixth game, whose seeds leave the board for stores in the ring: against plain minimax."""

from __future__ import annotations

import functools
import random
from pathlib import Path

from engines.endgame.build import build_levels
from mancala_ai import State, load_game

GAME, SEEDS = "kalah(holes=4,seeds=3)", 9


@functools.cache
def margin(state: str) -> int:
    """Return South's final margin with best play, by looking at everything; positions of Kalah cannot recur."""
    at = load_game(GAME).state(state)
    if at.is_over:
        assert at.margin is not None
        return at.margin
    margins = [margin(str(at.play(move))) for move in at.legal_moves()]
    return max(margins) if at.to_move == 0 else min(margins)


def random_state(rng: random.Random, seeds: int) -> State:
    """Return a position with so many seeds on the board."""
    pits = [0] * 8
    for _ in range(seeds):
        pits[rng.randrange(8)] += 1
    south = rng.randrange(24 - seeds + 1)
    rows = ",".join(map(str, pits[:4])), ",".join(map(str, pits[4:]))
    return load_game(GAME).state(f"{'/'.join(rows)} {rng.choice('SN')} {south}-{24 - seeds - south}")


def test_all_values_are_those_of_minimax(tmp_path: Path) -> None:
    database, rng, compared = build_levels(load_game(GAME), SEEDS, tmp_path), random.Random(1), 0
    for _ in range(600):
        state = random_state(rng, rng.randrange(2, SEEDS + 1))
        if state.is_over:
            continue
        bounds = database.bounds(state)
        assert bounds is not None
        south, north = state.captured or (0, 0)
        sign = 1 if state.to_move == 0 else -1
        expected = sign * margin(str(state)) - sign * (south - north)
        assert bounds == (expected, expected), str(state)
        compared += 1
    assert compared > 400
