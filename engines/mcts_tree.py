"""The tree of MCTS and its simulations: one kernel for all games, over the generic kernels.

A *tree* is a ``uint64`` array of shape ``(3, capacity)``, one column per node; node 0 is the root, and the children of
a node stand side by side, in the order of their moves, behind it:

    LINKS    bits 0-31   first child, 0 for none
             bits 32-47  the move that leads here
             bits 48-60  number of children
             bit 61      who chooses among them: 0 South, 1 North
             bits 62-63  outcome: 0 open, 1 South has won, 2 drawn, 3 North has won (proven)
    VISITS   simulations that went through the node
    REWARDS  their sum, int64 as bits, in units of 1 / UNIT, from *South's* view: 1 won, 0 drawn, -1 lost

Rewards are kept from one player's view, and who chooses is kept with each node, so that extra moves, passes and
openings of many decisions need no care. A node is a line of play, not a position: there are no transpositions, so what
is repetition in a node never changes, and outcomes proven in the tree hold for the game with its history.

All else that a search keeps lies in one ``uint64`` array, the *workspace*. Its sections, by first index:

    CONTROL     stop flag, counters with their limits, and the numbers of this search (named below)
    WEIGHTS     the evaluation's weights, int64 as bits
    LINE        the nodes of the line being simulated, with what backing up needs to know of them

Sources: UCT (Kocsis and Szepesvári, 2006), MCTS-Solver (Winands, Björnsson and Saito, 2008).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from engines.control import load_shared
from engines.endgame.index import LEVELS
from engines.endgame.play import UNKNOWN_OUTCOME, probe_outcome
from engines.evaluation import SEED, evaluate
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
    next_move,
    play,
    side_to_move,
)
from mancala_ai.playouts import FILTER_WORDS, TO_THE_END, copy_words, occurs, play_out, remember

MAX_DEPTH = 1024  # deepest node of a tree
UNIT = 1 << 16  # reward of a won game
NODE_BYTES = 24

# Rows of a tree, and fields of LINKS.
LINKS, VISITS, REWARDS = (np.uint64(n) for n in range(3))
OPEN, SOUTH_WINS, DRAWN, NORTH_WINS = (np.uint64(n) for n in range(4))

# Indices of the CONTROL section. CUTOFF: plies of a playout, 0 for no bound; EPSILON: see `play_out`; TOTAL: all seeds.
STOP, SIMULATIONS, SIMULATION_LIMIT, NODES, NODE_LIMIT, RNG, SIZE, EPSILON, CUTOFF, TOTAL = (
    np.uint64(n) for n in range(10)
)
WEIGHTS = np.uint64(16)
LINE = WEIGHTS + np.uint64(48)

_0, _1, _32, _48, _61, _62 = (np.uint64(n) for n in (0, 1, 32, 48, 61, 62))
_LOW_32, _LOW_16, _LOW_13 = (np.uint64((1 << bits) - 1) for bits in (32, 16, 13))
_SECURED = np.uint64(1 << 32)  # bit of an entry of LINE: the line is worth a draw above this node
_DEEPEST = np.uint64(MAX_DEPTH)
_PATH_ROOM = MAX_DEPTH + 1024

# Where a playout is cut off, seeds ahead become a reward by the logistic function: v seeds win with the probability
# p = 1 / (1 + exp(-v / s)), and 2p - 1 = tanh(v / 2s). With a tenth of the game's seeds for s this is close to what
# random playouts say in most of the games.
_SLOPE = 10 / (2 * SEED)  # divided by the number of seeds: 1 / 2s for values of the evaluation


def new_workspace() -> npt.NDArray[np.uint64]:
    """Returns a cleared workspace."""
    return np.zeros(int(LINE) + MAX_DEPTH + 1, dtype=np.uint64)


def new_tree(capacity: int) -> npt.NDArray[np.uint64]:
    """Returns a tree for so many nodes, with a root that was never visited. Memory is used as the tree grows."""
    tree = np.empty((3, capacity), dtype=np.uint64)
    tree[:, 0] = 0
    return tree


@inline
def first_child(links):
    """Returns the number of a node's first child, 0 for none."""
    return links & _LOW_32


@inline
def child_count(links):
    """Returns how many children a node has."""
    return (links >> _48) & _LOW_13


@inline
def chooser(links):
    """Returns the player to move in a node that has children: 0 South, 1 North."""
    return (links >> _61) & _1


@inline
def move_of(links):
    """Returns the number of the move that leads to a node."""
    return (links >> _32) & _LOW_16


@inline
def outcome_of(links):
    """Returns the proven outcome of a node, OPEN for none."""
    return links >> _62


@inline
def _reward_of(outcome):
    return (np.int64(DRAWN) - np.int64(outcome)) * UNIT


@inline
def _outcome_of_margin(margin):
    return DRAWN if margin == 0 else (SOUTH_WINS if margin > 0 else NORTH_WINS)


@inline
def _expand(rules, position, work, tree, node):
    # Enters the children of a node. Without room for all of them the tree stays as it is, and the answer is False.
    first = work[SIZE]
    child = first
    move = next_move(rules, position, _0)
    while move != NO_MOVE:
        if child >= np.uint64(tree.shape[1]):
            return False
        tree[LINKS, child] = move << _32
        tree[VISITS, child] = _0
        tree[REWARDS, child] = _0
        child += _1
        move = next_move(rules, position, move + _1)
    work[SIZE] = child
    tree[LINKS, node] |= first | ((child - first) << _48) | (side_to_move(position) << _61)
    return True


@inline
def _select(tree, node, exploration):
    # Returns the child to try: the first one never visited, or else the open one with the largest
    #
    #     mean reward + exploration * sqrt(log(visits of the node) / visits of the child)
    #
    # from the view of the player to move, the first among equals. A proven loss is never tried (a proven win would have
    # proven the node). A proven draw competes with its value 0, known without doubt. Where it comes out best there is
    # nothing to learn from it: the best open child is tried all the same, but the second part of the answer says that
    # the line is worth a draw above the node.
    links = tree[LINKS, node]
    first = first_child(links)
    total = np.float64(np.int64(tree[VISITS, node]))
    bonus = exploration * math.sqrt(math.log(total)) if total > 1.0 else 0.0
    sign = 1.0 / UNIT if chooser(links) == _0 else -1.0 / UNIT
    best, chosen, drawn = -math.inf, first, False
    for i in range(child_count(links)):
        child = first + np.uint64(i)
        outcome = outcome_of(tree[LINKS, child])
        if outcome != OPEN:
            drawn |= outcome == DRAWN
            continue
        visits = np.float64(np.int64(tree[VISITS, child]))
        if visits == 0.0:
            return child, False
        value = sign * np.float64(np.int64(tree[REWARDS, child])) / visits + bonus / math.sqrt(visits)
        if value > best:
            best, chosen = value, child
    return chosen, drawn and best < 0.0


@inline
def _outcome_by_children(tree, node):
    # The best outcome for the player to move, if it is a win or nothing better is open; otherwise OPEN.
    links = tree[LINKS, node]
    first = first_child(links)
    win = SOUTH_WINS if chooser(links) == _0 else NORTH_WINS
    all_proven, outcome = True, SOUTH_WINS + NORTH_WINS - win
    for i in range(child_count(links)):
        found = outcome_of(tree[LINKS, first + np.uint64(i)])
        if found == win:
            return win
        if found == OPEN:
            all_proven = False
        elif found == DRAWN:
            outcome = DRAWN
    return outcome if all_proven else OPEN


@kernel
def simulate(rules, words, history, work, tree, database, exploration):
    """Runs simulations, at least one, until a limit is reached, the stop flag is set, or the root's outcome is proven.

    Args:
        rules: a ruleset.
        words: the root, ``uint64`` of shape ``(words,)``, not over.
        history: repetition keys of the game so far that can still recur, the root's own last: ``uint64``,
            shape ``(n, words)``.
        work: workspace; the limits, counters and RNG in it are those of all calls together.
        tree: tree with an open root.
        database: endgame database (see engines.endgame.index); an outcome that it knows after a capture is proven.
        exploration: the constant c of UCT, for rewards from -1 to 1, ``float64``.
    """
    root = load(rules, words)
    captured_at_root = captured_bits(root, key(rules, root))
    known = np.uint64(len(history))
    path = np.empty((len(history) + _PATH_ROOM, len(root)), dtype=np.uint64)
    first_filter = np.zeros(FILTER_WORDS, dtype=np.uint64)
    for i in range(len(history)):
        remember(load(rules, history[i]), path, i, first_filter)
    seen = np.empty_like(first_filter)
    rng = work[RNG]
    most = work[CUTOFF] if work[CUTOFF] != _0 else TO_THE_END

    while True:
        # Step 1. Start at the root.
        copy_words(first_filter, seen)
        position, node, depth, length = root, _0, _0, known
        fresh, ended, margin = False, False, np.int64(0)
        captured = captured_at_root
        while True:
            # Step 2. Selection: where there are children, choose one. A leaf that was visited before gets its children
            # now, as long as there is room; a fresh one, or one that cannot grow, is where the tree ends.
            work[LINE + depth] = node
            if first_child(tree[LINKS, node]) == _0 and (
                fresh or depth == _DEEPEST or not _expand(rules, position, work, tree, node)
            ):
                break
            node, secured = _select(tree, node, exploration)
            if secured:
                work[LINE + depth] |= _SECURED

            # Step 3. Play its move. What ends the game here, by the rules or by repetition, ends every simulation here.
            position = play(rules, position, move_of(tree[LINKS, node]))
            fresh = tree[VISITS, node] == _0
            depth += _1
            position_key = key(rules, position)
            captured_before, captured = captured, captured_bits(position, position_key)
            if fresh and is_over(position):
                ended, margin = True, end_margin(rules, position)
            elif fresh and occurs(position_key, path, length, seen):
                ended, margin = True, infinite_margin(rules, position)
            elif fresh and captured != captured_before and database[LEVELS] != _0:
                outcome, margin = probe_outcome(rules, position, database)
                ended = outcome != UNKNOWN_OUTCOME
                if side_to_move(position) != _0:
                    margin = -margin
            if ended:
                work[LINE + depth] = node
                break
            remember(position_key, path, length, seen)
            length += _1

        # Step 4. Playout: its outcome, or the static value where it was cut off, is the reward.
        if ended:
            tree[LINKS, node] |= _outcome_of_margin(margin) << _62
            reward = _reward_of(outcome_of(tree[LINKS, node]))
            length += _1
        else:
            position, over, margin, length, path, rng = play_out(
                rules, position, path, length, seen, rng, most, work[EPSILON]
            )
            if over:
                reward = _reward_of(_outcome_of_margin(margin))
            else:
                total = np.int64(work[TOTAL])
                value = evaluate(rules, position, work, WEIGHTS, total)
                reward = np.int64(np.rint(math.tanh(np.float64(value) * _SLOPE / np.float64(total)) * UNIT))

        # Step 5. Back up, from the leaf to the root. An outcome just proven may prove the node above; what is proven or
        # secured is what the line is worth from there on.
        proven = ended
        tree[VISITS, node] += _1
        tree[REWARDS, node] += np.uint64(reward)
        while depth != _0:
            depth -= _1
            entry = work[LINE + depth]
            node = entry & _LOW_32
            if entry & _SECURED != _0:
                reward = np.int64(0)
            if proven:
                outcome = _outcome_by_children(tree, node)
                proven = outcome != OPEN
                if proven:
                    tree[LINKS, node] |= outcome << _62
                    reward = _reward_of(outcome)
            tree[VISITS, node] += _1
            tree[REWARDS, node] += np.uint64(reward)

        # Step 6. Count, and look whether to stop. Every move played is a node, in the tree as in the playout.
        work[SIMULATIONS] += _1
        work[NODES] += length - known
        if (
            work[SIMULATIONS] >= work[SIMULATION_LIMIT]
            or work[NODES] >= work[NODE_LIMIT]
            or outcome_of(tree[LINKS, _0]) != OPEN
            or load_shared(work, 0) != _0
        ):
            break
    work[RNG] = rng


@kernel
def transplant(tree, node, other):
    """Copies the part of a tree that hangs from a node.

    Args:
        tree: a tree.
        node: the new root, ``int64``.
        other: tree that receives the copy, of the same capacity.

    Returns:
        The number of nodes of the copy.
    """
    for row in range(3):
        other[row, 0] = tree[row, node]
    size, parent = _1, _0
    while parent < size:  # what is copied stands in a row, breadth first, and is its own queue
        links = other[LINKS, parent]
        first = first_child(links)
        if first != _0:
            other[LINKS, parent] = (links ^ first) | size
            for child in range(first, first + child_count(links)):
                for row in range(3):
                    other[row, size] = tree[row, np.uint64(child)]
                size += _1
        parent += _1
    return size
