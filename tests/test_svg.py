"""Drawings in SVG: what the position has is drawn, pit by pit, for every game."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
import xml.etree.ElementTree as ET
from functools import partial
from pathlib import Path

import pytest

import mancala_ai
from mancala_ai import State, load_game, svg
from mancala_ai.diagram import describe_result
from mancala_ai.notation import pit_of_move
from tests.helpers import GAME_STRINGS
from tests.test_cli import run

NS = {"": "http://www.w3.org/2000/svg"}
GAMES = [game for strings in GAME_STRINGS.values() for game in strings[:2]]


def drawing(state: State) -> ET.Element:
    return ET.fromstring(state.svg())


def pits(root: ET.Element) -> list[ET.Element]:
    return [group for group in root.findall("g", NS) if "pit" in group.attrib["class"].split()]


def text(element: ET.Element, name: str) -> str:
    found = element.find(f"text[@class='{name}']", NS)
    assert found is not None
    return found.text or ""


def classes(element: ET.Element) -> set[str]:
    return set(element.attrib["class"].split())


def caption(root: ET.Element) -> str:
    return " ".join(line.text or "" for line in root.findall("text", NS))


def random_states(game: str, plies: int) -> list[State]:
    rng, states = random.Random(game), [load_game(game).initial_state()]
    while len(states) <= plies and not states[-1].is_over:
        states.append(states[-1].play(rng.choice(states[-1].legal_moves())))
    return states


def check(state: State) -> None:
    """Compare a drawing with the state's position string, and with its move."""
    root = drawing(state)
    board, side, *fields = str(state).split()
    written = [pit for row in board.split("/") for pit in row.split(",")]
    drawn = pits(root)
    assert [text(pit, "count") for pit in drawn] == written
    assert [int(pit.attrib["data-pit"]) for pit in drawn] == list(range(len(written)))
    for pit, count in zip(drawn, written, strict=True):
        seeds = pit.find("g[@class='seeds']", NS)
        assert seeds is not None
        number = 0 if count == "x" else int(count.rstrip("*"))
        circles, numbers = seeds.findall("circle", NS), seeds.findall("text", NS)
        if number <= 19:
            assert (len(circles), len(numbers)) == (number, 0)
        else:
            assert (len(circles), [heap.text for heap in numbers]) == (0, [str(number)])
        assert ("nki" in classes(pit)) == count.endswith("*")
        assert ("closed" in classes(pit)) == (count == "x")
    players = {group.attrib["data-player"]: group for group in root.findall("g", NS) if "player" in classes(group)}
    to_move = {player for player, group in players.items() if "to-move" in classes(group)}
    assert to_move == (set() if state.is_over else {str("SN".index(side))})
    halves = [written[len(written) // 2 :], written[: len(written) // 2]]
    totals = (
        [f"captured {seeds}" for seeds in fields[0].split("-")]
        if state.captured is not None
        else [f"seeds {sum(map(int, half))}" for half in halves]
    )
    assert [text(players[player], "total") for player in "01"] == totals
    hand = re.search(r"open:\w+:(\d+)", str(state))
    hands = [f"{hand[1]} in hand" if hand and player == "SN".index(side) else "" for player in (0, 1)]
    assert [text(players[player], "hand") for player in "01"] == hands
    marked = [pit for pit in drawn if "last" in classes(pit)]
    letter = re.fullmatch(r"[!@x]?([a-jA-J])[-+\d]*", state.moves[-1]) if state.moves else None
    assert [text(pit, "letter").lower() for pit in marked] == ([letter[1].lower()] if letter else [])


@pytest.mark.parametrize("game", GAMES)
def test_a_drawing_has_what_the_position_has(game: str) -> None:
    states = random_states(game, 60)
    for state in states:
        check(state)


@pytest.mark.parametrize(
    ("game", "position"),
    [
        ("kiothi", "0,3*,1,0,12*,0,0,0,0,0/0,0,0,0,5*,5,5,5,5,5* S 2-1"),
        ("kiothi", "5,5,5,5,5,5,0,0,0,0/0,0,0,0,0,0,5,5,5,5 S 0-0 open:place:9:g"),
        ("rio_kadalis", "4,1,4,8,x,x/x,3,7,0,10,4 N 1-1"),
        ("kisolo(holes=6)", "1,2,3,4,5,6/0,0,0,0,0,1/0,0,0,0,2,0/7,8,0,24,0,0 S"),
    ],
)
def test_marks_hands_and_heaps_are_drawn(game: str, position: str) -> None:
    check(load_game(game).state(position))


def test_letters_are_in_own_view() -> None:
    def letters(game: str) -> str:
        return "".join(text(pit, "letter") for pit in pits(drawing(load_game(game).initial_state())))

    assert letters("kpe") == "dcbaabcd"
    assert letters("kisolo(holes=6)") == "fedcbaFEDCBAABCDEFabcdef"


@pytest.mark.parametrize("game", GAME_STRINGS)
def test_words_are_those_of_the_text_board(game: str) -> None:
    state = load_game(game).initial_state()
    assert caption(drawing(state)).split() == state.board().partition("\n\n")[2].split()
    after = state.play(state.legal_moves()[0])
    assert f"South played {after.moves[-1]}." in caption(drawing(after))
    assert not drawing(load_game(game).state(str(after))).findall(".//g[@class='pit last']", NS)


def test_the_end_is_told() -> None:
    state = load_game("kpe").state("1,0,0,0/0,0,0,0 S 30-14 abcd/abcd")
    root = drawing(state)
    assert caption(root) == f"Game over: {describe_result(state)}"
    check(state)


def test_a_drawing_says_what_it_is_to_those_who_do_not_see_it() -> None:
    state = load_game("giuthi").initial_state()
    root = drawing(state)
    assert root.attrib["role"] == "img"
    title, desc = root.find("title", NS), root.find("desc", NS)
    assert title is not None
    assert desc is not None
    assert title.text == root.attrib["aria-label"] == "giuthi(holes=8,seeds=8): South to move."
    assert desc.text == str(state)


def test_all_lines_and_pits_lie_within_the_drawing() -> None:
    for game, width in (("kpe(holes=3)", 300), ("kiothi", 656)):
        root = drawing(load_game(game).initial_state())
        assert float(root.attrib["width"]) == width
        lines = root.findall("text", NS)
        assert max(len(line.text or "") for line in lines) * svg.LETTER_WIDTH <= width
        assert max(float(line.attrib["y"]) for line in lines) < float(root.attrib["height"])


@pytest.mark.parametrize("seeds", range(20))
def test_seeds_lie_within_the_pit_and_not_upon_each_other(seeds: int) -> None:
    group = ET.fromstring(f"<g>{svg.seed_groups()[seeds]}</g>")
    places = [(float(circle.attrib["cx"]), float(circle.attrib["cy"])) for circle in group]
    assert len(places) == seeds
    assert all(math.hypot(*place) + svg.SEED < svg.RADIUS for place in places)
    assert all(math.dist(*two) >= 2 * svg.SEED for two in itertools.combinations(places, 2))


@pytest.mark.parametrize(
    ("move", "side", "rows", "pit"),
    [
        *(("a", 0, 2, 4), ("a+", 1, 2, 3), ("c12", 0, 2, 6), ("!d", 1, 2, 0), ("@b", 0, 2, 5), ("@A", 0, 2, 3)),
        *(("@A", 1, 2, 4), ("b", 0, 4, 13), ("B", 0, 4, 9), ("xB", 1, 4, 6), ("b", 1, 4, 2)),
        *(("pass", 0, 2, None), ("", 0, 2, None), ("j", 0, 2, None)),
    ],
)
def test_the_pit_of_a_move(move: str, side: int, rows: int, pit: int | None) -> None:
    assert pit_of_move(move, side, rows, 4) == pit


@pytest.mark.parametrize("game", GAME_STRINGS)
def test_every_move_but_a_pass_names_an_occupied_pit_or_places_a_seed(game: str) -> None:
    for before, after in itertools.pairwise(random_states(game, 40)):
        pit = svg.last_pit(after)
        counts = [count.rstrip("*") for count in re.split("[,/]", str(before).split()[0])]
        assert pit is not None or after.moves[-1] == "pass"
        assert pit is None or after.moves[-1].startswith("@") or counts[pit] not in ("0", "x")


def test_notebooks_show_it() -> None:
    state = load_game("kpe").initial_state()
    assert state._repr_svg_() == state.svg()


def test_show_draws_into_a_file(tmp_path: Path) -> None:
    file = tmp_path / "kpe.svg"
    show = partial(run, "show", "kpe")
    code, out, _ = show("--svg", str(file), "--json")
    assert code == 0
    assert json.loads(out)["position"] == str(load_game("kpe").initial_state())
    assert file.read_text() == mancala_ai.load_game("kpe").initial_state().svg() + "\n"
    code, _, error = show("--svg", str(file))
    assert (code, "exists already: expected a new file, or --force" in error) == (2, True)
    file.write_text("")
    assert show("--svg", str(file), "--force")[0] == 0
    assert file.read_text().startswith("<svg")
    assert run("--svg", str(tmp_path / "missing" / "kpe.svg"))[0] == 2
