"""What a user waits for first: start-up, compilation, the first result."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.measure import Benchmark, Done, run_process
from mancala_ai.cache import CACHE_DIR_VARIABLE

GAMES = ("giuthi", "kiothi")
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
        _, memory = run_process([sys.executable, "-c", code], environment)
        return Done(0, 0, memory=memory)

    return run


def _cold(code: str) -> Callable[[], Done]:
    def run() -> Done:
        with tempfile.TemporaryDirectory() as cache:
            return _process(code, cache)()

    return run
