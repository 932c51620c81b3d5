"""The command ``sprt``. What it needs is imported when it runs, so that ``--help`` appears at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from experiments.sprt import EloEstimate, Judgement, PairCounts, Sprt


def sprt(
    counts: Annotated[
        str, typer.Option(metavar="LL,LD,DD+WL,WD,WW", help="Game pairs by the first engine's results in them.")
    ],
    elo0: Annotated[float, typer.Option(help="Elo difference under H0.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="Elo difference under H1, above that under H0.")] = 5.0,
    alpha: Annotated[float, typer.Option(help="Probability of accepting H1 under H0.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Probability of accepting H0 under H1.")] = 0.05,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON for other programs.")] = False,
) -> None:
    """Test whether one engine is stronger than another, by as few game pairs as it takes.

    A generalised sequential probability ratio test on the results of game pairs, by default whether the first engine is
    5 Elo stronger (H1) rather than of equal strength (H0). The counts are those of pairs in which the first engine lost
    both games; lost one and drew one; drew both, or won one and lost one; won one and drew one; won both. All numbers,
    Elo included, are from the first engine's point of view. The exit code is 0 whatever the verdict.

    Examples:
      mancala-ai sprt --counts 10,20,40,22,8
      mancala-ai sprt --counts 223,9863,21279,10037,246 --elo0 0.5 --elo1 2.5
      mancala-ai sprt --counts 0,1,4,10,25 --elo1 50 --alpha 0.01 --beta 0.01 --json
    """
    from experiments.sprt import PairCounts, Sprt, estimate_elo

    test, pairs = Sprt(elo0, elo1, alpha, beta), PairCounts.parse(counts)
    judgement, strength = test.judge(pairs), estimate_elo(pairs)
    if as_json:
        typer.echo(json.dumps(to_data(test, pairs, judgement, strength), indent=2))
    else:
        typer.echo("\n".join(describe(test, pairs, judgement, strength)))


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
        return f"{sign} {elo:.0f}, all points {'won' if sign == '>' else 'lost'}; but for half a point it would be this"
    if strength.elo is None:
        return "-"
    if strength.interval is None:
        return f"{strength.elo:.1f}, without an interval: all pairs are alike"
    return "{:.1f}, 95 % interval {:.1f} to {:.1f}".format(strength.elo, *strength.interval)
