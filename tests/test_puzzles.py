"""Puzzles: the format, the collection that ships, making them, solving them, printing them."""

from __future__ import annotations

import dataclasses
import json
import re
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import mancala_ai
from engines.endgame.build import build_levels
from engines.endgame.probe import EndgameDatabase
from engines.solver.goals import Goal, read_goal
from engines.solver.solve import solve
from experiments.puzzles.judge import Judge
from experiments.puzzles.make import as_puzzle, make_puzzles
from experiments.puzzles.play import Session, describe_line
from experiments.puzzles.puzzle import COLLECTION, Puzzle, PuzzleError, parse_puzzle, read_puzzles
from mancala_ai import IllegalMoveError, State
from tests.test_cli import run
from tests.test_endgame_values import Literal
from tests.test_solver import seeds_of

PUZZLES = list(read_puzzles(COLLECTION))
ALL = [pytest.param(puzzle, id=puzzle.position) for puzzle in PUZZLES]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where levels are built, once."""
    return tmp_path_factory.mktemp("levels")


@pytest.fixture
def database(request: pytest.FixtureRequest, base: Path) -> EndgameDatabase:
    """Levels that do not hold the puzzle itself: all that is said of it is searched for."""
    puzzle = request.getfixturevalue("puzzle")
    return build_levels(mancala_ai.load_game(puzzle.game), min(seeds_of(puzzle.position) - 1, 8), base)


def outcome_of(state: State, player: int) -> int:
    """The outcome of a state that is over, for a player."""
    assert state.outcome is not None
    return state.outcome if player == 0 else -state.outcome


# The collection.


def test_the_collection_is_one() -> None:
    """A hundred puzzles, sorted, of several kinds and grades, none twice or mirrored."""
    assert len(PUZZLES) == 100
    ratings = [puzzle.rating for puzzle in PUZZLES]
    assert None not in ratings
    assert ratings == sorted(ratings, key=lambda rating: rating or 0)
    assert {puzzle.grade for puzzle in PUZZLES} == {"easy", "medium", "hard", "very hard"}
    assert {str(puzzle.goal).split(" and ")[1][:6] for puzzle in PUZZLES} == {"draw", "win", "win by"}
    boards = set()
    for puzzle in PUZZLES:
        north, south = (tuple(row.split(",")) for row in puzzle.position.split()[0].split("/"))
        own, other = (south, north) if puzzle.goal.player == 0 else (north[::-1], south[::-1])
        assert (own, other) not in boards
        boards |= {(own, other), (own[::-1], other[::-1])}


@pytest.mark.parametrize("puzzle", ALL)
def test_one_move_alone_is_right(puzzle: Puzzle, database: EndgameDatabase) -> None:
    """The solver, without the level of the puzzle, finds the key and no other move."""
    state = puzzle.state
    assert len(state.legal_moves()) >= 3
    solution = solve(state, database)
    assert solution.solved
    assert solution.nodes > 0
    if puzzle.goal.margin is None:
        assert (solution.mover_outcome, solution.best) == (0, [puzzle.key])
    elif puzzle.goal.margin == 1:
        assert (solution.mover_outcome, solution.best) == (1, [puzzle.key])
    else:
        assert solution.mover_outcome == 1
        assert len(solution.best) > 1
        south, north = state.captured or (0, 0)
        ahead = south - north if state.to_move == 0 else north - south
        assert solve(state, database, margin=True).lower == puzzle.goal.margin - ahead
    assert Judge(puzzle, database).keeping(state) == [puzzle.key]


SMALL = [puzzle for puzzle in PUZZLES if "holes=5" in puzzle.game and seeds_of(puzzle.position) <= 6]


@pytest.mark.parametrize("puzzle", SMALL, ids=lambda puzzle: puzzle.position)
def test_brute_force_agrees(puzzle: Puzzle) -> None:
    """The graph of all that can be reached, by the literal rules: right for the key, and for no other move."""
    literal = Literal(puzzle.game, [puzzle.position])
    state, player = puzzle.state, puzzle.goal.player
    right = []
    for move in state.legal_moves():
        child = state.play(move)
        south, north = child.captured or (0, 0)
        ahead = south - north if player == 0 else north - south
        if child.is_over:
            assert child.margin is not None
            low = high = float(child.margin if player == 0 else -child.margin)
        else:
            key = literal.game.read(str(child)).key()
            low, high = literal.lower[key], literal.upper[key]
            low, high = (low, high) if child.to_move == player else (-high, -low)
            low, high = ahead + low, ahead + high
        if (high >= 0) if puzzle.goal.margin is None else (low >= puzzle.goal.margin):
            right.append(move)
    assert right == [puzzle.key]


def test_brute_force_has_something_to_do() -> None:
    assert len(SMALL) >= 3


@pytest.mark.parametrize("puzzle", ALL)
def test_solution_trees(puzzle: Puzzle, database: EndgameDatabase) -> None:
    """Trees begin with the key, hold legal moves, all replies, and the one right move of each decision."""
    judge = Judge(puzzle, database)
    assert list(puzzle.solution) == [puzzle.key]

    def check(tree: Any, state: State, depth: int) -> int:
        own = state.to_move == puzzle.goal.player
        if isinstance(tree, str):
            if tree != "and so on":
                assert state.is_over
                assert puzzle.goal.is_reached(state)
            return 1
        if isinstance(tree, list):
            assert own
            assert len(tree) > 1
            assert set(tree) == set(judge.keeping(state))
            return 1
        assert set(tree) == (set(judge.keeping(state)) if own else set(state.legal_moves()))
        return sum(check(below, state.play(move), depth + 1) for move, below in tree.items())

    assert check(puzzle.solution, puzzle.state, 0) > 0


# The format.


def test_goals() -> None:
    for text, goal in [
        ("South to move and win", Goal(0, 1)),
        ("North to move and draw", Goal(1, None)),
        ("South to move and win by 12", Goal(0, 12)),
    ]:
        assert read_goal(text) == goal
        assert str(goal) == text


@pytest.mark.parametrize("puzzle", PUZZLES[::9], ids=lambda puzzle: puzzle.position)
def test_both_forms_say_the_same(puzzle: Puzzle) -> None:
    assert parse_puzzle(puzzle.to_json()) == puzzle
    bare = dataclasses.replace(puzzle, solution=None, rating=None, facts={})
    assert parse_puzzle(puzzle.to_text()) == bare
    assert parse_puzzle(bare.to_json()) == bare


P = "giuthi(holes=5,seeds=4) | 0,2,0,0,1/0,0,3,0,0 S 3-2"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (P, "2 parts: expected game | position | stipulation | solution"),
        (f"{P} | win | c+", "stipulation 'win': expected 'South to move and win', "),
        (f"{P} | South to move and draw by 3 | c+", "stipulation 'South to move and draw by 3': expected"),
        (f"{P} | South to move and win by 0 | c+", "stipulation 'South to move and win by 0': expected"),
        (f"{P} | North to move and win | c+", "expected South to move"),
        (f"{P} | South to move and win | z", "solution 'z': expected a legal move: c+, c-"),
        (f"{P} | South to move and win |", "solution '': expected a legal move: c+, c-"),
        (f"x{P} | South to move and win | c+", "game 'xgiuthi'"),
        (P.replace("0,2,0", "0,2") + " | South to move and win | c+", "expected 5 pits"),
        ("giuthi(holes=5) | 0,1,0,0,1/0,0,1,0,0 S 3-2 | South to move and win | c+", "the game is over: expected"),
        ("{", "not JSON: expected a JSON object"),
        ("win", "1 part: expected game | position | stipulation | solution, or a JSON object"),
        ("{}", "expected a JSON object with texts"),
        ('{"game": "giuthi", "position": "x", "stipulation": "y", "best": [1]}', "expected a JSON object with texts"),
        ('{"game": "giuthi", "position": "x", "stipulation": "y", "best": ["a", "b"]}', "expected a JSON object"),
        (
            '{"game": "giuthi", "position": "x", "stipulation": "y", "best": ["a"], "rating": "x"}',
            "rating 'x': expected",
        ),
    ],
)
def test_bad_lines(line: str, message: str, tmp_path: Path) -> None:
    """One line that names file, line and field."""
    file = tmp_path / "bad.jsonl"
    file.write_text(f"# a remark\n\n{line}\n")
    with pytest.raises(PuzzleError) as caught:
        list(read_puzzles(file))
    assert str(caught.value).startswith(f"{file} line 3: ")
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    code, _, err = run("puzzle", "play", str(file))
    assert (code, err) == (2, f"mancala-ai: {caught.value}\n")


# Making.


@pytest.fixture(scope="module")
def made(base: Path) -> list[Puzzle]:
    """Some new puzzles on a small board."""
    game = mancala_ai.load_game("giuthi(holes=5,seeds=4)")
    return list(islice(make_puzzles(game, build_levels(game, 8, base), range(6, 9), 1), 8))


def test_made_puzzles_are_puzzles(made: list[Puzzle], base: Path) -> None:
    """One right move, different positions, seeds as asked for, the same again for the same rng_seed."""
    game = mancala_ai.load_game("giuthi(holes=5,seeds=4)")
    database = build_levels(game, 8, base)
    for puzzle in made:
        assert 6 <= seeds_of(puzzle.position) <= 8
        assert as_puzzle(puzzle.state, database) == dataclasses.replace(puzzle, solution=None, rating=None, facts={})
        assert Judge(puzzle, build_levels(game, 5, base)).keeping(puzzle.state) == [puzzle.key]
        assert puzzle.facts["decisions"] >= 1
        assert puzzle.facts["longest_relay"] >= 1
        assert parse_puzzle(puzzle.to_json()) == puzzle
    assert len({puzzle.position for puzzle in made}) == len(made)
    assert list(islice(make_puzzles(game, database, range(6, 9), 1), 3)) == made[:3]
    assert list(islice(make_puzzles(game, database, range(6, 9), 2), 3)) != made[:3]


def test_positions_that_are_no_puzzles(base: Path) -> None:
    """Lost ones, those with fewer than three moves, those where several moves are as good."""
    game = mancala_ai.load_game("giuthi(holes=5,seeds=4)")
    database = build_levels(game, 6, base)
    none = 0
    for position in ("0,2,0,0,1/0,0,3,0,0 S 3-2", "0,0,0,0,0/2,2,0,0,0 S 30-0", "2,2,0,0,0/0,1,0,1,0 S 3-3"):
        none += as_puzzle(game.state(position), database) is None
    assert none == 3


def test_laps_are_those_of_the_rules() -> None:
    """Counted by hand: one lap into an empty pit; a relay of two."""
    rules = mancala_ai.load_game("giuthi(holes=5,seeds=4)").rules
    for position, move, laps in [
        ("0,0,0,0,0/2,0,0,0,0 S 0-0", "a+", 1),
        ("0,0,0,0,0/2,0,1,0,0 S 0-0", "a+", 2),  # a to c, then two from c back to a, which is empty by now
        ("0,0,0,0,0/1,0,0,0,0 S 0-0", "pass", 0),
    ]:
        state = mancala_ai.load_game("giuthi(holes=5,seeds=4)").state(position)
        number = rules.move_number(move)
        assert number is not None
        assert rules.laps(state.position, number) == laps


# Solving in the terminal.


def followed(line: str, state: State) -> State:
    """Where a line such as "South e+ f+, North c-. Drawn" leads; its players are to move, its end is as it says."""
    moves, _, end = line.partition(". ")
    for group in moves.removesuffix(" ...").split(", "):
        player, *words = group.split()
        for move in words:
            assert player == ("South", "North")[state.to_move]
            state = state.play(move)
    assert state.is_over == bool(end)
    if state.is_over:
        winner = {1: "South wins by", -1: "North wins by", 0: ""}[state.outcome or 0]
        assert end.startswith(winner or ("Drawn", "The position"))
        assert end.endswith("The position repeats: a draw.") == (state.termination == "infinite")
    return state


def first_of(line: str) -> str:
    """The first move of such a line."""
    return re.split("[ ,.]+", line)[1]


def test_lines_tell_the_whole_story(base: Path) -> None:
    """By hand: both sides' moves, extra moves of a player in a row, and how it ends."""
    puzzle = PUZZLES[-1]
    assert puzzle.position == "0,0,0,0,1/2,0,0,0,2 S 31-4"
    session = Session(puzzle, build_levels(mancala_ai.load_game(puzzle.game), 5, base))
    assert session.solution() == (
        "Solution: South a+ e- d+, North pass, South e- c-, North pass, South b-, North pass, South a+. "
        "South wins by 32 (South 36, North 4)."
    )
    said = session.play("a-")
    assert said == (
        "a- does not win by 32. North loses by less: South a-, North pass, South e-. "
        "South wins by 26 (South 33, North 7)."
    )
    assert describe_line(puzzle.state, ["a+"]) == "South a+ ..."


def test_a_repetition_is_named(base: Path) -> None:
    """Where a wrong move lets the opponent draw by infinite play the line says so, and in draws that are the goal."""
    named = 0
    for puzzle in PUZZLES:
        if "holes=5" not in puzzle.game:
            continue
        session = Session(puzzle, build_levels(puzzle.state.game, seeds_of(puzzle.position), base))
        texts = [session.solution().removeprefix("Solution: ")]
        texts += [session.play(move) for move in puzzle.state.legal_moves() if move != puzzle.key]
        named += sum("The position repeats: a draw." in text for text in texts)
        assert puzzle.goal.is_reached(followed(texts[0], puzzle.state))
        for said in texts[1:]:  # with the level there, every refutation is shown to the end
            line = said.partition(": ")[2]
            if line.startswith(("South ", "North ")):
                assert not puzzle.goal.is_reached(followed(line, puzzle.state))
            else:
                assert said.partition(". ")[2].count(".") == 1
    assert named > 0


@pytest.mark.parametrize("puzzle", PUZZLES[::8], ids=lambda puzzle: puzzle.position)
def test_a_session(puzzle: Puzzle, database: EndgameDatabase) -> None:
    """Wrong moves are refuted and taken back; right ones lead on until several are right, or to the end."""
    session = Session(puzzle, database)
    assert puzzle.key[0] in session.hint() or puzzle.key == "pass"
    line = session.solution().removeprefix("Solution: ")
    assert first_of(line) == puzzle.key
    assert puzzle.goal.is_reached(followed(line, puzzle.state))
    for move in session.state.legal_moves():
        if move != puzzle.key:
            said = session.play(move)
            assert said.startswith(f"{move} does not {str(puzzle.goal).split(' and ')[1]}. ")
            assert session.state == puzzle.state
            verdict, _, line = said.partition(": ")
            if verdict.endswith(("draws", "wins", "less")):
                assert first_of(line) == move
                assert not puzzle.goal.is_reached(followed(line, puzzle.state))
    assert session.wrong == len(puzzle.state.legal_moves()) - 1
    with pytest.raises(IllegalMoveError, match="is not a move here"):
        session.play("x")
    judge = Judge(puzzle, database)
    for _ in range(40):
        if session.solved:
            break
        assert session.state.to_move == puzzle.goal.player
        session.play(judge.keeping(session.state)[0])
    assert session.solved
    assert judge.holds(session.state)
    played, *rest = session.account().removeprefix("Line of play: ").splitlines()
    end = followed(played, puzzle.state)
    assert str(end) == str(session.state)
    if rest:
        end = followed(rest[0].removeprefix("It may go on: "), end)
    assert puzzle.goal.is_reached(end)


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Have `input` return these lines, then end."""
    waiting = iter(lines)

    def answer(prompt: str = "") -> str:
        try:
            return next(waiting)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A file with a small puzzle of the collection, in both forms."""
    file = tmp_path / "small.jsonl"
    smallest = min(PUZZLES, key=lambda puzzle: (len(puzzle.position), seeds_of(puzzle.position)))
    file.write_text(smallest.to_text() + "\n" + smallest.to_json() + "\n", encoding="utf-8")
    return file


def test_play_command(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = next(read_puzzles(small))
    wrong = next(move for move in puzzle.state.legal_moves() if move != puzzle.key)
    typed(monkeypatch, "help", "hint", wrong, "nonsense", "solution", "next")
    code, out, _ = run("puzzle", "play", str(small), "--dir", str(tmp_path))
    assert code == 0
    assert f"{puzzle.goal}.\n" in out
    assert f"{wrong} does not " in out
    assert "'nonsense' is not a move here" in out
    assert first_of(out.partition("Solution: ")[2]) == puzzle.key
    assert out.startswith("Infinite play, such as a position that repeats, draws the whole game")
    assert "Puzzle 2 of 2" in out
    assert out.endswith("0 solved, 0 of them without a wrong move. Good-bye.\n")
    typed(monkeypatch, puzzle.key)
    code, out, _ = run("puzzle", "play", str(small), "--from", "2", "--dir", str(tmp_path))
    assert code == 0
    assert "Puzzle 2 of 2 " in out
    assert "Puzzle 1" not in out
    assert f"{puzzle.key} is right." in out
    # A puzzle of which every move is played: at the end the whole line is shown.
    lines: list[str] = []
    database = build_levels(puzzle.state.game, seeds_of(puzzle.position), tmp_path)
    session, judge = Session(puzzle, database), Judge(puzzle, database)
    while not session.solved:
        lines.append(judge.keeping(session.state)[0])
        session.play(lines[-1])
    typed(monkeypatch, *lines)
    code, out, _ = run("puzzle", "play", str(small), "--from", "2", "--dir", str(tmp_path))
    assert code == 0
    assert f"Solved. {session.account()}\n1 solved, 1 of them without a wrong move." in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["play", "none.jsonl"], "none.jsonl: No such file or directory"),
        (["play", "--from", "101"], "--from 101: expected 1 to 100"),
        (["make", "--seeds", "x"], "--seeds 'x': expected a number from 2 on, or two such as 8..11"),
        (["make", "--seeds", "9..8"], "--seeds '9..8': expected a number from 2 on"),
        (["make", "--seeds", "60"], "60"),
        (["make", "--game", "kisolo"], "no endgame databases"),
        (["sheet", "x.html", "--from", "none.jsonl"], "none.jsonl: No such file or directory"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MANCALA_AI_ENDGAME_DIR", str(tmp_path))
    code, out, err = run("puzzle", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("name", ["make", "play", "sheet"])
def test_help_has_examples(name: str) -> None:
    code, out, _ = run("puzzle", name, "--help")
    assert code == 0
    assert f"mancala-ai puzzle {name}" in out.partition("Examples:")[2]


def test_make_command(tmp_path: Path) -> None:
    file = tmp_path / "new.jsonl"
    arguments = [
        "puzzle",
        "make",
        "--game",
        "giuthi(holes=5,seeds=4)",
        "--seeds",
        "6",
        "--count",
        "2",
        "--dir",
        str(tmp_path),
    ]
    code, out, _ = run(*arguments, "--output", str(file))
    assert (code, out) == (0, f"2 puzzles in {file}\n")
    puzzles = list(read_puzzles(file))
    assert [puzzle.to_json() for puzzle in puzzles] == file.read_text().splitlines()
    assert run(*arguments, "--text")[1].splitlines() == [puzzle.to_text() for puzzle in puzzles]
    code, _, err = run(*arguments, "--output", str(file))
    assert (code, err) == (2, f"mancala-ai: {file}: exists already: expected a new file, or --force\n")


def test_sheet(tmp_path: Path) -> None:
    page = tmp_path / "sheet.html"
    code, out, _ = run("puzzle", "sheet", str(page))
    assert (code, out) == (0, f"100 puzzles in {page}\n")
    text = page.read_text(encoding="utf-8")
    assert text.count("<figure>") == text.count("<svg") == 100
    assert text.count("<li>") == 100
    assert all(puzzle.position in text for puzzle in PUZZLES)
    assert run("puzzle", "sheet", str(page))[0] == 2
    assert run("puzzle", "sheet", str(page), "--force")[0] == 0


def test_the_solve_command_answers_to_stipulations(tmp_path: Path, base: Path) -> None:
    """Both forms are read, and the moves that are named are those that reach what is stipulated, a margin included."""
    small = [puzzle for puzzle in PUZZLES if "holes=5" in puzzle.game]
    assert {min(puzzle.goal.margin or 0, 2) for puzzle in small} == {0, 1, 2}
    file = tmp_path / "some.txt"
    file.write_text("# a remark\n\n" + "".join(f"{p.to_json()}\n{p.to_text()}\n" for p in small), encoding="utf-8")
    code, out, _ = run("solve", str(file), "--json", "--dir", str(base))
    assert code == 0
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == 2 * len(small)
    for number, answer in enumerate(answers):
        puzzle = small[number // 2]
        assert (answer["best"], answer["reached"], answer["solved"]) == ([puzzle.key], True, True)
        assert answer["stipulation"] == str(puzzle.goal)
        end = puzzle.state
        for move in answer["pv"]:
            end = end.play(move)
        assert puzzle.goal.is_reached(end)
    code, out, _ = run("solve", str(file), "--dir", str(base))
    for number, line in enumerate(out.splitlines()[:-1]):
        puzzle = small[number // 2]
        does = puzzle.goal.aim.replace("win", "wins").replace("draw", "draws")
        assert f"{('South', 'North')[puzzle.goal.player]} {does} with {puzzle.key}, " in line
    assert out.splitlines()[-1] == f"{len(answers)} of {len(answers)} solved"
