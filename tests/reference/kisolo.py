"""Kisolo, literally.

Pits are stored as South's own ring, then North's. "Own ring, C pits a row: ring 0..C-1 is the outer row,
column 0..C-1 in own view; ring C+k is the inner row, column C-1-k."
"""

from __future__ import annotations

from random import Random

from .common import LETTERS, NORTH, SOUTH, Game, Laps, Number, Position, draw_rows, random_pits, read_fields

Result = int | None  # the outcome, once somebody has won by a capture (or a typed position is over)


class Kisolo(Game[Result]):
    """Four rows of seven pits (option: six), three seeds in every pit."""

    def __init__(self, name: str, holes: int = 7, infinite: str = "draw") -> None:
        super().__init__(name, infinite, 12 * holes)
        if infinite != "draw" or holes not in (6, 7):
            raise ValueError(f"{name}: expected 6 or 7 holes and infinite=draw")
        self.holes = holes
        self.ring = 2 * holes

    def start(self) -> Position[Result]:
        """Return the position at the beginning of the game."""
        return Position((3,) * (2 * self.ring), 0, (0, 0), None)

    def read(self, text: str) -> Position[Result]:
        """Read a tidy position string."""
        # "rows: North outer, North inner, South inner, South outer"
        rows, to_move, _ = read_fields(text)
        north_outer, north_inner, south_inner, south_outer = [[int(word) for word in row] for row in rows]
        if any(len(row) != self.holes for row in rows):
            raise ValueError(f"{self}: expected {self.holes} pits in each row")
        # South's columns are drawn from left to right, North's from right to left; a ring runs along the
        # outer row in column order and back along the inner row.
        south = south_outer + south_inner[::-1]
        north = north_outer[::-1] + north_inner
        return Position(tuple(south + north), to_move, (0, 0), self.result(south, north))

    @staticmethod
    def result(south: list[int], north: list[int]) -> Result:
        """Typed positions are over "when a player has no seed at all (that player has lost)"."""
        if any(south) and any(north):
            return None
        return any(south) - any(north)  # if neither has a seed, nobody has won: a draw

    def write(self, position: Position[Result]) -> str:
        """Write the position string."""
        south, north = list(position.pits[: self.ring]), list(position.pits[self.ring :])
        c = self.holes
        rows = [north[:c][::-1], north[c:], south[c:][::-1], south[:c]]
        return f"{draw_rows(rows)} {'SN'[position.to_move]}"

    def rows(self, position: Position[Result]) -> tuple[int, int]:
        """Count the seeds in South's and in North's own row."""
        return sum(position.pits[: self.ring]), sum(position.pits[self.ring :])

    def is_over(self, position: Position[Result]) -> bool:
        """Tell whether the game has ended here, infinite play apart."""
        return position.extra is not None

    def final(self, position: Position[Result], termination: str) -> tuple[Number, Number] | None:
        """Return no final scores, for there are none."""
        return None  # "There is no score."

    def margin(self, position: Position[Result], termination: str) -> int:
        """Return 1, 0 or -1."""
        # "Infinite play is a draw."
        return position.extra if termination == "normal" and position.extra is not None else 0

    # The geometry, in columns of the own view.

    def inner(self, column: int) -> int:
        """Own ring number of the own inner pit in a column."""
        return self.ring - 1 - column

    def column(self, pit: int) -> int:
        """The column of an own pit."""
        return pit if pit < self.holes else self.ring - 1 - pit

    def facing(self, column: int) -> int:
        """The opponent's ring number of the inner pit that faces the own inner pit in a column.

        "The own inner pit in column c faces the opponent's inner pit in the opponent's column C-1-c."
        """
        return self.inner(self.holes - 1 - column)

    def behind(self, column: int) -> int:
        """The opponent's ring number of the outer pit behind: it is "of the same column" as the inner one."""
        return self.holes - 1 - column

    def both_rings(self, position: Position[Result]) -> tuple[list[int], list[int]]:
        """The mover's own ring and the opponent's."""
        south, north = list(position.pits[: self.ring]), list(position.pits[self.ring :])
        return (south, north) if position.to_move == SOUTH else (north, south)

    def moves(self, position: Position[Result]) -> list[str]:
        """List the legal moves in order."""
        own, theirs = self.both_rings(position)
        # "If in any column both facing inner pits hold seeds, the player must capture with one such column."
        columns = [c for c in range(self.holes) if own[self.inner(c)] and theirs[self.facing(c)]]
        if columns:
            return ["x" + LETTERS[c].upper() for c in columns]
        # "If there is no such column, the player lifts all seeds from any own non-empty pit."
        outer = [LETTERS[c] for c in range(self.holes) if own[c]]
        return outer + [LETTERS[c].upper() for c in range(self.holes) if own[self.inner(c)]]

    def take(self, theirs: list[int], column: int) -> int:
        """Take "all seeds of the opponent's inner pit and, if there are any, of the outer pit behind it"."""
        taken = theirs[self.facing(column)] + theirs[self.behind(column)]
        theirs[self.facing(column)] = theirs[self.behind(column)] = 0
        return taken

    def after(self, position: Position[Result], move: str) -> Position[Result] | None:
        """Play a legal move; None when its sowing never ends."""
        own, theirs = self.both_rings(position)
        column = LETTERS.index(move[-1].lower())
        if move[0] == "x":
            hand = self.take(theirs, column)
            first = self.inner(column)  # "the first of them into the capturing inner pit itself"
            if self.has_won(theirs):
                return self.turn(position, own, theirs, won=True)
        else:
            pit = column if move.islower() else self.inner(column)
            hand, own[pit] = own[pit], 0
            first = (pit + 1) % self.ring  # "the first into the pit after it"
        laps = Laps()
        while True:
            if laps.never_end(own, theirs, hand, first):
                return None
            p = first
            while hand > 1:
                own[p] += 1
                hand -= 1
                p = (p + 1) % self.ring
            was_occupied = own[p] > 0  # "p was occupied before the last seed fell"
            own[p] += 1
            # "After the last seed of any lap, at pit p, look at the pit q that follows p in the own ring."
            q = (p + 1) % self.ring
            if own[q] == 0:  # "q is empty: the turn is over"
                return self.turn(position, own, theirs, won=False)
            if was_occupied and q >= self.holes and theirs[self.facing(self.column(q))] > 0:
                # mid-move capture: "sown as the next lap, the first of them into q"
                hand = self.take(theirs, self.column(q))
                first = q
                if self.has_won(theirs):
                    return self.turn(position, own, theirs, won=True)
            else:
                # "all seeds of q are lifted and sown as the next lap, the first into the pit after q"
                hand, own[q] = own[q], 0
                first = (q + 1) % self.ring

    def has_won(self, theirs: list[int]) -> bool:
        """Whether a capture was a winning one: it "leaves the opponent's inner row empty"."""
        return not any(theirs[self.holes :])

    def turn(self, was: Position[Result], own: list[int], theirs: list[int], won: bool) -> Position[Result]:
        """The position after a move; seeds of a winning capture "are not sown any more" and are in no pit."""
        mover = was.to_move
        pits = own + theirs if mover == SOUTH else theirs + own
        result = (1 if mover == SOUTH else -1) if won else None
        return Position(tuple(pits), NORTH if mover == SOUTH else SOUTH, (0, 0), result)

    def random_position(self, rng: Random) -> str:
        """Make up a typed position."""
        pits = random_pits(rng, 2 * self.ring, self.total)
        if rng.random() < 0.3:  # thin out inner rows: turns without a capture, wins, slow endings
            for player in (SOUTH, NORTH):
                for pit in range(player * self.ring + self.holes, (player + 1) * self.ring):
                    if rng.random() < rng.choice([0.0, 0.5, 0.9]):
                        pits[pit] = 0
        return self.write(Position(tuple(pits), rng.randrange(2), (0, 0), None))
