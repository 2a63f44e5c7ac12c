"""Every stopping rule against the worked cases and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support import cases
from workbench.learning.stopping import (
    RandomOrder,
    ReviewTrace,
    StoppingGoal,
    StopPoint,
    elusion,
    knee,
    needed_of,
    qbcb,
    sample_needed,
    slope_ratios,
    smallest_sample,
    target,
    threshold,
)

GOAL = StoppingGoal()


def worked(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    case = cases("71_search_learning.json")[name]
    return case["input"], case["expected"]


def batches(sizes: list[tuple[int, int]], collection: int) -> ReviewTrace:
    """A trace of batches, each with so many documents, of which the first so many are relevant."""
    relevant = np.concatenate([np.arange(size) < found for size, found in sizes])
    return ReviewTrace(collection, relevant, np.cumsum([size for size, _ in sizes]))


def test_the_knee_goes_along_the_worked_trace() -> None:
    case = cases("71_search_learning.json")["stopping_knee_budget_trace"]
    trace = batches(case["input"]["batches_seen_and_relevant"], case["input"]["collection"])
    expected = case["expected"]["trace"]
    ratios = list(slope_ratios(trace))
    assert [(read, found) for read, found, _ in ratios] == [(one["seen"], one["found"]) for one in expected]
    assert [ratio for *_, ratio in ratios] == pytest.approx([one["rho"] for one in expected], abs=1e-9)
    assert [threshold(found) for _, found, _ in ratios] == [one["threshold"] for one in expected]
    assert not any(one["knee"] for one in expected)
    assert knee(trace, GOAL).read is None


def test_the_knee_is_where_a_curve_is_flat_for_long() -> None:
    # 160 found in 160, then nothing: threshold 6; (160/160) / (1 / (s - 160)) is 10 after the next ten.
    trace = batches([(10, 10)] * 16 + [(10, 0)] * 5, 1000)
    assert knee(trace, GOAL).read == 170
    assert knee(trace, GOAL).found == 160


def test_a_sample_too_small_certifies_nothing() -> None:
    given, expected = worked("qbcb_smallest_sample")
    goals = [StoppingGoal(recall, given["confidence"]) for recall in given["t"]]
    assert [smallest_sample(goal) for goal in goals] == expected["r_min"]
    for goal in goals:
        least = smallest_sample(goal)
        assert needed_of(least, goal) == least
        assert needed_of(least - 1, goal) is None


def drawn(relevant: list[int], read_at: list[int]) -> RandomOrder:
    return RandomOrder(np.array(relevant, dtype=np.bool_), np.array(read_at, dtype=np.intp))


def test_the_target_rule_reads_until_all_targets_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    given, expected = worked("target_method")
    order, targets = list(given["judging_order"]), given["targets"]
    monkeypatch.setattr("workbench.learning.stopping.TARGETS", len(targets))
    relevant = np.array([docno in targets for docno in order])
    # Three documents were drawn: d9, one that the learner has not come to, d4; so one more was read.
    sample = drawn([1, 0, 1], [order.index("d9") + 1, 0, order.index("d4") + 1])
    trace = ReviewTrace(20, relevant, np.array([5]), drawn=sample)
    stop = target(trace, GOAL)
    assert stop.read == expected["stops_after"] + 1
    assert stop.found == 2


def test_target_and_qbcb_say_what_they_lack() -> None:
    trace = batches([(10, 5)], 100)
    for rule in (target, qbcb, elusion):
        assert rule(trace, GOAL).read is None
    few = ReviewTrace(4, np.array([True, False]), np.array([2]), drawn=drawn([1, 0, 0, 0], [1, 2, 0, 0]))
    for rule in (target, qbcb):
        # All four are drawn to find out that there is one relevant document.
        assert rule(few, GOAL) == StopPoint(4, 1, rule(few, GOAL).reason)
        assert rule(ReviewTrace(9, few.relevant, few.ends, drawn=few.drawn), GOAL).read is None


def test_qbcb_stops_when_enough_of_the_sample_is_found() -> None:
    # 30 of 60 drawn are relevant; of 30, 28 must be found for recall .8: P(Bin(30, .8) <= 27) = .956.
    read_at = [place for one in range(1, 31) for place in (10 * one, 0)]
    sample = drawn([1, 0] * 30, read_at)
    relevant = np.arange(1, 301) % 10 == 0
    stop = qbcb(ReviewTrace(1000, relevant, np.array([300]), drawn=sample), GOAL)
    # 280 read, the 29 others that were drawn before the 30th, and the two of the sample behind 280.
    assert (stop.read, stop.found) == (280 + 29 + 2, 28 + 2)


def test_an_empty_sample_is_large_enough_to_mean_something() -> None:
    # 8 found, recall .8: 3 more would be one too many. At 1 % error: C(97, n) / C(100, n) <= .01 from n = 78
    # on, since 22 * 21 * 20 / (100 * 99 * 98) = .0095 and 23 * 22 * 21 / 970,200 = .01095.
    assert sample_needed(100, 8, GOAL) == 78
    assert sample_needed(2, 8, GOAL) == 0


def test_the_elusion_rule_draws_after_a_dry_round() -> None:
    collection, found = 400, 100
    relevant = np.arange(collection) < found
    order = np.random.default_rng(1).permutation(collection)
    trace = ReviewTrace(
        collection, relevant, np.arange(20, 401, 20), drawn=RandomOrder(relevant[order], order + 1)
    )
    stop = elusion(trace, GOAL)
    # The first dry round ends at 120; 26 more would be one too many, of 280 unread.
    needed = sample_needed(280, 100, GOAL)
    assert needed is not None
    assert (stop.read, stop.found) == (120 + needed, 100)
    # One relevant document among the drawn, and it reads on.
    missed = relevant.copy()
    unread = order[order >= 120]
    missed[unread[0]] = True
    trace = ReviewTrace(collection, missed, trace.ends, drawn=RandomOrder(missed[order], order + 1))
    later = elusion(trace, GOAL)
    assert later.read is not None
    assert later.read > 120 + needed
    assert later.found == 101
