"""Voorhees' overlap: of what any assessor called relevant for a topic, how much all of them did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.contingency import MISSING
from workbench.agreement.intervals import LEVEL, Interval
from workbench.agreement.jackknife import TopicShares, Transform, intervals, others, over_units
from workbench.agreement.ratings import Ratings
from workbench.agreement.tally import Floats, quotient

_Two = tuple[Interval | None, Interval | None]


@dataclass(frozen=True, slots=True)
class Overlap:
    """The overlap of some assessors' relevant sets: by topic, and its mean over topics that have one.

    `by_topic` is None where nobody called anything relevant; `empty` counts these topics, and `mean` is None
    where all are such. `together` is the overlap of all topics taken as one set. The intervals are over the
    topics on which all of these assessors judged something, and None where there is none.
    """

    assessors: tuple[int, ...]
    by_topic: tuple[float | None, ...]
    mean: float | None
    together: float | None
    empty: int
    mean_interval: Interval | None = None
    together_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class MeanOverlap:
    """The mean of the overlaps of every two assessors that have one, with its interval."""

    value: float | None
    interval: Interval | None = None


def overlap(binary: Ratings, assessors: tuple[int, ...], *, level: float = LEVEL) -> Overlap:
    """The overlap of two or more assessors (by number) on the pairs that all of them judged.

    `binary` has the categories 1 and 0. A pair that one of them has not judged is no disagreement and is left
    out. Source: Voorhees 1998, 2000; two of three assessors' sets there, mean over topics.
    """
    (found,) = overlaps(binary, assessors, len(assessors), level=level)
    return found


def overlaps(
    binary: Ratings, among: Sequence[int], size: int = 2, *, level: float = LEVEL
) -> tuple[Overlap, ...]:
    """The overlaps of every `size` of the assessors `among` all, 2 or 3 as in Voorhees 2000."""
    several = list(combinations(among, size))
    counts = _counts_of_several(binary, several)
    return tuple(map(_overlap, several, counts, _intervals(counts, level)))


def mean_overlap(binary: Ratings, *, level: float = LEVEL) -> MeanOverlap:
    """The mean over every two assessors of the mean over topics of their overlap; undefined ones left out.

    The interval is over the topics of all of them.
    """
    counts = np.stack(_counts_of_several(binary, combinations(range(binary.n_assessors), 2)))
    shares = _shares(counts)
    # Every topic counts once, for each two who have an overlap there.
    rich = (counts[..., 1] > 0).sum(axis=0).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(_mean_of_pairs(shares.sum(axis=1)))
        without = _mean_of_pairs(others(shares, axis=1))
    if not np.isfinite(value):
        return MeanOverlap(None)
    there = rich > 0
    return MeanOverlap(value, over_units(value, without[there], rich[there], Transform.SHARE, level=level))


def _counts_of_several(binary: Ratings, several: Iterable[tuple[int, ...]]) -> list[NDArray[np.int64]]:
    """By topic pairs relevant to all of some, relevant to any, and that all judged; each (topics, 3)."""
    judged, relevant = binary.codes != MISSING, binary.codes == binary.categories.index(1)
    found = []
    for first, *rest in several:
        by_all, by_any, seen = relevant[first], relevant[first], judged[first]
        for one in rest:
            by_all, by_any, seen = by_all & relevant[one], by_any | relevant[one], seen & judged[one]
        chosen = (by_all, by_any & seen, seen)
        columns = [np.bincount(binary.topics[each], minlength=binary.n_topics) for each in chosen]
        if binary.unlisted is not None:
            columns[2] = columns[2] + binary.unlisted
        found.append(np.stack(columns, axis=1))
    return found


def _intervals(counts: Sequence[NDArray[np.int64]], level: float) -> list[_Two]:
    """The intervals of each of several overlaps: of their means, and of all topics together."""
    if not counts:
        return []
    every = np.stack(counts)
    rich, there = every[..., 1].astype(np.float64), every[..., 1] > 0
    sums = np.concatenate([_shares(every), every[..., :2]], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        wholes, withouts = _both_means(sums.sum(axis=1)), _both_means(others(sums, axis=1))
    # Every topic counts once in the mean, by its relevant documents in all together.
    evidence = TopicShares(there.astype(np.float64), there), TopicShares(rich, there)
    mean, together = (
        intervals(whole, without, of, Transform.SHARE, level=level)
        for whole, without, of in zip(wholes, withouts, evidence, strict=True)
    )
    return [
        (one, other) if some else (None, None)
        for one, other, some in zip(mean, together, np.asarray(there.any(axis=-1)).tolist(), strict=True)
    ]


def _overlap(assessors: tuple[int, ...], counts: NDArray[np.int64], intervals: _Two) -> Overlap:
    places = np.flatnonzero(counts[:, 1])
    all_of, any_of, _ = counts[places].T.tolist()
    there = [both / union for both, union in zip(all_of, any_of, strict=True)]
    by_topic: list[float | None] = [None] * len(counts)
    for place, share in zip(places.tolist(), there, strict=True):
        by_topic[place] = share
    mean, together = (fsum(there) / len(there), sum(all_of) / sum(any_of)) if there else (None, None)
    return Overlap(assessors, tuple(by_topic), mean, together, len(by_topic) - len(there), *intervals)


def _shares(counts: NDArray[np.int64]) -> Floats:
    """By topic the overlap, 0 where there is none, and whether there is one; shape (..., topics, 2)."""
    return np.stack([quotient(counts[..., 0], counts[..., 1]), counts[..., 1] > 0], axis=-1)


def _both_means(sums: Floats) -> tuple[Floats, Floats]:
    return sums[..., 0] / sums[..., 1], sums[..., 2] / sums[..., 3]


def _mean_of_pairs(sums: Floats) -> Floats:
    """The mean over pairs of assessors (pairs, ..., 2), of those with a topic that has an overlap."""
    found: Floats = quotient(sums[..., 0], sums[..., 1]).sum(axis=0) / (sums[..., 1] > 0).sum(axis=0)
    return found
