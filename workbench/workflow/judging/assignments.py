"""Assignments: which assessors judge which topics of a pool, in which order, and how far they are.

They are made by a distribution of topics to assessors.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import numpy as np
from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from workbench.errors import NotFound, WorkbenchError
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.storage.tables import AssessorRow, AssignmentRow, PoolRow, TopicRow
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.judging.assigned_work import given_topics, handed_documents
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.judging.task import kind_of
from workbench.workflow.log import answers_by_topic
from workbench.workflow.people.membership import assessor_names, assignable_ids
from workbench.workflow.pools.pool_rows import require_open, share_locked_pool, topics_of_pool


def revoke(db: Session, campaign_id: int, assignment_id: int) -> AssignmentRow:
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
    return row


@frozen_dataclass
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


@frozen_dataclass
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


SEEDS = 2**31

Given = tuple[str, int]
"""A topic, and the number of the assessor who is to judge it."""


@frozen_dataclass
class Distribution:
    """Topics of a pool with their assessors, in which order these see the documents, and the seed of it."""

    pool_id: int
    given: Sequence[Given]
    order: OrderRule = OrderRule.SHUFFLED
    seed: int | None = None


def to_each(db: Session, pool_id: int, assessor_ids: Iterable[int]) -> list[Given]:
    """Every topic of a pool for every assessor; raises Conflict for a draft or a closed pool."""
    topics, people = sorted(topics_of_pool(db, _pool(db, pool_id))), list(assessor_ids)
    return [(topic, assessor_id) for topic in topics for assessor_id in people]


def in_turn(
    db: Session, pool_id: int, assessor_ids: Sequence[int], per_topic: int, *, again: float = 0.0
) -> list[Given]:
    """Each topic of a pool for `per_topic` assessors, in turn so that work and partners are spread.

    Topic i goes to the assessors i, i + 1, ... of the list, counted round; a share `again` of the topics,
    evenly among them, goes to one more. Raises WorkbenchError where there are fewer assessors than these,
    Conflict for a draft or a closed pool.
    """
    assessor_ids = list(dict.fromkeys(assessor_ids))
    most = per_topic + (again > 0)
    if not per_topic >= 1 or most > len(assessor_ids):
        raise WorkbenchError(
            f"each topic needs {counted(most, 'assessor')}, but {len(assessor_ids)} selected",
            remedy="select more assessors or ask for fewer per topic",
        )
    pool = _pool(db, pool_id)
    pooled = topics_of_pool(db, pool)
    topics = topic_titles(db, pool.campaign_id)
    return [
        (topic, assessor_ids[(index + step) % len(assessor_ids)])
        for index, topic in enumerate(one for one in topics if one in pooled)
        for step in range(per_topic + (int((index + 1) * again) > int(index * again)))
    ]


def reassign(
    db: Session, campaign_id: int, distribution: Distribution, gone: Iterable[int], *, rest: bool
) -> int:
    """Remove assignments and make others at once; returns how many are new. Raises as `distribute`.

    With `rest`, who gets a topic that was taken from others gets only what these have not answered.
    """
    givers: dict[str, set[int]] = {}
    for row in [revoke(db, campaign_id, number) for number in gone]:
        givers.setdefault(row.topic, set()).update((row.assessor_id, *row.rest_of))
    return distribute(db, distribution, givers if rest else {}) if distribution.given else 0


def distribute(
    db: Session, distribution: Distribution, givers: Mapping[str, Collection[int]] = MappingProxyType({})
) -> int:
    """Make the assignments of a distribution; existing ones stay as they are. Returns how many are new.

    What was removed is assigned again with its old order. Of a topic that was taken from assessors, what
    these have answered is no part. Raises Conflict for a draft or a closed pool, NotFound for a topic outside
    the pool or an assessor without account.
    """
    pool = share_locked_pool(db, distribution.pool_id)
    require_open(pool)
    pooled = topics_of_pool(db, pool)
    able = assignable_ids(db, pool.campaign_id)
    row = AssignmentRow
    rows = db.execute(
        select(row.topic, row.assessor_id, row.id, row.revoked_at).where(row.pool_id == pool.id)
    )
    known = {(topic, who): (number, revoked is not None) for topic, who, number, revoked in rows}
    # What comes when in an adaptive pool is its strategy's business.
    order = OrderRule.PRIORITY if kind_of(pool).one_by_one else distribution.order
    now, new, again = datetime.now(UTC), list[dict[str, Any]](), list[dict[str, Any]]()
    for topic, assessor_id in dict.fromkeys(distribution.given):
        if topic not in pooled:
            raise NotFound(f"topic {topic!r} has nothing in pool {pool.name!r}")
        if assessor_id not in able:
            raise NotFound(
                "only assessors with an account here can be assigned work", remedy="invite the person first"
            )
        number, removed = known.get((topic, assessor_id), (None, True))
        rest_of = sorted(set(givers.get(topic, ())) - {assessor_id})
        if number is not None and removed:
            again.append({"id": number, "revoked_at": None, "rest_of": rest_of})
        elif number is None:
            new.append(
                {
                    "pool_id": pool.id,
                    "topic": topic,
                    "assessor_id": assessor_id,
                    "order_rule": order,
                    "seed": _seed(distribution.seed, assessor_id),
                    "assigned_at": now,
                    "rest_of": rest_of,
                }
            )
    if new:
        # The trail has what a statement returns.
        db.execute(insert(row).returning(*row.__table__.c), new)
    if again:
        db.execute(update(row), again)
    return len(new) + len(again)


def _seed(seed: int | None, assessor_id: int) -> int:
    # Each assessor's own: two who see one order could influence each other's pace and fatigue alike.
    if seed is None:
        return secrets.randbelow(SEEDS)
    digest = hashlib.sha256(f"{seed}\0{assessor_id}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % SEEDS


def _pool(db: Session, pool_id: int) -> PoolRow:
    pool = db.get(PoolRow, pool_id)
    if pool is None:
        raise NotFound("there is no such pool")
    require_open(pool)
    return pool
