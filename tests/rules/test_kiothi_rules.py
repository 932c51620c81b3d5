"""Hand-worked examples of the rules of Kiothi after the opening, one sentence of the rules each.

Boards are drawn ``J,I,H,G,F,E,D,C,B,A/a,b,c,d,e,f,g,h,i,j`` (South lower case, North upper case). The ring is
``a b ... j A B ... J`` counter-clockwise; facing pits are a-J, b-I, c-H, d-G, e-F, f-E, g-D, h-C, i-B, j-A.
"""

from __future__ import annotations

import pytest

from tests.rules.worked import LoadGame, after

KIOTHI = "kiothi(setup=6x5)"

# A sowing that never ends, from the rules' authors (10,000 laps are not for the hand); and a smaller one that
# can be followed: see test_a_relay_that_comes_back_moved_on_by_one_pit_never_ends.
ENDLESS = "1,9,0,1,2,3,0,1,4,0/2,1,3,2,1,2,1,2,1,5 S 15-4"
TURNING = "1,0,1,0,1,0,1,0,1,2/0,1,0,1,0,1,0,1,0,2 S 27-20"


# --- Choosing a pit and a number of seeds --------------------------------------------------------


def test_any_number_of_seeds_from_one_to_all_may_be_taken(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,1/0,0,3,0,0,0,0,0,0,0 S 0-0")
    assert state.legal_moves() == ["c1", "c2", "c3"]


@pytest.mark.parametrize("move", ["c0", "c4", "c", "d1", "A1", "!c", "@c"])
def test_nothing_else_may_be_taken(load_game: LoadGame, move: str) -> None:
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,1/0,0,3,0,0,0,0,0,0,0 S 0-0")
    with pytest.raises(ValueError, match=move):
        state.play(move)


def test_moves_are_listed_by_pit_and_rising_count(load_game: LoadGame) -> None:
    # j1..j10 end in A..J, j11 in a; j12 would end in b, which holds two.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,0/0,2,0,0,0,0,0,0,0,12 S 0-0")
    jays = [f"j{count}" for count in range(1, 12)]
    assert state.legal_moves() == ["b1", "b2", *jays]


def test_a_move_sows_counter_clockwise_the_first_seed_into_the_next_pit(load_game: LoadGame) -> None:
    # c3: d e f; f was empty.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,1/0,0,3,0,0,0,0,0,0,0 S 0-0", "c3")
    assert str(state) == "0,0,0,0,0,0,0,0,0,1/0,0,0,1,1,1,0,0,0,0 N 0-0"


def test_a_partial_hand_leaves_the_rest_in_the_pit(load_game: LoadGame) -> None:
    # c2: d e; one seed stays in c.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,1/0,0,3,0,0,0,0,0,0,0 S 0-0", "c2")
    assert str(state) == "0,0,0,0,0,0,0,0,0,1/0,0,1,1,1,0,0,0,0,0 N 0-0"


def test_prisons_are_not_part_of_the_ring(load_game: LoadGame) -> None:
    # j2: A B. Nothing falls between j and A.
    state = after(load_game, KIOTHI, "1,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,2 S 3-4", "j2")
    assert str(state) == "1,0,0,0,0,0,0,0,1,1/0,0,0,0,0,0,0,0,0,0 N 3-4"


def test_north_sows_from_its_last_pit_into_souths_first(load_game: LoadGame) -> None:
    # J2: a b.
    state = after(load_game, KIOTHI, "2,0,0,0,0,0,0,0,0,0/0,0,0,0,1,0,0,0,0,0 N 0-0", "j2")
    assert str(state) == "0,0,0,0,0,0,0,0,0,0/1,1,0,0,1,0,0,0,0,0 S 0-0"


# --- First-lap restriction -----------------------------------------------------------------------


def test_first_lap_may_not_end_in_an_occupied_own_pit(load_game: LoadGame) -> None:
    # c1 would end in d, which is occupied; c2 ends in e, d1 in e: both empty.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,1/0,0,2,1,0,0,0,0,0,0 S 0-0")
    assert state.legal_moves() == ["c2", "d1"]


def test_first_lap_may_end_in_an_occupied_pit_of_the_opponent(load_game: LoadGame) -> None:
    # E1 would end in F (own, occupied); F1 ends in G (empty); J1 ends in a (South's, occupied).
    state = after(load_game, KIOTHI, "1,0,0,0,1,1,0,0,0,0/1,0,0,0,0,0,0,0,0,0 N 0-0")
    assert state.legal_moves() == ["f1", "j1"]


def test_first_lap_restriction_binds_the_first_lap_only(load_game: LoadGame) -> None:
    # j1: A 10, relay: B C D E F G H I J a 2 (own, was occupied), relay: b c; c was empty, H opposite holds 1.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,9/1,0,0,0,0,0,0,0,0,1 S 0-0", "j1")
    assert str(state) == "1,1,0,1,1,1,1,1,1,0/0,1,0,0,0,0,0,0,0,0 N 2-0"


def test_first_lap_restriction_with_a_partial_hand_that_goes_all_the_way_round(load_game: LoadGame) -> None:
    # c20 of 21 would end in c, where one seed was left. c18 ends in a, c19 in b: both empty.
    # c21 is refused too: see the next test.
    state = after(load_game, KIOTHI, "0,0,1,0,0,0,0,0,0,0/0,0,21,0,0,0,0,0,0,0 S 0-0")
    assert state.legal_moves() == [f"c{count}" for count in range(1, 20)]


def test_first_lap_restriction_counts_earlier_seeds_of_the_same_lap(load_game: LoadGame) -> None:
    # c21: d..j A..J a b c d: d was empty, but the first seed of this very lap lies there.
    state = after(load_game, KIOTHI, "0,0,1,0,0,0,0,0,0,0/0,0,21,0,0,0,0,0,0,0 S 0-0")
    with pytest.raises(ValueError, match="c21"):
        state.play("c21")


def test_first_lap_with_a_full_hand_may_end_in_the_emptied_pit(load_game: LoadGame) -> None:
    # c20 of 20: d..j (7) A..J (10) a b c. The emptied c is not skipped and was empty. H opposite: 1 + 1 = 2,
    # captured with the last seed.
    state = after(load_game, KIOTHI, "0,0,1,0,0,0,0,0,0,0/0,0,20,0,0,0,0,0,0,0 S 0-0", "c20")
    assert str(state) == "1,1,0,1,1,1,1,1,1,1/1,1,0,1,1,1,1,1,1,1 N 3-0"


# --- Relay ---------------------------------------------------------------------------------------


def test_relay_lifts_the_whole_content_last_seed_included(load_game: LoadGame) -> None:
    # j1: A 3, relay: B C D; D was empty.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,2/0,0,0,0,0,0,0,0,0,1 S 0-0", "j1")
    assert str(state) == "0,0,0,0,0,0,1,1,1,0/0,0,0,0,0,0,0,0,0,0 N 0-0"


def test_relay_goes_on_lap_after_lap(load_game: LoadGame) -> None:
    # j1: A 2, relay: B, C 2, relay: D, E 3, relay: F G H; H was empty.
    state = after(load_game, KIOTHI, "0,0,0,0,0,2,0,1,0,1/0,0,0,0,0,0,0,0,0,1 S 0-0", "j1")
    assert str(state) == "0,0,1,1,1,0,1,0,1,0/0,0,0,0,0,0,0,0,0,0 N 0-0"


def test_relay_does_not_skip_the_pit_it_was_lifted_from(load_game: LoadGame) -> None:
    # j1: A 20, relay: B..J (9) a..j (10) A; A was empty then.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,19/0,0,0,0,0,0,0,0,0,1 S 0-0", "j1")
    assert str(state) == "1,1,1,1,1,1,1,1,1,1/1,1,1,1,1,1,1,1,1,1 N 0-0"


# --- Nki -----------------------------------------------------------------------------------------


def test_a_partial_hand_lifts_nki(load_game: LoadGame) -> None:
    # c1: d; G opposite is empty. c keeps two seeds and is no longer nki.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,1*/0,0,3*,0,0,0,0,0,0,0 S 0-0", "c1")
    assert str(state) == "0,0,0,0,0,0,0,0,0,1*/0,0,2,1,0,0,0,0,0,0 N 0-0"


def test_seeds_dropped_into_a_pit_leave_it_nki(load_game: LoadGame) -> None:
    # c2: d e; d only receives a seed.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,1*/0,0,2*,1*,0,0,0,0,0,0 S 0-0", "c2")
    assert str(state) == "0,0,0,0,0,0,0,0,0,1*/0,0,0,2*,1,0,0,0,0,0 N 0-0"


def test_nki_is_lost_for_good(load_game: LoadGame) -> None:
    # c1: d. North a1: B. b1: c, which is filled anew and stays unprotected.
    start = "0,0,0,0,0,0,0,0,0,1*/0,1*,1*,0,0,0,0,0,0,0 S 0-0"
    state = after(load_game, KIOTHI, start, "c1", "a1", "b1")
    assert str(state) == "0,0,0,0,0,0,0,0,1,0/0,0,1,1,0,0,0,0,0,0 N 0-0"


def test_relay_by_the_opponent_lifts_nki(load_game: LoadGame) -> None:
    # j1: A 20, relay by South: B..J a..j A. North's A is filled anew by the last seed, and is no longer nki.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,19*/0,0,0,0,0,0,0,0,0,1* S 0-0", "j1")
    assert str(state) == "1,1,1,1,1,1,1,1,1,1/1,1,1,1,1,1,1,1,1,1 N 0-0"


def test_relay_by_the_owner_lifts_nki(load_game: LoadGame) -> None:
    # j1: A 10, relay: B..J (9) a 20, relay: b..j (9) A..J (10) a; a was empty then. J opposite is nki: no
    # capture. A and a have lost their marks; J, which only received two seeds, keeps it.
    state = after(load_game, KIOTHI, "1*,0,0,0,0,0,0,0,0,9*/19*,0,0,0,0,0,0,0,0,1* S 0-0", "j1")
    assert str(state) == "3*,2,2,2,2,2,2,2,2,1/1,1,1,1,1,1,1,1,1,1 N 0-0"


# --- Capture -------------------------------------------------------------------------------------


def test_capture_takes_the_opposite_pit_and_the_seed_just_dropped(load_game: LoadGame) -> None:
    # c1: d, which was empty; G opposite holds three.
    state = after(load_game, KIOTHI, "0,0,0,3,0,0,0,0,0,1/0,0,2,0,0,0,0,0,0,0 S 0-0", "c1")
    assert str(state) == "0,0,0,0,0,0,0,0,0,1/0,0,1,0,0,0,0,0,0,0 N 4-0"


def test_north_captures_into_its_own_prison(load_game: LoadGame) -> None:
    # C1: D, which was empty; g opposite holds three.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,2,0,0/1,0,0,0,0,0,3,0,0,0 N 5-2", "c1")
    assert str(state) == "0,0,0,0,0,0,0,1,0,0/1,0,0,0,0,0,0,0,0,0 S 5-6"


def test_capture_refused_by_nki(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, "0,0,0,3*,0,0,0,0,0,1/0,0,2,0,0,0,0,0,0,0 S 0-0", "c1")
    assert str(state) == "0,0,0,3*,0,0,0,0,0,1/0,0,1,1,0,0,0,0,0,0 N 0-0"


def test_nothing_is_captured_opposite_an_empty_pit(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, "0,0,1,0,1,0,0,0,0,0/0,0,2,0,0,0,0,0,0,0 S 0-0", "c1")
    assert str(state) == "0,0,1,0,1,0,0,0,0,0/0,0,1,1,0,0,0,0,0,0 N 0-0"


def test_a_move_that_ends_in_an_empty_pit_of_the_opponent_captures_nothing(load_game: LoadGame) -> None:
    # j2: A B; B was empty, and i opposite is occupied.
    state = after(load_game, KIOTHI, "1,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,1,2 S 0-0", "j2")
    assert str(state) == "1,0,0,0,0,0,0,0,1,1/0,0,0,0,0,0,0,0,1,0 N 0-0"


def test_a_pit_once_nki_can_be_captured_after_it_was_sown_from(load_game: LoadGame) -> None:
    # North g1: H; c opposite is nki: no capture. G keeps two seeds, unprotected.
    # South c1: d, which was empty; G opposite is captured: 2 + 1.
    state = after(load_game, KIOTHI, "0,0,0,3*,0,0,0,0,0,1/0,0,2*,0,0,0,0,0,0,0 N 0-0", "g1")
    assert str(state) == "0,0,1,2,0,0,0,0,0,1/0,0,2*,0,0,0,0,0,0,0 S 0-0"
    assert str(state.play("c1")) == "0,0,1,0,0,0,0,0,0,1/0,0,1,0,0,0,0,0,0,0 N 3-0"


# --- Triple bonus --------------------------------------------------------------------------------


def test_triple_bonus_takes_the_three_pits_to_the_right_of_the_captured_one(load_game: LoadGame) -> None:
    # j11: A..J (10) a; a was empty. J 3 and the seed in a; then I 1, H 4, G 2: 3 + 1 + 1 + 4 + 2 = 11.
    state = after(load_game, KIOTHI, "2,0,3,1,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,11 S 0-0", "j11")
    assert str(state) == "0,0,0,0,1,1,1,1,1,1/0,0,0,0,0,0,0,0,0,0 N 11-0"


def test_triple_bonus_of_north_is_seen_from_norths_side(load_game: LoadGame) -> None:
    # J11: a..j (10) A; A was empty. j 1 and the seed in A; then i, h, g, which face B, C, D: 5 in all.
    state = after(load_game, KIOTHI, "11,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 N 0-0", "j11")
    assert str(state) == "0,0,0,0,0,0,0,0,0,0/1,1,1,1,1,1,0,0,0,0 S 0-5"


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2,1*,3,1,0,0,0,0,0,0", "0,2*,4,2,1,1,1,1,1,1"),
        ("2,1,3*,1,0,0,0,0,0,0", "0,2,4*,2,1,1,1,1,1,1"),
        ("2,1,3,1*,0,0,0,0,0,0", "0,2,4,2*,1,1,1,1,1,1"),
    ],
)
def test_triple_bonus_refused_by_one_nki(load_game: LoadGame, start: str, end: str) -> None:
    # j11: A..J a. Only J 3 and the seed in a are captured, none of I, H, G.
    state = after(load_game, KIOTHI, f"{start}/0,0,0,0,0,0,0,0,0,11 S 0-0", "j11")
    assert str(state) == f"{end}/0,0,0,0,0,0,0,0,0,0 N 4-0"


def test_triple_bonus_refused_by_one_empty_pit(load_game: LoadGame) -> None:
    # j9: A..I; I 2, relay: J a. J 2 and the seed in a are captured; I is empty, so H and G stay.
    state = after(load_game, KIOTHI, "1,1,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,9 S 0-0", "j9")
    assert str(state) == "0,0,1,1,1,1,1,1,1,1/0,0,0,0,0,0,0,0,0,0 N 3-0"


def test_triple_bonus_needs_the_ordinary_capture(load_game: LoadGame) -> None:
    # j11: A..J a. J is nki: nothing is captured, though I, H and G are free.
    state = after(load_game, KIOTHI, "2*,0,3,1,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,11 S 0-0", "j11")
    assert str(state) == "3*,1,4,2,1,1,1,1,1,1/1,0,0,0,0,0,0,0,0,0 N 0-0"


def test_triple_bonus_only_from_the_leftmost_pit(load_game: LoadGame) -> None:
    # j12: A..J a b; b was empty. I 1 and the seed in b are captured, and no more.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,12 S 0-0", "j12")
    assert str(state) == "1,0,1,1,1,1,1,1,1,1/1,0,0,0,0,0,0,0,0,0 N 2-0"
    # d1: e; F 2 and the seed in e are captured, neither E, D, C to its right nor I, H, G, which face b, c, d.
    state = after(load_game, KIOTHI, "0,1,1,1,2,1,1,1,0,0/0,0,0,1,0,0,0,0,0,0 S 0-0", "d1")
    assert str(state) == "0,1,1,1,0,1,1,1,0,0/0,0,0,0,0,0,0,0,0,0 N 3-0"


# --- End -----------------------------------------------------------------------------------------


def test_seeds_left_go_to_the_player_who_can_still_move(load_game: LoadGame) -> None:
    # c1: d, G is captured: 10 + 4. North has no seed; the one in c goes to South.
    state = after(load_game, KIOTHI, "0,0,0,3,0,0,0,0,0,0/0,0,2,0,0,0,0,0,0,0 S 10-20", "c1")
    assert str(state) == "0,0,0,0,0,0,0,0,0,0/0,0,1,0,0,0,0,0,0,0 N 14-20"
    assert (state.is_over, state.termination, state.legal_moves()) == (True, "normal", [])
    assert (state.final, state.margin, state.outcome) == ((15, 20), -5, -1)


def test_seeds_left_go_to_north_when_south_cannot_move(load_game: LoadGame) -> None:
    # C1: D, g is captured: 2 + 4. South has no seed; the one in C goes to North.
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,2,0,0/0,0,0,0,0,0,3,0,0,0 N 5-2", "c1")
    assert str(state) == "0,0,0,0,0,0,0,1,0,0/0,0,0,0,0,0,0,0,0,0 S 5-6"
    assert (state.termination, state.final, state.margin, state.outcome) == ("normal", (5, 7), -2, -1)


def test_the_game_goes_on_while_the_player_to_move_has_seeds(load_game: LoadGame) -> None:
    # j1: A. South's row is empty, but it is North's turn; J1 brings a seed back.
    state = after(load_game, KIOTHI, "1,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,1 S 0-0", "j1")
    assert str(state) == "1,0,0,0,0,0,0,0,0,1/0,0,0,0,0,0,0,0,0,0 N 0-0"
    assert (state.is_over, state.legal_moves()) == (False, ["a1", "j1"])
    assert str(state.play("j1")) == "0,0,0,0,0,0,0,0,0,1/1,0,0,0,0,0,0,0,0,0 S 0-0"


def test_north_may_run_out_of_seeds_on_souths_turn(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,1 S 0-0")
    assert (state.is_over, state.legal_moves()) == (False, ["j1"])


# --- Endless sowing ------------------------------------------------------------------------------


def test_an_endless_sowing_leaves_the_position_as_it_was(load_game: LoadGame) -> None:
    state = after(load_game, KIOTHI, ENDLESS)
    assert "j5" in state.legal_moves()
    state = state.play("j5")
    assert str(state) == ENDLESS
    assert (state.is_over, state.termination, state.to_move) == (True, "infinite", 0)


def test_a_relay_that_comes_back_moved_on_by_one_pit_never_ends(load_game: LoadGame) -> None:
    # j1: A 3. Now every second pit from there, B D F H J b d f h j, holds one seed, the others none.
    # Relay: B 2 C D 2, relay: E F 2, relay: G H 2, relay: I J 2, relay: a b 2, relay: c d 2, relay: e f 2,
    # relay: g h 2, relay: i j 2, relay: A B 3. Now every second pit from there, C E G I a c e g i A, holds
    # one seed, the others none: the same moved on by one pit, after ten laps. So it goes on.
    state = after(load_game, KIOTHI, TURNING, "j1")
    assert (str(state), state.termination) == (TURNING, "infinite")


@pytest.mark.parametrize(
    ("options", "final", "margin", "outcome"),
    [
        ("setup=6x5", (33.5, 26.5), 7, 1),  # the default is split: 13 seeds are on the board
        ("setup=6x5,infinite=split", (33.5, 26.5), 7, 1),
        ("setup=6x5,infinite=own_side", (33, 27), 6, 1),  # South's row holds 6, North's 7
        ("setup=6x5,infinite=draw", (27, 20), 0, 0),
    ],
)
def test_what_endless_sowing_is_worth_is_an_option(
    load_game: LoadGame, options: str, final: tuple[float, float], margin: int, outcome: int
) -> None:
    state = after(load_game, f"kiothi({options})", TURNING, "j1")
    assert state.termination == "infinite"
    assert (state.final, state.margin, state.outcome) == (final, margin, outcome)


def test_split_decides_the_rules_own_example_by_what_was_captured(load_game: LoadGame) -> None:
    # 41 seeds are on the board: 15 + 20.5 against 4 + 20.5.
    state = after(load_game, KIOTHI, ENDLESS, "j5")
    assert (state.final, state.margin, state.outcome) == ((35.5, 24.5), 11, 1)
