"""The command ``sprt``. What it needs is imported when it runs, so that ``--help`` appears at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.commands import open_store, play_tournament
from mancala_ai.cli import FAILED, INTERRUPTED
from mancala_ai.errors import MancalaError

if TYPE_CHECKING:
    from experiments.sprt import EloEstimate, Judgement, PairCounts, Sprt


_ENDLESS = 1_000_000  # pairs on the schedule, so that a longer test goes on with the games of a shorter one


def sprt(
    counts: Annotated[
        str | None,
        typer.Option(metavar="LL,LD,DD+WL,WD,WW", help="Judge game pairs by the first engine's results in them."),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option("--engine", metavar="ENGINE", help="Or play: the new engine, and then the base."),
    ] = None,
    elo0: Annotated[float, typer.Option(help="Elo difference under H0.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="Elo difference under H1, above that under H0.")] = 5.0,
    alpha: Annotated[float, typer.Option(help="Probability of accepting H1 under H0.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Probability of accepting H0 under H1.")] = 0.05,
    game: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="GAME", help="Game to play (repeatable).  [default: all games]"),
    ] = None,
    limit: Annotated[
        str | None, typer.Option(metavar="LIMIT", help="For every move, such as seconds=0.05.  [default: the engines']")
    ] = None,
    openings: Annotated[
        str, typer.Option(metavar="HOW", help="random, suite, or a file of position strings.")
    ] = "random",
    plies: Annotated[int, typer.Option(help="Random moves of an opening.")] = 4,
    max_pairs: Annotated[int, typer.Option(help="Game pairs in each game at most.")] = 10_000,
    rng_seed: Annotated[int, typer.Option(help="Start of all random choices.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE.sqlite", help="Keep every game in a file; one that exists is resumed."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; the results do not depend on it.  [default: all cores]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON for other programs.")] = False,
) -> None:
    """Test whether one engine is stronger than another, by as few game pairs as it takes.

    A generalised sequential probability ratio test on the results of game pairs, by default whether the first engine is
    5 Elo stronger (H1) rather than of equal strength (H0). Either the pairs are played, until there is an answer, or
    their counts are given: pairs in which the first engine lost both games; lost one and drew one; drew both, or won
    one and lost one; won one and drew one; won both. All numbers, Elo included, are from the first engine's point of
    view. The exit code is 0 whatever the verdict.

    Examples:
      mancala-ai sprt --engine 'alphabeta(depth=5)' --engine 'alphabeta(depth=4)' --game kpe --elo1 30
      mancala-ai sprt --engine new.py:Mine --engine alphabeta --limit seconds=0.01 --output test.sqlite
      mancala-ai sprt --counts 10,20,40,22,8
      mancala-ai sprt --counts 223,9863,21279,10037,246 --elo0 0.5 --elo1 2.5
      mancala-ai sprt --counts 0,1,4,10,25 --elo1 50 --alpha 0.01 --beta 0.01 --json
    """
    from experiments.sprt import PairCounts, Sprt, estimate_elo

    test = Sprt(elo0, elo1, alpha, beta)
    if (counts is None) == (not engine):
        raise MancalaError("sprt: expected either --counts, or --engine twice")
    stopped = None
    if counts is not None:
        pairs = PairCounts.parse(counts)
    else:
        if openings == "none":
            raise MancalaError("sprt: openings none: expected random, suite or a file: equal games are no evidence")
        settings = {"game": game or None, "engine": engine, "format": "match", "pairs": _ENDLESS, "limit": limit}
        settings |= {"openings": openings, "plies": plies, "rng-seed": rng_seed}
        pairs, stopped = _play(test, settings, max_pairs, output, workers)
    judgement, strength = test.judge(pairs), estimate_elo(pairs)
    if as_json:
        typer.echo(json.dumps(to_data(test, pairs, judgement, strength), indent=2))
    else:
        typer.echo("\n".join(describe(test, pairs, judgement, strength)))
    if stopped:
        raise typer.Exit(INTERRUPTED if stopped == "interrupted" else FAILED)


def _play(
    test: Sprt, settings: dict[str, Any], max_pairs: int, output: Path | None, workers: int | None
) -> tuple[PairCounts, str | None]:
    """Plays until there is an answer; returns the pairs judged, and why it ended without one, if it did."""
    from rich.console import Console

    from experiments.config import config_of
    from experiments.sequential import SequentialTest
    from mancala_ai.plugins import entry_points
    from mancala_ai.registry import GAMES

    config = config_of(settings | {"game": settings["game"] or list(entry_points(GAMES))})
    console = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    sequential = SequentialTest(test, config.engines, max_pairs * len(config.games))
    with open_store(output, config) as store:
        played = play_tournament(config, workers, None, store, console, sequential.hear)
    beyond = len(played.results) - 2 * sequential.counts.pairs
    if beyond and not played.stopped:
        console.print(f"{beyond} of the games were under way when the test ended, and do not count")
    if played.stopped:
        kept = "" if output is None else f"; games are kept in {output}: the same command goes on"
        console.print(f"{played.stopped}{kept}")
    return sequential.counts, played.stopped


def to_data(test: Sprt, pairs: PairCounts, judgement: Judgement, strength: EloEstimate) -> dict[str, object]:
    """Returns a test, the pairs that it was applied to, and what came of it as what JSON can hold."""
    from dataclasses import asdict

    bound = strength.bound and {"is": strength.bound[0], "elo": strength.bound[1]}
    return {
        "config": asdict(test),
        "counts": asdict(pairs),
        "pairs": pairs.pairs,
        **asdict(judgement),
        **asdict(strength),
        "bound": bound,
    }


def describe(test: Sprt, pairs: PairCounts, judgement: Judgement, strength: EloEstimate) -> list[str]:
    """Returns the same as lines for people."""
    from experiments.sprt import Verdict

    verdict = {
        Verdict.H0: f"H0 accepted: Elo {test.elo0:g} rather than {test.elo1:g}",
        Verdict.H1: f"H1 accepted: Elo {test.elo1:g} rather than {test.elo0:g}",
        Verdict.INCONCLUSIVE: f"inconclusive: more pairs are needed to tell Elo {test.elo0:g} from {test.elo1:g}",
    }[judgement.verdict]
    score = "-" if strength.score is None else f"{100 * strength.score:.2f} %"
    counts = f"LL {pairs.ll}, LD {pairs.ld}, DD+WL {pairs.even}, WD {pairs.wd}, WW {pairs.ww}"
    return [
        f"verdict  {verdict}",
        f"LLR      {judgement.llr:.2f}  (H0 at {judgement.lower:.2f}, H1 at {judgement.upper:.2f})",
        f"Elo      {_elo(strength)}",
        f"LOS      {100 * strength.los:.1f} %",
        f"score    {score} in {pairs.pairs} pairs",
        f"pairs    {counts}",
        "All from the first engine's point of view.",
    ]


def _elo(strength: EloEstimate) -> str:
    if strength.bound is not None:
        sign, elo = strength.bound
        points = "all points won; this is what half a point less" if sign == ">" else "none won; what half a point"
        return f"{sign} {elo:.0f} ({points} would give)"
    if strength.elo is None:
        return "-"
    if strength.interval is None:
        return f"{strength.elo:.1f}, without an interval: all pairs are alike"
    return "{:.1f}, 95 % interval {:.1f} to {:.1f}".format(strength.elo, *strength.interval)
