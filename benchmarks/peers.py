"""The same work done by other programs on the same machine, measured in the same run."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.measure import Measurement

SOURCE = Path(__file__).with_name("giuthi_perft.c")
FLAGS = ("-O3", "-march=native")


def c_perft(depth: int, repeats: int) -> Measurement | None:
    """Compiles and runs Giuthi perft in C, one process per measured run.

    Args:
        depth: perft depth.
        repeats: measured runs.

    Returns:
        A measurement with the checksum of `mancala_ai.counting` as signature; None without a C compiler.
    """
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "giuthi_perft"
        subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(program)], check=True)
        seconds = []
        for _ in range(repeats + 1):
            leaves, checksum, run = subprocess.run(
                [str(program), str(depth), "1"], check=True, capture_output=True, text=True
            ).stdout.split()
            seconds.append(float(run))
    name = f"perft {depth} giuthi in C, {Path(compiler).name} {FLAGS[0]}"
    return Measurement(name, "leaves", int(leaves), int(checksum), tuple(seconds[1:]))
