"""Advice on a review that goes on: its trace, its recall with an interval, and what the rules say of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from workbench.errors import WorkbenchError
from workbench.learning.missed import ElusionSample
from workbench.learning.review import (
    Origin,
    Review,
    ReviewRound,
    ReviewSettings,
    estimated_recall,
    stopping_advice,
)
from workbench.learning.stopping import STOPPING_RULES, StoppingGoal

GOAL = StoppingGoal()


def ranking(number: int, places: list[int], batch: int) -> ReviewRound:
    return ReviewRound(number, np.array(places), np.zeros(len(places), dtype=np.float32), batch)


def judge(review: Review, relevant: set[int], documents: int) -> list[tuple[int, Origin]]:
    """Judge so many documents, each as it comes."""
    seen = []
    for _ in range(documents):
        choice = review.choice()
        assert choice is not None
        review.hand_out(choice.place, choice.origin)
        review.judged(choice.place, choice.place in relevant)
        seen.append((choice.place, choice.origin))
    return seen


def test_what_was_drawn_is_a_sample_of_the_unread_until_the_reading_comes_to_it() -> None:
    review = Review(30, "T1", ReviewSettings(share=0.5, seed=3))
    review.begin(ranking(0, list(range(30)), 30))
    seen = judge(review, {2, 9}, 16)
    drawn = [place for place, origin in seen if origin is Origin.RANDOM]
    read = max(place for place, origin in seen if origin is Origin.LEARNER) + 1  # ranked by number
    unread = [place for place in drawn if place >= read]
    assert unread
    sample = review.unread_sample()
    assert sample == ElusionSample(30 - read, len(unread), len(unread), len({2, 9}.intersection(unread)))
    trace = review.trace()
    assert len(trace.relevant) == read
    assert trace.drawn is not None
    # Draws that met what was read already are among the drawn, with their place in the reading.
    pairs = list(zip(trace.drawn.read_at.tolist(), trace.drawn.relevant.tolist(), strict=True))
    assert sum(at == 0 for at, _ in pairs) == len(unread)
    assert len(pairs) >= len(drawn)
    assert all(trace.relevant[at - 1] == relevant for at, relevant in pairs if at)


def test_recall_is_bounded_by_the_hypergeometric_tails_of_the_unread() -> None:
    # 3 of 20 relevant: 15 of 100 expected, of which 3 are found.
    estimate = estimated_recall(10, 100, ElusionSample(100, 20, 20, 3))
    assert estimate.value == pytest.approx(10 / 22)
    most = max(m for m in range(3, 84) if hypergeom.cdf(3, 100, m, 20) > 0.025)
    least = min(m for m in range(3, 84) if hypergeom.sf(2, 100, m, 20) > 0.025)
    assert estimate.low == pytest.approx(10 / (10 + most - 3))
    assert estimate.high == pytest.approx(10 / (10 + least - 3))


@pytest.mark.parametrize("relevant", [0, 1, 2])
def test_a_few_relevant_documents_of_the_sample_are_too_few_for_one_figure(relevant: int) -> None:
    estimate = estimated_recall(10, 100, ElusionSample(100, 20, 20, relevant))
    most = max(m for m in range(relevant, 81 + relevant) if hypergeom.cdf(relevant, 100, m, 20) > 0.025)
    assert (estimate.value, estimate.high) == (None, 1.0)
    assert estimate.low == pytest.approx(10 / (10 + most - relevant))
    # Drawn and judged whole they leave nothing to be unsure of.
    assert estimated_recall(10, 20, ElusionSample(20, 20, 20, relevant)).value == 1.0


def test_without_a_sample_recall_is_anything_and_read_to_the_end_it_is_one() -> None:
    nothing = estimated_recall(10, 90, None)
    assert (nothing.value, nothing.low, nothing.high) == (None, 0.1, 1.0)
    everything = estimated_recall(10, 0, None)
    assert (everything.value, everything.low, everything.high) == (1.0, 1.0, 1.0)
    assert estimated_recall(0, 0, None).low is None


def test_a_further_sample_narrows_the_interval_and_cannot_be_larger_than_what_is_left() -> None:
    review = Review(200, "T1", ReviewSettings(share=0.5))
    review.begin(ranking(0, list(range(200)), 200))
    judge(review, set(range(10)), 40)
    advice = stopping_advice(review, GOAL)
    more = advice.further(50)
    assert advice.recall.low is not None
    assert more.recall.low is not None
    assert more.recall.low > advice.recall.low
    whole = advice.further(advice.left_to_sample).recall
    assert (whole.low, whole.high) == (1.0, 1.0)
    for wrong in (0, advice.left_to_sample + 1):
        with pytest.raises(WorkbenchError):
            advice.further(wrong)


def test_every_rule_answers_from_the_first_document_on() -> None:
    review = Review(40, "T1", ReviewSettings(share=0.2))
    for documents in (0, 1, 15):
        review.begin(ranking(documents, list(range(40)), 5))
        judge(review, {1, 2}, documents)
        advice = stopping_advice(review, GOAL)
        assert [rule.name for rule, _ in advice.stops] == list(STOPPING_RULES)
        assert all(stop.reason for _, stop in advice.stops)
        assert advice.judged == len(review.grades)


@pytest.mark.slow
def test_the_interval_covers_recall_though_the_reading_finds_relevant_documents_early() -> None:
    """Exact, so at least 95 % are covered; of 200 fewer than 182 with probability .01 at most."""
    covered = 0
    for seed in range(200):
        generator = np.random.default_rng(seed)
        relevant = generator.random(80) < 0.15
        # Scores that rank relevant documents early, not perfectly.
        order = np.argsort(-(relevant + generator.normal(size=80)))
        review = Review(80, "T1", ReviewSettings(share=0.3, seed=seed))
        review.begin(ranking(0, order.tolist(), 80))
        judge(review, set(np.flatnonzero(relevant).tolist()), 40)
        advice = stopping_advice(review, GOAL)
        low, high = advice.recall.low, advice.recall.high
        assert low is not None
        assert high is not None
        covered += low <= advice.found / relevant.sum() <= high
    assert covered >= 182
