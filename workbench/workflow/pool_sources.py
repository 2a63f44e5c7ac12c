"""What a pool is made of, and what a supplementary one leaves out."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound, WorkbenchError
from workbench.storage.tables import PoolEntryRow, PoolRow, RunRow
from workbench.workflow.progress import graded_by_people


def chosen_runs(db: Session, campaign_id: int, tags: Collection[str] | None) -> list[tuple[str, str]]:
    """The chosen runs (all if None), tag and SHA-256, by tag; raises NotFound, WorkbenchError without any."""
    known = dict(
        db.execute(
            select(RunRow.tag, RunRow.sha256).where(RunRow.campaign_id == campaign_id).order_by(RunRow.tag)
        ).all()
    )
    unknown = set(tags or ()) - known.keys()
    if unknown:
        raise NotFound(f"there is no run {', '.join(sorted(unknown))} in this campaign")
    chosen = [(tag, sha256) for tag, sha256 in known.items() if tags is None or tag in tags]
    if not chosen:
        raise WorkbenchError("a pool needs at least one run", remedy="load runs, or choose some")
    return chosen


def pooled_or_judged(db: Session, campaign_id: int) -> set[tuple[str, str]]:
    """The pairs (topic, docno) that any pool has or a person has graded."""
    pooled = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno).join(PoolRow).where(PoolRow.campaign_id == campaign_id)
    )
    judged = graded_by_people(db, campaign_id)
    return {(topic, docno) for topic, docno in pooled} | judged
