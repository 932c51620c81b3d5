"""What a ruleset is: the rules of one game with its options chosen, and how its positions and moves are written.

A game's module derives from `Ruleset` together with a NamedTuple of its run-time options, once more per board size
(Numba compiles per class, with the size as a constant), and describes itself with a `GameType`, which the entry-point
group ``mancala_ai.games`` names. Nothing else in the tree knows a game by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np

from mancala_ai import kernels
from mancala_ai.errors import GameStringError, suggest
from mancala_ai.kernels import Kernels, Position
from mancala_ai.notation import LETTERS, Fields, Format, Pit

if TYPE_CHECKING:
    from mancala_ai.game import Game, State

OptionValue: TypeAlias = int | bool | str
INFINITE = ("draw", "split", "own_side")  # in the order of kernels.DRAW, SPLIT, OWN_SIDE


class Option(NamedTuple):
    """One option of a game string."""

    name: str
    values: tuple[OptionValue, ...]
    default: OptionValue
    help: str


class GameType(NamedTuple):
    """A game as the registry knows it, before its options are chosen."""

    name: str
    title: str
    origin: str
    board: str
    summary: str  # one sentence on how it is played
    options: tuple[Option, ...]
    setups: Mapping[str, Mapping[str, OptionValue]]  # values of the option "setup": what each stands for
    make: Callable[[Mapping[str, OptionValue]], Ruleset]

    def ruleset(self, chosen: Mapping[str, OptionValue]) -> Ruleset:
        """Returns the ruleset with the chosen options, the rest at their defaults.

        Raises:
            GameStringError: an unknown option, a value that it cannot have, or two options that contradict each other.
        """
        chosen = dict(chosen)
        known = [option.name for option in self.options]
        for name in chosen:
            if name not in known and not (name == "setup" and self.setups):
                raise GameStringError(f"{self.name}: option {name!r}: {suggest(name, self.option_names)}")
        if "setup" in chosen and "setup" not in known:
            setup = chosen.pop("setup")
            if setup not in self.setups:
                raise GameStringError(f"{self.name}: setup={setup!r}: {suggest(str(setup), self.setups)}")
            for name, value in self.setups[str(setup)].items():
                if chosen.setdefault(name, value) != value:
                    raise GameStringError(f"{self.name}: setup={setup} and {name}={chosen[name]}: expected one of them")
        values = {option.name: option.default for option in self.options}
        for option in self.options:
            value = chosen.get(option.name, option.default)
            if not any(value == allowed and type(value) is type(allowed) for allowed in option.values):
                expected = suggest(str(value), map(str, option.values))
                raise GameStringError(f"{self.name}: {option.name}={value!r}: {expected}")
            values[option.name] = value
        return self.make(values)

    @property
    def option_names(self) -> list[str]:
        """Names of all options, ``setup`` included."""
        names = [option.name for option in self.options]
        return names + ["setup"] * bool(self.setups and "setup" not in names)


class MatchOfRounds(Protocol):
    """A match over rounds so far, whose winnings are carried over; it never changes."""

    @property
    def outcome(self) -> int | None:
        """1 if South has won the match, -1 if North has, 0 for a draw, None before the end."""

    @property
    def holdings(self) -> tuple[int, int]:
        """Seeds of South and North after the last finished round."""

    def round_state(self) -> State:
        """Returns the state in which the next round begins."""

    def finish_round(self, state: State) -> MatchOfRounds:
        """Returns the match after one more round, given the end of it."""


class Ruleset:
    """Base of all rulesets. Instances are NamedTuples as well, of the options that matter at run time.

    Class attributes of each board size:
        words: number of ``uint64`` words of a position.
        moves: how many numbers moves can have; a move is an ``int`` in ``range(moves)``.
        scored: whether captured seeds are the score.
        features: names of the facts that ``kernels.features`` returns, in order.
        version: raised whenever a rule decision changes; stands in game records.
        margin_names: margins that tradition has a name for, regardless of the winner.
        mirrored: whether the rules are the same with both rows reversed (and directions exchanged).
    """

    __slots__ = ()
    words: ClassVar[int]
    moves: ClassVar[int]
    scored: ClassVar[bool] = True
    features: ClassVar[tuple[str, ...]]
    version: ClassVar[int] = 1
    margin_names: ClassVar[Mapping[int, str]] = {}
    mirrored: ClassVar[bool] = False
    infinite: int

    @classmethod
    def kernels(cls) -> Kernels:
        """Makes the compiled side of the rules, with this class's board size as constants."""
        raise NotImplementedError

    @property
    def game_string(self) -> str:
        """The canonical game string: sizes always, other options where they differ from the default."""
        raise NotImplementedError

    def initial(self) -> Fields:
        """Returns the start position."""
        raise NotImplementedError

    def format(self) -> Format:
        """Returns what position strings of this ruleset look like."""
        raise NotImplementedError

    def pack(self, fields: Fields, text: str) -> Position:
        """Returns the words of a position; ``text`` is the string it was read from, for error messages.

        Raises:
            PositionError: the extra field or the combination of fields is impossible.
        """
        raise NotImplementedError

    def unpack(self, position: Position) -> Fields:
        """Returns the fields of a position's string."""
        raise NotImplementedError

    def remark(self, fields: Fields) -> str:
        """Says in one line what a position's extra field means for the players; empty where there is nothing to say."""
        return ""

    def extra_facts(self, position: Position) -> dict[str, float]:
        """Returns what a position's extra field says as numbers from 0 to 1, by name, the side to move's own first.

        Every position of a ruleset has the same names in the same order (`mancala_ai.observation`).
        """
        return {}

    def move_name(self, move: int) -> str:
        """Returns the move string of a move number."""
        raise NotImplementedError

    def move_number(self, name: str) -> int | None:
        """Returns the number of a move string, or None if no position has such a move."""
        raise NotImplementedError

    def new_match(self, game: Game) -> MatchOfRounds:
        """Returns a match over rounds of the game, before its first round.

        Raises:
            GameStringError: the game has no such matches.
        """
        raise GameStringError(f"match of {str(game)!r}: expected a game that is played in matches over rounds")

    def laps(self, position: Position, move: int) -> int | None:
        """Returns how many laps a legal move sows, 0 for a pass; None in games that do not count them."""
        return None

    @classmethod
    def endgame_board(cls) -> Fields | None:
        """Returns an empty board of two rows on which seeds only leave by capture and pits alone decide what follows.

        All positions that differ from it in pits, captured seeds and side to move alone form the endgames that
        databases can hold. None if the game has no such endgames, as most have not.
        """
        return None

    @property
    def endgame_string(self) -> str:
        """The game string without options that matter at the start only; who shares it has the same endgames."""
        return self.game_string

    def opening_weights(self, position: Position, moves: list[int]) -> list[int] | None:
        """Returns how likely a random opening plays each legal move; None once the game's own opening phase is over.

        Most games have no such phase. Where there is one, random openings play it to its end.
        """
        return None


class TwoRows(Ruleset):
    """Base of the rulesets with two rows of pits: what is usual for them, and can be overridden.

    Positions have 8-bit lanes for the pits of the ring, the common flags in the last word, and nothing else; a game
    begins with ``seeds`` in every pit; a move is the letter of an own pit.
    """

    __slots__ = ()
    holes: ClassVar[int]
    seeds: int

    def initial(self) -> Fields:
        """See `Ruleset.initial`."""
        row = (Pit(self.seeds),) * self.holes
        return Fields((row, row), 0, (0, 0))

    def format(self) -> Format:
        """See `Ruleset.format`."""
        return Format(rows=2, pits=self.holes, total=2 * self.holes * self.seeds)

    def pack(self, fields: Fields, text: str) -> Position:
        """See `Ruleset.pack`."""
        words = pack_lanes([pit.seeds for pit in rows_to_ring(fields.rows)], self.words)
        words[-1] |= pack_flags(fields.side, fields.captured or (0, 0))
        return to_position(words)

    def unpack(self, position: Position) -> Fields:
        """See `Ruleset.unpack`."""
        ring = unpack_lanes(position, 2 * self.holes)
        return Fields(ring_to_rows([Pit(seeds) for seeds in ring]), *unpack_flags(position))

    def move_name(self, move: int) -> str:
        """See `Ruleset.move_name`."""
        return LETTERS[move]

    def move_number(self, name: str) -> int | None:
        """See `Ruleset.move_number`."""
        return LETTERS.index(name) if len(name) == 1 and name in LETTERS[: self.holes] else None


def game_string(name: str, **options: OptionValue | None) -> str:
    """Writes a game string; options that are None are left out."""
    written = ",".join(f"{option}={value}" for option, value in options.items() if value is not None)
    return f"{name}({written})" if written else name


def infinite_option(default: str) -> Option:
    """The option ``infinite`` that rulesets share."""
    return Option("infinite", INFINITE, default, "what infinite play is worth")


def infinite_name(rules: Ruleset, default: str) -> str | None:
    """Returns the value of ``infinite`` for the game string: None where it is the default."""
    name = INFINITE[rules.infinite]
    return None if name == default else name


def pack_flags(side: int, captured: tuple[int, int]) -> int:
    """Returns side and captured seeds as bits of a position's last word (layout: `mancala_ai.kernels`)."""
    return side << 61 | captured[0] << 40 | captured[1] << 48


def unpack_flags(position: Position) -> tuple[int, tuple[int, int]]:
    """Returns side to move and captured seeds of a position."""
    last = int(position[-1])
    return last >> 61 & 1, (last >> 40 & 255, last >> 48 & 255)


def ring_to_rows(seeds: list[Pit]) -> tuple[tuple[Pit, ...], ...]:
    """Draws a ring of two equal rows: South's pits below from the left, North's above from the right."""
    holes = len(seeds) // 2
    return tuple(reversed(seeds[holes:])), tuple(seeds[:holes])


def rows_to_ring(rows: tuple[tuple[Pit, ...], ...]) -> list[Pit]:
    """Undoes `ring_to_rows`."""
    return [*rows[1], *reversed(rows[0])]


def pack_lanes(ring: list[int], words: int) -> list[int]:
    """Returns pits as 8-bit lanes of words (layout: `mancala_ai.lanes`)."""
    packed = [0] * words
    for pit, seeds in enumerate(ring):
        packed[pit // 8] |= seeds << 8 * (pit % 8)
    return packed


def unpack_lanes(position: Position, ring: int) -> list[int]:
    """Returns the seeds of pits 0..ring-1."""
    return [int(position[pit // 8]) >> 8 * (pit % 8) & 255 for pit in range(ring)]


def to_position(words: list[int]) -> Position:
    """Returns Python ints as the words of a position."""
    return tuple(np.uint64(word) for word in words)


def sized(base: type, name: str, **attributes: Any) -> type:
    """Makes a ruleset class for one board size.

    The caller must bind it under ``name`` at the top level of the module that defines ``base``, so that it pickles:
    Numba's cache is keyed by it.
    """
    return type(name, (base,), {"__slots__": (), "__module__": base.__module__, **attributes})


assert (kernels.DRAW, kernels.SPLIT, kernels.OWN_SIDE) == (0, 1, 2)
