"""OpenSpiel's bots as engines: its Monte Carlo tree search, its alpha-beta, its random bot, and any other.

OpenSpiel is imported when the first of these engines is made, so that everything else works without it.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from engines.simple import RNG_SEED, SeededEngine, choice_rng
from mancala_ai import Engine, EngineOption, GameStringError, Limit, MancalaError, SearchResult, State

if TYPE_CHECKING:
    import pyspiel

    from engines.openspiel_games import GameState

DEFAULT_SIMULATIONS = 1000  # without any limit
MEMORY_MB = 256  # of a search tree; OpenSpiel prunes a tree that is larger
_NO_LIMIT = 2**31 - 1
_NO_TIME_LIMIT = -1.0


def _require_open_spiel(engine: str) -> None:
    try:
        importlib.import_module("pyspiel")
    except ImportError as error:
        raise MancalaError(
            f"engine {engine!r}: {error}: expected OpenSpiel to be installed (pip install open_spiel)"
        ) from error


class _OpenSpielEngine(SeededEngine):
    def __init__(self, rng_seed: int) -> None:
        _require_open_spiel(self.name)
        super().__init__(rng_seed)


class BotEngine(_OpenSpielEngine):
    """Any OpenSpiel bot as an engine: one that is made anew for every search, and told of all moves so far.

    So the same state gives the same result, whatever was searched before, if the bot's own choices are seeded.
    """

    name = "openspiel_bot"

    def __init__(self, make_bot: Callable[[pyspiel.Game, int, int], pyspiel.Bot], rng_seed: int = 0) -> None:
        """Makes an engine.

        Args:
            make_bot: called with the game, the player (0 South, 1 North) and a seed of 31 bits; returns the bot.
            rng_seed: start of the engine's random choices.

        Raises:
            MancalaError: OpenSpiel is not installed.
        """
        super().__init__(rng_seed)
        self._make_bot = make_bot

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """See `Engine.search`; limits do not matter to a bot that was not made to keep them."""
        from engines.openspiel_games import spiel_actions, spiel_game

        start = time.perf_counter()
        game = spiel_game(state.game, str(state.start))
        bot = self._make_bot(game, state.to_move, choice_rng(self._rng_seed, state).getrandbits(31))
        spiel = game.new_initial_state()
        for action in spiel_actions(state):
            bot.inform_action(spiel, spiel.current_player(), action)
            spiel.apply_action(action)
        move = state.game.rules.move_name(bot.step(spiel))
        return SearchResult(move, pv=(move,), seconds=time.perf_counter() - start)


class PolicyEngine(_OpenSpielEngine):
    """Any OpenSpiel policy as an engine, which draws each move with the policy's probabilities."""

    name = "openspiel_policy"

    def __init__(self, make_policy: Callable[[pyspiel.Game], Any], rng_seed: int = 0) -> None:
        """Makes an engine.

        Args:
            make_policy: called with the game; returns what has ``action_probabilities(state)``, such as a
                ``pyspiel.Policy`` or an ``open_spiel.python.policy.Policy``.
            rng_seed: start of the engine's random choices.

        Raises:
            MancalaError: OpenSpiel is not installed.
        """
        super().__init__(rng_seed)
        self._make_policy = make_policy

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """See `Engine.search`; limits do not matter."""
        from engines.openspiel_games import spiel_state

        start = time.perf_counter()
        spiel = spiel_state(state)
        # Not by OpenSpiel's PolicyBot, which takes a lone action 0 for no action at all.
        probabilities = self._make_policy(spiel.get_game()).action_probabilities(spiel)
        actions, weights = list(probabilities), list(probabilities.values())
        move = state.game.rules.move_name(choice_rng(self._rng_seed, state).choices(actions, weights)[0])
        return SearchResult(move, pv=(move,), seconds=time.perf_counter() - start)


class OpenSpielRandomEngine(BotEngine):
    """OpenSpiel's uniform random bot."""

    name = "openspiel_random"

    def __init__(self, rng_seed: int = 0) -> None:
        super().__init__(_random_bot, rng_seed)


def _random_bot(game: pyspiel.Game, player: int, rng_seed: int) -> pyspiel.Bot:
    import pyspiel

    return pyspiel.make_uniform_random_bot(player, rng_seed)


class OpenSpielMctsEngine(_OpenSpielEngine):
    """OpenSpiel's Monte Carlo tree search in C++ (UCT with MCTS-Solver, one random playout a simulation).

    The value of a result is the mean return of the move, from -1 to 1. Limits of depth and nodes do not matter. A limit
    of time takes the place of the number of simulations, as it does in OpenSpiel; a search cannot be stopped otherwise.
    """

    name = "openspiel_mcts"
    options: ClassVar = {
        "simulations": EngineOption(DEFAULT_SIMULATIONS, "simulations at most, unless there is a limit of time"),
        "uct_c": EngineOption(2.0, "exploration constant of UCT, for returns from -1 to 1"),
        "rng_seed": RNG_SEED,
    }

    def __init__(self, simulations: int = DEFAULT_SIMULATIONS, uct_c: float = 2.0, rng_seed: int = 0) -> None:
        if not 1 <= simulations <= _NO_LIMIT:
            raise GameStringError(f"{self.name}: simulations={simulations}: expected 1 to {_NO_LIMIT}")
        if not 0 <= uct_c <= 100:
            raise GameStringError(f"{self.name}: uct_c={uct_c}: expected 0 to 100")
        super().__init__(rng_seed)
        self._simulations, self._uct_c = simulations, uct_c

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """See `Engine.search`."""
        import pyspiel

        from engines.openspiel_games import spiel_state

        start = time.perf_counter()
        limit = limit or Limit()
        spiel = spiel_state(state)
        rng = choice_rng(self._rng_seed, state)
        seconds = limit.move_seconds
        bot = pyspiel.MCTSBot(
            spiel.get_game(),
            pyspiel.RandomRolloutEvaluator(1, rng.getrandbits(31)),
            self._uct_c,
            min(self._simulations, limit.simulations or _NO_LIMIT),
            MEMORY_MB,
            True,  # prove what can be proven
            rng.getrandbits(31),
            False,
            max_wall_clock_time=_NO_TIME_LIMIT
            if seconds is None
            else max(seconds - (time.perf_counter() - start), 1e-6),
        )
        root = bot.mcts_search(spiel)
        if not root.children:  # after less than two simulations it has not looked at any move
            move, value, proven = rng.choice(state.legal_moves()), None, False
        else:
            best = root.best_child()
            move = state.game.rules.move_name(best.action)
            value = best.outcome[state.to_move] if best.outcome else best.total_reward / max(best.explore_count, 1)
            proven = bool(root.outcome)
        used = time.perf_counter() - start
        return SearchResult(move, value, pv=(move,), simulations=root.explore_count, seconds=used, proven=proven)


class _LimitReachedError(Exception):
    pass


class OpenSpielAlphaBetaEngine(Engine):
    """OpenSpiel's alpha-beta in Python, which values the last positions by material, to one depth after the other.

    The value of a result is the expected margin as a share of all seeds, from -1 to 1. Nodes are positions valued.
    Limits of simulations do not matter.
    """

    name = "openspiel_alphabeta"
    options: ClassVar = {"depth": EngineOption(4, "plies at most")}

    def __init__(self, depth: int = 4) -> None:
        if not 1 <= depth <= 1000:
            raise GameStringError(f"{self.name}: depth={depth}: expected 1 to 1000")
        _require_open_spiel(self.name)
        self._depth = depth
        self._stopped = False

    def stop(self) -> None:
        """See `Engine.stop`."""
        self._stopped = True

    def search(self, state: State, limit: Limit | None = None) -> SearchResult:
        """See `Engine.search`."""
        return list(self.analyse(state, limit))[-1]

    def analyse(self, state: State, limit: Limit | None = None, lines: int = 1) -> Iterator[SearchResult]:
        """See `Engine.analyse`; there is one line, and of it the first move."""
        from open_spiel.python.algorithms import minimax

        from engines.openspiel_games import spiel_state

        start = time.perf_counter()
        self._stopped = False
        limit = limit or Limit()
        deadline = None if limit.move_seconds is None else start + limit.move_seconds
        spiel = spiel_state(state, utility="margin")
        sign = 1 - 2 * state.to_move
        nodes = 0

        def value_of(leaf: GameState) -> float:
            nonlocal nodes
            if depth > 1 and (
                self._stopped
                or (deadline is not None and time.perf_counter() >= deadline)
                or (limit.nodes is not None and nodes >= limit.nodes)
            ):
                raise _LimitReachedError
            nodes += 1
            return sign * leaf.material

        for depth in range(1, min(self._depth, limit.depth or self._depth) + 1):
            before = nodes
            try:
                value, action = minimax.alpha_beta_search(
                    spiel.get_game(), spiel, value_function=value_of, maximum_depth=depth
                )
            except _LimitReachedError:
                return
            move = state.game.rules.move_name(action)
            proven = nodes == before  # no position had to be valued: the tree is finite
            used = time.perf_counter() - start
            yield SearchResult(move, value, pv=(move,), depth=depth, nodes=nodes, seconds=used, proven=proven)
            if proven:
                return
