"""Quantiles of Student's t against scipy's."""

from __future__ import annotations

import pytest

from tests.support import Oracle
from workbench.agreement.intervals import student_t

special = Oracle("scipy.special")

DEGREES = (1, 1.5, 2, 2.5, 3, 4, 7, 9.25, 29, 100, 339, 341, 1000, 9999, 99_999, 100_001, 10**6, 10**9)


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("share", [0.001, 0.25, 0.55, 0.9, 0.95, 0.975, 0.995, 0.99995])
def test_quantiles_are_those_of_scipy(share: float, degrees: float) -> None:
    assert student_t(share, degrees) == pytest.approx(float(special.stdtrit(degrees, share)), rel=1e-12)


def test_the_median_is_zero() -> None:
    assert student_t(0.5, 3) == 0.0
