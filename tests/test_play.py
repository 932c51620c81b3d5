"""Playing in the terminal, with input from a pipe."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import mancala_ai
from experiments.play import Table
from mancala_ai.protocol import Limit, parse_limit
from tests.test_cli import run


def play(*arguments: str, typed: str = "") -> tuple[int, str]:
    """Exit code and output of ``mancala-ai play`` with some lines typed."""
    code, out, errors = run("play", *arguments, typed=typed)
    return code, out + errors


def table(game: str = "giuthi", names: tuple[str, str] = ("human", "human")) -> Table:
    return Table(mancala_ai.load_game(game).initial_state(), names, "")


# The conversation.


def test_a_game_against_an_engine() -> None:
    code, out = play("kpe", "--north", "greedy", typed="a\nquit\n")
    assert code == 0
    assert "kpe(holes=4,seeds=6)   South: human   North: greedy" in out
    assert "Type a move, such as a, or help." in out
    assert "\nSouth> a\n" in out
    assert "South played a.\nNorth played " in out
    assert out.endswith("South> quit\nGood-bye; the game was not saved.\n")


def test_the_engine_may_begin() -> None:
    code, out = play("kpe", "--south", "greedy", "--north", "human", typed="quit\n")
    assert code == 0
    assert "South played " in out
    assert "North> quit" in out


def test_two_engines_need_nobody() -> None:
    code, out = play("kpe", "--south", "greedy", "--north", "random")
    assert code == 0
    assert "\nGame over: " in out


def test_a_game_to_its_end() -> None:
    code, out = play("kpe", "0,0,0,1/0,0,0,1 S 23-23 abcd/abcd", "--north", "human", typed="d\na\nundo\nquit\n")
    assert code == 0
    assert "The only legal move is d.\nType a move, such as d, or help.\nSouth> d\n" in out
    result = "Game over: South wins by 2 (South 25, North 23).\nType undo, save FILE, or quit.\n"
    assert result + "game over> a\n'a': the game is over: expected undo, save, load, help or quit\n" in out
    assert "game over> undo\n" in out
    assert out.endswith("South> quit\nGood-bye.\n")


def test_wrong_input_is_answered_with_the_legal_moves() -> None:
    code, out = play("kpe", "--north", "human", typed="z\nA\n\nmoves\nquit\n")
    assert code == 0
    assert "'z' is not a move here: expected a, b, c, d, or help\n" in out
    assert "'A' is not a move here: expected a, b, c, d, or help\n" in out
    assert "Legal moves: a b c d\n" in out


def test_extra_moves_are_announced() -> None:
    position = "8,8,8,8,8,8,8,8/2,0,0,0,0,0,0,2 S 0-0"
    _, out = play("giuthi", position, "--north", "human", typed="a+\nquit\n")
    assert "South played a+. South moves again.\n" in out


def test_the_end_of_the_input_leaves() -> None:
    code, out = play("kpe", "--north", "human", typed="a\n")
    assert code == 0
    assert out.endswith("\nNorth> \nGood-bye; the game was not saved.\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kpee"], "mancala-ai: game 'kpee': did you mean 'kpe'?"),
        (["kpe", "--north", "gredy"], "mancala-ai: player 'gredy': did you mean 'greedy'?"),
        (["kpe", "--limit", "depth=x"], "mancala-ai: limit depth='x': expected a whole number"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str) -> None:
    code, out = play(*arguments)
    assert code == 2
    assert out.startswith(message)
    assert out.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupt_leaves_and_says_how_to_go_on(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "mancala_ai", "play", "kpe", "--north", "human"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"a\nsave {tmp_path / 'game.jsonl'}\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("Saved in "):
                break
        process.send_signal(signal.SIGINT)
        out = process.stdout.read()
        assert process.wait(timeout=30) == 130
    assert f"The game is in {tmp_path / 'game.jsonl'}, as of move 1.\nTo go on: mancala-ai play 'kpe(" in out
    assert out.endswith(f"and then: load {tmp_path / 'game.jsonl'}\n")
    assert "Traceback" not in out


# The table.


def test_save_and_load(tmp_path: Path) -> None:
    file = str(tmp_path / "my game.jsonl")
    first = table("kpe")
    first.obey("a")
    first.obey("b")
    assert first.obey(f"save {file}") == f"Saved in {file}."
    first.obey("c")
    assert f"The game is in {file}, as of move 2; what was played since (1 moves) is not in it.\n" in first.farewell()
    assert first.obey("save") == f"Saved in {file}."

    second = table("kpe")
    second.obey(f"load {file}")
    assert (second.state, second.state.moves) == (first.state, ["a", "b", "c"])
    second.obey("undo")
    assert second.state.moves == ["a", "b"]
    assert second.obey("save") == f"Saved in {file}."
    assert next(mancala_ai.read_records(file)).moves == ("a", "b")


def test_saving_writes_over_nobodys_file(tmp_path: Path) -> None:
    file = tmp_path / "precious"
    file.write_text("precious")
    with pytest.raises(mancala_ai.MancalaError, match="exists: expected a new file name"):
        table().obey(f"save {file}")
    with pytest.raises(mancala_ai.MancalaError, match="expected a file name"):
        table().obey("save")
    with pytest.raises(mancala_ai.RecordError, match="line 1: not JSON"):
        table().obey(f"load {file}")
    several = tmp_path / "several.jsonl"
    record = mancala_ai.GameRecord.from_state(table().state, ("a", "b"))
    mancala_ai.write_records(several, [record, record])
    loaded = table()
    loaded.obey(f"load {several}")
    with pytest.raises(mancala_ai.MancalaError, match="expected a file name"):
        loaded.obey("save")


def test_files_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "game.jsonl"
    code, out = play("kpe", "--north", "human", typed=f"load {missing}\nsave {missing}\nquit\n")
    assert code == 0
    assert out.count(f"{missing}: No such file or directory\n") == 2


def test_undo_goes_back_to_the_persons_own_move() -> None:
    mine = table("kpe", ("human", "greedy"))
    start = mine.state
    mine.obey("a")
    mine.play_engine()
    mine.obey("undo")
    assert mine.state == start
    with pytest.raises(mancala_ai.MancalaError, match="undo: expected a move of yours"):
        mine.obey("undo")
    ours = table("kpe")
    ours.obey("a")
    ours.obey("b")
    ours.obey("undo")
    assert ours.state.moves == ["a"]


def test_hint_is_a_legal_move() -> None:
    mine = table("kpe", ("human", "greedy"))
    answer = mine.obey("hint")
    assert answer is not None
    assert answer.startswith("Hint: ")
    assert answer.split()[1] in mine.state.legal_moves()


def test_several_moves_of_one_turn() -> None:
    ours = table("kiothi")
    ours.obey("!e !f @a @a @a @a @a @b @b @b @b @B")
    assert ours.state.to_move == 1
    assert ours.tell() == "South played !e, !f, @a, @a, @a, @a, @a, @b, @b, @b, @b, @B."
    before = ours.state
    with pytest.raises(mancala_ai.IllegalMoveError, match="'@b' is not a move here"):
        ours.obey("!e !f @c @b")
    assert ours.state is before
    two = table("kpe")
    with pytest.raises(mancala_ai.IllegalMoveError, match="move 'b': expected none, it is North's turn by then"):
        two.obey("a b")
    assert two.state.moves == []


# Limits.


def test_limits() -> None:
    assert parse_limit("seconds=0.5, depth=6") == Limit(seconds=0.5, depth=6)
    assert parse_limit("nodes=100,simulations=3,seconds=2") == Limit(nodes=100, simulations=3, seconds=2.0)
    assert parse_limit("") == Limit()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("depth", "limit 'depth': expected name=value, such as seconds=0.5"),
        ("dpeth=3", "limit 'dpeth': did you mean 'depth'? known: depth, nodes, seconds, simulations, clock, increment"),
        ("depth=2.5", "limit depth='2.5': expected a whole number"),
        ("nodes=1_000", "limit nodes='1_000': expected a whole number"),
        ("seconds=nan", "limit seconds='nan': expected a number"),
        ("seconds=", "limit seconds='': expected a number"),
        ("depth=0", "limit depth=0: expected more than 0"),
        ("seconds=-1", "limit seconds=-1.0: expected more than 0"),
        ("depth=1,depth=2", "limit 'depth' is given twice: expected once"),
    ],
)
def test_wrong_limits(text: str, message: str) -> None:
    with pytest.raises(mancala_ai.GameStringError) as caught:
        parse_limit(text)
    assert str(caught.value) == message
