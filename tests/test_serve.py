"""Our engines behind the line protocol: what is answered, what is refused, and how a search is stopped."""

from __future__ import annotations

import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines import messages, serve
from mancala_ai import Limit, Line, MancalaError, SearchResult, load_engine, load_game
from mancala_ai.game import replay
from mancala_ai.registry import engine_type
from tests.helpers import ROOT, SMALL_PERFTS

WAIT = 60.0  # seconds for what should come at once


class Session:
    """A server in this process: what is told to it, and what it says."""

    def __init__(self, engine: str) -> None:
        self._told: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.said: queue.Queue[str] = queue.Queue()
        server = serve.Server(engine, self.said.put)
        self._thread = threading.Thread(target=lambda: server.run(iter(self._told.get, None)), daemon=True)
        self._thread.start()

    def tell(self, *lines: str) -> None:
        """Say lines."""
        for line in lines:
            self._told.put(line + "\n")

    def hear(self) -> str:
        """Return the next line."""
        return self.said.get(timeout=WAIT)

    def hear_until(self, word: str) -> list[str]:
        """Return the lines up to the one that begins with this word."""
        lines = [self.hear()]
        while lines[-1].partition(" ")[0] != word:
            lines.append(self.hear())
        return lines

    def end(self) -> list[str]:
        """End the input, and return what was not heard."""
        self._told.put(None)
        self._thread.join(WAIT)
        assert not self._thread.is_alive()
        return [self.said.get() for _ in range(self.said.qsize())]


@pytest.fixture
def alphabeta() -> Iterator[Session]:
    session = Session("alphabeta")
    yield session
    session.end()


def start_line(game: str = "kpe") -> str:
    return messages.position_line(load_game(game).initial_state())


def test_the_documented_session_runs_as_printed() -> None:
    document = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    [text] = re.findall(r"```text\n(.*?)```", document, flags=re.DOTALL)
    command = [sys.executable, "-P", "-m", "mancala_ai", "serve", "greedy"]
    assert "`mancala-ai serve greedy`" in document
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in text.splitlines():
            if line.startswith("> "):
                process.stdin.write(line[2:] + "\n")
            else:
                timeless = [re.sub(r"seconds \S+", "seconds 0", said) for said in (process.stdout.readline(), line[2:])]
                assert timeless[0].rstrip("\n") == timeless[1]
        assert process.stdout.read() == ""
        assert process.wait(WAIT) == 0


def test_hello_shows_the_options_as_chosen() -> None:
    session = Session("alphabeta(depth=3,evaluation=material)")
    session.tell("mancala 1")
    said = session.hear_until("ready")
    assert said[0] == "id name alphabeta(depth=3,evaluation=material)"
    options = dict(messages.read_option(line.partition(" ")[2]) for line in said if line.startswith("option "))
    known = load_engine("alphabeta").options
    assert set(options) == set(known)
    for name, option in options.items():
        assert option.default == {"depth": 3, "evaluation": "material"}.get(name, known[name].default)
    assert session.end() == []


def test_a_search_reports_as_it_goes(alphabeta: Session) -> None:
    alphabeta.tell("setoption depth 4", "game kpe", start_line(), "go depth=9")
    *infos, best = alphabeta.hear_until("bestmove")
    direct = list(load_engine("alphabeta(depth=4)").analyse(load_game("kpe").initial_state()))
    said = [messages.read_info(line.removeprefix("info ")) for line in infos]
    assert [(info["depth"], info["value"], info["pv"]) for info in said] == [(r.depth, r.value, r.pv) for r in direct]
    assert best == f"bestmove {direct[-1].move}"


@pytest.mark.parametrize("engine", ["alphabeta", "mcts"])
def test_stop_ends_an_endless_search(engine: str) -> None:
    """And what may be said meanwhile; the next search is as any other."""
    session = Session(engine)
    session.tell("game giuthi", start_line("giuthi"), "go seconds=100000", "ping", "go", "game kpe")
    assert session.hear_until("pong")[-1] == "pong"
    for command in ("go", "game"):
        assert session.hear_until("error")[-1] == f"error {command}: expected stop, ping or quit while a search runs"
    session.hear_until("info")
    session.tell("stop")
    assert session.hear_until("bestmove")[-1].split()[1] in load_game("giuthi").initial_state().legal_moves()
    session.tell("stop", "go depth=2,simulations=10")
    found = session.hear_until("bestmove")
    direct = load_engine(engine).search(load_game("giuthi").initial_state(), Limit(depth=2, simulations=10))
    assert found[-1] == f"bestmove {direct.move}"
    session.tell("go seconds=100000")
    session.hear_until("info")
    assert session.end()[-1].startswith("bestmove ")  # the end of the input ends the search, too


def test_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that says nothing for long is spoken for."""
    monkeypatch.setattr(serve, "SIGN_OF_LIFE", 0.05)
    done = threading.Event()

    def analyse(self: Any, *arguments: Any) -> Iterator[SearchResult]:
        done.wait(WAIT)
        yield SearchResult("a")

    monkeypatch.setattr("engines.simple.RandomEngine.analyse", analyse)
    session = Session("random")
    session.tell("game kpe", start_line(), "go")
    for _ in range(2):
        assert re.fullmatch(r"info seconds [\d.]+", session.hear())
    done.set()
    assert session.hear_until("bestmove")[-1] == "bestmove a"
    session.end()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["mancala"], "protocol version '': expected 1"),
        (["mancala 2"], "protocol version '2': expected 1"),
        (["hello"], "command 'hello': known: mancala, setoption, newgame, game, position, go, stop, ping, quit"),
        (["GO"], "command 'GO': known: .*"),
        (["setoption"], "option '': known: .*"),
        (["setoption dpeth 3"], "option 'dpeth': did you mean 'depth'\\? known: .*"),
        (["setoption depth"], "option depth='': expected int"),
        (["setoption depth 3.5"], "option depth='3.5': expected int"),
        (["setoption depth -1"], "alphabeta: depth=-1: expected .*"),
        (["setoption seconds inf"], "option seconds='inf': expected float"),
        (["setoption exact_depth yes"], "option exact_depth='yes': expected bool"),
        (["setoption evaluation good"], "alphabeta: evaluation=good: expected fitted or material"),
        (["newgame seed=3"], "newgame 'seed=3': expected nothing, or rng_seed=N"),
        (["newgame rng_seed=x"], "newgame 'rng_seed=x': expected nothing, or rng_seed=N"),
        (["game chess"], "game 'chess': known: .*"),
        (["position 1,1,1/1,1,1 S 0-0 -/-"], "position: expected a game first"),
        (["game kpe", "position"], "position '': 0 fields: expected .*"),
        (["game kpe", "position now then"], "position '': 0 fields: expected .*"),
        (["game kpe", "position 6,6,6,6/6,6,6,6 S 0-0 -/- moves a z"], "move 'z' in .*: expected one of .*"),
        (["go"], "go: expected a position first"),
        (["game kpe", start_line(), "game kpe", "go"], "go: expected a position first"),
        (["game kpe", start_line(), "game kpee", "go"], "game 'kpee': .*"),
        (["game kpe", start_line(), "go depth"], "limit 'depth': expected name=value, such as seconds=0.5"),
        (["game kpe", start_line(), "go depth=1 nodes=3"], "go 'depth=1 nodes=3': expected one limit, .*"),
        (["game kpe", start_line(), "go lines=0"], "limit 'lines': .*"),
        (
            ["game kpe", "position 0,0,1,5/0,0,0,0 S 20-22 abcd/abcd", "go"],
            "go: position .*: expected a game that is .*",
        ),
    ],
)
def test_wrong_lines_are_answered_and_change_nothing(alphabeta: Session, lines: list[str], message: str) -> None:
    alphabeta.tell(*lines)
    said = alphabeta.hear()
    assert re.fullmatch(f"error {message}", said)
    alphabeta.tell("", "ping")
    assert "pong" in alphabeta.hear_until("pong")


def test_an_engine_that_raises_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def analyse(self: Any, *arguments: Any) -> Iterator[SearchResult]:
        raise RuntimeError("two\nlines")
        yield

    monkeypatch.setattr("engines.simple.RandomEngine.analyse", analyse)
    session = Session("random")
    session.tell("game kpe", start_line(), "go", "ping")
    error, pong = sorted([session.hear(), session.hear()])
    assert (error.partition(" (test_serve.py:")[0], pong) == ("error RuntimeError: two lines", "pong")
    monkeypatch.setattr("engines.simple.RandomEngine.analyse", lambda *arguments: iter(()))
    session.tell("go")
    assert session.hear() == "error the engine gave no move"
    session.end()


def test_what_an_engine_prints_does_not_come_between(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "from mancala_ai import Engine, SearchResult\nprint('imported')\nclass Loud(Engine):\n"
        "    def search(self, state, limit=None):\n        print('thinking')\n        return SearchResult('a')\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-m", "mancala_ai", "serve", f"{tmp_path}/loud.py:Loud"],
        input=f"game kpe\n{start_line()}\ngo\n",
        capture_output=True,
        text=True,
        timeout=WAIT,
    )
    assert done.stdout.splitlines() == ["info seconds 0.000000 pv a", "bestmove a"]
    assert "imported\nthinking\n" in done.stderr


def test_the_command_line() -> None:
    """An engine that does not exist is one line; the end of the input is the end."""
    command = [sys.executable, "-P", "-m", "mancala_ai", "serve"]
    for engine, code, said in (("greddy", 2, "mancala-ai: engine 'greddy': did you mean"), ("greedy", 0, "")):
        done = subprocess.run([*command, engine], input="", capture_output=True, text=True, timeout=WAIT)
        assert (done.returncode, done.stdout) == (code, "")
        assert done.stderr.startswith(said)
        assert done.stderr.count("\n") == bool(code)


# Lines, written and read again.


@pytest.mark.parametrize(("game", "position", "depth"), SMALL_PERFTS)
def test_positions_are_read_as_written(game: str, position: str, depth: int) -> None:
    state = load_game(game).state(position)
    for _ in range(depth + 1):
        words = messages.position_line(state).removeprefix("position ")
        again = messages.read_position(state.game, words)
        assert again.positions == state.positions
        assert words.split(" legal")[1].split() == state.legal_moves()
        assert words.split(" now ")[1].split(" legal")[0] == str(state)
        assert messages.read_position(state.game, words.partition(" moves")[0]).positions == state.positions[:1]
        legal = state.legal_moves()
        state = replay(state.game, str(state.start), [*state.moves, *legal[-1:]])


def test_results_are_read_as_written() -> None:
    lines = (Line(1.25, ("a", "b+")), Line(-1e-07, ("c",)))
    result = SearchResult("a", 1.25, ("a", "b+"), 3, 17, 5, 0.5, True, lines)
    said = messages.read_info(messages.info_line(result).removeprefix("info "))
    assert SearchResult("a", **said) == result
    assert messages.read_info(messages.info_line(SearchResult("a")).removeprefix("info "))["pv"] == ("a",)


@pytest.mark.parametrize("limit", [None, Limit(), Limit(depth=3), Limit(seconds=1e-05, clock=60.5, increment=0)])
@pytest.mark.parametrize("lines", [1, 7])
def test_limits_are_read_as_written(limit: Limit | None, lines: int) -> None:
    found, number = messages.read_go(messages.go_line(limit, lines).removeprefix("go"))
    assert (found or Limit(), number) == (limit or Limit(), lines)


def test_options_of_every_engine_are_read_as_written() -> None:
    for name in ("alphabeta", "mcts", "process", "random"):
        for option, info in engine_type(name).options.items():
            line = messages.option_line(option, info.default)
            found, read = messages.read_option(line.removeprefix("option "))
            assert (found, read.default, type(read.default)) == (option, info.default, type(info.default))
    with pytest.raises(MancalaError):
        messages.read_option("name x type int")
