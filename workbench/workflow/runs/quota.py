"""The quota of a group: what participants upload must not fill the disk that everybody saves on."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.storage.tables import CheckedFileRow, RunRow

MOST_WAITING = 200
"""Checked files of a group that are not submitted."""
MOST_BYTES = 4 * 1024**3
"""All that is stored of a group in a campaign: checked files, runs and their earlier versions, as gzip."""


def require_room(db: Session, campaign_id: int, group_id: int, *, more: int = 0) -> None:
    """Raise Conflict where a group has used its quota, or would with so many more bytes."""
    file, run = CheckedFileRow, RunRow
    waiting, of_files = db.execute(
        select(func.count(), func.coalesce(func.sum(func.length(file.content_gzip)), 0)).where(
            file.campaign_id == campaign_id, file.group_id == group_id, file.kept_at.is_(None)
        )
    ).one()
    of_runs = select(func.coalesce(func.sum(func.length(run.content_gzip)), 0)).where(
        run.campaign_id == campaign_id, run.group_id == group_id
    )
    if waiting >= MOST_WAITING:
        raise Conflict(
            f"{waiting} checked files of your group are not submitted yet",
            remedy=f"submit or discard some: at most {MOST_WAITING} may wait",
        )
    if of_files + (db.scalar(of_runs) or 0) + more > MOST_BYTES:
        raise Conflict(
            f"your group has used its {MOST_BYTES / 1024**3:g} GiB of storage",
            remedy="discard checked files, withdraw runs that you no longer need, or ask the organiser",
        )
