"""Writes ``tests/playthroughs``: a random game of every game, as OpenSpiel records it.

Run it, by ``python -m tests.make_playthroughs``, when the rules, the numbering of moves or the observations of a game
have changed on purpose, or for a new game; then read what has changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engines.openspiel_games import PREFIX
from mancala_ai.registry import game_types

FOLDER = Path(__file__).parent / "playthroughs"


def generator() -> Any:
    """Return OpenSpiel's module for playthroughs, ready for use."""
    from absl import flags
    from open_spiel.python.algorithms import generate_playthrough

    if not flags.FLAGS.is_parsed():
        flags.FLAGS.mark_as_parsed()
    return generate_playthrough


def main() -> None:
    """Write a playthrough of every installed game."""
    FOLDER.mkdir(exist_ok=True)
    for game_type in game_types():
        name = PREFIX + game_type.name
        text = generator().playthrough(name, [], seed=1)
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
