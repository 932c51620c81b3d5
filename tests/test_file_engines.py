"""Engines named by file and class, engine strings with quoted text, and what engine strings mean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mancala_ai
from mancala_ai import Engine, Limit, load_engine, load_game
from mancala_ai.protocol import parse_limit
from mancala_ai.registry import canonical_engine_string, engine_type, split_options, split_string, write_value
from tests.helpers import run_python

SOURCE = '''
from __future__ import annotations
from dataclasses import dataclass
from mancala_ai import Engine, EngineOption, SearchResult
from mancala_ai.kernels import kernel

@dataclass
class Note:
    text: str

class Last(Engine):
    """Takes one of the last moves."""
    options = {"back": EngineOption(1, "which"), "share": EngineOption(0.5, ""), "word": EngineOption("w", "")}

    def __init__(self, back=1, share=0.5, word="w"):
        self.back, self.share, self.word = back, share, word

    def search(self, state, limit=None):
        return SearchResult(state.legal_moves()[-self.back])

class Plain:
    """Knows nothing of the project's base class."""
    def search(self, state, limit=None):
        return SearchResult(state.legal_moves()[0])

class Strict(Last):
    def __init__(self, back=1):
        raise RuntimeError("bad\\nday")

def function(): pass

number = 5

@kernel
def answer():
    return 41
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "engines (mine)"
    folder.mkdir()
    path = folder / "my engine.py"
    path.write_text(SOURCE)
    return path


def test_an_engine_of_a_file_plays(file: Path) -> None:
    state = load_game("kpe").initial_state()
    assert load_engine(f"{file}:Last").search(state).move == state.legal_moves()[-1]
    assert load_engine(f" {file}:Last ( back = 3, share=1 ) ").search(state).move == state.legal_moves()[-3]
    assert engine_type(f"{file}:Last") is engine_type(f"{file}:Last")  # loaded once


def test_a_class_without_our_base_gets_the_rest_of_the_protocol(file: Path) -> None:
    engine = load_engine(f"{file}:Plain")
    assert isinstance(engine, Engine)
    engine.new_game(rng_seed=3)
    state = load_game("kpe").initial_state()
    assert [result.move for result in engine.analyse(state, Limit(depth=1))] == state.legal_moves()[:1]


def test_relative_paths_and_the_command_line(file: Path) -> None:
    code = "import sys; from mancala_ai.cli import main; main(sys.argv[1:])"
    out = run_python(code, "analyse", "kpe", "--engine", f"{file.name}:Last", cwd=file.parent)
    assert "best move d" in out


def test_kernels_of_an_edited_file_are_compiled_anew(file: Path) -> None:
    """The cache of compiled kernels knows a file by its content."""
    code = "import sys; from mancala_ai.registry import engine_type; m = engine_type(sys.argv[1]).__module__; "
    code += "print(sys.modules[m].answer())"
    assert run_python(code, f"{file}:Last") == "41\n"
    file.write_text(SOURCE.replace("41", "42"))
    assert run_python(code, f"{file}:Last") == "42\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@:Lst", "engine '@:Lst': no class 'Lst': did you mean 'Last'? known: Last, Plain, Strict"),
        (
            "@:number",
            "engine '@:number': not an engine: expected a class with a method search(self, state, limit)",
        ),
        ("@:function", "engine '@:function': not an engine: expected a class with a method ..."),
        ("@:Note", "engine '@:Note': not an engine: expected a class with a method ..."),
        ("@:Engine", "engine '@:Engine': not an engine: expected a class with a method ..."),
        ("@:Strict", "engine '@:Strict': cannot be made: RuntimeError: bad day (my engine.py:...)"),
        ("@:Last(bakc=1)", "@:Last: option 'bakc': did you mean 'back'? known: back, share, word"),
        ("@:Last(back=x)", "@:Last: back='x': expected a whole number"),
        ("@:Plain(back=1)", "@:Plain: option 'back': known: none"),
        ("@:", "'@:': expected a name with options, such as random(rng_seed=1)"),
        ("no/such.py:X", "engine 'no/such.py:X': no file 'no/such.py': expected FILE.py:CLASS"),
        ("no\0such.py:X", "engine 'no\\\\x00such.py:X': no file 'no\\\\x00such.py': expected FILE.py:CLASS"),
    ],
)
def test_bad_names_are_one_line(file: Path, text: str, message: str) -> None:
    with pytest.raises(mancala_ai.GameStringError) as caught:
        load_engine(text.replace("@", str(file)))
    pattern = ".*".join(map(re.escape, message.replace("@", str(file)).replace("\\\\", "\\").split("...")))
    assert re.fullmatch(pattern, str(caught.value))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module' (broken.py:1)"),
        ("1 +", "SyntaxError: invalid syntax (broken.py, line 1)"),
        ("raise ValueError('a\\n b')", "ValueError: a b (broken.py:1)"),
        ("raise SystemExit(3)", "SystemExit: 3 (broken.py:1)"),
    ],
)
def test_a_file_that_cannot_be_imported(tmp_path: Path, source: str, message: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(source)
    with pytest.raises(mancala_ai.GameStringError, match=f": cannot be imported: {re.escape(message)}$"):
        load_engine(f"{path}:X")
    path.write_text(SOURCE)  # a failure is not remembered
    assert load_engine(f"{path}:Last")


# Engine strings.


@pytest.mark.parametrize(
    ("listed", "options"),
    [
        ("", {}),
        ("a=1,b=1.5,c=True,d=word", {"a": 1, "b": 1.5, "c": True, "d": "word"}),
        ("a=\"x, y=(z)\" , b='5'", {"a": "x, y=(z)", "b": "5"}),
        (r"""a="say \"hi\" 'there' \\ C:\dir" """, {"a": r"""say "hi" 'there' \ C:\dir"""}),
        ("a='',b=don't,c=it's", {"a": "", "b": "don't", "c": "it's"}),
        ("a=b=c", {"a": "b=c"}),
    ],
)
def test_options_are_read(listed: str, options: dict[str, object]) -> None:
    found = split_options(listed, listed)
    assert found == options
    assert list(map(type, found.values())) == list(map(type, options.values()))
    assert split_string(f"x({listed})", "") == ("x", options)


@pytest.mark.parametrize("listed", ['a="x', 'a="x" y', "a='x\"", r'a="x\"', "a=1,", ",", "a", 'a="x",', '"a"=1'])
def test_bad_options(listed: str) -> None:
    with pytest.raises(
        mancala_ai.GameStringError, match=r": expected (option=value|the value to end with the quote .*)$"
    ):
        split_options(listed, listed)


def test_names_with_files() -> None:
    """What stands in quotes is no file of the engine."""
    assert split_string("a b/c (1).py:X(y=1)", "") == ("a b/c (1).py:X", {"y": 1})
    assert split_string('process(command="python x.py:X(y=1)")', "")[0] == "process"


@given(st.one_of(st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans()))
def test_values_are_read_as_written(value: str | int | float | bool) -> None:
    found = split_options(f"a={write_value(value)},b=2", "")
    assert found == {"a": value, "b": 2}
    assert type(found["a"]) is type(value)


def test_what_an_engine_string_means(file: Path) -> None:
    chosen = "depth=4,endgame=off,evaluation=fitted,exact_depth=False,quiescence=True,seconds=1.0,threads=1,tt_mb=16"
    full = f"alphabeta({chosen})"
    assert canonical_engine_string(" alphabeta( seconds=1, depth=4 )") == full
    assert canonical_engine_string(full) == full
    assert (
        canonical_engine_string("process(command='x -y',timeout=5)") == 'process(command="x -y",options="",timeout=5.0)'
    )
    last = canonical_engine_string(f"{file.parent}/../{file.parent.name}/{file.name}:Last(word='5')")
    assert last == f'{file.resolve()}:Last(back=1,share=0.5,word="5")'
    assert canonical_engine_string(last) == last
    with pytest.raises(mancala_ai.GameStringError, match="did you mean 'depth'"):
        canonical_engine_string("alphabeta(dpeth=3)")


# Limits.


@pytest.mark.parametrize(
    "text",
    [
        "",
        "depth=3",
        "seconds=0.00001,nodes=5",
        "seconds=2.5,simulations=7,clock=60,increment=0",
        "clock=0.1,increment=3",
    ],
)
def test_limits_are_read_as_written(text: str) -> None:
    limit = parse_limit(text)
    assert parse_limit(str(limit)) == limit


def test_how_limits_are_written() -> None:
    assert str(Limit(simulations=3, seconds=0.00001, clock=60)) == "seconds=0.00001,simulations=3,clock=60"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("increment=2", "limit increment=2.0: expected a clock, too, such as clock=60"),
        ("clock=0", "limit clock=0.0: expected more than 0"),
        ("clock=5,increment=-1", "limit increment=-1.0: expected more than 0"),
        ("clock=x", "limit clock='x': expected a number"),
    ],
)
def test_bad_clocks(text: str, message: str) -> None:
    with pytest.raises(mancala_ai.GameStringError, match=f"^{re.escape(message)}$"):
        parse_limit(text)


@pytest.mark.parametrize(
    ("limit", "seconds"),
    [
        (Limit(depth=4), None),
        (Limit(seconds=3), 3),
        (Limit(clock=60), 2),
        (Limit(clock=60, increment=1), 2.8),
        (Limit(clock=60, increment=1, seconds=0.5), 0.5),
        (Limit(clock=1, increment=10), 0.95),  # the increment comes too late for this move
        (Limit(clock=0.06, increment=1), 0.03),
    ],
)
def test_time_for_a_move(limit: Limit, seconds: float | None) -> None:
    assert limit.move_seconds == pytest.approx(seconds)


@pytest.mark.parametrize("engine", ["alphabeta", "mcts"])
def test_engines_mind_the_clock(engine: str) -> None:
    """A clock alone ends a search that would not end; whatever is left of it, there is a move."""
    state = load_game("giuthi").initial_state()
    for limit in (Limit(clock=3), Limit(clock=1e-9)):
        result = load_engine(engine).search(state, limit)
        assert result.move in state.legal_moves()
        assert result.simulations != 10_000
        assert result.depth < 60
