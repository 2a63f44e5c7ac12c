"""Taking out of a pool what was added by hand; the pool's recipe keeps it, so that a trace stays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.storage.tables import AccountRow, JudgmentEventRow, PoolEntryRow, PoolRow
from workbench.workflow.clock import utc_now
from workbench.workflow.pools.pool_pairs import Addition
from workbench.workflow.pools.pool_rows import locked_pool, pool_row, recount, require_not_closed

KEY = "taken_out"


@dataclass(frozen=True, slots=True)
class TakenOut:
    """A document that was added to a topic and taken out: how it came, who took it (or empty), when."""

    topic: str
    docno: str
    added: Addition
    by: str
    at: datetime


def take_out(
    db: Session, campaign_id: int, name: str, *, topic: str, docno: str, by: int | None = None
) -> None:
    """Take out of a pool what was added by hand, as long as nobody has said anything of it.

    That it was there, and who took it out, stays in the pool's recipe. Raises NotFound where it was not
    added, Conflict for a closed pool, for what a run brought too, and for what has been answered, even if the
    answer was withdrawn.
    """
    row = locked_pool(db, campaign_id, name)
    require_not_closed(row)
    entry = db.get(PoolEntryRow, (row.id, topic, docno))
    if entry is None or entry.added_at is None:
        raise NotFound(f"{docno} was not added by hand to topic {topic} of pool {name!r}")
    if entry.run_count:
        raise Conflict(f"a run brought {docno} too, so that it stays", remedy="see who brought it")
    answered = select(JudgmentEventRow.id).where(
        JudgmentEventRow.campaign_id == campaign_id,
        JudgmentEventRow.topic == topic,
        JudgmentEventRow.docno == docno,
    )
    if db.scalar(answered.limit(1)) is not None:
        raise Conflict(f"{docno} has been judged, so that it stays in the pool")
    _note(row, entry, by)
    db.delete(entry)
    recount(db, row)


def answered_additions(db: Session, campaign_id: int, name: str, *, topic: str) -> frozenset[str]:
    """The docnos added by hand to a topic of a pool of which somebody has said something."""
    said = select(JudgmentEventRow.docno).where(
        JudgmentEventRow.campaign_id == campaign_id, JudgmentEventRow.topic == topic
    )
    added = (
        select(PoolEntryRow.docno)
        .join(PoolRow)
        .where(
            PoolRow.campaign_id == campaign_id,
            PoolRow.name == name,
            PoolEntryRow.topic == topic,
            PoolEntryRow.added_at.is_not(None),
            PoolEntryRow.docno.in_(said),
        )
    )
    return frozenset(db.scalars(added))


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


def _note(row: PoolRow, entry: PoolEntryRow, by: int | None) -> None:
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


def _names(db: Session, accounts: Iterable[int | None]) -> dict[int, str]:
    numbers = [number for number in accounts if number is not None]
    return dict(db.execute(select(AccountRow.id, AccountRow.name).where(AccountRow.id.in_(numbers))).all())
