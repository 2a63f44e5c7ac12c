"""Drafts of pools: renamed, built again from their recipe, deleted. An open pool allows none of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, WorkbenchError
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.pools.adaptive_pools import is_adaptive
from workbench.workflow.pools.listing import PoolReport, pool_report
from workbench.workflow.pools.pool_rows import checked_name, locked_pool, pool_row, require_draft
from workbench.workflow.pools.pool_sources import runs_that_hold
from workbench.workflow.pools.pooling import brought_by_nobody, pool_by_recipe, write_entries

_UNMARKED: Mapping[str, Any] = {"added_by": None, "added_at": None, "reason": None}


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """A run of a recipe that is not what it was: its hash then, and now; no hash now where it is gone."""

    tag: str
    sha256: str
    sha256_now: str | None


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A draft built again: what entered and what left, and the pairs added by hand that were kept."""

    pool: PoolReport
    entered: int
    left: int
    kept: int


def changed_runs(db: Session, campaign_id: int, name: str) -> tuple[ChangedRun, ...]:
    """The runs of a pool's recipe that were replaced or removed since, by tag; raises NotFound."""
    return _changed(db, pool_row(db, campaign_id, name))


def rename_draft(db: Session, campaign_id: int, name: str, new_name: str) -> None:
    """Call a draft by another name.

    Raises NotFound, Conflict for a pool that is no draft or a name that is taken, WorkbenchError for no name.
    """
    row = locked_pool(db, campaign_id, name)
    require_draft(row, "renamed")
    if " ".join(new_name.split()) == row.name:
        return
    new_name = checked_name(db, campaign_id, new_name)
    if not new_name:
        raise WorkbenchError("a pool needs a name")
    row.name = new_name
    db.flush()


def delete_draft(db: Session, campaign_id: int, name: str) -> None:
    """Forget a draft, with what was added to it by hand; raises NotFound, and Conflict where it is none."""
    row = locked_pool(db, campaign_id, name)
    require_draft(row, "deleted")
    db.execute(delete(PoolEntryRow).where(PoolEntryRow.pool_id == row.id))
    db.delete(row)
    db.flush()


def rebuild_draft(db: Session, campaign_id: int, name: str) -> Rebuilt:
    """Build a draft again by its recipe, from the runs as they are now and what is pooled or judged now.

    Runs that are gone are left out; what was added by hand is kept, and stays marked where a run brings it
    now too. Raises NotFound, Conflict for a pool that is no draft or has no run left.
    """
    row = locked_pool(db, campaign_id, name)
    require_draft(row, "built again")
    holding = runs_that_hold(db, campaign_id, held=True)
    chosen = [(run["tag"], holding[run["tag"]]) for run in row.recipe["runs"] if run["tag"] in holding]
    if not chosen:
        raise Conflict(f"no run of {name!r} is left", remedy="delete the draft and make a pool of other runs")
    before = _marks(db, row.id)
    entries = pool_by_recipe(db, row, chosen)
    kept = {pair: mark for pair, mark in before.items() if mark["added_at"] is not None}
    merged = {pair: {**brought_by_nobody(pair), **mark} for pair, mark in kept.items()}
    merged |= {pair: {**_UNMARKED, **values, **kept.get(pair, {})} for pair, values in entries.items()}
    db.execute(delete(PoolEntryRow).where(PoolEntryRow.pool_id == row.id))
    write_entries(db, row.id, merged)
    if not is_adaptive(row):
        row.pairs = len(merged)
    db.flush()
    return Rebuilt(
        pool_report(db, campaign_id, name),
        entered=len(merged.keys() - before.keys()),
        left=len(before.keys() - merged.keys()),
        kept=len(kept),
    )


def _changed(db: Session, row: PoolRow) -> tuple[ChangedRun, ...]:
    holding = runs_that_hold(db, row.campaign_id)
    found = (ChangedRun(run["tag"], run["sha256"], holding.get(run["tag"])) for run in row.recipe["runs"])
    return tuple(one for one in found if one.sha256 != one.sha256_now)


def _marks(db: Session, pool_id: int) -> dict[tuple[str, str], dict[str, Any]]:
    """The pairs of a pool, and what each says of having been added by hand."""
    entry = PoolEntryRow
    rows = db.execute(
        select(entry.topic, entry.docno, entry.added_by, entry.added_at, entry.reason).where(
            entry.pool_id == pool_id
        )
    )
    return {
        (topic, docno): {"added_by": by, "added_at": at, "reason": reason}
        for topic, docno, by, at, reason in rows
    }
