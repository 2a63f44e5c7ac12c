from __future__ import annotations

from workbench.scoring.topic_difficulty import topic_scores


def test_one_run_does_not_disagree() -> None:
    (only,) = topic_scores([{"1": 0.5}])
    assert (only.median, only.deviation) == (0.5, None)


def test_topics_of_one_median_are_ordered_by_the_best_run() -> None:
    found = topic_scores([{"1": 0.0, "2": 0.0, "3": 0.0}] * 2 + [{"1": 0.4, "2": 0.1, "3": 0.1}])
    assert [one.topic for one in found] == ["2", "3", "1"]
