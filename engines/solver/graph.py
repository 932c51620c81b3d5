"""The graph of a proof search, as arrays that kernels fill: nodes, who waits for whom, and what to expand next.

All numbers of nodes and links begin with 1; 0 stands for none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_ai.kernels import inline, kernel
from mancala_ai.ruleset import Ruleset

# Bits of a node's status.
PROVED, REFUTED, EXPANDED, QUEUED, GOAL, MARKED = (np.uint8(1 << n) for n in range(6))

# Indices of counters.
NODES, LINKS, WORK, OPEN_GOALS, LOWEST, PENDING, COUNTERS = range(7)

MOST_COST = 1023
MAX_MOVES = 64
_LINKS_PER_NODE = 7

CHILD = np.uint64(8)  # words of a child in the scratch array: value, key, order, and the position
CHILD_VALUE, CHILD_KEY, CHILD_ORDER, CHILD_WORDS = (np.uint64(n) for n in range(4))
NONE = np.uint32(0)

_1 = np.uint64(1)
_MIX = np.uint64(0x9E3779B97F4A7C15)


class ProofGraph(NamedTuple):
    """Arrays of a proof search; memory is taken as it is used.

    Attributes:
        words: positions, ``uint64``, shape ``(n, words)``.
        keys: what identifies them, ``uint64``.
        status: bits, ``uint8``.
        distance: moves until a proof is complete, against the longest defence; ``uint32``; of proved nodes.
        cost: how soon to expand the node, ``uint16``.
        candidate: of refuter's nodes, ``uint32``.
        waiting: first link of those that wait for the node, ``uint32``.
        following: next node in the bucket, ``uint32``.
        link_node: node that waits, ``uint32``.
        link_next: next link, ``uint32``.
        slots: hash table of nodes, ``uint32``, length a power of two.
        again: nodes to be expanded again, ``uint32``; also the queue of `refocus`.
        news: nodes just proved, ``uint32``.
        buckets: first node to expand of each cost, ``uint32``.
        counters: ``int64``.
        scratch: children of the node at hand, ``uint64``.
    """

    words: npt.NDArray[np.uint64]
    keys: npt.NDArray[np.uint64]
    status: npt.NDArray[np.uint8]
    distance: npt.NDArray[np.uint32]
    cost: npt.NDArray[np.uint16]
    candidate: npt.NDArray[np.uint32]
    waiting: npt.NDArray[np.uint32]
    following: npt.NDArray[np.uint32]
    link_node: npt.NDArray[np.uint32]
    link_next: npt.NDArray[np.uint32]
    slots: npt.NDArray[np.uint32]
    again: npt.NDArray[np.uint32]
    news: npt.NDArray[np.uint32]
    buckets: npt.NDArray[np.uint32]
    counters: npt.NDArray[np.int64]
    scratch: npt.NDArray[np.uint64]


def new_graph(rules: Ruleset, capacity: int) -> ProofGraph:
    """Returns an empty graph with room for so many nodes."""
    n = capacity + 1
    slots = 1 << (2 * n - 1).bit_length()
    counters = np.zeros(COUNTERS, dtype=np.int64)
    counters[[NODES, LINKS, LOWEST]] = 1, 1, MOST_COST + 1
    small = [np.empty(n, dtype=np.uint32) for _ in range(5)]
    return ProofGraph(
        words=np.empty((n, rules.words), dtype=np.uint64),
        keys=np.empty(n, dtype=np.uint64),
        status=np.zeros(n, dtype=np.uint8),
        distance=np.empty(n, dtype=np.uint32),
        cost=np.empty(n, dtype=np.uint16),
        candidate=small[0],
        waiting=small[1],
        following=small[2],
        link_node=np.empty(_LINKS_PER_NODE * n, dtype=np.uint32),
        link_next=np.empty(_LINKS_PER_NODE * n, dtype=np.uint32),
        slots=np.zeros(slots, dtype=np.uint32),
        again=small[3],
        news=small[4],
        buckets=np.zeros(MOST_COST + 1, dtype=np.uint32),
        counters=counters,
        scratch=np.empty(MAX_MOVES * int(CHILD), dtype=np.uint64),
    )


def grown(rules: Ruleset, graph: ProofGraph, capacity: int) -> ProofGraph:
    """Returns a graph with all that another one holds, and room for more nodes."""
    new = new_graph(rules, capacity)
    for name, array in graph._asdict().items():
        if name not in ("slots", "scratch"):
            getattr(new, name)[: len(array)] = array
    _fill_slots(new)
    return new


def bytes_per_node(rules: Ruleset) -> int:
    """Returns how much memory a node takes, all arrays together, at most."""
    return 8 * rules.words + 8 + 1 + 4 + 2 + 5 * 4 + 8 * _LINKS_PER_NODE + 4 * 4


@inline
def find(graph, wanted):
    """Returns the node with a key, or NONE, and its slot of the hash table, or the free one that it would get."""
    mask = np.uint64(len(graph.slots) - 1)
    slot = ((wanted * _MIX) >> np.uint64(20)) & mask
    while True:
        node = graph.slots[slot]
        if node == NONE or graph.keys[node] == wanted:
            return node, slot
        slot = (slot + _1) & mask


@kernel
def _fill_slots(graph):
    for node in range(1, graph.counters[NODES]):
        _, slot = find(graph, graph.keys[node])
        graph.slots[slot] = node


@inline
def create(graph, wanted, slot, at, width, cost):
    """Returns a new node with a key, for a free slot, of the child at an index of the scratch array."""
    node = np.uint32(graph.counters[NODES])
    graph.counters[NODES] += 1
    graph.slots[slot] = node
    graph.keys[node] = wanted
    for i in range(width):
        graph.words[node, i] = graph.scratch[at + CHILD_WORDS + np.uint64(i)]
    graph.status[node] = 0
    graph.cost[node] = cost
    graph.candidate[node] = NONE
    graph.waiting[node] = NONE
    return node


@inline
def queue(graph, node):
    """Enters a node into the bucket of its cost."""
    graph.status[node] |= QUEUED
    cost = graph.cost[node]
    graph.following[node] = graph.buckets[cost]
    graph.buckets[cost] = node
    graph.counters[LOWEST] = min(graph.counters[LOWEST], np.int64(cost))


@inline
def wait_for(graph, node, awaited, cost):
    """Registers that a node waits for another one, which is queued if it must still be expanded."""
    link = np.uint32(graph.counters[LINKS])
    graph.counters[LINKS] += 1
    graph.link_node[link] = node
    graph.link_next[link] = graph.waiting[awaited]
    graph.waiting[awaited] = link
    if graph.status[awaited] & (EXPANDED | QUEUED) == 0:
        graph.cost[awaited] = cost
        queue(graph, awaited)


@inline
def pop(graph):
    """Returns the next node to expand that something waits for; NONE if there is none."""
    while graph.counters[LOWEST] <= MOST_COST:
        cost = graph.counters[LOWEST]
        node = graph.buckets[cost]
        if node == NONE:
            graph.counters[LOWEST] += 1
            continue
        graph.buckets[cost] = graph.following[node]
        graph.status[node] &= ~QUEUED
        wanted = graph.status[node] & (PROVED | EXPANDED) == 0
        if wanted and graph.status[node] & GOAL == 0:
            link = graph.waiting[node]
            while link != NONE and graph.status[graph.link_node[link]] & PROVED != 0:
                link = graph.link_next[link]
            wanted = link != NONE
        if wanted:
            return node
    return NONE
