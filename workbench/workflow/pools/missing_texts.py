"""How many pooled documents are not loaded, counted anew only when pools or documents have changed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.storage.engine import WRITES
from workbench.storage.tables import CampaignRow
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.collection import document_count, documents_version, lacking_documents
from workbench.workflow.kept_results import KeptResults
from workbench.workflow.pools.adaptive_pools import is_adaptive
from workbench.workflow.pools.pool_rows import contents_of
from workbench.workflow.pools.pooled_topics import opened_pools


@dataclass(frozen=True, slots=True)
class MissingTexts:
    """How many pooled documents are not loaded, as the database keeps it."""

    count: int


def missing_count(db: Session, campaign_id: int) -> int:
    """How many documents of opened pools are not loaded."""
    pools = opened_pools(db, campaign_id)
    if not pools:
        return 0
    if WRITES in db.info or any(is_adaptive(pool) for pool in pools):
        return _count(db, campaign_id)
    contents = tuple((pool.id, contents_of(pool)) for pool in pools)
    key = str(db.get_bind().engine.url), campaign_id, contents, documents_version(db, campaign_id)
    # Documents are only ever added, and the campaign's moment tells it from another of its number.
    source = contents, db.get_one(CampaignRow, campaign_id).created_at, document_count(db, campaign_id)

    def make() -> int:
        return _RESULTS.get(db, campaign_id, source, lambda: MissingTexts(_count(db, campaign_id))).count

    return _COUNTS.get(key, make)


def _count(db: Session, campaign_id: int) -> int:
    lacking = lacking_documents(campaign_id).subquery()
    return db.scalar(select(func.count()).select_from(lacking)) or 0


_RESULTS = KeptResults(MissingTexts, "workflow/pools/missing_texts.py")
_COUNTS: Cache[Hashable, int] = Cache(8)
