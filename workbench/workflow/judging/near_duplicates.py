"""Near-duplicates in an assessor's part: which documents they are, how two differ, which were graded apart.

The desk proposes the same answer from what the assessor said; nothing here looks at what others said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import select
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
)
from workbench.records import Answer
from workbench.storage.events import JUDGING
from workbench.storage.tables import DocumentRow
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.judging.probed_task import documents_behind, screen_task
from workbench.workflow.judging.sketches import kept_sketches, sketches_of, texts_of
from workbench.workflow.judging.task import Task, own_task

# Of more a document has the most alike: a mirror has hundreds, and each is compared word by word.
MOST_NEAR = 20


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


def near_in(db: Session, task: Task, keys: Iterable[str]) -> dict[str, tuple[tuple[str, float], ...]]:
    """For those of the keys that have any: the keys of nearly identical documents of the part.

    Most alike first, each with the resemblance. The task is as its desk shows it. Documents without a text or
    a sketch have none, probes neither: a hint would give a repeat away. What was said is not looked at.
    """
    mine = {task.slot(key).docno: key for key in task.order if task.slot(key).purpose == JUDGING}
    asked = set(keys)
    wanted = {docno: key for docno, key in mine.items() if key in asked}
    if not wanted:
        return {}
    campaign_id = task.campaign.id
    sketches = kept_sketches(db, campaign_id, list(mine))
    found = {}
    for docno, others in promising(list(wanted), sketches).items():
        alike = _verified(db, campaign_id, docno, others[:MOST_NEAR])
        if alike:
            most_first = sorted(alike.items(), key=lambda one: -one[1])
            found[wanted[docno]] = tuple((mine[other], share) for other, share in most_first)
    return found


def near_documents(
    db: Session, assignment_id: int, account_id: int, key: str
) -> tuple[tuple[str, float], ...]:
    """What `near_in` says of one document; raises NotFound as `own_task`."""
    return near_in(db, screen_task(db, assignment_id, account_id), [key]).get(key, ())


def contradictions(
    db: Session, assignment_id: int, account_id: int
) -> tuple[tuple[GradedDocument, ...], ...]:
    """Groups of nearly identical documents to which this assessor gave different grades, in their order."""
    task = own_task(db, assignment_id, account_id)
    graded = _graded(task)
    sketches = sketches_of(db, task.campaign.id, graded)
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
    known = documents_behind(db, task, (one, other))
    one, other = known.get(one, one), known.get(other, other)
    texts = texts_of(db, task.campaign.id, [one, other])
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


def _graded(task: Task) -> dict[str, int]:
    """The grades given in the topic by docno, in the order in which they were given."""
    return {
        docno: event.grade
        for docno, event in task.answers.items()
        if event.answer == Answer.GRADE and event.grade is not None
    }


def _verified(db: Session, campaign_id: int, docno: str, candidates: Sequence[str]) -> dict[str, float]:
    """Those of the candidates that really resemble a document, by their texts, with how much."""
    if not candidates:
        return {}
    texts = texts_of(db, campaign_id, [docno, *candidates])
    if docno not in texts:
        return {}
    measured = {one: resemblance(texts[docno], texts[one]) for one in candidates if one in texts}
    return {one: alike for one, alike in measured.items() if alike >= THRESHOLD}


def _titles(db: Session, campaign_id: int, docnos: Sequence[str]) -> dict[str, str]:
    rows = db.execute(
        select(DocumentRow.docno, DocumentRow.title).where(
            DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(docnos)
        )
    )
    return dict(rows.all())
