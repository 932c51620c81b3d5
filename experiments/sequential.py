"""Plays game pairs until a sequential test has an answer."""

from __future__ import annotations

from experiments.matches import GameResult
from experiments.sprt import Judgement, PairCounts, Sprt, Verdict, count_pairs
from experiments.tournament import EnoughPlayed, Tournament


class SequentialTest:
    """Judges the pairs of a tournament between two engines in the order of the schedule.

    That order, not the one in which games are finished, decides when the test stops: so short games have no more say
    than long ones, and the number of workers has none. What was played beyond the stop does not count.

    Attributes:
        test: its hypotheses and error probabilities.
        counts: of the pairs judged so far, as the first engine sees them.
        judgement: what they say.
    """

    def __init__(self, test: Sprt, engines: tuple[str, ...], most: int | None = None) -> None:
        """Begins a test.

        Args:
            test: hypotheses and error probabilities.
            engines: the first engine and the other.
            most: pairs after which to end without an answer; None: as many as there are.
        """
        self.test, self._most = test, most
        self.counts = PairCounts()
        self.judgement: Judgement = test.judge(self.counts)
        self._engines = engines
        self._waiting: dict[int, GameResult] = {}
        self._seen = self._next = 0

    @property
    def _is_open(self) -> bool:
        return self.judgement.verdict == Verdict.INCONCLUSIVE and self.counts.pairs != self._most

    def hear(self, tournament: Tournament) -> str:
        """Takes in what is new, and says in a few words how the test stands.

        Raises:
            EnoughPlayed: the test has an answer.
        """
        for result in tournament.results[self._seen :]:
            self._waiting[result.spec.number] = result
        self._seen = len(tournament.results)
        while self._is_open and {self._next, self._next + 1} <= set(self._waiting):
            pair = [self._waiting.pop(self._next), self._waiting.pop(self._next + 1)]
            self.counts += count_pairs(pair, self._engines[0], self._engines[1])
            self.judgement = self.test.judge(self.counts)
            self._next += 2
        if not self._is_open:
            raise EnoughPlayed
        return f"LLR {self.judgement.llr:.2f} [{self.judgement.lower:.2f}, {self.judgement.upper:.2f}]"
