"""An assessor's share of a topic, with its order and what was answered: what judging works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.records import Answer
from workbench.storage.events import LATER, CurrentEvent, current_events
from workbench.storage.tables import AssessorRow, AssignmentRow, CampaignRow, PoolEntryRow, PoolRow
from workbench.workflow.adaptive.ledgers import is_adaptive, ledger
from workbench.workflow.desk.ordering import OrderRule, in_order
from workbench.workflow.desk.probe_places import TRAINING, Slot


@dataclass(frozen=True, slots=True)
class Task:
    """One assignment: its docnos in the order shown, and the answers that hold, by docno.

    `put_off` are documents without an answer that come after the others, in the order in which they were put
    off; the events say so.

    As `screens` makes it for a campaign with probes, keys stand in the place of docnos everywhere: `slots`
    says what each of them is.

    Of an adaptive pool's topic these are the documents handed out to the assessor; `left` are those that can
    still be. Other pools have nothing left but what is in the order.
    """

    assignment: AssignmentRow
    campaign: CampaignRow
    closed: bool
    order: list[str]
    answers: dict[str, CurrentEvent]
    left: int = 0
    put_off: dict[str, CurrentEvent] = field(default_factory=dict)
    slots: Mapping[str, Slot] = field(default_factory=dict)

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
    return task_of(db, *own_assignment(db, assignment_id, account_id, writing=writing))


def own_assignment(
    db: Session, assignment_id: int, account_id: int, *, writing: bool = False
) -> tuple[AssignmentRow, PoolRow]:
    """An assignment and its pool; raises NotFound where it is not this account's or was taken back.

    `writing` holds the pool as it is until the transaction ends: nobody closes it or takes a pair out of it.
    """
    found = (
        select(AssignmentRow, PoolRow)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
        .where(
            AssignmentRow.id == assignment_id,
            AssessorRow.account_id == account_id,
            AssignmentRow.revoked_at.is_(None),
        )
    )
    if writing:
        found = found.with_for_update(read=True, of=PoolRow).execution_options(populate_existing=True)
    row = db.execute(found).one_or_none()
    if row is None:
        raise NotFound("this is not (or no longer) assigned to you", remedy="see the list of your topics")
    return row[0], row[1]


def task_of(db: Session, assignment: AssignmentRow, pool: PoolRow) -> Task:
    """The task of an assignment row in its pool."""
    order, left = _handed_out(db, assignment, pool) if is_adaptive(pool) else (_pooled(db, assignment), 0)
    mine = set(order)
    events = current_events(
        db, pool.campaign_id, assessor_ids=[assignment.assessor_id], topic=assignment.topic, put_off=True
    )
    own = [event for event in events if event.docno in mine]
    return Task(
        assignment=assignment,
        campaign=db.get_one(CampaignRow, pool.campaign_id),
        closed=pool.closed_at is not None,
        order=order,
        answers={event.docno: event for event in own if event.answer != LATER},
        left=0 if pool.closed_at is not None else left,
        put_off={event.docno: event for event in own if event.answer == LATER},
    )


def _pooled(db: Session, assignment: AssignmentRow) -> list[str]:
    entries = db.execute(
        select(PoolEntryRow.docno, PoolEntryRow.best_rank, PoolEntryRow.run_count).where(
            PoolEntryRow.pool_id == assignment.pool_id, PoolEntryRow.topic == assignment.topic
        )
    )
    return in_order(
        entries, topic=assignment.topic, rule=OrderRule(assignment.order_rule), seed=assignment.seed
    )


def _handed_out(db: Session, assignment: AssignmentRow, pool: PoolRow) -> tuple[list[str], int]:
    known = ledger(db, pool, assignment.topic)
    return [one.docno for one in known.of(assignment.assessor_id)], known.left(assignment.assessor_id)


def counts(task: Task) -> tuple[int, int, int]:
    """How many answers are grades, unsure and cannot-judge."""
    given: Sequence[str] = [event.answer for event in task.answers.values()]
    return given.count(Answer.GRADE), given.count(Answer.UNSURE), given.count(Answer.CANNOT_JUDGE)


def last_on_screen(task: Task) -> str | None:
    """Where in the order the latest answer stands that was given on the screen; not one of training."""
    given = [
        (event.id, key)
        for key, event in task.answers.items()
        if event.source == "screen" and event.purpose != TRAINING
    ]
    return max(given)[1] if given else None
