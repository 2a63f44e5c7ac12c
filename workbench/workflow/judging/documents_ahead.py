"""Documents ahead: what a desk fetches before its assessor needs it, found without the documents' texts.

As `documents_of` finds them, for a plain standing whose documents all have their sketches: in two statements,
since the order of the topic and the index of its sketches are known already.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import Pool, bindparam, select
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from workbench.pooling.near_duplicate_documents import SketchIndex, most_alike
from workbench.storage.chunks import chunks
from workbench.storage.prepared import PreparedStatement
from workbench.storage.tables import DocumentRow, DocumentSketchRow, OriginalRow, PoolEntryRow
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.originals import NO_FORM, forms_of, may_have_images
from workbench.workflow.judging.desk_view import MOST_DOCUMENTS, ShownDocument
from workbench.workflow.judging.near_duplicates import kept_sketches, verified
from workbench.workflow.judging.plain_answers import DeskStanding, standing_of

# How long a text that was loaded anew may be missing from the hints of others that it resembles: what they
# say of each other is always measured on the texts as they are.
INDEX_SECONDS = 600
# Of 2,000 documents an index takes 0.5 MB.
MOST_INDEXES = 100


@dataclass(frozen=True, slots=True)
class AheadDocument:
    """A document of a topic, its place (from 1), and its near-duplicates as `near_duplicates_in` finds them.

    `sha256` is None where the document is not loaded.
    """

    docno: str
    sha256: str | None
    position: int
    near: tuple[tuple[str, float], ...] = ()


def documents_ahead(
    db: Session, campaign_id: int, assignment_id: int, account_id: int, docnos: Iterable[str]
) -> tuple[AheadDocument, ...] | None:
    """Documents of an assessor's part, at most ten; None where `documents_of` must find them, or refuse."""
    connection = db.connection()
    standing = standing_of(connection, assignment_id, account_id)
    if standing is None or standing.campaign_id != campaign_id:
        return None
    if not (standing.may_judge and standing.is_plain):
        return None
    order = standing.order(connection)
    asked = list(dict.fromkeys(docnos))[:MOST_DOCUMENTS]
    if not all(docno in order for docno in asked):
        return None
    index = _index(db, standing)
    loaded = {row.docno: row for row in map(_Loaded._make, _rows(_LOADED, connection, campaign_id, asked))}
    if index is None:
        return None
    sketches = {docno: row.sketch for docno, row in loaded.items() if row.sketch is not None}
    if len(sketches) < len(loaded):
        return None
    near = _near(db, campaign_id, index, sketches)
    return tuple(
        AheadDocument(
            docno,
            loaded[docno].sha256 if docno in loaded else None,
            order.index(docno) + 1,
            near.get(docno, ()),
        )
        for docno in asked
    )


def documents_to_show(
    db: Session, campaign_id: int, ahead: Sequence[AheadDocument]
) -> tuple[ShownDocument, ...]:
    """The documents with their texts as they are now."""
    asked = [one.docno for one in ahead]
    texts = {row.docno: row for row in map(_Text._make, _rows(_TEXTS, db.connection(), campaign_id, asked))}
    # Nearly all documents are a text and nothing else.
    beside = {
        row.docno: row.text for row in texts.values() if row.original is not None or may_have_images(row.text)
    }
    forms = forms_of(db, campaign_id, beside) if beside else {}
    return tuple(
        ShownDocument(
            one.docno,
            row.title,
            row.text,
            row.sha256,
            missing=False,
            key=one.docno,
            form=forms.get(one.docno, NO_FORM),
        )
        if (row := texts.get(one.docno)) is not None
        else ShownDocument(one.docno, "", "", None, missing=True, key=one.docno)
        for one in ahead
    )


def _rows(
    statement: PreparedStatement, connection: Connection, campaign_id: int, docnos: Sequence[str]
) -> Iterator[Sequence[Any]]:
    """The rows of documents, in no order."""
    for some in chunks(docnos, MOST_DOCUMENTS):
        # A statement has one form: where fewer are asked for, the last one stands in the other places.
        names = [*some, *[some[-1]] * (MOST_DOCUMENTS - len(some))]
        asked = dict(zip(_DOCNOS, names, strict=True))
        yield from statement.rows(connection, {"campaign_id": campaign_id, **asked})


class _Loaded(NamedTuple):
    docno: str
    sha256: str
    sketch: bytes | None


class _Text(NamedTuple):
    docno: str
    title: str
    text: str
    sha256: str
    original: str | None


def _index(db: Session, standing: DeskStanding) -> SketchIndex | None:
    """The index of all documents of a topic; None while one of them has no sketch of its text."""
    lately = time.monotonic() // INDEX_SECONDS
    key = (standing.pool_id, standing.contents, standing.topic, lately)
    indexes = _indexes(db)
    known = indexes.peek(key)
    if known is not None:
        return known
    asked = {
        "campaign_id": standing.campaign_id,
        "pool_id": standing.pool_id,
        "topic": standing.topic,
    }
    found: dict[str, bytes] = {}
    for docno, written in db.connection().execute(_OF_TOPIC, asked):
        if written is None:
            return None
        found[docno] = written
    made = SketchIndex(found)
    indexes.put(key, made)
    return made


def _indexes(db: Session) -> Cache[object, SketchIndex]:
    """The indexes of this database: ids say nothing of those of another one."""
    with _LOCK:
        return _INDEXES.setdefault(db.get_bind().engine.pool, Cache(MOST_INDEXES))


def _near(
    db: Session, campaign_id: int, index: SketchIndex, sketches: Mapping[str, bytes]
) -> dict[str, tuple[tuple[str, float], ...]]:
    candidates = {docno: index.candidates(docno, written) for docno, written in sketches.items()}
    others = kept_sketches(db, campaign_id, list({one for found in candidates.values() for one in found}))
    near = {}
    for docno, found in candidates.items():
        alike = most_alike(sketches[docno], {one: others[one] for one in found if one in others})
        measured = verified(db, campaign_id, docno, alike)
        if measured:
            near[docno] = measured
    return near


_INDEXES: WeakKeyDictionary[Pool, Cache[object, SketchIndex]] = WeakKeyDictionary()
_LOCK = threading.Lock()
_HAS_SKETCH = (
    (DocumentSketchRow.campaign_id == DocumentRow.campaign_id)
    & (DocumentSketchRow.docno == DocumentRow.docno)
    & (DocumentSketchRow.sha256 == DocumentRow.sha256)
)
_DOCNOS = tuple(f"docno_{number}" for number in range(MOST_DOCUMENTS))
_ASKED = (
    DocumentRow.campaign_id == bindparam("campaign_id"),
    DocumentRow.docno.in_([bindparam(name) for name in _DOCNOS]),
)
_LOADED = PreparedStatement.of(
    select(DocumentRow.docno, DocumentRow.sha256, DocumentSketchRow.sketch)
    .outerjoin(DocumentSketchRow, _HAS_SKETCH)
    .where(*_ASKED)
)
_TEXTS = PreparedStatement.of(
    select(DocumentRow.docno, DocumentRow.title, DocumentRow.text, DocumentRow.sha256, OriginalRow.docno)
    .outerjoin(
        OriginalRow,
        (OriginalRow.campaign_id == DocumentRow.campaign_id) & (OriginalRow.docno == DocumentRow.docno),
    )
    .where(*_ASKED)
)
_OF_TOPIC = (
    select(DocumentRow.docno, DocumentSketchRow.sketch)
    .select_from(PoolEntryRow)
    .join(DocumentRow, DocumentRow.docno == PoolEntryRow.docno)
    .outerjoin(DocumentSketchRow, _HAS_SKETCH)
    .where(
        DocumentRow.campaign_id == bindparam("campaign_id"),
        PoolEntryRow.pool_id == bindparam("pool_id"),
        PoolEntryRow.topic == bindparam("topic"),
    )
)
