"""What a pool is made of, and what a supplementary one leaves out."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound, WorkbenchError
from workbench.records import Verdict
from workbench.storage.tables import PoolEntryRow, PoolRow, RunRow
from workbench.workflow.pools.judged_pairs import graded_by_people


def chosen_runs(
    db: Session,
    campaign_id: int,
    tags: Collection[str] | None,
    *,
    priority: int | None = None,
    held: bool = False,
) -> list[tuple[str, str]]:
    """The chosen runs, all accepted ones if None, as tag and SHA-256, by tag.

    With a `priority` only those of them that their groups gave this one or a smaller number: not those of
    which no priority was said. With `held` none of them can be replaced before the transaction ends, which
    must be one that writes. Raises NotFound for an unknown tag, and WorkbenchError without any run.
    """
    asked = (
        select(RunRow.tag, RunRow.sha256, RunRow.verdict, RunRow.priority)
        .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
        .order_by(RunRow.tag)
    )
    rows = db.execute(asked.with_for_update(read=True) if held else asked).all()
    unknown = set(tags or ()) - {row.tag for row in rows}
    if unknown:
        raise NotFound(f"there is no run {', '.join(sorted(unknown))} in this campaign")
    chosen = [row for row in rows if (row.verdict == Verdict.ACCEPTED if tags is None else row.tag in tags)]
    if priority is not None and chosen:
        chosen = [row for row in chosen if row.priority is not None and row.priority <= priority]
        if not chosen:
            raise WorkbenchError(
                f"no chosen run has a priority up to {priority}",
                remedy="say the runs' priorities, or none here",
            )
    if not chosen:
        remedy = "accept some, or choose some by their tags" if rows else "load runs, or choose some"
        raise WorkbenchError("a pool needs at least one run", remedy=remedy)
    return [(row.tag, row.sha256) for row in chosen]


def runs_that_hold(db: Session, campaign_id: int, *, held: bool = False) -> dict[str, str]:
    """The hash of every run by its tag, in the order of tags; a run that was replaced does not hold.

    With `held` none can be replaced before the transaction ends, which must be one that writes.
    """
    asked = (
        select(RunRow.tag, RunRow.sha256)
        .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
        .order_by(RunRow.tag)
    )
    return dict(db.execute(asked.with_for_update(read=True) if held else asked).all())


def pooled_or_judged(db: Session, campaign_id: int) -> set[tuple[str, str]]:
    """The pairs of every pool that was opened, and those that a person graded: what need not be pooled."""
    pooled = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    )
    judged = graded_by_people(db, campaign_id)
    return {(topic, docno) for topic, docno in pooled} | judged
