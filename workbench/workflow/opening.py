"""Pools from one state to the next: closed for ever."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.orm import Session

from workbench.workflow.pool_rows import pool_row


def close_pool(db: Session, campaign_id: int, name: str) -> None:
    """Close a pool: no judgment and no assignment is taken for it any more."""
    row = pool_row(db, campaign_id, name)
    row.closed_at = row.closed_at or datetime.now(UTC)
    db.flush()
