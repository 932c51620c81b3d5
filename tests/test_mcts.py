"""MCTS: what is visited is as computed by hand, what is proven is true, and runs repeat."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import random
import signal
import threading
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mancala_ai
from engines import mcts_tree as kernels
from engines.endgame.index import empty_database
from engines.evaluation import SEED, evaluate, game_weights
from engines.mcts import MctsEngine
from mancala_ai import GameStringError, Limit, SearchResult, State
from mancala_ai.playouts import ALWAYS_RANDOM, FILTER_WORDS, play_out
from tests import reference
from tests.helpers import ROOT, run_python

GAMES = ("giuthi(holes=5,seeds=4)", "kiothi", "kpe", "kisolo", "rio_kadalis", "oware(holes=4,seeds=3)", "kalah")
Words = npt.NDArray[np.uint64]


class Grower:
    """A search by hand: one simulation after the other, with the tree in view."""

    def __init__(self, state: State, c: float) -> None:
        self.state, self.c = state, c
        self.work, self.tree = kernels.new_workspace(), kernels.new_tree(10_000)
        self.work[kernels.SIZE] = 1
        self.work[kernels.NODE_LIMIT] = 1 << 62
        self.work[kernels.EPSILON] = ALWAYS_RANDOM

    def children(self, node: int = 0) -> range:
        """The nodes of a node's children."""
        links = self.tree[kernels.LINKS, node]
        first = int(kernels.first_child(links))
        return range(first, first + int(kernels.child_count(links)))

    def move(self, node: int) -> str:
        """The move that leads to a node."""
        return self.state.game.rules.move_name(int(kernels.move_of(self.tree[kernels.LINKS, node])))

    def visits(self) -> dict[str, int]:
        """How often each move of the root was visited."""
        return {self.move(child): int(self.tree[kernels.VISITS, child]) for child in self.children()}

    def rewards(self, node: int = 0) -> float:
        """The sum of the rewards of a node, for South."""
        return float(self.tree[kernels.REWARDS, node].astype(np.int64)) / kernels.UNIT

    def simulate(self) -> str:
        """One simulation more; the root's move that it went through."""
        before = self.visits()
        self.work[kernels.SIMULATION_LIMIT] = self.work[kernels.SIMULATIONS] + np.uint64(1)
        rules, history = self.state.game.rules, self.state.recent_history.copy()
        kernels.simulate(rules, self.state.words, history, self.work, self.tree, empty_database(), self.c)
        (move,) = [move for move, visits in self.visits().items() if visits != before.get(move, 0)]
        return move


# The order of visits.


@pytest.mark.parametrize("position", ["0,1,1,1/0,0,0,1 N 21-23 abcd/abcd", "1,0,0,0/1,1,1,0 S 23-21 abcd/abcd"])
def test_order_of_visits_is_that_of_the_formula(position: str) -> None:
    """Three moves, in either position: the player to move wins in every line after a, loses after b, draws after c.

    So every reward is 1, -1 or 0, and with c = 8 the values Q + c sqrt(ln N / n) of the moves are

         N    n  a                        n  b                         n  c
         3    1  1 + 8 * 1.048 = 9.39     1  -1 + 8 * 1.048 = 7.39     1  8 * 1.048 = 8.39    a
         4    2  1 + 8 * 0.833 = 7.66     1  -1 + 8 * 1.177 = 8.42     1  8 * 1.177 = 9.42    c
         5    2  1 + 8 * 0.897 = 8.18     1  -1 + 8 * 1.269 = 9.15     2  8 * 0.897 = 7.18    b
         6    2  1 + 8 * 0.947 = 8.57     2  -1 + 8 * 0.947 = 6.57     2  8 * 0.947 = 7.57    a

    after one visit of each, in order, because nothing was known of them. The line after a has three positions, the last
    ones ends of the game: every visit goes one deeper, and the third proves the win.
    """
    state = mancala_ai.load_game("kpe").state(position)
    grower = Grower(state, c=8.0)
    order = ""
    for _ in range(7):
        assert kernels.outcome_of(grower.tree[kernels.LINKS, 0]) == kernels.OPEN
        order += grower.simulate()
    assert order == "abc" + "acba"
    assert grower.rewards() == (3 - 2) * (1 - 2 * state.to_move)
    win = kernels.SOUTH_WINS if state.to_move == 0 else kernels.NORTH_WINS
    assert kernels.outcome_of(grower.tree[kernels.LINKS, 0]) == win


def test_a_hand_built_tree_is_followed() -> None:
    """Two plies with visits and rewards as written: N = 30; c = 1.

        a: n 10, sum  2 for South: 0.2 + sqrt(3.401 / 10) = 0.2 + 0.583 = 0.783
        b: n 12, sum  6:           0.5 + sqrt(3.401 / 12) = 0.5 + 0.532 = 1.032   chosen by South
        c: n  5, sum  0:           0.0 + sqrt(3.401 / 5)  = 0.0 + 0.825 = 0.825
        d: n  3, sum -1:          -0.3 + sqrt(3.401 / 3)  = -0.333 + 1.065 = 0.731

    below b, with N = 12, for North, whose sums are the negatives:

        a: n  4, sum  4: -1.00 + sqrt(2.485 / 4) = -1.00 + 0.788 = -0.212
        b: n  3, sum  1: -0.33 + sqrt(2.485 / 3) = -0.333 + 0.910 = 0.577
        c: n  2, sum  1: -0.50 + sqrt(2.485 / 2) = -0.50 + 1.115 = 0.615   chosen by North
        d: n  3, sum  0:  0.00 + sqrt(2.485 / 3) = 0.910, but proven to lose
    """
    grower = Grower(mancala_ai.load_game("kpe").initial_state(), c=1.0)
    for _ in range(100):
        grower.simulate()
    b = grower.children()[1]

    def fill(node: int, children: range, visits: list[int], rewards: list[int]) -> None:
        for child, n, reward in zip([node, *children], [sum(visits), *visits], [sum(rewards), *rewards], strict=True):
            grower.tree[kernels.VISITS, child] = n
            grower.tree[kernels.REWARDS, child] = np.int64(reward * kernels.UNIT).astype(np.uint64)

    below = grower.children(b)
    fill(0, grower.children(), [10, 12, 5, 3], [2, 6, 0, -1])
    fill(b, below, [4, 3, 2, 3], [4, 1, 1, 0])
    grower.tree[kernels.REWARDS, b] = 6 * kernels.UNIT
    grower.tree[kernels.LINKS, below[3]] |= kernels.SOUTH_WINS << np.uint64(62)
    assert grower.simulate() == "b"
    assert grower.tree[kernels.VISITS, below].tolist() == [4, 3, 3, 3]


def test_a_draw_in_hand_is_not_given_up_for_worse() -> None:
    """North has two moves: a ends the game as a draw, f begins a forced line of eleven plies that loses.

    Simulation 1 proves the draw. Simulation 2 looks at f for the first time and finds a loss, which counts. From then
    on f is worth -1 + sqrt(ln N / n) < 0 (n = N - 1; -0.17 at first), so the draw is better: the simulations explore f,
    one node deeper each, as there is nothing to learn about a, but count as draws. The 13th meets the end and proves f
    lost, and with it the root drawn.
    """
    state = mancala_ai.load_game("rio_kadalis").state("1,0,0,0,0,1/0,0,0,0,0,0 N 24-22")
    grower = Grower(state, c=1.0)
    for n in range(1, 14):
        assert kernels.outcome_of(grower.tree[kernels.LINKS, 0]) == kernels.OPEN
        assert grower.simulate() == ("a" if n == 1 else "f")
        assert grower.rewards() == (0 if n == 1 else 1)
    a, f = grower.children()
    assert kernels.outcome_of(grower.tree[kernels.LINKS, [0, a, f]]).tolist() == [
        kernels.DRAWN,
        kernels.DRAWN,
        kernels.SOUTH_WINS,
    ]
    result = MctsEngine(simulations=13, c=1.0).search(state, lines=2)
    assert (result.move, result.value, result.proven, result.simulations) == ("a", 0.0, True, 13)
    assert [line.value for line in result.lines] == [0.0, -1.0]
    assert len(result.lines[1].pv) == 12


@pytest.mark.parametrize("name", ["giuthi", "kiothi", "kisolo"])
def test_every_node_has_the_view_of_the_player_to_move(name: str) -> None:
    """Extra moves and opening steps: who chooses in a node is who is to move there; and all visits add up."""
    state = mancala_ai.load_game(name).initial_state()
    grower = Grower(state, c=1.0)
    for _ in range(400):
        grower.simulate()
    again = 0
    stack = [(0, state)]
    while stack:
        node, at = stack.pop()
        children = grower.children(node)
        if not children:
            continue
        assert [grower.move(child) for child in children] == at.legal_moves()
        assert kernels.chooser(grower.tree[kernels.LINKS, node]) == at.to_move
        own = 1 if node else 0  # the playout from when the node was a leaf
        assert grower.tree[kernels.VISITS, node] == own + grower.tree[kernels.VISITS, children].sum()
        after = [(child, at.play(grower.move(child))) for child in children]
        again += sum(next_.to_move == at.to_move for _, next_ in after)
        stack += after
    assert again or name == "kisolo"


# Proofs.


class TooManyError(Exception):
    """There are more positions than can be tried."""


def true_outcome(state: reference.State[Any], budget: list[int], depth: int = 0) -> int:
    """Minimax over whole lines, history included, for the player to move; the rest is not looked at after a win.

    Raises:
        TooManyError: the positions are more than the budget, or lines too long.
    """
    budget[0] -= 1
    if budget[0] < 0 or depth == 100:
        raise TooManyError
    if state.outcome is not None:
        return state.outcome * (1 - 2 * state.to_move)
    best = -1
    for move in state.legal_moves():
        after = state.play(move)
        outcome = true_outcome(after, budget, depth + 1)
        best = max(best, outcome if after.to_move == state.to_move else -outcome)
        if best == 1:
            break
    return best


@functools.cache
def endgames(name: str) -> list[tuple[State, int]]:
    """25 states near the end of random games, with their histories and true outcomes for the player to move."""
    rng = random.Random(name)
    found: list[tuple[State, int]] = []
    game, literal = mancala_ai.load_game(name), reference.load_game(name)
    while len(found) < 25:
        states, others = [game.initial_state()], [literal.initial_state()]
        while not states[-1].is_over:
            move = rng.choice(states[-1].legal_moves())
            states.append(states[-1].play(move))
            others.append(others[-1].play(move))
        solved: list[tuple[State, int]] = []
        with contextlib.suppress(TooManyError):
            for state, other in zip(states[-2::-1], others[-2::-1], strict=True):
                solved.append((state, true_outcome(other, [400])))
        found += solved[-1:]  # as early in the game as can be exhausted
    return found


@pytest.mark.parametrize("name", [*GAMES, "giuthi(holes=6,seeds=4,infinite=split)", "rio_kadalis(infinite=draw)"])
def test_small_endgames_are_proven(name: str) -> None:
    """The proven outcome is that of minimax over all lines, each with its own history."""
    engine = MctsEngine(simulations=20_000)
    for state, outcome in endgames(name):
        result = engine.search(state)
        assert result.proven, repr(state)
        assert result.value == outcome, repr(state)
        assert result.pv[0] == result.move
        after = state.play(result.move)  # the move keeps what is proven
        if after.is_over:
            assert after.outcome == outcome * (1 - 2 * state.to_move)
        else:
            again = engine.search(after)
            assert again.proven
            assert again.value == (outcome if after.to_move == state.to_move else -outcome)


def test_the_endgames_have_every_outcome_and_some_end_by_repetition() -> None:
    """So that the test above has seen what is difficult."""
    found = [endgame for name in GAMES for endgame in endgames(name)]
    assert all(sum(outcome == wanted for _, outcome in found) > 5 for wanted in (-1, 0, 1))
    after = [state.play(move) for state, _ in found for move in state.legal_moves()]
    assert sum(state.termination == "infinite" for state in after) > 5


@pytest.mark.parametrize("option", ["cutoff=3", "playout=greedy", "threads=2", "reuse=True"])
def test_options_do_not_change_what_is_proven(option: str) -> None:
    """Not even estimates in the place of outcomes."""
    engine = mancala_ai.load_engine(f"mcts(simulations=20000,{option})")
    for state, outcome in endgames("giuthi(holes=5,seeds=4)"):
        result = engine.search(state)
        assert (result.proven, result.value) == (True, outcome), repr(state)


# Runs repeat.


def same(result: SearchResult) -> SearchResult:
    """A result without what a clock has measured."""
    return replace(result, seconds=0.0)


@pytest.mark.parametrize("limit", [Limit(simulations=700), Limit(nodes=30_000)])
@pytest.mark.parametrize("options", ["", "playout=greedy", "cutoff=5", "threads=3"])
def test_runs_repeat_whatever_was_searched_before(options: str, limit: Limit) -> None:
    """And so does what `analyse` says on the way; only another rng_seed changes it."""
    state = mancala_ai.load_game("rio_kadalis").initial_state().play("c")
    engine = mancala_ai.load_engine(f"mcts({options})")
    first = same(engine.search(state, limit))
    engine.search(state.play("a"), Limit(simulations=300))
    engine.search(mancala_ai.load_game("kpe").initial_state(), Limit(seconds=0.01))
    assert same(engine.search(state, limit)) == first
    reported = [same(result) for result in engine.analyse(state, limit)]
    assert reported[-1] == first
    assert [same(result) for result in engine.analyse(state, limit)] == reported
    assert reported[0].simulations == 256
    assert all(later.simulations > earlier.simulations for earlier, later in itertools.pairwise(reported))
    engine.new_game(rng_seed=1)
    assert same(engine.search(state, limit)) != first
    engine.new_game(rng_seed=0)
    assert same(engine.search(state, limit)) == first


def test_a_search_within_an_analysis_does_not_disturb_it() -> None:
    state = mancala_ai.load_game("kpe").initial_state()
    engine = MctsEngine()
    alone = [same(result) for result in engine.analyse(state, Limit(simulations=5000))]
    together = []
    for result in engine.analyse(state, Limit(simulations=5000)):
        together.append(same(result))
        engine.search(state, Limit(simulations=100))
    assert together == alone


# Limits.


def test_limits_count() -> None:
    """Simulations exactly, nodes to the end of a simulation; all threads together; the engine's own limit, too."""
    state = mancala_ai.load_game("kisolo").initial_state()
    for threads in (1, 2, 5):
        engine = MctsEngine(threads=threads)
        assert engine.search(state, Limit(simulations=1001)).simulations == 1001
        assert sum(int(tree[kernels.VISITS, 0]) for tree in engine._trees) == 1001
        assert 20_000 <= engine.search(state, Limit(nodes=20_000)).nodes < 20_000 + threads * 500
    assert MctsEngine(threads=5).search(state, Limit(simulations=3)).simulations == 3
    assert MctsEngine().search(state).simulations == 10_000
    assert MctsEngine(simulations=50).search(state).simulations == 50
    assert MctsEngine(simulations=50).search(state, Limit(simulations=20, nodes=10**9)).simulations == 20


def test_lines_are_ranked() -> None:
    """As many as asked for, from the most visited on, each with its own move first."""
    state = mancala_ai.load_game("giuthi").initial_state()
    engine = MctsEngine()
    result = engine.search(state, Limit(simulations=3000), lines=5)
    assert len(result.lines) == 5
    assert result.lines[0] == (result.value, result.pv)
    first = int(kernels.first_child(engine._trees[0][kernels.LINKS, 0]))
    visits = dict(zip(state.legal_moves(), engine._trees[0][kernels.VISITS, first : first + 16].tolist(), strict=True))
    assert [visits[line.pv[0]] for line in result.lines] == sorted(visits.values(), reverse=True)[:5]
    assert len(engine.search(state, Limit(simulations=3000), lines=100).lines) == 16
    for line in result.lines:
        at = state
        for move in line.pv:
            at = at.play(move)  # raises if the line is not legal


@pytest.mark.parametrize("reuse", [False, True])
def test_full_trees_are_searched_on(reuse: bool) -> None:
    """The tree stops growing within its bound; simulations go on."""
    state = mancala_ai.load_game("giuthi").initial_state()
    engine = MctsEngine(tree_mb=1, reuse=reuse)
    result = engine.search(state, Limit(simulations=60_000))
    assert result.simulations == 60_000
    assert sum(tree.nbytes for tree in engine._trees) <= 1 << 20
    tree = engine._trees[0]
    assert tree[kernels.VISITS, 0] == 60_000
    used = int((kernels.first_child(tree[kernels.LINKS]) + kernels.child_count(tree[kernels.LINKS])).max())
    assert tree.shape[1] - 16 < used <= tree.shape[1]
    assert result.move in state.legal_moves()
    assert engine.search(state.play(result.move), Limit(simulations=1000)).simulations == 1000


def test_ctrl_c_ends_a_search_with_a_result() -> None:
    state = mancala_ai.load_game("giuthi").initial_state()
    engine = MctsEngine()
    engine.search(state, Limit(simulations=1))  # compiled before the signal comes
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = engine.search(state, Limit(simulations=10**15))
    timer.join()
    assert result.interrupted
    assert result.move in state.legal_moves()
    assert 0 < result.simulations < 10**15


@pytest.mark.parametrize("threads", [1, 2])
def test_time_and_the_consumer_end_a_search(threads: int) -> None:
    """Even a limit that is over at once leaves room for a move; an analysis that is closed stops."""
    state = mancala_ai.load_game("kiothi").initial_state()
    engine = MctsEngine(threads=threads, playout="greedy")
    for seconds in (1e-9, 0.03):
        result = engine.search(state, Limit(seconds=seconds))
        assert result.move in state.legal_moves()
        assert result.simulations >= 1
    analysis = engine.analyse(state)
    assert next(analysis).simulations == 256
    before = threading.active_count()
    analysis.close()  # type: ignore[attr-defined]
    assert threading.active_count() < before


# Playouts.


@pytest.mark.parametrize("name", GAMES)
def test_greedy_playouts_take_the_largest_gain(name: str) -> None:
    """Every move that gains most, and no other, with epsilon 0; others, too, with epsilon 1."""
    rng = random.Random(name)
    game = mancala_ai.load_game(name)
    for _ in range(10):
        states = [game.initial_state()]
        while not states[-1].is_over:
            states.append(states[-1].play(rng.choice(states[-1].legal_moves())))
        state = rng.choice(states[:-1])
        sign = 1 - 2 * state.to_move
        after = [state.play(move) for move in state.legal_moves()]
        gains = [sign * int(mancala_ai.kernels.material(game.rules, at.position)) for at in after]
        best = {at.words.tobytes() for at, gain in zip(after, gains, strict=True) if gain == max(gains)}
        every = {at.words.tobytes() for at in after}
        assert {one_ply(state, rng_seed, 0) for rng_seed in range(20 * len(best))} == best
        assert {one_ply(state, rng_seed, int(ALWAYS_RANDOM)) for rng_seed in range(20 * len(every))} == every


def one_ply(state: State, rng_seed: int, epsilon: int) -> bytes:
    """The words of the position after one move of a playout."""
    path = np.zeros((4, state.game.rules.words), dtype=np.uint64)
    seen = np.zeros(FILTER_WORDS, dtype=np.uint64)
    numbers = (np.uint64(n) for n in (rng_seed * 0x9E3779B97F4A7C15 % 2**64, 1, epsilon))
    position = play_out(state.game.rules, state.position, path, np.uint64(0), seen, *numbers)[0]
    return np.array(position, dtype=np.uint64).tobytes()


def test_cut_off_playouts_are_worth_what_they_look_like() -> None:
    """With all playouts cut off after one ply, the first reward is the logistic function of one static value."""
    game = mancala_ai.load_game("kpe")
    state = game.state("0,0,3,0/0,0,0,3 S 20-14 abcd/abcd")  # one move each
    result = MctsEngine(cutoff=1, simulations=1).search(state)
    assert result.value is not None
    leaf = state.play("d").play("b")
    value = int(evaluate(game.rules, leaf.position, game_weights(game, "fitted"), np.uint64(0), np.int64(40)))
    assert not leaf.is_over
    assert result.value == pytest.approx(np.tanh(value / SEED / 2 / (40 / 10)), abs=1e-4)
    assert 0.5 < result.value < 1
    won = game.state("0,0,3,0/0,0,0,3 S 24-10 abcd/abcd")  # more than half of the seeds
    assert MctsEngine(cutoff=1, simulations=1).search(won).value == pytest.approx(1.0, abs=1e-4)


# Trees that are kept.


def test_reuse_goes_on_with_the_part_of_the_tree_that_was_played() -> None:
    state = mancala_ai.load_game("giuthi").initial_state()
    engine = MctsEngine(reuse=True)
    engine.search(state, Limit(simulations=5000))
    old = engine._trees[0].copy()

    def visits_below(tree: Words, node: int) -> list[list[int]]:
        """Visits and rewards of a subtree, breadth first, with moves."""
        rows, queue = [], [node]
        for at in queue:
            links = tree[kernels.LINKS, at]
            first = int(kernels.first_child(links))
            queue += range(first, first + int(kernels.child_count(links)))
            move = int(kernels.move_of(links)) if at != node else -1
            rows.append([move, int(tree[kernels.VISITS, at]), int(tree[kernels.REWARDS, at])])
        return rows

    reply, node = state, 0
    for move in ("b+", "e-"):
        node = int(kernels.first_child(old[kernels.LINKS, node])) + reply.legal_moves().index(move)
        reply = reply.play(move)
    expected = visits_below(old, node)
    assert len(expected) > 16
    trees, sizes = engine._borrow_trees(reply, 1)
    assert visits_below(trees[0], 0) == expected
    assert sizes == [len(expected)]
    engine._return_trees(trees, reply, sizes)

    kept = int(trees[0][kernels.VISITS, 0])
    assert engine.search(reply, Limit(simulations=100)).simulations == 100
    assert engine._trees[0][kernels.VISITS, 0] == kept + 100
    engine.new_game()
    engine.search(reply, Limit(simulations=100))
    assert engine._trees[0][kernels.VISITS, 0] == 100
    engine.search(state, Limit(simulations=100))  # not what follows
    assert engine._trees[0][kernels.VISITS, 0] == 100


def test_whole_games_with_reuse_end_by_the_rules() -> None:
    """Trees carried through repetitions, proofs and passes give legal moves throughout."""
    for name in GAMES:
        engine = MctsEngine(reuse=True, threads=2)
        state = mancala_ai.load_game(name).initial_state()
        while not state.is_over:
            state = state.play(engine.search(state, Limit(simulations=100)).move)


# Options, and the rest.


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("simulations=-1", "simulations=-1: expected 0 or more"),
        ("c=-0.5", "c=-0.5: expected 0 to 100"),
        ("playout=clever", "playout=clever: expected uniform or greedy"),
        ("epsilon=1.5", "epsilon=1.5: expected 0 to 1"),
        ("cutoff=-3", "cutoff=-3: expected 0 or more"),
        ("threads=0", "threads=0: expected 1 to 256"),
        ("tree_mb=0", "tree_mb=0: expected 1 to 65536"),
    ],
)
def test_wrong_options_are_refused(option: str, message: str) -> None:
    with pytest.raises(GameStringError) as refused:
        mancala_ai.load_engine(f"mcts({option})")
    assert str(refused.value) == f"mcts: {message}"


def test_a_finished_game_is_refused() -> None:
    with pytest.raises(GameStringError, match="the game is over"):
        MctsEngine().search(mancala_ai.load_game("kpe").state("1,0,0,0/0,0,0,0 S 24-23 -/-"))


def test_defaults_are_those_of_the_options() -> None:
    """What `mancala-ai engines` prints is what holds."""
    written = ",".join(f"{name}={option.default}" for name, option in MctsEngine.options.items())
    assert vars(mancala_ai.load_engine(f"mcts({written})")) == vars(MctsEngine())


_PROGRAM = """
import json, sys
from dataclasses import asdict
import numba
import mancala_ai

assert numba.config.DISABLE_JIT
found = []
for game, options in json.loads(sys.argv[1]):
    state = mancala_ai.load_game(game).initial_state()
    found.append(asdict(mancala_ai.load_engine(f"mcts({options})").search(state)))
print(json.dumps(found))
"""


def test_interpreted_searches_agree() -> None:
    """Without the JIT the same searches give the same results."""
    searches = [
        ("kpe", "simulations=40"),
        ("giuthi(holes=5,seeds=4)", "simulations=20,playout=greedy,threads=2,reuse=True"),
        ("kiothi", "simulations=20,cutoff=3"),
    ]
    env = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": None}
    printed = run_python(_PROGRAM, json.dumps(searches), path=[ROOT], flags=["-W", "error"], env=env)
    for (game, options), interpreted in zip(searches, json.loads(printed), strict=True):
        result = mancala_ai.load_engine(f"mcts({options})").search(mancala_ai.load_game(game).initial_state())
        compiled = json.loads(json.dumps(asdict(result)))
        assert {**interpreted, "seconds": 0} == {**compiled, "seconds": 0}


def test_compiling_takes_no_time_of_a_search(tmp_path: Path) -> None:
    program = (
        "import mancala_ai as m; state = m.load_game('kpe(holes=3)').initial_state();"
        "print(m.load_engine('mcts').search(state, m.Limit(seconds=0.2)).simulations)"
    )
    assert int(run_python(program, env={"MANCALA_AI_CACHE_DIR": str(tmp_path)})) > 1
