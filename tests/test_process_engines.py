"""External programs as engines: what they are told, what comes back, and what happens when they misbehave."""

from __future__ import annotations

import concurrent.futures
import gc
import multiprocessing
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import mancala_ai
from engines.process import ProcessEngine
from mancala_ai import EngineError, Limit, Line, MancalaError, SearchResult, State, load_engine, load_game
from mancala_ai.game import replay
from mancala_ai.registry import canonical_engine_string, write_value
from tests.helpers import ROOT, run_python
from tests.test_cli import run

DOCUMENT = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
PYTHON = f"'{sys.executable}' -u"

# The skeleton of a program; what it does on "go" stands in the tests.
SKELETON = """
import os, signal, sys, time
told = []
for line in sys.stdin:
    told.append(line.strip())
    command, *words = line.split()
    if command == "mancala":
        print("id name test\\noption name level type int default 1\\noption name style type string default\\nready")
    elif command == "ping":
        print("pong")
    elif command == "quit":
        break
    elif command == "go":
        state = told[-2]
        legal = state.split(" legal ")[1].split()
        ON_GO
"""


def program(tmp_path: Path, on_go: str, skeleton: str = SKELETON) -> str:
    """Return the command of a program that does this on ``go``."""
    file = tmp_path / "program.py"
    file.write_text(skeleton.replace("ON_GO", on_go.replace("\n", "\n" + " " * 8)))
    return f"{PYTHON} -S '{file}'"


def serve(engine: str) -> str:
    """Return the command that serves an engine of ours."""
    return f"{PYTHON} -P -m mancala_ai serve {engine!r}"


@pytest.fixture
def start() -> State:
    return load_game("kpe").initial_state()


# Our own engines on both sides.


def positions(game: str) -> Iterator[State]:
    """Yield the states of one game as a deterministic player plays it, a few plies apart."""
    state = load_game(game).initial_state()
    for ply in range(40):
        if state.is_over:
            return
        if ply % 3 == 0 or ply < 4:
            yield state
        legal = state.legal_moves()
        state = state.play(legal[ply * 7 % len(legal)])


@pytest.fixture(scope="module")
def served() -> Iterator[ProcessEngine]:
    engine = ProcessEngine(serve("alphabeta(depth=3)"))
    yield engine
    engine.close()


@pytest.mark.parametrize("game", ["giuthi", "kiothi", "kisolo", "kpe", "rio_kadalis"])
def test_a_served_engine_says_what_it_says_directly(served: ProcessEngine, game: str) -> None:
    """Move, value, variation, depth and nodes, with all the history; Kiothi from its first redistribution on."""
    direct = load_engine("alphabeta(depth=3)")
    served.new_game()
    states = list(positions(game))
    assert len(states) > 5
    for state in states:
        found, expected = served.search(state), direct.search(state)
        names = ("move", "value", "pv", "depth", "nodes", "proven", "lines")
        assert [getattr(found, name) for name in names] == [getattr(expected, name) for name in names]


def test_lines_and_intermediate_results(served: ProcessEngine, start: State) -> None:
    direct = list(load_engine("alphabeta").analyse(start, Limit(depth=3), 2))
    found = list(served.analyse(start, Limit(depth=3), 2))
    assert [(r.depth, r.lines) for r in found] == [(r.depth, r.lines) for r in direct]
    assert len(found[-1].lines) == 2


@pytest.mark.parametrize(
    ("game", "start", "moves"),
    [
        ("kpe(holes=3,seeds=1)", "0,1,0/1,0,0 S 0-4 abc/abc", "a b b"),
        ("rio_kadalis(holes=5)", "0,1,0,0,0/0,1,1,1,0 S 20-16", "c d b e e b"),
    ],
)
def test_repetition_in_the_history_is_known(served: ProcessEngine, game: str, start: str, moves: str) -> None:
    """Positions that are worth something else with their history than without."""
    state = replay(load_game(game), start, moves.split())
    bare = state.game.state(str(state))
    direct = load_engine("alphabeta(depth=3)")
    assert direct.search(state).value != direct.search(bare).value
    for each in (state, bare):
        assert served.search(each).value == direct.search(each).value


def test_seeds_and_options_arrive() -> None:
    """A served random player makes the choices that the same seed makes directly."""
    state = load_game("giuthi").initial_state()
    found = []
    engine = load_engine(f"process(command={write_value(serve('random'))},options='rng_seed=8')")
    direct = load_engine("random")
    for seed in (8, 1, 2, 3, 4):
        if seed != 8:
            engine.new_game(rng_seed=seed)
        direct.new_game(rng_seed=seed)
        found.append(engine.search(state).move)
        assert found[-1] == direct.search(state).move
    assert len(set(found)) > 1


def test_two_instances_know_nothing_of_each_other(tmp_path: Path, start: State) -> None:
    command = program(
        tmp_path, "print('info value', told.count('newgame'), 'pv', legal[0])\nprint('bestmove', legal[0])"
    )
    one, other = ProcessEngine(command), ProcessEngine(command)
    one.new_game()
    one.new_game()
    other.new_game()
    assert (one.search(start).value, other.search(start).value) == (2, 1)


# What a program is told, and what comes back.


def test_what_a_program_is_told(tmp_path: Path) -> None:
    """All lines, in order; options with their values, the history, the position now and the legal moves."""
    log = tmp_path / "told"
    on_go = f"open({str(log)!r}, 'w').write('\\n'.join(told))\nprint('bestmove', legal[0])"
    command = program(tmp_path, on_go)
    engine = load_engine(f"process(command={write_value(command)},options=\"style='a b, c',level=3\")")
    engine.new_game(rng_seed=9)
    state = load_game("kpe(holes=3,seeds=4)").initial_state().play("b").play("a")
    engine.search(state, Limit(seconds=2.5, depth=3, clock=60, increment=0))
    told = log.read_text().splitlines()
    assert told[:5] == ["mancala 1", "setoption style a b, c", "setoption level 3", "newgame rng_seed=9", "ping"]
    legal = " ".join(state.legal_moves())
    assert told[5:] == [
        "game kpe(holes=3,seeds=4)",
        f"position 4,4,4/4,4,4 S 0-0 -/- moves b a now {state} legal {legal}",
        "go depth=3,seconds=2.5,clock=60,increment=0",
    ]
    list(engine.analyse(state, None, 3))
    assert log.read_text().splitlines()[8:] == [told[6], "go lines=3"]  # the game is told once


def test_results_are_what_info_lines_said(tmp_path: Path, start: State) -> None:
    command = program(
        tmp_path,
        "print('info string hello pv x')\n"
        "print('info depth 1 nodes 5 value 0.5 pv a')\n"
        "print('info seconds 7')\n"
        "print('info depth 2 simulations 4 proven True value 1.5 pv b c value -1 pv a')\n"
        "print('bestmove b')",
    )
    first, last = ProcessEngine(command).analyse(start)
    assert first == SearchResult("a", 0.5, ("a",), depth=1, nodes=5, lines=(Line(0.5, ("a",)),))
    lines = (Line(1.5, ("b", "c")), Line(-1, ("a",)))
    assert last == SearchResult("b", 1.5, ("b", "c"), 2, 5, simulations=4, seconds=7, proven=True, lines=lines)


@pytest.mark.parametrize("move", ["a", "zz", "bestmove"])
def test_moves_pass_through(tmp_path: Path, start: State, move: str) -> None:
    """Legal or not; without any info line."""
    result = ProcessEngine(program(tmp_path, f"print('bestmove {move}')")).search(start)
    assert (result.move, result.pv, result.value, result.lines) == (move, (move,), None, ())


def test_a_variation_of_another_move_is_forgotten(tmp_path: Path, start: State) -> None:
    command = program(tmp_path, "print('info depth 3 value 1 pv a b')\nprint('bestmove b')")
    result = ProcessEngine(command).search(start)
    assert (result.move, result.pv, result.depth, result.lines) == ("b", ("b",), 3, ())


# Stopping.

UNTIL_STOP = "print('info value 2 pv b a')\nwhile sys.stdin.readline() != 'stop\\n': pass\nprint('bestmove b')"


def test_ctrl_c_sends_stop(tmp_path: Path, start: State) -> None:
    """What came is returned, and the program lives on."""
    engine = ProcessEngine(program(tmp_path, UNTIL_STOP))
    engine.new_game()
    assert engine._program is not None
    pid = engine._program._process.pid
    for _ in range(2):
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        result = engine.search(start)
        assert (result.move, result.value, result.interrupted) == ("b", 2, True)
        assert engine._program._process.pid == pid


def test_ctrl_c_does_not_wait_for_a_deaf_program(tmp_path: Path, start: State, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engines.process._STOPPING", 0.1)
    engine = ProcessEngine(program(tmp_path, "print('info value 2 pv c')\ntime.sleep(1000)"))
    engine.new_game()
    analysis = engine.analyse(start)
    assert next(analysis).move == "c"
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    result = next(analysis)
    assert (result.move, result.interrupted) == ("c", True)
    assert engine._program is not None
    assert not engine._program.is_open


def test_another_thread_and_a_consumer_that_leaves_stop_a_search(tmp_path: Path, start: State) -> None:
    engine = ProcessEngine(program(tmp_path, UNTIL_STOP))
    engine.new_game()
    threading.Timer(0.3, engine.stop).start()
    assert engine.search(start).move == "b"
    analysis = engine.analyse(start)
    assert next(analysis).value == 2
    analysis.close()  # type: ignore[attr-defined]
    threading.Timer(0.1, engine.stop).start()
    assert engine.search(start).interrupted is False


# Programs that misbehave.


@pytest.mark.parametrize(
    ("on_go", "message"),
    [
        ("print('boo', file=sys.stderr)\nsys.exit(3)", r"the program ended with exit code 3 .* \(stderr: boo\)"),
        (
            "raise KeyError('x')",
            r"the program ended with exit code 1 before it said bestmove \(stderr: KeyError: 'x'\)",
        ),
        ("os.kill(os.getpid(), signal.SIGKILL)", r"the program died of signal 9 before it said bestmove"),
        ("print('hello world')", r"answered 'hello world': expected info or bestmove MOVE"),
        ("print('bestmove')", r"answered 'bestmove': expected info or bestmove MOVE"),
        ("print('bestmove a b')", r"answered 'bestmove a b': expected info or bestmove MOVE"),
        ("print('pong')", r"answered 'pong': expected info .*"),
        ("print('error no idea')", r"the program reports: no idea"),
        ("print('info depth x pv a')", r"info 'depth x pv a': depth 'x': not a value of depth"),
        ("print('info dpeth 3')", r"info 'dpeth 3': 'dpeth': expected one of depth, nodes, .*"),
        ("print('info pv')", r"info 'pv': pv: expected moves"),
        ("print('\\udcff\\x00'.encode('utf-8', 'surrogateescape'))", r"answered .*: expected info or bestmove MOVE"),
        ("os.close(1)\ntime.sleep(1000)", r"the program closed its output before it said bestmove"),
        (
            "print('late', file=sys.stderr, flush=True)\ntime.sleep(1000)",
            r"too late: expected bestmove .*\(stderr: late\)",
        ),
        ("print('x' * 5_000_000)", r"answered 'x{100}': expected .*"),
    ],
)
def test_misbehaviour_is_one_line(tmp_path: Path, start: State, on_go: str, message: str) -> None:
    command = program(tmp_path, on_go)
    engine = ProcessEngine(command)
    engine.new_game()
    engine._timeout = 1.0  # from now on; a busy machine may take longer to start the program
    program_then = engine._program
    assert program_then is not None
    with pytest.raises(EngineError) as caught:
        engine.search(start, Limit(seconds=0.1))
    assert re.fullmatch(f"process {re.escape(repr(command))}: {message}", str(caught.value))
    assert program_then._process.returncode is not None  # ended, and no zombie


def test_a_failed_program_is_started_again(tmp_path: Path, start: State) -> None:
    """With the seed of the game."""
    mark = tmp_path / "mark"
    on_go = (
        f"if not os.path.exists({str(mark)!r}):\n    open({str(mark)!r}, 'w')\n    sys.exit(1)\n"
        "print('info value', told[1].partition('=')[2], 'pv', legal[0])\nprint('bestmove', legal[0])"
    )
    engine = ProcessEngine(program(tmp_path, on_go))
    engine.new_game(rng_seed=77)
    with pytest.raises(EngineError):
        engine.search(start)
    assert engine.search(start).value == 77


def test_silence_counts_only_without_a_limit_of_time(tmp_path: Path, start: State) -> None:
    """Signs of life keep a program alive, but not beyond its time."""
    chatter = "for _ in range(8):\n    print('info seconds 1', flush=True)\n    time.sleep(0.2)\nprint('bestmove a')"
    engine = ProcessEngine(program(tmp_path, chatter))
    engine.new_game()
    engine._timeout = 1.0
    assert engine.search(start, Limit(depth=3)).move == "a"
    for limit in (Limit(seconds=0.01), Limit(clock=0.01)):
        engine._timeout = 30.0
        engine.new_game()
        engine._timeout = 1.0
        with pytest.raises(EngineError, match="too late"):
            engine.search(start, limit)


def test_what_is_said_unasked_is_no_answer(tmp_path: Path, start: State) -> None:
    """A second bestmove must not be taken for the next one."""
    engine = ProcessEngine(program(tmp_path, "print('bestmove a\\nbestmove b', flush=True)"))
    assert engine.search(start).move == "a"
    time.sleep(0.3)
    with pytest.raises(EngineError, match="answered 'bestmove b': expected nothing before the next go"):
        engine.search(start)


def test_a_program_that_dies_between_searches(tmp_path: Path, start: State) -> None:
    engine = ProcessEngine(program(tmp_path, "print('bestmove a', flush=True)\nos._exit(5)"))
    assert engine.search(start).move == "a"
    time.sleep(0.3)
    with pytest.raises(EngineError, match="the program ended with exit code 5 before it said bestmove"):
        engine.search(start)


@pytest.mark.parametrize(
    ("hello", "message"),
    [
        ("print('Welcome')", "answered 'Welcome': expected id, option or ready"),
        ("sys.exit('no')", r"the program ended with exit code 1 before it said ready \(stderr: no\)"),
        ("time.sleep(1000)", "too late: expected ready in time"),
        (
            "print('option name x type word default a')",
            "option 'name x type word default a': expected name NAME type .*",
        ),
        ("print('option name x type int default a')", "option x='a': expected int"),
        ("print('error version')", "the program reports: version"),
        ("print('ready')\nprint('error later')", "the program reports: later"),
    ],
)
def test_a_bad_hello(tmp_path: Path, hello: str, message: str) -> None:
    file = tmp_path / "program.py"
    file.write_text(f"import sys, time\nfor line in sys.stdin:\n    {hello.replace(chr(10), chr(10) + '    ')}\n")
    engine = ProcessEngine(f"{PYTHON} '{file}'", timeout=1.0 if "sleep" in hello else 30.0)
    with pytest.raises(EngineError, match=f"^process .*: {message}$"):
        engine.new_game()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("process", "process: command='': expected a program and its arguments"),
        ("process(command='no_such_program x')", "process: command='no_such_program x': no program 'no_such_program'"),
        ('process(command="python \'x")', 'process: command="python \'x": no closing quotation'),
        ("process(command=python,timeout=0)", "process: timeout=0.0: expected more than 0"),
        ("process(command=python,options='x')", "'x': 'x': expected option=value"),
    ],
)
def test_bad_options_are_refused_at_once(text: str, message: str) -> None:
    with pytest.raises(mancala_ai.GameStringError, match=f"^{re.escape(message)}"):
        load_engine(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("levle=3", "process: option 'levle': did you mean 'level'? known: level, style"),
        ("level=high", "process: level='high': expected a whole number"),
        ("style=3", "process: style=3: expected a word"),
    ],
)
def test_options_that_the_program_has_not(tmp_path: Path, options: str, message: str) -> None:
    engine = ProcessEngine(program(tmp_path, ""), options=options)
    with pytest.raises(MancalaError, match=f"^{re.escape(message)}$"):
        engine.new_game()


# The end.


def children() -> set[int]:
    """Return the processes that this one has started and that are not done with, zombies included."""
    return {
        int(stat.parent.name)
        for stat in Path("/proc").glob("[0-9]*/stat")
        if stat.read_text().rpartition(") ")[2].split()[1] == str(os.getpid())
    }


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
@pytest.mark.parametrize("stubborn", [False, True])
def test_a_forgotten_engine_ends_its_program(tmp_path: Path, start: State, stubborn: bool) -> None:
    """Also one that hears neither quit nor the request to terminate."""
    on_go = "print('bestmove a', flush=True)"
    if stubborn:
        on_go += "\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(1000)"
    before = children()
    engine = ProcessEngine(program(tmp_path, on_go))
    engine.search(start)
    assert len(children() - before) == 1
    del engine
    gc.collect()
    assert children() - before == set()


def test_the_end_of_the_interpreter_ends_programs(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    command = program(tmp_path, f"open({str(pid_file)!r}, 'w').write(str(os.getpid()))\nprint('bestmove a')")
    code = (
        "import sys, mancala_ai\nfrom engines.process import ProcessEngine\nengine = ProcessEngine(sys.argv[1])\n"
        "print(engine.search(mancala_ai.load_game('kpe').initial_state()).move)"
    )
    assert run_python(code, command) == "a\n"
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


def _search_in_worker(text: str) -> tuple[str, int]:
    engine = load_engine(text)
    result = engine.search(load_game("kpe").initial_state())
    assert isinstance(engine, ProcessEngine)
    assert engine._program is not None
    globals()["_kept"] = engine  # until the worker ends
    return result.move, engine._program._process.pid


def test_worker_processes(tmp_path: Path) -> None:
    """An engine in a spawned worker plays, and its program ends with the worker."""
    command = program(tmp_path, "print('bestmove b')")
    text = f"process(command={write_value(command)})"
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, spawn) as pool:
        move, pid = pool.submit(_search_in_worker, text).result()
    assert move == "b"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


# The documentation.


def test_the_list_of_engines_tells_how_to_write_it() -> None:
    code, out, _ = run("engines")
    assert code == 0
    assert 'example  process(command="...",timeout=20.0)' in out


def test_the_documented_engine_plays_a_game(tmp_path: Path) -> None:
    [source] = re.findall(r"```python\n(.*?)```", DOCUMENT, flags=re.DOTALL)
    assert "mancala_ai" not in source
    (tmp_path / "my_engine.py").write_text(source)
    engine = load_engine(f"process(command={write_value(f'{PYTHON} {tmp_path}/my_engine.py')})")
    engine.new_game(rng_seed=1)
    for game in ("kpe", "kiothi"):
        state = load_game(game).initial_state()
        while not state.is_over and len(state.moves) < 150:
            state = state.play(engine.search(state, Limit(seconds=5)).move)
        assert len(state.moves) > 8


def test_documented_engine_strings_are_read() -> None:
    quoted = re.findall(r"`(process\(.*?\))`", DOCUMENT)
    assert len(quoted) == 2
    for text in quoted:
        command = canonical_engine_string(text)
        assert canonical_engine_string(command) == command
