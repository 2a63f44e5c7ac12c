"""Which way a pool hands out its documents, and who is told of an answer."""

from __future__ import annotations

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from workbench.pooling.adaptive_pool import Happening
from workbench.storage.events import CurrentEvent
from workbench.storage.tables import PoolEventRow, PoolRow
from workbench.workflow.judging.adaptive_handout import AdaptiveHandout
from workbench.workflow.judging.handout import FixedHandout, Handout
from workbench.workflow.judging.queue_handout import QueueHandout
from workbench.workflow.pools.pool_rows import is_adaptive


def kind_of(pool: PoolRow) -> type[Handout]:
    """How a pool hands out its documents."""
    if pool.per_pair is not None:
        return QueueHandout
    return AdaptiveHandout if is_adaptive(pool) else FixedHandout


def tell_pools(db: Session, campaign_id: int, event: CurrentEvent) -> None:
    """Tell the open pools that handed a document to an assessor what the assessor says of it now.

    It counts wherever it was given: the answer is the assessor's, not the pool's.
    """
    pair = {"topic": event.topic, "docno": event.docno, "assessor_id": event.assessor_id}
    # By the connection: a session takes twice as long to find that there is none, as mostly there is not.
    for (pool_id,) in db.connection().execute(_CONCERNED, {"campaign_id": campaign_id, **pair}).all():
        pool = db.get_one(PoolRow, pool_id)
        kind_of(pool).take(db, pool, event)


# What every saved answer asks is put together once: that takes longer than asking it.
_CONCERNED = select(PoolRow.id).where(
    PoolRow.campaign_id == bindparam("campaign_id"),
    PoolRow.closed_at.is_(None),
    PoolRow.id.in_(
        select(PoolEventRow.pool_id).where(
            PoolEventRow.topic == bindparam("topic"),
            PoolEventRow.docno == bindparam("docno"),
            PoolEventRow.assessor_id == bindparam("assessor_id"),
            PoolEventRow.happening == str(Happening.HANDED_OUT),
        )
    ),
)
