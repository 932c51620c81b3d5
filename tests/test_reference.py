"""The literal reference agrees with the vectors, conserves seeds and does what the rules say in odd corners.

Everything in the vector files is replayed in full: perft needs no limit, since the deepest line of every
position was chosen small enough to be counted by a slow program (all together take a few seconds).
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import reference
from tests.reference import common

VECTORS = Path(__file__).parent / "vectors"

GAMES = [
    "giuthi",
    "giuthi(holes=5,seeds=4)",
    "giuthi(setup=2x10x9,infinite=split)",
    "giuthi(holes=6,seeds=4,capture_needs_target=True,infinite=own_side)",
    "kiothi",
    "kiothi(setup=5x5,infinite=draw)",
    "kiothi(setup=5x6,infinite=own_side)",
    "kpe",
    "kpe(holes=3,seeds=8)",
    "kpe(holes=8,seeds=1,infinite=draw)",
    "rio_kadalis",
    "rio_kadalis(holes=5,infinite=own_side)",
    "rio_kadalis(holes=5,clockwise=True,infinite=draw)",
    "kisolo",
    "kisolo(holes=6)",
    "oware",
    "oware(holes=3,seeds=8,infinite=split)",
    "kalah",
    "kalah(holes=3,seeds=2)",
]


def vectors(file: str) -> list[Any]:
    """Test parameters: one for every line of a vector file."""
    lines = [json.loads(line) for line in (VECTORS / file).read_text(encoding="utf-8").splitlines()]
    return [pytest.param(line, id=f"{number}-{line['game']}") for number, line in enumerate(lines, 1)]


def play(game: str, position: str, *moves: str) -> reference.State[Any]:
    """The state after some moves from a typed position."""
    state = reference.load_game(game).state(position)
    for move in moves:
        state = state.play(move)
    return state


# The vectors.


@pytest.mark.parametrize("line", vectors("games.jsonl"))
def test_games(line: dict[str, Any]) -> None:
    """Every move, list of legal moves, position and result of the vector games."""
    state = reference.load_game(line["game"]).initial_state()
    for move, position, legal in zip(line["moves"], line["positions"], line["legal"], strict=False):
        assert str(state) == position
        assert state.to_move == ("S", "N").index(position.split()[1])
        assert not state.is_over
        assert (state.termination, state.outcome, state.margin, state.final) == (None,) * 4
        if legal is not None:
            assert state.legal_moves() == legal.split()
        state = state.play(move)
    assert str(state) == line["positions"][-1]
    assert state.is_over
    assert state.legal_moves() == []
    assert (state.termination, state.outcome, state.margin) == (line["end"], line["outcome"], line["margin"])
    assert state.final == (tuple(line["final"]) if "final" in line else None)
    drawn = state.termination == "infinite" and state.game.infinite == "draw"
    assert drawn == line.get("drawn", False)


@pytest.mark.parametrize("line", vectors("perft.jsonl"))
def test_perft(line: dict[str, Any]) -> None:
    """Every number of the perft vectors, to its full depth."""
    state = reference.load_game(line["game"]).state(line["position"])
    assert str(state) == line["position"]
    assert [reference.perft(state, depth + 1) for depth in range(len(line["perft"]))] == line["perft"]


@pytest.mark.parametrize("line", vectors("puzzles.jsonl"))
def test_puzzles_have_the_legal_moves(line: dict[str, Any]) -> None:
    """The puzzles list the legal moves in order."""
    assert reference.load_game(line["game"]).state(line["position"]).legal_moves() == list(line["moves"])


# Properties.


def seeds_in(position: str) -> int:
    """Seeds on the board, captured and in the hand of a Kiothi opening, counted from the string alone."""
    board, _, *fields = position.split()
    text = " ".join([board, *fields]).replace("empty1", "").replace("empty2", "")
    return sum(map(int, re.findall(r"\d+", text)))


@settings(max_examples=400, deadline=None)
@given(name=st.sampled_from(GAMES), rng_seed=st.integers(0, 2**32), typed=st.booleans())
def test_seeds_are_conserved(name: str, rng_seed: int, typed: bool) -> None:
    """Board, hand and captured seeds add up to the same, and final scores too."""
    rng = random.Random(rng_seed)
    game: Any = reference.load_game(name)
    text = game.random_position(rng) if typed else str(game.initial_state())
    state = game.state(text)
    assert str(state) == text
    total = seeds_in(text)
    assert total <= game.total if typed else total == game.total
    for _ in range(rng.randint(0, 300)):
        if state.is_over:
            break
        before, state = state, state.play(rng.choice(state.legal_moves()))
        if state.endless:
            assert str(state) == str(before)
        won_in_kisolo = name.startswith("kisolo") and state.termination == "normal"
        assert seeds_in(str(state)) < total if won_in_kisolo else seeds_in(str(state)) == total
    if state.is_over and state.final is not None:
        south, north = state.final
        drawn = state.termination == "infinite" and game.infinite == "draw"
        assert state.final == state.position.captured if drawn else south + north == total
        assert state.margin == (0 if drawn else south - north)
    assert state.is_over == (state.legal_moves() == [])


@pytest.mark.parametrize("name", GAMES)
def test_random_positions_show_every_field(name: str) -> None:
    """Made-up positions are valid, and show all marks and phases."""
    game = reference.load_game(name)
    rng = random.Random(7)
    texts = [game.random_position(rng) for _ in range(1000)]
    assert all(str(game.state(text)) == text for text in texts)
    marks = {
        "kiothi": ["*", "open:empty2", ":empty1:", ":place:", ":-"],
        "rio": ["x"],
        "kpe": [" -/", "/-", "a/"],
    }
    for mark in [" S", " N", *marks.get(re.split(r"[(_]", name)[0], [])]:
        assert any(mark in text for text in texts), mark


# Odd corners of the rules.


@pytest.mark.parametrize(
    ("game", "position", "final", "margin"),
    [
        ("giuthi(holes=5,seeds=4)", "0,1,0,0,0/1,0,1,0,0 N 10-7", (12, 8), 4),
        ("kpe", "0,0,1,5/0,0,0,0 S 20-22 abcd/abcd", (20, 28), -8),
        ("rio_kadalis", "x,x,x,x,x,x/4,4,0,0,0,0 N 0-0", (8, 0), 8),
        ("kiothi", "0,0,0,0,0,0,0,0,0,0/0,0,3*,0,0,0,0,0,0,0 N 3-4", (6, 4), 2),
        ("kisolo(holes=6)", "0,0,0,0,0,0/0,0,0,0,0,0/1,0,0,0,0,0/0,0,0,0,0,0 N", None, 1),
        ("kisolo(holes=6)", "1,0,0,0,0,0/0,0,0,0,0,0/0,0,0,0,0,0/0,0,0,0,0,0 N", None, -1),
        ("kisolo(holes=6)", "0,0,0,0,0,0/0,0,0,0,0,0/0,0,0,0,0,0/0,0,0,0,0,0 S", None, 0),
    ],
)
def test_positions_over_at_once(game: str, position: str, final: Any, margin: int) -> None:
    """What is over when typed is over at once, with its result."""
    state = play(game, position)
    assert (state.termination, state.final, state.margin) == ("normal", final, margin)
    assert state.legal_moves() == []
    assert reference.perft(state, 1) == 0
    with pytest.raises(ValueError, match="not legal"):
        state.play("a")


ENDLESS = [
    ("giuthi(holes=5,seeds=4)", "1,1,1,3,0/1,1,4,1,3 N 4-20", "b+", (4, 20), 0),
    ("kiothi", "4,3,1,7,8,2,0,1,5,3/1,0,1,0,3,0,3,0,4,3 S 4-7", "j3", (28.5, 31.5), -3),
    ("rio_kadalis(holes=5)", "1,0,1,0,1/2,0,1,0,2 S 24-8", "a", (28, 12), 16),
    ("rio_kadalis(infinite=own_side)", "0,2,1,0,1,0/x,x,x,1,0,1 N 12-20", "e", (14, 24), -10),
    ("kisolo", "12,0,3,0,3,0,3/1,0,1,2,1,0,2/0,0,0,0,0,0,0/0,1,0,2,3,0,2 N", "G", None, 0),
]


@pytest.mark.parametrize(("game", "position", "move", "final", "margin"), ENDLESS)
@pytest.mark.parametrize("quiet", [200, common.MAX_LAPS])
def test_endless_sowing(
    monkeypatch: pytest.MonkeyPatch, game: str, position: str, move: str, final: Any, margin: int, quiet: int
) -> None:
    """The move is legal and not completed, and ends the game; a proven repeat changes nothing."""
    monkeypatch.setattr(common, "QUIET_LAPS", quiet)  # the second time all 10,000 laps are sown
    before = play(game, position)
    state = before.play(move)
    assert (str(state), state.termination, state.final, state.margin) == (position, "infinite", final, margin)
    assert state.outcome == (margin > 0) - (margin < 0)
    assert reference.perft(state, 1) == 0
    assert state.legal_moves() == []
    assert reference.perft(before, 1) == len(before.legal_moves())


def test_only_lap_10001_is_too_many() -> None:
    """More than 10,000 laps, not 10,000."""
    laps = common.Laps()
    assert not any(laps.never_end(lap) for lap in range(10_000))
    assert laps.never_end(10_000)


@pytest.mark.parametrize(
    ("infinite", "final", "margin"),
    [("draw", (17, 14), 0), ("split", (20.5, 17.5), 3), ("own_side", (19, 19), 0)],
)
def test_repetition_within_one_turn(infinite: str, final: Any, margin: int) -> None:
    """Positions between the extra moves of one turn count; what the end is worth is an option."""
    game = f"giuthi(holes=5,seeds=4,infinite={infinite})"
    start = "1,0,0,3,1/1,1,0,0,0 N 17-14"
    state = play(game, start, "b+")
    assert not state.is_over
    assert state.to_move == 1
    state = state.play("d-")
    assert (str(state), state.termination, state.final, state.margin) == (start, "infinite", final, margin)
    # "set up again, a position that ended a game by repetition can be played on"
    assert play(game, str(state)).legal_moves() == ["b+", "b-"]
    assert reference.perft(state, 1) == 2


def test_giuthi_handicap_opening() -> None:
    """The first move captures exactly ten, by `a+` or `j-`, or nothing."""
    start = reference.load_game("giuthi(setup=2x10x9)").initial_state()
    taken = {move: start.play(move).position.captured[0] for move in start.legal_moves()}
    assert {move for move, seeds in taken.items() if seeds} == {"a+", "j-"}
    assert taken["a+"] == taken["j-"] == 10


def test_giuthi_pass_and_turn_without_a_move() -> None:
    """A pass is a move; losing the extra move is not."""
    state = play("giuthi(holes=5,seeds=4)", "0,0,0,0,2/1,1,0,0,0 S 0-0")
    assert state.legal_moves() == ["pass"]
    assert str(state.play("pass")).endswith("N 0-0")
    # North's a sows b and c, moves again, and has only singletons left: the turn passes by itself.
    state = play("giuthi(holes=5,seeds=4)", "0,0,0,0,2/0,2,0,0,0 N 0-0", "a+")
    assert str(state) == "0,0,1,1,0/0,2,0,0,0 S 0-0"


@pytest.mark.parametrize(
    ("north", "needs_target", "after"),
    [
        # South's d enters North's a, whose two seeds come back and end in own d. North's b faces d, c faces c
        # (both own pits empty), d faces b, and own a is occupied.
        ("0,3,0,0,1", False, "0,0,0,0,0/1,0,0,0,2 N 4-0"),
        ("0,3,0,0,1", True, "0,3,0,0,0/1,0,0,1,2 N 0-0"),
        ("0,3,0,5,1", False, "0,0,0,0,0/1,0,0,0,2 N 9-0"),
        ("0,3,0,5,1", True, "0,3,0,0,0/1,0,0,0,2 N 6-0"),
    ],
)
def test_giuthi_capture_needs_target(north: str, needs_target: bool, after: str) -> None:
    """The two readings of an empty target, at the landing pit and in the chain."""
    game = f"giuthi(holes=5,seeds=4,capture_needs_target={needs_target})"
    assert str(play(game, f"{north}/1,0,0,2,0 S 0-0", "d+")) == after


def test_kpe_lock_feeding_and_chain() -> None:
    """Opening lock, backward chain and the duty to feed."""
    # The move that begins the last of the own pits can itself capture, backwards in twos and fours.
    state = play("kpe", "5,1,3,1/0,0,0,3 S 0-0 abc/-", "d")
    assert str(state) == "5,0,0,0/0,0,0,0 N 8-0 abcd/-"
    assert str(play("kpe", "5,1,2,1/0,0,0,3 S 0-0 abc/-", "d")) == "5,0,3,2/0,0,0,0 N 2-0 abcd/-"
    assert str(play("kpe", "5,1,3,1/0,0,0,3 S 0-0 ab/-", "d")) == "5,2,4,2/0,0,0,0 N 0-0 abd/-"
    # A move that feeds must be chosen if there is one.
    assert play("kpe", "0,0,0,0/1,3,1,0 S 0-0 -/-").legal_moves() == ["b"]
    assert play("kpe", "0,0,0,0/1,2,1,0 S 0-0 -/-").legal_moves() == ["a", "b", "c"]


def test_rio_kadalis_captures_seed_by_seed() -> None:
    """Fours of either row, binikh, closed pits and clockwise sowing."""
    # South's e makes own f four (South's), North's a four (North's), and ends with four in North's b: binikh.
    state = play("rio_kadalis", "0,0,0,0,3,3/0,0,0,0,3,3 S 0-0", "e")
    assert str(state) == "0,0,0,0,0,0/0,0,0,0,0,0 N 8-4"
    assert (state.termination, state.final) == ("normal", (8, 4))
    # Closed pits are skipped; sown clockwise, a is followed by North's f (drawn at the top left).
    assert str(play("rio_kadalis(clockwise=True)", "x,0,0,0,0,0/1,0,0,0,0,0 S 0-0", "a")) == (
        "x,1,0,0,0,0/0,0,0,0,0,0 N 0-0"
    )


def test_kisolo_winning_capture_takes_seeds_out_of_play() -> None:
    """After a winning capture the seeds captured are in no pit."""
    state = play("kisolo(holes=6)", "5,0,0,0,1,0/0,0,0,0,2,0/1,0,0,0,1,0/0,0,0,0,0,0 S", "xE")
    assert str(state) == "5,0,0,0,0,0/0,0,0,0,0,0/1,0,0,0,1,0/0,0,0,0,0,0 N"
    assert (state.termination, state.outcome, state.margin, state.final) == ("normal", 1, 1, None)
    # The string alone does not say so: typed, the position is played on, since North still has a seed.
    assert play("kisolo(holes=6)", str(state)).legal_moves() == ["f"]


def test_kiothi_opening() -> None:
    """Two pits, all seeds placed, each player once; then every occupied pit is nki."""
    state = reference.load_game("kiothi").initial_state()
    for move in ["!e", "!j", *["@a"] * 9, "@J"]:
        state = state.play(move)
    assert str(state) == "6,5,5,5,5,5,0,0,0,0/9,0,0,0,0,5,5,5,5,0 N 0-0 open:empty2"
    for move in ["!e", "!f", *["@J"] * 10]:
        state = state.play(move)
    assert str(state) == "6*,5*,5*,5*,0,0,0,0,0,0/9*,0,0,0,0,5*,5*,5*,5*,10* S 0-0"


@pytest.mark.parametrize(
    "position",
    [
        "5,5,0,0,0,0,0,0,0,0/0,0,0,0,0,0,5,0,0,0 S 0-0 open:empty2",
        "5,5,0,0,0,0,0,0,0,0/0,0,0,0,5,0,0,0,0,0 S 0-0 open:empty1:5:g",
        "5,5,0,0,0,0,0,0,0,0/0,0,0,0,5,5,5,0,0,0 S 0-0 open:empty1:5:f",
        "5,5,0,0,0,0,0,0,0,0/0,0,0,0,5,5,5,0,0,0 S 0-0 open:place:0:a",
    ],
)
def test_kiothi_refuses_an_impossible_step(position: str) -> None:
    """An opening step that cannot be carried out is refused."""
    with pytest.raises(ValueError, match="impossible"):
        play("kiothi", position)


def test_kiothi_ends_when_north_cannot_redistribute() -> None:
    """Only from a typed position: no legal move ends the game."""
    # All seeds go to the other player.
    state = play("kiothi", "7,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 S 0-0 open:place:1:J", "@J")
    assert (state.termination, state.final) == ("normal", (8, 0))


def test_kiothi_triple_bonus_and_marks() -> None:
    """The bonus needs all three pits occupied and unmarked; a partial hand lifts a mark."""
    # South's e sows 16 round to own a, which faces North's j; b, c and d face i, h and g.
    board = "1,2,3,4,0,0,0,0,0,0/0,0,0,0,16{},0,0,0,0,0 S 0-0"
    after = "0,0,0,0,1,1,1,1,1,1/0,0,0,0,0,1,1,1,1,1 N 15-0"
    assert str(play("kiothi", board.format("*"), "e16")) == after
    marked = "1,2,3*,4,0,0,0,0,0,0/0,0,0,0,16,0,0,0,0,0 S 0-0"
    assert str(play("kiothi", marked, "e16")) == "0,3,4*,5,1,1,1,1,1,1/0,0,0,0,0,1,1,1,1,1 N 3-0"
    # A partial hand lifts the mark too.
    state = play("kiothi", "1*,0,0,0,0,0,0,0,0,0/0,0,3*,0,0,0,0,0,0,0 S 0-0")
    assert state.legal_moves() == ["c1", "c2", "c3"]
    assert str(state.play("c1")) == "1*,0,0,0,0,0,0,0,0,0/0,0,2,1,0,0,0,0,0,0 N 0-0"


@pytest.mark.parametrize(
    ("game", "position"),
    [
        ("giuthi(holes=5,seeds=4)", "4,4,4,4,4/4,4,4,4 S 0-0"),
        ("giuthi(holes=5,seeds=4)", "4,4,4,4,4/4,4,4,4,-4 S 0-0"),
        ("giuthi(holes=5,seeds=4)", "4,4,4,4,4/4,4,4,4,4 S 0-1"),
        ("giuthi(holes=5,seeds=4)", "4,4,4,4,4/4,4,4,4,4 E 0-0"),
        ("giuthi(holes=5,seeds=4)", "4,4,4,4,4/4,4,4,4,4 S 0-0 -/-"),
        ("kpe", "6,6,6,6/6,6,6,6 S 0-0 ba/-"),
        ("kisolo(holes=6)", "3,3,3,3,3,3/3,3,3,3,3,3/3,3,3,3,3,3 S"),
        ("kiothi", "0*,3,0,0,0,0,0,0,0,0/3,0,0,0,0,0,0,0,0,0 S 0-0"),
    ],
)
def test_wrong_strings_are_refused(game: str, position: str) -> None:
    """Nothing but blanks is forgiven."""
    with pytest.raises(ValueError):  # noqa: PT011
        play(game, position)


def test_blanks_around_separators() -> None:
    """Blanks around separators are forgiven."""
    assert str(play("kpe", " 6, 6,6 ,6 / 6,6,6,6  S 0 - 0  a / - ")) == "6,6,6,6/6,6,6,6 S 0-0 a/-"
