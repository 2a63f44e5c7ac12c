"""What every coefficient needs of ratings: sums over pairs, in groups that a bootstrap can draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.ratings import Ratings
from workbench.agreement.weights import Weights

Integers = NDArray[Any]

# Up to this many different cells an array of counters is quicker than sorting.
_DENSE = 2**22
# Up to this many kinds of pairs comparing bytes is quicker than counting by index.
_FEW = 32
# From so many places on numpy adds up in another order.
_FEW_COLUMNS = 8
# Grades compared at a time: few enough for a cache, many enough that calling numpy costs nothing.
_CACHED = 2**20
# Of so many assessors most judged only a part of the pairs: then what they gave is counted and not the table.
_MANY = 16
# More kinds than fit into 63 bits are told apart by their rows.
_MOST_KEYS = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Kinds of pairs: `times` pairs of a `group`, on each of which `counts[k]` assessors gave grade k.

    Shapes (q, cells), (cells,), (cells,); nobody's pairs are not there.
    """

    counts: Integers
    times: Integers
    group: Integers
    n_groups: int


def cells_of(ratings: Ratings, *, by_topic: bool = False) -> Cells:
    """The kinds of pairs that there are, by topic or altogether; pairs that nobody judged are left out."""
    n_groups = ratings.n_topics if by_topic else 1
    counts = _counts(ratings)
    bases = [1 + int(most) for most in counts.max(axis=1, initial=0)]
    size = math.prod(bases)
    if size * n_groups < _MOST_KEYS:
        keys = _keys(counts, bases)
        if by_topic:
            keys = ratings.topics * size + keys
        kinds, times = _counted(keys, size * n_groups, None if by_topic else _possible(bases, ratings))
        group, *by_grade = np.unravel_index(kinds, (n_groups, *bases))
    else:
        topics = ratings.topics if by_topic else np.zeros(counts.shape[1], dtype=np.int64)
        table, times = np.unique(np.stack([topics, *counts]), axis=1, return_counts=True)
        group, *by_grade = table
    found = _judged(Cells(np.stack(by_grade), times, group, n_groups))
    return found if ratings.unlisted is None else _with_unlisted(found, ratings, ratings.unlisted)


def cells_against_the_rest(cells: Cells, place: int) -> Cells:
    """The cells with one grade made the first, and all others the second."""
    own = cells.counts[place].astype(np.int64)
    rest = cells.counts.sum(axis=0, dtype=np.int64) - own
    bases = cells.n_groups, 1 + int(own.max(initial=0)), 1 + int(rest.max(initial=0))
    keys, kinds = np.unique(np.ravel_multi_index((cells.group, own, rest), bases), return_inverse=True)
    times = np.bincount(kinds, cells.times, minlength=len(keys)).astype(np.int64)
    group, *counts = np.unravel_index(keys, bases)
    return Cells(np.stack(counts), times, group, cells.n_groups)


def _judged(cells: Cells) -> Cells:
    """The cells that hold pairs, and pairs that somebody judged."""
    judged = cells.counts.any(axis=0) & (cells.times > 0)
    if judged.all():
        return cells
    counts = cells.counts.compress(judged, axis=1)
    return Cells(counts, cells.times[judged], cells.group[judged], cells.n_groups)


def _with_unlisted(cells: Cells, ratings: Ratings, unlisted: Integers) -> Cells:
    """The cells with one more for every group, of the pairs that everybody stands for the lowest grade on."""
    group, times = np.arange(cells.n_groups), unlisted if cells.n_groups > 1 else [unlisted.sum()]
    counts = np.zeros((len(ratings.categories), cells.n_groups), dtype=cells.counts.dtype)
    counts[ratings.lowest] = ratings.n_assessors
    return Cells(
        np.concatenate([cells.counts, counts], axis=1),
        np.concatenate([cells.times, times]),
        np.concatenate([cells.group, group]),
        cells.n_groups,
    )


def _counts(ratings: Ratings) -> Integers:
    """How many assessors gave every grade to every pair; shape (q, pairs), in as few bytes as hold that."""
    q, (assessors, pairs) = len(ratings.categories), ratings.codes.shape
    if assessors >= _MANY:
        given = ratings.given()
        places = given.codes.astype(np.int64) * pairs + given.pairs
        found = np.bincount(places, minlength=q * pairs).reshape(q, pairs)
        return found.astype(np.min_scalar_type(assessors))
    counts: Integers = np.empty((q, pairs), dtype=np.min_scalar_type(assessors))
    at_once = max(1, _CACHED // max(assessors, 1))
    marks = np.empty((assessors, min(at_once, pairs)), dtype=np.bool_)
    for start in range(0, pairs, at_once):
        codes, some = ratings.codes[:, start : start + at_once], counts[:, start : start + at_once]
        here = marks[:, : codes.shape[1]]
        for place in range(q):
            np.equal(codes, place, out=here)
            # Bytes, since to add up truth values takes twice as long.
            np.add.reduce(here.view(np.uint8), axis=0, dtype=counts.dtype, out=some[place])
    return counts


def _keys(counts: Integers, bases: Sequence[int]) -> Integers:
    """A number for every pair, whose digits, each to its own base, are how many gave each grade."""
    size = math.prod(bases)
    # Unsigned words of 64 bits would become floats beside the numbers of topics.
    keys: Integers = counts[0].astype(np.min_scalar_type(size) if size < 2**32 else np.int64)
    for base, row in zip(bases[1:], counts[1:], strict=True):
        keys *= base
        keys += row
    return keys


def _possible(bases: Sequence[int], ratings: Ratings) -> Integers | None:
    """The keys that can be, where they are few: no more grades than assessors."""
    size = math.prod(bases)
    if size > 2**12:
        return None
    keys = np.arange(size)
    gave = np.stack(np.unravel_index(keys, bases)).sum(axis=0)
    possible: Integers = keys[gave <= ratings.n_assessors]
    return possible if len(possible) <= _FEW else None


def _counted(keys: Integers, size: int, possible: Integers | None) -> tuple[Integers, Integers]:
    if possible is not None:
        times = np.array([np.count_nonzero(keys == key) for key in possible.astype(keys.dtype)])
        return possible, times
    if size <= _DENSE:
        times = np.bincount(keys, minlength=size)
        # To make bytes of them first takes a tenth of the time.
        kinds = np.flatnonzero(times != 0)
        return kinds, times[kinds]
    kinds, times = np.unique(keys, return_counts=True)
    return kinds.astype(np.int64, copy=False), times


Floats = NDArray[np.float64]


def quotient(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """Part divided by whole, element by element; 0 where there is no whole."""
    shape = np.broadcast_shapes(part.shape, whole.shape)
    return np.asarray(np.divide(part, whole, out=np.zeros(shape), where=whole > 0))


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

    def each(self, of_sums: Callable[[Floats], Floats]) -> Tally:
        """What follows from each of the sums."""
        return Tally(*(of_sums(getattr(self, one.name)) for one in fields(self)))

    def total(self) -> Tally:
        """The sums over all groups."""
        return self.each(lambda sums: sums.sum(axis=0))

    def grouped(self) -> Tally:
        """The same sums as those of a single group."""
        return self.each(lambda sums: sums[np.newaxis])


def tally(ratings: Ratings, weights: Weights, *, by_topic: bool = False, by_assessor: bool = True) -> Tally:
    """The sums of some ratings, one group a topic, or all in one group.

    Without `by_assessor` `given` has no assessors: most coefficients do not ask for it.
    """
    given = given_by_assessor(ratings, by_topic=by_topic) if by_assessor else None
    return tally_of_cells(cells_of(ratings, by_topic=by_topic), weights, given)


def given_by_assessor(ratings: Ratings, *, by_topic: bool = False) -> Floats:
    """How often each assessor gave each grade; shape (groups, assessors, q)."""
    q = len(ratings.categories)
    if ratings.n_assessors >= _MANY:
        return _given_by_many(ratings, by_topic=by_topic)
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


def _given_by_many(ratings: Ratings, *, by_topic: bool) -> Floats:
    shape = ratings.n_topics if by_topic else 1, ratings.n_assessors, len(ratings.categories)
    grades = ratings.given()
    places = grades.assessors.astype(np.int64) * shape[2] + grades.codes
    if by_topic:
        places += ratings.topics[grades.pairs] * (shape[1] * shape[2])
    given = np.bincount(places, minlength=math.prod(shape)).reshape(shape).astype(np.float64)
    if ratings.unlisted is not None:
        missing = ratings.unlisted if by_topic else ratings.unlisted.sum(keepdims=True)
        given[:, :, ratings.lowest] += missing[:, np.newaxis]
    return given


def tally_of_cells(cells: Cells, weights: Weights, given: Floats | None = None) -> Tally:
    """The sums of cells, group by group; of no assessors where nothing says what each has `given`."""
    if given is None:
        given = np.empty((cells.n_groups, 0, len(weights)))
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


def sum_of_last(values: Floats, axes: int = 1) -> Floats:
    """The sum over the last axes.

    Of fewer than eight places column is added to column, in numpy's own order and a tenth of its time.
    """
    rest = values.shape[: values.ndim - axes]
    columns = values.reshape(*rest, math.prod(values.shape[values.ndim - axes :]))
    if not 0 < columns.shape[-1] < _FEW_COLUMNS:
        whole: Floats = columns.sum(axis=-1)
        return whole
    found = columns[..., 0].copy()
    for place in range(1, columns.shape[-1]):
        found += columns[..., place]
    return found


def tally_of_tables(tables: Floats, weights: Weights) -> Tally:
    """The sums that coefficients need, of tables (..., q, q) of two assessors."""
    rows, columns = sum_of_last(tables), sum_of_last(np.swapaxes(tables, -1, -2))
    n = sum_of_last(rows)
    return Tally(
        disagreement=sum_of_last(tables * weights, 2),
        doubly=n,
        rated=n,
        shares=(rows + columns) / 2,
        coincidences=tables + np.swapaxes(tables, -1, -2),
        given=np.stack([rows, columns], axis=-2),
    )
