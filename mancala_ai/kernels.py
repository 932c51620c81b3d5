"""The generic kernels: what every game must be able to do, declared once and compiled per ruleset class.

A *position* is a short tuple of ``uint64`` words passed by value (how many is the ruleset's ``words``). Searches and
counters are written once, at module level, over the generics below; Numba sees the class of the ruleset argument, asks
the class for its implementation (``kernels()``), and compiles the pair together, with the sizes of the board frozen as
constants. Called from plain Python (or with ``NUMBA_DISABLE_JIT=1``) a generic runs the same implementation,
interpreted: slow, but without any compilation.

The last word of every position ends in the same bits, whatever the game:

    bit 63      over: the game has ended (normally, or by an endless sowing)
    bit 62      endless: the last move was a sowing that never ends; the rest is the position before that move
    bit 61      side to move: 0 South, 1 North
    bits 48-55  seeds captured by North
    bits 40-47  seeds captured by South
    bits 0-39   the game's own (pits, marks, phase)

Kisolo, which captures nothing for good, uses bits 0-55 for pits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload, register_jitable

from mancala_ai import cache

Position: TypeAlias = tuple[np.uint64, ...]
"""Words of a position, ``uint64`` each, as generic kernels take and give them."""

OVER = np.uint64(1 << 63)
ENDLESS = np.uint64(1 << 62)
SIDE = np.uint64(1 << 61)
CAPTURED_SHIFT = np.uint64(40)  # South's; North's is 8 bits above
CAPTURED = np.uint64(0xFFFF << 40)
FLAGS = np.uint64(0b11 << 62)
NO_MOVE = np.uint64(0xFFFF)
"""What ``next_move`` answers when there is no further legal move."""

MAX_LAPS = 10_000  # a sowing of more laps never ends (rules, decision 1)

# What infinite play is worth (rules, decision 3): the values of a ruleset's field ``infinite``.
DRAW, SPLIT, OWN_SIDE = 0, 1, 2

_0, _1, _2, _3, _8, _40, _61, _255 = (np.uint64(n) for n in (0, 1, 2, 3, 8, 40, 61, 255))
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}  # nobody calls kernels from C


def _no_extra_fact(rules: Any, position: Any, index: Any, total: Any) -> Any:
    return np.float64(0)


class Kernels(NamedTuple):
    """One game's implementations of the generics, made by a ruleset class for its own board size."""

    play: Callable[..., Any]
    next_move: Callable[..., Any]
    settle: Callable[..., Any]
    margin: Callable[..., Any]
    material: Callable[..., Any]
    board_difference: Callable[..., Any]
    key: Callable[..., Any]
    features: Callable[..., Any]
    pit: Callable[..., Any]
    extra_fact: Callable[..., Any] = _no_extra_fact


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a module-level function (nogil, unsigned arithmetic without checks) and caches it on disk.

    With the JIT disabled the function itself runs, with NumPy's overflow warnings off.
    """
    return _compiled(function)


def recursive_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same as `kernel` for a function that calls itself, and makes no arrays.

    Without Numba's run-time library it counts no references to the arrays that it hands on, call by call.
    """
    return _compiled(function, _nrt=False)


def _compiled(function: Callable[..., Any], **options: bool) -> Callable[..., Any]:
    if numba.config.DISABLE_JIT:
        return _interpreted(function)
    dispatcher = numba.njit(**_OPTIONS, **options)(function)
    cache.attach(dispatcher)
    return dispatcher


def _interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return run


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a small helper of kernels: compiled into its callers, interpreted when called from plain Python."""
    return register_jitable(forceinline=True, **_OPTIONS)(function)


@functools.cache
def implementations(ruleset_class: Any) -> Kernels:
    """Returns the kernels of a ruleset class (made once per process)."""
    return ruleset_class.kernels()


def _generic(stub: Callable[..., Any]) -> Callable[..., Any]:
    """Turns a documented stub into a generic kernel, dispatched on the class of its first argument."""
    name = stub.__name__

    @functools.wraps(stub)
    def call(rules: Any, *args: Any) -> Any:
        with np.errstate(over="ignore"):
            return getattr(implementations(rules.__class__), name)(rules, *args)

    @overload(call, strict=False, jit_options=_OPTIONS)
    def implement(rules: Any, *args: Any) -> Callable[..., Any]:
        return getattr(implementations(rules.instance_class), name)

    return call


@_generic
def play(rules: Any, position: Position, move: np.uint64) -> Position:
    """Plays one legal move (not checked) and returns the position after it, flags included.

    Args:
        rules: a ruleset.
        position: words of a position that is not over.
        move: number of a legal move, in the numbering of the game's module.

    Returns:
        The words after the move. After an endless sowing, the words before it with OVER and ENDLESS set.
    """
    raise NotImplementedError


@_generic
def next_move(rules: Any, position: Position, start: np.uint64) -> np.uint64:
    """Returns the smallest legal move with a number of ``start`` or more, or NO_MOVE."""
    raise NotImplementedError


@_generic
def settle(rules: Any, position: Position) -> Position:
    """Returns the position with OVER set if it is one in which the game is over at once (rules, decision 6)."""
    raise NotImplementedError


@_generic
def margin(rules: Any, position: Position) -> np.int64:
    """Returns the final margin (South minus North, ``int64``) if the game ended normally in this position."""
    raise NotImplementedError


@_generic
def material(rules: Any, position: Position) -> np.int64:
    """Returns the seeds that South is ahead (captured difference; Kisolo: seeds on the own side), ``int64``."""
    raise NotImplementedError


@_generic
def board_difference(rules: Any, position: Position) -> np.int64:
    """Returns the seeds in South's pits minus those in North's, ``int64``."""
    raise NotImplementedError


@_generic
def key(rules: Any, position: Position) -> Position:
    """Returns what of a position decides repetition (rules, decision 2): no captured seeds, no flags but the side."""
    raise NotImplementedError


@_generic
def pit(rules: Any, position: Position, index: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Returns the seeds in a pit and its mark (1 if nki or closed, else 0), ``uint64`` both.

    Args:
        rules: a ruleset.
        position: words of any position.
        index: 0 up to the number of pits: South's, outermost row first, each row from South's left; then North's,
            likewise from North's left.
    """
    raise NotImplementedError


@_generic
def extra_fact(rules: Any, position: Position, index: np.uint64, total: np.float64) -> np.float64:
    """Returns number ``index`` of what the ruleset's ``extra_facts`` says, in its order.

    Args:
        rules: a ruleset.
        position: words of any position.
        index: ``uint64``.
        total: the game's own number of seeds.
    """
    raise NotImplementedError


def load(rules: Any, words: Any, first: np.uint64 = _0) -> Position:
    """Returns the position whose words stand in a one-dimensional ``uint64`` array from index ``first`` on."""
    return tuple(words[int(first) : int(first) + rules.words])


@overload(load, strict=False, jit_options={"forceinline": True})
def _load(rules: Any, words: Any, first: Any = _0) -> Callable[..., Any]:
    return _LOADERS[rules.instance_class.words]


_LOADERS: dict[int, Callable[..., Any]] = {
    2: lambda rules, words, first=_0: (words[first], words[first + _1]),
    3: lambda rules, words, first=_0: (words[first], words[first + _1], words[first + _2]),
    4: lambda rules, words, first=_0: (words[first], words[first + _1], words[first + _2], words[first + _3]),
}


@inline
def store(position, words):
    """Writes a position into an array of words (``uint64``, shape ``(words,)``)."""
    for i in range(len(position)):
        words[i] = position[i]


@_generic
def features(rules: Any, position: Position) -> tuple[np.int64, ...]:
    """Returns cheap facts about a position, South's minus North's, ``int64`` each; the class's ``features`` names them.

    What they are worth is not the game's business: weights are data of the engines.
    """
    raise NotImplementedError


@inline
def side_to_move(position):
    """Returns 0 (South) or 1 (North), ``uint64``."""
    return (position[-1] >> _61) & _1


@inline
def is_over(position):
    """Tells whether the game has ended normally or by an endless sowing (not: by repetition)."""
    return (position[-1] & OVER) != _0


@inline
def captured(position, player):
    """Returns the seeds that a player (0 or 1, ``uint64``) has captured."""
    return (position[-1] >> (_40 + _8 * player)) & _255


@inline
def captured_difference(rules, position):
    """``material`` of the games that keep what they capture: South's captured seeds minus North's, ``int64``."""
    return np.int64(captured(position, _0)) - np.int64(captured(position, _1))


@inline
def margin_by_rows(rules, position):
    """``margin`` of the games that award each player the seeds of the own row."""
    return captured_difference(rules, position) + board_difference(rules, position)


@inline
def key_without_captured(rules, position):
    """``key`` of the games that keep what they capture."""
    return position[:-1] + (position[-1] & ~(CAPTURED | FLAGS),)


@inline
def captured_bits(position, position_key):
    """Returns the bits of captured seeds, given the position's ``key``; 0 in games whose key keeps all seeds.

    Captured seeds never decrease, so that a position can only recur while they stay the same.
    """
    return (position[-1] ^ position_key[-1]) & ~FLAGS


@inline
def end_margin(rules, position):
    """Returns the final margin of a position that is over, an endless sowing included, ``int64``."""
    if (position[-1] & ENDLESS) != _0:
        return infinite_margin(rules, position)
    return margin(rules, position)


@inline
def infinite_margin(rules, position):
    """Returns the final margin if the game ends in this position by infinite play, ``int64``."""
    if rules.infinite == DRAW:
        return np.int64(0)
    if rules.infinite == SPLIT:
        return material(rules, position)
    return material(rules, position) + board_difference(rules, position)


def trailing_zeros(word: np.uint64) -> np.uint64:
    """Returns the number of the lowest set bit, 64 for zero."""
    return np.uint64((int(word) & -int(word)).bit_length() - 1) if word else np.uint64(64)


def leading_zeros(word: np.uint64) -> np.uint64:
    """Returns the number of zero bits above the highest set bit, 64 for zero."""
    return np.uint64(64 - int(word).bit_length())


def bit_count(word: np.uint64) -> np.uint64:
    """Returns the number of set bits."""
    return np.uint64(int(word).bit_count())


def reversed_bits(word: np.uint64) -> np.uint64:
    """Returns the 64 bits in reverse order."""
    return np.uint64(int(f"{int(word):064b}"[::-1], 2))


@inline
def bit_difference(bits, low, count):
    """Returns how many more bits are set in bits 0..count-1 (mask ``low``) than in the ``count`` above, ``int64``."""
    return np.int64(bit_count(bits & low)) - np.int64(bit_count((bits >> count) & low))


@inline
def tempo(position):
    """Returns 1 if South is to move, -1 if North is, ``int64``."""
    return np.int64(1) - np.int64(side_to_move(position) << _1)


def _compile_as(function: Callable[..., Any], instruction: str, *extra: ir.Value) -> None:
    """Has compiled code use one LLVM instruction where interpreted code calls ``function``."""

    @intrinsic
    def emit(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(args[0], *extra)

        return types.uint64(types.uint64), generate

    @overload(function, strict=False, jit_options={"forceinline": True})
    def implement(word: Any) -> Callable[..., Any]:
        return lambda word: emit(word)


_ZERO_IS_DEFINED = ir.Constant(ir.IntType(1), 0)
_compile_as(trailing_zeros, "cttz", _ZERO_IS_DEFINED)
_compile_as(leading_zeros, "ctlz", _ZERO_IS_DEFINED)
_compile_as(bit_count, "ctpop")
_compile_as(reversed_bits, "bitreverse")
