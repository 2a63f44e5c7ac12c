"""The pairs of one topic of a pool as they are looked through: best rank first, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from workbench.storage.tables import PoolEntryRow
from workbench.workflow.pools.listing import PooledPair, pairs_chosen, pooled_pair
from workbench.workflow.pools.pool_rows import pool_row


@dataclass(frozen=True, slots=True)
class PairCount:
    """How many pairs a pool has of a topic, and how many of them were added by hand."""

    pairs: int
    added: int


def topic_size(db: Session, campaign_id: int, name: str, topic: str) -> PairCount:
    """The pairs of a topic counted; raises NotFound for an unknown pool."""
    row, entry = pool_row(db, campaign_id, name), PoolEntryRow
    counted = select(func.count(), func.count(entry.added_at))
    pairs, added = db.execute(counted.where(entry.pool_id == row.id, entry.topic == topic)).one()
    return PairCount(pairs, added)


def topic_pairs(
    db: Session,
    campaign_id: int,
    name: str,
    topic: str,
    *,
    start: int,
    most: int,
    most_runs: int | None = None,
) -> tuple[PooledPair, ...]:
    """At most so many pairs of a topic from number `start` (from 0) on, each with some of its runs, or all.

    Raises NotFound.

    Best rank first, of equal ranks what most runs contributed, then by docno as bytes. What no run
    contributed comes last, as in the order of judging.
    """
    row, entry = pool_row(db, campaign_id, name), PoolEntryRow
    rank = case((entry.run_count > 0, entry.best_rank))
    rows = db.connection().execute(
        pairs_chosen(row)
        .where(entry.topic == topic)
        .order_by(rank.is_(None), rank, entry.run_count.desc(), entry.docno)
        .offset(start)
        .limit(most)
    )
    # One row after the other: of a hundred there may be a hundred thousand runs.
    return tuple(pooled_pair(one, most_runs=most_runs) for one in rows)
