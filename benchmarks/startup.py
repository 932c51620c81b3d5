"""What a user waits for first: start-up, compilation, the first result."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.measure import Benchmark, Done
from mancala_ai.cache import CACHE_DIR_VARIABLE

GAMES = ("giuthi", "kiothi")
# Told by the process itself (Linux; else 0): what the system says of a child begins with the memory of its parent.
_TELL_MEMORY = """
import atexit, sys
def tell():
    lines = open("/proc/self/status").read().splitlines() if sys.platform == "linux" else []
    print(0, *(line.split()[1] for line in lines if line.startswith("VmHWM:")))
atexit.register(tell)
"""
_IMPORT = "import mancala_ai; mancala_ai.load_game"
_FIRST_PERFT = "import mancala_ai; mancala_ai.perft(mancala_ai.load_game({game!r}).initial_state(), 3)"
_FIRST_SEARCH = (
    "import mancala_ai as m; m.load_engine('alphabeta(depth=4)').search(m.load_game({game!r}).initial_state())"
)
_HELP = "from mancala_ai.cli import main; main(['--help'])"


def benchmarks(quick: bool) -> Iterator[Benchmark]:
    """Yields whole processes: ``--help``, and first results from a cold and from a warm cache."""
    yield Benchmark("mancala-ai --help", "", partial(_process, _HELP), 0.5)
    yield Benchmark("import mancala_ai", "", partial(_process, _IMPORT), 0.5)
    for game in GAMES[: 1 if quick else None]:
        for what, code in (("perft", _FIRST_PERFT), ("search", _FIRST_SEARCH)):
            text = code.format(game=game)
            if not quick:
                yield Benchmark(f"first {what} {game}, cold cache", "", partial(_cold, text), 10.0, once=True)
            yield Benchmark(f"first {what} {game}, warm cache", "", partial(_process, text), 1.0)


def _process(code: str, cache: str | None = None) -> Callable[[], Done]:
    environment = os.environ | ({CACHE_DIR_VARIABLE: cache} if cache else {})

    def run() -> Done:
        command = [sys.executable, "-c", _TELL_MEMORY + code]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        kilobytes = done.stdout.split()[-1]
        return Done(0, 0, memory=1024 * int(kilobytes))

    return run


def _cold(code: str) -> Callable[[], Done]:
    def run() -> Done:
        with tempfile.TemporaryDirectory() as cache:
            return _process(code, cache)()

    return run
