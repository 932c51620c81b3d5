"""Openings: positions reached by seeded random play, from which engines play instead of the start position.

They depend on ``rng_seed``, game string, number of plies and number in the sequence only: a longer tournament begins
with the openings of a shorter one, and no engine or worker has a say.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from mancala_ai import Game, MancalaError, State

ATTEMPTS = 500
"""Random lines tried for one opening before the ruleset is said to have run out of them."""


def random_opening(game: Game, plies: int, rng_seed: int | str) -> State:
    """Returns a position after random legal moves: not over, no position repeated on the way, history starting there.

    Args:
        game: the game.
        plies: number of moves; a game with an opening phase of its own (the redistribution of Kiothi) plays that to its
            end instead, and then on if it was shorter.
        rng_seed: decides the opening, together with game and plies.

    Raises:
        MancalaError: hardly any game lasts that long.
    """
    rng = random.Random(f"{rng_seed}|{game}|{plies}")
    for _ in range(ATTEMPTS):
        state = _random_line(game, plies, rng)
        if not state.is_over:
            return game.state(str(state))
    raise MancalaError(
        f"openings of {game}: all of {ATTEMPTS} random games end within {plies} plies: expected fewer plies"
    )


def distinct_openings(game: Game, plies: int, rng_seed: int) -> Iterator[str]:
    """Yields the position strings of different random openings, until no new one is found.

    Args:
        game: the game.
        plies: see `random_opening`.
        rng_seed: start of the sequence.

    Raises:
        MancalaError: there is not even one.
    """
    found: set[str] = set()
    while True:
        for attempt in range(ATTEMPTS):
            opening = str(random_opening(game, plies, f"{rng_seed}|{len(found)}|{attempt}"))
            if opening not in found:
                break
        else:
            return
        found.add(opening)
        yield opening


def _random_line(game: Game, plies: int, rng: random.Random) -> State:
    """Plays at random for ``plies`` plies and to the end of the game's own opening phase, or to the end of the game."""
    state = game.initial_state()
    played = 0
    while not state.is_over:
        moves = state.legal_move_numbers()
        weights = game.rules.opening_weights(state.position, moves)
        if played >= plies and weights is None:
            break
        state = state.play_number(rng.choices(moves, weights)[0])
        played += 1
    return state
