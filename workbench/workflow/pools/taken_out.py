"""What was added to a pool by hand and taken out again: kept in the pool's recipe, so that a trace stays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import AccountRow, PoolEntryRow, PoolRow
from workbench.workflow.moments import utc_now
from workbench.workflow.pools.pool_pairs import Addition
from workbench.workflow.pools.pool_rows import pool_row

KEY = "taken_out"


@dataclass(frozen=True, slots=True)
class TakenOut:
    """A document that was added to a topic and taken out: how it came, who took it (or empty), when."""

    topic: str
    docno: str
    added: Addition
    by: str
    at: datetime


def note_taken_out(row: PoolRow, entry: PoolEntryRow, by: int | None) -> None:
    """Write into the recipe of a locked pool that an addition was taken out; accounts by their numbers."""
    note = {
        "topic": entry.topic,
        "docno": entry.docno,
        "reason": entry.reason,
        "added_by": entry.added_by,
        "added_at": entry.added_at.isoformat() if entry.added_at else None,
        "taken_out_by": by,
        "taken_out_at": utc_now(None).isoformat(),
    }
    row.recipe = {**row.recipe, KEY: [*row.recipe.get(KEY, ()), note]}


def taken_out(db: Session, campaign_id: int, name: str, *, topic: str | None = None) -> tuple[TakenOut, ...]:
    """What was taken out of a pool, or of one topic of it, in that order; raises NotFound."""
    notes = pool_row(db, campaign_id, name).recipe.get(KEY, ())
    wanted = [note for note in notes if topic is None or note["topic"] == topic]
    names = _names(db, {note[key] for note in wanted for key in ("added_by", "taken_out_by")})
    return tuple(
        TakenOut(
            note["topic"],
            note["docno"],
            Addition(
                names.get(note["added_by"], ""),
                datetime.fromisoformat(note["added_at"]),
                note["reason"] or "",
            ),
            names.get(note["taken_out_by"], ""),
            datetime.fromisoformat(note["taken_out_at"]),
        )
        for note in wanted
    )


def _names(db: Session, accounts: Iterable[int | None]) -> dict[int, str]:
    numbers = [number for number in accounts if number is not None]
    return dict(db.execute(select(AccountRow.id, AccountRow.name).where(AccountRow.id.in_(numbers))).all())
