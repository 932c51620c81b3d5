"""What decides the results of a tournament, as one value: from flags, from a TOML file, and to be kept with results."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import InitVar, asdict, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from engines.endgame.play import fingerprint
from experiments.openings import suite_openings
from experiments.players import parse_player
from mancala_ai import Limit, MancalaError, load_game
from mancala_ai.errors import suggest
from mancala_ai.protocol import parse_limit
from mancala_ai.registry import canonical_engine_string, parse_engine

MOST_PATIENCE = 1_000_000


class Format(StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "round-robin"  # every two players
    GAUNTLET = "gauntlet"  # the first player all others
    MATCH = "match"  # two players each other


@dataclass(frozen=True)
class Terms:
    """What holds for every game of a tournament.

    Attributes:
        rng_seed: decides openings and the engines' random choices.
        limit: for every move of the players that have none of their own; None: the engines' own.
        patience: seconds after which a player that does not move has lost on time; see `allowed_seconds`.
        rounds: a game of Rio Kadalis is a whole match over rounds.
        adjudicate: end a game as soon as its outcome is beyond doubt.
        endgame: endgame databases by which to adjudicate, too: ``"off"``, ``"auto"``, or a folder.
        one_warrior: as how many wins a victory counts whose margin the game has a name for (Kiothi: two seeds).
    """

    rng_seed: int = 0
    limit: Limit | None = None
    patience: float = 30.0
    rounds: bool = False
    adjudicate: bool = False
    endgame: str = "off"
    one_warrior: int = 1

    def allowed_seconds(self, limit: Limit | None) -> float:
        """Returns how long a move may take at most: ten times its time limit, or ``patience`` if that is more.

        A player with a clock has what is left on it and ``patience``; one without any limit of time twenty times
        ``patience``.
        """
        allowed = []
        if limit is not None and limit.seconds is not None:
            allowed.append(max(10 * limit.seconds, self.patience))
        if limit is not None and limit.clock is not None:
            allowed.append(limit.clock + self.patience)
        return min(20.0 * MOST_PATIENCE, min(allowed, default=20 * self.patience))


@dataclass(frozen=True)
class TournamentConfig:
    """All that decides the results of a tournament, the engines' clocks apart.

    Attributes:
        games: game strings; kept in canonical form.
        engines: player strings, see `experiments.players`; kept without outer blanks. The first is the anchor of the
            ratings.
        format: who meets whom.
        pairs: game pairs for every two engines in each game.
        openings: ``"random"``, ``"suite"`` (those that come with the program), ``"none"`` (the start of the game), or
            the path of a file of position strings; see `experiments.openings`.
        plies: random moves of a random opening.
        balance: random openings are kept if a search values them within this many seeds of zero; None: all.
        terms: what holds for every game.

    Raises:
        MancalaError: something is unknown, too small, or given twice.
    """

    games: tuple[str, ...]
    engines: tuple[str, ...]
    format: Format = Format.ROUND_ROBIN
    pairs: int = 50
    openings: str = "random"
    plies: int = 4
    balance: float | None = None
    terms: Terms = field(default_factory=Terms)
    checked: InitVar[bool] = True

    def __post_init__(self, checked: bool) -> None:
        games = tuple(str(load_game(game)) for game in self.games)
        engines = tuple(engine.strip() for engine in self.engines)
        object.__setattr__(self, "games", games)
        object.__setattr__(self, "engines", engines)
        if checked:
            self._check()

    def _check(self) -> None:
        games, engines = self.games, self.engines
        _refuse_twice("game", games, games)
        _refuse_twice("engine", engines, [_meaning(engine) for engine in engines])
        for name, value, least in (
            ("number of games", len(games), 1),
            ("number of engines", len(engines), 2),
            ("pairs", self.pairs, 1),
            ("plies", self.plies, 0),
            ("balance", self.balance or 0, 0),
            ("one-warrior", self.terms.one_warrior, 1),
        ):
            if not value >= least:
                raise MancalaError(f"tournament: {name} {value}: expected at least {least}")
        if not 0 < self.terms.patience <= MOST_PATIENCE:
            raise MancalaError(f"tournament: patience {self.terms.patience}: expected 0 to {MOST_PATIENCE} seconds")
        if self.format not in list(Format):
            raise MancalaError(f"tournament: format {str(self.format)!r}: {suggest(str(self.format), list(Format))}")
        if self.format == Format.MATCH and len(engines) != 2:
            raise MancalaError(f"tournament: format match with {len(engines)} engines: expected 2")
        if self.terms.rounds and self.openings not in ("random", "none"):
            raise MancalaError(f"tournament: rounds with openings {self.openings!r}: expected random or none")
        if self.balance is not None and self.openings != "random":
            raise MancalaError(f"tournament: balance with openings {self.openings!r}: expected random ones")
        if self.terms.one_warrior > 1 and not any(load_game(game).rules.margin_names for game in games):
            raise MancalaError("tournament: one-warrior: expected a game with such a victory, which is Kiothi's")
        for game in games if self.terms.rounds else ():
            load_game(game).new_match()  # raises if there is no such thing
        self.endgames()  # raises if a folder is missing

    def endgames(self) -> dict[str, dict[str, str]]:
        """Returns what identifies the endgame databases in use, by the option that chooses them and the game."""
        choices = {self.terms.endgame}
        for player in self.engines:
            _, engine, options = parse_engine(parse_player(player).engine)
            if "endgame" in engine.options:
                choices.add(options.get("endgame", engine.options["endgame"].default))
        found = {choice: {g: fingerprint(choice, load_game(g)) for g in self.games} for choice in sorted(choices)}
        return {
            choice: named for choice, by_game in found.items() if (named := {g: f for g, f in by_game.items() if f})
        }

    def suites(self) -> dict[str, str]:
        """Returns what identifies the openings of a suite or a file, by game."""
        if self.openings in ("random", "none"):
            return {}
        lists = {game: "\n".join(suite_openings(load_game(game), self.openings)) for game in self.games}
        return {game: hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for game, text in lists.items()}

    def to_settings(self) -> dict[str, Any]:
        """Returns the configuration by the names of the flags, as TOML and JSON can hold it; defaults included."""
        settings: dict[str, Any] = {"game": list(self.games), "engine": list(self.engines), "format": str(self.format)}
        settings |= {name: getattr(self, name) for name in ("pairs", "openings", "plies", "balance")}
        terms = asdict(self.terms) | {"limit": None if self.terms.limit is None else str(self.terms.limit)}
        return settings | {name.replace("_", "-"): value for name, value in terms.items()}


KINDS: dict[str, tuple[type, ...]] = {
    "game": (list,),
    "engine": (list,),
    "format": (str,),
    "pairs": (int,),
    "openings": (str,),
    "plies": (int,),
    "balance": (int, float),
    "rng-seed": (int,),
    "limit": (str,),
    "patience": (int, float),
    "rounds": (bool,),
    "adjudicate": (bool,),
    "endgame": (str,),
    "one-warrior": (int,),
}
"""The settings of a tournament and the types that they can have, by the names of the flags."""
_WORDS = {list: "a list of strings", str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


def config_of(settings: Mapping[str, Any], checked: bool = True) -> TournamentConfig:
    """Returns the configuration of settings by the names of the flags; those that are missing or None get defaults.

    Args:
        settings: see `TournamentConfig.to_settings`.
        checked: whether engines and other files must exist, as they need not to read what they have played.

    Raises:
        MancalaError: a value is wrong.
    """
    given = {name.replace("-", "_"): value for name, value in settings.items() if value is not None}
    if "limit" in given:
        given["limit"] = parse_limit(given["limit"])
    terms = Terms(**{field.name: given.pop(field.name) for field in fields(Terms) if field.name in given})
    return TournamentConfig(tuple(given.pop("game")), tuple(given.pop("engine")), terms=terms, checked=checked, **given)


def read_settings(path: Path) -> dict[str, Any]:
    """Reads settings from a TOML file; they are named as the flags are.

    Raises:
        MancalaError: the file cannot be read, is no TOML, or has a setting that does not exist or of another type.
    """
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MancalaError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MancalaError(f"{path}: expected a TOML file: {error}") from None
    for name, value in settings.items():
        if name not in KINDS:
            raise MancalaError(f"{path}: setting {name!r}: {suggest(name, KINDS)}")
        wrong = type(value) not in KINDS[name] or (type(value) is list and not all(type(v) is str for v in value))
        if wrong:
            raise MancalaError(f"{path}: {name} = {value!r}: expected {_WORDS[KINDS[name][-1]]}")
    return settings


def _meaning(player: str) -> str:
    """Returns a player string with all engine options written out; raises if it is wrong."""
    parsed = parse_player(player)
    meaning = canonical_engine_string(parsed.engine)
    if parse_engine(parsed.engine)[0].isidentifier():  # one in a file may do anything, which is not for this process
        parsed.load()
    return f"{meaning}@{parsed.limit}"


def _refuse_twice(what: str, given: tuple[str, ...], meanings: list[str] | tuple[str, ...]) -> None:
    for i, meaning in enumerate(meanings):
        first = meanings.index(meaning)
        if first != i:
            same = "" if given[i] == given[first] else f" (as {given[first]!r})"
            raise MancalaError(f"tournament: {what} {given[i]!r} is given twice{same}: expected different ones")


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Returns a line for each setting in which two tournaments differ."""
    names = sorted(set(one) | set(other))
    return [
        f"{name}: {one.get(name)!r} there, {other.get(name)!r} here"
        for name in names
        if one.get(name) != other.get(name)
    ]
