"""Batches: many games of one ruleset played side by side, for reinforcement learning and statistics.

A `Batch` holds n environments as arrays and does everything for all of them in one call, on any number of threads; the
results are the same for every number. See docs/batches.md.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_ai import batch_kernels, kernels
from mancala_ai.batch_kernels import Environments
from mancala_ai.errors import IllegalMoveError, MancalaError
from mancala_ai.game import Game, State, Words
from mancala_ai.observation import observation_layout, observation_size
from mancala_ai.sharing import share

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_FIRST_CAPACITY = 64  # keys of each history; doubled when one outgrows it
_STEPS_AT_ONCE = 32  # room that several plies in one call ask for
# How many of its environments make a thread worth while, by what is done with them.
_LEAST_PLAYOUTS, _LEAST_PLIES, _LEAST_GLANCES = 16, 1024, 8192
_NO_MASK: Mask = np.zeros((0, 0), dtype=np.bool_)


class LegalMoves(NamedTuple):
    """All legal moves of a batch: those of environment i are ``numbers[offsets[i]:offsets[i + 1]]``, ascending."""

    numbers: Integers  # (total,)
    offsets: Integers  # (n + 1,)


class Ended(NamedTuple):
    """What a call that begins environments again says of the games that ended in it."""

    games: Integers  # (n,): how many ended in each environment
    margins: Integers  # (n,): the sum of their final margins (South minus North)


class Playouts(NamedTuple):
    """Results of random games from every environment, ``int64`` arrays of shape ``(n, k)``."""

    margins: Integers
    plies: Integers


class Batch:
    """n environments of one game, each a position with the history that decides repetition.

    Made by `Batch.start` or `Batch.from_states`. A position that occurs a second time since its environment began ends
    that game, exactly as in a `State`: repetition keys since the last capture are kept for every environment.

    Attributes:
        game: the game.
        threads: how many threads share the work; changes no result.
        plies: how often the batch has moved.
    """

    def __init__(self, game: Game, words: Words, threads: int = 1) -> None:
        """Makes environments whose histories begin with the given positions.

        Args:
            game: the game.
            words: positions as `State.words` or another batch gives them: ``uint64``, shape ``(n, words)``; copied.
                Which words make a position is not checked.
            threads: how many threads share the work.

        Raises:
            MancalaError: an array of another shape or dtype, no positions, or less than one thread.
        """
        self.game = game
        self.threads = _at_least_one("threads", threads)
        self.plies = 0
        words = np.asarray(words)
        width = game.rules.words
        if words.dtype != np.uint64 or words.ndim != 2 or words.shape[1] != width or not len(words):
            raise MancalaError(
                f"words of shape {words.shape} and dtype {words.dtype}: expected (n, {width}) and uint64, n at least 1"
            )
        n = len(words)
        self._longest = 1
        self._environments = Environments(
            words=np.empty(n * width, dtype=np.uint64),
            starts=words.flatten(),
            lengths=np.zeros(n, dtype=np.uint64),
            seen=np.zeros(n, dtype=np.uint64),
            history=np.zeros(_FIRST_CAPACITY * n * width, dtype=np.uint64),
        )
        self._mask: Mask | None = None  # scratch of `random_steps`
        self._everywhere: Mask = np.ones(n, dtype=np.bool_)
        self.reset(self._everywhere)

    @classmethod
    def start(cls, game: Game, n: int, threads: int = 1) -> Batch:
        """Returns n environments in the game's initial position.

        Raises:
            MancalaError: less than one environment or thread.
        """
        words = game.initial_state().words
        return cls(game, np.tile(words, (_at_least_one("environments", n), 1)), threads)

    @classmethod
    def from_states(cls, states: Iterable[State], threads: int = 1) -> Batch:
        """Returns one environment for every state, with the state's history; resetting goes back to its position.

        Raises:
            MancalaError: no states, states of several games, or less than one thread.
        """
        states = list(states)
        games = sorted({str(state.game) for state in states})
        if len(games) != 1:
            raise MancalaError(f"states of {' and '.join(games) or 'no game'}: expected one or more of one game")
        batch = cls(states[0].game, np.array([state.words for state in states]), threads)
        histories = [state.recent_history for state in states]
        batch._make_room(max(map(len, histories)) + 1)
        environments = batch._environments
        for i, (state, keys) in enumerate(zip(states, histories, strict=True)):
            environments.lengths[i] = len(keys)
            batch._history[i, : len(keys)] = keys
            if state.is_over and not state.words[-1] & kernels.OVER:
                for words in (batch.words, environments.starts.reshape(batch.n, -1)):
                    words[i, -1] |= kernels.FLAGS
        batch._longest = max(map(len, histories))
        batch_kernels.mark_seen(batch.game.rules, environments)
        return batch

    # What is the case.

    @property
    def n(self) -> int:
        """Number of environments."""
        return len(self._environments.lengths)

    @property
    def words(self) -> Words:
        """The positions, ``uint64``, shape ``(n, words)``: a view, to be read only.

        In the last word of each, the common flags of `mancala_ai.kernels`; a position that has recurred has the flags
        of an endless sowing.
        """
        return self._environments.words.reshape(self.n, -1)

    @property
    def over(self) -> Mask:
        """Which games have ended: ``bool``, shape ``(n,)``."""
        return self._flagged(kernels.OVER)

    @property
    def infinite(self) -> Mask:
        """Which games have ended by repetition or an endless sowing: ``bool``, shape ``(n,)``."""
        return self._flagged(kernels.ENDLESS)

    @property
    def to_move(self) -> npt.NDArray[np.int8]:
        """The players whose turn it is or would be, 0 South, 1 North: ``int8``, shape ``(n,)``."""
        return self._flagged(kernels.SIDE).astype(np.int8)

    def margins(self) -> Integers:
        """Returns the final margins (`State.margin`), 0 where the game is not over: ``int64``, shape ``(n,)``."""
        margins = np.empty(self.n, dtype=np.int64)
        self._share(batch_kernels.final_margins, self._environments.words, margins)
        return margins

    def outcomes(self) -> npt.NDArray[np.int8]:
        """Returns 1 where South has won, -1 where North has, 0 elsewhere: ``int8``, shape ``(n,)``."""
        return np.sign(self.margins()).astype(np.int8)

    def state(self, index: int) -> State:
        """Returns one environment as a state, with all of its history that can recur: since the last capture.

        Raises:
            IndexError: there is no such environment.
        """
        words, over = self.words[index], bool(self.over[index])
        keys = self._history[index, : int(self._environments.lengths[index])]
        # What keys lack, the seeds captured, has been the same all the while.
        positions = keys.copy()
        positions[:, -1] |= (words[-1] & ~kernels.FLAGS) ^ keys[-1, -1]
        state = State(self.game, positions[0] if len(positions) > 1 else words.copy())
        for number, position in enumerate(positions[1:], 2):
            ended = over and number == len(positions)
            after = (state.play_number(move) for move in state.legal_move_numbers())
            state = next(s for s in after if s.is_over == ended and np.array_equal(_without_flags(s.words), position))
        return state

    # Legal moves.

    def legal_mask(self, out: Mask | None = None) -> Mask:
        """Returns which moves are legal, in the numbering of the game's module; none where the game is over.

        Args:
            out: array to fill; a new one if left out.

        Returns:
            ``bool``, shape ``(n, moves)``.

        Raises:
            MancalaError: ``out`` has another shape, dtype or memory layout.
        """
        mask = self._output(out, self.game.rules.moves, np.bool_)
        self._share(batch_kernels.legal_mask, self._environments.words, mask)
        return mask

    def legal_moves(self) -> LegalMoves:
        """Returns the numbers of all legal moves in one flat array, ascending for each environment."""
        words = self._environments.words
        offsets = np.zeros(self.n + 1, dtype=np.int64)
        self._share(batch_kernels.count_legal, words, offsets[1:])
        np.cumsum(offsets, out=offsets)
        numbers = np.empty(offsets[-1], dtype=np.int64)
        self._share(batch_kernels.list_legal, words, offsets, numbers)
        return LegalMoves(numbers, offsets)

    def to_observation(self, out: npt.NDArray[np.float32] | None = None) -> npt.NDArray[np.float32]:
        """Returns the observations of all positions, in the layout of `mancala_ai.observation`.

        Args:
            out: array to fill; a new one if left out.

        Returns:
            ``float32``, shape ``(n, observation_size(game))``.

        Raises:
            MancalaError: ``out`` has another shape, dtype or memory layout.
        """
        rules = self.game.rules
        values = self._output(out, observation_size(self.game), np.float32)
        extra = next(section.size for section in observation_layout(self.game) if section.name == "extra")
        arguments = rules.scored, extra, float(rules.format().total), values
        self._share(batch_kernels.observations, self._environments.words, *arguments)
        return values

    # Playing.

    def play(self, moves: npt.ArrayLike, where: npt.ArrayLike | None = None, out: Batch | None = None) -> Batch:
        """Plays one move in every environment, or in some.

        Args:
            moves: numbers of legal moves, -1 where the game is over: integers, shape ``(n,)``.
            where: environments that move: ``bool``, shape ``(n,)``; all if left out. The moves of the others do not
                matter.
            out: batch of the same game and size that becomes the one after the moves, histories included; this batch
                is then left as it is. In place if left out.

        Returns:
            The batch that has changed.

        Raises:
            IllegalMoveError: a move is not legal; no move is played. The message names the first one.
            MancalaError: ``moves``, ``where`` or ``out`` of another shape or kind.
        """
        moving = self._everywhere if where is None else self._selection(where)
        chosen = self._checked(moves, moving)
        target = self
        if out is not None:
            self._check_like("out", out)
            out.assign(self)
            target = out
        target._advance(chosen, moving, restart=False)
        return target

    def step(self, moves: npt.ArrayLike) -> Ended:
        """Plays one move in every environment, and begins those that are over again.

        Args:
            moves: as in `play`.

        Returns:
            Which games ended (``games`` is 0 or 1) and their margins.

        Raises:
            IllegalMoveError: a move is not legal; no move is played. The message names the first one.
            MancalaError: moves of another shape or kind.
        """
        return self._advance(self._checked(moves, self._everywhere), self._everywhere, restart=True)

    def random_steps(self, steps: int, rng_seed: int = 0) -> Ended:
        """Plays uniformly random moves; environments that are over begin again.

        The moves of environment i depend on ``rng_seed``, i and `plies` only: ten calls of one step do what one call
        of ten does.

        Args:
            steps: moves in each environment, 0 or more.
            rng_seed: start of the random numbers.

        Returns:
            Number and margins of the games that ended.

        Raises:
            MancalaError: a negative number of steps.
        """
        if _whole("steps", steps) < 0:
            raise MancalaError(f"steps {steps}: expected 0 or more")
        if self._mask is None:
            self._mask = np.empty((self.n, self.game.rules.moves), dtype=np.bool_)
        if self.over.any():
            self.reset()
        ended = Ended(np.zeros(self.n, dtype=np.int64), np.zeros(self.n, dtype=np.int64))
        moves = np.empty(self.n, dtype=np.int64)
        while steps > 0:
            self._make_room(self._longest + min(steps, _STEPS_AT_ONCE))
            now = min(steps, self._capacity - self._longest)
            self._run(self._everywhere, moves, True, self._mask, now, True, rng_seed, ended)
            steps -= now
        return ended

    def reset(self, where: npt.ArrayLike | None = None) -> None:
        """Begins environments again, in the positions in which the batch was made.

        Args:
            where: which ones: ``bool``, shape ``(n,)``; those that are over if left out.

        Raises:
            MancalaError: ``where`` has another shape or dtype.
        """
        chosen = self.over if where is None else self._selection(where)
        self._share(batch_kernels.begin, self._environments, chosen)

    def assign(self, other: Batch) -> None:
        """Makes this batch equal to another of the same game and size: positions, histories and plies.

        Raises:
            MancalaError: the other one differs in game or size.
        """
        self._check_like("other", other)
        self._make_room(other._longest)
        self._history[:, : other._longest] = other._history[:, : other._longest]
        for mine, theirs in zip(self._environments[:-1], other._environments[:-1], strict=True):
            mine[:] = theirs
        self.plies, self._longest = other.plies, other._longest

    def copy(self) -> Batch:
        """Returns an equal batch that shares nothing with this one."""
        copied = Batch(self.game, self.words, self.threads)
        copied.assign(self)
        return copied

    # Playouts.

    def random_playouts(self, k: int, rng_seed: int = 0) -> Playouts:
        """Plays k games of uniformly random moves from every environment to the end; the batch stays as it is.

        Args:
            k: games from each environment, 0 or more.
            rng_seed: start of the random numbers. Environment i gets the games that
                `mancala_ai.playouts.random_playouts` plays from its state with ``rng_seed + i * 2**32``.

        Returns:
            Final margins and lengths in plies; where the game is over already, its margin and 0.

        Raises:
            MancalaError: a negative number of games.
        """
        if _whole("k", k) < 0:
            raise MancalaError(f"k {k}: expected 0 or more")
        playouts = Playouts(np.empty((self.n, k), dtype=np.int64), np.empty((self.n, k), dtype=np.int64))
        self._share(batch_kernels.playouts, self._environments, _seed(rng_seed), *playouts, least=_LEAST_PLAYOUTS)
        return playouts

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"<{self.n} environments of {self.game}>"

    # Behind all of it.

    @property
    def _history(self) -> Words:
        return self._environments.history.reshape(self.n, -1, self.game.rules.words)

    @property
    def _capacity(self) -> int:
        return len(self._environments.history) // len(self._environments.words)

    def _make_room(self, keys: int) -> None:
        """Lets every history hold so many keys."""
        while self._capacity < keys:
            history = np.concatenate([self._history, np.zeros_like(self._history)], axis=1)
            self._environments = self._environments._replace(history=history.reshape(-1))

    def _check_like(self, name: str, other: Batch) -> None:
        if self.game != other.game or self.n != other.n:
            raise MancalaError(f"{name} {other!r}: expected {self.n} environments of {self.game}")

    def _flagged(self, flag: np.uint64) -> Mask:
        flagged: Mask = (self.words[:, -1] & flag) != 0
        return flagged

    def _selection(self, where: npt.ArrayLike) -> Mask:
        """Returns a mask of environments as an array."""
        given = np.asarray(where)
        if given.shape != (self.n,) or given.dtype != np.bool_:
            raise MancalaError(f"where of shape {given.shape} and dtype {given.dtype}: expected ({self.n},) and bool")
        return np.ascontiguousarray(given)

    def _checked(self, moves: npt.ArrayLike, where: Mask) -> Integers:
        """Returns moves as an array, all of them legal in the environments that move."""
        given = np.asarray(moves)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise MancalaError(
                f"moves of shape {given.shape} and dtype {given.dtype}: expected ({self.n},) and a type of integers"
            )
        chosen = np.ascontiguousarray(given, dtype=np.int64)
        rules = self.game.rules
        first = min(self._share(batch_kernels.first_illegal, self._environments.words, where, chosen, rules.moves))
        if first < self.n:
            state = self.state(first)
            legal = ", ".join(map(str, state.legal_move_numbers())) or "-1, the game is over"
            raise IllegalMoveError(f"moves[{first}] = {given[first]} in {str(state)!r}: expected one of {legal}")
        return chosen

    def _advance(self, moves: Integers, where: Mask, restart: bool) -> Ended:
        self._make_room(self._longest + 1)
        ended = Ended(np.zeros(self.n, dtype=np.int64), np.zeros(self.n, dtype=np.int64))
        self._run(where, moves, False, _NO_MASK, 1, restart, 0, ended)
        return ended

    def _run(
        self,
        where: Mask,
        moves: Integers,
        choose: bool,
        mask: Mask,
        steps: int,
        restart: bool,
        rng_seed: int,
        ended: Ended,
    ) -> None:
        """Calls `batch_kernels.advance`, which see; there must be room in the histories."""
        arguments = (where, moves, choose, mask, steps, restart, _seed(rng_seed), *ended)
        least = -(-_LEAST_PLIES // steps)
        longest = self._share(batch_kernels.advance, self._environments, self.plies, *arguments, least=least)
        self._longest = max(1, *longest)
        self.plies += steps

    def _output(self, out: npt.NDArray[Any] | None, columns: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Returns an array of shape (n, columns) to be filled."""
        shape = (self.n, columns)
        if out is None:
            return np.empty(shape, dtype=dtype)
        if out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous or not out.flags.writeable:
            raise MancalaError(
                f"out of shape {out.shape} and dtype {out.dtype}: expected {shape} and {np.dtype(dtype)},"
                " in C order and writeable"
            )
        return out

    def _share(self, function: Callable[..., Any], *arguments: Any, least: int = _LEAST_GLANCES) -> list[int]:
        """Calls a kernel for shares of the environments; returns what each call returned."""
        return share(self.threads, self.n, least, function, self.game.rules, *arguments)


def _without_flags(words: Words) -> Words:
    words[-1] &= ~kernels.FLAGS
    return words


def _whole(name: str, number: int) -> int:
    try:
        return operator.index(number)
    except TypeError:
        raise MancalaError(f"{name} {number!r}: expected a whole number") from None


def _at_least_one(name: str, number: int) -> int:
    if _whole(name, number) < 1:
        raise MancalaError(f"{name} {number}: expected at least 1")
    return number


def _seed(rng_seed: int) -> np.uint64:
    return np.uint64(_whole("rng_seed", rng_seed) % 2**64)
