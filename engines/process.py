"""The engine ``process``: an external program that speaks the line protocol of docs/protocol.md."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from engines import messages
from engines.program import Program, split_command
from mancala_ai import Engine, EngineError, EngineOption, GameStringError, Limit, MancalaError, SearchResult, State
from mancala_ai.registry import check_option, split_options

_STOPPING = 2.0  # seconds that a program gets to end its search when nobody waits for it any more


class ProcessEngine(Engine):
    """An external program, in any language, that plays over a small line protocol (docs/protocol.md).

    The program is started when it is first needed, and again after it has failed. It ends with this object.
    """

    name = "process"
    options: ClassVar = {
        "command": EngineOption("", "the program and its arguments, in quotes, such as 'python my_engine.py'"),
        "timeout": EngineOption(
            20.0, "seconds to answer in; for moves beyond their limit of time, of silence if there is none"
        ),
        "options": EngineOption("", "the program's own options, in quotes, such as 'depth=3,style=bold'"),
    }

    def __init__(self, command: str = "", timeout: float = 20.0, options: str = "") -> None:
        split_command(command)  # raises if it is wrong
        if not timeout > 0:
            raise GameStringError(f"{self.name}: timeout={timeout}: expected more than 0")
        self._command, self._timeout = command, timeout
        self._chosen = split_options(options, options)
        self._program: Program | None = None
        self._game: str | None = None  # that the program knows of
        self._rng_seed: int | None = None

    def new_game(self, rng_seed: int | None = None) -> None:
        """See `Engine.new_game`. Returns when the program is ready.

        Raises:
            EngineError: the program cannot be started or does not answer.
        """
        self._rng_seed = self._rng_seed if rng_seed is None else rng_seed
        program = self._program
        if program is None or not program.is_open:
            program = self._program = Program(self._command)
            self._game = None
            with _closed_on_failure(program):
                self._greet(program)
        with _closed_on_failure(program):
            program.write("newgame" if self._rng_seed is None else f"newgame rng_seed={self._rng_seed}")
            program.write("ping")
            line = program.read(self._deadline(), "pong")
            if line != "pong":
                raise self._nonsense(program, line, "pong")

    def search(self, state: State, limit: Limit | None = None, lines: int = 1) -> SearchResult:
        """See `Engine.search`. The move is what the program says, legal or not.

        Raises:
            EngineError: the program has died, is late, or does not keep to the protocol.
        """
        return list(self.analyse(state, limit, lines))[-1]

    def analyse(self, state: State, limit: Limit | None = None, lines: int = 1) -> Iterator[SearchResult]:
        """See `Engine.analyse`: a result for every info line with a variation. Ctrl-C yields a last one.

        Raises:
            EngineError: see `search`.
        """
        if state.is_over:
            raise GameStringError(f"position {str(state)!r}: the game is over: expected one that can be played on")
        program = self._idle_program()
        thinking = _Thinking()
        times = [seconds for seconds in (limit.seconds, limit.clock) if seconds] if limit else []
        try:
            if self._game != str(state.game):
                program.write(f"game {state.game}")
                self._game = str(state.game)
            program.write(messages.position_line(state))
            program.write(messages.go_line(limit, lines))
            while not thinking.is_over:
                deadline = thinking.start + min(times) + self._timeout if times else self._deadline()
                if self._hear(program, thinking, deadline):
                    assert thinking.result is not None
                    yield thinking.result
        except KeyboardInterrupt:
            self._stop_thinking(program, thinking)
            yield replace(thinking.result or SearchResult(state.legal_moves()[0]), interrupted=True)
        except GeneratorExit:
            self._stop_thinking(program, thinking)
            raise
        finally:
            if not thinking.is_over:  # its answer must not be taken for that of the next search
                program.close()

    def stop(self) -> None:
        """See `Engine.stop`."""
        if self._program is not None and self._program.is_open:
            self._program.write("stop")

    def close(self) -> None:
        """Ends the program; it is started again when it is needed again."""
        if self._program is not None:
            self._program.close()

    def _greet(self, program: Program) -> None:
        """Says hello and passes the options on."""
        program.write(messages.HELLO)
        known: dict[str, EngineOption] = {}
        while (line := program.read(self._deadline(), "ready")) != "ready":
            word, _, rest = line.partition(" ")
            if word == "option":
                try:
                    name, option = messages.read_option(rest)
                except MancalaError as error:
                    raise program.fail(str(error)) from None
                known[name] = option
            elif word != "id":
                raise self._nonsense(program, line, "id, option or ready")
        for name, value in self._chosen.items():
            program.write(f"setoption {name} {check_option(self.name, known, name, value)}")

    def _idle_program(self) -> Program:
        """Returns the program, running and with nothing left to say."""
        if self._program is None or not self._program.is_open:
            self.new_game()
        assert self._program is not None
        for line in self._program.waiting_lines():
            if line.partition(" ")[0] != "info":
                raise self._nonsense(self._program, line, "nothing before the next go")
        return self._program

    def _hear(self, program: Program, thinking: _Thinking, deadline: float) -> bool:
        """Takes the next line of the program in, and tells whether there is a new result."""
        line = program.read(deadline, "bestmove")
        word, _, rest = line.partition(" ")
        try:
            if word == "info":
                return thinking.hear_info(messages.read_info(rest))
        except messages.MessageError as error:
            raise program.fail(str(error)) from None
        if word == "bestmove" and rest and " " not in rest:
            return thinking.hear_move(rest)
        raise self._nonsense(program, line, "info or bestmove MOVE")

    def _stop_thinking(self, program: Program, thinking: _Thinking) -> None:
        """Has the program end its search, if it does so soon."""
        with contextlib.suppress(EngineError):
            if not thinking.is_over:
                program.write("stop")
            deadline = time.perf_counter() + _STOPPING
            while not thinking.is_over:
                self._hear(program, thinking, deadline)

    def _deadline(self) -> float:
        return time.perf_counter() + self._timeout

    def _nonsense(self, program: Program, line: str, expected: str) -> EngineError:
        word, _, text = line.partition(" ")
        if word == "error":
            return program.fail(f"the program reports: {text[:300]}")
        return program.fail(f"answered {line[:100]!r}: expected {expected}")


@contextlib.contextmanager
def _closed_on_failure(program: Program) -> Iterator[None]:
    """Ends the program if anything goes wrong half-way, Ctrl-C included."""
    try:
        yield
    except BaseException:
        program.close()
        raise


class _Thinking:
    """What a program has said in one search.

    Attributes:
        start: on the clock of `time.perf_counter`.
        result: the last result; None before the first.
        is_over: the move has come.
    """

    def __init__(self) -> None:
        self.start = time.perf_counter()
        self.result: SearchResult | None = None
        self.is_over = False
        self._said: dict[str, Any] = {}

    def hear_info(self, said: dict[str, Any]) -> bool:
        """Adds an info line, and tells whether it brought a variation and so a result."""
        self._said |= said
        if "pv" not in said:
            return False
        self.result = SearchResult(said["pv"][0], **self._said)
        return True

    def hear_move(self, move: str) -> bool:
        """Ends the search, and tells whether that is news. A variation that begins with another move is forgotten."""
        self.is_over, before = True, self.result
        said = {"seconds": time.perf_counter() - self.start, "pv": (move,), **self._said}
        if said["pv"][0] != move:
            said |= {"pv": (move,), "lines": ()}
        self.result = SearchResult(move, **said)
        return self.result != before
