"""Hand-worked examples of the rules of Rio Kadalis, one sentence of the rules each.

Most are played on 2x5, drawn ``E,D,C,B,A/a,b,c,d,e`` (South lower case, North upper case), sown in the
order ``a b c d e A B C D E``; ``clockwise`` sows it the other way round.
"""

from __future__ import annotations

import re

import pytest

from tests.rules.worked import LoadGame, after

RIO = "rio_kadalis"
R5 = "rio_kadalis(holes=5)"
CLOCKWISE = "rio_kadalis(holes=5,clockwise=True)"

# Ten plies of single seeds going round: see test_a_repeated_position_ends_the_round.
ROUND = ("e", "a", "a", "b", "b", "c", "c", "d", "d", "e")


# --- Board and options ---------------------------------------------------------------------------


def test_two_rows_of_six_pits_of_four_seeds(load_game: LoadGame) -> None:
    start = "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"
    assert str(load_game("rio_kadalis").initial_state()) == start
    assert str(load_game("rio_kadalis(holes=6)").initial_state()) == start


def test_two_rows_of_five_pits_by_option(load_game: LoadGame) -> None:
    assert str(load_game(R5).initial_state()) == "4,4,4,4,4/4,4,4,4,4 S 0-0"


@pytest.mark.parametrize("option", ["holes=4", "holes=7"])
def test_other_boards_are_refused(load_package_game: LoadGame, option: str) -> None:
    with pytest.raises(ValueError, match=option):
        load_package_game(f"rio_kadalis({option})")


# --- Moves and sowing ----------------------------------------------------------------------------


def test_any_own_non_empty_pit_is_sown_singletons_too(load_game: LoadGame) -> None:
    state = after(load_game, R5, "0,0,0,0,3/1,0,2,0,7 S 0-0")
    assert state.legal_moves() == ["a", "c", "e"]
    for illegal in ("b", "d", "f", "A", "a+", "pass"):
        with pytest.raises(ValueError, match=re.escape(repr(illegal))):
            state.play(illegal)


def test_north_letters_its_pits_from_the_top_right(load_game: LoadGame) -> None:
    state = after(load_game, R5, "3,0,0,1,2/1,1,1,1,1 N 0-0")
    assert state.legal_moves() == ["a", "b", "e"]  # 2 in A, 1 in B, 3 in E


def test_sowing_is_counter_clockwise(load_game: LoadGame) -> None:
    # d(3) -> e 1, A 2, B 1: B was empty
    assert str(after(load_game, R5, "0,0,0,0,1/0,0,0,3,0 S 0-0", "d")) == "0,0,0,1,2/0,0,0,0,1 N 0-0"
    # D(3) -> E 1, a 2, b 1: b was empty
    assert str(after(load_game, R5, "0,3,0,0,0/1,0,0,0,0 N 0-0", "d")) == "1,0,0,0,0/2,1,0,0,0 S 0-0"


def test_clockwise_option_turns_the_whole_game(load_game: LoadGame) -> None:
    # b(3) -> a 1, E 2, D 1: D was empty
    assert str(after(load_game, CLOCKWISE, "1,0,0,0,0/0,3,0,0,0 S 0-0", "b")) == "2,1,0,0,0/1,0,0,0,0 N 0-0"
    # B(3) -> A 1, e 2, d 1: d was empty
    assert str(after(load_game, CLOCKWISE, "0,0,0,3,0/0,0,0,0,1 N 0-0", "b")) == "0,0,0,0,1/0,0,0,1,2 S 0-0"


def test_last_seed_in_an_empty_pit_ends_the_move(load_game: LoadGame) -> None:
    # a(2) -> b 1, c 1: c was empty, in the own row; the turn passes all the same
    assert str(after(load_game, R5, "0,0,3,0,1/2,0,0,1,0 S 0-0", "a")) == "0,0,3,0,1/0,1,1,1,0 N 0-0"


def test_last_seed_in_an_occupied_pit_sows_another_lap_in_the_same_direction(load_game: LoadGame) -> None:
    # lap 1: a(2) -> b 1, c 2, c was occupied: lift 2
    # lap 2: c(2) -> d 1, e 3, e was occupied: lift 3
    # lap 3: e(3) -> A 2, B 1, C 1, C was empty
    assert str(after(load_game, R5, "0,0,0,0,1/2,0,1,0,2 S 0-0", "a")) == "0,0,1,1,2/0,1,0,1,0 N 0-0"


def test_relay_goes_on_from_an_occupied_pit_of_the_opponent(load_game: LoadGame) -> None:
    # lap 1: e(1) -> A 2, A was occupied: lift 2
    # lap 2: A(2) -> B 1, C 1, C was empty
    assert str(after(load_game, R5, "0,0,0,0,1/1,0,0,0,1 S 0-0", "e")) == "0,0,1,1,0/1,0,0,0,0 N 0-0"


def test_clockwise_relay_stays_clockwise(load_game: LoadGame) -> None:
    # lap 1: d(2) -> c 1, b 2, b was occupied: lift 2
    # lap 2: b(2) -> a 1, E 1, E was empty
    assert str(after(load_game, CLOCKWISE, "0,0,0,0,1/0,1,0,2,0 S 0-0", "d")) == "1,0,0,0,1/1,0,1,0,0 N 0-0"


def test_the_emptied_pit_is_not_skipped(load_game: LoadGame) -> None:
    # a(12) -> b..f, A..F one each, the twelfth into a, emptied: the move is over
    state = after(load_game, RIO, "0,0,0,0,0,1/12,0,0,0,0,0 S 0-0", "a")
    assert str(state) == "1,1,1,1,1,2/1,1,1,1,1,1 N 0-0"


# --- Fours in mid-lap ----------------------------------------------------------------------------


def test_mid_lap_four_in_the_own_row_goes_to_the_mover(load_game: LoadGame) -> None:
    # a(3) -> b 4, captured by South at once; c 1, d 1: d was empty
    assert str(after(load_game, R5, "0,0,0,0,1/3,3,0,0,0 S 0-0", "a")) == "0,0,0,0,1/0,0,1,1,0 N 4-0"


def test_mid_lap_four_goes_to_the_owner_of_the_row(load_game: LoadGame) -> None:
    # S e(3) -> A 4, captured by North; B 1, C 1: C was empty
    assert str(after(load_game, R5, "0,0,0,0,3/1,0,0,0,3 S 0-0", "e")) == "0,0,1,1,0/1,0,0,0,0 N 0-4"
    # N E(3) -> a 1, b 4, captured by South; c 1: c was empty
    assert str(after(load_game, R5, "3,0,0,0,0/0,3,0,1,0 N 0-0", "e")) == "0,0,0,0,0/1,0,1,1,0 S 4-0"


def test_mid_lap_fours_of_both_rows_in_one_lap(load_game: LoadGame) -> None:
    # d(4) -> e 4, captured by South; A 4, captured by North; B 4, captured by North; C 1: C was empty
    assert str(after(load_game, R5, "1,0,0,3,3/1,0,0,4,3 S 0-0", "d")) == "1,0,1,0,0/1,0,0,0,0 N 4-8"


def test_mid_lap_fours_are_captured_in_later_laps_too(load_game: LoadGame) -> None:
    # lap 1: a(1) -> b 3, b was occupied: lift 3
    # lap 2: b(3) -> c 1, d 4, captured by South; e 1: e was empty
    assert str(after(load_game, R5, "0,0,0,0,1/1,2,0,3,0 S 0-0", "a")) == "0,0,0,0,1/0,0,1,0,1 N 4-0"


def test_a_four_not_just_made_is_not_captured(load_game: LoadGame) -> None:
    # a(2) -> b 5, c 1: c was empty; d keeps its four
    assert str(after(load_game, R5, "0,0,0,0,4/2,4,0,4,0 S 0-0", "a")) == "0,0,0,0,4/0,5,1,4,0 N 0-0"


def test_a_five_made_by_the_last_seed_is_sown_on(load_game: LoadGame) -> None:
    # lap 1: a(1) -> b 5, b was occupied: lift 5
    # lap 2: b(5) -> c 1, d 1, e 1, A 2, B 1: B was empty
    assert str(after(load_game, R5, "0,0,0,0,1/1,4,0,0,0 S 0-0", "a")) == "0,0,0,1,2/0,0,1,1,1 N 0-0"


def test_opening_fours_are_not_captured(load_game: LoadGame) -> None:
    # lap 1: a(4) -> b 5, c 5, d 5, e 5, e was occupied: lift 5
    # lap 2: e(5) -> A 5, B 5, C 5, D 5, E 5, E was occupied: lift 5
    # lap 3: E(5) -> a 1, b 6, c 6, d 6, e 1: e was emptied by lap 2
    state = load_game(R5).initial_state().play("a")
    assert str(state) == "0,5,5,5,5/1,6,6,6,1 N 0-0"


def test_rule_is_applied_seed_by_seed_when_a_lap_passes_a_pit_twice(load_game: LoadGame) -> None:
    # a(14) -> b 3, c 4 captured by South, d e f 1, A B C D E F 1, a 1 (the twelfth),
    #          b 4 captured by South (the thirteenth), c 1 (the last): c had been emptied, the move is over
    state = after(load_game, RIO, "0,0,0,0,0,0/14,2,3,0,0,0 S 0-0", "a")
    assert str(state) == "1,1,1,1,1,1/1,0,1,1,1,1 N 8-0"


# --- Binikh: a four made by the last seed ---------------------------------------------------------


def test_binikh_goes_to_the_mover_whoever_owns_the_row(load_game: LoadGame) -> None:
    # S a(2) -> b 1, c 4: an own pit
    assert str(after(load_game, R5, "0,0,0,0,1/2,0,3,0,0 S 0-0", "a")) == "0,0,0,0,1/0,1,0,0,0 N 4-0"
    # S e(2) -> A 1, B 4: a pit of North's
    assert str(after(load_game, R5, "0,0,0,3,0/1,0,0,0,2 S 0-0", "e")) == "0,0,0,0,1/1,0,0,0,0 N 4-0"
    # N E(2) -> a 1, b 4: a pit of South's
    assert str(after(load_game, R5, "2,0,0,0,0/0,3,1,0,0 N 0-0", "e")) == "0,0,0,0,0/1,0,1,0,0 S 0-4"


def test_binikh_ends_the_move_after_a_relay_too(load_game: LoadGame) -> None:
    # lap 1: a(2) -> b 1, c 2, c was occupied: lift 2
    # lap 2: c(2) -> d 1, e 4: captured, the turn passes
    assert str(after(load_game, R5, "0,0,0,0,1/2,0,1,0,3 S 0-0", "a")) == "0,0,0,0,1/0,1,0,1,0 N 4-0"


def test_mid_lap_four_and_binikh_in_one_lap(load_game: LoadGame) -> None:
    # e(2) -> A 4, captured by North; B 4, made by the last seed, captured by South
    assert str(after(load_game, R5, "1,0,0,3,3/1,0,0,0,2 S 0-0", "e")) == "1,0,0,0,0/1,0,0,0,0 N 4-4"


def test_binikh_clockwise(load_game: LoadGame) -> None:
    # a(2) -> E 4, captured by North; D 4, made by the last seed, captured by South
    assert str(after(load_game, CLOCKWISE, "3,3,0,0,1/2,0,0,0,1 S 0-0", "a")) == "0,0,0,0,1/0,0,0,0,1 N 4-4"


# --- Closed pits ---------------------------------------------------------------------------------


def test_closed_pits_are_never_chosen(load_game: LoadGame) -> None:
    state = after(load_game, R5, "0,0,0,0,1/x,x,2,0,1 S 0-0")
    assert str(state) == "0,0,0,0,1/x,x,2,0,1 S 0-0"
    assert state.legal_moves() == ["c", "e"]
    for illegal in ("a", "b", "d"):
        with pytest.raises(ValueError, match=re.escape(repr(illegal))):
            state.play(illegal)


def test_closed_pits_of_the_opponent_are_skipped(load_game: LoadGame) -> None:
    # e(2), past A and B -> C 1, D 1: D was empty
    assert str(after(load_game, R5, "1,0,0,x,x/1,0,0,0,2 S 0-0", "e")) == "1,1,1,x,x/1,0,0,0,0 N 0-0"


def test_own_closed_pits_are_skipped(load_game: LoadGame) -> None:
    # North's rightmost pits E, D, C are drawn on the left; E(2), past a and b -> c 1, d 1: d was empty
    assert str(after(load_game, R5, "2,0,0,x,x/x,x,0,0,1 N 0-0", "e")) == "0,0,0,x,x/x,x,1,1,1 S 0-0"


def test_closed_pits_are_skipped_in_every_lap(load_game: LoadGame) -> None:
    # lap 1: e(1), past A -> B 2, B was occupied: lift 2
    # lap 2: B(2) -> C 1, D 2, D was occupied: lift 2
    # lap 3: D(2) -> E 1, past a, b, c: d 1, d was empty
    assert str(after(load_game, R5, "0,1,0,1,x/x,x,x,0,1 S 0-0", "e")) == "1,0,1,0,x/x,x,x,1,0 N 0-0"


def test_closed_pits_are_skipped_clockwise(load_game: LoadGame) -> None:
    # c(2), past b and a -> E 1, D 1: D was empty
    assert str(after(load_game, CLOCKWISE, "0,0,1,x,x/x,x,2,0,0 S 0-0", "c")) == "1,1,1,x,x/x,x,0,0,0 N 0-0"


def test_with_closed_pits_the_emptied_pit_is_still_not_skipped(load_game: LoadGame) -> None:
    # d(5) -> e 1, D 1, E 1, d 1 (the fourth, back where it came from), e 2, e was occupied: lift 2
    # e(2) -> D 2, E 2, E was occupied: lift 2;  E(2) -> d 2, e 1: e was emptied
    assert str(after(load_game, R5, "0,0,x,x,x/x,x,x,5,0 S 0-0", "d")) == "0,2,x,x,x/x,x,x,2,1 N 0-0"


# --- End of a round ------------------------------------------------------------------------------


def test_round_ends_when_the_player_to_move_has_no_seed(load_game: LoadGame) -> None:
    # S e(1) -> A 1: South has no seed left, but North is to move
    state = after(load_game, R5, "0,0,0,0,0/0,0,0,0,1 S 8-8", "e")
    assert (str(state), state.is_over) == ("0,0,0,0,1/0,0,0,0,0 N 8-8", False)
    # N A(1) -> B 1: South is to move
    state = state.play("a")
    assert str(state) == "0,0,0,1,0/0,0,0,0,0 S 8-8"  # as it lies, before anything is awarded
    assert (state.is_over, state.termination) == (True, "normal")
    # North is awarded the seed: the greater total of seeds wins, though both have two whole fours
    assert (state.final, state.outcome, state.margin) == ((8, 9), -1, -1)
    assert state.legal_moves() == []


def test_nobody_need_feed(load_game: LoadGame) -> None:
    assert after(load_game, R5, "1,0,0,0,1/0,0,0,0,0 N 0-0").legal_moves() == ["a", "e"]


def test_a_typed_position_without_a_seed_to_move_is_over_at_once(load_game: LoadGame) -> None:
    north = after(load_game, R5, "0,0,0,0,0/1,2,0,0,0 N 8-4")
    assert (north.termination, north.final, north.outcome, north.margin) == ("normal", (11, 4), 1, 7)
    south = after(load_game, R5, "0,1,0,0,2/x,x,0,0,0 S 4-8")
    assert (south.termination, south.final, south.outcome, south.margin) == ("normal", (4, 11), -1, -7)


def test_equal_totals_are_a_draw(load_game: LoadGame) -> None:
    state = after(load_game, R5, "0,0,0,0,0/2,2,0,0,0 N 16-20")
    assert (state.final, state.outcome, state.margin) == ((20, 20), 0, 0)


# --- Infinite play -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "final", "outcome", "margin"),
    [
        ("", (9, 8), 1, 1),  # split is the default: 2 seeds, one each
        (",infinite=split", (9, 8), 1, 1),
        (",infinite=draw", (8, 7), 0, 0),  # nothing is awarded
        (",infinite=own_side", (8, 9), -1, -1),  # both seeds lie in North's row
    ],
)
def test_a_repeated_position_ends_the_round(
    load_game: LoadGame, option: str, final: tuple[float, float], outcome: int, margin: int
) -> None:
    # N E -> a, S a -> b, N A -> B, S b -> c, N B -> C, S c -> d, N C -> D, S d -> e, N D -> E, S e -> A:
    # every seed falls into an empty pit, and each has gone on by five pits
    game = f"rio_kadalis(holes=5{option})"
    position = "1,0,0,0,1/0,0,0,0,0 N 8-7"
    before = after(load_game, game, position, *ROUND[:-1])
    assert (str(before), before.is_over) == ("1,0,0,0,0/0,0,0,0,1 S 8-7", False)
    state = before.play(ROUND[-1])
    assert str(state) == position
    assert (state.is_over, state.termination) == (True, "infinite")
    assert (state.final, state.outcome, state.margin) == (final, outcome, margin)
    assert not after(load_game, game, str(state)).is_over  # a string carries no history


@pytest.mark.parametrize(
    ("option", "final", "outcome", "margin"),
    [
        ("", (5.5, 1.5), 1, 4),  # 3 seeds, half of them each
        (",infinite=draw", (4, 0), 0, 0),
        (",infinite=own_side", (6, 1), 1, 5),  # South's row has 2, North's 1
    ],
)
def test_an_endless_sowing_leaves_the_position_as_it_was(
    load_game: LoadGame, option: str, final: tuple[float, float], outcome: int, margin: int
) -> None:
    # three open pits, in sowing order d, e, E, and three seeds:
    # d(2) -> e 1, E 2, E was occupied: lift 2
    # E(2) -> d 1, e 2, e was occupied: lift 2
    # e(2) -> E 1, d 2, d was occupied: lift 2, with E 1 and e 0 as at the beginning: it never ends
    position = "1,x,x,x,x/x,x,x,2,0 S 4-0"
    state = after(load_game, f"rio_kadalis(holes=5{option})", position)
    assert state.legal_moves() == ["d"]  # the move is legal
    state = state.play("d")
    assert str(state) == position  # and not completed
    assert (state.is_over, state.termination) == (True, "infinite")
    assert (state.final, state.outcome, state.margin) == (final, outcome, margin)


# --- Position strings ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "position",
    [
        "4,4,4,4,4/4,4,4,4,5 S 0-0",  # 41 seeds
        "4,4,4,4,4/4,4,4,4,4 S 0-4",  # 44 seeds with the captured ones
        "4,4,4,4/4,4,4,4,4 S 0-0",  # four pits
        "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0",  # the board of the other option
        "4,4,4,4,4/y,4,4,4,4 S 0-0",  # neither a number nor x
        "4,4,4,4,4/-4,4,4,4,4 S 0-0",  # a negative count
        "4,4,4,4,4/4,4,4,4,4 Z 0-0",  # an unknown side
        "4,4,4,4,4/4,4,4,4,4 S",  # nothing captured said
        "4,4,4,4,4/4,4,4,4,4 S 0-0 -/-",  # a field that Rio Kadalis does not have
    ],
)
def test_a_wrong_position_string_is_refused(load_package_game: LoadGame, position: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        after(load_package_game, R5, position)
