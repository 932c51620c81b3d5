"""The command ``mancala-ai bench``, which is also ``python -m benchmarks``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mancala_ai.cli import INTERRUPTED

FULL_REPEATS, QUICK_REPEATS = 7, 3


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
    do is measured in the same run, where they are installed. Targets are those of the project, for one thread of a
    small server. Spread: the longest run less the shortest. A comparison gives a verdict only where the runs differ by
    more than their spread explains (Mann-Whitney test, 5 %).

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

    progress = Console(stderr=True, markup=False, highlight=False)
    if plot is not None:
        draw_plots(plot, quick, progress)
        return
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
        print(json.dumps(to_data(measured, quick), indent=1))
    else:
        out = Console(markup=False, highlight=False)
        out.width = max(out.width, 160)  # a long line is better than a broken name
        out.print(table(measured, before))
    for line in skipped:
        progress.print(line)
    if stopped:
        progress.print(f"interrupted: {len(measured)} of {len(chosen)} benchmarks were measured")
        raise typer.Exit(INTERRUPTED)
