"""Every pair of assessors: their contingency table by topic, and the coefficients that follow from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.coefficients.coefficient import Coefficient, values
from workbench.agreement.estimates import Estimate, chosen, estimates_of, several_estimates, several_intervals
from workbench.agreement.grades import BinaryView, binary_view
from workbench.agreement.intervals import Interval
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Ratings
from workbench.agreement.ratings_by_topic import tables_among
from workbench.agreement.resampling import (
    Resampled,
    Unit,
    alike,
    at_once,
    drawn_sums,
    interval_among,
    topic_draws,
)
from workbench.agreement.tally import Floats, Tally, tally_of_tables
from workbench.agreement.weights import Weights

# A matrix of more is not read by anybody, and its pairs grow with the square.
MOST_PAIRED = 30
_MOST_CELLS = 2**22


@dataclass(frozen=True, slots=True)
class AssessorPair:
    """Two assessors by number: their table (rows are the first's grades) and its estimates.

    `view` looks closely at a table of two grades, and is None for others.
    """

    first: int
    second: int
    table: tuple[tuple[int, ...], ...]
    n: int
    estimates: tuple[Estimate, ...]
    view: BinaryView | None

    def estimate(self, name: str) -> Estimate:
        """The estimate of a coefficient, by its name."""
        return chosen(self.estimates, name)


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


def most_active(ratings: Ratings, most: int = MOST_PAIRED) -> tuple[int, ...]:
    """The assessors with the most grades, `most` of them at most, in their own order."""
    if ratings.n_assessors <= most:
        return tuple(range(ratings.n_assessors))
    return tuple(sorted(np.argsort(-ratings.given_counts(), kind="stable")[:most].tolist()))


def assessor_pairs(
    ratings: Ratings, options: AgreementOptions, *, among: Sequence[int] | None = None, intervals: bool = True
) -> tuple[AssessorPair, ...]:
    """Every two assessors (all, or those `among`), each over the pairs that both judged."""
    weights = options.weights_for(ratings)
    several = list(combinations(most_active(ratings) if among is None else among, 2))
    by_topic = tables_among(ratings, sorted({number for two in several for number in two}))
    apart = [two for two in several if not len(by_topic.of(*two).topics)]
    # Those who share nothing have no figure either, all for the same reason.
    alone = set(apart[1:])
    found: list[AssessorPair] = []
    for some in _portions([two for two in several if two not in alone], ratings):
        tables = [by_topic.of(*two).tables for two in some]
        over = _intervals(tables, weights, ratings.categories, options) if intervals else None
        wholes = np.stack([table.sum(axis=0) for table in tables])
        estimates = several_estimates(
            tally_of_tables(wholes, weights), over, weights, ratings.categories, options
        )
        found += map(_pair, some, wholes, estimates)
    known = {(one.first, one.second): one for one in found}
    known |= {two: replace(known[apart[0]], first=two[0], second=two[1]) for two in alone}
    return tuple(known[two] for two in several)


def pairwise_means(
    ratings: Ratings, pairs: Sequence[AssessorPair], options: AgreementOptions
) -> tuple[PairwiseMean, ...]:
    """The average pairwise agreement and kappas, with intervals from the same resamples for all pairs.

    There are intervals over topics only: a pair of topic and document is no unit that all assessors share.
    Source: Light 1971 for the unpooled kappa; Manning, Raghavan and Schuetze 2008, section 8.5.
    """
    averaged = [one for one in COEFFICIENTS.values() if one.pairwise_mean]
    sums = {one.name: np.zeros(options.rounds) for one in averaged}
    times = {one.name: np.zeros(options.rounds) for one in averaged}
    resampled = options.unit is Unit.TOPIC and ratings.n_topics > 1
    if resampled:
        weights = options.weights_for(ratings)
        draws = topic_draws(ratings.n_topics, options.rounds, options.seed)
        by_topic = tables_among(ratings, sorted({one for two in pairs for one in (two.first, two.second)}))
        tables = [by_topic.of(two.first, two.second) for two in pairs]
        # Of those who share nothing nothing is defined.
        sharing = [number for number, one in enumerate(tables) if len(one.topics)]
        for some in at_once(sharing, options.rounds * len(ratings.categories) ** 2):
            every = [drawn_sums(draws[:, tables[one].topics], tables[one].tables) for one in some]
            drawn = tally_of_tables(np.stack(every), weights)
            for one in averaged:
                found = values(one, drawn, weights)
                defined = np.isfinite(found)
                for of_two in np.where(defined, found, 0.0):
                    sums[one.name] += of_two
                times[one.name] += np.count_nonzero(defined, axis=0)
    with np.errstate(invalid="ignore"):
        means = {name: sums[name] / times[name] for name in sums}
    return tuple(
        _mean(one, pairs, means[one.name] if resampled else None, ratings, options) for one in averaged
    )


def pair_of_table(
    numbers: tuple[int, int],
    table: Floats,
    weights: Weights,
    categories: tuple[int, ...],
    options: AgreementOptions,
) -> AssessorPair:
    """Two assessors by their numbers and their table, without intervals."""
    found = estimates_of(tally_of_tables(table, weights), None, weights, categories, options)
    return _pair(numbers, table, found)


def _pair(numbers: tuple[int, int], table: Floats, estimates: tuple[Estimate, ...]) -> AssessorPair:
    whole: NDArray[np.int64] = table.astype(np.int64)
    return AssessorPair(
        first=numbers[0],
        second=numbers[1],
        table=tuple(tuple(row) for row in whole.tolist()),
        n=int(whole.sum()),
        estimates=estimates,
        view=binary_view(whole) if len(whole) == 2 else None,
    )


def _intervals(
    tables: Sequence[Floats], weights: Weights, categories: tuple[int, ...], options: AgreementOptions
) -> list[tuple[Interval, ...]]:
    """The intervals of every coefficient of two assessors, of each of several tables by shared topic.

    Drawn are the topics that these two share, or their pairs, cell by cell.
    """
    found: dict[int, tuple[Interval, ...]] = {}
    if options.unit is Unit.PAIR:
        for number, table in enumerate(tables):
            drawn = Resampled(
                _of_pairs(table.sum(axis=0), weights, options), int(table.sum()), options.resamples
            )
            found[number] = several_intervals(drawn, weights, categories, options)[0]
        return [found[number] for number in range(len(tables))]
    for units, numbers in alike(map(len, tables)).items():
        draws = topic_draws(units, options.rounds, options.seed) if units else np.zeros((options.rounds, 0))
        for some in at_once(numbers, options.rounds * len(categories) ** 2):
            sums = np.stack([drawn_sums(draws, tables[number]) for number in some])
            drawn = Resampled(tally_of_tables(sums, weights), units, options.resamples)
            found |= zip(some, several_intervals(drawn, weights, categories, options), strict=True)
    return [found[number] for number in range(len(tables))]


def _of_pairs(table: Floats, weights: Weights, options: AgreementOptions) -> Tally:
    """The sums of resamples of the pairs of one table; shape (1, rounds, ...)."""
    cells = np.flatnonzero(table)
    drawn = np.zeros((1, options.rounds, table.size))
    if len(cells):
        chances = table.ravel()[cells] / table.sum()
        generator = np.random.default_rng(options.seed)
        drawn[0, :, cells] = generator.multinomial(int(table.sum()), chances, size=options.rounds).T
    return tally_of_tables(drawn.reshape(1, options.rounds, *table.shape), weights)


def _portions(several: Sequence[tuple[int, int]], ratings: Ratings) -> Iterator[Sequence[tuple[int, int]]]:
    """The pairs of assessors in portions whose tables by topic go into some megabytes."""
    most = max(1, _MOST_CELLS // (ratings.n_topics * len(ratings.categories) ** 2 or 1))
    yield from (several[start : start + most] for start in range(0, len(several), most))


def _mean(
    coefficient: Coefficient,
    pairs: Sequence[AssessorPair],
    drawn: Floats | None,
    ratings: Ratings,
    options: AgreementOptions,
) -> PairwiseMean:
    name = coefficient.name
    found = [value for two in pairs if (value := two.estimate(name).value) is not None]
    interval = None
    if drawn is not None and found:
        interval = interval_among(drawn, ratings.n_topics, options.topic_resamples)
    label, source = coefficient.pairwise_mean or (coefficient.label, coefficient.source)
    mean = sum(found) / len(found) if found else None
    return PairwiseMean(name, label, source, mean, len(found), len(pairs) - len(found), interval)
