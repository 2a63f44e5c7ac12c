"""Ratings: grades become places in the scale, whatever does not fit is refused."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.agreement.coefficients import coefficient_value
from workbench.agreement.ratings import MISSING, judged_ratings, ratings_of
from workbench.agreement.weights import WEIGHTS, own_weights, weights_of
from workbench.errors import WorkbenchError


def test_grades_become_places_and_what_is_missing_stays_so() -> None:
    data = ratings_of([[3, 0, -2], [0, -2, 3]], categories=(3, 1, 0), missing=-2, topics=["b", "a", "b"])
    assert data.codes.tolist() == [[0, 2, MISSING], [2, MISSING, 0]]
    assert data.topics.tolist() == [1, 0, 1]
    assert data.n_topics == 2


@pytest.mark.parametrize(
    ("grades", "scale", "message"),
    [
        ([[1, 7], [1, 1]], (0, 1), "7 is not a category"),
        ([[1, 300], [1, 1]], (0, 1), "300 is not a category"),
        ([[1, 0], [1]], (0, 1), "differ in length"),
        ([], (0, 1), "differ in length"),
        ([[1], [1]], (1, 1), "must differ"),
        ([[1], [1]], (), "must differ"),
    ],
)
def test_what_does_not_fit_is_refused(grades: list[list[int]], scale: tuple[int, ...], message: str) -> None:
    with pytest.raises(WorkbenchError, match=message):
        ratings_of(grades, categories=scale)


def test_topics_must_be_one_a_pair() -> None:
    with pytest.raises(WorkbenchError, match="one topic for every pair"):
        ratings_of([[1, 0], [1, 0]], categories=(0, 1), topics=[1])


def test_judgments_become_ratings_in_the_order_of_their_ids() -> None:
    judged = {
        "ann": {("2", "b"): 1, ("10", "a"): 0},
        "bob": {("10", "a"): 1, ("2", "a"): 0},
    }
    data, pairs, topics = judged_ratings(judged, categories=(1, 0))
    assert pairs == (("10", "a"), ("2", "a"), ("2", "b"))
    assert topics == ("10", "2")
    assert data.codes.tolist() == [[1, MISSING, 0], [0, 1, MISSING]]
    assert data.topics.tolist() == [0, 1, 1]


def test_grades_become_relevant_or_not_and_missing_stays_missing() -> None:
    data = ratings_of([[3, 1, 0, -1]], categories=(3, 2, 1, 0), missing=-1).from_grade(2)
    assert data.categories == (1, 0)
    assert data.codes.tolist() == [[0, 1, 1, MISSING]]


def test_some_assessors_and_pairs_can_be_chosen() -> None:
    data = ratings_of([[1, 0], [0, 9], [1, 1]], categories=(0, 1), missing=9)
    assert data.only([0, 2]).codes.tolist() == [[1, 0], [1, 1]]
    assert data.with_all().codes.tolist() == [[1], [0], [1]]


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_named_weights_are_symmetric_from_0_to_1(name: str, size: int) -> None:
    weights = WEIGHTS[name](size)
    assert (weights == weights.T).all()
    assert not weights.diagonal().any()
    assert weights.max() == (1.0 if size > 1 else 0.0)


def test_ordinal_weights_are_gwets() -> None:
    # Pairs of grades from k to l: 1 for neighbours, 3 across one, of C(3, 2) = 3.
    assert WEIGHTS["ordinal"](3)[0].tolist() == pytest.approx([0, 1 / 3, 1])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[0, 1]], "square"),
        ([[0, 1], [2, 0]], "0 on the diagonal and symmetric"),
        ([[1, 1], [1, 0]], "0 on the diagonal and symmetric"),
        ([[0, -1], [-1, 0]], "negative"),
        ([[0, np.nan], [np.nan, 0]], "finite"),
    ],
)
def test_weights_that_cannot_be_are_refused(weights: list[list[float]], message: str) -> None:
    with pytest.raises(WorkbenchError, match=message):
        own_weights(weights)


def test_weights_must_fit_the_scale() -> None:
    data = ratings_of([[1, 0], [1, 0]], categories=(0, 1))
    with pytest.raises(WorkbenchError, match="do not fit 2 grades"):
        weights_of(np.zeros((3, 3)), len(data.categories))
    with pytest.raises(WorkbenchError, match="no weights 'cubic'"):
        coefficient_value(data, "pooled", weights="cubic")
    with pytest.raises(WorkbenchError, match="no coefficient 'kapa'"):
        coefficient_value(data, "kapa")
