"""Manual additions: documents that a person adds to a topic's pool, with a reason, and their removal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime

from sqlalchemy import insert, select
from sqlalchemy.orm import Session
from typing_extensions import TypedDict

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, rejected
from workbench.formats.identifiers import id_finding, storable
from workbench.frozen import frozen_dataclass
from workbench.records import sorted_ids
from workbench.storage.tables import JudgmentEventRow, PoolEntryRow, PoolRow, TopicRow
from workbench.workflow.campaigns.collection import with_text
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import account_names
from workbench.workflow.pools.listing import Addition
from workbench.workflow.pools.making import manual_entry
from workbench.workflow.pools.pool_rows import (
    REMOVED,
    is_adaptive,
    locked_pool,
    pool_row,
    recount,
    require_not_closed,
)
from workbench.workflow.runs.run_rules import collection_list, listed_docnos

LONGEST_REASON = 2000


class AddedPairs(TypedDict):
    """Docnos that were added to a topic of a pool, and those that are `passed`, since they are pooled."""

    added: list[str]
    passed: list[str]
    without_text: list[str]


@frozen_dataclass
class Additions:
    """Documents to be added to a topic, with their lines in the `source` that lists them, and the reason."""

    docnos: Mapping[str, int]
    reason: str
    source: str = "docnos"


@frozen_dataclass
class AlreadyPooled:
    """A docno that was not added since a pool has it already, this one or another that is open."""

    docno: str
    pool: str


@frozen_dataclass
class AddedDocuments:
    """What adding by hand did, docnos sorted as bytes; `without_text` of the added nobody could read yet."""

    pool: str
    added: tuple[str, ...]
    passed: tuple[AlreadyPooled, ...]
    without_text: tuple[str, ...]


def add_documents(
    db: Session,
    campaign_id: int,
    name: str,
    topic: str,
    additions: Additions,
    *,
    added_by: int | None,
) -> AddedDocuments:
    """Add documents to a topic of a draft or an open pool; assessors of the topic judge them too.

    What this pool or another open one has already is passed over. All
    is added or nothing: raises InvalidInput without a reason and with every docno that the collection has
    not, NotFound for the pool or the topic, Conflict for a closed pool or an adaptive one.
    """
    docnos = additions.docnos
    row = locked_pool(db, campaign_id, name)
    require_not_closed(row)
    if is_adaptive(row):
        # An assessor reads this too, and is not to learn how the documents are chosen.
        raise Conflict("this pool takes no documents by hand", remedy="add them to another pool")
    if db.get(TopicRow, (campaign_id, topic)) is None:
        raise NotFound(f"there is no topic {topic!r} in this campaign")
    reason = _checked_reason(additions.reason)
    _require_known(db, campaign_id, docnos, additions.source)
    passed = _pooled_already(db, row, topic, docnos)
    new = sorted_ids(docnos.keys() - passed.keys())
    now = datetime.now(UTC)
    marks = {"pool_id": row.id, "added_by": added_by, "added_at": now, "reason": reason}
    if new:
        db.execute(insert(PoolEntryRow), [{**manual_entry((topic, one)), **marks} for one in new])
        recount(db, row)
    texts = with_text(db, campaign_id, new)
    return AddedDocuments(
        pool=row.name,
        added=tuple(new),
        passed=tuple(AlreadyPooled(docno, passed[docno]) for docno in sorted_ids(passed)),
        without_text=tuple(docno for docno in new if docno not in texts),
    )


def pairs_added_by_hand(db: Session, campaign_id: int) -> frozenset[tuple[str, str]]:
    """The (topic, docno) pairs that were added by hand to any pool that was opened."""
    rows = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno)
        .join(PoolRow)
        .where(
            PoolRow.campaign_id == campaign_id,
            PoolRow.opened_at.is_not(None),
            PoolEntryRow.added_at.is_not(None),
        )
    )
    return frozenset((topic, docno) for topic, docno in rows)


def _checked_reason(reason: str) -> str:
    reason = storable(" ".join(reason.split()))
    if not reason:
        raise rejected("Reason", None, "reason", "the reason is missing", "state how the document was found")
    if len(reason) > LONGEST_REASON:
        message, remedy = f"it has {len(reason)} characters", f"at most {LONGEST_REASON}"
        raise rejected("Reason", None, "reason", message, remedy)
    return reason


def _require_known(db: Session, campaign_id: int, docnos: Mapping[str, int], source: str) -> None:
    listed = collection_list(db, campaign_id)
    known: Collection[str]
    if listed is None:
        known = with_text(db, campaign_id, docnos)
        what, remedy = "no document of this campaign", "load its text first, or correct the docno"
    else:
        known = listed_docnos(db, campaign_id) or ()
        what, remedy = f"not in the collection's list {listed.file_name}", "correct the docno"
    findings = []
    for docno, line in docnos.items():
        wrong = id_finding(docno, what="docno", source=source)
        if wrong is not None:
            findings.append(Finding(source, line, wrong.code, wrong.message, wrong.remedy))
        elif docno not in known:
            findings.append(Finding(source, line, "docno-unknown", f"{docno} is {what}", remedy))
    if findings:
        raise InvalidInput(findings)


def _pooled_already(db: Session, row: PoolRow, topic: str, docnos: Iterable[str]) -> dict[str, str]:
    """Which of the docnos this pool or another open one has for the topic, and which pool, this one first."""
    rows = db.execute(
        select(PoolEntryRow.docno, PoolRow.name)
        .join(PoolRow)
        .where(
            PoolRow.campaign_id == row.campaign_id,
            PoolEntryRow.topic == topic,
            (PoolRow.id == row.id) | (PoolRow.opened_at.is_not(None) & PoolRow.closed_at.is_(None)),
        )
        .order_by((PoolRow.id == row.id).desc(), PoolRow.id)
    )
    chosen = set(docnos)
    found: dict[str, str] = {}
    for docno, name in rows:
        if docno in chosen:
            found.setdefault(docno, name)
    return found


@frozen_dataclass
class RemovedAddition:
    """A document that was added to a topic and removed: how it was added, who removed it (or empty), when."""

    topic: str
    docno: str
    added: Addition
    by: str
    at: datetime


def remove_addition(
    db: Session, campaign_id: int, name: str, *, topic: str, docno: str, by: int | None = None
) -> None:
    """Remove from a pool what was added by hand, as long as nobody has answered it.

    The pool's recipe records the addition and who removed it. Raises NotFound where it was not
    added, Conflict for a closed pool, for what a run brought too, and for what has been answered, even if the
    answer was withdrawn.
    """
    row = locked_pool(db, campaign_id, name)
    require_not_closed(row)
    entry = db.get(PoolEntryRow, (row.id, topic, docno))
    if entry is None or entry.added_at is None:
        raise NotFound(f"{docno} was not added by hand to topic {topic} of pool {name!r}")
    if entry.run_count:
        raise Conflict(f"a run contributed {docno} too, so it stays", remedy="see which runs contributed it")
    answered = select(JudgmentEventRow.id).where(
        JudgmentEventRow.campaign_id == campaign_id,
        JudgmentEventRow.topic == topic,
        JudgmentEventRow.docno == docno,
    )
    if db.scalar(answered.limit(1)) is not None:
        raise Conflict(f"{docno} has been judged, so it stays in the pool")
    _record_removal(row, entry, by)
    db.delete(entry)
    recount(db, row)


def judged_additions(db: Session, campaign_id: int, name: str, *, topic: str) -> frozenset[str]:
    """The docnos added by hand to a topic of a pool that somebody has answered."""
    answered = select(JudgmentEventRow.docno).where(
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
            PoolEntryRow.docno.in_(answered),
        )
    )
    return frozenset(db.scalars(added))


def removed_additions(
    db: Session, campaign_id: int, name: str, *, topic: str | None = None
) -> tuple[RemovedAddition, ...]:
    """What was removed from a pool, or from one topic of it, in that order; raises NotFound."""
    notes = pool_row(db, campaign_id, name).recipe.get(REMOVED, ())
    chosen = [note for note in notes if topic is None or note["topic"] == topic]
    names = account_names(db, (note[key] for note in chosen for key in ("added_by", "taken_out_by")))
    return tuple(
        RemovedAddition(
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
        for note in chosen
    )


def _record_removal(row: PoolRow, entry: PoolEntryRow, by: int | None) -> None:
    """Write into the recipe of a locked pool that an addition was removed; accounts by their numbers."""
    note = {
        "topic": entry.topic,
        "docno": entry.docno,
        "reason": entry.reason,
        "added_by": entry.added_by,
        "added_at": entry.added_at.isoformat() if entry.added_at else None,
        "taken_out_by": by,
        "taken_out_at": utc_now(None).isoformat(),
    }
    row.recipe = {**row.recipe, REMOVED: [*row.recipe.get(REMOVED, ()), note]}
