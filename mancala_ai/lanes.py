"""Pits as 8-bit lanes of ``uint64`` words: the arithmetic that games with a contiguous ring share.

Ring pit p is lane ``p % 8`` of word ``p // 8``; lane i of a word is its bits 8i..8i+7. No count of these games exceeds
180, so lanes never carry into each other, and a whole lap is one addition per word:

    word 0:  | p7 | p6 | p5 | p4 | p3 | p2 | p1 | p0 |
    word 1:  |  flags, captured  | ... | p10| p9 | p8 |      (a ring of 10..12 pits)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mancala_ai.kernels import inline

LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
HIGH_BITS = np.uint64(0x8080808080808080)
ONES = np.uint64(0x0101010101010101)
_COMPRESS = np.uint64(0x0102040810204080)
_0, _1, _2, _7, _8, _16, _56, _63, _255 = (np.uint64(n) for n in (0, 1, 2, 7, 8, 16, 56, 63, 255))


@inline
def nonzero_lanes(word):
    """Returns a word with the high bit of every lane that is not zero, other bits clear."""
    return (((word & LOW_BITS) + LOW_BITS) | word) & HIGH_BITS


@inline
def lanes_to_bits(high):
    """Packs the high bits of eight lanes into bits 0..7 (lane 0 first)."""
    return ((high >> _7) * _COMPRESS) >> _56


@inline
def lane_sum(word):
    """Returns the sum of eight lanes (the games' totals stay below 256)."""
    return (word * ONES) >> _56


def lane_words(lanes: int) -> int:
    """Returns how many words hold so many 8-bit lanes."""
    return (lanes + 7) // 8


def sowing_table(ring: int, most: int, words: int, directions: tuple[int, ...] = (1,)) -> np.ndarray:
    """Builds the table that turns a lap into additions.

    Args:
        ring: number of pits in the ring.
        most: largest number of seeds in a hand.
        words: words of a position that hold pits.
        directions: +1 counter-clockwise, -1 clockwise.

    Returns:
        ``uint64`` array of shape ``(len(directions) * ring * (most + 1), words)``. Adding row ``(d * ring + start) *
        (most + 1) + n`` lifts n seeds from pit ``start`` and sows them in direction ``d``.
    """
    table = np.zeros((len(directions), ring, most + 1, words), dtype=np.uint64)
    for d, step in enumerate(directions):
        for start in range(ring):
            counts = [0] * ring
            for n in range(1, most + 1):
                counts[(start + step * n) % ring] += 1
                counts[start] -= 1
                table[d, start, n] = _pack(counts, words)
    return table.reshape(-1, words)


def range_table(ring: int, most: int) -> np.ndarray:
    """Builds masks of consecutive pits.

    Returns:
        ``uint64`` array of shape ``(ring * (most + 1), words)``: row ``first * (most + 1) + n`` has all bits of the
        lanes ``first .. first + n - 1`` set (no further than the last pit of the ring).
    """
    masks = [
        [255 if first <= pit < first + n else 0 for pit in range(ring)]
        for first in range(ring)
        for n in range(most + 1)
    ]
    return np.array([_pack(mask, lane_words(ring)) for mask in masks], dtype=np.uint64)


def _pack(counts: list[int], words: int) -> list[int]:
    """Returns lanes as words; negative counts wrap, so that adding the words subtracts them."""
    return [sum(n << 8 * i for i, n in enumerate(counts[8 * w : 8 * w + 8])) % 2**64 for w in range(words)]


class Lanes(NamedTuple):
    """Access to the pits of one ring, for kernels.

    ``table`` is a ``uint64`` array of shape (n, words), ``low`` the same byte eight times.
    """

    get: Callable[..., Any]  # (position, pit) -> seeds in the pit
    sow: Callable[..., Any]  # (position, table, row) -> position with a row of a sowing table added
    remove: Callable[..., Any]  # (position, table, row) -> position without the lanes of a mask
    total: Callable[..., Any]  # (position, table, row) -> sum of the seeds under a mask
    any: Callable[..., Any]  # (position, low) -> a word that is 0 iff no pit AND ``low`` is other than 0
    bits: Callable[..., Any]  # (position, low) -> bit p set iff pit p AND ``low`` is not 0
    equal: Callable[..., Any]  # (position, value) -> bit p set iff pit p holds exactly ``value``


def lanes_of(ring: int) -> Lanes:
    """Makes the access functions for a ring of up to 24 pits.

    Tuples have no computed index in compiled code, so what happens word by word is spelled out for one, two and three
    words of pits. The words behind them pass through, as do the flags that share the last word of pits.
    """
    pit_words = lane_words(ring)
    ring_bits = np.uint64((1 << ring) - 1)
    last_lanes = np.uint64((1 << 8 * (ring - 8 * (pit_words - 1))) - 1)  # pits in the last word, without its flags

    if pit_words == 1:

        def get(position, pit):
            return (position[0] >> (pit * _8)) & _255

        def sow(position, table, row):
            return (position[0] + table[row, _0],) + position[1:]

        def remove(position, table, row):
            return (position[0] & ~table[row, _0],) + position[1:]

        def total(position, table, row):
            return lane_sum(position[0] & table[row, _0])

        def some(position, low):
            return position[0] & low & last_lanes

        def bits(position, low):
            return lanes_to_bits(nonzero_lanes(position[0] & low & last_lanes))

        def equal(position, value):
            return ~lanes_to_bits(nonzero_lanes(position[0] ^ (value * ONES))) & ring_bits

    elif pit_words == 2:

        def get(position, pit):
            word = position[0] if pit < _8 else position[1]
            return (word >> ((pit * _8) & _63)) & _255

        def sow(position, table, row):
            return (position[0] + table[row, _0], position[1] + table[row, _1]) + position[2:]

        def remove(position, table, row):
            return (position[0] & ~table[row, _0], position[1] & ~table[row, _1]) + position[2:]

        def total(position, table, row):
            return lane_sum(position[0] & table[row, _0]) + lane_sum(position[1] & table[row, _1])

        def some(position, low):
            return (position[0] | (position[1] & last_lanes)) & low

        def bits(position, low):
            first = lanes_to_bits(nonzero_lanes(position[0] & low))
            return first | (lanes_to_bits(nonzero_lanes(position[1] & low & last_lanes)) << _8)

        def equal(position, value):
            first = lanes_to_bits(nonzero_lanes(position[0] ^ (value * ONES)))
            return ~(first | (lanes_to_bits(nonzero_lanes(position[1] ^ (value * ONES))) << _8)) & ring_bits

    else:

        def get(position, pit):
            word = position[0] if pit < _8 else (position[1] if pit < _16 else position[2])
            return (word >> ((pit * _8) & _63)) & _255

        def sow(position, table, row):
            return (
                position[0] + table[row, _0],
                position[1] + table[row, _1],
                position[2] + table[row, _2],
            ) + position[3:]

        def remove(position, table, row):
            return (
                position[0] & ~table[row, _0],
                position[1] & ~table[row, _1],
                position[2] & ~table[row, _2],
            ) + position[3:]

        def total(position, table, row):
            first = lane_sum(position[0] & table[row, _0]) + lane_sum(position[1] & table[row, _1])
            return first + lane_sum(position[2] & table[row, _2])

        def some(position, low):
            return (position[0] | position[1] | (position[2] & last_lanes)) & low

        def bits(position, low):
            first = lanes_to_bits(nonzero_lanes(position[0] & low))
            second = lanes_to_bits(nonzero_lanes(position[1] & low))
            return first | (second << _8) | (lanes_to_bits(nonzero_lanes(position[2] & low & last_lanes)) << _16)

        def equal(position, value):
            first = lanes_to_bits(nonzero_lanes(position[0] ^ (value * ONES)))
            second = lanes_to_bits(nonzero_lanes(position[1] ^ (value * ONES)))
            third = lanes_to_bits(nonzero_lanes(position[2] ^ (value * ONES)))
            return ~(first | (second << _8) | (third << _16)) & ring_bits

    return Lanes(*(inline(f) for f in (get, sow, remove, total, some, bits, equal)))
