"""Near-duplicates among an assessor's documents, found by stored sketches of their texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.frozen import frozen_dataclass
from workbench.pooling.near_duplicate_documents import (
    MOST_NEAR,
    THRESHOLD,
    TextDifference,
    differences,
    promising,
    resemblance,
    sketch,
)
from workbench.records import Answer
from workbench.storage.chunks import chunks
from workbench.storage.events import JUDGING
from workbench.storage.tables import DocumentRow
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import document_titles, read_texts
from workbench.workflow.judging.quality_checks import desk_task, docnos_behind
from workbench.workflow.judging.task import Task, own_assignment, own_task, task_of


@frozen_dataclass
class ComparedDocuments:
    """Two documents of an assessor's part, and where their texts differ; a label is None for no grade."""

    one: str
    other: str
    titles: tuple[str, str]
    labels: tuple[str | None, str | None]
    resemblance: float
    differences: tuple[TextDifference, ...]


def near_duplicates_in(
    db: Session, task: Task, keys: Iterable[str]
) -> dict[str, tuple[tuple[str, float], ...]]:
    """For those of the keys that have any: the keys of nearly identical documents of the part.

    Most alike first, each with the resemblance. The task is as its desk shows it. Documents without a text or
    a sketch have none, quality checks neither: a hint would give a repeat away. Answers are not looked at.
    """
    mine = {task.slot(key).docno: key for key in task.order if task.slot(key).purpose == JUDGING}
    asked = set(keys)
    requested = {docno: key for docno, key in mine.items() if key in asked}
    if not requested:
        return {}
    campaign_id = task.campaign.id
    sketches = kept_sketches(db, campaign_id, list(mine))
    found = {}
    for docno, others in promising(list(requested), sketches).items():
        alike = verified(db, campaign_id, docno, others)
        if alike:
            found[requested[docno]] = tuple((mine[other], share) for other, share in alike)
    return found


def near_duplicates_of(
    db: Session, assignment_id: int, account_id: int, key: str
) -> tuple[tuple[str, float], ...]:
    """What `near_in` says of one document; raises NotFound as `own_task`."""
    return near_duplicates_in(db, desk_task(db, assignment_id, account_id), [key]).get(key, ())


def compare_texts(
    db: Session, assignment_id: int, account_id: int, one: str, other: str
) -> ComparedDocuments:
    """Two documents of one's own part beside each other; raises NotFound where either is not in it."""
    task = own_task(db, assignment_id, account_id)
    known = docnos_behind(db, task, (one, other))
    one, other = known.get(one, one), known.get(other, other)
    texts = texts_of(db, task.campaign.id, [one, other])
    if one == other or not {one, other} <= set(task.order) or len(texts) < 2:
        raise NotFound("these are not two of your documents")
    titles = document_titles(db, task.campaign.id, [one, other])
    scale, graded = scale_from_json(task.campaign.scale), _graded(task)
    labels = [scale.grade(graded[docno]).label if docno in graded else None for docno in (one, other)]
    return ComparedDocuments(
        one,
        other,
        (titles[one], titles[other]),
        (labels[0], labels[1]),
        resemblance(texts[one], texts[other]),
        differences(texts[one], texts[other]),
    )


def _graded(task: Task) -> dict[str, int]:
    """The grades given in the topic by docno, in the order in which they were given."""
    return {
        docno: event.grade
        for docno, event in task.answers.items()
        if event.answer == Answer.GRADE and event.grade is not None
    }


def verified(
    db: Session, campaign_id: int, docno: str, candidates: Sequence[str]
) -> tuple[tuple[str, float], ...]:
    """Those of the first MOST_NEAR candidates that really resemble a document, most alike first.

    Each has its resemblance, which is measured on the texts.
    """
    if not candidates:
        return ()
    candidates = candidates[:MOST_NEAR]
    texts = texts_of(db, campaign_id, [docno, *candidates])
    if docno not in texts:
        return ()
    measured = [(one, resemblance(texts[docno], texts[one])) for one in candidates if one in texts]
    alike = [(one, share) for one, share in measured if share >= THRESHOLD]
    return tuple(sorted(alike, key=lambda one: -one[1]))


# What one request sketches, in characters: some hundredths of a second of work, since a desk waits for its
# first documents; of those that it asks for more.
MOST_AT_ONCE = 100_000
MOST_OF_ASKED = 2_000_000


@frozen_dataclass
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
    MOST_OF_ASKED characters. They are made here, where nobody waits for the database; `keep_sketches` keeps
    them.
    """
    own = own_assignment(db, assignment_id, account_id)
    task = task_of(db, own.assignment, own.pool, only="")  # of the answers none is looked at
    lacking = set(task.order) - kept_sketches(db, task.campaign.id, task.order).keys()
    asked = set(docnos_behind(db, task, first).values()) if lacking else set()
    places = {docno: place for place, docno in enumerate(task.order)}
    made, size = [], 0
    for docno in sorted(lacking, key=lambda one: (one not in asked, places[one])):
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
    """Keep sketches of documents whose texts are still those that were sketched."""
    campaign_id = own_assignment(db, assignment_id, account_id).campaign.id
    # In one order, so that two who keep the same ones wait for each other and not both.
    for one in sorted(made, key=lambda one: one.docno):
        of_this_text = (DocumentRow.docno == one.docno) & (DocumentRow.sha256 == one.sha256)
        db.execute(
            update(DocumentRow)
            .where(DocumentRow.campaign_id == campaign_id, of_this_text)
            .values(sketch=one.sketch)
        )


def kept_sketches(db: Session, campaign_id: int, docnos: Sequence[str]) -> dict[str, bytes]:
    """The sketches of documents that are kept, by docno."""
    found: dict[str, bytes] = {}
    for batch in chunks(docnos):
        kept = select(DocumentRow.docno, DocumentRow.sketch).where(
            DocumentRow.campaign_id == campaign_id,
            DocumentRow.docno.in_(batch),
            DocumentRow.sketch.is_not(None),
        )
        found |= {docno: one for docno, one in db.execute(kept) if one is not None}
    return found


def texts_of(db: Session, campaign_id: int, docnos: Sequence[str]) -> dict[str, str]:
    """The texts of those of the documents that are loaded, by docno; the title where there is no text."""
    found = read_texts(db, campaign_id, docnos)
    return {docno: one.text.strip() or one.title for docno, one in found.items()}
