"""Round-robin tournaments of game pairs: each opening is played twice, with sides swapped.

The same configuration gives the same results, whatever the number of workers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

from experiments.matches import GameResult, GameSpec
from experiments.openings import distinct_openings
from experiments.workers import WorkerDiedError, Workers
from mancala_ai import Limit, MancalaError, load_engine, load_game
from mancala_ai.registry import engine_type, split_string


@dataclass(frozen=True)
class TournamentConfig:
    """All that decides the results of a tournament, the engines' clocks apart.

    Attributes:
        games: game strings; kept in canonical form.
        engines: engine strings; kept without blanks. The first is the anchor of the ratings.
        pairs: game pairs for every two engines in each game.
        plies: random moves of an opening (see `experiments.openings.random_opening`).
        rng_seed: decides openings and the engines' random choices.
        limit: for every move of all engines; None: the engines' own.

    Raises:
        MancalaError: something is unknown, too small, or given twice.
    """

    games: tuple[str, ...]
    engines: tuple[str, ...]
    pairs: int = 50
    plies: int = 4
    rng_seed: int = 0
    limit: Limit | None = None

    def __post_init__(self) -> None:
        games = tuple(str(load_game(game)) for game in self.games)
        _refuse_twice("game", games, games)
        engines = tuple("".join(engine.split()) for engine in self.engines)
        _refuse_twice("engine", engines, [_meaning(engine) for engine in engines])
        for name, value, least in (
            ("number of games", len(games), 1),
            ("number of engines", len(engines), 2),
            ("pairs", self.pairs, 1),
            ("plies", self.plies, 0),
        ):
            if value < least:
                raise MancalaError(f"tournament: {name} {value}: expected at least {least}")
        object.__setattr__(self, "games", games)
        object.__setattr__(self, "engines", engines)


def _meaning(engine: str) -> str:
    """Returns an engine string with all options written out; raises if it is wrong."""
    load_engine(engine)
    name, options = split_string(engine, "random(rng_seed=1)")
    defaults = {option: info.default for option, info in engine_type(name).options.items()}
    return f"{name} {sorted((defaults | options).items())}"


def _refuse_twice(what: str, given: tuple[str, ...], meanings: list[str] | tuple[str, ...]) -> None:
    for i, meaning in enumerate(meanings):
        first = meanings.index(meaning)
        if first != i:
            same = "" if given[i] == given[first] else f" (as {given[first]!r})"
            raise MancalaError(f"tournament: {what} {given[i]!r} is given twice{same}: expected different ones")


class RoundRobin:
    """The games of a tournament, in order; can be gone through once.

    Pair numbers advance together in all games, so that a tournament cut short is an evenly smaller one.

    Attributes:
        total: number of games; falls while they are gone through, when a game turns out to have too few openings.
        shortages: for such games, how many pairs they have openings for.
    """

    def __init__(self, config: TournamentConfig) -> None:
        self._config = config
        self._pairings = list(combinations(config.engines, 2))
        self.total = config.pairs * len(config.games) * len(self._pairings) * 2
        self.shortages: dict[str, int] = {}

    def __iter__(self) -> Iterator[GameSpec]:
        config = self._config
        openings = {game: distinct_openings(load_game(game), config.plies, config.rng_seed) for game in config.games}
        for pair in range(config.pairs):
            for game in list(openings):
                opening = next(openings[game], None)
                if opening is None:
                    del openings[game]
                    self.shortages[game] = pair
                    self.total -= (config.pairs - pair) * len(self._pairings) * 2
                    continue
                for one, other in self._pairings:
                    for south, north in ((one, other), (other, one)):
                        yield GameSpec(game, pair, south, north, opening, config.rng_seed, config.limit)


@dataclass
class Tournament:
    """A tournament as far as it has come.

    Attributes:
        config: its configuration.
        results: games in the order of the schedule.
        total: number of games that are to be played in all.
        shortages: see `RoundRobin`.
        stopped: why it ended early; None if it did not.
    """

    config: TournamentConfig
    results: list[GameResult] = field(default_factory=list)
    total: int = 0
    shortages: dict[str, int] = field(default_factory=dict)
    stopped: str | None = None


def run_tournament(
    config: TournamentConfig, workers: int = 1, on_result: Callable[[Tournament], None] = lambda tournament: None
) -> Tournament:
    """Plays a tournament. Ctrl-C ends it early, with the games that were finished.

    Args:
        config: what is to be played.
        workers: number of processes; results do not depend on it. Above 1, the calling script must be importable, as
            always with `multiprocessing`.
        on_result: called when a game is finished, the last of ``results``; also once before the first.
    """
    schedule = RoundRobin(config)
    tournament = Tournament(config, total=schedule.total, shortages=schedule.shortages)

    def add(result: GameResult) -> None:
        tournament.results.append(result)
        tournament.total = schedule.total
        on_result(tournament)

    with Workers(min(workers, schedule.total)) as players:
        try:
            warm_up(config)
            on_result(tournament)
            players.play(schedule, add)
        except KeyboardInterrupt:
            tournament.stopped = "interrupted"
        except WorkerDiedError:
            tournament.stopped = "a worker process died"
        if tournament.stopped:
            players.stop(add)
    return tournament


def warm_up(config: TournamentConfig) -> None:
    """Lets every engine make a first move in every game, so that kernels are compiled here and not by workers."""
    for game in config.games:
        for engine in config.engines:
            with contextlib.suppress(Exception, SystemExit):  # its games will tell
                load_engine(engine).search(load_game(game).initial_state(), Limit(depth=1, simulations=1))
