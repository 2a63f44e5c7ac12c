"""What an assessor has to do and has done: the list of topics, and the answers in one of them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.records import Answer
from workbench.storage.tables import AssessorRow, AssignmentRow, DocumentRow, PoolRow, TopicRow
from workbench.workflow.judging.probed_task import screen_task, with_probes
from workbench.workflow.judging.task import counts, task_of


@dataclass(frozen=True, slots=True)
class WorklistLine:
    """One topic that an account is to judge; `judged` counts grades only.

    `at_training` says that the work waits until the training is passed.
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

    @property
    def done(self) -> bool:
        """Whether every pair has an answer."""
        return self.judged + self.unsure + self.cannot_judge == self.total


@dataclass(frozen=True, slots=True)
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
    """The topics that an account has to judge in a campaign, in the order of the topics."""
    rows = db.execute(
        select(AssignmentRow, PoolRow, TopicRow.title)
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
    lines = []
    for assignment, pool, title in rows:
        task = with_probes(db, task_of(db, assignment, pool))
        judged, unsure, cannot_judge = counts(task)
        lines.append(
            WorklistLine(
                assignment_id=assignment.id,
                pool=pool.name,
                topic=assignment.topic,
                title=title,
                judged=judged,
                unsure=unsure,
                cannot_judge=cannot_judge,
                total=task.total,
                closed=task.closed,
                at_training=task.gate is not None,
            )
        )
    return tuple(lines)


def answers(db: Session, assignment_id: int, account_id: int) -> tuple[AnsweredLine, ...]:
    """What an account said in one topic so far, latest first."""
    task = screen_task(db, assignment_id, account_id)
    positions = {key: index + 1 for index, key in enumerate(task.order)}
    titles = dict(
        db.execute(
            select(DocumentRow.docno, DocumentRow.title).where(
                DocumentRow.campaign_id == task.campaign.id,
                DocumentRow.docno.in_([event.docno for event in task.answers.values()]),
            )
        ).all()
    )
    latest_first = sorted(task.answers.items(), key=lambda said: -said[1].id)
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
