"""Kpé, of the Bété of Côte d'Ivoire: one lap, captures of twos and fours, and a lock on captures in the opening.

Rules (after the Mancala World article on Kpé, with the project's decisions):

* A move sows all seeds of an own pit counter-clockwise, one lap only; the emptied pit is not skipped.
* A player may capture only after having begun a move from each own pit; the move that begins from the last of them
  counts already (it is begun before its last seed lands).
* If all pits of the opponent are empty, a move that reaches the opponent's row must be chosen if there is one.
* A last seed that makes an *opponent's* pit two or four captures it, and then backwards every adjoining opponent's pit
  of two or four. There is no limit: all the opponent's seeds may be taken.
* The game ends when the player to move has no seed in the own row; each player also gets the seeds of the own row.
  Infinite play splits what is left unless ``infinite`` says otherwise.

A move's number is its pit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mancala_ai.errors import PositionError
from mancala_ai.kernels import (
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
    side_to_move,
    tempo,
    trailing_zeros,
)
from mancala_ai.lanes import lane_words, lanes_of, range_table, sowing_table
from mancala_ai.notation import LETTERS, Fields, Format, Pit
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
    pack_flags,
    pack_lanes,
    ring_to_rows,
    rows_to_ring,
    sized,
    to_position,
    unpack_flags,
    unpack_lanes,
)

HOLES = range(3, 9)
SEEDS = range(1, 9)


class _Options(NamedTuple):
    seeds: int
    infinite: int


class Kpe(_Options, TwoRows):
    """A Kpé ruleset; ``holes`` is fixed by the class (`Kpe3` to `Kpe8`).

    Words: ring pits as 8-bit lanes from bit 0 of word 0; in the last word, just below the common flags, the pits sown
    from so far, one bit each (South's ``holes`` bits, then North's, ending at bit 39).
    """

    __slots__ = ()
    holes: ClassVar[int]
    features = ("captured", "seeds", "occupied pits", "pits of one or three", "pits sown from", "tempo")

    @classmethod
    def kernels(cls) -> Kernels:
        """See `Ruleset.kernels`."""
        return _kernels(cls.holes)

    @property
    def game_string(self) -> str:
        """See `Ruleset.game_string`."""
        return game_string("kpe", holes=self.holes, seeds=self.seeds, infinite=infinite_name(self, "split"))

    @property
    def endgame_string(self) -> str:
        """See `Ruleset.endgame_string`."""
        return game_string("kpe", holes=self.holes, infinite=infinite_name(self, "split"))

    @classmethod
    def endgame_board(cls) -> Fields:
        """See `Ruleset.endgame_board`: both players may capture."""
        letters = LETTERS[: cls.holes]
        return Fields(((Pit(0),) * cls.holes,) * 2, 0, (0, 0), f"{letters}/{letters}")

    def initial(self) -> Fields:
        """See `Ruleset.initial`."""
        row = (Pit(self.seeds),) * self.holes
        return Fields((row, row), 0, (0, 0), "-/-")

    def format(self) -> Format:
        """See `Ruleset.format`."""
        extra = "pits sown from, South's/North's (such as acd/b or -/-)"
        return Format(rows=2, pits=self.holes, total=2 * self.holes * self.seeds, extra=extra)

    def pack(self, fields: Fields, text: str) -> Position:
        """See `Ruleset.pack`."""
        words = pack_lanes([pit.seeds for pit in rows_to_ring(fields.rows)], self.words)
        words[-1] |= pack_flags(fields.side, fields.captured or (0, 0)) | self._read_sown(fields.extra, text)
        return to_position(words)

    def unpack(self, position: Position) -> Fields:
        """See `Ruleset.unpack`."""
        ring = unpack_lanes(position, 2 * self.holes)
        sown = int(position[-1]) >> (40 - 2 * self.holes)
        letters = [
            "".join(c for i, c in enumerate(LETTERS[: self.holes]) if sown >> (r + i) & 1) for r in (0, self.holes)
        ]
        extra = "/".join(pits or "-" for pits in letters)
        return Fields(ring_to_rows([Pit(seeds) for seeds in ring]), *unpack_flags(position), extra)

    def _read_sown(self, extra: str, text: str) -> int:
        sides = extra.split("/")
        known = LETTERS[: self.holes]
        for pits in sides:
            listed = "" if pits == "-" else pits
            if len(sides) != 2 or not pits or listed != "".join(c for c in known if c in listed):
                expected = f"two sets of pits out of {known!r} in alphabetical order, '-' for none, such as acd/b"
                raise PositionError(f"position {text!r}: pits sown from {extra!r}: expected {expected}")
        bits = [sum(1 << known.index(c) for c in pits if c != "-") for pits in sides]
        return (bits[0] | bits[1] << self.holes) << (40 - 2 * self.holes)

    def remark(self, fields: Fields) -> str:
        """See `Ruleset.remark`."""
        left = ["".join(c for c in LETTERS[: self.holes] if c not in sown) for sown in fields.extra.split("/")]
        locked = [f"{player} {pits}" for player, pits in zip(("South", "North"), left, strict=True) if pits]
        return f"No capture before sowing from: {', '.join(locked)}." if locked else ""

    def extra_facts(self, position: Position) -> dict[str, float]:
        """See `Ruleset.extra_facts`: 1 for each pit that was sown from."""
        sown, side = int(position[-1]) >> (40 - 2 * self.holes), unpack_flags(position)[0]
        own, opponent = (sown >> self.holes * player for player in (side, 1 - side))
        letters = LETTERS[: self.holes]
        facts = {f"own {c} sown from": float(own >> i & 1) for i, c in enumerate(letters)}
        return facts | {f"opponent {c} sown from": float(opponent >> i & 1) for i, c in enumerate(letters)}


def _kernels(holes: int) -> Kernels:
    ring, most = 2 * holes, 2 * holes * SEEDS[-1]
    lanes = lanes_of(ring)
    get, sow, remove, total, bits, equal = lanes.get, lanes.sow, lanes.remove, lanes.total, lanes.bits, lanes.equal
    table = sowing_table(ring, most, lane_words(ring))
    ranges = range_table(ring, holes)
    full_row = np.uint64((1 << holes) - 1)
    H, R, RANGE, STRIDE, SOWN = (np.uint64(n) for n in (holes, ring, holes + 1, most + 1, 40 - ring))
    ANY = np.uint64(0xFFFFFFFFFFFFFFFF)
    _0, _1, _2, _3, _4, _8, _40, _63 = (np.uint64(n) for n in (0, 1, 2, 3, 4, 8, 40, 63))

    @inline
    def settle(rules, position):
        if total(position, ranges, H * side_to_move(position) * RANGE + H) == _0:
            return position[:-1] + (position[-1] | OVER,)
        return position

    def play(rules, position, move):
        side = side_to_move(position)
        pit = H * side + move
        hand = get(position, pit)
        position = sow(position, table, pit * STRIDE + hand)
        position = position[:-1] + (position[-1] | (_1 << (SOWN + pit)),)
        last = (pit + hand) % R
        unlocked = (position[-1] >> (SOWN + H * side)) & full_row == full_row
        reached = last - H * (_1 - side)  # the opponent's own letter of the last pit, if it is the opponent's
        if unlocked and reached < H:
            # The chain: consecutive ones downwards from bit `reached` of the opponent's pits with two or four.
            good = ((equal(position, _2) | equal(position, _4)) >> (H * (_1 - side))) & full_row
            length = leading_zeros(~(good << (_63 - reached)))
            if length != _0:
                targets = (last + _1 - length) * RANGE + length
                gain = total(position, ranges, targets)
                position = remove(position, ranges, targets)
                position = position[:-1] + (position[-1] + (gain << (_40 + _8 * side)),)
        return settle(rules, position[:-1] + (position[-1] ^ SIDE,))

    def next_move(rules, position, start):
        side = side_to_move(position)
        occupied = bits(position, ANY)
        legal = (occupied >> (H * side)) & full_row
        if (occupied >> (H * (_1 - side))) & full_row == _0:  # feeding: moves that reach the opponent, if any do
            feeding = _0
            for c in range(holes):
                local = np.uint64(c)
                if get(position, H * side + local) + local >= H:
                    feeding |= _1 << local
            if feeding != _0:
                legal = feeding
        rest = legal >> start
        return NO_MOVE if rest == _0 else start + trailing_zeros(rest)

    @inline
    def board_difference(rules, position):
        return np.int64(total(position, ranges, H)) - np.int64(total(position, ranges, H * RANGE + H))

    def features(rules, position):
        return (
            captured_difference(rules, position),
            board_difference(rules, position),
            bit_difference(bits(position, ANY), full_row, H),
            bit_difference(equal(position, _1) | equal(position, _3), full_row, H),
            bit_difference(position[-1] >> SOWN, full_row, H),
            tempo(position),
        )

    @inline
    def pit(rules, position, index):
        return get(position, index), _0

    @inline
    def extra_fact(rules, position, index, total):
        letter = (index + H * side_to_move(position)) % R
        return np.float64((position[-1] >> (SOWN + letter)) & _1)

    return Kernels(
        *(play, next_move, settle, margin_by_rows, captured_difference, board_difference, key_without_captured),
        *(features, pit, extra_fact),
    )


_CLASSES: dict[int, Any] = {
    holes: sized(Kpe, f"Kpe{holes}", holes=holes, moves=holes, words=2 if holes <= 5 else 3) for holes in HOLES
}
globals().update({cls.__name__: cls for cls in _CLASSES.values()})


def _make(options: Mapping[str, OptionValue]) -> Ruleset:
    rules: Ruleset = _CLASSES[int(options["holes"])](int(options["seeds"]), INFINITE.index(str(options["infinite"])))
    return rules


GAME = GameType(
    name="kpe",
    title="Kpé",
    origin="Bété, Côte d'Ivoire",
    board="2 x 3..8 (standard 4)",
    summary="one lap; captures of twos and fours backwards, locked until every own pit has been sown from; must feed",
    options=(
        Option("holes", tuple(HOLES), 4, "pits a row"),
        Option("seeds", tuple(SEEDS), 6, "seeds a pit at the start"),
        infinite_option("split"),
    ),
    setups={},
    make=_make,
)
