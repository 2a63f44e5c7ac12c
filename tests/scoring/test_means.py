from __future__ import annotations

import numpy as np
import pytest

from tests.support import Oracle
from workbench.scoring.significance import mean_score, mean_scores

stats = Oracle("scipy.stats")


def test_the_interval_is_that_of_students_t() -> None:
    scores = [0.31, 0.02, 0.77, 0.4, 0.4]
    found = mean_score(scores)
    expected = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.mean == pytest.approx(np.mean(scores))
    assert found.topics == 5


def test_one_topic_has_no_interval() -> None:
    found = mean_score([0.5])
    assert (found.mean, found.low, found.high, found.topics) == (0.5, None, None, 1)


@pytest.mark.parametrize("topics", [1, 2, 3, 9, 50, 300])
def test_many_runs_have_the_intervals_of_each_run_to_the_last_bit(topics: int) -> None:
    # From 8 numbers on numpy adds up in several partial sums, from 128 on in halves.
    scores = np.random.default_rng(topics).random((7, topics))
    for given in (scores, np.asfortranarray(scores)):
        assert mean_scores(given) == [mean_score(row) for row in scores.tolist()]
