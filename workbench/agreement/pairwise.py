"""Every pair of assessors: their contingency table by topic, and the coefficients that follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.coefficients.coefficient import Coefficient, values
from workbench.agreement.contingency import MISSING
from workbench.agreement.estimates import Estimate, chosen, estimates_of
from workbench.agreement.grades import BinaryView, binary_view
from workbench.agreement.intervals import Interval
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Ratings
from workbench.agreement.resampling import Resampled, Unit, drawn_sums, interval_among, topic_draws
from workbench.agreement.tally import Floats, tally_of_tables
from workbench.agreement.weights import Weights

# A matrix of more is not read by anybody, and its pairs grow with the square.
MOST_PAIRED = 30


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
    given = np.count_nonzero(ratings.codes != MISSING, axis=1)
    return tuple(sorted(np.argsort(-given, kind="stable")[:most].tolist()))


def assessor_pairs(
    ratings: Ratings, options: AgreementOptions, *, among: Sequence[int] | None = None, intervals: bool = True
) -> tuple[AssessorPair, ...]:
    """Every two assessors (all, or those `among`), each over the pairs that both judged."""
    weights = options.weights_for(ratings)
    chosen = most_active(ratings) if among is None else among
    return tuple(
        _two(ratings, first, second, weights, options, intervals) for first, second in combinations(chosen, 2)
    )


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
        for two in pairs:
            tables = tables_by_topic(ratings, two.first, two.second)
            drawn = tally_of_tables(drawn_sums(draws, tables), weights)
            for one in averaged:
                found = values(one, drawn, weights)
                defined = np.isfinite(found)
                sums[one.name] += np.where(defined, found, 0.0)
                times[one.name] += defined
    with np.errstate(invalid="ignore"):
        means = {name: sums[name] / times[name] for name in sums}
    return tuple(
        _mean(one, pairs, means[one.name] if resampled else None, ratings, options) for one in averaged
    )


def tables_by_topic(ratings: Ratings, first: int, second: int) -> Floats:
    """The tables of two assessors over the pairs that both judged; shape (topics, q, q)."""
    q = len(ratings.categories)
    a, b = ratings.codes[first], ratings.codes[second]
    both = (a != MISSING) & (b != MISSING)
    cells = (ratings.topics[both] * q + a[both]) * q + b[both]
    tables = np.bincount(cells, minlength=ratings.n_topics * q * q).reshape(ratings.n_topics, q, q)
    if ratings.unlisted is not None:
        tables[:, ratings.lowest, ratings.lowest] += ratings.unlisted
    return tables.astype(np.float64)


def _two(
    ratings: Ratings, first: int, second: int, weights: Weights, options: AgreementOptions, intervals: bool
) -> AssessorPair:
    tables = tables_by_topic(ratings, first, second)
    table = tables.sum(axis=0)
    drawn = None
    if intervals:
        drawn = _resampled(tables, table, options, weights)
    return pair_of_table((first, second), table, drawn, weights, ratings.categories, options)


def pair_of_table(
    numbers: tuple[int, int],
    table: Floats,
    drawn: Resampled | None,
    weights: Weights,
    categories: tuple[int, ...],
    options: AgreementOptions,
) -> AssessorPair:
    """Two assessors by their numbers and their table; without resamples no intervals."""
    whole: NDArray[np.int64] = table.astype(np.int64)
    return AssessorPair(
        first=numbers[0],
        second=numbers[1],
        table=tuple(tuple(row) for row in whole.tolist()),
        n=int(whole.sum()),
        estimates=estimates_of(tally_of_tables(table, weights), drawn, weights, categories, options),
        view=binary_view(whole) if len(whole) == 2 else None,
    )


def _resampled(tables: Floats, table: Floats, options: AgreementOptions, weights: Weights) -> Resampled:
    """Resamples of the topics that these two share, or of their pairs, cell by cell."""
    generator = np.random.default_rng(options.seed)
    if options.unit is Unit.TOPIC:
        rows = tables[tables.any(axis=(1, 2))]
        units, chances = len(rows), np.full(len(rows), 1.0 / max(len(rows), 1))
    else:
        cells = np.flatnonzero(table)
        rows = np.eye(table.size)[cells].reshape(len(cells), *table.shape)
        units, chances = int(table.sum()), table.ravel()[cells] / max(table.sum(), 1)
    if not len(rows):
        nothing = np.zeros((options.rounds, *table.shape))
        return Resampled(tally_of_tables(nothing, weights), 0, options.resamples)
    draws = generator.multinomial(units, chances, size=options.rounds).astype(np.float64)
    return Resampled(tally_of_tables(drawn_sums(draws, rows), weights), units, options.resamples)


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
