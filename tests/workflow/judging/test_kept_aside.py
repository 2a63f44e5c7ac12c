"""What was kept aside: listed with what holds now, recorded as its assessor's or dismissed, once."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.workflow.judging.desk_days import Day, day, said
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.records import Answer
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.judging.current_judgments import current_judgments
from workbench.workflow.judging.unrecorded import Settlement, settle, unrecorded_count, unrecorded_lines
from workbench.workflow.pools.drafts import close_pool

pytestmark = pytest.mark.engines


def settle_all(db: Session, ada: Day, settlement: Settlement) -> None:
    for line in unrecorded_lines(db, ada.made.campaign.id):
        settle(db, ada.made.campaign.id, line.id, ada.made.organiser, settlement=settlement)


def closed(db: Session) -> Day:
    """Ada has judged d1 when the pool is closed, and goes on."""
    ada = day(db)
    ada.send(db, ada.event("event-01", "d1", grade=1))
    close_pool(db, ada.made.campaign.id, ada.pool)
    ada.send(
        db,
        ada.event("event-02", "d1", kind="undo"),
        ada.event("event-03", "d1", grade=3, comment="after all", active_ms=900, shown_sha256="b" * 64),
        ada.event("event-04", "d/4", kind="answer", answer="unsure"),
    )
    return ada


def test_each_line_says_who_what_and_why_and_what_holds_now(db: Session) -> None:
    ada = closed(db)
    lines = unrecorded_lines(db, ada.made.campaign.id)
    assert [(line.person, line.topic, line.docno, line.kind, line.grade) for line in lines] == [
        ("Ada", "T1", "d1", "undo", None),
        ("Ada", "T1", "d1", "answer", 3),
        ("Ada", "T1", "d/4", "answer", None),
    ]
    assert {line.why for line in lines} == {"this pool is closed"}
    assert [line.current.grade if line.current else None for line in lines] == [1, 1, None]
    assert unrecorded_count(db, ada.made.campaign.id) == 3


def test_recorded_they_are_their_assessors_answers_in_the_order_in_which_they_came(db: Session) -> None:
    ada = closed(db)
    settle_all(db, ada, Settlement.RECORDED)
    assert said(db) == [
        ("d1", "grade", 1),
        ("d1", "withdrawn", None),
        ("d1", "grade", 3),
        ("d/4", "unsure", None),
    ]
    event = db.scalars(select(JudgmentEventRow).where(JudgmentEventRow.client_id == "event-03")).one()
    assert (event.comment, event.active_ms, event.document_sha256) == ("after all", 900, "b" * 64)
    held = {(one.assessor, one.docno, one.answer) for one in current_judgments(db, ada.made.campaign.id)}
    assert held == {("Ada", "d1", Answer.GRADE), ("Ada", "d/4", Answer.UNSURE)}
    assert unrecorded_count(db, ada.made.campaign.id) == 0
    # Settled twice it is recorded once, and it cannot be dismissed any more.
    settle_all(db, ada, Settlement.RECORDED)
    assert len(said(db)) == 4
    with pytest.raises(Conflict, match="was already recorded"):
        settle_all(db, ada, Settlement.DISMISSED)


def test_what_can_be_no_answer_cannot_be_recorded_and_says_why(db: Session) -> None:
    ada = day(db)
    ada.send(
        db,
        ada.event("event-01", "d1", grade=9),
        ada.event("event-02", "d1", kind="shrug"),
        ada.event("event-03", "d1", kind=["answer"], answer="grade", grade=1),
        ada.event("event-04", "d1", answer={"grade": 1}),
    )
    reasons = ("9 is not a grade", "unknown kind", "unknown kind", "unknown answer")
    for line, why in zip(unrecorded_lines(db, ada.made.campaign.id), reasons, strict=True):
        with pytest.raises(WorkbenchError, match=why):
            settle(db, ada.made.campaign.id, line.id, ada.made.organiser, settlement=Settlement.RECORDED)
    assert said(db) == []


def test_another_campaigns_answers_are_not_there(db: Session) -> None:
    ada = closed(db)
    (first, *_) = unrecorded_lines(db, ada.made.campaign.id)
    with pytest.raises(NotFound):
        settle(db, ada.made.campaign.id + 1, first.id, ada.made.organiser, settlement=Settlement.RECORDED)
