"""An assessor's share of a topic, with its order and what was answered: what judging works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from workbench.records import Answer
from workbench.storage.events import (
    JUDGING,
    LATER,
    TRAINING,
    CurrentEvent,
    current_event,
    current_events,
)
from workbench.storage.tables import (
    AssignmentRow,
    CampaignRow,
    PoolEntryRow,
    PoolRow,
)
from workbench.workflow.judging.adaptive_handout import adaptive_topic
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.judging.order import OrderRule, in_order
from workbench.workflow.judging.own_assignments import own_assignment
from workbench.workflow.judging.queue_handout import is_queue, queue_topic
from workbench.workflow.judging.training import TrainingGate
from workbench.workflow.pools.adaptive_pools import is_adaptive


@dataclass(frozen=True, slots=True)
class Task:
    """One assignment: its docnos in the order shown, and the answers that hold, by docno.

    `put_off` are documents without an answer that come after the others, in the order in which they were put
    off; the events say so.

    As `screens` makes it for a campaign with probes, keys stand in the place of docnos everywhere: `slots`
    says what each of them is.

    Of a topic of an adaptive pool or a queue these are the documents handed out to the assessor; `left` are
    those that can still be. Other pools have nothing left but what waits behind the `gate` of a training that
    is to be gone through first.
    """

    assignment: AssignmentRow
    pool: PoolRow
    campaign: CampaignRow
    closed: bool
    order: list[str]
    answers: dict[str, CurrentEvent]
    left: int = 0
    put_off: dict[str, CurrentEvent] = field(default_factory=dict)
    slots: Mapping[str, Slot] = field(default_factory=dict)
    gate: TrainingGate | None = None

    def slot(self, key: str) -> Slot:
        """The document behind a key of the order, and what its answer is for."""
        return self.slots.get(key) or Slot(key)

    def key_of(self, given: str) -> str | None:
        """The key that somebody means by a key or by a docno of the pool; None where there is none."""
        if not self.slots:
            return given if given in self.order else None
        if given in self.slots:
            return given
        return next((key for key, slot in self.slots.items() if slot == Slot(given)), None)

    @property
    def coming(self) -> str | None:
        """The document to judge next: the first without an answer, those that were put off last."""
        unanswered = [docno for docno in self.order if docno not in self.answers]
        first = next((docno for docno in unanswered if docno not in self.put_off), None)
        return first if first is not None else next(iter(self.put_off), None)

    @property
    def total(self) -> int:
        """How many documents the assessor has, and can still get."""
        return len(self.order) + self.left


def own_task(db: Session, assignment_id: int, account_id: int, *, writing: bool = False) -> Task:
    """The task behind an assignment; as `own_assignment`."""
    own = own_assignment(db, assignment_id, account_id, writing=writing)
    return task_of(db, own.assignment, own.pool)


def task_of(db: Session, assignment: AssignmentRow, pool: PoolRow, *, only: str | None = None) -> Task:
    """The task of an assignment row in its pool; with `only` it has the answer of this docno alone."""
    if is_queue(pool):
        order, left = _from_queue(db, assignment, pool)
    else:
        order, left = _handed_out(db, assignment, pool) if is_adaptive(pool) else (_pooled(db, assignment), 0)
    mine = set(order)
    own = [event for event in _said(db, assignment, pool, only) if event.docno in mine]
    return Task(
        assignment=assignment,
        pool=pool,
        campaign=db.get_one(CampaignRow, pool.campaign_id),
        closed=pool.closed_at is not None,
        order=order,
        answers={event.docno: event for event in own if event.answer != LATER},
        left=0 if pool.closed_at is not None else left,
        put_off={event.docno: event for event in own if event.answer == LATER},
    )


def _said(
    db: Session, assignment: AssignmentRow, pool: PoolRow, only: str | None
) -> tuple[CurrentEvent, ...]:
    if only is not None:
        event = current_event(db, assignment.assessor_id, assignment.topic, only)
        return () if event is None else (event,)
    return current_events(
        db, pool.campaign_id, assessor_ids=[assignment.assessor_id], topic=assignment.topic, put_off=True
    )


def _pooled(db: Session, assignment: AssignmentRow) -> list[str]:
    entries = db.execute(_ENTRIES, {"pool_id": assignment.pool_id, "topic": assignment.topic})
    return in_order(
        entries, topic=assignment.topic, rule=OrderRule(assignment.order_rule), seed=assignment.seed
    )


def _handed_out(db: Session, assignment: AssignmentRow, pool: PoolRow) -> tuple[list[str], int]:
    known = adaptive_topic(db, pool, assignment.topic)
    return [one.docno for one in known.of(assignment.assessor_id)], known.left(assignment.assessor_id)


def _from_queue(db: Session, assignment: AssignmentRow, pool: PoolRow) -> tuple[list[str], int]:
    known = queue_topic(db, pool, assignment.topic)
    return list(known.of(assignment.assessor_id)), known.left(assignment.assessor_id)


def counts(task: Task) -> tuple[int, int, int]:
    """How many answers are grades, unsure and cannot-judge."""
    given: Sequence[str] = [event.answer for event in task.answers.values()]
    return given.count(Answer.GRADE), given.count(Answer.UNSURE), given.count(Answer.CANNOT_JUDGE)


def last_answered(task: Task) -> str | None:
    """Where in the order the latest answer stands that was given on the screen; not one of training."""
    given = [
        (event.id, key)
        for key, event in task.answers.items()
        if event.source == "screen" and event.purpose != TRAINING
    ]
    return max(given)[1] if given else None


_ENTRIES = select(PoolEntryRow.docno, PoolEntryRow.best_rank, PoolEntryRow.run_count).where(
    PoolEntryRow.pool_id == bindparam("pool_id"), PoolEntryRow.topic == bindparam("topic")
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place at the desk: the document that stands there, and what its answer is for.

    `round` counts how often the training was gone through, from 1; everything else has only one.
    """

    docno: str
    purpose: str = JUDGING
    round: int = 1


def prepare_handing_out(db: Session, states: AdaptiveStates, assignment_id: int, account_id: int) -> bool:
    """Whether the next document of an assignment waits to be chosen; if so, makes ready for it.

    Changes nothing in the database: the runs are read before `hand_out` keeps others from writing.
    Raises NotFound where the assignment is not this account's or was taken back.
    """
    task = own_task(db, assignment_id, account_id)
    unanswered = any(docno not in task.answers for docno in task.order)
    if task.closed or unanswered or not task.left or not is_adaptive(task.pool):
        return False
    states.prepare(db, task.pool, task.assignment.topic)
    return True
