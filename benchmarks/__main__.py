"""``python -m benchmarks``: the same as ``mancala-ai bench``."""

from __future__ import annotations

import typer

from benchmarks.commands import bench

if __name__ == "__main__":
    typer.run(bench)
