"""How many pooled documents are not loaded, counted anew only when pools or documents have changed."""

from __future__ import annotations

from collections.abc import Hashable

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.storage.engine import WRITES
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.collection import documents_version, lacking_documents
from workbench.workflow.pools.adaptive_pools import is_adaptive
from workbench.workflow.pools.pool_rows import contents_of
from workbench.workflow.pools.pooled_topics import opened_pools


def missing_count(db: Session, campaign_id: int) -> int:
    """How many documents of opened pools are not loaded."""
    pools = opened_pools(db, campaign_id)
    if not pools:
        return 0
    if WRITES in db.info or any(is_adaptive(pool) for pool in pools):
        return _count(db, campaign_id)
    contents = tuple((pool.id, contents_of(pool)) for pool in pools)
    key = str(db.get_bind().engine.url), campaign_id, contents, documents_version(db, campaign_id)
    return _COUNTS.get(key, lambda: _count(db, campaign_id))


def _count(db: Session, campaign_id: int) -> int:
    lacking = lacking_documents(campaign_id).subquery()
    return db.scalar(select(func.count()).select_from(lacking)) or 0


_COUNTS: Cache[Hashable, int] = Cache(8)
