"""Ratings, tables and selections for the tests of agreement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from tests.support import Oracle
from workbench.agreement.coefficient import CoefficientValue, value_of
from workbench.agreement.coefficients import COEFFICIENTS, coefficient_value, pooled_kappa
from workbench.agreement.jackknife import freedom
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import (
    MISSING,
    Assessor,
    Ratings,
    answers_of,
    checked,
    contingency,
    ratings_of,
)
from workbench.agreement.selection import Selection, select_ratings
from workbench.agreement.tally import tally_of_tables
from workbench.agreement.weights import nominal

stats = Oracle("scipy.stats")

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
def ratings(
    draw: st.DrawFn, *, complete: bool = False, assessors: int | None = None, topics: int = 4
) -> Ratings:
    """Ratings of 2 to 5 assessors of up to so many topics, three pairs each, on scales of 2 to 5 grades."""
    q = draw(st.integers(2, 5))
    n = draw(st.integers(1, 3 * topics))
    r = assessors or draw(st.integers(2, 5))
    # A byte a cell: drawing each by itself would cost more than all that is done with them.
    said = np.frombuffer(draw(st.binary(min_size=n * r, max_size=n * r)), dtype=np.uint8).reshape(r, n)
    grades = (said >> 1).astype(int) % q
    rows = grades if complete else np.where(said & 1, NOT_JUDGED, grades)
    of = np.frombuffer(draw(st.binary(min_size=n, max_size=n)), dtype=np.uint8).astype(int) % topics
    return ratings_of(rows.tolist(), categories=range(q), missing=NOT_JUDGED, topics=of.tolist())


def entered(
    grades: Mapping[str, Sequence[int | None]],
    *,
    scale: Sequence[int] = (0, 1),
    topics: int = 1,
    machines: Sequence[str] = (),
    **options: Any,
) -> Selection:
    """Grades of documents d0, d1, ... by assessor; None is not judged. Documents go to the topics in turn."""
    assessors = [Assessor(name, name in machines) for name in grades]
    said = [
        (number, f"t{at % topics}", f"d{at:05}", grade)
        for number, row in enumerate(grades.values())
        for at, grade in enumerate(row)
        if grade is not None
    ]
    answers = answers_of(assessors, said)
    return select_ratings(answers, scale, AgreementOptions(**{"relevant_from": 1, **options}))


def columns(table: Sequence[Sequence[int]]) -> dict[str, list[int]]:
    """The grades of two assessors from their table of relevant (first) and not."""
    (both, first), (second, neither) = table
    return {
        "first": [1] * both + [1] * first + [0] * second + [0] * neither,
        "second": [1] * both + [0] * first + [1] * second + [0] * neither,
    }


def value_of_table(name: str, table: ArrayLike) -> CoefficientValue:
    """A coefficient of two assessors from their contingency table."""
    counts = checked(table)
    weights = nominal(len(counts))
    return value_of(COEFFICIENTS[name], tally_of_tables(counts.astype(np.float64), weights), weights)


TABLE_FORMS: dict[str, Callable[[ArrayLike], CoefficientValue]] = {
    "observed": partial(value_of_table, "observed"),
    "pooled": pooled_kappa,
    "unpooled": partial(value_of_table, "unpooled"),
}
"""Coefficients of the table of two assessors; that of the pooled kappa is exact."""


def jackknifed(
    whole: float,
    without: Sequence[float],
    rich: Sequence[float],
    *,
    share: bool = False,
    level: float = 0.95,
) -> tuple[float, float]:
    """The interval of a figure from those without each topic, as it is defined.

    The mean of the pseudo-values of atanh (Tukey 1958; Miller 1974) with Student's t, whose degrees of
    freedom follow from how many equally `rich` topics these are worth (Kish 1965).
    """

    def there(value: float) -> float:
        return float(np.arctanh(np.clip(2 * value - 1 if share else value, -0.999, 0.999)))

    many = len(without)
    pseudo = [many * there(whole) - (many - 1) * there(one) for one in without]
    effective = float(np.sum(rich) ** 2 / np.square(rich).sum())
    reach = stats.t.ppf((1 + level) / 2, freedom(effective)) * stats.sem(pseudo)
    low, high = (float(np.tanh(np.mean(pseudo) + sign * reach)) for sign in (-1, 1))
    return ((low + 1) / 2, (high + 1) / 2) if share else (low, high)


def interval_of_all_but_each(
    data: Ratings, name: str, *, weights: str = "nominal", level: float = 0.95
) -> tuple[float, float]:
    """The interval over topics of a coefficient, worked out anew from the ratings without each topic."""

    def value(some: Ratings) -> float:
        found = coefficient_value(some, name, weights=weights).value
        assert found is not None
        return found

    topics = np.unique(data.topics[(data.codes != MISSING).any(axis=0)]).tolist()
    without = [value(without_topic(data, topic)) for topic in topics]
    return jackknifed(value(data), without, richness(data, topics), share=name == "observed", level=level)


def without_topic(data: Ratings, topic: int) -> Ratings:
    """The ratings without the pairs of a topic."""
    there = data.topics != topic
    return replace(data, codes=data.codes[:, there], topics=data.topics[there])


def richness(data: Ratings, topics: Sequence[int]) -> list[float]:
    """Of some topics how many pairs have another grade than the most frequent, as a mean over assessors."""
    raters = (data.codes != MISSING).sum(axis=0)
    shares = [
        np.divide((data.codes == place).sum(axis=0), raters, out=np.zeros(len(raters)), where=raters > 0)
        for place in range(len(data.categories))
    ]
    most = int(np.argmax([share.sum() for share in shares]))
    rare = sum(share for place, share in enumerate(shares) if place != most)
    return [float(np.asarray(rare)[data.topics == topic].sum()) for topic in topics]
