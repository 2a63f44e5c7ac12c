"""An assessor's task: an assignment with its documents in order, and the current answer to each.

Which way a pool hands out its documents, and who is told of an answer, is said here as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Text, bindparam, cast, or_, select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.frozen import frozen_dataclass
from workbench.pooling.adaptive_pool import Happening
from workbench.records import Answer
from workbench.storage.events import (
    JUDGING,
    LATER,
    TRAINING,
    CurrentEvent,
    Pair,
    current_event,
    current_events,
)
from workbench.storage.tables import (
    AccountRow,
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    JudgmentEventRow,
    MemberRow,
    PoolEventRow,
    PoolRow,
)
from workbench.workflow.judging.adaptive_handout import AdaptiveHandout
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.judging.handout import FixedHandout, Handout
from workbench.workflow.judging.queue_handout import QueueHandout
from workbench.workflow.judging.submission import Annotations, stored_annotations
from workbench.workflow.judging.training import TrainingGate
from workbench.workflow.people.membership import Role
from workbench.workflow.pools.pool_rows import PoolState, is_adaptive, state_of


@frozen_dataclass
class Slot:
    """A place at the desk: the document that stands there, and what its answer is for.

    `round` counts how often the training was gone through, from 1; everything else has only one.
    """

    docno: str
    purpose: str = JUDGING
    round: int = 1


@frozen_dataclass
class Task:
    """One assignment: its docnos in the order shown, and the current answers, by docno.

    `put_off` are documents without an answer that come after the others, in the order in which they were put
    off; the events say so.

    As `desk_task` makes it for a campaign with quality checks, keys stand in the place of docnos everywhere:
    `slots` says what each of them is.

    Where documents are handed out, these are the ones that the assessor has; `left` are those that can still
    come, and `most` those of the topic, whoever gets them. Other pools have nothing left but what waits
    behind the `gate` of a training that comes first.
    """

    assignment: AssignmentRow
    pool: PoolRow
    campaign: CampaignRow
    kind: type[Handout]
    order: Sequence[str]
    answers: dict[str, CurrentEvent]
    left: int = 0
    most: int = 0
    put_off: dict[str, CurrentEvent] = field(default_factory=dict)
    slots: Mapping[str, Slot] = field(default_factory=dict)
    gate: TrainingGate | None = None

    @property
    def closed(self) -> bool:
        """Whether the pool is closed, or its campaign archived."""
        return self.pool.closed_at is not None or self.campaign.archived_at is not None

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
    def at_most(self) -> bool:
        """Whether `total` is the most that the assessor may get, since colleagues take from it too.

        What they have taken so far is nobody's business, so the total never shrinks before the end.
        """
        is_shared = self.kind.one_by_one or self.kind.in_batches
        more = self.left > 0 or any(docno not in self.answers for docno in self.order)
        return is_shared and more and not self.closed

    @property
    def total(self) -> int:
        """How many documents the assessor has and can still get, or may get at most."""
        return self.most if self.at_most else len(self.order) + self.left


class OwnAssignment(NamedTuple):
    """An assignment with what it belongs to."""

    assignment: AssignmentRow
    pool: PoolRow
    campaign: CampaignRow


class AssignmentStanding(NamedTuple):
    """An assignment that is or was an account's, and what keeps the account from judging in it.

    `role` is None for who is no assessor any more.
    """

    own: OwnAssignment
    disabled_at: datetime | None
    role: str | None


def standing_of(db: Session, assignment_id: int, account_id: int) -> AssignmentStanding | None:
    """An account's standing in an assignment, None where it never was this account's.

    The pool stays as it is until the transaction ends: nobody closes it or takes a pair out of it.
    """
    row = db.execute(_STANDING, {"assignment_id": assignment_id, "account_id": account_id}).one_or_none()
    return None if row is None else AssignmentStanding(OwnAssignment(*row[:3]), *row[3:])


def own_assignment(
    db: Session, assignment_id: int, account_id: int, *, writing: bool = False
) -> OwnAssignment:
    """An assignment with its pool and campaign; raises NotFound where it is not this account's now.

    `writing` holds the pool as it is until the transaction ends: nobody closes it or takes a pair out of it.
    """
    whose = {"assignment_id": assignment_id, "account_id": account_id}
    row = db.execute(_OWN_TO_WRITE if writing else _OWN, whose).one_or_none()
    if row is None:
        raise NotFound("this is not (or no longer) assigned to you", remedy="see the list of your topics")
    return OwnAssignment(*row)


def own_task(db: Session, assignment_id: int, account_id: int) -> Task:
    """The task behind an assignment; as `own_assignment`."""
    own = own_assignment(db, assignment_id, account_id)
    return task_of(db, own.assignment, own.pool)


def task_of(db: Session, assignment: AssignmentRow, pool: PoolRow, *, only: str | None = None) -> Task:
    """The task of an assignment row in its pool.

    With `only` it is for saving: it has the answer of this docno alone, and nothing that can still come.
    """
    if only is not None:
        return _task_to_save(db, assignment, pool, only)
    kind = kind_of(pool)
    handout = kind.load(db, pool, assignment.topic)
    order = handout.documents(assignment)
    mine = set(order)
    current = current_events(
        db, pool.campaign_id, assessor_ids=[assignment.assessor_id], topic=assignment.topic, put_off=True
    )
    own = [event for event in current if event.docno in mine]
    return Task(
        assignment=assignment,
        pool=pool,
        campaign=db.get_one(CampaignRow, pool.campaign_id),
        kind=kind,
        order=order,
        answers={event.docno: event for event in own if event.answer != LATER},
        left=handout.left(assignment.assessor_id),
        most=handout.most,
        put_off={event.docno: event for event in own if event.answer == LATER},
    )


def prepare_next(db: Session, states: AdaptiveStates, assignment_id: int, account_id: int) -> bool:
    """Whether the next documents of an assignment wait to be handed out; if so, makes ready for it.

    Changes nothing in the database: what takes its time is done before `hand_out_next` keeps others from
    writing. Raises NotFound as `own_assignment`.
    """
    mine, pool, _ = own_assignment(db, assignment_id, account_id)
    return state_of(pool) is PoolState.OPEN and kind_of(pool).prepare(db, states, pool, mine)


def hand_out_next(
    db: Session, states: AdaptiveStates, assignment_id: int, account_id: int
) -> tuple[str, ...]:
    """Hand the next documents of an assignment to its assessor; returns their docnos.

    Nothing where the pool is not open, or hands all of them out at once. Raises NotFound as `own_assignment`,
    and Conflict where a run of an adaptive pool is not what it was.
    """
    mine, pool, _ = own_assignment(db, assignment_id, account_id, writing=True)
    if state_of(pool) is not PoolState.OPEN:
        return ()
    return kind_of(pool).hand_out(db, states, pool, mine)


def annotations_of(db: Session, campaign_id: int, assessor_id: int, topic: str) -> dict[int, Annotations]:
    """What goes with an assessor's events of a topic, by the event's number; only where something does."""
    event = JudgmentEventRow
    beside = (event.evidence, event.ratings, event.subtopics)
    rows = db.execute(
        select(event.id, *beside).where(
            event.campaign_id == campaign_id,
            event.assessor_id == assessor_id,
            event.topic == topic,
            # What is not there is stored as JSON's null; most events have nothing beside them.
            or_(*(cast(one, Text) != "null" for one in beside)),
        )
    )
    return {row[0]: stored_annotations(*row[1:]) for row in rows}


def annotations_of_event(db: Session, event_id: int) -> Annotations:
    """What goes with one event."""
    event = JudgmentEventRow
    row = db.execute(select(event.evidence, event.ratings, event.subtopics).where(event.id == event_id)).one()
    return stored_annotations(*row)


def shown_with(db: Session, event_id: int) -> tuple[str | None, int | None]:
    """The hash of the text that was shown with an event, and the version of the instructions."""
    event = JudgmentEventRow
    sha256, version = db.execute(
        select(event.document_sha256, event.instructions).where(event.id == event_id)
    ).one()
    return sha256, version


def counts(task: Task) -> tuple[int, int, int]:
    """How many answers are grades, unsure and cannot-judge."""
    given: Sequence[str] = [event.answer for event in task.answers.values()]
    return given.count(Answer.GRADE), given.count(Answer.UNSURE), given.count(Answer.CANNOT_JUDGE)


def last_answered(task: Task) -> str | None:
    """Where in the order the latest answer stands that was given at the desk; not one of training."""
    given = [
        (event.id, key)
        for key, event in task.answers.items()
        if event.source == "screen" and event.purpose != TRAINING
    ]
    return max(given)[1] if given else None


def _task_to_save(db: Session, assignment: AssignmentRow, pool: PoolRow, docno: str) -> Task:
    kind = kind_of(pool)
    order = kind.load(db, pool, assignment.topic).documents(assignment)
    event = None
    if docno in order:
        pair = Pair(pool.campaign_id, assignment.assessor_id, assignment.topic, docno)
        event = current_event(db, pair)
    own = {} if event is None else {docno: event}
    postponed = event is not None and event.answer == LATER
    return Task(
        assignment=assignment,
        pool=pool,
        campaign=db.get_one(CampaignRow, pool.campaign_id),
        kind=kind,
        order=order,
        answers={} if postponed else own,
        put_off=own if postponed else {},
    )


# What every request of the desk asks is put together once: that takes longer than asking it.
_EVER = (
    select(AssignmentRow, PoolRow, CampaignRow)
    .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
    .join(CampaignRow, CampaignRow.id == PoolRow.campaign_id)
    .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
    .where(AssignmentRow.id == bindparam("assignment_id"), AssessorRow.account_id == bindparam("account_id"))
)
_OWN = _EVER.where(AssignmentRow.revoked_at.is_(None))
_OWN_TO_WRITE = _OWN.with_for_update(read=True, of=PoolRow).execution_options(populate_existing=True)
_STANDING = (
    _EVER.add_columns(AccountRow.disabled_at, MemberRow.role)
    .join(AccountRow, AccountRow.id == AssessorRow.account_id)
    .outerjoin(
        MemberRow,
        (MemberRow.campaign_id == CampaignRow.id)
        & (MemberRow.account_id == AccountRow.id)
        & (MemberRow.role == Role.ASSESSOR),
    )
    .with_for_update(read=True, of=PoolRow)
    .execution_options(populate_existing=True)
)


def kind_of(pool: PoolRow) -> type[Handout]:
    """How a pool hands out its documents."""
    if pool.per_pair is not None:
        return QueueHandout
    return AdaptiveHandout if is_adaptive(pool) else FixedHandout


def tell_pools(db: Session, campaign_id: int, event: CurrentEvent) -> None:
    """Tell the open pools that handed a document to an assessor what the assessor says of it now.

    It counts wherever it was given: the answer is the assessor's, not the pool's.
    """
    pair = {"topic": event.topic, "docno": event.docno, "assessor_id": event.assessor_id}
    # By the connection: a session takes twice as long to find that there is none, as mostly there is not.
    for (pool_id,) in db.connection().execute(_CONCERNED, {"campaign_id": campaign_id, **pair}).all():
        pool = db.get_one(PoolRow, pool_id)
        kind_of(pool).take(db, pool, event)


# What every saved answer asks is put together once: that takes longer than asking it.
_CONCERNED = select(PoolRow.id).where(
    PoolRow.campaign_id == bindparam("campaign_id"),
    PoolRow.closed_at.is_(None),
    PoolRow.id.in_(
        select(PoolEventRow.pool_id).where(
            PoolEventRow.topic == bindparam("topic"),
            PoolEventRow.docno == bindparam("docno"),
            PoolEventRow.assessor_id == bindparam("assessor_id"),
            PoolEventRow.happening == str(Happening.HANDED_OUT),
        )
    ),
)
