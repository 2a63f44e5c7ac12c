"""The pairs of a pool: who brought each and how high, and which were added by hand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.records import Contribution
from workbench.storage.tables import AccountRow, PoolEntryRow
from workbench.workflow.pools.pool_rows import pool_row


@dataclass(frozen=True, slots=True)
class Addition:
    """That a pair was added by hand: by whom (empty from the terminal), when and why."""

    by: str
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class PooledPair:
    """A pair of a pool: who brought it and how high, and what the strategy says of it, if anything.

    `added` where a person added it, whether a run brought it too or not.
    """

    topic: str
    docno: str
    contributions: tuple[Contribution, ...]
    weight: float | None
    inclusion: float | None
    stratum: int | None
    added: Addition | None = None

    @property
    def origin(self) -> str:
        """Where the pair comes from, as downloads say it: `runs`, `manual` or `runs+manual`."""
        return origin(bool(self.contributions), self.added is not None)


def origin(brought: bool, added: bool) -> str:
    """Where a pair comes from, as downloads say it: whether runs brought it, whether a person added it."""
    return ("runs+manual" if brought else "manual") if added else "runs"


def pool_entries(
    db: Session, campaign_id: int, name: str, *, topic: str | None = None
) -> tuple[PooledPair, ...]:
    """The pairs of a pool (or of one topic of it), sorted by topic and docno as bytes."""
    row = pool_row(db, campaign_id, name)
    entry = PoolEntryRow
    chosen = (
        select(
            entry.topic,
            entry.docno,
            entry.brought_by,
            entry.weight,
            entry.inclusion,
            entry.stratum,
            entry.added_at,
            entry.reason,
            AccountRow.name,
        )
        .outerjoin(AccountRow, AccountRow.id == entry.added_by)
        .where(entry.pool_id == row.id)
    )
    if topic is not None:
        chosen = chosen.where(entry.topic == topic)
    rows = db.execute(chosen.order_by(entry.topic, entry.docno))
    return tuple(
        PooledPair(
            t,
            docno,
            tuple(Contribution(tag, rank) for tag, rank in brought),
            weight,
            inclusion,
            stratum,
            None if at is None else Addition(by or "", at, reason or ""),
        )
        for t, docno, brought, weight, inclusion, stratum, at, reason, by in rows
    )
