"""Kpé, literally."""

from __future__ import annotations

from random import Random

from .common import (
    LETTERS,
    Position,
    TwoRowGame,
    random_captured,
    random_pits,
    read_captured,
    read_fields,
)

Sown = tuple[frozenset[str], frozenset[str]]  # the letters of the pits that South and North have sown from


class Kpe(TwoRowGame[Sown]):
    """Two rows of four pits, six seeds in each. Options: holes 3..8, seeds 1..8."""

    def __init__(self, name: str, holes: int = 4, seeds: int = 6, infinite: str = "split") -> None:
        if not (3 <= holes <= 8 and 1 <= seeds <= 8):
            raise ValueError(f"{name}: expected 3..8 holes and 1..8 seeds")
        super().__init__(name, infinite, holes, 2 * holes * seeds)
        self.seeds = seeds

    def start(self) -> Position[Sown]:
        """Return the position at the beginning of the game."""
        return Position((self.seeds,) * self.ring, 0, (0, 0), (frozenset(), frozenset()))

    def read(self, text: str) -> Position[Sown]:
        """Read a tidy position string."""
        rows, to_move, fields = read_fields(text)
        pits = tuple(int(word) for word in self.ring_of(rows))
        captured, sown = fields
        south, north = (frozenset(part.replace("-", "")) for part in sown.split("/"))
        if not south | north <= set(LETTERS[: self.holes]):
            raise ValueError(f"{self}: pits sown from: expected own pits, not {sown}")
        return Position(pits, to_move, read_captured(captured), (south, north))

    def write(self, position: Position[Sown]) -> str:
        """Write the position string."""
        # "own view, in alphabetical order, '-' for none"
        sown = "/".join("".join(sorted(letters)) or "-" for letters in position.extra)
        return f"{self.drawn(position.pits)} {self.tail(position)} {sown}"

    def is_over(self, position: Position[Sown]) -> bool:
        """Tell whether the game has ended here, infinite play apart."""
        # "The game ends when the player to move has no seed in the own row."
        return not any(position.pits[pit] for pit in self.own_row(position.to_move))

    def sow(self, pits: list[int], pit: int) -> list[int]:
        """Sow a whole pit "counter-clockwise, one lap only".

        Returns:
            The pits sown into, in order.
        """
        hand, pits[pit] = pits[pit], 0
        path = []
        while hand:
            pit = (pit + 1) % self.ring
            pits[pit] += 1
            hand -= 1
            path.append(pit)
        return path

    def moves(self, position: Position[Sown]) -> list[str]:
        """List the legal moves in order."""
        mover, pits = position.to_move, position.pits
        found = [pit for pit in self.own_row(mover) if pits[pit]]
        # "If all pits of the opponent are empty at the start of a turn, a move that drops at least one seed
        # into the opponent's row must be chosen if there is one. If there is none, any move is legal."
        row = self.own_row(1 - mover)
        if not any(pits[pit] for pit in row):
            feeding = [pit for pit in found if any(sown in row for sown in self.sow(list(pits), pit))]
            found = feeding or found
        return [self.letter(pit) for pit in found]

    def after(self, position: Position[Sown], move: str) -> Position[Sown]:
        """Play a legal move."""
        pits, mover = list(position.pits), position.to_move
        opponent = 1 - mover
        # "the set counts the move being made"
        sown = list(position.extra)
        sown[mover] |= {move}
        last = self.sow(pits, self.own_row(mover)[LETTERS.index(move)])[-1]
        captured = list(position.captured)
        # "A player may capture only after having begun a move from each of the own pits at least once."
        if len(sown[mover]) == self.holes:
            # "If the last seed falls into an opponent's pit and makes its content exactly two or four, those
            # seeds are captured. Then the pit just before it in sowing order, ... backwards without a gap."
            pit = last
            while pit in self.own_row(opponent) and pits[pit] in (2, 4):
                captured[mover] += pits[pit]
                pits[pit] = 0
                pit -= 1
        return Position(tuple(pits), opponent, (captured[0], captured[1]), (sown[0], sown[1]))

    def random_position(self, rng: Random) -> str:
        """Make up a typed position."""
        pits = random_pits(rng, self.ring, self.total)
        captured = random_captured(rng, self.total - sum(pits))
        letters = LETTERS[: self.holes]
        counts = [0, self.holes, self.holes, rng.randint(0, self.holes)]
        south, north = (frozenset(rng.sample(letters, rng.choice(counts))) for _ in "SN")
        return self.write(Position(tuple(pits), rng.randrange(2), captured, (south, north)))
