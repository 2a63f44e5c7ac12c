"""How much the outcome of a dispute could move the ranking of runs: which to settle first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.scoring.gains import Changed, Floats, GainMeasure, Ranks

# Two means that differ by less are equal: less than any document can change, more than rounding does.
_EQUAL = 1e-12
_NO_RUNS = 2


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
    topics: Sequence[TopicGrades],
    outcomes: Mapping[tuple[str, str], Sequence[int]],
    *,
    measure: GainMeasure,
) -> dict[tuple[str, str], Influence]:
    """The influence of every (topic, docno) that has `outcomes`, the grades that it could get.

    All other documents keep the grade that they have now. The means are over these topics.
    """
    scored = [measure.topic(one.ranks, one.grades) for one in topics]
    if not scored:
        return {}
    means = np.sum([scores for scores, _ in scored], axis=0) / len(scored)
    found: dict[tuple[str, str], Influence] = {}
    for one, (scores, changed) in zip(topics, scored, strict=True):
        rest = means - scores / len(scored)
        for place, docno in enumerate(one.docnos):
            grades = outcomes.get((one.topic, docno))
            if grades is not None:
                found[one.topic, docno] = _largest(_means(changed, place, grades, rest, len(scored)))
    return found


def _means(changed: Changed, place: int, grades: Sequence[int], rest: Floats, topics: int) -> list[Floats]:
    """The means of the runs under each outcome; outcomes that no run notices are one."""
    return [rest + changed(place, grade) / topics for grade in sorted(set(grades))]


def _largest(means: Sequence[Floats]) -> Influence:
    if not means or len(means[0]) < _NO_RUNS:
        return NONE
    # The order under each outcome is looked at once, the differences of every two of them are cheap.
    orders = list(_orders(means))
    between = [
        _influence(means[one] - means[other], orders[one], orders[other])
        for one, other in combinations(range(len(means)), 2)
        if means[one].tobytes() != means[other].tobytes()
    ]
    return max(between, default=NONE)


def _orders(means: Sequence[Floats]) -> Iterator[NDArray[np.int8]]:
    for mean in means:
        apart = mean[:, np.newaxis] - mean
        yield (apart > _EQUAL).astype(np.int8) - (apart < -_EQUAL).astype(np.int8)


def _influence(change: Floats, before: NDArray[np.int8], after: NDArray[np.int8]) -> Influence:
    runs = len(change)
    ordered = np.sort(change)
    # Of the k-th smallest of n values, 2 k - n + 1 more are below than above (k from 0).
    apart = float(ordered @ (2.0 * np.arange(runs) - runs + 1))
    return Influence(
        # Every pair of runs stands twice in the matrices, and a full change of sign is 2.
        swaps=float(np.abs(before - after).sum(dtype=np.int64)) / 4,
        uneven=max(0.0, apart) / (runs * (runs - 1) / 2),
        shift=float(np.abs(change).sum()),
    )
