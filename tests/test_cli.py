"""The command line: quick help, one line for every wrong input, and the commands of this floor."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from typer.testing import CliRunner

import mancala_ai
from mancala_ai import cli, plugins
from mancala_ai.cache import COMPILING

COMMAND = [sys.executable, "-m", "mancala_ai"]


def run(*arguments: str, typed: str = "") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command run within this process, whether or not it has to compile kernels."""
    result = CliRunner().invoke(cli.app, list(arguments), prog_name="mancala-ai", input=typed)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr.replace(f"{COMPILING}\n", "")


def run_outside(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command run in a process of its own."""
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **environment},
        encoding="utf-8",
        timeout=300,
    )


# The door.


def test_help_imports_no_kernels() -> None:
    code = "import sys; sys.argv = ['mancala-ai', '--help']; import mancala_ai.cli as c\ntry: c.main()\nfinally: "
    code += "print([m for m in ('numba', 'numpy', 'mancala_ai.commands', 'experiments.play') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout
    assert out.splitlines()[-1] == "[]"
    assert re.search(r"^  show +Draw a position and list its legal moves\.$", out, re.MULTILINE)


@pytest.mark.skipif(os.name == "nt", reason="times of POSIX")
def test_help_is_quick() -> None:
    def seconds() -> float:  # of the processor, so that a busy machine does not matter
        before = os.times()
        assert run_outside("--help").returncode == 0
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    assert min(seconds() for _ in range(3)) < 0.5


def test_version() -> None:
    assert run("--version") == (0, f"mancala-ai {mancala_ai.__version__}\n", "")


@pytest.mark.parametrize("name", ["games", "show", "perft", "play", "serve"])
def test_every_command_has_help_with_examples(name: str) -> None:
    code, out, _ = run(name, "--help")
    assert code == 0
    assert f"\n  Examples:\n    mancala-ai {name}" in out
    summary = out.split("\n\n")[1].strip()
    assert summary.removesuffix(".") in run("--help")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("shwo giuthi", "No such command 'shwo'. Did you mean 'show'?"),
        ("show", "Missing argument 'GAME'."),
        ("perft kpe --dpeth 3", "No such option: --dpeth (Possible options: --depth)"),
        ("perft kpe --depth many", "Invalid value for '--depth'"),
        ("perft kpe --depth 0", "Invalid value for '--depth'"),
    ],
)
def test_wrong_usage_exits_with_2(arguments: str, message: str) -> None:
    code, out, err = run(*arguments.split())
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "giuti"], "game 'giuti': did you mean 'giuthi'?"),
        (["show", "giuthi(holes=6", "1"], "'giuthi(holes=6': expected a name with options"),
        (["show", "giuthi(holes=66)"], "giuthi: holes=66: "),
        (["show", "kpe", "6,6,6/6,6,6,6 S 0-0 -/-"], "position '6,6,6/6,6,6,6 S 0-0 -/-': row 1 '6,6,6': expected"),
        (["perft", "kpe(seeds=x)"], "kpe: seeds="),
    ],
)
def test_wrong_input_is_one_line_and_exits_with_2(arguments: list[str], message: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"mancala-ai: {message}")
    assert err.count("\n") == 1


def test_wrong_input_outside() -> None:
    done = run_outside("show", "giuti")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("mancala-ai: game 'giuti'")
    assert done.stderr.count("\n") == 1


def test_a_command_that_cannot_be_loaded() -> None:
    with pytest.raises(mancala_ai.MancalaError, match=r"'x' \(mancala_ai.nothing:x\) cannot be loaded: No module"):
        plugins.load(EntryPoint("x", "mancala_ai.nothing:x", cli.COMMANDS))
    with pytest.raises(mancala_ai.MancalaError, match=r"'x' \(mancala_ai.cli:nothing\) cannot be loaded: .*nothing"):
        plugins.load(EntryPoint("x", "mancala_ai.cli:nothing", cli.COMMANDS))


@pytest.fixture
def folder_with_namesakes(tmp_path: Path) -> Path:
    """A directory with packages that are called like ours."""
    for name in ("engines", "experiments"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong package')")
    return tmp_path


def test_namesakes_in_the_current_directory_do_no_harm(folder_with_namesakes: Path) -> None:
    done = run_outside("play", "--help", cwd=folder_with_namesakes)
    assert done.returncode == 0
    assert "Play against an engine" in done.stdout


def test_namesakes_on_the_path_are_named(folder_with_namesakes: Path) -> None:
    (folder_with_namesakes / "experiments" / "__init__.py").write_text("")
    done = run_outside("play", "kpe", PYTHONPATH=str(folder_with_namesakes))
    assert done.returncode == 2
    hidden = (
        f"mancala-ai: 'play' (experiments.play:play) is hidden by {folder_with_namesakes / 'experiments'}: expected"
    )
    assert done.stderr.startswith(hidden)
    assert done.stderr.count("\n") == 1
    assert run_outside("--help", PYTHONPATH=str(folder_with_namesakes)).returncode == 0


def test_a_reader_that_leaves_early_is_no_error() -> None:
    with subprocess.Popen(
        [*COMMAND, "games", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""


def test_terminals_without_box_drawing() -> None:
    done = run_outside("show", "kpe", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "South to move." in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupting_perft_keeps_what_was_counted() -> None:
    run_outside("perft", "giuthi", "--depth", "1")  # has the kernels compiled
    with subprocess.Popen(
        [*COMMAND, "perft", "giuthi", "--depth", "30"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            if line.split()[:1] == ["4"]:
                break
        process.send_signal(signal.SIGINT)
        start = time.perf_counter()
        assert process.wait(timeout=30) == 130
        assert time.perf_counter() - start < 5
        assert "Traceback" not in process.stderr.read()
    assert line.split()[1] == "31,924"


# The commands.


def test_games_as_a_table() -> None:
    code, out, _ = run("games")
    assert code == 0
    for name in ("giuthi", "kiothi", "kisolo", "kpe", "rio_kadalis"):
        assert f"\n{name} " in f"\n{out}"
    assert "capture_needs_target" in out
    assert "2x10x9" in out
    assert max(map(len, out.splitlines())) <= 80


def test_games_as_json() -> None:
    listed = json.loads(run("games", "--json")[1])
    assert {"giuthi", "kiothi", "kisolo", "kpe", "rio_kadalis"} <= {game["name"] for game in listed}
    for game in listed:
        for example in game["examples"]:
            assert mancala_ai.load_game(example).name == game["name"]
        for option in game["options"]:
            assert option["default"] in option["values"]


def test_show() -> None:
    code, out, _ = run("show", "kpe(holes=3)", " 0,1,2 / 3,0,1  S 20-9 abc/ab")
    state = mancala_ai.load_game("kpe(holes=3)").state("0,1,2/3,0,1 S 20-9 abc/ab")
    assert code == 0
    fields = "\n\ngame      kpe(holes=3,seeds=6)\nposition  0,1,2/3,0,1 S 20-9 abc/ab\nmoves     a c\n"
    assert out == state.board() + fields


def test_show_as_json() -> None:
    shown = json.loads(run("show", "kisolo", "--json")[1])
    state = mancala_ai.load_game("kisolo").initial_state()
    assert shown["legal_moves"] == state.legal_moves()
    assert (shown["game"], shown["position"], shown["to_move"]) == (str(state.game), str(state), 0)
    assert shown["termination"] is shown["captured"] is None


def test_perft() -> None:
    code, out, _ = run("perft", "kpe", "--depth", "5")
    assert code == 0
    rows = [" ".join(line.split()[:2]) for line in out.splitlines()[2:]]
    assert rows == ["depth leaves", "1 4", "2 16", "3 64", "4 241", "5 952"]


def test_perft_divided() -> None:
    _, out, _ = run("perft", "kpe", "--depth", "5", "--divide")
    rows = {row[0]: row[1] for row in map(str.split, out.splitlines()[3:])}
    state = mancala_ai.load_game("kpe").initial_state()
    assert rows == {**{move: str(count) for move, count in mancala_ai.divide(state, 5).items()}, "all": "952"}
