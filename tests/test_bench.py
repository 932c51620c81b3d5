"""Benchmarks: what they do never changes unnoticed, and how runs are compared. Times are not tested."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import benchmarks
from benchmarks.commands import bench
from benchmarks.measure import Benchmark, Done, Measurement, Skipped, forget_peak_memory, measure
from benchmarks.results import Change, compare, read_measurements
from benchmarks.suite import suite
from mancala_ai import MancalaError

KNOWN = {m.name: m for m in read_measurements(Path(benchmarks.__file__).with_name("quick.json"))}
QUICK = list(suite(quick=True))


@pytest.mark.parametrize("benchmark", [b for b in QUICK if b.unit], ids=lambda benchmark: benchmark.name)
def test_the_quick_suite_does_what_it_did(benchmark: Benchmark) -> None:
    """If this fails on purpose: ``mancala-ai bench --quick --json > benchmarks/quick.json``."""
    try:
        measured = measure(benchmark, 1)
    except Skipped as reason:
        pytest.skip(str(reason))
    assert (measured.work, measured.signature) == (KNOWN[benchmark.name].work, KNOWN[benchmark.name].signature)


@pytest.mark.parametrize("quick", [True, False])
def test_names_are_unique(quick: bool) -> None:
    names = [benchmark.name for benchmark in suite(quick)]
    assert len(set(names)) == len(names)
    if quick:
        assert set(names) >= set(KNOWN)


def benchmark(*signatures: int, once: bool = False) -> Benchmark:
    """Return a benchmark whose runs have these signatures."""
    runs = iter(signatures)
    return Benchmark("x", "things", lambda: lambda: Done(5, next(runs), 0.5), once=once)


def test_a_benchmark_is_warmed_up_and_then_measured() -> None:
    assert measure(benchmark(1, 1, 1), 2)._replace(memory=None) == Measurement("x", "things", 5, 1, (0.5, 0.5))
    assert measure(benchmark(1, once=True), 7).seconds == (0.5,)


def test_a_benchmark_that_does_something_else_is_an_error() -> None:
    with pytest.raises(AssertionError, match="x changed its result between runs"):
        measure(benchmark(1, 1, 2), 2)


def test_memory_is_what_the_runs_need_at_most_and_not_what_is_there_anyway() -> None:
    if not forget_peak_memory():
        pytest.skip("the system does not measure memory anew")
    before = np.ones(40 << 17)  # 40 MiB
    given_back = before.copy()
    del given_back

    def prepare() -> Callable[[], Done]:
        return lambda: Done(1, int(np.ones(20 << 17)[0]))

    memory = measure(Benchmark("x", "things", prepare), 2).memory
    assert memory is not None
    assert 18 << 20 < memory < 30 << 20  # the system counts in large steps
    assert before[0] == 1


def test_memory_of_a_process_is_its_own() -> None:
    held = np.ones(60 << 17)  # 60 MiB, which a new process seems to have at first
    by_name = {benchmark.name: benchmark for benchmark in QUICK}
    memory = measure(by_name["mancala-ai --help"], 1).memory
    if memory is None:
        pytest.skip("the system does not tell the memory of a process")
    assert 10 << 20 < memory < 60 << 20
    assert held[0] == 1


def run(*seconds: float, signature: int = 1) -> Measurement:
    """Return a measurement."""
    return Measurement("x", "things", 5, signature, seconds)


@pytest.mark.parametrize(
    ("new", "old", "ratio", "change"),
    [
        (run(1.0, 1.1, 0.9, 1.05), run(2.0, 2.1, 2.2, 1.9), 2.0, Change.FASTER),
        (run(2.0, 2.1, 2.2, 1.9), run(1.0, 1.1, 0.9, 1.05), 0.5, Change.SLOWER),
        (run(1.0, 3.0, 1.2, 1.3), run(1.1, 2.9, 1.4, 1.3), 1.08, Change.SAME),
        (run(1.0, 1.001, 1.002, 1.003), run(1.01, 1.011, 1.012, 1.013), 1.01, Change.SAME),
        (run(1.0, 1.0, 1.0), run(5.0, 5.0, 5.0), 5.0, Change.TOO_FEW),
        (run(1.0, 1.0, 1.1, 1.0, 1.0), run(5.0, 5.1, 5.0), 5.0, Change.FASTER),
        (run(1.0, 1.0), run(5.0, 5.0, signature=2), 5.0, Change.OTHER_WORK),
    ],
)
def test_a_verdict_knows_the_spread(new: Measurement, old: Measurement, ratio: float, change: Change) -> None:
    found, verdict = compare(new, old)
    assert found == pytest.approx(ratio, abs=0.05)
    assert verdict == change


def test_the_command_compares_with_an_earlier_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench(quick=True, only="perft 9 kpe", repeats=2, as_json=True)
    data = json.loads(capsys.readouterr().out)
    assert [m["name"] for m in data["measurements"]] == ["perft 9 kpe"]
    assert {"machine", "versions", "load"} <= set(data)
    file = tmp_path / "old.json"
    file.write_text(json.dumps(data))
    bench(quick=True, only="perft", repeats=2, compare=file)
    captured = capsys.readouterr()
    assert re.search(r"perft 9 kpe .* too few runs", captured.out)
    assert re.search(r"\d+ of \d+ are not in .*old.json: perft 5 giuthi in C, \.\.\.", captured.err)
    bench(quick=True, only="perft 9 kpe", repeats=2, compare=file, as_json=True)
    assert json.loads(capsys.readouterr().out)["measurements"][0]["verdict"] == "too few runs"


def test_plots_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    from benchmarks import plots

    monkeypatch.setattr(plots, "PICTURES", plots.PICTURES[:1])
    bench(quick=True, plot=tmp_path / "plots")
    drawing = (tmp_path / "plots" / "perft-depth.svg").read_text()
    assert drawing.count('id="line2d_') > 5


def test_wrong_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MancalaError, match="--only 'chess': expected a part of a benchmark's name"):
        bench(only="chess")
    with pytest.raises(MancalaError, match="--plot: expected no other option than --quick"):
        bench(plot=tmp_path, only="perft")
    file = tmp_path / "old.json"
    with pytest.raises(MancalaError, match=r"old.json: cannot be read"):
        bench(compare=file)
    file.write_text("{}")
    with pytest.raises(MancalaError, match=r"old.json: expected measurements, as bench --json prints them"):
        bench(compare=file)


@pytest.mark.parametrize(
    "entry", [{"seconds": []}, {"seconds": "12"}, {"seconds": [None]}, {"name": [1]}, {"work": None}]
)
def test_wrong_measurements_are_refused(tmp_path: Path, entry: dict[str, object]) -> None:
    """Before anything is measured."""
    file = tmp_path / "old.json"
    whole = {"name": "perft 9 kpe", "unit": "leaves", "work": 1, "signature": 2, "seconds": [0.1, 0.2]}
    file.write_text(json.dumps({"measurements": [whole | entry]}))
    with pytest.raises(MancalaError, match=r"old.json: expected measurements, as bench --json prints them"):
        read_measurements(file)


def test_ctrl_c_is_no_other_result() -> None:
    """An engine that is interrupted gives what it has; that is not a measurement."""
    found = next(benchmark for benchmark in QUICK if benchmark.name.startswith("alphabeta kpe"))
    run = found.prepare()
    run()

    def interrupted() -> Done:
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        return run()

    usual = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):
            measure(found._replace(prepare=lambda: interrupted), 200)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)
