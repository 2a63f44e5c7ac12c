"""How many doubly judged pairs: what is expected of a table, allocation to strata, and topics."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest

from workbench.agreement.ratings import ratings_of
from workbench.agreement.sample_influence import assessor_bias, intraclass_correlation, mean_topic_size
from workbench.agreement.sample_model import expected_shares
from workbench.agreement.sample_request import PlanRequest
from workbench.agreement.sample_size import FEWEST, Draw, SampleSize, neyman_allocation, size_from_variance
from workbench.errors import InvalidInput


def test_pairs_are_allocated_within_what_there_is() -> None:
    assert neyman_allocation(100, [1, 3]) == (25, 75)
    # The first stratum has ten, and the second gets what it cannot give.
    assert neyman_allocation(100, [1, 3], [10, 500]) == (10, 90)
    assert neyman_allocation(100, [1, 3], [3, 5]) == (3, 5)
    # Two of each, however little it weighs: else its deviation is not seen.
    assert neyman_allocation(50, [0, 1], [40, 400]) == (2, 48)
    assert sum(neyman_allocation(31, [1, 1, 1])) == 31


def test_the_intraclass_correlation_is_that_within_topics() -> None:
    two_topics = np.repeat([0, 1], 4)
    # Nothing differs within the topics, and all between them; then the other way round.
    assert intraclass_correlation(np.repeat([1.0, 0.0], 4), two_topics) == pytest.approx(1.0)
    assert intraclass_correlation(np.array([1.0, 0, 1, 0, 1, 0, 1, 0]), two_topics) == 0.0
    # Means 1/4 and 3/4: between 2 x 4 / 16 / 1 = .5, within 2 x .75 / 6 = .25,
    # (.5 - .25) / (.5 + 3 x .25) = .2
    assert intraclass_correlation(np.array([1.0, 0, 0, 0, 0, 1, 1, 1]), two_topics) == pytest.approx(0.2)
    assert intraclass_correlation(np.array([1.0, 0.0]), np.array([3, 3])) == 0.0
    assert intraclass_correlation(np.full(8, np.nan), two_topics) == 0.0
    # A pair lies in a topic of (10 x 10 + 30 x 30) / 40 = 25 pairs on average.
    assert mean_topic_size([10, 30]) == 25.0


def test_bias_is_how_far_ones_shares_are_from_the_others_on_the_same_pairs() -> None:
    # On five pairs a gives 3 of the first grade, b 1; c judged two of these, and says as b does once.
    data = ratings_of(
        [[0, 0, 0, 1, 1, 0], [0, 1, 1, 1, 1, -1], [-1, 1, 0, -1, -1, -1]], categories=(0, 1), missing=-1
    )
    found = assessor_bias(data, 3)
    # a: .6 less the mean of 1, 0, .5, 0, 0; b: .2 less that of 1, .5, 1, 0, 0. c has too few, and what a
    # judged alone does not count.
    assert found[:, 0] == pytest.approx([0.6 - 0.3, 0.2 - 0.5])
    assert found.sum(axis=1) == pytest.approx(0)
    assert assessor_bias(data, 6).shape == (0, 2)


@pytest.mark.parametrize(
    ("prevalence", "kappa"),
    [
        ([0.5, 0.6], 0.5),
        ([1.0, 0.0], 0.5),
        ([0.5, 0.5], 1.0),
        ([0.1, 0.9], -0.9),
        ([0.5, 0.5, nan], 0.5),
        ([0.5, 0.5], nan),
        ([1e-300, 1.0 - 1e-16], 0.5),
    ],
)
def test_impossible_guesses_are_refused(prevalence: list[float], kappa: float) -> None:
    with pytest.raises(InvalidInput):
        expected_shares(prevalence, kappa)


def test_a_kappa_that_is_too_low_is_refused_with_the_lowest_that_is_possible() -> None:
    # -.3 / .7 = -.42857: two never give the rarer grade both.
    with pytest.raises(InvalidInput, match="kappa") as refused:
        expected_shares([0.3, 0.7], -0.43)
    assert refused.value.findings[0].remedy == "give -0.428 or more"
    assert expected_shares([0.3, 0.7], -0.3 / 0.7) == pytest.approx(np.array([[0, 0.3], [0.3, 0.4]]))
    assert (expected_shares([0.3, 0.7], -0.3 / 0.7) >= 0).all()


def size(value: float, at_random: float, by_label: list[float], request: PlanRequest) -> SampleSize:
    return size_from_variance(
        value, at_random=at_random, by_label=np.array(by_label), draw=Draw.TOPIC, request=request
    )


def test_all_that_is_wrong_is_reported_at_once() -> None:
    with pytest.raises(InvalidInput) as refused:
        size(0.5, 1.0, [0.5, 0.5], PlanRequest(0, level=2, topic_size=0, icc=-1))
    assert [one.code for one in refused.value.findings] == ["half_width", "level", "likeness", "topic_size"]


@pytest.mark.parametrize("topic_size", [float("inf"), float("nan")])
def test_a_topic_has_a_size(topic_size: float) -> None:
    with pytest.raises(InvalidInput) as refused:
        size(0.5, 1.0, [1, 1], PlanRequest(0.1, topic_size=topic_size))
    assert [one.code for one in refused.value.findings] == ["topic_size"]


def test_never_fewer_are_asked_for_than_large_samples_need() -> None:
    few = PlanRequest(0.5)
    found = size_from_variance(
        0.9, at_random=0.001, by_label=np.array([0.0, 0.01]), draw=Draw.RANDOM, request=few
    )
    assert found.pairs == FEWEST
