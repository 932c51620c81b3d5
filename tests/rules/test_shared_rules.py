"""Hand-worked examples of the rules that all five games share.

Own view, the ring, position strings, move strings, typed and finished positions, results; repetition and
endless sowing are shown in Kisolo here, and in the games' own files for the others.
"""

from __future__ import annotations

import re

import pytest

from tests.rules.worked import LoadGame, after

GIUTHI = "giuthi(holes=8,seeds=8)"
KIOTHI = "kiothi(setup=6x5)"
KPE = "kpe(holes=4,seeds=6)"
RIO_KADALIS = "rio_kadalis(holes=6)"
SEVEN = "kisolo(holes=7)"
SIX = "kisolo(holes=6)"

# Position strings of every game, written as the rules write them.
POSITIONS = [
    (GIUTHI, "8,8,8,8,8,8,8,8/8,8,8,8,8,8,8,8 S 0-0"),
    (GIUTHI, "0,2,0,2,1,1,7,1/3,12,1,5,9,3,0,10 N 32-39"),
    (KPE, "6,6,6,6/6,6,6,6 S 0-0 -/-"),
    (KPE, "6,6,6,6/6,6,6,6 N 0-0 acd/b"),
    (RIO_KADALIS, "4,4,4,4,4,4/x,x,4,4,4,4 S 0-0"),
    (SEVEN, "3,3,3,3,3,3,3/3,3,3,3,3,3,3/3,3,3,3,3,3,3/3,3,3,3,3,3,3 S"),
    (SIX, "0,1,0,0,0,0/0,0,2,0,0,0/0,0,0,3,0,0/0,0,0,0,4,0 N"),
    (KIOTHI, "5,5,5,5,5,5,0,0,0,0/0,0,0,0,5,5,5,5,5,5 S 0-0 open:empty2"),
    (KIOTHI, "0,3*,1,0,0,0,0,0,0,12*/0,0,1*,0,0,2,0,0,0,0 N 7-6"),
]


# --- South and North, own view, the ring ---------------------------------------------------------


@pytest.mark.parametrize("game", [GIUTHI, KIOTHI, KPE, RIO_KADALIS, SEVEN])
def test_south_moves_first(load_game: LoadGame, game: str) -> None:
    state = load_game(game).initial_state()
    assert state.to_move == 0
    assert str(state).split()[1] == "S"


@pytest.mark.parametrize("game", [GIUTHI, KIOTHI, KPE, RIO_KADALIS, SEVEN])
def test_a_game_that_has_not_ended_has_no_result(load_game: LoadGame, game: str) -> None:
    state = load_game(game).initial_state()
    assert not state.is_over
    assert (state.termination, state.outcome, state.final, state.margin) == (None, None, None, None)


@pytest.mark.parametrize(
    ("game", "before", "move", "after_it"),
    [
        (KPE, "0,0,0,1/0,0,1,0 N 0-0 -/-", "a", "0,0,1,0/0,0,1,0 S 0-0 -/a"),
        (RIO_KADALIS, "0,0,0,0,0,1/0,0,1,0,0,0 N 0-0", "a", "0,0,0,0,1,0/0,0,1,0,0,0 S 0-0"),
        (
            KIOTHI,
            "0,0,0,0,0,0,0,0,0,1/0,0,1,0,0,0,0,0,0,0 N 0-0",
            "a1",
            "0,0,0,0,0,0,0,0,1,0/0,0,1,0,0,0,0,0,0,0 S 0-0",
        ),
        (
            SIX,
            "0,0,0,0,0,1/0,0,0,0,0,0/0,0,0,0,0,0/0,0,1,0,0,0 N",
            "a",
            "0,0,0,0,1,0/0,0,0,0,0,0/0,0,0,0,0,0/0,0,1,0,0,0 S",
        ),
    ],
)
def test_norths_a_is_drawn_at_the_top_right_and_sown_towards_the_left(
    load_game: LoadGame, game: str, before: str, move: str, after_it: str
) -> None:
    assert str(after(load_game, game, before, move)) == after_it


@pytest.mark.parametrize(
    ("game", "before", "move", "after_it"),
    [
        (KPE, "1,0,0,0/0,0,0,1 S 0-0 -/-", "d", "1,0,0,1/0,0,0,0 N 0-0 d/-"),
        (KPE, "1,0,0,0/0,0,0,1 N 0-0 -/-", "d", "0,0,0,0/1,0,0,1 S 0-0 -/d"),
        (RIO_KADALIS, "1,0,0,0,0,0/0,0,0,0,0,1 S 0-0", "f", "1,0,0,0,0,1/0,0,0,0,0,0 N 0-0"),
        (RIO_KADALIS, "1,0,0,0,0,0/0,0,0,0,0,1 N 0-0", "f", "0,0,0,0,0,0/1,0,0,0,0,1 S 0-0"),
        (
            KIOTHI,
            "1,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,1 S 0-0",
            "j1",
            "1,0,0,0,0,0,0,0,0,1/0,0,0,0,0,0,0,0,0,0 N 0-0",
        ),
        (
            KIOTHI,
            "1,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,1 N 0-0",
            "j1",
            "0,0,0,0,0,0,0,0,0,0/1,0,0,0,0,0,0,0,0,1 S 0-0",
        ),
    ],
)
def test_the_ring_of_two_rows_goes_from_each_last_pit_to_the_others_first(
    load_game: LoadGame, game: str, before: str, move: str, after_it: str
) -> None:
    assert str(after(load_game, game, before, move)) == after_it


@pytest.mark.parametrize(
    ("game", "position", "move"),
    [
        (GIUTHI, "0,0,0,0,0,0,0,2/2,0,0,0,0,0,0,0 S 0-0", "b+"),
        (GIUTHI, "0,0,0,0,0,0,0,2/2,0,0,0,0,0,0,0 S 0-0", "a"),
        (KIOTHI, "0,0,0,0,0,0,0,0,0,1/1,0,0,0,0,0,0,0,0,0 S 0-0", "b1"),
        (KPE, "0,0,0,1/1,0,0,0 S 0-0 -/-", "b"),
        (KPE, "0,0,0,1/1,0,0,0 S 0-0 -/-", "a1"),
        (RIO_KADALIS, "0,0,0,0,0,1/1,0,0,0,0,0 S 0-0", "b"),
        (SIX, "0,0,0,0,0,1/0,0,0,0,0,0/0,0,0,0,0,0/1,0,0,0,0,0 S", "A"),
        (SIX, "0,0,0,0,0,1/0,0,0,0,0,0/0,0,0,0,0,0/1,0,0,0,0,0 S", "xA"),
    ],
)
def test_an_illegal_move_is_refused(load_game: LoadGame, game: str, position: str, move: str) -> None:
    with pytest.raises(ValueError, match=re.escape(move)):
        after(load_game, game, position, move)


# --- Position strings ----------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "position"), POSITIONS)
def test_position_strings_are_written_as_they_are_read(load_game: LoadGame, game: str, position: str) -> None:
    assert str(load_game(game).state(position)) == position


@pytest.mark.parametrize(("game", "position"), POSITIONS)
def test_blanks_around_separators_are_forgiven(load_game: LoadGame, game: str, position: str) -> None:
    wide = re.sub(r"([,/:])", r"  \1 ", position.replace(" ", "   "))
    wide = re.sub(r"(\d)-(\d)", r"\1 - \2", wide)
    assert str(load_game(game).state(f"  {wide} ")) == position


@pytest.mark.parametrize(
    ("game", "position"),
    [
        (KIOTHI, "0,0,0,0,0,0,0,0,0,1/1,0,0,0,0,0,0,0,0,0 S 0-0"),
        (KIOTHI, "0,0,0,0,0,0,0,0,0,1/1,0,0,0,0,0,0,0,0,0 S 28-30"),
        (SIX, "0,0,0,0,0,1/0,0,0,0,0,0/0,0,0,0,0,0/1,0,0,0,0,0 S"),
        (SIX, "0,0,0,0,0,1/0,0,0,0,0,0/0,0,0,0,0,0/71,0,0,0,0,0 S"),
    ],
)
def test_fewer_seeds_than_the_games_total_are_allowed_and_so_is_the_total(
    load_game: LoadGame, game: str, position: str
) -> None:
    assert str(load_game(game).state(position)) == position


KIOTHI_ROW = "0,0,0,0,0,0,0,0,0,1"
SIX_ROW = "0,0,0,0,0,1"


@pytest.mark.parametrize(
    ("game", "position", "field"),
    [
        (KIOTHI, f"{KIOTHI_ROW} S 0-0", "row"),  # one row
        (KIOTHI, f"{KIOTHI_ROW}/{KIOTHI_ROW}/{KIOTHI_ROW} S 0-0", "row"),
        (KIOTHI, f"0,0,1/{KIOTHI_ROW} S 0-0", "row 1"),  # three pits
        (KIOTHI, f"{KIOTHI_ROW}/{KIOTHI_ROW},0 S 0-0", "row 2"),  # eleven pits
        (KIOTHI, f"{KIOTHI_ROW}/0,-1,0,0,0,0,0,0,0,1 S 0-0", "pit 2"),  # a negative count
        (KIOTHI, f"{KIOTHI_ROW}/0,two,0,0,0,0,0,0,0,1 S 0-0", "pit 2"),
        (KIOTHI, f"{KIOTHI_ROW}/0,x,0,0,0,0,0,0,0,1 S 0-0", "pit 2"),  # Kiothi closes no pits
        (KIOTHI, f"{KIOTHI_ROW}/0,*,0,0,0,0,0,0,0,1 S 0-0", "pit 2"),  # a mark without seeds
        (KIOTHI, f"{KIOTHI_ROW}/0,1**,0,0,0,0,0,0,0,1 S 0-0", "pit 2"),
        (KIOTHI, f"{KIOTHI_ROW}/0,,0,0,0,0,0,0,0,1 S 0-0", "pit 2"),
        (KIOTHI, f"{KIOTHI_ROW}/{KIOTHI_ROW} W 0-0", "side"),
        (KIOTHI, f"{KIOTHI_ROW}/{KIOTHI_ROW} s 0-0", "side"),
        (KIOTHI, f"{KIOTHI_ROW}/{KIOTHI_ROW} S", "captured"),
        (KIOTHI, f"{KIOTHI_ROW}/{KIOTHI_ROW} S 5", "captured"),
        (KIOTHI, f"{KIOTHI_ROW}/{KIOTHI_ROW} S 1--1", "captured"),
        (KIOTHI, f"{KIOTHI_ROW}/{KIOTHI_ROW} S 29-30", "seeds"),  # 61 of 60
        (KIOTHI, f"{KIOTHI_ROW}/60,0,0,0,0,0,0,0,0,0 S 0-0", "seeds"),
        ("kiothi(setup=5x5)", f"{KIOTHI_ROW}/50,0,0,0,0,0,0,0,0,0 S 0-0", "seeds"),  # 51 of 50
        (KIOTHI, f"{KIOTHI_ROW}/{KIOTHI_ROW} S 0-0 nonsense", "nonsense"),
        (SIX, f"{SIX_ROW}/{SIX_ROW} S", "row"),  # two rows of four
        (SIX, f"{SIX_ROW}/{SIX_ROW}/{SIX_ROW}/0,0,0,0,0,0,1 S", "row 4"),  # seven pits of six
        (SIX, f"{SIX_ROW}/{SIX_ROW}/{SIX_ROW}/0,0,0,0,0,1* S", "pit 6"),  # Kisolo marks no pits
        (SIX, f"{SIX_ROW}/{SIX_ROW}/{SIX_ROW}/{SIX_ROW} E", "side"),
        (SIX, f"{SIX_ROW}/{SIX_ROW}/{SIX_ROW}/{SIX_ROW}", "side"),  # none
        (SIX, f"{SIX_ROW}/{SIX_ROW}/{SIX_ROW}/{SIX_ROW} S 0-0", "fields"),  # Kisolo captures nothing for good
        (SIX, f"{SIX_ROW}/{SIX_ROW}/{SIX_ROW}/0,0,0,0,0,70 S", "seeds"),  # 73 of 72
        (SEVEN, "0,0,0,0,0,0,0/0,0,0,0,0,0,0/1,0,0,0,0,0,0/84,0,0,0,0,0,0 S", "seeds"),  # 85 of 84
    ],
)
def test_a_wrong_position_string_is_refused_with_the_field_and_what_was_expected(
    load_package_game: LoadGame, game: str, position: str, field: str
) -> None:
    with pytest.raises(ValueError, match="expected") as refusal:
        load_package_game(game).state(position)
    assert field in str(refusal.value)


# --- Typed positions that are over, finished positions, results ----------------------------------


@pytest.mark.parametrize(
    ("game", "position", "final"),
    [
        (GIUTHI, "0,0,0,0,0,0,0,1/1,0,1,0,0,0,0,0 S 3-4", (5, 5)),  # no pit with two seeds
        (KPE, "0,0,1,1/0,0,0,0 S 3-4 -/-", (3, 6)),  # South to move has no seed
        (RIO_KADALIS, "0,0,0,0,0,0/0,0,5,0,0,0 N 4-8", (9, 8)),  # North to move has no seed
        (KIOTHI, "0,0,0,0,0,0,0,0,2,3/0,0,0,0,0,0,0,0,0,0 S 20-5", (20, 10)),
        (KIOTHI, "0,0,0,0,0,0,0,0,0,0/0,0,4,0,0,0,0,0,0,1* N 5-20", (10, 20)),
        (KIOTHI, "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 S 30-30", (30, 30)),
    ],
)
def test_a_typed_position_that_would_already_be_over_is_over_at_once(
    load_game: LoadGame, game: str, position: str, final: tuple[int, int]
) -> None:
    state = load_game(game).state(position)
    assert (state.is_over, state.termination, state.legal_moves()) == (True, "normal", [])
    # The string shows board and captured as they lie, before anything is awarded.
    assert (str(state), state.final, state.margin) == (position, final, final[0] - final[1])
    assert state.outcome == (final[0] > final[1]) - (final[0] < final[1])


@pytest.mark.parametrize(
    ("game", "position"),
    [
        (GIUTHI, "0,0,0,0,0,0,0,2/1,0,0,0,0,0,0,0 S 0-0"),
        (KPE, "0,0,0,0/0,0,1,0 S 0-0 -/-"),
        (RIO_KADALIS, "0,0,0,0,0,0/0,0,1,0,0,0 S 0-0"),
        (KIOTHI, "0,0,0,0,0,0,0,0,0,0/0,0,1,0,0,0,0,0,0,0 S 0-0"),
        (SIX, "1,0,0,0,0,0/0,0,0,0,0,0/0,0,0,0,0,0/0,0,1,0,0,0 S"),
    ],
)
def test_a_typed_position_in_which_play_can_go_on_is_not_over(load_game: LoadGame, game: str, position: str) -> None:
    assert not load_game(game).state(position).is_over


def test_equal_scores_are_a_draw(load_game: LoadGame) -> None:
    state = load_game(KIOTHI).state("0,0,0,0,0,0,0,0,2,3/0,0,0,0,0,0,0,0,0,0 S 10-5")
    assert (state.termination, state.final, state.margin, state.outcome) == ("normal", (10, 10), 0, 0)


def test_nothing_is_legal_in_a_finished_game(load_game: LoadGame) -> None:
    state = load_game(KIOTHI).state("0,0,0,0,0,0,0,0,0,0/0,0,4,0,0,0,0,0,0,1 N 5-20")
    with pytest.raises(ValueError, match="a1"):
        state.play("a1")


# --- Infinite play, in Kisolo: always a draw -----------------------------------------------------

# A round of 24 moves that ends where it began. Six columns; the mover's ring is a b c d e f F E D C B A.
# South's E faces North's B, D faces C, C faces D, B faces E. Pits after each move, South / North:
ROUND_START = "0,0,0,0,0,0/0,0,0,0,1,0/0,0,2,0,0,0/0,0,0,0,0,1 S"
ROUND = (
    "C",  # f B A / B
    "B",  # f B A / A
    "B",  # f A2 / A
    "A",  # f A2 / a
    "A",  # f a b / a
    "a",  # f a b / b
    "a",  # f b2 / b: c, after b, is empty
    "b",  # f b2 / c
    "b",  # c d f / c
    "c",  # c d f / d
    "d",  # d to e; f follows: F. c e F / d
    "d",  # c e F / e
    "c",  # c to d; e follows: f; F follows (f was empty): E. d f E / e
    "e",  # d f E / f
    "d",  # d to e; f follows: F; E follows (F was empty): D. e F D / f
    "f",  # e F D / F
    "e",  # e to f; F follows: E; D follows: C. f E C / F
    "F",  # f E C / E: faces B, which is empty
    "E",  # E to D; C follows (D was empty): B. f D B / E
    "xE",  # compulsory: South's B, nothing behind; sown E. f D / E2. South's D is left: no win
    "D",  # f C / E2
    "E",  # f C / D C
    "xC",  # compulsory: North's D, nothing behind; sown C. f C2 / C. North's C is left: no win
    "C",  # f C2 / B: as at the start
)


def test_a_position_that_occurs_a_second_time_ends_the_game(load_game: LoadGame) -> None:
    before = after(load_game, SIX, ROUND_START, *ROUND[:-1])
    assert str(before) == "0,0,0,0,0,0/0,0,0,1,0,0/0,0,2,0,0,0/0,0,0,0,0,1 N"
    assert not before.is_over
    state = before.play(ROUND[-1])
    assert str(state) == ROUND_START  # the repeated position
    assert (state.is_over, state.termination, state.legal_moves()) == (True, "infinite", [])
    assert (state.outcome, state.margin, state.final) == (0, 0, None)


def test_history_begins_with_the_position_that_a_game_is_set_up_from(load_game: LoadGame) -> None:
    # One move later: what was the start is only reached now, and the set-up position is the one that repeats.
    set_up = "0,0,0,0,0,0/0,0,0,0,1,0/1,1,0,0,0,0/0,0,0,0,0,1 N"
    state = after(load_game, SIX, set_up, *ROUND[1:])
    assert (str(state), state.is_over) == (ROUND_START, False)
    state = state.play(ROUND[0])
    assert (str(state), state.termination) == (set_up, "infinite")


def test_a_string_carries_no_history(load_game: LoadGame) -> None:
    ended = after(load_game, SIX, ROUND_START, *ROUND)
    again = load_game(SIX).state(str(ended))
    assert (ended.is_over, again.is_over, again.legal_moves()) == (True, False, ["f", "C"])


@pytest.mark.parametrize(
    ("game", "position"),
    [
        # a2: b 2 c; d follows: e; f: F; E: D; C: B; A: a; b 2 follows. At the start a held 2, and b d f E C A
        # (by every second pit) 1; now b holds 2, and c e F D B a 1: the same moved on by one pit, and so on.
        (SIX, "1,0,0,0,0,0/0,0,0,0,0,0/1,0,1,0,1,0/2,1,0,1,0,1 S"),
        # a2: b 2 c; d: e; f: g; G: F; E: D; C: B; A: a; b 2 follows: likewise.
        (SEVEN, "1,0,0,0,0,0,0/0,0,0,0,0,0,0/1,0,1,0,1,0,1/2,1,0,1,0,1,0 S"),
    ],
)
def test_a_relay_that_comes_back_moved_on_by_one_pit_never_ends(load_game: LoadGame, game: str, position: str) -> None:
    state = load_game(game).state(position)
    assert "a" in state.legal_moves()
    state = state.play("a")
    assert str(state) == position  # the move is not completed
    assert (state.to_move, state.is_over, state.termination) == (0, True, "infinite")
    assert (state.outcome, state.margin, state.final) == (0, 0, None)
