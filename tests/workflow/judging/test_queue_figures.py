"""A queue's figures are those of its rules, pair by pair, whatever people have done."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import numpy as np
import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.submitted import put_off, record
from tests.workflow.judging.queued import POOL, Queued, make_machine, queued_pool
from workbench.errors import WorkbenchError
from workbench.pooling.adaptive_pool import Happening
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Answer, id_bytes
from workbench.storage.engine import Database
from workbench.storage.events import current_events
from workbench.storage.tables import (
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    JudgmentEventRow,
    PoolEntryRow,
    PoolEventRow,
    PoolRow,
)
from workbench.workflow.judging.assigned_work import left_to_judge
from workbench.workflow.judging.assignments import assignments_of, revoke
from workbench.workflow.judging.queue_handout import QueueHandout, QueueTopics
from workbench.workflow.judging.queues import queue_report, take_back
from workbench.workflow.judging.task import counts, own_task
from workbench.workflow.judging.worklists import worklist
from workbench.workflow.log import answers_by_topic
from workbench.workflow.people.membership import able_ids
from workbench.workflow.pools.drafts import close_pool
from workbench.workflow.pools.making import make_pool

EVER = datetime.min.replace(tzinfo=UTC)
PEOPLE = ("Ada", "Ben", "Cleo", "Dan")


def act(db: Session, queued: Queued, drawn: random.Random, elsewhere: dict[str, int]) -> None:
    """Something that somebody does, as the seed draws it; what is refused changes nothing."""
    name, docno = drawn.choice(PEOPLE), f"D0{drawn.randint(1, 6)}"
    what = drawn.randint(0, 8)
    if what <= 2:
        queued.take(db, name)
    elif what == 3:
        take_back(db, queued.campaign_id, POOL, assessor=name if drawn.random() < 0.5 else None)
    elif what == 4:
        queued.undo(db, name, docno)
    else:
        task = elsewhere[name] if what == 8 else queued.tasks[name]
        account, client_id = queued.made.accounts[name], str(uuid4())
        answer = drawn.choice([Answer.GRADE, Answer.GRADE, Answer.UNSURE, Answer.CANNOT_JUDGE, None])
        if answer is None:
            put_off(db, task, account, docno=docno, client_id=client_id)
        else:
            grade = 1 if answer == Answer.GRADE else None
            record(db, task, account, docno=docno, answer=answer, grade=grade, client_id=client_id)


class Told:
    """A topic of a queue by the rules of the help page, pair by pair, from its rows."""

    def __init__(self, db: Session, queued: Queued, now: datetime) -> None:
        pool, campaign = db.get_one(PoolRow, queued.pool_id), db.get_one(CampaignRow, queued.campaign_id)
        machines = set(db.scalars(select(AssessorRow.id).where(AssessorRow.machine)))
        self.per_pair, self.now, self.closed = pool.per_pair or 1, now, pool.closed_at is not None
        self.docnos = list(db.scalars(select(PoolEntryRow.docno).where(PoolEntryRow.pool_id == pool.id)))
        self.said = {
            (one.docno, one.assessor_id): one
            for one in current_events(db, campaign.id, topic="T1", put_off=True)
            if one.assessor_id not in machines
        }
        self.last = {who: max(each) for who, each in _moments(db).items()}
        self.able = able_ids(db, campaign.id)
        self.handed_out: dict[tuple[str, int], datetime] = {}
        events = select(PoolEventRow).where(PoolEventRow.pool_id == pool.id).order_by(PoolEventRow.number)
        for event in db.scalars(events):
            if event.assessor_id is not None and event.assessor_id not in machines:
                if event.happening == Happening.HANDED_OUT:
                    self.handed_out[event.docno, event.assessor_id] = event.at
                else:
                    self.handed_out.pop((event.docno, event.assessor_id), None)

    def answered(self, docno: str, who: int) -> bool:
        return (docno, who) in self.said and self.said[docno, who].answer != "later"

    def graders(self, docno: str) -> set[int]:
        return {who for (one, who), event in self.said.items() if one == docno and event.answer == "grade"}

    def takers(self, docno: str) -> set[int]:
        open_with = {who for one, who in self.handed_out if one == docno and not self.answered(docno, who)}
        return self.graders(docno) | open_with

    @property
    def open(self) -> list[tuple[str, int]]:
        return [
            (docno, who)
            for docno, who in self.handed_out
            if not self.answered(docno, who) and len(self.graders(docno) - {who}) < self.per_pair
        ]

    def of(self, who: int) -> set[str]:
        mine = {docno for docno, holder in self.open if holder == who}
        return mine | {docno for docno in self.docnos if self.answered(docno, who)}

    @property
    def abandoned(self) -> set[tuple[str, int]]:
        until = self.now - timedelta(minutes=30)
        return {
            (docno, who)
            for docno, who in self.open
            if who not in self.able or max(self.handed_out[docno, who], self.last.get(who, EVER)) < until
        }

    def left(self, who: int) -> int:
        others = [one for one in self.docnos if one not in self.of(who)]
        free = {one for one in others if len(self.takers(one) - {who}) < self.per_pair}
        back = {
            docno
            for docno, holder in self.abandoned
            if docno in others and len(self.takers(docno) - {who, holder}) < self.per_pair
        }
        return 0 if self.closed else len(free | back)

    def may_come(self, who: int) -> int:
        wanting = {one for one in self.docnos if len(self.graders(one)) < self.per_pair}
        return 0 if self.closed else len(wanting - self.of(who))

    def line(self, given: set[int]) -> tuple[int, ...]:
        done = {one for one in self.docnos if len(self.graders(one)) >= self.per_pair}
        waiting = {one for one in self.docnos if len(self.takers(one)) < self.per_pair}
        spoken = {one: {who for docno, who in self.said if docno == one} for one in waiting}
        stuck = sum(not given - spoken[one] - self.takers(one) for one in waiting)
        graded = sum(min(len(self.graders(one)), self.per_pair) for one in self.docnos)
        return len(self.docnos), len(done), len(self.open), len(waiting), stuck, graded


def _moments(db: Session) -> dict[int, list[datetime]]:
    found: dict[int, list[datetime]] = {}
    for event in db.scalars(select(JudgmentEventRow).where(JudgmentEventRow.topic == "T1")):
        found.setdefault(event.assessor_id, []).append(event.recorded_at)
    return found


def compare(db: Session, queued: Queued) -> None:
    now = datetime.now(UTC)
    told = Told(db, queued, now)
    of_queue = (AssignmentRow.pool_id == queued.pool_id, AssignmentRow.revoked_at.is_(None))
    given = set(db.scalars(select(AssignmentRow.assessor_id).where(*of_queue)))
    report = queue_report(db, queued.campaign_id, POOL, now=now)
    (one,) = report.by_topic
    assert (one.pairs, one.done, one.out, one.waiting, one.stuck, one.given) == told.line(given & told.able)
    assert [(each.docno, each.assessor_id, each.since, each.abandoned) for each in report.out] == [
        (*hold, told.handed_out[hold], hold in told.abandoned) for hold in told.open
    ]
    answers = answers_by_topic(db, queued.campaign_id)
    pool = db.get_one(PoolRow, queued.pool_id)
    queue, handout = QueueTopics.of(db, pool, answers, now), QueueHandout.load(db, pool, "T1")
    for name, number in queued.tasks.items():
        lines = worklist(db, queued.campaign_id, queued.made.accounts[name])
        for mine in (each for each in lines if each.assignment_id == number):
            task = own_task(db, number, queued.made.accounts[name])
            shown = mine.judged, mine.unsure, mine.cannot_judge, mine.total, mine.at_most, mine.closed
            assert shown == (*counts(task), task.total, task.at_most, task.closed)
    people = sorted(set(queued.made.assessors.values()) - queue.machines)
    shares = np.array(queue.shares("T1", np.array(people, np.int64))).T.tolist()
    for who, share in zip(people, shares, strict=True):
        has = told.of(who)
        answered = sum(told.answered(docno, who) for docno in has)
        assert share == [len(has), answered, told.left(who), told.may_come(who)]
        assert handout.left(who, now) == told.left(who)
        assert queue.docnos("T1", who).docnos == {id_bytes(docno) for docno in has}


@pytest.mark.parametrize("seed", range(3))
def test_figures_are_those_of_the_pairs(sqlite_database: Database, seed: int) -> None:
    drawn = random.Random(seed)
    with sqlite_database.writing() as db:
        queued = queued_pool(db, documents=6, per_pair=1 + seed % 3, assessors=PEOPLE)
        other = make_pool(db, queued.campaign_id, PoolRecipe(parameters={"depth": 4}), name="other").pool
        assign(db, other.id, topics=["T1"], assessor_ids=queued.made.assessors.values())
        elsewhere = {
            one.assessor: one.id for one in assignments_of(db, queued.campaign_id) if one.pool == "other"
        }
    for step in range(30):
        try:
            with sqlite_database.writing() as db:
                act(db, queued, drawn, elsewhere)
        except WorkbenchError:
            continue
        with sqlite_database.reading() as db:
            compare(db, queued)
        if step == 20:
            with sqlite_database.writing() as db:
                revoke(db, queued.campaign_id, queued.tasks["Dan"])
                compare(db, queued)
    with sqlite_database.writing() as db:
        make_machine(db, queued, "Cleo")
        # A machine judges at no desk.
        revoke(db, queued.campaign_id, queued.tasks["Cleo"])
    with sqlite_database.writing() as db:
        queued.hours_later(db, 2)
        compare(db, queued)
        close_pool(db, queued.campaign_id, POOL)
        compare(db, queued)


def test_put_off_elsewhere_by_everybody_is_stuck(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        queued = queued_pool(db, documents=2, per_pair=1, assessors=("Ada", "Ben"))
        other = make_pool(db, queued.campaign_id, PoolRecipe(parameters={"depth": 1}), name="other").pool
        assign(db, other.id, topics=["T1"], assessor_ids=queued.made.assessors.values())
        tasks = [one for one in assignments_of(db, queued.campaign_id) if one.pool == "other"]
    for number, one in enumerate(tasks):
        with sqlite_database.writing() as db:
            account = queued.made.accounts[one.assessor]
            put_off(db, one.id, account, docno="D01", client_id=f"client-{number}")
        with sqlite_database.reading() as db:
            compare(db, queued)
            assert queue_report(db, queued.campaign_id, POOL).stuck == number
            # D01 of the other pool, and both of the queue, one of which is that one.
            assert left_to_judge(db, queued.campaign_id, queued.made.accounts["Ada"]) == 3
