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
"""

from __future__ import annotations

import numpy as np

from engines.control import load_shared
from engines.endgame.index import BOUNDS, LEVELS, index_of
from engines.endgame.memory import NO_LOWER, NO_UPPER, stored_bounds
from engines.solver.graph import (
    CHILD,
    CHILD_KEY,
    CHILD_ORDER,
    CHILD_VALUE,
    CHILD_WORDS,
    EXPANDED,
    GOAL,
    LINKS,
    LOWEST,
    MARKED,
    MAX_MOVES,
    MOST_COST,
    NODES,
    NONE,
    OPEN_GOALS,
    PENDING,
    PROVED,
    QUEUED,
    REFUTED,
    WORK,
    create,
    find,
    pop,
    queue,
    wait_for,
)
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

# What `run` answers: all goals are proved; those that are not cannot be; the budget is spent; no more memory.
DONE, CLOSED, SPENT, FULL = range(4)

KEY_BITS = 48  # of a position's number; what has a greater one is not taken

_0, _1 = np.uint64(0), np.uint64(1)
_OPEN, _WON, _LOST = (np.uint64(n) for n in range(3))  # values of children
_CHECK = 1023  # expansions between two looks at the stop flag, less one


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
        at = count * CHILD
        scratch[at + CHILD_VALUE] = value
        count += _1
        if value == decisive:
            scratch[CHILD_VALUE] = value
            return np.int64(-1)
        if value == _OPEN:
            scratch[at + CHILD_KEY] = found
            for i in range(len(after)):
                scratch[at + CHILD_WORDS + np.uint64(i)] = after[i]
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
            scratch[at + CHILD_ORDER] = np.uint64(order)
        move = next_move(rules, position, move + _1)
    return np.int64(count)


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
            node = pop(graph)
            if node == NONE:
                return CLOSED
        counters[WORK] += 1
        status[node] |= EXPANDED
        graph.candidate[node] = NONE

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
                at = np.uint64(i) * CHILD
                if scratch[at + CHILD_VALUE] == _OPEN:
                    child, _ = find(graph, scratch[at + CHILD_KEY])
                    if child != NONE and status[child] & PROVED != 0:
                        proved = True
                        distance = np.int64(graph.distance[child]) + 1
                        break
                    if child != NONE and status[child] & REFUTED != 0:
                        scratch[at + CHILD_VALUE] = _LOST
                        continue
                    open_count += 1
            if not proved:
                if open_count == 0:
                    status[node] |= REFUTED
                    continue
                cost = _step_cost(graph.cost[node], open_count)
                for i in range(count):
                    at = np.uint64(i) * CHILD
                    if scratch[at + CHILD_VALUE] == _OPEN:
                        child, slot = find(graph, scratch[at + CHILD_KEY])
                        if child == NONE:
                            child = create(graph, scratch[at + CHILD_KEY], slot, at, width, cost)
                        wait_for(graph, node, child, cost)

        # Step 3. The refuter takes one successor that is not proved: a refuted one, one that is expanded already, or
        # the one that leaves the prover the fewest moves.
        else:
            best, best_order = np.int64(-1), np.int64(1 << 40)
            for i in range(count):
                at = np.uint64(i) * CHILD
                if scratch[at + CHILD_VALUE] != _OPEN:
                    continue
                child, _ = find(graph, scratch[at + CHILD_KEY])
                order = np.int64(scratch[at + CHILD_ORDER])
                if child != NONE:
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
                at = np.uint64(best) * CHILD
                child, slot = find(graph, scratch[at + CHILD_KEY])
                cost = _step_cost(graph.cost[node], 1)
                if child == NONE:
                    child = create(graph, scratch[at + CHILD_KEY], slot, at, width, cost)
                graph.candidate[node] = child
                if status[child] & REFUTED != 0:
                    status[node] |= REFUTED
                else:
                    wait_for(graph, node, child, cost)

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
                graph.waiting[done] = NONE
                while link != NONE:
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
                        graph.candidate[other] = NONE
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
    graph.buckets[:] = NONE
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
            queue(graph, node)
            continue
        if graph.candidate[node] != NONE:
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
            at = np.uint64(i) * CHILD
            if scratch[at + CHILD_VALUE] == _OPEN:
                child, _ = find(graph, scratch[at + CHILD_KEY])
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
    node, slot = find(graph, wanted)
    if node == NONE:
        store(position, graph.scratch[CHILD_WORDS:])
        node = create(graph, wanted, slot, _0, len(words), np.uint16(0))
    if graph.status[node] & (PROVED | REFUTED | GOAL) == 0:
        graph.status[node] |= GOAL
        graph.counters[OPEN_GOALS] += 1
        if graph.status[node] & (EXPANDED | QUEUED) == 0:
            graph.cost[node] = 0
            queue(graph, node)
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
    node, _ = find(graph, wanted)
    if node == NONE:
        return
    if graph.status[node] & PROVED != 0:
        found[0], found[1] = 1, graph.distance[node]
    elif graph.status[node] & REFUTED != 0:
        found[0] = 0
