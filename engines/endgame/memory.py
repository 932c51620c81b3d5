"""Levels in memory, as kernels see them.

The bounds of a level are an array of byte pairs, one a position: lower and upper, ``int8``. It may be the memory map of
a file or an ordinary array, read-only or not; Numba has a type for each. Kernels therefore know levels by their
addresses, which stand in the database array, and everything is compiled once.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from engines.endgame.index import BOUNDS, LEVELS, Words
from mancala_ai.kernels import inline

NO_LOWER, NO_UPPER = -128, 127
"""Stored bounds that stand for minus and plus infinity."""

_0, _1, _8, _255 = (np.uint64(n) for n in (0, 1, 8, 255))


def attach_level(database: Words, seeds: int, bounds: npt.NDArray[np.int8]) -> None:
    """Enters a level's bounds into a database; whoever calls keeps the array alive for as long as that is used."""
    database[int(BOUNDS) + seeds] = bounds.ctypes.data
    database[int(LEVELS)] = max(int(database[int(LEVELS)]), seeds + 1)


def read_pair(address: np.uint64, number: np.uint64) -> np.uint64:
    """Returns the bytes ``2 * number`` and the one after it from an address on: the first is the lower byte."""
    return np.uint64(ctypes.c_uint16.from_address(int(address) + 2 * int(number)).value)


@intrinsic
def _read_pair(typing_context, address, number):
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pairs = builder.inttoptr(args[0], ir.IntType(16).as_pointer())
        return builder.zext(builder.load(builder.gep(pairs, [args[1]])), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@overload(read_pair, strict=False, jit_options={"forceinline": True})
def _read(address, number):
    return lambda address, number: _read_pair(address, number)


@inline
def signed(byte):
    """Returns a byte (``uint64``) as the ``int64`` that it stands for."""
    return np.int64(byte ^ np.uint64(128)) - np.int64(128)


@inline
def stored_bounds(database, seeds, number):
    """Returns lower and upper bound of a position of a level that is there, as they are stored (``int64``)."""
    pair = read_pair(database[BOUNDS + seeds], number)
    return signed(pair & _255), signed(pair >> _8)
