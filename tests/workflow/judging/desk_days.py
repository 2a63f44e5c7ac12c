"""An assessor at a desk in the tests of the use-cases: what she sends, and what the database then holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.builders import Made, pooled_campaign
from workbench.records import FOUR_GRADES
from workbench.storage.tables import JudgmentEventRow, KeptAsideRow
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.judging.sync import Event, Receipt, receive

Said = tuple[str, str, int | None]


@dataclass(frozen=True, slots=True)
class Day:
    """Ada at topic T1, whose documents by docno are d/4, d1 and d2; Ben has it too."""

    made: Made
    pool: str
    ada: int
    assignment: int

    def event(self, client_id: str, docno: str, **sent: Any) -> Event:
        """An event as it comes out of JSON; a grade unless it says otherwise."""
        if "kind" not in sent:
            sent = {"kind": "answer", "answer": "grade", **sent}
        return {"assignment": self.assignment, "client_id": client_id, "docno": docno, **sent}

    def send(self, db: Session, *events: Event) -> tuple[Receipt, ...]:
        """Send events as Ada's desk does."""
        return receive(db, self.ada, events)

    def outcomes(self, db: Session, *events: Event) -> list[str]:
        """Send events and give what became of each."""
        return [str(receipt.outcome) for receipt in self.send(db, *events)]


def day(db: Session) -> Day:
    """Make the campaign, the pool and the assignments."""
    made, report = pooled_campaign(db, scale=FOUR_GRADES)
    assign(
        db,
        report.pool.id,
        topics=["T1"],
        assessor_ids=list(made.assessors.values()),
        order=OrderRule.DOCNO,
    )
    assignment = next(one.id for one in assignments_of(db, made.campaign.id) if one.assessor == "Ada")
    return Day(made, report.pool.name, made.accounts["Ada"], assignment)


def said(db: Session) -> list[Said]:
    """Every event: docno, answer and grade, in order."""
    event = JudgmentEventRow
    rows = db.execute(select(event.docno, event.answer, event.grade).order_by(event.id)).all()
    return [(docno, answer, grade) for docno, answer, grade in rows]


def kept(db: Session) -> list[tuple[str, str]]:
    """What was kept aside: client ids and why."""
    rows = db.execute(select(KeptAsideRow.client_id, KeptAsideRow.why).order_by(KeptAsideRow.id)).all()
    return [(client_id, why) for client_id, why in rows]
