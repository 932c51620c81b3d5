"""Building endgame databases: level by level, resumable, on all cores. The work is done in `engines.endgame.retrograde`."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import filelock
import numpy as np
import numpy.typing as npt

from engines.endgame import retrograde
from engines.endgame.index import (
    MAX_SEEDS,
    Boards,
    Words,
    boards_of,
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

CHEAP = 30_000_000
"""Numbers of positions that `ensure_levels` builds without being asked: some ten seconds' work."""

_CHUNK = 1 << 16  # positions that a thread expands at a time
_SLICE = 1 << 20  # nodes that a kernel passes on before Ctrl-C is heard
_SAMPLES, _SAMPLE_SIZE = 64, 256
T = TypeVar("T")
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
    directory.mkdir(parents=True, exist_ok=True)
    _check_room(game, plan, directory)
    database = new_database(game.rules)
    levels: dict[int, Level] = {}
    with filelock.FileLock(directory / "lock"), ThreadPoolExecutor(threads or available_threads()) as pool:
        for left_over in directory.glob(f"*{UNFINISHED}"):  # of a build that was killed: nobody else holds the lock
            left_over.unlink()
        for level in range(seeds + 1):
            path = level_path(directory, level)
            with contextlib.suppress(FileNotFoundError):
                levels[level] = read_level(path, game, level, check=level not in plan.missing)
            if level not in levels:
                builder = _Builder(game, level, database, pool, report or (lambda level, done: None))
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
    if not plan.missing or sum(level_size(game.rules, level) for level in plan.missing) > CHEAP:
        return EndgameDatabase.open(game, base)
    if note is not None:
        note(f"building endgame databases of {game.rules.endgame_string} up to {seeds} seeds, once")
    build_levels(game, seeds, base)
    return EndgameDatabase.open(game, base)


class _Builder:
    """One level being built: one byte or two a position for each of the arrays that `retrograde.mark` describes."""

    def __init__(self, game: Game, seeds: int, database: Words, pool: ThreadPoolExecutor, report: Report) -> None:
        self._game, self._rules, self._seeds = game, game.rules, seeds
        self._database, self._pool, self._report = database, pool, report
        self._size = size = level_size(game.rules, seeds)
        self._boards = boards_of(game.rules, seeds)
        self._lower, self._upper = np.empty(size, dtype=np.int8), np.empty(size, dtype=np.int8)
        self._left = np.empty(size, dtype=np.uint8)

    def build(self) -> Level:
        """Returns the level."""
        self._report(self._seeds, 0.0)
        edges, exits = self._expand()
        starts, incoming = self._incoming(edges)
        forced, defended = np.zeros(self._size, dtype=np.uint16), np.zeros(self._size, dtype=np.uint16)
        longest = self._settle(exits, (self._lower, self._upper, self._left, forced, defended), starts, incoming)
        del starts, incoming
        bounds = np.empty((self._size, 2), dtype=np.int8)
        ranges = list(_ranges(self._size, _SLICE))
        finish = (self._lower, self._upper, forced, defended, bounds.reshape(-1))
        self._share(lambda part: retrograde.finish(self._rules, *part, *finish), ranges)
        distance_bytes = 1 if longest < 256 else 2
        distances = np.empty((self._size, 2), dtype=np.uint8 if distance_bytes == 1 else "<u2")
        distances[:, 0], distances[:, 1] = forced, defended
        header = Header(
            FORMAT,
            self._rules.endgame_string,
            self._seeds,
            self._rules.version,
            self._size,
            distance_bytes,
            longest,
            *count_positions(self._boards, bounds, self._share),
            checksum(bounds, distances),
        )
        return Level(header, bounds, distances)

    def _share(self, work: Callable[[Any], T], parts: Iterable[Any], done: tuple[float, float] = (1, 1)) -> list[T]:
        """Returns ``work(part)`` of all parts, done by all threads; reports that the level goes from one share to another."""
        futures = [self._pool.submit(work, part) for part in parts]
        try:
            for finished, future in enumerate(as_completed(futures), 1):
                future.result()
                self._report(self._seeds, done[0] + (done[1] - done[0]) * finished / len(futures))
        except BaseException:
            for future in futures:
                future.cancel()
            raise
        return [future.result() for future in futures]

    def _expand(self) -> tuple[list[npt.NDArray[np.uint32]], npt.NDArray[np.int64]]:
        """Plays all moves: returns the edges of each chunk of positions, and how many exits have which value."""

        def expand(part: tuple[int, int]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
            return expand_part(
                self._rules, self._boards, self._database, self._seeds, part, self._lower, self._upper, self._left
            )

        found = self._share(expand, _ranges(self._size, _CHUNK), (0, 0.4))
        return [edges for edges, _ in found], np.sum([exits for _, exits in found], axis=0)

    def _incoming(self, edges: list[npt.NDArray[np.uint32]]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Turns the edges round: returns where the edges into each position begin, and where they come from."""
        total = sum(map(len, edges))
        if total >= 1 << 32 or self._size >= 1 << 31:
            raise EndgameError(f"{self._game}: {self._seeds} seeds: more moves than a level can have, 2**32")
        starts = np.zeros(self._size + 1, dtype=np.uint32)
        incoming = np.empty(total, dtype=np.uint32)
        threads = self._pool._max_workers
        ranges = list(_ranges(self._size, -(-self._size // threads)))  # a thread writes where no other one does

        def count(part: tuple[int, int]) -> None:
            for chunk in edges:
                retrograde.count_incoming(chunk, *part, starts)

        def place(part: tuple[int, int]) -> None:
            for number, chunk in enumerate(edges):
                first = number * _CHUNK
                retrograde.place_incoming(chunk, self._left[first : first + _CHUNK], first, *part, starts, incoming)

        self._share(count, ranges, (0.4, 0.5))
        retrograde.add_up(starts)
        self._share(place, ranges, (0.5, 0.6))
        return starts, incoming

    def _settle(
        self,
        exits: npt.NDArray[np.int64],
        nodes: tuple[npt.NDArray[Any], ...],
        starts: npt.NDArray[np.uint32],
        incoming: npt.NDArray[np.uint32],
    ) -> int:
        """Settles all nodes that can be; returns the greatest distance."""
        longest = 0
        # What infinite play adds where it is split, 0, is better for the forcer than anything below.
        least = 1 if self._rules.infinite == SPLIT else -self._seeds
        values = [value for value in range(self._seeds, least - 1, -1) if exits[retrograde.VALUE_OFFSET + value]]
        queue, following = np.empty(1024, dtype=np.uint32), np.empty(1024, dtype=np.uint32)
        for number, value in enumerate(values):
            self._share(lambda part, value=value: retrograde.mark(value, *part, *nodes), _ranges(self._size, _SLICE))  # type: ignore[misc]
            at = size = 0
            while at < 2 * self._size:
                stop = min(at + _SLICE, 2 * self._size)
                at, size = retrograde.spread_marked(value, at, stop, *nodes, starts, incoming, following, size)
                if at < stop:
                    following = _twice_as_long(following)
            distance = 1 if size == 0 else 2
            while size:
                if distance == retrograde.MOST_DISTANCE:
                    raise EndgameError(f"{self._game}: {self._seeds} seeds: a distance above {distance:,}")
                queue, following = following, queue
                settled, at, size = size, 0, 0
                while at < settled:
                    stop = min(at + _SLICE, settled)
                    at, size = retrograde.spread(
                        value, distance + 1, queue[:stop], at, *nodes, starts, incoming, following, size
                    )
                    if at < stop:
                        following = _twice_as_long(following)
                distance += 1 if size else 0
            longest = max(longest, distance)
            self._report(self._seeds, 0.6 + 0.4 * (number + 1) / len(values))
        return longest


def expand_part(
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


def count_positions(
    boards: Boards,
    bounds: npt.NDArray[np.int8],
    share: Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]] | None = None,
) -> list[int]:
    """Returns positions, wins, draws, losses, exact bounds and cycles of a level, mirrored positions counted as two."""

    def count(part: tuple[int, int]) -> npt.NDArray[np.int64]:
        counts = np.zeros(6, dtype=np.int64)
        retrograde.tally(boards, *part, bounds.reshape(-1), counts)
        return counts

    parts = _ranges(len(bounds), _SLICE)
    found = share(count, parts) if share is not None else [count(part) for part in parts]
    counts: list[int] = np.sum(found, axis=0).tolist()
    return counts


def _ranges(size: int, step: int) -> Iterator[tuple[int, int]]:
    return ((first, min(first + step, size)) for first in range(0, size, step))


def _twice_as_long(queue: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    longer = np.empty(2 * len(queue), dtype=np.uint32)
    longer[: len(queue)] = queue
    return longer


def _memory(rules: Ruleset, seeds: int) -> int:
    """Returns about how many bytes building a level takes: 11 to 15 a position and 8 an edge."""
    size = level_size(rules, seeds)
    boards = boards_of(rules, seeds)
    lower, upper, left = np.empty(size, np.int8), np.empty(size, np.int8), np.empty(size, np.uint8)  # untouched memory
    firsts = sorted({size * i // _SAMPLES for i in range(_SAMPLES)})
    parts = [(first, min(first + _SAMPLE_SIZE, size)) for first in firsts]
    empty = new_database(rules)  # moves into lower levels are no edges
    edges = sum(len(expand_part(rules, boards, empty, seeds, part, lower, upper, left)[0]) for part in parts)
    mean = edges / sum(last - first for first, last in parts)
    return int(size * (15 + 8 * 1.1 * mean)) + boards.x.nbytes + boards.y.nbytes + (1 << 25)


def _check_room(game: Game, plan: Plan, directory: Path) -> None:
    free = available_memory()
    if free is not None and plan.memory > free:
        wanted = f"{game}: {plan.missing[-1]} seeds: building takes about {in_bytes(plan.memory)} of memory"
        raise EndgameError(f"{wanted}: expected fewer seeds, or more than the {in_bytes(free)} that are free")
    if plan.disk > shutil.disk_usage(directory).free:
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
