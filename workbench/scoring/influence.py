"""How much the outcome of a dispute could move the ranking of runs: which to settle first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.scoring.gains import Changed, Floats, GainMeasure, Ranks

# Two means that differ by less are equal: less than any document can change, more than rounding does.
_EQUAL = 1e-12
_NO_RUNS = 2
# Comparisons of two outcomes whose means are in memory together.
_AT_ONCE = 256


@dataclass(frozen=True, slots=True, order=True)
class Influence:
    """The largest effect that two outcomes of a pair have, one against the other, on the means of the runs.

    `swaps` is Kendall's distance of the two rankings: pairs of runs that change places count 1, those that
    are tied under one outcome only count 1/2 (Fagin et al. 2004). `uneven` is the mean difference of the
    change between two runs, and `shift` the sum of the changes: a document that moves all runs alike has a
    large shift and moves no ranking. Compared in this order.
    """

    swaps: float
    uneven: float
    shift: float


NONE = Influence(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class TopicGrades:
    """A topic as it stands: its documents, the rank of each in every run, and the grade that each has now."""

    topic: str
    docnos: tuple[str, ...]
    ranks: Ranks
    grades: tuple[int, ...]


def influences(
    topics: Collection[TopicGrades],
    outcomes: Mapping[tuple[str, str], Sequence[int]],
    *,
    measure: GainMeasure,
) -> dict[tuple[str, str], Influence]:
    """The influence of every (topic, docno) that has `outcomes`, the grades that it could get.

    All other documents keep the grade that they have now. The means are over these topics, which are gone
    through twice: a collection can make each when it is reached, so that one is in memory at a time.
    """
    scores = [measure.topic(one.ranks, one.grades)[0] for one in topics]
    if not scores:
        return {}
    means = np.sum(scores, axis=0) / len(scores)
    disputed = {topic for topic, _ in outcomes}
    found: dict[tuple[str, str], Influence] = {}
    for one, of_topic in zip(topics, scores, strict=True):
        if one.topic not in disputed:
            continue
        _, changed = measure.topic(one.ranks, one.grades)
        rest = means - of_topic / len(scores)
        comparing = _Comparing()
        for place, docno in enumerate(one.docnos):
            grades = outcomes.get((one.topic, docno))
            if grades is not None:
                comparing.add((one.topic, docno), _means(changed, place, grades, rest, len(scores)))
        found |= comparing.largest()
    return found


def _means(changed: Changed, place: int, grades: Sequence[int], rest: Floats, topics: int) -> list[Floats]:
    """The means of the runs under each outcome; outcomes that no run notices are one."""
    return [rest + changed(place, grade) / topics for grade in sorted(set(grades))]


class _Comparing:
    """Outcomes of pairs, compared two by two and some hundred at a time."""

    def __init__(self) -> None:
        self._largest: dict[tuple[str, str], Influence] = {}
        self._waiting: list[tuple[tuple[str, str], Floats, Floats]] = []

    def add(self, pair: tuple[str, str], means: Sequence[Floats]) -> None:
        """Take in the means of the runs under each outcome of a pair."""
        self._largest[pair] = NONE
        if means and len(means[0]) >= _NO_RUNS:
            self._waiting += [
                (pair, one, other)
                for one, other in combinations(means, 2)
                if one.tobytes() != other.tobytes()
            ]
        if len(self._waiting) >= _AT_ONCE:
            self._compare()

    def largest(self) -> dict[tuple[str, str], Influence]:
        """The largest influence of each pair."""
        if self._waiting:
            self._compare()
        return self._largest

    def _compare(self) -> None:
        before = np.array([one for _, one, _ in self._waiting])
        after = np.array([other for _, _, other in self._waiting])
        for (pair, one, other), swaps in zip(self._waiting, _swaps(before, after), strict=True):
            self._largest[pair] = max(self._largest[pair], _influence(one - other, swaps))
        self._waiting = []


def _influence(change: Floats, swaps: float) -> Influence:
    runs = len(change)
    ordered = np.sort(change)
    # Of the k-th smallest of n values, 2 k - n + 1 more are below than above (k from 0).
    apart = float(ordered @ (2.0 * np.arange(runs) - runs + 1))
    return Influence(
        swaps=swaps,
        uneven=max(0.0, apart) / (runs * (runs - 1) / 2),
        shift=float(np.abs(change).sum()),
    )


def _swaps(before: Floats, after: Floats) -> list[float]:
    """Kendall's distance of two rankings of the runs, in each row; means of shape (rows, runs).

    Runs whose means are further apart than any two changes can bring them keep their order. So each run is
    compared with its neighbours in the order of `before` only, nearest first: of 1,000 runs with some ten
    instead of all.
    """
    order = np.argsort(before, axis=1)
    first, second = (np.take_along_axis(means, order, axis=1) for means in (before, after))
    # More than rounding can take away, and than what counts as equal.
    reach = np.ptp(second - first, axis=1) + 4 * _EQUAL
    rows = np.arange(len(before))
    halves = np.zeros(len(before), dtype=np.int64)
    for apart in range(1, before.shape[1]):
        distance = first[:, apart:] - first[:, :-apart]
        near = distance.min(axis=1) <= reach
        if not near.all():
            first, second, reach, rows, distance = (
                one[near] for one in (first, second, reach, rows, distance)
            )
            if not len(rows):
                break
        moved = second[:, apart:] - second[:, :-apart]
        halves[rows] += np.abs(_signs(distance) - _signs(moved)).sum(axis=1, dtype=np.int64)
    # A full change of sign is 2.
    return [one / 2 for one in halves.tolist()]


def _signs(differences: Floats) -> NDArray[np.int8]:
    return (differences > _EQUAL).astype(np.int8) - (differences < -_EQUAL).astype(np.int8)
