"""The contingency table of two assessors: how often one said this and the other that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import WorkbenchError

Table = NDArray[np.int64]
Codes = NDArray[np.int8]
"""Places of grades in a list of categories, from 0; MISSING where there is no grade."""

MISSING = -1
MOST_CATEGORIES = 100

RELEVANT_OR_NOT = (1, 0)

# Cells of tables up to this size, squared, are counted one by one: 36 comparisons of bytes.
_COMPARED = 6


def contingency(first: ArrayLike, second: ArrayLike, *, categories: Sequence[int]) -> Table:
    """The table of two assessors' grades of the same pairs, in the same order.

    Rows are the first assessor's grades, columns the second's, both in the order of `categories`; shape
    (categories, categories). Raises WorkbenchError where the lengths differ or a grade is in no category.

    >>> contingency([1, 1, 0, 0], [1, 0, 0, 0], categories=(1, 0)).tolist()
    [[1, 1], [0, 2]]
    """
    codes = coded(first, categories), coded(second, categories)
    if codes[0].shape != codes[1].shape:
        raise WorkbenchError(
            f"{codes[0].size} grades cannot be compared with {codes[1].size}",
            remedy="give both assessors' grades of the same pairs",
        )
    return table_of_codes(*codes, size=len(categories))


def table_of_codes(first: Codes, second: Codes, *, size: int) -> Table:
    """The table of places from 0 to size - 1; shape (size, size)."""
    if size > _COMPARED:
        cells = first.astype(np.int64) * size + second
        return np.bincount(cells, minlength=size * size).reshape(size, size)
    # Comparing bytes takes a fifth of the time of counting by index, as long as the cells are few.
    byte = first * np.int8(size) + second
    counts = [np.count_nonzero(byte == np.int8(cell)) for cell in range(size * size)]
    return np.array(counts, dtype=np.int64).reshape(size, size)


def coded(grades: ArrayLike, categories: Sequence[int], *, missing: int | None = None) -> Codes:
    """The place of every grade in the categories, MISSING for the number that means that there is none.

    Raises WorkbenchError for a grade that has no place, and for categories that repeat or are too many.
    """
    values = _in_bytes(np.asarray(grades))
    if len(set(categories)) != len(categories) or not 0 < len(categories) <= MOST_CATEGORIES:
        raise WorkbenchError(
            "the categories of a table must differ",
            remedy=f"list every grade once, {MOST_CATEGORIES} at most",
        )
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


def _in_bytes(values: NDArray[Any]) -> NDArray[np.integer[Any]]:
    """The same numbers as bytes where they fit: all that follows then touches an eighth of the memory."""
    if values.dtype.kind not in "iu":
        values = values.astype(np.int64)
    limits = np.iinfo(np.int8)
    if values.dtype == np.int8 or not values.size or values.min() < limits.min or values.max() > limits.max:
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
