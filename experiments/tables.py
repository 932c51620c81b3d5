"""Shows a tournament: tables for a terminal, and the same as data."""

from __future__ import annotations

import functools
import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

import mancala_ai
from experiments.facts import Estimate, game_facts
from experiments.matches import GameResult, Termination
from experiments.players import parse_player
from experiments.population import judge_population
from experiments.ratings import Rating, Score, crosstable, rate
from experiments.tournament import Tournament
from mancala_ai import MancalaError
from mancala_ai.registry import engine_type, split_string

MOST_DETAILED = 4  # engines whose cross-table shows wins, draws and losses; of more, points


def results_by_game(results: Sequence[GameResult]) -> dict[str, list[GameResult]]:
    """Returns the results of each game string, in the order in which they come."""
    by_game: dict[str, list[GameResult]] = {}
    for result in results:
        by_game.setdefault(result.spec.game, []).append(result)
    return by_game


def different_games(results: Sequence[GameResult]) -> list[GameResult]:
    """Returns results without the repeated ones: two deterministic engines that start alike play the same game."""
    kept: dict[tuple[object, ...], GameResult] = {}
    for result in results:
        spec, record = result.spec, result.record
        own = spec.pair if any(map(_is_random, spec.players)) else None
        match = str(record.extra.get("match"))
        kept.setdefault((spec.game, *spec.players, spec.opening, record.moves, match, result.outcome, own), result)
    return list(kept.values())


@functools.cache
def _is_random(player: str) -> bool:
    name = split_string(parse_player(player).engine, "")[0]
    try:
        return not name.isidentifier() or "rng_seed" in engine_type(name).options
    except MancalaError:  # no longer installed
        return True


def print_facts(tournament: Tournament, console: Console) -> None:
    """Prints what each game is like, as these engines play it (see `experiments.facts`)."""
    for game, results in results_by_game(different_games(tournament.results)).items():
        facts = game_facts(results)
        if facts is None:
            continue
        table = Table(box=None, show_header=False, pad_edge=False)
        for what, estimate, scale, unit, digits in (
            ("first player's score", facts.south_score, 100, "%", 1),
            ("drawn", facts.draws, 100, "%", 1),
            ("infinite play", facts.infinite, 100, "%", 1),
            ("plies", facts.plies, 1, "", 1),
            ("branching factor", facts.branching, 1, "", 2),
            ("pairs that tell the engines apart", facts.decisive_pairs, 100, "%", 1),
        ):
            if estimate is not None:
                table.add_row(what, *_estimate(estimate, scale, unit, digits))
        console.print(f"\n{game}, as these engines play it (with 95 % intervals)", style="bold")
        console.print(table)


def _estimate(estimate: Estimate, scale: float, unit: str, digits: int) -> tuple[str, str]:
    value = f"{scale * estimate.value:.{digits}f} {unit}"
    if estimate.interval is None:
        return value, ""
    low, high = (f"{scale * end:.{digits}f}" for end in estimate.interval)
    return value, f"{low} to {high}"


def print_population(tournament: Tournament, console: Console) -> None:
    """Prints alpha-rank and the Nash average of all games together (see `experiments.population`)."""
    table = _table("engine", "alpha-rank", "Nash average", "score against it")
    for place in judge_population(different_games(tournament.results), tournament.config.engines):
        shares = (place.alpha_rank, place.nash_weight, place.nash_score)
        table.add_row(place.engine, *(f"{100 * share:.1f} %" for share in shares))
    console.print()
    console.print(table)


def print_tables(tournament: Tournament, console: Console) -> None:
    """Prints a cross-table and a rating table for each game.

    Args:
        tournament: the tournament, finished or not.
        console: where to; without markup, since engine strings are printed as they are.
    """
    bounds = False
    counted = different_games(tournament.results)
    by_game = results_by_game(counted)
    if len(by_game) > 1:
        by_game["all games together"] = counted
    for game, results in by_game.items():
        ratings = rate(results, tournament.config.engines)
        bounds |= any(rating.bound for rating in ratings)
        console.print(f"\n{game}", style="bold")
        console.print(_summary(results))
        if game in tournament.shortages:
            console.print(_shortage(tournament, game))
        console.print()
        console.print(_crosstable(results, [rating.engine for rating in ratings]))
        console.print()
        console.print(_rating_table(ratings, tournament.config.engines[0]))
        for line in _faults(results):
            console.print(line)
    anchor = tournament.config.engines[0]
    cells = "wins-draws-losses" if len(tournament.config.engines) <= MOST_DETAILED else "points"
    console.print(f"\nCross-tables: {cells} of the row's engine against the column's.")
    console.print(f"Elo: maximum likelihood (Bradley-Terry), with {anchor} = 0.")
    console.print("95 % intervals: standard errors clustered by game pair.")
    console.print("LOS: likelihood of superiority, of being stronger than the next in the table.")
    if repeated := len(tournament.results) - len(counted):
        console.print(f"{repeated} games were the same as others, between deterministic engines, and are counted once.")
    if bounds:
        console.print(
            f"> and <: no finite difference from {anchor}, since between the two groups of engines one won all points; "
            "the number is the rating that half a point less, or more, in each such pairing would give."
        )


def short_standings(tournament: Tournament) -> str:
    """Returns the best engines so far, by share of points, for a line of progress."""
    scores = crosstable(tournament.results, tournament.config.engines)
    totals = {
        one: sum((score for (engine, _), score in scores.items() if engine == one), Score())
        for one in tournament.config.engines
    }
    best = sorted((e for e in totals if totals[e].games), key=lambda e: -totals[e].points / totals[e].games)
    return ", ".join(f"{e.partition('(')[0]} {100 * totals[e].points / totals[e].games:.0f} %" for e in best[:3])


def _summary(results: Sequence[GameResult]) -> str:
    share = sum(result.points[0] for result in results) / len(results)
    endings = Counter(result.termination for result in results)
    drawn = sum(not result.outcome for result in results) / len(results)
    infinite = endings[Termination.INFINITE] / len(results)
    moves = sum(result.plies for result in results) / len(results)
    rounds = sum(len(result.rounds) for result in results) / len(results)
    length = f"{moves:.0f} plies" if rounds == 1 else f"{rounds:.1f} rounds, {moves:.0f} plies"
    return (
        f"{len(results)} {'games' if rounds == 1 else 'matches'} of {length}; South scored {100 * share:.0f} %, "
        f"drawn {100 * drawn:.0f} %, infinite play {100 * infinite:.0f} %"
    )


def _shortage(tournament: Tournament, game: str) -> str:
    found, config = tournament.shortages[game], tournament.config
    kind = f"of {config.plies} plies were found" if config.openings == "random" else "are in the suite"
    return f"only {found} different openings {kind}: {found} pairs instead of {config.pairs}"


def _faults(results: Sequence[GameResult]) -> Iterator[str]:
    """Yields a line for each engine and kind of fault that lost games."""
    faults: dict[tuple[str, Termination], list[str]] = {}
    for result in results:
        if result.fault is not None:
            loser = result.spec.players[0 if result.outcome < 0 else 1]
            faults.setdefault((loser, result.termination), []).append(result.fault)
    for (engine, termination), messages in faults.items():
        games = f"{len(messages)} game{'s' * (len(messages) > 1)}"
        first = messages[0] if len(messages[0]) <= 200 else messages[0][:197] + "..."
        yield f"{engine} lost {games} by {termination}, the first: {first}"


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in columns:
        name = column in ("engine", "game")
        table.add_column(column, justify="left" if name else "right", no_wrap=column != "engine")
    return table


def _crosstable(results: Sequence[GameResult], engines: Sequence[str]) -> Table:
    scores = crosstable(results, engines)
    ranks = range(1, len(engines) + 1)
    detailed = len(engines) <= MOST_DETAILED
    table = _table("#", "engine", *(str(rank) for rank in ranks), "points", "games")
    for rank, engine in zip(ranks, engines, strict=True):
        row = [scores[engine, other] if other != engine else None for other in engines]
        total = sum(filter(None, row), Score())
        cells = ["" if score is None else _cell(score, detailed) for score in row]
        table.add_row(str(rank), engine, *cells, f"{total.points:.1f}", str(total.games))
    return table


def _cell(score: Score, detailed: bool) -> str:
    if not score.games:
        return "-"
    return f"{score.wins}-{score.draws}-{score.losses}" if detailed else f"{score.points:.1f}"


def _rating_table(ratings: Sequence[Rating], anchor: str) -> Table:
    table = _table("#", "engine", "Elo", "95 % interval", "LOS", "score")
    for rank, rating in enumerate(ratings, 1):
        share = f"{100 * rating.score.points / rating.score.games:.1f} %" if rating.score.games else "-"
        los = "" if rating.los is None else f"{100 * rating.los:.0f} %"
        table.add_row(str(rank), rating.engine, _elo(rating), _interval(rating, anchor), los, share)
    return table


def _elo(rating: Rating) -> str:
    if rating.bound is not None:
        return f"{rating.bound[0]} {rating.bound[1]:.0f}"
    return "-" if rating.elo is None else f"{rating.elo:.0f}"


def _interval(rating: Rating, anchor: str) -> str:
    if rating.interval is None:
        return "anchor" if rating.engine == anchor else "-"
    return "{:.0f} to {:.0f}".format(*rating.interval)


def to_data(tournament: Tournament) -> dict[str, Any]:
    """Returns a tournament's configuration, tables and faults as what JSON can hold; the same for any timing.

    Games that are the same as others are counted once (`different_games`).
    """
    counted = different_games(tournament.results)
    return {
        "config": tournament.config.to_settings(),
        "versions": {"mancala-ai": mancala_ai.__version__, "python": platform.python_version()},
        "stopped": tournament.stopped,
        "played": len(tournament.results),
        "total": tournament.total,
        "counted": len(counted),
        "overall": {"game": None, **_judged(counted, tournament.config.engines)},
        "games": [
            {
                "game": game,
                "openings_found": tournament.shortages.get(game),  # null if there were enough
                **_judged(results, tournament.config.engines),
                "facts": facts and asdict(facts),
            }
            for game, results in results_by_game(counted).items()
            for facts in (game_facts(results),)
        ],
    }


def _judged(results: Sequence[GameResult], engines: Sequence[str]) -> dict[str, Any]:
    return {
        "played": len(results),
        "south": asdict(Score(*(sum(result.outcome == outcome for result in results) for outcome in (1, 0, -1)))),
        "terminations": {kind.value: sum(result.termination == kind for result in results) for kind in Termination},
        "crosstable": [
            {"engine": engine, "opponent": opponent, **asdict(score)}
            for (engine, opponent), score in crosstable(results, engines).items()
        ],
        "ratings": [
            {
                "rank": rank,
                "engine": rating.engine,
                "elo": rating.elo,
                "interval": rating.interval,
                "los": rating.los,
                "bound": rating.bound and {"is": rating.bound[0], "elo": rating.bound[1]},
                "points": rating.score.points,
                **asdict(rating.score),
            }
            for rank, rating in enumerate(rate(results, engines), 1)
        ],
        "faults": list(_faults(results)),
    }
