"""What an assessor has to judge and has judged, and the documents added to an own topic.

And what keeps who still judges from seeing the judgments of others: `effective_roles`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.records import Answer
from workbench.storage.events import JUDGING, REPEAT
from workbench.storage.tables import (
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    MemberRow,
    PoolEntryRow,
    PoolRow,
    TopicRow,
)
from workbench.workflow.campaigns.collection import document_titles
from workbench.workflow.judging.assigned_work import left_to_judge
from workbench.workflow.judging.preference_tasks import left_to_compare
from workbench.workflow.judging.quality_checks import desk_task, whole_task
from workbench.workflow.judging.queue_handout import QueueHandout, QueueTopics
from workbench.workflow.judging.task import Task, counts, kind_of, own_task
from workbench.workflow.log import answers_by_topic
from workbench.workflow.people.membership import Role
from workbench.workflow.pools.additions import AddedDocuments, Additions, add_documents


@frozen_dataclass
class WorklistLine:
    """One topic that an account is to judge; `judged` counts grades only.

    `at_training` says that the work waits until the training is passed, `at_most` that `total` is the most
    that may come. In other pools of the same topic `further` assignments have work, and `earlier` ones are
    closed or done.
    """

    assignment_id: int
    pool: str
    topic: str
    title: str
    judged: int
    unsure: int
    cannot_judge: int
    total: int
    closed: bool
    at_training: bool = False
    at_most: bool = False
    further: tuple[int, ...] = ()
    earlier: tuple[int, ...] = ()

    @property
    def answered(self) -> int:
        """How many pairs have an answer of any kind."""
        return self.judged + self.unsure + self.cannot_judge

    @property
    def done(self) -> bool:
        """Whether every pair has an answer, and nothing more can come."""
        return not self.at_most and self.answered == self.total


@frozen_dataclass
class AnsweredLine:
    """One of an assessor's own answers in a topic; `key` is what the desk calls the document."""

    key: str
    docno: str
    title: str
    answer: Answer
    grade: int | None
    comment: str
    position: int


def worklist(db: Session, campaign_id: int, account_id: int) -> tuple[WorklistLine, ...]:
    """The topics that an account has to judge in a campaign, pool by pool, in the order of the topics."""
    return tuple(line for line, _ in _lines(db, campaign_id, account_id))


def own_topics(db: Session, campaign_id: int, account_id: int) -> tuple[WorklistLine, ...]:
    """The same with one line for each topic, also where several pools have it: the next one with work first.

    Open pools count; closed ones where no other is left.
    """
    by_topic: dict[str, list[tuple[WorklistLine, MadeTask]]] = {}
    for line, task in _lines(db, campaign_id, account_id):
        by_topic.setdefault(line.topic, []).append((line, task))
    return tuple(map(_one_line, by_topic.values()))


MadeTask = Callable[[], Task]
"""A task that is read where several pools have the same topic: of a queue the line can be told without it."""


def _one_line(found: Sequence[tuple[WorklistLine, MadeTask]]) -> WorklistLine:
    counted = [one for one in found if not one[0].closed] or list(found)
    lines = [line for line, _ in counted]
    first = next((line for line in lines if not line.done), lines[0])
    others = [line for line, _ in found if line is not first]
    # What several pools have is one pair with one answer.
    seen: set[str] = set()
    again: Counter[str] = Counter()
    for task in (make() for _, make in counted if len(counted) > 1):
        docnos = {task.slot(key).docno: key for key in task.order if task.slot(key).purpose == JUDGING}
        for docno in docnos.keys() & seen:
            event = task.answers.get(docnos[docno])
            again[event.answer if event is not None else ""] += 1
        seen |= docnos.keys()
    return replace(
        first,
        judged=sum(line.judged for line in lines) - again[Answer.GRADE],
        unsure=sum(line.unsure for line in lines) - again[Answer.UNSURE],
        cannot_judge=sum(line.cannot_judge for line in lines) - again[Answer.CANNOT_JUDGE],
        total=sum(line.total for line in lines) - again.total(),
        at_most=any(line.at_most for line in lines),
        further=tuple(line.assignment_id for line in others if not (line.closed or line.done)),
        earlier=tuple(line.assignment_id for line in others if line.closed or line.done),
    )


def _lines(db: Session, campaign_id: int, account_id: int) -> Iterator[tuple[WorklistLine, MadeTask]]:
    rows = db.execute(
        select(AssignmentRow, TopicRow.title)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
        .join(
            TopicRow,
            (TopicRow.campaign_id == PoolRow.campaign_id) & (TopicRow.topic == AssignmentRow.topic),
        )
        .where(
            PoolRow.campaign_id == campaign_id,
            AssessorRow.account_id == account_id,
            AssignmentRow.revoked_at.is_(None),
        )
        .order_by(PoolRow.id, TopicRow.position)
    ).all()
    # A pool's recipe names all of its runs: it is read once, not with each of its topics.
    pools = {number: db.get_one(PoolRow, number) for number in {row.pool_id for row, _ in rows}}
    queues: dict[int, QueueTopics] = {}
    archived = db.get_one(CampaignRow, campaign_id).archived_at is not None
    for assignment, title in rows:
        pool = pools[assignment.pool_id]
        make = partial(whole_task, db, assignment)
        if kind_of(pool) is QueueHandout:
            if pool.id not in queues:
                queues[pool.id] = QueueTopics.of(db, pool, answers_by_topic(db, campaign_id))
            yield _queue_line(queues[pool.id], assignment, title, archived=archived), make
        else:
            task = make()
            yield _line(task, title), partial(_itself, task)


def _itself(task: Task) -> Task:
    return task


def _line(task: Task, title: str) -> WorklistLine:
    judged, unsure, cannot_judge = counts(task)
    return WorklistLine(
        assignment_id=task.assignment.id,
        pool=task.pool.name,
        topic=task.assignment.topic,
        title=title,
        judged=judged,
        unsure=unsure,
        cannot_judge=cannot_judge,
        total=task.total,
        closed=task.closed,
        at_training=task.gate is not None,
        at_most=task.at_most,
    )


def _queue_line(queue: QueueTopics, assignment: AssignmentRow, title: str, *, archived: bool) -> WorklistLine:
    """The same of a queue, from its figures: somebody may have hundreds of its topics."""
    topic, who = assignment.topic, np.array([assignment.assessor_id], np.int64)
    found = queue.topic(topic)
    has, answered, left, _ = (int(one[0]) for one in queue.shares(topic, who))
    judged, unsure = found.counts(assignment.assessor_id)
    closed = archived or queue.pool.closed_at is not None
    at_most = not closed and (left > 0 or has > answered)
    return WorklistLine(
        assignment_id=assignment.id,
        pool=queue.pool.name,
        topic=topic,
        title=title,
        judged=judged,
        unsure=unsure,
        cannot_judge=answered - judged - unsure,
        total=len(found.docnos) if at_most else has + left,
        closed=closed,
        at_most=at_most,
    )


def answers(db: Session, assignment_id: int, account_id: int) -> tuple[AnsweredLine, ...]:
    """An account's answers in one topic so far, latest first: one a document.

    A repeat has none of its own: it must not show that, or how, the document was judged before.
    """
    task = desk_task(db, assignment_id, account_id)
    own = {key: event for key, event in task.answers.items() if task.slot(key).purpose != REPEAT}
    positions = {key: index + 1 for index, key in enumerate(task.order)}
    titles = document_titles(db, task.campaign.id, [event.docno for event in own.values()])
    latest_first = sorted(own.items(), key=lambda answer: -answer[1].id)
    return tuple(
        AnsweredLine(
            key=key,
            docno=event.docno,
            title=titles.get(event.docno, ""),
            answer=Answer(event.answer),
            grade=event.grade,
            comment=event.comment,
            position=positions[key],
        )
        for key, event in latest_first
    )


def effective_roles(db: Session, campaign_id: int, account_id: int) -> frozenset[Role]:
    """The roles that count now.

    An assessor with unfinished work is nothing else meanwhile: agreement, qrels and scores would show what
    colleagues answered. Only an organiser always sees everything.
    """
    roles = frozenset(
        Role(role)
        for role in db.scalars(
            select(MemberRow.role).where(
                MemberRow.campaign_id == campaign_id, MemberRow.account_id == account_id
            )
        )
    )
    if not may_be_suspended(roles):
        return roles
    unfinished = left_to_judge(db, campaign_id, account_id) or left_to_compare(db, campaign_id, account_id)
    return frozenset({Role.ASSESSOR}) if unfinished else roles


def may_be_suspended(roles: frozenset[Role]) -> bool:
    """Whether somebody with these roles may be nothing but an assessor for now."""
    return Role.ASSESSOR in roles and Role.ORGANISER not in roles and len(roles) > 1


@frozen_dataclass
class OwnAddition:
    """A document that somebody added, as that person is shown it."""

    docno: str
    reason: str


def add_to_own(db: Session, assignment_id: int, account_id: int, additions: Additions) -> AddedDocuments:
    """Add documents to the topic and pool of an assignment, by the assessor who has it.

    Whoever was given a topic may bring documents to it; a closed pool takes none. Raises as `add_documents`,
    and NotFound where the assignment is not this account's.
    """
    task = own_task(db, assignment_id, account_id)
    return add_documents(
        db,
        task.campaign.id,
        task.pool.name,
        task.assignment.topic,
        additions,
        added_by=account_id,
    )


def own_additions(db: Session, assignment_id: int, account_id: int) -> tuple[OwnAddition, ...]:
    """What an account added by hand to the topic and pool of its assignment, oldest first.

    Raises NotFound where the assignment is not this account's.
    """
    assignment = own_task(db, assignment_id, account_id).assignment
    entry = PoolEntryRow
    rows = db.execute(
        select(entry.docno, entry.reason)
        .where(
            entry.pool_id == assignment.pool_id,
            entry.topic == assignment.topic,
            entry.added_by == account_id,
        )
        .order_by(entry.added_at, entry.docno)
    )
    return tuple(OwnAddition(docno, reason or "") for docno, reason in rows)
