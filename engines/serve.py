"""Any engine behind the line protocol of docs/protocol.md."""

from __future__ import annotations

import contextlib
import math
import queue
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from engines import messages
from mancala_ai import Game, MancalaError, SearchResult, State, load_game
from mancala_ai.errors import one_line_with_place, suggest
from mancala_ai.registry import parse_engine

SIGN_OF_LIFE = 5.0  # seconds between info lines, at most
_STOPPING = 0.02  # seconds between two requests to an engine to stop
_LAST_SEARCH = 1.0  # seconds that a search gets to end when the program ends


class Server:
    """An engine, and what it has been told.

    The lines come in the thread that calls `run`; all else happens, one event after the other, in a second thread, but
    for the search, which has a third and reports to the second.
    """

    def __init__(self, text: str, write: Callable[[str], None]) -> None:
        """Loads the engine.

        Args:
            text: engine string.
            write: called with every line of the answers.

        Raises:
            GameStringError: there is no such engine.
        """
        self._text, self._write = text, write
        _, self._type, self._chosen = parse_engine(text)
        self._known = self._type.options
        self._engine = self._type(**self._chosen)
        self._game: Game | None = None
        self._state: State | None = None
        self._search: threading.Thread | None = None
        self._stopping = False
        self._said, self._said_at, self._began = "", 0.0, 0.0
        self._events: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()  # None: the end
        self._commands: dict[str, Callable[[str], None]] = {
            "mancala": self._hello,
            "setoption": self._set_option,
            "newgame": self._new_game,
            "game": self._take_game,
            "position": self._take_position,
            "go": self._go,
        }

    def run(self, lines: Iterable[str]) -> None:
        """Obeys lines until ``quit`` or their end."""
        thread = threading.Thread(target=self._work, daemon=True)
        thread.start()
        for line in lines:
            if line.strip() == "quit":
                break
            self._events.put(partial(self._obey, line.strip()))
        self._events.put(None)
        thread.join()

    def _work(self) -> None:
        end = math.inf  # when to give up waiting for a search; known when the input has ended
        with contextlib.suppress(BrokenPipeError):  # nobody reads any more
            while (end == math.inf or self._search is not None) and time.perf_counter() < end:
                patience = None if self._search is None else _STOPPING if self._stopping else SIGN_OF_LIFE
                try:
                    event = self._events.get(timeout=patience)
                except queue.Empty:
                    if self._stopping:
                        self._engine.stop()
                    if time.perf_counter() - self._said_at > SIGN_OF_LIFE:
                        self._say(f"info seconds {time.perf_counter() - self._began:.6f}")
                    continue
                if event is None:
                    end = time.perf_counter() + _LAST_SEARCH
                    event = self._stop
                try:
                    event()
                except BrokenPipeError:
                    raise
                except Exception as error:
                    self._fail(error)

    def _say(self, line: str) -> None:
        self._write(line)
        self._said_at = time.perf_counter()

    def _fail(self, error: BaseException) -> None:
        ours = isinstance(error, MancalaError)
        self._say(f"error {' '.join(str(error).split()) if ours else one_line_with_place(error)}")

    def _obey(self, line: str) -> None:
        command, _, words = line.partition(" ")
        if command == "ping":
            self._say("pong")
        elif command == "stop":
            self._stop()
        elif command in self._commands:
            if self._search is not None:
                raise MancalaError(f"{command}: expected stop, ping or quit while a search runs")
            self._commands[command](words.strip())
        elif line:
            raise MancalaError(f"command {command!r}: {suggest(command, [*self._commands, 'stop', 'ping', 'quit'])}")

    def _stop(self) -> None:
        if self._search is not None:
            self._stopping = True
            self._engine.stop()

    def _hello(self, words: str) -> None:
        if words != str(messages.VERSION):
            raise MancalaError(f"protocol version {words!r}: expected {messages.VERSION}")
        self._say(f"id name {self._text}")
        self._say("id author The mancala-ai developers")
        for name, option in self._known.items():
            self._say(messages.option_line(name, self._chosen.get(name, option.default)))
        self._say("ready")

    def _set_option(self, words: str) -> None:
        name, _, text = words.partition(" ")
        if name not in self._known:
            raise MancalaError(f"option {name!r}: {suggest(name, self._known)}")
        chosen = {**self._chosen, name: messages.read_value(text.strip(), type(self._known[name].default), name)}
        self._engine = self._type(**chosen)
        self._chosen = chosen

    def _new_game(self, words: str) -> None:
        name, _, number = words.partition("=")
        if words and not (name == "rng_seed" and number.isdecimal() and len(number) < 100):
            raise MancalaError(f"newgame {words!r}: expected nothing, or rng_seed=N")
        self._engine.new_game(int(number) if number else None)

    def _take_game(self, words: str) -> None:
        self._game = self._state = None  # rather nothing than what was before, if this fails
        self._game = load_game(words)

    def _take_position(self, words: str) -> None:
        self._state = None
        if self._game is None:
            raise MancalaError("position: expected a game first")
        self._state = messages.read_position(self._game, words)

    def _go(self, words: str) -> None:
        state = self._state
        if state is None:
            raise MancalaError("go: expected a position first")
        if state.is_over:
            raise MancalaError(f"go: position {str(state)!r}: expected a game that is not over")
        limit, lines = messages.read_go(words)

        def search() -> None:
            result = None
            try:
                for result in self._engine.analyse(state, limit, lines):
                    self._events.put(partial(self._inform, result))
                self._events.put(partial(self._end_search, result))
            except BaseException as error:
                self._events.put(partial(self._end_search, error))

        self._stopping, self._said = False, ""
        self._began = self._said_at = time.perf_counter()
        self._search = threading.Thread(target=search, daemon=True)
        self._search.start()

    def _inform(self, result: SearchResult) -> None:
        timeless = messages.info_line(replace(result, seconds=0.0))
        if timeless != self._said:
            self._say(messages.info_line(result))
        self._said = timeless

    def _end_search(self, end: Any) -> None:
        assert self._search is not None
        self._search.join()
        self._search = None
        if isinstance(end, BaseException):
            self._fail(end)
        elif end is None:
            self._say("error the engine gave no move")
        else:
            self._say(f"bestmove {end.move}")
