"""Rio Kadalis, literally: one round.

A match over rounds is a layer above it and not part of this.
"""

from __future__ import annotations

from random import Random

from .common import (
    LETTERS,
    Laps,
    Position,
    TwoRowGame,
    random_captured,
    random_pits,
    read_captured,
    read_fields,
)

Closed = frozenset[int]  # ring numbers of the pits closed with sand


class RioKadalis(TwoRowGame[Closed]):
    """Two rows of six pits (option: five), four seeds in each."""

    def __init__(self, name: str, holes: int = 6, clockwise: bool = False, infinite: str = "split") -> None:
        if holes not in (5, 6):
            raise ValueError(f"{name}: expected 5 or 6 holes")
        super().__init__(name, infinite, holes, 2 * holes * 4)
        # "Sowing is counter-clockwise (option clockwise: the whole game is sown clockwise)."
        self.direction = -1 if clockwise else 1

    def start(self) -> Position[Closed]:
        """Return the position at the beginning of the game."""
        return Position((4,) * self.ring, 0, (0, 0), frozenset())

    def read(self, text: str) -> Position[Closed]:
        """Read a tidy position string."""
        rows, to_move, fields = read_fields(text)
        words = self.ring_of(rows)
        pits = tuple(0 if word == "x" else int(word) for word in words)
        closed = frozenset(pit for pit, word in enumerate(words) if word == "x")
        (captured,) = fields
        return Position(pits, to_move, read_captured(captured), closed)

    def write(self, position: Position[Closed]) -> str:
        """Write the position string."""
        words = ["x" if pit in position.extra else str(seeds) for pit, seeds in enumerate(position.pits)]
        return f"{self.drawn(words)} {self.tail(position)}"

    def is_over(self, position: Position[Closed]) -> bool:
        """Tell whether the game has ended here, infinite play apart."""
        # "When the player to move has no seed in the own row, the round is over."
        return not any(position.pits[pit] for pit in self.own_row(position.to_move))

    def moves(self, position: Position[Closed]) -> list[str]:
        """List the legal moves in order."""
        # "any own non-empty pit"; closed pits are "never chosen" (there is no seed in them).
        return [self.letter(pit) for pit in self.own_row(position.to_move) if position.pits[pit]]

    def next_pit(self, pit: int, closed: Closed) -> int:
        """The pit that is sown into after this one: closed pits are "skipped in sowing"."""
        pit = (pit + self.direction) % self.ring
        while pit in closed:
            pit = (pit + self.direction) % self.ring
        return pit

    def after(self, position: Position[Closed], move: str) -> Position[Closed] | None:
        """Play a legal move; None when its sowing never ends."""
        pits, mover, closed = list(position.pits), position.to_move, position.extra
        captured = list(position.captured)
        pit = self.own_row(mover)[LETTERS.index(move)]
        laps = Laps()
        while True:
            if laps.never_end(pits, pit):
                return None
            # "Lift all its seeds and sow them one by one."
            hand, pits[pit] = pits[pit], 0
            while hand > 1:
                pit = self.next_pit(pit, closed)
                pits[pit] += 1
                hand -= 1
                # "Whenever a seed other than the last of the lap makes a pit hold exactly four, those four
                # are captured at once by the player in whose row the pit is."
                if pits[pit] == 4:
                    captured[self.owner(pit)] += 4
                    pits[pit] = 0
            # The last seed of the lap.
            pit = self.next_pit(pit, closed)
            pits[pit] += 1
            if pits[pit] == 4:
                # binikh: "the mover captures the four, whoever owns the row, and the move is over"
                captured[mover] += 4
                pits[pit] = 0
                break
            if pits[pit] == 1:  # "falls into an empty pit: the move is over"
                break
            # "falls into an otherwise occupied pit: its whole content is lifted and sown as another lap"
        return Position(tuple(pits), 1 - mover, (captured[0], captured[1]), closed)

    def random_position(self, rng: Random) -> str:
        """Make up a typed position."""
        closed: set[int] = set()
        if rng.random() < 0.7:
            for player in (0, 1):
                row = self.own_row(player)
                shut = rng.choice([0, rng.randint(0, self.holes - 1), rng.randint(0, self.holes)])
                # In a match the leftmost pits are closed; a typed position may close any.
                closed |= set(row[:shut] if rng.random() < 0.6 else rng.sample(row, shut))
        pits = [0] * self.ring
        still_open = [pit for pit in range(self.ring) if pit not in closed]
        if still_open:
            for pit, seeds in zip(still_open, random_pits(rng, len(still_open), self.total), strict=True):
                pits[pit] = seeds
        captured = random_captured(rng, self.total - sum(pits))
        return self.write(Position(tuple(pits), rng.randrange(2), captured, frozenset(closed)))
