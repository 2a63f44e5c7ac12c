"""Manual additions: documents that a person, not a run, brings to a topic's pool, with a reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.records import sorted_ids
from workbench.storage.tables import PoolEntryRow, PoolRow, TopicRow
from workbench.workflow.campaigns.collection import with_text
from workbench.workflow.checks import id_finding, storable
from workbench.workflow.pools.adaptive_pools import is_adaptive
from workbench.workflow.pools.pool_rows import locked_pool, recount, require_not_closed
from workbench.workflow.pools.pooling import brought_by_nobody
from workbench.workflow.runs.collection_lists import collection_list, listed_docnos

LONGEST_REASON = 2000


@dataclass(frozen=True, slots=True)
class Passed:
    """A docno that was not added since a pool has it already, this one or another that is open."""

    docno: str
    pool: str


@dataclass(frozen=True, slots=True)
class Added:
    """What adding by hand did, docnos sorted as bytes; `without_text` of the added nobody could read yet."""

    pool: str
    added: tuple[str, ...]
    passed: tuple[Passed, ...]
    without_text: tuple[str, ...]


def add_by_hand(
    db: Session,
    campaign_id: int,
    name: str,
    *,
    topic: str,
    docnos: Mapping[str, int],
    reason: str,
    added_by: int | None,
    source: str = "docnos",
) -> Added:
    """Add documents to a topic of a draft or an open pool; who has been given the topic judges them too.

    `docnos` have their lines in `source`. What this pool or another open one has already is passed over. All
    is added or nothing: raises InvalidInput without a reason and with every docno that the collection has
    not, NotFound for the pool or the topic, Conflict for a closed pool or an adaptive one.
    """
    row = locked_pool(db, campaign_id, name)
    require_not_closed(row)
    if is_adaptive(row):
        # An assessor reads this too, and is not to learn how the documents are chosen.
        raise Conflict("this pool takes no documents by hand", remedy="add them to another pool")
    if db.get(TopicRow, (campaign_id, topic)) is None:
        raise NotFound(f"there is no topic {topic!r} in this campaign")
    reason = _checked_reason(reason)
    _require_known(db, campaign_id, docnos, source)
    passed = _pooled_already(db, row, topic, docnos)
    new = sorted_ids(docnos.keys() - passed.keys())
    now = datetime.now(UTC)
    marks = {"pool_id": row.id, "added_by": added_by, "added_at": now, "reason": reason}
    if new:
        db.execute(insert(PoolEntryRow), [{**brought_by_nobody((topic, one)), **marks} for one in new])
        recount(db, row)
    texts = with_text(db, campaign_id, new)
    return Added(
        pool=row.name,
        added=tuple(new),
        passed=tuple(Passed(docno, passed[docno]) for docno in sorted_ids(passed)),
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
        raise InvalidInput([Finding("Reason", None, "reason", "there is no reason", "say how it was found")])
    if len(reason) > LONGEST_REASON:
        message, remedy = f"it has {len(reason)} characters", f"at most {LONGEST_REASON}"
        raise InvalidInput([Finding("Reason", None, "reason", message, remedy)])
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
    wanted = set(docnos)
    found: dict[str, str] = {}
    for docno, name in rows:
        if docno in wanted:
            found.setdefault(docno, name)
    return found
