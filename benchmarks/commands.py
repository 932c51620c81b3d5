"""The command ``mancala-ai bench``, which is also ``python -m benchmarks``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from mancala_ai.cli import INTERRUPTED

FULL_REPEATS, QUICK_REPEATS = 7, 5


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Less work of everything: under a minute, warm.")] = False,
    only: Annotated[
        str, typer.Option(metavar="TEXT", help="Only benchmarks whose name contains this, such as perft.")
    ] = "",
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Measured runs of each; the median is shown.  [default: {FULL_REPEATS}, quick {QUICK_REPEATS}]",
        ),
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(metavar="OLD.json", help="Compare with what an earlier run printed with --json.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Draw instead how cost grows (SVG; extra plot).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the measurements as JSON.")] = False,
) -> None:
    """Measure speed: perft, playouts, search, single calls, tournaments, start-up.

    Every benchmark does fixed work, warm, with a signature that changes only when behaviour does. What other programs
    do is measured in the same run, where they are installed.

    Columns: median of the runs; rate, work per second of it, in leaves, games, nodes, simulations, steps, positions,
    moves or calls, as the name says; spread, the longest run less the shortest, as a share of the median; target, what
    the project aims at on a small server; memory, what the runs needed at most beyond what was there before (of a
    process that is started, all); signature, of what was found. A comparison adds a ratio (2 is twice as fast) and a
    verdict, which sees a difference only where it is more than the spread explains (Mann-Whitney test, 5 %, and 3 % of
    the median).

    Examples:
      mancala-ai bench --quick
      mancala-ai bench --only perft --repeats 20
      mancala-ai bench --json > bench.json
      mancala-ai bench --compare bench.json
      mancala-ai bench --plot plots
    """
    from rich.console import Console

    from benchmarks.measure import Measurement, Skipped, measure
    from benchmarks.plots import draw_plots
    from benchmarks.results import read_measurements, table, to_data
    from benchmarks.suite import suite
    from mancala_ai import MancalaError

    progress = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    if plot is not None:
        if only or compare or as_json or repeats:
            raise MancalaError("--plot: expected no other option than --quick")
        draw_plots(plot, quick, progress)
        return
    load, cores = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0, os.cpu_count() or 1
    if load > cores / 2 + 0.5:  # an earlier run of this alone makes 1
        progress.print(f"load {load:.1f} on {cores} cores: other programs are running, times are not to be trusted")
    before = {} if compare is None else {m.name: m for m in read_measurements(compare)}
    chosen = [benchmark for benchmark in suite(quick) if only in benchmark.name]
    if not chosen:
        raise MancalaError(f"--only {only!r}: expected a part of a benchmark's name, such as perft")
    measured: list[Measurement] = []
    skipped: list[str] = []
    stopped = False
    with progress.status("measuring") as status:
        try:
            for number, benchmark in enumerate(chosen, 1):
                status.update(f"{number} of {len(chosen)}: {benchmark.name}")
                try:
                    measured.append(measure(benchmark, repeats or (QUICK_REPEATS if quick else FULL_REPEATS)))
                except Skipped as reason:
                    skipped.append(f"skipped: {benchmark.name}: {reason}")
        except KeyboardInterrupt:
            stopped = True
    if as_json:
        print(json.dumps(to_data(measured, quick, before), indent=1))
    else:
        out = Console(markup=False, highlight=False)
        out.width = max(out.width, 160)  # a long line is better than a broken name
        out.print(table(measured, before))
    if compare is not None and (alone := [m.name for m in measured if m.name not in before]):
        progress.print(f"{len(alone)} of {len(measured)} are not in {compare}: {alone[0]}{', ...' * (len(alone) > 1)}")
    for line in skipped:
        progress.print(line)
    if stopped:
        progress.print(f"interrupted: {len(measured)} of {len(chosen)} benchmarks were measured")
        raise typer.Exit(INTERRUPTED)
