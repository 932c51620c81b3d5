"""Alpha-beta against a plain minimax, and what its results claim."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import threading
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import mancala_ai
from engines.alphabeta import in_seeds
from engines.evaluation import INFINITY, evaluate, game_weights, quiescence_of, result_value
from engines.transposition import EXACT, entry_value, new_table, probe, store_entry
from mancala_ai import Limit, State
from mancala_ai.kernels import (
    NO_MOVE,
    end_margin,
    infinite_margin,
    is_over,
    kernel,
    key,
    load,
    material,
    next_move,
    play,
    side_to_move,
    store,
)

GAMES = (
    "giuthi(holes=5,seeds=4)",
    "giuthi",
    "giuthi(holes=6,seeds=4,infinite=split)",
    "kiothi",
    "kpe",
    "kisolo",
    "rio_kadalis",
    "rio_kadalis(holes=5,infinite=own_side)",
    "oware",
    "kalah",
)


MOST_NODES = 20_000_000


@kernel
def _minimax(rules, position, depth, path, ply, weights, total, plies, gain, left):  # type: ignore[no-untyped-def]
    # No windows, no table, no order: every line to the same depth, each with its own path of keys. Beyond the depth so
    # many plies of moves that gain so much material, or none of them. `left[0]` counts down the nodes that are allowed.
    left[0] -= 1
    if left[0] < 0:
        return np.int64(0)
    side = side_to_move(position)
    if is_over(position):
        return result_value(end_margin(rules, position), side)
    position_key = key(rules, position)
    for i in range(ply):
        same = True
        for word in range(len(position_key)):
            same &= path[i, word] == position_key[word]
        if same:
            return result_value(infinite_margin(rules, position), side)
    best = -INFINITY
    if depth <= 0:
        value = evaluate(rules, position, weights, np.uint64(0), np.int64(total))
        best = value if side == np.uint64(0) else -value
        if depth + plies <= 0:
            return best
    store(position_key, path[ply])
    sign = np.int64(1) if side == np.uint64(0) else np.int64(-1)
    move = next_move(rules, position, np.uint64(0))
    while move != NO_MOVE:
        after = play(rules, position, move)
        if depth > 0 or sign * (material(rules, after) - material(rules, position)) >= gain:
            value = _minimax(rules, after, depth - 1, path, ply + 1, weights, total, plies, gain, left)
            best = max(best, value if side_to_move(after) == side else -value)
        move = next_move(rules, position, move + np.uint64(1))
    return best


@kernel
def _minimax_root(rules, words, depth, path, ply, weights, total, plies, gain, left):  # type: ignore[no-untyped-def]
    return _minimax(rules, load(rules, words), depth, path, ply, weights, total, plies, gain, left)


def minimax(state: State, depth: int) -> float | None:
    """The value of plain minimax in seeds, repetition of the game's history included; None beyond MOST_NODES."""
    earlier = state.history[:-1]
    plies, gain = quiescence_of(state.game.name)
    path = np.zeros((len(earlier) + depth + plies + 1, state.game.rules.words), dtype=np.uint64)
    path[: len(earlier)] = earlier
    weights = game_weights(state.game, "fitted")
    rules, total = state.game.rules, state.total_seeds
    left = np.array([MOST_NODES])
    value = _minimax_root(rules, state.words, depth, path, len(earlier), weights, total, plies, gain, left)
    return in_seeds(int(value)) if left[0] >= 0 else None


def random_states(name: str, count: int, rng_seed: int) -> list[State]:
    """States from random play, with their histories; every other one is from late in its game."""
    rng = random.Random(f"{name}{rng_seed}")
    game = mancala_ai.load_game(name)
    states: list[State] = []
    while len(states) < count:
        state = game.initial_state()
        line = []
        while not state.is_over:
            line.append(state)
            state = state.play(rng.choice(state.legal_moves()))
        states.append(rng.choice(line))
        states.append(rng.choice(line[-8:]))
    return states[:count]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", GAMES)
def test_exact_depth_gives_the_value_of_plain_minimax(name: str, threads: int, full: bool) -> None:
    engine, compared, skipped = mancala_ai.load_engine(f"alphabeta(exact_depth=True,tt_mb=4,threads={threads})"), 0, 0
    for state in random_states(name, 500 if full else 24, rng_seed=threads):
        for depth in range(1, 6 if full else 5):
            expected = minimax(state, depth)
            if expected is None:  # Kiothi's openings have up to 60 moves a ply
                skipped += 1
                break
            result = engine.search(state, Limit(depth=depth))
            assert result.move in state.legal_moves()
            # A finished search stops deepening, and then its value is that of every greater depth.
            assert result.depth == depth or result.proven
            assert result.value == (expected if result.depth == depth else minimax(state, result.depth)), repr(state)
            compared += 1
    print(
        f"{name}, {threads} threads: {compared} values compared, {skipped} positions too large for the greatest depths"
    )
    assert compared >= 20 * (skipped + 1)


@pytest.mark.parametrize("name", GAMES)
def test_the_same_search_gives_the_same_result_whatever_came_before(name: str) -> None:
    first, second, *others = random_states(name, 6, rng_seed=7)
    for limit in (Limit(depth=5), Limit(nodes=3000)):
        used = mancala_ai.load_engine("alphabeta(tt_mb=1)")
        for state in (second, *others):
            used.search(state, limit)
        fresh = mancala_ai.load_engine("alphabeta(tt_mb=1)").search(first, limit)
        again = used.search(first, limit)
        assert (fresh.move, fresh.value, fresh.pv, fresh.nodes) == (again.move, again.value, again.pv, again.nodes)


@pytest.mark.parametrize("name", GAMES)
def test_a_win_in_one_move_is_taken(name: str) -> None:
    engine, found = mancala_ai.load_engine("alphabeta(depth=4,tt_mb=1)"), 0
    for state in random_states(name, 200, rng_seed=3):
        wanted = 1 if state.to_move == 0 else -1
        if any(state.play(move).outcome == wanted for move in state.legal_moves()):
            result = engine.search(state)
            assert state.play(result.move).outcome == wanted
            assert result.proven
            found += 1
    assert found >= 3


@pytest.mark.parametrize("name", GAMES)
def test_the_principal_variation_can_be_played_and_lines_are_in_order(name: str) -> None:
    engine = mancala_ai.load_engine("alphabeta(tt_mb=1)")
    for state in random_states(name, 8, rng_seed=5):
        *_, result = engine.analyse(state, Limit(depth=4), lines=3)
        assert len(result.lines) == min(3, len(state.legal_moves()))
        assert [line.value for line in result.lines] == sorted((line.value for line in result.lines), reverse=True)
        assert len({line.pv[0] for line in result.lines}) == len(result.lines)
        assert (result.move, result.value, result.pv) == (result.lines[0].pv[0], *result.lines[0])
        for line in result.lines:
            after = state
            for move in line.pv:
                after = after.play(move)  # raises if illegal


def test_every_line_has_the_value_of_searching_its_move_alone() -> None:
    state = mancala_ai.load_game("giuthi(holes=5,seeds=4)").initial_state()
    *_, result = mancala_ai.load_engine("alphabeta(exact_depth=True)").analyse(state, Limit(depth=3), lines=99)
    assert len(result.lines) == len(state.legal_moves())
    for line in result.lines:
        after = state.play(line.pv[0])
        value = minimax(after, 2)
        assert value is not None
        assert line.value == (value if after.to_move == state.to_move else -value)


def test_a_repetition_of_the_game_so_far_is_worth_what_the_rules_say() -> None:
    engine, found = mancala_ai.load_engine("alphabeta(tt_mb=1)"), 0
    for state in random_states("rio_kadalis", 300, rng_seed=11):
        *_, result = engine.analyse(state, Limit(depth=1), lines=99)
        for line in result.lines:
            after = state.play(line.pv[0])
            if after.termination == "infinite":
                margin = (after.margin or 0) * (1 if state.to_move == 0 else -1)
                assert line.value == margin + 1000 * ((margin > 0) - (margin < 0))
                found += 1
    assert found >= 5


def test_solved_endgames() -> None:
    # Where the exact mode proves a result it is the solved one, and the normal mode agrees with it in outcome.
    puzzles = [json.loads(line) for line in (Path(__file__).parent / "vectors" / "puzzles.jsonl").open()]
    exact = mancala_ai.load_engine("alphabeta(exact_depth=True)")
    normal = mancala_ai.load_engine("alphabeta")
    proven = 0
    for puzzle in puzzles:
        state = mancala_ai.load_game(puzzle["game"]).state(puzzle["position"])
        result = exact.search(state, Limit(nodes=200_000))
        if result.proven:
            assert _outcome(result) == puzzle["mover_outcome"], puzzle
            assert result.move in puzzle["best"], puzzle
            agreed = normal.search(state, Limit(depth=result.depth))
            assert _outcome(agreed) == puzzle["mover_outcome"], puzzle
            assert agreed.move in puzzle["best"], puzzle
            proven += 1
    assert proven >= 25


def _outcome(result: mancala_ai.SearchResult) -> int:
    assert result.value is not None
    return (result.value >= 1000) - (result.value <= -1000)


@pytest.mark.parametrize("option", ["depth=3", "seconds=0.01", "depth=3,threads=2", "evaluation=material,depth=2"])
def test_engine_strings(option: str) -> None:
    state = mancala_ai.load_game("kpe").initial_state()
    assert mancala_ai.load_engine(f"alphabeta({option})").search(state).move in state.legal_moves()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alphabeta(depth=-1)", "depth=-1: expected 0 to"),
        ("alphabeta(seconds=-0.5)", "seconds=-0.5: expected 0 or more"),
        ("alphabeta(threads=0)", "threads=0: expected 1 to 256"),
        ("alphabeta(tt_mb=0)", "tt_mb=0: expected 1 to"),
        ("alphabeta(evaluation=best)", "evaluation=best: expected fitted or material"),
        ("alphabeta(dept=3)", "did you mean 'depth'?"),
        ("alphabeta(depth=deep)", "depth='deep': expected a whole number"),
    ],
)
def test_bad_options_are_refused(text: str, message: str) -> None:
    with pytest.raises(mancala_ai.GameStringError, match=re.escape(message)):
        mancala_ai.load_engine(text)


def test_a_finished_game_cannot_be_searched() -> None:
    over = mancala_ai.load_game("giuthi").state("1,1,0,0,0,0,0,0/0,1,0,0,0,0,0,0 S 60-60")
    with pytest.raises(mancala_ai.MancalaError, match="the game is over"):
        mancala_ai.load_engine("alphabeta").search(over)


def test_the_node_limit_holds_and_depth_one_is_always_finished() -> None:
    state = mancala_ai.load_game("giuthi").initial_state()
    assert mancala_ai.load_engine("alphabeta").search(state, Limit(nodes=5)).depth == 1
    result = mancala_ai.load_engine("alphabeta").search(state, Limit(nodes=20_000))
    assert result.depth > 3
    assert 20_000 <= result.nodes < 20_010  # those of the depth that was not finished included


def test_the_time_limit_stops_a_search_without_end() -> None:
    state = mancala_ai.load_game("giuthi").initial_state()
    result = mancala_ai.load_engine("alphabeta(threads=2)").search(state, Limit(seconds=0.2))
    assert result.move in state.legal_moves()
    assert result.depth < 40


def test_ctrl_c_gives_the_best_so_far() -> None:
    state = mancala_ai.load_game("giuthi").initial_state()
    engine = mancala_ai.load_engine("alphabeta")
    engine.search(state, Limit(depth=2))  # compiled now
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = engine.search(state, Limit(depth=60))
    assert result.interrupted
    assert result.depth >= 2
    assert result.move in state.legal_moves()


def test_a_torn_table_entry_is_no_entry() -> None:
    table = new_table(1)
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 2**64, 1000, dtype=np.uint64)
    for i, entry_key in enumerate(keys):
        _store(table, entry_key, i)
    found = sum(int(_probe(table, entry_key) == i) for i, entry_key in enumerate(keys))
    assert found > 990  # four entries a bucket: hardly any was displaced
    table[0::2] ^= np.uint64(1)  # as if the key words came from another writer
    assert all(_probe(table, entry_key) == -1 for entry_key in keys)


@kernel
def _store_kernel(table, key, value):  # type: ignore[no-untyped-def]
    store_entry(table, np.uint64(key[0]), np.uint64(1), np.int64(value), np.int64(3), EXACT, False, np.uint64(7))


@kernel
def _probe_kernel(table, key):  # type: ignore[no-untyped-def]
    data = probe(table, np.uint64(key[0]), np.uint64(1))
    return np.int64(-1) if data == np.uint64(0) else entry_value(data)


def _store(table: npt.NDArray[np.uint64], key: np.uint64, value: int) -> None:
    _store_kernel(table, np.array([key]), value)


def _probe(table: npt.NDArray[np.uint64], key: np.uint64) -> int:
    return int(_probe_kernel(table, np.array([key])))
