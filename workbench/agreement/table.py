"""The contingency table of two assessors: how often one said this and the other that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import WorkbenchError

Table = NDArray[np.int64]
Codes = NDArray[np.int64]
"""Places of grades in a list of categories, from 0."""

RELEVANT_OR_NOT = (1, 0)


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
    return np.bincount(first * size + second, minlength=size * size).reshape(size, size)


def coded(grades: ArrayLike, categories: Sequence[int]) -> Codes:
    """The place of every grade in the categories; raises WorkbenchError for a grade that has none."""
    values = np.asarray(grades, dtype=np.int64)
    if len(set(categories)) != len(categories) or not categories:
        raise WorkbenchError("the categories of a table must differ", remedy="list every grade once")
    codes = np.full(values.shape, -1, dtype=np.int64)
    for place, category in enumerate(categories):
        codes[values == category] = place
    if codes.min(initial=0) < 0:
        raise WorkbenchError(
            f"{values[codes < 0][0]} is in no category of the table",
            remedy=f"the categories are {', '.join(map(str, categories))}",
        )
    return codes


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
