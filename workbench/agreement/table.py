"""The contingency table of two assessors: how often one said this and the other that."""

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

RELEVANT_OR_NOT = (1, 0)

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
    _check_categories(categories)
    grades = [_in_bytes(each) for each in (first, second)]
    if grades[0].shape != grades[1].shape:
        raise WorkbenchError(
            f"{grades[0].size} grades cannot be compared with {grades[1].size}",
            remedy="give both assessors' grades of the same pairs",
        )
    size = len(categories)
    if size > _BY_BITS:
        return table_of_codes(*(coded(each, categories) for each in grades), size=size)
    table = tables_of_bits(*(bits_of(each, categories) for each in grades))
    if int(table.sum()) != grades[0].size:
        # Some grade is in no category; to find it is left to the one who tells it.
        for each in grades:
            coded(each, categories)
    return table


def table_of_codes(first: Codes, second: Codes, *, size: int) -> Table:
    """The table of places from 0 to size - 1; pairs that either did not judge are left out."""
    if size > _BY_BITS:
        both = (first != MISSING) & (second != MISSING)
        cells = first[both].astype(np.int64) * size + second[both]
        return np.bincount(cells, minlength=size * size).reshape(size, size)
    return tables_of_bits(bits_of(first, range(size)), bits_of(second, range(size)))


def bits_of(values: NDArray[np.integer[Any]], wanted: Sequence[int]) -> Bits:
    """For each of the wanted values the pairs that have it, as bits; shape (wanted, words)."""
    words = -(-len(values) // _BITS)
    bits = np.empty((len(wanted), words), dtype=np.uint64)
    marks = np.zeros(words * _BITS, dtype=np.bool_)
    for number, one in enumerate(wanted):
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
    _check_categories(categories)
    codes = _by_distance(np.asarray(grades), categories, missing)
    if codes is not None:
        return codes
    values = _in_bytes(grades)
    codes = np.full(values.shape, MISSING, dtype=np.int8)
    for place, category in enumerate(categories):
        codes += (values == category).view(np.int8) * np.int8(place + 1)
    strange = codes == MISSING
    if missing is not None:
        strange &= values != missing
    if strange.any():
        raise WorkbenchError(
            f"{values[strange][0]} is in no category of the table",
            remedy=f"the categories are {', '.join(map(str, categories))}",
        )
    return codes


def _by_distance(values: NDArray[Any], categories: Sequence[int], missing: int | None) -> Codes | None:
    """The places of grades on a scale without gaps, up or down, with nothing beyond its ends; else None.

    Then a place is a distance from the first category, and to see that and to reckon it takes four passes
    over the grades, not three for each category. What is missing may stand just below the scale, as -1 does.
    """
    step = -1 if categories[-1] < categories[0] else 1
    low, high = min(categories), max(categories)
    lowest = low - 1 if missing == low - 1 else low
    if (
        values.dtype.kind not in "iu"
        or not values.size
        or any(after - before != step for before, after in pairwise(categories))
        or not _BYTES.min <= lowest <= values.min() <= values.max() <= high <= _BYTES.max
    ):
        return None
    codes = values.astype(np.int8)
    if step > 0:
        codes -= np.int8(low)
        return codes
    np.subtract(np.int8(high), codes, out=codes)
    if lowest < low:
        codes[codes == len(categories)] = MISSING
    return codes


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


def binarised(grades: ArrayLike, *, relevant_from: int) -> NDArray[np.int64]:
    """1 for every grade from `relevant_from` on, 0 for the others."""
    return (np.asarray(grades, dtype=np.int64) >= relevant_from).astype(np.int64)


def checked(table: ArrayLike) -> Table:
    """A table that a coefficient can work on; raises WorkbenchError where it is not square or not counts."""
    counts = np.asarray(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not counts.size:
        raise WorkbenchError("a contingency table is square", remedy="one row and one column for each grade")
    if not np.issubdtype(counts.dtype, np.integer) or (counts < 0).any():
        raise WorkbenchError("a contingency table holds counts", remedy="whole numbers, 0 or more")
    return counts.astype(np.int64, copy=False)
