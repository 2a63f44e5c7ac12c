"""Pools from one state to the next: a draft is opened for judging, an open pool is closed for ever."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from workbench.errors import Conflict
from workbench.records import id_bytes
from workbench.storage.tables import AssignmentRow, DocumentRow, PoolEntryRow, PoolRow
from workbench.workflow.pools.adaptive_pools import topics_of_pool
from workbench.workflow.pools.drafting import ChangedRun, changed_runs
from workbench.workflow.pools.judged_pairs import graded_by_people
from workbench.workflow.pools.listing import PoolLine, pool_summary
from workbench.workflow.pools.pace import Pace, pace_of
from workbench.workflow.pools.pool_rows import (
    PoolState,
    locked_pool,
    pool_row,
    require_draft,
    require_open,
    state_of,
)
from workbench.workflow.pools.pooling import begin_handing_out


@dataclass(frozen=True, slots=True)
class Shared:
    """Another pool that was opened, and how many pairs it has in common with this one."""

    pool: str
    state: PoolState
    pairs: int


@dataclass(frozen=True, slots=True)
class BeforeOpening:
    """What it means to open a draft; `sha256` is of its pairs, so that nothing else is opened than was seen.

    `judged` of its pairs a person has graded by now, `without_text` are documents that nobody could read.
    """

    pool: PoolLine
    topics: int
    pace: Pace
    judged: int
    shared: tuple[Shared, ...]
    without_text: int
    changed: tuple[ChangedRun, ...]
    sha256: str

    @property
    def hours(self) -> float:
        """The hours in which one assessor judges all of it."""
        return self.pace.hours(self.pool.pairs)


@dataclass(frozen=True, slots=True)
class BeforeClosing:
    """What it means to close a pool: of its pairs a person has graded `judged`; assignments in force."""

    pool: PoolLine
    judged: int
    assignments: int


def before_opening(db: Session, campaign_id: int, name: str) -> BeforeOpening:
    """Everything to be known before a draft is opened; raises NotFound, and Conflict where it is none."""
    row = pool_row(db, campaign_id, name)
    require_draft(row, "opened")
    pairs = _pairs(db, row.id)
    return BeforeOpening(
        pool=pool_summary(db, campaign_id, name),
        topics=len(topics_of_pool(db, row)),
        pace=pace_of(db, campaign_id),
        judged=len(pairs & graded_by_people(db, campaign_id)),
        shared=shared_with(db, campaign_id, name),
        without_text=_without_text(db, row),
        changed=changed_runs(db, campaign_id, name),
        sha256=_hash(pairs),
    )


def open_pool(db: Session, campaign_id: int, name: str, *, seen: str | None = None) -> bool:
    """Open a draft for judging; says whether it was one, False where it is open already.

    `seen` is the hash of the pairs that somebody looked at before. Raises NotFound, Conflict for a closed
    pool, an empty one, or one whose pairs are others than those seen.
    """
    row = locked_pool(db, campaign_id, name)
    if state_of(row) is PoolState.OPEN:
        return False
    require_draft(row, "opened")
    pairs = _pairs(db, row.id)
    if not pairs and not row.pairs:
        raise Conflict(f"pool {name!r} has no pairs", remedy="build it again, or delete it")
    if seen is not None and seen != _hash(pairs):
        raise Conflict(
            f"draft {name!r} has changed since you looked at it",
            remedy="look at it again before it is opened",
        )
    row.opened_at = datetime.now(UTC)
    db.flush()
    begin_handing_out(db, row)
    return True


def before_closing(db: Session, campaign_id: int, name: str) -> BeforeClosing:
    """Everything to be known before an open pool is closed; raises NotFound, and Conflict for a draft."""
    row = pool_row(db, campaign_id, name)
    if state_of(row) is PoolState.DRAFT:
        require_open(row)
    return BeforeClosing(
        pool=pool_summary(db, campaign_id, name),
        judged=len(_pairs(db, row.id) & graded_by_people(db, campaign_id)),
        assignments=db.scalar(
            select(func.count()).where(AssignmentRow.pool_id == row.id, AssignmentRow.revoked_at.is_(None))
        )
        or 0,
    )


def close_pool(db: Session, campaign_id: int, name: str) -> bool:
    """Close a pool: no judgment, assignment or addition is taken for it any more.

    Says whether it was open, False where it is closed already. Raises NotFound, and Conflict for a draft.
    """
    row = locked_pool(db, campaign_id, name)
    if state_of(row) is PoolState.CLOSED:
        return False
    require_open(row)
    row.closed_at = datetime.now(UTC)
    db.flush()
    return True


def shared_with(db: Session, campaign_id: int, name: str) -> tuple[Shared, ...]:
    """The other pools that were opened and have pairs of this one, oldest first; raises NotFound."""
    row = pool_row(db, campaign_id, name)
    own, other = aliased(PoolEntryRow), aliased(PoolEntryRow)
    counts = dict(
        db.execute(
            select(other.pool_id, func.count())
            .select_from(own)
            .join(other, (other.topic == own.topic) & (other.docno == own.docno))
            .where(
                own.pool_id == row.id,
                other.pool_id.in_(
                    select(PoolRow.id).where(
                        PoolRow.campaign_id == campaign_id,
                        PoolRow.id != row.id,
                        PoolRow.opened_at.is_not(None),
                    )
                ),
            )
            .group_by(other.pool_id)
        ).all()
    )
    others = db.scalars(select(PoolRow).where(PoolRow.id.in_(list(counts))).order_by(PoolRow.id))
    return tuple(Shared(one.name, state_of(one), counts[one.id]) for one in others)


def _pairs(db: Session, pool_id: int) -> set[tuple[str, str]]:
    rows = db.execute(select(PoolEntryRow.topic, PoolEntryRow.docno).where(PoolEntryRow.pool_id == pool_id))
    return {(topic, docno) for topic, docno in rows}


def _hash(pairs: set[tuple[str, str]]) -> str:
    """The SHA-256 of the pairs, one a line, sorted by topic and docno as bytes."""
    lines = sorted((id_bytes(topic), id_bytes(docno)) for topic, docno in pairs)
    digest = hashlib.sha256()
    for topic, docno in lines:
        digest.update(topic + b"\t" + docno + b"\n")
    return digest.hexdigest()


def _without_text(db: Session, row: PoolRow) -> int:
    known = select(DocumentRow.docno).where(DocumentRow.campaign_id == row.campaign_id)
    lacking = select(func.count(PoolEntryRow.docno.distinct())).where(
        PoolEntryRow.pool_id == row.id, PoolEntryRow.docno.not_in(known)
    )
    return db.scalar(lacking) or 0
