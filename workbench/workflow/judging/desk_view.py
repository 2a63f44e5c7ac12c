"""What an assessor's desk shows: documents, answers so far, pace; nothing of ranks, runs or colleagues."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from statistics import median

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.frozen import frozen_dataclass
from workbench.records import Answer, Scale, Topic
from workbench.storage.events import LATER, SCREEN, TRAINING, WITHDRAWN, CurrentEvent
from workbench.storage.tables import DocumentRow, InstructionsRow, JudgmentEventRow, TopicRow
from workbench.workflow.campaigns.campaigns import changed_meanings, scale_from_json
from workbench.workflow.campaigns.collection import as_topic, document_titles
from workbench.workflow.campaigns.originals import NO_FORM, ShownForm, forms_of
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.desk_rules import DeskQuestions, break_minutes, desk_questions
from workbench.workflow.judging.near_duplicates import near_duplicates_in
from workbench.workflow.judging.quality_checks import desk_task, shown_task
from workbench.workflow.judging.submission import NO_ANNOTATIONS, Annotations
from workbench.workflow.judging.task import (
    Task,
    annotations_of,
    annotations_of_event,
    counts,
    last_answered,
    own_assignment,
)
from workbench.workflow.judging.trainees import Feedback, feedback_of
from workbench.workflow.judging.training import TrainingGate
from workbench.workflow.judging.worklists import WorklistLine, worklist
from workbench.workflow.people.membership import assessor_of


@frozen_dataclass
class ShownDocument:
    """The document on the desk; where its text is not loaded `missing` is true and the text is empty.

    `key` is what the desk calls it: the docno, except where a campaign has quality checks. `form` is what is
    shown beside the text.
    """

    docno: str
    title: str
    text: str
    sha256: str | None
    missing: bool
    key: str = ""
    form: ShownForm = NO_FORM


@frozen_dataclass
class CurrentAnswer:
    """This assessor's earlier answer to the pair."""

    answer: Answer
    grade: int | None
    reason: str
    comment: str
    extras: Annotations = NO_ANNOTATIONS


@frozen_dataclass
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
    asked: DeskQuestions = field(default_factory=DeskQuestions)
    at_most: bool = False
    instructions: int = 1

    @property
    def answered(self) -> int:
        """How many pairs have an answer of any kind."""
        return self.judged + self.unsure + self.cannot_judge

    @property
    def waits(self) -> bool:
        """Whether the next document is still to be handed out."""
        return self.document is None and self.answered < self.total and not self.closed


def desk(
    db: Session, assignment_id: int, account_id: int, *, docno: str | None = None, task: Task | None = None
) -> Desk:
    """The pair to judge now: the named one, else the first without an answer; `task` where it is known.

    Raises NotFound where the assignment is not this account's, was removed, or has no such document.
    """
    task = task or desk_task(db, assignment_id, account_id)
    asked = docno
    docno = task.coming if asked is None else task.key_of(asked)
    if asked is not None and docno not in task.order:
        raise NotFound("this document is not in your part of the pool")
    topic = db.get_one(TopicRow, (task.campaign.id, task.assignment.topic))
    judged, unsure, cannot_judge = counts(task)
    index = task.order.index(docno) if docno is not None else len(task.order)
    before = task.answers.get(docno) if docno is not None else None
    current = None
    if before is not None:
        extras = annotations_of_event(db, before.id)
        current = CurrentAnswer(Answer(before.answer), before.grade, before.reason, before.comment, extras)
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
        current=current,
        previous_docno=task.order[index - 1] if index > 0 else None,
        next_docno=task.order[index + 1] if index + 1 < len(task.order) else None,
        may_undo=last_answered(task) is not None,
        closed=task.closed,
        training=docno is not None and task.slot(docno).purpose == TRAINING,
        feedback=feedback_of(db, before) if before else None,
        asked=desk_questions(task.campaign.desk_rules),
        at_most=task.at_most,
        instructions=task.campaign.instructions,
    )


def news_of(db: Session, task: Task) -> tuple[str, ...]:
    """What the organiser has changed of grades and guidelines since the assessor last answered, in words."""
    event, now = JudgmentEventRow, task.campaign
    own = select(event.instructions).where(event.assessor_id == task.assignment.assessor_id)
    last = db.scalar(own.order_by(event.id.desc()).limit(1))
    if last is None or last == now.instructions:
        return ()
    before = db.get(InstructionsRow, (now.id, last))
    if before is None:
        # A client can say any version.
        return ()
    found = changed_meanings(scale_from_json(before.scale), scale_from_json(now.scale))
    return found if before.guidelines == now.guidelines else (*found, "the guidelines were changed")


def shown_documents(db: Session, task: Task, keys: Iterable[str]) -> dict[str, ShownDocument]:
    """Documents of a task as its assessor sees them, by their keys."""
    docnos = {key: task.slot(key).docno for key in keys}
    found = shown_by_docno(db, task.campaign.id, set(docnos.values()))
    return {key: replace(found[docno], key=key) for key, docno in docnos.items()}


def shown_by_docno(db: Session, campaign_id: int, docnos: Collection[str]) -> dict[str, ShownDocument]:
    """Documents as they are shown, by docno, also where their text is not loaded."""
    rows = db.execute(
        select(DocumentRow.docno, DocumentRow.title, DocumentRow.text, DocumentRow.sha256).where(
            DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(docnos)
        )
    )
    texts = {docno: (title, text, sha256) for docno, title, text, sha256 in rows}
    forms = forms_of(db, campaign_id, {docno: text for docno, (_, text, _) in texts.items()})
    return {
        docno: ShownDocument(docno, *texts[docno], missing=False, form=forms.get(docno, NO_FORM))
        if docno in texts
        else ShownDocument(docno, "", "", None, missing=True)
        for docno in docnos
    }


MOST_DOCUMENTS = 20
RECENT = 30  # answers that the pace is computed from
LEAST_FOR_PACE = 5  # with fewer, no pace is shown
LONGEST_PAUSE = timedelta(minutes=15)
MOST_OF_SITTING = 1000


@frozen_dataclass
class DeskAnswer:
    """What an assessor says of a document, and what goes with it."""

    docno: str
    event: CurrentEvent
    extras: Annotations = NO_ANNOTATIONS

    @property
    def on_screen(self) -> bool:
        """Whether it can be undone at the desk."""
        return self.event.source == SCREEN


@frozen_dataclass
class Sitting:
    """The documents answered since the assessor's last pause, and the minutes since it began.

    `here` are those of the topic by their keys, `elsewhere` counts those of other topics. What was withdrawn
    or put off again is not among them.
    """

    here: tuple[str, ...]
    elsewhere: int
    minutes: float


@frozen_dataclass
class Work:
    """A topic as the desk works through it; `total` counts what can still be handed out as well, or
    all that the topic has where `at_most`.

    `seconds` is the median of the assessor's recent active time, None before there is enough of it;
    `break_minutes` is after how long a break is to be proposed, None where nobody asked for it. `training`
    are those of the order after which the expected grade is shown, `gate` what keeps the rest of it closed.
    """

    order: tuple[str, ...]
    answers: tuple[DeskAnswer, ...]
    put_off: tuple[DeskAnswer, ...]
    total: int
    one_by_one: bool
    in_batches: bool
    closed: bool
    seconds: float | None
    sitting: Sitting
    break_minutes: int | None
    training: tuple[str, ...] = ()
    gate: TrainingGate | None = None
    at_most: bool = False


@frozen_dataclass
class PlacedDocument:
    """A document of a topic with its place (from 1) in the order, and what is near to it (`near_in`)."""

    document: ShownDocument
    position: int
    near: tuple[tuple[str, float], ...] = ()


def work_of(
    db: Session,
    assignment_id: int,
    account_id: int,
    *,
    now: datetime | None = None,
    task: Task | None = None,
) -> Work:
    """The work that an assignment is, by its `task` where that is known.

    Raises NotFound where it is not this account's or was removed.
    """
    task = task or desk_task(db, assignment_id, account_id)
    beside = annotations_of(db, task.campaign.id, task.assignment.assessor_id, task.assignment.topic)
    return Work(
        order=tuple(task.order),
        answers=tuple(
            DeskAnswer(key, event, beside.get(event.id, NO_ANNOTATIONS))
            for key, event in task.answers.items()
        ),
        put_off=tuple(DeskAnswer(key, event) for key, event in task.put_off.items()),
        total=task.total,
        one_by_one=task.kind.one_by_one,
        in_batches=task.kind.in_batches,
        closed=task.closed,
        seconds=_seconds(db, task.campaign.id, task.assignment.assessor_id),
        sitting=_sitting(db, task, utc_now(now)),
        break_minutes=break_minutes(task.campaign.desk_rules),
        training=tuple(key for key in task.order if task.slot(key).purpose == TRAINING),
        gate=task.gate,
        at_most=task.at_most,
    )


def documents_of(
    db: Session, assignment_id: int, account_id: int, docnos: Iterable[str]
) -> tuple[PlacedDocument, ...]:
    """Documents of an assessor's own part, at most twenty, each called as it was asked for.

    A page from before the campaign had quality checks asks by docnos. Raises NotFound for others' documents.
    """
    several = list(dict.fromkeys(docnos))[:MOST_DOCUMENTS]
    # Of the answers none is looked at.
    task = shown_task(db, own_assignment(db, assignment_id, account_id), only=several[0] if several else "")
    places = {docno: index for index, docno in enumerate(task.order, start=1)}
    keys: dict[str, str] = {}
    for asked in several:
        key = task.key_of(asked)
        if key is None or key not in places:
            raise NotFound("this document is not in your part of the pool")
        keys[asked] = key
    near = near_duplicates_in(db, task, keys.values())
    shown = shown_documents(db, task, keys.values())
    return tuple(
        PlacedDocument(replace(shown[key], key=asked), places[key], near.get(key, ()))
        for asked, key in keys.items()
    )


def titles_of(db: Session, assignment_id: int, account_id: int) -> dict[str, str]:
    """The titles of the documents that an assessor has in a topic, by docno; raises NotFound."""
    task = desk_task(db, assignment_id, account_id)
    docnos = {key: task.slot(key).docno for key in task.order}
    titles = document_titles(db, task.campaign.id, docnos.values())
    return {key: titles[docno] for key, docno in docnos.items() if docno in titles}


def next_topic(db: Session, campaign_id: int, assignment_id: int, account_id: int) -> WorklistLine | None:
    """The topic to go to when one is done: the next in the list that has work, else the first that has."""
    lines = worklist(db, campaign_id, account_id)
    here = next((at for at, line in enumerate(lines) if line.assignment_id == assignment_id), -1)
    after = [*lines[here + 1 :], *lines[: max(here, 0)]]
    return next((line for line in after if not line.done and not line.closed), None)


def own_seconds(db: Session, campaign_id: int, account_id: int) -> float | None:
    """The median of an account's recent active seconds on a document; None before there are a few."""
    assessor_id = assessor_of(db, campaign_id, account_id)
    return None if assessor_id is None else _seconds(db, campaign_id, assessor_id)


def _seconds(db: Session, campaign_id: int, assessor_id: int) -> float | None:
    event = JudgmentEventRow
    recent = db.scalars(
        select(event.active_ms)
        .where(
            event.assessor_id == assessor_id,
            event.campaign_id == campaign_id,
            event.active_ms > 0,
            event.answer.not_in([WITHDRAWN, LATER]),
        )
        .order_by(event.id.desc())
        .limit(RECENT)
    ).all()
    timed = [milliseconds / 1000 for milliseconds in recent if milliseconds]
    return median(timed) if len(timed) >= LEAST_FOR_PACE else None


def _sitting(db: Session, task: Task, now: datetime) -> Sitting:
    event = JudgmentEventRow
    latest_first = db.execute(
        select(event.recorded_at, event.topic, event.docno, event.purpose, event.answer)
        .where(
            event.assessor_id == task.assignment.assessor_id,
            event.campaign_id == task.campaign.id,
            event.source == SCREEN,
        )
        .order_by(event.id.desc())
        .limit(MOST_OF_SITTING)
    )
    begun = now
    latest: dict[tuple[str, str, str], str] = {}
    for moment, topic, docno, purpose, answer in latest_first:
        if begun - moment > LONGEST_PAUSE:
            break
        begun = moment
        latest.setdefault((topic, docno, purpose), answer)
    answered = {pair for pair, answer in latest.items() if answer not in {WITHDRAWN, LATER}}
    topic = task.assignment.topic
    return Sitting(
        here=tuple(
            key for key, given in task.answers.items() if (topic, given.docno, given.purpose) in answered
        ),
        elsewhere=sum(pair[0] != topic for pair in answered),
        minutes=(now.astimezone(UTC) - begun).total_seconds() / 60,
    )
