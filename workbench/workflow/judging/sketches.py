"""Sketches of the documents of an assessor's part: made where nobody waits for the database, then kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import InstrumentedAttribute, Session

from workbench.pooling.near_duplicates import sketch
from workbench.storage.batches import batches
from workbench.storage.tables import DocumentRow, DocumentSketchRow
from workbench.workflow.judging.probed_task import documents_behind
from workbench.workflow.judging.task import own_task

# What one request sketches, in characters: some hundredths of a second of work, since a desk waits for its
# first documents; of those that it asks for more.
MOST_AT_ONCE = 100_000
MOST_OF_ASKED = 2_000_000


@dataclass(frozen=True, slots=True)
class Sketched:
    """A sketch that is to be kept, of the text with this hash."""

    docno: str
    sha256: str
    sketch: bytes


def missing_sketches(
    db: Session, assignment_id: int, account_id: int, *, first: Iterable[str] = ()
) -> tuple[Sketched, ...]:
    """Sketches of documents of the assessor's part that are not kept yet, of MOST_AT_ONCE characters of text.

    Those of the documents that are asked for (`first`, by what the desk calls them) come first, of up to
    MOST_OF_ASKED characters, then those of answered ones. They are made here, where nobody waits for the
    database; `keep_sketches` keeps them.
    """
    task = own_task(db, assignment_id, account_id)
    lacking = set(task.order) - _sketched(db, task.campaign.id, task.order)
    asked = set(documents_behind(db, task, first).values()) if lacking else set()
    places = {docno: place for place, docno in enumerate(task.order)}
    made, size = [], 0
    for docno in sorted(lacking, key=lambda one: (one not in asked, one not in task.answers, places[one])):
        row = db.execute(
            select(DocumentRow.title, DocumentRow.text, DocumentRow.sha256).where(
                DocumentRow.campaign_id == task.campaign.id, DocumentRow.docno == docno
            )
        ).one_or_none()
        if row is None:
            continue
        made.append(Sketched(docno, row.sha256, sketch(row.text.strip() or row.title)))
        size += len(row.text)
        if size > (MOST_OF_ASKED if docno in asked else MOST_AT_ONCE):
            break
    return tuple(made)


def keep_sketches(db: Session, assignment_id: int, account_id: int, made: Sequence[Sketched]) -> None:
    """Keep sketches of documents; one that is kept already is replaced."""
    campaign_id = own_task(db, assignment_id, account_id).campaign.id
    insert = sqlite.insert if db.get_bind().dialect.name == "sqlite" else postgresql.insert
    # In one order, so that two who keep the same ones wait for each other and not both.
    for one in sorted(made, key=lambda one: one.docno):
        changed = {"sha256": one.sha256, "sketch": one.sketch}
        db.execute(
            insert(DocumentSketchRow)
            .values(campaign_id=campaign_id, docno=one.docno, **changed)
            .on_conflict_do_update(index_elements=["campaign_id", "docno"], set_=changed)
        )


def sketches_of(db: Session, campaign_id: int, docnos: Iterable[str]) -> dict[str, bytes]:
    """The kept sketches, and those of documents that lack one, made here and now."""
    names = list(docnos)
    found = kept_sketches(db, campaign_id, names)
    lacking = [docno for docno in names if docno not in found]
    made = {docno: sketch(text) for docno, text in texts_of(db, campaign_id, lacking).items()}
    return {docno: found.get(docno) or made[docno] for docno in names if docno in found or docno in made}


def kept_sketches(db: Session, campaign_id: int, docnos: Sequence[str]) -> dict[str, bytes]:
    """The sketches of documents that are kept, of the texts as they are now, by docno."""
    found: dict[str, bytes] = {}
    for batch in batches(docnos):
        found |= dict(db.execute(_of_now(batch, campaign_id, DocumentSketchRow.sketch)).all())
    return found


def texts_of(db: Session, campaign_id: int, docnos: Sequence[str]) -> dict[str, str]:
    """The texts of those of the documents that are loaded, by docno; the title where there is no text."""
    found: dict[str, str] = {}
    for batch in batches(docnos):
        rows = db.execute(
            select(DocumentRow.docno, DocumentRow.title, DocumentRow.text).where(
                DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(batch)
            )
        )
        found |= {docno: text.strip() or title for docno, title, text in rows}
    return found


def _sketched(db: Session, campaign_id: int, docnos: Sequence[str]) -> set[str]:
    """Those of the documents whose sketch is kept, and of the text that they have now."""
    found: set[str] = set()
    for batch in batches(docnos):
        found.update(db.scalars(_of_now(batch, campaign_id)))
    return found


def _of_now(docnos: Sequence[str], campaign_id: int, *columns: InstrumentedAttribute[Any]) -> Select[Any]:
    """Kept sketches of documents, by docno, that are of the text as it is now."""
    return (
        select(DocumentSketchRow.docno, *columns)
        .join(
            DocumentRow,
            (DocumentRow.campaign_id == DocumentSketchRow.campaign_id)
            & (DocumentRow.docno == DocumentSketchRow.docno)
            & (DocumentRow.sha256 == DocumentSketchRow.sha256),
        )
        .where(DocumentSketchRow.campaign_id == campaign_id, DocumentSketchRow.docno.in_(docnos))
    )
