"""Topics and documents: loading and finding them, and which pooled documents lack text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput, NotFound, WorkbenchError
from workbench.records import Document, Topic, sorted_ids
from workbench.storage.chunks import chunks
from workbench.storage.tables import DocumentRow, JudgmentEventRow, PoolEntryRow, PoolRow, TopicRow
from workbench.workflow.checks import id_finding, storable, text_hash

BATCH = 500


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of loading a file; `missing` are pooled docnos whose document is not loaded."""

    read: int
    added: int
    changed: int
    unchanged: int
    passed_over: int = 0
    missing: tuple[str, ...] = ()


def load_topics(db: Session, campaign_id: int, topics: Iterable[Topic], *, source: str) -> Loaded:
    """Add topics to a campaign, and update those without judgments.

    A judged topic can only get further subtopics. Raises InvalidInput, and changes nothing, if the statement
    of a judged topic would change.
    """
    known = {
        row.topic: row for row in db.scalars(select(TopicRow).where(TopicRow.campaign_id == campaign_id))
    }
    judged = set(
        db.scalars(
            select(JudgmentEventRow.topic).where(JudgmentEventRow.campaign_id == campaign_id).distinct()
        )
    )
    findings: list[Finding] = []
    added = changed = unchanged = 0
    for topic in topics:
        wrong = id_finding(topic.id, what="topic", source=source)
        if wrong:
            findings.append(wrong)
            continue
        row = known.get(topic.id)
        statement: dict[str, Any] = {
            "title": storable(topic.title),
            "description": storable(topic.description),
            "narrative": storable(topic.narrative),
        }
        subtopics = [[storable(one), storable(label)] for one, label in topic.subtopics]
        if subtopics or row is None:
            # A file without subtopics does not remove any.
            statement["subtopics"] = subtopics
        if row is None:
            db.add(
                TopicRow(campaign_id=campaign_id, topic=topic.id, position=len(known) + added, **statement)
            )
            added += 1
        elif all(getattr(row, name) == value for name, value in statement.items()):
            unchanged += 1
        elif topic.id in judged and not _only_more_subtopics(row, statement):
            findings.append(_judged(source, "topic", topic.id))
        else:
            for name, value in statement.items():
                setattr(row, name, value)
            changed += 1
    if findings:
        raise InvalidInput(findings)
    db.flush()
    return Loaded(added + changed + unchanged, added, changed, unchanged)


def topics_of(db: Session, campaign_id: int) -> tuple[Topic, ...]:
    """The topics of a campaign in the order of their files."""
    rows = db.scalars(select(TopicRow).where(TopicRow.campaign_id == campaign_id).order_by(TopicRow.position))
    return tuple(map(as_topic, rows))


def as_topic(row: TopicRow) -> Topic:
    """The topic of a row."""
    subtopics = tuple((str(one[0]), str(one[1])) for one in row.subtopics)
    return Topic(row.topic, row.title, row.description, row.narrative, subtopics)


def load_documents(
    db: Session, campaign_id: int, documents: Iterable[Document], *, source: str, pooled: bool = False
) -> Loaded:
    """Add documents to a campaign, and update those without judgments.

    With `pooled` only documents of pools and draft pools are loaded. Raises InvalidInput, and changes
    nothing, if the text of a judged document would change.
    """
    only = _pooled_docnos(db, campaign_id, drafts=True) if pooled else None
    if only is not None and not only:
        raise WorkbenchError("there is no pool yet", remedy="make a pool first, or load all documents")
    judged = set(
        db.scalars(
            select(JudgmentEventRow.docno).where(JudgmentEventRow.campaign_id == campaign_id).distinct()
        )
    )
    findings: list[Finding] = []
    counts = {"read": 0, "added": 0, "changed": 0, "unchanged": 0, "passed_over": 0}
    for batch in _batches(documents, counts, only):
        _load_batch(db, campaign_id, batch, judged, counts, findings, source)
    if findings:
        raise InvalidInput(findings)
    db.flush()
    return Loaded(**counts, missing=missing_documents(db, campaign_id))


def missing_documents(db: Session, campaign_id: int) -> tuple[str, ...]:
    """The docnos of opened pools whose document is not loaded, sorted as bytes."""
    lacking = _pooled_docnos(db, campaign_id, drafts=False) - _known_docnos(db, campaign_id)
    return tuple(sorted_ids(lacking))


def document_count(db: Session, campaign_id: int) -> int:
    """The number of documents of a campaign."""
    return db.scalar(select(func.count()).where(DocumentRow.campaign_id == campaign_id)) or 0


def some_documents(
    db: Session, campaign_id: int, *, search: str = "", limit: int = 50, after: str = ""
) -> tuple[Document, ...]:
    """Documents by docno that follow `after` and whose docno or title contains `search`."""
    chosen = select(DocumentRow).where(DocumentRow.campaign_id == campaign_id, DocumentRow.docno > after)
    if search:
        chosen = chosen.where(
            DocumentRow.docno.contains(search, autoescape=True)
            | DocumentRow.title.icontains(search, autoescape=True)
        )
    rows = db.scalars(chosen.order_by(DocumentRow.docno).limit(limit))
    return tuple(Document(row.docno, row.title, row.text) for row in rows)


def document(db: Session, campaign_id: int, docno: str) -> Document:
    """One document; raises NotFound."""
    row = db.get(DocumentRow, (campaign_id, docno))
    if row is None:
        raise NotFound(f"there is no document {docno!r} in this campaign")
    return Document(row.docno, row.title, row.text)


def _batches(
    documents: Iterable[Document], counts: dict[str, int], only: set[str] | None
) -> Iterator[tuple[Document, ...]]:
    def chosen() -> Iterator[Document]:
        for one in documents:
            counts["read"] += 1
            if only is None or one.docno in only:
                yield one
            else:
                counts["passed_over"] += 1

    selected = chosen()
    while batch := tuple(islice(selected, BATCH)):
        yield batch


def _load_batch(
    db: Session,
    campaign_id: int,
    batch: tuple[Document, ...],
    judged: set[str],
    counts: dict[str, int],
    findings: list[Finding],
    source: str,
) -> None:
    known = dict(
        db.execute(
            select(DocumentRow.docno, DocumentRow.sha256).where(
                DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_([d.docno for d in batch])
            )
        ).all()
    )
    new: list[dict[str, Any]] = []
    for one in batch:
        wrong = id_finding(one.docno, what="docno", source=source)
        if wrong:
            findings.append(wrong)
            continue
        title, text = storable(one.title), storable(one.text)
        sha256 = text_hash(title, text)
        if one.docno not in known:
            new.append(
                {
                    "campaign_id": campaign_id,
                    "docno": one.docno,
                    "title": title,
                    "text": text,
                    "sha256": sha256,
                }
            )
            known[one.docno] = sha256
            counts["added"] += 1
        elif known[one.docno] == sha256:
            counts["unchanged"] += 1
        elif one.docno in judged:
            findings.append(_judged(source, "document", one.docno))
        else:
            row = db.get_one(DocumentRow, (campaign_id, one.docno))
            row.title, row.text, row.sha256 = title, text, sha256
            counts["changed"] += 1
    if new and not findings:
        db.execute(insert(DocumentRow), new)


def _only_more_subtopics(row: TopicRow, statement: dict[str, Any]) -> bool:
    """Whether a statement is the row's, and no subtopic is taken away or named otherwise."""
    same = all(getattr(row, name) == value for name, value in statement.items() if name != "subtopics")
    return same and all(one in statement.get("subtopics", row.subtopics) for one in row.subtopics)


def _judged(source: str, what: str, identifier: str) -> Finding:
    return Finding(
        source,
        None,
        f"{what}-judged",
        f"{what} {identifier} is judged and its text differs",
        "judged texts cannot change: load the new text into another campaign",
    )


def _pooled_docnos(db: Session, campaign_id: int, *, drafts: bool) -> set[str]:
    pooled = select(PoolEntryRow.docno).join(PoolRow).where(PoolRow.campaign_id == campaign_id).distinct()
    return set(db.scalars(pooled if drafts else pooled.where(PoolRow.opened_at.is_not(None))))


def _known_docnos(db: Session, campaign_id: int) -> set[str]:
    return set(db.scalars(select(DocumentRow.docno).where(DocumentRow.campaign_id == campaign_id)))


def with_text(db: Session, campaign_id: int, docnos: Iterable[str]) -> set[str]:
    """The documents among these whose text is loaded."""
    known: set[str] = set()
    # Ids that cannot be stored cannot be queried either.
    for batch in chunks([docno for docno in docnos if storable(docno) == docno]):
        known.update(
            db.scalars(
                select(DocumentRow.docno).where(
                    DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(batch)
                )
            )
        )
    return known


def topic_titles(db: Session, campaign_id: int) -> dict[str, str]:
    """The titles of a campaign's topics by their ids, in the order of the topics."""
    titles = (
        select(TopicRow.topic, TopicRow.title)
        .where(TopicRow.campaign_id == campaign_id)
        .order_by(TopicRow.position)
    )
    return dict(db.execute(titles).all())
