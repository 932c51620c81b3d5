"""Positions as vectors for learning: the one layout that states, batches and OpenSpiel games share.

An observation is a ``float32`` vector of fixed size with values from 0 to 1, in the view of the *mover*, the side to
move. Its sections follow each other in this order:

    own_pits        seeds of the mover's pits: outermost row first, each row from its owner's left (a, b, c, ...)
    opponent_pits   seeds of the opponent's pits, likewise from the opponent's own left
    captured        seeds captured by the mover and by the opponent; zeros where captured seeds are no score
    own_marks       1 for each of the mover's pits that is marked (nki, closed), in the order of the pits
    opponent_marks  1 for each of the opponent's pits that is marked
    extra           what the position string says in its extra field: the ruleset's `Ruleset.extra_facts`
    side            the mover: 0 South, 1 North

All numbers of seeds are divided by the game's own number of seeds (``Ruleset.format().total``), which no position
exceeds. History is no part of an observation, so that it does not tell which moves would repeat a position.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_ai.game import Game, State
from mancala_ai.kernels import Position
from mancala_ai.ruleset import Ruleset

Vector = npt.NDArray[np.float32]


class Section(NamedTuple):
    """One section of an observation: the values from ``start`` up to ``start + size``."""

    name: str
    start: int
    size: int


def observation_layout(game: Game) -> tuple[Section, ...]:
    """Returns the sections of a game's observations in order, those of size 0 included."""
    form = game.rules.format()
    pits = form.rows * form.pits // 2
    extra = len(game.rules.extra_facts(game.initial_state().position))
    sizes = {
        "own_pits": pits,
        "opponent_pits": pits,
        "captured": 2,
        "own_marks": pits,
        "opponent_marks": pits,
        "extra": extra,
        "side": 1,
    }
    sections, start = [], 0
    for name, size in sizes.items():
        sections.append(Section(name, start, size))
        start += size
    return tuple(sections)


def observation_size(game: Game) -> int:
    """Returns how many values an observation of the game has."""
    last = observation_layout(game)[-1]
    return last.start + last.size


def observation(state: State) -> Vector:
    """Returns the observation of a state, ``float32`` of shape ``(observation_size(state.game),)``."""
    return observe(state.game.rules, state.position)


def observe(rules: Ruleset, position: Position) -> Vector:
    """Returns the observation of a position, whose flags do not matter: see `observation`."""
    fields = rules.unpack(position)
    half = len(fields.rows) // 2
    players = [
        [pit for row in reversed(fields.rows[half:]) for pit in row],
        [pit for row in fields.rows[:half] for pit in reversed(row)],
    ]
    captured = list(fields.captured or (0, 0))
    if fields.side == 1:
        players.reverse()
        captured.reverse()
    pits = players[0] + players[1]
    total = rules.format().total
    values = [
        *(pit.seeds / total for pit in pits),
        *(seeds / total for seeds in captured),
        *(float(bool(pit.mark)) for pit in pits),
        *rules.extra_facts(position).values(),
        float(fields.side),
    ]
    return np.array(values, dtype=np.float32)
