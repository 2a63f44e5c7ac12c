"""What preferences between two come to: documents ranked, runs compared, and how far two assessors agree.

A preference has no sides of its own: which of a pair is named first is chance. So the kappa of two assessors
expects each of the two directions half of the time, which is Cohen's kappa over every pair named both ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from math import comb
from operator import itemgetter

from workbench.agreement.intervals import share_interval
from workbench.frozen import frozen_dataclass
from workbench.records import Preference, id_bytes, sorted_ids

FEWEST_DECIDED = 6
"""With fewer, the sign test is above .05 even if all are the same: 2/2^5 = .0625, 2/2^6 = .03125."""
FEWEST_PAIRS = 20
"""Of two assessors; with fewer, the interval of their agreement covers most of what is possible."""
SWAPPED = {"first": "second", "second": "first"}
_of_each_choice = itemgetter("first", "second", "tie", "both_bad")


@frozen_dataclass
class DocumentStanding:
    """One document among those it was compared with; `rank` counts from 1, and equal scores share it."""

    rank: int
    docno: str
    wins: int
    losses: int
    ties: int
    both_bad: int

    @property
    def comparisons(self) -> int:
        """In how many answers it stood on one side."""
        return self.wins + self.losses + self.ties + self.both_bad

    @property
    def score(self) -> float:
        """The share of its comparisons that it won; a tie or both bad counts half."""
        return (self.wins + (self.ties + self.both_bad) / 2) / self.comparisons


@frozen_dataclass
class TopicRanking:
    """A topic's documents by the share of comparisons won: `compared` of `possible` pairs have an answer."""

    topic: str
    assessors: int
    comparisons: int
    decided: int
    compared: int
    possible: int
    documents: tuple[DocumentStanding, ...]

    @property
    def caution(self) -> str:
        """Why the order is not to be trusted, empty where nothing speaks against it."""
        if self.decided < FEWEST_DECIDED:
            return f"too few: {self.decided} decided, at least {FEWEST_DECIDED} needed"
        if self.compared < self.possible:
            return (
                f"only {self.compared} of {self.possible} pairs compared, so documents met different "
                "opponents"
            )
        return ""


def rankings(preferences: Iterable[Preference]) -> tuple[TopicRanking, ...]:
    """The documents of each topic, best first; topics, and documents of equal score, by their bytes."""
    by_topic: dict[str, list[Preference]] = {}
    for one in preferences:
        by_topic.setdefault(one.topic, []).append(one)
    return tuple(_ranking(topic, by_topic[topic]) for topic in sorted_ids(by_topic))


def _ranking(topic: str, given: list[Preference]) -> TopicRanking:
    counts: dict[str, Counter[str]] = {}
    for one in given:
        counts.setdefault(one.first, Counter())[one.choice] += 1
        counts.setdefault(one.second, Counter())[SWAPPED.get(one.choice, one.choice)] += 1
    found = [DocumentStanding(0, docno, *_of_each_choice(many)) for docno, many in counts.items()]
    found.sort(key=lambda one: (-one.score, id_bytes(one.docno)))
    scores = [one.score for one in found]
    return TopicRanking(
        topic=topic,
        assessors=len({one.assessor for one in given}),
        comparisons=len(given),
        decided=sum(one.choice in SWAPPED for one in given),
        compared=len({frozenset((one.first, one.second)) for one in given}),
        possible=comb(len(found), 2),
        documents=tuple(replace(one, rank=scores.index(one.score) + 1) for one in found),
    )


@frozen_dataclass
class AssessorsCompared:
    """Two assessors on the `n` pairs that both compared: how often they answered the same, or the opposite.

    `interval` is Wilson's, 95 %, of the share of equal answers; `kappa` is None where chance alone agrees.
    """

    first: str
    second: str
    n: int
    same: int
    opposite: int
    interval: tuple[float, float]
    kappa: float | None

    @property
    def share(self) -> float:
        """The share of equal answers."""
        return self.same / self.n

    @property
    def too_few(self) -> bool:
        """Whether there are too few pairs to call the agreement anything."""
        return self.n < FEWEST_PAIRS


def assessors_compared(preferences: Iterable[Preference]) -> tuple[AssessorsCompared, ...]:
    """Every two assessors who compared a pair in common, by their names."""
    given: dict[str, dict[tuple[str, str, str], str]] = {}
    for one in preferences:
        key, choice = _directed(one)
        given.setdefault(one.assessor, {})[key] = choice
    found = []
    for first, second in combinations(sorted_ids(given), 2):
        both = given[first].keys() & given[second].keys()
        if both:
            answers = [(given[first][key], given[second][key]) for key in both]
            found.append(_two(first, second, answers))
    return tuple(found)


def _two(first: str, second: str, answers: list[tuple[str, str]]) -> AssessorsCompared:
    same = sum(one == other for one, other in answers)
    return AssessorsCompared(
        first,
        second,
        len(answers),
        same,
        opposite=sum(SWAPPED.get(one) == other for one, other in answers),
        interval=share_interval(same, len(answers)),
        kappa=_kappa(Counter(one for one, _ in answers), Counter(other for _, other in answers), same),
    )


def _kappa(one: Mapping[str, int], other: Mapping[str, int], same: int) -> float | None:
    n = sum(one.values())
    decided = (one["first"] + one["second"]) * (other["first"] + other["second"]) / 2
    chance = (decided + sum(one[word] * other[word] for word in ("tie", "both_bad"))) / n**2
    return None if chance == 1 else (same / n - chance) / (1 - chance)


def _directed(one: Preference) -> tuple[tuple[str, str, str], str]:
    """A preference with its pair in the order of bytes, whichever was named first."""
    if id_bytes(one.first) <= id_bytes(one.second):
        return (one.topic, one.first, one.second), one.choice
    return (one.topic, one.second, one.first), SWAPPED.get(one.choice, one.choice)


@frozen_dataclass
class RunsCompared:
    """Two runs side by side: how many comparisons each won, and the two-sided sign test without ties.

    `p` is None where neither won any.
    """

    first: str
    second: str
    first_better: int
    second_better: int
    ties: int
    both_bad: int
    p: float | None

    @property
    def comparisons(self) -> int:
        """How many comparisons there are."""
        return self.first_better + self.second_better + self.ties + self.both_bad


def runs_compared(preferences: Iterable[Preference]) -> tuple[RunsCompared, ...]:
    """The outcome of every two runs that were compared, by their tags."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for one in preferences:
        (_, first, second), choice = _directed(one)
        counts.setdefault((first, second), Counter())[choice] += 1
    found = []
    for pair, many in sorted(counts.items(), key=lambda item: tuple(map(id_bytes, item[0]))):
        wins, losses, ties, both_bad = _of_each_choice(many)
        found.append(RunsCompared(*pair, wins, losses, ties, both_bad, sign_test(wins, losses)))
    return tuple(found)


def sign_test(wins: int, losses: int) -> float | None:
    """The two-sided exact sign test (Dixon and Mood 1946); None without a decision."""
    n = wins + losses
    if not n:
        return None
    tail = sum(comb(n, k) for k in range(min(wins, losses) + 1))
    return min(1.0, float(2 * tail / 2**n))
