"""Agreement before and after a discussion: what was said when it was said, and what a discussion settles."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.orm import Session

from tests.workflow.adjudication.disputed import AGREED, FAR, LINE, NEAR, disputed_campaign
from tests.workflow.adjudication.test_discussing import state
from workbench.agreement.options import AgreementOptions, Occasion
from workbench.records import Answer
from workbench.workflow.adjudication.decisions import Decision, undo
from workbench.workflow.adjudication.queue import State
from workbench.workflow.agreement.report import campaign_agreement
from workbench.workflow.agreement.selection import campaign_answers, discussed_answers
from workbench.workflow.people.membership import assessors_of


def test_before_is_all_that_was_said_before_and_a_withdrawn_grade_counts_no_more_after(db: Session) -> None:
    options = AgreementOptions()
    one = disputed_campaign(db)
    for pair, grades in {FAR: (2, 1), NEAR: (1, 0), AGREED: (1, 0), LINE: (1, 0)}.items():
        for name, grade in zip(("Ada", "Ben"), grades, strict=True):
            one.say(db, name, pair, grade)
        one.decide(db, pair, Decision.BACK)
    one.discuss(db, "Ada", FAR, 2)
    one.discuss(db, "Ada", NEAR, 1)
    one.discuss(db, "Ada", AGREED, None)
    one.discuss(db, "Ada", LINE, None)
    # What comes by the desk afterwards is no more independent than what comes in the discussion.
    one.say(db, "Ben", NEAR, 1)
    # Of independent answers, unless current ones are asked for.
    first = campaign_agreement(db, one.id, options)
    current = campaign_agreement(db, one.id, replace(options, answers=Occasion.CURRENT))
    # Relevant from 2: one grade of eight, on one of four pairs; P(E) = (1/8)^2 + (7/8)^2 = 50/64, and
    # (48 - 50) / (64 - 50) = -1/7.
    assert first.estimate("pooled").value == pytest.approx(-1 / 7, abs=1e-12)
    # Two pairs are left, of which one is agreed on: P(E) = (1/4)^2 + (3/4)^2 = 10/16, (8 - 10) / (16 - 10).
    assert current.estimate("pooled").value == pytest.approx(-1 / 3, abs=1e-12)
    assert (
        "of 4 pairs that were returned for discussion the answers before it count" in first.selection.sentence
    )
    assert "the current answers count" in current.selection.sentence


def test_an_earlier_grade_may_be_higher_than_any_that_is_current(db: Session) -> None:
    one = disputed_campaign(db)
    who = assessors_of(db, one.id)[0]
    # 300 goes into no byte, and 70,000 not into two.
    for grade in (300, 70_000):
        found = campaign_answers(db, one.id, {(who.id, FAR): (Answer.GRADE, grade)})
        assert found.grades[0, found.pairs.index(FAR)] == grade


def test_a_discussion_that_leaves_one_grade_has_settled_nothing(db: Session) -> None:
    one = disputed_campaign(db)
    for pair in (FAR, NEAR):
        one.decide(db, pair, Decision.BACK)
    one.discuss(db, "Ada", FAR, None)
    assert state(db, one, FAR) is State.BACK
    one.discuss(db, "Ben", FAR, 3)
    # "Unsure" and 3: nobody differs any more, but nobody agrees either.
    assert state(db, one, FAR) is State.OPEN
    one.discuss(db, "Ada", NEAR, 3)
    assert state(db, one, NEAR) is State.SETTLED


def test_a_return_that_was_withdrawn_unanswered_is_no_discussion(db: Session) -> None:
    one = disputed_campaign(db)
    one.decide(db, FAR, Decision.BACK)
    assert undo(db, one.id, one.judith, client_id="undone-at-once") == FAR
    assert discussed_answers(db, one.id) == {}
    one.decide(db, FAR, Decision.BACK)
    one.discuss(db, "Ada", FAR, 3)
    undo(db, one.id, one.judith, client_id="undone-too-late")
    ada, ben = (one.made.assessors[name] for name in ("Ada", "Ben"))
    assert discussed_answers(db, one.id) == {(ada, FAR): ("grade", 0), (ben, FAR): ("grade", 3)}
