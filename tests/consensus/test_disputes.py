"""What counts as disputed, and how far apart it lies; every figure by hand in the comments."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.consensus.pair_by_pair import disputes
from tests.support import examples
from workbench.consensus.disputes import Difference, DisputeRule, spread_of
from workbench.errors import WorkbenchError
from workbench.records import FOUR_GRADES, Answer, Grade, Judgment, Scale

ASSESSORS = ("ann", "bea", "cal")


def said(docno: str, *answers: int | Answer) -> list[Judgment]:
    return [
        Judgment(who, "T1", docno, None, one) if isinstance(one, Answer) else Judgment(who, "T1", docno, one)
        for who, one in zip(ASSESSORS, answers, strict=False)
    ]


# The line of the four grades is at 2.
PAIRS = [
    *said("agreed", 2, 2, 2),
    *said("alone", 3),
    *said("below", 0, 1),
    *said("across", 1, 2),
    *said("far", 2, 3, 0),
    *said("unsure", 3, Answer.UNSURE),
    *said("nobody", Answer.UNSURE, Answer.CANNOT_JUDGE),
]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (DisputeRule(), ["across", "below", "far"]),
        (DisputeRule(Difference.LINE), ["across", "far"]),
        (DisputeRule(Difference.DISTANCE), ["far"]),
        (DisputeRule(Difference.DISTANCE, 4), []),
        (DisputeRule(Difference.LINE, beside_grades=True), ["across", "far", "unsure"]),
    ],
)
def test_the_setting_says_which_pairs_are_disputed(rule: DisputeRule, expected: list[str]) -> None:
    assert [one.docno for one in disputes(PAIRS, rule=rule, scale=FOUR_GRADES)] == expected


def test_distance_and_mean_are_in_steps_of_the_declared_scale() -> None:
    # 2, 3 and 0: apart by 1, 2 and 3, so 3 at most and 2 on average.
    far = spread_of(said("far", 2, 3, 0), FOUR_GRADES)
    assert (far.distance, far.mean, far.crosses, far.graded, far.answers) == (3, 2.0, True, 3, 3)
    # With nothing between 0 and 10 they are neighbours.
    wide = Scale((Grade(0, "No", "0"), Grade(10, "Yes", "1")), relevant_from=10)
    assert spread_of(said("d", 0, 10), wide).distance == 1


def test_disputes_tell_who_said_what_sorted_by_name_and_the_grades_once() -> None:
    (far,) = disputes(reversed(said("far", 2, 0, 2)), rule=DisputeRule(), scale=FOUR_GRADES)
    assert [(one.assessor, one.grade) for one in far.judgments] == [("ann", 2), ("bea", 0), ("cal", 2)]
    assert far.grades == (0, 2)


def test_a_grade_outside_the_scale_and_no_steps_are_refused() -> None:
    with pytest.raises(WorkbenchError, match="7 is not a grade"):
        disputes(said("d", 7, 1), rule=DisputeRule(), scale=FOUR_GRADES)
    with pytest.raises(WorkbenchError, match="0 steps"):
        DisputeRule(Difference.DISTANCE, 0)


@settings(max_examples=examples(10))
@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), max_size=8))
def test_a_stricter_setting_never_finds_more(pairs: list[list[int]]) -> None:
    judgments = [one for number, grades in enumerate(pairs) for one in said(f"d{number}", *grades)]

    def found(rule: DisputeRule) -> set[str]:
        return {one.docno for one in disputes(judgments, rule=rule, scale=FOUR_GRADES)}

    assert found(DisputeRule()) == {f"d{n}" for n, grades in enumerate(pairs) if len(set(grades)) > 1}
    assert found(DisputeRule(Difference.LINE)) <= found(DisputeRule())
    assert found(DisputeRule(Difference.DISTANCE, 3)) <= found(DisputeRule(Difference.DISTANCE, 2))
    assert found(DisputeRule(Difference.DISTANCE, 1)) == found(DisputeRule())


def test_a_rule_says_how_many_steps_it_asks_for() -> None:
    assert "2" in DisputeRule(Difference.DISTANCE, 2).label
    assert DisputeRule(Difference.DISTANCE, 1).label == DisputeRule(Difference.ANY).label
    assert DisputeRule(Difference.LINE, 2).label == Difference.LINE.label
