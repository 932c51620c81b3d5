"""Sequential tests that play: the same answer for any number of workers and interruptions."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
from functools import partial
from pathlib import Path

import pytest

from experiments import sprt_command
from experiments.config import TournamentConfig
from experiments.sequential import SequentialTest
from experiments.sprt import PairCounts, Sprt, Verdict, count_pairs
from experiments.store import Store
from experiments.tournament import EnoughPlayed, Tournament, run_tournament
from mancala_ai import MancalaError
from tests.test_tournament import config

WIDE = Sprt(0, 200)


def test_it_stops_at_the_first_pair_that_gives_an_answer_whatever_the_order_of_results() -> None:
    tournament = config("greedy", "random", games=("kpe",), pairs=60, format="match")
    results = run_tournament(tournament).results
    judged: list[PairCounts] = []
    for rng_seed in (None, 1, 2):
        order = list(results)
        if rng_seed is not None:
            random.Random(rng_seed).shuffle(order)
        test, heard = SequentialTest(WIDE, tournament.engines), Tournament(tournament)
        with contextlib.suppress(EnoughPlayed):
            for result in order:
                heard.results.append(result)
                test.hear(heard)
        assert test.judgement.verdict == Verdict.H1
        judged.append(test.counts)
    assert judged[0] == judged[1] == judged[2]
    pairs = judged[0].pairs
    assert judged[0] == count_pairs(results[: 2 * pairs], "greedy", "random")
    before = count_pairs(results[: 2 * pairs - 2], "greedy", "random")
    assert WIDE.judge(before).verdict == Verdict.INCONCLUSIVE


def run(tournament: TournamentConfig, workers: int, file: Path | None = None) -> SequentialTest:
    """Play a test."""
    test = SequentialTest(WIDE, tournament.engines)
    if file is None:
        run_tournament(tournament, workers, test.hear)
    else:
        with Store(file, tournament) as store:
            run_tournament(tournament, workers, test.hear, store=store)
    return test


def _press(test: SequentialTest, games: int, so_far: Tournament) -> None:
    """Press Ctrl-C when so many games have been played."""
    if len(so_far.results) - so_far.resumed == games:
        raise KeyboardInterrupt
    test.hear(so_far)


def test_workers_and_interruptions_do_not_matter(tmp_path: Path) -> None:
    tournament = config("greedy", "random", games=("kpe", "rio_kadalis"), pairs=1000, format="match")
    alone, together = run(tournament, 0), run(tournament, 2)
    assert alone.counts == together.counts
    assert alone.judgement == together.judgement
    file = tmp_path / "test.sqlite"
    for games in itertools.count(3, 4):
        resumed = SequentialTest(WIDE, tournament.engines)
        with Store(file, tournament) as store:
            done = run_tournament(tournament, 0, partial(_press, resumed, games), store=store)
        if done.stopped is None:
            break
    assert games > 3
    assert resumed.counts == alone.counts
    assert run(tournament, 0, file).counts == alone.counts  # nothing more is played
    with Store(file) as store:
        assert len(list(store.results())) == len(done.results)


def test_the_command_plays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "test.sqlite"
    sprt_command.sprt(engine=["greedy", "random"], game=["kpe"], elo1=200, output=file, workers=1, as_json=True)
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"] == "H1"
    with Store(file) as store:
        counts = count_pairs(list(store.results())[: 2 * said["pairs"]], "greedy", "random")
    assert said["counts"] == vars(counts)


def test_too_few_pairs_leave_it_open_and_more_go_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    engines, file = ["random", "random(rng_seed=1)"], tmp_path / "test.sqlite"
    for pairs in (3, 5):
        sprt_command.sprt(engine=engines, game=["kpe"], max_pairs=pairs, workers=1, output=file)
        printed = capsys.readouterr().out
        assert "inconclusive" in printed
        assert f"in {pairs} pairs" in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "expected either --counts, or --engine twice"),
        ({"counts": "1,2,3,4,5", "engine": ["greedy", "random"]}, "expected either --counts, or --engine twice"),
        ({"engine": ["greedy"]}, "number of engines 1: expected at least 2"),
        ({"engine": ["greedy", "random", "alphabeta"]}, "format match with 3 engines: expected 2"),
    ],
)
def test_what_is_to_be_judged_must_be_clear(options: dict[str, list[str]], message: str) -> None:
    with pytest.raises(MancalaError, match=message):
        sprt_command.sprt(**options)  # type: ignore[arg-type]
