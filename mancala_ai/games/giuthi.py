"""Giuthi, of the Kikuyu and Embu of Kenya: relay sowing that turns round every lap.

Rules (after the Mancala World article on Giuthi, with the project's decisions):

* A move lifts an own pit of two seeds or more and sows it counter-clockwise (``+``) or clockwise (``-``). A last seed
  in an occupied pit, on either side, lifts that pit for another lap in the *opposite* direction.
* A last seed in an empty pit ends the move. On the opponent's side nothing happens. On the own side, if no seed of the
  move fell into the opponent's row, the player moves again (any pit, any direction: the source says "another pit", and
  the pit just sown from is not barred; without a pit of two seeds the turn passes at once). Otherwise it captures.
* A capture takes the landing seed and the opposite pit; then, in the *last lap's* direction (Leakey), the pits opposite
  to the following own empty pits, up to the first occupied one or the end of the row. The landing seed is taken even
  if the opposite pit is empty, and the chain goes on over empty targets; ``capture_needs_target`` is the other reading.
* Without a pit of two seeds a player must pass. When neither side has one the game is over: each player also gets the
  seeds of the own row. Infinite play is a draw of the whole game unless ``infinite`` says otherwise.

Moves are numbered ``2c`` for pit c counter-clockwise, ``2c + 1`` clockwise, ``2 * holes`` for the pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mancala_ai.kernels import (
    ENDLESS,
    MAX_LAPS,
    NO_MOVE,
    OVER,
    SIDE,
    Kernels,
    Position,
    bit_difference,
    captured_difference,
    inline,
    key_without_captured,
    leading_zeros,
    margin_by_rows,
    reversed_bits,
    side_to_move,
    tempo,
    trailing_zeros,
)
from mancala_ai.lanes import lane_words, lanes_of, range_table, sowing_table
from mancala_ai.notation import LETTERS, Fields, Pit
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
    unpack_flags,
    unpack_lanes,
)

HOLES = range(5, 11)
SEEDS = range(4, 10)
SETUPS = {
    f"2x{holes}x{seeds}": {"holes": holes, "seeds": seeds}
    for holes, seeds in ((5, 4), (6, 4), (6, 6), (7, 6), (8, 4), (8, 6), (8, 8), (10, 9))
}


class _Options(NamedTuple):
    seeds: int
    capture_needs_target: bool
    infinite: int


class Giuthi(_Options, TwoRows):
    """A Giuthi ruleset; ``holes`` is fixed by the class (`Giuthi5` to `Giuthi10`).

    Words: ring pits as 8-bit lanes from bit 0 of word 0; the last word's upper bits are the common flags.
    """

    __slots__ = ()
    holes: ClassVar[int]
    features = ("captured", "seeds", "playable pits", "empty pits", "pits open to capture", "tempo")
    mirrored = True

    @classmethod
    def kernels(cls) -> Kernels:
        """See `Ruleset.kernels`."""
        return _kernels(cls.holes)

    @property
    def game_string(self) -> str:
        """See `Ruleset.game_string`."""
        return self._string(self.seeds)

    @property
    def endgame_string(self) -> str:
        """See `Ruleset.endgame_string`."""
        return self._string(None)

    def _string(self, seeds: int | None) -> str:
        target = True if self.capture_needs_target else None
        infinite = infinite_name(self, "draw")
        return game_string("giuthi", holes=self.holes, seeds=seeds, capture_needs_target=target, infinite=infinite)

    @classmethod
    def endgame_board(cls) -> Fields:
        """See `Ruleset.endgame_board`."""
        return Fields(((Pit(0),) * cls.holes,) * 2, 0, (0, 0))

    def move_name(self, move: int) -> str:
        """See `Ruleset.move_name`."""
        return "pass" if move == 2 * self.holes else LETTERS[move // 2] + "+-"[move % 2]

    def laps(self, position: Position, move: int) -> int:
        """See `Ruleset.laps`."""
        ring = unpack_lanes(position, 2 * self.holes)
        if move == 2 * self.holes:
            return 0
        pit, step = move // 2 + self.holes * unpack_flags(position)[0], -1 if move % 2 else 1
        for lap in range(1, MAX_LAPS + 1):
            hand, ring[pit] = ring[pit], 0
            for _ in range(hand):
                pit = (pit + step) % len(ring)
                ring[pit] += 1
            if ring[pit] == 1:
                return lap
            step = -step
        return MAX_LAPS

    def move_number(self, name: str) -> int | None:
        """See `Ruleset.move_number`."""
        if name == "pass":
            return 2 * self.holes
        if len(name) != 2 or name[0] not in LETTERS[: self.holes] or name[1] not in "+-":
            return None
        return 2 * LETTERS.index(name[0]) + "+-".index(name[1])


def _kernels(holes: int) -> Kernels:
    ring, most, stride = 2 * holes, 2 * holes * SEEDS[-1], 2 * holes * SEEDS[-1] + 1
    lanes = lanes_of(ring)
    get, sow, remove, total, some, bits = lanes.get, lanes.sow, lanes.remove, lanes.total, lanes.any, lanes.bits
    table = sowing_table(ring, most, lane_words(ring), directions=(1, -1))
    ranges = range_table(ring, holes)
    entered_rows = _entered_rows(holes, most)
    full_row = np.uint64((1 << holes) - 1)
    H, R, RANGE, STRIDE, PASS = (np.uint64(n) for n in (holes, ring, holes + 1, stride, ring))
    ROUNDS = np.uint64(ring * (most // ring + 1))  # whole rounds, added before a hand is subtracted
    ANY, TWO_OR_MORE = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0xFEFEFEFEFEFEFEFE)
    _0, _1, _8, _40, _64 = (np.uint64(n) for n in (0, 1, 8, 40, 64))

    @inline
    def settle(rules, position):
        if some(position, TWO_OR_MORE) == _0:
            return position[:-1] + (position[-1] | OVER,)
        return position

    @inline
    def chain_with_targets(position, own, local, backward):
        # capture_needs_target: the chain also ends at the first pit whose opposite is empty. Returns its length with
        # the landing pit, so 0 when nothing at all is captured.
        length = _0
        while get(position, R - _1 - own - local) != _0:
            length += _1
            if local == (_0 if backward != _0 else H - _1):
                break
            local = local - _1 if backward != _0 else local + _1
            if get(position, own + local) != _0:
                break
        return length

    def play(rules, position, move):
        if move == PASS:
            return position[:-1] + (position[-1] ^ SIDE,)
        before = position
        side = side_to_move(position)
        own = H * side
        pit = own + (move >> _1)
        backward = move & _1
        entered = _0  # bit r set: a seed fell into row r
        laps = _1
        while True:
            hand = get(position, pit)
            row = (backward * R + pit) * STRIDE + hand
            position = sow(position, table, row)
            entered |= np.uint64(entered_rows[row])
            pit = (pit + (ROUNDS - hand if backward != _0 else hand)) % R
            if get(position, pit) == _1:
                break
            if laps == MAX_LAPS:
                return before[:-1] + (before[-1] | OVER | ENDLESS,)
            laps += _1
            backward ^= _1

        local = pit - own
        if local >= H:  # an empty pit of the opponent
            return settle(rules, position[:-1] + (position[-1] ^ SIDE,))
        if (entered >> (_1 - side)) & _1 == _0:  # the same player again, if there is anything to sow
            if (bits(position, TWO_OR_MORE) >> own) & full_row == _0:
                position = position[:-1] + (position[-1] ^ SIDE,)
            return settle(rules, position)

        # Capture: the landing pit and `length - 1` empty pits behind it; what lies opposite is one range of the ring.
        if rules.capture_needs_target:
            length = chain_with_targets(position, own, local, backward)
        else:
            occupied = (bits(position, ANY) >> own) & full_row
            down = local + leading_zeros(occupied & ((_1 << local) - _1)) - _64
            up = trailing_zeros((occupied >> (local + _1)) | (_1 << (H - _1 - local)))
            length = (down if backward != _0 else up) + _1
        if length != _0:
            opposite = R - _1 - pit - (_0 if backward != _0 else length - _1)
            targets = opposite * RANGE + length
            gain = total(position, ranges, targets) + _1
            position = remove(remove(position, ranges, targets), ranges, pit * RANGE + _1)
            position = position[:-1] + (position[-1] + (gain << (_40 + _8 * side)),)
        return settle(rules, position[:-1] + (position[-1] ^ SIDE,))

    def next_move(rules, position, start):
        legal = (bits(position, TWO_OR_MORE) >> (H * side_to_move(position))) & full_row
        pit = start >> _1
        rest = legal >> pit
        if rest == _0:
            return PASS if legal == _0 and start <= PASS else NO_MOVE
        skipped = trailing_zeros(rest)
        return ((pit + skipped) << _1) | (start & _1 if skipped == _0 else _0)

    @inline
    def board_difference(rules, position):
        return np.int64(total(position, ranges, H)) - np.int64(total(position, ranges, H * RANGE + H))

    def features(rules, position):
        occupied = bits(position, ANY)
        opposite = reversed_bits(occupied) >> (_64 - R)  # bit p: the pit opposite to p is occupied
        return (
            captured_difference(rules, position),
            board_difference(rules, position),
            bit_difference(bits(position, TWO_OR_MORE), full_row, H),
            bit_difference(~occupied, full_row, H),
            bit_difference(occupied & ~opposite, full_row, H),
            tempo(position),
        )

    @inline
    def pit(rules, position, index):
        return get(position, index), _0

    return Kernels(
        *(play, next_move, settle, margin_by_rows, captured_difference, board_difference, key_without_captured),
        *(features, pit),
    )


def _entered_rows(holes: int, most: int) -> np.ndarray:
    """Returns, for every row of the sowing table, which board rows its seeds fall into (``uint8``: bit 0 South)."""
    entered = np.zeros((2, 2 * holes, most + 1), dtype=np.uint8)
    for d, step in enumerate((1, -1)):
        for start in range(2 * holes):
            for n in range(1, most + 1):
                row = (start + step * n) % (2 * holes) // holes
                entered[d, start, n] = entered[d, start, n - 1] | 1 << row
    return entered.reshape(-1)


_CLASSES: dict[int, Any] = {
    holes: sized(Giuthi, f"Giuthi{holes}", holes=holes, moves=2 * holes + 1, words=2 if holes <= 6 else 3)
    for holes in HOLES
}
globals().update({cls.__name__: cls for cls in _CLASSES.values()})


def _make(options: Mapping[str, OptionValue]) -> Ruleset:
    rules: Ruleset = _CLASSES[int(options["holes"])](
        int(options["seeds"]), bool(options["capture_needs_target"]), INFINITE.index(str(options["infinite"]))
    )
    return rules


GAME = GameType(
    name="giuthi",
    title="Giuthi",
    origin="Kikuyu and Embu, Kenya",
    board="2 x 5..10",
    summary="relay sowing that reverses direction each lap; extra moves; captures only after entering the enemy row",
    options=(
        Option("holes", tuple(HOLES), 8, "pits a row"),
        Option("seeds", tuple(SEEDS), 8, "seeds a pit at the start"),
        Option("capture_needs_target", (False, True), False, "nothing is captured opposite to an empty pit"),
        infinite_option("draw"),
    ),
    setups=SETUPS,
    make=_make,
)
