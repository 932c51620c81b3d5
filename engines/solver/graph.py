"""Deciding, without endgame databases, whether a player can force a margin: the kernels. See docs/solving.md.

One player, the *prover*, wants the game to end with at least a certain margin; infinite play is a failure. A node is a
position, captured seeds included. It is *proved* if the prover is to move and some move leads to a proved position, or
if the other player, the *refuter*, is to move and all moves do; moves into an endgame database, or to the end of the
game, are proved or *refuted* at once. What can be proved is the least fixed point of these rules, the same for every
path that leads to a position.

The fixed point is found on the fly (Liu and Smolka, 1998): a prover's node waits for all its successors, a refuter's
node for one of them only, its *candidate*. When that is proved, a prover's node is proved, too, and a refuter's takes
another candidate. If in the end all that the goal waits for, directly or not, has been expanded and nothing more is
proved, then nothing of it can be: the refuter keeps to the candidates, and the prover gets nowhere, or round in
circles.

All numbers of nodes and links begin with 1; 0 stands for none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engines.control import load_shared
from engines.endgame.index import BOUNDS, LEVELS, index_of
from engines.endgame.memory import NO_LOWER, NO_UPPER, stored_bounds
from mancala_ai.kernels import (
    ENDLESS,
    NO_MOVE,
    captured,
    end_margin,
    inline,
    is_over,
    kernel,
    load,
    material,
    next_move,
    play,
    side_to_move,
    store,
)
from mancala_ai.ruleset import Ruleset

# Bits of a node's status.
PROVED, REFUTED, EXPANDED, QUEUED, GOAL, MARKED = (np.uint8(1 << n) for n in range(6))

# What `run` answers: all goals are proved; those that are not cannot be; the budget is spent; no more memory.
DONE, CLOSED, SPENT, FULL = range(4)

# Indices of counters.
NODES, LINKS, WORK, OPEN_GOALS, LOWEST, PENDING, COUNTERS = range(7)

MOST_COST = 1023
MAX_MOVES = 64
KEY_BITS = 48  # of a position's number; what has a greater one is not taken
_LINKS_PER_NODE = 7

_0, _1, _15, _33 = (np.uint64(n) for n in (0, 1, 15, 33))
_MIX = np.uint64(0x9E3779B97F4A7C15)
_NONE = np.uint32(0)
_PER_CHILD = np.uint64(8)  # words of a child in the scratch array: value, key, order, and the position
_VALUE, _KEY, _ORDER, _WORDS = (np.uint64(n) for n in range(4))
_OPEN, _WON, _LOST = (np.uint64(n) for n in range(3))  # values of children
_CHECK = 1023  # nodes between two looks at the stop flag, less one


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
        scratch=np.empty(MAX_MOVES * int(_PER_CHILD), dtype=np.uint64),
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
def _key(rules, position, seeds, number):
    # Seeds on the board and South's captured seeds give North's. Mirrored positions share a key.
    side = side_to_move(position)
    return (((number << np.uint64(8) | captured(position, _0)) << np.uint64(6) | seeds) << _1) | side


@inline
def _classify(rules, after, database, prover, target):
    """Returns the value of a position for the prover, and its key if it is open."""
    if is_over(after):
        if (after[-1] & ENDLESS) != _0:
            return _LOST, _0
        margin = end_margin(rules, after)
        return (_WON if (margin if prover == _0 else -margin) >= target else _LOST), _0
    seeds, number = index_of(rules, after, side_to_move(after), database)
    ahead = material(rules, after)
    if prover != _0:
        ahead = -ahead
    if ahead + np.int64(seeds) < target:
        return _LOST, _0
    if seeds < database[LEVELS] and database[BOUNDS + seeds] != _0:
        low, high = stored_bounds(database, seeds, number)
        if side_to_move(after) == prover:
            proved = low != NO_LOWER and ahead + low >= target
        else:
            proved = high != NO_UPPER and ahead - high >= target
        return (_WON if proved else _LOST), _0
    return _OPEN, _key(rules, after, seeds, number)


@kernel
def _generate(rules, words, node, database, prover, target, scratch):
    # Writes all successors of a node to the scratch array; returns how many there are. Stops at one that decides.
    position = load(rules, words[node])
    decisive = _WON if side_to_move(position) == prover else _LOST
    count = _0
    move = next_move(rules, position, _0)
    while move != NO_MOVE:
        after = play(rules, position, move)
        value, found = _classify(rules, after, database, prover, target)
        at = count * _PER_CHILD
        scratch[at + _VALUE] = value
        count += _1
        if value == decisive:
            scratch[_VALUE] = value
            return np.int64(-1)
        if value == _OPEN:
            scratch[at + _KEY] = found
            for i in range(len(after)):
                scratch[at + _WORDS + np.uint64(i)] = after[i]
            order = np.int64(0)
            if decisive == _LOST:  # how many moves the prover has afterwards; an extra move of the refuter is good
                if side_to_move(after) == prover:
                    reply = next_move(rules, after, _0)
                    while reply != NO_MOVE:
                        order += 1
                        reply = next_move(rules, after, reply + _1)
                    order = order * 2
                else:
                    order = np.int64(5)
            scratch[at + _ORDER] = np.uint64(order)
        move = next_move(rules, position, move + _1)
    return np.int64(count)


@inline
def _find(graph, wanted):
    # Node with a key, or 0; and its slot, or the free one.
    mask = np.uint64(len(graph.slots) - 1)
    slot = ((wanted * _MIX) >> np.uint64(20)) & mask
    while True:
        node = graph.slots[slot]
        if node == _NONE or graph.keys[node] == wanted:
            return node, slot
        slot = (slot + _1) & mask


@kernel
def _fill_slots(graph):
    for node in range(1, graph.counters[NODES]):
        _, slot = _find(graph, graph.keys[node])
        graph.slots[slot] = node


@inline
def _create(graph, wanted, slot, at, width, cost):
    node = np.uint32(graph.counters[NODES])
    graph.counters[NODES] += 1
    graph.slots[slot] = node
    graph.keys[node] = wanted
    for i in range(width):
        graph.words[node, i] = graph.scratch[at + _WORDS + np.uint64(i)]
    graph.status[node] = 0
    graph.cost[node] = cost
    graph.candidate[node] = _NONE
    graph.waiting[node] = _NONE
    return node


@inline
def _queue(graph, node):
    graph.status[node] |= QUEUED
    cost = graph.cost[node]
    graph.following[node] = graph.buckets[cost]
    graph.buckets[cost] = node
    graph.counters[LOWEST] = min(graph.counters[LOWEST], np.int64(cost))


@inline
def _wait(graph, node, awaited, cost):
    # Registers that a node waits for another one, which is queued if it must still be expanded.
    link = np.uint32(graph.counters[LINKS])
    graph.counters[LINKS] += 1
    graph.link_node[link] = node
    graph.link_next[link] = graph.waiting[awaited]
    graph.waiting[awaited] = link
    if graph.status[awaited] & (EXPANDED | QUEUED) == 0:
        graph.cost[awaited] = cost
        _queue(graph, awaited)


@inline
def _pop(graph):
    # The next node to expand that something waits for; 0 if there is none.
    while graph.counters[LOWEST] <= MOST_COST:
        cost = graph.counters[LOWEST]
        node = graph.buckets[cost]
        if node == _NONE:
            graph.counters[LOWEST] += 1
            continue
        graph.buckets[cost] = graph.following[node]
        graph.status[node] &= ~QUEUED
        wanted = graph.status[node] & (PROVED | EXPANDED) == 0
        if wanted and graph.status[node] & GOAL == 0:
            link = graph.waiting[node]
            while link != _NONE and graph.status[graph.link_node[link]] & PROVED != 0:
                link = graph.link_next[link]
            wanted = link != _NONE
        if wanted:
            return node
    return _NONE


@inline
def _step_cost(cost, children):
    return np.uint16(min(np.int64(cost) + children, np.int64(MOST_COST)))


@kernel
def run(rules, database, graph, prover, target, budget, most, stop):
    """Expands nodes until all goals are proved, or nothing is left to expand.

    Args:
        rules: a ruleset with endgames.
        database: levels that may be probed.
        graph: made by `new_graph`; every run on it has the same prover and target.
        prover: 0 or 1, ``uint64``.
        target: the final margin that the prover wants at least, ``int64``.
        budget: expansions, ``int64``.
        most: nodes that the graph may have, ``int64``.
        stop: ``uint64``, shape ``(1,)``; ends the run when not 0.

    Returns:
        DONE, CLOSED, SPENT or FULL.
    """
    counters, status, scratch = graph.counters, graph.status, graph.scratch
    width = graph.words.shape[1]
    most = min(most, len(graph.status) - MAX_MOVES)
    links = len(graph.link_node) - MAX_MOVES
    pending = counters[PENDING]
    last = counters[WORK] + budget
    while True:
        if counters[NODES] >= most or counters[LINKS] >= links:
            counters[PENDING] = pending
            return FULL
        if pending > 0:
            pending -= 1
            counters[PENDING] = pending
            node = graph.again[pending]
            if status[node] & PROVED != 0:
                continue
        else:
            if counters[OPEN_GOALS] == 0:
                return DONE
            if counters[WORK] >= last or (counters[WORK] & _CHECK == 0 and load_shared(stop, 0) != _0):
                return SPENT
            node = _pop(graph)
            if node == _NONE:
                return CLOSED
        counters[WORK] += 1
        status[node] |= EXPANDED
        graph.candidate[node] = _NONE

        # Step 1. All moves. One that decides at once is enough.
        count = _generate(rules, graph.words, node, database, prover, target, scratch)
        proves = side_to_move(load(rules, graph.words[node])) == prover
        proved = False
        distance = np.int64(1)
        if count < 0:
            if not proves:
                status[node] |= REFUTED
                continue
            proved = True

        # Step 2. The prover waits for all successors, unless one is proved.
        elif proves:
            open_count = 0
            for i in range(count):
                at = np.uint64(i) * _PER_CHILD
                if scratch[at + _VALUE] == _OPEN:
                    child, _ = _find(graph, scratch[at + _KEY])
                    if child != _NONE and status[child] & PROVED != 0:
                        proved = True
                        distance = np.int64(graph.distance[child]) + 1
                        break
                    if child != _NONE and status[child] & REFUTED != 0:
                        scratch[at + _VALUE] = _LOST
                        continue
                    open_count += 1
            if not proved:
                if open_count == 0:
                    status[node] |= REFUTED
                    continue
                cost = _step_cost(graph.cost[node], open_count)
                for i in range(count):
                    at = np.uint64(i) * _PER_CHILD
                    if scratch[at + _VALUE] == _OPEN:
                        child, slot = _find(graph, scratch[at + _KEY])
                        if child == _NONE:
                            child = _create(graph, scratch[at + _KEY], slot, at, width, cost)
                        _wait(graph, node, child, cost)

        # Step 3. The refuter takes one successor that is not proved: a refuted one, one that is expanded already, or
        # the one that leaves the prover the fewest moves.
        else:
            best, best_order = np.int64(-1), np.int64(1 << 40)
            for i in range(count):
                at = np.uint64(i) * _PER_CHILD
                if scratch[at + _VALUE] != _OPEN:
                    continue
                child, _ = _find(graph, scratch[at + _KEY])
                order = np.int64(scratch[at + _ORDER])
                if child != _NONE:
                    if status[child] & PROVED != 0:
                        distance = max(distance, np.int64(graph.distance[child]) + 1)
                        continue
                    if status[child] & REFUTED != 0:
                        order = np.int64(-3)
                    elif status[child] & EXPANDED != 0:
                        order = np.int64(-2)
                    elif status[child] & QUEUED != 0:
                        order = np.int64(-1)
                if order < best_order:
                    best, best_order = np.int64(i), order
            if best < 0:
                proved = True
            else:
                at = np.uint64(best) * _PER_CHILD
                child, slot = _find(graph, scratch[at + _KEY])
                cost = _step_cost(graph.cost[node], 1)
                if child == _NONE:
                    child = _create(graph, scratch[at + _KEY], slot, at, width, cost)
                graph.candidate[node] = child
                if status[child] & REFUTED != 0:
                    status[node] |= REFUTED
                else:
                    _wait(graph, node, child, cost)

        # Step 4. Pass on what is proved: a prover's node is proved by any successor, a refuter's looks for another.
        if proved:
            news = 1
            graph.news[0] = node
            status[node] |= PROVED
            graph.distance[node] = distance
            if status[node] & GOAL != 0:
                counters[OPEN_GOALS] -= 1
            while news > 0:
                news -= 1
                done = graph.news[news]
                link = graph.waiting[done]
                graph.waiting[done] = _NONE
                while link != _NONE:
                    other = graph.link_node[link]
                    link = graph.link_next[link]
                    if status[other] & PROVED != 0:
                        continue
                    if side_to_move(load(rules, graph.words[other])) == prover:
                        status[other] |= PROVED
                        graph.distance[other] = graph.distance[done] + np.uint32(1)
                        if status[other] & GOAL != 0:
                            counters[OPEN_GOALS] -= 1
                        graph.news[news] = other
                        news += 1
                    elif graph.candidate[other] == done:
                        graph.candidate[other] = _NONE
                        graph.again[pending] = other
                        pending += 1


@kernel
def refocus(rules, database, graph, prover, target):
    """Marks all nodes that the goals wait for, and queues those of them that are not expanded, anew.

    If all are expanded, none of them can be proved: they are refuted.

    Args and arrays are those of `run`, whose last answer must not be FULL.

    Returns:
        How many marked nodes are not expanded.
    """
    status, scratch = graph.status, graph.scratch
    graph.buckets[:] = _NONE
    graph.counters[LOWEST] = MOST_COST + 1
    last = 0
    for node in range(1, graph.counters[NODES]):
        status[node] &= ~(MARKED | QUEUED)
        if status[node] & GOAL != 0 and status[node] & PROVED == 0:
            status[node] |= MARKED
            graph.cost[node] = 0
            graph.again[last] = node
            last += 1
    at_queue = unexpanded = 0
    while at_queue < last:
        node = graph.again[at_queue]
        at_queue += 1
        if status[node] & REFUTED != 0:
            continue
        if status[node] & EXPANDED == 0:
            unexpanded += 1
            _queue(graph, node)
            continue
        if graph.candidate[node] != _NONE:
            child = graph.candidate[node]
            if status[child] & MARKED == 0:
                status[child] |= MARKED
                graph.cost[child] = _step_cost(graph.cost[node], 1)
                graph.again[last] = child
                last += 1
            continue
        count = _generate(rules, graph.words, node, database, prover, target, scratch)
        first = last
        for i in range(count):
            at = np.uint64(i) * _PER_CHILD
            if scratch[at + _VALUE] == _OPEN:
                child, _ = _find(graph, scratch[at + _KEY])
                if status[child] & (MARKED | REFUTED) == 0:
                    status[child] |= MARKED
                    graph.again[last] = child
                    last += 1
        for i in range(first, last):
            graph.cost[graph.again[i]] = _step_cost(graph.cost[node], count)
    if unexpanded == 0:
        for i in range(last):
            status[graph.again[i]] |= REFUTED
    return unexpanded


@kernel
def add_goal(rules, database, graph, words, prover, target):
    """Makes a position a goal. Returns its node, or -1 if it is proved at once, -2 if it is refuted at once."""
    position = load(rules, words)
    value, wanted = _classify(rules, position, database, prover, target)
    if value != _OPEN:
        return np.int64(-1 if value == _WON else -2)
    node, slot = _find(graph, wanted)
    if node == _NONE:
        store(position, graph.scratch[_WORDS:])
        node = _create(graph, wanted, slot, _0, len(words), np.uint16(0))
    if graph.status[node] & (PROVED | REFUTED | GOAL) == 0:
        graph.status[node] |= GOAL
        graph.counters[OPEN_GOALS] += 1
        if graph.status[node] & (EXPANDED | QUEUED) == 0:
            graph.cost[node] = 0
            _queue(graph, node)
    return np.int64(node)


@kernel
def drop_goals(graph):
    """Makes all goals ordinary nodes again."""
    for node in range(1, graph.counters[NODES]):
        graph.status[node] &= ~GOAL
    graph.counters[OPEN_GOALS] = 0


@kernel
def look_up(rules, database, graph, words, prover, target, found):
    """Fills ``found`` (``int64``, shape ``(2,)``) with what is known of a position: value and distance.

    The value is 1 if it is proved, 0 if it is refuted, -1 if that is not known.
    """
    value, wanted = _classify(rules, load(rules, words), database, prover, target)
    found[0], found[1] = -1, 0
    if value != _OPEN:
        found[0] = 1 if value == _WON else 0
        return
    node, _ = _find(graph, wanted)
    if node == _NONE:
        return
    if graph.status[node] & PROVED != 0:
        found[0], found[1] = 1, graph.distance[node]
    elif graph.status[node] & REFUTED != 0:
        found[0] = 0
