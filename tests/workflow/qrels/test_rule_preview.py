"""What each rule would make of a campaign, by hand."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.orm import Session

from tests.workflow.differing_assessors import choices, judged_campaign
from workbench.consensus.rules import choice_label, choice_name, choices_of, default_rules, rule_choice
from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow.qrels.qrels import compare_rules


def test_every_rule_says_what_it_settles_and_leaves(db: Session) -> None:
    campaign = judged_campaign(db)
    db.add(
        AdjudicationEventRow(
            campaign_id=campaign, topic="T2", docno="d/4", decision="grade", grade=1, seen=[],
            client_id="c", recorded_at=datetime(2026, 1, 2, tzinfo=UTC),
        )
    )  # fmt: skip
    db.flush()
    found = compare_rules(db, campaign, choices(*default_rules(), "dawid-skene", "mean"))
    lines = {line.name: line for line in found}
    # R is a machine, and has no voice.
    numbers = {
        name: (one.found.settled, one.found.unsettled, one.found.relevant, one.found.without_relevant)
        for name, one in lines.items()
        if one.found
    }
    assert numbers == {
        "majority": (1, 2, 1, ("T2",)),
        "one-X": (3, 0, 2, ("T2",)),
        "one-Y": (3, 0, 2, ()),
        "any": (3, 0, 3, ()),
        "all": (3, 0, 1, ("T2",)),
        "lower-median": (3, 0, 1, ("T2",)),
        "upper-median": (3, 0, 3, ()),
        "adjudicated": (2, 1, 1, ("T2",)),
        "two-and-adjudicator": (2, 1, 1, ("T2",)),
        "sum": (3, 0, 3, ()),
    }
    assert lines["adjudicated"].found
    assert lines["adjudicated"].found.adjudicated == 1
    assert "here 2 gave grades" in lines["dawid-skene"].refused
    assert lines["mean"].refused.startswith('the rule "mean" gives fractions')
    assert lines["any"].found
    assert lines["any"].found.by_grade == ((2, 1), (3, 2))


def test_choices_are_told_apart_and_called_by_what_they_were_told() -> None:
    given = rule_choice(ties="higher", then="dawid-skene", line="4", machines=True)
    found = choices_of(["sum", "majority", "one", "adjudicated"], given, assessors=["A. B", "C"])
    assert [choice_name(one) for one in found] == [
        "majority-higher", "one-A. B", "one-C", "adjudicated-dawid-skene", "sum-4",
    ]  # fmt: skip
    assert [choice_label(one) for one in found] == [
        "Majority (ties: higher)",
        "One assessor (A. B)",
        "One assessor (C)",
        "Adjudicated first (then Dawid and Skene)",
        "Sum (line: 4)",
    ]
    assert all(one.machines for one in found)
    # What a rule does not ask for is dropped, so that one choice is not two.
    assert choices_of(["any"], given) == (rule_choice("any", machines=True),)
