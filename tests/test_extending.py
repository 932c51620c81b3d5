"""The page on games and engines of one's own: its files, installed as it says, do what it says."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from tests.helpers import ROOT, run_python

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```\w+\n# (\S+)\n(.*?)```", PAGE, flags=re.DOTALL))
PROJECT = tomllib.loads(FILES["pyproject.toml"])
COMMAND_LINES = re.findall(r"^mancala-ai .*", PAGE, flags=re.MULTILINE)

_COMMAND = "import sys; from mancala_ai.cli import main; main(sys.argv[1:])"

# Runs sessions, and says how many examples failed.
_SESSION = """
import doctest, sys
test = doctest.DocTestParser().get_doctest(sys.argv[1], {}, "page", "page", 0)
assert len(test.examples) >= 10
print(doctest.DocTestRunner().run(test))
"""

_TYPES = """
import json, sys
from mancala_ai.registry import engine_type, game_types
print(json.dumps([[game.name for game in game_types()], engine_type(sys.argv[1]).__module__]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's folder, with what `pip install` would leave of its pyproject.toml."""
    folder = tmp_path_factory.mktemp("my-mancala")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    project = PROJECT["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head, encoding="utf-8")
    groups = project["entry-points"].items()
    lines = [line for group, names in groups for line in (f"[{group}]", *(f"{n} = {v}" for n, v in names.items()))]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


def run(folder: Path, code: str, *arguments: str, jit: bool = True) -> str:
    """Run code with the page's package installed, its kernels cached in its folder, and return what it printed."""
    env = {"MANCALA_AI_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": None if jit else "1"}
    return run_python(code, *arguments, path=[folder, ROOT], cwd=folder, env=env)


def test_the_files_are_those_of_the_folder_shown() -> None:
    """And all that is to be installed is named in pyproject.toml."""
    shown = re.search(r"```text\nmy-mancala/\n(.*?)```", PAGE, flags=re.DOTALL)
    assert shown
    assert sorted(shown[1].split()) == sorted(FILES)
    installed = [f"{module}.py" for module in PROJECT["tool"]["setuptools"]["py-modules"]]
    assert sorted(FILES) == sorted(["pyproject.toml", "test_twos.py", *installed])


def test_both_are_found_by_their_entry_points(folder: Path) -> None:
    games, module = json.loads(run(folder, _TYPES, "sampler"))
    assert {"twos", "kpe"} < set(games)
    assert module == "sampler"


@pytest.mark.parametrize("jit", [True, False])
def test_its_own_test_passes(folder: Path, jit: bool) -> None:
    code = "import sys, pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'test_twos.py']))"
    assert re.search(r"^107 passed", run(folder, code, jit=jit), flags=re.MULTILINE)


def test_a_wrong_kernel_is_found_by_its_own_test(folder: Path, tmp_path: Path) -> None:
    """Each of these changes is one of a rule: the page's test must notice them."""
    changes = [
        ("last // H != side and ", ""),
        ("== _2:", "== _1:"),
        ("_2 << (_40", "_1 << (_40"),
        ("if own_pits(position) == _0:", "if bits(position, ANY) == _0:"),
        ("[-1] ^ SIDE", "[-1]"),
        ("margin=margin_by_rows", "margin=captured_difference"),
    ]
    (tmp_path / "test_twos.py").write_text(FILES["test_twos.py"], encoding="utf-8")
    code = "import sys, pytest; sys.exit(pytest.main(['-q', '-x', '-p', 'no:cacheprovider', 'test_twos.py']) != 1)"
    for old, new in changes:
        assert FILES["twos.py"].count(old) == 1, old
        (tmp_path / "twos.py").write_text(FILES["twos.py"].replace(old, new), encoding="utf-8")
        path = [tmp_path, folder, ROOT]  # its twos.py comes first, entry points are those of the folder
        printed = run_python(code, path=path, cwd=tmp_path, env={"NUMBA_DISABLE_JIT": "1"})
        assert re.search(r"^1 failed", printed, flags=re.MULTILINE), old


def test_the_session_runs_as_printed(folder: Path) -> None:
    sessions = "\n".join(re.findall(r"```pycon\n(.*?)```", PAGE, flags=re.DOTALL))
    assert run(folder, _SESSION, sessions).startswith("TestResults(failed=0")


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_the_command_lines_run(folder: Path, line: str) -> None:
    out = run(folder, _COMMAND, *shlex.split(line)[1:])
    assert re.search(r"^(twos|kpe)|^game +twos", out, flags=re.MULTILINE)
    assert "engine error" not in out


def test_the_engine_is_deterministic_and_keeps_to_its_limits(folder: Path) -> None:
    """What the page says of every engine holds for its own."""
    code = """
import threading, time
import mancala_ai
from mancala_ai import Limit

engine = mancala_ai.load_engine("sampler(simulations=30)")
first = mancala_ai.load_game("twos").initial_state()
second = first.play("a")

def search(rng_seed, state=second):
    engine.new_game(rng_seed)
    found = engine.search(state)
    return found.move, found.value

values = [search(rng_seed) for rng_seed in range(20)]
assert len(set(values)) > 1
search(5, first)
assert [search(rng_seed) for rng_seed in range(20)] == values
again = engine.search(second)
assert (again.move, again.value) == values[-1]

assert engine.search(second, Limit(simulations=100)).simulations in range(100, 104)
assert engine.search(second, Limit(seconds=0.1)).simulations > 30
timer = threading.Timer(0.2, engine.stop)
timer.start()
assert engine.search(second, Limit(seconds=1000)).simulations > 30
print("good")
"""
    assert run(folder, code) == "good\n"
