"""Any of our engines as an OpenSpiel bot."""

from __future__ import annotations

import pyspiel

from mancala_ai import Engine, Limit, MancalaError, load_engine


class EngineBot(pyspiel.Bot):
    """A ``pyspiel.Bot`` that plays what an engine says, for whoever is to move in the states that it is asked about."""

    def __init__(self, engine: Engine | str, limit: Limit | None = None) -> None:
        """Makes a bot.

        Args:
            engine: an engine, or an engine string such as ``alphabeta(threads=2)``.
            limit: how long the engine may think about one move; its own limits if None.

        Raises:
            GameStringError: the engine string is wrong.
        """
        super().__init__()
        self._engine = load_engine(engine) if isinstance(engine, str) else engine
        self._limit = limit

    def step(self, state: pyspiel.State) -> int:
        """Returns the action that the engine chooses.

        Args:
            state: a state of one of our games (`engines.openspiel_games`) that is not over.

        Raises:
            MancalaError: it is a state of another game.
        """
        if not hasattr(state, "to_mancala"):  # the module may be loaded twice, and its classes be different ones
            name = state.get_game().get_type().short_name
            raise MancalaError(f"state of {name!r}: expected one of a game of engines.openspiel_games")
        ours = state.to_mancala()
        number = ours.game.rules.move_number(self._engine.search(ours, self._limit).move)
        assert number is not None
        return number

    def restart(self) -> None:
        """Has the engine forget earlier games."""
        self._engine.new_game()

    def restart_at(self, state: pyspiel.State) -> None:
        """Has the engine forget earlier games; everything about this one is in its states."""
        self.restart()
