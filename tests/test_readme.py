"""The README and the pages in docs do what they say."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from mancala_ai.cli import COMMANDS, load_command
from mancala_ai.plugins import entry_points

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
FILES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
PAGES = {str(path.relative_to(ROOT)): path.read_text() for path in FILES}
COMMAND_LINES = [
    line for text in PAGES.values() for line in re.findall(r"^mancala-ai .*?(?= +#|$)", text, flags=re.MULTILINE)
]
TESTED_ELSEWHERE = "docs/extending.md"  # tests/test_extending.py: its code needs what it installs
PYTHON = [
    pytest.param(code, id=f"{name}-{number}")
    for name, text in PAGES.items()
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
    if name != TESTED_ELSEWHERE
    if "import mancala_ai" in code or "from mancala_ai" in code or "from experiments" in code
]


def test_the_session_runs_as_printed() -> None:
    sessions = re.findall(r"```pycon\n(.*?)```", README, flags=re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, "README.md", "README.md", 0)
    assert len(test.examples) >= 10
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("code", PYTHON)
def test_python_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "page", "exec"), {})


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_every_command_line_is_understood(line: str) -> None:
    _, name, *arguments = shlex.split(line.partition(" > ")[0])
    load_command(entry_points(COMMANDS)[name]).make_context(name, arguments)  # raises a usage error if it is not


def test_ci_runs_the_test_command() -> None:
    command = re.search(r"&& \.venv/bin/python (-m pytest.*)$", README, flags=re.MULTILINE)
    assert command
    assert f'/bin/python" {command[1]}' in (ROOT / ".ci" / "run").read_text()
