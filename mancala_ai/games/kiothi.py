"""Kiothi, of the Meru of Kenya: a free redistribution first, then partial hands against protected pits.

Rules (after the Mancala World article on Kiothi, with the project's decisions):

* Opening, South and then North: lift all seeds of exactly two own occupied pits (chosen in rising order, ``!c``) and
  place them one by one into any pits (``@c`` own, ``@C`` the opponent's), in non-decreasing order of pit: own a..j,
  then A..J. Every choice and every placed seed is one decision. After North's redistribution every occupied pit is
  *nki* (protected); a pit ceases to be nki for good when seeds are lifted from it, by either player, in part or whole.
* A move takes 1 to all seeds of an own pit and sows them counter-clockwise (``c5``). It is legal only if the last seed
  of the *first* lap does not fall into an occupied pit of the own row. Later laps relay from any occupied pit.
* A move that ends in an empty own pit captures the opposite pit and the seed just dropped, if the opposite pit is
  occupied and not nki. From the leftmost own pit such a capture also takes the pits facing own b, c and d, if all three
  are occupied and none is nki.
* The game ends when the player to move has no legal move; all seeds left go to the other player. Infinite play splits
  what is left unless ``infinite`` says otherwise.

Moves are numbered ``c`` for ``!c``; ``10 + c`` and ``20 + c`` for placing into own and opponent's pit c; and
``30 + 60 * c + n - 1`` for sowing n seeds from pit c.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np

from mancala_ai.errors import PositionError
from mancala_ai.kernels import (
    ENDLESS,
    MAX_LAPS,
    NO_MOVE,
    OVER,
    SIDE,
    Kernels,
    Position,
    bit_count,
    bit_difference,
    captured_difference,
    inline,
    key_without_captured,
    reversed_bits,
    side_to_move,
    tempo,
    trailing_zeros,
)
from mancala_ai.notation import LETTERS, NKI, NUMBER, Fields, Format, Pit, check_total
from mancala_ai.ruleset import (
    INFINITE,
    GameType,
    Option,
    OptionValue,
    Ruleset,
    game_string,
    infinite_name,
    infinite_option,
    pack_flags,
    ring_to_rows,
    rows_to_ring,
    to_position,
    unpack_flags,
)

HOLES, RING, MOST = 10, 20, 60
SETUPS = {"6x5": (6, 5), "5x5": (5, 5), "5x6": (5, 6)}  # occupied rightmost pits, seeds in each
LANE = 6  # bits a pit: no pit can hold more than 60
PLACE, SOW = 10, 30  # first move number of placements and of sowings

# Fields of the last word, by their lowest bit. Phases: what is to be done next.
NKI_BIT, PHASE_BIT, HAND_BIT, PIT_BIT = 0, 20, 22, 28
SOWING, EMPTY_TWO, EMPTY_ONE, PLACING = range(4)
NOWHERE = 31  # the pit field while nothing has been placed


class _Options(NamedTuple):
    setup: int  # index into SETUPS
    infinite: int


class Kiothi(_Options, Ruleset):
    """A Kiothi ruleset.

    Words: 0 South's pits and 1 North's, in own view, lanes of 6 bits; 2 the common flags and

        bits 0-19   nki, by ring pit (South's a..j, then North's)
        bits 20-21  phase: 0 sowing, 1 choose the first pit to empty, 2 the second, 3 place a seed
        bits 22-27  seeds in the hand (opening)
        bits 28-32  opening: the pit emptied first, or the last placed into (own a..j, opponent's A..J; 31 none)
    """

    __slots__ = ()
    features = ("captured", "seeds", "occupied pits", "nki", "pits open to capture", "tempo")
    words = 3
    moves = SOW + HOLES * MOST
    margin_names: ClassVar = {2: "one-warrior victory"}

    @classmethod
    def kernels(cls) -> Kernels:
        """See `Ruleset.kernels`."""
        return _kernels()

    @property
    def game_string(self) -> str:
        """See `Ruleset.game_string`."""
        return game_string("kiothi", setup=list(SETUPS)[self.setup], infinite=infinite_name(self, "split"))

    def initial(self) -> Fields:
        """See `Ruleset.initial`."""
        pits, seeds = list(SETUPS.values())[self.setup]
        row = (Pit(0),) * (HOLES - pits) + (Pit(seeds),) * pits
        return Fields((row[::-1], row), 0, (0, 0), "open:empty2")

    def format(self) -> Format:
        """See `Ruleset.format`."""
        pits, seeds = list(SETUPS.values())[self.setup]
        extra = "in the opening open:empty2, open:empty1:HAND:PIT or open:place:HAND:PIT"
        return Format(rows=2, pits=HOLES, total=2 * pits * seeds, marks=NKI, extra=extra, extra_optional=True)

    def pack(self, fields: Fields, text: str) -> Position:
        """See `Ruleset.pack`."""
        ring = rows_to_ring(fields.rows)
        own = ring[HOLES * fields.side :][:HOLES]
        phase, hand, pit = SOWING, 0, 0
        if fields.extra:
            phase, hand, pit = _read_opening(fields.extra, [i for i, p in enumerate(own) if p.seeds], text)
            if any(p.mark for p in ring):
                raise PositionError(
                    f"position {text!r}: a nki mark in the opening: expected none before the first sowing"
                )
        for p in ring:
            if p.mark and not p.seeds:
                raise PositionError(f"position {text!r}: pit '{p}': expected a nki mark only on an occupied pit")
        check_total(text, fields, self.format().total, in_hand=hand)
        words = [sum(p.seeds << LANE * i for i, p in enumerate(row)) for row in (ring[:HOLES], ring[HOLES:])]
        nki = sum(1 << i for i, p in enumerate(ring) if p.mark)
        opening = phase << PHASE_BIT | hand << HAND_BIT | pit << PIT_BIT
        return to_position([*words, pack_flags(fields.side, fields.captured or (0, 0)) | nki | opening])

    def unpack(self, position: Position) -> Fields:
        """See `Ruleset.unpack`."""
        seeds = [int(position[row]) >> LANE * i & 63 for row in (0, 1) for i in range(HOLES)]
        last = int(position[2])
        ring = [Pit(n, NKI if last >> i & 1 else "") for i, n in enumerate(seeds)]
        phase, hand, pit = last >> PHASE_BIT & 3, last >> HAND_BIT & 63, last >> PIT_BIT & 31
        extra = ""
        if phase == EMPTY_TWO:
            extra = "open:empty2"
        elif phase == EMPTY_ONE:
            extra = f"open:empty1:{hand}:{LETTERS[pit]}"
        elif phase == PLACING:
            extra = f"open:place:{hand}:{'-' if pit == NOWHERE else (LETTERS + LETTERS.upper())[pit]}"
        return Fields(ring_to_rows(ring), *unpack_flags(position), extra, hand)

    def remark(self, fields: Fields) -> str:
        """See `Ruleset.remark`."""
        step, _, rest = fields.extra.removeprefix("open:").partition(":")
        hand, _, pit = rest.partition(":")
        if step == "empty2":
            return f"Opening: choose the first of two own pits to empty (!{LETTERS[0]} to !{LETTERS[-1]})."
        if step == "empty1":
            return f"Opening: {hand} in hand from {pit}; choose a pit to the right of {pit} to empty as well."
        if step == "place":
            own = "" if pit.isupper() else f"own @{'a' if pit == '-' else pit} to @{LETTERS[-1]}, or "
            enemy = f"the opponent's @{pit if pit.isupper() else 'A'} to @{LETTERS[-1].upper()}"
            return f"Opening: {hand} in hand; place one: {own}{enemy}."
        return ""

    def extra_facts(self, position: Position) -> dict[str, float]:
        """See `Ruleset.extra_facts`.

        ``phase`` in thirds: 0 sowing, 1 choose the first pit to empty, 2 the second, 3 place a seed. ``hand`` in shares
        of all seeds. ``pit`` in twentieths, from 1: the own pit emptied first (phase 2), or the last placed into (phase
        3; own a..j, then the opponent's); 0 if there is none.
        """
        last = int(position[2])
        phase, hand, pit = last >> PHASE_BIT & 3, last >> HAND_BIT & 63, last >> PIT_BIT & 31
        known = phase in (EMPTY_ONE, PLACING) and pit != NOWHERE
        return {"phase": phase / 3, "hand": hand / self.format().total, "pit": (pit + 1) / RING if known else 0.0}

    def move_name(self, move: int) -> str:
        """See `Ruleset.move_name`."""
        if move < PLACE:
            return "!" + LETTERS[move]
        if move < SOW:
            return "@" + (LETTERS + LETTERS.upper())[move - PLACE]
        pit, seeds = divmod(move - SOW, MOST)
        return f"{LETTERS[pit]}{seeds + 1}"

    def move_number(self, name: str) -> int | None:
        """See `Ruleset.move_number`."""
        if re.fullmatch("![a-j]", name):
            return LETTERS.index(name[1])
        if re.fullmatch("@[a-jA-J]", name):
            return PLACE + (LETTERS + LETTERS.upper()).index(name[1])
        if re.fullmatch("[a-j][1-9][0-9]?", name) and int(name[1:]) <= MOST:
            return SOW + MOST * LETTERS.index(name[0]) + int(name[1:]) - 1
        return None

    def opening_weights(self, position: Position, moves: list[int]) -> list[int] | None:
        """See `Ruleset.opening_weights`: all redistributions of one player are equally likely."""
        phase, hand = int(position[2]) >> PHASE_BIT & 3, int(position[2]) >> HAND_BIT & 63
        if phase == SOWING:
            return None
        if phase == PLACING:  # in how many ways the rest of the hand can go into this pit and those after it
            return [math.comb(hand - 1 + pits - 1, hand - 1) for pits in range(len(moves), 0, -1)]
        return list(range(len(moves), 0, -1)) if phase == EMPTY_TWO else [1] * len(moves)  # number of second pits


def _read_opening(extra: str, occupied: list[int], text: str) -> tuple[int, int, int]:
    """Returns phase, hand and pit of an opening field, for a side to move with the given occupied own pits."""

    def wrong(expected: str) -> PositionError:
        return PositionError(f"position {text!r}: opening {extra!r}: expected {expected}")

    if extra == "open:empty2":
        if len(occupied) < 2:
            raise wrong("at least two occupied own pits to choose from")
        return EMPTY_TWO, 0, 0
    match = re.fullmatch(f"open:(empty1|place):{NUMBER}:([a-jA-J-])", extra)
    if not match:
        raise wrong("open:empty2, open:empty1:HAND:PIT or open:place:HAND:PIT, such as open:empty1:5:c")
    hand, pit = int(match[2]), (LETTERS + LETTERS.upper()).find(match[3])
    if not 1 <= hand <= MOST:
        raise wrong(f"1 to {MOST} seeds in the hand")
    if match[1] == "place":
        return PLACING, hand, NOWHERE if pit < 0 else pit
    if not 0 <= pit < HOLES:
        raise wrong("the own pit emptied first, a to j")
    if pit in occupied:
        raise wrong(f"pit {match[3]} to be empty")
    if not occupied or max(occupied) < pit:
        raise wrong(f"an occupied own pit to the right of {match[3]}")
    return EMPTY_ONE, hand, pit


def _kernels() -> Kernels:
    table = _sowing_table()
    FULL_ROW, ALL_PITS = np.uint64((1 << HOLES) - 1), np.uint64((1 << RING) - 1)
    BELOW_START = np.uint64((1 << RING - 1) - 1)  # landings of 1..19 seeds, which do not reach the start pit
    OPENING = np.uint64((1 << PIT_BIT + 5) - (1 << PHASE_BIT))  # all opening fields
    THREE_LANES = np.uint64(((1 << 3 * LANE) - 1) << 6 * LANE)  # the pits facing own b, c and d
    THREE_PITS = np.uint64(0b111 << 6)
    LOW, HIGH = (np.uint64(sum(bits << LANE * i for i in range(HOLES))) for bits in (31, 32))
    LANE_LOW, COMPRESS = HIGH >> np.uint64(5), np.uint64(sum(1 << 5 * i for i in range(5)))
    H, R, STRIDE, W, M, MASK = (np.uint64(n) for n in (HOLES, RING, MOST + 1, LANE, MOST, 63))
    FIRST_PLACE, FIRST_SOW, PHASE, HAND, PIT = (np.uint64(n) for n in (PLACE, SOW, PHASE_BIT, HAND_BIT, PIT_BIT))
    E2, E1, PL, NONE = (np.uint64(n) for n in (EMPTY_TWO, EMPTY_ONE, PLACING, NOWHERE))
    _0, _1, _2, _3, _5, _8, _9, _20, _30, _31, _40, _54 = (
        np.uint64(n) for n in (0, 1, 2, 3, 5, 8, 9, 20, 30, 31, 40, 54)
    )

    @inline
    def occupied(row):
        # Bit c set iff pit c of the row holds seeds. Five lanes at a time: more would collide in the multiplication.
        filled = ((((row & LOW) + LOW) | row) & HIGH) >> _5
        low = (((filled & np.uint64((1 << 30) - 1)) * COMPRESS) >> _20) & _31
        return low | ((((filled >> _30) * COMPRESS) >> _20) & _31) << _5

    @inline
    def seeds_in(row):
        return ((row * LANE_LOW) >> _54) & MASK

    @inline
    def settle(rules, position):
        own = position[0] if side_to_move(position) == _0 else position[1]
        phase = (position[2] >> PHASE) & _3
        stuck = (phase == _0 and own == _0) or (phase == E2 and bit_count(occupied(own)) < _2)
        return (position[0], position[1], position[2] | OVER) if stuck else position

    @inline
    def play_opening(rules, position, move):
        side = side_to_move(position)
        own, enemy = (position[0], position[1]) if side == _0 else (position[1], position[0])
        flags = position[2]
        phase, hand, pit = (flags >> PHASE) & _3, (flags >> HAND) & MASK, NONE
        flags &= ~OPENING
        if move < FIRST_PLACE:
            shift = W * move
            hand += (own >> shift) & MASK
            own &= ~(MASK << shift)
            if phase == E2:
                phase, pit = E1, move
            else:
                phase = PL
        else:
            pit = move - FIRST_PLACE
            if pit < H:
                own += _1 << (W * pit)
            else:
                enemy += _1 << (W * (pit - H))
            hand -= _1
        if hand != _0:
            flags |= (phase << PHASE) | (hand << HAND) | (pit << PIT)
        elif side == _0:
            flags = (flags ^ SIDE) | (E2 << PHASE)
        else:  # North's redistribution is done: every occupied pit is nki (`own` is North's here)
            flags = (flags ^ SIDE) | occupied(enemy) | (occupied(own) << H)
        after = (own, enemy, flags) if side == _0 else (enemy, own, flags)
        return settle(rules, after) if hand == _0 else after

    def play(rules, position, move):
        if move < FIRST_SOW:
            return play_opening(rules, position, move)
        south, north, flags = position
        side = side_to_move(position)
        pit = H * side + (move - FIRST_SOW) // M
        hand = (move - FIRST_SOW) % M + _1
        laps = _1
        while True:
            flags &= ~(_1 << pit)  # no longer nki
            row = pit * STRIDE + hand
            south += table[row, _0]
            north += table[row, _1]
            pit = (pit + hand) % R
            hand = ((south >> (W * pit)) if pit < H else (north >> (W * (pit - H)))) & MASK
            if hand == _1:
                break
            if laps == MAX_LAPS:
                return (position[0], position[1], position[2] | OVER | ENDLESS)
            laps += _1

        local = pit - H * side
        if local < H:
            own, enemy = (south, north) if side == _0 else (north, south)
            facing = W * (_9 - local)
            nki = flags >> (H * (_1 - side))  # the opponent's, by the opponent's own letters
            target = (enemy >> facing) & MASK
            if target != _0 and (nki >> (_9 - local)) & _1 == _0:
                gain = target + _1
                own ^= _1 << (W * local)
                enemy ^= target << facing
                # Triple bonus, from the leftmost pit: all three or none.
                if local == _0 and occupied(enemy) & ~nki & THREE_PITS == THREE_PITS:
                    gain += seeds_in(enemy & THREE_LANES)
                    enemy &= ~THREE_LANES
                flags += gain << (_40 + _8 * side)
            south, north = (own, enemy) if side == _0 else (enemy, own)
        return settle(rules, (south, north, flags ^ SIDE))

    @inline
    def next_in_opening(rules, position, start):
        own = occupied(position[0] if side_to_move(position) == _0 else position[1])
        phase, pit = (position[2] >> PHASE) & _3, (position[2] >> PIT) & _31
        if phase == PL:
            least = FIRST_PLACE + (_0 if pit == NONE else pit)
            move = start if start > least else least
            return move if move < FIRST_SOW else NO_MOVE
        # The second pit lies to the right of the first; the first leaves an occupied pit to its right.
        choice = (own >> (pit + _1)) << (pit + _1) if phase == E1 else own
        if phase == E2:
            highest = _0
            for c in range(HOLES):
                if (own >> np.uint64(c)) & _1 != _0:
                    highest = _1 << np.uint64(c)
            choice &= ~highest
        rest = choice >> start if start < H else _0
        return NO_MOVE if rest == _0 else start + trailing_zeros(rest)

    def next_move(rules, position, start):
        if (position[2] >> PHASE) & _3 != _0:
            return next_in_opening(rules, position, start)
        side = side_to_move(position)
        own = position[0] if side == _0 else position[1]
        filled = occupied(own)
        enemy_pits = FULL_ROW << (H * (_1 - side))
        landing = ALL_PITS & ~(filled << (H * side))  # where the first lap may end, if it is shorter than a round
        index = start - FIRST_SOW if start > FIRST_SOW else _0
        pit, least = index // M, index % M
        while pit < H:
            count = (own >> (W * pit)) & MASK
            if least < count:
                # Bit n-1 of `legal`: the lap of n seeds may end where it ends. The start pit itself, after 20 seeds, is
                # empty only if they were all; a lap of more has itself filled every own pit that it can end in.
                turn = H * side + pit + _1
                legal = ((landing >> turn) | (landing << (R - turn))) & BELOW_START
                enemy = ((enemy_pits >> turn) | (enemy_pits << (R - turn))) & BELOW_START
                legal |= (enemy << R) | (enemy << (R + R))
                if count == R:
                    legal |= _1 << (R - _1)
                legal = (legal & ((_1 << count) - _1)) >> least
                if legal != _0:
                    return FIRST_SOW + pit * M + least + trailing_zeros(legal)
            least = _0
            pit += _1 + trailing_zeros((filled >> (pit + _1)) | (_1 << H))
        return NO_MOVE

    def margin(rules, position):
        left = np.int64(seeds_in(position[0]) + seeds_in(position[1]))
        return captured_difference(rules, position) + (-left if side_to_move(position) == _0 else left)

    @inline
    def board_difference(rules, position):
        return np.int64(seeds_in(position[0])) - np.int64(seeds_in(position[1]))

    def features(rules, position):
        filled = occupied(position[0]) | (occupied(position[1]) << H)
        opposite = reversed_bits(filled) >> np.uint64(64 - RING)  # bit p: the pit opposite to p is occupied
        return (
            captured_difference(rules, position),
            board_difference(rules, position),
            bit_difference(filled, FULL_ROW, H),
            bit_difference(position[2], FULL_ROW, H),
            bit_difference(filled & ~opposite & ~position[2], FULL_ROW, H),
            tempo(position),
        )

    @inline
    def pit(rules, position, index):
        seeds = (position[0] >> (W * index)) if index < H else (position[1] >> (W * (index - H)))
        return seeds & MASK, (position[2] >> index) & _1

    @inline
    def extra_fact(rules, position, index, total):
        phase, pit = (position[2] >> PHASE) & _3, (position[2] >> PIT) & _31
        if index == _0:
            return np.float64(phase) / np.float64(3)
        if index == _1:
            return np.float64((position[2] >> HAND) & MASK) / total
        known = phase != _0 and phase != E2 and pit != NONE
        return np.float64(pit + _1) / np.float64(RING) if known else np.float64(0)

    return Kernels(
        *(play, next_move, settle, margin, captured_difference, board_difference, key_without_captured),
        *(features, pit, extra_fact),
    )


def _sowing_table() -> np.ndarray:
    """Returns the sowing table.

    ``uint64`` of shape ``(RING * (MOST + 1), 2)``: adding row ``start * (MOST + 1) + n`` to the two rows lifts n seeds
    from ring pit ``start`` and sows them counter-clockwise.
    """
    table = np.zeros((RING, MOST + 1, 2), dtype=np.uint64)
    for start in range(RING):
        counts = [0] * RING
        for n in range(1, MOST + 1):
            counts[(start + n) % RING] += 1
            counts[start] -= 1
            for row in (0, 1):
                lanes = counts[HOLES * row : HOLES * row + HOLES]
                table[start, n, row] = sum(seeds << LANE * i for i, seeds in enumerate(lanes)) % 2**64
    return table.reshape(-1, 2)


def _make(options: Mapping[str, OptionValue]) -> Ruleset:
    return Kiothi(list(SETUPS).index(str(options["setup"])), INFINITE.index(str(options["infinite"])))


GAME = GameType(
    name="kiothi",
    title="Kiothi",
    origin="Meru, Kenya",
    board="2 x 10",
    summary="a free redistribution first; partial hands; protected (nki) pits; triple capture from the leftmost pit",
    options=(
        Option("setup", tuple(SETUPS), "6x5", "rightmost pits that are filled at the start, x seeds in each"),
        infinite_option("split"),
    ),
    setups={},
    make=_make,
)
