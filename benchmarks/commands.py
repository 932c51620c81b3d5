"""The command ``mancala-ai bench``, which is also ``python -m benchmarks``."""

from __future__ import annotations

import json
import platform
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks import kernels, openspiel, peers, search, startup
from benchmarks.measure import Measurement


def bench(
    repeats: Annotated[
        int, typer.Option(min=1, help="Measured runs of each benchmark; the table shows the median.")
    ] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print the measurements as JSON.")] = False,
) -> None:
    """Measure speed: perft, playouts, search, games in OpenSpiel and start-up.

    Every benchmark does fixed work, warm, with a signature that changes only when behaviour does; Giuthi's perft is
    also measured in C. Targets are those of the project, for one thread of a small server.

    Examples:
      mancala-ai bench
      mancala-ai bench --repeats 20 --json > bench.json
    """
    progress = Console(stderr=True)
    measured: list[Measurement] = []
    with progress.status("measuring ..."):
        for group in (
            kernels.perfts(repeats),
            [peers.c_perft(kernels.PERFTS[0].depth, repeats)],
            kernels.playouts(repeats),
            search.searches(repeats),
            openspiel.random_moves(repeats),
            startup.start_up(("giuthi", "kiothi"), min(repeats, 3)),
        ):
            for measurement in group:
                if measurement is None:
                    progress.print("skipped: the C version, for want of a C compiler")
                else:
                    measured.append(measurement)
    if as_json:
        machine = {"machine": platform.machine(), "python": sys.version, "system": platform.platform()}
        print(json.dumps({"machine": machine, "measurements": [m._asdict() for m in measured]}, indent=1))
    else:
        Console().print(_table(measured))


def _table(measured: list[Measurement]) -> Table:
    table = Table("benchmark", "median", "rate", "spread", "target", "signature", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for m in measured:
        spread = f"{(max(m.seconds) - m.best) / m.median:.0%}"
        if m.work:
            row = _time(m.median), f"{_count(m.rate)}/s", spread, _count(m.target) if m.target else ""
        else:
            row = _time(m.median), "", spread, f"{m.target:g} s" if m.target else ""
        table.add_row(m.name, *row, f"{m.signature % 2**32:08x}" if m.signature else "")
    return table


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _count(rate: float) -> str:
    return f"{rate / 1e6:.1f} M" if rate >= 1e6 else f"{rate:,.0f}"
