"""The Rio Kadalis match: rounds whose winnings are carried over, until one player cannot fill a single pit.

Rules (after the Mancala World article on Rio Kadalis, with the project's decisions):

* Both begin with four seeds for each pit. For every round each player fills own pits with four seeds each, from the own
  rightmost pit on; pits that cannot be filled are closed for that round. Seeds that fill no pit stay in reserve and
  still count as that player's. A player's *holdings* are the reserve and what the round has brought (captured and
  awarded seeds); a closed pit opens again as soon as the holdings allow it.
* The players alternate in starting rounds, South first. Repetition is counted afresh in every round.
* The match is won when the opponent holds fewer than four seeds. After 100 rounds holdings decide; equal is a draw.

What follows for infinite play (option ``infinite``) from the rule that the final scores of a round are carried over:

* ``split`` awards whole seeds here: a round begins with fours and loses fours, so what is left divides by four.
* ``draw`` awards nothing: the captured seeds are carried over, those still on the board leave the match. So in the end
  both may hold fewer than four seeds, which is a draw: each has won against the other.
* ``own_side`` awards all seeds, like a normal end.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from mancala_ai.errors import GameStringError, MancalaError, RecordError
from mancala_ai.game import Game, State
from mancala_ai.games.rio_kadalis import SEEDS, RioKadalis
from mancala_ai.kernels import DRAW
from mancala_ai.notation import CLOSED, SIDES, Fields, Pit
from mancala_ai.ruleset import ring_to_rows

MAX_ROUNDS = 100


@dataclass(frozen=True)
class Round:
    """One finished round.

    Attributes:
        starter: who moved first: 0 South, 1 North.
        start: the position string that the round began with.
        final: final scores of South and North in this round, in seeds, without the reserves.
    """

    starter: int
    start: str
    final: tuple[int, int]


@dataclass(frozen=True)
class Match:
    """A match so far. It never changes: `finish_round` returns a new one.

    Attributes:
        game: the game that every round is, with its options; one with another ruleset raises GameStringError.
        rounds: the finished rounds, in order.
    """

    game: Game
    rounds: tuple[Round, ...] = ()

    def __post_init__(self) -> None:
        self._rules  # noqa: B018 (raises)

    @property
    def _rules(self) -> RioKadalis:
        if not isinstance(self.game.rules, RioKadalis):
            raise GameStringError(f"match of {str(self.game)!r}: expected rio_kadalis, with any of its options")
        return self.game.rules

    @classmethod
    def start(cls, game: Game) -> Match:
        """Returns a match before its first round.

        Raises:
            GameStringError: the game has no matches of rounds.
        """
        return cls(game)

    @property
    def holdings(self) -> tuple[int, int]:
        """Seeds of South and North after the last finished round, reserves included."""
        south = north = SEEDS * self._rules.holes
        for done in self.rounds:
            south += done.final[0] - self._put_out(south)
            north += done.final[1] - self._put_out(north)
        return south, north

    @property
    def reserves(self) -> tuple[int, int]:
        """Seeds of South and North that fill no pit of the next round."""
        south, north = self.holdings
        return south - self._put_out(south), north - self._put_out(north)

    @property
    def starter(self) -> int:
        """Who begins the next round: 0 South, 1 North."""
        return len(self.rounds) % 2

    @property
    def is_over(self) -> bool:
        """Whether a player cannot fill a pit any more, or all 100 rounds have been played."""
        return min(self.holdings) < SEEDS or len(self.rounds) >= MAX_ROUNDS

    @property
    def outcome(self) -> int | None:
        """1 if South has won the match, -1 if North has, 0 for a draw, None before the end."""
        if not self.is_over:
            return None
        south, north = self.holdings
        if max(south, north) < SEEDS:
            return 0
        return (south > north) - (south < north)

    def round_state(self) -> State:
        """Returns the state in which the next round begins, nothing captured in it yet.

        Raises:
            MancalaError: the match is over.
        """
        if self.is_over:
            raise MancalaError(f"round {len(self.rounds) + 1}: the match is over: expected no further round")
        ring: list[Pit] = []
        for held in self.holdings:
            filled = self._put_out(held) // SEEDS
            ring += [Pit(0, CLOSED)] * (self._rules.holes - filled) + [Pit(SEEDS)] * filled
        return self.game.state(str(Fields(ring_to_rows(ring), self.starter, (0, 0))))

    def finish_round(self, state: State) -> Match:
        """Returns the match after one more round.

        Args:
            state: the end of the round that began with `round_state`.

        Raises:
            MancalaError: the match is over, the round is not, or it is another round than the one to be played.
        """
        start, begun, final = self.round_state(), str(state.start), state.final
        number = len(self.rounds) + 1
        if state.game != self.game:
            raise MancalaError(f"round {number}: game {str(state.game)!r}: expected {str(self.game)!r}")
        if begun != str(start):
            raise MancalaError(f"round {number}: began in {begun!r}: expected {str(start)!r}")
        if final is None:
            raise MancalaError(f"round {number}: goes on in {str(state)!r}: expected the end of the round")
        return Match(self.game, (*self.rounds, Round(self.starter, begun, (int(final[0]), int(final[1])))))

    def to_json(self) -> str:
        """Returns the record of the match, one line of JSON.

        Its keys are ``game``; ``rounds``, for each the ``starter`` (S or N), the position string of its ``start``, its
        ``final`` scores and the ``holdings`` after it; and ``outcome``, null before the end.
        """
        rounds = [
            {
                "starter": SIDES[done.starter],
                "start": done.start,
                "final": done.final,
                "holdings": Match(self.game, self.rounds[:number]).holdings,
            }
            for number, done in enumerate(self.rounds, 1)
        ]
        return json.dumps({"game": str(self.game), "rounds": rounds, "outcome": self.outcome})

    @classmethod
    def from_json(cls, text: str) -> Match:
        """Returns the match of a record, checked round by round.

        Args:
            text: what `to_json` wrote.

        Raises:
            RecordError: the text is no such record, or contradicts itself or the rules; the message names the round.
        """
        from mancala_ai.registry import load_game

        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            raise RecordError(f"match record {text[:80]!r}: expected a line of JSON") from None
        if not isinstance(record, dict) or not {"game", "rounds", "outcome"} <= set(record):
            raise RecordError(f"match record {text[:80]!r}: expected an object with game, rounds and outcome")
        if not isinstance(record["game"], str) or not isinstance(record["rounds"], list):
            raise RecordError(f"match record {text[:80]!r}: expected a game string and a list of rounds")
        try:
            match = cls.start(load_game(record["game"]))
        except GameStringError as error:
            raise RecordError(f"match record: {error}") from error
        for entry in record["rounds"]:
            match = match._with_entry(entry)
        if record["outcome"] != match.outcome or isinstance(record["outcome"], bool):
            raise RecordError(f"match record: outcome {record['outcome']!r}: expected {match.outcome!r}")
        return match

    def _with_entry(self, entry: Any) -> Match:
        """Returns the match after one more round of a record."""
        where = f"match record, round {len(self.rounds) + 1}"
        if not isinstance(entry, dict):
            raise RecordError(f"{where}: {entry!r}: expected an object with starter, start, final and holdings")
        if self.is_over:
            raise RecordError(f"{where}: the match is over: expected no further round")

        def expect(key: str, holds: bool, expected: object) -> None:
            if not holds:
                raise RecordError(f"{where}: {key} {entry.get(key)!r}: expected {expected}")

        starter, start, final = SIDES[self.starter], str(self.round_state()), entry.get("final", [])
        expect("starter", entry.get("starter") == starter, starter)
        expect("start", entry.get("start") == start, repr(start))
        scores = isinstance(final, list) and len(final) == 2 and all(type(n) is int and n >= 0 for n in final)
        expect("final", scores, "South's and North's seeds, two whole numbers")
        seeds, awards_nothing = sum(map(self._put_out, self.holdings)), self._rules.infinite == DRAW
        total_fits = sum(final) == seeds or (awards_nothing and sum(final) < seeds)
        expect("final", total_fits, f"{'at most ' if awards_nothing else ''}{seeds} seeds in all")
        after = Match(self.game, (*self.rounds, Round(self.starter, start, (final[0], final[1]))))
        expect("holdings", entry.get("holdings") == list(after.holdings), list(after.holdings))
        return after

    def _put_out(self, held: int) -> int:
        """Returns how many of the held seeds a player puts into pits for the next round."""
        return SEEDS * min(self._rules.holes, held // SEEDS)
