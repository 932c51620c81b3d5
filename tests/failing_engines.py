"""Engines that misbehave, as a third party might bring them: ``tests/failing_engines.py:Raising``."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from typing import ClassVar

from mancala_ai import Engine, Limit, SearchResult, State


class First(Engine):
    """Plays the first legal move."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Plays well enough for what derives from it, which fails later."""
        return SearchResult(state.legal_moves()[0])


class Telling(First):
    """Notes what it is told."""

    told: ClassVar[list[tuple[int | None, Limit | None]]] = []
    rng_seed: int | None = None

    def new_game(self, rng_seed: int | None = None) -> None:
        """Notes the seed."""
        self.rng_seed = rng_seed

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Notes the limit."""
        self.told.append((self.rng_seed, limit))
        return super().search(state, limit)


class Raising(First):
    """Raises at the third move of a game."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        if len(state.moves) >= 2:
            raise RuntimeError("no idea\nwhat to do")
        return super().search(state, limit)


class Unready(First):
    """Cannot begin a game."""

    def new_game(self, rng_seed: int | None = None) -> None:
        """Fails."""
        raise OSError("no table")


class Quitting(First):
    """Calls ``sys.exit``."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        sys.exit("goodbye")


class Illegal(First):
    """Plays a move that does not exist."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        return SearchResult("z9")


class Number(First):
    """Returns a move that is no string."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        return SearchResult(3)  # type: ignore[arg-type]


class Nothing(First):
    """Returns nothing."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        return None  # type: ignore[return-value]


class Hanging(First):
    """Does not come back from the fifth ply."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        if len(state.moves) >= 4:
            time.sleep(1000)
        return super().search(state, limit)


class Slow(First):
    """Takes a tenth of a second for every move, whatever the limit."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails on a clock."""
        time.sleep(0.1)
        return super().search(state, limit)


class HangingInCompiledCode(First):
    """Does not come back from the fifth ply, and lets no other thread run."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        if len(state.moves) >= 4:
            re.match(r"(a+)+$", "a" * 64 + "b")
        return super().search(state, limit)


class Forking(First):
    """Leaves a child behind when it ends its process, at the fifth ply."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        if len(state.moves) >= 4:
            if os.fork() == 0:
                time.sleep(20)
                os._exit(0)
            os._exit(5)
        return super().search(state, limit)


class Cancelled(First):
    """Raises what is no Exception."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        raise asyncio.CancelledError


class UnspeakableError(Exception):
    """An error that cannot be printed."""

    def __str__(self) -> str:
        raise ValueError


class Unspeakable(First):
    """Raises an error that cannot be printed."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        raise UnspeakableError


class Surrogate(First):
    """Raises an error that cannot be encoded."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        raise ValueError("bad \ud800 name")


class HangingConstructor(First):
    """Cannot be made."""

    def __init__(self) -> None:
        time.sleep(1000)


class DyingAtOnce(First):
    """Ends its process as soon as it is asked for a move."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        os._exit(3)


class Interrupting(First):
    """Does as if somebody had pressed Ctrl-C, at the third move of a game."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        print("this must not get into our output")
        if len(state.moves) >= 2:
            raise KeyboardInterrupt
        return super().search(state, limit)


class Crashing(First):
    """Takes its process with it at the fifth ply, as compiled code can."""

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """Fails."""
        if len(state.moves) >= 4:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().search(state, limit)
