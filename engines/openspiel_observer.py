"""What players see of a game of ours in OpenSpiel: everything, as a vector and as a string."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from mancala_ai import Game, GameStringError
from mancala_ai.observation import observation_layout, observe

if TYPE_CHECKING:
    from engines.openspiel_games import GameState


class Observer:
    """OpenSpiel's observer of our states, which are the same for both players.

    The tensor is the vector of `mancala_ai.observation`, in the view of the side to move. It is the same with perfect
    recall, since a history without bound has no place in a tensor: there the string, start and moves, says more. A type
    of observation without public information has neither, since nothing is private.

    Attributes:
        tensor: ``float32``, shape ``(observation_size(game),)``, or None.
        dict: its sections by name, as views into it.
    """

    def __init__(
        self,
        game: Game,
        start: str,
        observed: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        if params:
            raise GameStringError(f"observer of {game}: parameters {params}: expected none")
        self._game, self._start = game, start
        self._public = observed is None or observed.public_info
        self._recall = observed is not None and observed.perfect_recall
        self.tensor = None
        self.dict = {}
        if self._public:
            sections = [section for section in observation_layout(game) if section.size]
            self.tensor = np.zeros(sections[-1].start + sections[-1].size, dtype=np.float32)
            self.dict = {name: self.tensor[start : start + size] for name, start, size in sections}

    def set_from(self, state: GameState, player: int) -> None:
        """Sets the tensor to what is seen of a state."""
        if self.tensor is not None:
            self.tensor[:] = observe(self._game.rules, state.position)

    def string_from(self, state: GameState, player: int) -> str:
        """Returns the position string; with perfect recall the start and all moves; nothing of what is private."""
        if not self._public:
            return ""
        rules = self._game.rules
        if not self._recall:
            return str(rules.unpack(state.position))
        return " ".join([self._start, "|", *map(rules.move_name, state.history())])
