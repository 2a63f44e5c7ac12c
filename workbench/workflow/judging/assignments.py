"""Assignments: which assessors judge which topics of a pool, in which order, and how far they are.

They are made by a distribution (`judging.distribution`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.storage.events import current_events
from workbench.storage.tables import AssessorRow, AssignmentRow, PoolRow, TopicRow
from workbench.workflow.judging.assigned_work import answered, handed_documents
from workbench.workflow.judging.handout import handout_of, kind_of
from workbench.workflow.judging.order import OrderRule
from workbench.workflow.pools.current_answers import answers_by_topic


def revoke(db: Session, campaign_id: int, assignment_id: int) -> None:
    """Remove an assignment; judgments stay, unanswered documents go to others. Raises NotFound."""
    row = db.scalar(
        select(AssignmentRow)
        .join(PoolRow)
        .where(AssignmentRow.id == assignment_id, PoolRow.campaign_id == campaign_id)
    )
    if row is None:
        raise NotFound("this assignment does not exist")
    row.revoked_at = row.revoked_at or datetime.now(UTC)
    pool = db.get_one(PoolRow, row.pool_id)
    kind_of(pool).take_back(db, pool, row)
    db.flush()


@dataclass(frozen=True, slots=True)
class AssignmentLine:
    """One topic given to one assessor; `seed` matters to the shuffled order only.

    Of an adaptive pool `pairs` are those that the assessor has and those that anybody can still get.
    """

    id: int
    pool: str
    topic: str
    topic_title: str
    assessor: str
    order_rule: OrderRule
    seed: int
    pairs: int
    answered: int


def assignments_of(db: Session, campaign_id: int, *, topic: str | None = None) -> tuple[AssignmentLine, ...]:
    """The current assignments of a campaign, or of one topic, by topic, then assessor."""
    chosen = (
        select(AssignmentRow, PoolRow.name, TopicRow.title, AssessorRow.name)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
        .join(
            TopicRow,
            (TopicRow.campaign_id == PoolRow.campaign_id) & (TopicRow.topic == AssignmentRow.topic),
        )
        .where(PoolRow.campaign_id == campaign_id, AssignmentRow.revoked_at.is_(None))
        .order_by(TopicRow.position, AssessorRow.name)
    )
    rows = db.execute(chosen if topic is None else chosen.where(AssignmentRow.topic == topic)).all()
    handed = handed_documents(db, {row.pool_id for row, *_ in rows})
    answers = answers_by_topic(db, campaign_id)
    lines = []
    for row, pool, title, assessor in rows:
        docnos = handed.of(row.pool_id, row.topic, row.assessor_id)
        lines.append(
            AssignmentLine(
                id=row.id,
                pool=pool,
                topic=row.topic,
                topic_title=title,
                assessor=assessor,
                order_rule=OrderRule(row.order_rule),
                seed=row.seed,
                pairs=docnos.count + handed.left(row.pool_id, row.topic, row.assessor_id),
                answered=answered(answers.get(row.topic), row.assessor_id, docnos),
            )
        )
    return tuple(lines)


def left_to_judge(db: Session, campaign_id: int, account_id: int) -> int:
    """How many pairs assigned to an account in open pools have no answer of its yet."""
    assessor_id = db.scalar(
        select(AssessorRow.id).where(
            AssessorRow.campaign_id == campaign_id, AssessorRow.account_id == account_id
        )
    )
    if assessor_id is None:
        return 0
    assigned = db.execute(
        select(AssignmentRow.pool_id, AssignmentRow.topic)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(
            AssignmentRow.assessor_id == assessor_id,
            AssignmentRow.revoked_at.is_(None),
            PoolRow.closed_at.is_(None),
        )
    ).all()
    pairs: set[tuple[str, str]] = set()
    left = 0
    for pool_id, topic in assigned:
        handout = handout_of(db, db.get_one(PoolRow, pool_id), topic)
        pairs |= {(topic, docno) for docno in handout.docnos(assessor_id)}
        left += handout.may_come(assessor_id)
    if not pairs:
        return left
    events = current_events(db, campaign_id, assessor_ids=[assessor_id])
    return left + len(pairs - {(event.topic, event.docno) for event in events})
