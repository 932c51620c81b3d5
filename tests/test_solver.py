"""The exact solver against endgame databases, against vectors, and against itself with hardly any limits.

The databases are tested against brute force elsewhere. Here the solver is denied the levels that it would need, so that
it has to search, and must find what they hold.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import mancala_ai
from engines.endgame.build import build_levels
from engines.endgame.probe import EndgameDatabase
from engines.solver import graph as kernels
from engines.solver.goals import reach
from engines.solver.levels import open_levels
from engines.solver.solve import Solution, solve
from mancala_ai import Game, MancalaError, State
from tests.helpers import VECTORS
from tests.test_cli import run
from tests.test_endgame_values import text_of

PUZZLES = [json.loads(line) for line in (VECTORS / "puzzles.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where levels are built, once."""
    return tmp_path_factory.mktemp("levels")


def seeds_of(position: str) -> int:
    """Seeds on the board of a position string."""
    return sum(map(int, position.split()[0].replace("/", ",").split(",")))


def restricted(database: EndgameDatabase, most: int) -> EndgameDatabase:
    """The same database without the levels of more than so many seeds; with -1 there is nothing left."""
    return EndgameDatabase(database.game, {n: level for n, level in database.levels.items() if n <= most})


def random_positions(game: Game, seeds: int, count: int, rng: Random, ahead: int = 3) -> list[State]:
    """Random positions that are not over, most of them with their seeds in a few pits."""
    pits = 2 * len(game.rules.initial().rows[0])
    found: list[State] = []
    while len(found) < count:
        ring = [0] * pits
        some = rng.sample(range(pits), rng.randrange(2, pits))
        for _ in range(seeds):
            ring[rng.choice(some)] += 1
        south, north = rng.randrange(ahead + 1), rng.randrange(ahead + 1)
        state = game.state(text_of(game.rules, tuple(ring), rng.choice("SN"), f"{south}-{north}"))
        if not state.is_over:
            found.append(state)
    return found


def assert_line_ends_as_said(solution: Solution) -> None:
    """The principal variation can be played, ends the game, and with the outcome that was claimed."""
    end = solution.state
    for move in solution.pv:
        end = end.play(move)
    assert end.is_over
    assert end.outcome is not None
    assert (end.outcome if solution.state.to_move == 0 else -end.outcome) == solution.mover_outcome
    assert solution.pv[0] in solution.best


def assert_agrees(solution: Solution, database: EndgameDatabase, margin: bool) -> None:
    """Outcome, best moves and bounds are those of a database."""
    state = solution.state
    assert solution.solved, str(state)
    outcomes = {move.move: move.outcome for move in database.moves(state)}
    assert solution.mover_outcome == database.outcome(state), str(state)
    assert solution.best == [move for move in state.legal_moves() if outcomes[move] == solution.mover_outcome], str(
        state
    )
    assert all(outcome is None or outcome == outcomes[move] for move, outcome in solution.moves.items()), str(state)
    if margin:
        assert (solution.lower, solution.upper) == database.bounds(state), str(state)
    assert_line_ends_as_said(solution)


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle["position"])
def test_puzzles(puzzle: dict[str, Any], levels: Path, full: bool) -> None:
    """Values of an independent solver, found without the level, and most often without the one below it."""
    game = mancala_ai.load_game(puzzle["game"])
    state = game.state(puzzle["position"])
    seeds = seeds_of(puzzle["position"])
    if seeds > 14 and not full:
        pytest.skip("takes some seconds: only with --full")
    database = build_levels(game, seeds - 2 if full else min(seeds - 1, 8), levels)
    solution = solve(state, restricted(database, seeds - 2 if full else min(seeds - 1, 8)), margin=True)
    assert solution.solved
    assert solution.nodes > 0
    assert solution.mover_outcome == puzzle["mover_outcome"]
    assert set(solution.best) == set(puzzle["best"])
    assert (solution.lower, solution.upper) == (puzzle["lower"], puzzle["upper"])
    assert_line_ends_as_said(solution)


CASES = [
    # game, seeds, level that may be probed, positions
    ("giuthi(holes=5)", 6, -1, 60),
    ("giuthi(holes=5)", 8, 5, 60),
    ("giuthi(holes=6)", 8, 6, 40),
    ("giuthi(holes=5,capture_needs_target=True)", 7, 3, 40),
    ("kpe(infinite=draw)", 7, 3, 40),
    ("rio_kadalis(infinite=draw)", 6, 3, 40),
]


@pytest.mark.parametrize(("text", "seeds", "level", "count"), CASES, ids=str)
def test_agrees_with_databases_that_it_is_denied(
    text: str, seeds: int, level: int, count: int, full: bool, levels: Path
) -> None:
    """Random positions: outcome, best moves, both bounds, and a line that ends as it should."""
    game = mancala_ai.load_game(text)
    database = build_levels(game, seeds, levels)
    outcomes = set()
    for state in random_positions(game, seeds, 20 * count if full else count, Random(7)):
        solution = solve(state, restricted(database, level), margin=True)
        assert_agrees(solution, database, margin=True)
        outcomes.add(solution.mover_outcome)
    assert outcomes == {1, 0, -1}


def test_agrees_with_itself_where_the_database_answers(levels: Path) -> None:
    """With the level there nothing is searched, and the answer is the same."""
    game = mancala_ai.load_game("giuthi(holes=5)")
    database = build_levels(game, 8, levels)
    for state in random_positions(game, 8, 60, Random(9)):
        solution = solve(state, database, margin=True)
        assert solution.nodes == 0
        assert_agrees(solution, database, margin=True)


@pytest.mark.parametrize("text", ["giuthi(holes=5)", "giuthi(holes=5,infinite=split)", "kpe"])
def test_what_is_not_finished_is_left_open(text: str, levels: Path) -> None:
    """With limits from tiny to ample: never a wrong word, bounds that hold, and all solved in the end.

    Where infinite play is split, what it decides is left open; the rest must be right, too.
    """
    game = mancala_ai.load_game(text)
    database = build_levels(game, 7, levels)
    unsolved = partly = 0
    for state in random_positions(game, 7, 25, Random(5)):
        outcomes = {move.move: move.outcome for move in database.moves(state)}
        bounds = database.bounds(state)
        assert bounds is not None
        for nodes in (1, 3, 10, 30, 100, 300, 10_000):
            solution = solve(state, restricted(database, 2), nodes=nodes, margin=True)
            assert solution.nodes <= nodes + 100  # what has been begun is finished
            assert solution.mover_outcome in (None, database.outcome(state))
            assert all(outcome in (None, outcomes[move]) for move, outcome in solution.moves.items())
            best = {move for move in outcomes if outcomes[move] == database.outcome(state)}
            assert set(solution.best) == best if solution.solved else set(solution.best) <= best
            assert solution.lower is None or (bounds.lower is not None and solution.lower <= bounds.lower)
            assert solution.upper is None or (bounds.upper is not None and solution.upper >= bounds.upper)
            unsolved += solution.mover_outcome is None
            partly += solution.mover_outcome is not None and not solution.solved
        if "split" not in text and text != "kpe":
            assert_agrees(solution, database, margin=True)
    assert unsolved > 10
    assert partly > 3


@pytest.mark.parametrize(("text", "seeds", "level", "count"), CASES, ids=str)
def test_margins_agree_with_databases(text: str, seeds: int, level: int, count: int, full: bool, levels: Path) -> None:
    """Which moves reach a margin, found without the level and with it: those of which the bounds say so."""
    game = mancala_ai.load_game(text)
    database = build_levels(game, seeds, levels)
    answers = set()
    for state in random_positions(game, seeds, 10 * count if full else count // 2, Random(8)):
        south, north = state.captured or (0, 0)
        ahead = south - north if state.to_move == 0 else north - south
        lowers = {move.move: move.lower for move in database.moves(state)}
        for margin in (1, 2, 5, 9):
            right = {move for move, low in lowers.items() if low is not None and ahead + low >= margin}
            for probed in (restricted(database, level), database):
                found = reach(state, margin, probed)
                assert found.moves == {move: move in right for move in state.legal_moves()}
                assert (set(found.best), found.reached, found.solved) == (right, bool(right), True)
                assert bool(found.pv) == bool(right)
                end = state
                for move in found.pv:
                    end = end.play(move)
                if right:
                    assert end.is_over
                    assert end.margin is not None
                    assert (end.margin if state.to_move == 0 else -end.margin) >= margin
                answers.add((margin > 1, found.reached))
    assert len(answers) == 4


def test_a_margin_within_limits(levels: Path) -> None:
    """With few nodes nothing wrong is said; where infinite play is split, nothing is refuted."""
    unsolved = 0
    for text in ("giuthi(holes=5)", "giuthi(holes=5,infinite=split)"):
        game = mancala_ai.load_game(text)
        database = build_levels(game, 7, levels)
        for state in random_positions(game, 7, 15, Random(6)):
            full = reach(state, 3, restricted(database, 2))
            for nodes in (0, 1, 10, 100):
                found = reach(state, 3, restricted(database, 2), nodes=nodes)
                assert all(value in (None, full.moves[move]) for move, value in found.moves.items())
                unsolved += not found.solved
            if "split" in text:
                children = [state.play(move) for move in full.moves]
                assert all(
                    child.is_over or value is not False
                    for child, value in zip(children, full.moves.values(), strict=True)
                )
    assert unsolved > 10


MANY = "3,3,3,3,3,3,3,3/3,3,3,3,3,3,3,3 S 40-40"


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch, levels: Path) -> None:
    """A search that has used up its memory says unsolved; the room is that of both questions together."""
    game = mancala_ai.load_game("giuthi")
    database = EndgameDatabase(game, {})
    graphs: list[kernels.ProofGraph] = []
    made = kernels.new_graph

    def new_graph(rules: Any, capacity: int) -> kernels.ProofGraph:
        graphs.append(made(rules, capacity))
        return graphs[-1]

    monkeypatch.setattr(kernels, "new_graph", new_graph)
    solution = solve(game.state(MANY), database, memory_mb=60)
    assert (solution.solved, solution.mover_outcome, solution.best, solution.pv) == (False, None, [], [])
    last = graphs[-2:]  # those of both questions; the others were given up for larger ones
    room = (60 << 20) // kernels.bytes_per_node(game.rules)
    assert room * 0.9 < sum(int(graph.counters[kernels.NODES]) for graph in last) <= room + 2 * kernels.MAX_MOVES


def test_time_is_bounded(levels: Path) -> None:
    """A search that would go on for long comes to an end, with nothing claimed."""
    state = mancala_ai.load_game("giuthi").state(MANY)
    solution = solve(state, EndgameDatabase(state.game, {}), seconds=0.2)
    assert (solution.solved, solution.mover_outcome) == (False, None)
    assert solution.nodes > 0


def test_history_does_not_count(levels: Path) -> None:
    """A state that was reached by moves is solved as if the game began there."""
    game = mancala_ai.load_game("giuthi(holes=5)")
    database = build_levels(game, 7, levels)
    state = random_positions(game, 7, 1, Random(3))[0]
    played = state.play(state.legal_moves()[0])
    assert solve(played, database).mover_outcome == solve(game.state(str(played)), database).mover_outcome


def test_cheap_levels_are_built(tmp_path: Path) -> None:
    """Those of the position's seeds and below, once, and with a note."""
    notes: list[str] = []
    game = mancala_ai.load_game("giuthi(holes=5)")
    for _ in range(2):
        assert list(open_levels(game, 6, tmp_path, notes.append).levels) == list(range(7))
        assert notes == ["building endgame databases of giuthi(holes=5) up to 6 seeds, once"]


def test_dear_levels_are_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a position with many seeds only the levels that take some seconds are built."""
    monkeypatch.setattr("engines.solver.levels.CHEAP", 1000)
    database = open_levels(mancala_ai.load_game("giuthi(holes=5)"), 20, tmp_path)
    assert list(database.levels) == list(range(5))


POSITION = "0,2,0,0,1/0,0,3,0,0 S 3-2"


def test_command(tmp_path: Path) -> None:
    code, out, err = run("solve", POSITION, "--game", "giuthi(holes=5)", "--margin", "--dir", str(tmp_path))
    assert code == 0
    assert "building endgame databases" in err
    game = mancala_ai.load_game("giuthi(holes=5)")
    solution = solve(game.state(POSITION), EndgameDatabase.open(game, tmp_path), margin=True)
    word = {1: "wins", 0: "draws", -1: "loses"}[solution.mover_outcome or 0]
    assert f"outcome         South {word}\n" in out
    assert f"{len(solution.pv)} moves, then " in out
    assert "endgame database: up to 6 seeds" in out


def test_command_reads_files_and_writes_json(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    chosen = [puzzle for puzzle in PUZZLES if seeds_of(puzzle["position"]) < 9]
    file.write_text("".join(json.dumps(puzzle) + "\n" for puzzle in chosen))
    arguments = ("solve", str(file), "--dir", str(tmp_path / "levels"))
    code, out, _ = run(*arguments, "--json", "--margin")
    assert code == 0
    for line, puzzle in zip(map(json.loads, out.splitlines()), chosen, strict=True):
        assert line["solved"] is True
        for name in ("position", "mover_outcome", "lower", "upper"):
            assert line[name] == puzzle[name]
        assert set(line["best"]) == set(puzzle["best"])
        assert {"pv", "nodes", "seconds"} < set(line)
    code, out, _ = run(*arguments)
    assert out.splitlines()[-1] == f"{len(chosen)} of {len(chosen)} solved"


def test_command_answers_to_margins(tmp_path: Path) -> None:
    """A margin that is reached, one that is not, one that is not decided, and words for all of them."""
    position, aims = "0,0,0,0,1/2,0,0,0,2 S 31-4", ("win by 32", "win by 34", "win", "draw")
    file = tmp_path / "aims.txt"
    file.write_text("".join(f"giuthi(holes=5,seeds=4) | {position} | South to move and {aim} | a+\n" for aim in aims))
    arguments = ("solve", str(file), "--dir", str(tmp_path))
    said = [line.rpartition(", ")[0] for line in run(*arguments)[1].splitlines()]
    assert said == [
        "   1  South wins by 32 with a+",
        "   2  South does not win by 34; South wins with a+ a- e+ e-",
        "   3  South wins with a+ a- e+ e-",
        "   4  South wins with a+ a- e+ e-",
        "",
    ]
    answers = [json.loads(line) for line in run(*arguments, "--json")[1].splitlines()]
    assert [answer["reached"] for answer in answers] == [True, False, True, True]
    assert [answer["stipulation"] for answer in answers] == [f"South to move and {aim}" for aim in aims]


def test_command_says_what_it_does_not_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engines.solver.levels.CHEAP", 0)
    file = tmp_path / "aims.txt"
    position = "3,3,3,3,3/3,3,3,3,3 S 0-0"
    file.write_text(
        "".join(f"giuthi(holes=5) | {position} | South to move and {aim} | a+\n" for aim in ("win by 9", "win"))
    )
    arguments = ("solve", str(file), "--limit", "nodes=10", "--dir", str(tmp_path))
    code, out, _ = run(*arguments)
    assert code == 0
    assert [line.split(",")[0] for line in out.splitlines()] == ["   1  unsolved", "   2  unsolved", "0 of 2 solved"]
    assert {json.loads(line)["reached"] for line in run(*arguments, "--json")[1].splitlines()} == {None}


def test_lost_positions_are_not_lost_by_a_margin(tmp_path: Path, levels: Path) -> None:
    """All moves lose; they are not listed."""
    game = mancala_ai.load_game("giuthi(holes=5)")
    database = build_levels(game, 6, levels)
    state = next(state for state in random_positions(game, 6, 50, Random(2)) if database.outcome(state) == -1)
    player = ("South", "North")[state.to_move]
    lost = {"game": str(game), "position": str(state)}
    file = tmp_path / "lost.jsonl"
    tasks = [lost, {**lost, "stipulation": f"{player} to move and draw"}]
    file.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    code, out, _ = run("solve", str(file), "--dir", str(levels))
    assert code == 0
    said = [line.split(",")[0] for line in out.splitlines()]
    assert said == [f"   1  {player} loses", f"   2  {player} does not draw; {player} loses", "2 of 2 solved"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.jsonl"], "none.jsonl: No such file or directory"),
        (["1,1/1,1 S 0-0"], "position '1,1/1,1 S 0-0': row 1 '1,1': expected 8 pits separated by commas, not 2"),
        (["0,0,0,0,0,0,0,1/1,0,0,0,0,0,0,0 S 0-0"], "the game is over: expected one that can be played on"),
        (["x", "--game", "kisolo"], "position 'x'"),
        (["3,3,3,3,3,3,3/3,3,3,3,3,3,3/3,3,3,3,3,3,3/3,3,3,3,3,3,3 S", "--game", "kisolo"], "no endgame databases"),
        (
            ["4,4,4,4,4/4,4,4,4,4 S 0-0", "--game", "giuthi(holes=5,infinite=own_side)"],
            "expected infinite=draw or split",
        ),
        (["6,6,6,6/6,6,6,6 S 0-0 -/-", "--game", "kpe"], "expected one without marks, of which the pits alone decide"),
        ([POSITION, "--game", "giuthi(holes=5)", "--limit", "depth=3"], "limit 'depth=3': expected seconds or nodes"),
        (["9,9,9,9,9,9,9,9,9,9/9,9,9,9,9,9,9,9,9,9 S 0-0", "--game", "giuthi(setup=2x10x9)"], "180 seeds on the board"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    code, out, err = run("solve", *arguments, "--dir", str(tmp_path))
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("5", "1 part: expected game | position | stipulation | solution, or a JSON object"),
        ("[]", "1 part: expected game"),
        ("{", "not JSON: expected a JSON object"),
        ('{"game": "giuthi"}', 'expected a JSON object with texts "game", "position"'),
        ('{"game": 5, "position": "x"}', 'expected a JSON object with texts "game", "position"'),
        ('{"game": "giuthi(holes=5)", "position": "0,2,0,0,1/0,0,3,0,0 S 3-2", "stipulation": 5}', "expected a JSON"),
        (
            "giuthi(holes=5) | 0,2,0,0,1/0,0,3,0,0 S 3-2 | win | c+",
            "stipulation 'win': expected 'South to move and win'",
        ),
        ("giuthi(holes=5) | 0,2,0,0,1/0,0,3,0,0 S 3-2 | North to move and win | c+", "expected South to move"),
        ("\xff", "expected UTF-8"),
    ],
)
def test_bad_lines_of_files(line: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_bytes(b"# a remark\n" + line.encode("latin-1") + b"\n")
    code, _, err = run("solve", str(file))
    assert code == 2
    assert f"{file} line 2: " in err
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_file_without_positions(tmp_path: Path) -> None:
    file = tmp_path / "empty.txt"
    file.write_text("# nothing\n")
    code, _, err = run("solve", str(file))
    assert (code, err) == (2, f"mancala-ai: {file}: expected a position\n")


def test_a_search_without_answer_raises_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command says unsolved, and exits with 0: that is an honest answer."""
    monkeypatch.setattr("engines.solver.levels.CHEAP", 0)
    code, out, _ = run(
        "solve", "3,3,3,3,3/3,3,3,3,3 S 0-0", "--game", "giuthi(holes=5)", "--limit", "nodes=10", "--dir", str(tmp_path)
    )
    assert code == 0
    assert "outcome         unsolved" in out
    game = mancala_ai.load_game("giuthi(holes=5)")
    with pytest.raises(MancalaError, match="the game is over"):
        solve(game.state("0,0,0,0,1/0,0,0,0,0 S 0-0"), EndgameDatabase(game, {}))
