"""Files and commands of endgame databases: whole or not there, resumable, the same on any number of threads."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import time
from math import comb
from pathlib import Path

import numpy as np
import pytest

import mancala_ai
from engines.endgame import build, store
from engines.endgame.build import build_levels, ensure_levels, plan_build
from engines.endgame.probe import EndgameDatabase
from engines.endgame.store import EndgameError, checksum, directory_of, level_path, read_level, write_level
from mancala_ai import MancalaError
from tests.helpers import ROOT, run_python
from tests.test_cli import COMMAND, run
from tests.test_endgame_values import all_boards, text_of

GAME = "giuthi(holes=5)"


def files_in(folder: Path) -> dict[str, bytes]:
    """Names and contents of the levels, and of whatever else lies beside them."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "lock"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Levels 0 to 9 of a small board, not to be changed."""
    base = tmp_path_factory.mktemp("built")
    build_levels(mancala_ai.load_game(GAME), 9, base)
    return base


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    """A copy of them."""
    return Path(shutil.copytree(built, tmp_path / "copy"))


# Building.


@pytest.mark.parametrize("threads", [1, 3])
def test_files_do_not_depend_on_threads(
    threads: int, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor on how the work is cut into pieces."""
    game = mancala_ai.load_game(GAME)
    monkeypatch.setattr(build, "_CHUNK", 1000 * threads)
    monkeypatch.setattr("engines.endgame.graph.SLICE", 3000 * threads)
    build_levels(game, 9, tmp_path, threads)
    assert files_in(directory_of(game, tmp_path)) == files_in(directory_of(game, built))


def test_interpreted_kernels_build_the_same_files(built: Path, tmp_path: Path) -> None:
    """Without the JIT, with warnings as errors."""
    program = "import sys, pathlib, mancala_ai; from engines.endgame.build import build_levels;"
    program += "build_levels(mancala_ai.load_game(sys.argv[1]), 4, pathlib.Path(sys.argv[2]))"
    env = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": None}
    run_python(program, GAME, str(tmp_path), path=[ROOT], flags=["-W", "error"], env=env)
    game = mancala_ai.load_game(GAME)
    interpreted, compiled = (files_in(directory_of(game, base)) for base in (tmp_path, built))
    assert list(interpreted) == list(compiled)[:5]
    assert all(compiled[name] == content for name, content in interpreted.items())


def test_seeds_at_the_start_make_no_difference(built: Path) -> None:
    """Rulesets that differ in how a game starts share a database; others do not."""
    same, other = mancala_ai.load_game("giuthi(holes=5,seeds=4)"), mancala_ai.load_game(f"{GAME[:-1]},infinite=split)")
    assert directory_of(same, built) == directory_of(mancala_ai.load_game(GAME), built)
    assert directory_of(other, built) != directory_of(same, built)


def test_levels_that_are_there_are_kept(copy: Path) -> None:
    """A later build adds to them, and clears away what a killed one has left."""
    game = mancala_ai.load_game(GAME)
    folder = directory_of(game, copy)
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*.endgame")}
    level_path(folder, 10).with_suffix(store.UNFINISHED).write_bytes(b"half a level")
    assert plan_build(game, 10, copy).missing == [10]
    database = build_levels(game, 10, copy)
    assert list(database.levels) == list(range(11))
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert sorted(files_in(folder)) == [f"seeds-{seeds:02}.endgame" for seeds in range(11)]


def test_a_damaged_level_is_not_built_upon(copy: Path) -> None:
    game = mancala_ai.load_game(GAME)
    path = level_path(directory_of(game, copy), 7)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(EndgameError, match=rf"{path.name}: the checksum .* damaged"):
        build_levels(game, 10, copy)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_level_is_written_whole_or_not_at_all(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    game = mancala_ai.load_game(GAME)
    build_levels(game, 3, tmp_path)
    before = files_in(directory_of(game, tmp_path))
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error)):
        build_levels(game, 4, tmp_path)
    assert files_in(directory_of(game, tmp_path)) == before


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a file is there."""
    deadline = time.monotonic() + 240  # compilation included
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.002)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_a_build_can_be_stopped_at_any_moment(ending: signal.Signals, tmp_path: Path) -> None:
    """Killed or interrupted, finished levels are whole and the next build goes on from there."""
    game = mancala_ai.load_game("giuthi(holes=6)")
    folder = directory_of(game, tmp_path)
    command = [*COMMAND, "endgame", "build", str(game), "--seeds", "16", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for(level_path(folder, 10), process)
        process.send_signal(ending)
        _, errors = process.communicate(timeout=120)
    if ending == signal.SIGINT:
        assert process.returncode == 130
        assert errors.splitlines()[-1] == "interrupted: finished levels are kept"
        assert not list(folder.glob("*.unfinished"))
    database = EndgameDatabase.open(game, tmp_path, check=True)
    last = max(database.levels)
    assert 10 <= last < 16
    assert last == max(store.levels_in(folder))
    build_levels(game, 11, tmp_path)
    build_levels(game, 11, tmp_path / "fresh")
    names = [f"seeds-{seeds:02}.endgame" for seeds in range(12)]
    resumed, fresh = files_in(folder), files_in(directory_of(game, tmp_path / "fresh"))
    assert [resumed[name] for name in names] == [fresh[name] for name in names]


def test_too_little_memory_is_said_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = mancala_ai.load_game(GAME)
    monkeypatch.setattr(build, "available_memory", lambda: 10_000_000)
    with pytest.raises(EndgameError, match=r"8 seeds: building takes about 3\d\.\d MB .* more than the 10\.0 MB"):
        build_levels(game, 8, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_too_little_disk_is_said_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = mancala_ai.load_game(GAME)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(1 << 30, 1 << 30, 1000))
    with pytest.raises(EndgameError, match=r"the files take 0\.1 MB: expected as much room"):
        build_levels(game, 8, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_memory_is_known_on_this_system() -> None:
    """The memory that is free lies between a few megabytes and a few terabytes."""
    free = build.available_memory()
    assert free is None or 1 << 22 < free < 1 << 43


def test_cheap_levels_are_built_when_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = mancala_ai.load_game(GAME)
    notes: list[str] = []
    assert list(ensure_levels(game, 5, tmp_path, notes.append).levels) == list(range(6))
    assert notes == [f"building endgame databases of {GAME} up to 5 seeds, once"]
    ensure_levels(game, 5, tmp_path, notes.append)
    ensure_levels(game, 4, tmp_path, notes.append)
    monkeypatch.setattr(build, "CHEAP", 1000)
    assert list(ensure_levels(game, 7, tmp_path, notes.append).levels) == list(range(6))
    assert len(notes) == 1


# Reading.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content[:-1], r": expected [\d,]+: the file is truncated"),
        (lambda content: content + b"x", r": expected [\d,]+: the file is damaged"),
        (lambda content: content[:100], r": the header is damaged"),
        (lambda content: b"", r": expected a file of an endgame database"),
        (lambda content: b"PK" + content[2:], r": expected a file of an endgame database"),
        (lambda content: content.replace(b'"seeds": 6', b'"seeds": 5'), r": the header is damaged"),
    ],
)
def test_wrong_files_are_refused(change: object, message: str, copy: Path) -> None:
    game = mancala_ai.load_game(GAME)
    path = level_path(directory_of(game, copy), 6)
    path.write_bytes(change(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(EndgameError, match=re.escape(str(path)) + ".*" + message):
        EndgameDatabase.open(game, copy)
    code, _, errors = run("endgame", "stats", GAME, "--dir", str(copy))
    assert (code, errors.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "format 2: expected 1"),
        ({"game": "kpe"}, r"game kpe: expected giuthi\(holes=5\)"),
        ({"rules_version": 7}, "rules version 7: expected 1"),
        ({"seeds": 5}, "seeds 5: expected 6"),
        ({"count": 1}, "count 1: expected 2541"),
    ],
)
def test_foreign_files_are_refused(changes: dict[str, object], message: str, copy: Path) -> None:
    """Levels of another game, other rules or another format, whole as they may be."""
    game = mancala_ai.load_game(GAME)
    path = level_path(directory_of(game, copy), 6)
    level = read_level(path, game, 6)
    header = dataclasses.replace(level.header, **changes)  # type: ignore[arg-type]
    write_level(
        path, dataclasses.replace(level, header=header, bounds=level.bounds.copy(), distances=level.distances.copy())
    )
    with pytest.raises(EndgameError, match=message):
        read_level(path, game, 6)


def test_long_distances_take_two_bytes(tmp_path: Path) -> None:
    """A level with distances above 255 can be written and read."""
    game = mancala_ai.load_game(GAME)
    level = build_levels(game, 4, tmp_path).levels[4]
    distances = (level.distances.astype("<u2") + 300).copy()
    sum_of_bytes = checksum(np.array(level.bounds), distances)
    header = dataclasses.replace(level.header, distance_bytes=2, longest=310, checksum=sum_of_bytes)
    path = tmp_path / "long.endgame"
    write_level(path, store.Level(header, np.array(level.bounds), distances))
    found = read_level(path, game, 4, check=True)
    assert (found.distances == distances).all()
    assert (found.bounds == level.bounds).all()


# The command.


def test_stats_count_positions_before_reduction(built: Path) -> None:
    """The counts are those of all positions, asked one by one."""
    code, out, _ = run("endgame", "stats", GAME, "--json", "--dir", str(built))
    assert code == 0
    rows = json.loads(out)
    assert [row["seeds"] for row in rows] == list(range(10))
    assert [row["positions"] for row in rows] == [comb(seeds + 9, 9) for seeds in range(10)]
    assert all(row["win"] + row["draw"] + row["loss"] == row["positions"] for row in rows)
    game = mancala_ai.load_game(GAME)
    database = EndgameDatabase.open(game, built)
    for row in rows[:6] + rows[7:8]:  # 7 is the first with cycles
        bounds = []
        for board in all_boards(10, row["seeds"]):
            found = database.bounds(game.state(text_of(game.rules, board, "S")))
            assert found is not None
            bounds.append(found)
        assert row["win"] == sum(lower is not None and lower > 0 for lower, _ in bounds)
        assert row["loss"] == sum(upper is not None and upper < 0 for _, upper in bounds)
        assert row["exact"] == sum(lower is not None and lower == upper for lower, upper in bounds)
        assert row["cycle"] == sum(lower is None and upper is None for lower, upper in bounds)
        assert (row["cycle"] > 0) == (row["seeds"] == 7)


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build twice, show, verify; the directory comes from the environment."""
    monkeypatch.setenv(store.DIR_VARIABLE, str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = run("endgame", "stats", "kpe")
    assert (code, out.split(":")[1]) == (0, f" no levels in {tmp_path / 'kpe-holes-4'}")
    code, out, errors = run("endgame", "build", "kpe", "--seeds", "6")
    assert (code, errors) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "kpe(holes=4): 7 levels up to 6 seeds, 3,003 positions"
    assert re.fullmatch(r"memory: about \d+\.\d MB( of .* that are free)?", lines[1])
    assert lines[2] == f"disk: 0.0 MB in {tmp_path / 'kpe-holes-4'}"
    assert lines[3].startswith("built up to 6 seeds in ")
    assert run("endgame", "build", "kpe", "--seeds", "6")[1].startswith("kpe(holes=4): all levels up to 6 seeds are in")
    assert run("endgame", "stats", "kpe")[1].splitlines()[-1].split()[:2] == ["6", "1,716"]
    assert run("endgame", "verify", "kpe")[1].splitlines()[-1] == " 6 seeds:         1,716 checked, right"
    assert (
        run("endgame", "verify", "kpe", "--sample", "100")[1].splitlines()[-1]
        == " 6 seeds:           100 checked, right"
    )
    assert run("endgame", "stats", "kpe(infinite=draw)", "--json")[:2] == (0, "[]\n")


@pytest.mark.parametrize("field", ["bounds", "distances", "header"])
def test_verify_finds_what_is_wrong(field: str, copy: Path) -> None:
    """One wrong bound, distance or count in a file that is whole in itself."""
    game = mancala_ai.load_game(GAME)
    path = level_path(directory_of(game, copy), 9)
    level = read_level(path, game, 9)
    bounds, distances, header = level.bounds.copy(), level.distances.copy(), level.header
    number = int(np.argmax(distances[:, 0]))
    if field == "bounds":
        bounds[number, 0] += 2
    elif field == "distances":
        distances[number, 0] += 1
    else:
        header = dataclasses.replace(header, win=header.win - 2, draw=header.draw + 2)
    header = dataclasses.replace(header, checksum=checksum(bounds, distances))
    write_level(path, store.Level(header, bounds, distances))
    code, out, _ = run("endgame", "verify", GAME, "--all", "--dir", str(copy))
    assert code == 1
    *right, last = out.splitlines()
    assert all(line.endswith("checked, right") for line in right)
    assert ("wrong, such as number" in last) == (field != "header")
    assert last.startswith(" 9 seeds:        24,436 checked, ")
    assert "wrong" in last


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("build", "kisolo", "--seeds", "3"),
            "no endgame databases: expected a game whose pits alone decide: giuthi, kalah, kpe,",
        ),
        (
            ("stats", "kiothi"),
            "no endgame databases: expected a game whose pits alone decide: giuthi, kalah, kpe, rio_kadalis",
        ),
        (
            ("verify", "kpe(infinite=own_side)"),
            "infinite=own_side: no endgame databases: expected infinite=draw or split",
        ),
        (("build", "giuthi(setup=2x5x4)", "--seeds", "41"), "41 seeds: expected 0 to 40"),
        (("build", "giuthi", "--seeds", "-1"), "-1 seeds: expected 0 to 63"),
        (("build", "giuthi", "--seeds", "60"), "60 seeds: expected fewer: a level has at most 2,147,483,647 positions"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    code, out, errors = run("endgame", *arguments, "--dir", str(tmp_path))
    assert (code, out, errors.count("\n")) == (2, "", 1)
    assert message in errors
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_directory(tmp_path: Path) -> None:
    (tmp_path / "giuthi-holes-5").write_text("in the way")
    code, _, errors = run("endgame", "build", GAME, "--seeds", "3", "--dir", str(tmp_path))
    assert (code, errors.count("\n")) == (2, 1)
    assert "giuthi-holes-5" in errors


@pytest.mark.parametrize("name", ["build", "stats", "verify"])
def test_every_subcommand_has_help_with_examples(name: str) -> None:
    code, out, _ = run("endgame", name, "--help")
    assert code == 0
    assert f"\n  Examples:\n    mancala-ai endgame {name} giuthi" in out
    assert re.search(rf"^  {name} +\S", run("endgame", "--help")[1], re.MULTILINE)


def test_errors_are_those_of_the_toolkit() -> None:
    """So that the command line prints them as one line."""
    assert issubclass(EndgameError, MancalaError)
