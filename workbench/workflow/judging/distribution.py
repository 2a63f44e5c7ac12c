"""Distributions: which topics of a pool go to which assessors, and the assignments that are made of that.

A pool of some hundred topics for a crowd is hundreds of thousands of assignments. What is to be written is
found out and checked before any transaction that writes, and then written in portions. Each portion holds the
pool open; what was given before a process was killed stays, and giving the same again adds the rest.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import CursorResult, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from workbench.errors import NotFound, WorkbenchError
from workbench.figures import counted
from workbench.storage.chunks import chunks
from workbench.storage.engine import Database, Writing
from workbench.storage.tables import AssignmentRow, PoolRow, TopicRow
from workbench.workflow.judging.handout import kind_of
from workbench.workflow.judging.order import OrderRule
from workbench.workflow.people.assessors import assignable_ids
from workbench.workflow.pools.adaptive_pools import topics_of_pool
from workbench.workflow.pools.pool_rows import require_open, share_locked_pool

SEEDS = 2**31
PORTION = 500
"""Assignments in a transaction: some milliseconds, for which people who save wait."""
PAUSE = 1
"""Between two portions the database is left to others, for so many times as long as one takes."""

Given = tuple[str, int]
"""A topic, and the number of the assessor who is to judge it."""


@dataclass(frozen=True, slots=True)
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
            f"each topic is to have {counted(most, 'assessor')}; {len(assessor_ids)} selected",
            remedy="select more assessors or ask for fewer per topic",
        )
    pool = _pool(db, pool_id)
    pooled = topics_of_pool(db, pool)
    topics = db.scalars(
        select(TopicRow.topic).where(TopicRow.campaign_id == pool.campaign_id).order_by(TopicRow.position)
    )
    return [
        (topic, assessor_ids[(index + step) % len(assessor_ids)])
        for index, topic in enumerate(one for one in topics.all() if one in pooled)
        for step in range(per_topic + (int((index + 1) * again) > int(index * again)))
    ]


def distribute(db: Session, distribution: Distribution) -> int:
    """Make the assignments of a distribution; existing ones stay as they are. Returns how many are new.

    What was removed is assigned again with its old order. Raises Conflict for a draft or a closed pool,
    NotFound for a topic outside the pool or an assessor without account.
    """
    _hold_open(db, distribution.pool_id)
    missing = _missing(db, distribution)
    return sum(_write(db, some) for some in chunks(missing, PORTION))


def distribute_in_portions(
    database: Database, distribution: Distribution, *, writing: Writing | None = None
) -> int:
    """The same while others write, each portion in a transaction that `writing` opens.

    Raises Conflict also where the pool is closed between two portions: what was given by then stays.
    """
    begin = database.writing if writing is None else writing
    with database.reading() as db:
        missing = _missing(db, distribution)
    added = 0
    # Where nothing is missing, the one transaction leaves the entry of the trail.
    for some in chunks(missing, PORTION) if missing else [()]:
        begun = time.monotonic()
        with begin() as db:
            _hold_open(db, distribution.pool_id)
            added += _write(db, some)
        time.sleep(PAUSE * (time.monotonic() - begun))
    return added


@dataclass(frozen=True, slots=True)
class _Missing:
    """An assignment to write: the values of its row, or the number of the one that was removed."""

    values: dict[str, Any]
    removed: int | None = None


def _missing(db: Session, distribution: Distribution) -> list[_Missing]:
    """What a distribution adds to the assignments of its pool; raises as `distribute`."""
    pool = _pool(db, distribution.pool_id)
    pooled = topics_of_pool(db, pool)
    able = assignable_ids(db, pool.campaign_id)
    row = AssignmentRow
    rows = db.execute(
        select(row.topic, row.assessor_id, row.id, row.revoked_at).where(row.pool_id == pool.id)
    )
    known = {(topic, who): (number, revoked is not None) for topic, who, number, revoked in rows}
    # What comes when in an adaptive pool is its strategy's business.
    order = distribution.order if kind_of(pool).order_is_chosen else OrderRule.PRIORITY
    now, found = datetime.now(UTC), []
    for topic, assessor_id in dict.fromkeys(distribution.given):
        if topic not in pooled:
            raise NotFound(f"topic {topic!r} has nothing in pool {pool.name!r}")
        if assessor_id not in able:
            raise NotFound(
                "only assessors with an account here can be assigned work", remedy="invite the person first"
            )
        number, removed = known.get((topic, assessor_id), (None, True))
        if not removed:
            continue
        values = {
            "pool_id": pool.id,
            "topic": topic,
            "assessor_id": assessor_id,
            "order_rule": order,
            "seed": _seed(distribution.seed, assessor_id),
            "assigned_at": now,
        }
        found.append(_Missing(values, number))
    return found


def _write(db: Session, missing: Sequence[_Missing]) -> int:
    """Write assignments of one pool; those that somebody else gave at the same moment stay as they are."""
    new = [one.values for one in missing if one.removed is None]
    removed = [one.removed for one in missing if one.removed is not None]
    added = 0
    if new:
        insert = _INSERTS[db.get_bind().dialect.name]
        added += len(db.execute(insert, new).all())
    if removed:
        row = AssignmentRow
        again = update(row).where(row.id.in_(removed), row.revoked_at.is_not(None)).values(revoked_at=None)
        done = db.execute(again)
        added += done.rowcount if isinstance(done, CursorResult) else 0
    return added


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


def _hold_open(db: Session, pool_id: int) -> None:
    """Keep a pool open until the transaction ends; raises Conflict where it is not."""
    require_open(share_locked_pool(db, pool_id))


_KEY = ("pool_id", "topic", "assessor_id")
_INSERTS = {
    name: dialect.insert(AssignmentRow.__table__)
    .on_conflict_do_nothing(index_elements=_KEY)
    .returning(AssignmentRow.__table__)
    for name, dialect in (("sqlite", sqlite), ("postgresql", postgresql))
}
