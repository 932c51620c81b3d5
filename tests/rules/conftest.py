"""The implementations that every hand-worked example must hold for."""

from __future__ import annotations

import importlib
from typing import cast

import pytest

from tests.rules.worked import LoadGame

IMPLEMENTATIONS = {"kernels": "mancala_ai", "reference": "tests.reference"}


def _load_game_of(implementation: str) -> LoadGame:
    module = importlib.import_module(IMPLEMENTATIONS[implementation])
    return cast(LoadGame, module.load_game)


@pytest.fixture(params=list(IMPLEMENTATIONS))
def load_game(request: pytest.FixtureRequest) -> LoadGame:
    """``load_game`` of each implementation in turn, imported only when a test asks for it."""
    return _load_game_of(request.param)


@pytest.fixture
def load_package_game() -> LoadGame:
    """``load_game`` of the package alone, for what it must refuse: the reference trusts its input."""
    return _load_game_of("kernels")
