"""Which documents of a topic are an assessor's: all that are pooled, or those that were handed out."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.judging.adaptive_handout import AdaptiveTopic, adaptive_topic, adaptive_topics_of
from workbench.workflow.judging.queue_handout import QueueTopic, is_queue, queue_topic, queue_topics_of
from workbench.workflow.pools.adaptive_pools import is_adaptive

Key = tuple[int, str]
"""A pool's number and a topic."""


@dataclass(frozen=True, slots=True)
class Shares:
    """The pools of a campaign by topic: docnos, and who has which where they are handed out."""

    pooled: dict[Key, set[str]]
    ledgers: dict[Key, AdaptiveTopic]
    queues: dict[Key, QueueTopic]
    closed: frozenset[int]

    def docnos(self, pool_id: int, topic: str, assessor_id: int) -> set[str]:
        """What an assessor to whom the topic is given has of it."""
        if (queue := self.queues.get((pool_id, topic))) is not None:
            return set(queue.of(assessor_id))
        ledger = self.ledgers.get((pool_id, topic))
        if ledger is None:
            return self.pooled.get((pool_id, topic), set())
        return {held.docno for held in ledger.of(assessor_id)}

    def left(self, pool_id: int, topic: str, assessor_id: int) -> int:
        """How many documents the assessor can still be handed; 0 where the pool is closed."""
        handing = self.queues.get((pool_id, topic)) or self.ledgers.get((pool_id, topic))
        return 0 if handing is None or pool_id in self.closed else handing.left(assessor_id)


def share_of(db: Session, pool: PoolRow, topic: str, assessor_id: int) -> tuple[set[str], int]:
    """What an assessor to whom a topic of a pool is given has of it, and how much more can come.

    Of a queue also what colleagues have now: they may give it back.
    """
    if is_queue(pool):
        queue = queue_topic(db, pool, topic)
        has = set(queue.of(assessor_id))
        return has, 0 if pool.closed_at is not None else len(queue.may_come(assessor_id) - has)
    if is_adaptive(pool):
        known = adaptive_topic(db, pool, topic)
        more = 0 if pool.closed_at is not None else known.left(assessor_id)
        return {held.docno for held in known.of(assessor_id)}, more
    pooled = select(PoolEntryRow.docno).where(PoolEntryRow.pool_id == pool.id, PoolEntryRow.topic == topic)
    return set(db.scalars(pooled)), 0


def shares_of(db: Session, campaign_id: int) -> Shares:
    """What the assessors of a campaign have, in all pools."""
    pooled: dict[Key, set[str]] = {}
    rows = db.execute(
        select(PoolEntryRow.pool_id, PoolEntryRow.topic, PoolEntryRow.docno)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id)
    )
    for pool_id, topic, docno in rows:
        pooled.setdefault((pool_id, topic), set()).add(docno)
    closed = db.scalars(
        select(PoolRow.id).where(PoolRow.campaign_id == campaign_id, PoolRow.closed_at.is_not(None))
    )
    return Shares(
        pooled, adaptive_topics_of(db, campaign_id), queue_topics_of(db, campaign_id), frozenset(closed)
    )
