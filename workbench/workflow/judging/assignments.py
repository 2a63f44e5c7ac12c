"""Assignments: which assessors judge which topics of a pool, in which order, and how far they are.

They are made by a distribution (`judging.distribution`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.storage.tables import AssessorRow, AssignmentRow, PoolRow, TopicRow
from workbench.workflow.judging.assigned_work import handed_documents
from workbench.workflow.judging.handout import kind_of
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
    handed = handed_documents(db, {row.pool_id for row, *_ in rows}, answers_by_topic(db, campaign_id))
    given: dict[tuple[int, str], set[int]] = {}
    for row, *_ in rows:
        given.setdefault((row.pool_id, row.topic), set()).add(row.assessor_id)
    people = {key: sorted(who) for key, who in given.items()}
    shares = {
        key: dict(zip(who, np.array(handed.shares(*key, np.array(who, np.int64))).T.tolist(), strict=True))
        for key, who in people.items()
    }
    lines = []
    for row, pool, title, assessor in rows:
        has, done, left, _ = shares[row.pool_id, row.topic][row.assessor_id]
        lines.append(
            AssignmentLine(
                id=row.id,
                pool=pool,
                topic=row.topic,
                topic_title=title,
                assessor=assessor,
                order_rule=OrderRule(row.order_rule),
                seed=row.seed,
                pairs=has + left,
                answered=done,
            )
        )
    return tuple(lines)
