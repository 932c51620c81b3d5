"""Position strings: the form that all games share (rules/README.md of the project's specification).

    rows as drawn, top row first, pits separated by commas, rows by "/" | S or N | captured South-North | extra field

What the pits and the extra field may say is the game's business; it gets and gives `Fields`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from mancala_ai.errors import PositionError

CLOSED = "x"
NKI = "*"
SIDES = "SN"
LETTERS = "abcdefghij"
NUMBER = "(0|[1-9][0-9]{0,5})"
"""Pattern of a number of seeds: as it is written, without leading zeros, and short enough for ``int``."""


class Pit(NamedTuple):
    """One pit of a drawn board: its seeds and its mark (``""``, ``"*"`` for nki, ``"x"`` for closed)."""

    seeds: int
    mark: str = ""

    def __str__(self) -> str:
        return CLOSED if self.mark == CLOSED else f"{self.seeds}{self.mark}"


class Fields(NamedTuple):
    """A position string taken apart."""

    rows: tuple[tuple[Pit, ...], ...]  # as drawn: top row first, each from left to right
    side: int  # 0 South, 1 North
    captured: tuple[int, int] | None  # South's, North's; None where the game has no score
    extra: str = ""
    in_hand: int = 0  # seeds lifted and not yet placed, as `extra` says

    def __str__(self) -> str:
        words = ["/".join(",".join(map(str, row)) for row in self.rows), SIDES[self.side]]
        if self.captured is not None:
            words.append(f"{self.captured[0]}-{self.captured[1]}")
        if self.extra:
            words.append(self.extra)
        return " ".join(words)

    @property
    def seeds_on_board(self) -> int:
        """All seeds in pits."""
        return sum(pit.seeds for row in self.rows for pit in row)


def pit_of_move(move: str, side: int, rows: int, pits: int) -> int | None:
    """Returns which pit of the drawn board a move begins with, by the letter that move strings have in common.

    Small letters are own pits (of two own rows the outer), capitals the inner row or, where there is none, the
    opponent's pits; always in the view of the row's owner.

    Args:
        move: a move string.
        side: the player who moves: 0 South, 1 North.
        rows: number of rows drawn.
        pits: number of pits in each.

    Returns:
        The pit's number, row by row as drawn; None if the move names no pit, such as a pass.
    """
    match = re.fullmatch(f"[^a-zA-Z]?x?([{LETTERS}{LETTERS.upper()}])[+-]?[0-9]*", move)
    if not match or LETTERS.index(match[1].lower()) >= pits:
        return None
    column, capital = LETTERS.index(match[1].lower()), int(match[1].isupper())
    owner = side ^ (capital if rows == 2 else 0)
    inner = capital if rows == 4 else 0
    if owner:
        return inner * pits + pits - 1 - column
    return (rows - 1 - inner) * pits + column


class Format(NamedTuple):
    """What a ruleset's position strings look like."""

    rows: int
    pits: int
    total: int  # the game's own number of seeds: no position may have more
    marks: str = ""  # pit marks that may occur
    captured: bool = True
    extra: str = ""  # what the extra field says, for error messages; empty where there is none
    extra_optional: bool = False


def read_fields(text: str, form: Format) -> Fields:
    """Takes a position string apart.

    Args:
        text: the string; blanks around separators are ignored.
        form: what the ruleset expects.

    Raises:
        PositionError: names the field that is wrong and what was expected.
    """

    def wrong(field: str, found: str, expected: str) -> PositionError:
        return PositionError(f"position {text!r}: {field} {found!r}: expected {expected}")

    # A blank before the side to move stays: a separator at the end of the rows is one too many.
    closed_up = re.sub(r"\s*([,/:])\s*(?![SN]\b)", r"\1", text.strip())
    words = re.sub(r"(?<=\d)\s*-\s*(?=\d)", "-", closed_up).split()
    required = 2 + form.captured
    if len(words) not in range(
        required + bool(form.extra and not form.extra_optional), required + bool(form.extra) + 1
    ):
        parts = ["rows", "side", *["captured"] * form.captured, *[form.extra] * bool(form.extra)]
        found = f"{len(words)} field{'s' * (len(words) != 1)}"
        raise PositionError(f"position {text!r}: {found}: expected {', '.join(parts)}, separated by blanks")

    rows = words[0].split("/")
    if len(rows) != form.rows:
        raise wrong("rows", words[0], f"{form.rows} rows separated by '/', not {len(rows)}")
    drawn = []
    for number, row in enumerate(rows, 1):
        pits = row.split(",")
        if len(pits) != form.pits:
            raise wrong(f"row {number}", row, f"{form.pits} pits separated by commas, not {len(pits)}")
        drawn.append(tuple(_read_pit(pit, form, f"pit {i} of row {number}", wrong) for i, pit in enumerate(pits, 1)))

    if words[1] not in ("S", "N"):
        raise wrong("side to move", words[1], "S or N")
    captured = None
    if form.captured:
        match = re.fullmatch(f"{NUMBER}-{NUMBER}", words[2])
        if not match:
            raise wrong("captured", words[2], "southCaptured-northCaptured, such as 10-12")
        captured = (int(match[1]), int(match[2]))
    fields = Fields(tuple(drawn), SIDES.index(words[1]), captured, "".join(words[required:]))
    check_total(text, fields, form.total)
    return fields


def check_total(text: str, fields: Fields, most: int, in_hand: int = 0) -> None:
    """Raises PositionError when there are more seeds than the game has."""
    total = fields.seeds_on_board + sum(fields.captured or ()) + in_hand
    if total > most:
        hand = f", {in_hand} of them in the hand" if in_hand else ""
        raise PositionError(f"position {text!r}: {total} seeds in all{hand}: expected at most {most}")


def _read_pit(text: str, form: Format, where: str, wrong: Callable[..., PositionError]) -> Pit:
    match = re.fullmatch(rf"{NUMBER}(\*?)", text)
    if CLOSED in form.marks and text == CLOSED:
        return Pit(0, CLOSED)
    if not match or (match[2] and NKI not in form.marks):
        expected = "a number of seeds"
        if NKI in form.marks:
            expected += ", with * if nki"
        if CLOSED in form.marks:
            expected += ", or x if closed"
        raise wrong(where, text, expected)
    return Pit(int(match[1]), match[2])
