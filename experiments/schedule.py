"""Which games a tournament plays, in order: pairs of them, each opening twice with sides swapped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, repeat

from experiments.config import Format, TournamentConfig
from experiments.matches import GameSpec
from experiments.openings import distinct_openings, suite_openings
from mancala_ai import load_game


class Schedule:
    """The games of a tournament, in order; can be gone through once.

    Pair numbers advance together in all games, so that a tournament cut short is an evenly smaller one.

    Attributes:
        total: number of games; falls while they are gone through, when a game turns out to have too few openings.
        shortages: for such games, how many pairs they have openings for.
    """

    def __init__(self, config: TournamentConfig) -> None:
        """Makes the schedule of a tournament; openings are looked at when it is gone through."""
        self._config = config
        engines = config.engines
        gauntlet = config.format == Format.GAUNTLET
        self._pairings = [(engines[0], other) for other in engines[1:]] if gauntlet else list(combinations(engines, 2))
        self.total = config.pairs * len(config.games) * len(self._pairings) * 2
        self.shortages: dict[str, int] = {}

    def shorten(self, shortages: Mapping[str, int]) -> None:
        """Takes in what is known of `shortages`."""
        self.shortages |= shortages
        self.total -= sum(self._config.pairs - found for found in shortages.values()) * len(self._pairings) * 2

    def __iter__(self) -> Iterator[GameSpec]:
        config, number = self._config, 0
        openings = {game: _openings(config, game) for game in config.games}
        for pair in range(config.pairs):
            for game in list(openings):
                opening = next(openings[game], None)
                if opening is None:
                    del openings[game]
                    self.shorten({game: pair})
                    continue
                for one, other in self._pairings:
                    for south, north in ((one, other), (other, one)):
                        yield GameSpec(game, pair, south, north, opening, config.terms, number)
                        number += 1


def _openings(config: TournamentConfig, name: str) -> Iterator[str]:
    """Returns the openings of a game as `GameSpec` takes them."""
    game = load_game(name)
    if config.openings == "none":
        start = "" if config.terms.rounds else str(game.initial_state())
        return repeat(start, config.pairs)
    if config.openings != "random":
        return iter(suite_openings(game, config.openings))
    states = distinct_openings(game, config.plies, config.terms.rng_seed, config.balance)
    return (" ".join(state.moves) if config.terms.rounds else str(state) for state in states)
