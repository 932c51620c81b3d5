"""Kisolo, of the Luba, Lulua and Songye of Congo: four rows, compulsory captures, relay from the *following* pit.

Rules (after the Mancala World article on Kisolo, with the project's decisions):

* Each player owns an outer and an inner row and sows only around them, counter-clockwise as drawn: in own view along
  the outer row to the right, then along the inner row to the left.
* If in any column both facing inner pits hold seeds, the player must capture with one such column: the seeds of the
  opponent's inner pit and of the outer pit behind it are sown around the own ring, the first into the capturing inner
  pit itself. Otherwise the player sows any own pit, one seed being enough.
* After the last seed of a lap, the pit that follows decides. Empty: the turn is over. If the last seed's pit was
  occupied before, the following pit is an inner one and the inner pit facing it holds seeds: those and the outer ones
  behind are captured and sown, the first into the following pit. Otherwise (*pussa kanawa*) the following pit is lifted
  and sown, the first seed into the pit after it.
* A capture that leaves the opponent's inner row empty wins at once; the seeds just captured are not sown any more. A
  player whose own sowing has emptied the own inner row has not lost. Infinite play is a draw. There is no score.

Moves are numbered ``c`` for the outer pit of column c in own view, ``holes + c`` for the inner pit, and
``2 * holes + c`` for the capture with the inner pit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mancala_ai.kernels import (
    ENDLESS,
    FLAGS,
    MAX_LAPS,
    NO_MOVE,
    OVER,
    SIDE,
    Kernels,
    Position,
    bit_count,
    inline,
    side_to_move,
    tempo,
    trailing_zeros,
)
from mancala_ai.lanes import lane_sum, lanes_to_bits, nonzero_lanes
from mancala_ai.notation import LETTERS, Fields, Format, Pit
from mancala_ai.ruleset import (
    INFINITE,
    GameType,
    Option,
    OptionValue,
    Ruleset,
    game_string,
    pack_lanes,
    sized,
    to_position,
    unpack_flags,
    unpack_lanes,
)

HOLES = (7, 6)
SEEDS = 3


class _Options(NamedTuple):
    infinite: int


class Kisolo(_Options, Ruleset):
    """A Kisolo ruleset; ``holes`` is fixed by the class (`Kisolo6`, `Kisolo7`).

    Words: 0 South's outer row, 1 South's inner, 2 North's outer, 3 North's inner; lane i is *drawn* column i, so that
    facing pits have the same lane. The last word has no room for captured seeds, and needs none.
    """

    __slots__ = ()
    holes: ClassVar[int]
    scored = False
    features = ("seeds", "inner seeds", "inner occupied pits", "seeds open to capture", "tempo")

    @classmethod
    def kernels(cls) -> Kernels:
        """See `Ruleset.kernels`."""
        return _kernels(cls.holes)

    @property
    def game_string(self) -> str:
        """See `Ruleset.game_string`."""
        return game_string("kisolo", holes=self.holes)

    def initial(self) -> Fields:
        """See `Ruleset.initial`."""
        row = (Pit(SEEDS),) * self.holes
        return Fields((row, row, row, row), 0, None)

    def format(self) -> Format:
        """See `Ruleset.format`."""
        return Format(rows=4, pits=self.holes, total=4 * self.holes * SEEDS, captured=False)

    def pack(self, fields: Fields, text: str) -> Position:
        """See `Ruleset.pack`."""
        north_outer, north_inner, south_inner, south_outer = (
            pack_lanes([pit.seeds for pit in row], 1)[0] for row in fields.rows
        )
        return to_position([south_outer, south_inner, north_outer, north_inner | fields.side << 61])

    def unpack(self, position: Position) -> Fields:
        """See `Ruleset.unpack`."""
        rows = [tuple(Pit(seeds) for seeds in unpack_lanes((word,), self.holes)) for word in position]
        return Fields((rows[2], rows[3], rows[1], rows[0]), unpack_flags(position)[0], None)

    def move_name(self, move: int) -> str:
        """See `Ruleset.move_name`."""
        kind, column = divmod(move, self.holes)
        return (LETTERS[column], LETTERS[column].upper(), "x" + LETTERS[column].upper())[kind]

    def move_number(self, name: str) -> int | None:
        """See `Ruleset.move_number`."""
        letters = LETTERS[: self.holes]
        names = [*letters, *letters.upper(), *("x" + letter for letter in letters.upper())]
        return names.index(name) if name in names else None


def _kernels(holes: int) -> Kernels:
    most = 4 * holes * SEEDS
    table, shifts = _ring_tables(holes, most)
    H, R, STRIDE, LANES = np.uint64(holes), np.uint64(2 * holes), np.uint64(most + 1), np.uint64((1 << 8 * holes) - 1)
    _0, _1, _7, _8, _255 = (np.uint64(n) for n in (0, 1, 7, 8, 255))

    @inline
    def settle(rules, position):
        no_south = (position[0] | position[1]) == _0
        no_north = (position[2] | (position[3] & LANES)) == _0
        if no_south or no_north:
            return position[:3] + (position[3] | OVER,)
        return position

    def play(rules, position, move):
        side = side_to_move(position)
        if side == _0:
            outer, inner, enemy_outer, enemy_inner = position[0], position[1], position[2], position[3] & LANES
        else:
            outer, inner, enemy_outer, enemy_inner = position[2], position[3] & LANES, position[0], position[1]
        base = side * R

        # Lift the first hand. `pit` is always the ring pit *before* the one that receives the first seed.
        column = move % H
        pit = column if move < H else R - _1 - column
        shift = shifts[base + pit]
        won = False
        if move >= R:
            hand = ((enemy_inner >> shift) & _255) + ((enemy_outer >> shift) & _255)
            enemy_inner &= ~(_255 << shift)
            enemy_outer &= ~(_255 << shift)
            won = enemy_inner == _0
            pit -= _1  # the first seed falls into the capturing pit itself
        elif move < H:
            hand = (outer >> shift) & _255
            outer &= ~(_255 << shift)
        else:
            hand = (inner >> shift) & _255
            inner &= ~(_255 << shift)

        laps = _0
        while not won:
            if laps == MAX_LAPS:
                return position[:3] + (position[3] | OVER | ENDLESS,)
            laps += _1
            row = (base + pit) * STRIDE + hand
            outer += table[row, _0]
            inner += table[row, _1]
            pit = (pit + hand) % R
            occupied = (((outer if pit < H else inner) >> shifts[base + pit]) & _255) != _1
            following = pit + _1 if pit + _1 < R else _0
            shift = shifts[base + following]
            hand = ((outer if following < H else inner) >> shift) & _255
            if hand == _0:
                break
            facing = (enemy_inner >> shift) & _255
            if occupied and following >= H and facing != _0:  # mid-move capture: the first seed falls into `following`
                hand = facing + ((enemy_outer >> shift) & _255)
                enemy_inner &= ~(_255 << shift)
                enemy_outer &= ~(_255 << shift)
                won = enemy_inner == _0
            else:  # pussa kanawa
                pit = following
                if following < H:
                    outer &= ~(_255 << shift)
                else:
                    inner &= ~(_255 << shift)

        flags = (position[3] & SIDE) ^ SIDE
        if won:
            flags |= OVER
        if side == _0:
            return (outer, inner, enemy_outer, enemy_inner | flags)
        return (enemy_outer, enemy_inner, outer, inner | flags)

    def next_move(rules, position, start):
        side = side_to_move(position)
        south = lanes_to_bits(nonzero_lanes(position[1]))
        north = lanes_to_bits(nonzero_lanes(position[3] & LANES))
        captures = south & north
        if captures != _0:
            legal = captures << R if side == _0 else reversed_row(captures) << R
        elif side == _0:
            legal = lanes_to_bits(nonzero_lanes(position[0])) | (south << H)
        else:
            legal = reversed_row(lanes_to_bits(nonzero_lanes(position[2]))) | (reversed_row(north) << H)
        rest = legal >> start
        return NO_MOVE if rest == _0 else start + trailing_zeros(rest)

    @inline
    def reversed_row(bits):
        # Drawn columns to North's own view and back.
        turned = _0
        for _ in range(holes):
            turned = (turned << _1) | (bits & _1)
            bits >>= _1
        return turned

    def margin(rules, position):
        # A player without any seed has lost (both: a draw); else a winning capture did, and the loser is to move.
        no_south = (position[0] | position[1]) == _0
        no_north = (position[2] | (position[3] & LANES)) == _0
        if no_south or no_north:
            return np.int64(no_north) - np.int64(no_south)
        return np.int64(-1) if side_to_move(position) == _0 else np.int64(1)

    @inline
    def material(rules, position):
        south = lane_sum(position[0]) + lane_sum(position[1])
        return np.int64(south) - np.int64(lane_sum(position[2]) + lane_sum(position[3] & LANES))

    @inline
    def key(rules, position):
        return position[:3] + (position[3] & ~FLAGS,)

    def features(rules, position):
        north_inner = position[3] & LANES
        # All bits of the lanes in which both inner pits hold seeds: there each side can capture the other's.
        facing = ((nonzero_lanes(position[1]) & nonzero_lanes(north_inner)) >> _7) * _255
        return (
            material(rules, position),
            np.int64(lane_sum(position[1])) - np.int64(lane_sum(north_inner)),
            np.int64(bit_count(nonzero_lanes(position[1]))) - np.int64(bit_count(nonzero_lanes(north_inner))),
            np.int64(lane_sum(position[0] & facing) + lane_sum(position[1] & facing))
            - np.int64(lane_sum(position[2] & facing) + lane_sum(north_inner & facing)),
            tempo(position),
        )

    @inline
    def pit(rules, position, index):
        word = position[0] if index < H else position[1]
        if index >= R:
            word = position[2] if index < R + H else position[3]
        column = index % H
        return (word >> (_8 * (column if index < R else H - _1 - column))) & _255, _0

    return Kernels(play, next_move, settle, margin, material, material, key, features, pit)


def _ring_tables(holes: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Builds the sowing table and the place of every ring pit.

    Returns:
        ``uint64`` arrays: of shape ``(2 * ring * (most + 1), 2)``, in row ``(player * ring + start) * (most + 1) + n``
        the seeds that the player's outer and inner row receive when n seeds are sown from behind ``start``; and of
        shape ``(2 * ring,)``, the bit at which the lane of a player's ring pit begins in its row's word.
    """
    ring = 2 * holes
    columns = [pit if pit < holes else ring - 1 - pit for pit in range(ring)]  # own view, which is South's as drawn
    columns += [holes - 1 - column for column in columns]  # North's, as drawn
    table = np.zeros((2, ring, most + 1, 2), dtype=np.uint64)
    for player in (0, 1):
        for start in range(ring):
            for n in range(1, most + 1):
                pit = (start + n) % ring
                table[player, start, n] = table[player, start, n - 1]
                table[player, start, n, pit // holes] += np.uint64(1 << 8 * columns[player * ring + pit])
    return table.reshape(-1, 2), np.array([8 * column for column in columns], dtype=np.uint64)


_CLASSES: dict[int, Any] = {
    holes: sized(Kisolo, f"Kisolo{holes}", holes=holes, moves=3 * holes, words=4) for holes in HOLES
}
globals().update({cls.__name__: cls for cls in _CLASSES.values()})


def _make(options: Mapping[str, OptionValue]) -> Ruleset:
    rules: Ruleset = _CLASSES[int(options["holes"])](INFINITE.index(str(options["infinite"])))
    return rules


GAME = GameType(
    name="kisolo",
    title="Kisolo",
    origin="Luba, Lulua and Songye, Congo",
    board="4 x 7 (or 6)",
    summary="four rows; captures are compulsory, also in mid-move, and sown again; empty the enemy's inner row to win",
    options=(
        Option("holes", HOLES, 7, "pits a row"),
        Option("infinite", ("draw",), "draw", "what infinite play is worth"),
    ),
    setups={},
    make=_make,
)
