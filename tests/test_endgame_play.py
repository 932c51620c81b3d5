"""Who plays by an endgame database gets what it promises, though a repeated position would end the game."""

from __future__ import annotations

import doctest
import functools
import math
import re
from pathlib import Path
from random import Random

import pytest

import mancala_ai
from engines.endgame.build import build_levels
from engines.endgame.probe import Bounds, EndgameDatabase, outcome
from mancala_ai import MancalaError, State
from mancala_ai.kernels import SPLIT
from tests.helpers import ROOT
from tests.test_endgame_values import all_boards, text_of

NOTHING = -math.inf


class Forcer:
    """South, playing by a database, against every defence.

    Args:
        database: all levels that occur.
    """

    def __init__(self, database: EndgameDatabase) -> None:
        self.database, self.game = database, database.game
        self.open: set[str] = set()  # positions on the line that is being looked at
        self.worst = functools.cache(self._worst)

    def promise(self, position: str) -> float:
        """What South can still force in a position without captured seeds, infinite play being no use to South."""
        state = self.game.state(position)
        found = self.database.bounds(state)
        assert found is not None
        bound = found.lower if state.to_move == 0 else found.upper
        if bound is None:
            return NOTHING
        return bound if state.to_move == 0 else -bound

    def _worst(self, position: str) -> float:
        # The smallest margin to come, over all defences. No position may lie on a line to itself, unless South is
        # content with the 0 of infinite play that is split; it is enough then that no step loses anything.
        assert position not in self.open, position
        state = self.game.state(position)
        if state.is_over:
            assert state.margin is not None
            return state.margin
        moves = state.legal_moves()
        if state.to_move == 0:
            # Captured seeds with which what is promised just wins.
            ahead = 1 - int(self.promise(position))
            board, side, _, *marks = position.split()
            captured = f"{max(ahead, 0)}-{max(-ahead, 0)}"
            moves = [self.database.best_move(self.game.state(" ".join([board, side, captured, *marks])))]
        content = self.game.rules.infinite == SPLIT and self.promise(position) <= 0
        self.open.add(position)
        results: list[float] = []
        for move in moves:
            after = state.play(move)
            assert content or after.termination != "infinite", position
            board, side, _, *marks = str(after).split()
            south, north = after.captured or (0, 0)
            follow = self.promise if content else self.worst
            results.append(south - north + follow(" ".join([board, side, "0-0", *marks])))
        self.open.remove(position)
        return min(results)


@pytest.mark.parametrize(
    ("text", "most", "full_most"),
    [
        ("giuthi(holes=5)", 6, 9),
        ("giuthi(holes=5,capture_needs_target=True)", 5, 8),
        ("giuthi(holes=5,infinite=split)", 5, 8),
        ("kpe(holes=3,infinite=draw)", 8, 14),
        ("kpe(holes=3)", 8, 14),
        ("rio_kadalis(holes=5,infinite=draw)", 4, 8),
        ("rio_kadalis(holes=5)", 4, 8),
    ],
)
def test_every_won_position_is_won_against_every_defence(
    text: str, most: int, full_most: int, full: bool, tmp_path: Path
) -> None:
    """From each position of a small board with a promise, whoever is to move."""
    most = full_most if full else most
    game = mancala_ai.load_game(text)
    database = build_levels(game, most, tmp_path)
    forcer = Forcer(database)
    promised = 0
    for seeds in range(most + 1):
        for board in all_boards(2 * len(game.rules.initial().rows[0]), seeds):
            for side in "SN":
                position = text_of(game.rules, board, side)
                promise = forcer.promise(position)
                if promise > NOTHING:
                    promised += 1
                    assert forcer.worst(position) >= promise
    assert promised > 500


@pytest.mark.parametrize("text", ["giuthi(holes=6)", "giuthi(infinite=split)", "rio_kadalis(infinite=draw)", "kpe"])
def test_games_end_as_promised(text: str, tmp_path: Path) -> None:
    """Whole games from random positions against random replies: never worse than the database said at the start."""
    game = mancala_ai.load_game(text)
    seeds = 9 if "giuthi" in text else 7
    database = build_levels(game, seeds, tmp_path)
    pits = 2 * len(game.rules.initial().rows[0])
    rng = Random(3)
    seen = set()
    for _ in range(60):
        ring = [0] * pits
        few = rng.sample(range(pits), 5)
        for _ in range(seeds):
            ring[rng.choice(few)] += 1
        ahead = rng.randrange(-3, 4)
        captured = f"{10 + max(ahead, 0)}-{10 + max(-ahead, 0)}"
        state = game.state(text_of(game.rules, tuple(ring), rng.choice("SN"), captured))
        player, promised = state.to_move, database.outcome(state)
        assert promised is not None
        assert database.is_exact(state)
        seen.add(promised)
        while not state.is_over:
            moves = state.legal_moves()
            state = state.play(database.best_move(state) if state.to_move == player else rng.choice(moves))
        assert state.outcome is not None
        assert (state.outcome if player == 0 else -state.outcome) >= promised
    assert seen == {1, 0, -1}


def test_two_databases_get_exactly_what_they_promise(tmp_path: Path) -> None:
    """If both sides play by the database the outcome is that of the start."""
    game = mancala_ai.load_game("giuthi(holes=6)")
    database = build_levels(game, 8, tmp_path)
    rng = Random(4)
    for _ in range(60):
        ring = [0] * 12
        for _ in range(8):
            ring[rng.randrange(12)] += 1
        state = game.state(text_of(game.rules, tuple(ring), "S", f"{rng.randrange(4)}-{rng.randrange(4)}"))
        promised = database.outcome(state)
        while not state.is_over:
            state = state.play(database.best_move(state))
        assert state.outcome == promised


def seeds_of(position: str) -> int:
    """Seeds on the board of a position string."""
    return sum(map(int, position.split()[0].replace("/", ",").split(",")))


def test_history_makes_the_database_inexact(tmp_path: Path) -> None:
    """A position with earlier ones of its seed count says so; a move that repeats one counts as infinite play."""
    game = mancala_ai.load_game("giuthi(holes=5)")
    database = build_levels(game, 6, tmp_path)
    rng = Random(1)
    repeating = 0
    for _ in range(200):
        ring = [0] * 10
        for _ in range(6):
            ring[rng.randrange(0, 10, 2)] += 1
        state = game.state(text_of(game.rules, tuple(ring), "S"))
        for _ in range(6):
            if state.is_over:
                break
            seeds = seeds_of(str(state))
            same = [
                text for text in state.positions if sum(map(int, text.split()[0].replace("/", ",").split(","))) == seeds
            ]
            assert database.is_exact(state) == (len(same) == 1)
            for move in database.moves(state):
                after = state.play(move.move)
                if after.termination == "infinite":
                    repeating += 1
                    assert (move.lower, move.upper, move.outcome, move.distance) == (None, None, 0, 0)
            state = state.play(rng.choice(state.legal_moves()))
    assert repeating > 5


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    """More seeds than levels, and games that are over, have no moves to say anything of."""
    game = mancala_ai.load_game("giuthi(holes=5)")
    database = build_levels(game, 4, tmp_path)
    assert database.bounds(game.initial_state()) is None
    assert database.outcome(game.initial_state()) is None
    with pytest.raises(MancalaError, match="not in the endgame database: expected at most 4 seeds"):
        database.moves(game.initial_state())
    over: State = game.state("0,0,0,1,0/0,1,0,0,0 S 3-4")
    assert database.bounds(over) == (0, 0)
    with pytest.raises(MancalaError, match="expected a state that is not over"):
        database.moves(over)


@pytest.mark.parametrize(
    ("difference", "bounds", "expected"),
    [
        (0, Bounds(1, None), 1),
        (-1, Bounds(1, None), 0),
        (5, Bounds(None, None), 0),
        (2, Bounds(None, -3), -1),
        (3, Bounds(-3, 7), 0),
        (4, Bounds(-3, -3), 1),
    ],
)
def test_outcome_from_bounds(difference: int, bounds: Bounds, expected: int) -> None:
    """A win needs difference + lower > 0, a loss difference + upper < 0."""
    assert outcome(difference, bounds) == expected


def test_the_session_of_the_documentation_runs_as_printed() -> None:
    """The worked example of the two bounds."""
    text = (ROOT / "docs" / "endgames.md").read_text(encoding="utf-8")
    sessions = re.findall(r"```pycon\n(.*?)```", text, flags=re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, "endgames.md", "endgames.md", 0)
    assert len(test.examples) >= 8
    assert doctest.DocTestRunner().run(test).failed == 0
