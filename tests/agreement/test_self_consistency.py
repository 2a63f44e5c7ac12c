"""An assessor against himself, worked by hand."""

from __future__ import annotations

import pytest

from workbench.agreement.options import AgreementOptions
from workbench.agreement.self_consistency import FEWEST, NO_SPREAD, NOTHING, ONE_GRADE, self_consistency

GRADES = (2, 1, 0)


def test_two_showings_are_compared_grade_by_grade() -> None:
    # 2-2, 2-1, 1-1, 1-0, 0-0, 0-0: 4 of 6 the same. Unpooled: rows 2 2 2, columns 1 2 3, so that
    # (2 + 4 + 6) / 36 = 1/3 are expected, and kappa is (2/3 - 1/3) / (2/3) = 1/2.
    found = self_consistency(
        [2, 2, 1, 1, 0, 0], [2, 1, 1, 0, 0, 0], options=AgreementOptions(), categories=GRADES, relevant_from=2
    )
    assert found.table == ((1, 1, 0), (0, 1, 1), (0, 0, 2))
    assert (found.n, found.same, found.higher, found.lower, found.across) == (6, 4, 0, 2, 1)
    assert found.observed == pytest.approx(2 / 3)
    assert found.unpooled.value == pytest.approx(0.5)
    # Pooled: 3, 4, 5 of 12, expected 50/144: (96 - 50) / (144 - 50) = 23/47.
    assert found.pooled.value == pytest.approx(23 / 47)
    assert found.share is not None
    assert found.share[0] < 2 / 3 < found.share[1]
    assert found.interval.undefined == f"an interval needs {FEWEST} pairs or more; there are 6"


def test_enough_pairs_have_an_interval_that_returns_with_its_seed() -> None:
    first, second = [1, 0] * 10, [1, 0] * 8 + [0, 1, 1, 1]
    found = self_consistency(
        first, second, options=AgreementOptions(seed=3), categories=(1, 0), relevant_from=1
    )
    again = self_consistency(
        first, second, options=AgreementOptions(seed=3), categories=(1, 0), relevant_from=1
    )
    assert found == again
    assert found.interval.low is not None
    assert found.pooled.value is not None
    assert found.interval.low < found.pooled.value


def test_nothing_answered_twice_is_said() -> None:
    found = self_consistency([], [], options=AgreementOptions(), categories=GRADES, relevant_from=1)
    assert (found.n, found.observed, found.share, found.pooled.value) == (0, None, None, None)
    assert found.interval.undefined == NOTHING


def test_one_grade_has_no_kappa_and_full_agreement_no_spread() -> None:
    one = self_consistency([0, 0], [0, 0], options=AgreementOptions(), categories=GRADES, relevant_from=1)
    assert (one.observed, one.pooled.value, one.pooled.undefined) == (1.0, None, ONE_GRADE)
    same = self_consistency(
        [1, 0] * 6, [1, 0] * 6, options=AgreementOptions(), categories=(1, 0), relevant_from=1
    )
    assert (same.pooled.value, same.interval.low, same.interval.undefined) == (1.0, None, NO_SPREAD)
