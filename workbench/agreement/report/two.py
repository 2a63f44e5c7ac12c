"""Every two assessors: their table by topic, and from these tables all coefficients and their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.report.figures import Figure, figures_of
from workbench.agreement.report.how import How, weights_for
from workbench.agreement.several.bootstrap import Interval, Unit
from workbench.agreement.several.methods import METHODS, values
from workbench.agreement.several.over_topics import drawn_sums, interval_of_topics, topic_draws
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.tally import Floats, Tally
from workbench.agreement.several.weights import Weights
from workbench.agreement.specific import BinaryView, binary_view
from workbench.agreement.table import MISSING

# A matrix of more is not read by anybody, and its pairs grow with the square.
MOST_PAIRED = 30


@dataclass(frozen=True, slots=True)
class Two:
    """Two assessors by number: their table (rows are the first's grades) and its figures.

    `view` looks closely at a table of two grades, and is None for others.
    """

    first: int
    second: int
    table: tuple[tuple[int, ...], ...]
    n: int
    figures: tuple[Figure, ...]
    view: BinaryView | None

    def figure(self, name: str) -> Figure:
        """The figure of a coefficient, by its name."""
        return next(one for one in self.figures if one.name == name)


@dataclass(frozen=True, slots=True)
class MeanOfTwo:
    """The mean of one coefficient over every two assessors for whom it is defined; the others are counted."""

    name: str
    label: str
    source: str
    value: float | None
    pairs: int
    left_out: int
    interval: Interval | None


def busiest(ratings: Ratings, most: int = MOST_PAIRED) -> tuple[int, ...]:
    """The assessors with the most grades, `most` of them at most, in their own order."""
    if ratings.n_assessors <= most:
        return tuple(range(ratings.n_assessors))
    given = np.count_nonzero(ratings.codes != MISSING, axis=1)
    return tuple(sorted(np.argsort(-given, kind="stable")[:most].tolist()))


def every_two(
    ratings: Ratings, how: How, *, among: Sequence[int] | None = None, intervals: bool = True
) -> tuple[Two, ...]:
    """Every two assessors (all, or those `among`), each over the pairs that both judged."""
    weights = weights_for(how, ratings)
    chosen = busiest(ratings) if among is None else among
    return tuple(
        _two(ratings, first, second, weights, how, intervals) for first, second in combinations(chosen, 2)
    )


def means_of_two(ratings: Ratings, pairs: Sequence[Two], how: How) -> tuple[MeanOfTwo, ...]:
    """The average pairwise agreement and kappas, with intervals from the same resamples for all pairs.

    There are intervals over topics only: a pair of topic and document is no unit that all assessors share.
    Source: Light 1971 for the unpooled kappa; Manning, Raghavan and Schuetze 2008, section 8.5.
    """
    sums = {name: np.zeros(how.rounds) for name in AVERAGED}
    times = {name: np.zeros(how.rounds) for name in AVERAGED}
    resampled = how.unit is Unit.TOPIC and ratings.n_topics > 1
    if resampled:
        weights = weights_for(how, ratings)
        draws = topic_draws(ratings.n_topics, how.rounds, how.seed)
        for two in pairs:
            tables = tables_by_topic(ratings, two.first, two.second)
            drawn = tally_of_tables(drawn_sums(draws, tables), weights)
            for name in AVERAGED:
                found = values(METHODS[name], drawn, weights)
                defined = np.isfinite(found)
                sums[name] += np.where(defined, found, 0.0)
                times[name] += defined
    with np.errstate(invalid="ignore"):
        means = {name: sums[name] / times[name] for name in AVERAGED}
    return tuple(_mean(name, pairs, means[name] if resampled else None, ratings, how) for name in AVERAGED)


AVERAGED = {
    "observed": ("Average pairwise agreement", "mean over every two assessors"),
    "pooled": ("Average pairwise pooled kappa", "Manning, Raghavan and Schuetze 2008, section 8.5"),
    "unpooled": ("Light's kappa: average pairwise unpooled kappa", "Light 1971"),
}


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


def tally_of_tables(tables: Floats, weights: Weights) -> Tally:
    """The sums that coefficients need, of tables (..., q, q) of two assessors."""
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    n = rows.sum(axis=-1)
    return Tally(
        disagreement=(tables * weights).sum(axis=(-1, -2)),
        doubly=n,
        rated=n,
        shares=(rows + columns) / 2,
        coincidences=tables + np.swapaxes(tables, -1, -2),
        given=np.stack([rows, columns], axis=-2),
    )


def _two(ratings: Ratings, first: int, second: int, weights: Weights, how: How, intervals: bool) -> Two:
    tables = tables_by_topic(ratings, first, second)
    table = tables.sum(axis=0)
    drawn = None
    if intervals:
        drawn = _resampled(tables, table, how, weights)
    whole: NDArray[np.int64] = table.astype(np.int64)
    return Two(
        first=first,
        second=second,
        table=tuple(tuple(row) for row in whole.tolist()),
        n=int(whole.sum()),
        figures=figures_of(tally_of_tables(table, weights), drawn, weights, ratings.categories, how),
        view=binary_view(whole) if len(whole) == 2 else None,
    )


def _resampled(tables: Floats, table: Floats, how: How, weights: Weights) -> tuple[Tally, int]:
    """Resamples of the topics that these two share, or of their pairs, cell by cell."""
    generator = np.random.default_rng(how.seed)
    if how.unit is Unit.TOPIC:
        rows = tables[tables.any(axis=(1, 2))]
        units, chances = len(rows), np.full(len(rows), 1.0 / max(len(rows), 1))
    else:
        cells = np.flatnonzero(table)
        rows = np.eye(table.size)[cells].reshape(len(cells), *table.shape)
        units, chances = int(table.sum()), table.ravel()[cells] / max(table.sum(), 1)
    if not len(rows):
        return tally_of_tables(np.zeros((how.rounds, *table.shape)), weights), 0
    draws = generator.multinomial(units, chances, size=how.rounds).astype(np.float64)
    return tally_of_tables(drawn_sums(draws, rows), weights), units


def _mean(name: str, pairs: Sequence[Two], drawn: Floats | None, ratings: Ratings, how: How) -> MeanOfTwo:
    found = [value for two in pairs if (value := two.figure(name).value) is not None]
    interval = None
    if drawn is not None and found:
        interval = interval_of_topics(drawn, ratings.n_topics, how.resamples)
    label, source = AVERAGED[name]
    mean = sum(found) / len(found) if found else None
    return MeanOfTwo(name, label, source, mean, len(found), len(pairs) - len(found), interval)
