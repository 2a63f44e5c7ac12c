"""Pools that are judged from a queue, for the tests of all that hangs on them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.builders import Made, campaign_with_people, send_runs
from tests.submitted import record, withdraw
from workbench.pooling.adaptive_pool import Happening
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Answer
from workbench.storage.tables import AssessorRow, JudgmentEventRow, PoolEventRow
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.queues import make_queue
from workbench.workflow.judging.record import Recorded
from workbench.workflow.judging.task import hand_out_next, own_task
from workbench.workflow.pools.making import make_pool

POOL = "queue"


@dataclass(frozen=True, slots=True)
class Queued:
    """A queue of one topic T1, given to all assessors: the assignments by assessor's name."""

    made: Made
    pool_id: int
    tasks: dict[str, int]

    @property
    def campaign_id(self) -> int:
        """The campaign."""
        return self.made.campaign.id

    def take(self, db: Session, name: str) -> tuple[str, ...]:
        """What the assessor is handed now."""
        return hand_out_next(db, AdaptiveStates(), self.tasks[name], self.made.accounts[name])

    def has(self, db: Session, name: str) -> list[str]:
        """What the assessor has, answered or not."""
        return list(own_task(db, self.tasks[name], self.made.accounts[name]).order)

    def coming(self, db: Session, name: str) -> str | None:
        """What stands on the assessor's desk."""
        return own_task(db, self.tasks[name], self.made.accounts[name]).coming

    def say(self, db: Session, name: str, docno: str, grade: int | None = 1) -> Recorded:
        """Give a grade, or unsure for None."""
        return record(
            db,
            self.tasks[name],
            self.made.accounts[name],
            docno=docno,
            answer=Answer.UNSURE if grade is None else Answer.GRADE,
            grade=grade,
            client_id=str(uuid4()),
        )

    def undo(self, db: Session, name: str, docno: str) -> None:
        """Take back what was said of a document."""
        withdraw(db, self.tasks[name], self.made.accounts[name], docno=docno, client_id=str(uuid4()))

    def hours_later(self, db: Session, hours: float) -> None:
        """Let all that happened have happened so much earlier."""
        for row in db.scalars(select(PoolEventRow)):
            row.at -= timedelta(hours=hours)
        for event in db.scalars(select(JudgmentEventRow)):
            event.recorded_at -= timedelta(hours=hours)
        db.flush()


def queued_pool(
    db: Session,
    *,
    documents: int = 3,
    per_pair: int = 1,
    assessors: tuple[str, ...] = ("Ada", "Ben", "Cleo"),
    give: bool = True,
) -> Queued:
    """A queue over one run of so many documents: D01, D02, and so on."""
    made = campaign_with_people(db, assessors=assessors)
    send_runs(db, made.campaign.id, alpha={"T1": [f"D{number:02}" for number in range(1, documents + 1)]})
    pool = make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": documents}), name=POOL).pool
    make_queue(db, made.campaign.id, POOL, per_pair)
    if give:
        assign(db, pool.id, topics=None, assessor_ids=made.assessors.values())
    return Queued(made, pool.id, {one.assessor: one.id for one in assignments_of(db, made.campaign.id)})


def grades(db: Session) -> Counter[str]:
    """How many grades every document has; each assessor's latest event holds."""
    event = JudgmentEventRow
    latest: dict[tuple[str, int], str] = {}
    for docno, who, answer in db.execute(
        select(event.docno, event.assessor_id, event.answer).order_by(event.id)
    ):
        latest[docno, who] = answer
    return Counter(docno for (docno, _), answer in latest.items() if answer == "grade")


def most_places_ever_taken(db: Session, queued: Queued) -> int:
    """How many people had or had graded one document at one moment, at most, by the events alone.

    Only for queues where people hand in grades and nothing else: then what was handed out is either with its
    assessor or graded by them, until it is given back.
    """
    most, now = 0, Counter[str]()
    rows = db.scalars(
        select(PoolEventRow).where(PoolEventRow.pool_id == queued.pool_id).order_by(PoolEventRow.number)
    ).all()
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        now[row.docno] += 1 if row.happening == Happening.HANDED_OUT else -1
        most = max(most, now[row.docno])
    return most


def make_machine(db: Session, queued: Queued, name: str) -> None:
    """Let an assessor be a machine."""
    db.execute(update(AssessorRow).where(AssessorRow.id == queued.made.assessors[name]).values(machine=True))
