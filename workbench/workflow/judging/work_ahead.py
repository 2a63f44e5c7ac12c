"""What the judging desk must know of a topic to work ahead: its order, what is said, the assessor's pace.

As everything that an assessor gets it is blind: docnos in their order, and what this assessor said.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from statistics import median

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.storage.events import LATER, WITHDRAWN, CurrentEvent
from workbench.storage.tables import DocumentRow, JudgmentEventRow
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.annotations import NO_EXTRAS, Extras, extras_of
from workbench.workflow.judging.breaks import break_minutes
from workbench.workflow.judging.desk_view import ShownDocument, shown_documents
from workbench.workflow.judging.near_duplicates import near_in
from workbench.workflow.judging.probe_places import TRAINING
from workbench.workflow.judging.probed_task import screen_task
from workbench.workflow.judging.queue_topics import is_queue
from workbench.workflow.judging.task import Task
from workbench.workflow.judging.training import Gate
from workbench.workflow.judging.worklists import WorklistLine, worklist
from workbench.workflow.pools.adaptive_pools import is_adaptive

MOST_DOCUMENTS = 10
RECENT = 30  # answers that the pace is taken from
ENOUGH = 5  # before that many nothing is said of time
PAUSE = timedelta(minutes=15)
MOST_OF_SITTING = 1000


@dataclass(frozen=True, slots=True)
class SaidOf:
    """What an assessor says of a document: `number` orders the events, `on_screen` can be undone there."""

    docno: str
    event: CurrentEvent
    on_screen: bool
    extras: Extras = NO_EXTRAS


@dataclass(frozen=True, slots=True)
class Sitting:
    """The answers since the assessor's last pause, and the minutes since the first of them."""

    answers: int
    minutes: float


@dataclass(frozen=True, slots=True)
class Work:
    """A topic as the desk works through it; `total` counts what can still be handed out as well.

    `seconds` is the median of the assessor's recent active time, None before there is enough of it;
    `break_minutes` is after how long a break is to be proposed, None where nobody asked for it. `training`
    are those of the order after which the known answer is told, `gate` what keeps the rest of it closed.
    """

    order: tuple[str, ...]
    said: tuple[SaidOf, ...]
    put_off: tuple[SaidOf, ...]
    total: int
    adaptive: bool
    in_batches: bool
    closed: bool
    seconds: float | None
    sitting: Sitting
    break_minutes: int | None
    training: tuple[str, ...] = ()
    gate: Gate | None = None


@dataclass(frozen=True, slots=True)
class PlacedDocument:
    """A document of a topic with its place (from 1) in the order, and what is near to it (`near_in`)."""

    document: ShownDocument
    position: int
    near: tuple[tuple[str, float], ...] = ()


def work_of(db: Session, assignment_id: int, account_id: int, *, now: datetime | None = None) -> Work:
    """The work that an assignment is; raises NotFound where it is not this account's or was taken back."""
    task = screen_task(db, assignment_id, account_id)
    beside = extras_of(db, task.assignment.assessor_id, task.assignment.topic)
    return Work(
        order=tuple(task.order),
        said=tuple(_said(key, event, beside.get(event.id, NO_EXTRAS)) for key, event in task.answers.items()),
        put_off=tuple(_said(key, event) for key, event in task.put_off.items()),
        total=task.total,
        adaptive=is_adaptive(task.pool),
        in_batches=is_queue(task.pool),
        closed=task.closed,
        seconds=_seconds(db, task),
        sitting=_sitting(db, task, utc_now(now)),
        break_minutes=break_minutes(task.campaign.desk_rules),
        training=tuple(key for key in task.order if task.slot(key).purpose == TRAINING),
        gate=task.gate,
    )


def documents_of(
    db: Session, assignment_id: int, account_id: int, docnos: Iterable[str]
) -> tuple[PlacedDocument, ...]:
    """Documents of an assessor's own part, at most ten, each called as it was asked for.

    A page from before the campaign had probes asks by docnos. Raises NotFound where one is not in the part.
    """
    task = screen_task(db, assignment_id, account_id)
    places = {docno: index for index, docno in enumerate(task.order, start=1)}
    keys: dict[str, str] = {}
    for asked in list(dict.fromkeys(docnos))[:MOST_DOCUMENTS]:
        key = task.key_of(asked)
        if key is None or key not in places:
            raise NotFound("this document is not in your part of the pool")
        keys[asked] = key
    near = near_in(db, task, keys.values())
    shown = shown_documents(db, task, keys.values())
    return tuple(
        PlacedDocument(replace(shown[key], key=asked), places[key], near.get(key, ()))
        for asked, key in keys.items()
    )


def titles_of(db: Session, assignment_id: int, account_id: int) -> dict[str, str]:
    """The titles of the documents that an assessor has in a topic, by docno; raises NotFound."""
    task = screen_task(db, assignment_id, account_id)
    docnos = {key: task.slot(key).docno for key in task.order}
    rows = db.execute(
        select(DocumentRow.docno, DocumentRow.title).where(
            DocumentRow.campaign_id == task.campaign.id, DocumentRow.docno.in_(docnos.values())
        )
    ).all()
    titles = dict(rows)
    return {key: titles[docno] for key, docno in docnos.items() if docno in titles}


def next_topic(db: Session, campaign_id: int, assignment_id: int, account_id: int) -> WorklistLine | None:
    """The topic to go to when one is done: the next in the list that has work, else the first that has."""
    lines = worklist(db, campaign_id, account_id)
    here = next((at for at, line in enumerate(lines) if line.assignment_id == assignment_id), -1)
    after = [*lines[here + 1 :], *lines[: max(here, 0)]]
    return next((line for line in after if not line.done and not line.closed), None)


def _said(key: str, event: CurrentEvent, extras: Extras = NO_EXTRAS) -> SaidOf:
    return SaidOf(key, event, event.source == "screen", extras)


def _seconds(db: Session, task: Task) -> float | None:
    event = JudgmentEventRow
    recent = db.scalars(
        select(event.active_ms)
        .where(
            event.assessor_id == task.assignment.assessor_id,
            event.campaign_id == task.campaign.id,
            event.active_ms > 0,
            event.answer.not_in([WITHDRAWN, LATER]),
        )
        .order_by(event.id.desc())
        .limit(RECENT)
    ).all()
    timed = [milliseconds / 1000 for milliseconds in recent if milliseconds]
    return median(timed) if len(timed) >= ENOUGH else None


def _sitting(db: Session, task: Task, now: datetime) -> Sitting:
    event = JudgmentEventRow
    moments = db.scalars(
        select(event.recorded_at)
        .where(
            event.assessor_id == task.assignment.assessor_id,
            event.campaign_id == task.campaign.id,
            event.source == "screen",
            event.answer.not_in([WITHDRAWN, LATER]),
        )
        .order_by(event.id.desc())
        .limit(MOST_OF_SITTING)
    ).all()
    begun, answers = now, 0
    for moment in moments:
        if begun - moment > PAUSE:
            break
        begun, answers = moment, answers + 1
    return Sitting(answers, (now.astimezone(UTC) - begun).total_seconds() / 60)
