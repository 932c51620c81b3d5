"""A slow, literal reference of the games, written from the rules alone.

It shares no code with the package: it is what the fast kernels are tested against.
"""

from __future__ import annotations

from typing import Any

from .common import Game, State, perft
from .giuthi import Giuthi
from .kalah import Kalah
from .kiothi import Kiothi
from .kisolo import Kisolo
from .kpe import Kpe
from .oware import Oware
from .rio_kadalis import RioKadalis

__all__ = ["Game", "State", "load_game", "perft"]

GAMES: dict[str, Any] = {
    "giuthi": Giuthi,
    "kalah": Kalah,
    "kiothi": Kiothi,
    "kpe": Kpe,
    "kisolo": Kisolo,
    "oware": Oware,
    "rio_kadalis": RioKadalis,
}


def load_game(text: str) -> Game[Any]:
    """Make a game from a game string such as `giuthi(holes=6,seeds=4,capture_needs_target=True)`.

    Raises:
        ValueError: There is no such game, or an option has an impossible value.
    """
    name, _, rest = text.replace(" ", "").partition("(")
    if name not in GAMES:
        raise ValueError(f"game: expected one of {', '.join(GAMES)}, not {name!r}")
    options: dict[str, int | bool | str] = {}
    for pair in filter(None, rest.rstrip(")").split(",")):
        key, _, value = pair.partition("=")
        if value in ("True", "False"):
            options[key] = value == "True"
        else:
            options[key] = int(value) if value.isdigit() else value
    try:
        game: Game[Any] = GAMES[name](text, **options)
    except TypeError as error:
        raise ValueError(f"{text}: {error}") from error
    return game
