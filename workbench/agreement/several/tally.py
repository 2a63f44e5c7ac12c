"""What the coefficients need of ratings: sums over pairs, in groups that a bootstrap can draw.

Every coefficient is a function of these sums alone, so that one pass over the ratings serves them all, and
a thousand resamples are a product of two small matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.several.cells import Cells, cells_of
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.weights import Weights

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Sums over the pairs of each group; the first axis, or all but the named ones, are groups or resamples.

    `disagreement` is the sum over doubly judged pairs of the share of their ordered pairs of assessors that
    disagree, by weight; `doubly` and `rated` count pairs with two grades or more and with one or more;
    `shares` (q) sums, over rated pairs, the share of every grade; `coincidences` (q, q) are Krippendorff's;
    `given` (assessors, q) counts the grades that each assessor gave.
    """

    disagreement: Floats
    doubly: Floats
    rated: Floats
    shares: Floats
    coincidences: Floats
    given: Floats

    def drawn(self, draws: Floats) -> Tally:
        """The sums where every group is taken as often as each row of `draws` (resamples, groups) says."""
        return Tally(*(_product(draws, getattr(self, one.name)) for one in fields(self)))

    def total(self) -> Tally:
        """The sums over all groups."""
        return Tally(*(getattr(self, one.name).sum(axis=0) for one in fields(self)))


def tally(ratings: Ratings, weights: Weights, *, by_topic: bool = False, by_assessor: bool = True) -> Tally:
    """The sums of some ratings, one group a topic, or all in one group.

    Without `by_assessor` `given` has no assessors: most coefficients do not ask for it.
    """
    cells = cells_of(ratings, by_topic=by_topic)
    if by_assessor:
        given = given_by_assessor(ratings, by_topic=by_topic)
    else:
        given = np.empty((cells.n_groups, 0, len(ratings.categories)))
    return tally_of_cells(cells, weights, given=given)


def given_by_assessor(ratings: Ratings, *, by_topic: bool = False) -> Floats:
    """How often each assessor gave each grade; shape (groups, assessors, q)."""
    q = len(ratings.categories)
    if not by_topic:
        rows = [[np.count_nonzero(row == code) for code in range(q)] for row in ratings.codes]
        whole = np.array([rows], dtype=np.float64).reshape(1, ratings.n_assessors, q)
        if ratings.unlisted is not None:
            whole[:, :, ratings.lowest] += ratings.unlisted.sum()
        return whole
    given = np.empty((ratings.n_topics, ratings.n_assessors, q))
    for number, row in enumerate(ratings.codes):
        # A grade that is missing has the place -1, which becomes the first column here.
        flat = np.bincount(ratings.topics * (q + 1) + (row + 1), minlength=ratings.n_topics * (q + 1))
        given[:, number] = flat.reshape(-1, q + 1)[:, 1:]
    if ratings.unlisted is not None:
        given[:, :, ratings.lowest] += ratings.unlisted[:, np.newaxis]
    return given


def tally_of_cells(cells: Cells, weights: Weights, *, given: Floats) -> Tally:
    """The sums of cells, group by group."""
    # A row for each grade: to add up rows takes a tenth of the time of adding up within them.
    by_grade = cells.counts.astype(np.float64)
    times = cells.times.astype(np.float64)
    raters = by_grade.sum(axis=0)
    doubly = raters >= 2
    factors = doubly * times / np.maximum(raters - 1, 1.0)
    per_rater = times / raters
    if cells.n_groups == 1:
        return Tally(
            disagreement=(_ordered_in_all(by_grade, factors / raters) * weights).sum().reshape(1),
            doubly=(doubly @ times).reshape(1),
            rated=times.sum().reshape(1),
            shares=(by_grade @ per_rater).reshape(1, -1),
            coincidences=_ordered_in_all(by_grade, factors)[np.newaxis],
            given=given,
        )

    def grouped(values: Floats) -> Floats:
        flat = values.reshape(len(values), math.prod(values.shape[1:]))
        sums = [np.bincount(cells.group, column, minlength=cells.n_groups) for column in flat.T]
        return np.stack(sums, axis=1).reshape(cells.n_groups, *values.shape[1:]).astype(np.float64)

    ordered = _ordered(by_grade.T, factors)
    return Tally(
        disagreement=grouped((ordered * weights).sum(axis=(1, 2)) / raters),
        doubly=grouped(doubly * times),
        rated=grouped(times),
        shares=grouped((by_grade * per_rater).T),
        coincidences=grouped(ordered),
        given=given,
    )


def _ordered(counts: Floats, factors: Floats) -> Floats:
    """Ordered pairs of assessors within each kind of pair, times its factor; shape (cells, q, q).

    Those who gave k with those who gave l, never with oneself.
    """
    ordered = counts[:, :, np.newaxis] * counts[:, np.newaxis, :]
    ordered -= counts[:, :, np.newaxis] * np.eye(counts.shape[1])
    ordered *= factors[:, np.newaxis, np.newaxis]
    return ordered


def _ordered_in_all(by_grade: Floats, factors: Floats) -> Floats:
    """The sum of `_ordered` over all cells, by one product of matrices; shape (q, q)."""
    sums: Floats = (by_grade * factors) @ by_grade.T
    sums -= np.diag(by_grade @ factors)
    return sums


def _product(draws: Floats, values: Floats) -> Floats:
    flat = draws @ values.reshape(len(values), math.prod(values.shape[1:]))
    return flat.reshape(len(draws), *values.shape[1:])
