"""Specific agreement, the indices of prevalence and bias, and the overlap of relevant sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support import cases
from workbench.agreement.overlap import overlap, overlaps
from workbench.agreement.several.ratings import Ratings, ratings_of
from workbench.agreement.specific import binary_view, specific_agreement
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
