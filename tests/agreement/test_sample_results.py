"""What a drawn sample shows of all pairs: by hand, against the coefficients, by topic, and why nothing."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest

from workbench.agreement.coefficients import coefficient_value
from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.intervals import kappa_error
from workbench.agreement.linearised import linearised
from workbench.agreement.ratings import ratings_of
from workbench.agreement.resampling import Resamples, bootstrap
from workbench.agreement.sample_request import PLANNED, Target
from workbench.agreement.sample_results import NO_SPREAD, estimate_from_pairs, estimate_from_topics

Z = NormalDist().inv_cdf(0.975)


def codes_of(table: list[list[int]]) -> Codes:
    pairs = [(j, k) for j, row in enumerate(table) for k, count in enumerate(row) for _ in range(count)]
    return np.array(pairs, dtype=np.int8).reshape(-1, 2).T


def test_a_sample_by_label_gives_the_kappa_of_the_whole() -> None:
    # 100 of 1,000 relevant and 100 of 9,000 not relevant were judged again: 80 and 20, 5 and 95. The whole is
    # .08 .02 / .045 .855: observed .935, expected .1 x .125 + .9 x .875 = .8, kappa .135 / .2 = .675. The
    # drawn table itself would say (.875 - .5) / .5 = .75.
    codes = codes_of([[80, 20], [5, 95]])
    found = estimate_from_pairs(codes, codes[0], grades=2, target=Target("unpooled"), sizes=[1000, 9000])
    assert found.value == pytest.approx(0.675)
    assert found.n == 200
    # A cell moves kappa by (.2 if they agree - .065 (column of its row + row of its column)) / .2 squared: in
    # the first row (.2 - .065 x .225) / .04 = 4.634375 and -.065 x 1.025 / .04 = -1.665625, 6.3 apart at
    # shares .8 and .2; in the second -1.584375 and 2.115625, 3.7 apart at .05 and .95.
    first = 0.1**2 * 0.8 * 0.2 * 6.3**2 / 99
    second = 0.9**2 * 0.05 * 0.95 * 3.7**2 / 99
    assert found.interval.low == pytest.approx(0.675 - Z * sqrt(first + second), rel=1e-6)
    assert found.interval.method == "linearised variance of a sample stratified by the first label"


def test_a_sample_at_random_has_the_error_of_fleiss_cohen_and_everitt() -> None:
    table = [[30, 4, 1], [5, 20, 6], [0, 3, 31]]
    codes = codes_of(table)
    found = estimate_from_pairs(codes, codes[0], grades=3, target=Target("unpooled"))
    error = (kappa_error(table) or 0) * sqrt(100 / 99)
    assert found.interval.low == pytest.approx((found.value or 0) - Z * error, rel=1e-5)


@pytest.mark.parametrize("method", PLANNED)
@pytest.mark.parametrize("weights", ["nominal", "linear"])
def test_of_several_with_missing_grades_it_is_the_coefficient_of_these_pairs(
    method: str, weights: str
) -> None:
    codes = np.random.default_rng(5).integers(-1, 3, (4, 150)).astype(np.int8)
    codes[1:, 0] = MISSING
    twice = codes[:, (codes != MISSING).sum(axis=0) > 1]
    data = ratings_of(twice, categories=(0, 1, 2), missing=-1)
    found = estimate_from_pairs(codes, codes[0], grades=3, target=Target(method, weights))
    assert found.n == twice.shape[1]
    assert found.value == pytest.approx(coefficient_value(data, method, weights=weights).value)
    if method in ("pooled", "gwet"):
        # That one has a t of n - 1 degrees: 1.977 of 137.
        usual = linearised(data, method, weights=weights)
        reach = ((found.value or 0) - (usual.low or 0)) * Z / 1.977
        assert (found.value or 0) - (found.interval.low or 0) == pytest.approx(reach, rel=2e-3)


def test_a_sample_that_shows_nothing_gives_the_reason() -> None:
    assert (
        estimate_from_pairs(codes_of([[0, 0], [0, 0]]), [], grades=2).undefined
        == "no pair was judged by both"
    )
    some = codes_of([[3, 1], [0, 0]])
    assert (
        "no pair is judged twice yet" in estimate_from_pairs(some, some[0], grades=2, sizes=[5, 5]).undefined
    )
    alone = codes_of([[0, 0], [0, 4]])
    assert "the same grade" in estimate_from_pairs(alone, alone[0], grades=2, sizes=[0, 5]).undefined
    assert "the same grade" in estimate_from_topics(alone, [0, 0, 1, 1], Resamples(10), grades=2).undefined
    nothing = estimate_from_topics(
        np.full((2, 3), MISSING, dtype=np.int8), [0, 1, 1], Resamples(10), grades=2
    )
    assert (nothing.value, nothing.undefined) == (None, "no pair was judged by both")


@pytest.mark.parametrize("method", PLANNED)
def test_topics_that_were_drawn_whole_are_drawn_again_as_everywhere(method: str) -> None:
    generator = np.random.default_rng(4)
    topics = np.repeat(np.arange(9), 8)
    truth = generator.integers(0, 3, 72)
    said = np.where(generator.random((3, 72)) < 0.4, generator.integers(0, 3, (3, 72)), truth)
    data = ratings_of(said, categories=(0, 1, 2), topics=topics)
    usual = bootstrap(data, method, Resamples(rounds=300, seed=6))
    found = estimate_from_topics(
        said.astype(np.int8), topics, Resamples(rounds=300, seed=6), grades=3, target=Target(method)
    )
    assert found.value == pytest.approx(coefficient_value(data, method).value)
    assert (found.interval.low, found.interval.high) == pytest.approx((usual.low, usual.high))
    assert found.interval.method == usual.method


def test_pairs_that_all_say_the_same_give_no_interval_of_no_width() -> None:
    alike = np.array([[0, 1, 0], [0, 1, 0]], dtype=np.int8)
    for found in (
        estimate_from_pairs(alike, [0, 1, 0], grades=2),
        estimate_from_pairs(alike[:, :2], [0, 1], grades=2, sizes=[70, 40]),
        estimate_from_pairs(np.array([[0], [1]], dtype=np.int8), [0], grades=2),
        estimate_from_topics(alike, [0, 0, 1], Resamples(), grades=2),
    ):
        assert found.value is not None
        assert (found.interval.low, found.interval.undefined) == (None, NO_SPREAD)
