"""Ratings for the tests: from the worked cases, and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from workbench.agreement.several.ratings import Ratings, ratings_of

NOT_JUDGED = -9


def from_rows(rows: Sequence[Sequence[Any]], *, scale: Sequence[Any] | None = None) -> Ratings:
    """Ratings from rows, an assessor each, of grades of any kind; None is no grade."""
    seen = sorted({grade for row in rows for grade in row if grade is not None}) if scale is None else scale
    place = {grade: number for number, grade in enumerate(seen)} | {None: NOT_JUDGED}
    numbers = [[place[grade] for grade in row] for row in rows]
    return ratings_of(numbers, categories=range(len(seen)), missing=NOT_JUDGED)


def from_counts(counts: Sequence[Sequence[int]]) -> Ratings:
    """Ratings of unnamed assessors from how many of them gave each grade of each pair."""
    columns = [[grade for grade, times in enumerate(row) for _ in range(times)] for row in counts]
    most = max(map(len, columns))
    filled = [column + [None] * (most - len(column)) for column in columns]
    return from_rows(list(zip(*filled, strict=True)), scale=range(len(counts[0])))


def from_table(table: Sequence[Sequence[int]]) -> Ratings:
    """Ratings of two assessors from their contingency table."""
    counts = np.asarray(table)
    first, second = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), len(counts))
    return ratings_of([first, second], categories=range(len(counts)))


def from_labels(triples: Sequence[Sequence[str]], *, worker: int, item: int) -> Ratings:
    """Ratings from (worker, item, label) in some order, the label last."""
    workers = sorted({one[worker] for one in triples})
    items = sorted({one[item] for one in triples})
    said = {(one[worker], one[item]): one[-1] for one in triples}
    return from_rows([[said.get((who, what)) for what in items] for who in workers])


@st.composite
def ratings(draw: st.DrawFn, *, complete: bool = False, assessors: int | None = None) -> Ratings:
    """Ratings of 2 to 5 assessors of up to 12 pairs in up to 4 topics, on scales of 2 to 5 grades."""
    q = draw(st.integers(2, 5))
    n = draw(st.integers(1, 12))
    r = assessors or draw(st.integers(2, 5))
    # A byte a cell: drawing each by itself would cost more than all that is done with them.
    said = np.frombuffer(draw(st.binary(min_size=n * r, max_size=n * r)), dtype=np.uint8).reshape(r, n)
    grades = (said >> 1).astype(int) % q
    rows = grades if complete else np.where(said & 1, NOT_JUDGED, grades)
    topics = np.frombuffer(draw(st.binary(min_size=n, max_size=n)), dtype=np.uint8) & 3
    return ratings_of(
        rows.tolist(), categories=range(q), missing=NOT_JUDGED, topics=topics.astype(int).tolist()
    )
