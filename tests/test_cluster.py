"""Tournaments on a Dask cluster."""

from __future__ import annotations

import pytest

from experiments.matches import Termination
from experiments.tournament import run_tournament
from mancala_ai import MancalaError
from tests.test_tournament import FAILING, config

distributed = pytest.importorskip("distributed")


def test_two_workers_of_a_cluster_play_the_games_of_one_process() -> None:
    tournament = config("random", "greedy", "alphabeta(depth=1)", games=("kpe", "rio_kadalis"), pairs=2)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        done = run_tournament(tournament, dask=cluster.scheduler_address)
    assert done.stopped is None
    assert done.results == run_tournament(tournament).results


def test_a_cluster_gets_over_a_player_that_takes_its_worker_with_it(full: bool) -> None:
    if not full:
        pytest.skip("waits for a cluster to give up on its workers: only with --full")
    tournament = config("random", "greedy", f"{FAILING}:Crashing", games=("kpe",), pairs=1)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        done = run_tournament(tournament, dask=cluster.scheduler_address)
    assert done.stopped is None
    fair = config("random", "greedy", games=("kpe",), pairs=1)
    assert [result for result in done.results if result.fault is None] == run_tournament(fair).results
    assert len(done.results) == 6
    lost = [result for result in done.results if result.fault is not None]
    assert {result.termination for result in lost} == {Termination.ENGINE_ERROR}
    assert len(lost) == 4


def test_an_address_where_nobody_answers_is_refused() -> None:
    with pytest.raises(MancalaError, match=r"--dask nowhere: .*: expected the address of a Dask scheduler"):
        run_tournament(config("random", "greedy"), dask="nowhere")
