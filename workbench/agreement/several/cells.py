"""The kinds of pairs that there are: how many assessors gave each grade, and how often that comes.

Of a hundred thousand pairs most are alike to every coefficient, so that these are reckoned once a kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.several.ratings import Ratings

Integers = NDArray[Any]

# Up to this many different cells an array of counters is quicker than sorting.
_DENSE = 2**22
# Up to this many kinds of pairs comparing bytes is quicker than counting by index.
_FEW = 32
# Grades compared at a time: few enough for a cache, many enough that calling numpy costs nothing.
_CACHED = 2**20
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
    counts = np.empty((q, pairs), dtype=np.min_scalar_type(assessors))
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
