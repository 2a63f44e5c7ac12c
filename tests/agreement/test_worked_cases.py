"""The coefficients of several assessors on published data, each figure reproduced by another program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.agreement.made import from_counts, from_labels, from_rows, from_table
from tests.support import cases
from workbench.agreement.alpha import LEVELS, alpha
from workbench.agreement.coefficients import coefficient_value
from workbench.agreement.jackknife import linearised
from workbench.agreement.weights import own_weights

SEVERAL, TWO = "11_agreement_multi_raters.json", "10_agreement_two_raters.json"
# What irrCAC calls things, and its unit weights.
OURS = {
    "gwet": "gwet",
    "fleiss": "pooled",
    "krippendorff": "alpha",
    "conger": "unpooled",
    "bp": "uniform",
    "cohen": "unpooled",
    "scott": "pooled",
}
WEIGHTS = {"identity": "nominal", "linear": "linear", "quadratic": "quadratic", "ordinal": "ordinal"}
IRRCAC = pytest.mark.parametrize("name", ["gwet_raw_4raters", "gwet_raw_5observers", "gwet_raw_g1g2"])


def irrcac(name: str) -> list[tuple[str, str, dict[str, Any]]]:
    case = cases(SEVERAL)[name]
    return [
        (OURS[method], WEIGHTS[weights], estimates)
        for weights, by_method in case["expected"].items()
        for method, estimates in by_method.items()
    ]


@IRRCAC
def test_every_coefficient_with_every_weight_is_that_of_irrcac(name: str) -> None:
    ratings = from_rows(list(zip(*cases(SEVERAL)[name]["input"]["ratings_subject_by_rater"], strict=True)))
    for method, weights, estimates in irrcac(name):
        found = coefficient_value(ratings, method, weights=weights)
        assert found.value == pytest.approx(estimates["coefficient_value"], abs=2e-6), (method, weights)
        if method != "alpha":  # irrCAC writes alpha with other observed and expected agreements
            assert found.observed == pytest.approx(estimates["pa"], abs=2e-6), (method, weights)
            assert found.expected == pytest.approx(estimates["pe"], abs=2e-6), (method, weights)


@IRRCAC
def test_the_linearised_interval_is_that_of_irrcac(name: str) -> None:
    ratings = from_rows(list(zip(*cases(SEVERAL)[name]["input"]["ratings_subject_by_rater"], strict=True)))
    compared = 0
    for method, weights, estimates in irrcac(name):
        if method in ("pooled", "uniform", "gwet"):
            found = linearised(ratings, method, weights=weights)
            low, high = estimates["ci95"]
            assert (found.low, found.high) == pytest.approx((low, high), abs=3e-6), (method, weights)
            compared += 1
    assert compared >= 3


@pytest.mark.parametrize("name", ["gwet_cont3x3abstractors", "gwet_cont4x4diagnosis"])
def test_every_coefficient_of_two_tables_is_that_of_irrcac(name: str) -> None:
    case = cases(TWO)[name]
    ratings = from_table(case["input"]["table"])
    for weights, by_method in case["expected"].items():
        for method, estimates in by_method.items():
            found = coefficient_value(ratings, OURS[method], weights=WEIGHTS[weights]).value
            assert found == pytest.approx(estimates["coefficient_value"], abs=2e-6), (method, weights)


@pytest.mark.parametrize("name", ["fleiss_1971_psychiatric", "fleiss_wikipedia_14_raters"])
def test_pooled_kappa_is_that_of_fleiss(name: str) -> None:
    case = cases(SEVERAL)[name]
    found = coefficient_value(from_counts(case["input"]["counts_per_subject"]), "pooled")
    assert found.observed == pytest.approx(case["expected"]["P_bar"], abs=1e-9)
    assert found.expected == pytest.approx(case["expected"]["Pe_bar"], abs=1e-9)
    assert found.value == pytest.approx(case["expected"]["kappa"], abs=1e-9)


@pytest.mark.parametrize("letter", "bcd")
def test_fixed_and_free_marginals_are_those_of_randolphs_calculator(letter: str) -> None:
    case = cases(SEVERAL)[f"randolph_calculator_{letter}"]
    ratings = from_counts(case["input"]["counts_per_subject"])
    wanted = case["expected"]
    if wanted["fleiss_fixed_marginal"] is not None:
        assert coefficient_value(ratings, "pooled").value == pytest.approx(
            wanted["fleiss_fixed_marginal"], abs=6e-6
        )
    assert coefficient_value(ratings, "uniform").value == pytest.approx(
        wanted["randolph_free_marginal"], abs=6e-6
    )


def test_congers_kappa_is_that_of_r() -> None:
    case = cases(SEVERAL)["fleiss_1971_with_rater_columns"]
    rows = list(zip(*case["input"]["ratings_subject_by_rater"], strict=True))
    assert coefficient_value(from_rows(rows), "unpooled").value == pytest.approx(
        case["expected"]["conger_exact"], abs=1e-9
    )


def test_three_judges_have_the_published_coefficients() -> None:
    case = cases(SEVERAL)["three_judges_average_pairwise"]
    ratings = from_rows(list(zip(*case["input"]["ratings_item_by_judge"], strict=True)))
    for method, name in (
        ("pooled", "fleiss"),
        ("alpha", "alpha_nominal"),
        ("unpooled", "conger"),
        ("gwet", "ac1"),
    ):
        assert coefficient_value(ratings, method).value == pytest.approx(case["expected"][name], abs=1e-9), (
            name
        )


@pytest.mark.parametrize("name", ["krippendorff_2011_four_observers", "krippendorff_wikipedia_three_coders"])
def test_alpha_on_every_level_is_that_of_krippendorff(name: str) -> None:
    case = cases(SEVERAL)[name]
    rows = case["input"]["reliability_data_observers_by_units"]
    ratings = from_rows(rows)
    # from_rows codes grades from 0; ratio differences need the grades themselves.
    ratings = type(ratings)(
        ratings.codes, tuple(sorted({g for row in rows for g in row if g is not None})), ratings.topics, 1
    )
    wanted = {level: value for level, value in case["expected"].items() if level in LEVELS}
    assert wanted
    for level, value in wanted.items():
        if value is not None:
            assert alpha(ratings, level).value == pytest.approx(value, abs=1e-9), level


@pytest.mark.parametrize(
    ("name", "key", "worker", "item"),
    [
        ("crowdkit_alpha_small", "task_worker_label", 1, 0),
        ("crowdkit_alpha_toy", "worker_task_label", 0, 1),
        ("nltk_easy_alpha", "coder_item_label", 0, 1),
    ],
)
def test_alpha_of_a_crowd_is_that_of_other_libraries(name: str, key: str, worker: int, item: int) -> None:
    case = cases(SEVERAL)[name]
    found = coefficient_value(from_labels(case["input"][key], worker=worker, item=item), "alpha").value
    assert found == pytest.approx(case["expected"]["alpha"], abs=1e-9)


def test_weighted_kappa_is_that_of_cohen_1968() -> None:
    case = cases(TWO)["cohen_1968_table1"]
    weights = own_weights(case["input"]["disagreement_weights"])
    ratings = from_table(case["input"]["counts"])
    assert coefficient_value(ratings, "unpooled").value == pytest.approx(case["expected"]["kappa"], abs=1e-9)
    assert coefficient_value(ratings, "unpooled", weights=weights).value == pytest.approx(
        case["expected"]["kappa_w"], abs=1e-9
    )


def test_weights_come_from_the_declared_scale_not_from_the_grades_that_occur() -> None:
    case = cases(TWO)["weighted_kappa_depends_on_declared_scale"]
    rows = [case["input"]["rater2"], case["input"]["rater3"]]
    declared, occurring = from_rows(rows, scale=range(1, 7)), from_rows(rows)
    for ratings, weights, name in (
        (occurring, "linear", "linear_observed_labels"),
        (declared, "linear", "linear_declared_1_to_6"),
        (declared, "quadratic", "quadratic_declared_1_to_6"),
    ):
        found = coefficient_value(ratings, "unpooled", weights=weights).value
        assert found == pytest.approx(case["expected"][name], abs=1e-6), name


def test_a_pair_with_one_grade_counts_for_gwets_shares_but_not_for_alpha() -> None:
    # Two pairs judged by both (1,1) and (0,1), one judged by the first alone (0).
    ratings = from_rows([[1, 0, 0], [1, 1, None]])
    # Shares of grade 0 by pair: 0, 1/2, 1 -> 1/2; so P(E) = 1/2, and P(A) = 1/2 of the two.
    assert coefficient_value(ratings, "pooled").value == pytest.approx(0.0)
    assert coefficient_value(ratings, "pooled").n == 2
    # Alpha: n_0 = 1, n_1 = 3, D_o = 2/4, D_e = 2 * 3 / (4 * 3) = 1/2.
    assert coefficient_value(ratings, "alpha").value == pytest.approx(0.0)
    assert coefficient_value(ratings, "alpha").expected == pytest.approx(0.5)
    assert np.isclose(coefficient_value(ratings, "observed").value or 0, 0.5)
