"""Answers that arrived and could not be recorded: kept as they were sent until the organiser settles them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.storage.engine import insert_or
from workbench.storage.events import DISCUSSION, CurrentEvent, current_events
from workbench.storage.tables import (
    AccountRow,
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    DocumentRow,
    KeptAsideRow,
    PreferenceTaskRow,
)
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.judging.preference_desk import record_choice
from workbench.workflow.judging.preference_tasks import shown_left
from workbench.workflow.judging.preferences import (
    TASK_FIELD,
    WITHDRAWN,
    Choice,
    current_choices,
    read_side_answer,
)
from workbench.workflow.judging.quality_checks import CHECKS_RULE, whole_task
from workbench.workflow.judging.record import Place, append, record_late
from workbench.workflow.judging.submission import Submission, read_submission, sent_number, sent_text

LONGEST_TEXT = 10_000
LONGEST_WHY = 500
DEEPEST = 5
DISCUSSION_FIELD = "discussion"
"""The field of a desk's event that makes it an answer in a discussion: the slug of its campaign."""


class Settlement(StrEnum):
    """What the organiser did with an unrecorded answer."""

    RECORDED = "recorded"
    DISMISSED = "dismissed"


@frozen_dataclass
class UnrecordedLine:
    """An unrecorded answer: whose, what, why, when; `current` is what its assessor says now.

    Of a preference `docno` names both sides, `answer` is the better one, and `preferred` the current answer.
    """

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
    current: CurrentEvent | None
    settlement: Settlement | None
    preferred: str = ""


def store_unrecorded(
    db: Session, campaign_id: int, account_id: int, sent: Mapping[str, Any], *, why: str
) -> None:
    """Store an event as it was sent; the same client id again changes nothing."""
    db.execute(
        insert_or(db, KeptAsideRow)
        .values(
            campaign_id=campaign_id,
            account_id=account_id,
            assignment_id=sent_number(sent, "assignment"),
            client_id=sent_text(sent, "client_id"),
            answer=_storable(sent, DEEPEST),
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
    """The unrecorded answers of a campaign, in the order in which they arrived."""
    rows = db.execute(
        select(KeptAsideRow, AccountRow.name, AssignmentRow)
        .join(AccountRow, AccountRow.id == KeptAsideRow.account_id)
        .outerjoin(AssignmentRow, AssignmentRow.id == KeptAsideRow.assignment_id)
        .where(KeptAsideRow.campaign_id == campaign_id)
        .order_by(KeptAsideRow.id)
    ).all()
    people = _assessors_of(db, campaign_id)
    concerned = {people[row.account_id] for row, _, _ in rows if row.account_id in people}
    current = current_events(db, campaign_id, assessor_ids=concerned) if concerned else ()
    now = {(event.assessor_id, event.topic, event.docno): event for event in current}
    lines = (_line(db, *row, people.get(row[0].account_id), now) for row in rows)
    if CHECKS_RULE not in db.get_one(CampaignRow, campaign_id).desk_rules:
        return tuple(lines)
    tasks = {one.id: whole_task(db, one) for _, _, one in rows if one is not None}
    return tuple(
        replace(line, docno=tasks[row.assignment_id].slot(line.docno).docno)
        if row.assignment_id in tasks
        else line
        for line, (row, _, _) in zip(lines, rows, strict=True)
    )


def settle(db: Session, campaign_id: int, kept_id: int, account_id: int, *, settlement: Settlement) -> None:
    """Record an unrecorded answer as its assessor's, or dismiss it; it stays in the list.

    Raises NotFound for none of this campaign, Conflict for one that is settled otherwise, WorkbenchError for
    one that can be no answer of this campaign.
    """
    row = db.scalar(
        select(KeptAsideRow)
        .where(KeptAsideRow.id == kept_id, KeptAsideRow.campaign_id == campaign_id)
        .with_for_update()
    )
    if row is None:
        raise NotFound("this answer does not exist")
    if row.settled_at is not None:
        if row.settlement == settlement:
            return
        raise Conflict(f"this answer was already {row.settlement}", remedy="load the page again")
    if settlement is Settlement.RECORDED:
        _record(db, row)
    row.settled_by, row.settled_at, row.settlement = account_id, datetime.now(UTC), str(settlement)
    db.flush()


def _record(db: Session, row: KeptAsideRow) -> None:
    if TASK_FIELD in row.answer:
        record_choice(db, _task(db, row), read_side_answer(row.answer))
        return
    if DISCUSSION_FIELD in row.answer:
        _record_discussed(db, row)
        return
    assignment = db.get(AssignmentRow, row.assignment_id) if row.assignment_id is not None else None
    if assignment is None:
        raise WorkbenchError("its topic is unknown", remedy="dismiss it")
    task = whole_task(db, assignment)
    submission = _submission(row)
    key = task.key_of(submission.docno)
    if key is None and task.slots and db.get(DocumentRow, (row.campaign_id, submission.docno)) is None:
        raise WorkbenchError("its document is no longer shown", remedy="dismiss it")
    record_late(db, task, submission.docno if key is None else key, submission)


def _record_discussed(db: Session, row: KeptAsideRow) -> None:
    topic, assessor_id = sent_text(row.answer, "topic"), _assessors_of(db, row.campaign_id)[row.account_id]
    submission = _submission(row)
    if submission.grade is not None:
        scale_from_json(db.get_one(CampaignRow, row.campaign_id).scale).grade(submission.grade)
    append(
        db, Place(row.campaign_id, assessor_id, topic, submission.docno, DISCUSSION, DISCUSSION), submission
    )


def _submission(row: KeptAsideRow) -> Submission:
    try:
        return read_submission(row.answer, strict=False)
    except WorkbenchError as error:
        raise WorkbenchError(error.message, remedy="dismiss it") from None


def _assessors_of(db: Session, campaign_id: int) -> dict[int, int]:
    """The assessor that each account is in a campaign."""
    rows = db.execute(
        select(AssessorRow.account_id, AssessorRow.id).where(AssessorRow.campaign_id == campaign_id)
    )
    return {account: assessor for account, assessor in rows if account is not None}


def _task(db: Session, row: KeptAsideRow) -> PreferenceTaskRow:
    """The task of a stored preference, locked, also one that was removed."""
    number = sent_number(row.answer, TASK_FIELD)
    return db.get_one(PreferenceTaskRow, number, with_for_update=True, populate_existing=True)


def _line(
    db: Session,
    row: KeptAsideRow,
    name: str,
    assignment: AssignmentRow | None,
    assessor_id: int | None,
    now: Mapping[tuple[int, str, str], CurrentEvent],
) -> UnrecordedLine:
    sent = row.answer
    docno, grade = sent_text(sent, "docno"), sent.get("grade")
    topic = assignment.topic if assignment is not None else sent_text(sent, "topic")
    line = UnrecordedLine(
        id=row.id,
        person=name,
        topic=topic,
        docno=docno,
        kind=sent_text(sent, "kind"),
        answer=sent_text(sent, "answer"),
        grade=grade if isinstance(grade, int) else None,
        comment=sent_text(sent, "comment"),
        why=row.why,
        received_at=row.received_at,
        current=now.get((assessor_id, topic, docno)) if assessor_id is not None else None,
        settlement=Settlement(row.settlement) if row.settlement else None,
    )
    return _of_preference(db, row, line) if TASK_FIELD in sent else line


def _of_preference(db: Session, row: KeptAsideRow, line: UnrecordedLine) -> UnrecordedLine:
    """The line of a stored preference."""
    task = db.get_one(PreferenceTaskRow, sent_number(row.answer, TASK_FIELD))
    chosen = read_side_answer(row.answer)
    pair = tuple(task.pairs[chosen.number - 1]) if 1 <= chosen.number <= len(task.pairs) else ("", "")
    left, right = pair if shown_left(task.seed, pair) else pair[::-1]
    better = {"left": f"{left} is better", "right": f"{right} is better", WITHDRAWN: "withdrew the answer"}
    current = current_choices(db, [task.id]).get(task.id, {}).get(pair)
    now: dict[str, str] = {
        Choice.FIRST: f"{pair[0]} is better",
        Choice.SECOND: f"{pair[1]} is better",
    }
    return replace(
        line,
        topic=task.topic,
        docno=f"{left} | {right}",
        kind="",
        answer=better.get(chosen.choice, chosen.choice.replace("_", " ")),
        grade=None,
        comment=chosen.reason,
        current=None,
        preferred="" if current is None else now.get(current.choice, current.choice.replace("_", " ")),
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
