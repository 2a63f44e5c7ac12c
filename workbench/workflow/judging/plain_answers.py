"""Plain answers: what nearly every request of a desk brings, recorded by a statement that reads
and one that writes.

A plain answer is one to a document of a plain standing. Everything else is left to `record`, which knows all
cases and says what is wrong; of a plain answer both make the same event.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import bindparam, or_, select
from sqlalchemy.orm import Session, aliased

from workbench.pooling.adaptive.live import Happening
from workbench.storage.events import CURRENT_PURPOSES, append_new
from workbench.storage.prepared import PreparedStatement
from workbench.storage.tables import AssessorRow, AssignmentRow, JudgmentEventRow, PoolEventRow, PoolRow
from workbench.workflow.judging.record import SCREEN, Place, drops_unseen_comment, event_columns
from workbench.workflow.judging.standing import DeskStanding, standings
from workbench.workflow.judging.submission import Submission, SubmissionKind


class AnswerBefore(NamedTuple):
    """The latest event of the pair before a recorded answer."""

    client_id: str
    answer: str
    grade: int | None
    recorded_at: datetime
    comment: str


class PlainRecord(NamedTuple):
    """A recorded plain answer, with what it replaced, and the version of the instructions that is current."""

    before: AnswerBefore | None
    instructions: int


def record_plainly(
    db: Session, assignment_id: int, account_id: int, submission: Submission
) -> PlainRecord | None:
    """Record a plain answer whose client id is new; None, and nothing is changed, for anything else."""
    if submission.kind is not SubmissionKind.ANSWER:
        return None
    connection = db.connection()
    asked = {"assignment_id": assignment_id, "account_id": account_id, "docno": submission.docno}
    row = _TO_ANSWER.row(connection, asked)
    if row is None:
        return None
    standing, handed_out = DeskStanding._make(row[: len(DeskStanding._fields)]), row[-1]
    # A pool that handed the document out wants to be told.
    if handed_out or not (standing.may_judge and standing.takes_answers and standing.is_plain):
        return None
    order = standing.order(connection)
    if submission.docno not in order:
        return None
    before = AnswerBefore._make(row[len(DeskStanding._fields) : -1])
    if drops_unseen_comment(submission, before.client_id, before.comment):
        return None
    if submission.grade is not None and submission.grade not in standing.grades:
        return None
    place = Place(
        campaign_id=standing.campaign_id,
        assessor_id=standing.assessor_id,
        topic=standing.topic,
        docno=submission.docno,
        source=SCREEN,
        assignment_id=standing.assignment_id,
        position=order.index(submission.docno) + 1,
        order_rule=standing.order_rule,
        seed=standing.seed,
    )
    if append_new(db, event_columns(place, submission, datetime.now(UTC))) is None:
        return None
    return PlainRecord(before if before.client_id is not None else None, standing.instructions)


_EVENT, _LATEST = JudgmentEventRow, aliased(JudgmentEventRow)
# As `storage.events` finds the current event of a pair, and for the same reasons.
_LATEST_ID = (
    select(_EVENT.id)
    .where(
        _EVENT.campaign_id == AssessorRow.campaign_id,
        _EVENT.assessor_id == AssessorRow.id,
        _EVENT.topic == AssignmentRow.topic,
        _EVENT.docno == bindparam("docno"),
        or_(*(_EVENT.purpose == purpose for purpose in CURRENT_PURPOSES)),
    )
    .order_by((_EVENT.id + 0).desc())
    .limit(1)
    .correlate(AssessorRow, AssignmentRow)
    .scalar_subquery()
)
_HANDING = aliased(PoolRow)
_HANDED_OUT = (
    select(PoolEventRow.pool_id)
    .join(_HANDING, _HANDING.id == PoolEventRow.pool_id)
    .where(
        PoolEventRow.topic == AssignmentRow.topic,
        PoolEventRow.docno == bindparam("docno"),
        PoolEventRow.assessor_id == AssessorRow.id,
        PoolEventRow.happening == str(Happening.HANDED_OUT),
        _HANDING.campaign_id == AssessorRow.campaign_id,
        _HANDING.closed_at.is_(None),
    )
    .correlate(AssessorRow, AssignmentRow)
    .exists()
)
# The pool stays as it is until the transaction ends: nobody closes it or takes a pair out of it.
_TO_ANSWER = PreparedStatement.of(
    standings(*(getattr(_LATEST, name) for name in AnswerBefore._fields), _HANDED_OUT)
    .outerjoin(_LATEST, _LATEST.id == _LATEST_ID)
    .with_for_update(read=True, of=PoolRow)
)
