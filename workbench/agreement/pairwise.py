"""Every two assessors: their coefficients, thresholds and leniency, and the overlap of relevant sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.coefficient import Coefficient, values
from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.estimates import (
    Estimate,
    HasEstimates,
    estimates,
    several_estimates,
    topics_left_out,
)
from workbench.agreement.grades import BinaryView, GradeAgreement, binary_view, by_grade
from workbench.agreement.intervals import LEVEL, Interval
from workbench.agreement.jackknife import LeftOut, TopicShares, Transform, intervals, others, over_units
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import MISSING, Ratings, pair_tables, tables_of_two
from workbench.agreement.tally import Floats, quotient, tally_of_tables
from workbench.frozen import frozen_dataclass

# A matrix of more is not read by anybody, and its pairs grow with the square.
MOST_PAIRED = 30
_MOST_CELLS = 2**20

_Two = tuple[Interval | None, Interval | None]


@frozen_dataclass
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


@frozen_dataclass
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


@frozen_dataclass
class AssessorPair(HasEstimates):
    """Two assessors by number: their table (rows are the first's grades) and its estimates.

    `view` looks closely at a table of two grades, and is None for others.
    """

    first: int
    second: int
    table: tuple[tuple[int, ...], ...]
    n: int
    estimates: tuple[Estimate, ...]
    view: BinaryView | None


@frozen_dataclass
class PairwiseMean:
    """The mean of one coefficient over every two assessors for whom it is defined; the others are counted."""

    name: str
    label: str
    source: str
    value: float | None
    pairs: int
    left_out: int
    interval: Interval | None


def most_active(ratings: Ratings) -> tuple[int, ...]:
    """The assessors with the most grades, MOST_PAIRED of them at most, in their own order."""
    if ratings.n_assessors <= MOST_PAIRED:
        return tuple(range(ratings.n_assessors))
    counts = np.bincount(ratings.given().assessors, minlength=ratings.n_assessors)
    return tuple(sorted(np.argsort(-counts, kind="stable")[:MOST_PAIRED].tolist()))


def assessor_pairs(ratings: Ratings, options: AgreementOptions) -> tuple[AssessorPair, ...]:
    """Every two of the most active assessors, each over the pairs that both judged."""
    numbers = most_active(ratings)
    several, tables = list(combinations(numbers, 2)), tables_of_two(ratings, numbers)
    weights, categories = options.weights_for(ratings), ratings.categories
    # Those who share nothing have no figure either, all for the same reason.
    together = np.flatnonzero(tables.any(axis=(1, 2, 3)))
    apart = np.setdiff1d(np.arange(len(several)), together)
    found: dict[int, AssessorPair] = {}
    for some in _portions(np.concatenate([together, apart[:1]]), tables):
        by_topic = tables[some].astype(np.float64)
        left = LeftOut(tally_of_tables(by_topic, weights), options.confidence)
        wholes = by_topic.sum(axis=1)
        estimates = several_estimates(tally_of_tables(wholes, weights), left, weights, categories, options)
        for place, whole, estimate in zip(some.tolist(), wholes, estimates, strict=True):
            found[place] = two_assessors(several[place], whole, estimate)
    for place in apart.tolist():
        found[place] = replace(found[int(apart[0])], first=several[place][0], second=several[place][1])
    return tuple(found[place] for place in range(len(several)))


def pairwise_means(
    ratings: Ratings, pairs: Sequence[AssessorPair], options: AgreementOptions
) -> tuple[PairwiseMean, ...]:
    """The average pairwise agreement and kappas, with intervals over the topics of all pairs.

    Source: Light 1971 for the unpooled kappa; Manning, Raghavan and Schuetze 2008, section 8.5.
    """
    averaged = [one for one in COEFFICIENTS.values() if one.pairwise_mean]
    weights = options.weights_for(ratings)
    numbers = sorted({one for two in pairs for one in (two.first, two.second)})
    by_topic = tables_of_two(ratings, numbers)
    # Without a topic a pair may be undefined: then it stays as it is.
    means = {one.name: np.zeros(ratings.n_topics) for one in averaged}
    rich, there = np.zeros(ratings.n_topics), np.zeros(ratings.n_topics, np.bool_)
    for some in _portions(np.arange(len(by_topic)), by_topic):
        left = LeftOut(tally_of_tables(by_topic[some].astype(np.float64), weights), options.confidence)
        rich += left.evidence.rich.sum(axis=0)
        there |= left.evidence.there.any(axis=0)
        for one in averaged:
            whole = values(one, left.whole, weights)[:, np.newaxis]
            without = values(one, left.without, weights)
            means[one.name] += np.nan_to_num(np.where(np.isfinite(without), without, whole)).sum(axis=0)
    evidence = TopicShares(rich[np.newaxis], there[np.newaxis])
    return tuple(_mean(one, pairs, means[one.name], evidence, options) for one in averaged)


def two_assessors(
    numbers: tuple[int, int], table: NDArray[Any], estimates: tuple[Estimate, ...]
) -> AssessorPair:
    """Two assessors by number, from the table of the pairs that both judged."""
    whole: NDArray[np.int64] = table.astype(np.int64)
    rows = tuple(map(tuple, whole.tolist()))
    view = binary_view(whole) if len(whole) == 2 else None
    return AssessorPair(*numbers, rows, int(whole.sum()), estimates, view)


def _portions(places: NDArray[np.int64], tables: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Some of the tables, in portions whose sums by topic go into some megabytes."""
    most = max(1, _MOST_CELLS // (int(np.prod(tables.shape[1:])) or 1))
    yield from (places[start : start + most] for start in range(0, len(places), most))


def _mean(
    coefficient: Coefficient,
    pairs: Sequence[AssessorPair],
    sums: Floats,
    evidence: TopicShares,
    options: AgreementOptions,
) -> PairwiseMean:
    name = coefficient.name
    found = [value for two in pairs if (value := two.estimate(name).value) is not None]
    mean = sum(found) / len(found) if found else None
    interval = None
    if mean is not None:
        scale = Transform.KAPPA if coefficient.chance_corrected else Transform.SHARE
        without = sums[np.newaxis] / len(found)
        (interval,) = intervals(np.array([mean]), without, evidence, scale, level=options.confidence)
    label, source = coefficient.pairwise_mean or (coefficient.label, coefficient.source)
    return PairwiseMean(name, label, source, mean, len(found), len(pairs) - len(found), interval)


@frozen_dataclass
class Threshold(HasEstimates):
    """Agreement on relevant or not where grades from `relevant_from` on are relevant.

    `prevalence` is the share of relevant less that of not relevant among all grades given; `overlap` the mean
    over every two assessors of Voorhees' overlap. `view` is there for two assessors only.
    """

    relevant_from: int
    estimates: tuple[Estimate, ...]
    positive: GradeAgreement
    negative: GradeAgreement
    prevalence: float | None
    overlap: MeanOverlap
    view: BinaryView | None


def thresholds(
    graded: Ratings,
    options: AgreementOptions,
    known: tuple[int, tuple[Estimate, ...], tuple[GradeAgreement, ...]] | None = None,
) -> tuple[Threshold, ...]:
    """Every threshold of the declared scale, the lowest first.

    Of one a report may have `known` already the estimates and both sides, relevant first.
    """
    found = []
    for line in sorted(graded.categories)[1:]:
        binary = graded.from_grade(line)
        if known is not None and known[0] == line:
            _, of_line, (positive, negative) = known
        else:
            left = topics_left_out(binary, options)
            of_line, (positive, negative) = estimates(binary, options, left), by_grade(binary, left)
        # An overlap is of pairs that two of them judged: among a million others these few are found once.
        paired = binary.only(most_active(binary)).shared()
        found.append(
            Threshold(
                relevant_from=line,
                estimates=of_line,
                positive=positive,
                negative=negative,
                prevalence=prevalence(positive, negative),
                overlap=mean_overlap(paired, level=options.confidence),
                view=binary_view(pair_tables(binary)[0, 1]) if binary.n_assessors == 2 else None,
            )
        )
    return tuple(found)


def prevalence(positive: GradeAgreement, negative: GradeAgreement) -> float | None:
    """The prevalence index: the share of relevant less that of not relevant, among all grades given.

    For two assessors (both relevant - both not) / n. Source: Byrt, Bishop and Carlin 1993, with its sign.
    """
    if positive.share is None or negative.share is None:
        return None
    return positive.share - negative.share
