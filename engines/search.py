"""The alpha-beta search: one function for all games, over the generic kernels.

All that a search keeps besides the transposition table lies in one ``uint64`` array, the *workspace*, because every
array that a recursive kernel takes costs seven registers. Its sections, by first index:

    CONTROL     stop flag, node counter and limit, and the numbers of this search (named below)
    WEIGHTS     the evaluation's weights, int64 as bits
    HISTORY     for each side and move, how much the move has been worth elsewhere
    KILLERS     for each ply, the last two moves that cut off
    PV          for each ply, the length and moves of its principal variation
    FRAMES      for each ply, the moves of its node: numbers, order values, and the words of the positions after them
    CAPTURED    for each ply, the captured seeds of its position, as bits
    DATABASE    the endgame database (see engines.endgame.index), or a zero
    PATH        hashes of the repetition keys: the game's history, then the line being searched
    SEGMENTS    for each entry of PATH, where the part that can still recur begins
    SETS        for each entry of PATH, a hash of the set of keys in that part

Path-dependent values: a position of the line or of the game's history that occurs again ends the game, so the value of
a position depends on how it was reached (the graph-history-interaction problem), while a table entry is found by
position alone. The normal mode accepts that. With EXACT set, the key of an entry includes the *set* of earlier
positions that can still recur, and an entry cuts off only at its own depth, or at any greater one if it is complete:
then every value is that of plain minimax.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engines.control import load_shared
from engines.endgame.index import DATABASE_WORDS, LEVELS
from engines.endgame.play import UNKNOWN_OUTCOME, probe_outcome
from engines.evaluation import INFINITY, evaluate, result_value
from engines.transposition import (
    EXACT,
    LOWER,
    NO_TABLE_MOVE,
    UPPER,
    entry_bound,
    entry_complete,
    entry_depth,
    entry_move,
    entry_value,
    prefetch,
    probe,
    store_entry,
)
from mancala_ai.kernels import (
    NO_MOVE,
    captured_bits,
    end_margin,
    infinite_margin,
    inline,
    is_over,
    kernel,
    key,
    load,
    material,
    next_move,
    play,
    recursive_kernel,
    side_to_move,
)

MAX_PLY = 120  # deepest line
MAX_MOVES = 64  # most legal moves of a position: Kiothi's 60 seeds in hand at the utmost
MAX_WORDS = 4
MAX_CODES = 1024  # most move numbers

# Indices of the CONTROL section.
(
    STOP,
    NODES,
    NODE_LIMIT,
    GENERATION,
    TOTAL,
    ROOT_INDEX,
    EXACT_MODE,
    STATIC,  # static evaluations, counted so that a node can tell whether any stands behind its value
    STOPPED,
    QUIET_PLIES,  # quiescence: how many plies of captures beyond the depth,
    QUIET_GAIN,  # and how much material a capture must gain to be among them
) = (np.uint64(n) for n in range(11))

WEIGHTS = np.uint64(16)
HISTORY = WEIGHTS + np.uint64(48)
KILLERS = HISTORY + np.uint64(2 * MAX_CODES)
PV = KILLERS + np.uint64(2 * MAX_PLY)
PV_ROW = np.uint64(MAX_PLY + 2)
FRAMES = PV + np.uint64(MAX_PLY + 2) * PV_ROW
FRAME = np.uint64(MAX_MOVES * (2 + MAX_WORDS))
CAPTURED = FRAMES + np.uint64(MAX_PLY) * FRAME
DATABASE = CAPTURED + np.uint64(MAX_PLY)
PATH = DATABASE + DATABASE_WORDS

_0, _1, _2, _10, _32 = (np.uint64(n) for n in (0, 1, 2, 10, 32))
_MOVES, _CODES = np.uint64(MAX_MOVES), np.uint64(MAX_CODES)
_CHECK = np.uint64(1023)  # nodes between two looks at the stop flag, less one
_MULTIPLIERS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F], dtype=np.uint64
)
_CAPTURED_MULTIPLIER, _MIX = np.uint64(0xE7037ED1A0B428DB), np.uint64(0xFF51AFD7ED558CCD)
KILLER_CREDIT = 48
_HISTORY_CAP = np.int64(1 << 20)


def new_workspace(history_length: int) -> npt.NDArray[np.uint64]:
    """Returns a workspace for games of which up to ``history_length`` earlier positions can recur."""
    return np.zeros(int(PATH) + 3 * (history_length + MAX_PLY + 1), dtype=np.uint64)


def clear_workspace(work: npt.NDArray[np.uint64]) -> None:
    """Makes a used workspace as good as new: the sections behind PV are written before they are read."""
    work[: int(PV)] = 0
    work[int(DATABASE + LEVELS)] = 0


@inline
def _key_hash(position_key):
    # A sum of products: differences of a few lanes cannot cancel but by an accident of 64 bits.
    word = _0
    for i in range(len(position_key)):
        word += position_key[i] * _MULTIPLIERS[i]
    return word ^ (word >> _32)


@inline
def _sections(work):
    # First indices of SEGMENTS and SETS, which lie behind PATH.
    length = (np.uint64(len(work)) - PATH) // np.uint64(3)
    return PATH + length, PATH + length + length


@inline
def _push(work, index, hashed, starts_anew):
    # Enters a position into the path; `index` counts from the start of the game's history.
    segments, sets = _sections(work)
    work[PATH + index] = hashed
    mixed = hashed * _MIX
    if starts_anew or index == _0:
        work[segments + index] = index
        work[sets + index] = mixed
    else:
        work[segments + index] = work[segments + index - _1]
        work[sets + index] = work[sets + index - _1] ^ mixed


@inline
def _occurred(work, index, hashed):
    # Whether a key with this hash is among the entries up to `index` that can still recur.
    segments, _ = _sections(work)
    at = PATH + index
    first = PATH + work[segments + index]
    while True:
        if work[at] == hashed:
            return True
        if at == first:
            return False
        at -= _1


@inline
def _position_key(hashed, captured):
    # The table key of a position by itself.
    word = (hashed + captured * _CAPTURED_MULTIPLIER) * _MIX
    return word ^ (word >> _32)


@inline
def _table_key(work, hashed, captured, index):
    # `hashed` is the position's own entry of the path, at `index`.
    word = _position_key(hashed, captured)
    if work[EXACT_MODE] != _0:
        _, sets = _sections(work)
        word ^= work[sets + index] * _CAPTURED_MULTIPLIER
        word ^= word >> _32
    return word


@recursive_kernel
def _search(rules, position, depth, alpha, beta, ply, work, table):
    # Value for the side to move, in units of the evaluation. Fail-soft: a value outside (alpha, beta) is a bound.
    # Step 1. Count the node; look whether to stop.
    nodes = work[NODES] + _1
    work[NODES] = nodes
    work[PV + ply * PV_ROW] = _0
    if (nodes & _CHECK == _0 and load_shared(work, 0) != _0) or nodes > work[NODE_LIMIT]:
        work[STOPPED] = _1
    if work[STOPPED] != _0:
        return np.int64(0)

    # Step 2. The outcome is known: the game is over by itself, or because a position occurs again.
    side = side_to_move(position)
    if is_over(position):
        return result_value(end_margin(rules, position), side)
    index = work[ROOT_INDEX] + ply
    position_key = key(rules, position)
    hashed = _key_hash(position_key)
    captured = captured_bits(position, position_key)
    starts_anew = captured != work[CAPTURED + ply - _1]
    if not starts_anew and _occurred(work, index - _1, hashed):
        return result_value(infinite_margin(rules, position), side)

    # Just after a capture the endgame database knows the outcome, if it knows the position.
    if starts_anew and work[DATABASE + LEVELS] != _0:
        outcome, margin = probe_outcome(rules, position, work[int(DATABASE) : int(PATH)])
        if outcome != UNKNOWN_OUTCOME:
            return result_value(margin, _0)

    # Step 3. A leaf: its static value, or that of a large capture.
    if depth <= 0:
        work[STATIC] += _1
        value = evaluate(rules, position, work, WEIGHTS, np.int64(work[TOTAL]))
        value = value if side == _0 else -value
        if value >= beta or depth + np.int64(work[QUIET_PLIES]) <= 0:
            return value
        work[CAPTURED + ply] = captured
        _push(work, index, hashed, starts_anew)
        raised = max(alpha, value)
        material_now = material(rules, position)
        move = next_move(rules, position, _0)
        while move != NO_MOVE:
            after = play(rules, position, move)
            gain = material(rules, after) - material_now
            if (gain if side == _0 else -gain) >= np.int64(work[QUIET_GAIN]):
                if side_to_move(after) == side:
                    reply = _search(rules, after, depth - 1, raised, beta, ply + _1, work, table)
                else:
                    reply = -_search(rules, after, depth - 1, -beta, -raised, ply + _1, work, table)
                if work[STOPPED] != _0:
                    return np.int64(0)
                if reply > value:
                    value = reply
                    if value > raised:
                        raised = value
                        _keep_pv(work, ply, move)
                        if value >= beta:
                            break
            move = next_move(rules, position, move + _1)
        return value

    # Step 4. Look into the transposition table. It may end the search here, but not in the principal variation.
    work[CAPTURED + ply] = captured
    _push(work, index, hashed, starts_anew)
    table_key = _table_key(work, hashed, captured, index)
    data = probe(table, table_key, work[GENERATION]) if depth > 1 else _0
    table_move = NO_MOVE
    if data != _0:
        table_move = entry_move(data)
        if (
            work[EXACT_MODE] != _0
        ):  # a complete value holds at every greater depth, too; at a lesser one it knows too much
            enough = entry_depth(data) == depth or (entry_complete(data) and entry_depth(data) < depth)
        else:
            enough = entry_depth(data) >= depth or entry_complete(data)
        if beta - alpha == 1 and enough:
            value, bound = entry_value(data), entry_bound(data)
            if (bound == EXACT) or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
                if not entry_complete(data):
                    work[STATIC] += _1
                return value

    # Step 5. Play all moves and order them, best first: the table's move, then by the static value after the move, with
    # killers and moves that were good elsewhere a little ahead. At depth 1 there is nothing worth ordering.
    frame = FRAMES + ply * FRAME
    values, children = frame + _MOVES, frame + _MOVES * _2
    width = np.uint64(len(position))
    count = _0
    move = next_move(rules, position, _0)
    while depth > 1 and move != NO_MOVE:
        after = play(rules, position, move)
        order = evaluate(rules, after, work, WEIGHTS, np.int64(work[TOTAL]))
        order = order if side == _0 else -order
        if move == work[KILLERS + ply * _2] or move == work[KILLERS + ply * _2 + _1]:
            order += KILLER_CREDIT
        order += np.int64(work[HISTORY + side * _CODES + move]) >> 8
        if move == table_move:
            order = np.int64(1 << 40)
        if depth > 2 and work[EXACT_MODE] == _0:  # the position's entry is on its way when its turn comes
            after_key = key(rules, after)
            prefetch(table, _position_key(_key_hash(after_key), captured_bits(after, after_key)))
        work[frame + count] = move
        work[values + count] = np.uint64(order)
        for i in range(len(position)):
            work[children + count * width + np.uint64(i)] = after[i]
        count += _1
        move = next_move(rules, position, move + _1)

    static_before = work[STATIC]
    best, best_move = -INFINITY, NO_TABLE_MOVE
    raised = alpha  # the value to beat
    tried = _0
    while True:
        # Step 6. Take the best move left.
        if depth > 1:
            if tried == count:
                break
            _select(work, frame, values, children, width, tried, count)
            current = work[frame + tried]
            after = load(rules, work, children + tried * width)
        else:
            if move == NO_MOVE:
                break
            current = move
            after = play(rules, position, move)
            move = next_move(rules, position, move + _1)

        # Step 7. Search what follows: the first move with the full window, others with a null window that only asks
        # whether they are better, and again in full if they are. After an extra move it is the same player's view.
        upper = beta if tried == _0 else raised + 1
        while True:
            if side_to_move(after) == side:
                value = _search(rules, after, depth - 1, raised, upper, ply + _1, work, table)
            else:
                value = -_search(rules, after, depth - 1, -upper, -raised, ply + _1, work, table)
            if value <= raised or upper >= beta:
                break
            upper = beta
        if work[STOPPED] != _0:
            return np.int64(0)
        tried += _1

        # Step 8. Keep the best; stop when the opponent would not let it come to this.
        if value > best:
            best, best_move = value, current
            if value > raised:
                raised = value
                _keep_pv(work, ply, current)
                if value >= beta:
                    break

    # Step 9. Remember the move for the order elsewhere, and the value in the table.
    if best >= beta and depth > 1:
        if work[KILLERS + ply * _2] != best_move:
            work[KILLERS + ply * _2 + _1] = work[KILLERS + ply * _2]
            work[KILLERS + ply * _2] = best_move
        at = HISTORY + side * _CODES + best_move
        credit = np.int64(work[at]) + depth * depth
        work[at] = np.uint64(credit if credit < _HISTORY_CAP else credit >> 1)
    bound = LOWER if best >= beta else (EXACT if best > alpha else UPPER)
    complete = work[STATIC] == static_before
    if depth > 1:
        store_entry(table, table_key, work[GENERATION], best, depth, bound, complete, best_move)
    return best


@inline
def _select(work, frame, values, children, width, first, count):
    # Swaps the move with the largest order value of those from `first` on into place `first`.
    chosen = first
    for j in range(first + _1, count):
        if np.int64(work[values + np.uint64(j)]) > np.int64(work[values + chosen]):
            chosen = np.uint64(j)
    if chosen != first:
        work[frame + first], work[frame + chosen] = work[frame + chosen], work[frame + first]
        work[values + first], work[values + chosen] = work[values + chosen], work[values + first]
        for word in range(width):
            a, b = children + first * width + np.uint64(word), children + chosen * width + np.uint64(word)
            work[a], work[b] = work[b], work[a]


@inline
def _keep_pv(work, ply, move):
    # The variation of this ply is the move and the variation of the next.
    row, below = PV + ply * PV_ROW, PV + (ply + _1) * PV_ROW
    length = work[below]
    work[row + _1] = move
    for i in range(length):
        work[row + _2 + np.uint64(i)] = work[below + _1 + np.uint64(i)]
    work[row] = length + _1


@kernel
def prepare(rules, words, history, work):
    """Enters the game so far into the path: keys that can still recur, the root's last (``uint64``, ``(n, words)``)."""
    for i in range(len(history)):
        _push(work, np.uint64(i), _key_hash(load(rules, history[i])), i == 0)
    position = load(rules, words)
    work[ROOT_INDEX] = np.uint64(len(history) - 1)
    work[CAPTURED] = captured_bits(position, key(rules, position))


@kernel
def search_root(rules, words, moves, depth, alpha, beta, work, table):
    """Searches some moves of the root, in the order given, to one depth.

    Args:
        rules: a ruleset.
        words: the root, ``uint64`` of shape ``(words,)``, not over.
        moves: numbers of legal moves, ``int64``.
        depth: plies, at least 1.
        alpha: values up to this need not be told apart.
        beta: values from this on need not be told apart.
        work: workspace, prepared.
        table: transposition table.

    Returns:
        The value of the best move and its index in ``moves`` (``int64`` both; fail-soft). The principal variation is
        row 0 of the workspace's PV section. Nothing of it means anything if the search was stopped.
    """
    position = load(rules, words)
    side = side_to_move(position)
    best, best_index = -INFINITY, np.int64(0)
    raised = np.int64(alpha)
    for i in range(len(moves)):
        after = play(rules, position, np.uint64(moves[i]))
        upper = np.int64(beta) if i == 0 else raised + 1
        while True:
            if side_to_move(after) == side:
                value = _search(rules, after, np.int64(depth - 1), raised, upper, _1, work, table)
            else:
                value = -_search(rules, after, np.int64(depth - 1), -upper, -raised, _1, work, table)
            if value <= raised or upper >= beta:
                break
            upper = np.int64(beta)
        if work[STOPPED] != _0:
            break
        if value > best:
            best, best_index = value, np.int64(i)
            if value > raised:
                raised = value
                _keep_pv(work, _0, np.uint64(moves[i]))
                if value >= beta:
                    break
    return best, best_index
