"""Retrograde analysis of one level: the kernels. `engines.endgame.build` calls them.

One player, the *forcer*, wants to leave the level (by a capture or by the end of the game) with as large a margin as
possible, the other one, the *defender*, wants the opposite, and infinite play is the forcer's loss. A position stands
for two nodes:

    forcer to move    worth lower(P) to the forcer: infinite play is minus infinity to the side to move
    defender to move  worth -upper(P) to the forcer: infinite play is plus infinity to the side to move

An *edge* is a move that stays in the level; all other moves are *exits*, whose worth is known. Values are settled from
the greatest to the smallest. At value v the forcer's nodes with an exit worth v are settled, and the defender's nodes
from which all edges lead to settled nodes and all exits are worth v or more (to the forcer). Each settled node is then
passed on to its predecessors, in rounds: a forcer's node is settled by any of its successors, a defender's by the last.
What is never settled can be kept in the level for ever. Every edge is looked at once for each of the two nodes, so the
time is linear in the number of moves.

The round in which a node is settled is its *distance*: with v held, the forcer always has a move to a node with a
smaller distance, or an exit, and all the defender's moves lead to such nodes or to greater values. So a forcer who
follows the distances meets no position twice. Distances depend on the graph alone, not on the order within a round.
"""

from __future__ import annotations

import numpy as np

from engines.endgame.boards import find, following, write_position
from engines.endgame.index import LEVELS, index_of
from engines.endgame.memory import NO_LOWER, NO_UPPER, stored_bounds
from mancala_ai.kernels import (
    ENDLESS,
    NO_MOVE,
    SPLIT,
    end_margin,
    inline,
    is_over,
    kernel,
    load,
    material,
    next_move,
    play,
    settle,
    side_to_move,
)

NO_EXIT = -128
VALUES = 256  # places in a table of values
MOST_DISTANCE = 65_535

_0, _1 = np.uint64(0), np.uint64(1)
_ONE = np.uint32(1)
VALUE_OFFSET = 128  # of the value 0


@inline
def bounds_of_mover(lower, upper, gained, again):
    """Returns the bounds of a move for the player who makes it, from those of the position after it.

    Args:
        lower: stored bound of the position after the move, ``int64``.
        upper: the other one.
        gained: what the player has captured more than the other with the move.
        again: whether the same player moves again.
    """
    if again:
        return (
            np.int64(NO_LOWER) if lower == NO_LOWER else gained + lower,
            np.int64(NO_UPPER) if upper == NO_UPPER else gained + upper,
        )
    return (
        np.int64(NO_LOWER) if upper == NO_UPPER else gained - upper,
        np.int64(NO_UPPER) if lower == NO_LOWER else gained - lower,
    )


@kernel
def expand(rules, boards, database, seeds, first, last, lower, upper, left, edges, exits):
    """Plays all moves of the positions ``first`` .. ``last - 1``.

    Args:
        rules: a ruleset with endgames.
        boards: all positions of the level (`Boards`).
        database: database with all lower levels. Where one is missing, moves into it are left out.
        seeds: seeds of the level, ``uint64``.
        first: number of a position, ``int64``.
        last: number of a position, ``int64``.
        lower: gets the best exit of each of these positions if infinite play is worth minus infinity; ``int8``.
        upper: the same if it is worth plus infinity.
        left: gets the number of edges, ``uint8``.
        edges: gets all edges in order: twice the number of the position after it, plus 1 if the same player moves
            again; ``uint32``, as many places as there can be.
        exits: how many nodes have an exit of each value to the forcer; ``int64``, shape ``(VALUES,)``; added to.

    Returns:
        The number of edges.
    """
    words = np.empty(boards.x.shape[1], dtype=np.uint64)
    segment, x, y = find(boards.segments, first)
    count = 0
    for number in range(first, last):
        write_position(boards, segment, x, y, words)
        segment, x, y = following(boards.segments, segment, x, y)
        position = settle(rules, load(rules, words))
        least, most = np.int64(NO_EXIT), np.int64(NO_EXIT)
        before = count
        if is_over(position):
            least = most = end_margin(rules, position)
        else:
            move = next_move(rules, position, _0)
            while move != NO_MOVE:
                after = play(rules, position, move)
                if not is_over(after):
                    side = side_to_move(after)
                    seeds_after, number_after = index_of(rules, after, side, database)
                    if seeds_after == seeds:
                        edges[count] = (number_after << _1) | (_1 - side)
                        count += 1
                    elif database[LEVELS] > seeds_after:
                        low, high = stored_bounds(database, seeds_after, number_after)
                        low, high = bounds_of_mover(low, high, material(rules, after), side == _0)
                        least, most = max(least, low), max(most, high)
                elif (after[-1] & ENDLESS) != _0:
                    most = np.int64(NO_UPPER)
                else:
                    margin = end_margin(rules, after)
                    least, most = max(least, margin), max(most, margin)
                move = next_move(rules, position, move + _1)
        lower[number - first] = least
        upper[number - first] = most
        left[number - first] = count - before
        if least != NO_EXIT:
            exits[least + VALUE_OFFSET] += 1
        if most != NO_EXIT and most != NO_UPPER:
            exits[VALUE_OFFSET - most] += 1
    return count


@kernel
def count_incoming(edges, first, last, starts):
    """Adds the edges into positions ``first`` .. ``last - 1`` to ``starts`` (``uint32``, one a position and one)."""
    for i in range(len(edges)):
        after = np.int64(edges[i] >> np.uint32(1))
        if first <= after < last:
            starts[after] += np.uint32(1)


@kernel
def add_up(starts):
    """Turns counts into sums, each with its own count."""
    total = np.uint32(0)
    for i in range(len(starts)):
        total += starts[i]
        starts[i] = total


@kernel
def place_incoming(edges, left, number, first, last, starts, incoming):
    """Writes edges into the positions ``first`` .. ``last - 1`` at the places of the positions that they lead to.

    Args:
        edges: edges of consecutive positions.
        left: number of edges of each of these positions.
        number: the first of these positions.
        first: number of a position.
        last: number of a position.
        starts: for each position the end of its places, less what was placed already; changed.
        incoming: twice the number of the position before the move, plus 1 if the same player moves again; ``uint32``.
    """
    edge = 0
    for i in range(len(left)):
        before = np.uint32((number + i) << 1)
        for _ in range(left[i]):
            after = np.int64(edges[edge] >> np.uint32(1))
            if first <= after < last:
                starts[after] -= np.uint32(1)
                incoming[starts[after]] = before | (edges[edge] & np.uint32(1))
            edge += 1


@kernel
def mark(value, first, last, lower, upper, left, forced, defended):
    """Settles, with distance 1, the nodes that exits alone settle at a value.

    Args:
        value: worth to the forcer, ``int64``.
        first: number of a position.
        last: number of a position; ``first`` .. ``last - 1`` are looked at.
        lower: worth of the forcer's nodes (of their best exit as long as they are not settled), ``int8``.
        upper: the same of the defender's nodes, to the defender.
        left: edges of the defender's nodes that do not lead to a settled node, ``uint8``.
        forced: distances of the forcer's nodes, 0 as long as they are not settled, ``uint16``.
        defended: distances of the defender's nodes.
    """
    for i in range(first, last):
        if lower[i] == value and forced[i] == 0:
            forced[i] = 1
        if upper[i] == -value and left[i] == 0 and defended[i] == 0:
            defended[i] = 1


@inline
def _pass_on(node, value, distance, lower, upper, left, forced, defended, starts, incoming, queue, size):
    # A node is twice the number of its position, plus 1 if the defender is to move. Returns the new size of the queue.
    position, defends = node >> _ONE, node & _ONE
    for i in range(np.int64(starts[position]), np.int64(starts[position + _ONE])):
        edge = incoming[i]
        before = edge >> _ONE
        if defends == edge & _ONE:  # the defender moves there
            left[before] -= 1
            if left[before] == 0 and upper[before] <= -value:
                upper[before] = -value
                defended[before] = distance
                queue[size] = before << _ONE | _ONE
                size += 1
        elif forced[before] == 0:
            lower[before] = value
            forced[before] = distance
            queue[size] = before << _ONE
            size += 1
    return size


@inline
def _has_room(node, starts, queue, size):
    position = node >> _ONE
    return size + np.int64(starts[position + _ONE]) - np.int64(starts[position]) <= len(queue)


@kernel
def spread_marked(value, first, last, lower, upper, left, forced, defended, starts, incoming, queue, size):
    """Passes on what `mark` has settled; the nodes that this settles, with distance 2, are added to the queue.

    Args:
        value: worth to the forcer, ``int64``.
        first: number of a node (not of a position).
        last: number of a node; ``first`` .. ``last - 1`` are looked at.
        lower: as in `mark`, like the following four.
        upper: see there.
        left: see there.
        forced: see there.
        defended: see there.
        starts: made by `place_incoming`.
        incoming: made by `place_incoming`.
        queue: gets nodes, ``uint32``.
        size: number of nodes in the queue.

    Returns:
        The first node that was not passed on, since the queue has no room for what it may settle (``last`` if there is
        none), and the number of nodes in the queue.
    """
    for number in range(first, last):
        i = number >> 1
        if (forced[i] == 1 and lower[i] == value) if number & 1 == 0 else (defended[i] == 1 and upper[i] == -value):
            node = np.uint32(number)
            if not _has_room(node, starts, queue, size):
                return number, size
            size = _pass_on(node, value, 2, lower, upper, left, forced, defended, starts, incoming, queue, size)
    return last, size


@kernel
def spread(value, distance, nodes, first, lower, upper, left, forced, defended, starts, incoming, queue, size):
    """Passes on ``nodes[first:]``; those that this settles, with the distance, are added to the queue.

    Args and returned values are those of `spread_marked`, but that ``nodes`` (``uint32``) lists what is passed on.
    """
    for i in range(first, len(nodes)):
        if not _has_room(nodes[i], starts, queue, size):
            return i, size
        size = _pass_on(nodes[i], value, distance, lower, upper, left, forced, defended, starts, incoming, queue, size)
    return len(nodes), size


@kernel
def finish(rules, first, last, lower, upper, forced, defended, bounds):
    """Writes the final bounds (``int8``, two a position) of the positions ``first`` .. ``last - 1``.

    Nodes that are not settled are worth infinite play. Where that is split, it adds nothing, so that both bounds are
    the value of the position.
    """
    for i in range(first, last):
        low = np.int64(lower[i]) if forced[i] != 0 else np.int64(NO_LOWER)
        high = np.int64(upper[i]) if defended[i] != 0 else np.int64(NO_UPPER)
        if rules.infinite == SPLIT:
            low = high = low if low > 0 else min(high, np.int64(0))
        bounds[2 * i] = low
        bounds[2 * i + 1] = high


@kernel
def tally(boards, first, last, bounds, counts):
    """Counts positions ``first`` .. ``last - 1``, mirrored ones as two.

    Args:
        boards: all positions of the level.
        first: number of a position.
        last: number of a position.
        bounds: of the level, ``int8``, two a position.
        counts: positions, wins, draws, losses, exact bounds, cycles; ``int64``; added to.
    """
    segment, x, y = find(boards.segments, first)
    for i in range(first, last):
        alike = 2 if boards.mirrored and not (boards.segments[segment, 6] != 0 and x == y) else 1
        segment, x, y = following(boards.segments, segment, x, y)
        low, high = bounds[2 * i], bounds[2 * i + 1]
        counts[0] += alike
        counts[1 if low > 0 else (3 if high < 0 else 2)] += alike
        if low == high:
            counts[4] += alike
        if low == NO_LOWER and high == NO_UPPER:
            counts[5] += alike
