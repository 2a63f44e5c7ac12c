"""Topics by difficulty, by hand."""

from __future__ import annotations

import numpy as np

from workbench.scoring.topic_difficulty import topic_spreads


def test_one_run_does_not_disagree() -> None:
    (only,) = topic_spreads(["1"], np.array([[0.5]]))
    assert (only.median, only.deviation) == (0.5, None)


def test_topics_of_one_median_are_ordered_by_the_best_run() -> None:
    found = topic_spreads(["1", "2", "3"], np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.4, 0.1, 0.1]]))
    assert [one.topic for one in found] == ["2", "3", "1"]


def test_the_hardest_topic_comes_first() -> None:
    found = topic_spreads(["1", "2"], np.array([[0.5, 0.0], [1.0, 0.5]]))
    assert [(one.topic, one.median) for one in found] == [("2", 0.25), ("1", 0.75)]
