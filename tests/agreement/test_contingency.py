"""Contingency tables."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import Oracle, examples
from workbench.agreement.ratings import MISSING, coded, contingency, table_of_codes
from workbench.errors import WorkbenchError

metrics = Oracle("sklearn.metrics")


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_scikit_learn_counts_the_same(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    table = contingency(first, second, categories=(3, 2, 1, 0))
    assert np.array_equal(table, metrics.confusion_matrix(first, second, labels=[3, 2, 1, 0]))


SCALES = st.one_of(
    st.tuples(st.integers(-129, 128), st.integers(1, 12), st.sampled_from([1, -1])).map(
        lambda one: tuple(range(one[0], one[0] + one[1]))[:: one[2]]
    ),
    st.lists(st.one_of(st.integers(-5, 5), st.integers(-400, 400)), min_size=1, unique=True).map(tuple),
)


@given(SCALES, st.integers(1, 150), st.booleans(), st.data())
@settings(max_examples=examples(50), deadline=None)
def test_places_and_tables_are_those_of_a_plain_reckoning(
    categories: tuple[int, ...], length: int, judged_all: bool, data: st.DataObject
) -> None:
    random = np.random.default_rng(data.draw(st.integers(0, 9)))
    missing = data.draw(st.sampled_from([min(categories) - 1, max(categories) + 1, 7000]))
    said = categories if judged_all else (*categories, missing)
    first, second = random.choice(said, (2, length))
    place = {category: number for number, category in enumerate(categories)} | {missing: MISSING}
    assert coded(first, categories, missing=missing).tolist() == [place[grade] for grade in first.tolist()]
    pairs = Counter(zip(first.tolist(), second.tolist(), strict=True))
    expected = [[pairs[one, other] for other in categories] for one in categories]
    codes = [coded(grades, categories, missing=missing) for grades in (first, second)]
    assert table_of_codes(*codes, size=len(categories)).tolist() == expected
    if missing not in first and missing not in second:
        assert contingency(first, second, categories=categories).tolist() == expected
    else:
        with pytest.raises(WorkbenchError, match=f"^{missing} is not a category"):
            contingency(first, second, categories=categories)
        with pytest.raises(WorkbenchError, match=f"^{missing} is not a category"):
            coded([*categories, missing], categories, missing=missing + 1)


def test_a_grade_in_no_category_is_refused() -> None:
    with pytest.raises(WorkbenchError, match=r"3 is not a category of the table \(use one of 1, 0\)"):
        contingency([0, 3], [0, 1], categories=(1, 0))


def test_grades_of_different_pairs_are_refused() -> None:
    with pytest.raises(WorkbenchError, match="2 grades cannot be compared with 1"):
        contingency([0, 1], [0], categories=(1, 0))


@pytest.mark.parametrize("categories", [(), (1, 1, 0)])
def test_categories_that_are_none_or_repeated_are_refused(categories: tuple[int, ...]) -> None:
    with pytest.raises(WorkbenchError, match="list every grade once"):
        contingency([], [], categories=categories)
