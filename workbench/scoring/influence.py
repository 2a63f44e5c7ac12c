"""How much the outcome of a dispute could move the ranking of runs: which to settle first.

What runs score on one topic, and would score if one document had another grade, is computed exactly, as
arrays: thousands of times for the queue of disputed pairs, which no scorer of whole runs could do. Runs are
read to the measure's depth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.frozen import frozen_dataclass
from workbench.scoring.judged_run import share
from workbench.scoring.relevance import Floats, Grades

Numbers = NDArray[np.int64]
Ranks = NDArray[Any]
"""Whole numbers, shape (runs, documents of a topic): the rank from 1, or 0 where it is not retrieved."""

DEEPEST = 1000  # what TREC's runs have of a topic
_NO_GRADES: Grades = np.empty(0, dtype=np.int64)
_NOTHING: Floats = np.empty((0, 0))
_NEGLIGIBLE = 1e-6  # what RBP can still be worth beyond its depth


@dataclass(frozen=True, slots=True, eq=False)
class TopicGains:
    """What runs score on a topic, and what follows from another grade of some of its documents.

    `scores` has one number a run, `gained` the same before it is divided. Of the documents that may change,
    `grades` has the present grade and `ranks` the ranks. `best` are the highest grades of the topic,
    descending, one more than the measure reads; `relevant` counts its relevant documents. `reached` and
    `below` are AP's alone, of the shape of `ranks`: the relevant documents down to the rank of a document,
    and what those below it gain if it becomes relevant.
    """

    scores: Floats
    gained: Floats
    grades: Grades
    ranks: NDArray[np.int16]
    best: Grades
    relevant: int
    reached: Floats
    below: Floats


@frozen_dataclass
class GainMeasure:
    """A measure that can be computed again for one changed document; it reads runs to its `depth`.

    `compute` takes the ranks (0 beyond the depth) and the grades of a topic's documents, none negative, and
    which of them may change. `change` tells what every run scores if one of these has another grade, for
    several such changes; shape (changes, runs).
    """

    name: str
    depth: int
    compute: Callable[[Ranks, Grades, Numbers], TopicGains]
    change: Callable[[TopicGains, Numbers, Grades], Floats]

    def topic(self, ranks: Ranks, grades: Sequence[int] | Grades, documents: Numbers) -> TopicGains:
        """What every run scores on a topic with these grades, where these documents may change."""
        shown = np.where(ranks > self.depth, 0, ranks)
        return self.compute(shown, _counted(grades), documents)

    def changed(self, gains: TopicGains, documents: Numbers, grades: Sequence[int] | Grades) -> Floats:
        """What every run scores if a document, by its place in `gains.grades`, has another grade instead.

        One document and grade for each row of the result, shape (changes, runs).
        """
        return self.change(gains, documents, _counted(grades))


def _counted(grades: Sequence[int] | Grades) -> Grades:
    return np.maximum(0, np.asarray(grades, dtype=np.int64))


@frozen_dataclass
class GainFamily:
    """A measure with its parameters: how it is written, examples for people, and how it is made.

    `make` takes the match of the name and the lowest relevant grade; None where a parameter is out of range.
    """

    pattern: re.Pattern[str]
    examples: tuple[str, ...]
    make: Callable[[re.Match[str], int], GainMeasure | None]


def _ndcg(match: re.Match[str], _relevant_from: int) -> GainMeasure | None:
    depth = int(match[1] or DEEPEST)
    if not 1 <= depth <= DEEPEST:
        return None
    return GainMeasure(match[0], depth, partial(_cumulated_gain, depth), partial(_changed_gain, depth))


def _ap(match: re.Match[str], relevant_from: int) -> GainMeasure:
    compute, change = partial(_average_precision, relevant_from), partial(_changed_precision, relevant_from)
    return GainMeasure(match[0], DEEPEST, compute, change)


def _rbp(match: re.Match[str], relevant_from: int) -> GainMeasure | None:
    p = float(match[1])
    if not 0 < p < 1:
        return None
    depth = min(DEEPEST, math.ceil(math.log(_NEGLIGIBLE) / math.log(p)))
    compute, change = partial(_rank_biased, relevant_from, p), partial(_changed_bias, relevant_from, p)
    return GainMeasure(match[0], depth, compute, change)


def _discounts(depth: int) -> Floats:
    """By rank, from 0, which stands for documents that are not retrieved."""
    return np.concatenate([[0.0], 1.0 / np.log2(np.arange(2, depth + 2))])


def _cumulated_gain(depth: int, ranks: Ranks, grades: Grades, documents: Numbers) -> TopicGains:
    """nDCG with the grade as gain and 1 / log2(rank + 1) as discount, as trec_eval's ndcg_cut.

    Source: Jarvelin and Kekalainen 2002, with the discount of Burges et al. 2005.
    """
    # Looked up: a topic has millions of ranks, and the logarithm of each takes ten times as long.
    gained: Floats = _discounts(depth)[ranks] @ grades.astype(np.float64)
    best = np.sort(grades)[::-1][: depth + 1]
    scores = share(gained, _ideal(best, depth))
    return gains_of(scores, gained, ranks, grades, documents, best=best)


def _ideal(best: Grades, depth: int) -> float:
    return float(best[:depth] @ _discounts(depth)[1 : len(best[:depth]) + 1])


def _changed_gain(depth: int, gains: TopicGains, documents: Numbers, grades: Grades) -> Floats:
    before = gains.grades[documents]
    changes = list(zip(before.tolist(), grades.tolist(), strict=True))
    ideals = {change: _ideal(_exchanged(gains.best, *change), depth) for change in set(changes)}
    whole = np.array([ideals[change] for change in changes]).reshape(-1, 1)
    weights = _discounts(depth)[gains.ranks[:, documents].T]
    gained = gains.gained + weights * (grades - before)[:, np.newaxis]
    return share(gained, whole)


def _exchanged(best: Grades, before: int, after: int) -> Grades:
    """The highest grades if one that was `before` is another."""
    at = np.flatnonzero(best == before)[:1]
    return np.sort(np.append(np.delete(best, at), after))[::-1]


def _weights(p: float, ranks: Ranks) -> Floats:
    return np.where(ranks > 0, (1 - p) * p ** (np.maximum(ranks, 1) - 1.0), 0.0)


def _rank_biased(
    relevant_from: int, p: float, ranks: Ranks, grades: Grades, documents: Numbers
) -> TopicGains:
    """RBP = (1 - p) sum of p ** (rank - 1) over relevant documents (Moffat and Zobel 2008)."""
    scores = _weights(p, ranks) @ (grades >= relevant_from).astype(np.float64)
    return gains_of(scores, scores, ranks, grades, documents)


def _changed_bias(
    relevant_from: int, p: float, gains: TopicGains, documents: Numbers, grades: Grades
) -> Floats:
    change = _change(relevant_from, gains, documents, grades)
    weights = _weights(p, gains.ranks[:, documents].T.astype(np.float64))
    return gains.scores + change[:, np.newaxis] * weights


def _change(relevant_from: int, gains: TopicGains, documents: Numbers, grades: Grades) -> Numbers:
    """1 for a document that becomes relevant, -1 for one that no longer is, else 0."""
    was = gains.grades[documents] >= relevant_from
    return (grades >= relevant_from).astype(np.int64) - was


def _average_precision(relevant_from: int, ranks: Ranks, grades: Grades, documents: Numbers) -> TopicGains:
    """AP as trec_eval's map: the mean of precision over all relevant documents, retrieved or not.

    A document that becomes relevant at rank k adds its own precision, and 1 / j to that of every relevant
    document at a rank j below it; and there is one more to take the mean over.
    """
    relevant = grades >= relevant_from
    runs, deepest = len(ranks), int(ranks.max(initial=0))
    at = np.arange(1, deepest + 1)
    hits = np.zeros((runs, deepest + 1))
    rows, columns = np.nonzero(relevant[np.newaxis, :] & (ranks > 0))
    hits[rows, ranks[rows, columns]] = 1.0
    above = np.cumsum(hits, axis=1)  # relevant documents up to each rank
    shares = np.zeros_like(hits)
    shares[:, 1:] = hits[:, 1:] / at
    below = shares.sum(axis=1, keepdims=True) - np.cumsum(shares, axis=1)
    precisions = (shares * above).sum(axis=1)
    total = int(relevant.sum())
    scores = share(precisions, total)
    of_documents = ranks[:, documents]
    reached = np.take_along_axis(above, of_documents, axis=1)
    worth = np.where(of_documents > 0, np.take_along_axis(below, of_documents, axis=1), 0.0)
    return gains_of(
        scores, precisions, ranks, grades, documents, relevant=total, reached=reached, below=worth
    )


def _changed_precision(relevant_from: int, gains: TopicGains, documents: Numbers, grades: Grades) -> Floats:
    change = _change(relevant_from, gains, documents, grades)
    ranks = gains.ranks[:, documents].T
    reached = gains.reached[:, documents].T + (change > 0)[:, np.newaxis]
    worth = np.where(ranks > 0, reached / np.maximum(ranks, 1) + gains.below[:, documents].T, 0.0)
    precisions = gains.gained + change[:, np.newaxis] * worth
    total = (gains.relevant + change)[:, np.newaxis]
    return share(precisions, total)


def gains_of(
    scores: Floats,
    gained: Floats,
    ranks: Ranks,
    grades: Grades,
    documents: Numbers,
    *,
    best: Grades = _NO_GRADES,
    relevant: int = 0,
    reached: Floats = _NOTHING,
    below: Floats = _NOTHING,
) -> TopicGains:
    """What a measure has computed of a topic, without what is not needed of documents that do not change."""
    kept = ranks[:, documents].astype(np.int16)
    return TopicGains(scores, gained, grades[documents], kept, best, relevant, reached, below)


NDCG = GainFamily(re.compile(r"nDCG(?:@([0-9]{1,4}))?"), ("nDCG@100", "nDCG@10", "nDCG"), _ndcg)
AP = GainFamily(re.compile(r"AP"), ("AP",), _ap)
RBP = GainFamily(re.compile(r"RBP\(p=(0?\.[0-9]{1,4})\)"), ("RBP(p=0.8)", "RBP(p=0.95)"), _rbp)


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


def topic_influences(
    gains: TopicGains, outcomes: Sequence[Sequence[int]], *, measure: GainMeasure, means: RankingMeans
) -> tuple[list[Influence], Floats]:
    """The influence of each document of a topic that `gains` knows, by the grades that it could get.

    Beside it stands by how much each could lower (none above 0) and raise (none below) the mean of each run,
    shape (2, documents, runs).
    All other documents keep the grade that they have now; `means` are those with the present grades.
    """
    found: list[Influence] = []
    ends = np.zeros((2, len(outcomes), len(means.means)))
    for start in range(0, len(outcomes), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        found += _some(gains, start, outcomes[some], measure, means, ends[:, some])
    return found, ends


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
