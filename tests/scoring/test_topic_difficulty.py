from __future__ import annotations

from math import sqrt

import pytest

from workbench.scoring.topic_difficulty import topic_scores


def test_the_hardest_topic_comes_first_with_how_far_the_runs_differ() -> None:
    hard, easy = topic_scores([{"1": 0.9, "2": 0.0}, {"1": 0.7, "2": 0.1}, {"1": 0.8, "2": 0.5}])
    assert (hard.topic, hard.runs, hard.low, hard.median, hard.high) == ("2", 3, 0.0, 0.1, 0.5)
    # The mean is .2: squares .04 + .01 + .09 by 2.
    assert hard.deviation == pytest.approx(sqrt(0.07))
    assert (easy.lower, easy.upper) == pytest.approx((0.75, 0.85))


def test_one_run_does_not_disagree() -> None:
    (only,) = topic_scores([{"1": 0.5}])
    assert (only.median, only.deviation) == (0.5, None)


def test_topics_of_one_median_are_ordered_by_the_best_run() -> None:
    found = topic_scores([{"1": 0.0, "2": 0.0, "3": 0.0}] * 2 + [{"1": 0.4, "2": 0.1, "3": 0.1}])
    assert [one.topic for one in found] == ["2", "3", "1"]
