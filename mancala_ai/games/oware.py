"""Oware, of the Akan of Ghana, with the rules of OpenSpiel's game ``oware``: for comparison with other programs.

Rules (after the documentation of OpenSpiel 2.0.2, which is the referee in the tests):

* A move sows all seeds of an own pit counter-clockwise, one lap only; the emptied pit *is* skipped.
* A last seed that makes an opponent's pit two or three captures it, and then backwards every adjoining opponent's pit
  of two or three. A capture that would take all the opponent's seeds (a grand slam) takes none; the move stands.
* If all pits of the opponent are empty, a move that reaches the opponent's row must be chosen.
* The game ends as soon as a player has captured more than half of all seeds, and when the player to move has no legal
  move: nothing to sow, or nothing that would feed. Each player also gets the seeds of the own row.
* A position that occurs a second time ends the game in the same way, so ``infinite`` is ``own_side`` unless it says
  otherwise. OpenSpiel forgets what was before a capture, and no position before one can recur: the rules are the same.

Where this differs from tradition (Abapa, as played in tournaments): there, a repetition ends the game only if the
players agree that nothing else can happen, and the game may go on when one has more than half of the seeds. There are
several customs for grand slams, of which this is one. OpenSpiel allows no game more than 1,000 moves; here it may have
them.

A move's number is its pit, as in OpenSpiel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mancala_ai.kernels import (
    NO_MOVE,
    OVER,
    SIDE,
    Kernels,
    bit_difference,
    captured_difference,
    inline,
    key_without_captured,
    leading_zeros,
    margin_by_rows,
    side_to_move,
    tempo,
    trailing_zeros,
)
from mancala_ai.lanes import lane_words, lanes_of, range_table, sowing_table
from mancala_ai.ruleset import (
    INFINITE,
    GameType,
    Option,
    OptionValue,
    Ruleset,
    TwoRows,
    game_string,
    infinite_name,
    infinite_option,
    sized,
)

HOLES = range(3, 9)
SEEDS = range(1, 9)


class _Options(NamedTuple):
    seeds: int
    infinite: int


class Oware(_Options, TwoRows):
    """An Oware ruleset; ``holes`` is fixed by the class (`Oware3` to `Oware8`).

    Words: ring pits as 8-bit lanes from bit 0 of word 0; the last word's upper bits are the common flags.
    """

    __slots__ = ()
    holes: ClassVar[int]
    features = ("captured", "seeds", "occupied pits", "pits of one or two", "tempo")

    @classmethod
    def kernels(cls) -> Kernels:
        """See `Ruleset.kernels`."""
        return _kernels(cls.holes)

    @property
    def game_string(self) -> str:
        """See `Ruleset.game_string`."""
        return game_string("oware", holes=self.holes, seeds=self.seeds, infinite=infinite_name(self, "own_side"))


def _kernels(holes: int) -> Kernels:
    ring = 2 * holes
    seeds = ring * SEEDS[-1]
    most = seeds + (seeds - 1) // (ring - 1)  # as `play` counts a hand
    lanes = lanes_of(ring)
    get, sow, remove, total, bits, equal = lanes.get, lanes.sow, lanes.remove, lanes.total, lanes.bits, lanes.equal
    table = sowing_table(ring, most, lane_words(ring))
    ranges = range_table(ring, ring)
    full_row = np.uint64((1 << holes) - 1)
    H, R, RANGE, STRIDE = (np.uint64(n) for n in (holes, ring, ring + 1, most + 1))
    ANY = np.uint64(0xFFFFFFFFFFFFFFFF)
    _0, _1, _2, _3, _8, _40, _63 = (np.uint64(n) for n in (0, 1, 2, 3, 8, 40, 63))

    @inline
    def legal_moves(position):
        side = side_to_move(position)
        occupied = bits(position, ANY)
        own = (occupied >> (H * side)) & full_row
        if (occupied >> (H * (_1 - side))) & full_row != _0:
            return own
        feeding = _0
        for c in range(holes):
            local = np.uint64(c)
            if get(position, H * side + local) + local >= H:
                feeding |= _1 << local
        return feeding

    @inline
    def settle(rules, position):
        difference = captured_difference(rules, position)
        left = np.int64(total(position, ranges, R))
        if difference > left or -difference > left or legal_moves(position) == _0:
            return position[:-1] + (position[-1] | OVER,)
        return position

    def play(rules, position, move):
        side = side_to_move(position)
        pit = H * side + move
        # A seed for every time that the sowing passes its own pit, which the table puts there and lifts at once.
        hand = get(position, pit)
        hand += (hand - _1) // (R - _1)
        position = sow(position, table, pit * STRIDE + hand)
        last = (pit + hand) % R
        reached = last - H * (_1 - side)  # the opponent's own letter of the last pit, if it is the opponent's
        if reached < H:
            # The chain: consecutive ones downwards from bit `reached` of the opponent's pits with two or three.
            good = ((equal(position, _2) | equal(position, _3)) >> (H * (_1 - side))) & full_row
            length = leading_zeros(~(good << (_63 - reached)))
            if length != _0:
                targets = (last + _1 - length) * RANGE + length
                gain = total(position, ranges, targets)
                if gain != total(position, ranges, H * (_1 - side) * RANGE + H):  # no grand slam
                    position = remove(position, ranges, targets)
                    position = position[:-1] + (position[-1] + (gain << (_40 + _8 * side)),)
        return settle(rules, position[:-1] + (position[-1] ^ SIDE,))

    def next_move(rules, position, start):
        rest = legal_moves(position) >> start
        return NO_MOVE if rest == _0 else start + trailing_zeros(rest)

    @inline
    def board_difference(rules, position):
        return np.int64(total(position, ranges, H)) - np.int64(total(position, ranges, H * RANGE + H))

    def features(rules, position):
        return (
            captured_difference(rules, position),
            board_difference(rules, position),
            bit_difference(bits(position, ANY), full_row, H),
            bit_difference(equal(position, _1) | equal(position, _2), full_row, H),
            tempo(position),
        )

    @inline
    def pit(rules, position, index):
        return get(position, index), _0

    return Kernels(
        *(play, next_move, settle, margin_by_rows, captured_difference, board_difference, key_without_captured),
        *(features, pit),
    )


_CLASSES: dict[int, Any] = {
    holes: sized(Oware, f"Oware{holes}", holes=holes, moves=holes, words=2 if holes <= 6 else 3) for holes in HOLES
}
globals().update({cls.__name__: cls for cls in _CLASSES.values()})


def _make(options: Mapping[str, OptionValue]) -> Ruleset:
    rules: Ruleset = _CLASSES[int(options["holes"])](int(options["seeds"]), INFINITE.index(str(options["infinite"])))
    return rules


GAME = GameType(
    name="oware",
    title="Oware",
    origin="Akan, Ghana",
    board="2 x 3..8 (standard 6)",
    summary="one lap; captures of twos and threes backwards, but never all; must feed (the rules of OpenSpiel's oware)",
    options=(
        Option("holes", tuple(HOLES), 6, "pits a row"),
        Option("seeds", tuple(SEEDS), 4, "seeds a pit at the start"),
        infinite_option("own_side"),
    ),
    setups={},
    make=_make,
)
