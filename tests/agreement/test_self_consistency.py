"""An assessor against himself, worked by hand."""

from __future__ import annotations

import pytest

from tests.agreement.made import stats
from workbench.agreement.intervals import CONSTANT
from workbench.agreement.options import AgreementOptions
from workbench.agreement.two_series import (
    FEWEST,
    FEWEST_RARE,
    NOTHING,
    ONE_GRADE,
    repeats_needed,
    self_consistency,
)

GRADES = (2, 1, 0)


def test_two_showings_are_compared_grade_by_grade() -> None:
    # 2-2, 2-1, 1-1, 1-0, 0-0, 0-0: 4 of 6 the same. Relevant from 2: first twice, second once, both once.
    found = self_consistency(
        [2, 2, 1, 1, 0, 0], [2, 1, 1, 0, 0, 0], options=AgreementOptions(), categories=GRADES, relevant_from=2
    )
    assert found.table == ((1, 1, 0), (0, 1, 1), (0, 0, 2))
    assert (found.n, found.same, found.higher, found.lower, found.across) == (6, 4, 0, 2, 1)
    assert found.observed == pytest.approx(2 / 3)
    # Of the three grades that are relevant two are on the same pair; of the nine others all but one.
    assert (found.positive, found.negative) == pytest.approx((2 / 3, 8 / 9))
    assert found.share is not None
    assert found.share[0] < 2 / 3 < found.share[1]
    # Of 12 grades 5 are the most frequent, so that 7 / 2 pairs have a rarer one.
    assert found.kappa.value is None
    assert found.interval.low is None
    assert (
        found.kappa.undefined
        == found.interval.undefined
        == ("6 pairs, 3.5 of a rarer grade, are too few for a kappa")
    )
    assert found.would_define == "50 pairs or more, 10 of them of a rarer grade"


def test_enough_pairs_have_a_kappa_with_an_interval_of_these_documents() -> None:
    # Relevant on both occasions 8, on one of them 2 and 2, on neither 38: 20 of 100 grades are relevant.
    first, second = [1] * 10 + [0] * 40, [1] * 8 + [0] * 2 + [1] * 2 + [0] * 38
    found = self_consistency(
        first, second, options=AgreementOptions(confidence=0.9), categories=(1, 0), relevant_from=1
    )
    assert (found.n, found.table) == (FEWEST, ((8, 2), (2, 38)))
    # Scott's: .92 agree and .2 ** 2 + .8 ** 2 = .68 would by chance.
    assert found.kappa.value == pytest.approx((0.92 - 0.68) / (1 - 0.68))
    assert (found.positive, found.negative) == pytest.approx((16 / 20, 76 / 80))
    assert found.would_define == ""
    # Gwet 2014: of each pair the agreement and its part in chance, .2 of relevant, .8 of not, .5 of both.
    shares = [(1, 0.2)] * 8 + [(0, 0.5)] * 4 + [(1, 0.8)] * 38
    own = [(agree - 0.68) / 0.32 - 2 * 0.25 * (chance - 0.68) / 0.32 for agree, chance in shares]
    reach = stats.t.ppf(0.95, 49) * stats.sem(own)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.75 - reach, 0.75 + reach))
    assert found.interval.level == 0.9


@pytest.mark.parametrize(
    ("both", "apart", "neither", "enough"),
    [
        # One pair less than is needed, and as many with half a pair less of the rarer grade.
        (10, 0, 39, False), (10, 0, 40, True), (9, 1, 40, False), (9, 2, 40, True), (39, 2, 9, True),
        (200, 0, 9, False),
    ],
)  # fmt: skip
def test_a_kappa_needs_fifty_pairs_and_ten_of_a_rarer_grade(
    both: int, apart: int, neither: int, enough: bool
) -> None:
    first = [1] * both + [1] * apart + [0] * neither
    second = [1] * both + [0] * apart + [0] * neither
    found = self_consistency(first, second, options=AgreementOptions(), categories=(1, 0), relevant_from=1)
    assert (FEWEST, FEWEST_RARE) == (50, 10)
    assert (found.kappa.value is not None) is enough
    assert ("are too few for a kappa" in found.kappa.undefined) is not enough


def test_so_many_repeats_are_needed_that_wilsons_interval_is_no_wider() -> None:
    for share, reach in ((0.8, 0.1), (0.9, 0.1), (0.5, 0.05)):
        needed = repeats_needed(reach, share)

        def width(n: int, share: float = share) -> float:
            # Wilson 1927, solved for the half width.
            z = float(stats.norm.ppf(0.975))
            return float(z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5 / (1 + z * z / n))

        assert width(needed) <= reach < width(needed - 1)


def test_nothing_answered_twice_is_said() -> None:
    found = self_consistency([], [], options=AgreementOptions(), categories=GRADES, relevant_from=1)
    assert (found.n, found.observed, found.share, found.kappa.value) == (0, None, None, None)
    assert (found.positive, found.negative) == (None, None)
    assert found.interval.undefined == NOTHING
    assert found.would_define == "a pair that is answered twice, or whose answer is known"


def test_one_grade_has_no_kappa_and_full_agreement_no_error() -> None:
    one = self_consistency([0, 0], [0, 0], options=AgreementOptions(), categories=GRADES, relevant_from=1)
    assert (one.observed, one.kappa.value, one.kappa.undefined) == (1.0, None, ONE_GRADE)
    assert (one.positive, one.negative) == (None, 1.0)
    assert one.would_define == "a pair that gets another grade on either occasion"
    same = self_consistency(
        [1, 0] * 30, [1, 0] * 30, options=AgreementOptions(), categories=(1, 0), relevant_from=1
    )
    assert (same.kappa.value, same.interval.low) == (1.0, None)
    assert same.interval.undefined == CONSTANT
