"""Contingency tables: how often one assessor gave this grade and the other that."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import WorkbenchError

Table = NDArray[np.int64]
Codes = NDArray[np.int8]
"""Places of grades in a list of categories, from 0; MISSING where there is no grade."""

Bits = NDArray[np.uint64]
"""Sets of pairs, a bit for each."""

MISSING = -1
MOST_CATEGORIES = 100

# A table up to this size is counted by bits, place by place; a larger one sooner by index.
_BY_BITS = 8
_BITS = 64
_BYTES = np.iinfo(np.int8)


def contingency(first: ArrayLike, second: ArrayLike, *, categories: Sequence[int]) -> Table:
    """The table of two assessors' grades of the same pairs, in the same order.

    Rows are the first assessor's grades, columns the second's, both in the order of `categories`; shape
    (categories, categories). Raises WorkbenchError where the lengths differ or a grade is in no category.

    >>> contingency([1, 1, 0, 0], [1, 0, 0, 0], categories=(1, 0)).tolist()
    [[1, 1], [0, 2]]
    """
    codes = [coded(each, categories) for each in (first, second)]
    if codes[0].shape != codes[1].shape:
        raise WorkbenchError(
            f"{codes[0].size} grades cannot be compared with {codes[1].size}",
            remedy="give both assessors' grades of the same pairs",
        )
    return table_of_codes(*codes, size=len(categories))


def table_of_codes(first: Codes, second: Codes, *, size: int) -> Table:
    """The table of places from 0 to size - 1; pairs that either did not judge are left out."""
    if size > _BY_BITS:
        both = (first != MISSING) & (second != MISSING)
        cells = first[both].astype(np.int64) * size + second[both]
        return np.bincount(cells, minlength=size * size).reshape(size, size)
    return tables_of_bits(bits_of(first, range(size)), bits_of(second, range(size)))


def bits_of(values: NDArray[np.integer[Any]], codes: Sequence[int]) -> Bits:
    """For each of these codes the pairs that have it, as bits; shape (codes, words)."""
    words = -(-len(values) // _BITS)
    bits = np.empty((len(codes), words), dtype=np.uint64)
    marks = np.zeros(words * _BITS, dtype=np.bool_)
    for number, one in enumerate(codes):
        np.equal(values, one, out=marks[: len(values)])
        bits[number] = np.packbits(marks).view(np.uint64)
    return bits


def tables_of_bits(rows: Bits, columns: Bits) -> Table:
    """How many pairs are in every row and column, which takes half of the time of comparing bytes."""
    counts = np.empty((len(rows), len(columns)), dtype=np.int64)
    for number, row in enumerate(rows):
        np.bitwise_count(row & columns).sum(axis=1, out=counts[number])
    return counts


def coded(grades: ArrayLike, categories: Sequence[int], *, missing: int | None = None) -> Codes:
    """The place of every grade in the categories, MISSING for the number that means that there is none.

    Raises WorkbenchError for a grade that has no place, and for categories that repeat or are too many.
    """
    codes: Codes = coded_rows([np.asarray(grades)], categories, missing=missing)[0]
    return codes


def coded_rows(
    rows: Sequence[NDArray[Any]], categories: Sequence[int], *, missing: int | None = None
) -> Codes:
    """The places of the grades of several assessors, row by row and of one length; raises as `coded` does."""
    _check_categories(categories)
    codes = np.empty((len(rows), *rows[0].shape), dtype=np.int8)
    step = _step(categories)
    for values, places in zip(rows, codes, strict=True):
        if not step or not _by_distance(values, categories, step, missing, places):
            _by_category(values, categories, missing, places)
    return codes


def _step(categories: Sequence[int]) -> int:
    """1 where each category is one more than that before it, -1 where it is one less, else 0."""
    step = -1 if categories[-1] < categories[0] else 1
    return step if all(after - before == step for before, after in pairwise(categories)) else 0


def _by_distance(
    values: NDArray[Any], categories: Sequence[int], step: int, missing: int | None, places: Codes
) -> bool:
    """Write places on a scale without gaps, where no grade is beyond its ends, else leave it to others.

    There a place is a distance from the first category, and to check and compute it takes three passes
    over the grades, not three for each category. What is missing may stand just below the scale, as -1 does.
    """
    low, high = min(categories[0], categories[-1]), max(categories[0], categories[-1])
    lowest = low - 1 if missing == low - 1 else low
    if (
        values.dtype.kind not in "iu"
        or not values.size
        or not _BYTES.min <= lowest <= np.minimum.reduce(values, axis=None)
        or not np.maximum.reduce(values, axis=None) <= high <= _BYTES.max
    ):
        return False
    np.copyto(places, values, casting="unsafe")
    if step < 0:
        np.subtract(np.int8(high), places, out=places)
        if lowest < low:
            places[places == len(categories)] = MISSING
    elif low:
        places -= np.int8(low)
    return True


def _by_category(values: NDArray[Any], categories: Sequence[int], missing: int | None, places: Codes) -> None:
    """Write places on any scale; raises WorkbenchError for a grade that is in no category."""
    small = _in_bytes(values)
    places[...] = MISSING
    for place, category in enumerate(categories):
        places += (small == category).view(np.int8) * np.int8(place + 1)
    strange = places == MISSING
    if missing is not None:
        strange &= small != missing
    if strange.any():
        raise WorkbenchError(
            f"{small[strange][0]} is not a category of the table",
            remedy=f"use one of {', '.join(map(str, categories))}",
        )


def _check_categories(categories: Sequence[int]) -> None:
    if len(set(categories)) != len(categories) or not 0 < len(categories) <= MOST_CATEGORIES:
        raise WorkbenchError(
            "the categories of a table must differ",
            remedy=f"list every grade once, {MOST_CATEGORIES} at most",
        )


def _in_bytes(grades: ArrayLike) -> NDArray[np.integer[Any]]:
    """Whole numbers as bytes where they fit: all that follows then touches an eighth of the memory."""
    values: NDArray[Any] = np.asarray(grades)
    if values.dtype.kind not in "iu":
        values = values.astype(np.int64)
    if values.dtype == np.int8 or not values.size:
        return values
    if values.min() < _BYTES.min or values.max() > _BYTES.max:
        return values
    return values.astype(np.int8)


def checked(table: ArrayLike) -> Table:
    """A table that a coefficient can work on; raises WorkbenchError where it is not square or not counts."""
    counts = np.asarray(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not counts.size:
        raise WorkbenchError(
            "a contingency table is square", remedy="give one row and one column for each grade"
        )
    if not np.issubdtype(counts.dtype, np.integer) or (counts < 0).any():
        raise WorkbenchError("a contingency table holds counts", remedy="give whole numbers of 0 or more")
    return counts.astype(np.int64, copy=False)
