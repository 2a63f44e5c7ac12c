"""What several assessors are expected to answer: outcomes by hand, tables of two, bias, non-response."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.agreement.sample_model import (
    OutcomeModel,
    biased_model,
    exchangeable_model,
    expected_shares,
    kappa_of_shares,
    lowest_kappa,
    outcome_model,
    two_assessor_model,
)
from workbench.agreement.sample_request import PlanRequest, Target
from workbench.agreement.sample_size import Floats
from workbench.agreement.weights import linear, nominal
from workbench.errors import InvalidInput

SCALES = [((0.3, 0.7), 0.5), ((0.1, 0.2, 0.7), 0.4), ((0.05, 0.15, 0.3, 0.5), 0.8), ((0.3, 0.7), -0.1)]


def table_of(expected: OutcomeModel, first: int, second: int) -> Floats:
    """The shares of what two of the assessors say, of the outcomes where both say something."""
    table = np.zeros((expected.grades, expected.grades))
    both = (expected.codes[[first, second]] >= 0).all(axis=0)
    np.add.at(table, tuple(expected.codes[[first, second]][:, both]), expected.probabilities[both])
    shares: Floats = table / table.sum()
    return shares


def test_outcomes_by_hand() -> None:
    # Shares .3 and .7, kappa .5: a pair's own share is beta distributed with .3 and .7. All three say the
    # first grade: .3 x 1.3 x 2.3 / (1 x 2 x 3); the first does and the others do not: .3 x .7 x 1.7 / 6.
    found = exchangeable_model([0.3, 0.7], 0.5, 3)
    assert [*map(tuple, found.codes.T.tolist())][:4] == [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1)]
    assert found.probabilities[[0, 2]] == pytest.approx([0.1495, 0.091])
    (last,) = np.flatnonzero((found.codes.T == [0, 1, 1]).all(axis=1))
    assert found.probabilities[last] == pytest.approx(0.0595)


@pytest.mark.parametrize("assessors", [2, 3, 4])
@pytest.mark.parametrize(("shares", "kappa"), SCALES)
def test_any_two_have_the_table_of_two_however_outcomes_are_told_apart(
    shares: tuple[float, ...], kappa: float, assessors: int
) -> None:
    alike = exchangeable_model(shares, kappa, assessors)
    # The others come sorted, so that one of them is each in turn.
    mean = sum(table_of(alike, 0, other) for other in range(1, assessors)) / (assessors - 1)
    assert mean == pytest.approx(expected_shares(shares, kappa))
    each = biased_model(np.tile(shares, (assessors, 1)), kappa, weights=nominal(len(shares)))
    assert table_of(each, 0, assessors - 1) == pytest.approx(expected_shares(shares, kappa))
    assert each.probabilities.sum() == pytest.approx(1)


@pytest.mark.parametrize("kappa", [0.6, 0.0, -0.03])
def test_biased_assessors_have_their_own_shares_and_the_pooled_kappa_of_all(
    kappa: float,
) -> None:
    marginals = np.array([[0.3, 0.2, 0.5], [0.2, 0.2, 0.6], [0.1, 0.3, 0.6]])
    found = biased_model(marginals, kappa, weights=linear(3))
    shares = np.array([np.bincount(row, found.probabilities, minlength=3) for row in found.codes])
    assert shares == pytest.approx(marginals)
    tables = [table_of(found, one, other) for one, other in ((0, 1), (0, 2), (1, 2))]
    apart = np.mean([(linear(3) * table).sum() for table in tables])
    mean = marginals.mean(axis=0)
    assert 1 - apart / (mean @ linear(3) @ mean) == pytest.approx(kappa)


def test_a_judgment_is_missing_as_often_as_the_expected_non_response() -> None:
    for found in (
        exchangeable_model([0.2, 0.8], 0.5, 3, missing=0.25),
        biased_model(np.tile([0.2, 0.8], (3, 1)), 0.5, weights=nominal(2), missing=0.25),
    ):
        given = np.bincount((found.codes >= 0).sum(axis=0), found.probabilities)
        # The first always says something; of two others both, one or none with .5625, .375 and .0625.
        assert given.tolist() == pytest.approx([0, 0.0625, 0.375, 0.5625])
        assert found.by_label == pytest.approx([0.2, 0.8])
    two = two_assessor_model(expected_shares([0.2, 0.8], 0.5), missing=0.25)
    assert table_of(two, 0, 1) == pytest.approx(expected_shares([0.2, 0.8], 0.5))


def test_the_lowest_kappa_leaves_nothing_of_the_rarest_grade() -> None:
    # Of three assessors, .2 / 2 = .1 = kappa / (1 - kappa) of the urn goes with every grade taken.
    lowest = lowest_kappa([0.2, 0.8], 3)
    assert lowest == pytest.approx(-0.1 / 0.9)
    found = exchangeable_model([0.2, 0.8], lowest, 3)
    (all_first,) = np.flatnonzero((found.codes == 0).all(axis=0))
    assert found.probabilities[all_first] == pytest.approx(0)
    assert found.probabilities.sum() == pytest.approx(1)
    with pytest.raises(InvalidInput) as refused:
        exchangeable_model([0.2, 0.8], lowest - 0.01, 3)
    assert refused.value.findings[0].remedy == "give -0.111 or more"


def test_the_bias_that_was_measured_is_that_of_the_assessors_of_the_plan() -> None:
    # One gives a tenth more of the first grade than the other: each is half of that from the mean.
    shares = expected_shares([0.3, 0.7], 0.5)
    seen = np.array([[0.1, -0.1], [-0.1, 0.1], [0.0, 0.0]])
    unpooled = Target("unpooled")
    two = outcome_model(shares, PlanRequest(target=unpooled), bias=seen)
    table = table_of(two, 0, 1)
    assert table.sum(axis=1) == pytest.approx([0.35, 0.65])
    assert table.sum(axis=0) == pytest.approx([0.25, 0.75])
    assert float(kappa_of_shares(table)) == pytest.approx(0.5)
    # Those of whom nothing is known are as the mean; and the pooled kappa does not tell assessors apart.
    five = outcome_model(shares, PlanRequest(target=unpooled, assessors=5), bias=seen)
    first = [float(five.probabilities[row == 0].sum()) for row in five.codes]
    assert first == pytest.approx([0.38, 0.22, 0.3, 0.3, 0.3])
    pooled = outcome_model(shares, PlanRequest(), bias=seen)
    assert pooled.probabilities == pytest.approx(shares.ravel())
    low = outcome_model(expected_shares([0.2, 0.8], -0.2), PlanRequest(assessors=3), lowest=-0.05)
    assert low.probabilities == pytest.approx(exchangeable_model([0.2, 0.8], -0.05, 3).probabilities)


@pytest.mark.parametrize(
    ("shares", "target", "assessors", "non_response", "code"),
    [
        ((0.2, 0.8), Target(), 11, 0.0, "assessors"),
        ((0.2, 0.8), Target(), 1, 0.0, "assessors"),
        ((0.05,) * 20, Target(), 10, 0.0, "assessors"),
        ((0.1, 0.2, 0.3, 0.4), Target("unpooled"), 8, 0.0, "assessors"),
        ((0.2, 0.8), Target(), 3, 1.0, "missing"),
    ],
)
def test_what_cannot_be_expected_is_refused(
    shares: tuple[float, ...], target: Target, assessors: int, non_response: float, code: str
) -> None:
    request = PlanRequest(target=target, assessors=assessors, non_response=non_response)
    with pytest.raises(InvalidInput) as refused:
        outcome_model(expected_shares(shares, 0.5), request)
    assert [one.code for one in refused.value.findings] == [code]
