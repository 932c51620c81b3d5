"""Environments for reinforcement learning: PettingZoo's for two agents, Gymnasium's for many games at once.

Needs the extra ``rl``: ``pip install 'mancala-ai[rl]'``. Conventions: docs/batches.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mancala_ai.batch import Batch
from mancala_ai.errors import MancalaError
from mancala_ai.observation import observation_size
from mancala_ai.registry import load_game

try:
    import gymnasium
    import pettingzoo
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise MancalaError(f"environments: {error}: expected pip install 'mancala-ai[rl]'") from None

Opponent: TypeAlias = Callable[[npt.NDArray[np.float32], npt.NDArray[np.bool_]], npt.ArrayLike]
"""Chooses moves: from observations ``(m, size)`` and masks of legal moves ``(m, moves)`` to ``m`` move numbers."""

RENDER_MODES = ["ansi"]


def _check_render_mode(render_mode: str | None) -> str | None:
    if render_mode not in (None, *RENDER_MODES):
        raise MancalaError(f"render_mode {render_mode!r}: expected 'ansi' or None")
    return render_mode


def env(game: str, render_mode: str | None = None) -> pettingzoo.AECEnv[str, Any, int]:
    """Returns the `AecEnvironment` of a game string in the wrappers that PettingZoo's own board games have.

    An illegal move is then a warning, ends the game and is worth -1 to the one who made it.

    Raises:
        MancalaError: an unknown game, option or render mode.
    """
    wrapped = wrappers.TerminateIllegalWrapper(AecEnvironment(game, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class AecEnvironment(pettingzoo.AECEnv[str, Any, int]):
    """One game as a PettingZoo environment (agent-environment cycle).

    ``player_0`` is South and ``player_1`` North; the same agent moves again where the rules say so. An observation is a
    dictionary of ``observation``, the `mancala_ai.observation` of the position (in the view of the player to move,
    whoever asks), and ``action_mask``, ``int8`` of shape ``(moves,)``: the legal moves, none for the agent who is not
    to move. Rewards are 0 up to the end, then 1 for the winner and -1 for the loser, 0 for both in a draw; ``infos``
    then hold the ``margin`` in the agent's own view and whether the game ended by ``infinite`` play. Nothing is random.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # PettingZoo's declaration
        "name": "mancala_ai_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
    }

    def __init__(self, game: str, render_mode: str | None = None) -> None:
        """Makes the environment of a game string.

        Raises:
            MancalaError: an unknown game, option or render mode.
        """
        super().__init__()
        self.game = load_game(game)
        self.render_mode = _check_render_mode(render_mode)
        self.possible_agents = ["player_0", "player_1"]
        moves, size = self.game.rules.moves, observation_size(self.game)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (moves,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(moves) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Returns the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Returns the space of an agent's moves: their numbers, in the order of the game's module."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game.

        Args:
            seed: changes nothing.
            options: ``position``, a position string to start from.

        Raises:
            PositionError: the position is malformed, or the game over in it.
        """
        position = (options or {}).get("position")
        state = self.game.initial_state() if position is None else self.game.state(position)
        if state.is_over:
            raise MancalaError(f"position {position!r}: the game is over: expected one that can be played on")
        self._batch = Batch.from_states([state])
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[state.to_move]

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """Returns an agent's observation and mask."""
        mask = self._batch.legal_mask()[0].astype(np.int8)
        if agent != self.agent_selection:
            mask[:] = 0
        return {"observation": self._batch.to_observation()[0], "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays the move of the agent whose turn it is; None once the game is over.

        Raises:
            IllegalMoveError: the move is not legal.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._batch.play(np.array([action]))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._batch.over[0]:
            margin, infinite = int(self._batch.margins()[0]), bool(self._batch.infinite[0])
            for player, sign in zip(self.possible_agents, (1, -1), strict=True):
                self.rewards[player] = float(np.sign(sign * margin))
                self.terminations[player] = True
                self.infos[player] = {"margin": sign * margin, "infinite": infinite}
        self.agent_selection = self.possible_agents[self._batch.to_move[0]]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Returns a drawing of the board in mode ``ansi``."""
        return None if self.render_mode is None else self._batch.state(0).board()

    def close(self) -> None:
        """Does nothing: there is nothing to release."""


class VectorEnvironment(VectorEnv[npt.NDArray[np.float32], npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many games as one Gymnasium vector environment.

    Without an opponent (self-play) every step is one move of whoever is to move, the observation is the next mover's,
    and the reward belongs to the one who has just moved. With an opponent the agent plays one side, South in
    every second environment and the other one in every next game; the opponent answers within the step, so that the
    agent is always to move, and the reward is the agent's.

    Observations are those of `mancala_ai.observation`. Rewards are 0 up to the end, then 1, -1 or 0. Nothing is
    truncated. A game that has ended begins again at the next step, whose action is ignored and whose reward is 0
    (``AutoresetMode.NEXT_STEP``). ``infos`` hold, for every environment,

        action_mask     ``int8``, shape ``(n, moves)``: the legal moves; all zero where the game has just ended
        player          ``int8``, shape ``(n,)``: the player to move, 0 South, 1 North
        margin          ``int64``, shape ``(n,)``: where the game has just ended, the margin in the view of the reward
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponent: Opponent | str | None = None,
        threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        """Makes the environments.

        Args:
            game: a game string.
            num_envs: how many.
            opponent: None for self-play, ``"random"`` for uniformly random moves (from the seed of `reset`), or a
                function that chooses moves.
            threads: how many threads share the work; changes no result.
            render_mode: ``"ansi"`` or None.

        Raises:
            MancalaError: an unknown game, option, opponent or render mode, or less than one environment or thread.
        """
        if not (opponent is None or opponent == "random" or callable(opponent)):
            raise MancalaError(f"opponent {opponent!r}: expected None, 'random' or a function")
        self.game = load_game(game)
        self.num_envs = num_envs
        self.render_mode = _check_render_mode(render_mode)
        self.metadata = {"render_modes": RENDER_MODES, "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = spaces.Box(0, 1, (observation_size(self.game),), np.float32)
        self.single_action_space = spaces.Discrete(self.game.rules.moves)
        self._batch = Batch.start(self.game, num_envs, threads)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._agents: npt.NDArray[Any] | None = None  # the side of the agent, if there is an opponent
        self._opponent: Opponent | None = self._random_moves if isinstance(opponent, str) else opponent

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begins all games again.

        Args:
            seed: start of the random moves of the opponent ``"random"``; nothing else is random.
            options: none are known.
        """
        super().reset(seed=seed)
        self._batch.reset(np.ones(self.num_envs, dtype=np.bool_))
        self._agents = np.arange(self.num_envs) % 2
        self._let_opponent_move()
        return self._batch.to_observation(), self._infos(np.zeros(self.num_envs, dtype=np.int64))

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Plays one move in every environment, or begins again where the game was over.

        Raises:
            IllegalMoveError: a move is not legal; the message names the first one.
            MancalaError: actions of another shape or kind.
            ResetNeeded: `reset` has not been called yet.
        """
        if self._agents is None:
            raise gymnasium.error.ResetNeeded("step before the first reset: expected reset() first")
        begin = self._batch.over
        viewers = self._batch.to_move if self._opponent is None else self._agents
        self._batch.play(actions, where=~begin)
        self._batch.reset(begin)
        self._agents = np.where(begin, 1 - self._agents, self._agents)
        self._let_opponent_move()
        margins = np.where(viewers == 0, 1, -1) * self._batch.margins()
        never = np.zeros(self.num_envs, dtype=np.bool_)
        return (
            self._batch.to_observation(),
            np.sign(margins).astype(np.float64),
            self._batch.over,
            never,
            self._infos(margins),
        )

    def render(self) -> tuple[str, ...] | None:
        """Returns a drawing of every board in mode ``ansi``."""
        if self.render_mode is None:
            return None
        return tuple(self._batch.state(i).board() for i in range(self.num_envs))

    def _infos(self, margins: npt.NDArray[np.int64]) -> dict[str, Any]:
        infos = {
            "action_mask": self._batch.legal_mask().astype(np.int8),
            "player": self._batch.to_move,
            "margin": margins,
        }
        # Gymnasium marks, under an underscore, the environments that have an entry: here all of them.
        return infos | {f"_{name}": np.ones(self.num_envs, dtype=np.bool_) for name in infos}

    def _let_opponent_move(self) -> None:
        if self._opponent is None:
            return
        while True:
            where = ~self._batch.over & (self._batch.to_move != self._agents)
            if not where.any():
                return
            chosen = np.asarray(self._opponent(self._batch.to_observation()[where], self._batch.legal_mask()[where]))
            if chosen.shape != (where.sum(),) or chosen.dtype.kind not in "iu":
                raise MancalaError(
                    f"opponent's moves of shape {chosen.shape} and dtype {chosen.dtype}: expected ({where.sum()},)"
                    " and a type of integers"
                )
            moves = np.zeros(self.num_envs, dtype=np.int64)
            moves[where] = chosen
            self._batch.play(moves, where)

    def _random_moves(
        self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        # The largest of independent uniform numbers is equally likely to be any of them.
        chosen: npt.NDArray[np.int64] = np.where(masks, self.np_random.random(masks.shape), -1.0).argmax(axis=1)
        return chosen
