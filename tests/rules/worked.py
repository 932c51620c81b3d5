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
    def to_move(self) -> int: ...

    @property
    def is_over(self) -> bool: ...

    @property
    def termination(self) -> str | None: ...

    @property
    def outcome(self) -> int | None: ...

    @property
    def final(self) -> tuple[float, float] | None: ...

    @property
    def margin(self) -> int | None: ...

    def legal_moves(self) -> list[str]: ...

    def play(self, move: str) -> State: ...


class Game(Protocol):
    """A ruleset with its options fixed."""

    def initial_state(self) -> State: ...

    def state(self, position: str) -> State: ...


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
