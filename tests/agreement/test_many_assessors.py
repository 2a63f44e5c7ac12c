"""Of many assessors what they gave is counted, of few the whole table; both are the same counts."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.agreement import tally as tallying
from workbench.agreement.ratings import MISSING, Ratings
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
