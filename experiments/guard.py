"""Plays games in a process of their own, which may die or be ended.

Whoever asked learns of every move before it is thought about, so that a game whose process dies, or does not come back
from a move, still has its moves and somebody to blame.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import IO, Any

from experiments.matches import GamePlayer, GameResult, GameSpec, Termination, Watch, lost_result
from mancala_ai import State

LOOK_SECONDS = 0.2  # between two looks at the process
START_SECONDS = 60.0  # for a new process to import what it needs


def play_guarded(specs: Sequence[GameSpec]) -> list[GameResult]:
    """Plays games in another process; a game that ends it is lost by the player that was thinking."""
    results: list[GameResult] = []
    while len(results) < len(specs):
        results += _play_in_child(specs[len(results) :])
    return results


def _play_in_child(specs: Sequence[GameSpec]) -> list[GameResult]:
    """Plays games until all are played or the process has ended, at least one."""
    command = [sys.executable, "-P", "-c", "from experiments.guard import main; main()"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path))
    }  # it must find what is found here
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    assert child.stdin is not None
    assert child.stdout is not None
    messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(child.stdout, messages), daemon=True).start()
    results: list[GameResult] = []
    moves: list[str] = []
    side, allowed = 0, START_SECONDS
    try:
        pickle.dump(list(specs), child.stdin)
        child.stdin.flush()  # and is left open: the child ends when it closes
        while len(results) < len(specs):
            message = _next_message(messages, child, allowed)
            if isinstance(message, GameResult):
                results.append(message)
                moves, side, allowed = [], 0, START_SECONDS
            elif message is None:
                code = child.wait()
                ending = f"signal {-code}" if code < 0 else f"exit code {code}"
                fault = f"the process ended with {ending} while {specs[len(results)].players[side]} was thinking"
                return [*results, lost_result(specs[len(results)], moves, side, Termination.ENGINE_ERROR, fault)]
            else:
                moves, side, allowed = message
    except queue.Empty:
        fault = f"no move within {allowed:g} s"
        return [*results, lost_result(specs[len(results)], moves, side, Termination.TIME_FORFEIT, fault)]
    finally:
        child.kill()
        child.wait()
    return results


def _next_message(messages: queue.SimpleQueue[Any], child: subprocess.Popen[bytes], seconds: float) -> Any:
    """Waits for a message; None if the child has ended, which its output does not show while it has children itself.

    Raises:
        queue.Empty: nothing came in time.
    """
    deadline = time.monotonic() + seconds
    while True:
        ended = child.poll() is not None
        left = deadline - time.monotonic()
        try:
            return messages.get(timeout=max(0.0, min(left, LOOK_SECONDS)))
        except queue.Empty:
            if ended:
                return None
            if left <= 0:
                raise


def _listen(file: IO[bytes], messages: queue.SimpleQueue[Any]) -> None:
    """Puts all messages of a file into a queue, and None at its end."""
    try:
        while True:
            messages.put(pickle.load(file))
    except (EOFError, OSError, pickle.UnpicklingError):
        messages.put(None)


class _Reporter(Watch):
    """Says of every move that it is about to be thought about."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def thinks(self, state: State, side: int, seconds: float) -> None:
        self.say((state.moves, side, seconds))

    def say(self, message: Any) -> None:
        pickle.dump(message, self._file)
        self._file.flush()


def _end_with_parent() -> None:
    os.read(0, 1)  # nothing more is sent; not by sys.stdin, whose lock a forked engine would wait for
    os._exit(1)


def main() -> None:
    """Plays the games that stand pickled on standard input; messages go to standard output, pickled likewise."""
    multiprocessing.set_start_method("spawn")  # for engines: what the pool's processes have
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes; the first one decides what it means
    reporter = _Reporter(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # what engines print
    specs = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    player = GamePlayer(reporter, deaf=True)
    for spec in specs:
        reporter.say(player.play(spec))
