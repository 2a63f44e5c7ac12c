"""Pools of many runs are made, rebuilt and opened in a process of their own."""

from __future__ import annotations

from sqlalchemy import func, select

from workbench.storage.engine import Database
from workbench.storage.tables import RunRow
from workbench.workflow.apart import SMALL, apart
from workbench.workflow.pools.drafts import Rebuilt
from workbench.workflow.pools.listing import PoolReport
from workbench.workflow.pools.making import NewPool, asks_for_the_rest
from workbench.workflow.pools.pool_rows import pool_row
from workbench.workflow.pools.portions import make_in_portions, open_in_portions, rebuild_in_portions


def make_apart(database: Database, new: NewPool) -> PoolReport:
    """Make a pool as `make_in_portions`, in a process of its own where that takes long; raises as it does."""
    if _is_small(database, new.campaign_id):
        return make_in_portions(database, new)
    return apart(database, make_in_portions, new)


def rebuild_apart(database: Database, campaign_id: int, name: str) -> Rebuilt:
    """Rebuild a draft as `rebuild_in_portions`; as `make_apart`."""
    if _is_small(database, campaign_id):
        return rebuild_in_portions(database, campaign_id, name)
    return apart(database, rebuild_in_portions, campaign_id, name)


def open_apart(database: Database, campaign_id: int, name: str, *, seen: str | None = None) -> bool:
    """Open a draft as `open_in_portions`; as `make_apart`."""
    with database.reading() as db:
        is_short = not asks_for_the_rest(pool_row(db, campaign_id, name))
    if is_short or _is_small(database, campaign_id):
        return open_in_portions(database, campaign_id, name, seen=seen)
    return apart(database, open_in_portions, campaign_id, name, seen=seen)


def _is_small(database: Database, campaign_id: int) -> bool:
    """Whether the process that was asked does it sooner."""
    with database.reading() as db:
        lines = select(func.sum(RunRow.lines)).where(
            RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None)
        )
        return (db.scalar(lines) or 0) <= SMALL
