"""Specific agreement, the indices of prevalence and bias, and the overlap of relevant sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.agreement.made import jackknifed
from tests.support import cases
from workbench.agreement.grades import binary_view, specific_agreement
from workbench.agreement.intervals import CONSTANT
from workbench.agreement.pairwise import mean_overlap, overlap, overlaps
from workbench.agreement.ratings import Ratings, ratings_of
from workbench.errors import WorkbenchError


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("10_agreement_two_raters.json", "manning_8_2_all_coefficients"),
        ("10_agreement_two_raters.json", "byrt_feinstein_symmetric"),
        ("10_agreement_two_raters.json", "byrt_feinstein_unbalanced"),
        ("14_agreement_extra.json", "bias_pair_similar_judges"),
        ("14_agreement_extra.json", "bias_pair_different_judges"),
    ],
)
def test_indices_and_specific_agreement_are_the_published_ones(file: str, name: str) -> None:
    case = cases(file)[name]
    view = binary_view(case["input"]["table"])
    wanted = case["expected"]
    assert view.positive == pytest.approx(wanted["positive_agreement"], abs=1e-9)
    assert view.negative == pytest.approx(wanted["negative_agreement"], abs=1e-9)
    assert view.prevalence == pytest.approx(wanted["prevalence_index"], abs=1e-9)
    assert view.bias == pytest.approx(wanted["bias_index"], abs=1e-9)
    assert view.overlap == pytest.approx(wanted["overlap_positive"], abs=1e-9)


def test_precision_and_recall_are_the_seconds_against_the_first() -> None:
    # 3 relevant to both, 1 to the first only, 2 to the second only: P = 3/5, R = 3/4.
    view = binary_view([[3, 1], [2, 4]])
    assert (view.precision, view.recall) == (0.6, 0.75)


def test_what_cannot_be_is_none() -> None:
    view = binary_view([[0, 0], [0, 7]])
    assert (view.positive, view.overlap, view.precision, view.recall) == (None, None, None, None)
    assert (view.negative, view.prevalence, view.bias) == (1.0, -1.0, 0.0)
    assert specific_agreement([[0, 0, 0], [0, 2, 1], [0, 0, 1]]) == (None, 4 / 5, 2 / 3)


def test_only_two_grades_have_a_positive_side() -> None:
    with pytest.raises(WorkbenchError, match="two grades"):
        binary_view(np.eye(3, dtype=int))


def of_case() -> tuple[Ratings, dict[str, Any]]:
    case = cases("13_assessor_overlap.json")["overlap_small_macro_average"]
    (judged,) = case["input"].values()
    rows = [[grade for topic in judged.values() for grade in topic[who]] for who in "PAB"]
    topics = [name for name, topic in judged.items() for _ in topic["P"]]
    return ratings_of(rows, categories=(1, 0), topics=topics), case["expected"]


def test_overlap_is_the_mean_over_topics_that_have_a_relevant_pair() -> None:
    data, wanted = of_case()
    pairs = {"PA": (0, 1), "PB": (0, 2), "AB": (1, 2), "PAB": (0, 1, 2)}
    for name, assessors in pairs.items():
        found = overlap(data, assessors)
        by_topic = [topic[name] for topic in wanted["per_topic"].values()]
        assert found.by_topic == tuple(by_topic)
        mean = wanted["mean_over_topics_with_nonempty_union"][name]
        assert found.mean == pytest.approx(mean, abs=1e-9)
        assert found.empty == 1


def test_overlaps_are_of_every_two_and_every_three() -> None:
    data, _ = of_case()
    assert [one.assessors for one in overlaps(data, range(3))] == [(0, 1), (0, 2), (1, 2)]
    assert [one.assessors for one in overlaps(data, range(3), 3)] == [(0, 1, 2)]


def test_a_pair_that_one_has_not_judged_is_no_disagreement() -> None:
    data = ratings_of([[1, 1, 0], [1, -1, -1]], categories=(1, 0), missing=-1)
    found = overlap(data, (0, 1))
    assert found.together == 1.0


def test_nothing_relevant_anywhere_leaves_no_mean() -> None:
    found = overlap(ratings_of([[0], [0]], categories=(1, 0)), (0, 1))
    assert (found.mean, found.together, found.by_topic) == (None, None, (None,))


def twelve_topics() -> Ratings:
    """Three assessors, six documents a topic; of a tenth one of them said nothing."""
    generator = np.random.default_rng(3)
    topics = np.repeat(np.arange(12), 6)
    given = generator.choice((0, 1, -1), (3, 72), p=(0.5, 0.4, 0.1))
    return ratings_of(given, categories=(1, 0), missing=-1, topics=topics)


def counts_by_topic(data: Ratings, assessors: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """Of every topic how many documents all of them called relevant, and how many any, of what all judged."""
    rows = data.codes[list(assessors)]
    judged, relevant = (rows != -1).all(axis=0), rows == 0
    by_all, by_any = relevant.all(axis=0) & judged, relevant.any(axis=0) & judged
    topics = [data.topics == one for one in range(data.n_topics)]
    return [int(by_all[one].sum()) for one in topics], [int(by_any[one].sum()) for one in topics]


@pytest.mark.parametrize("assessors", [(0, 1), (0, 1, 2)])
def test_overlaps_intervals_are_those_of_each_topic_left_out_in_turn(assessors: tuple[int, ...]) -> None:
    data = twelve_topics()
    found = overlap(data, assessors, level=0.9)
    by_all, by_any = counts_by_topic(data, assessors)
    shares = [both / either for both, either in zip(by_all, by_any, strict=True)]
    others = [[place for place in range(12) if place != one] for one in range(12)]
    means = [sum(shares[place] for place in some) / 11 for some in others]
    wholes = [sum(by_all[place] for place in some) / sum(by_any[place] for place in some) for some in others]
    # In the mean every topic counts once, in all together by its relevant documents.
    for value, interval, without, rich in (
        (sum(shares) / 12, found.mean_interval, means, [1] * 12),
        (sum(by_all) / sum(by_any), found.together_interval, wholes, by_any),
    ):
        assert interval is not None
        assert (interval.units, interval.level) == (12, 0.9)
        expected = jackknifed(value, without, rich, share=True, level=0.9)
        assert (interval.low, interval.high) == pytest.approx(expected, abs=1e-12)


def test_topics_without_an_overlap_are_no_units_and_few_topics_give_no_interval() -> None:
    # Five topics have one relevant document each; the sixth has none, and of the seventh one judged nothing.
    data = ratings_of(
        [[1, 1, 1, 1, 1, 0, 1], [1, 1, 1, 1, 1, 0, -1]], categories=(1, 0), missing=-1, topics=range(7)
    )
    found = overlap(data, (0, 1), level=0.95)
    assert found.mean_interval is not None
    assert (found.mean, found.empty) == (1.0, 2)
    assert (found.mean_interval.units, found.mean_interval.effective) == (5, 5.0)
    assert (found.mean_interval.low, found.mean_interval.undefined) == (None, CONSTANT)
    alone = ratings_of([[1, 0], [1, 1]], categories=(1, 0))
    (one,) = overlaps(alone, (0, 1), level=0.95)
    assert one.together == 0.5
    assert one.together_interval is not None
    assert one.together_interval.undefined == "an interval needs 5 topics or more; there is 1"


def test_of_topics_together_one_rich_topic_may_decide_but_not_of_their_mean() -> None:
    # Six topics of one relevant document, and one of twelve: (6 + 12) ** 2 / (6 + 144) = 2.16 as rich ones.
    relevant = [1] * 6 + [12]
    topics = np.repeat(range(7), relevant)
    second = np.ones(18, dtype=int)
    second[[0, 6]] = 0
    found = overlap(
        ratings_of([np.ones(18, dtype=int), second], categories=(1, 0), topics=topics), (0, 1), level=0.95
    )
    assert found.mean_interval is not None
    assert found.mean_interval.low is not None
    assert found.together_interval is not None
    assert found.together_interval.effective == pytest.approx(324 / 150)
    assert found.together_interval.undefined == (
        "a few of the 7 topics carry most of the weight: together they count as 2.2 equal topics, and "
        "an interval needs 5"
    )


def test_the_mean_overlap_of_every_two_leaves_out_those_without_one() -> None:
    # a and b: 1/2, 1 and 0 over three topics; a and c share nothing relevant; b and c 0 of 1.
    data = ratings_of(
        [[1, 1, 1, 0], [1, 0, 1, 1], [-1, -1, -1, 0]], categories=(1, 0), missing=-1, topics=[0, 0, 1, 2]
    )
    found = mean_overlap(data, level=0.95)
    assert overlaps(data, range(3))[0].mean == pytest.approx((0.5 + 1 + 0) / 3)
    assert found.value == pytest.approx((0.5 + 0.0) / 2)
    assert found.interval is not None
    assert (found.interval.units, found.interval.low) == (3, None)
    assert mean_overlap(ratings_of([[0], [0]], categories=(1, 0))).value is None


def test_the_mean_overlap_of_every_two_has_an_interval_over_the_topics_of_all() -> None:
    # Four documents a topic, each relevant to all three assessors or to all but one: any two of them call all
    # four relevant, so that topics tell equally much.
    generator = np.random.default_rng(5)
    others = generator.integers(0, 5, 48)
    given = [(others != who).astype(int) for who in range(3)]
    data = ratings_of(given, categories=(1, 0), topics=np.repeat(np.arange(12), 4))
    counts = [counts_by_topic(data, two) for two in ((0, 1), (0, 2), (1, 2))]

    def mean(left: int | None) -> float:
        topics = [topic for topic in range(12) if topic != left]
        return sum(sum(both[one] / 4 for one in topics) / len(topics) for both, _ in counts) / 3

    found = mean_overlap(data, level=0.95)
    assert found.value == pytest.approx(mean(None))
    assert found.interval is not None
    expected = jackknifed(mean(None), [mean(one) for one in range(12)], [1] * 12, share=True)
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-12)
    assert found.interval.units == 12
    assert found.interval.effective == pytest.approx(12)
