"""Settling a graph of positions with one seed count: what `engines.endgame.retrograde` does, from edges to distances.

The positions may be a whole level or those of it that can be reached from somewhere; they only need numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, as_completed
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from engines.endgame import retrograde
from engines.endgame.store import EndgameError

SLICE = 1 << 20  # nodes that a kernel passes on before Ctrl-C is heard
MOST_POSITIONS, MOST_EDGES = (1 << 31) - 1, (1 << 32) - 1
T = TypeVar("T")
Done = Callable[[float], None]  # is told the share of the work that is done


class Graph(NamedTuple):
    """Positions of one seed count with their moves, as `retrograde.expand` writes them.

    Attributes:
        lower: best exit of each position if infinite play is worth minus infinity, ``int8``; replaced by the bound.
        upper: the same if it is worth plus infinity.
        left: number of edges of each position, ``uint8``; counted down.
        edges: edges of chunks of consecutive positions, ``uint32``; given up one after the other.
        chunk: positions in a chunk.
        exits: how many exits have which value, ``int64``, shape ``(retrograde.VALUES,)``.
    """

    lower: npt.NDArray[np.int8]
    upper: npt.NDArray[np.int8]
    left: npt.NDArray[np.uint8]
    edges: list[npt.NDArray[np.uint32]]
    chunk: int
    exits: npt.NDArray[np.int64]


class Distances(NamedTuple):
    """Distances of all positions with the forcer and with the defender to move, ``uint16``, and the greatest of all."""

    forced: npt.NDArray[np.uint16]
    defended: npt.NDArray[np.uint16]
    longest: int


def share(pool: Executor, work: Callable[[Any], T], parts: Iterable[Any], done: Done = lambda share: None) -> list[T]:
    """Returns ``work(part)`` of all parts, done by the threads of a pool. What has not begun is left out on Ctrl-C."""
    futures = [pool.submit(work, part) for part in parts]
    try:
        for finished, future in enumerate(as_completed(futures), 1):
            future.result()
            done(finished / len(futures))
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return [future.result() for future in futures]


def ranges(size: int, step: int) -> Iterator[tuple[int, int]]:
    """Yields the ranges of so many numbers that cover 0 .. ``size - 1``, as first and last plus one."""
    return ((first, min(first + step, size)) for first in range(0, size, step))


def settle_graph(
    graph: Graph, values: range, pool: Executor, threads: int, done: Done = lambda share: None
) -> Distances:
    """Settles all nodes that can be.

    Args:
        graph: the positions; changed.
        values: values to settle, from the greatest on; nodes without any of them count as infinite play.
        pool: threads to use.
        threads: how many they are. The result does not depend on it.
        done: is told the share of the work that is done.

    Returns:
        Distances; 0 where infinite play is the forcer's best. There, bounds of the graph have no meaning.

    Raises:
        EndgameError: there are more edges, or longer distances, than numbers for them.
    """
    starts, incoming = _turn_round(graph, pool, threads, done)
    size = len(graph.lower)
    forced, defended = np.zeros(size, dtype=np.uint16), np.zeros(size, dtype=np.uint16)
    nodes = (graph.lower, graph.upper, graph.left, forced, defended)
    queue, following = np.empty(1024, dtype=np.uint32), np.empty(1024, dtype=np.uint32)
    longest = 0
    for number, value in enumerate(values):
        done(0.3 + 0.7 * number / len(values))
        if not graph.exits[retrograde.VALUE_OFFSET + value]:
            continue
        share(pool, lambda part, value=value: retrograde.mark(value, *part, *nodes), ranges(size, SLICE))  # type: ignore[misc]
        at = settled = 0
        while at < 2 * size:
            stop = min(at + SLICE, 2 * size)
            at, settled = retrograde.spread_marked(value, at, stop, *nodes, starts, incoming, following, settled)
            if at < stop:
                following = _twice_as_long(following)
        distance = 1
        while settled:
            distance += 1
            if distance == retrograde.MOST_DISTANCE:
                raise EndgameError(f"endgame: {size:,} positions: expected distances of less than {distance:,}")
            queue, following = following, queue
            last, at, settled = settled, 0, 0
            while at < last:
                stop = min(at + SLICE, last)
                at, settled = retrograde.spread(
                    value, distance + 1, queue[:stop], at, *nodes, starts, incoming, following, settled
                )
                if at < stop:
                    following = _twice_as_long(following)
        longest = max(longest, distance)
    return Distances(forced, defended, longest)


def _turn_round(
    graph: Graph, pool: Executor, threads: int, done: Done
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Returns where the edges into each position begin, and where they come from."""
    total, size = sum(map(len, graph.edges)), len(graph.lower)
    if total > MOST_EDGES:
        raise EndgameError(f"endgame: {total:,} moves within a level: expected at most {MOST_EDGES:,}")
    starts = np.zeros(size + 1, dtype=np.uint32)
    incoming = np.empty(total, dtype=np.uint32)
    parts = list(ranges(size, -(-size // threads)))  # a thread writes where no other one does

    def count(part: tuple[int, int]) -> None:
        for chunk in graph.edges:
            retrograde.count_incoming(chunk, *part, starts)

    def place(part: tuple[int, int]) -> None:
        for number, chunk in enumerate(graph.edges):
            first = number * graph.chunk
            left = graph.left[first : first + graph.chunk]
            retrograde.place_incoming(chunk, left, first, *part, starts, incoming)

    share(pool, count, parts, lambda share: done(0.1 * share))
    retrograde.add_up(starts)
    share(pool, place, parts, lambda share: done(0.1 + 0.2 * share))
    graph.edges.clear()
    return starts, incoming


def _twice_as_long(queue: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    longer = np.empty(2 * len(queue), dtype=np.uint32)
    longer[: len(queue)] = queue
    return longer
