"""Tournaments: plays what is on the schedule, and keeps what was played.

The same configuration gives the same results, whatever the number of workers and however often it was interrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from experiments.config import TournamentConfig
from experiments.matches import GameResult
from experiments.players import parse_player
from experiments.schedule import Schedule
from experiments.store import Store
from experiments.workers import DaskPool, LocalPool, WorkerDiedError, Workers, play_here
from mancala_ai.registry import parse_engine


class EnoughPlayed(Exception):  # noqa: N818 (not an error)
    """Raised by ``on_result`` to end a tournament; what was played is kept."""


@dataclass
class Tournament:
    """A tournament as far as it has come.

    Attributes:
        config: its configuration.
        results: games as they were finished; in the order of the schedule when `run_tournament` returns.
        total: number of games that are to be played in all.
        resumed: how many of the results an earlier run has left.
        shortages: see `Schedule`.
        stopped: why it ended early; None if it did not.
        warnings: engines that failed before the first game, a line each.
    """

    config: TournamentConfig
    results: list[GameResult] = field(default_factory=list)
    total: int = 0
    resumed: int = 0
    shortages: dict[str, int] = field(default_factory=dict)
    stopped: str | None = None
    warnings: list[str] = field(default_factory=list)


def run_tournament(
    config: TournamentConfig,
    workers: int = 0,
    on_result: Callable[[Tournament], object] = lambda tournament: None,
    *,
    store: Store | None = None,
    dask: str | None = None,
) -> Tournament:
    """Plays a tournament. Ctrl-C ends it early, with the games that were finished.

    Args:
        config: what is to be played.
        workers: number of processes; results do not depend on it. With 0 games are played in this process, which a
            player that hangs or crashes takes with it. Otherwise the calling script must be importable, as always
            with `multiprocessing`.
        on_result: called when a game is finished, the last of ``results``; also once before the first. Ends the
            tournament by raising `EnoughPlayed`.
        store: where results are kept; the games that it holds already are not played again.
        dask: address of a Dask scheduler whose workers play the games, instead of ``workers``.
    """
    schedule = Schedule(config)
    tournament = Tournament(config, total=schedule.total, shortages=schedule.shortages)
    known = {} if store is None else {result.spec.key: result for result in store.results()}
    tournament.results.extend(known.values())
    tournament.resumed = len(known)

    def keep(result: GameResult) -> None:
        if store is not None:
            store.add(result)
        tournament.results.append(result)

    def add(result: GameResult) -> None:
        keep(result)
        tournament.total = schedule.total
        on_result(tournament)

    left = (spec for spec in schedule if spec.key not in known)
    pool = DaskPool(dask) if dask else LocalPool(min(workers, schedule.total)) if workers else None
    try:
        if pool is None:
            on_result(tournament)
            play_here(left, add)
        else:
            with Workers(pool) as players:
                try:
                    tournament.warnings = players.warm_up(_installed_engines(config), config.games)
                    on_result(tournament)
                    players.play(left, add)
                except (KeyboardInterrupt, EnoughPlayed, WorkerDiedError):
                    players.stop(keep)
                    raise
    except KeyboardInterrupt:
        tournament.stopped = "interrupted"
    except EnoughPlayed:
        pass
    except WorkerDiedError:
        tournament.stopped = "worker processes died"
    tournament.total = schedule.total
    if store is not None:
        store.keep_shortages(schedule.shortages)
    tournament.results.sort(key=lambda result: result.spec.number)
    return tournament


def stored_tournament(store: Store) -> Tournament:
    """Returns the tournament of a file, as far as it has come."""
    schedule = Schedule(store.config)
    schedule.shorten(store.shortages)
    results = list(store.results())
    return Tournament(store.config, results, schedule.total, len(results), schedule.shortages)


def _installed_engines(config: TournamentConfig) -> list[str]:
    # Those from files may hang or die, which is looked after when they play.
    engines = dict.fromkeys(parse_player(player).engine for player in config.engines)
    return [engine for engine in engines if parse_engine(engine)[0].isidentifier()]
