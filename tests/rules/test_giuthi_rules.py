"""Hand-worked examples of the rules of Giuthi, one sentence of the rules each.

Most are played on 2x5, drawn ``E,D,C,B,A/a,b,c,d,e`` (South lower case, North upper case). The ring is
``a b c d e A B C D E`` counter-clockwise (``+``); facing pits are a-E, b-D, c-C, d-B, e-A.
"""

from __future__ import annotations

import re

import pytest

from tests.rules.worked import LoadGame, after

G5 = "giuthi(holes=5,seeds=4)"

# Pits with 16 seeds whose relay from a+ comes back to itself, turned by seven pits, every ten laps:
# see test_an_endless_sowing_leaves_the_position_as_it_was.
ENDLESS = "0,3,1,4,1/3,1,1,1,1 S 9-6"

# A position that four moves of one turn bring back: see test_repetition_inside_one_turn_ends_the_game.
CYCLE = ("c+", "d-", "c-", "b+")


# --- Board and set-ups ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setup", "holes", "seeds", "row"),
    [
        ("2x5x4", 5, 4, "4,4,4,4,4"),
        ("2x6x4", 6, 4, "4,4,4,4,4,4"),
        ("2x6x6", 6, 6, "6,6,6,6,6,6"),
        ("2x7x6", 7, 6, "6,6,6,6,6,6,6"),
        ("2x8x4", 8, 4, "4,4,4,4,4,4,4,4"),
        ("2x8x6", 8, 6, "6,6,6,6,6,6,6,6"),
        ("2x8x8", 8, 8, "8,8,8,8,8,8,8,8"),
        ("2x10x9", 10, 9, "9,9,9,9,9,9,9,9,9,9"),
    ],
)
def test_every_named_setup_starts_with_the_same_seeds_in_every_pit(
    load_game: LoadGame, setup: str, holes: int, seeds: int, row: str
) -> None:
    start = f"{row}/{row} S 0-0"
    assert str(load_game(f"giuthi(setup={setup})").initial_state()) == start
    assert str(load_game(f"giuthi(holes={holes},seeds={seeds})").initial_state()) == start


def test_standard_is_eight_pits_of_eight_seeds(load_game: LoadGame) -> None:
    assert str(load_game("giuthi").initial_state()) == "8,8,8,8,8,8,8,8/8,8,8,8,8,8,8,8 S 0-0"


@pytest.mark.parametrize("option", ["holes=4", "holes=11", "seeds=3", "seeds=10", "setup=2x4x4"])
def test_boards_outside_five_to_ten_pits_and_four_to_nine_seeds_are_refused(
    load_package_game: LoadGame, option: str
) -> None:
    with pytest.raises(ValueError, match=option.partition("=")[0]):
        load_package_game(f"giuthi({option})")


def test_south_moves_first(load_game: LoadGame) -> None:
    state = load_game(G5).initial_state()
    assert (state.to_move, state.is_over, state.termination) == (0, False, None)
    assert (state.outcome, state.final, state.margin) == (None, None, None)


# --- Which moves there are -----------------------------------------------------------------------


def test_moves_are_listed_by_pit_and_plus_before_minus(load_game: LoadGame) -> None:
    moves = ["a+", "a-", "b+", "b-", "c+", "c-", "d+", "d-", "e+", "e-"]
    assert load_game(G5).initial_state().legal_moves() == moves


def test_only_own_pits_with_at_least_two_seeds_are_sown(load_game: LoadGame) -> None:
    state = after(load_game, G5, "0,0,0,0,2/0,1,2,3,0 S 0-0")
    assert state.legal_moves() == ["c+", "c-", "d+", "d-"]
    for illegal in ("a+", "b+", "b-", "e+", "c", "f+", "pass"):
        with pytest.raises(ValueError, match=re.escape(repr(illegal))):
            state.play(illegal)


def test_north_letters_its_pits_from_the_top_right(load_game: LoadGame) -> None:
    state = after(load_game, G5, "0,3,0,0,2/0,0,0,2,0 N 0-0")
    assert state.legal_moves() == ["a+", "a-", "d+", "d-"]  # the 2 at the right end is A, the 3 is D


# --- Sowing --------------------------------------------------------------------------------------


def test_plus_sows_counter_clockwise(load_game: LoadGame) -> None:
    # e(2)+ -> A 2, B 1: B was empty
    assert str(after(load_game, G5, "0,0,0,0,1/0,0,0,0,2 S 0-0", "e+")) == "0,0,0,1,2/0,0,0,0,0 N 0-0"


def test_minus_sows_clockwise(load_game: LoadGame) -> None:
    # a(2)- -> E 1, D 1: D was empty
    assert str(after(load_game, G5, "0,0,0,0,2/2,0,0,0,0 S 0-0", "a-")) == "1,1,0,0,2/0,0,0,0,0 N 0-0"


def test_north_sows_plus_to_its_own_right(load_game: LoadGame) -> None:
    # A(2)+ -> B 1, C 1, drawn to the left; the own row only, so North moves again
    assert str(after(load_game, G5, "0,2,0,0,2/0,0,0,0,3 N 0-0", "a+")) == "0,2,1,1,0/0,0,0,0,3 N 0-0"
    # A(2)- -> e 4, d 1: d was empty
    assert str(after(load_game, G5, "0,2,0,0,2/0,0,0,0,3 N 0-0", "a-")) == "0,2,0,0,0/0,0,0,1,4 S 0-0"


def test_relay_reverses_direction_each_lap(load_game: LoadGame) -> None:
    # lap 1: c(2)+ -> d 1, e 3, e was occupied: lift 3
    # lap 2: e(3)- -> d 2, c 1, b 2, b was occupied: lift 2
    # lap 3: b(2)+ -> c 2, d 3, d was occupied: lift 3
    # lap 4: d(3)- -> c 3, b 1, a 1, a was empty
    assert str(after(load_game, G5, "0,0,0,0,0/0,1,2,0,2 S 0-0", "c+")) == "0,0,0,0,0/1,1,3,0,0 S 0-0"


def test_relay_after_a_clockwise_lap_goes_counter_clockwise(load_game: LoadGame) -> None:
    # lap 1: c(2)- -> b 1, a 2, a was occupied: lift 2
    # lap 2: a(2)+ -> b 2, c 1, c was emptied by lap 1
    assert str(after(load_game, G5, "0,0,0,0,0/1,0,2,0,0 S 0-0", "c-")) == "0,0,0,0,0/0,2,1,0,0 S 0-0"


def test_relay_goes_on_from_an_occupied_pit_of_the_opponent(load_game: LoadGame) -> None:
    # lap 1: e(3)+ -> A 1, B 1, C 3, C was occupied: lift 3, the last seed included
    # lap 2: C(3)- -> B 2, A 2, e 1, e was emptied: own side, the opponent's row was entered
    # capture: e 1 and A 2; the chain goes on with d, occupied: it stops
    assert str(after(load_game, G5, "0,0,2,0,0/0,0,0,1,3 S 0-0", "e+")) == "0,0,0,2,0/0,0,0,1,0 N 3-0"


def test_the_emptied_pit_is_not_skipped(load_game: LoadGame) -> None:
    # a(10)+ -> b c d e A B C D E one each, the tenth into a, emptied: own side, entered
    # capture: a 1 and E 1; the chain goes on with b, occupied: it stops
    state = after(load_game, G5, "0,0,0,2,0/10,0,0,0,0 S 0-0", "a+")
    assert str(state) == "0,1,1,3,1/0,1,1,1,1 N 2-0"


# --- Where the last seed falls -------------------------------------------------------------------


def test_landing_in_an_empty_pit_of_the_opponent_captures_nothing_and_passes_the_turn(
    load_game: LoadGame,
) -> None:
    # e(2)+ -> A 2, B 1: B was empty; d 3 faces B and stays
    assert str(after(load_game, G5, "0,0,0,0,1/0,0,0,3,2 S 0-0", "e+")) == "0,0,0,1,2/0,0,0,3,0 N 0-0"


def test_landing_in_an_own_empty_pit_without_entering_gives_another_move(load_game: LoadGame) -> None:
    # a(2)+ -> b 1, c 1: c was empty; C 3 faces it and is not captured
    state = after(load_game, G5, "0,0,3,0,0/2,0,0,2,0 S 0-0", "a+")
    assert str(state) == "0,0,3,0,0/0,1,1,2,0 S 0-0"
    assert state.legal_moves() == ["d+", "d-"]


def test_moving_again_is_a_free_choice_of_pit_and_direction(load_game: LoadGame) -> None:
    # as in test_relay_reverses_direction_each_lap: c has 3 after c+, and is not barred
    state = after(load_game, G5, "0,0,0,0,0/0,1,2,0,2 S 0-0", "c+")
    assert state.legal_moves() == ["c+", "c-"]
    # c(3)+ -> d 1, e 1, A 1: A was empty, the turn passes
    assert str(state.play("c+")) == "0,0,0,0,1/1,1,0,1,1 N 0-0"
    # c(3)- -> b 2, a 2, E 1: E was empty, the turn passes
    assert str(state.play("c-")) == "1,0,0,0,0/2,2,0,0,0 N 0-0"


def test_entering_is_counted_afresh_in_every_move(load_game: LoadGame) -> None:
    # S e(2)+ -> A 2, B 1 empty; N C(3)- -> B 2, A 3, e 1 empty; South has entered in an earlier move only
    # S a(2)+ -> b 1, c 1 empty, in the own row alone: no capture (not even of c itself), South moves again
    state = after(load_game, G5, "0,0,3,0,1/2,0,0,2,2 S 0-0", "e+", "c-", "a+")
    assert str(state) == "0,0,0,2,3/0,1,1,2,1 S 0-0"


def test_moving_again_with_nothing_to_move_passes_the_turn_at_once(load_game: LoadGame) -> None:
    # a(2)+ -> b 1, c 1 empty: another move, but South has only singletons; North moves, nobody passed
    state = after(load_game, G5, "0,0,0,0,2/2,0,0,0,0 S 0-0", "a+")
    assert str(state) == "0,0,0,0,2/0,1,1,0,0 N 0-0"
    assert state.legal_moves() == ["a+", "a-"]


# --- Passing -------------------------------------------------------------------------------------


def test_a_player_with_only_singletons_and_empty_pits_must_pass(load_game: LoadGame) -> None:
    state = after(load_game, G5, "0,0,0,0,2/1,1,0,0,0 S 0-0")
    assert state.legal_moves() == ["pass"]
    passed = state.play("pass")  # the same pits with the other side to move are no repetition
    assert str(passed) == "0,0,0,0,2/1,1,0,0,0 N 0-0"
    assert not passed.is_over


def test_a_player_without_any_seed_must_pass_too(load_game: LoadGame) -> None:
    state = after(load_game, G5, "0,0,0,0,0/1,2,0,0,0 N 0-0")
    assert state.legal_moves() == ["pass"]
    assert str(state.play("pass")) == "0,0,0,0,0/1,2,0,0,0 S 0-0"


def test_a_player_who_passed_plays_again_as_soon_as_a_pit_has_two_seeds(load_game: LoadGame) -> None:
    # S passes; N A(2)- -> e 2, d 1 empty
    state = after(load_game, G5, "0,0,0,0,2/0,0,0,0,1 S 0-0", "pass", "a-")
    assert str(state) == "0,0,0,0,0/0,0,0,1,2 S 0-0"
    assert state.legal_moves() == ["e+", "e-"]
    with pytest.raises(ValueError, match="pass"):
        state.play("pass")


# --- End -----------------------------------------------------------------------------------------


def test_game_ends_when_neither_player_has_a_pit_with_two_seeds(load_game: LoadGame) -> None:
    # a(10)+ -> b c d e A B C D E a: capture a 1 and E 1, the turn passes; singletons everywhere
    state = after(load_game, G5, "0,0,0,0,0/10,0,0,0,0 S 1-7", "a+")
    assert str(state) == "0,1,1,1,1/0,1,1,1,1 N 3-7"  # as it lies, before anything is awarded
    assert (state.is_over, state.termination) == (True, "normal")
    assert (state.final, state.outcome, state.margin) == ((7, 11), -1, -4)  # captured and own row
    assert state.legal_moves() == []
    with pytest.raises(ValueError, match="pass"):
        state.play("pass")


def test_end_is_checked_after_the_turn_has_passed(load_game: LoadGame) -> None:
    # a(2)+ -> b 1, c 1 empty: another move that South cannot make, so the turn passes, and the game is over
    state = after(load_game, G5, "0,0,0,0,1/2,0,0,0,0 S 0-0", "a+")
    assert str(state) == "0,0,0,0,1/0,1,1,0,0 N 0-0"
    assert (state.to_move, state.termination) == (1, "normal")
    assert (state.final, state.outcome, state.margin) == ((2, 1), 1, 1)


def test_equal_scores_are_a_draw(load_game: LoadGame) -> None:
    # a(2)+ -> b 1, c 1 empty: over with 5 + 2 against 6 + 1
    state = after(load_game, G5, "0,0,0,0,1/2,0,0,0,0 S 5-6", "a+")
    assert (state.termination, state.final, state.outcome, state.margin) == ("normal", (7, 7), 0, 0)


def test_a_typed_position_without_a_pit_of_two_seeds_is_over_at_once(load_game: LoadGame) -> None:
    state = after(load_game, G5, "1,0,0,1,0/0,1,0,0,1 S 3-4")
    assert str(state) == "1,0,0,1,0/0,1,0,0,1 S 3-4"
    assert (state.is_over, state.termination) == (True, "normal")
    assert (state.final, state.outcome, state.margin) == ((5, 6), -1, -1)


# --- Infinite play -------------------------------------------------------------------------------


def test_repetition_inside_one_turn_ends_the_game(load_game: LoadGame) -> None:
    # c(2)+ -> d 2, e 2, occupied; e(2)- -> d 3, c 1 empty:       0,0,1,3,0, South again
    # d(3)- -> c 2, b 1, a 1 empty:                               1,1,2,0,0, South again
    # c(2)- -> b 2, a 2, occupied; a(2)+ -> b 3, c 1 empty:       0,3,1,0,0, South again
    # b(3)+ -> c 2, d 1, e 1 empty:                               0,0,2,1,1, as at the beginning
    position = "0,0,0,0,2/0,0,2,1,1 S 7-3"
    before = after(load_game, G5, position, *CYCLE[:3])
    assert (str(before), before.is_over) == ("0,0,0,0,2/0,3,1,0,0 S 7-3", False)
    state = before.play(CYCLE[3])
    assert str(state) == position  # the repeated position
    assert (state.is_over, state.termination) == (True, "infinite")
    assert state.legal_moves() == []


@pytest.mark.parametrize(
    ("option", "final", "outcome", "margin"),
    [
        ("", (7, 3), 0, 0),  # draw is Giuthi's default
        (",infinite=draw", (7, 3), 0, 0),  # nothing is awarded, and the game is drawn all the same
        (",infinite=split", (10.5, 6.5), 1, 4),  # 7 seeds on the board, half of them each
        (",infinite=own_side", (11, 6), 1, 5),  # South's row has 4, North's 3
    ],
)
def test_what_a_repetition_is_worth_is_an_option(
    load_game: LoadGame, option: str, final: tuple[float, float], outcome: int, margin: int
) -> None:
    state = after(load_game, f"giuthi(holes=5,seeds=4{option})", "0,0,0,0,3/0,0,2,1,1 S 7-3", *CYCLE)
    assert (state.termination, state.final) == ("infinite", final)
    assert (state.outcome, state.margin) == (outcome, margin)


def test_a_position_string_carries_no_history(load_game: LoadGame) -> None:
    over = after(load_game, G5, "0,0,0,0,2/0,0,2,1,1 S 7-3", *CYCLE)
    again = after(load_game, G5, str(over))
    assert (over.is_over, again.is_over) == (True, False)
    assert again.legal_moves() == ["c+", "c-"]


@pytest.mark.parametrize(
    ("option", "final", "outcome", "margin"),
    [
        ("", (9, 6), 0, 0),
        (",infinite=split", (17, 14), 1, 3),  # 16 seeds on the board
        (",infinite=own_side", (16, 15), 1, 1),  # South's row has 7, North's 9
    ],
)
def test_an_endless_sowing_leaves_the_position_as_it_was(
    load_game: LoadGame, option: str, final: tuple[float, float], outcome: int, margin: int
) -> None:
    # On the ring   a b c d e A B C D E the relay begins with a(3)+ from  3 1 1 1 1 1 4 1 3 0
    # a(3)+ -> b 2, c 2, d 2: lift 2                                      0 2 2 0 1 1 4 1 3 0
    # d(2)- -> c 3, b 3: lift 3                                           0 0 3 0 1 1 4 1 3 0
    # b(3)+ -> c 4, d 1, e 2: lift 2                                      0 0 4 1 0 1 4 1 3 0
    # e(2)- -> d 2, c 5: lift 5                                           0 0 0 2 0 1 4 1 3 0
    # c(5)+ -> d 3, e 1, A 2, B 5, C 2: lift 2                            0 0 0 3 1 2 5 0 3 0
    # C(2)- -> B 6, A 3: lift 3                                           0 0 0 3 1 0 6 0 3 0
    # A(3)+ -> B 7, C 1, D 4: lift 4                                      0 0 0 3 1 0 7 1 0 0
    # D(4)- -> C 2, B 8, A 1, e 2: lift 2                                 0 0 0 3 0 1 8 2 0 0
    # e(2)+ -> A 2, B 9: lift 9                                           0 0 0 3 0 2 0 2 0 0
    # B(9)- -> A 3, e 1, d 4, c 1, b 1, a 1, E 1, D 1, C 3                1 1 1 4 1 3 0 3 1 1
    # C has 3, goes on with +, and the ring read from C is 3 1 1 1 1 1 4 1 3 0, as it was from a: endless
    state = after(load_game, f"giuthi(holes=5,seeds=4{option})", ENDLESS)
    assert state.legal_moves() == ["a+", "a-"]
    state = state.play("a+")
    assert str(state) == ENDLESS
    assert (state.is_over, state.termination) == (True, "infinite")
    assert (state.final, state.outcome, state.margin) == (final, outcome, margin)


# --- Position strings ----------------------------------------------------------------------------


def test_blanks_around_separators_are_forgiven(load_game: LoadGame) -> None:
    state = after(load_game, G5, "4, 4 ,4,4,4 / 4,4,4,4 , 3   N  1-0")
    assert str(state) == "4,4,4,4,4/4,4,4,4,3 N 1-0"


def test_fewer_seeds_than_the_game_has_are_allowed(load_game: LoadGame) -> None:
    assert str(after(load_game, G5, "0,0,0,0,0/0,0,0,0,2 S 0-0")) == "0,0,0,0,0/0,0,0,0,2 S 0-0"


@pytest.mark.parametrize(
    "position",
    [
        "4,4,4,4,4 S 0-0",  # one row
        "1,1,1,1,1/2,2,2,2,2/1,1,1,1,1 S 0-0",  # three rows
        "4,4,4,4/4,4,4,4,4 S 0-0",  # four pits
        "4,4,4,4,4/4,4,4,4,4,0 S 0-0",  # six pits
        "4,4,4,4,4/4,4,4,4,-4 S 0-0",  # a negative count
        "4,4,4,4,4/4,4,4,4,x S 0-0",  # no number (only Rio Kadalis closes pits)
        "4,4,4,4,4/4,4,4,4,1.5 S 0-0",  # no whole number
        "4,4,4,4,4/4,4,4,,4 S 0-0",  # an empty count
        "4,4,4,4,4/4,4,4,4,5 S 0-0",  # 41 seeds on the board
        "4,4,4,4,4/4,4,4,4,4 S 0-1",  # 41 seeds with the captured ones
        "4,4,4,4,4/4,4,4,4,4 E 0-0",  # an unknown side
        "4,4,4,4,4/4,4,4,4,4 0-0",  # no side
        "4,4,4,4,4/4,4,4,4,4 S",  # nothing captured said
        "4,4,4,4,4/4,4,4,4,4 S 0",  # one total only
        "4,4,4,4,4/4,4,4,4,3 S 0-0-1",  # three totals
        "4,4,4,4,4/4,4,4,4,4 S -1-0",  # a negative total
        "4,4,4,4,4/4,4,4,4,4 S 0-0 -/-",  # a field that Giuthi does not have
    ],
)
def test_a_wrong_position_string_is_refused(load_package_game: LoadGame, position: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        after(load_package_game, G5, position)


@pytest.mark.parametrize(
    ("position", "field"),
    [
        ("4,4,4,4,4 S 0-0", "row"),
        ("4,4,4,4/4,4,4,4,4 S 0-0", "row 1"),
        ("4,4,4,4,4/4,4,4,4,x S 0-0", "pit 5"),
        ("4,4,4,4,4/4,4,4,4,5 S 0-0", "41 seeds"),
        ("4,4,4,4,4/4,4,4,4,4 E 0-0", "side"),
        ("4,4,4,4,4/4,4,4,4,4 S 0", "captured"),
    ],
)
def test_a_refused_position_names_the_field_and_what_was_expected(
    load_package_game: LoadGame, position: str, field: str
) -> None:
    with pytest.raises(ValueError, match=f"{field}.*expected"):
        after(load_package_game, G5, position)
