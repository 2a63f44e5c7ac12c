"""Rules in which an adjudicator has a word, by hand."""

from __future__ import annotations

import pytest

from workbench.consensus.rules import ALONE, UNDECIDED
from workbench.consensus.settle import NO_GRADE, Label, Unsettled, consensus
from workbench.records import FOUR_GRADES, Answer, Judgment

GIVEN = [
    Judgment("ann", "1", "agreed", 2),
    Judgment("bea", "1", "agreed", 2),
    Judgment("ann", "1", "decided", 3),
    Judgment("bea", "1", "decided", 0),
    Judgment("ann", "1", "open", 3),
    Judgment("bea", "1", "open", 0),
    Judgment("ann", "1", "alone", 1),
    Judgment("ann", "1", "unsure", None, Answer.UNSURE),
]
DECIDED = {("1", "decided"): 1, ("1", "unsure"): 2, ("1", "agreed"): 0}


def test_two_who_agree_settle_a_pair_and_where_they_differ_the_adjudicator_does() -> None:
    found = consensus(GIVEN, rule="two-and-adjudicator", scale=FOUR_GRADES, decided=DECIDED)
    # On "agreed" the adjudicator has no say; on "decided" neither of two gave the 1 that holds.
    assert found.labels == (
        Label("1", "agreed", 2, 1.0, 2),
        Label("1", "decided", 1, 0.0, 2, adjudicated=True),
    )
    assert found.unsettled == (
        Unsettled("1", "alone", ALONE),
        Unsettled("1", "open", UNDECIDED),
        Unsettled("1", "unsure", NO_GRADE),
    )


def test_three_who_do_not_all_agree_need_the_adjudicator() -> None:
    given = [Judgment(name, "1", "d", grade) for name, grade in (("ann", 1), ("bea", 1), ("cyd", 2))]
    assert consensus(given, rule="two-and-adjudicator").unsettled == (Unsettled("1", "d", UNDECIDED),)
    one = [Judgment("ann", "1", "d", 1)]
    assert consensus(one, rule="two-and-adjudicator", decided={("1", "d"): 1}).labels[0].adjudicated


@pytest.mark.parametrize(
    ("then", "parameters", "rest"),
    [
        ("majority", {}, {"alone": 1}),
        ("majority", {"ties": "higher"}, {"alone": 1, "open": 3}),
        ("all", {}, {"alone": 1, "open": 0}),
        ("one", {"assessor": "bea"}, {"open": 0}),
    ],
)
def test_what_was_adjudicated_comes_first_and_another_rule_settles_the_rest(
    then: str, parameters: dict[str, str], rest: dict[str, int]
) -> None:
    found = consensus(
        GIVEN,
        rule="adjudicated",
        scale=FOUR_GRADES,
        relevant_from=None,
        decided=DECIDED,
        then=then,
        **parameters,
    )
    # Also what everybody was unsure of, and what two agreed on, has the adjudicator's grade.
    assert {q.docno: q.grade for q in found.qrels} == {"agreed": 0, "decided": 1, "unsure": 2} | rest
    assert {label.docno for label in found.labels if label.adjudicated} == {"agreed", "decided", "unsure"}


def test_without_decisions_adjudicated_first_is_the_other_rule() -> None:
    given = [one for one in GIVEN if one.docno != "unsure"]
    first = consensus(given, rule="adjudicated", scale=FOUR_GRADES, then="upper-median")
    assert first == consensus(given, rule="upper-median", scale=FOUR_GRADES)


def test_a_model_learns_also_from_pairs_that_were_adjudicated() -> None:
    given = [Judgment(who, "1", f"d{at}", at % 2) for who in ("ann", "bea", "cyd") for at in range(6)]
    found = consensus(given, rule="adjudicated", then="dawid-skene", decided={("1", "d0"): 1})
    assert [q.grade for q in found.qrels] == [1, 1, 0, 1, 0, 1]
