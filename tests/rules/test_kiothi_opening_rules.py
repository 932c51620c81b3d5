"""Hand-worked examples of the opening of Kiothi, one sentence of the rules each.

Boards are drawn ``J,I,H,G,F,E,D,C,B,A/a,b,c,d,e,f,g,h,i,j`` (South lower case, North upper case, each in own
view).
"""

from __future__ import annotations

import pytest

from tests.rules.worked import LoadGame, after

KIOTHI = "kiothi(setup=6x5)"
OWN = [f"@{letter}" for letter in "abcdefghij"]
OTHER = [f"@{letter}" for letter in "ABCDEFGHIJ"]

# South has seeds in a, b, j; North in A, B.
SMALL = "0,0,0,0,0,0,0,0,1,1/1,2,0,0,0,0,0,0,0,1 S 0-0 open:empty2"


# --- Set-ups -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "start"),
    [
        ("kiothi(setup=6x5)", "5,5,5,5,5,5,0,0,0,0/0,0,0,0,5,5,5,5,5,5 S 0-0 open:empty2"),
        ("kiothi(setup=5x5)", "5,5,5,5,5,0,0,0,0,0/0,0,0,0,0,5,5,5,5,5 S 0-0 open:empty2"),
        ("kiothi(setup=5x6)", "6,6,6,6,6,0,0,0,0,0/0,0,0,0,0,6,6,6,6,6 S 0-0 open:empty2"),
        ("kiothi", "5,5,5,5,5,5,0,0,0,0/0,0,0,0,5,5,5,5,5,5 S 0-0 open:empty2"),  # 6x5 is standard
    ],
)
def test_every_setup_fills_the_rightmost_pits_in_own_view(load_game: LoadGame, game: str, start: str) -> None:
    state = load_game(game).initial_state()
    assert (str(state), state.to_move, state.is_over) == (start, 0, False)


def test_another_setup_is_refused(load_package_game: LoadGame) -> None:
    with pytest.raises(ValueError, match="6x6"):
        load_package_game("kiothi(setup=6x6)")


# --- Choosing two pits ---------------------------------------------------------------------------


def test_first_choice_is_an_occupied_own_pit(load_game: LoadGame) -> None:
    # Six occupied pits e..j; j cannot be first, nothing later is left for the second choice.
    assert load_game(KIOTHI).initial_state().legal_moves() == ["!e", "!f", "!g", "!h", "!i"]


def test_first_choice_must_leave_a_later_occupied_pit_for_the_second(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,1,1/0,3,0,0,0,2,0,0,1,0 S 0-0 open:empty2")
    assert state.legal_moves() == ["!b", "!f"]
    with pytest.raises(ValueError, match="!i"):
        state.play("!i")


def test_first_choice_lifts_all_seeds_into_the_hand(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,1,1/0,3,0,0,0,2,0,0,1,0 S 0-0 open:empty2", "!b")
    assert str(state) == "0,0,0,0,0,0,0,0,1,1/0,0,0,0,0,2,0,0,1,0 S 0-0 open:empty1:3:b"


def test_pits_are_chosen_in_rising_order(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,1,1/0,3,0,0,0,2,0,0,1,0 S 0-0 open:empty2", "!f")
    assert state.legal_moves() == ["!i"]
    with pytest.raises(ValueError, match="!b"):
        state.play("!b")


def test_second_choice_may_be_the_last_occupied_pit(load_game: LoadGame) -> None:
    state = load_game(KIOTHI).initial_state().play("!g")
    assert state.legal_moves() == ["!h", "!i", "!j"]
    assert str(state.play("!j")) == "5,5,5,5,5,5,0,0,0,0/0,0,0,0,5,5,0,5,5,0 S 0-0 open:place:10:-"


def test_exactly_two_pits_are_chosen(load_game: LoadGame) -> None:
    state = load_game(KIOTHI).initial_state().play("!e")
    assert str(state) == "5,5,5,5,5,5,0,0,0,0/0,0,0,0,0,5,5,5,5,5 S 0-0 open:empty1:5:e"
    assert state.legal_moves() == ["!f", "!g", "!h", "!i", "!j"]  # not one only: nothing can be placed yet
    assert state.play("!f").legal_moves() == [*OWN, *OTHER]  # not three: nothing more can be chosen


@pytest.mark.parametrize("move", ["!A", "!c", "@a", "a1", "b1"])
def test_while_choosing_nothing_else_is_legal(load_game: LoadGame, move: str) -> None:
    with pytest.raises(ValueError, match=move):
        after(load_game, KIOTHI, SMALL, move)


# --- Placing the hand ----------------------------------------------------------------------------


def test_first_seed_may_be_placed_into_any_pit_of_the_board(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, SMALL, "!a", "!b")
    assert str(state) == "0,0,0,0,0,0,0,0,1,1/0,0,0,0,0,0,0,0,0,1 S 0-0 open:place:3:-"
    assert state.legal_moves() == [*OWN, *OTHER]


def test_seeds_may_be_placed_into_the_emptied_pits(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, SMALL, "!a", "!b", "@a", "@b")
    assert str(state) == "0,0,0,0,0,0,0,0,1,1/1,1,0,0,0,0,0,0,0,1 S 0-0 open:place:1:b"


def test_seeds_are_placed_in_non_decreasing_order(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, SMALL, "!a", "!b", "@h")
    assert str(state) == "0,0,0,0,0,0,0,0,1,1/0,0,0,0,0,0,0,1,0,1 S 0-0 open:place:2:h"
    assert state.legal_moves() == ["@h", "@i", "@j", *OTHER]
    with pytest.raises(ValueError, match="@g"):
        state.play("@g")


def test_after_a_seed_for_the_opponent_no_more_own_pits(load_game: LoadGame) -> None:
    # @H: H is drawn third from the left.
    state = after(load_game, KIOTHI, SMALL, "!a", "!b", "@H")
    assert str(state) == "0,0,1,0,0,0,0,0,1,1/0,0,0,0,0,0,0,0,0,1 S 0-0 open:place:2:H"
    assert state.legal_moves() == ["@H", "@I", "@J"]


def test_several_seeds_may_be_placed_into_one_pit(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, SMALL, "!a", "!b", "@J", "@J")
    assert str(state) == "2,0,0,0,0,0,0,0,1,1/0,0,0,0,0,0,0,0,0,1 S 0-0 open:place:1:J"
    assert state.legal_moves() == ["@J"]


def test_capital_letters_are_the_opponents_own_lettering(load_game: LoadGame) -> None:
    # South's @A: North's a, at the top right. North's @A: South's a, at the bottom left.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,2,0/1,0,0,0,0,0,0,0,0,0 S 0-0 open:place:1:a", "@A")
    assert str(state) == "0,0,0,0,0,0,0,0,2,1/1,0,0,0,0,0,0,0,0,0 N 0-0 open:empty2"
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,2,0/1,0,0,0,0,0,0,0,0,0 N 0-0 open:place:2:-", "@A")
    assert str(state) == "0,0,0,0,0,0,0,0,2,0/2,0,0,0,0,0,0,0,0,0 N 0-0 open:place:1:A"


@pytest.mark.parametrize("move", ["!j", "j1", "@k", "@"])
def test_while_placing_nothing_else_is_legal(load_game: LoadGame, move: str) -> None:
    with pytest.raises(ValueError, match=move):
        after(load_game, KIOTHI, SMALL, "!a", "!b", move)


def test_each_choice_and_each_seed_is_a_decision_of_the_same_player(load_game: LoadGame) -> None:
    state = load_game(KIOTHI).state(SMALL)
    movers = []
    for move in ("!a", "!b", "@c", "@d", "@e", "!a", "!b", "@a", "@b"):
        movers.append(state.to_move)
        state = state.play(move)
    assert movers == [0, 0, 0, 0, 0, 1, 1, 1, 1]


def test_a_hand_with_no_seed_in_the_own_row_is_not_the_end(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,1,1/1,2,0,0,0,0,0,0,0,0 S 0-0 open:empty2", "!a", "!b")
    assert str(state) == "0,0,0,0,0,0,0,0,1,1/0,0,0,0,0,0,0,0,0,0 S 0-0 open:place:3:-"
    assert (state.is_over, state.legal_moves()) == (False, [*OWN, *OTHER])


def test_such_a_hand_may_be_typed(load_game: LoadGame) -> None:
    # The game would not "already be over" here: there are legal moves.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,1,1/0,0,0,0,0,0,0,0,0,0 S 0-0 open:place:3:-")
    assert (state.is_over, state.legal_moves()) == (False, [*OWN, *OTHER])


# --- First South, then North, then nki -----------------------------------------------------------


def test_after_souths_redistribution_north_chooses_and_nothing_is_nki(load_game: LoadGame) -> None:
    # !a !b: three in the hand. @b @j @A: b 1, j 2, A 2.
    state = after(load_game, KIOTHI, SMALL, "!a", "!b", "@b", "@j", "@A")
    assert str(state) == "0,0,0,0,0,0,0,0,1,2/0,1,0,0,0,0,0,0,0,2 N 0-0 open:empty2"
    assert (state.to_move, state.legal_moves()) == (1, ["!a"])


def test_north_chooses_and_places_in_own_view(load_game: LoadGame) -> None:
    # North's a is drawn at the top right, South's J (its j) at the bottom right.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,1,2/0,1,0,0,0,0,0,0,0,2 N 0-0 open:empty2", "!a")
    assert str(state) == "0,0,0,0,0,0,0,0,1,0/0,1,0,0,0,0,0,0,0,2 N 0-0 open:empty1:2:a"
    assert state.legal_moves() == ["!b"]
    state = state.play("!b").play("@b")
    assert str(state) == "0,0,0,0,0,0,0,0,1,0/0,1,0,0,0,0,0,0,0,2 N 0-0 open:place:2:b"
    assert str(state.play("@J")) == "0,0,0,0,0,0,0,0,1,0/0,1,0,0,0,0,0,0,0,3 N 0-0 open:place:1:J"


def test_after_norths_redistribution_every_occupied_pit_is_nki(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,1,0/0,1,0,0,0,0,0,0,0,3 N 0-0 open:place:1:J", "@J")
    assert str(state) == "0,0,0,0,0,0,0,0,1*,0/0,1*,0,0,0,0,0,0,0,4* S 0-0"
    assert state.to_move == 0


def test_each_player_redistributes_only_once(load_game: LoadGame) -> None:
    # b1 ends in c, j1 in A, j2 in B (the opponent's), j3 in C, j4 in D.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,1,0/0,1,0,0,0,0,0,0,0,3 N 0-0 open:place:1:J", "@J")
    assert state.legal_moves() == ["b1", "j1", "j2", "j3", "j4"]
    state = state.play("b1")  # c, H opposite is empty
    assert str(state) == "0,0,0,0,0,0,0,0,1*,0/0,0,1,0,0,0,0,0,0,4* N 0-0"
    assert state.legal_moves() == ["b1"]


def test_a_whole_opening_from_the_standard_start(load_game: LoadGame) -> None:
    # South empties e and j: ten in the hand, one each to a..j.
    # North empties E and J and gives all ten to South's j.
    south = ("!e", "!j", *OWN)
    state = after(load_game, KIOTHI, str(load_game(KIOTHI).initial_state()), *south)
    assert str(state) == "5,5,5,5,5,5,0,0,0,0/1,1,1,1,1,6,6,6,6,1 N 0-0 open:empty2"
    for move in ("!e", "!j", *["@J"] * 10):
        state = state.play(move)
    assert str(state) == "0,5*,5*,5*,5*,0,0,0,0,0/1*,1*,1*,1*,1*,6*,6*,6*,6*,11* S 0-0"


def test_south_without_seeds_after_norths_redistribution_has_lost_them_all(load_game: LoadGame) -> None:
    # South, to move, has no legal move: the four seeds go to North.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,3/0,0,0,0,0,0,0,0,0,0 N 0-0 open:place:1:a", "@a")
    assert str(state) == "0,0,0,0,0,0,0,0,0,4*/0,0,0,0,0,0,0,0,0,0 S 0-0"
    assert (state.termination, state.final, state.margin, state.outcome) == ("normal", (0, 4), -4, -1)


def test_north_with_only_one_occupied_pit_to_choose_has_lost_all_seeds(load_game: LoadGame) -> None:
    # North has no legal move: exactly two pits must be chosen. The four seeds go to South.
    start = "0,0,0,0,0,0,0,0,0,2/1,0,0,0,0,0,0,0,0,0 S 0-0 open:place:1:a"
    state = after(load_game, KIOTHI, start, "@a")
    assert str(state) == "0,0,0,0,0,0,0,0,0,2/2,0,0,0,0,0,0,0,0,0 N 0-0 open:empty2"
    assert (state.termination, state.legal_moves()) == ("normal", [])
    assert (state.final, state.margin, state.outcome) == ((4, 0), 4, 1)


# --- Typed opening positions ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "position",
    [
        "0,0,0,0,0,0,0,0,1,1/1,2,0,0,0,0,0,0,0,1 S 0-0 open:empty2",
        "0,0,0,0,0,0,0,0,1,1/1,0,0,0,0,0,0,0,0,1 S 0-0 open:empty1:2:b",
        "0,0,0,0,0,0,0,0,1,1/1,0,0,0,0,0,0,0,0,0 N 0-0 open:place:3:-",
        "0,0,0,0,0,0,0,0,1,1/1,0,0,0,0,0,0,0,0,0 N 0-0 open:place:3:b",
        "1,0,0,0,0,0,0,0,1,1/1,0,0,0,0,0,0,0,0,0 S 0-0 open:place:3:J",
    ],
)
def test_opening_positions_are_read_as_they_are_written(load_game: LoadGame, position: str) -> None:
    state = load_game(KIOTHI).state(position)
    assert (str(state), state.is_over) == (position, False)


def test_blanks_around_the_separators_of_the_opening_field_are_forgiven(load_game: LoadGame) -> None:
    typed = "0,0,0,0,0,0,0,0,1,1/1,0,0,0,0,0,0,0,0,1 S 0-0 open : empty1 : 2 : b"
    state = load_game(KIOTHI).state(typed)
    assert str(state) == "0,0,0,0,0,0,0,0,1,1/1,0,0,0,0,0,0,0,0,1 S 0-0 open:empty1:2:b"


def test_seeds_in_the_hand_count_towards_the_total(load_package_game: LoadGame) -> None:
    # 5x5 has 50 seeds: 47 and a hand of 3 fit, 48 and a hand of 3 do not.
    game = load_package_game("kiothi(setup=5x5)")
    fits = "0,0,0,0,0,0,0,0,1,1/45,0,0,0,0,0,0,0,0,0 N 0-0 open:place:3:-"
    assert str(game.state(fits)) == fits
    with pytest.raises(ValueError, match="50"):
        game.state("0,0,0,0,0,0,0,0,1,1/46,0,0,0,0,0,0,0,0,0 N 0-0 open:place:3:-")


@pytest.mark.parametrize(
    ("row", "step"),
    [
        ("0,0,0,0,0,0,0,0,0,0", "open:empty2"),  # no occupied pit to choose from
        ("0,0,5,0,0,0,0,0,0,0", "open:empty2"),  # only one
        ("0,5,0,0,0,0,0,0,0,0", "open:empty1:5:e"),  # none later than e
        ("0,5,0,0,5,0,0,0,0,5", "open:empty1:5:e"),  # e was emptied and yet holds seeds
        ("0,5,0,0,0,0,0,0,0,5", "open:empty1:0:e"),  # an occupied pit was emptied: the hand is not empty
        ("0,5,0,0,0,0,0,0,0,5", "open:empty1:5:E"),  # the first pit emptied is an own one
        ("0,5,0,0,0,0,0,0,0,5", "open:empty1:5:k"),
        ("0,5,0,0,0,0,0,0,0,5", "open:empty1:5"),
        ("0,5,0,0,0,0,0,0,0,5", "open:place:0:-"),  # at least one seed
        ("0,5,0,0,0,0,0,0,0,5", "open:place:-1:-"),
        ("0,5,0,0,0,0,0,0,0,5", "open:place:two:-"),
        ("0,5,0,0,0,0,0,0,0,5", "open:place:2:K"),
        ("0,5,0,0,0,0,0,0,0,5", "open:place:2"),
        ("0,5,0,0,0,0,0,0,0,5", "open:empty3"),
        ("0,5,0,0,0,0,0,0,0,5", "empty2"),
        ("0,5*,0,0,0,0,0,0,0,5", "open:empty2"),  # nothing is nki before North's redistribution
    ],
)
def test_an_impossible_step_of_the_opening_is_refused(load_package_game: LoadGame, row: str, step: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        load_package_game(KIOTHI).state(f"0,0,0,0,0,0,0,0,1,1/{row} S 0-0 {step}")
