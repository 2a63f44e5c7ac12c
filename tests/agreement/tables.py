"""Contingency tables for the tests of agreement: from the worked cases, and drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from workbench.agreement.table import contingency

COUNTS = st.one_of(st.just(0), st.integers(0, 3), st.integers(0, 10**6))


@st.composite
def tables(draw: st.DrawFn) -> NDArray[np.int64]:
    """Square tables of 2 to 5 grades, with many empty cells."""
    size = draw(st.integers(2, 5))
    cells = draw(st.lists(COUNTS, min_size=size * size, max_size=size * size))
    return np.array(cells, dtype=np.int64).reshape(size, size)


def table_of(case: dict[str, Any]) -> list[list[int]]:
    """The table of a worked case, given as a table or as two assessors' grades."""
    given = case["input"]
    for key in ("table", "counts", "table_rows_judge1_yes_no"):
        if key in given:
            table: list[list[int]] = given[key]
            return table
    first, second = (given[key] for key in given if key.startswith(("judge", "rater", "pass")))
    grades = sorted({*first, *second}, reverse=True)
    counted: list[list[int]] = contingency(first, second, categories=grades).tolist()
    return counted
