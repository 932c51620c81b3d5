"""The page of a tournament: what it holds agrees with the tables, and its games can be stepped through in a browser."""

from __future__ import annotations

import base64
import functools
import gzip
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from experiments.charts import histogram, rating_axis
from experiments.config import Terms, TournamentConfig
from experiments.facts import game_facts
from experiments.matches import GameResult
from experiments.report import draw_page, report
from experiments.store import Store
from experiments.tables import different_games, results_by_game, to_data
from experiments.tournament import run_tournament, stored_tournament
from mancala_ai import GameRecord, MancalaError, State
from tests.test_tournament import FAILING, config

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

GAMES = ("giuthi(holes=5,seeds=4)", "kiothi", "kisolo(holes=6)", "kpe(holes=3)", "rio_kadalis")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# As root and without a network; nothing of it changes what a page looks like.
FLAGS = (
    *("no-sandbox", "no-zygote", "disable-gpu", "disable-quic", "no-first-run"),
    *("disable-background-networking", "disable-component-update", "disable-sync"),
)


def play(file: Path, tournament: TournamentConfig) -> Path:
    with Store(file, tournament) as store:
        run_tournament(tournament, store=store)
    return file


@pytest.fixture(name="league", scope="module")
def _league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("league") / "league.sqlite"
    play(file, config("random", "greedy", f"{FAILING}:Raising", games=GAMES, pairs=2))
    with sqlite3.connect(file) as database:  # what a program may say of itself must not become part of the page
        first = database.execute("SELECT min(number) FROM games WHERE fault IS NOT NULL").fetchone()
        database.execute("UPDATE games SET fault = '</script><b id=evil>' WHERE number = ?", first)
    database.close()
    return file


@pytest.fixture(name="page_file", scope="module")
def _page_file(league: Path) -> Path:
    file = league.with_suffix(".html")
    report(league, output=file)
    return file


class _Tables(HTMLParser):
    """Collects the rows of all tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self._in_cell = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.tables[-1][-1][-1] += data


def embedded(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert found
    return json.loads(found[1])


def unpacked(page: str) -> list[Any]:
    blocks = re.findall(r'class="block">(.*?)</script>', page)
    return [game for block in blocks for game in json.loads(gzip.decompress(base64.b64decode(block)))]


def results_of(file: Path) -> list[GameResult]:
    with Store(file) as store:
        return list(store.results())


def test_tables_are_those_of_standings(league: Path, page_file: Path) -> None:
    with Store(league) as store:
        data = to_data(stored_tournament(store))
    tables = _Tables(page_file.read_text()).tables
    for number, part in enumerate([data["overall"], *data["games"]]):
        ratings, cross, times = tables[3 * number : 3 * number + 3]
        assert [row[1] for row in ratings[1:]] == [rating["engine"] for rating in part["ratings"]]
        assert [row[5:] for row in ratings[1:]] == [
            [str(rating["wins"]), str(rating["draws"]), str(rating["losses"]), f"{rating['points']:g}"]
            for rating in part["ratings"]
        ]
        for row, rating in zip(ratings[1:], part["ratings"], strict=True):
            expected = rating["elo"] if rating["bound"] is None else rating["bound"]["elo"]
            assert ("-" if expected is None else f"{expected:.0f}") in row[2]
            if rating["interval"]:
                assert row[3] == "{:.0f} to {:.0f}".format(*rating["interval"])
        order = [rating["engine"] for rating in part["ratings"]]
        for score in part["crosstable"]:
            cell = cross[1 + order.index(score["engine"])][1 + order.index(score["opponent"])]
            games = score["wins"] + score["draws"] + score["losses"]
            assert abs(float(cell) - 100 * (score["wins"] + score["draws"] / 2) / games) <= 0.5
        assert [row[0] for row in times[1:]] == order


def test_facts_are_those_of_the_module(league: Path, page_file: Path) -> None:
    facts = [game_facts(results) for results in results_by_game(different_games(results_of(league))).values()]
    table = next(table for table in _Tables(page_file.read_text()).tables if table[0][:1] == ["game"])
    assert len(table) == 1 + len(GAMES)
    for row, fact in zip(table[1:], facts, strict=True):
        assert fact is not None
        assert row[:2] == [fact.game, str(fact.games)]
        assert row[2].split(" %")[0] == f"{100 * fact.south_score.value:.1f}"
        assert row[6].split()[0] == f"{fact.plies.value:.1f}"
        assert fact.branching is not None
        assert row[8].split()[0] == f"{fact.branching.value:.2f}"


def test_times_are_of_all_moves(league: Path, page_file: Path) -> None:
    results = results_of(league)
    times = _Tables(page_file.read_text()).tables[2]
    assert sum(int(row[1].replace(",", "")) for row in times[1:]) == sum(len(result.record.moves) for result in results)
    for row in times[1:]:
        seconds = sum(
            result.seconds[side] for result in results for side in (0, 1) if result.spec.players[side] == row[0]
        )
        assert abs(float(row[2]) - seconds) < 0.006


def test_every_game_is_in_the_page(league: Path, page_file: Path) -> None:
    page, results = page_file.read_text(), results_of(league)
    data, games = embedded(page), unpacked(page)
    assert len(results) == len(games) == len(data["table"])
    for result, row, game in zip(results, data["table"], games, strict=True):
        spec, record = result.spec, result.record
        assert row[0] == spec.number
        assert (data["games"][row[1]], data["engines"][row[2]], data["engines"][row[3]]) == (spec.game, *spec.players)
        assert row[4:7] == [result.outcome, record.margin, len(record.moves)]
        assert (data["terminations"][row[7]], row[8]) == (result.termination.value, result.fault)
        assert [ply[1] for ply in game["plies"]] == record.replay().positions
        assert [ply[0] for ply in game["plies"]] == [None, *record.moves]
        assert (result.fault or "wins" if result.outcome else "drawn") in game["end"]


def test_all_rounds_of_a_match_are_in_the_page(tmp_path: Path) -> None:
    terms = Terms(rounds=True)
    file = play(tmp_path / "match.sqlite", config("random", "greedy", games=("rio_kadalis",), pairs=1, terms=terms))
    with Store(file) as store:
        games = unpacked(draw_page(store))
        results = list(store.results())
    for result, game in zip(results, games, strict=True):
        match = result.record.extra["match"]
        starts = [done["start"] for done in match["rounds"]] + [result.record.start]
        assert [ply[1] for ply in game["plies"] if ply[0] is None] == starts
        moves = [move for done in match["rounds"] for move in done["moves"]] + list(result.record.moves)
        assert [ply[0] for ply in game["plies"] if ply[0] is not None] == moves
        assert game["end"].endswith("(South {}, North {}).".format(*match["holdings"]))


def test_bounds_are_explained_where_they_stand(tmp_path: Path) -> None:
    """A part whose ratings have a bound says what its sign means; one without does not."""
    note = "mark bounds, not estimates"
    file = play(tmp_path / "one.sqlite", config("random", "alphabeta(depth=2)", games=("kisolo(holes=6)",), pairs=2))
    with Store(file) as store:
        data, page = to_data(stored_tournament(store)), draw_page(store)
    assert any(rating["bound"] for rating in data["games"][0]["ratings"])
    part, _, rest = page.partition('<section id="facts">')
    assert (part.count(note), rest.count(note)) == (1, 1)
    file = play(tmp_path / "even.sqlite", config("random", "random(rng_seed=1)", games=("kisolo(holes=6)",), pairs=8))
    with Store(file) as store:
        data, page = to_data(stored_tournament(store)), draw_page(store)
    assert not any(rating["bound"] for rating in data["games"][0]["ratings"])
    part, _, rest = page.partition('<section id="facts">')
    assert (part.count(note), rest.count(note)) == (0, 1)


def test_of_many_games_a_sample_is_put_in(league: Path) -> None:
    with Store(league) as store:
        page, none = draw_page(store, 7), draw_page(store, 0)
        data = embedded(page)
    assert "A sample of 7 of the 60 games, evenly spaced" in page
    assert [row[0] for row in data["table"]] == [0, 8, 17, 25, 34, 42, 51]
    assert len(unpacked(page)) == 7
    whole = _Tables(page).tables[0]
    assert whole == _Tables(none).tables[0]
    assert unpacked(none) == embedded(none)["table"] == []


def test_the_page_needs_nothing_else(page_file: Path) -> None:
    page = page_file.read_text().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|//cdn|@import|<link|\bsrc=|url\(", page)
    assert "<b id=evil>" not in page
    assert len(page) < 300_000


def test_a_page_is_not_overwritten_unless_asked(league: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("mine")
    with pytest.raises(MancalaError, match=r"page.html: exists already: expected a new file, or --force"):
        report(league, output=file)
    assert file.read_text() == "mine"
    report(league, output=file, force=True)
    assert "<!doctype html>" in file.read_text()
    with pytest.raises(MancalaError, match=r"page.html: expected a directory .*missing that exists"):
        report(league, output=tmp_path / "missing" / "page.html")


def test_without_games_there_is_nothing_to_report(tmp_path: Path) -> None:
    file = tmp_path / "empty.sqlite"
    with Store(file, config("random", "greedy")):
        pass
    with pytest.raises(MancalaError, match="no game has been played yet"):
        report(file, output=tmp_path / "page.html")


@pytest.mark.parametrize("values", [[3], [-7, -7, 0, 12], [*range(-100, 150)], [0, 10_000], [-1, 0, 1, 1]])
def test_histograms_count_every_value_once(values: list[int]) -> None:
    bins = histogram(values)
    assert bins is not None
    assert len(bins.counts) <= 25
    assert bins.first % bins.width == 0
    for number, count in enumerate(bins.counts):
        low = bins.first + number * bins.width
        assert count == sum(low <= value < low + bins.width for value in values)
        assert bins.label(number) == (str(low) if bins.width == 1 else f"{low} to {low + bins.width - 1}")
    assert sum(bins.counts) == len(values)
    assert histogram([]) is None


def test_the_axis_has_room_for_every_rating() -> None:
    axis = rating_axis(
        [
            {"elo": 0.0, "interval": None, "bound": None},
            {"elo": -120.0, "interval": (-310.0, 70.0), "bound": None},
            {"elo": None, "interval": None, "bound": {"is": ">", "elo": 900.0}},
        ]
    )
    assert 0 < axis.at(-310) < axis.at(0) < axis.at(900) < 100
    assert axis.ticks == (0, 500)


# In a browser.


@pytest.fixture(name="browser", scope="module")
def _browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium found on PATH (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[f"--{flag}" for flag in FLAGS])
        yield browser
        browser.close()


@pytest.fixture(name="page", params=[1280, 375], ids=["desktop", "phone"])
def _page(browser: Browser, page_file: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The page at two widths. It must not raise an error, write to the console, or ask for another file."""
    page = browser.new_page(viewport={"width": request.param, "height": 800})
    page.set_default_timeout(5000)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.on(
        "request",
        lambda asked: (
            complaints.append(asked.url)
            if asked.url.partition("#")[0] not in (page_file.as_uri(), "about:blank")
            else None
        ),
    )
    page.goto(page_file.as_uri())
    yield page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#evil").count() == 0
    page.close()
    assert complaints == []


def board(page: Page) -> dict[str, Any]:
    """Return what is drawn."""
    drawn: dict[str, Any] = page.evaluate(
        """() => ({
            counts: [...document.querySelectorAll('#board .pit .count')].map(text => text.textContent),
            seeds: [...document.querySelectorAll('#board .pit .seeds')].map(
                group => group.querySelector('text') ? +group.textContent : group.querySelectorAll('circle').length),
            toMove: [...document.querySelectorAll('#board .to-move')].map(player => +player.dataset.player),
            totals: [...document.querySelectorAll('#board .total')].map(text => text.textContent),
            last: [...document.querySelectorAll('#board .last .letter')].map(text => text.textContent.toLowerCase()),
            current: [...document.querySelectorAll('#moves [aria-current]')].map(move => move.textContent.trim()),
            caption: document.querySelector('#caption').textContent,
        })"""
    )
    return drawn


@functools.cache
def _states_of(line: str) -> list[State]:
    states = [GameRecord.from_json(line).replay()]
    while states[0].parent is not None:
        states.insert(0, states[0].parent)
    return states


def states_of(record: GameRecord) -> list[State]:
    """Return all states of a game, played again."""
    return _states_of(record.to_json())


def compare(page: Page, result: GameResult, ply: int) -> None:
    """Compare the drawn board with the game's record, played again."""
    states = states_of(result.record)
    plies, state = len(states) - 1, states[ply]
    drawn, words = board(page), str(state).split()
    counts = re.split("[,/]", words[0])
    assert drawn["counts"] == counts
    assert drawn["seeds"] == [0 if count == "x" else int(count.rstrip("*")) for count in counts]
    assert drawn["toMove"] == ([] if ply == plies else [state.to_move])
    if state.captured is not None:  # North is drawn first
        assert drawn["totals"] == [f"captured {seeds}" for seeds in reversed(state.captured)]
    assert f"Ply {ply} of {plies}." in drawn["caption"]
    if ply:
        move = result.record.moves[ply - 1]
        assert drawn["current"] == [f"{ply} {move}"]
        letter = re.search("[a-jA-J]", move.removeprefix("x"))
        assert letter
        assert drawn["last"] == ([] if move == "pass" else [letter[0].lower()])
    else:
        assert (drawn["current"], drawn["last"]) == (["start"], [])


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_stepped_through(page: Page, league: Path, game: str) -> None:
    results = [result for result in results_of(league) if result.spec.game.startswith(game.rstrip(")"))]
    finished = (result for result in results if result.fault is None)
    result = min(finished, key=lambda result: abs(len(result.record.moves) - 20))
    plies = len(result.record.moves)
    page.locator("[name=game]").select_option(result.spec.game)
    page.get_by_role("button", name=f"Open game {result.spec.number}", exact=True).click()
    page.wait_for_selector("#viewer[open] #board svg")
    compare(page, result, 0)
    for ply in range(1, plies + 1):
        page.get_by_role("button", name="One move forward").click()
        compare(page, result, ply)
    assert page.get_by_role("button", name="One move forward").is_disabled()
    page.keyboard.press("ArrowLeft")
    compare(page, result, plies - 1)
    page.keyboard.press("Home")
    compare(page, result, 0)
    page.keyboard.press("ArrowRight")
    compare(page, result, 1)
    page.keyboard.press("End")
    compare(page, result, plies)
    page.get_by_label("Position in the game").fill(str(plies // 2))
    compare(page, result, plies // 2)
    page.locator("#moves button").nth(plies - 1).click()
    compare(page, result, plies - 1)
    assert page.evaluate("document.querySelector('#viewer').scrollWidth <= innerWidth")
    page.keyboard.press("Escape")
    assert not page.locator("#viewer").is_visible()


def test_tables_fit_or_scroll(page: Page) -> None:
    """On a desk nothing is cut. On a phone Elo and its interval are in sight, and what is not can be scrolled to."""
    boxes = page.evaluate(
        """[...document.querySelectorAll('.box')].map(box => {
            const heads = [...box.querySelectorAll('thead th')];
            return {name: box.getAttribute('aria-label'), wide: box.scrollWidth, seen: box.clientWidth,
                scrolls: getComputedStyle(box).overflowX, left: box.getBoundingClientRect().left,
                ends: Object.fromEntries(heads.map(head => [head.textContent, head.getBoundingClientRect().right]))};
        })"""
    )
    assert {"Ratings", "Cross-table", "Time", "Facts about the games", "Games", "Settings"} == {
        box["name"] for box in boxes
    }
    for box in boxes:
        assert box["scrolls"] == "auto"
        if page.viewport_size and page.viewport_size["width"] == 1280:
            assert box["wide"] <= box["seen"], box["name"]
        elif box["name"] == "Ratings":
            assert box["ends"]["Elo"] < box["ends"]["95 % interval"] <= box["left"] + box["seen"]


def test_games_are_filtered(page: Page, league: Path) -> None:
    results = results_of(league)

    def found() -> int:
        return int(page.locator("#found").inner_text().split()[0])

    assert found() == len(results)
    assert page.locator("#table tbody tr").count() == 50
    page.get_by_role("button", name="Show more").click()
    assert page.locator("#table tbody tr").count() == len(results)
    page.locator("[name=player]").select_option("random")
    page.locator("[name=result]").select_option(label="lost")
    lost = [r for r in results if r.points[0] == 0 and r.spec.south == "random"]
    lost += [r for r in results if r.points[1] == 0 and r.spec.north == "random"]
    assert found() == len(lost) == page.locator("#table tbody tr").count()
    page.locator("[name=result]").select_option(label="any")
    page.locator("[name=termination]").select_option("engine error")
    assert found() == sum(r.fault is not None and "random" in r.spec.players for r in results)


def test_a_link_opens_a_game(page: Page, page_file: Path, league: Path) -> None:
    result = next(result for result in results_of(league) if len(result.record.moves) > 3)
    page.goto("about:blank")
    page.goto(f"{page_file.as_uri()}#game={result.spec.number}&ply=2")
    page.wait_for_selector("#viewer[open] #board svg")
    compare(page, result, 2)
