"""A program that is talked to by lines on its stdin and stdout, with limits of time, and that is always ended."""

from __future__ import annotations

import collections
import contextlib
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from typing import IO

from mancala_ai import EngineError, GameStringError

_PATIENCE = (0.5, 1.0)  # seconds to end by itself, and after being told to terminate
_MOST = 1 << 20  # characters of a line
_POLL = 0.1  # seconds; where a signal does not end the wait for a line, it is noticed after so long


def split_command(command: str) -> list[str]:
    """Returns program and arguments of a command.

    Raises:
        GameStringError: the command is empty or malformed, or there is no such program.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise GameStringError(f"process: command={command!r}: {str(error).lower()}: expected paired quotes") from None
    if not words:
        raise GameStringError(f"process: command={command!r}: expected a program and its arguments")
    if shutil.which(words[0]) is None:
        raise GameStringError(f"process: command={command!r}: no program {words[0]!r}: expected one that can be run")
    return words


class Program:
    """A running program. Used from one thread, but for `write`."""

    def __init__(self, command: str) -> None:
        """Starts the program.

        Args:
            command: program and arguments; no shell comes between.

        Raises:
            EngineError: it cannot be started.
        """
        self._where = f"process {command!r}"
        try:
            # In a session of its own: Ctrl-C is for the controller, and all that the program starts can be ended.
            self._process = subprocess.Popen(
                split_command(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineError(f"{self._where}: cannot be started: {error.strerror}") from error
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # None: no more
        self._last_words: collections.deque[str] = collections.deque(maxlen=1)
        self._writing = threading.Lock()
        out, err = self._process.stdout, self._process.stderr
        assert out is not None
        assert err is not None
        self._stderr = threading.Thread(target=_drain, args=(err, self._last_words), daemon=True)
        threads = [threading.Thread(target=_read, args=(out, self._lines), daemon=True), self._stderr]
        # Also when this object is forgotten, and at the interpreter's exit.
        self._finalizer = weakref.finalize(self, _end, self._process, threads)
        for thread in threads:
            thread.start()

    @property
    def is_open(self) -> bool:
        """Whether `close` has not been called yet."""
        return self._finalizer.alive

    def close(self) -> None:
        """Ends the program: by ``quit``, and if that does not help, by force."""
        self._finalizer()

    def fail(self, what: str) -> EngineError:
        """Ends the program and returns an error that says why, and what stood last on its stderr."""
        self._stderr.join(0.2 if self._process.poll() is None else 2.0)
        self.close()
        words = f" (stderr: {self._last_words[0][:300]})" if self._last_words else ""
        return EngineError(f"{self._where}: {what}{words}")

    def write(self, line: str) -> None:
        """Sends a line. If the program has ended, that is for the next `read` to say."""
        with self._writing, contextlib.suppress(OSError, ValueError):  # ValueError: closed on our side
            assert self._process.stdin is not None
            self._process.stdin.write(line + "\n")

    def read(self, deadline: float, awaited: str) -> str:
        """Returns the next line that is not blank.

        Args:
            deadline: on the clock of `time.perf_counter`.
            awaited: for the error message.

        Raises:
            EngineError: the program has ended, or the time is up.
        """
        while True:
            left = deadline - time.perf_counter()
            try:
                line = self._lines.get(timeout=min(max(left, 0), _POLL))
            except queue.Empty:
                if left <= 0:
                    raise self.fail(f"too late: expected {awaited} in time") from None
                continue
            if line is None:
                raise self._ended(awaited)
            if line.strip():
                return " ".join(line.split())

    def waiting_lines(self) -> list[str]:
        """Returns the lines that have come and were not read."""
        lines = []
        with contextlib.suppress(queue.Empty):
            while (line := self._lines.get_nowait()) is not None:
                lines.append(" ".join(line.split()))
            self._lines.put(None)
        return [line for line in lines if line]

    def _ended(self, awaited: str) -> EngineError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.returncode
        how = "closed its output" if code is None else f"died of signal {-code}" if code < 0 else "ended"
        exit_code = f" with exit code {code}" if code is not None and code >= 0 else ""
        return self.fail(f"the program {how}{exit_code} before it said {awaited}")


def _read(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    with stream:
        while line := stream.readline(_MOST):
            lines.put(line)
    lines.put(None)


def _drain(stream: IO[str], last: collections.deque[str]) -> None:
    with stream:
        while line := stream.readline(_MOST):
            if line.strip():
                last.append(" ".join(line.split()))


def _end(process: subprocess.Popen[str], threads: list[threading.Thread]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write("quit\n")
    with contextlib.suppress(OSError):
        process.stdin.close()
    for patience, force in zip(_PATIENCE, ("SIGTERM", "SIGKILL"), strict=True):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            break
        _signal(process, force)
    process.wait()
    for thread in threads:
        if thread.ident is not None:
            thread.join(0.5)  # longer only if the program has left children behind that hold the pipe


def _signal(process: subprocess.Popen[str], name: str) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, getattr(signal, name))
    else:
        process.kill()
