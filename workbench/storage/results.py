"""Results that every process may read: stored once, found by the hash of what they were computed from.

Together they are bounded in size; those that were not used for longest go first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from workbench.storage.chunks import chunks
from workbench.storage.tables import ComputedResultRow, RunRow

FEWEST_BYTES = 64 * 2**20
"""For all results of a database: some fifty tables of 143 runs, 50 topics and six measures."""
BYTES_A_LINE = 6
"""The same where runs have many lines: rankings of all topics take half of it, four measures an eighth."""
USED = timedelta(hours=1)
"""How exactly it is known when a result was used last: reading would write every time otherwise."""


def stored_results(
    db: Session, campaign_id: int, hashes: Iterable[str], *, now: datetime | None = None
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Those of the results that are stored, and the hashes of those whose use is to be noted."""
    row, before = ComputedResultRow, (now or datetime.now(UTC)) - USED
    found: dict[str, bytes] = {}
    to_note: list[str] = []
    for some in chunks(list(hashes)):
        chosen = select(row.sha256, row.content, row.used_at)
        for sha256, content, used_at in db.execute(
            chosen.where(row.campaign_id == campaign_id, row.sha256.in_(some))
        ):
            found[sha256] = content
            if used_at < before:
                to_note.append(sha256)
    return found, tuple(to_note)


def store_results(
    db: Session,
    campaign_id: int,
    results: Mapping[str, bytes],
    *,
    now: datetime | None = None,
    most: int | None = None,
) -> None:
    """Store results by their hashes, and delete the least recently used ones of all beyond `most` bytes.

    Without a number that is as much as `most_bytes` says. Of two processes that computed the same one the
    second replaces it by the same.
    """
    made = (sqlite.insert if db.get_bind().dialect.name == "sqlite" else postgresql.insert)(ComputedResultRow)
    at = now or datetime.now(UTC)
    rows = [
        {
            "campaign_id": campaign_id,
            "sha256": sha256,
            "used_at": at,
            "size": len(content),
            "content": content,
        }
        for sha256, content in results.items()
    ]
    replaced = {name: made.excluded[name] for name in ("used_at", "size", "content")}
    db.execute(made.on_conflict_do_update(index_elements=["campaign_id", "sha256"], set_=replaced), rows)
    _delete_beyond(db, most_bytes(db) if most is None else most)


def most_bytes(db: Session) -> int:
    """How much all results of a database may take: more where it has more of runs."""
    return max(FEWEST_BYTES, BYTES_A_LINE * (db.scalar(select(func.sum(RunRow.lines))) or 0))


def note_use(db: Session, campaign_id: int, hashes: Iterable[str], *, now: datetime | None = None) -> None:
    """Note that results were used now."""
    row = ComputedResultRow
    for some in chunks(list(hashes)):
        chosen = update(row).where(row.campaign_id == campaign_id, row.sha256.in_(some))
        db.execute(chosen.values(used_at=now or datetime.now(UTC)))


def _delete_beyond(db: Session, most: int) -> None:
    row = ComputedResultRow
    surplus = (db.scalar(select(func.sum(row.size))) or 0) - most
    if surplus <= 0:
        return
    # Somewhat more than that, or every further result would have others deleted.
    surplus += most // 8
    oldest = []
    for campaign_id, sha256, size in db.execute(
        select(row.campaign_id, row.sha256, row.size).order_by(row.used_at, row.size)
    ):
        if surplus <= 0:
            break
        oldest.append((campaign_id, sha256))
        surplus -= size
    for campaign_id, sha256 in oldest:
        db.execute(delete(row).where(row.campaign_id == campaign_id, row.sha256 == sha256))
