"""Whatever is typed wrongly is refused by one line that names the bad part and says what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_ai
from mancala_ai import GameStringError, IllegalMoveError, MancalaError, PositionError
from mancala_ai.plugins import entry_points
from mancala_ai.protocol import parse_limit
from mancala_ai.registry import ENGINES, engine_type, game_types
from tests.helpers import GAME_STRINGS, SMALL_PERFTS, VECTORS, read_vectors

DIGITS = "9" * 5000  # more than Python converts to a number


def assert_refused(call: Callable[[], Any], error: type[MancalaError], message: str) -> None:
    """The call raises exactly this error; ``...`` in the message stands for any text."""
    with pytest.raises(MancalaError) as caught:
        call()
    assert type(caught.value) is error
    assert len(str(caught.value).splitlines()) == 1
    pattern = ".*".join(map(re.escape, message.split("...")))
    assert re.fullmatch(pattern, str(caught.value)), f"{caught.value}\nis not\n{message}"


FORM = "expected a name with options, such as giuthi(holes=6,seeds=4)"
GAMES = "known: giuthi, kalah, kiothi, kisolo, kpe, oware, rio_kadalis"
SETUPS = "known: 2x5x4, 2x6x4, 2x6x6, 2x7x6, 2x8x4, 2x8x6, 2x8x8, 2x10x9"
HOLES = "known: 5, 6, 7, 8, 9, 10"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"'': {FORM}"),
        ("(", f"'(': {FORM}"),
        ("(holes=6)", f"'(holes=6)': {FORM}"),
        ("giuthi(", f"'giuthi(': {FORM}"),
        ("giuthi)", f"'giuthi)': {FORM}"),
        ("giuthi(holes=6", f"'giuthi(holes=6': {FORM}"),
        ("giuthi(holes=6)x", f"'giuthi(holes=6)x': {FORM}"),
        ("giuthi holes=6", f"'giuthi holes=6': {FORM}"),
        ("giuthi[holes=6]", f"'giuthi[holes=6]': {FORM}"),
        ("rio kadalis", f"'rio kadalis': {FORM}"),
        ("giuthi(holes=\n6)", rf"'giuthi(holes=\n6)': {FORM}"),
        ("Giuthi", f"game 'Giuthi': did you mean 'giuthi'? {GAMES}"),
        ("kisollo", f"game 'kisollo': did you mean 'kisolo'? {GAMES}"),
        ("rio_kadali(holes=5)", f"game 'rio_kadali': did you mean 'rio_kadalis'? {GAMES}"),
        ("chess", f"game 'chess': {GAMES}"),
        ("kpé", f"game 'kpé': did you mean 'kpe'? {GAMES}"),
        ("giuthi(holes)", "'giuthi(holes)': 'holes': expected option=value"),
        ("giuthi(holes=)", "'giuthi(holes=)': 'holes=': expected option=value"),
        ("giuthi(=6)", "'giuthi(=6)': '=6': expected option=value"),
        ("giuthi(1=2)", "'giuthi(1=2)': '1=2': expected option=value"),
        ("giuthi(,)", "'giuthi(,)': '': expected option=value"),
        ("giuthi(holes=6,)", "'giuthi(holes=6,)': '': expected option=value"),
        ("giuthi(holes=6,,seeds=4)", "'giuthi(holes=6,,seeds=4)': '': expected option=value"),
        ("giuthi(holes=6,holes=6)", "'giuthi(holes=6,holes=6)': option 'holes' is given twice: expected once"),
        ("giuthi(hole=6)", "giuthi: option 'hole': did you mean 'holes'? known: holes, seeds, ..., infinite, setup"),
        ("kiothi(seeds=5)", "kiothi: option 'seeds': known: setup, infinite"),
        ("kpe(setup=2x4)", "kpe: option 'setup': known: holes, seeds, infinite"),
        ("giuthi(holes=4)", f"giuthi: holes=4: {HOLES}"),
        ("giuthi(holes=11)", f"giuthi: holes=11: {HOLES}"),
        ("giuthi(holes=-8)", f"giuthi: holes=-8: did you mean '8'? {HOLES}"),
        ("giuthi(holes=6.0)", f"giuthi: holes=6.0: {HOLES}"),
        ("giuthi(holes=six)", f"giuthi: holes='six': {HOLES}"),
        ("giuthi(holes=True)", f"giuthi: holes=True: {HOLES}"),
        ("giuthi(holes==6)", f"giuthi: holes='=6': did you mean '6'? {HOLES}"),
        ("giuthi(holes=6)(seeds=4)", f"giuthi: holes='6)(seeds=4': {HOLES}"),
        ("giuthi(holes=6;seeds=4)", f"giuthi: holes='6;seeds=4': {HOLES}"),
        ("giuthi(holes=6 seeds=4)", f"giuthi: holes='6 seeds=4': {HOLES}"),
        ("giuthi(holes=1e999)", f"giuthi: holes='1e999': {HOLES}"),
        (f"giuthi(holes={DIGITS})", f"giuthi: holes='{DIGITS}': {HOLES}"),
        ("giuthi(seeds=3)", "giuthi: seeds=3: known: 4, 5, 6, 7, 8, 9"),
        ("giuthi(seeds=10)", "giuthi: seeds=10: known: 4, 5, 6, 7, 8, 9"),
        ("giuthi(setup=2x9x9)", f"giuthi: setup='2x9x9': did you mean '2x10x9'? {SETUPS}"),
        ("giuthi(setup=7)", f"giuthi: setup=7: {SETUPS}"),
        ("giuthi(setup=a\rb)", rf"giuthi: setup='a\rb': {SETUPS}"),
        ("giuthi(setup=2x7x6,holes=6)", "giuthi: setup=2x7x6 and holes=6: expected one of them"),
        ("giuthi(capture_needs_target=1)", "giuthi: capture_needs_target=1: known: False, True"),
        ("giuthi(capture_needs_target=true)", "giuthi: ...='true': did you mean 'True'? known: False, True"),
        ("giuthi(infinite=lost)", "giuthi: infinite='lost': known: draw, split, own_side"),
        ("giuthi(infinite=a\u2028b)", r"giuthi: infinite='a\u2028b': known: draw, split, own_side"),
        ("kisolo(infinite=split)", "kisolo: infinite='split': known: draw"),
        ("kisolo(holes=8)", "kisolo: holes=8: known: 7, 6"),
        ("kiothi(setup=7x5)", "kiothi: setup='7x5': did you mean '6x5'? known: 6x5, 5x5, 5x6"),
        ("kpe(holes=2)", "kpe: holes=2: known: 3, 4, 5, 6, 7, 8"),
        ("kpe(holes=9)", "kpe: holes=9: known: 3, 4, 5, 6, 7, 8"),
        ("kpe(seeds=0)", "kpe: seeds=0: known: 1, 2, 3, 4, 5, 6, 7, 8"),
        ("kpe(seeds=9)", "kpe: seeds=9: known: 1, 2, 3, 4, 5, 6, 7, 8"),
        ("rio_kadalis(holes=7)", "rio_kadalis: holes=7: known: 6, 5"),
        ("rio_kadalis(clockwise=2)", "rio_kadalis: clockwise=2: known: False, True"),
    ],
    ids=lambda text: text[:40],
)
def test_game_strings(text: str, message: str) -> None:
    """Unknown games, options and values, with the list of what exists."""
    assert_refused(lambda: mancala_ai.load_game(text), GameStringError, message)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("giuthi()", "giuthi"),
        (" giuthi ( holes = 6 , seeds = 4 ) ", "giuthi(holes=6,seeds=4)"),
        ("giuthi(setup=2x7x6,holes=7)", "giuthi(holes=7,seeds=6)"),
        ("giuthi(seeds=4,holes=6)", "giuthi(holes=6,seeds=4)"),
        ("giuthi(infinite=draw)", "giuthi"),
    ],
)
def test_game_strings_in_other_words(text: str, same: str) -> None:
    """Blanks, order, defaults and set-ups that say the same are welcome."""
    assert mancala_ai.load_game(text) == mancala_ai.load_game(same)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'': expected a name with options, such as random(rng_seed=1)"),
        ("random(", "'random(': expected a name with options, such as random(rng_seed=1)"),
        ("randomm", "engine 'randomm': did you mean 'random'? known: ...greedy...random..."),
        ("stockfish", "engine 'stockfish': known: ...greedy...random..."),
        ("random(seed=1)", "random: option 'seed': did you mean 'rng_seed'? known: rng_seed"),
        ("random(rng_seed=x)", "random: rng_seed='x': expected a whole number"),
        ("random(rng_seed=1.0)", "random: rng_seed=1.0: expected a whole number"),
        ("random(rng_seed=True)", "random: rng_seed=True: expected a whole number"),
        ("random(rng_seed=a\rb)", r"random: rng_seed='a\rb': expected a whole number"),
        (f"random(rng_seed={DIGITS})", f"random: rng_seed='{DIGITS}': expected a whole number"),
        ("random(rng_seed=1,rng_seed=2)", "'random(...)': option 'rng_seed' is given twice: expected once"),
        ("alphabeta(depth=-1)", "alphabeta: depth=-1: expected ..."),
        ("alphabeta(depth=2.5)", "alphabeta: depth=2.5: expected a whole number"),
    ],
    ids=lambda text: text[:40],
)
def test_engine_strings(text: str, message: str) -> None:
    """Unknown engines and options, and values of the wrong kind."""
    assert_refused(lambda: mancala_ai.load_engine(text), GameStringError, message)


@pytest.mark.parametrize(
    ("engine", "option"), [(name, option) for name in entry_points(ENGINES) for option in engine_type(name).options]
)
def test_every_engine_option_refuses_another_kind_of_value(engine: str, option: str) -> None:
    """Numbers where words are expected, and the other way round."""
    kind = type(engine_type(engine).options[option].default)
    value, expected = {
        int: ("'many'", "a whole number"),
        float: ("'much'", "a number"),
        bool: ("1", "True or False"),
        str: ("5", "a word"),
    }[kind]
    message = f"{engine}: {option}={value}: expected {expected}"
    assert_refused(
        lambda: mancala_ai.load_engine(f"{engine}({option}={value.strip(chr(39))})"), GameStringError, message
    )


# Positions. In the tables, {} stands for the good rest of a position string of that game.

GIUTHI, G = "giuthi(holes=5,seeds=4)", "4,4,4,4,4/4,4,4,4,4"
FIELDS = "expected rows, side, captured, separated by blanks"
SCORE = "expected southCaptured-northCaptured, such as 10-12"

SHARED = [
    ("", f"0 fields: {FIELDS}"),
    ("  ", f"0 fields: {FIELDS}"),
    (G, f"1 field: {FIELDS}"),
    (f"{G} S", f"2 fields: {FIELDS}"),
    (f"{G} 0-0", f"2 fields: {FIELDS}"),
    (f"{G} S 0-0 x", f"4 fields: {FIELDS}"),
    (f"{G} S 0-0 -/-", f"4 fields: {FIELDS}"),
    (f"{G}S 0-0", f"2 fields: {FIELDS}"),
    (G.replace(",", " ") + " S 0-0", f"11 fields: {FIELDS}"),
    ("1 0,4,4,4,4/4,4,4,4,4 S 0-0", f"4 fields: {FIELDS}"),
    ("4,4,4,4,4 S 0-0", "rows '4,4,4,4,4': expected 2 rows separated by '/', not 1"),
    (f"{G}/4,4,4,4,4 S 0-0", f"rows '{G}/4,4,4,4,4': expected 2 rows separated by '/', not 3"),
    (f"{G}/ S 0-0", f"rows '{G}/': expected 2 rows separated by '/', not 3"),
    ("4,4,4,4,4//4,4,4,4,4 S 0-0", "rows '4,4,4,4,4//4,4,4,4,4': expected 2 rows separated by '/', not 3"),
    ("4,4,4,4,4|4,4,4,4,4 S 0-0", "rows '4,4,4,4,4|4,4,4,4,4': expected 2 rows separated by '/', not 1"),
    ("4,4,4,4/4,4,4,4,4 S 0-0", "row 1 '4,4,4,4': expected 5 pits separated by commas, not 4"),
    ("4,4,4,4,4/4,4,4,4,4,4 S 0-0", "row 2 '4,4,4,4,4,4': expected 5 pits separated by commas, not 6"),
    (f"{G}, S 0-0", "row 2 '4,4,4,4,4,': expected 5 pits separated by commas, not 6"),
    ("4,4,4,4,4/4,4,4,4, S 0-0", "pit 5 of row 2 '': expected a number of seeds"),
    (",4,4,4,4/4,4,4,4,4 S 0-0", "pit 1 of row 1 '': expected a number of seeds"),
    ("4,4,4,4,4/4,,4,4,4 S 0-0", "pit 2 of row 2 '': expected a number of seeds"),
    (f"{G} s 0-0", "side to move 's': expected S or N"),
    (f"{G} South 0-0", "side to move 'South': expected S or N"),
    (f"{G} 0 0-0", "side to move '0': expected S or N"),
    (f"{G} 0-0 S", "side to move '0-0': expected S or N"),
    (f"{G} S 0", f"captured '0': {SCORE}"),
    (f"{G} S 0-", f"captured '0-': {SCORE}"),
    (f"{G} S -0-0", f"captured '-0-0': {SCORE}"),
    (f"{G} S 0--1", f"captured '0--1': {SCORE}"),
    (f"{G} S 0-0-0", f"captured '0-0-0': {SCORE}"),
    (f"{G} S 00-0", f"captured '00-0': {SCORE}"),
    (f"{G} S 0.5-0.5", f"captured '0.5-0.5': {SCORE}"),
    (f"{G} S 0:0", f"captured '0:0': {SCORE}"),
    (f"{G} S 0-0;", f"captured '0-0;': {SCORE}"),
    (f"{G} S {DIGITS}-0", f"captured '{DIGITS}-0': {SCORE}"),
    (f"{G} S 0-1", "41 seeds in all: expected at most 40"),
    (f"{G} S 300-0", "340 seeds in all: expected at most 40"),
    ("4,4,4,4,4/4,4,4,4,5 S 0-0", "41 seeds in all: expected at most 40"),
    *(
        (f"{pit},4,4,4,4/4,4,4,4,4 S 0-0", f"pit 1 of row 1 '{pit}': expected a number of seeds")
        for pit in ("-4", "+4", "4.0", "04", "1e1", "0x4", "four", "٤", "4*", "x", "?", DIGITS)
    ),
]

KPE, K = "kpe", "6,6,6,6/6,6,6,6 S 0-0"
SOWN = "expected two sets of pits out of 'abcd' in alphabetical order, '-' for none, such as acd/b"
OF_KPE = [
    (K, "3 fields: expected rows, side, captured, pits sown from, South's/North's (such as ...), separated by blanks"),
    (f"{K} a b/-", "5 fields: expected rows, side, captured, pits sown from, ..."),
    (f"{K} -/- -", "5 fields: expected rows, side, captured, pits sown from, ..."),
    *(
        (f"{K} {sown}", f"pits sown from '{sown}': {SOWN}")
        for sown in (
            "-",
            "a",
            "-/",
            "-/-/-",
            "ba/-",
            "-/ba",
            "aa/-",
            "e/-",
            "A/-",
            "--/-",
            "-a/-",
            "a-/-",
            "0/0",
            "-:-",
        )
    ),
    (f"{K} abcd/abcde", f"pits sown from 'abcd/abcde': {SOWN}"),
    (f"{K} a,b/-", f"pits sown from 'a,b/-': {SOWN}"),
]

KISOLO, ROW = "kisolo(holes=6)", "3,3,3,3,3,3"
ROWS = "/".join([ROW] * 4)
OF_KISOLO = [
    (ROWS, "1 field: expected rows, side, separated by blanks"),
    (f"{ROWS} S 0-0", "3 fields: expected rows, side, separated by blanks"),
    (f"{ROW}/{ROW} S", f"rows '{ROW}/{ROW}': expected 4 rows separated by '/', not 2"),
    (f"{ROWS}/{ROW} N", f"rows '{ROWS}/{ROW}': expected 4 rows separated by '/', not 5"),
    (f"{ROWS},3 N", "row 4 '3,3,3,3,3,3,3': expected 6 pits separated by commas, not 7"),
    (f"{ROW}/{ROW}/{ROW}/3,3,3,3,3,x N", "pit 6 of row 4 'x': expected a number of seeds"),
    (f"{ROW}/{ROW}/{ROW}/3,3,3,3,3,4 N", "73 seeds in all: expected at most 72"),
    (f"{ROWS} x", "side to move 'x': expected S or N"),
]

RIO = "rio_kadalis"
OF_RIO_KADALIS = [
    *(
        (f"4,4,4,4,4,{pit}/x,x,4,4,4,4 S 0-0", f"pit 6 of row 1 '{pit}': expected a number of seeds, or x if closed")
        for pit in ("X", "4x", "x4", "xx", "x*", "-", "closed")
    ),
    ("4,4,4,4,4/x,x,4,4,4,4 S 0-0", "row 1 '4,4,4,4,4': expected 6 pits separated by commas, not 5"),
    ("4,4,4,4,4,4/x,x,4,4,4,4 S 0-9", "49 seeds in all: expected at most 48"),
]

KIOTHI, B = "kiothi", "5,5,5,5,5,5,0,0,0,0/0,0,0,0,5,5,5,5,5,5 S 0-0"
LOW = "5,5,5,5,0,0,0,0,0,0/0,0,0,0,0,5,0,5,0,0"  # 30 seeds
STEP = "expected open:empty2, open:empty1:HAND:PIT or open:place:HAND:PIT, such as open:empty1:5:c"
OF_KIOTHI = [
    (f"{B} open:empty2 x", "5 fields: expected rows, side, captured, in the opening open:empty2, ..."),
    (f"{B} open empty2", "5 fields: expected rows, side, captured, in the opening open:empty2, ..."),
    *(
        (f"{B} {step}", f"opening '{step}': {STEP}")
        for step in ("open", "open:", "empty2", "OPEN:empty2", "open:empty3", "open:empty2:5:c", "open::place:5:a")
    ),
    *(
        (f"{LOW} S 0-0 {step}", f"opening '{step}': {STEP}")
        for step in ("open:empty1", "open:empty1:5", "open:empty1:5:k", "open:empty1:5:aa", "open:empty1:x:a")
    ),
    *(
        (f"{LOW} S 0-0 open:place:{rest}", f"opening 'open:place:{rest}': {STEP}")
        for rest in ("5", "5:", "5:K", "-5:a", "05:a", "5:a:b", "5.0:a", DIGITS + ":a")
    ),
    (f"{LOW} S 0-0 open:empty1:0:a", "opening 'open:empty1:0:a': expected 1 to 60 seeds in the hand"),
    (f"{LOW} S 0-0 open:place:61:a", "opening 'open:place:61:a': expected 1 to 60 seeds in the hand"),
    (f"{LOW} S 0-0 open:empty1:5:A", "opening 'open:empty1:5:A': expected the own pit emptied first, a to j"),
    (f"{LOW} S 0-0 open:empty1:5:-", "opening 'open:empty1:5:-': expected the own pit emptied first, a to j"),
    (f"{LOW} S 0-0 open:empty1:5:f", "opening 'open:empty1:5:f': expected pit f to be empty"),
    (f"{LOW} S 0-0 open:empty1:5:i", "opening 'open:empty1:5:i': expected an occupied own pit to the right of i"),
    (f"{LOW} N 0-0 open:empty1:5:i", "opening 'open:empty1:5:i': expected pit i to be empty"),
    (f"{LOW} S 0-0 open:place:31:a", "61 seeds in all, 31 of them in the hand: expected at most 60"),
    (f"{LOW} S 10-16 open:empty1:5:a", "61 seeds in all, 5 of them in the hand: expected at most 60"),
    (
        "5,5,5,5,0,0,0,0,0,0/0,0,0,0,0,0,0,5,0,0 S 0-0 open:empty2",
        "opening 'open:empty2': expected at least two occupied own pits to choose from",
    ),
    (
        "5*,5,5,5,0,0,0,0,0,0/0,0,0,0,0,5,0,5,0,0 S 0-0 open:empty2",
        "a nki mark in the opening: expected none before the first sowing",
    ),
    ("0*,5,5,5,0,0,0,0,0,0/0,0,0,0,0,5,0,5,0,0 S 0-0", "pit '0*': expected a nki mark only on an occupied pit"),
    *(
        (
            f"{pit},5,5,5,0,0,0,0,0,0/{LOW[20:]} S 0-0",
            f"pit 1 of row 1 '{pit}': expected a number of seeds, with * if nki",
        )
        for pit in ("*", "*5", "5**", "5x", "5*5", "x")
    ),
    ("5 *,5,5,5,0,0,0,0,0,0/0,0,0,0,0,5,0,5,0,0 S 0-0", "rows '5': expected 2 rows separated by '/', not 1"),
]

OWARE, KALAH = "oware(holes=3)", "kalah(holes=3)"

OF_THREE_HOLES = [
    ("4,4,4,4/4,4,4,4 S 0-0", "row 1 '4,4,4,4': expected 3 pits separated by commas, not 4"),
    ("4,4,4/4,4,x S 0-0", "pit 3 of row 2 'x': expected a number of seeds"),
    ("4,4,4/4,4,4*S 0-0", f"2 fields: {FIELDS}"),
    ("4,4,4/4,4,4 S", f"2 fields: {FIELDS}"),
    ("4,4,4/4,4,4 S 1-0", "25 seeds in all: expected at most 24"),
]

POSITIONS = [
    (game, text, message)
    for game, table in (
        (GIUTHI, SHARED),
        (KPE, OF_KPE),
        (KISOLO, OF_KISOLO),
        (RIO, OF_RIO_KADALIS),
        (KIOTHI, OF_KIOTHI),
        (OWARE, OF_THREE_HOLES),
        (KALAH, OF_THREE_HOLES),
    )
    for text, message in table
]


@pytest.mark.parametrize(("game", "text", "message"), POSITIONS, ids=lambda text: text[:70])
def test_positions(game: str, text: str, message: str) -> None:
    """Every field of every game's position strings."""
    assert_refused(lambda: mancala_ai.load_game(game).state(text), PositionError, f"position {text!r}: {message}")


@pytest.mark.parametrize("game", [GIUTHI, KPE, KISOLO, RIO, KIOTHI, OWARE, KALAH])
def test_every_game_has_bad_positions(game: str) -> None:
    """The tables cover all installed games."""
    tried = {game for game, _, _ in POSITIONS}
    assert game in tried
    assert {text.partition("(")[0] for text in tried} == {game_type.name for game_type in game_types()}


@pytest.mark.parametrize("text", ["4,4,4,4/4,4,4,4,4 S 0-0\n", "4,4,4,4,4/4,4,4,4,4\nS\n0", "\u2028 S 0-0"])
def test_messages_are_one_line_whatever_the_input(text: str) -> None:
    """A line break in the input is shown, not printed."""
    assert_refused(lambda: mancala_ai.load_game(GIUTHI).state(text), PositionError, f"position {text!r}: ...")


# Moves.


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        ("giuthi", ["", "c", "C+", "+c", "c++", "c +", " c+", "c+ ", "c\n", "i+", "pass", "PASS", "a1", "c\uff0b"]),
        ("kpe", ["", "a+", "e", "A", "aa", " a", "1", "-", "á"]),
        ("kisolo", ["", "a", "A", "xa", "XA", "xH", "xAA", "x", "h"]),
        ("rio_kadalis", ["", "g", "A", "a+", "ab"]),
        ("oware", ["", "g", "A", "a+", "ab", "pass"]),
        ("kalah", ["", "g", "A", "a+", "ab", "1"]),
        ("kiothi", ["", "!", "!a", "!j", "!A", "!k", "!ef", "@a", "@A", "e5", "e", "a0", "a01", "j61", "a" + DIGITS]),
    ],
)
def test_moves(game: str, moves: list[str]) -> None:
    """Illegal moves: named together with the position and the legal moves."""
    state = mancala_ai.load_game(game).initial_state()
    legal = ", ".join(state.legal_moves())
    for move in moves:
        message = f"move {move!r} in '{state}': expected one of the legal moves: {legal}"
        assert_refused(lambda move=move: state.play(move), IllegalMoveError, message)  # type: ignore[misc]


def test_moves_after_the_end() -> None:
    """There are none, and the message says why."""
    state = mancala_ai.load_game("kpe").state("0,0,1,5/0,0,0,0 S 20-22 abcd/abcd")
    message = f"move 'a' in '{state}': expected one of the legal moves: none, the game is over"
    assert_refused(lambda: state.play("a"), IllegalMoveError, message)


def test_depths_of_perft() -> None:
    """Negative depths; divide needs a first move."""
    state = mancala_ai.load_game("kpe").initial_state()
    assert_refused(lambda: mancala_ai.perft(state, -1), MancalaError, "depth -1: expected 0 or more")
    assert_refused(lambda: mancala_ai.divide(state, 0), MancalaError, "depth 0: expected 1 or more")


# Whatever else may come.

ALL_GAMES = [text for texts in GAME_STRINGS.values() for text in texts]
GOOD_POSITIONS = [(text, position) for text, position, _ in SMALL_PERFTS] + [
    (line["game"], line["position"]) for line in read_vectors(str(VECTORS / "perft.jsonl"))
]
CHARACTERS = st.sampled_from([*"0123456789,/:-*xSN abcjkABCJ+()=_\t\n\r\u2028é"])


@settings(max_examples=300)
@given(st.one_of(st.text(), st.text(CHARACTERS)))
def test_any_text_as_a_game_or_an_engine(text: str) -> None:
    """Either it is one, or the error is ours and one line."""
    for load in (mancala_ai.load_game, mancala_ai.load_engine):
        try:
            load(text)
        except GameStringError as error:
            assert len(str(error).splitlines()) == 1  # noqa: PT017


@settings(max_examples=1000)
@given(st.sampled_from(GOOD_POSITIONS), st.data())
def test_a_changed_position_is_refused_or_means_what_it_says(good: tuple[str, str], data: st.DataObject) -> None:
    """Some characters of a good string replaced, put in or left out: blanks apart, what is accepted is written so."""
    game, text = good
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text)))
        end = place + data.draw(st.integers(0, 2))
        text = text[:place] + data.draw(st.text(CHARACTERS, max_size=2)) + text[end:]
    try:
        state = mancala_ai.load_game(game).state(text)
    except PositionError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017
        assert str(error).startswith(f"position {text!r}: ")  # noqa: PT017
    else:
        assert re.sub(r"\s", "", str(state)) == re.sub(r"\s", "", text)


@settings(max_examples=300)
@given(st.sampled_from(GOOD_POSITIONS), st.one_of(st.text(max_size=4), st.text(CHARACTERS, max_size=4)))
def test_any_text_as_a_move(good: tuple[str, str], text: str) -> None:
    """Either it is legal, or it is an IllegalMoveError of one line."""
    state = mancala_ai.load_game(good[0]).state(good[1])
    if text in state.legal_moves():
        assert state.play(text).moves == [text]
    else:
        assert_refused(lambda: state.play(text), IllegalMoveError, f"move {text!r} in '{state}': expected ...")


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ({"depth": "x"}, "limit depth='x': expected a whole number"),
        ({"depth": 1.5}, "limit depth=1.5: expected a whole number"),
        ({"simulations": True}, "limit simulations=True: expected a whole number"),
        ({"nodes": 0}, "limit nodes=0: expected more than 0"),
        ({"seconds": float("inf")}, "limit seconds=inf: expected a finite number"),
        ({"seconds": float("nan")}, "limit seconds=nan: expected more than 0"),
    ],
)
def test_limits(limit: dict[str, Any], message: str) -> None:
    with pytest.raises(mancala_ai.GameStringError, match=f"^{re.escape(message)}$"):
        mancala_ai.Limit(**limit)


@pytest.mark.parametrize("text", ["depth=3,", ",", "depth=1\r2", "seconds=", "depth=x", "depth=1e3"])
def test_limit_strings(text: str) -> None:
    with pytest.raises(mancala_ai.GameStringError, match=r"^limit .*: expected [^\r\n]*$"):
        parse_limit(text)


@pytest.mark.parametrize("name", GAME_STRINGS)
def test_numbers_that_are_no_legal_moves_are_refused(name: str) -> None:
    state = mancala_ai.load_game(name).initial_state()
    legal, moves = state.legal_move_numbers(), state.game.rules.moves
    for number in (
        *range(-2, 200),
        moves - 1,
        moves,
        moves + 1,
        2**32,
        2**63 - 1,
        2**63,
        2**64,
        2**64 + legal[0],
        2**70,
    ):
        if number in legal:
            assert state.play_number(number).last_move == state.game.rules.move_name(number)
        else:
            with pytest.raises(IllegalMoveError, match=f"^move number {number} in "):
                state.play_number(number)
