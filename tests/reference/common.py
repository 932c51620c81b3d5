"""What the reference games share: positions, history, results, laps, strings, perft.

Every comment in quotes is a sentence of the rules. Words are used as the rules use them: pits, seeds, rows,
ring, lap, relay, own view. South is player 0, North is player 1.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from random import Random
from typing import Generic, NamedTuple, TypeVar

SOUTH, NORTH = 0, 1
LETTERS = "abcdefghij"  # own view: "lettered from that player's left to right"
MAX_LAPS = 10_000  # "a sowing of more than 10,000 laps counts as never ending"
QUIET_LAPS = 200  # before this many laps nobody looks for a repeated relay: it would only cost time

Number = int | float
Extra = TypeVar("Extra", bound=Hashable)


class Position(NamedTuple, Generic[Extra]):
    """The whole state that decides what can follow, and the captured totals.

    Attributes:
        pits: Seeds in each pit, in the ring numbering of the rules (Kisolo: South's ring, then North's).
        to_move: The side to move.
        captured: Seeds captured by South and by North.
        extra: What else the game needs: marks, locks, closed pits, opening phase.
    """

    pits: tuple[int, ...]
    to_move: int
    captured: tuple[int, int]
    extra: Extra

    def key(self) -> Hashable:
        """What counts for repetition: "pits, marks, side to move, phase, without the captured totals"."""
        return self.pits, self.to_move, self.extra


class Laps:
    """Counts the laps of one move, to notice a sowing that never ends."""

    def __init__(self) -> None:
        self.count = 0
        self.seen: set[Hashable] = set()

    def never_end(self, *relay: int | list[int]) -> bool:
        """To be asked before every lap.

        Args:
            *relay: Everything that decides how the relay goes on: pits, the pit to be lifted, direction.

        Returns:
            True when this would be lap 10,001, or when the relay is in exactly a state in which it was before
            ("A program may stop earlier when it has proved that the relay repeats: same result").
        """
        self.count += 1
        if self.count > MAX_LAPS:
            return True
        if self.count > QUIET_LAPS:
            state = tuple(tuple(part) if isinstance(part, list) else part for part in relay)
            if state in self.seen:
                return True
            self.seen.add(state)
        return False


class Game(ABC, Generic[Extra]):
    """One game with its options. A subclass says how it is played; histories and results are alike in all."""

    def __init__(self, name: str, infinite: str, total: int) -> None:
        if infinite not in ("draw", "split", "own_side"):
            raise ValueError(f"{name}: infinite must be draw, split or own_side, not {infinite!r}")
        self.name = name
        self.infinite = infinite
        self.total = total  # "the game's own total" of seeds

    # What a game has to say.

    @abstractmethod
    def start(self) -> Position[Extra]:
        """The position at the beginning of the game."""

    @abstractmethod
    def read(self, text: str) -> Position[Extra]:
        """The position that a tidy position string describes."""

    @abstractmethod
    def write(self, position: Position[Extra]) -> str:
        """The position string."""

    @abstractmethod
    def is_over(self, position: Position[Extra]) -> bool:
        """Whether the game has ended here, infinite play apart."""

    @abstractmethod
    def moves(self, position: Position[Extra]) -> list[str]:
        """The legal moves, in the order of the rules, in a position that is not over."""

    @abstractmethod
    def after(self, position: Position[Extra], move: str) -> Position[Extra] | None:
        """The position after a legal move, or None when its sowing never ends."""

    @abstractmethod
    def rows(self, position: Position[Extra]) -> tuple[int, int]:
        """Seeds in South's and in North's own row."""

    @abstractmethod
    def random_position(self, rng: Random) -> str:
        """An arbitrary typed position, reachable in play or not, possibly over already."""

    def in_hand(self, position: Position[Extra]) -> int:
        """Seeds that are neither on the board nor captured."""
        return 0

    def awards(self, position: Position[Extra]) -> tuple[int, int]:
        """What a normal end awards: to "each player the seeds left in the own row"."""
        return self.rows(position)

    # What is alike in all games.

    def final(self, position: Position[Extra], termination: str) -> tuple[Number, Number] | None:
        """Final scores: "captured + what the end of the game awards"."""
        south, north = position.captured
        if termination == "normal":
            awards = self.awards(position)
            return south + awards[SOUTH], north + awards[NORTH]
        if self.infinite == "draw":  # "A game drawn by infinite play awards nothing"
            return south, north
        if self.infinite == "own_side":  # "each player is awarded the seeds in the own row"
            rows = self.rows(position)
            return south + rows[SOUTH], north + rows[NORTH]
        left = sum(position.pits)  # "the seeds still on the board are split evenly (halves are allowed)"
        half = left / 2 if left % 2 else left // 2
        return south + half, north + half

    def margin(self, position: Position[Extra], termination: str) -> int:
        """South's final score minus North's; 0 when drawn by infinite play, whatever was captured."""
        final = self.final(position, termination)
        if final is None or (termination == "infinite" and self.infinite == "draw"):
            return 0
        return int(final[SOUTH] - final[NORTH])

    def initial_state(self) -> State[Extra]:
        """The beginning of a game."""
        return self._begin(self.start())

    def state(self, text: str) -> State[Extra]:
        """A game set up from a position string; one that is already over is over at once.

        Raises:
            ValueError: The string is not a position of this game.
        """
        text = tidy(text)
        position = self.read(text)
        if self.write(position) != text:  # "forgiving about blanks around separators and nothing else"
            raise ValueError(f"{self}: expected a string such as {self.write(position)}, not {text}")
        if min(position.pits) < 0:
            raise ValueError(f"{self}: pits: a negative count in {text}")
        # "more seeds in all than the game's own total"
        if sum(position.pits) + sum(position.captured) + self.in_hand(position) > self.total:
            raise ValueError(f"{self}: seeds: expected at most {self.total} in all in {text}")
        return self._begin(position)

    def _begin(self, position: Position[Extra]) -> State[Extra]:
        # "History begins with the start position, or with the position that a game is set up from."
        over = self.is_over(position)
        return State(self, position, "normal" if over else None, frozenset([position.key()]))

    def __repr__(self) -> str:
        return self.name


class State(Generic[Extra]):
    """A position with its history. Never changes: `play` makes a new one."""

    def __init__(
        self,
        game: Game[Extra],
        position: Position[Extra],
        termination: str | None,
        history: frozenset[Hashable],
        endless: bool = False,
    ) -> None:
        self.game = game
        self.position = position
        self.termination = termination
        self.history = history
        self.endless = endless  # the last move was not completed, because its sowing never ends
        self._legal: list[str] | None = None

    def legal_moves(self) -> list[str]:
        """The legal moves in the order of the rules; none when the game is over."""
        if self._legal is None:
            self._legal = [] if self.is_over else self.game.moves(self.position)
        return list(self._legal)

    def play(self, move: str) -> State[Extra]:
        """The state after a legal move.

        Raises:
            ValueError: The move is not legal here, or the game is over.
        """
        if move not in self.legal_moves():
            raise ValueError(f"{self.game}: {move!r} is not legal in {self}")
        game, position = self.game, self.game.after(self.position, move)
        if position is None:
            # "Such a move is legal, is not completed, and ends the game at once as infinite play."
            return State(game, self.position, "infinite", self.history, endless=True)
        if game.is_over(position):
            return State(game, position, "normal", self.history)
        key = position.key()
        if key in self.history:  # "A position that occurs a second time in one game ends the game at once"
            return State(game, position, "infinite", self.history)
        return State(game, position, None, self.history | {key})

    @property
    def to_move(self) -> int:
        """The side to move, or whose turn it would be."""
        return self.position.to_move

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.termination is not None

    @property
    def final(self) -> tuple[Number, Number] | None:
        """Final scores of South and North; None in Kisolo and before the end."""
        return None if self.termination is None else self.game.final(self.position, self.termination)

    @property
    def margin(self) -> int | None:
        """South's final score minus North's (Kisolo: 1, 0, -1); None before the end."""
        return None if self.termination is None else self.game.margin(self.position, self.termination)

    @property
    def outcome(self) -> int | None:
        """1 South has won, -1 North has won, 0 a draw; None before the end."""
        margin = self.margin
        return None if margin is None else (margin > 0) - (margin < 0)

    def __str__(self) -> str:
        return self.game.write(self.position)


def perft(state: State[Extra], depth: int) -> int:
    """Number of sequences of exactly `depth` legal moves.

    "Repetition is ignored; every leaf counts one; an endless sowing and the end of a game have no
    successors."
    """
    return _count(state.game, None if state.endless else state.position, depth)


def _count(game: Game[Extra], position: Position[Extra] | None, depth: int) -> int:
    if depth == 0:
        return 1
    if position is None or game.is_over(position):
        return 0
    moves = game.moves(position)
    if depth == 1:
        return len(moves)
    return sum(_count(game, game.after(position, move), depth - 1) for move in moves)


# Position strings.


def tidy(text: str) -> str:
    """A position string without needless blanks."""
    text = re.sub(r" *([,/:]) *", r"\1", text.strip(" "))
    text = re.sub(r"(\d) *- *(\d)", r"\1-\2", text)
    return re.sub(" +", " ", text)


def read_fields(text: str) -> tuple[list[list[str]], int, list[str]]:
    """Take a position string apart: rows as drawn (top row first), side to move, further fields."""
    board, side, *fields = text.split(" ")
    if side not in ("S", "N"):
        raise ValueError(f"side to move: expected S or N, not {side!r}")
    return [row.split(",") for row in board.split("/")], "SN".index(side), fields


def read_captured(field: str) -> tuple[int, int]:
    """Read `southCaptured-northCaptured`."""
    south, north = field.split("-")
    return int(south), int(north)


def draw_rows(rows: Iterable[Iterable[str | int]]) -> str:
    """Rows as drawn, "pits separated by commas, rows by /"."""
    return "/".join(",".join(map(str, row)) for row in rows)


# Random typed positions.


def random_pits(rng: Random, pits: int, most: int) -> list[int]:
    """Seeds for so many pits, at most `most` in all, in one of several shapes."""
    seeds = rng.choice([rng.randint(0, min(6, most)), rng.randint(0, most), rng.randint(0, most), most])
    board = [0] * pits
    shape = rng.choice(["even", "even", "few pits", "huge pit", "lumps", "singletons"])
    favoured = rng.sample(range(pits), rng.randint(1, max(1, pits // 3)))
    if shape == "huge pit":
        huge = rng.randint(0, seeds)
        board[favoured[0]] += huge
        seeds -= huge
    while seeds > 0:
        pit = rng.choice(favoured) if shape == "few pits" else rng.randrange(pits)
        lump = min(seeds, rng.randint(1, 9)) if shape == "lumps" else 1
        if shape == "singletons" and board[pit] and rng.random() < 0.9:
            lump = 0  # mostly looks for another pit: many pits with one seed
            if all(board):
                break
        board[pit] += lump
        seeds -= lump
    return board


def random_captured(rng: Random, rest: int) -> tuple[int, int]:
    """Captured seeds of both, making up all, part or none of the rest."""
    taken = rng.choice([0, rng.randint(0, rest), rest, rest])
    south = rng.choice([0, taken, taken // 2, rng.randint(0, taken)])
    return south, taken - south


# Two-row boards: "South's pits are 0..C-1, North's are C..2C-1, each from the own left to right."


class TwoRowGame(Game[Extra]):
    """A game on two rows of `holes` pits with one ring around both."""

    def __init__(self, name: str, infinite: str, holes: int, total: int) -> None:
        super().__init__(name, infinite, total)
        self.holes = holes
        self.ring = 2 * holes

    def own_row(self, player: int) -> range:
        """The pits of a player, in own view from left to right."""
        return range(player * self.holes, (player + 1) * self.holes)

    def owner(self, pit: int) -> int:
        """In whose row a pit is."""
        return SOUTH if pit < self.holes else NORTH

    def opposite(self, pit: int) -> int:
        """The pit across the middle: "the pit opposite p is 2C-1-p"."""
        return self.ring - 1 - pit

    def letter(self, pit: int) -> str:
        """The letter of a pit in its owner's view."""
        return LETTERS[pit % self.holes]

    def rows(self, position: Position[Extra]) -> tuple[int, int]:
        """Count the seeds in South's and in North's own row."""
        return sum(position.pits[: self.holes]), sum(position.pits[self.holes :])

    def drawn(self, ring: Sequence[str | int]) -> str:
        """Both rows as drawn: "North's a is drawn at the top right"."""
        return draw_rows([reversed(ring[self.holes :]), ring[: self.holes]])

    def ring_of(self, rows: list[list[str]]) -> list[str]:
        """The words of the drawn rows in ring order."""
        top, bottom = rows
        if len(top) != self.holes or len(bottom) != self.holes:
            raise ValueError(f"{self}: expected {self.holes} pits in each row")
        return bottom + top[::-1]

    def tail(self, position: Position[Extra]) -> str:
        """The side to move and the captured seeds."""
        return f"{'SN'[position.to_move]} {position.captured[SOUTH]}-{position.captured[NORTH]}"
