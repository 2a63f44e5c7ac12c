"""A queue in figures is what `QueueHandout` says pair by pair, whatever people have done."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from uuid import uuid4

import numpy as np
import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.submitted import put_off, record
from tests.workflow.judging.queued import POOL, Queued, make_machine, queued_pool
from workbench.errors import WorkbenchError
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Answer, id_bytes
from workbench.storage.engine import Database
from workbench.storage.tables import AssignmentRow, PoolRow
from workbench.workflow.judging.assigned_work import left_to_judge
from workbench.workflow.judging.assignments import assignments_of, revoke
from workbench.workflow.judging.queue_figures import queue_figures
from workbench.workflow.judging.queue_handout import QueueHandout
from workbench.workflow.judging.queues import queue_report, take_back
from workbench.workflow.judging.task import counts, own_task
from workbench.workflow.judging.worklists import worklist
from workbench.workflow.log import answers_by_topic
from workbench.workflow.pools.drafts import close_pool
from workbench.workflow.pools.making import make_pool

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


def by_pairs(db: Session, queued: Queued, now: datetime) -> tuple[QueueHandout, tuple[int, ...]]:
    """The line of the report, counted pair by pair."""
    queue = QueueHandout.load(db, db.get_one(PoolRow, queued.pool_id), "T1")
    of_queue = (AssignmentRow.pool_id == queued.pool_id, AssignmentRow.revoked_at.is_(None))
    given = set(db.scalars(select(AssignmentRow.assessor_id).where(*of_queue)))
    done = {docno for docno, graders in queue.graders.items() if len(graders) >= queue.per_pair}
    waiting = {docno for docno, takers in queue.takers.items() if len(takers) < queue.per_pair} - done
    stuck = sum(not given - queue.answers[docno].keys() - queue.takers[docno] for docno in waiting)
    graded = sum(min(len(graders), queue.per_pair) for graders in queue.graders.values())
    return queue, (len(queue.entries), len(done), len(queue.open), len(waiting), stuck, graded)


def compare(db: Session, queued: Queued) -> None:
    now = datetime.now(UTC)
    queue, line = by_pairs(db, queued, now)
    report = queue_report(db, queued.campaign_id, POOL, now=now)
    (one,) = report.by_topic
    assert (one.pairs, one.done, one.out, one.waiting, one.stuck, one.given) == line
    abandoned = set(queue.abandoned(now))
    assert [(each.docno, each.assessor_id, each.since, each.abandoned) for each in report.out] == [
        (hold.docno, hold.assessor_id, hold.since, hold in abandoned) for hold in queue.open
    ]
    answers = answers_by_topic(db, queued.campaign_id)
    figures = queue_figures(db, db.get_one(PoolRow, queued.pool_id), answers, now=now)
    for name, number in queued.tasks.items():
        lines = worklist(db, queued.campaign_id, queued.made.accounts[name])
        for mine in (each for each in lines if each.assignment_id == number):
            task = own_task(db, number, queued.made.accounts[name])
            shown = mine.judged, mine.unsure, mine.cannot_judge, mine.total, mine.at_most, mine.closed
            assert shown == (*counts(task), task.total, task.at_most, task.closed)
    people = sorted(queued.made.assessors.values())
    shares = np.array(figures.shares("T1", np.array(people, np.int64))).T.tolist()
    for who, share in zip(people, shares, strict=True):
        has = set(queue.of(who))
        said = sum(queue.answered(docno, who) for docno in has)
        wanting = {docno for docno, graders in queue.graders.items() if len(graders) < queue.per_pair}
        assert share == [len(has), said, queue.left(who, now), 0 if queue.closed else len(wanting - has)]
        assert figures.docnos("T1", who).docnos == {id_bytes(docno) for docno in has}


@pytest.mark.parametrize("seed", range(12))
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
