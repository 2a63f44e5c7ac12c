"""Voorhees' overlap: of what any assessor called relevant for a topic, how much all of them did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.contingency import MISSING
from workbench.agreement.intervals import Interval
from workbench.agreement.jackknife import TopicShares, Transform, intervals, others, over_units
from workbench.agreement.ratings import Ratings
from workbench.agreement.tally import Floats

_Two = tuple[Interval | None, Interval | None]


@dataclass(frozen=True, slots=True)
class Overlap:
    """The overlap of some assessors' relevant sets: by topic, and its mean over topics that have one.

    `by_topic` is None where nobody called anything relevant; `empty` counts these topics, and `mean` is None
    where all are such. `together` is the overlap of all topics taken as one set. The intervals are over the
    topics on which all of these assessors judged something, and None where none were asked for.
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
    """The mean of the overlaps of every two assessors that have one, with its interval where asked for."""

    value: float | None
    interval: Interval | None = None


def overlap(binary: Ratings, assessors: tuple[int, ...], *, level: float | None = None) -> Overlap:
    """The overlap of two or more assessors (by number) on the pairs that all of them judged.

    `binary` has the categories 1 and 0. A pair that one of them has not judged is no disagreement and is left
    out. Source: Voorhees 1998, 2000; two of three assessors' sets there, mean over topics.
    """
    counts = _counts(binary, *_sets(binary), assessors)
    return _overlap(assessors, counts, *_intervals([counts], level))


def overlaps(
    binary: Ratings,
    size: int = 2,
    *,
    among: Sequence[int] | None = None,
    level: float | None = None,
) -> tuple[Overlap, ...]:
    """The overlaps of every `size` assessors (of all, or of those `among`), 2 or 3 as in Voorhees 2000."""
    numbers = range(binary.n_assessors) if among is None else among
    several = list(combinations(numbers, size))
    if size == 2:
        counts = _counts_of_two(binary, numbers)
    else:
        # Of a crowd few are compared: what all others judged is not looked at.
        sets = _sets(binary if among is None else binary.only(among))
        counts = [_counts(binary, *sets, rows) for rows in combinations(range(len(numbers)), size)]
    intervals = _intervals(counts, level)
    return tuple(map(_overlap, several, counts, intervals))


def mean_overlap(
    binary: Ratings, *, among: Sequence[int] | None = None, level: float | None = None
) -> MeanOverlap:
    """The mean over every two assessors of the mean over topics of their overlap; undefined ones left out.

    The two are of all, or of those `among`; an interval at a `level` is over the topics of all of them.
    """
    counts = np.stack(_counts_of_two(binary, range(binary.n_assessors) if among is None else among))
    shares = _shares(counts)
    # Every topic counts once, for each two who have an overlap there.
    rich = (counts[..., 1] > 0).sum(axis=0).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(_mean_of_pairs(shares.sum(axis=1)))
        without = _mean_of_pairs(others(shares, axis=1))
    if not np.isfinite(value):
        return MeanOverlap(None)
    there = rich > 0
    interval = (
        None
        if level is None
        else over_units(value, without[there], rich[there], Transform.SHARE, level=level)
    )
    return MeanOverlap(value, interval)


def _sets(binary: Ratings) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return binary.codes != MISSING, binary.codes == binary.categories.index(1)


def _counts(
    binary: Ratings, judged: NDArray[np.bool_], relevant: NDArray[np.bool_], assessors: tuple[int, ...]
) -> NDArray[np.int64]:
    """By topic pairs relevant to all, pairs relevant to any, pairs that all judged; shape (topics, 3)."""
    by_all, by_any, seen = relevant[assessors[0]], relevant[assessors[0]], judged[assessors[0]]
    for one in assessors[1:]:
        by_all, by_any, seen = by_all & relevant[one], by_any | relevant[one], seen & judged[one]
    chosen = (by_all, by_any & seen, seen)
    columns = [np.bincount(binary.topics[each], minlength=binary.n_topics) for each in chosen]
    if binary.unlisted is not None:
        columns[2] = columns[2] + binary.unlisted
    return np.stack(columns, axis=1)


def _counts_of_two(binary: Ratings, among: Sequence[int]) -> list[NDArray[np.int64]]:
    """The same of every two of some assessors, in order."""
    sets = _sets(binary)
    return [_counts(binary, *sets, two) for two in combinations(among, 2)]


def _intervals(counts: Sequence[NDArray[np.int64]], level: float | None) -> list[_Two]:
    """The intervals of each of several overlaps: of their means, and of all topics together."""
    if level is None or not counts:
        return [(None, None)] * len(counts)
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
    return Overlap(
        assessors=assessors,
        by_topic=tuple(by_topic),
        mean=fsum(there) / len(there) if there else None,
        together=sum(all_of) / sum(any_of) if there else None,
        empty=len(by_topic) - len(there),
        mean_interval=intervals[0],
        together_interval=intervals[1],
    )


def _shares(counts: NDArray[np.int64]) -> Floats:
    """By topic the overlap, 0 where there is none, and whether there is one; shape (..., topics, 2)."""
    there = counts[..., 1] > 0
    share = np.divide(counts[..., 0], counts[..., 1], out=np.zeros(there.shape), where=there)
    return np.stack([share, there], axis=-1)


def _both_means(sums: Floats) -> tuple[Floats, Floats]:
    return sums[..., 0] / sums[..., 1], sums[..., 2] / sums[..., 3]


def _mean_of_pairs(sums: Floats) -> Floats:
    """The mean over pairs of assessors (pairs, ..., 2), of those with a topic that has an overlap."""
    there = sums[..., 1] > 0
    means = np.divide(sums[..., 0], sums[..., 1], out=np.zeros(there.shape), where=there)
    found: Floats = means.sum(axis=0) / there.sum(axis=0)
    return found
