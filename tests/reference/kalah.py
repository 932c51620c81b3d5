"""Kalah, literally, with the rules of OpenSpiel's ``mancala``.

OpenSpiel itself is the referee in ``test_openspiel_referee.py``.
"""

from __future__ import annotations

from random import Random

from .common import LETTERS, Position, TwoRowGame, random_captured, random_pits, read_captured, read_fields

STORE = -1  # stands for the mover's store in the circuit of a sowing


class Kalah(TwoRowGame[None]):
    """Two rows of six pits, four seeds in each, and a store for each player. Options: holes 3..6, seeds 1..6."""

    def __init__(self, name: str, holes: int = 6, seeds: int = 4) -> None:
        if not (3 <= holes <= 6 and 1 <= seeds <= 6):
            raise ValueError(f"{name}: expected 3..6 holes and 1..6 seeds")
        super().__init__(name, "split", holes, 2 * holes * seeds)
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
        """Tell whether the game has ended here: one of the rows is empty."""
        return 0 in self.rows(position)

    def moves(self, position: Position[None]) -> list[str]:
        """List the legal moves in order."""
        return [self.letter(pit) for pit in self.own_row(position.to_move) if position.pits[pit]]

    def after(self, position: Position[None], move: str) -> Position[None]:
        """Play a legal move."""
        pits, mover, captured = list(position.pits), position.to_move, list(position.captured)
        circuit = [*self.own_row(mover), STORE, *self.own_row(1 - mover)]
        place = LETTERS.index(move)
        hand, pits[circuit[place]] = pits[circuit[place]], 0
        while hand:
            place = (place + 1) % len(circuit)
            if circuit[place] == STORE:
                captured[mover] += 1
            else:
                pits[circuit[place]] += 1
            hand -= 1
        last, to_move = circuit[place], 1 - mover
        if last == STORE:
            to_move = mover
        elif last in self.own_row(mover) and pits[last] == 1 and pits[self.opposite(last)]:
            captured[mover] += 1 + pits[self.opposite(last)]
            pits[last] = pits[self.opposite(last)] = 0
        return Position(tuple(pits), to_move, (captured[0], captured[1]), None)

    def random_position(self, rng: Random) -> str:
        """Make up a typed position."""
        pits = random_pits(rng, self.ring, self.total)
        captured = random_captured(rng, self.total - sum(pits))
        return self.write(Position(tuple(pits), rng.randrange(2), captured, None))
