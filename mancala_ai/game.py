"""Games and their states: the public face of the rules.

A `Game` is a ruleset with its options chosen; a `State` is a position with its history, and never changes.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_ai import kernels
from mancala_ai.errors import IllegalMoveError
from mancala_ai.kernels import (
    ENDLESS,
    FLAGS,
    NO_MOVE,
    OVER,
    Position,
    is_over,
    kernel,
    key,
    load,
    next_move,
    play,
    store,
)
from mancala_ai.notation import read_fields
from mancala_ai.ruleset import MatchOfRounds, Ruleset

Words = npt.NDArray[np.uint64]
Number = int | float

NORMAL, INFINITE = "normal", "infinite"
_FLAGS = int(FLAGS)


@kernel
def _play(rules, words, move, after):
    # `words` is a uint64 array of shape (words,); `after`, of shape (2, words), gets the new words and their key. The
    # answer is whether the move is legal; if it is not, `after` stays as it is.
    position = load(rules, words)
    if is_over(position) or next_move(rules, position, np.uint64(move)) != np.uint64(move):
        return False
    position = play(rules, position, np.uint64(move))
    store(position, after[0])
    store(key(rules, position), after[1])
    return True


@kernel
def fill_legal_moves(rules, words, moves):
    """Fills ``moves`` (``int64``, one place per possible move) with the legal moves; returns how many there are.

    Args:
        rules: a ruleset.
        words: ``uint64`` array that begins with the words of a position, which is not over.
        moves: gets the numbers of the moves, ascending.
    """
    position = load(rules, words)
    count = 0
    move = next_move(rules, position, np.uint64(0))
    while move != NO_MOVE:
        moves[count] = move
        count += 1
        move = next_move(rules, position, move + np.uint64(1))
    return count


class Game:
    """One game with its options chosen; made by `mancala_ai.load_game`.

    Attributes:
        rules: the ruleset, as kernels take it.
    """

    __slots__ = ("_initial", "_text", "rules")

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self._text = rules.game_string
        self._initial: State | None = None

    @property
    def name(self) -> str:
        """The game's name, without options."""
        return self._text.partition("(")[0]

    def initial_state(self) -> State:
        """Returns the state in which every game starts."""
        if self._initial is None:
            self._initial = self.state(str(self.rules.initial()))
        return self._initial

    def new_match(self) -> MatchOfRounds:
        """Returns a match over rounds of this game, before its first round.

        Raises:
            GameStringError: the game has no such matches.
        """
        return self.rules.new_match(self)

    def state(self, text: str) -> State:
        """Returns the state of a position string; its history starts here.

        Args:
            text: a position string, as ``str(state)`` writes it; blanks around separators do not matter.

        Raises:
            PositionError: the string is malformed or the position impossible; the message names the field.
        """
        position = self.rules.pack(read_fields(text, self.rules.format()), text)
        return State(self, np.array(kernels.settle(self.rules, position), dtype=np.uint64))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"mancala_ai.load_game({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        from mancala_ai.registry import load_game

        return load_game, (str(self),)


class State:
    """A position of a game, together with how it was reached. States never change; `play` returns a new one.

    Two states are equal when their games and their *positions* are: all that decides what can follow, that is without
    captured seeds and without history (the sense in which the rules speak of a repeated position).
    """

    __slots__ = ("_captured_bits", "_key", "_move", "_parent", "_recent", "_repeated", "_total", "_words", "game")

    def __init__(
        self, game: Game, words: Words, key_bytes: bytes | None = None, parent: State | None = None, move: int = -1
    ) -> None:
        self.game = game
        self._words = words
        self._parent = parent
        self._move = move
        # Seeds are conserved until the end (Kisolo's last capture is not sown any more); counted when first asked for.
        self._total: int = 0 if parent is None or words[-1] & OVER else parent._total
        if key_bytes is None:
            key_bytes = np.array(kernels.key(game.rules, tuple(words)), dtype=np.uint64).tobytes()
        self._key = key_bytes
        # What the last word has and its key has not, but for flags: captured seeds, where they are not on the board.
        self._captured_bits = int(words[-1]) & ~_FLAGS ^ int.from_bytes(self._key[-8:], sys.byteorder)
        # Only positions since the last capture can recur: so many, from `earlier` back.
        earlier = parent if parent is not None and parent._captured_bits == self._captured_bits else None
        self._recent: int = 0 if earlier is None else earlier._recent + 1
        self._repeated = False
        for _ in range(self._recent):
            assert earlier is not None
            if earlier._key == self._key:
                self._repeated = True
                break
            earlier = earlier._parent

    def _ancestors(self) -> Iterator[State]:
        state = self._parent
        while state is not None:
            yield state
            state = state._parent

    # What can be done.

    def legal_moves(self) -> list[str]:
        """Returns the move strings of all legal moves in the rules' order; none when the game is over."""
        return [self.game.rules.move_name(move) for move in self.legal_move_numbers()]

    def legal_move_numbers(self) -> list[int]:
        """Returns the numbers of all legal moves, ascending, which is the order of `legal_moves`."""
        if self.is_over:
            return []
        moves = np.empty(self.game.rules.moves, dtype=np.int64)
        return moves[: fill_legal_moves(self.game.rules, self._words, moves)].tolist()

    def play(self, move: str) -> State:
        """Returns the state after a move.

        Args:
            move: a move string, such as ``"c+"``.

        Raises:
            IllegalMoveError: the move is not legal here; the message names the legal ones.
        """
        number = self.game.rules.move_number(move)
        after = None if number is None else self._after(number)
        if after is None:
            legal = ", ".join(self.legal_moves()) or "none, the game is over"
            raise IllegalMoveError(f"move {move!r} in {str(self)!r}: expected one of the legal moves: {legal}")
        return after

    def play_number(self, move: int) -> State:
        """Returns the state after a move given by its number.

        Raises:
            IllegalMoveError: the move is not legal here.
        """
        after = self._after(move)
        if after is None:
            raise IllegalMoveError(f"move number {move} in {str(self)!r}: expected one of {self.legal_move_numbers()}")
        return after

    def _after(self, move: int) -> State | None:
        # None if the move is not legal. A number that is no move's at all is nothing to ask a kernel about.
        if self._repeated or not 0 <= move < self.game.rules.moves:
            return None
        after = np.empty((2, len(self._words)), dtype=np.uint64)
        if not _play(self.game.rules, self._words, move, after):
            return None
        return State(self.game, after[0], after[1].tobytes(), self, move)

    # What is the case.

    @property
    def to_move(self) -> int:
        """The player whose turn it is (or would be): 0 South, 1 North."""
        return int(self._words[-1]) >> 61 & 1

    @property
    def termination(self) -> str | None:
        """How the game ended: ``"normal"``, ``"infinite"`` (repetition or endless sowing), or None."""
        if self._words[-1] & ENDLESS or self._repeated:
            return INFINITE
        return NORMAL if self._words[-1] & OVER else None

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._repeated or bool(self._words[-1] & OVER)

    @property
    def margin(self) -> int | None:
        """South's final score minus North's; 0 if drawn by infinite play; Kisolo 1, 0 or -1; None before the end."""
        if not self.is_over:
            return None
        value = kernels.infinite_margin if self.termination == INFINITE else kernels.margin
        with np.errstate(over="ignore"):
            return int(value(self.game.rules, self.position))

    @property
    def outcome(self) -> int | None:
        """1 if South has won, -1 if North has, 0 for a draw, None before the end."""
        margin = self.margin
        return None if margin is None else (margin > 0) - (margin < 0)

    @property
    def decided(self) -> int | None:
        """The `outcome` if it is certain: that of a game that is over, or who has captured more than half of the seeds.

        None otherwise, and before the end where infinite play can still draw the whole game.
        """
        if self.is_over:
            return self.outcome
        if self.captured is None or self.game.rules.infinite == kernels.DRAW:
            return None
        south, north = self.captured
        left = self.total_seeds - south - north
        return None if abs(south - north) <= left else 1 if south > north else -1

    @property
    def final(self) -> tuple[Number, Number] | None:
        """Final scores of South and North (halves are possible); None before the end and where there is no score."""
        margin, captured = self.margin, self.captured
        if margin is None or captured is None:
            return None
        if self.termination == INFINITE and self.game.rules.infinite == kernels.DRAW:
            return captured
        # All seeds left are awarded, so that the two scores differ by the margin.
        scores = (self.total_seeds + margin) / 2, (self.total_seeds - margin) / 2
        return (int(scores[0]), int(scores[1])) if scores[0].is_integer() else scores

    @property
    def captured(self) -> tuple[int, int] | None:
        """Seeds captured so far by South and North; None where captured seeds are no score (Kisolo)."""
        return self.game.rules.unpack(self.position).captured

    @property
    def total_seeds(self) -> int:
        """All seeds of the game: on the board, in the hand and captured."""
        if not self._total:
            fields = self.game.rules.unpack(self.position)
            self._total = fields.seeds_on_board + fields.in_hand + sum(fields.captured or ())
        return self._total

    # History, and other forms.

    @property
    def moves(self) -> list[str]:
        """The moves played since the history began."""
        states = [self, *self._ancestors()]
        return [self.game.rules.move_name(state._move) for state in reversed(states[:-1])]

    @property
    def last_move(self) -> str:
        """The move that led here; empty where the history began."""
        return "" if self._parent is None else self.game.rules.move_name(self._move)

    @property
    def positions(self) -> list[str]:
        """The position strings since the history began, this one last (one more than `moves`)."""
        return [str(state) for state in reversed([self, *self._ancestors()])]

    @property
    def history(self) -> Words:
        """Repetition keys of all positions since the history began, this one last: ``uint64``, shape ``(n, words)``."""
        keys = b"".join(state._key for state in reversed([self, *self._ancestors()]))
        return np.frombuffer(keys, dtype=np.uint64).reshape(-1, self.game.rules.words)

    @property
    def recent_history(self) -> Words:
        """The last part of `history`, which can still recur: since the last capture (``uint64``, ``(n, words)``)."""
        recent = [self._key, *(state._key for state in itertools.islice(self._ancestors(), self._recent))]
        return np.frombuffer(b"".join(reversed(recent)), dtype=np.uint64).reshape(-1, self.game.rules.words)

    @property
    def start(self) -> State:
        """The state in which the history began."""
        state = self
        while state._parent is not None:
            state = state._parent
        return state

    @property
    def parent(self) -> State | None:
        """The state before the last move, None where the history began."""
        return self._parent

    @property
    def words(self) -> Words:
        """The position as kernels know it: a new ``uint64`` array of shape ``(words,)``."""
        return self._words.copy()

    @property
    def position(self) -> Position:
        """The position as a tuple of ``np.uint64``."""
        return tuple(self._words)

    def board(self) -> str:
        """Returns a drawing of the board for a terminal: rows, letters, stores, marks, closed pits."""
        from mancala_ai.diagram import draw_text

        return draw_text(self)

    def svg(self) -> str:
        """Returns a drawing of the board as SVG: what `board` shows, with seeds and the last move."""
        from mancala_ai.svg import draw_svg

        return draw_svg(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return str(self.game.rules.unpack(self.position))

    def __repr__(self) -> str:
        text = f"{self.game!r}.state({str(self.start)!r})"
        return text + "".join(f".play({move!r})" for move in self.moves)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._key == other._key and self.game == other.game

    def __hash__(self) -> int:
        return hash((self.game, self._key))

    def __copy__(self) -> State:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return replay, (self.game, str(self.start), self.moves)


def replay(game: Game, start: str, moves: list[str]) -> State:
    """Returns the state after the moves, from a position string.

    Raises:
        PositionError: the start is malformed.
        IllegalMoveError: a move is not legal.
    """
    state = game.state(start)
    for move in moves:
        state = state.play(move)
    return state
