"""Intervals in closed form, of these documents as if they were independent; and sums of few places."""

from __future__ import annotations

import numpy as np
import pytest

from tests.agreement.made import from_rows, from_table, stats
from tests.support import cases
from workbench.agreement.coefficients import coefficient_value
from workbench.agreement.intervals import (
    CONSTANT,
    all_or_none_interval,
    kappa_bounds,
    kappa_error,
    share_interval,
)
from workbench.agreement.jackknife import linearised
from workbench.agreement.ratings import Ratings, ratings_of
from workbench.agreement.weights import linear
from workbench.errors import WorkbenchError

# Cases 14, kappa_micro_vs_macro_over_topics.
TABLES = {"t1": [[8, 2], [3, 7]], "t2": [[1, 1], [0, 48]], "t3": [[20, 5], [5, 0]]}


def three_topics() -> Ratings:
    parts = [from_table(table).codes for table in TABLES.values()]
    topics = np.repeat(np.arange(3), [part.shape[1] for part in parts])
    return ratings_of(np.concatenate(parts, axis=1), categories=(0, 1), topics=topics)


def test_the_kappa_of_all_topics_together_is_the_published_micro_value() -> None:
    case = cases("14_agreement_extra.json")["kappa_micro_vs_macro_over_topics"]
    assert coefficient_value(three_topics(), "unpooled").value == pytest.approx(
        case["expected"]["micro_cohen"], abs=1e-9
    )


def test_what_has_no_variance_in_closed_form_is_refused_and_what_varies_in_nothing_says_so() -> None:
    with pytest.raises(WorkbenchError, match="no linearised variance"):
        linearised(three_topics(), "alpha")
    with pytest.raises(WorkbenchError, match="no coefficient 'kapa'"):
        linearised(three_topics(), "kapa")
    assert linearised(from_rows([[0], [0]], scale=(0, 1)), "pooled").undefined == (
        "an interval needs two pairs or more"
    )
    same = linearised(from_rows([[1, 1], [1, 1]], scale=(0, 1)), "pooled")
    assert (same.low, same.undefined) == (None, "the coefficient is undefined")
    alike = linearised(from_rows([[0, 1], [0, 1]], scale=(0, 1)), "pooled")
    assert (alike.low, alike.undefined) == (None, CONSTANT)


@pytest.mark.parametrize(("agree", "n"), [(8, 8), (0, 8), (1, 1)])
def test_the_interval_where_all_or_none_agree_is_that_of_clopper_and_pearson(agree: int, n: int) -> None:
    found = all_or_none_interval(agree / n, n)
    expected = stats.binomtest(agree, n).proportion_ci(0.95, method="exact")
    assert found.low == pytest.approx(expected.low)
    assert found.high == pytest.approx(expected.high)


@pytest.mark.parametrize(
    ("file", "name", "key"),
    [
        ("10_agreement_two_raters.json", "se_of_cohen_kappa_table_8_2", "std_kappa"),
        ("14_agreement_extra.json", "delta_getkappa_example", "se_fleiss_cohen_everitt"),
    ],
)
def test_the_error_of_cohens_kappa_is_that_of_fleiss_cohen_and_everitt(
    file: str, name: str, key: str
) -> None:
    case = cases(file)[name]
    assert kappa_error(case["input"]["table"]) == pytest.approx(case["expected"][key], abs=1e-6)


def test_the_error_of_weighted_kappa_is_that_of_sas() -> None:
    case = cases("10_agreement_two_raters.json")["sas_kappa_example_linear_weights"]
    found = kappa_error(case["input"]["table"], linear(3))
    assert found == pytest.approx(case["expected"]["std_kappa"], abs=1e-6)


def test_an_error_that_cannot_be_is_none() -> None:
    assert kappa_error([[0, 0], [0, 0]]) is None
    assert kappa_error([[5, 0], [0, 0]]) is None


def test_wilsons_interval_is_the_published_one() -> None:
    case = cases("14_agreement_extra.json")["ci_of_observed_agreement_table_8_2"]
    found = share_interval(case["input"]["agree"], case["input"]["n"])
    assert found == pytest.approx(tuple(case["expected"]["wilson"]), abs=1e-9)
    with pytest.raises(WorkbenchError, match="3 of 2"):
        share_interval(3, 2)


def test_no_interval_reaches_to_where_no_kappa_can_be() -> None:
    # Of three pairs two are disputed, one each way: t with two degrees reaches far beyond on both sides.
    few = from_table([[1, 1], [1, 0]])
    for name in ("pooled", "uniform", "gwet"):
        found = linearised(few, name)
        assert found.low == -1.0
        assert found.high == 1.0
    # Of five grades S is -1/4 where nobody agrees: (0 - 1/5) / (1 - 1/5).
    five = ratings_of([[0, 1, 2], [1, 1, 3]], categories=range(5))
    assert linearised(five, "uniform").low == pytest.approx(-0.25)
    # With missing grades and weights of one's own a value may itself be below -1.
    assert kappa_bounds(-1.5, 0.1) == (-1.5, -1.4)
