"""Where the pairs of an overlap come from: their entries in earlier pools, and the runs that brought them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.agreement.overlap_candidates import Pair


def sources_of(db: Session, campaign_id: int, pairs: set[Pair]) -> dict[Pair, PoolEntryRow]:
    """The entry of each pair in the latest pool that has it."""
    rows = db.scalars(
        select(PoolEntryRow)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
        .order_by(PoolEntryRow.pool_id)
    )
    return {(row.topic, row.docno): row for row in rows if (row.topic, row.docno) in pairs}


def runs_of(db: Session, campaign_id: int, sources: Mapping[Pair, PoolEntryRow]) -> list[dict[str, str]]:
    """The runs that brought the pairs to the pools they come from, with their hashes there."""
    recipes: dict[int, dict[str, Any]] = dict(
        db.execute(select(PoolRow.id, PoolRow.recipe).where(PoolRow.campaign_id == campaign_id)).all()
    )
    tags = {tag for row in sources.values() for tag, _ in row.brought_by}
    hashes: dict[str, str] = {}
    for number in sorted({row.pool_id for row in sources.values()}):
        hashes |= {run["tag"]: run["sha256"] for run in recipes[number]["runs"] if run["tag"] in tags}
    return [{"tag": tag, "sha256": hashes[tag]} for tag in sorted(hashes)]


def as_pooled(row: PoolEntryRow) -> dict[str, Any]:
    """The values of an entry that go with its pair into another pool."""
    return {
        "topic": row.topic,
        "docno": row.docno,
        "brought_by": row.brought_by,
        "best_rank": row.best_rank,
        "run_count": row.run_count,
        "added_by": row.added_by,
        "added_at": row.added_at,
        "reason": row.reason,
    }
