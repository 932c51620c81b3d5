"""Finding puzzles in real play, and saying how difficult they are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from engines.alphabeta import AlphaBetaEngine
from engines.endgame.index import index_of, seeds_on_board
from engines.endgame.probe import EndgameDatabase
from engines.solver.goals import Goal
from experiments.openings import random_opening
from experiments.puzzles.judge import Judge
from experiments.puzzles.puzzle import Puzzle
from mancala_ai import Engine, Game, SearchResult, State, load_engine

PLAYERS = ("alphabeta(depth=3)", "alphabeta(depth=2)", "greedy")
SLIPS = 0.1
"""Share of random moves in the games that puzzles are taken from: perfect play leaves no tasks."""


class Solver(NamedTuple):
    """An engine that tries each puzzle, and what it adds to the rating if it fails."""

    engine: str
    weight: float


SOLVERS = {
    "greedy": Solver("greedy", 1),
    "alphabeta(depth=4)": Solver("alphabeta(depth=4)", 2),
    "mcts": Solver("mcts(simulations=3000)", 1.5),
}
"""By what the facts of a puzzle call them."""

BY_MARGIN = 0.2
PLIES = 8  # random moves at the start of a game
_LONGEST = 400  # moves of a game
_DEPTH = 8  # of the forced line


def make_puzzles(game: Game, database: EndgameDatabase, seeds: range, rng_seed: int) -> Iterator[Puzzle]:
    """Yields puzzles, at most one a game of engines, without end. No two are the same, or mirror images.

    Args:
        game: the game.
        database: all levels of these seed counts.
        seeds: seeds on the board.
        rng_seed: start of all random choices.
    """
    rng = random.Random(f"{rng_seed}|{game}|{seeds}")
    players = [load_engine(name) for name in PLAYERS]
    known: set[tuple[int, int]] = set()
    while True:
        found = []
        for reached in _game(game, players, rng):
            state = game.state(str(reached))  # a puzzle has no history
            number = _identity(state, database)
            if number[0] in seeds and number not in known:
                puzzle = as_puzzle(state, database)
                if puzzle is not None:
                    found.append((number, puzzle))
        # Wins by a margin abound. They are taken now and then, where a game has nothing else.
        outright = [entry for entry in found if entry[1].goal.margin in (None, 1)]
        if outright or (found and rng.random() < BY_MARGIN):
            number, puzzle = rng.choice(outright or found)
            known.add(number)
            yield rated(puzzle, database)


def _game(game: Game, players: list[Engine], rng: random.Random) -> Iterator[State]:
    """Yields the positions of a game between two engines that now and then play a random move."""
    state = random_opening(game, PLIES, rng.getrandbits(32))
    pair = [rng.choice(players), rng.choice(players)]
    for player in pair:
        player.new_game(rng_seed=rng.getrandbits(32))
    while not state.is_over and len(state.moves) < _LONGEST:
        yield state
        slip = rng.random() < SLIPS
        state = state.play(rng.choice(state.legal_moves()) if slip else _search(pair[state.to_move], state).move)


def _identity(state: State, database: EndgameDatabase) -> tuple[int, int]:
    """Returns seeds on the board and number of a position; mirror images and exchanged sides have the same."""
    rules = state.game.rules
    if database.bounds(state) is None:
        return int(seeds_on_board(rules, state.position)), -1
    with np.errstate(over="ignore"):
        seeds, number = index_of(rules, state.position, np.uint64(state.to_move), database.array)
    return int(seeds), int(number)


def as_puzzle(state: State, database: EndgameDatabase) -> Puzzle | None:
    """Returns the puzzle that a position in the database is, None if it is none.

    It is one if exactly one of three moves or more reaches the best outcome, a win or a draw; or if several win, and
    one of them by more than all others.
    """
    moves = database.moves(state) if database.bounds(state) is not None else []
    if len(moves) < 3 or moves[0].outcome < 0:
        return None
    best = [move for move in moves if move.outcome == moves[0].outcome]
    margin = 1 if moves[0].outcome > 0 else None
    if len(best) > 1:
        south, north = state.captured or (0, 0)
        ahead = south - north if state.to_move == 0 else north - south
        if margin is None or best[0].lower is None or best[1].lower is None or best[0].lower == best[1].lower:
            return None
        margin = ahead + best[0].lower
        if margin <= max(1, ahead):  # so that there is something to be done
            return None
    return Puzzle(str(state.game), str(state), Goal(state.to_move, margin), best[0].move)


def rated(puzzle: Puzzle, database: EndgameDatabase) -> Puzzle:
    """Returns a puzzle with its solution, its rating and what that is made of."""
    judge = Judge(puzzle, database)
    state = puzzle.state
    assert judge.keeping(state) == [puzzle.key]
    decisions = judge.forced(state, _DEPTH)
    failed = [name for name, solver in SOLVERS.items() if _answer(solver.engine, state) != puzzle.key]
    plausible = _plausible(puzzle)
    laps = _longest_relay(state, judge.line(state, 2 * _DEPTH))
    rating = decisions + plausible / 2 + sum(SOLVERS[name].weight for name in failed) + min((laps or 0) / 5, 2)
    facts = {"decisions": decisions, "plausible": plausible, "failed": failed, "longest_relay": laps}
    return replace(puzzle, solution=judge.tree(), rating=round(rating, 1), facts=facts)


def _longest_relay(state: State, line: list[str]) -> int | None:
    """Returns the most laps of a move of a line; None in games that do not count them."""
    most, rules = 0, state.game.rules
    for move in line:
        number = rules.move_number(move)
        assert number is not None
        laps = rules.laps(state.position, number)
        if laps is None:
            return None
        most = max(most, laps)
        state = state.play(move)
    return most


def _answer(engine: str, state: State) -> str:
    loaded = load_engine(engine)
    loaded.new_game(rng_seed=0)
    return _search(loaded, state).move


def _search(engine: Engine, state: State) -> SearchResult:
    """Returns what an engine finds."""
    return _unless_interrupted(engine.search(state))


def _unless_interrupted(result: SearchResult) -> SearchResult:
    """Hands on a result; Ctrl-C, which ends a search only, is to end all."""
    if result.interrupted:
        raise KeyboardInterrupt
    return result


def _plausible(puzzle: Puzzle) -> int:
    """Returns how many wrong moves a shallow search does not value less than the right one."""
    state = puzzle.state
    result = _unless_interrupted(AlphaBetaEngine(depth=4).search(state, lines=len(state.legal_moves())))
    values = {line.pv[0]: line.value for line in result.lines}
    return sum(value >= values[puzzle.key] for move, value in values.items() if move != puzzle.key)
