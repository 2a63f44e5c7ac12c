"""Topics and documents: loading and finding them, which pooled ones lack text, and their JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, insert, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session
from typing_extensions import TypedDict

from workbench.errors import Finding, InvalidInput, NotFound, WorkbenchError
from workbench.formats.identifiers import id_finding, storable
from workbench.frozen import filled, frozen_dataclass
from workbench.records import Document, Topic
from workbench.storage.chunks import chunks
from workbench.storage.tables import (
    AssessorRow,
    CampaignRow,
    DocumentRow,
    JudgmentEventRow,
    PoolEntryRow,
    PoolRow,
    TopicRow,
)
from workbench.workflow.campaigns.campaigns import count_document_changes
from workbench.workflow.campaigns.originals import hashes_of, original_row, write_originals

LAST_CHARACTER = "\U0010ffff"
BATCH = 500
# Characters: a longer batch is cut off, so that writing it takes some milliseconds.
BATCH_LENGTH = 500_000


class TopicJson(TypedDict):
    """A topic's statement; each of its subtopics has an id and a label."""

    topic: str
    title: str
    description: str
    narrative: str
    subtopics: list[tuple[str, str]]


class LoadedFile(TypedDict):
    """What loading a file did; `passed_over` documents are in no pool."""

    file: str
    read: int
    added: int
    changed: int
    unchanged: int
    passed_over: int


class LoadedFiles(TypedDict):
    """What loading files did, and the docnos of pooled documents that are still missing."""

    files: list[LoadedFile]
    missing: list[str]


@frozen_dataclass
class Loaded:
    """The result of loading a file; `missing` are pooled docnos whose document is not loaded."""

    read: int
    added: int
    changed: int
    unchanged: int
    passed_over: int = 0
    missing: tuple[str, ...] = ()

    @classmethod
    def of(cls, counts: Counter[str], missing: tuple[str, ...]) -> Loaded:
        """The result from counts by the names of the fields."""
        names = ("read", "added", "changed", "unchanged", "passed_over")
        return cls(**{name: counts[name] for name in names}, missing=missing)


def load_topics(db: Session, campaign_id: int, topics: Iterable[Topic], *, source: str) -> Loaded:
    """Add topics to a campaign, and update those without judgments.

    A judged topic can only get further subtopics. Raises InvalidInput, and changes nothing, if the statement
    of a judged topic would change.
    """
    known = {
        row.topic: row for row in db.scalars(select(TopicRow).where(TopicRow.campaign_id == campaign_id))
    }
    findings: list[Finding] = []
    new: list[dict[str, Any]] = []
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
            place = {"campaign_id": campaign_id, "topic": topic.id, "position": len(known) + added}
            new.append(place | statement)
            added += 1
        elif all(getattr(row, name) == value for name, value in statement.items()):
            unchanged += 1
        elif not _only_more_subtopics(row, statement) and _is_judged(db, campaign_id, topic.id):
            findings.append(_judged(source, "topic", topic.id))
        else:
            for name, value in statement.items():
                setattr(row, name, value)
            changed += 1
    if findings:
        raise InvalidInput(findings)
    db.flush()
    if new:
        db.execute(insert(TopicRow), new)
    return Loaded(added + changed + unchanged, added, changed, unchanged)


def topics_of(db: Session, campaign_id: int) -> tuple[Topic, ...]:
    """The topics of a campaign in the order of their files."""
    rows = db.scalars(select(TopicRow).where(TopicRow.campaign_id == campaign_id).order_by(TopicRow.position))
    return tuple(map(as_topic, rows))


def topic_of(db: Session, campaign_id: int, topic: str) -> Topic:
    """A topic of a campaign; raises NotFound."""
    row = db.get(TopicRow, (campaign_id, topic))
    if row is None:
        raise NotFound(f"there is no topic {topic} in this campaign", remedy="see the list of topics")
    return as_topic(row)


def as_topic(row: TopicRow) -> Topic:
    """The topic of a row."""
    subtopics = tuple((str(one[0]), str(one[1])) for one in row.subtopics)
    return Topic(row.topic, row.title, row.description, row.narrative, subtopics)


def load_documents(db: Session, campaign_id: int, documents: Iterable[Document], *, source: str) -> Loaded:
    """Add documents to a campaign, and update those without judgments.

    Raises InvalidInput, and changes nothing, if the text of a judged document would change.
    """
    judged = judged_docnos(db, campaign_id)
    counts: Counter[str] = Counter()
    findings: list[Finding] = []
    for batch in batches(documents, counts, None):
        compared = compare(db, campaign_id, batch, judged, source)
        findings += compared.findings
        if not findings:
            compared.write(db)
        counts += compared.counts
    if findings:
        raise InvalidInput(findings)
    db.flush()
    return Loaded.of(counts, missing_documents(db, campaign_id))


def docnos_to_load(db: Session, campaign_id: int, *, pooled: bool) -> set[str] | None:
    """The documents of pools and draft pools if only these are to be loaded, else None.

    Raises WorkbenchError if there is no pool.
    """
    if not pooled:
        return None
    entry = PoolEntryRow
    only = set(
        db.scalars(select(entry.docno).join(PoolRow).where(PoolRow.campaign_id == campaign_id).distinct())
    )
    if not only:
        raise WorkbenchError("there is no pool yet", remedy="make a pool first, or load all documents")
    return only


def judged_docnos(db: Session, campaign_id: int, among: Collection[str] | None = None) -> set[str]:
    """The documents of a campaign that somebody judged; `among` these, if given."""
    event = JudgmentEventRow
    judged = select(event.docno).where(event.campaign_id == campaign_id).distinct()
    return set(db.scalars(judged if among is None else judged.where(event.docno.in_(among))))


def missing_documents(db: Session, campaign_id: int, *, limit: int | None = None) -> tuple[str, ...]:
    """The docnos of opened pools whose document is not loaded, sorted as bytes: all, or the first."""
    lacking = lacking_documents(campaign_id)
    return tuple(db.scalars(lacking.order_by(*lacking.selected_columns).limit(limit)))


def lacking_documents(campaign_id: int) -> Select[str]:
    """The docnos of opened pools whose document is not loaded, each once.

    Each pooled one is looked up by the key of its document, of which there may be a hundred times as many,
    in the order of docnos: those of a million pairs are found in a third of the time.
    """
    pooled = (
        select(PoolEntryRow.docno)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
        .group_by(PoolEntryRow.docno)
        .subquery()
    )
    loaded = select(DocumentRow.docno).where(
        DocumentRow.campaign_id == campaign_id, DocumentRow.docno == pooled.c.docno
    )
    return select(pooled.c.docno).where(~loaded.exists())


def document_count(db: Session, campaign_id: int) -> int:
    """The number of documents of a campaign, as it is kept."""
    return db.scalar(select(CampaignRow.documents).where(CampaignRow.id == campaign_id)) or 0


def documents_version(db: Session, campaign_id: int) -> Hashable:
    """What differs after documents were added to a campaign; their texts may have changed all the same."""
    row = CampaignRow
    found = db.execute(select(row.created_at, row.documents).where(row.id == campaign_id)).one()
    return str(db.get_bind().engine.url), *found


def count_further(db: Session, campaign_id: int, documents: int) -> None:
    """Keep that a campaign has so many documents more; until the end others that load some wait."""
    chosen = update(CampaignRow).where(CampaignRow.id == campaign_id)
    db.execute(chosen.values(documents=CampaignRow.documents + documents))


def some_documents(
    db: Session, campaign_id: int, *, search: str = "", begins: bool = False, limit: int = 50, after: str = ""
) -> tuple[Document, ...]:
    """Documents by docno that follow `after` and whose docno or title contains `search`.

    With `begins` those whose docno begins with it, which the key of the table finds at once.
    """
    chosen = select(DocumentRow).where(DocumentRow.campaign_id == campaign_id)
    # One lower bound: of two SQLite might use the one that begins far before.
    begin = DocumentRow.docno >= search if begins and search > after else DocumentRow.docno > after
    chosen = chosen.where(begin)
    if search and begins:
        # Sorted as bytes, as ids are, nothing that begins so comes after its last possible character.
        chosen = chosen.where(DocumentRow.docno < search + LAST_CHARACTER)
    elif search:
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


def batches(
    documents: Iterable[Document], counts: Counter[str], only: set[str] | None
) -> Iterator[list[Document]]:
    """Documents by some hundreds, or fewer if they are long; `counts` those `read` and `passed_over`.

    Images that only pages show are no documents, and left out, unless they are among `only`.
    """
    batch: list[Document] = []
    size = 0
    for one in documents:
        if is_beside(one, only):
            continue
        counts["read"] += 1
        if only is not None and one.docno not in only:
            counts["passed_over"] += 1
            continue
        batch.append(one)
        size += len(one.title) + len(one.text) + original_length(one)
        if len(batch) == BATCH or size >= BATCH_LENGTH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def is_beside(document: Document, pooled: Collection[str] | None) -> bool:
    """Whether this is an image for pages, and no document by itself, as one that is pooled is."""
    if document.original is None or not document.original.beside:
        return False
    return pooled is None or document.docno not in pooled


def original_length(document: Document) -> int:
    """The bytes of a document's original, 0 where there is none."""
    original = document.original
    return 0 if original is None else len(original.content or b"") + len(original.shown or b"")


@dataclass(slots=True)
class Compared:
    """Documents compared with those of the campaign: rows to add, rows to change, and what is refused.

    `originals` are rows of the originals that are new or differ, which change no text.
    """

    campaign_id: int
    new: list[dict[str, Any]]
    changed: list[dict[str, Any]]
    originals: list[dict[str, Any]]
    unchanged: int
    findings: list[Finding]

    @property
    def counts(self) -> Counter[str]:
        """How many are `added`, `changed` and `unchanged`."""
        return Counter(added=len(self.new), changed=len(self.changed), unchanged=self.unchanged)

    def write(self, db: Session) -> None:
        """Add the new rows and change the others."""
        if self.new or self.originals:
            count_further(db, self.campaign_id, len(self.new))
        if self.new:
            db.execute(insert(DocumentRow), self.new)
        if self.changed:
            db.execute(update(DocumentRow), self.changed)
        count_document_changes(db, self.campaign_id, len(self.new) + len(self.changed))
        write_originals(db, self.campaign_id, self.originals)


def compare(
    db: Session, campaign_id: int, batch: Sequence[Document], judged: set[str], source: str
) -> Compared:
    """Compare documents of a file with those of a campaign."""
    known = dict(
        db.execute(
            select(DocumentRow.docno, DocumentRow.sha256).where(
                DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_([d.docno for d in batch])
            )
        ).all()
    )
    kept = hashes_of(db, campaign_id, [one.docno for one in batch if one.original is not None])
    found = Compared(campaign_id, [], [], [], 0, [])
    for one in batch:
        wrong = id_finding(one.docno, what="docno", source=source)
        if wrong:
            found.findings.append(wrong)
            continue
        title, text = storable(one.title), storable(one.text)
        sha256 = Document(one.docno, title, text, one.original).sha256
        row = {"campaign_id": campaign_id, "docno": one.docno, "title": title, "sha256": sha256}
        row |= {"text": text, "sketch": None}
        if one.docno not in known:
            found.new.append(row)
            known[one.docno] = sha256
        elif known[one.docno] == sha256:
            found.unchanged += 1
        elif one.docno in judged:
            found.findings.append(_judged(source, "document", one.docno))
            continue
        else:
            found.changed.append(row)
        original = original_row(campaign_id, one)
        if original is not None and kept.get(one.docno) != original["sha256"]:
            found.originals.append(original)
    return found


def _is_judged(db: Session, campaign_id: int, topic: str) -> bool:
    # By assessor, as the index has it: to list all topics that are judged every event would be read.
    judged = (
        select(JudgmentEventRow.id)
        .join(AssessorRow, AssessorRow.id == JudgmentEventRow.assessor_id)
        .where(
            AssessorRow.campaign_id == campaign_id,
            JudgmentEventRow.campaign_id == campaign_id,
            JudgmentEventRow.topic == topic,
        )
    )
    return db.scalar(judged.limit(1)) is not None


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
        "load the new text into another campaign: judged texts cannot change",
    )


def with_text(db: Session, campaign_id: int, docnos: Iterable[str]) -> set[str]:
    """The documents among these whose text is loaded."""
    # Ids that cannot be stored cannot be queried either.
    known = [docno for docno in docnos if storable(docno) == docno]
    return {docno for (docno,) in _loaded(db, campaign_id, known)}


def document_titles(db: Session, campaign_id: int, docnos: Iterable[str]) -> dict[str, str]:
    """The titles of those of the documents that are loaded, by docno."""
    return dict(_loaded(db, campaign_id, list(docnos), DocumentRow.title))


def read_texts(db: Session, campaign_id: int, docnos: Iterable[str]) -> dict[str, Document]:
    """Documents by docno; those without text are missing."""
    distinct = list(dict.fromkeys(docnos))
    rows = _loaded(db, campaign_id, distinct, DocumentRow.title, DocumentRow.text)
    return {row[0]: Document(*row) for row in rows}


def _loaded(
    db: Session, campaign_id: int, docnos: Sequence[str], *columns: InstrumentedAttribute[str]
) -> Iterator[Any]:
    """The docno, and these columns, of each of the documents that is loaded."""
    for some in chunks(docnos):
        yield from db.execute(
            select(DocumentRow.docno, *columns).where(
                DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(some)
            )
        )


def topic_titles(db: Session, campaign_id: int) -> dict[str, str]:
    """The titles of a campaign's topics by their ids, in the order of the topics."""
    titles = (
        select(TopicRow.topic, TopicRow.title)
        .where(TopicRow.campaign_id == campaign_id)
        .order_by(TopicRow.position)
    )
    return dict(db.execute(titles).all())


def topic_json(topic: Topic) -> TopicJson:
    """A topic's statement."""
    return filled(TopicJson, topic, topic=topic.id)


def loaded_json(done: Iterable[tuple[str, Loaded]]) -> LoadedFiles:
    """What loading each file did; the missing documents are those after the last one."""
    files = list(done)
    return {
        "files": [filled(LoadedFile, loaded, file=source) for source, loaded in files],
        "missing": list(files[-1][1].missing) if files else [],
    }
