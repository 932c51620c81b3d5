"""The transposition table: what earlier visits of a position have shown, shared by all threads of a search.

The table is one ``uint64`` array; a bucket is four entries of two words, one cache line:

    entry word 0:  key ^ data        so that an entry torn by two writers does not verify
    entry word 1:  data
        bits 0-15   value + 32768
        bits 16-23  depth
        bits 24-25  bound: 1 lower, 2 upper, 3 exact
        bit  26     complete: no static evaluation stands behind the value, so it holds at every depth
        bits 27-36  move, 1023 for none
        bits 37-63  generation: the search that wrote the entry; entries of other searches count as empty

The generation makes a search depend on nothing that was searched before. It has 27 bits, and starts again with a
cleared table when they run out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from mancala_ai.kernels import inline

LOWER, UPPER, EXACT = np.uint64(1), np.uint64(2), np.uint64(3)
NO_TABLE_MOVE = np.uint64(1023)
GENERATIONS = 1 << 27
BUCKET = 8  # words

_0, _1, _2, _3, _4, _8 = (np.uint64(n) for n in (0, 1, 2, 3, 4, 8))
_DEPTH, _BOUND, _COMPLETE, _MOVE, _GENERATION = (np.uint64(n) for n in (16, 24, 26, 27, 37))
_16_BITS, _8_BITS = np.uint64(0xFFFF), np.uint64(0xFF)
_OFFSET = np.int64(1 << 15)


def new_table(megabytes: int) -> npt.NDArray[np.uint64]:
    """Returns an empty table: ``uint64``, one-dimensional, a power of two of buckets within ``megabytes``."""
    buckets = 1 << ((megabytes << 20) // (8 * BUCKET)).bit_length() - 1
    words = np.zeros((buckets + 1) * BUCKET, dtype=np.uint64)
    first = -words.ctypes.data % (8 * BUCKET) // 8  # NumPy's arrays do not begin with a cache line
    return words[first : first + buckets * BUCKET]


@inline
def bucket_of(table, key):
    """Returns the index of the first word of the key's bucket."""
    return (key >> np.uint64(20)) & np.uint64(len(table) // 8 - 1)


def prefetch(table: npt.NDArray[np.uint64], key: np.uint64) -> None:
    """Has the processor fetch a key's bucket, while the search does something else; from plain Python, does nothing."""


@intrinsic
def _prefetch_word(typing_context, table, index):
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        declared = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, declared, "llvm.prefetch.p0")
        word = builder.bitcast(builder.gep(array.data, [args[1]]), byte)
        builder.call(function, [word, number(0), number(3), number(1)])  # to read, into every level, as data
        return context.get_dummy_value()

    return types.void(table, index), generate


@overload(prefetch, strict=False, jit_options={"forceinline": True})
def _prefetch(table, key):
    return lambda table, key: _prefetch_word(table, bucket_of(table, key) * _8)


@inline
def probe(table, key, generation):
    """Returns the data word stored for a key by this search, 0 if there is none."""
    first = bucket_of(table, key) * _8
    for slot in range(4):
        entry = first + np.uint64(2 * slot)
        data = table[entry + _1]
        if table[entry] ^ data == key and data >> _GENERATION == generation:
            return data
    return _0


@inline
def store_entry(table, key, generation, value, depth, bound, complete, move):
    """Stores an entry: over the same position's, else in an empty place, else over the shallowest entry."""
    first = bucket_of(table, key) * _8
    chosen = first
    least = np.int64(1 << 20)
    for slot in range(4):
        entry = first + np.uint64(2 * slot)
        data = table[entry + _1]
        if data >> _GENERATION != generation:
            if least >= 0:
                chosen = entry
                least = np.int64(-1)
        elif table[entry] ^ data == key:
            chosen = entry
            break
        elif entry_depth(data) < least:
            chosen = entry
            least = entry_depth(data)
    data = np.uint64(value + _OFFSET) | (np.uint64(depth) << _DEPTH) | (bound << _BOUND)
    data |= (np.uint64(complete) << _COMPLETE) | (move << _MOVE) | (generation << _GENERATION)
    table[chosen] = key ^ data
    table[chosen + _1] = data


@inline
def entry_value(data):
    """Returns the value of an entry's data word, ``int64``."""
    return np.int64(data & _16_BITS) - _OFFSET


@inline
def entry_depth(data):
    """Returns the depth of an entry's data word, ``int64``."""
    return np.int64((data >> _DEPTH) & _8_BITS)


@inline
def entry_bound(data):
    """Returns LOWER, UPPER or EXACT."""
    return (data >> _BOUND) & _3


@inline
def entry_complete(data):
    """Tells whether no static evaluation stands behind the value."""
    return (data >> _COMPLETE) & _1 != _0


@inline
def entry_move(data):
    """Returns the stored move, NO_TABLE_MOVE if there is none."""
    return (data >> _MOVE) & NO_TABLE_MOVE
