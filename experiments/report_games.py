"""The games of a tournament as a page needs them: what is to be drawn after every move, packed.

A page holds a table of the games, small and plain, and their positions in blocks of `BLOCK` games: each block is JSON,
compressed (gzip) and written in base64, and unpacked when one of its games is opened. Positions are those strings that
the program writes everywhere, so that one drawing function does for all games, and no rules are needed on the page.
"""

from __future__ import annotations

import base64
import functools
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.matches import GameResult, Termination
from mancala_ai import IllegalMoveError, RecordError, State, load_game
from mancala_ai.diagram import PLAYERS, describe_result
from mancala_ai.svg import last_pit

BLOCK = 50
"""Games that are unpacked together."""
_game = functools.cache(load_game)


@dataclass(frozen=True)
class PlayedGame:
    """A game that was played again.

    Attributes:
        result: the game.
        moves: number of moves that South and North made, in all rounds of a match.
        steps: what a page shows of it, see `pack_games`; None if it is not to be shown.
    """

    result: GameResult
    moves: tuple[int, int]
    steps: dict[str, Any] | None

    @property
    def plies(self) -> int:
        """Number of moves in all."""
        return sum(self.moves)


def replay(result: GameResult, shown: bool) -> PlayedGame:
    """Plays a game again, of a match over rounds all its rounds.

    Raises:
        RecordError: a move of its record is not legal.
    """
    rounds = [(done["start"], done["moves"]) for done in result.record.extra.get("match", {}).get("rounds", ())]
    plies, moves = [], [0, 0]
    for start, line in [*rounds, (result.record.start, result.record.moves)]:
        state = _game(result.spec.game).state(start)
        plies += [list(_step(state))] if shown else []
        for move in line:
            moves[state.to_move] += 1
            try:
                state = state.play(move)
            except IllegalMoveError as error:
                raise RecordError(f"game {result.spec.number}: {error}") from None
            plies += [list(_step(state))] if shown else []
    steps = {"end": describe_end(result, state), "plies": plies} if shown else None
    return PlayedGame(result, (moves[0], moves[1]), steps)


def _step(state: State) -> Iterator[Any]:
    fields = state.game.rules.unpack(state.position)
    yield None if state.parent is None else state.last_move
    yield str(fields)
    yield "" if state.is_over else state.game.rules.remark(fields)
    yield fields.in_hand
    yield last_pit(state)


def pack_games(games: Sequence[PlayedGame]) -> list[str]:
    """Returns the blocks of a page.

    A block is a list of objects: ``end`` says how the game ended, and ``plies`` lists for every position the move that
    led to it (null where a game or round begins), the position string, what is to be said about it, the seeds in the
    hand, and the number of the pit that the move began with (or null).
    """
    blocks = [games[first : first + BLOCK] for first in range(0, len(games), BLOCK)]
    return [_pack([game.steps for game in block]) for block in blocks]


def _pack(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()  # the same page for the same results


def describe_end(result: GameResult, last: State) -> str:
    """Returns a sentence on how a game ended."""
    winner = {1: f"{PLAYERS[0]} wins", -1: f"{PLAYERS[1]} wins", 0: "drawn"}[result.outcome]
    if result.fault is not None:
        return f"{winner}: {result.termination} of {PLAYERS[result.outcome > 0]}, {result.fault}"
    if "match" in result.record.extra:
        south, north = result.record.extra["match"]["holdings"]
        return f"{winner} the match (South {south}, North {north})."
    return describe_result(last) if last.is_over else f"{winner}: {result.termination}."


def table_of_games(games: Sequence[PlayedGame], names: Sequence[str], engines: Sequence[str]) -> list[list[Any]]:
    """Returns a row for each game.

    Columns: number in the schedule, game and players as indices into ``names`` and ``engines``, outcome, margin, plies,
    termination as an index into `Termination`, fault.
    """
    kinds = list(Termination)
    return [
        [
            game.result.spec.number,
            names.index(game.result.spec.game),
            *(engines.index(player) for player in game.result.spec.players),
            game.result.outcome,
            game.result.margin,
            game.plies,
            kinds.index(game.result.termination),
            game.result.fault,
        ]
        for game in games
    ]
