"""Measures the facts on the pages in docs/games by the commands that stand there, and writes them into the pages.

    python -m tests.make_game_facts                   # all pages, up to 3 minutes each
    python -m tests.make_game_facts docs/games/kpe.md

A tournament whose file stands in the working directory already is not played again.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parents[1] / "docs" / "games"
HEADING = (
    "| game string | engine | games | branching factor | plies | quartiles | South's score | drawn | infinite play |\n"
    "|---|---|---|---|---|---|---|---|---|\n"
)


def fact_rows(page: str, folder: Path) -> list[str]:
    """Returns the lines of a page's table of facts, measured by the page's commands.

    Args:
        page: the page's text.
        folder: where the files of results are, or are put.

    Raises:
        subprocess.CalledProcessError: a command fails.
    """
    rows = []
    for line in re.findall(r"^mancala-ai (.* --output \S+\.sqlite)$", page, flags=re.MULTILINE):
        arguments = shlex.split(line)
        subprocess.run([sys.executable, "-m", "mancala_ai", *arguments], cwd=folder, check=True, capture_output=True)
        standings = [sys.executable, "-m", "mancala_ai", "standings", arguments[-1], "--json"]
        tables = json.loads(subprocess.run(standings, cwd=folder, check=True, capture_output=True).stdout)
        engine = arguments[arguments.index("--engine") + 1]
        strings = [arguments[i + 1] for i, word in enumerate(arguments) if word == "--game"]
        for string, table in zip(strings, tables["games"], strict=True):
            rows.append(_row(string, engine, table["facts"]))
    return rows


def _row(game: str, engine: str, facts: dict[str, Any]) -> str:
    cells = [
        f"`{game}`",
        f"`{engine}`",
        f"{facts['games']:,}",
        _cell(facts["branching"], 1, 2),
        _cell(facts["plies"], 1, 1),
        ", ".join(f"{quartile:g}" for quartile in facts["plies_quartiles"]),
        *(_cell(facts[name], 100, 1, " %") for name in ("south_score", "draws", "infinite")),
    ]
    return f"| {' | '.join(cells)} |"


def _cell(estimate: dict[str, Any], scale: int, digits: int, unit: str = "") -> str:
    low, high = (f"{scale * end:.{digits}f}" for end in estimate["interval"])
    return f"{scale * estimate['value']:.{digits}f}{unit} ({low} to {high})"


def main(paths: list[Path]) -> None:
    """Writes the measured facts into pages."""
    for path in paths:
        page = path.read_text(encoding="utf-8")
        before, heading, after = page.partition(HEADING)
        assert heading, f"{path}: expected a table that begins with {HEADING!r}"
        rows = "\n".join(fact_rows(page, Path.cwd())) + "\n"
        path.write_text(before + heading + rows + re.sub(r"^(\|.*\n)*", "", after), encoding="utf-8")


if __name__ == "__main__":
    main(
        [Path(argument).resolve() for argument in sys.argv[1:]]
        or sorted(set(PAGES.glob("*.md")) - {PAGES / "README.md"})
    )
