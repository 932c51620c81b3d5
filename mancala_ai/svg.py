"""Boards as drawings (SVG), for notebooks, files and reports: the same as the text of `mancala_ai.diagram`, with seeds.

South is below and North above; letters are in own view, as in move strings. A triangle marks the side to move, an
outline the pit that the last move began with, a dashed rim and ``*`` a nki, a cross a closed pit.

A drawing can be brought to another position of the same ruleset by changing the parts that depend on it, which is how
pages show games: every pit is a group ``g.pit`` with ``data-pit`` (its number, row by row as drawn), the classes
``nki``, ``closed`` and ``last``, and within it ``g.seeds`` (filled with one of `seed_groups`) and ``text.count``; every
player a group ``g.player`` with ``data-player`` (0 South, 1 North), the class ``to-move``, and within it ``text.total``
and ``text.hand``.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from mancala_ai.diagram import PLAYERS, describe_result
from mancala_ai.game import State
from mancala_ai.notation import CLOSED, LETTERS, NKI, Fields, Pit, pit_of_move

# All lengths are in pixels of the natural size.
CELL, ROW = 60, 94  # what a pit takes, with its number of seeds and its letter
RADIUS, SEED = 25, 4.2  # of pits and seeds
GAP = 9.1  # between the centres of neighbouring seeds
MARGIN, HEADING, LINE = 14, 34, 21
LEAST_WIDTH = 300  # so that the headings of a small board have room
LETTER_WIDTH = 9.4  # of captions: on average, in wide fonts
# How many seeds lie in each ring of a pit, from the middle out, for 0, 1, 2, ... seeds.
RINGS = (
    *((), (1,), (2,), (3,), (4,), (5,), (1, 5), (1, 6), (1, 7), (2, 7), (3, 7), (3, 8), (4, 8), (4, 9), (4, 10)),
    *((5, 10), (5, 11), (1, 5, 11), (1, 6, 11), (1, 6, 12)),
)
STYLE = """
.mancala-board { max-width: 100%; height: auto; font-family: system-ui, "Helvetica Neue", Arial, sans-serif }
.mancala-board text { fill: #2f2217; font-size: 17px }
.mancala-board .card { fill: #faf4e8 }
.mancala-board .wood { fill: #e6d1aa; stroke: #b9975f; stroke-width: 1.5 }
.mancala-board .middle { stroke: #b9975f; stroke-width: 1.5 }
.mancala-board .hole { fill: #c9aa76; stroke: #a88650; stroke-width: 1.5 }
.mancala-board .seeds circle { fill: #4b2c18; stroke: #8a6343; stroke-width: .8 }
.mancala-board .seeds text { font-size: 22px; font-weight: 600; text-anchor: middle }
.mancala-board .count { font-size: 20px; font-weight: 600; text-anchor: middle }
.mancala-board .letter { font-size: 15px; fill: #6f5327; text-anchor: middle }
.mancala-board .rim { fill: none; stroke: none }
.mancala-board .last .rim { stroke: #c2410c; stroke-width: 3 }
.mancala-board .nki .hole { stroke: #14532d; stroke-width: 3; stroke-dasharray: 5 3 }
.mancala-board .cross { display: none; stroke: #8a6a38; stroke-width: 3 }
.mancala-board .closed .hole { fill: #dcc398 }
.mancala-board .closed .cross { display: inline }
.mancala-board .triangle { display: none; fill: #c2410c }
.mancala-board .to-move .triangle { display: inline }
.mancala-board .to-move .name { font-weight: 700 }
.mancala-board .total, .mancala-board .hand { text-anchor: end; font-variant-numeric: tabular-nums }
"""


def draw_svg(state: State, caption: bool = True) -> str:
    """Returns a drawing of a state.

    Args:
        state: what to draw.
        caption: whether to say below the board whose turn it is and what is to be done, or who has won.
    """
    fields = state.game.rules.unpack(state.position)
    rows, pits = len(fields.rows), len(fields.rows[0])
    width = max(LEAST_WIDTH, CELL * pits + 4 * MARGIN)
    bottom = MARGIN + HEADING + ROW * rows + 2 * MARGIN
    words = " ".join(_caption(state, fields)) if caption else ""
    lines = textwrap.wrap(words, int((width - 2 * MARGIN) / LETTER_WIDTH))
    height = bottom + HEADING + LINE * len(lines) + MARGIN / 2
    turn = describe_result(state) if state.is_over else f"{PLAYERS[state.to_move]} to move."
    title = f"{state.game}: {turn}"
    last = last_pit(state)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mancala-board" role="img" aria-label={quoteattr(title)} '
        f'viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}">',
        f"<title>{escape(title)}</title><desc>{escape(str(state))}</desc><style>{STYLE}</style>",
        f'<rect class="card" width="{width}" height="{height:g}" rx="10"/>',
        f'<rect class="wood" x="{MARGIN}" y="{MARGIN + HEADING}" width="{width - 2 * MARGIN}" '
        f'height="{bottom - MARGIN - HEADING}" rx="16"/>',
        f'<path class="middle" d="M{MARGIN} {(bottom + MARGIN + HEADING) / 2:g}h{width - 2 * MARGIN}"/>',
    ]
    for player, base in ((1, MARGIN + 21), (0, bottom + 23)):
        parts.append(_player(player, fields, player == state.to_move and not state.is_over, width, base))
    for number, pit in enumerate(pit for row in fields.rows for pit in row):
        row, column = divmod(number, pits)
        x = width / 2 + CELL * (column - (pits - 1) / 2)
        y = MARGIN + HEADING + MARGIN / 2 + ROW * row + MARGIN * (row >= rows // 2)
        parts.append(_pit(pit, number, _letter(row, column, fields), (x, y), row < rows // 2, number == last))
    for number, line in enumerate(lines):
        parts.append(f'<text x="{MARGIN}" y="{bottom + HEADING + 14 + LINE * number}">{escape(line)}</text>')
    return "\n".join([*parts, "</svg>"])


def last_pit(state: State) -> int | None:
    """Returns the number, row by row as drawn, of the pit that the last move began with; None if there is none."""
    if state.parent is None:
        return None
    rows = state.game.rules.unpack(state.position).rows
    return pit_of_move(state.last_move, state.parent.to_move, len(rows), len(rows[0]))


def seed_groups() -> list[str]:
    """Returns the contents of ``g.seeds`` for 0, 1, 2, ... seeds; a pit with more shows their number instead."""
    return ["".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{SEED}"/>' for x, y in _spots(rings)) for rings in RINGS]


def _spots(rings: tuple[int, ...]) -> Iterator[tuple[float, float]]:
    """Yields where seeds lie, from the middle of the pit."""
    radius = 0.0
    for number, seeds in enumerate(rings):
        closest = 0.0 if seeds == 1 else GAP / 2 / math.sin(math.pi / seeds)
        radius = max(closest, radius + GAP) if number else closest
        for seed in range(seeds):
            angle = 2 * math.pi * (seed / seeds - 0.25 + 0.04 * number)
            yield radius * math.cos(angle), radius * math.sin(angle)


def _caption(state: State, fields: Fields) -> Iterator[str]:
    if state.parent is not None:
        yield f"{PLAYERS[state.parent.to_move]} played {state.last_move}."
    if state.is_over:
        yield f"Game over: {describe_result(state)}"
    else:
        yield f"{PLAYERS[state.to_move]} to move."
        yield from filter(None, [state.game.rules.remark(fields)])


def _player(player: int, fields: Fields, to_move: bool, width: float, y: float) -> str:
    half = len(fields.rows) // 2
    if fields.captured is not None:
        label, total = "captured", fields.captured[player]
    else:  # no score: what counts is how many seeds each side has
        rows = fields.rows[:half] if player else fields.rows[half:]
        label, total = "seeds", sum(pit.seeds for row in rows for pit in row)
    hand = f"{fields.in_hand} in hand" if fields.in_hand and player == fields.side else ""
    return (
        f'<g class="player{" to-move" * to_move}" data-player="{player}">'
        f'<path class="triangle" d="M{MARGIN + 4} {y - 13}v14l11 -7z"/>'
        f'<text class="name" x="{MARGIN + 22}" y="{y}">{PLAYERS[player]}</text>'
        f'<text class="hand" x="{width - MARGIN - 120}" y="{y}">{hand}</text>'
        f'<text class="total" x="{width - MARGIN - 4}" y="{y}">{label} {total}</text></g>'
    )


def _pit(pit: Pit, number: int, letter: str, place: tuple[float, float], is_north: bool, is_last: bool) -> str:
    """Draws one pit, its number of seeds below it and its letter below that; for North the other way round."""
    names = ["pit", *["nki"] * (pit.mark == NKI), *["closed"] * (pit.mark == CLOSED), *["last"] * is_last]
    middle, count, label = (64, 32, 12) if is_north else (28, 74, 90)
    groups = seed_groups()
    seeds = groups[pit.seeds] if pit.seeds < len(groups) else f'<text y="8">{pit.seeds}</text>'
    return (
        f'<g class="{" ".join(names)}" data-pit="{number}" transform="translate({place[0]:g} {place[1]:g})">'
        f'<circle class="hole" cy="{middle}" r="{RADIUS}"/><circle class="rim" cy="{middle}" r="{RADIUS + 3}"/>'
        f'<path class="cross" d="M-9 {middle - 9}l18 18m0 -18l-18 18"/>'
        f'<g class="seeds" transform="translate(0 {middle})">{seeds}</g>'
        f'<text class="count" y="{count}">{pit}</text><text class="letter" y="{label}">{letter}</text></g>'
    )


def _letter(row: int, column: int, fields: Fields) -> str:
    """Returns a pit's letter in own view: small ones for the outer row, capitals for the inner."""
    rows, pits = len(fields.rows), len(fields.rows[0])
    letter = LETTERS[pits - 1 - column if row < rows // 2 else column]
    return letter if row in (0, rows - 1) else letter.upper()
