"""Every stopping rule against the worked cases and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support import cases
from workbench.learning.stopping.budget import budget, documents_needed
from workbench.learning.stopping.chao import chao, chao_rule
from workbench.learning.stopping.chm import chm, missed_if_short, p_value
from workbench.learning.stopping.elusion import elusion, sample_needed
from workbench.learning.stopping.knee import knee, slope_ratios, threshold
from workbench.learning.stopping.qbcb import needed_of, qbcb, smallest_sample
from workbench.learning.stopping.quant import model_recall, quant
from workbench.learning.stopping.target import target
from workbench.learning.stopping.trace import (
    Committee,
    ModelSums,
    RandomOrder,
    ReviewTrace,
    StoppingGoal,
    StopPoint,
)

GOAL = StoppingGoal()


def worked(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    case = cases("71_search_learning.json")[name]
    return case["input"], case["expected"]


def batches(sizes: list[tuple[int, int]], collection: int) -> ReviewTrace:
    """A trace of batches, each with so many documents, of which the first so many are relevant."""
    relevant = np.concatenate([np.arange(size) < found for size, found in sizes])
    return ReviewTrace(collection, relevant, np.cumsum([size for size, _ in sizes]))


def test_knee_and_budget_go_along_the_worked_trace() -> None:
    case = cases("71_search_learning.json")["stopping_knee_budget_trace"]
    trace = batches(case["input"]["batches_seen_and_relevant"], case["input"]["collection"])
    expected = case["expected"]["trace"]
    ratios = list(slope_ratios(trace))
    assert [(read, found) for read, found, _ in ratios] == [(one["seen"], one["found"]) for one in expected]
    assert [ratio for *_, ratio in ratios] == pytest.approx([one["rho"] for one in expected], abs=1e-9)
    assert [threshold(found) for _, found, _ in ratios] == [one["threshold"] for one in expected]
    assert not any(one[rule] for one in expected for rule in ("knee", "budget", "chm95"))
    for rule in (knee, budget):
        assert rule(trace, GOAL).read is None
    assert chm(trace, StoppingGoal(0.95)).read is None


def test_budget_needs_what_random_reading_would_for_ten() -> None:
    given, expected = worked("stopping_budget_numbers")
    needed = documents_needed(given["collection"], given["found"])
    assert needed == pytest.approx(expected["documents_needed_by_budget"], abs=1e-9)
    # The worked trace read on without a hit: 212.8 documents are 22 batches of 10.
    trace = batches([(10, 10), (10, 10), (10, 10), (10, 10), (10, 7)] + [(10, 0)] * 30, 1000)
    assert budget(trace, GOAL).read == 220
    # Nothing relevant at all: three quarters of 100.
    assert budget(batches([(10, 0)] * 10, 100), GOAL).read == 80


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
    monkeypatch.setattr("workbench.learning.stopping.target.TARGETS", len(targets))
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


def test_quant_as_the_worked_case_has_it() -> None:
    given, expected = worked("quant_rule")
    p, judged = np.array(given["probabilities"]), np.array(given["judged"], dtype=np.bool_)
    v = p * (1 - p)
    sums = ModelSums(*(float(one.sum()) for one in (p[judged], p[~judged], v[judged], v[~judged])))
    recall = model_recall(sums)
    assert recall is not None
    assert recall.value == pytest.approx(expected["estimated_recall"], abs=1e-9)
    assert recall.deviation == pytest.approx(expected["standard_deviation"], abs=1e-9)
    assert recall.low == pytest.approx(expected["lower"], abs=1e-9)
    assert recall.high == 1.0
    assert model_recall(ModelSums(0, 0, 0, 0)) is None
    trace = ReviewTrace(10, judged, np.array([5, 10]), (sums, ModelSums(5.0, 0.0, 0.01, 0.0)))
    assert quant(trace, StoppingGoal(0.8)).read == 10
    assert quant(trace, StoppingGoal(0.3)).read == 5
    assert quant(ReviewTrace(10, judged, np.array([5, 10])), GOAL).read is None


def test_chm_as_the_worked_case_has_it() -> None:
    given, expected = worked("chm_p_values")
    before = (given["seen_at_i"], given["found_at_i"])
    found = [
        p_value(given["N"], before, (seen, given["found_now"]), given["target"]) for seen in given["seen_now"]
    ]
    assert found == pytest.approx(expected["p"], abs=1e-9)
    assert [missed_if_short(47, 47, 0.95)] * 5 == expected["K"]
    # The same by rounds: below .05 once 800 are read, 47 of them found in the first 100.
    trace = batches([(100, 47)] + [(50, 0)] * 18, 1000)
    assert chm(trace, StoppingGoal(0.95)).read == 800
    # What is exact must not fall below by rounding: 27 / .9 is 30.
    assert missed_if_short(27, 20, 0.9) == 10


def test_chao_as_the_worked_case_has_it_and_by_hand() -> None:
    given, expected = worked("chao_no_doubles")
    estimate = chao(given["found_S"], given["f1"], given["f2"])
    assert estimate.value == pytest.approx(expected["chao1"], abs=1e-9)
    assert estimate.bias_corrected == pytest.approx(expected["bias_corrected"], abs=1e-9)
    assert estimate.low is expected["interval_95"] is None
    # S = 20, f1 = 4, f2 = 2: 20 + 16 / 4 = 24; variance 2 (16/4 + 8 + 4/2) = 28, ln(1 + 28/16) = 1.0116,
    # exp(1.959964 * 1.005784) = 7.1803: 20 + 4 / 7.1803 to 20 + 4 * 7.1803.
    estimate = chao(20, 4, 2)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((24, 20.5571, 48.721), abs=1e-3)
    assert chao(20, 0, 5).high == 20


def test_chao_stops_once_searchers_find_the_same() -> None:
    ranks = np.stack([np.arange(1, 41), np.arange(1, 41), np.arange(40, 0, -1)])
    relevant = np.arange(40) < 12
    trace = ReviewTrace(40, relevant, np.array([5, 12, 20, 30]), committee=Committee(ranks, relevant))
    # At 12 all are found by two searchers and none by one alone, while the third has read the other end.
    assert chao_rule(trace, GOAL) == StopPoint(24, 12, chao_rule(trace, GOAL).reason)
    assert chao_rule(ReviewTrace(40, relevant, np.array([5])), GOAL).read is None


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
