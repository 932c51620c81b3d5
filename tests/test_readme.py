"""The README does what it says."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from mancala_ai.cli import COMMANDS, _load_command
from mancala_ai.plugins import entry_points

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_session_runs_as_printed() -> None:
    sessions = re.findall(r"```pycon\n(.*?)```", README, flags=re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, "README.md", "README.md", 0)
    assert len(test.examples) >= 10
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("line", re.findall(r"^mancala-ai .*?(?= +#|$)", README, flags=re.MULTILINE))
def test_every_command_line_is_understood(line: str) -> None:
    _, name, *arguments = shlex.split(line)
    _load_command(entry_points(COMMANDS)[name]).make_context(name, arguments)  # raises a usage error if it is not


def test_ci_runs_the_test_command() -> None:
    command = re.search(r"&& \.venv/bin/python (-m pytest.*)$", README, flags=re.MULTILINE)
    assert command
    assert f'/bin/python" {command[1]}' in (ROOT / ".ci" / "run").read_text()
