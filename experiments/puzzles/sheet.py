"""Puzzles on paper: a page of HTML that can be printed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from experiments.puzzles.puzzle import Puzzle
from mancala_ai.svg import draw_svg

_STYLE = """
body { font-family: system-ui, "Helvetica Neue", Arial, sans-serif }
body { max-width: 60rem; margin: 1.5rem auto; padding: 0 1rem }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); gap: 1.5rem 2rem }
figure { margin: 0; break-inside: avoid } figcaption { margin-bottom: .4rem }
figure svg { width: 100%; height: auto } .grade, .position { color: #555; font-size: .85rem }
.position { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
ol { columns: 6rem } h2 { break-before: page }
@media print { body { margin: 0; max-width: none } main { grid-template-columns: 1fr 1fr } }
"""


def sheet(puzzles: Sequence[Puzzle]) -> str:
    """Returns the page: numbered boards with their tasks, the solutions on a page of their own."""
    figures = "\n".join(_figure(number, puzzle) for number, puzzle in enumerate(puzzles, 1))
    keys = "".join(f"<li>{escape(puzzle.key)}</li>" for puzzle in puzzles)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Puzzles</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head>\n<body>\n<h1>Puzzles</h1>\n<main>\n{figures}\n</main>\n"
        f"<h2>Solutions: the first moves</h2>\n<ol>{keys}</ol>\n</body></html>\n"
    )


def _figure(number: int, puzzle: Puzzle) -> str:
    grade = f' <span class="grade">{escape(puzzle.grade)}</span>' if puzzle.grade else ""
    return (
        f"<figure><figcaption><b>{number}.</b> {escape(str(puzzle.goal))}{grade}</figcaption>"
        f"{draw_svg(puzzle.state, caption=False)}"
        f'<div class="position">{escape(puzzle.game)} {escape(puzzle.position)}</div></figure>'
    )
