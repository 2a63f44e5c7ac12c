"""The pair on an assessor's desk, and what this assessor said of it; nothing of ranks, runs or colleagues."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.records import Answer, Scale, Topic
from workbench.storage.events import CurrentEvent
from workbench.storage.tables import DocumentRow, TopicRow
from workbench.workflow.campaigns.collection import as_topic
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.judging.annotations import NO_EXTRAS, Extras, extras_of
from workbench.workflow.judging.feedback import Feedback, feedback_of
from workbench.workflow.judging.probe_places import TRAINING
from workbench.workflow.judging.probed_task import screen_task
from workbench.workflow.judging.questions import AskedToo, asked_too
from workbench.workflow.judging.task import Task, counts, last_on_screen


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """The document on the desk; where its text is not loaded `missing` is true and the text is empty.

    `key` is what the desk calls it: the docno, but where a campaign has probes.
    """

    docno: str
    title: str
    text: str
    sha256: str | None
    missing: bool
    key: str = ""


@dataclass(frozen=True, slots=True)
class CurrentAnswer:
    """What this assessor said of the pair before."""

    answer: Answer
    grade: int | None
    reason: str
    comment: str
    extras: Extras = NO_EXTRAS


@dataclass(frozen=True, slots=True)
class Desk:
    """One pair before its assessor; `document` is None where all is answered. `position` counts from 1."""

    assignment_id: int
    topic: Topic
    scale: Scale
    guidelines: str
    document: ShownDocument | None
    position: int
    total: int
    judged: int
    unsure: int
    cannot_judge: int
    current: CurrentAnswer | None
    previous_docno: str | None
    next_docno: str | None
    may_undo: bool
    closed: bool
    training: bool
    feedback: Feedback | None
    asked: AskedToo = field(default_factory=AskedToo)

    @property
    def answered(self) -> int:
        """How many pairs have an answer of any kind."""
        return self.judged + self.unsure + self.cannot_judge

    @property
    def waits(self) -> bool:
        """Whether the next document is still to be handed out."""
        return self.document is None and self.answered < self.total and not self.closed


def desk(db: Session, assignment_id: int, account_id: int, *, docno: str | None = None) -> Desk:
    """The pair to judge now: the named one, else the first without an answer.

    Raises NotFound where the assignment is not this account's, was taken back, or has no such document.
    """
    task = screen_task(db, assignment_id, account_id)
    asked = docno
    docno = task.coming if asked is None else task.key_of(asked)
    if asked is not None and docno not in task.order:
        raise NotFound("this document is not in your part of the pool")
    topic = db.get_one(TopicRow, (task.campaign.id, task.assignment.topic))
    judged, unsure, cannot_judge = counts(task)
    index = task.order.index(docno) if docno is not None else len(task.order)
    before = task.answers.get(docno) if docno is not None else None
    return Desk(
        assignment_id=assignment_id,
        topic=as_topic(topic),
        scale=scale_from_json(task.campaign.scale),
        guidelines=task.campaign.guidelines,
        document=shown_documents(db, task, [docno])[docno] if docno is not None else None,
        position=min(index + 1, task.total),
        total=task.total,
        judged=judged,
        unsure=unsure,
        cannot_judge=cannot_judge,
        current=_current(db, before) if before else None,
        previous_docno=task.order[index - 1] if index > 0 else None,
        next_docno=task.order[index + 1] if index + 1 < len(task.order) else None,
        may_undo=last_on_screen(task) is not None,
        closed=task.closed,
        training=docno is not None and task.slot(docno).purpose == TRAINING,
        feedback=feedback_of(db, before) if before else None,
        asked=asked_too(task.campaign.desk_rules),
    )


def is_training(db: Session, assignment_id: int, account_id: int, *, docno: str) -> bool:
    """Whether a document of an assignment is one of training; raises NotFound as `own_task`."""
    task = screen_task(db, assignment_id, account_id)
    key = task.key_of(docno)
    return key is not None and task.slot(key).purpose == TRAINING


def shown_documents(db: Session, task: Task, keys: Iterable[str]) -> dict[str, ShownDocument]:
    """Documents of a task as its assessor sees them, by their keys."""
    docnos = {key: task.slot(key).docno for key in keys}
    rows = db.execute(
        select(DocumentRow.docno, DocumentRow.title, DocumentRow.text, DocumentRow.sha256).where(
            DocumentRow.campaign_id == task.campaign.id, DocumentRow.docno.in_(set(docnos.values()))
        )
    )
    texts = {docno: (title, text, sha256) for docno, title, text, sha256 in rows}
    return {
        key: ShownDocument(docno, *texts[docno], missing=False, key=key)
        if docno in texts
        else ShownDocument(docno, "", "", None, missing=True, key=key)
        for key, docno in docnos.items()
    }


def _current(db: Session, event: CurrentEvent) -> CurrentAnswer:
    extras = extras_of(db, event.assessor_id, event.topic).get(event.id, NO_EXTRAS)
    return CurrentAnswer(Answer(event.answer), event.grade, event.reason, event.comment, extras)
