"""Of many assessors what they gave is counted, of few the whole table; both are the same counts."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.agreement import tally as tallying
from workbench.agreement.contingency import MISSING
from workbench.agreement.grades import against_the_rest
from workbench.agreement.ratings import Ratings
from workbench.agreement.tally import cells_of, given_by_assessor


def some_ratings(unlisted: bool) -> Ratings:
    """Twenty assessors, of whom each judged a third of 90 pairs in five topics; of some pairs nobody."""
    random = np.random.default_rng(5)
    codes = np.where(random.random((20, 90)) < 0.3, random.integers(0, 4, (20, 90)), MISSING).astype(np.int8)
    codes[:, 60:64] = MISSING
    topics = np.sort(random.integers(0, 5, 90))
    return Ratings(codes, (3, 2, 1, 0), topics, 5, np.array([2, 0, 1, 0, 7]) if unlisted else None)


@pytest.mark.parametrize("by_topic", [False, True])
@pytest.mark.parametrize("unlisted", [False, True])
def test_counting_what_was_given_counts_the_same(
    monkeypatch: pytest.MonkeyPatch, by_topic: bool, unlisted: bool
) -> None:
    ratings = some_ratings(unlisted)
    monkeypatch.setattr(tallying, "_MANY", 1)
    cells, given = cells_of(ratings, by_topic=by_topic), given_by_assessor(ratings, by_topic=by_topic)
    monkeypatch.setattr(tallying, "_MANY", 21)
    ratings = some_ratings(unlisted)
    expected = cells_of(ratings, by_topic=by_topic)
    for mine, theirs in ((cells.counts, expected.counts), (cells.times, expected.times)):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(cells.group, expected.group)
    np.testing.assert_array_equal(given, given_by_assessor(ratings, by_topic=by_topic))


def test_grades_that_are_few_are_replaced_like_many() -> None:
    # One place in a hundred has a grade: these are written alone once they are known.
    random = np.random.default_rng(3)
    codes = np.where(random.random((20, 400)) < 0.01, random.integers(0, 4, (20, 400)), MISSING)
    sparse, dense = (Ratings(codes.astype(np.int8), (3, 2, 1, 0), np.zeros(400, int), 1) for _ in range(2))
    given = sparse.given()
    np.testing.assert_array_equal(codes[given.assessors, given.pairs], given.codes)
    assert len(given.codes) == np.count_nonzero(codes != MISSING) < codes.size // 16
    np.testing.assert_array_equal(sparse.from_grade(2).codes, dense.from_grade(2).codes)
    np.testing.assert_array_equal(sparse.from_grade(2).given().codes, dense.from_grade(2).given().codes)


def test_codes_are_replaced_one_by_one() -> None:
    ratings = some_ratings(unlisted=False)
    from_2, rest = ratings.from_grade(2), against_the_rest(ratings, 1)
    for row, binary, other in zip(ratings.codes, from_2.codes, rest.codes, strict=True):
        # The categories are 3, 2, 1, 0 and then 1, 0: relevant stands first.
        assert [{0: 0, 1: 0, 2: 1, 3: 1, MISSING: MISSING}[one] for one in row.tolist()] == binary.tolist()
        assert [{0: 1, 1: 0, 2: 1, 3: 1, MISSING: MISSING}[one] for one in row.tolist()] == other.tolist()
