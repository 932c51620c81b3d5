"""Oware, literally, with the rules of OpenSpiel's ``oware``.

Quotes are from the documentation of that game; OpenSpiel itself is the referee in ``test_openspiel_referee.py``.
"""

from __future__ import annotations

from random import Random

from .common import LETTERS, Position, TwoRowGame, random_captured, random_pits, read_captured, read_fields


class Oware(TwoRowGame[None]):
    """Two rows of six pits, four seeds in each. Options: holes 3..8, seeds 1..8."""

    def __init__(self, name: str, holes: int = 6, seeds: int = 4, infinite: str = "own_side") -> None:
        if not (3 <= holes <= 8 and 1 <= seeds <= 8):
            raise ValueError(f"{name}: expected 3..8 holes and 1..8 seeds")
        super().__init__(name, infinite, holes, 2 * holes * seeds)
        self.seeds = seeds

    def start(self) -> Position[None]:
        """Return the position at the beginning of the game."""
        return Position((self.seeds,) * self.ring, 0, (0, 0), None)

    def read(self, text: str) -> Position[None]:
        """Read a tidy position string."""
        rows, to_move, (captured,) = read_fields(text)
        return Position(tuple(map(int, self.ring_of(rows))), to_move, read_captured(captured), None)

    def write(self, position: Position[None]) -> str:
        """Write the position string."""
        return f"{self.drawn(position.pits)} {self.tail(position)}"

    def is_over(self, position: Position[None]) -> bool:
        """Tell whether the game has ended here, infinite play apart."""
        # One player has more than half of the seeds, or the player to move cannot move.
        total = sum(position.pits) + sum(position.captured)
        return max(position.captured) * 2 > total or not self.moves(position)

    def sow(self, pits: list[int], pit: int) -> int:
        """Sow "counterclockwise, skipping the starting position in all cases"; return the last pit."""
        start, hand, pits[pit] = pit, pits[pit], 0
        while hand:
            pit = (pit + 1) % self.ring
            if pit != start:
                pits[pit] += 1
                hand -= 1
        return pit

    def moves(self, position: Position[None]) -> list[str]:
        """List the legal moves in order."""
        pits, mover = position.pits, position.to_move
        found = [pit for pit in self.own_row(mover) if pits[pit]]
        # "If the opponent has no seeds, the current player must make a move to give the opponent seeds."
        row = self.own_row(1 - mover)
        if not any(pits[pit] for pit in row):
            feeding = []
            for pit in found:
                after = list(pits)
                self.sow(after, pit)
                if any(after[fed] for fed in row):
                    feeding.append(pit)
            found = feeding
        return [self.letter(pit) for pit in found]

    def after(self, position: Position[None], move: str) -> Position[None]:
        """Play a legal move."""
        pits, mover = list(position.pits), position.to_move
        row = self.own_row(1 - mover)
        pit = self.sow(pits, self.own_row(mover)[LETTERS.index(move)])
        # "Captures opponent seeds starting from given house clockwise as long as the number of seeds is" 2 or 3
        after, gain = list(pits), 0
        while pit in row and after[pit] in (2, 3):
            gain += after[pit]
            after[pit] = 0
            pit -= 1
        # A Grand Slam: "no seeds are captured instead"
        if not any(after[pit] for pit in row):
            after, gain = pits, 0
        captured = list(position.captured)
        captured[mover] += gain
        return Position(tuple(after), 1 - mover, (captured[0], captured[1]), None)

    def random_position(self, rng: Random) -> str:
        """Make up a typed position."""
        pits = random_pits(rng, self.ring, self.total)
        captured = random_captured(rng, self.total - sum(pits))
        return self.write(Position(tuple(pits), rng.randrange(2), captured, None))
