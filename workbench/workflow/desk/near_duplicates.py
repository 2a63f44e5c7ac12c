"""Near-duplicates of what an assessor judged: the same answer is proposed, and contradictions are listed.

An assessor's own grades in one topic only: nothing here looks at what others said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.pooling.near_duplicates import (
    THRESHOLD,
    Difference,
    differences,
    groups,
    promising,
    promising_pairs,
    resemblance,
    sketch,
)
from workbench.records import Answer
from workbench.storage.events import JUDGING
from workbench.storage.tables import DocumentRow, DocumentSketchRow
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.desk.screens import with_probes
from workbench.workflow.desk.tasks import Task, own_task

BATCH = 500
# What one request sketches, in characters: a tenth of a second of work.
MOST_AT_ONCE = 400_000


@dataclass(frozen=True, slots=True)
class NearAnswer:
    """What an assessor said of a nearly identical document: the one that is most alike, of equals the latest.

    `others` counts further ones; `agreed` is false where they have different grades.
    """

    docno: str
    title: str
    grade: int
    label: str
    resemblance: float
    others: int
    agreed: bool


@dataclass(frozen=True, slots=True)
class GradedDocument:
    """A document with the grade that its assessor gave it."""

    docno: str
    title: str
    grade: int
    label: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two documents of an assessor's part, and where their texts differ; a label is None for no grade."""

    one: str
    other: str
    titles: tuple[str, str]
    labels: tuple[str | None, str | None]
    resemblance: float
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Sketched:
    """A sketch that is to be kept, of the text with this hash."""

    docno: str
    sha256: str
    sketch: bytes


def near_answers(
    db: Session, assignment_id: int, account_id: int, docnos: Iterable[str]
) -> dict[str, NearAnswer]:
    """For those of the documents that are nearly identical to one graded here: what was said of that.

    Documents outside the assessor's part and those without a text have none, probes neither: a hint would
    give a repeat away. Raises NotFound as `own_task`.
    """
    task = own_task(db, assignment_id, account_id)
    wanted = _pooled(db, task, docnos)
    graded = _graded(task)
    if not wanted or not graded:
        return {}
    campaign_id = task.campaign.id
    sketches = _sketches(db, campaign_id, {*wanted.values(), *graded})
    found = {}
    for key, docno in wanted.items():
        if docno not in sketches:
            continue
        others = {one: sketches[one] for one in graded if one != docno and one in sketches}
        alike = _verified(db, campaign_id, docno, promising(sketches[docno], others))
        if alike:
            found[key] = _near_answer(db, task, alike)
    return found


def contradictions(
    db: Session, assignment_id: int, account_id: int
) -> tuple[tuple[GradedDocument, ...], ...]:
    """Groups of nearly identical documents to which this assessor gave different grades, in their order."""
    task = own_task(db, assignment_id, account_id)
    graded = _graded(task)
    sketches = _sketches(db, task.campaign.id, graded)
    pairs = [
        (one, other)
        for one, other in promising_pairs(sketches)
        if _verified(db, task.campaign.id, one, [other])
    ]
    names = [docno for docno in task.order if docno in graded]
    apart = [group for group in groups(names, pairs) if len({graded[docno] for docno in group}) > 1]
    titles = _titles(db, task.campaign.id, [docno for group in apart for docno in group])
    scale = scale_from_json(task.campaign.scale)
    return tuple(
        tuple(
            GradedDocument(docno, titles.get(docno, ""), graded[docno], scale.grade(graded[docno]).label)
            for docno in group
        )
        for group in apart
    )


def compare(db: Session, assignment_id: int, account_id: int, one: str, other: str) -> Comparison:
    """Two documents of one's own part beside each other; raises NotFound where either is none of it."""
    task = own_task(db, assignment_id, account_id)
    known = _pooled(db, task, (one, other))
    one, other = known.get(one, one), known.get(other, other)
    texts = _texts(db, task.campaign.id, [one, other])
    if one == other or not {one, other} <= set(task.order) or len(texts) < 2:
        raise NotFound("these are not two documents of your part of the pool")
    titles = _titles(db, task.campaign.id, [one, other])
    scale, graded = scale_from_json(task.campaign.scale), _graded(task)
    labels = [scale.grade(graded[docno]).label if docno in graded else None for docno in (one, other)]
    return Comparison(
        one,
        other,
        (titles[one], titles[other]),
        (labels[0], labels[1]),
        resemblance(texts[one], texts[other]),
        differences(texts[one], texts[other]),
    )


def missing_sketches(db: Session, assignment_id: int, account_id: int) -> tuple[Sketched, ...]:
    """Sketches of documents of the assessor's part that are not kept yet, of MOST_AT_ONCE characters of text.

    Those of answered documents come first. They are made here, where nobody waits for the database;
    `keep_sketches` keeps them.
    """
    task = own_task(db, assignment_id, account_id)
    lacking = set(task.order) - _kept(db, task.campaign.id, task.order).keys()
    made, size = [], 0
    for docno in sorted(lacking, key=lambda docno: (docno not in task.answers, task.order.index(docno))):
        row = db.execute(
            select(DocumentRow.title, DocumentRow.text, DocumentRow.sha256).where(
                DocumentRow.campaign_id == task.campaign.id, DocumentRow.docno == docno
            )
        ).one_or_none()
        if row is None:
            continue
        made.append(Sketched(docno, row.sha256, sketch(row.text.strip() or row.title)))
        size += len(row.text)
        if size > MOST_AT_ONCE:
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


def _pooled(db: Session, task: Task, given: Iterable[str]) -> dict[str, str]:
    """The docnos of the assessor's part behind what a desk calls its documents; probes are left out."""
    screen, found = with_probes(db, task), {}
    for each in dict.fromkeys(given):
        key = screen.key_of(each)
        if key is not None and screen.slot(key).purpose == JUDGING:
            found[each] = screen.slot(key).docno
    return found


def _graded(task: Task) -> dict[str, int]:
    """The grades given in the topic by docno, in the order in which they were given."""
    return {
        docno: event.grade
        for docno, event in task.answers.items()
        if event.answer == Answer.GRADE and event.grade is not None
    }


def _near_answer(db: Session, task: Task, alike: dict[str, float]) -> NearAnswer:
    graded = _graded(task)
    given = list(graded)
    best = max(alike, key=lambda docno: (alike[docno], given.index(docno)))
    return NearAnswer(
        docno=best,
        title=_titles(db, task.campaign.id, [best])[best],
        grade=graded[best],
        label=scale_from_json(task.campaign.scale).grade(graded[best]).label,
        resemblance=alike[best],
        others=len(alike) - 1,
        agreed=len({graded[docno] for docno in alike}) == 1,
    )


def _verified(db: Session, campaign_id: int, docno: str, candidates: Sequence[str]) -> dict[str, float]:
    """Those of the candidates that really resemble a document, by their texts, with how much."""
    if not candidates:
        return {}
    texts = _texts(db, campaign_id, [docno, *candidates])
    if docno not in texts:
        return {}
    measured = {one: resemblance(texts[docno], texts[one]) for one in candidates if one in texts}
    return {one: alike for one, alike in measured.items() if alike >= THRESHOLD}


def _sketches(db: Session, campaign_id: int, docnos: Iterable[str]) -> dict[str, bytes]:
    """The kept sketches, and those of documents that lack one, made here and now."""
    names = list(docnos)
    found = _kept(db, campaign_id, names)
    lacking = [docno for docno in names if docno not in found]
    made = {docno: sketch(text) for docno, text in _texts(db, campaign_id, lacking).items()}
    return {docno: found.get(docno) or made[docno] for docno in names if docno in found or docno in made}


def _kept(db: Session, campaign_id: int, docnos: Sequence[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for start in range(0, len(docnos), BATCH):
        rows = db.execute(
            select(DocumentSketchRow.docno, DocumentSketchRow.sketch)
            .join(
                DocumentRow,
                (DocumentRow.campaign_id == DocumentSketchRow.campaign_id)
                & (DocumentRow.docno == DocumentSketchRow.docno)
                & (DocumentRow.sha256 == DocumentSketchRow.sha256),
            )
            .where(
                DocumentSketchRow.campaign_id == campaign_id,
                DocumentSketchRow.docno.in_(docnos[start : start + BATCH]),
            )
        )
        found |= dict(rows.all())
    return found


def _texts(db: Session, campaign_id: int, docnos: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for start in range(0, len(docnos), BATCH):
        rows = db.execute(
            select(DocumentRow.docno, DocumentRow.title, DocumentRow.text).where(
                DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(docnos[start : start + BATCH])
            )
        )
        found |= {docno: text.strip() or title for docno, title, text in rows}
    return found


def _titles(db: Session, campaign_id: int, docnos: Sequence[str]) -> dict[str, str]:
    rows = db.execute(
        select(DocumentRow.docno, DocumentRow.title).where(
            DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(docnos)
        )
    )
    return dict(rows.all())
