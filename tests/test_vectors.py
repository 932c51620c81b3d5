"""The package agrees with the test vectors: whole games, perft, and the legal moves of the puzzles."""

from __future__ import annotations

from typing import Any

import pytest

import mancala_ai
from tests.helpers import read_vectors, vector_parameters

REFEREED = {"oware", "kalah"}  # by OpenSpiel, in test_openspiel_referee.py


@pytest.mark.parametrize("line", vector_parameters("games.jsonl"))
def test_games(line: dict[str, Any]) -> None:
    """Every move, list of legal moves, position and result of a vector game."""
    game = mancala_ai.load_game(line["game"])
    state = game.initial_state()
    for move, position, legal in zip(line["moves"], line["positions"], line["legal"], strict=False):
        assert str(state) == position
        assert state.to_move == "SN".index(position.split()[1])
        assert not state.is_over
        assert (state.termination, state.outcome, state.margin, state.final) == (None,) * 4
        if legal is not None:
            assert state.legal_moves() == legal.split()
        state = state.play(move)
    assert str(state) == line["positions"][-1]
    assert state.is_over
    assert state.legal_moves() == []
    assert (state.termination, state.outcome, state.margin) == (line["end"], line["outcome"], line["margin"])
    assert state.final == (tuple(line["final"]) if "final" in line else None)
    assert state.moves == line["moves"]
    assert state.positions == line["positions"]
    drawn = state.termination == "infinite" and "infinite=draw" in f"{state.game}{default_infinite(line['game'])}"
    assert drawn == line.get("drawn", False)


def default_infinite(name: str) -> str:
    """Return what infinite play is worth where the game string does not say so (rules, decision 3)."""
    if "infinite=" in name:
        return ""
    return "infinite=draw" if name.startswith(("giuthi", "kisolo")) else "infinite=split"


@pytest.mark.parametrize("line", vector_parameters("games.jsonl"))
def test_positions_are_read_as_they_are_written(line: dict[str, Any]) -> None:
    """A position typed in is the position, with the same legal moves."""
    game = mancala_ai.load_game(line["game"])
    assert str(game) == line["game"]
    for position, legal in zip(line["positions"], [*line["legal"], None], strict=True):
        typed = game.state(position)
        assert str(typed) == position
        if legal is not None:
            assert typed.legal_moves() == legal.split()


@pytest.mark.parametrize("line", vector_parameters("perft.jsonl"))
def test_perft(line: dict[str, Any]) -> None:
    """Every number of a perft vector; the numbers of the first moves add up to it."""
    state = mancala_ai.load_game(line["game"]).state(line["position"])
    assert str(state) == line["position"]
    depths = range(1, len(line["perft"]) + 1)
    assert [mancala_ai.perft(state, depth) for depth in depths] == line["perft"]
    assert mancala_ai.perft(state, 0) == 1
    divided = mancala_ai.divide(state, len(depths))
    assert list(divided) == state.legal_moves()
    assert sum(divided.values()) == line["perft"][-1]


@pytest.mark.parametrize("line", vector_parameters("puzzles.jsonl"))
def test_puzzles_have_the_legal_moves(line: dict[str, Any]) -> None:
    """The puzzles list the legal moves in order."""
    state = mancala_ai.load_game(line["game"]).state(line["position"])
    assert str(state) == line["position"]
    assert state.legal_moves() == list(line["moves"])
    assert set(line["best"]) <= set(line["moves"])


def test_vectors_cover_every_game() -> None:
    """No installed game is without vectors or another referee, so that a game added later is not forgotten here."""
    from mancala_ai.registry import game_types

    installed = {game.name for game in game_types()}
    for file in ("games.jsonl", "perft.jsonl"):
        assert {line["game"].partition("(")[0] for line in read_vectors(file)} == installed - REFEREED
