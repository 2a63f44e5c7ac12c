"""Assignments: which assessors judge which topics of a pool, in which order, and how far they are.

They are made by a distribution (`judging.distribution`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.storage.tables import AssessorRow, AssignmentRow, PoolRow, TopicRow
from workbench.workflow.judging.assigned_work import given_topics, handed_documents
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.judging.handout_kinds import kind_of
from workbench.workflow.log import answers_by_topic
from workbench.workflow.people.assessors import assessor_names


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


@dataclass(frozen=True, slots=True)
class Load:
    """What one assessor has in a pool."""

    assessor: str
    topics: int
    pairs: int
    answered: int


def loads_of(db: Session, campaign_id: int, pool_id: int) -> tuple[Load, ...]:
    """What each assessor to whom anything of a pool is assigned has of it, by name."""
    given = [one for one in given_topics(db, campaign_id) if one.pool_id == pool_id]
    if not given:
        return ()
    handed = handed_documents(db, [pool_id], answers_by_topic(db, campaign_id))
    people = np.unique(np.concatenate([one.assessors for one in given]))
    sums = np.zeros((3, len(people)), np.int64)
    for one in given:
        shares = handed.shares(pool_id, one.topic, one.assessors)
        at = np.searchsorted(people, one.assessors)
        sums[0, at] += 1
        sums[1, at] += shares.has + shares.left
        sums[2, at] += shares.answered
    names = assessor_names(db, campaign_id)
    rows = zip(people.tolist(), sums.T.tolist(), strict=True)
    return tuple(sorted((Load(names[who], *row) for who, row in rows), key=lambda load: load.assessor))


def assignments_of(
    db: Session, campaign_id: int, *, topics: Collection[str] | None = None, pool_id: int | None = None
) -> tuple[AssignmentLine, ...]:
    """The current assignments of a campaign, of all topics and pools or some, by topic, then assessor."""
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
    if topics is not None:
        chosen = chosen.where(AssignmentRow.topic.in_(list(topics)))
    if pool_id is not None:
        chosen = chosen.where(AssignmentRow.pool_id == pool_id)
    rows = db.execute(chosen).all()
    shares = _shares(db, campaign_id, [row for row, *_ in rows])
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


def _shares(
    db: Session, campaign_id: int, rows: Sequence[AssignmentRow]
) -> dict[tuple[int, str], dict[int, list[int]]]:
    """Of each topic of a pool what its assessors have of it, in the order of `Shares`."""
    handed = handed_documents(db, {row.pool_id for row in rows}, answers_by_topic(db, campaign_id))
    given: dict[tuple[int, str], list[int]] = {}
    for row in rows:
        given.setdefault((row.pool_id, row.topic), []).append(row.assessor_id)
    found = {}
    for key, people in given.items():
        shares = handed.shares(*key, np.array(people, np.int64))
        found[key] = dict(zip(people, np.array(shares).T.tolist(), strict=True))
    return found
