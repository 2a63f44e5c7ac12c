"""What assessors said, as arrays: pairs by number, grades by their place among the categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.table import RELEVANT_OR_NOT, Codes, binarised, coded
from workbench.errors import WorkbenchError

Pair = tuple[str, str]
"""A topic and a docno."""

Judged = Mapping[str, Mapping[Pair, int]]
"""Grades by assessor and pair; a pair that an assessor did not judge is not there."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one assessor said; both arrays have one place for each judgment, in the same order."""

    assessor: str
    pairs: NDArray[np.int64]
    codes: Codes


@dataclass(frozen=True, slots=True)
class Sheets:
    """All assessors' sheets, the categories that their codes mean, and the number of different pairs."""

    sheets: tuple[Sheet, ...]
    categories: tuple[int, ...]
    n_pairs: int


def sheets_of(judged: Judged, *, relevant_from: int | None, categories: Sequence[int] | None) -> Sheets:
    """Judgments as arrays, with grades made relevant or not from `relevant_from`, or else kept.

    The categories are highest first: 1 and 0, or those given, or those that occur.
    Raises WorkbenchError for negative grades and grades in no category.
    """
    kept = _categories(judged, relevant_from, categories)
    numbers: dict[Pair, int] = {}
    sheets = []
    for assessor, graded in judged.items():
        pairs = np.fromiter(
            (numbers.setdefault(pair, len(numbers)) for pair in graded), np.int64, len(graded)
        )
        grades = np.fromiter(graded.values(), np.int64, len(graded))
        if relevant_from is not None:
            grades = binarised(grades, relevant_from=relevant_from)
        sheets.append(Sheet(assessor, pairs, coded(grades, kept)))
    return Sheets(tuple(sheets), kept, len(numbers))


def _categories(judged: Judged, relevant_from: int | None, given: Sequence[int] | None) -> tuple[int, ...]:
    seen = set[int]().union(*(graded.values() for graded in judged.values()))
    if seen and min(seen) < 0:
        raise WorkbenchError(
            f"{min(seen)} is no grade: in qrels a negative number means that nobody judged the pair",
            remedy="leave these lines out",
        )
    if relevant_from is not None:
        return RELEVANT_OR_NOT
    return tuple(sorted(given if given is not None else seen or {0}, reverse=True))
