"""The command ``report``: a tournament as one page (HTML) that needs nothing else, no network included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mancala_ai.cli import check_new_file, write_new_file
from mancala_ai.errors import MancalaError

if TYPE_CHECKING:
    from experiments.report_games import PlayedGame
    from experiments.store import Store

MOST_GAMES = 5000

Results = Annotated[Path, typer.Argument(metavar="FILE.sqlite", help="Results of a tournament.")]


def report(
    results: Results,
    output: Annotated[Path, typer.Option(metavar="FILE.html", help="The page; a new file.")] = Path("report.html"),
    games: Annotated[
        int, typer.Option(min=0, help="Most games to put in; of more, an evenly spaced sample.")
    ] = MOST_GAMES,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
) -> None:
    """Write a page about a tournament whose results were kept in a file; also while it is being played.

    One HTML file that needs no network: ratings, cross-tables, facts about the games, margins, lengths, time use; and
    all games, each to be stepped through on a drawn board. For other programs see standings --json and records
    --export.

    Examples:
      mancala-ai report league.sqlite
      mancala-ai report league.sqlite --output league.html --force
    """
    from experiments.store import Store

    check_new_file(output, force)
    with Store(results) as store:
        page = draw_page(store, games)
    write_new_file(output, page, force)
    print(f"{output}: {len(page) / 1e6:.1f} MB")


def draw_page(store: Store, most_games: int = MOST_GAMES) -> str:
    """Returns the page of a tournament.

    Args:
        store: its results.
        most_games: how many games are put into the page at most; tables count all of them.

    Raises:
        MancalaError: no game has been played yet, or a record does not replay.
    """
    import jinja2

    from experiments.charts import rating_axis
    from experiments.matches import Termination
    from experiments.report_games import BLOCK, pack_games, replay, table_of_games
    from experiments.tables import different_games, to_data
    from experiments.tournament import stored_tournament

    played = stored_tournament(store)
    if not played.results:
        raise MancalaError(f"{store.path}: no game has been played yet: expected at least one")
    data = to_data(played)
    sample = _sample(len(played.results), most_games)
    games = [replay(result, number in sample) for number, result in enumerate(played.results)]
    shown = [game for game in games if game.steps is not None]
    different = different_games(played.results)
    numbers = {result.spec.number for result in different}
    counted = [game for game in games if game.result.spec.number in numbers]
    parts = [
        _part(part["game"], part, [game for game in counted if game.result.spec.game == part["game"]])
        for part in data["games"]
    ]
    if len(parts) > 1:
        parts.insert(0, _part(None, data["overall"], counted))
    names = list(store.config.games)
    engines = list(store.config.engines)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("experiments"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("report.html").render(
        file=store.path.name,
        about=store.about,
        data=data,
        engines=engines,
        parts=parts,
        facts=[part["facts"] for part in data["games"] if part["facts"] is not None],
        rating_axis=rating_axis,
        shown=len(shown),
        embedded={
            "games": names,
            "engines": engines,
            "terminations": [kind.value for kind in Termination],
            "table": table_of_games(shown, names, engines),
            **_drawings(names),
        },
        blocks=pack_games(shown),
        games_per_block=BLOCK,
    )


def _part(name: str | None, judged: Mapping[str, Any], played: Sequence[PlayedGame]) -> dict[str, Any]:
    """Returns what a part of the page shows: of one game, or of all together (None)."""
    from experiments.charts import histogram

    order = [rating["engine"] for rating in judged["ratings"]]
    scores = {(score["engine"], score["opponent"]): score for score in judged["crosstable"]}
    margins = [game.result.margin for game in played if game.result.margin is not None]
    return {
        "game": name,
        "judged": judged,
        "order": order,
        "cells": {pairing: _cell(score) for pairing, score in scores.items()},
        "margins": None if name is None else histogram(margins),  # those of different games are not alike
        "plies": None if name is None else histogram([game.plies for game in played]),
        "times": list(_times(played, order)),
    }


def _cell(score: Mapping[str, Any]) -> dict[str, Any]:
    games = score["wins"] + score["draws"] + score["losses"]
    share = (score["wins"] + score["draws"] / 2) / games if games else None
    return {**score, "games": games, "share": share}


def _times(played: Iterable[PlayedGame], engines: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yields what the moves of each engine took, in games whose times are known: a process that died took its along."""
    moves, seconds = dict.fromkeys(engines, 0), dict.fromkeys(engines, 0.0)
    for game in played:
        if any(game.result.seconds):
            for side, player in enumerate(game.result.spec.players):
                moves[player] += game.moves[side]
                seconds[player] += game.result.seconds[side]
    for engine in engines:
        per_move = 1000 * seconds[engine] / moves[engine] if moves[engine] else None
        yield {"engine": engine, "moves": moves[engine], "seconds": seconds[engine], "ms_per_move": per_move}


def _sample(games: int, most: int) -> set[int]:
    """Returns the numbers of all games, or of so many, evenly spaced in the schedule."""
    return set(range(games)) if games <= most else {i * games // most for i in range(most)}


def _drawings(games: Sequence[str]) -> dict[str, list[str]]:
    """Returns a board for each game, and what 0, 1, 2, ... seeds look like."""
    from mancala_ai import load_game
    from mancala_ai.svg import draw_svg, seed_groups

    boards = [draw_svg(load_game(game).initial_state(), caption=False) for game in games]
    return {"boards": boards, "seeds": seed_groups()}
