"""The sizes of a pool."""

from __future__ import annotations

import pytest

from tests.pooling.by_pool import summarise
from tests.pooling.some_runs import ranked
from workbench.pooling.depth import depth_pool
from workbench.pooling.pool import TopicSize


def test_sizes_are_told_over_all_and_by_topic() -> None:
    # Depth 2: topic 1 has x, y of A and y, w of B, so 3 of 4 pairs; topic 2 has one run, 1 of 1.
    runs = [ranked("A", ["x", "y", "z"]), ranked("B", ["y", "w"]), ranked("C", ["x"], topic="2")]
    summary = summarise(depth_pool(runs, depth=2))
    assert summary.topics == (TopicSize("1", 3, 4), TopicSize("2", 1, 1))
    assert (summary.runs, summary.size, summary.largest_possible) == (3, 4, 5)
    assert summary.share == pytest.approx(0.8)


def test_an_empty_pool_has_no_share() -> None:
    summary = summarise(depth_pool([]))
    assert (summary.runs, summary.topics, summary.size, summary.share) == (0, (), 0, None)
