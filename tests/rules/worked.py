"""What the hand-worked examples of the rules share: the API they speak to, and one helper.

The examples hold for every implementation of the rules, so they see games and states through the
protocols below only. In their comments a pit of South is written in lower case and a pit of North
in upper case, both in the owner's view: counter-clockwise the ring is ``a b c ... A B C ...``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias


class State(Protocol):
    """A position with its history, as far as the examples need it."""

    @property
    def to_move(self) -> int:
        """0 for South, 1 for North."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""

    @property
    def termination(self) -> str | None:
        """How it ended, ``"normal"`` or ``"infinite"``; None while it goes on."""

    @property
    def outcome(self) -> int | None:
        """1 if South won, -1 if North did, 0 for a draw; None while it goes on."""

    @property
    def final(self) -> tuple[float, float] | None:
        """South's and North's final scores; None while the game goes on."""

    @property
    def margin(self) -> int | None:
        """South's final score minus North's, 0 if drawn; None while it goes on."""

    def legal_moves(self) -> list[str]:
        """The legal moves in the order of the rules; none when the game is over."""

    def play(self, move: str) -> State:
        """The state after a move; ValueError if it is illegal."""


class Game(Protocol):
    """A ruleset with its options fixed."""

    def initial_state(self) -> State:
        """The start position."""

    def state(self, position: str) -> State:
        """A typed position; ValueError if it is refused."""


LoadGame: TypeAlias = Callable[[str], Game]


def after(load_game: LoadGame, game: str, position: str, *moves: str) -> State:
    """Return the state that ``moves`` reach from ``position`` in the game named by ``game``.

    Args:
        load_game: the implementation under test (the fixture of that name).
        game: a game string, such as ``"giuthi(holes=5,seeds=4)"``.
        position: a position string; the history of the state begins with it.
        moves: move strings, played in turn; none gives the typed position itself.

    Raises:
        ValueError: a refused position, or an illegal move.
    """
    state = load_game(game).state(position)
    for move in moves:
        state = state.play(move)
    return state
