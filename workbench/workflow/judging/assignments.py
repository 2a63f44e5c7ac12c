"""Assignments: which assessors judge which topics of a pool, in which order, and how far they are."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.counts import counted
from workbench.errors import NotFound, WorkbenchError
from workbench.storage.events import current_events
from workbench.storage.tables import AssessorRow, AssignmentRow, PoolRow, TopicRow
from workbench.workflow.judging.assigned_work import answered, handed_documents
from workbench.workflow.judging.handout import handout_of, kind_of
from workbench.workflow.judging.order import OrderRule
from workbench.workflow.pools.adaptive_pools import topics_of_pool
from workbench.workflow.pools.current_answers import answers_by_topic
from workbench.workflow.pools.pool_rows import require_open, share_locked_pool

SEEDS = 2**31


def assign(
    db: Session,
    pool_id: int,
    *,
    topics: Iterable[str] | None,
    assessor_ids: Iterable[int],
    order: OrderRule = OrderRule.SHUFFLED,
    seed: int | None = None,
) -> int:
    """Assign every named topic, or all, to every named assessor; existing assignments stay as they are.

    Returns how many assignments are new. A topic that was removed is assigned again with its old order.
    Raises Conflict for a draft or a closed pool, NotFound for a topic outside the pool or an assessor without
    account.
    """
    pool = _open_pool(db, pool_id)
    pooled = topics_of_pool(db, pool)
    assessor_ids = list(assessor_ids)
    chosen = sorted(pooled) if topics is None else topics
    given = [(topic, assessor_id) for topic in chosen for assessor_id in assessor_ids]
    return _give(db, pool, pooled, given, order, seed)


def assign_in_turn(
    db: Session,
    pool_id: int,
    *,
    assessor_ids: Sequence[int],
    per_topic: int = 1,
    order: OrderRule = OrderRule.SHUFFLED,
    seed: int | None = None,
) -> int:
    """Assign each topic of a pool to `per_topic` assessors, in turn so that work and partners are spread.

    Topic i goes to the assessors i, i + 1, ... of the list, counted round. Returns how many are new; raises
    WorkbenchError where there are fewer assessors than `per_topic`.
    """
    assessor_ids = list(dict.fromkeys(assessor_ids))
    if not 1 <= per_topic <= len(assessor_ids):
        raise WorkbenchError(
            f"each topic is to have {counted(per_topic, 'assessor')}; {len(assessor_ids)} selected",
            remedy="select more assessors or ask for fewer per topic",
        )
    pool = _open_pool(db, pool_id)
    pooled = topics_of_pool(db, pool)
    topics = db.scalars(
        select(TopicRow.topic).where(TopicRow.campaign_id == pool.campaign_id).order_by(TopicRow.position)
    )
    given = [
        (topic, assessor_ids[(index + step) % len(assessor_ids)])
        for index, topic in enumerate(one for one in topics.all() if one in pooled)
        for step in range(per_topic)
    ]
    return _give(db, pool, pooled, given, order, seed)


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


def _give(
    db: Session,
    pool: PoolRow,
    pooled: Collection[str],
    given: Iterable[tuple[str, int]],
    order: OrderRule,
    seed: int | None,
) -> int:
    """Assign topics to assessors, as pairs; returns how many are new."""
    account = AssessorRow.account_id.is_not(None)
    of_campaign = AssessorRow.campaign_id == pool.campaign_id
    able = set(db.scalars(select(AssessorRow.id).where(of_campaign, account)))
    # What comes when in an adaptive pool is its strategy's business.
    order = order if kind_of(pool).order_is_chosen else OrderRule.PRIORITY
    rows = db.scalars(select(AssignmentRow).where(AssignmentRow.pool_id == pool.id))
    known = {(row.topic, row.assessor_id): row for row in rows}
    added = 0
    for topic, assessor_id in dict.fromkeys(given):
        if topic not in pooled:
            raise NotFound(f"topic {topic!r} has nothing in pool {pool.name!r}")
        if assessor_id not in able:
            raise NotFound(
                "an assessor without an account cannot be assigned work", remedy="invite the person first"
            )
        row = known.get((topic, assessor_id))
        if row is None:
            db.add(_assignment(pool.id, topic, assessor_id, order, seed))
        elif row.revoked_at is None:
            continue
        else:
            row.revoked_at = None
        added += 1
    db.flush()
    return added


def _assignment(
    pool_id: int, topic: str, assessor_id: int, order: OrderRule, seed: int | None
) -> AssignmentRow:
    return AssignmentRow(
        pool_id=pool_id,
        topic=topic,
        assessor_id=assessor_id,
        order_rule=order,
        # Each assessor's own: two who see one order could influence each other's pace and fatigue alike.
        seed=secrets.randbelow(SEEDS) if seed is None else _mixed(seed, assessor_id),
        assigned_at=datetime.now(UTC),
    )


def _mixed(seed: int, assessor_id: int) -> int:
    digest = hashlib.sha256(f"{seed}\0{assessor_id}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % SEEDS


def _open_pool(db: Session, pool_id: int) -> PoolRow:
    pool = share_locked_pool(db, pool_id)
    require_open(pool)
    return pool


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
