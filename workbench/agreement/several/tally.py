"""What the coefficients need of ratings: sums over pairs, in groups that a bootstrap can draw.

Every coefficient is a function of these sums alone, so that one pass over the ratings serves them all, and
a thousand resamples are a product of two small matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.weights import Weights

Floats = NDArray[np.float64]
Integers = NDArray[Any]

# Up to this many different cells an array of counters is quicker than sorting.
_DENSE = 2**22
# Up to this many kinds of pairs comparing bytes is quicker than counting by index.
_FEW = 32
# More kinds than fit into 63 bits are told apart by their rows.
_MOST_KEYS = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Kinds of pairs: `times` pairs of a `group`, on each of which `counts[:, k]` assessors gave grade k.

    Shapes (cells, q), (cells,), (cells,); nobody's pairs are not there.
    """

    counts: Integers
    times: Integers
    group: Integers
    n_groups: int


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


def tally(ratings: Ratings, weights: Weights, *, by_topic: bool = False) -> Tally:
    """The sums of some ratings, one group a topic, or all in one group."""
    cells = cells_of(ratings, by_topic=by_topic)
    return tally_of_cells(cells, weights, given=given_by_assessor(ratings, by_topic=by_topic))


def cells_of(ratings: Ratings, *, by_topic: bool = False) -> Cells:
    """The kinds of pairs that there are, by topic or altogether; pairs that nobody judged are left out."""
    q, base = len(ratings.categories), ratings.n_assessors + 1
    size, n_groups = base**q, ratings.n_topics if by_topic else 1
    if size * n_groups < _MOST_KEYS:
        keys = _keys(ratings, base)
        if by_topic:
            keys = ratings.topics * size + keys
        kinds, times = _counted(keys, size * n_groups, _possible(size, base, q) if not by_topic else None)
        group, kinds = np.divmod(kinds, size)
        rows = kinds[:, np.newaxis] // base ** np.arange(q) % base
    else:
        by_pair = [ratings.topics if by_topic else np.zeros(ratings.codes.shape[1], dtype=np.int64)]
        by_pair += [(ratings.codes == place).sum(axis=0) for place in range(q)]
        table, times = np.unique(np.stack(by_pair, axis=1), axis=0, return_counts=True)
        group, rows = table[:, 0], table[:, 1:]
    judged = rows.any(axis=1) & (times > 0)
    found = Cells(rows[judged], times[judged], group[judged], n_groups)
    return found if ratings.unlisted is None else _with_unlisted(found, ratings, ratings.unlisted)


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
    counts, times = cells.counts.astype(np.float64), cells.times.astype(np.float64)
    raters = counts.sum(axis=1)
    doubly = raters >= 2
    others = np.where(doubly, raters - 1, 1.0)
    # Ordered pairs of assessors within a pair: those who gave k with those who gave l, never with oneself.
    ordered = counts[:, :, np.newaxis] * counts[:, np.newaxis, :]
    ordered -= counts[:, :, np.newaxis] * np.eye(counts.shape[1])
    ordered *= (doubly * times / others)[:, np.newaxis, np.newaxis]

    def grouped(values: Floats) -> Floats:
        if cells.n_groups == 1:
            total: Floats = np.asarray(values.sum(axis=0, dtype=np.float64))[np.newaxis]
            return total
        flat = values.reshape(len(values), math.prod(values.shape[1:]))
        sums = [np.bincount(cells.group, column, minlength=cells.n_groups) for column in flat.T]
        return np.stack(sums, axis=1).reshape(cells.n_groups, *values.shape[1:]).astype(np.float64)

    return Tally(
        disagreement=grouped((ordered * weights).sum(axis=(1, 2)) / raters),
        doubly=grouped(doubly * times),
        rated=grouped(times),
        shares=grouped(counts / raters[:, np.newaxis] * times[:, np.newaxis]),
        coincidences=grouped(ordered),
        given=given,
    )


def _with_unlisted(cells: Cells, ratings: Ratings, unlisted: Integers) -> Cells:
    """The cells with one more for every group, of the pairs that everybody stands for the lowest grade on."""
    group, times = np.arange(cells.n_groups), unlisted if cells.n_groups > 1 else [unlisted.sum()]
    counts = np.zeros((cells.n_groups, len(ratings.categories)), dtype=cells.counts.dtype)
    counts[:, ratings.lowest] = ratings.n_assessors
    return Cells(
        np.concatenate([cells.counts, counts]),
        np.concatenate([cells.times, times]),
        np.concatenate([cells.group, group]),
        cells.n_groups,
    )


def _keys(ratings: Ratings, base: int) -> Integers:
    """A number for every pair, in whose digits to the base stands how many assessors gave each grade."""
    dtype = np.min_scalar_type(base ** len(ratings.categories) - 1)
    small = np.min_scalar_type(base)
    keys = np.zeros(ratings.codes.shape[1], dtype=dtype)
    for place in range(len(ratings.categories)):
        here = (ratings.codes == place).view(np.uint8).sum(axis=0, dtype=small)
        keys += here.astype(dtype, copy=False) * dtype.type(base**place)
    return keys


def _possible(size: int, base: int, q: int) -> Integers | None:
    """The keys that can be, where they are few: no more grades than assessors."""
    if size > 2**12:
        return None
    keys = np.arange(size)
    digits = keys[:, np.newaxis] // base ** np.arange(q) % base
    possible = keys[digits.sum(axis=1) < base]
    return possible if len(possible) <= _FEW else None


def _counted(keys: Integers, size: int, possible: Integers | None) -> tuple[Integers, Integers]:
    if possible is not None:
        times = np.array([np.count_nonzero(keys == key) for key in possible.astype(keys.dtype)])
        return possible, times
    if size <= _DENSE:
        times = np.bincount(keys, minlength=size)
        kinds = np.flatnonzero(times)
        return kinds, times[kinds]
    kinds, times = np.unique(keys, return_counts=True)
    return kinds.astype(np.int64, copy=False), times


def _product(draws: Floats, values: Floats) -> Floats:
    flat = draws @ values.reshape(len(values), math.prod(values.shape[1:]))
    return flat.reshape(len(draws), *values.shape[1:])
