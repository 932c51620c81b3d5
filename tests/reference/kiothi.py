"""Kiothi, literally."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from .common import (
    LETTERS,
    NORTH,
    SOUTH,
    Laps,
    Position,
    TwoRowGame,
    random_captured,
    random_pits,
    read_captured,
    read_fields,
)

HOLES = 10


class Opening(NamedTuple):
    """What is being done in the opening.

    Attributes:
        step: `empty2`, `empty1` or `place`, as in the position string.
        hand: Seeds in the hand.
        pit: The pit emptied first (`empty1`) or placed into last (`place`), counted from the mover's own a as
            in the order "own a..j, then the opponent's A..J"; -1 for none.
    """

    step: str
    hand: int
    pit: int


class Phase(NamedTuple):
    """The nki pits (ring numbers), and the opening while it lasts."""

    nki: frozenset[int]
    opening: Opening | None


EMPTY_FIRST = Opening("empty2", 0, -1)


def word_of(order: int) -> str:
    """A pit as written in an opening move: own pits in small letters, the opponent's in capitals."""
    if order < 0:
        return "-"
    return LETTERS[order] if order < HOLES else LETTERS[order - HOLES].upper()


def order_of(word: str) -> int:
    """The reverse of `word_of`."""
    if word == "-":
        return -1
    return LETTERS.index(word) if word.islower() else HOLES + LETTERS.index(word.lower())


class Kiothi(TwoRowGame[Phase]):
    """Two rows of ten pits (boma); the prisons at the ends are not part of the ring."""

    def __init__(self, name: str, setup: str = "6x5", infinite: str = "split") -> None:
        if setup not in ("6x5", "5x5", "5x6"):
            raise ValueError(f"{name}: expected setup 6x5, 5x5 or 5x6")
        # `6x5`: five seeds in each player's six rightmost pits, and so on.
        self.filled, self.seeds = (int(number) for number in setup.split("x"))
        super().__init__(name, infinite, HOLES, 2 * self.filled * self.seeds)

    def start(self) -> Position[Phase]:
        """Return the position at the beginning of the game."""
        row = (0,) * (HOLES - self.filled) + (self.seeds,) * self.filled
        return Position(row + row, SOUTH, (0, 0), Phase(frozenset(), EMPTY_FIRST))

    def read(self, text: str) -> Position[Phase]:
        """Read a tidy position string."""
        rows, to_move, fields = read_fields(text)
        words = self.ring_of(rows)
        pits = tuple(int(word.rstrip("*")) for word in words)
        nki = frozenset(pit for pit, word in enumerate(words) if word.endswith("*"))
        if any(pits[pit] == 0 for pit in nki):
            raise ValueError(f"{self}: nki: only an occupied pit can be marked in {text}")
        captured, *field = fields
        opening = self.read_opening(field[0]) if field else None
        position = Position(pits, to_move, read_captured(captured), Phase(nki, opening))
        if opening is not None and (nki or not self.is_possible(position, opening)):
            # "A Kiothi opening position in which the step that it names is impossible is refused."
            raise ValueError(f"{self}: the step of the opening is impossible in {text}")
        return position

    def read_opening(self, field: str) -> Opening:
        """What a field such as `open:place:9:C` says."""
        if field == "open:empty2":
            return EMPTY_FIRST
        _, step, hand, pit = field.split(":")
        if step not in ("empty1", "place"):
            raise ValueError(f"{self}: opening: expected empty2, empty1 or place, not {step!r}")
        return Opening(step, int(hand), order_of(pit))

    def is_possible(self, position: Position[Phase], opening: Opening) -> bool:
        """Whether a typed step of the opening can be carried out and its hand fits."""
        if opening.step == "empty2":
            return bool(self.moves(position))
        if opening.step == "empty1":  # "c is the pit emptied first and H the seeds in the hand"
            row = [position.pits[pit] for pit in self.own_row(position.to_move)]
            emptied = 0 <= opening.pit < HOLES and row[opening.pit] == 0
            return opening.hand >= 1 and emptied and bool(self.moves(position))
        # "H seeds in the hand, at least one": before the first is placed, they come from two pits.
        return opening.hand >= (2 if opening.pit < 0 else 1)

    def in_hand(self, position: Position[Phase]) -> int:
        """Count the seeds in the hand of the opening."""
        opening = position.extra.opening
        return 0 if opening is None else opening.hand

    def write(self, position: Position[Phase]) -> str:
        """Write the position string."""
        nki, opening = position.extra
        words = [f"{seeds}*" if pit in nki else f"{seeds}" for pit, seeds in enumerate(position.pits)]
        text = f"{self.drawn(words)} {self.tail(position)}"
        if opening is None:
            return text
        if opening.step == "empty2":
            return f"{text} open:empty2"
        return f"{text} open:{opening.step}:{opening.hand}:{word_of(opening.pit)}"

    def is_over(self, position: Position[Phase]) -> bool:
        """Tell whether the game has ended here, infinite play apart."""
        # "The game ends when the player to move has no legal move (which is when the own row is empty)."
        if position.extra.opening is not None:
            return not self.moves(position)
        return not any(position.pits[pit] for pit in self.own_row(position.to_move))

    def awards(self, position: Position[Phase]) -> tuple[int, int]:
        """Award what is left when the game ends."""
        # "All seeds left on the board go to the other player, who can still move."
        left = sum(position.pits)
        return (0, left) if position.to_move == SOUTH else (left, 0)

    def moves(self, position: Position[Phase]) -> list[str]:
        """List the legal moves in order."""
        pits, mover = position.pits, position.to_move
        if position.extra.opening is not None:
            return self.opening_moves(position, position.extra.opening)
        found = []
        for start in self.own_row(mover):
            fallen = [0] * self.ring  # the earlier seeds of this lap, pit by pit
            for count in range(1, pits[start] + 1):
                last = (start + count) % self.ring
                lifted = count if last == start else 0
                occupied = pits[last] - lifted + fallen[last] > 0
                # "the move is legal only if the last seed of the first lap does not fall into an occupied
                # pit of the own row (occupied when the last seed is about to fall, earlier seeds of this lap
                # counted)"
                if not (occupied and self.owner(last) == mover):
                    found.append(f"{self.letter(start)}{count}")
                fallen[last] += 1
        return found

    def opening_moves(self, position: Position[Phase], opening: Opening) -> list[str]:
        """The choices of one step of the opening."""
        if opening.step == "place":
            # "seeds are placed in non-decreasing order of pit"
            return ["@" + word_of(order) for order in range(max(opening.pit, 0), self.ring)]
        row = [position.pits[pit] for pit in self.own_row(position.to_move)]
        occupied = [order for order in range(HOLES) if row[order]]
        if opening.step == "empty1":  # "the two pits are chosen in rising order of letter"
            return ["!" + word_of(order) for order in occupied if order > opening.pit]
        # "The first choice must leave a later own occupied pit for the second."
        return ["!" + word_of(order) for order in occupied[:-1]]

    def after(self, position: Position[Phase], move: str) -> Position[Phase] | None:
        """Play a legal move; None when its sowing never ends."""
        if position.extra.opening is not None:
            return self.after_opening_step(position, position.extra.opening, order_of(move[1:]))
        pits, mover = list(position.pits), position.to_move
        nki = set(position.extra.nki)
        pit = self.own_row(mover)[LETTERS.index(move[0])]
        # "Choose an own occupied pit and a number of seeds from 1 to all of it, lift that many."
        hand = int(move[1:])
        laps = Laps()
        while True:
            if laps.never_end(pits, pit, hand):
                return None
            pits[pit] -= hand
            # "A pit ceases to be nki, for good, as soon as seeds are lifted from it to be sown."
            nki.discard(pit)
            # "sow them counter-clockwise, the first into the next pit"
            while hand:
                pit = (pit + 1) % self.ring
                pits[pit] += 1
                hand -= 1
            if pits[pit] == 1:  # "The move ends when the last seed of a lap falls into an empty pit."
                break
            hand = pits[pit]  # "its whole content, the last seed included, is lifted and sown as another lap"
        captured = list(position.captured)
        if self.owner(pit) == mover:
            captured[mover] += self.capture(pits, nki, mover, pit)
        phase = Phase(frozenset(nki), None)
        return Position(tuple(pits), 1 - mover, (captured[0], captured[1]), phase)

    def capture(self, pits: list[int], nki: set[int], mover: int, landing: int) -> int:
        """Take what the last seed, in the empty own pit `landing`, captures off the board and count it."""
        target = self.opposite(landing)
        # "If the opposite pit is empty or nki, nothing is captured."
        if pits[target] == 0 or target in nki:
            return 0
        # "the opposite pit's seeds and the seed just dropped go to the mover's prison"
        taken = pits[target] + pits[landing]
        pits[target] = pits[landing] = 0
        # "If that capture was made from the leftmost pit of the own row, look at ... the pits facing own b, c
        # and d. If all three are occupied and none is nki, the contents of all three are captured too."
        if landing == self.own_row(mover)[0]:
            three = [self.opposite(pit) for pit in self.own_row(mover)[1:4]]
            if all(pits[pit] > 0 and pit not in nki for pit in three):
                for pit in three:
                    taken += pits[pit]
                    pits[pit] = 0
        return taken

    def after_opening_step(self, position: Position[Phase], opening: Opening, order: int) -> Position[Phase]:
        """One choice, or one placed seed, of the opening."""
        pits, mover = list(position.pits), position.to_move
        nki = position.extra.nki
        pit = (mover * HOLES + order) % self.ring  # own a..j, then the opponent's A..J, follow the ring
        if opening.step != "place":
            hand = opening.hand + pits[pit]
            pits[pit] = 0
            first = opening.step == "empty2"
            following = Opening("empty1", hand, order) if first else Opening("place", hand, -1)
            return Position(tuple(pits), mover, position.captured, Phase(nki, following))
        pits[pit] += 1
        if opening.hand > 1:
            following = Opening("place", opening.hand - 1, order)
            return Position(tuple(pits), mover, position.captured, Phase(nki, following))
        if mover == SOUTH:  # "First South, then North, each once"
            return Position(tuple(pits), NORTH, position.captured, Phase(nki, EMPTY_FIRST))
        # "After North's redistribution every occupied pit of the board is marked nki, ... South's turn."
        marked = frozenset(number for number, seeds in enumerate(pits) if seeds)
        return Position(tuple(pits), SOUTH, position.captured, Phase(marked, None))

    def random_position(self, rng: Random) -> str:
        """Make up a typed position."""
        to_move = rng.randrange(2)
        pits = random_pits(rng, self.ring, self.total)
        if rng.random() < 0.3:
            opening = self.random_opening(rng, pits, to_move)
            if opening is not None:
                rest = self.total - sum(pits) - opening.hand
                captured = random_captured(rng, rest) if rng.random() < 0.3 else (0, 0)
                return self.write(Position(tuple(pits), to_move, captured, Phase(frozenset(), opening)))
        occupied = [pit for pit, seeds in enumerate(pits) if seeds]
        share = rng.choice([0.0, 0.0, 0.2, 0.5, 0.9, 1.0])
        nki = frozenset(pit for pit in occupied if rng.random() < share)
        captured = random_captured(rng, self.total - sum(pits))
        return self.write(Position(tuple(pits), to_move, captured, Phase(nki, None)))

    def random_opening(self, rng: Random, pits: list[int], to_move: int) -> Opening | None:
        """Turn a random board into one in the middle of the opening; None where it does not lend itself."""
        row = self.own_row(to_move)
        occupied = [order for order in range(HOLES) if pits[row[order]]]
        steps = rng.randint(0, 3)  # choices made: none, one, two; or seeds placed
        if steps == 0:
            return EMPTY_FIRST if len(occupied) >= 2 else None
        if len(occupied) < 2:
            return None
        first = rng.choice(occupied[:-1])
        hand, pits[row[first]] = pits[row[first]], 0
        if steps == 1:
            return Opening("empty1", hand, first)
        second = rng.choice([order for order in occupied if order > first])
        hand, pits[row[second]] = hand + pits[row[second]], 0
        last = -1
        for _ in range(rng.randint(1, hand - 1) if steps == 3 else 0):
            last = rng.randint(max(last, 0), self.ring - 1)
            pits[(to_move * HOLES + last) % self.ring] += 1
            hand -= 1
        return Opening("place", hand, last)
