"""Overlap pools: the pairs in them that were drawn by their label."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.sample_size import Draw
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.pools.pool_rows import OVERLAP

Pair = tuple[str, str]


DrawnByLabel = tuple[tuple[str, frozenset[Pair]], ...]
"""Pairs by the name of their pool."""


def pairs_drawn_by_label(db: Session, campaign_id: int) -> DrawnByLabel:
    """The pairs of every overlap that was drawn by label, by the name of its pool, oldest first.

    What was added to such a pool by hand was not drawn.
    """
    pool, entry = PoolRow, PoolEntryRow
    rows = db.execute(
        select(pool.id, pool.name, pool.recipe).where(pool.campaign_id == campaign_id).order_by(pool.id)
    ).all()
    found = []
    for number, name, recipe in rows:
        if recipe["strategy"] == OVERLAP and recipe["parameters"].get("draw") == Draw.LABEL:
            drawn = select(entry.topic, entry.docno).where(
                entry.pool_id == number, entry.stratum.is_not(None)
            )
            found.append((name, frozenset((topic, docno) for topic, docno in db.execute(drawn))))
    return tuple(found)
