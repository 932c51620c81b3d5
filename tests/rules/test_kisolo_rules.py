"""Hand-worked examples of the rules of Kisolo, one sentence of the rules each.

Rows are drawn North outer / North inner / South inner / South outer. In the comments a pit of the mover's
outer row is written in lower case and one of the inner row in upper case, in own view: the mover's ring is
``a b c d e f g G F E D C B A``, and on six columns ``a b c d e f F E D C B A``. "E faces 2" means that the
opponent's inner pit drawn in the same column holds two seeds.
"""

from __future__ import annotations

import pytest

from tests.rules.worked import LoadGame, after

SEVEN = "kisolo(holes=7)"
SIX = "kisolo(holes=6)"


# --- Board and moves -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "start"),
    [
        (SEVEN, "3,3,3,3,3,3,3/3,3,3,3,3,3,3/3,3,3,3,3,3,3/3,3,3,3,3,3,3 S"),
        (SIX, "3,3,3,3,3,3/3,3,3,3,3,3/3,3,3,3,3,3/3,3,3,3,3,3 S"),
        ("kisolo", "3,3,3,3,3,3,3/3,3,3,3,3,3,3/3,3,3,3,3,3,3/3,3,3,3,3,3,3 S"),
    ],
)
def test_four_rows_of_three_seeds_in_every_pit(load_game: LoadGame, game: str, start: str) -> None:
    state = load_game(game).initial_state()
    assert (str(state), state.to_move, state.is_over) == (start, 0, False)


@pytest.mark.parametrize("option", ["holes=5", "holes=8", "infinite=split", "infinite=own_side"])
def test_other_boards_and_other_worths_of_infinite_play_are_refused(load_package_game: LoadGame, option: str) -> None:
    with pytest.raises(ValueError, match=option.partition("=")[2]):
        load_package_game(f"kisolo({option})")


def test_sowing_goes_along_the_outer_row_from_left_to_right(load_game: LoadGame) -> None:
    # a2: b c; d is empty.
    state = after(load_game, SEVEN, "0,0,0,1,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/2,0,0,0,0,0,0 S", "a")
    assert str(state) == "0,0,0,1,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/0,1,1,0,0,0,0 N"


def test_sowing_turns_from_the_outer_row_into_the_inner_row_and_goes_left(load_game: LoadGame) -> None:
    # g2: G F; E is empty.
    state = after(load_game, SEVEN, "0,0,0,1,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,2 S", "g")
    assert str(state) == "0,0,0,1,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,1,1/0,0,0,0,0,0,0 N"


def test_sowing_turns_from_the_inner_row_into_the_outer_row(load_game: LoadGame) -> None:
    # A2: a b; c is empty.
    state = after(load_game, SEVEN, "0,0,0,1,0,0,0/0,0,0,0,0,0,0/2,0,0,0,0,0,0/0,0,0,0,0,0,0 S", "A")
    assert str(state) == "0,0,0,1,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/1,1,0,0,0,0,0 N"


def test_six_columns_turn_at_the_sixth(load_game: LoadGame) -> None:
    # f2: F E; D is empty.
    state = after(load_game, SIX, "0,0,0,1,0,0/0,0,0,0,0,0/0,0,0,0,0,0/0,0,0,0,0,2 S", "f")
    assert str(state) == "0,0,0,1,0,0/0,0,0,0,0,0/0,0,0,0,1,1/0,0,0,0,0,0 N"


def test_north_sows_in_its_own_view(load_game: LoadGame) -> None:
    # North's a is drawn at the top right. a2: b c; d is empty.
    state = after(load_game, SEVEN, "0,0,0,0,0,0,2/0,0,0,0,0,0,0/0,0,0,0,0,0,0/1,0,0,0,0,0,0 N", "a")
    assert str(state) == "0,0,0,0,1,1,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/1,0,0,0,0,0,0 S"


def test_north_turns_into_its_inner_row_at_the_top_left(load_game: LoadGame) -> None:
    # g2: G F, drawn leftmost in the second row; E is empty.
    state = after(load_game, SEVEN, "2,0,0,0,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/1,0,0,0,0,0,0 N", "g")
    assert str(state) == "0,0,0,0,0,0,0/1,1,0,0,0,0,0/0,0,0,0,0,0,0/1,0,0,0,0,0,0 S"


def test_one_seed_is_enough_to_sow(load_game: LoadGame) -> None:
    state = after(load_game, SEVEN, "0,0,0,1,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/1,0,0,0,0,0,0 S", "a")
    assert str(state) == "0,0,0,1,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/0,1,0,0,0,0,0 N"


def test_sowing_moves_list_the_outer_row_before_the_inner_row(load_game: LoadGame) -> None:
    state = after(load_game, SEVEN, "0,0,0,1,0,0,0/0,0,1,0,0,0,0/0,1,0,0,0,0,1/1,0,0,2,0,0,0 S")
    assert state.legal_moves() == ["a", "d", "B", "G"]


def test_norths_moves_are_listed_in_own_view(load_game: LoadGame) -> None:
    # Top right is a, top left g; second row right is A, left G.
    state = after(load_game, SEVEN, "1,0,0,2,0,0,0/0,1,0,0,0,0,1/0,0,0,0,0,0,0/1,0,0,0,0,0,0 N")
    assert state.legal_moves() == ["d", "g", "A", "F"]


def test_the_emptied_pit_is_not_skipped(load_game: LoadGame) -> None:
    # a14: b..g (6) G..A (7) a; every pit holds one. b follows: c 2; d: e 2; f: g 2; G: F 2; E: D 2; C: B 2;
    # A: a 2; b is empty.
    state = after(load_game, SEVEN, "0,0,0,1,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/14,0,0,0,0,0,0 S", "a")
    assert str(state) == "0,0,0,1,0,0,0/0,0,0,0,0,0,0/0,2,0,2,0,2,0/2,0,2,0,2,0,2 N"


# --- Capture at the start of a turn --------------------------------------------------------------


def test_capture_at_the_start_is_compulsory(load_game: LoadGame) -> None:
    # B and E face seeds; C and the seeds of the outer row may not be sown.
    state = after(load_game, SEVEN, "0,0,0,0,0,0,0/0,2,0,0,1,0,0/0,3,1,0,1,0,0/1,0,0,0,0,0,4 S")
    assert state.legal_moves() == ["xB", "xE"]
    with pytest.raises(ValueError, match="'C'"):
        state.play("C")


def test_every_column_captures_at_the_beginning_of_the_game(load_game: LoadGame) -> None:
    assert load_game(SIX).initial_state().legal_moves() == ["xA", "xB", "xC", "xD", "xE", "xF"]


def test_only_both_facing_inner_pits_make_a_capture(load_game: LoadGame) -> None:
    # A faces no seed (only one in the outer pit behind), North's inner B has no seed of South's facing it.
    state = after(load_game, SEVEN, "2,0,0,0,0,0,0/0,0,0,0,0,2,0/1,0,0,0,0,0,0/0,0,0,0,0,1,0 S")
    assert state.legal_moves() == ["f", "A"]


def test_norths_captures_are_named_in_own_view(load_game: LoadGame) -> None:
    # Drawn columns 2 and 7 are North's F and A.
    state = after(load_game, SEVEN, "0,0,0,0,0,0,0/0,1,0,0,0,0,3/0,2,0,0,0,0,1/0,0,0,0,0,0,0 N")
    assert state.legal_moves() == ["xA", "xF"]


def test_capture_takes_the_inner_pit_and_the_outer_pit_behind_it(load_game: LoadGame) -> None:
    # xB: 2 + 1 = 3, sown B A a; a was empty, b is empty.
    state = after(load_game, SEVEN, "0,1,0,0,0,0,0/0,2,0,0,0,0,1/0,1,0,0,0,0,0/0,0,0,0,0,0,0 S", "xB")
    assert str(state) == "0,0,0,0,0,0,0/0,0,0,0,0,0,1/1,2,0,0,0,0,0/1,0,0,0,0,0,0 N"


def test_capture_with_an_empty_outer_pit_behind(load_game: LoadGame) -> None:
    # xB: 2, sown B A; a is empty.
    state = after(load_game, SEVEN, "1,0,0,0,0,0,0/0,2,0,0,0,0,1/0,1,0,0,0,0,0/0,0,0,0,0,0,0 S", "xB")
    assert str(state) == "1,0,0,0,0,0,0/0,0,0,0,0,0,1/1,2,0,0,0,0,0/0,0,0,0,0,0,0 N"


def test_first_captured_seed_is_sown_into_the_capturing_pit_itself(load_game: LoadGame) -> None:
    # xE: 1, sown E; D is empty.
    state = after(load_game, SEVEN, "0,0,0,0,0,0,0/1,0,0,0,1,0,0/0,0,0,0,1,0,0/0,0,0,0,0,0,0 S", "xE")
    assert str(state) == "0,0,0,0,0,0,0/1,0,0,0,0,0,0/0,0,0,0,2,0,0/0,0,0,0,0,0,0 N"


def test_capturing_column_is_freely_chosen(load_game: LoadGame) -> None:
    # xE: 1, sown E; D is empty. xB: 2, sown B A; a is empty.
    state = after(load_game, SEVEN, "0,0,0,0,0,0,0/0,2,0,0,1,0,0/0,1,0,0,1,0,0/0,0,0,0,0,0,0 S")
    assert str(state.play("xE")) == "0,0,0,0,0,0,0/0,2,0,0,0,0,0/0,1,0,0,2,0,0/0,0,0,0,0,0,0 N"
    assert str(state.play("xB")) == "0,0,0,0,0,0,0/0,0,0,0,1,0,0/1,2,0,0,1,0,0/0,0,0,0,0,0,0 N"


def test_north_captures_in_its_own_view(load_game: LoadGame) -> None:
    # North's C is drawn fifth, over South's E 2 and e 2: 4, sown C B A a, which are drawn towards the right.
    state = after(load_game, SEVEN, "0,0,0,0,0,0,0/0,0,0,0,1,0,0/0,0,0,0,2,0,1/0,0,0,0,2,0,0 N", "xC")
    assert str(state) == "0,0,0,0,0,0,1/0,0,0,0,2,1,1/0,0,0,0,0,0,1/0,0,0,0,0,0,0 S"


# --- After the last seed of a lap ----------------------------------------------------------------


def test_turn_is_over_when_the_following_pit_is_empty(load_game: LoadGame) -> None:
    # a2: b 2 c 2; that c was occupied does not matter, d is empty.
    state = after(load_game, SEVEN, "0,0,0,1,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/2,1,1,0,0,0,0 S", "a")
    assert str(state) == "0,0,0,1,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/0,2,2,0,0,0,0 N"


def test_pussa_kanawa_sows_the_following_pit_the_first_seed_after_it(load_game: LoadGame) -> None:
    # a1: b; c 2 follows, pussa kanawa: d e; f is empty.
    state = after(load_game, SEVEN, "1,0,0,0,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/1,0,2,0,0,0,0 S", "a")
    assert str(state) == "1,0,0,0,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/0,1,0,1,1,0,0 N"


def test_pussa_kanawa_leaves_the_pit_of_the_last_seed_alone(load_game: LoadGame) -> None:
    # a1: b 6; c 1 follows: d; e is empty. The last seed's own pit is never lifted.
    state = after(load_game, SEVEN, "1,0,0,0,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/1,5,1,0,0,0,0 S", "a")
    assert str(state) == "1,0,0,0,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/0,6,0,1,0,0,0 N"


def test_mid_move_capture_sows_into_the_capturing_pit_first(load_game: LoadGame) -> None:
    # xE: 2, sown E D 2; D was occupied, C 1 follows and faces 2: 2 + 1 behind = 3, sown C 2 B A; a is empty.
    state = after(load_game, SEVEN, "0,0,1,0,0,0,0/1,0,2,0,2,0,0/0,0,1,1,1,0,0/0,0,0,0,0,0,0 S", "xE")
    assert str(state) == "0,0,0,0,0,0,0/1,0,0,0,0,0,0/1,1,2,2,2,0,0/0,0,0,0,0,0,0 N"


def test_mid_move_capture_of_north(load_game: LoadGame) -> None:
    # The same board turned round: xE: E D 2; C faces South's E 2 and e 1: C 2 B A; a is empty.
    state = after(load_game, SEVEN, "0,0,0,0,0,0,0/0,0,1,1,1,0,0/0,0,2,0,2,0,1/0,0,0,0,1,0,0 N", "xE")
    assert str(state) == "0,0,0,0,0,0,0/0,0,2,2,2,1,1/0,0,0,0,0,0,1/0,0,0,0,0,0,0 S"


def test_no_mid_move_capture_when_the_last_seed_fell_into_an_empty_pit(load_game: LoadGame) -> None:
    # xE: 2, sown E D; D was empty: C 1 faces 2 and yet is lifted: B; A is empty.
    state = after(load_game, SEVEN, "0,0,1,0,0,0,0/1,0,2,0,2,0,0/0,0,1,0,1,0,0/0,0,0,0,0,0,0 S", "xE")
    assert str(state) == "0,0,1,0,0,0,0/1,0,2,0,0,0,0/0,1,0,1,2,0,0/0,0,0,0,0,0,0 N"


def test_no_mid_move_capture_when_the_following_pit_is_an_outer_pit(load_game: LoadGame) -> None:
    # xB: 2, sown B A 2; A was occupied, a 1 follows, an outer pit: lifted: b; c is empty.
    state = after(load_game, SEVEN, "0,0,0,0,0,0,0/3,2,0,0,0,0,0/1,1,0,0,0,0,0/1,0,0,0,0,0,0 S", "xB")
    assert str(state) == "0,0,0,0,0,0,0/3,0,0,0,0,0,0/2,2,0,0,0,0,0/0,1,0,0,0,0,0 N"


def test_no_mid_move_capture_when_the_facing_inner_pit_is_empty(load_game: LoadGame) -> None:
    # xE: 2, sown E D 2; D was occupied, C 1 follows and faces 0 (1 behind it): lifted: B; A is empty.
    state = after(load_game, SEVEN, "0,0,1,0,0,0,0/1,0,0,0,2,0,0/0,0,1,1,1,0,0/0,0,0,0,0,0,0 S", "xE")
    assert str(state) == "0,0,1,0,0,0,0/1,0,0,0,0,0,0/0,1,0,2,2,0,0/0,0,0,0,0,0,0 N"


def test_occupied_before_the_last_seed_counts_earlier_seeds_of_the_same_lap(load_game: LoadGame) -> None:
    # xE: 16, sown E..A (5) a..g (7) G F (2) E 3 D 2. D was empty at first, but this lap's second seed lay
    # there. C 1 follows and faces 1: captured, the last of North's inner row.
    state = after(load_game, SEVEN, "0,0,0,0,0,0,0/0,0,1,0,16,0,0/0,0,0,0,1,0,0/0,0,0,0,0,0,0 S", "xE")
    assert str(state) == "0,0,0,0,0,0,0/0,0,0,0,0,0,0/1,1,1,2,3,1,1/1,1,1,1,1,1,1 N"
    assert (state.termination, state.outcome) == ("normal", 1)


def test_first_move_of_the_game_with_the_middle_column(load_game: LoadGame) -> None:
    # xD: 6, sown D C B A a b (4 each); c 3 follows: d e f (4 each); g 3 follows: G F E (4 each); E was
    # occupied, D 4 follows and faces 0 now: C B A a (5 each); b 4 follows: c 1 d 5 e 5 f 5; g is empty.
    state = load_game(SEVEN).initial_state().play("xD")
    assert str(state) == "3,3,3,0,3,3,3/3,3,3,0,3,3,3/5,5,5,0,4,4,4/5,0,1,5,5,5,0 N"


def test_mid_move_capture_in_a_turn_begun_by_sowing(load_game: LoadGame) -> None:
    # No facing pair at the start. d5: e f g G F (1 each); E 10 follows and faces 0: D C B A a b c d (1 each)
    # e 2 f 2; g 1 follows: G 2; G was occupied, F 1 follows and faces 2, captured: F 2 E 1; D 1 follows: C 2;
    # B 1: A 2; a 1: b 2; c 1: d 2; e 2: f 3 g 1; g was empty, G 2 follows: F 3 E 2; D is empty.
    state = after(load_game, SEVEN, "0,0,0,0,0,0,0/0,0,0,0,0,2,1/0,0,0,0,10,0,0/0,0,0,5,0,0,0 S")
    assert state.legal_moves() == ["d", "E"]
    assert str(state.play("d")) == "0,0,0,0,0,0,0/0,0,0,0,0,0,1/2,0,2,0,2,3,0/0,2,0,2,0,3,1 N"


# --- Win -----------------------------------------------------------------------------------------


def test_winning_capture_is_not_sown(load_game: LoadGame) -> None:
    # xB takes 2 + 1, the last of North's inner row; the four seeds of the outer row do not matter.
    state = after(load_game, SEVEN, "0,1,0,0,0,4,0/0,2,0,0,0,0,0/0,1,0,0,0,0,0/0,0,0,0,0,0,0 S", "xB")
    assert str(state) == "0,0,0,0,0,4,0/0,0,0,0,0,0,0/0,1,0,0,0,0,0/0,0,0,0,0,0,0 N"
    assert (state.is_over, state.termination, state.legal_moves()) == (True, "normal", [])
    assert (state.outcome, state.margin, state.final) == (1, 1, None)


def test_winning_capture_of_north(load_game: LoadGame) -> None:
    state = after(load_game, SIX, "0,0,0,0,0,0/0,0,0,0,1,0/0,0,0,0,3,0/2,0,0,0,0,0 N", "xB")
    assert str(state) == "0,0,0,0,0,0/0,0,0,0,1,0/0,0,0,0,0,0/2,0,0,0,0,0 S"
    assert (state.termination, state.outcome, state.margin, state.final) == ("normal", -1, -1, None)


def test_winning_mid_move_capture_is_not_sown_either(load_game: LoadGame) -> None:
    # xE: 2, sown E D 2; C faces 2 (1 behind): captured, the last of North's inner row.
    state = after(load_game, SEVEN, "0,0,1,0,0,0,3/0,0,2,0,2,0,0/0,0,1,1,1,0,0/0,0,0,0,0,0,0 S", "xE")
    assert str(state) == "0,0,0,0,0,0,3/0,0,0,0,0,0,0/0,0,1,2,2,0,0/0,0,0,0,0,0,0 N"
    assert (state.termination, state.outcome, state.margin) == ("normal", 1, 1)


def test_emptying_the_opponents_outer_row_does_not_win(load_game: LoadGame) -> None:
    # xB takes 2 + 1, all of the outer row; one seed is left in the inner row.
    state = after(load_game, SEVEN, "0,1,0,0,0,0,0/0,2,0,0,0,0,1/0,1,0,0,0,0,0/0,0,0,0,0,0,0 S", "xB")
    assert (state.is_over, state.outcome, state.margin) == (False, None, None)


def test_emptying_the_own_inner_row_does_not_lose(load_game: LoadGame) -> None:
    # A1: a; b is empty. Nothing can be captured from South now: North sows.
    state = after(load_game, SEVEN, "0,0,0,0,0,0,0/0,0,0,2,0,0,0/1,0,0,0,0,0,0/0,0,0,0,0,0,0 S", "A")
    assert str(state) == "0,0,0,0,0,0,0/0,0,0,2,0,0,0/0,0,0,0,0,0,0/1,0,0,0,0,0,0 N"
    assert (state.is_over, state.legal_moves()) == (False, ["D"])


def test_a_player_without_inner_seeds_plays_on(load_game: LoadGame) -> None:
    # Typed: North's inner row is empty, but nobody has captured it.
    state = after(load_game, SEVEN, "0,0,0,0,0,2,0/0,0,0,0,0,0,0/1,0,0,0,0,0,0/0,0,0,0,0,0,0 N")
    assert (state.is_over, state.legal_moves()) == (False, ["b"])


@pytest.mark.parametrize("side", ["S", "N"])
def test_a_typed_position_in_which_a_player_has_no_seed_at_all_is_lost(load_game: LoadGame, side: str) -> None:
    north_bare = f"0,0,0,0,0,0,0/0,0,0,0,0,0,0/1,0,0,0,0,0,0/0,0,0,0,0,0,0 {side}"
    state = after(load_game, SEVEN, north_bare)
    assert (str(state), state.termination, state.outcome, state.margin) == (north_bare, "normal", 1, 1)
    south_bare = f"0,0,0,0,0,1,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0/0,0,0,0,0,0,0 {side}"
    state = after(load_game, SEVEN, south_bare)
    assert (str(state), state.termination, state.outcome, state.margin) == (south_bare, "normal", -1, -1)
