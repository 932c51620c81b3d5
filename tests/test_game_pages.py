"""The pages of the games, docs/games, say what is true of the code."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

import mancala_ai
from mancala_ai.observation import observation_size
from mancala_ai.registry import game_types
from tests.make_game_facts import HEADING, PAGES, fact_rows

TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(PAGES.glob("*.md"))}
OVERVIEW = TEXTS.pop("README")
TYPES = {game.name: game for game in game_types()}
SECTIONS = [
    "Board and rules",
    "Decisions",
    "Set-ups and options",
    "Position and move strings",
    "A short game",
    "Move numbering and observation",
    "Facts",
]

every_page = pytest.mark.parametrize("name", TEXTS)


def rows(text: str, heading: str) -> list[list[str]]:
    """Returns the cells of all rows of the table that begins with ``heading``, without backticks; none without it."""
    found = re.search(rf"^{re.escape(heading)}\n\|[-|]+\|\n((?:\|.*\n?)*)", text, flags=re.MULTILINE)
    lines = found[1].splitlines() if found else []
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


def test_every_game_has_a_page_or_is_said_to_be_for_comparison_only() -> None:
    listed = [
        re.fullmatch(r"\[(.+)\]\((.+)\.md\)", row[0])
        for row in rows(OVERVIEW, "| page | game | people | what is special |")
    ]
    pages = [link[1] for link in listed if link and link[1] == link[2]]
    paragraph = re.search(r"^Two more games exist for comparison(?:.+\n)+", OVERVIEW, flags=re.MULTILINE)
    assert paragraph
    compared = re.findall(r"\[`(\w+)`\]", paragraph[0])
    assert sorted(pages) == sorted(TEXTS)
    assert sorted(pages + compared) == sorted(TYPES)


@every_page
def test_all_pages_have_the_same_sections(name: str) -> None:
    assert re.findall(r"^#+ (.*)", TEXTS[name], flags=re.MULTILINE) == [TYPES[name].title, *SECTIONS]


@every_page
def test_the_session_runs_as_printed(name: str) -> None:
    sessions = re.findall(r"```pycon\n(.*?)```", TEXTS[name], flags=re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, name, name, 0)
    assert sum(".board()" in example.source for example in test.examples) >= 4
    assert doctest.DocTestRunner().run(test).failed == 0


@every_page
def test_options_are_those_of_the_registry(name: str) -> None:
    stated = rows(TEXTS[name], "| option | default | values | meaning |")
    assert all(len(row) == 4 for row in stated)
    game = TYPES[name]
    assert [row[0] for row in stated] == game.option_names
    for (_, default, values, meaning), option in zip(stated, game.options, strict=False):
        assert default == str(option.default)
        ends = re.fullmatch(r"(\d+)\.\.(\d+)", values)
        expanded = list(map(str, range(int(ends[1]), int(ends[2]) + 1))) if ends else values.split(", ")
        assert expanded == list(map(str, option.values))
        assert meaning == option.help


@every_page
def test_set_ups_are_those_of_the_registry(name: str) -> None:
    stated = rows(TEXTS[name], "| set-up | stands for | seeds in all | remark |")
    game = TYPES[name]
    choices = [option.values for option in game.options if option.name == "setup"]
    assert [row[0] for row in stated] == [*game.setups, *(choices[0] if choices else ())]
    assert bool(stated) != ("There are no named set-ups." in TEXTS[name])
    for setup, meaning, seeds, _ in stated:
        loaded = mancala_ai.load_game(f"{name}(setup={setup})")
        assert loaded.initial_state().total_seeds == int(seeds)
        if setup in game.setups:
            assert loaded == mancala_ai.load_game(f"{name}({meaning})")


@every_page
def test_game_strings_mean_what_is_said(name: str) -> None:
    stated = rows(TEXTS[name], "| game string | the same as |")
    assert stated[0][0] == name
    for text, canonical in stated:
        assert str(mancala_ai.load_game(text)) == canonical


@every_page
def test_position_strings_are_read_as_they_are_written(name: str) -> None:
    stated = rows(TEXTS[name], "| game string | position string | what it shows |")
    assert stated[0][:2] == [name, str(mancala_ai.load_game(name).initial_state())]
    for game, position, _ in stated:
        assert str(mancala_ai.load_game(game).state(position)) == position


@every_page
def test_move_strings_have_the_numbers_stated(name: str) -> None:
    rules = mancala_ai.load_game(name).rules
    stated = rows(TEXTS[name], "| move string | meaning | number |")
    assert stated
    for move, _, number in stated:
        assert rules.move_number(move) == int(number)
        assert rules.move_name(int(number)) == move


@every_page
def test_sizes_of_moves_and_observations(name: str) -> None:
    stated = rows(TEXTS[name], "| game string | moves | observation |")
    assert stated[0][0] == name
    for game, moves, size in stated:
        loaded = mancala_ai.load_game(game)
        assert (loaded.rules.moves, observation_size(loaded)) == (int(moves), int(size))


@every_page
def test_perft_numbers(name: str) -> None:
    heading = re.search(r"^\| game string (\| \d )+\|$", TEXTS[name], flags=re.MULTILINE)
    assert heading
    stated = rows(TEXTS[name], heading[0])
    assert stated[0][0] == name
    for game, *counts in stated:
        start = mancala_ai.load_game(game).initial_state()
        depths = range(1, len(counts) + 1)
        assert [f"{mancala_ai.perft(start, depth):,}" for depth in depths] == counts


@every_page
def test_facts_belong_to_the_commands(name: str) -> None:
    stated = rows(TEXTS[name], HEADING.partition("\n")[0])
    expected = []
    for line in re.findall(r"^mancala-ai (tournament .*)", TEXTS[name], flags=re.MULTILINE):
        words = shlex.split(line)
        games = [words[i + 1] for i, word in enumerate(words) if word == "--game"]
        pairs = int(words[words.index("--pairs") + 1])
        expected += [(game, words[words.index("--engine") + 1], 2 * pairs) for game in games]
    assert [(game, engine) for game, engine, *_ in stated] == [(game, engine) for game, engine, _ in expected]
    for (_, _, counted, *cells), (_, _, most) in zip(stated, expected, strict=True):
        assert 0 < int(counted.replace(",", "")) <= most
        quartiles = list(map(float, cells.pop(2).split(", ")))
        assert len(quartiles) == 3
        assert quartiles == sorted(quartiles)
        for cell in cells:
            value, low, high = map(float, re.findall(r"[\d.]+", cell))
            assert low <= value <= high


@every_page
def test_facts_are_measured_again(name: str, tmp_path: Path, full: bool) -> None:
    if not full:
        pytest.skip("up to 3 minutes a page: with --full")
    assert HEADING + "\n".join(fact_rows(TEXTS[name], tmp_path)) + "\n" in TEXTS[name]


@pytest.mark.parametrize("name", ["README", *TEXTS])
def test_links_lead_somewhere(name: str) -> None:
    text = OVERVIEW if name == "README" else TEXTS[name]
    links = re.findall(r"\]\((?!https:)([^)#]*)(?:#([^)]*))?\)", text)
    assert links
    for file, anchor in links:
        target = PAGES / (file or f"{name}.md")
        assert target.exists(), file
        if anchor:
            headings = re.findall(r"^#+ (.*)", target.read_text(encoding="utf-8"), flags=re.MULTILINE)
            assert anchor in [heading.lower().replace(" ", "-") for heading in headings]
