"""The same work done by other programs on the same machine, measured in the same run."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.kernels import PERFTS
from benchmarks.measure import Benchmark, Done, Skipped

SOURCE = Path(__file__).with_name("giuthi_perft.c")
FLAGS = ("-O3", "-march=native")


def benchmarks(quick: bool) -> Iterator[Benchmark]:
    """Yields Giuthi perft in C, whose signature is that of our own."""
    depth = PERFTS[0].depth - PERFTS[0].quick * quick
    yield Benchmark(f"perft {depth} giuthi in C", "leaves", partial(_c_perft, depth))


def _c_perft(depth: int) -> Callable[[], Done]:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise Skipped("no C compiler")
    folder = tempfile.TemporaryDirectory()  # lives as long as the run that it is bound to
    program = Path(folder.name) / "giuthi_perft"
    subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(program)], check=True)

    def run(_: object = folder) -> Done:
        command = [str(program), str(depth), "1"]
        leaves, checksum, seconds = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        return Done(int(leaves), int(checksum), float(seconds))

    return run
