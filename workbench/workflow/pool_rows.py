"""Pools as rows, for the use-cases that change one."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.storage.tables import PoolRow


def pool_row(db: Session, campaign_id: int, name: str) -> PoolRow:
    """The row of the pool with this name; raises NotFound."""
    row = db.scalar(select(PoolRow).where(PoolRow.campaign_id == campaign_id, PoolRow.name == name))
    if row is None:
        raise NotFound(f"there is no pool {name!r} in this campaign")
    return row


def name_taken(db: Session, campaign_id: int, name: str) -> bool:
    """Whether a pool of the campaign has this name."""
    return (
        db.scalar(select(func.count()).where(PoolRow.campaign_id == campaign_id, PoolRow.name == name)) != 0
    )
