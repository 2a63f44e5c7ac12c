"""Specific agreement, the indices of prevalence and bias, and the overlap of relevant sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support import cases
from workbench.agreement.grades import binary_view, specific_agreement
from workbench.agreement.intervals import CONSTANT, Bounds
from workbench.agreement.overlap import mean_overlap, overlap, overlaps
from workbench.agreement.ratings import Ratings, ratings_of
from workbench.agreement.resampling import Resamples
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
    assert [one.assessors for one in overlaps(data)] == [(0, 1), (0, 2), (1, 2)]
    assert [one.assessors for one in overlaps(data, 3)] == [(0, 1, 2)]


def test_a_pair_that_one_has_not_judged_is_no_disagreement() -> None:
    data = ratings_of([[1, 1, 0], [1, -1, -1]], categories=(1, 0), missing=-1)
    found = overlap(data, (0, 1))
    assert found.together == 1.0


def test_nothing_relevant_anywhere_leaves_no_mean() -> None:
    found = overlap(ratings_of([[0], [0]], categories=(1, 0)), (0, 1))
    assert (found.mean, found.together, found.by_topic) == (None, None, (None,))


@pytest.mark.parametrize("assessors", [(0, 1), (0, 1, 2)])
def test_overlaps_intervals_are_percentiles_of_topics_drawn_again(assessors: tuple[int, ...]) -> None:
    generator = np.random.default_rng(3)
    topics = np.repeat(np.arange(12), 6)
    data = ratings_of(
        generator.choice((0, 1, -1), (3, 72), p=(0.5, 0.4, 0.1)), categories=(1, 0), missing=-1, topics=topics
    )
    found = overlap(data, assessors, resamples=Resamples(300, 8, 0.9, Bounds.PERCENTILE))
    # The same, drawn one by one: the mean of the drawn topics' overlaps, and the overlap of all they hold.
    share = [one or 0.0 for one in found.by_topic]
    there = [one is not None for one in found.by_topic]
    rows = data.codes[list(assessors)]
    judged = (rows != -1).all(axis=0)
    by_all = np.array([((rows == 0).all(axis=0) & judged)[topics == one].sum() for one in range(12)])
    by_any = np.array([((rows == 0).any(axis=0) & judged)[topics == one].sum() for one in range(12)])
    draws = np.random.default_rng(8).multinomial(12, np.full(12, 1 / 12), size=300)
    means = [float(row @ share) / float(row @ there) for row in draws]
    wholes = [float(row @ by_all) / float(row @ by_any) for row in draws]
    for interval, of_round in ((found.mean_interval, means), (found.together_interval, wholes)):
        assert interval is not None
        assert (interval.units, interval.rounds, interval.seed) == (12, 300, 8)
        assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(of_round, [0.05, 0.95])))
    assert overlap(data, assessors).mean_interval is None


def test_topics_that_two_do_not_share_are_not_drawn_and_one_topic_gives_no_interval() -> None:
    data = ratings_of([[1, 0, 1], [1, 0, -1]], categories=(1, 0), missing=-1, topics=[0, 1, 2])
    found = overlap(data, (0, 1), resamples=Resamples(rounds=50))
    # The second topic was judged by both and has nothing relevant: it is drawn, and adds nothing.
    assert found.mean_interval is not None
    assert (found.mean, found.mean_interval.units, found.mean_interval.low) == (1.0, 2, None)
    assert (found.mean_interval.undefined, found.mean_interval.undefined_rounds > 0) == (CONSTANT, True)
    alone = ratings_of([[1, 0], [1, 1]], categories=(1, 0))
    (one,) = overlaps(alone, resamples=Resamples(rounds=50))
    assert one.together == 0.5
    assert one.together_interval is not None
    assert one.together_interval.undefined == "an interval needs two topics or more"


def test_the_mean_overlap_of_every_two_leaves_out_those_without_one() -> None:
    # a and b: 1/2, 1 and 0 over three topics; a and c share nothing relevant; b and c 0 of 1.
    data = ratings_of(
        [[1, 1, 1, 0], [1, 0, 1, 1], [-1, -1, -1, 0]], categories=(1, 0), missing=-1, topics=[0, 0, 1, 2]
    )
    found = mean_overlap(data, resamples=Resamples(rounds=80, seed=2))
    assert overlaps(data)[0].mean == pytest.approx((0.5 + 1 + 0) / 3)
    assert found.value == pytest.approx((0.5 + 0.0) / 2)
    assert found.interval is not None
    assert found.interval.units == 3
    assert mean_overlap(ratings_of([[0], [0]], categories=(1, 0))).value is None
