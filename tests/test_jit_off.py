"""Without the JIT the kernels run interpreted, with the same results: for debugging, and to be covered by tests."""

from __future__ import annotations

import json
from typing import Any

import pytest

import mancala_ai
from mancala_ai.counting import perft_with_checksum
from tests import reference
from tests.helpers import ROOT, SMALL_PERFTS, run_python

# Prints for every position the perft count, the checksum over the leaves, and what one line of play looks like.
_PROGRAM = """
import json, sys
import numba
import mancala_ai
from mancala_ai.counting import perft_with_checksum

assert numba.config.DISABLE_JIT
found = []
for text, position, depth in json.loads(sys.argv[1]):
    state = mancala_ai.load_game(text).state(position)
    count, checksum = perft_with_checksum(state, depth)
    while not state.is_over and len(state.moves) < 40:
        state = state.play(state.legal_moves()[len(state.moves) % len(state.legal_moves())])
    found.append([count, checksum, state.positions, [state.termination, state.outcome, state.margin, state.final]])
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def interpreted() -> list[Any]:
    """What a process without the JIT, with warnings as errors, says of all positions."""
    env = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": None}
    arguments = json.dumps(SMALL_PERFTS)
    found: list[Any] = json.loads(run_python(_PROGRAM, arguments, path=[ROOT], flags=["-W", "error"], env=env))
    assert len(found) == len(SMALL_PERFTS)
    return found


@pytest.mark.parametrize("number", range(len(SMALL_PERFTS)), ids=lambda number: f"{SMALL_PERFTS[number][0]}-{number}")
def test_interpreted_kernels_agree(number: int, interpreted: list[Any]) -> None:
    """Perft of the interpreted kernels is that of the compiled ones and of the reference; so are lines of play."""
    text, position, depth = SMALL_PERFTS[number]
    count, checksum, positions, result = interpreted[number]
    state = mancala_ai.load_game(text).state(position)
    literal = reference.load_game(text).state(position)
    assert (count, checksum) == perft_with_checksum(state, depth)
    assert count == reference.perft(literal, depth)
    for after in positions[1:]:
        legal = literal.legal_moves()
        move = legal[len(state.moves) % len(legal)]
        state, literal = state.play(move), literal.play(move)
        assert str(literal) == str(state) == after
    final = None if literal.final is None else list(literal.final)
    assert result == [literal.termination, literal.outcome, literal.margin, final]


def test_every_game_is_tried() -> None:
    """A game added later needs its own small perft above."""
    from mancala_ai.registry import game_types

    assert {text.partition("(")[0] for text, _, _ in SMALL_PERFTS} == {game.name for game in game_types()}
