"""The qrels that judgments could have become."""

from __future__ import annotations

import pytest

from workbench.consensus.rules import rule_choice
from workbench.errors import WorkbenchError
from workbench.records import Answer, Judgment
from workbench.trust.alternatives import AlternativeQrels
from workbench.trust.assessors import REFERENCE, filled, qrels_of_assessors, qrels_of_rules, rules_to_compare

GIVEN = [
    Judgment("bea", "1", "a", 2),
    Judgment("ann", "1", "a", 0),
    Judgment("ann", "1", "b", 1),
    Judgment("ann", "1", "a", 1),
    Judgment("cyd", "1", "a", None, Answer.UNSURE),
]


def test_each_assessor_has_the_latest_grades() -> None:
    found = qrels_of_assessors(GIVEN, relevant_from=2)
    assert {one.name: dict(one.grades) for one in found} == {
        "ann": {("1", "a"): 1, ("1", "b"): 1},
        "bea": {("1", "a"): 2},
    }
    assert [(one.name, one.relevant, one.relevant_from) for one in found] == [("ann", 0, 2), ("bea", 1, 2)]


def test_union_and_intersection_are_rules() -> None:
    union, intersection, added = qrels_of_rules(
        GIVEN, [rule_choice(rule) for rule in ("any", "all", "sum")], relevant_from=1
    )
    assert dict(union.grades) == {("1", "a"): 2, ("1", "b"): 1}
    assert dict(intersection.grades) == {("1", "a"): 1, ("1", "b"): 1}
    # b has one grade, a two: a sum is of all assessors.
    assert dict(added.grades) == {("1", "a"): 3}
    assert {"any", "all", REFERENCE} <= set(rules_to_compare())
    assert not {"one", "adjudicated", "mean", "dawid-skene"} & set(rules_to_compare())


def test_what_an_assessor_did_not_judge_can_be_taken_from_the_reference() -> None:
    ann, bea = qrels_of_assessors(GIVEN)
    (found,) = filled([bea], ann)
    assert dict(found.grades) == {("1", "a"): 2, ("1", "b"): 1}
    # Of a topic that the assessor does not have nothing is taken.
    (alone,) = filled([bea], AlternativeQrels("other", {("2", "c"): 1}))
    assert dict(alone.grades) == {("1", "a"): 2}
    (summed,) = qrels_of_rules(GIVEN, [rule_choice("sum", line="3")])
    with pytest.raises(WorkbenchError):
        filled([bea], summed)


def test_a_negative_grade_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="-2"):
        qrels_of_assessors([Judgment("ann", "1", "a", -2)])
