"""Answers that arrived and could not be recorded: kept as they were sent until the organiser settles them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol

from sqlalchemy import func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.storage.events import CurrentEvent, current_events, recorded_event
from workbench.storage.tables import (
    AccountRow,
    AssignmentRow,
    CampaignRow,
    DocumentRow,
    KeptAsideRow,
    PoolRow,
)
from workbench.workflow.checks import storable
from workbench.workflow.judging.quality_checks import CHECKS_RULE, with_quality_checks
from workbench.workflow.judging.recording import append_said
from workbench.workflow.judging.task import task_of
from workbench.workflow.judging.unrecorded_answers import said_in, text_in

LONGEST_TEXT = 10_000
LONGEST_WHY = 500
DEEPEST = 5


class Settlement(StrEnum):
    """What the organiser did with an answer that was kept aside."""

    RECORDED = "recorded"
    DISMISSED = "dismissed"


class SentEvent(Protocol):
    """An event as it was sent, and what could be read of it."""

    @property
    def assignment_id(self) -> int:
        """The assignment that it names."""

    @property
    def client_id(self) -> str:
        """The sender's id of it."""

    @property
    def sent(self) -> Mapping[str, Any]:
        """All of it."""


@dataclass(frozen=True, slots=True)
class UnrecordedLine:
    """An answer that was kept aside: whose, what, why, when; `holds` is what its assessor says now."""

    id: int
    person: str
    topic: str
    docno: str
    kind: str
    answer: str
    grade: int | None
    comment: str
    why: str
    received_at: datetime
    holds: CurrentEvent | None
    settlement: Settlement | None


def keep_unrecorded(db: Session, campaign_id: int, account_id: int, event: SentEvent, *, why: str) -> None:
    """Keep an event as it was sent; the same client id again changes nothing."""
    insert = sqlite.insert if db.get_bind().dialect.name == "sqlite" else postgresql.insert
    db.execute(
        insert(KeptAsideRow)
        .values(
            campaign_id=campaign_id,
            account_id=account_id,
            assignment_id=event.assignment_id,
            client_id=event.client_id,
            answer=_storable(event.sent, DEEPEST),
            why=storable(why)[:LONGEST_WHY],
            received_at=datetime.now(UTC),
        )
        .on_conflict_do_nothing(index_elements=["account_id", "client_id"])
    )


def unrecorded_count(db: Session, campaign_id: int) -> int:
    """How many answers wait for the organiser."""
    waiting = select(func.count()).where(
        KeptAsideRow.campaign_id == campaign_id, KeptAsideRow.settled_at.is_(None)
    )
    return db.scalar(waiting) or 0


def unrecorded_lines(db: Session, campaign_id: int) -> tuple[UnrecordedLine, ...]:
    """The answers of a campaign that were kept aside, in the order in which they arrived."""
    rows = db.execute(
        select(KeptAsideRow, AccountRow.name, AssignmentRow)
        .join(AccountRow, AccountRow.id == KeptAsideRow.account_id)
        .outerjoin(AssignmentRow, AssignmentRow.id == KeptAsideRow.assignment_id)
        .where(KeptAsideRow.campaign_id == campaign_id)
        .order_by(KeptAsideRow.id)
    ).all()
    concerned = {assignment.assessor_id for _, _, assignment in rows if assignment is not None}
    held = current_events(db, campaign_id, assessor_ids=concerned) if concerned else ()
    now = {(event.assessor_id, event.topic, event.docno): event for event in held}
    lines = (_line(row, name, assignment, now) for row, name, assignment in rows)
    if CHECKS_RULE not in db.get_one(CampaignRow, campaign_id).desk_rules:
        return tuple(lines)
    tasks = {
        assignment.id: with_quality_checks(
            db, task_of(db, assignment, db.get_one(PoolRow, assignment.pool_id))
        )
        for _, _, assignment in rows
        if assignment is not None
    }
    return tuple(
        replace(line, docno=tasks[row.assignment_id].slot(line.docno).docno)
        if row.assignment_id in tasks
        else line
        for line, (row, _, _) in zip(lines, rows, strict=True)
    )


def settle(db: Session, campaign_id: int, kept_id: int, account_id: int, *, settlement: Settlement) -> None:
    """Record an answer that was kept aside as its assessor's, or dismiss it; it stays in the list.

    Raises NotFound for none of this campaign, Conflict for one that is settled otherwise, WorkbenchError for
    one that can be no answer of this campaign.
    """
    row = db.scalar(
        select(KeptAsideRow)
        .where(KeptAsideRow.id == kept_id, KeptAsideRow.campaign_id == campaign_id)
        .with_for_update()
    )
    if row is None:
        raise NotFound("there is no such answer")
    if row.settled_at is not None:
        if row.settlement == settlement:
            return
        raise Conflict(f"this answer was {row.settlement} already", remedy="load the page again")
    if settlement is Settlement.RECORDED:
        _record(db, row)
    row.settled_by, row.settled_at, row.settlement = account_id, datetime.now(UTC), str(settlement)
    db.flush()


def _record(db: Session, row: KeptAsideRow) -> None:
    assignment = db.get(AssignmentRow, row.assignment_id) if row.assignment_id is not None else None
    if assignment is None:
        raise WorkbenchError("nobody knows to which topic it belongs", remedy="dismiss it")
    task = with_quality_checks(db, task_of(db, assignment, db.get_one(PoolRow, assignment.pool_id)))
    said = said_in(db, row, task.answers)
    key = task.key_of(said.docno)
    if key is not None:
        said = replace(said, docno=key)
    elif task.slots and db.get(DocumentRow, (row.campaign_id, said.docno)) is None:
        raise WorkbenchError("it belongs to a document that is shown no more", remedy="dismiss it")
    if recorded_event(db, assignment.assessor_id, row.client_id) is None:
        append_said(db, task, said)


def _line(
    row: KeptAsideRow,
    name: str,
    assignment: AssignmentRow | None,
    now: Mapping[tuple[int, str, str], CurrentEvent],
) -> UnrecordedLine:
    sent = row.answer
    docno, grade = text_in(sent, "docno"), sent.get("grade")
    topic = assignment.topic if assignment is not None else ""
    return UnrecordedLine(
        id=row.id,
        person=name,
        topic=topic,
        docno=docno,
        kind=text_in(sent, "kind"),
        answer=text_in(sent, "answer"),
        grade=grade if isinstance(grade, int) else None,
        comment=text_in(sent, "comment"),
        why=row.why,
        received_at=row.received_at,
        holds=now.get((assignment.assessor_id, topic, docno)) if assignment is not None else None,
        settlement=Settlement(row.settlement) if row.settlement else None,
    )


def _storable(value: Any, depth: int) -> Any:
    """What a database keeps of JSON that somebody sent; deeper than anything that the desk sends is cut."""
    if isinstance(value, str):
        return storable(value)[:LONGEST_TEXT]
    if isinstance(value, Mapping | list) and depth == 0:
        return "…"
    if isinstance(value, Mapping):
        return {storable(str(key))[:LONGEST_TEXT]: _storable(each, depth - 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_storable(each, depth - 1) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
