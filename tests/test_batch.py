"""Batches do what states do, for any number of threads."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import mancala_ai
from mancala_ai import Game, IllegalMoveError, MancalaError, State, batch
from mancala_ai.batch import Batch
from mancala_ai.game import replay
from mancala_ai.kernels import FLAGS
from mancala_ai.observation import observation
from mancala_ai.playouts import random_playouts
from mancala_ai.sharing import share
from tests import reference
from tests.helpers import run_python

# Two set-ups of each game: other sizes, and options that change what a move does or what infinite play is worth.
GAMES = [
    "giuthi",
    "giuthi(holes=5,seeds=4,capture_needs_target=True,infinite=split)",
    "kiothi",
    "kiothi(setup=5x5,infinite=own_side)",
    "kpe",
    "kpe(holes=3,seeds=1)",
    "kisolo",
    "kisolo(holes=6)",
    "rio_kadalis",
    "rio_kadalis(holes=5,clockwise=True,infinite=draw)",
]
every_game = pytest.mark.parametrize("text", GAMES)


def some_states(text: str, n: int, rng_seed: int) -> list[State]:
    """Return states after some random moves from the start and from typed positions; some are over."""
    rng = random.Random(rng_seed)
    literal: Any = reference.load_game(text)
    game = mancala_ai.load_game(text)
    states = []
    for i in range(n):
        state = game.state(literal.random_position(rng)) if i % 2 else game.initial_state()
        for _ in range(rng.randrange(25)):
            if not state.is_over:
                state = state.play_number(rng.choice(state.legal_move_numbers()))
        states.append(state)
    return states


def random_moves(states: list[State], rng: random.Random) -> list[int]:
    """Return a random legal move of every state, -1 where there is none."""
    return [rng.choice(state.legal_move_numbers() or [-1]) for state in states]


def played(state: State, move: int) -> State:
    """Return the state after a move, or the same one for -1."""
    return state if move == -1 else state.play_number(move)


def assert_same(many: Batch, states: list[State]) -> None:
    """Compare all that a batch says with what the states say."""
    words = many.words.copy()
    words[:, -1] &= ~FLAGS  # states do not flag what has recurred
    expected = np.array([state.words for state in states])
    expected[:, -1] &= ~FLAGS
    assert np.array_equal(words, expected)
    assert many.over.tolist() == [state.is_over for state in states]
    assert many.infinite.tolist() == [state.termination == "infinite" for state in states]
    assert many.to_move.tolist() == [state.to_move for state in states]
    assert many.margins().tolist() == [state.margin or 0 for state in states]
    assert many.outcomes().tolist() == [state.outcome or 0 for state in states]
    legal = [state.legal_move_numbers() for state in states]
    assert [np.flatnonzero(row).tolist() for row in many.legal_mask()] == legal
    numbers, offsets = many.legal_moves()
    assert [numbers[i:j].tolist() for i, j in pairwise(offsets)] == legal


def assert_same_states(many: Batch, states: list[State]) -> None:
    """Compare the states that a batch gives with the states, histories included."""
    for i, state in enumerate(states):
        given = many.state(i)
        assert (str(given), given.termination, given.margin) == (str(state), state.termination, state.margin)
        assert np.array_equal(given.recent_history, state.recent_history)
        assert str(given) == str(replay(given.game, str(given.start), given.moves))


@every_game
def test_batches_do_what_states_do(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random moves from states with histories, to the ends of the games; the histories outgrow their arrays."""
    monkeypatch.setattr(batch, "_FIRST_CAPACITY", 2)
    rng = random.Random(text)
    states = some_states(text, 30, 1)
    many = Batch.from_states(states)
    assert_same(many, states)
    assert_same_states(many, states)
    for ply in range(40):
        moves = random_moves(states, rng)
        assert many.play(moves) is many
        states = [played(state, move) for state, move in zip(states, moves, strict=True)]
        assert_same(many, states)
        if ply % 8 == 0:
            assert_same_states(many, states)
    assert_same_states(many, states)


def test_some_environments_move() -> None:
    """The others stay, keep their histories, and need no legal move."""
    rng = random.Random(8)
    states = some_states("kpe(holes=3,seeds=1)", 40, 8)
    many = Batch.from_states(states)
    infinite = many.infinite.sum()
    for _ in range(60):
        where = np.array([rng.random() < 0.4 for _ in states])
        moves = [move if moving else 99 for move, moving in zip(random_moves(states, rng), where, strict=True)]
        many.play(moves, where)
        states = [played(s, move) if moving else s for s, move, moving in zip(states, moves, where, strict=True)]
        assert_same(many, states)
    assert many.infinite.sum() > infinite


@pytest.mark.parametrize("text", ["kpe(holes=3,seeds=1)", "giuthi(holes=5,seeds=4)", "rio_kadalis(holes=5)"])
def test_environments_begin_again(text: str) -> None:
    """Each in its own first position, with a new history, whether the game ended normally or by repetition."""
    rng = random.Random(5)
    starts = [state for state in some_states(text, 60, 2) if not state.is_over]
    firsts = [State(state.game, state.words) for state in starts]  # without history
    many = Batch(starts[0].game, np.array([state.words for state in starts]))
    states, terminations = firsts, []
    for _ in range(150):
        moves = random_moves(states, rng)
        ended = many.step(moves)
        states = [played(state, move) for state, move in zip(states, moves, strict=True)]
        assert ended.games.tolist() == [int(state.is_over) for state in states]
        assert ended.margins.tolist() == [state.margin or 0 for state in states]
        terminations += [state.termination for state in states if state.is_over]
        states = [first if state.is_over else state for first, state in zip(firsts, states, strict=True)]
        assert np.array_equal(many.words, [state.words for state in states])
    assert set(terminations) == {"normal", "infinite"}


def test_reset_where_asked() -> None:
    """Games that are over and no others, or those that a mask names."""
    game = mancala_ai.load_game("kpe(holes=3,seeds=4)")
    over, running = game.state("0,0,0/1,0,0 S 11-12 abc/abc").play("a"), game.initial_state().play("a")
    assert over.is_over
    many = Batch.from_states([over, running, running])
    many.reset()
    assert [str(many.state(i)) for i in range(3)] == [str(over), str(running), str(running)]
    many = Batch.start(game, 3)
    many.play([0, 1, 2])
    many.reset(np.array([True, False, True]))
    assert (many.words == game.initial_state().words).all(axis=1).tolist() == [True, False, True]
    states = [game.initial_state(), game.initial_state().play("b"), game.initial_state()]
    for _ in range(12):  # and go on with the right histories
        moves = random_moves(states, random.Random(1))
        many.play(moves)
        states = [played(state, move) for state, move in zip(states, moves, strict=True)]
        assert_same(many, states)


def test_a_batch_of_ended_games_stays_ended() -> None:
    """A game that begins where it is over has no move to play, nor to choose."""
    game = mancala_ai.load_game("kpe(holes=3,seeds=4)")
    repeated = game.state("0,0,1/1,0,0 S 5-3 abc/abc")
    for move in "aabbcc":
        repeated = repeated.play(move)
    assert repeated.termination == "infinite"
    many = Batch.from_states([repeated, game.state("0,0,0/0,0,0 S 12-12 abc/abc")])
    assert many.random_steps(3).games.tolist() == [0, 0]
    assert (many.over.tolist(), many.infinite.tolist(), many.margins().tolist()) == ([True] * 2, [True, False], [2, 0])
    assert many.random_playouts(2).plies.tolist() == [[0, 0], [0, 0]]
    assert many.random_playouts(2).margins.tolist() == [[2, 2], [0, 0]]


@every_game
def test_random_steps_are_legal_moves(text: str) -> None:
    """Every position is one that a legal move leads to, and games end when and as they should."""
    game = mancala_ai.load_game(text)
    many = Batch.start(game, 12)
    first = game.initial_state()
    states = [first] * 12
    for _ in range(60):
        games, margins = many.random_steps(1, rng_seed=7)
        for i, state in enumerate(states):
            after = [state.play_number(move) for move in state.legal_move_numbers()]
            if games[i]:
                assert any(next_state.margin == margins[i] for next_state in after if next_state.is_over)
                states[i] = first
            else:
                words = many.words[i]
                states[i] = next(s for s in after if np.array_equal(s.words, words) and not s.is_over)
    assert np.array_equal(many.words, [state.words for state in states])


def test_random_steps_are_uniform() -> None:
    """All first moves are equally likely, within five standard deviations, for every rng_seed and environment."""
    game = mancala_ai.load_game("giuthi")
    after = {game.initial_state().play_number(move).words.tobytes(): 0 for move in range(16)}
    for rng_seed in (0, 1, 2**64 - 1):
        many = Batch.start(game, 4000)
        many.random_steps(1, rng_seed)
        for row in many.words:
            after[row.tobytes()] += 1
    mean = 3 * 4000 / 16
    assert all(abs(count - mean) < 5 * mean**0.5 for count in after.values())


def test_steps_in_one_call_or_many() -> None:
    """Ten calls of one step do what one call of ten does; another rng_seed does something else."""
    game = mancala_ai.load_game("giuthi(holes=5,seeds=4)")
    one, many, other = (Batch.start(game, 50) for _ in range(3))
    calls = [one.random_steps(1, 3) for _ in range(200)]
    total = many.random_steps(200, 3)
    other.random_steps(200, 4)
    assert np.array_equal(one.words, many.words)
    assert not np.array_equal(one.words, other.words)
    assert np.array_equal(total.games, sum(ended.games for ended in calls))
    assert np.array_equal(total.margins, sum(ended.margins for ended in calls))
    assert total.games.min() >= 1


def share_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have batches shared out that are too small to gain by it."""
    monkeypatch.setattr(batch, "share", lambda threads, n, least, *call: share(threads, n, 100, *call))


@pytest.mark.parametrize("text", ["giuthi", "kiothi"])
def test_threads_change_nothing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same positions, moves, playouts and observations for one, two and five threads."""
    share_small(monkeypatch)
    results = []
    for threads in (1, 2, 5):
        many = Batch.start(mancala_ai.load_game(text), 700, threads)
        ended = many.random_steps(60, rng_seed=1)
        numbers, offsets = many.legal_moves()
        last = np.where(many.over, -1, numbers[offsets[1:] - 1])
        ended_now = many.step(last)
        many.play(np.array([many.state(i).legal_move_numbers()[0] for i in range(700)]))
        playouts = many.random_playouts(2, rng_seed=9)
        results.append(
            [*ended, numbers, offsets, *ended_now, many.words, many.legal_mask(), *playouts, many.to_observation()]
        )
    for result in results[1:]:
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(result, results[0], strict=True))


@every_game
def test_playouts_are_those_of_states(text: str) -> None:
    """Exactly, histories included."""
    states = some_states(text, 12, 3)
    many = Batch.from_states(states)
    before = many.words.copy()
    margins, plies = many.random_playouts(5, rng_seed=11)
    for i, state in enumerate(states):
        if state.is_over:
            assert (margins[i].tolist(), plies[i].tolist()) == ([state.margin] * 5, [0] * 5)
        else:
            expected = random_playouts(state, 5, rng_seed=11 + i * 2**32)
            assert (margins[i].tolist(), plies[i].tolist()) == (expected[0].tolist(), expected[1].tolist())
    assert np.array_equal(many.words, before)


def test_playouts_after_moves_remember_the_history() -> None:
    """In a batch that has itself played and begun again: the only move left repeats a position of this game."""
    game = mancala_ai.load_game("kpe(holes=3,seeds=4)")
    state = game.state("0,0,1/1,0,0 S 5-3 abc/abc")
    many = Batch.from_states([state])
    for move in (0, 0, 1, 1, 2):
        many.play([move])
    assert many.random_playouts(1).plies.tolist() == [[1]]
    many.reset(np.array([True]))
    assert many.random_playouts(1).plies.tolist() == [[6]]


@every_game
def test_observations_are_those_of_states(text: str) -> None:
    states = some_states(text, 40, 4)
    expected = np.array([observation(state) for state in states])
    observed = Batch.from_states(states).to_observation()
    assert observed.dtype == np.float32
    assert np.array_equal(observed, expected)


def test_output_arrays() -> None:
    """Arrays and batches given are filled and returned; the batch played from stays as it is."""
    game = mancala_ai.load_game("giuthi(holes=5,seeds=4)")
    many, after = Batch.start(game, 20), Batch.start(game, 20)
    many.random_steps(100, 1)  # histories of different lengths, of more capacity than those of `after`
    before = many.copy()
    mask = np.empty((20, 11), dtype=np.bool_)
    assert many.legal_mask(mask) is mask
    assert np.array_equal(mask, many.legal_mask())
    values = np.empty_like(many.to_observation())
    assert many.to_observation(values) is values
    moves = mask.argmax(axis=1)
    assert many.play(moves, out=after) is after
    assert np.array_equal(many.words, before.words)
    many.play(moves)
    for _ in range(100):  # equal in their histories, too
        assert np.array_equal(many.words, after.words)
        moves = np.where(many.over, -1, many.legal_mask().argmax(axis=1))
        many.play(moves)
        after.play(moves)
    assert many.infinite.any()
    assert not before.over.any()


# Bad input: one line that names it and what was expected; nothing changes.


@pytest.fixture
def game() -> Game:
    """Return a small game."""
    return mancala_ai.load_game("kpe(holes=3,seeds=4)")


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ([0, 1, 3], r"moves\[999\] = 3 in '4,4,4/4,4,4 S 0-0 -/-': expected one of 0, 1, 2"),
        ([0, -1, 3], r"moves\[998\] = -1 in '4,4,4/4,4,4 S 0-0 -/-': expected one of 0, 1, 2"),
        ([2**40, 0, 0], r"moves\[997\] = 1099511627776 in"),
    ],
)
def test_illegal_moves(game: Game, moves: list[int], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    share_small(monkeypatch)
    for threads in (1, 2):
        many = Batch.start(game, 1000, threads)
        given = np.zeros(1000, dtype=np.int64)
        given[-3:] = moves
        for call in (many.play, many.step):
            with pytest.raises(IllegalMoveError, match=f"^{message}") as error:
                call(given)
            assert "\n" not in str(error.value)
        assert (many.words == game.initial_state().words).all()
        assert many.plies == 0


def test_moves_where_the_game_is_over(game: Game) -> None:
    many = Batch.from_states([game.state("0,0,0/0,0,0 S 12-12 abc/abc")])
    with pytest.raises(IllegalMoveError, match=r"moves\[0\] = 0 in .*: expected one of -1, the game is over"):
        many.play([0])
    assert many.play([-1]) is many


@pytest.mark.parametrize("moves", [[0, 0], [[0, 0, 0]], [0.0, 1.0, 2.0], [True, False, True], 0])
def test_moves_of_another_kind(game: Game, moves: Any) -> None:
    with pytest.raises(MancalaError, match=r"^moves of shape .*: expected \(3,\) and a type of integers$"):
        Batch.start(game, 3).play(moves)


def test_making_a_batch(game: Game) -> None:
    with pytest.raises(MancalaError, match=r"^environments 0: expected at least 1$"):
        Batch.start(game, 0)
    with pytest.raises(MancalaError, match=r"^threads 0: expected at least 1$"):
        Batch.start(game, 1, threads=0)
    with pytest.raises(MancalaError, match=r"^states of no game: expected one or more of one game$"):
        Batch.from_states([])
    with pytest.raises(MancalaError, match=r"^states of kisolo\(holes=7\) and kpe\(holes=3,seeds=4\): exp"):
        Batch.from_states([game.initial_state(), mancala_ai.load_game("kisolo").initial_state()])
    wrong: list[Any] = [np.zeros((3, 3), np.uint64), np.zeros((3, 2), np.int64), np.zeros((0, 2), np.uint64)]
    for words in wrong:
        with pytest.raises(MancalaError, match=r"^words of shape .* expected \(n, 2\) and uint64, n at least 1$"):
            Batch(game, words)


def test_other_arguments(game: Game) -> None:
    many = Batch.start(game, 3)
    with pytest.raises(MancalaError, match=r"^steps -1: expected 0 or more$"):
        many.random_steps(-1)
    with pytest.raises(MancalaError, match=r"^steps 1.5: expected a whole number$"):
        many.random_steps(1.5)  # type: ignore[arg-type]
    with pytest.raises(MancalaError, match=r"^rng_seed 0.5: expected a whole number$"):
        many.random_steps(1, rng_seed=0.5)  # type: ignore[arg-type]
    with pytest.raises(MancalaError, match=r"^environments '3': expected a whole number$"):
        Batch.start(many.game, "3")  # type: ignore[arg-type]
    with pytest.raises(MancalaError, match=r"^k -1: expected 0 or more$"):
        many.random_playouts(-1)
    with pytest.raises(MancalaError, match=r"^where of shape \(3,\) and dtype int64: expected \(3,\) and bool$"):
        many.reset([0, 1, 2])
    with pytest.raises(MancalaError, match=r"^where of shape \(1,\) and dtype bool: expected \(3,\) and bool$"):
        many.play([0, 1, 2], where=[True])
    wrong: list[Any] = [np.empty((3, 4), np.bool_), np.empty((3, 3), np.int8), np.empty((3, 3), np.bool_, order="F")]
    for out in wrong:
        with pytest.raises(MancalaError, match=r"^out of shape .*: expected \(3, 3\) and bool, in C order and"):
            many.legal_mask(out)
    for other in (Batch.start(game, 2), Batch.start(mancala_ai.load_game("kpe"), 3)):
        with pytest.raises(MancalaError, match=r"^out <. environments of .*>: expected 3 environments of kpe\(hol"):
            many.play([0, 0, 0], out=other)
        with pytest.raises(MancalaError, match=r"^other <. environments of .*>: expected 3 environments of kpe"):
            many.assign(other)
    assert len(many) == 3


def test_a_forked_process_has_threads_of_its_own() -> None:
    """Those of the parent do not survive a fork; waiting for them would be for ever."""
    code = """if True:
        import os, signal
        import mancala_ai
        from mancala_ai.batch import Batch
        many = Batch.start(mancala_ai.load_game("kpe"), 3000, threads=2)
        many.random_steps(1)
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            many.random_steps(1)
            os._exit(int(many.plies != 2))
        print(os.waitpid(child, 0)[1])
    """
    assert run_python(code, flags=["-W", "ignore"]).strip() == "0"


def test_without_compilation() -> None:
    """The same kernels, interpreted."""
    code = """if True:
        import mancala_ai
        from mancala_ai.batch import Batch
        many = Batch.start(mancala_ai.load_game("rio_kadalis"), 3)
        many.random_steps(40, 5)
        many.play(many.legal_mask().argmax(axis=1))
        margins, plies = many.random_playouts(1)
        print(many.words.tolist(), many.legal_moves(), margins, plies, many.to_observation().sum())
    """
    interpreted = run_python(code, env={"NUMBA_DISABLE_JIT": "1"}, flags=["-W", "error"])
    assert interpreted == run_python(code)
