"""Rio Kadalis, of the Somali: fours captured in mid-sowing by the owner of the row, and *binikh* by the mover.

Rules of one round (after the Mancala World article on Rio Kadalis, with the project's decisions):

* A move lifts an own pit and sows it, counter-clockwise or, with ``clockwise``, always clockwise. Closed pits are
  skipped. A last seed in an otherwise occupied pit lifts it for another lap in the same direction.
* A seed *other than the last of its lap* that makes a pit exactly four: the four are captured at once by the player in
  whose row the pit is. A *last* seed that makes exactly four (binikh): the mover captures the four, whoever owns the
  row, and the move is over. A pit that holds four without having just been made four is not captured.
* The round ends when the player to move has no seed in the own row; each player also gets the seeds of the own row,
  and they count like captured ones. Infinite play splits what is left unless ``infinite`` says otherwise.

The match over rounds, which opens and closes pits, is `mancala_ai.games.rio_kadalis_match`.
A move's number is its pit, in own view, closed pits counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from mancala_ai.kernels import (
    ENDLESS,
    MAX_LAPS,
    NO_MOVE,
    OVER,
    SIDE,
    Kernels,
    Position,
    bit_count,
    captured_difference,
    inline,
    key_without_captured,
    margin_by_rows,
    side_to_move,
    tempo,
    trailing_zeros,
)
from mancala_ai.lanes import HIGH_BITS, LOW_BITS, ONES, lane_sum, lanes_to_bits, nonzero_lanes
from mancala_ai.notation import CLOSED, Fields, Format, Pit
from mancala_ai.ruleset import (
    INFINITE,
    GameType,
    MatchOfRounds,
    Option,
    OptionValue,
    Ruleset,
    TwoRows,
    game_string,
    infinite_name,
    infinite_option,
    pack_flags,
    pack_lanes,
    ring_to_rows,
    rows_to_ring,
    sized,
    to_position,
    unpack_flags,
    unpack_lanes,
)

if TYPE_CHECKING:
    from mancala_ai.game import Game

HOLES = (6, 5)
SEEDS = 4


class _Options(NamedTuple):
    clockwise: bool
    infinite: int


class RioKadalis(_Options, TwoRows):
    """A Rio Kadalis ruleset; ``holes`` is fixed by the class (`RioKadalis5`, `RioKadalis6`).

    Words: 0 South's *open* pits and 1 North's, 8-bit lanes in own view, closed pits left out so that the ring is always
    South's lanes and then North's; 2 the common flags and, from bit 0, South's closed pits and, from bit 8, North's.
    """

    __slots__ = ()
    holes: ClassVar[int]
    features = ("captured", "seeds", "occupied pits", "pits of three", "tempo")

    @classmethod
    def kernels(cls) -> Kernels:
        """See `Ruleset.kernels`."""
        return _kernels(cls.holes)

    @property
    def game_string(self) -> str:
        """See `Ruleset.game_string`."""
        clockwise = True if self.clockwise else None
        return game_string("rio_kadalis", holes=self.holes, clockwise=clockwise, infinite=infinite_name(self, "split"))

    def new_match(self, game: Game) -> MatchOfRounds:
        """See `Ruleset.new_match`."""
        from mancala_ai.games.rio_kadalis_match import Match

        return Match.start(game)

    @classmethod
    def endgame_board(cls) -> Fields:
        """See `Ruleset.endgame_board`: all pits are open."""
        return Fields(((Pit(0),) * cls.holes,) * 2, 0, (0, 0))

    def initial(self) -> Fields:
        """See `Ruleset.initial`."""
        row = (Pit(SEEDS),) * self.holes
        return Fields((row, row), 0, (0, 0))

    def format(self) -> Format:
        """See `Ruleset.format`."""
        return Format(rows=2, pits=self.holes, total=2 * self.holes * SEEDS, marks=CLOSED)

    def pack(self, fields: Fields, text: str) -> Position:
        """See `Ruleset.pack`."""
        ring = rows_to_ring(fields.rows)
        rows = ring[: self.holes], ring[self.holes :]
        words = [pack_lanes([pit.seeds for pit in row if pit.mark != CLOSED], 1)[0] for row in rows]
        closed = [sum(1 << i for i, pit in enumerate(row) if pit.mark == CLOSED) for row in rows]
        flags = pack_flags(fields.side, fields.captured or (0, 0))
        return to_position([*words, flags | closed[0] | closed[1] << 8])

    def unpack(self, position: Position) -> Fields:
        """See `Ruleset.unpack`."""
        ring = []
        for row in (0, 1):
            seeds = iter(unpack_lanes((position[row],), self.holes))
            closed = int(position[2]) >> 8 * row
            ring += [Pit(0, CLOSED) if closed >> i & 1 else Pit(next(seeds)) for i in range(self.holes)]
        return Fields(ring_to_rows(ring), *unpack_flags(position))


def _kernels(holes: int) -> Kernels:
    H, FULL_ROW = np.uint64(holes), np.uint64((1 << holes) - 1)
    SPREAD = np.uint64(sum(1 << 7 * i for i in range(holes)))  # spreads bit i of a row to lane i
    FOURS = ONES * np.uint64(SEEDS)
    FULL_LANES = ONES & np.uint64((1 << 8 * holes) - 1)
    _0, _1, _3, _4, _7, _8, _40, _255 = (np.uint64(n) for n in (0, 1, 3, 4, 7, 8, 40, 255))

    @inline
    def settle(rules, position):
        if (position[0] if side_to_move(position) == _0 else position[1]) == _0:
            return (position[0], position[1], position[2] | OVER)
        return position

    @inline
    def fours(row, sown):
        # All bits of the lanes that hold four among those with bit 0 set in `sown` (no lane exceeds 48 seeds).
        return (((((row ^ FOURS) + LOW_BITS) & HIGH_BITS) ^ HIGH_BITS) >> _7 & sown) * _255

    def play(rules, position, move):
        south, north, flags = position
        side = side_to_move(position)
        open_south = H - bit_count(flags & FULL_ROW)
        ring = open_south + H - bit_count((flags >> _8) & FULL_ROW)
        all_south = (_1 << open_south) - _1
        all_ring = (_1 << ring) - _1
        closed = (flags >> (_8 * side)) & FULL_ROW
        pit = open_south * side + move - bit_count(closed & ((_1 << move) - _1))

        laps = _1
        while True:
            # Lift the hand of this lap.
            at_south = pit < open_south
            shift = _8 * (pit if at_south else pit - open_south)
            hand = ((south if at_south else north) >> shift) & _255
            if at_south:
                south ^= hand << shift
            else:
                north ^= hand << shift
            # Sow all but the last seed, at most one round at a time so that no pit receives two between checks.
            while True:
                pass_seeds = hand - _1 if hand <= ring else ring
                sown = (_1 << pass_seeds) - _1
                sown <<= (pit + ring - pass_seeds) if rules.clockwise else pit + _1
                sown = (sown | (sown >> ring)) & all_ring
                sown_south = ((sown & all_south) * SPREAD) & ONES
                sown_north = ((sown >> open_south) * SPREAD) & ONES
                south += sown_south
                north += sown_north
                four_south = fours(south, sown_south)
                four_north = fours(north, sown_north)
                if (four_south | four_north) != _0:
                    flags += (lane_sum(south & four_south) << _40) + (lane_sum(north & four_north) << (_40 + _8))
                    south &= ~four_south
                    north &= ~four_north
                if hand <= ring:
                    break
                hand -= ring
            # The last seed decides.
            pit = pit + ring - hand if rules.clockwise else pit + hand
            if pit >= ring:
                pit -= ring
            at_south = pit < open_south
            shift = _8 * (pit if at_south else pit - open_south)
            before = ((south if at_south else north) >> shift) & _255
            if before == _4 - _1:  # binikh
                if at_south:
                    south ^= before << shift
                else:
                    north ^= before << shift
                flags += _4 << (_40 + _8 * side)
                break
            if at_south:
                south += _1 << shift
            else:
                north += _1 << shift
            if before == _0:
                break
            if laps == MAX_LAPS:
                return (position[0], position[1], position[2] | OVER | ENDLESS)
            laps += _1
        return settle(rules, (south, north, flags ^ SIDE))

    def next_move(rules, position, start):
        side = side_to_move(position)
        legal = lanes_to_bits(nonzero_lanes(position[0] if side == _0 else position[1]))
        closed = (position[2] >> (_8 * side)) & FULL_ROW
        if closed != _0:  # lanes count open pits only, moves count all
            lanes, legal = legal, _0
            for letter in range(holes):
                bit = np.uint64(letter)
                if (closed >> bit) & _1 == _0:
                    legal |= (lanes & _1) << bit
                    lanes >>= _1
        rest = legal >> start
        return NO_MOVE if rest == _0 else start + trailing_zeros(rest)

    @inline
    def board_difference(rules, position):
        return np.int64(lane_sum(position[0])) - np.int64(lane_sum(position[1]))

    @inline
    def count_equal(row, seeds):
        return np.int64(H) - np.int64(bit_count(nonzero_lanes(row ^ (seeds * FULL_LANES))))

    def features(rules, position):
        return (
            captured_difference(rules, position),
            board_difference(rules, position),
            count_equal(position[1], _0) - count_equal(position[0], _0),
            count_equal(position[0], _3) - count_equal(position[1], _3),
            tempo(position),
        )

    @inline
    def pit(rules, position, index):
        player = index // H
        letter = index - H * player
        closed = (position[2] >> (_8 * player)) & FULL_ROW
        if (closed >> letter) & _1 != _0:
            return _0, _1
        lane = letter - bit_count(closed & ((_1 << letter) - _1))
        return ((position[0] if player == _0 else position[1]) >> (_8 * lane)) & _255, _0

    return Kernels(
        *(play, next_move, settle, margin_by_rows, captured_difference, board_difference, key_without_captured),
        *(features, pit),
    )


_CLASSES: dict[int, Any] = {
    holes: sized(RioKadalis, f"RioKadalis{holes}", holes=holes, moves=holes, words=3) for holes in HOLES
}
globals().update({cls.__name__: cls for cls in _CLASSES.values()})


def _make(options: Mapping[str, OptionValue]) -> Ruleset:
    infinite = INFINITE.index(str(options["infinite"]))
    rules: Ruleset = _CLASSES[int(options["holes"])](bool(options["clockwise"]), infinite)
    return rules


GAME = GameType(
    name="rio_kadalis",
    title="Rio Kadalis",
    origin="Somali, Somalia",
    board="2 x 6 (or 5)",
    summary="relay sowing; fours captured in mid-sowing by the row's owner, by the mover with the last seed (binikh)",
    options=(
        Option("holes", HOLES, 6, "pits a row"),
        Option("clockwise", (False, True), False, "the whole game is sown clockwise"),
        infinite_option("split"),
    ),
    setups={},
    make=_make,
)
