"""Every pair of assessors: their contingency table by topic, and its coefficients; by every threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.coefficients.coefficient import Coefficient, values
from workbench.agreement.estimates import (
    Estimate,
    HasEstimates,
    estimates,
    several_estimates,
    topics_left_out,
)
from workbench.agreement.grades import BinaryView, GradeAgreement, binary_view, by_grade
from workbench.agreement.intervals import Interval
from workbench.agreement.jackknife import LeftOut, TopicShares, Transform, intervals
from workbench.agreement.options import AgreementOptions
from workbench.agreement.overlap import MeanOverlap, mean_overlap
from workbench.agreement.ratings import Ratings, pair_tables, tables_of_two
from workbench.agreement.tally import Floats, tally_of_tables

# A matrix of more is not read by anybody, and its pairs grow with the square.
MOST_PAIRED = 30
_MOST_CELLS = 2**20


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
