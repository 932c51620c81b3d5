"""Building endgame databases: level by level, resumable, on all cores."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import filelock
import numpy as np
import numpy.typing as npt

from engines.endgame import retrograde
from engines.endgame.boards import Boards, boards_of
from engines.endgame.graph import MOST_POSITIONS, SLICE, Done, Graph, ranges, settle_graph, share
from engines.endgame.index import (
    MAX_SEEDS,
    Words,
    check_supported,
    level_size,
    new_database,
    positions_in,
)
from engines.endgame.memory import attach_level
from engines.endgame.probe import EndgameDatabase
from engines.endgame.store import (
    FORMAT,
    UNFINISHED,
    EndgameError,
    Header,
    Level,
    checksum,
    directory_of,
    file_bytes,
    level_path,
    read_level,
    write_level,
)
from mancala_ai.game import Game
from mancala_ai.kernels import SPLIT
from mancala_ai.ruleset import Ruleset

COUNTS = ("positions", "win", "draw", "loss", "exact", "cycle")

CHEAP = 80_000_000
"""Numbers of positions that `ensure_levels` builds without being asked: half a minute's work of one core."""

_CHUNK = 1 << 16  # positions that a thread expands at a time
_SAMPLES, _SAMPLE_SIZE = 64, 256
Report = Callable[[int, float], None]  # seeds of the level, share of it that is done


class Plan(NamedTuple):
    """What a build will take.

    Attributes:
        missing: levels that have to be built.
        positions: their positions, mirrored ones counted as two.
        disk: bytes of their files.
        memory: bytes that the largest of them takes, about.
    """

    missing: list[int]
    positions: int
    disk: int
    memory: int


def available_threads() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def most_seeds(game: Game) -> int:
    """Returns the seed count of the highest level that a database of the game can have."""
    return min(game.initial_state().total_seeds, MAX_SEEDS)


def plan_build(game: Game, seeds: int, base: Path | None = None) -> Plan:
    """Returns what building the levels 0 to ``seeds`` will take.

    Args:
        game: the game.
        seeds: the highest level.
        base: see `engines.endgame.store.directory_of`.

    Raises:
        MancalaError: the game has no endgames, or not so many seeds.
    """
    check_supported(game)
    if not 0 <= seeds <= most_seeds(game):
        raise EndgameError(f"{game}: {seeds} seeds: expected 0 to {most_seeds(game)}")
    if level_size(game.rules, seeds) > MOST_POSITIONS:
        raise EndgameError(f"{game}: {seeds} seeds: expected fewer: a level has at most {MOST_POSITIONS:,} positions")
    directory = directory_of(game, base)
    missing = [level for level in range(seeds + 1) if not level_path(directory, level).exists()]
    return Plan(
        missing,
        sum(positions_in(game.rules, level) for level in missing),
        sum(file_bytes(level_size(game.rules, level), 1) for level in missing),
        _memory(game.rules, missing[-1]) if missing else 0,
    )


def build_levels(
    game: Game, seeds: int, base: Path | None = None, threads: int | None = None, report: Report | None = None
) -> EndgameDatabase:
    """Builds the levels 0 to ``seeds`` that have no file yet, each written as soon as it is finished.

    Args:
        game: the game.
        seeds: the highest level.
        base: see `engines.endgame.store.directory_of`.
        threads: by default one for each core. The files do not depend on it.
        report: called now and then.

    Returns:
        The levels 0 to ``seeds``.

    Raises:
        MancalaError: the game has no endgames or not so many seeds, memory or disk do not suffice, a file is wrong.
        OSError: a file cannot be read or written.
    """
    plan = plan_build(game, seeds, base)
    directory = directory_of(game, base)
    if not plan.missing:
        return EndgameDatabase.open(game, base, seeds)
    _check_room(game, plan, directory)
    directory.mkdir(parents=True, exist_ok=True)
    database = new_database(game.rules)
    levels: dict[int, Level] = {}
    threads = threads or available_threads()
    with filelock.FileLock(directory / "lock"), ThreadPoolExecutor(threads) as pool:
        for left_over in directory.glob(f"*{UNFINISHED}"):  # of a build that was killed: nobody else holds the lock
            left_over.unlink()
        for level in range(seeds + 1):
            path = level_path(directory, level)
            with contextlib.suppress(FileNotFoundError):
                levels[level] = read_level(path, game, level, check=level not in plan.missing)
            if level not in levels:
                builder = _Builder(game, level, database, pool, threads, report or (lambda level, done: None))
                write_level(path, builder.build())
                levels[level] = read_level(path, game, level)
            attach_level(database, level, levels[level].bounds)
    return EndgameDatabase(game, levels)


def ensure_levels(
    game: Game, seeds: int, base: Path | None = None, note: Callable[[str], None] | None = None
) -> EndgameDatabase:
    """Returns a game's database, with the levels 0 to ``seeds`` if they are there or take some seconds only to build.

    Args:
        game: the game.
        seeds: the level that is wanted.
        base: see `engines.endgame.store.directory_of`.
        note: called with a line for the user before levels are built.

    Raises:
        MancalaError: the game has no endgames or not so many seeds, or a file is wrong.
        OSError: a file cannot be read or written.
    """
    plan = plan_build(game, seeds, base)
    dear = sum(level_size(game.rules, level) for level in plan.missing) > CHEAP
    if not plan.missing or dear or plan.memory > (available_memory() or plan.memory):
        return EndgameDatabase.open(game, base)
    if note is not None:
        note(f"building endgame databases of {game.rules.endgame_string} up to {seeds} seeds, once")
    build_levels(game, seeds, base)
    return EndgameDatabase.open(game, base)


class _Builder:
    """One level being built."""

    def __init__(
        self, game: Game, seeds: int, database: Words, pool: ThreadPoolExecutor, threads: int, report: Report
    ) -> None:
        self._rules, self._seeds, self._database = game.rules, seeds, database
        self._pool, self._threads, self._report = pool, threads, report
        self._size = level_size(game.rules, seeds)
        self._boards = boards_of(game.rules, seeds)

    def build(self) -> Level:
        """Returns the level."""
        graph = self._expand()
        # What infinite play adds where it is split, 0, is better for the forcer than anything below.
        least = 1 if self._rules.infinite == SPLIT else -self._seeds
        values = range(self._seeds, least - 1, -1)
        settled = settle_graph(graph, values, self._pool, self._threads, self._between(0.3, 1))
        bounds = np.empty((self._size, 2), dtype=np.int8)
        nodes = (graph.lower, graph.upper, settled.forced, settled.defended, bounds.reshape(-1))
        share(self._pool, lambda part: retrograde.finish(self._rules, *part, *nodes), ranges(self._size, SLICE))
        distance_bytes = 1 if settled.longest < 256 else 2
        distances = np.empty((self._size, 2), dtype=np.uint8 if distance_bytes == 1 else "<u2")
        distances[:, 0], distances[:, 1] = settled.forced, settled.defended
        header = Header(
            format=FORMAT,
            game=self._rules.endgame_string,
            seeds=self._seeds,
            rules_version=self._rules.version,
            count=self._size,
            distance_bytes=distance_bytes,
            longest=settled.longest,
            checksum=checksum(bounds, distances),
            **count_positions(self._boards, bounds, self._pool),
        )
        return Level(header, bounds, distances)

    def _between(self, start: float, end: float) -> Done:
        """Returns what is to be told how much of a part of the level is done, the part from one share to another."""
        return lambda done: self._report(self._seeds, start + (end - start) * done)

    def _expand(self) -> Graph:
        """Plays all moves."""
        lower, upper = np.empty(self._size, dtype=np.int8), np.empty(self._size, dtype=np.int8)
        left = np.empty(self._size, dtype=np.uint8)

        def expand(part: tuple[int, int]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
            return _expand_part(self._rules, self._boards, self._database, self._seeds, part, lower, upper, left)

        found = share(self._pool, expand, ranges(self._size, _CHUNK), self._between(0, 0.3))
        exits = np.sum([exits for _, exits in found], axis=0)
        return Graph(lower, upper, left, [edges for edges, _ in found], _CHUNK, exits)


def _expand_part(
    rules: Ruleset,
    boards: Boards,
    database: Words,
    seeds: int,
    part: tuple[int, int],
    lower: npt.NDArray[np.int8],
    upper: npt.NDArray[np.int8],
    left: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """Calls `retrograde.expand` for a range of positions; returns their edges, and how many exits have which value."""
    edges = np.empty((part[1] - part[0]) * rules.moves, dtype=np.uint32)
    exits = np.zeros(retrograde.VALUES, dtype=np.int64)
    count = retrograde.expand(rules, boards, database, np.uint64(seeds), *part, lower, upper, left, edges, exits)
    return edges[:count].copy(), exits


def count_positions(boards: Boards, bounds: npt.NDArray[np.int8], pool: Executor) -> dict[str, int]:
    """Returns what `Header` counts of a level's positions."""

    def count(part: tuple[int, int]) -> npt.NDArray[np.int64]:
        counts = np.zeros(6, dtype=np.int64)
        retrograde.tally(boards, *part, bounds.reshape(-1), counts)
        return counts

    counts = np.sum(share(pool, count, ranges(len(bounds), SLICE)), axis=0).tolist()
    return dict(zip(COUNTS, counts, strict=True))


def _memory(rules: Ruleset, seeds: int) -> int:
    """Returns about how many bytes building a level takes: 11 to 15 a position and 8 an edge."""
    size = level_size(rules, seeds)
    boards = boards_of(rules, seeds)
    lower, upper, left = np.empty(size, np.int8), np.empty(size, np.int8), np.empty(size, np.uint8)  # untouched memory
    firsts = sorted({size * i // _SAMPLES for i in range(_SAMPLES)})
    parts = [(first, min(first + _SAMPLE_SIZE, size)) for first in firsts]
    empty = new_database(rules)  # moves into lower levels are no edges
    edges = sum(len(_expand_part(rules, boards, empty, seeds, part, lower, upper, left)[0]) for part in parts)
    mean = edges / sum(last - first for first, last in parts)
    return int(size * (15 + 8 * 1.1 * mean)) + boards.x.nbytes + boards.y.nbytes + (1 << 25)


def _check_room(game: Game, plan: Plan, directory: Path) -> None:
    free = available_memory()
    if free is not None and plan.memory > free:
        wanted = f"{game}: {plan.missing[-1]} seeds: building takes about {in_bytes(plan.memory)} of memory"
        raise EndgameError(f"{wanted}: expected fewer seeds, or more than the {in_bytes(free)} that are free")
    existing = next(path for path in (directory, *directory.absolute().parents) if path.exists())
    if plan.disk > shutil.disk_usage(existing).free:
        raise EndgameError(f"{directory}: the files take {in_bytes(plan.disk)}: expected as much room on the disk")


def available_memory() -> int | None:
    """Returns the bytes of memory that can still be used, None where the system does not say."""
    found = []
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found.append(1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")))
    with contextlib.suppress(OSError, ValueError, KeyError):  # a container's own limit
        group = Path("/sys/fs/cgroup")
        used = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        found.append(int((group / "memory.max").read_text()) - int(used["anon"]))  # files in memory make room
    if not found:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return min(found, default=None)


def in_bytes(count: int) -> str:
    """Writes a number of bytes for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
