"""Endgame databases against brute force: the graph of positions written out from the literal rules, and fixed points.

`Literal` finds both bounds by going over all positions again and again until nothing changes, with infinite play worth
minus or plus infinity. It shares nothing with the databases: moves come from the reference, positions are looked up by
their pits, mirrored ones included.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import mancala_ai
from engines.endgame.build import build_levels, ensure_levels
from engines.endgame.probe import EndgameDatabase
from engines.endgame.verify import counts_are_right, verify_level
from mancala_ai import Game
from mancala_ai.ruleset import Ruleset
from tests import reference
from tests.helpers import VECTORS
from tests.reference.common import Position

Key = Hashable
Bound = float  # whole, or infinite


class Literal:
    """Both bounds of positions, by brute force.

    Args:
        game: a game string.
        starts: position strings; all positions that can be reached from them are valued.
    """

    def __init__(self, game: str, starts: Iterable[str]) -> None:
        self.game = reference.load_game(game)
        self.positions: dict[Key, Position[Any]] = {}
        self.moves: dict[Key, list[Position[Any] | None]] = {}  # None: an endless sowing
        found = [self.game.read(start) for start in starts]
        while found:
            position = found.pop()
            key = position.key()
            if key in self.positions:
                continue
            self.positions[key] = position
            self.moves[key] = []
            if not self.game.is_over(position):
                self.moves[key] = [self.game.after(position, move) for move in self.game.moves(position)]
            found += [after for after in self.moves[key] if after is not None]
        self.lower: dict[Key, Bound] = {}
        self.upper: dict[Key, Bound] = {}
        for _, level in sorted(self._levels().items()):
            self._find_fixed_points(level)

    def _levels(self) -> dict[int, list[Key]]:
        levels: dict[int, list[Key]] = {}
        for key, position in self.positions.items():
            levels.setdefault(sum(position.pits), []).append(key)
        return levels

    def _find_fixed_points(self, level: list[Key]) -> None:
        for key in level:
            self.lower[key], self.upper[key] = -math.inf, math.inf
        while True:
            found = {key: self._one_step(self.positions[key]) for key in level}
            if all(found[key] == (self.lower[key], self.upper[key]) for key in level):
                break
            for key, (lower, upper) in found.items():
                self.lower[key], self.upper[key] = lower, upper
        if self.game.infinite == "split":  # infinite play adds nothing
            for key in level:
                value = self.lower[key] if self.lower[key] > 0 else min(self.upper[key], 0)
                self.lower[key] = self.upper[key] = value

    def _one_step(self, position: Position[Any]) -> tuple[Bound, Bound]:
        mover = position.to_move
        if self.game.is_over(position):
            rows = self.game.rows(position)
            return rows[mover] - rows[1 - mover], rows[mover] - rows[1 - mover]
        lower, upper = -math.inf, -math.inf
        for after in self.moves[position.key()]:
            if after is None:
                upper = math.inf
                continue
            gained = after.captured[mover] - position.captured[mover]
            gained -= after.captured[1 - mover] - position.captured[1 - mover]
            key = after.key()
            same = after.to_move == mover
            lower = max(lower, gained + (self.lower[key] if same else -self.upper[key]))
            upper = max(upper, gained + (self.upper[key] if same else -self.lower[key]))
        return lower, upper


def all_boards(pits: int, seeds: int) -> Iterator[tuple[int, ...]]:
    """All ways to put seeds into pits."""
    for bars in itertools.combinations(range(seeds + pits - 1), pits - 1):
        edges = (-1, *bars, seeds + pits - 1)
        yield tuple(b - a - 1 for a, b in itertools.pairwise(edges))


def text_of(rules: Ruleset, ring: tuple[int, ...], side: str, captured: str = "0-0") -> str:
    """The position string of pits in ring order, in the phase that databases hold."""
    board = rules.endgame_board()
    assert board is not None
    holes = len(ring) // 2
    rows = [reversed(ring[holes:]), ring[:holes]]
    words = ["/".join(",".join(map(str, row)) for row in rows), side, captured, board.extra]
    return " ".join(filter(None, words))


def compare(game: Game, literal: Literal, database: EndgameDatabase) -> int:
    """Compare both bounds of all positions; return how many there are."""
    for key, position in literal.positions.items():
        found = database.bounds(
            game.state(literal.game.write(Position(position.pits, position.to_move, (0, 0), position.extra)))
        )
        assert found is not None
        lower = -math.inf if found.lower is None else found.lower
        upper = math.inf if found.upper is None else found.upper
        assert (lower, upper) == (literal.lower[key], literal.upper[key]), literal.game.write(position)
    return len(literal.positions)


WHOLE = [
    # game, most seeds, with --full
    ("giuthi(holes=5)", 7, 8),
    ("giuthi(holes=5,capture_needs_target=True)", 5, 7),
    ("giuthi(holes=5,infinite=split)", 5, 7),
    ("kpe", 6, 8),
    ("kpe(holes=3,infinite=draw)", 8, 12),
    ("rio_kadalis(holes=5)", 5, 7),
    ("rio_kadalis(holes=5,infinite=draw,clockwise=True)", 5, 8),
]


@pytest.mark.parametrize(("text", "most", "full_most"), WHOLE, ids=lambda value: str(value))
def test_all_positions_agree_with_brute_force(text: str, most: int, full_most: int, full: bool, tmp_path: Path) -> None:
    game = mancala_ai.load_game(text)
    most = full_most if full else most
    database = build_levels(game, most, tmp_path)
    pits = 2 * len(game.rules.initial().rows[0])
    boards = [(board, side) for seeds in range(most + 1) for board in all_boards(pits, seeds) for side in "SN"]
    literal = Literal(text, (text_of(game.rules, board, side) for board, side in boards))
    assert compare(game, literal, database) == len(boards) == 2 * math.comb(most + pits, pits)


SAMPLES = [
    # game, seeds, with --full
    ("giuthi(holes=6)", 6, 8),
    ("giuthi", 6, 8),
    ("giuthi(capture_needs_target=True)", 6, 8),
    ("giuthi(holes=9,infinite=split)", 5, 6),
    ("giuthi(holes=10)", 5, 6),
    ("kpe(infinite=draw)", 6, 10),
    ("kpe(holes=8)", 3, 5),
    ("rio_kadalis(clockwise=True)", 4, 6),
    ("rio_kadalis(infinite=draw)", 4, 7),
]


@pytest.mark.parametrize(("text", "seeds", "full_seeds"), SAMPLES, ids=lambda value: str(value))
def test_samples_agree_with_brute_force(text: str, seeds: int, full_seeds: int, full: bool, tmp_path: Path) -> None:
    """Random positions and all that can be reached from them."""
    game = mancala_ai.load_game(text)
    seeds, count = (full_seeds, 20) if full else (seeds, 3)
    database = build_levels(game, seeds, tmp_path)
    pits = 2 * len(game.rules.initial().rows[0])
    rng = Random(5)
    starts = []
    for _ in range(count):
        ring = [0] * pits
        few = rng.sample(range(pits), 4)  # singletons alone would be over at once
        for _ in range(seeds):
            ring[rng.choice(few)] += 1
        starts.append(text_of(game.rules, tuple(ring), rng.choice("SN")))
    assert compare(game, Literal(text, starts), database) > 50 * count


@pytest.mark.parametrize("text", sorted({text for text, *_ in WHOLE + SAMPLES}))
def test_levels_verify(text: str, tmp_path: Path) -> None:
    """All bounds and distances follow from those of the successors, and the counts are right."""
    game = mancala_ai.load_game(text)
    database = build_levels(game, 6, tmp_path)
    for seeds in database.levels:
        assert verify_level(database, seeds) == (database.levels[seeds].header.count, [])
        assert counts_are_right(database, seeds)


PUZZLES = [json.loads(line) for line in (VECTORS / "puzzles.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the levels that the puzzles need are built, once."""
    return tmp_path_factory.mktemp("levels")


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle["position"])
def test_puzzles(puzzle: dict[str, Any], levels: Path) -> None:
    """Values of an independent solver: both bounds, the outcome of every move, and which are best."""
    game = mancala_ai.load_game(puzzle["game"])
    state = game.state(puzzle["position"])
    seeds = sum(sum(map(int, row.split(","))) for row in puzzle["position"].split()[0].split("/"))
    database = ensure_levels(game, seeds, levels)
    moves = database.moves(state)
    assert database.bounds(state) == (puzzle["lower"], puzzle["upper"])
    assert database.is_exact(state)
    assert {move.move: move.outcome for move in moves} == puzzle["moves"]
    assert database.outcome(state) == moves[0].outcome == puzzle["mover_outcome"]
    assert {move.move for move in moves if move.outcome == moves[0].outcome} == set(puzzle["best"])
