"""What a pool is made of, and what a supplementary one leaves out."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound, WorkbenchError
from workbench.storage.tables import PoolEntryRow, PoolRow, RunRow
from workbench.workflow.campaigns.progress import graded_by_people
from workbench.workflow.runs.about_runs import Verdict


def chosen_runs(db: Session, campaign_id: int, tags: Collection[str] | None) -> list[tuple[str, str]]:
    """The chosen runs, all accepted ones if None, as tag and SHA-256, by tag.

    Raises NotFound for an unknown tag, and WorkbenchError without any run.
    """
    rows = db.execute(
        select(RunRow.tag, RunRow.sha256, RunRow.verdict)
        .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
        .order_by(RunRow.tag)
    ).all()
    unknown = set(tags or ()) - {tag for tag, _, _ in rows}
    if unknown:
        raise NotFound(f"there is no run {', '.join(sorted(unknown))} in this campaign")
    chosen = [
        (tag, sha256)
        for tag, sha256, verdict in rows
        if (verdict == Verdict.ACCEPTED if tags is None else tag in tags)
    ]
    if not chosen:
        remedy = "accept some, or choose some by their tags" if rows else "load runs, or choose some"
        raise WorkbenchError("a pool needs at least one run", remedy=remedy)
    return chosen


def runs_that_hold(db: Session, campaign_id: int) -> dict[str, str]:
    """The hash of every run by its tag, in the order of tags; a run that was replaced does not hold."""
    return dict(
        db.execute(
            select(RunRow.tag, RunRow.sha256)
            .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
            .order_by(RunRow.tag)
        ).all()
    )


def pooled_or_judged(db: Session, campaign_id: int) -> set[tuple[str, str]]:
    """The pairs of every pool that was opened, and those that a person graded: what need not be pooled."""
    pooled = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    )
    judged = graded_by_people(db, campaign_id)
    return {(topic, docno) for topic, docno in pooled} | judged
