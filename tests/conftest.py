"""Options and settings of the whole test suite."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import settings

FULL_MOVES, SHORT_MOVES = 1_000_000, 20_000  # random moves per game that kernels and reference are compared over

# Every run tries the same examples: what fails in CI fails here.
settings.register_profile("mancala", derandomize=True, deadline=None, print_blob=False)
settings.load_profile("mancala")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of this suite."""
    parser.addoption("--full", action="store_true", help=f"full-length runs: {FULL_MOVES:,} random moves per game")


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """Whether ``--full`` was given."""
    return bool(request.config.getoption("--full"))


@pytest.fixture(scope="session")
def moves_per_game(full: bool) -> int:
    """How many random moves of each game to compare."""
    return FULL_MOVES if full else SHORT_MOVES


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the random comparisons counted, game by game (tests record it as properties ``GAME: what``)."""
    totals: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name.startswith("compared "):
                totals[name] += int(str(value))
    if totals:
        terminalreporter.section("kernels against reference")
        for name in sorted(totals):
            terminalreporter.write_line(f"{name}: {totals[name]:,}")
