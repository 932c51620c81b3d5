"""Every installed game as an OpenSpiel game. Importing this module registers them; importing it again does nothing.

    import pyspiel
    import engines.openspiel_games
    game = pyspiel.load_game("python_giuthi(holes=6,seeds=4)")

A game's parameters are its options, and two more. ``position`` is the position string to start from, with semicolons
for the commas, which OpenSpiel's game strings cannot hold (in a dictionary of parameters both will do). ``utility`` is
what returns measure: ``outcome`` (1, 0, -1) or ``margin`` (the final margin, divided by all seeds). Set-ups that only
stand for other options are no parameters: OpenSpiel fills in all defaults before anybody sees what was chosen.

Actions are the move numbers of the game's module and action strings our move strings. ``str(state)`` tells apart all
that decides how a game can go on; see `GameState.__str__`. Observations are those of `mancala_ai.observation`.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numba
import numpy as np
import numpy.typing as npt
import pyspiel

from engines.openspiel_observer import Observer
from mancala_ai import Game, GameStringError, IllegalMoveError, State
from mancala_ai.game import fill_legal_moves
from mancala_ai.kernels import (
    FLAGS,
    Position,
    infinite_margin,
    is_over,
    kernel,
    key,
    load,
    margin,
    material,
    next_move,
    play,
    side_to_move,
    store,
)
from mancala_ai.registry import game_types, split_string
from mancala_ai.ruleset import GameType, OptionValue

PREFIX = "python_"
POSITION, UTILITY = "position", "utility"  # parameters of every game beside its options
UTILITIES = ("outcome", "margin")
NO_BOUND = 2**31 - 1  # every game ends, by repetition at the latest, but nobody knows a bound of any use
TERMINAL = int(pyspiel.PlayerId.TERMINAL)

# A path is a uint64 array of one dimension: the words of the position; how many repetition keys there are; 1 if the
# game has ended by infinite play; the keys of all positions since the last capture, the present one last.
_COUNT, _INFINITE, _KEYS = 0, 1, 2  # places after the words
_FIRST_CAPACITY = 16  # keys
_ILLEGAL, _FULL = -1, -2  # answers of `_advance` that are no player

_0, _1 = np.uint64(0), np.uint64(1)

Path = npt.NDArray[np.uint64]


@kernel
def _advance(rules, path, move):
    # Plays a move (int64) on a path. Returns who is to move, or TERMINAL; if there is no such move or no room, _ILLEGAL
    # or _FULL, and changes nothing.
    position = load(rules, path)
    width, chosen = len(position), np.uint64(move)
    if is_over(position) or path[width + _INFINITE] != _0 or next_move(rules, position, chosen) != chosen:
        return np.int64(_ILLEGAL)
    after = play(rules, position, chosen)
    hashed, hashed_before = key(rules, after), key(rules, position)
    # What the last word has and its key has not, but for flags, are captured seeds: they never come back.
    captured = (after[-1] & ~FLAGS) ^ (hashed[-1] & ~FLAGS)
    captured_before = (position[-1] & ~FLAGS) ^ (hashed_before[-1] & ~FLAGS)
    count = np.int64(path[width + _COUNT]) if captured == captured_before else np.int64(0)
    first = width + _KEYS
    end = first + count * width
    if end + width > len(path):
        return np.int64(_FULL)
    over = is_over(after)
    infinite = over and (after[-1] & FLAGS) == FLAGS
    for start in range(first, end, width):
        same = True
        for i in range(width):
            same &= path[start + i] == hashed[i]
        infinite |= same
    for i in range(width):
        path[end + i] = hashed[i]
    path[width + _COUNT] = np.uint64(count + 1)
    path[width + _INFINITE] = _1 if infinite else _0
    store(after, path)
    return np.int64(TERMINAL) if over or infinite else np.int64(side_to_move(after))


@kernel
def _final_margin(rules, path):
    # The margin of a game that is over, South's view (int64).
    position = load(rules, path)
    return infinite_margin(rules, position) if path[len(position) + _INFINITE] != _0 else margin(rules, position)


@kernel
def _material(rules, path):
    return material(rules, load(rules, path))


class _Compiled:
    """A game's kernels, ready to be called without a look at the types of their arguments. Copies are the same object.

    Attributes:
        start: where every game begins.
        rules: the ruleset, first argument of all kernels.
        moves: how many numbers moves can have.
        total: seeds of the start (1 if there are none, or no score): what a margin is divided by.
        by_margin: returns measure the margin, not the outcome.
    """

    __slots__ = (
        "advance",
        "by_margin",
        "final_margin",
        "legal",
        "material",
        "moves",
        "path",
        "rules",
        "start",
        "total",
    )

    def __init__(self, start: State, by_margin: bool) -> None:
        self.start, self.by_margin = start, by_margin
        self.rules = start.game.rules
        self.moves = self.rules.moves
        self.total = max(start.total_seeds, 1) if self.rules.scored else 1
        self.advance, self.legal, self.final_margin, self.material = _entries(start.game)
        width = self.rules.words
        self.path = np.zeros(width + _KEYS + width * _FIRST_CAPACITY, dtype=np.uint64)
        first = width + _KEYS
        self.path[:width] = start.words
        self.path[width : first + width] = [1, start.termination == "infinite", *start.recent_history[-1]]

    def __deepcopy__(self, memo: dict[int, Any]) -> _Compiled:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _Compiled, (self.start, self.by_margin)


@functools.cache
def _entries(game: Game) -> tuple[Callable[..., Any], ...]:
    """Returns `_advance`, `fill_legal_moves`, `_final_margin` and `_material`, compiled for a game's ruleset.

    Calling these skips what a dispatcher does in every call: finding out the types of a ruleset's fields takes longer
    than a move. They take arguments of just these types.
    """
    rules = numba.typeof(game.rules)
    path, moves, move = numba.uint64[::1], numba.int64[::1], numba.int64
    signatures: dict[Any, tuple[Any, ...]] = {
        _advance: (rules, path, move),
        fill_legal_moves: (rules, path, moves),
        _final_margin: (rules, path),
        _material: (rules, path),
    }
    if numba.config.DISABLE_JIT:
        return tuple(signatures)
    return tuple(function.compile(signature) for function, signature in signatures.items())


class GameState(pyspiel.State):
    """A state of any of our games; made by `SpielGame.new_initial_state`."""

    # OpenSpiel's clone() makes an initial state and copies each attribute deeply: the fewer, the faster.

    def __init__(self, game: SpielGame, compiled: _Compiled) -> None:
        super().__init__(game)
        self._compiled = compiled
        self._path = compiled.path.copy()
        self._player = TERMINAL if compiled.start.is_over else compiled.start.to_move

    # What OpenSpiel calls.

    def current_player(self) -> int:
        """Returns 0 (South), 1 (North) or ``pyspiel.PlayerId.TERMINAL``."""
        return self._player

    def is_terminal(self) -> bool:
        """Returns whether the game is over."""
        return self._player < 0

    def _legal_actions(self, player: int) -> list[int]:
        compiled = self._compiled
        moves = np.empty(compiled.moves, dtype=np.int64)
        return moves[: compiled.legal(compiled.rules, self._path, moves)].tolist()

    def _apply_action(self, action: int) -> None:
        compiled = self._compiled
        player = compiled.advance(compiled.rules, self._path, action) if 0 <= action < compiled.moves else _ILLEGAL
        if player == _FULL:
            self._path = np.concatenate([self._path, np.empty_like(self._path)])
            player = compiled.advance(compiled.rules, self._path, action)
        if player == _ILLEGAL:
            legal = ", ".join(map(str, self.legal_actions())) or "none, the game is over"
            raise IllegalMoveError(f"action {action} in {str(self)!r}: expected one of the legal actions: {legal}")
        self._player = player

    def _action_to_string(self, player: int, action: int) -> str:
        return self._compiled.rules.move_name(action)

    def returns(self) -> list[float]:
        """Returns what each player has gained: zeros before the end."""
        if self._player >= 0:
            return [0.0, 0.0]
        compiled = self._compiled
        value = compiled.final_margin(compiled.rules, self._path)
        value = value / compiled.total if compiled.by_margin else float((value > 0) - (value < 0))
        return [value, -value]

    def __str__(self) -> str:
        """Writes a key: states of equal keys have the same value and the same future.

        It is the position string, and after it what decides what would repeat a position: nothing after a capture,
        since nothing that was before can recur; else ``~`` and a hash (64 bits) of the set of all positions since. A
        game that was ended by infinite play says so instead.
        """
        text = str(self._compiled.rules.unpack(self.position))
        width = self._compiled.rules.words
        count = int(self._path[width + _COUNT])
        if self._path[width + _INFINITE]:
            return f"{text} infinite"
        if self._player < 0 or count == 1:
            return text
        keys = self._path[width + _KEYS :][: count * width].reshape(count, width)
        digest = hashlib.blake2b(b"".join(sorted(row.tobytes() for row in keys)), digest_size=8)
        return f"{text} ~{digest.hexdigest()}"

    # What it is to us.

    @property
    def position(self) -> Position:
        """The words of the position."""
        return tuple(self._path[: self._compiled.rules.words])

    @property
    def material(self) -> float:
        """How far South is ahead, as a share of all seeds (`mancala_ai.kernels.material`)."""
        compiled = self._compiled
        return float(compiled.material(compiled.rules, self._path) / max(compiled.start.total_seeds, 1))

    def to_mancala(self) -> State:
        """Returns the same state of `mancala_ai`, with its history."""
        state = self._compiled.start
        for action in self.history():
            state = state.play_number(action)
        return state


class SpielGame(pyspiel.Game):
    """Base of our games, which differ in their types alone; ``pyspiel.load_game`` makes them.

    Attributes:
        mancala_game: the same game of `mancala_ai`.
    """

    game_type: ClassVar[GameType]
    spiel_type: ClassVar[pyspiel.GameType]

    def __init__(self, parameters: Mapping[str, OptionValue] | None = None) -> None:
        spiel_type = self.spiel_type
        chosen = dict(parameters or {})
        position, utility = str(chosen.pop(POSITION, "")), chosen.pop(UTILITY, UTILITIES[0])
        if utility not in UTILITIES:
            expected = " or ".join(UTILITIES)
            raise GameStringError(f"{spiel_type.short_name}: {UTILITY}={utility!r}: expected {expected}")
        self.mancala_game = Game(self.game_type.ruleset(chosen))
        start = self.mancala_game.state(position.replace(";", ",")) if position else self.mancala_game.initial_state()
        self._start, self._utility = start, utility
        written: dict[str, OptionValue] = {**chosen, UTILITY: utility}
        if position:
            written[POSITION] = str(start).replace(",", ";")
        defaults = spiel_type.parameter_specification
        info = pyspiel.GameInfo(
            num_distinct_actions=self.mancala_game.rules.moves,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=NO_BOUND,
        )
        super().__init__(
            spiel_type, info, {name: value for name, value in written.items() if value != defaults.get(name)}
        )

    def new_initial_state(self) -> GameState:
        """Returns the state in which every game starts."""
        return GameState(self, self._compiled)

    @functools.cached_property
    def _compiled(self) -> _Compiled:  # when it is needed: the first time ever takes seconds
        return _Compiled(self._start, by_margin=self._utility == "margin")

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (str(self),)

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Mapping[str, Any] | None = None
    ) -> Observer:
        """Returns an observer of states, for any type of observation."""
        return Observer(self.mancala_game, str(self._start), iig_obs_type, params)


def _load(text: str) -> SpielGame:
    return pyspiel.load_game(text)  # after this module was imported


def spiel_game(game: Game, position: str = "", utility: str = UTILITIES[0]) -> SpielGame:
    """Returns a game of ours as an OpenSpiel game.

    Args:
        game: the game.
        position: position string to start from, the game's own start if empty.
        utility: ``outcome`` or ``margin``.
    """
    name, options = split_string(str(game), "")
    return pyspiel.load_game(PREFIX + name, {**options, POSITION: position.replace(",", ";"), UTILITY: utility})


def spiel_actions(state: State) -> list[int]:
    """Returns the actions that were played since the history of a state of ours began."""
    return [int(state.game.rules.move_number(move) or 0) for move in state.moves]


def spiel_state(state: State, utility: str = UTILITIES[0]) -> GameState:
    """Returns a state of ours, with its history, as an OpenSpiel state."""
    spiel: GameState = spiel_game(state.game, str(state.start), utility).new_initial_state()
    for action in spiel_actions(state):
        spiel.apply_action(action)
    return spiel


def _register(game_type: GameType) -> None:
    parameters = {option.name: option.default for option in game_type.options}
    spiel_type = pyspiel.GameType(
        short_name=PREFIX + game_type.name,
        long_name=game_type.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**parameters, POSITION: "", UTILITY: UTILITIES[0]},
    )
    if spiel_type.short_name not in pyspiel.registered_names():
        # A class of its own: OpenSpiel drops what it has registered after Python's end, where no last reference may go.
        # One to a class never is, since classes refer to themselves.
        made = type("SpielGame", (SpielGame,), {"game_type": game_type, "spiel_type": spiel_type})
        pyspiel.register_game(spiel_type, made)


for _game_type in game_types():
    _register(_game_type)
