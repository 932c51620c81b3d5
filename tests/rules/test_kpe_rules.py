"""Hand-worked examples of the rules of Kpé, one sentence of the rules each.

The board is 2x4, drawn ``D,C,B,A/a,b,c,d`` (South lower case, North upper case), sown in the order
``a b c d A B C D``. The last field of a position names the pits that South / North has sown from.
"""

from __future__ import annotations

import re

import pytest

from tests.rules.worked import LoadGame, after

KPE = "kpe"

# Eight plies of single seeds going round: see test_a_repeated_position_ends_the_game.
ROUND = ("d", "a", "a", "b", "b", "c", "c", "d")


# --- Board and options ---------------------------------------------------------------------------


def test_standard_is_four_pits_of_six_seeds_with_nothing_sown(load_game: LoadGame) -> None:
    start = "6,6,6,6/6,6,6,6 S 0-0 -/-"
    assert str(load_game("kpe").initial_state()) == start
    assert str(load_game("kpe(holes=4,seeds=6)").initial_state()) == start


@pytest.mark.parametrize(
    ("options", "row"),
    [
        ("holes=3,seeds=1", "1,1,1"),
        ("holes=8,seeds=8", "8,8,8,8,8,8,8,8"),
        ("holes=6,seeds=4", "4,4,4,4,4,4"),
    ],
)
def test_three_to_eight_pits_of_one_to_eight_seeds(load_game: LoadGame, options: str, row: str) -> None:
    assert str(load_game(f"kpe({options})").initial_state()) == f"{row}/{row} S 0-0 -/-"


@pytest.mark.parametrize("option", ["holes=2", "holes=9", "seeds=0", "seeds=9"])
def test_other_boards_are_refused(load_package_game: LoadGame, option: str) -> None:
    with pytest.raises(ValueError, match=option):
        load_package_game(f"kpe({option})")


# --- Moves and sowing ----------------------------------------------------------------------------


def test_any_own_non_empty_pit_is_sown_singletons_too(load_game: LoadGame) -> None:
    state = after(load_game, KPE, "0,0,0,3/1,0,2,0 S 0-0 -/-")
    assert state.legal_moves() == ["a", "c"]
    for illegal in ("b", "d", "e", "A", "a+", "pass"):
        with pytest.raises(ValueError, match=re.escape(repr(illegal))):
            state.play(illegal)


def test_north_letters_its_pits_from_the_top_right(load_game: LoadGame) -> None:
    state = after(load_game, KPE, "3,0,1,2/1,1,1,1 N 0-0 -/-")
    assert state.legal_moves() == ["a", "b", "d"]  # 2 in A, 1 in B, 3 in D


def test_seeds_are_sown_counter_clockwise(load_game: LoadGame) -> None:
    # c(3) -> d 1, A 2, B 1
    assert str(after(load_game, KPE, "0,0,0,1/1,0,3,0 S 0-0 -/-", "c")) == "0,0,1,2/1,0,0,1 N 0-0 c/-"
    # C(3) -> D 1, a 2, b 1
    assert str(after(load_game, KPE, "0,3,0,1/1,0,0,0 N 0-0 -/-", "c")) == "1,0,0,1/2,1,0,0 S 0-0 -/c"


def test_a_move_is_one_lap_only(load_game: LoadGame) -> None:
    # a(3) -> b 2, c 2, d 2: d was occupied, and stays where it is
    assert str(after(load_game, KPE, "1,1,1,1/3,1,1,1 S 0-0 -/-", "a")) == "1,1,1,1/0,2,2,2 N 0-0 a/-"


def test_the_emptied_pit_is_not_skipped(load_game: LoadGame) -> None:
    # a(8) -> b c d A B C D one each, the eighth into a
    assert str(after(load_game, KPE, "1,0,0,0/8,0,0,0 S 0-0 -/-", "a")) == "2,1,1,1/1,1,1,1 N 0-0 a/-"


def test_the_turn_passes_after_every_move(load_game: LoadGame) -> None:
    # a(1) -> b 1, empty, in the own row: no further move
    assert str(after(load_game, KPE, "0,0,0,1/1,0,0,1 S 0-0 -/-", "a")) == "0,0,0,1/0,1,0,1 N 0-0 a/-"


# --- Opening lock --------------------------------------------------------------------------------


def test_the_state_keeps_the_set_of_pits_sown_from_in_alphabetical_order(load_game: LoadGame) -> None:
    # S d(1) -> A 2; N D(1) -> a 2; S a(2) -> b 1, c 1; N A(2) -> B 1, C 1; S b(1) -> c 2, again from c below
    state = after(load_game, KPE, "1,0,0,1/1,0,0,1 S 0-0 -/-", "d", "d", "a", "a", "b")
    assert str(state) == "0,1,1,0/0,0,2,0 N 0-0 abd/ad"
    # N B(1) -> C 2; S c(2) -> d 1, A 1: the set is complete; N C(2) -> D 1, a 1; S d(1) -> A 2: captured
    state = state.play("b").play("c")
    assert str(state) == "0,2,0,1/0,0,0,1 N 0-0 abcd/abd"
    assert str(state.play("c").play("d")) == "1,0,0,0/1,0,0,0 N 2-0 abcd/abcd"


def test_a_locked_player_captures_nothing(load_game: LoadGame) -> None:
    # d(1) -> A 2; c was never sown
    assert str(after(load_game, KPE, "0,1,0,1/1,0,0,1 S 0-0 ab/abc", "d")) == "0,1,0,2/1,0,0,0 N 0-0 abd/abc"


def test_an_unlocked_player_captures(load_game: LoadGame) -> None:
    # d(1) -> A 2
    assert str(after(load_game, KPE, "0,1,0,1/1,0,0,1 S 0-0 abcd/-", "d")) == "0,1,0,0/1,0,0,0 N 2-0 abcd/-"


def test_last_pit_unlocks_in_the_same_move(load_game: LoadGame) -> None:
    # d(1) -> A 2; d was the only pit never sown
    assert str(after(load_game, KPE, "0,1,0,1/1,0,0,1 S 0-0 abc/-", "d")) == "0,1,0,0/1,0,0,0 N 2-0 abcd/-"


def test_each_player_has_a_lock_of_the_own(load_game: LoadGame) -> None:
    # D(1) -> a 2
    assert str(after(load_game, KPE, "1,0,0,1/1,0,1,0 N 0-0 abcd/a", "d")) == "0,0,0,1/2,0,1,0 S 0-0 abcd/ad"
    assert str(after(load_game, KPE, "1,0,0,1/1,0,1,0 N 0-0 -/abc", "d")) == "0,0,0,1/0,0,1,0 S 0-2 -/abcd"


# --- Capture -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (0, "0,1,0,1/1,0,0,0 N 0-0 abcd/-"),  # d(1) -> A 1
        (1, "0,1,0,0/1,0,0,0 N 2-0 abcd/-"),  # A 2
        (2, "0,1,0,3/1,0,0,0 N 0-0 abcd/-"),  # A 3
        (3, "0,1,0,0/1,0,0,0 N 4-0 abcd/-"),  # A 4
        (4, "0,1,0,5/1,0,0,0 N 0-0 abcd/-"),  # A 5
        (5, "0,1,0,6/1,0,0,0 N 0-0 abcd/-"),  # A 6
    ],
)
def test_last_seed_captures_exactly_two_or_four(load_game: LoadGame, before: int, expected: str) -> None:
    assert str(after(load_game, KPE, f"0,1,0,{before}/1,0,0,1 S 0-0 abcd/-", "d")) == expected


def test_capture_goes_on_backwards_while_the_pits_hold_two_or_four(load_game: LoadGame) -> None:
    # d(3) -> A 2, B 4, C 2: captured C, B, A
    assert str(after(load_game, KPE, "1,1,3,1/1,0,0,3 S 0-0 abcd/-", "d")) == "1,0,0,0/1,0,0,0 N 8-0 abcd/-"


def test_capture_backwards_stops_at_a_gap(load_game: LoadGame) -> None:
    # d(3) -> A 2, B 3, C 2: captured C; B has three, A is beyond the gap
    assert str(after(load_game, KPE, "0,1,2,1/1,0,0,3 S 0-0 abcd/-", "d")) == "0,0,3,2/1,0,0,0 N 2-0 abcd/-"


def test_no_capture_backwards_unless_the_last_pit_is_captured(load_game: LoadGame) -> None:
    # d(2) -> A 2, B 1: B is not captured, so A is not either
    assert str(after(load_game, KPE, "1,0,0,1/1,0,0,2 S 0-0 abcd/-", "d")) == "1,0,1,2/1,0,0,0 N 0-0 abcd/-"


def test_capture_does_not_go_forward(load_game: LoadGame) -> None:
    # d(1) -> A 2: captured; B 2 and C 4 come after it
    assert str(after(load_game, KPE, "0,4,2,1/1,0,0,1 S 0-0 abcd/-", "d")) == "0,4,2,0/1,0,0,0 N 2-0 abcd/-"


def test_own_pits_are_never_captured(load_game: LoadGame) -> None:
    # a(1) -> b 2, an own pit
    assert str(after(load_game, KPE, "1,0,0,0/1,1,0,0 S 0-0 abcd/-", "a")) == "1,0,0,0/0,2,0,0 N 0-0 abcd/-"


def test_capture_backwards_ends_at_the_opponents_first_pit(load_game: LoadGame) -> None:
    # c(2) -> d 2, A 2: captured A; d is an own pit
    assert str(after(load_game, KPE, "1,0,0,1/0,0,2,1 S 0-0 abcd/-", "c")) == "1,0,0,0/0,0,0,2 N 2-0 abcd/-"
    # C(2) -> D 2, a 2: captured a; D is North's own
    assert str(after(load_game, KPE, "1,2,0,0/1,0,0,1 N 0-0 -/abcd", "c")) == "2,0,0,0/0,0,0,1 S 0-2 -/abcd"


def test_all_seeds_of_the_opponent_may_be_captured(load_game: LoadGame) -> None:
    # d(2) -> A 2, B 4: captured both, and North has nothing left to move
    state = after(load_game, KPE, "0,0,3,1/1,0,0,2 S 0-0 abcd/-", "d")
    assert str(state) == "0,0,0,0/1,0,0,0 N 6-0 abcd/-"
    assert (state.termination, state.final) == ("normal", (7, 0))


# --- Feeding -------------------------------------------------------------------------------------


def test_an_opponent_without_seeds_must_be_fed(load_game: LoadGame) -> None:
    state = after(load_game, KPE, "0,0,0,0/3,0,2,1 S 0-0 -/-")
    assert state.legal_moves() == ["c", "d"]  # a(3) would end in d
    with pytest.raises(ValueError, match="a"):
        state.play("a")


def test_north_must_feed_too(load_game: LoadGame) -> None:
    assert after(load_game, KPE, "2,0,0,1/0,0,0,0 N 0-0 -/-").legal_moves() == ["d"]  # A(1) would end in B


def test_any_move_is_legal_if_none_feeds(load_game: LoadGame) -> None:
    state = after(load_game, KPE, "0,0,0,0/1,2,0,0 S 0-0 -/-")
    assert state.legal_moves() == ["a", "b"]
    # b(2) -> c 1, d 1: North has no seed to move, the game is over
    state = state.play("b")
    assert str(state) == "0,0,0,0/1,0,1,1 N 0-0 b/-"
    assert (state.termination, state.final) == ("normal", (3, 0))


def test_one_seed_in_the_opponents_row_is_enough_not_to_feed(load_game: LoadGame) -> None:
    assert after(load_game, KPE, "1,0,0,0/1,0,0,2 S 0-0 -/-").legal_moves() == ["a", "d"]


def test_a_feeding_move_may_capture_what_it_fed(load_game: LoadGame) -> None:
    # a(1) would not feed; d(10) -> A 1, B 1, C 1, D 1, a 2, b 1, c 1, d 1, A 2, B 2: captured B, A
    state = after(load_game, KPE, "0,0,0,0/1,0,0,10 S 0-0 abcd/-")
    assert state.legal_moves() == ["d"]
    assert str(state.play("d")) == "1,1,0,0/2,1,1,1 N 4-0 abcd/-"


# --- End -----------------------------------------------------------------------------------------


def test_game_ends_when_the_player_to_move_has_no_seed(load_game: LoadGame) -> None:
    # N D(1) -> a 1, the last seed of North's row; the game is not over: South is to move, and has a seed
    state = after(load_game, KPE, "1,0,0,0/0,0,1,0 N 5-9 -/-", "d")
    assert (str(state), state.is_over) == ("0,0,0,0/1,0,1,0 S 5-9 -/d", False)
    # S has no move that feeds; c(1) -> d 1: North is to move without a seed
    state = state.play("c")
    assert str(state) == "0,0,0,0/1,0,0,1 N 5-9 c/d"  # as it lies, before anything is awarded
    assert (state.is_over, state.termination) == (True, "normal")
    assert (state.final, state.outcome, state.margin) == ((7, 9), -1, -2)
    assert state.legal_moves() == []


def test_a_typed_position_without_a_seed_to_move_is_over_at_once(load_game: LoadGame) -> None:
    north = after(load_game, KPE, "0,0,0,0/1,2,0,0 N 5-4 -/-")
    assert (north.termination, north.final, north.outcome, north.margin) == ("normal", (8, 4), 1, 4)
    south = after(load_game, KPE, "0,1,0,2/0,0,0,0 S 1-2 -/-")
    assert (south.termination, south.final, south.outcome, south.margin) == ("normal", (1, 5), -1, -4)


def test_equal_scores_are_a_draw(load_game: LoadGame) -> None:
    state = after(load_game, KPE, "0,0,0,0/1,2,0,0 N 1-4 -/-")
    assert (state.final, state.outcome, state.margin) == ((4, 4), 0, 0)


# --- Infinite play -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "final", "outcome", "margin"),
    [
        ("kpe", (6, 5), 1, 1),  # split is Kpé's default: 2 seeds, one each
        ("kpe(infinite=split)", (6, 5), 1, 1),
        ("kpe(infinite=draw)", (5, 4), 0, 0),  # nothing is awarded
        ("kpe(infinite=own_side)", (5, 6), -1, -1),  # both seeds lie in North's row
    ],
)
def test_a_repeated_position_ends_the_game(
    load_game: LoadGame, game: str, final: tuple[float, float], outcome: int, margin: int
) -> None:
    # N D -> a (it must feed), S a -> b, N A -> B, S b -> c, N B -> C, S c -> d, N C -> D, S d -> A:
    # no seed ever falls into an occupied pit, and each has gone on by four pits
    position = "1,0,0,1/0,0,0,0 N 5-4 abcd/abcd"
    before = after(load_game, game, position, *ROUND[:-1])
    assert (str(before), before.is_over) == ("1,0,0,0/0,0,0,1 S 5-4 abcd/abcd", False)
    state = before.play(ROUND[-1])
    assert str(state) == position
    assert (state.is_over, state.termination) == (True, "infinite")
    assert (state.final, state.outcome, state.margin) == (final, outcome, margin)
    assert not after(load_game, game, str(state)).is_over  # a string carries no history


def test_split_awards_halves(load_game: LoadGame) -> None:
    # three single seeds: N D -> a (it must feed), S a -> b, N B -> C, S b -> c, N A -> B, S c -> d,
    # N C -> D, S d -> A: D, B, A hold one seed each again
    position = "1,0,1,1/0,0,0,0 N 5-4 abcd/abcd"
    state = after(load_game, KPE, position, "d", "a", "b", "b", "a", "c", "c", "d")
    assert str(state) == position
    assert (state.termination, state.final, state.margin) == ("infinite", (6.5, 5.5), 1)


def test_pits_sown_from_belong_to_the_position(load_game: LoadGame) -> None:
    # the same round, but with both sets growing: the pits and the side to move are back, the position is new
    state = after(load_game, KPE, "1,0,0,1/0,0,0,0 N 5-4 -/-", *ROUND)
    assert str(state) == "1,0,0,1/0,0,0,0 N 5-4 abcd/abcd"
    assert not state.is_over
    # another round with both sets complete
    state = after(load_game, KPE, "1,0,0,1/0,0,0,0 N 5-4 -/-", *ROUND, *ROUND)
    assert state.termination == "infinite"


# --- Position strings ----------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["-/-", "a/-", "-/d", "abcd/acd"])
def test_the_sets_are_read_back_as_written(load_game: LoadGame, field: str) -> None:
    position = f"6,6,6,5/6,6,6,6 N 0-1 {field}"
    assert str(after(load_game, KPE, position)) == position


@pytest.mark.parametrize(
    "position",
    [
        "6,6,6,6/6,6,6,6 S 0-0",  # no sets
        "6,6,6,6/6,6,6,6 S 0-0 -",  # one set
        "6,6,6,6/6,6,6,6 S 0-0 a/b/c",  # three sets
        "6,6,6,6/6,6,6,6 S 0-0 e/-",  # no such pit
        "6,6,6,6/6,6,6,6 S 0-0 -/A",  # own view is in small letters
        "6,6,6,6/6,6,6,6 S 0-0 ba/-",  # not in alphabetical order
        "6,6,6,6/6,6,6,6 S 0-0 aa/-",  # twice the same
        "6,6,6,6/6,6,6,7 S 0-0 -/-",  # 49 seeds
        "6,6,6,6/6,6,6,6 S 1-0 -/-",  # 49 seeds with the captured one
        "6,6,6/6,6,6,6 S 0-0 -/-",  # three pits
        "6,6,6,6/6,6,6,x S 0-0 -/-",  # only Rio Kadalis closes pits
        "6,6,6,6/6,6,6,-6 S 0-0 -/-",  # a negative count
        "6,6,6,6/6,6,6,6 W 0-0 -/-",  # an unknown side
    ],
)
def test_a_wrong_position_string_is_refused(load_package_game: LoadGame, position: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        after(load_package_game, KPE, position)
