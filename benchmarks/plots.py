"""Pictures of how cost grows: with depth, threads, the size of batches, the seeds of endgames."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from benchmarks.kernels import PERFTS, middle_state
from benchmarks.measure import counted
from benchmarks.search import DEPTHS
from engines.endgame.build import build_levels
from mancala_ai import Limit, MancalaError, load_engine, load_game
from mancala_ai.batch import Batch
from mancala_ai.counting import perft

REPEATS = 3
BOARDS = (("giuthi", range(5, 11), 5), ("kpe", range(3, 9), 8), ("oware", range(3, 9), 8), ("kalah", range(3, 7), 8))
"""Games of several sizes, the numbers of holes in a row, and a depth of perft."""


class Curve(NamedTuple):
    """One line of a picture: a name and its points."""

    name: str
    points: Sequence[tuple[float, float]]


class Picture(NamedTuple):
    """A picture to draw.

    Attributes:
        file: its name, without ending.
        title, x, y: what is to be read.
        logarithmic: whether the y axis is.
        measure: returns its curves; the argument says whether less will do.
    """

    file: str
    title: str
    x: str
    y: str
    logarithmic: bool
    measure: Callable[[bool], list[Curve]]


def draw_plots(folder: Path, quick: bool, console: Console) -> None:
    """Measures, and draws an SVG file for each picture.

    Raises:
        MancalaError: matplotlib is not installed, or the folder cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MancalaError("--plot: no matplotlib: expected pip install 'mancala-ai[plot]'") from None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MancalaError(f"--plot {folder}: cannot be written: {error.strerror}") from None
    for picture in PICTURES:
        with console.status(picture.title):
            curves = picture.measure(quick)
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        axes: Any = figure.add_subplot()
        for curve in curves:
            axes.plot(*zip(*curve.points, strict=True), marker="o", label=curve.name)
        axes.set(title=picture.title, xlabel=picture.x, ylabel=picture.y)
        axes.set_yscale("log" if picture.logarithmic else "linear")
        if not picture.logarithmic:
            axes.set_ylim(bottom=0)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(alpha=0.3)
        axes.legend()
        file = folder / f"{picture.file}.svg"
        figure.savefig(file)
        console.print(str(file))


def _least_seconds(run: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _perft_by_depth(quick: bool) -> list[Curve]:
    curves = []
    for case in PERFTS:
        state = middle_state(case.game)
        perft(state, 1)
        depths = range(1, case.depth + 1 - case.quick * quick)
        curves.append(Curve(case.game, [(depth, _least_seconds(partial(perft, state, depth))) for depth in depths]))
    return curves


def _perft_by_holes(quick: bool) -> list[Curve]:
    curves = []
    for name, sizes, depth in BOARDS:
        points = []
        for holes in sizes:
            state = load_game(f"{name}(holes={holes})").initial_state()
            leaves = perft(state, depth - quick)
            points.append((holes, leaves / _least_seconds(partial(perft, state, depth - quick)) / 1e6))
        curves.append(Curve(name, points))
    return curves


def _search_by_depth(quick: bool) -> list[Curve]:
    curves = []
    for name, depth in DEPTHS.items():
        state, engine = middle_state(name), load_engine("alphabeta")
        depths = range(1, depth + 1 - 3 * quick)
        engine.search(state, Limit(depth=depths[-1]))  # its table is in memory now
        searches = [partial(engine.search, state, Limit(depth=d)) for d in depths]
        curves.append(Curve(name, [(d, _least_seconds(run)) for d, run in zip(depths, searches, strict=True)]))
    return curves


def _search_by_threads(quick: bool) -> list[Curve]:
    from experiments.workers import available_cores

    curves = []
    for name, depth in DEPTHS.items():
        state, points = middle_state(name), []
        for threads in range(1, available_cores() + 1):
            engine = load_engine(f"alphabeta(threads={threads})")
            best = 0.0
            for _ in range(REPEATS):
                result = engine.search(state, Limit(depth=depth + 2 - 3 * quick))
                best = max(best, result.nodes / result.seconds)
            points.append((threads, best / 1e6))
        curves.append(Curve(name, points))
    return curves


def _batch_by_size(quick: bool) -> list[Curve]:
    game, curves = load_game("giuthi"), []
    for threads in (1, 2):
        points = []
        for power in range(4, 13 if quick else 17):
            batch = Batch.start(game, 1 << power, threads=threads)
            steps = max(20, (1 << 19) >> power)
            batch.random_steps(steps, rng_seed=1)
            seconds = _least_seconds(partial(batch.random_steps, steps, rng_seed=2))
            points.append((power, (steps << power) / seconds / 1e6))
        curves.append(Curve(counted(threads, "thread"), points))
    return curves


def _endgames_by_seeds(quick: bool) -> list[Curve]:
    curves = []
    for name, most in (("giuthi(holes=5)", 14), ("giuthi(holes=6)", 13), ("giuthi", 12)):
        game, points = load_game(name), []
        with tempfile.TemporaryDirectory() as folder:
            build_levels(game, 3, Path(folder))
            for seeds in range(4, most + 1 - 4 * quick):
                start = time.perf_counter()
                build_levels(game, seeds, Path(folder))
                points.append((seeds, time.perf_counter() - start))
        curves.append(Curve(name, points))
    return curves


PICTURES: Sequence[Picture] = (
    Picture("perft-depth", "Perft", "depth", "seconds", True, _perft_by_depth),
    Picture(
        "perft-holes",
        "Perft by the size of the board",
        "holes in a row",
        "million leaves a second",
        False,
        _perft_by_holes,
    ),
    Picture("alphabeta-depth", "Alpha-beta", "depth", "seconds", True, _search_by_depth),
    Picture(
        "batch-size",
        "Batches of Giuthi",
        "log2 of the number of games",
        "million steps a second",
        False,
        _batch_by_size,
    ),
    Picture("endgame-seeds", "Building a level of Giuthi", "seeds", "seconds", True, _endgames_by_seeds),
    Picture("alphabeta-threads", "Alpha-beta, threads", "threads", "million nodes a second", False, _search_by_threads),
)
