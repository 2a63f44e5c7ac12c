"""How much the outcome of a dispute could move the ranking of runs: which to settle first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.scoring.gains import Floats, GainMeasure, TopicGains

# Two means that differ by less are equal: less than any document can change, more than rounding does.
_EQUAL = 1e-12
_NO_RUNS = 2
# Documents whose outcomes are in memory together.
_AT_ONCE = 256
# Comparisons whose nearest runs are looked up together.
_BLOCK = 16
# Every two runs that are compared in so many outcomes at a time.
_NEAR_AT_ONCE = 2**17


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
_Near = tuple[Floats, NDArray[np.intp], NDArray[np.intp]]
"""Every two runs by how far their means are apart, the nearest first: distances, first and second runs."""


class RankingMeans:
    """The means of the runs over `topics` topics, against which outcomes are compared."""

    def __init__(self, means: Floats, topics: int) -> None:
        self.means = means
        self.topics = topics
        self._order = np.argsort(means)
        self._reach = -1.0
        nobody = np.empty(0, dtype=np.intp)
        self._found: _Near = np.empty(0), nobody, nobody

    @classmethod
    def of(cls, scores: Sequence[Floats]) -> RankingMeans:
        """Those of what the runs score on every topic, one or more."""
        return cls(np.sum(scores, axis=0) / len(scores), len(scores))

    def near(self, reach: float) -> _Near:
        """Every two runs whose means differ by `reach` or less, and some others."""
        if reach > self._reach:
            # Twice as far, so that few topics have them looked for again.
            self._reach = 2 * reach
            self._found = self._within(self._reach)
        return self._found

    def _within(self, reach: float) -> _Near:
        ordered = self.means[self._order]
        parts = []
        for apart in range(1, len(ordered)):
            distance = ordered[apart:] - ordered[:-apart]
            near = np.flatnonzero(distance <= reach)
            if not len(near):
                # Those further apart in the ranking are no nearer.
                break
            parts.append((distance[near], self._order[near], self._order[near + apart]))
        if not parts:
            return self._found
        distances, first, second = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(distances)
        return distances[order], first[order], second[order]


@dataclass(frozen=True, slots=True, eq=False)
class TopicInfluences:
    """The influence of each of some documents, and by how much it could lower and raise each run's mean.

    `lowest` (none above 0) and `highest` (none below) have the shape (documents, runs).
    """

    each: list[Influence]
    lowest: Floats
    highest: Floats


def topic_influences(
    gains: TopicGains, outcomes: Sequence[Sequence[int]], *, measure: GainMeasure, means: RankingMeans
) -> TopicInfluences:
    """The influence of each document of a topic that `gains` knows, by the grades that it could get.

    All other documents keep the grade that they have now; `means` are those with the present grades.
    """
    found: list[Influence] = []
    ends = np.zeros((2, len(outcomes), len(means.means)))
    for start in range(0, len(outcomes), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        found += _some(gains, start, outcomes[some], measure, means, ends[:, some])
    return TopicInfluences(found, *ends)


def pairs_that_could_swap(means: Floats, lowest: Floats, highest: Floats) -> int:
    """How many pairs of runs could change places at most, if all outcomes fell for one and against the other.

    `lowest` and `highest` (runs,) sum what all could take from and add to each mean: a bound, which pairs of
    runs that move together do not reach.

    >>> pairs_that_could_swap(np.array([0.5, 0.4, 0.1]), np.array([-0.1, 0, 0]), np.array([0, 0.05, 0.1]))
    1
    """
    bottom, top = np.sort(means + lowest), np.sort(means + highest)
    # Two runs cannot swap where one's top is below the other's bottom.
    apart = int(np.searchsorted(top, bottom - _EQUAL, side="left").sum())
    return len(means) * (len(means) - 1) // 2 - apart


def _some(
    gains: TopicGains,
    start: int,
    outcomes: Sequence[Sequence[int]],
    measure: GainMeasure,
    means: RankingMeans,
    ends: Floats,
) -> list[Influence]:
    largest = [NONE] * len(outcomes)
    documents: list[int] = []
    grades: list[int] = []
    compared: list[tuple[int, int, int]] = []
    for number, given in enumerate(outcomes):
        different = sorted(set(given))
        rows = range(len(grades), len(grades) + len(different))
        compared += [(number, one, other) for one, other in combinations(rows, 2)]
        documents += [start + number] * len(different)
        grades += different
    if not compared or len(means.means) < _NO_RUNS:
        return largest
    rest = means.means - gains.scores / means.topics
    under = rest + measure.changed(gains, np.array(documents), grades) / means.topics
    changes, places = under - means.means, np.array(documents) - start
    np.minimum.at(ends[0], places, changes)
    np.maximum.at(ends[1], places, changes)
    of_document, one, other = (np.array(column) for column in zip(*compared, strict=True))
    # Outcomes that no run notices are one.
    noticed = np.flatnonzero((under[one] != under[other]).any(axis=1))
    before, after = under[one[noticed]], under[other[noticed]]
    swaps = _swaps(before, after, means)
    for number, change, of_one in zip(of_document[noticed].tolist(), before - after, swaps, strict=True):
        largest[number] = max(largest[number], _influence(change, of_one))
    return largest


def _influence(change: Floats, swaps: float) -> Influence:
    runs = len(change)
    ordered = np.sort(change)
    # Of the k-th smallest of n values, 2 k - n + 1 more are below than above (k from 0).
    apart = float(ordered @ (2.0 * np.arange(runs) - runs + 1))
    return Influence(swaps, max(0.0, apart) / (runs * (runs - 1) / 2), float(np.abs(change).sum()))


def _swaps(before: Floats, after: Floats, means: RankingMeans) -> list[float]:
    """Kendall's distance of two rankings of the runs, in each row; means of shape (rows, runs).

    Runs whose present means are further apart than any two changes can bring them keep their order. So each
    run is compared with those near it only: of 1,000 runs with some ten instead of all.
    """
    # More than rounding can take away, and than what counts as equal.
    reach = np.ptp(before - means.means, axis=1) + np.ptp(after - before, axis=1) + 8 * _EQUAL
    halves = np.zeros(len(before), dtype=np.int64)
    order = np.argsort(reach)
    for begin in range(0, len(order), _BLOCK):
        rows = order[begin : begin + _BLOCK]
        distances, firsts, seconds = means.near(reach[rows[-1]])
        number = int(np.searchsorted(distances, reach[rows[-1]], side="right"))
        for start in range(0, number, _NEAR_AT_ONCE):
            some = slice(start, min(start + _NEAR_AT_ONCE, number))
            first, second = firsts[some], seconds[some]
            signs = (_signs(one[:, second] - one[:, first]) for one in (before[rows], after[rows]))
            halves[rows] += np.abs(np.subtract(*signs)).sum(axis=1, dtype=np.int64)
    # A full change of sign is 2.
    return [one / 2 for one in halves.tolist()]


def _signs(differences: Floats) -> NDArray[np.int8]:
    return (differences > _EQUAL).astype(np.int8) - (differences < -_EQUAL).astype(np.int8)
