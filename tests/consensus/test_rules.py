"""The rules on worked cases, and what must hold for every rule."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import cases, examples
from workbench.consensus.rules import PARAMETERS, RULES, SIMPLE
from workbench.consensus.settle import consensus
from workbench.records import BINARY, FOUR_GRADES, Judgment, Scale

# Every rule with every choice of its parameters.
WAYS = [
    (name, {parameter.name: choice})
    for name, rule in RULES.items()
    for parameter in rule.parameters
    if rule in SIMPLE
    for choice in [value for value, _ in parameter.choices] or ["ann"]
] + [(name, {}) for name, rule in RULES.items() if not rule.parameters and rule in SIMPLE]
FEW = settings(max_examples=examples(10))
GRADES = st.dictionaries(st.sampled_from(["ann", "bea", "cyd", "dan", "eve"]), st.integers(0, 3), min_size=1)


def settled(rule: str, grades: Mapping[str, int], **parameters: str) -> int | None:
    given = [Judgment(name, "1", "d", grade) for name, grade in grades.items()]
    found = consensus(given, rule=rule, scale=None, relevant_from=None, decided=None, **parameters)
    return found.qrels[0].grade if found.qrels else None


def judgments(judges: Mapping[str, list[int]], *, relevant_from: int | None = None) -> list[Judgment]:
    return [
        Judgment(name, "1", f"d{at}", grade if relevant_from is None else int(grade >= relevant_from))
        for name, given in judges.items()
        for at, grade in enumerate(given)
    ]


@pytest.mark.parametrize(
    ("key", "rule", "parameters"),
    [
        ("min_all", "all", {}),
        ("max_any", "any", {}),
        ("primary_j1", "one", {"assessor": "j1"}),
        ("median", "lower-median", {}),
        ("median", "upper-median", {}),
        ("majority_binary", "majority", {}),
        ("all_binary", "all", {}),
        ("any_binary", "any", {}),
    ],
)
def test_the_simple_rules_on_three_judges(key: str, rule: str, parameters: dict[str, str]) -> None:
    case = cases("50_label_aggregation.json")["simple_rules_graded"]
    binary = key.endswith("binary")
    given = judgments(case["input"]["judges"], relevant_from=case["input"]["relevant_at"] if binary else None)
    scale: Scale = BINARY if binary else FOUR_GRADES
    result = consensus(given, rule=rule, scale=scale, relevant_from=None, decided=None, **parameters)
    assert result.unsettled == ()
    assert [qrel.grade for qrel in result.qrels] == case["expected"][key]


@pytest.mark.parametrize(("ties", "t1"), [("lower", 0), ("higher", 1), ("none", None)])
def test_a_tie_goes_as_it_was_said(ties: str, t1: int | None) -> None:
    # Crowd-Kit's toy data: t1 is a tie of two against two, which Crowd-Kit gives to "no" without a word.
    case = cases("50_label_aggregation.json")["majority_vote_toy"]
    given: list[Any] = case["input"]["worker_task_label"]
    result = consensus(
        [Judgment(worker, task, "d", int(label == "yes")) for worker, task, label in given],
        rule="majority",
        scale=BINARY,
        ties=ties,
    )
    found: dict[str, int | None] = {qrel.topic: qrel.grade for qrel in result.qrels}
    found |= {pair.topic: None for pair in result.unsettled}
    assert found == {"t1": t1, "t2": 1, "t3": 0, "t4": 1, "t5": 0}


def test_the_most_frequent_grade_wins_without_half_of_the_assessors() -> None:
    assert settled("majority", {"ann": 0, "bea": 0, "cyd": 1, "dan": 2, "eve": 3}) == 0


def test_grades_that_are_not_the_most_frequent_do_not_break_a_tie() -> None:
    assert settled("majority", {"ann": 1, "bea": 1, "cyd": 2, "dan": 2, "eve": 3}, ties="higher") == 2


@pytest.mark.parametrize(("rule", "expected"), [("lower-median", 1), ("upper-median", 2)])
def test_an_even_number_has_two_medians(rule: str, expected: int) -> None:
    assert settled(rule, {"ann": 3, "bea": 0, "cyd": 2, "dan": 1}) == expected


@pytest.mark.parametrize(("rule", "parameters"), WAYS)
@FEW
@given(GRADES)
def test_every_rule_gives_a_grade_that_somebody_gave_or_none(
    rule: str, parameters: dict[str, str], grades: dict[str, int]
) -> None:
    grade = settled(rule, grades, **parameters)
    assert grade in grades.values() or (grade is None and rule in {"majority", "one"})


@pytest.mark.parametrize(("rule", "parameters"), WAYS)
@FEW
@given(st.data(), GRADES)
def test_no_rule_minds_the_order_of_the_assessors(
    rule: str, parameters: dict[str, str], data: st.DataObject, grades: dict[str, int]
) -> None:
    shuffled = dict(data.draw(st.permutations(list(grades.items()))))
    assert settled(rule, shuffled, **parameters) == settled(rule, grades, **parameters)


@FEW
@given(GRADES)
def test_the_rules_are_ordered_from_all_to_any(grades: dict[str, int]) -> None:
    order = [settled(rule, grades) or 0 for rule in ("all", "lower-median", "upper-median", "any")]
    assert order == sorted(order)


def test_every_rule_says_what_it_does() -> None:
    assert all(rule.label and rule.help and rule.source and rule.name == name for name, rule in RULES.items())


def middle(grades: list[int], before: int) -> int:
    return sorted(grades)[before]


@given(GRADES)
def test_the_simple_rules_are_what_they_are_by_hand(grades: dict[str, int]) -> None:
    given_ = list(grades.values())
    assert settled("any", grades) == max(given_)
    assert settled("all", grades) == min(given_)
    assert settled("lower-median", grades) == middle(given_, (len(given_) - 1) // 2)
    assert settled("upper-median", grades) == middle(given_, len(given_) // 2)
    assert settled("one", grades, assessor="ann") == grades.get("ann")
    frequent = [grade for grade in grades.values() if given_.count(grade) == max(map(given_.count, given_))]
    assert settled("majority", grades, ties="lower") == min(frequent)
    assert settled("majority", grades, ties="higher") == max(frequent)
    assert settled("majority", grades) == (frequent[0] if len(set(frequent)) == 1 else None)


def test_rules_that_share_the_name_of_a_parameter_share_the_parameter() -> None:
    assert all(PARAMETERS[one.name] is one for rule in RULES.values() for one in rule.parameters)


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.settle_table])
def test_the_parameters_in_the_catalogue_are_those_of_the_function(name: str) -> None:
    settle = RULES[name].settle_table
    assert settle
    declared = inspect.signature(settle).parameters
    defaults = {
        key: None if one.default is inspect.Parameter.empty else one.default
        for key, one in declared.items()
        if key not in {"table", "parameters"}
    }
    assert defaults == {one.name: one.default for one in RULES[name].parameters}
    assert all(one.help for one in RULES[name].parameters)
