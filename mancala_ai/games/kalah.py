"""Kalah, of the United States, with the rules of OpenSpiel's game ``mancala``: for comparison with other programs.

Rules (after the documentation of OpenSpiel 2.0.2, which is the referee in the tests; there the board is 2 x 6 with four
seeds a pit):

* Each player has a store to the right of the own row. A move sows all seeds of an own pit counter-clockwise, one lap
  only, into the own store too, but not into the opponent's. The emptied pit is not skipped.
* A last seed in the own store: the player moves again.
* A last seed in an empty own pit (the one just emptied, too) captures itself and the seeds opposite, if there are any.
* As soon as either player has no seed in the own row the game is over, whoever would be to move; each player also gets
  the seeds of the own row.

Where this differs from what is played elsewhere: some let a last seed capture itself when the opposite pit is empty,
some go on until the player *to move* has no seed, and some give what is left to the player who has run out. OpenSpiel
ends a game after 1,000 moves, too; the longest of the tests' random games has fewer than 100.

No position can recur: within a row seeds only move towards its end, and none leaves it unless a seed goes into a store.
So there is no option ``infinite``. Stores are the captured seeds of the position, and take part in sowing.

A move's number is its pit; OpenSpiel's is one more for South and eight more for North.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mancala_ai.kernels import (
    NO_MOVE,
    OVER,
    SIDE,
    SPLIT,
    Kernels,
    bit_difference,
    captured_difference,
    inline,
    key_without_captured,
    margin_by_rows,
    side_to_move,
    tempo,
    trailing_zeros,
)
from mancala_ai.lanes import lanes_of, range_table
from mancala_ai.notation import Fields, Pit
from mancala_ai.ruleset import (
    GameType,
    Option,
    OptionValue,
    Ruleset,
    TwoRows,
    game_string,
    pack_lanes,
    sized,
)

HOLES = range(3, 7)
SEEDS = range(1, 7)

WORDS, LANES = 2, 12  # smaller rings leave lanes of the largest empty
STORES = (13, 14)  # the lanes of captured seeds in a position of two words: bits 40-47 and 48-55 of the last


class _Options(NamedTuple):
    seeds: int
    infinite: int


class Kalah(_Options, TwoRows):
    """A Kalah ruleset; ``holes`` is fixed by the class (`Kalah3` to `Kalah6`).

    Words: ring pits as 8-bit lanes from bit 0 of word 0; the last word's upper bits are the common flags.
    """

    __slots__ = ()
    holes: ClassVar[int]
    words = WORDS
    features = ("captured", "seeds", "occupied pits", "pits that end in the store", "tempo")

    @classmethod
    def kernels(cls) -> Kernels:
        """See `Ruleset.kernels`."""
        return _kernels(cls.holes)

    @property
    def game_string(self) -> str:
        """See `Ruleset.game_string`."""
        return game_string("kalah", holes=self.holes, seeds=self.seeds)

    @property
    def endgame_string(self) -> str:
        """See `Ruleset.endgame_string`."""
        return game_string("kalah", holes=self.holes)

    @classmethod
    def endgame_board(cls) -> Fields:
        """See `Ruleset.endgame_board`: seeds leave the board for the stores, which do not matter for what follows."""
        return Fields(((Pit(0),) * cls.holes,) * 2, 0, (0, 0))


def _kernels(holes: int) -> Kernels:
    ring, most = 2 * holes, 2 * holes * SEEDS[-1]
    lanes = lanes_of(LANES)
    get, sow, remove, total, bits = lanes.get, lanes.sow, lanes.remove, lanes.total, lanes.bits
    table = _sowing_table(holes, most)
    ranges = range_table(LANES, holes)
    full_row = np.uint64((1 << holes) - 1)
    # A player's round has the own store besides the ring.
    H, R, ROUND, RANGE, STRIDE = (np.uint64(n) for n in (holes, ring, ring + 1, holes + 1, most + 1))
    ANY = np.uint64(0xFFFFFFFFFFFFFFFF)
    _0, _1, _8, _40 = (np.uint64(n) for n in (0, 1, 8, 40))

    @inline
    def settle(rules, position):
        occupied = bits(position, ANY)
        if occupied & full_row == _0 or occupied >> H == _0:
            return position[:-1] + (position[-1] | OVER,)
        return position

    def play(rules, position, move):
        side = side_to_move(position)
        pit = H * side + move
        hand = get(position, pit)
        position = sow(position, table, pit * STRIDE + hand)
        last = (move + hand) % ROUND  # 0..H-1 own pits, H the store, then the opponent's pits
        if last == H:
            return settle(rules, position)
        if last < H:
            landing = H * side + last
            opposite = R - _1 - landing
            target = get(position, opposite)
            if target != _0 and get(position, landing) == _1:
                position = remove(position, ranges, landing * RANGE + _1)
                position = remove(position, ranges, opposite * RANGE + _1)
                position = position[:-1] + (position[-1] + ((target + _1) << (_40 + _8 * side)),)
        return settle(rules, position[:-1] + (position[-1] ^ SIDE,))

    def next_move(rules, position, start):
        rest = ((bits(position, ANY) >> (H * side_to_move(position))) & full_row) >> start
        return NO_MOVE if rest == _0 else start + trailing_zeros(rest)

    @inline
    def board_difference(rules, position):
        return np.int64(total(position, ranges, H)) - np.int64(total(position, ranges, H * RANGE + H))

    def features(rules, position):
        again = _0  # bit p: the last seed of pit p would fall into the store
        for p in range(ring):
            pit = np.uint64(p)
            if (pit % H + get(position, pit)) % ROUND == H:
                again |= _1 << pit
        return (
            captured_difference(rules, position),
            board_difference(rules, position),
            bit_difference(bits(position, ANY), full_row, H),
            bit_difference(again, full_row, H),
            tempo(position),
        )

    @inline
    def pit(rules, position, index):
        return get(position, index), _0

    return Kernels(
        *(play, next_move, settle, margin_by_rows, captured_difference, board_difference, key_without_captured),
        *(features, pit),
    )


def _sowing_table(holes: int, most: int) -> np.ndarray:
    """Returns what to add to a position to sow a pit, its owner's store included.

    Like `mancala_ai.lanes.sowing_table`: ``uint64``, shape ``(2 * holes * (most + 1), WORDS)``, row ``pit * (most + 1)
    + n`` for n seeds.
    """
    table = np.zeros((2 * holes, most + 1, WORDS), dtype=np.uint64)
    for pit in range(2 * holes):
        side, own = divmod(pit, holes)
        row, other = ([player * holes + c for c in range(holes)] for player in (side, 1 - side))
        circuit = [*row, STORES[side], *other]
        counts = [0] * 8 * WORDS
        for n in range(1, most + 1):
            counts[circuit[(own + n) % len(circuit)]] += 1
            words = pack_lanes(counts, WORDS)
            words[pit // 8] -= n << 8 * (pit % 8)
            table[pit, n] = [word % 2**64 for word in words]
    return table.reshape(-1, WORDS)


_CLASSES: dict[int, Any] = {holes: sized(Kalah, f"Kalah{holes}", holes=holes, moves=holes) for holes in HOLES}
globals().update({cls.__name__: cls for cls in _CLASSES.values()})


def _make(options: Mapping[str, OptionValue]) -> Ruleset:
    # Nothing is ever infinite; SPLIT tells engines that captured seeds decide.
    rules: Ruleset = _CLASSES[int(options["holes"])](int(options["seeds"]), SPLIT)
    return rules


GAME = GameType(
    name="kalah",
    title="Kalah",
    origin="United States",
    board="2 x 3..6 and a store each (standard 6)",
    summary="one lap through the own store, where a last seed moves again; captures opposite to an empty own pit (the "
    "rules of OpenSpiel's mancala)",
    options=(
        Option("holes", tuple(HOLES), 6, "pits a row"),
        Option("seeds", tuple(SEEDS), 4, "seeds a pit at the start"),
    ),
    setups={},
    make=_make,
)
