"""The floors of the house: imports point down only, no game is known by name, nothing lies about at the top.

Proved on the syntax trees of all files, so imports inside functions count too.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mancala_ai.registry import game_types
from tests.helpers import ROOT

# What each floor may import of the others.
BELOW = {
    "mancala_ai": set[str](),
    "engines": {"mancala_ai"},
    "experiments": {"mancala_ai", "engines"},
    "benchmarks": {"mancala_ai", "engines", "experiments"},
}
NEVER = {"tests", "docs"}

TOP_LEVEL = {
    *("pyproject.toml", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE"),
    *("mancala_ai", "engines", "experiments", "benchmarks", "tests", "docs"),
    *(".ci", ".gitignore"),
}

FILES = [path for floor in BELOW for path in sorted((ROOT / floor).rglob("*.py"))]
GAMES = sorted(game.name for game in game_types())
# A game's name as a word of its own or as part of an identifier (`kpe`, `_KPE`, `KpeTable`, `solve_kpe`), but not
# inside another word; whatever stands between the parts of a name.
_NAME = "|".join(name.replace("_", "[ _.-]?") for name in GAMES)
GAME_NAME = re.compile(rf"(?<![a-z])({_NAME})(?![a-z])", re.IGNORECASE)
# A literal that as a whole is a name, a game string or a module: what code tests by. Longer texts are for people.
GAME_AS_DATA = re.compile(rf"\s*(mancala_ai\.games\.)?({_NAME})(\(.*\)|\.\w+|:\w+|[_-]\w+)*\s*", re.IGNORECASE)


def name_of(path: Path) -> str:
    """Return a file's path below the root."""
    return path.relative_to(ROOT).as_posix()


def tree_of(path: Path) -> ast.Module:
    """Return a file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), name_of(path))


def imported(tree: ast.Module, package: list[str]) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of every import, module names in strings included.

    Args:
        tree: a module.
        package: the packages around it, outermost first, for relative imports.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            yield node.lineno, ".".join([*base, *filter(None, [node.module])])
        elif isinstance(node, ast.Constant) and re.fullmatch(r"\w+([.:]\w+)+", str(node.value)):
            yield node.lineno, str(node.value).replace(":", ".")


def violations(source: str, where: str) -> list[str]:
    """Return the imports of a module that point upwards, as ``line: name``."""
    floor, *rest = where.split("/")
    found = imported(ast.parse(source), [floor, *rest[:-1]])
    forbidden = (set(BELOW) | NEVER) - BELOW[floor] - {floor}
    return [f"{line}: {name}" for line, name in found if name.partition(".")[0] in forbidden]


def test_all_floors_are_looked_at() -> None:
    """The files below are found, on every floor."""
    assert {name_of(path).partition("/")[0] for path in FILES} == set(BELOW)
    assert "mancala_ai/games/__init__.py" in map(name_of, FILES)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_point_down_only(path: Path) -> None:
    """benchmarks, experiments -> engines -> mancala_ai; and nothing that is installed needs the tests."""
    assert violations(path.read_text(encoding="utf-8"), name_of(path)) == []


@pytest.mark.parametrize(
    ("where", "source", "found"),
    [
        ("mancala_ai/game.py", "import engines", ["1: engines"]),
        ("mancala_ai/game.py", "from engines.simple import x", ["1: engines.simple"]),
        ("mancala_ai/games/kpe.py", "from ...engines import x", ["1: engines"]),
        ("mancala_ai/games/kpe.py", "from ..lanes import x", []),
        ("engines/simple.py", "def f():\n    if x:\n        import experiments.play as p", ["3: experiments.play"]),
        ("engines/simple.py", "import mancala_ai.game, benchmarks.perft", ["1: benchmarks.perft"]),
        ("experiments/play.py", "import engines, mancala_ai, numpy", []),
        ("experiments/play.py", "importlib.import_module('benchmarks.perft')", ["1: benchmarks.perft"]),
        ("benchmarks/perft.py", "from tests import reference", ["1: tests"]),
        ("mancala_ai/cli.py", "GROUP = 'engines.simple:RandomEngine'", ["1: engines.simple.RandomEngine"]),
        ("mancala_ai/cli.py", "'whatever engines there are'", []),
    ],
)
def test_an_upward_import_is_noticed(where: str, source: str, found: list[str]) -> None:
    """What the test above would say."""
    assert violations(source, where) == found


# Games by name.


def documentation(tree: ast.Module) -> set[int]:
    """Return the ids of the nodes that are docstrings, those of attributes included."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def games_named(source: str, data_allowed: bool = False) -> list[str]:
    """Return where a module names a game in code, as ``line: what``.

    Comments, docstrings and texts for people (help, messages, examples in a sentence) are no code.

    Args:
        source: the module.
        data_allowed: literals and variables may name games, as long as no such literal is compared with anything.
    """
    tree = ast.parse(source)
    texts = documentation(tree)
    compared = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare | ast.match_case)
        for inner in ast.walk(node.pattern if isinstance(node, ast.match_case) else node)
    }
    found = []
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
            if GAME_AS_DATA.fullmatch(node.value) and not (data_allowed and id(node) not in compared):
                found.append(f"{line}: {node.value!r}")
            continue
        if data_allowed:
            continue
        names: list[str] = []
        for field in ("id", "attr", "name", "arg", "asname", "module"):
            value = getattr(node, field, None)
            names += [value] if isinstance(value, str) else []
        found += [f"{line}: {name}" for name in names if GAME_NAME.search(_words(name))]
    return found


def _words(identifier: str) -> str:
    """Return an identifier with its parts set apart: ``KpeTable`` as ``Kpe.Table``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", ".", identifier)


@pytest.mark.parametrize(
    "path", [path for path in FILES if "mancala_ai/games/" not in name_of(path)], ids=lambda path: name_of(path)
)
def test_no_game_is_known_by_name(path: Path) -> None:
    """A sixth game is one new file and one entry: nothing else tests for a game by name.

    Benchmarks measure named games: there a game string may be data, as long as nothing is compared with it.
    """
    data_allowed = name_of(path).startswith("benchmarks/")
    assert games_named(path.read_text(encoding="utf-8"), data_allowed) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("if game.name == 'kpe': pass", ["1: 'kpe'"]),
        ("x = {'giuthi(holes=6, seeds=4)': 3}", ["1: 'giuthi(holes=6, seeds=4)'"]),
        ("x = 'mancala_ai.games.kiothi:GAME'", ["1: 'mancala_ai.games.kiothi:GAME'"]),
        ("from mancala_ai.games import kisolo", ["1: kisolo"]),
        ("from mancala_ai.games.rio_kadalis import RioKadalis", ["1: mancala_ai.games.rio_kadalis", "1: RioKadalis"]),
        ("def solve_kpe(): pass", ["1: solve_kpe"]),
        ("class KpeTable: KIOTHI_PITS = 10", ["1: KpeTable", "1: KIOTHI_PITS"]),
        ("match name:\n    case 'kisolo': pass", ["2: 'kisolo'"]),
        ('"""Kpé, kpe."""\n# kpe\nx = 1\n"""About giuthi."""', []),
        ("raise ValueError('expected a name with options, such as giuthi(holes=6,seeds=4)')", []),
        ("help = 'a game string, e.g. kpe(holes=3)'", []),
        ("skype = 'kpeople'", []),
    ],
)
def test_a_game_in_code_is_noticed(source: str, found: list[str]) -> None:
    """What the test above would say."""
    assert sorted(games_named(source)) == sorted(found)


def test_benchmarks_may_name_what_they_measure() -> None:
    """As data, not as a condition."""
    assert games_named("KPE = {'kpe': 5}\nrun('kpe')", data_allowed=True) == []
    assert games_named("if name == 'kpe': pass", data_allowed=True) == ["1: 'kpe'"]
    assert games_named("if name in ('kpe', 'giuthi'): pass", data_allowed=True) == ["1: 'kpe'", "1: 'giuthi'"]


# The top level.


def test_top_level_has_only_what_belongs_there() -> None:
    """No file or directory beside the fixed ones, as far as git does not ignore it."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    entries = {line.partition("/")[0] for line in listed}
    assert entries <= TOP_LEVEL
    assert {"pyproject.toml", "README.md", *BELOW, "tests"} <= entries
