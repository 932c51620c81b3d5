"""The documentation site: nothing is missing in the reference, and what CI builds is what the README says."""

from __future__ import annotations

import json
import re

import mancala_ai
from tests.helpers import ROOT

REFERENCE = {path.name: path.read_text() for path in sorted((ROOT / "docs" / "api").glob("*.rst"))}

# What is documented as a command, on a page of its own.
COMMANDS = re.compile(r".*(\.commands|_command|\.__main__)")


def modules() -> set[str]:
    """Return the dotted names of all modules."""
    files = [
        path
        for floor in ("mancala_ai", "engines", "experiments", "benchmarks")
        for path in (ROOT / floor).rglob("*.py")
    ]
    parts = (path.relative_to(ROOT).with_suffix("").parts for path in files)
    return {".".join(part for part in each if part != "__init__") for each in parts}


def test_every_module_is_in_the_reference() -> None:
    documented = [name for text in REFERENCE.values() for name in re.findall(r"automodule:: (\S+)", text)]
    expected = {name for name in modules() if not COMMANDS.fullmatch(name)}
    assert {"mancala_ai.games.kpe", "engines.search", "benchmarks"} < expected
    assert sorted(documented) == sorted(expected)


def test_the_first_table_has_all_that_the_package_exports() -> None:
    table = REFERENCE["mancala_ai.rst"].partition("autosummary::")[2]
    assert set(mancala_ai.__all__) == set(re.findall(r"^   (\w+)$", table, flags=re.MULTILINE))


def test_the_notebook_is_stored_without_outputs() -> None:
    cells = json.loads((ROOT / "docs" / "tour.ipynb").read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 10
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


def test_ci_builds_the_site_as_the_readme_does() -> None:
    command = re.search(
        r"^\.venv/bin/python (-m sphinx .*) docs/_build/html$", (ROOT / "README.md").read_text(), re.MULTILINE
    )
    assert command
    options = command[1].split()
    assert re.search(rf"{' '.join(options[:2])} .*{' '.join(options[2:])} ", (ROOT / ".ci" / "run").read_text())
