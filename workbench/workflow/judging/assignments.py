"""The assignments that are in force: who has which topic of which pool, and how much of it is judged."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.events import current_events
from workbench.storage.tables import AssessorRow, AssignmentRow, PoolRow, TopicRow
from workbench.workflow.judging.handouts import share_of, shares_of
from workbench.workflow.judging.order import OrderRule


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


def assignments_of(db: Session, campaign_id: int) -> tuple[AssignmentLine, ...]:
    """The assignments of a campaign that are in force, by topic, then assessor."""
    rows = db.execute(
        select(AssignmentRow, PoolRow.name, TopicRow.title, AssessorRow.name)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
        .join(
            TopicRow,
            (TopicRow.campaign_id == PoolRow.campaign_id) & (TopicRow.topic == AssignmentRow.topic),
        )
        .where(PoolRow.campaign_id == campaign_id, AssignmentRow.revoked_at.is_(None))
        .order_by(TopicRow.position, AssessorRow.name)
    ).all()
    shares = shares_of(db, campaign_id)
    said: dict[tuple[int, str], set[str]] = {}
    for event in current_events(db, campaign_id):
        said.setdefault((event.assessor_id, event.topic), set()).add(event.docno)
    lines = []
    for row, pool, title, assessor in rows:
        docnos = shares.docnos(row.pool_id, row.topic, row.assessor_id)
        lines.append(
            AssignmentLine(
                id=row.id,
                pool=pool,
                topic=row.topic,
                topic_title=title,
                assessor=assessor,
                order_rule=OrderRule(row.order_rule),
                seed=row.seed,
                pairs=len(docnos) + shares.left(row.pool_id, row.topic, row.assessor_id),
                answered=len(docnos & said.get((row.assessor_id, row.topic), set())),
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
        docnos, more = share_of(db, db.get_one(PoolRow, pool_id), topic, assessor_id)
        pairs |= {(topic, docno) for docno in docnos}
        left += more
    if not pairs:
        return left
    events = current_events(db, campaign_id, assessor_ids=[assessor_id])
    return left + len(pairs - {(event.topic, event.docno) for event in events})
