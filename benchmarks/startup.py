"""What a user waits for first: start-up, compilation, the first result."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from benchmarks.measure import Measurement
from mancala_ai.cache import CACHE_DIR_VARIABLE

_FIRST_PERFT = "import mancala_ai; mancala_ai.perft(mancala_ai.load_game({game!r}).initial_state(), 3)"
_HELP = "from mancala_ai.cli import main; main(['--help'])"


def start_up(games: tuple[str, ...], repeats: int) -> Iterator[Measurement]:
    """Yields the seconds of whole processes: ``--help``, and a first perft with a cold and with a warm cache.

    Args:
        games: game strings.
        repeats: measured runs of each warm process; a cold one is measured once.
    """
    yield Measurement("mancala-ai --help", "", 0, 0, _processes(_HELP, repeats), target=0.5)
    for game in games:
        code = _FIRST_PERFT.format(game=game)
        with tempfile.TemporaryDirectory() as cache:
            yield Measurement(f"first perft {game}, cold", "", 0, 0, _processes(code, 1, cache), target=10.0)
            yield Measurement(f"first perft {game}, warm", "", 0, 0, _processes(code, repeats, cache), target=1.0)


def _processes(code: str, repeats: int, cache: str | None = None) -> tuple[float, ...]:
    environment = os.environ | ({CACHE_DIR_VARIABLE: cache} if cache else {})
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
        seconds.append(time.perf_counter() - start)
    return tuple(seconds)
