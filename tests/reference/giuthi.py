"""Giuthi, literally."""

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


class Giuthi(TwoRowGame[None]):
    """Two rows of C pits, C = 5..10, all with the same number of seeds, 4..9."""

    def __init__(
        self,
        name: str,
        holes: int = 8,
        seeds: int = 8,
        setup: str | None = None,
        capture_needs_target: bool = False,
        infinite: str = "draw",
    ) -> None:
        if setup is not None:  # "2x7x6 is the same as holes=7,seeds=6"
            _, holes, seeds = (int(number) for number in setup.split("x"))
        if not (5 <= holes <= 10 and 4 <= seeds <= 9):
            raise ValueError(f"{name}: expected 5..10 holes and 4..9 seeds")
        super().__init__(name, infinite, holes, 2 * holes * seeds)
        self.seeds = seeds
        self.capture_needs_target = capture_needs_target

    def start(self) -> Position[None]:
        """Return the position at the beginning of the game."""
        return Position((self.seeds,) * self.ring, 0, (0, 0), None)

    def read(self, text: str) -> Position[None]:
        """Read a tidy position string."""
        rows, to_move, fields = read_fields(text)
        pits = tuple(int(word) for word in self.ring_of(rows))
        (captured,) = fields
        return Position(pits, to_move, read_captured(captured), None)

    def write(self, position: Position[None]) -> str:
        """Write the position string."""
        return f"{self.drawn(position.pits)} {self.tail(position)}"

    def has_move(self, pits: tuple[int, ...] | list[int], player: int) -> bool:
        """Whether a player has a pit with at least two seeds."""
        return any(pits[pit] >= 2 for pit in self.own_row(player))

    def is_over(self, position: Position[None]) -> bool:
        """Tell whether the game has ended here, infinite play apart."""
        # "The game ends when neither player has a pit with at least two seeds."
        return not any(seeds >= 2 for seeds in position.pits)

    def moves(self, position: Position[None]) -> list[str]:
        """List the legal moves in order."""
        # "an own pit with at least two seeds, and a direction for the first lap"; "+ before -".
        found = []
        for pit in self.own_row(position.to_move):
            if position.pits[pit] >= 2:
                found += [self.letter(pit) + "+", self.letter(pit) + "-"]
        # "A player with only singletons and empty pits has no move and must pass."
        return found or ["pass"]

    def after(self, position: Position[None], move: str) -> Position[None] | None:
        """Play a legal move; None when its sowing never ends."""
        pits, mover = list(position.pits), position.to_move
        opponent = 1 - mover
        if move == "pass":
            return Position(position.pits, opponent, position.captured, None)
        pit = self.own_row(mover)[LETTERS.index(move[0])]
        direction = 1 if move[1] == "+" else -1  # "counter-clockwise is +1"
        entered = False  # whether a seed was dropped into the opponent's row in this move
        laps = Laps()
        while True:
            if laps.never_end(pits, pit, direction):
                return None
            # "Lift all its seeds and sow them one by one in that direction."
            hand, pits[pit] = pits[pit], 0
            while hand:
                pit = (pit + direction) % self.ring
                pits[pit] += 1
                hand -= 1
                if self.owner(pit) == opponent:
                    entered = True
            if pits[pit] == 1:  # "the last seed falls into an empty pit, the move is over"
                break
            # "sow another lap in the opposite direction"
            direction = -direction
        if self.owner(pit) == opponent:  # "nothing is captured, the turn passes"
            return Position(tuple(pits), opponent, position.captured, None)
        if not entered:  # "the player moves again"
            # "If the player then has no pit with two seeds, the turn passes at once."
            to_move = mover if self.has_move(pits, mover) else opponent
            return Position(tuple(pits), to_move, position.captured, None)
        # "capture, then the turn passes"
        captured = list(position.captured)
        captured[mover] += self.capture(pits, mover, pit, direction)
        return Position(tuple(pits), opponent, (captured[0], captured[1]), None)

    def capture(self, pits: list[int], mover: int, landing: int, direction: int) -> int:
        """Take what the last seed at `landing` captures off the board and count it."""
        if self.capture_needs_target and pits[self.opposite(landing)] == 0:
            return 0  # "if the opposite pit of the landing pit is empty nothing at all is captured"
        # "The player takes the seed just dropped and all seeds in the opposite pit."
        taken = pits[landing] + pits[self.opposite(landing)]
        pits[landing] = pits[self.opposite(landing)] = 0
        # "Then, going on from the landing pit in the direction of the last lap along the own row, for every
        # consecutive empty own pit the seeds in the pit opposite to it are taken too; the first occupied own
        # pit, or the end of the own row, ends the chain."
        pit = landing + direction
        while pit in self.own_row(mover) and pits[pit] == 0:
            target = self.opposite(pit)
            if self.capture_needs_target and pits[target] == 0:
                break  # "in the chain the first empty own pit whose opposite pit is empty ends it"
            taken += pits[target]
            pits[target] = 0
            pit += direction
        return taken

    def random_position(self, rng: Random) -> str:
        """Make up a typed position."""
        pits = random_pits(rng, self.ring, self.total)
        captured = random_captured(rng, self.total - sum(pits))
        return self.write(Position(tuple(pits), rng.randrange(2), captured, None))
