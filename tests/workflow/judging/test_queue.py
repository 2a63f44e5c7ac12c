"""A queue: the next pairs that still need judging, exactly as many grades as asked, nothing lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.submitted import put_off, record
from tests.workflow.judging.queued import (
    POOL,
    Queued,
    grades,
    queued_pool,
)
from workbench.errors import Conflict, NotFound, TooLate
from workbench.records import Answer
from workbench.storage.engine import Database
from workbench.storage.tables import KeptAsideRow, MailMessageRow
from workbench.workflow import clock
from workbench.workflow.judging.assigned_work import left_to_judge
from workbench.workflow.judging.assignments import assignments_of, revoke
from workbench.workflow.judging.queues import (
    end_queue,
    give_queue,
    make_queue,
    queue_report,
    take_back,
    take_back_pair,
)
from workbench.workflow.judging.sync import Event, Outcome, receive
from workbench.workflow.judging.worklists import worklist
from workbench.workflow.mail.queue import add_test, any_due
from workbench.workflow.overview.progress import overview


def sent(queued: Queued, name: str, docno: str, grade: int) -> Event:
    """An answer as the desk sends it."""
    sent = {"assignment": queued.tasks[name], "client_id": f"client-{name}-{docno}", "docno": docno}
    return sent | {"kind": "answer", "answer": "grade", "grade": grade}


@pytest.mark.parametrize("answer", [Answer.UNSURE, Answer.CANNOT_JUDGE])
def test_who_is_unsure_or_cannot_judge_frees_the_pair_for_a_colleague(answer: Answer, db: Session) -> None:
    queued = queued_pool(db, documents=1)
    queued.take(db, "Ada")
    record(
        db,
        queued.tasks["Ada"],
        queued.made.accounts["Ada"],
        docno="D01",
        answer=answer,
        grade=None,
        client_id="not-sure-of-it",
    )
    assert queued.take(db, "Ada") == ()
    assert queued.take(db, "Ben") == ("D01",)
    # On second thought Ada grades it, but it is Ben's now.
    with pytest.raises(TooLate, match="no longer assigned to you"):
        queued.say(db, "Ada", "D01")
    queued.say(db, "Ben", "D01")
    assert grades(db) == {"D01": 1}


def test_a_second_look_counts_while_no_colleague_has_the_pair(db: Session) -> None:
    queued = queued_pool(db, documents=1)
    queued.take(db, "Ada")
    queued.say(db, "Ada", "D01", None)
    queued.say(db, "Ada", "D01", 1)
    assert queued.take(db, "Ben") == ()
    assert grades(db) == {"D01": 1}


@pytest.mark.engines
def test_undo_gives_the_pair_back_to_the_same_assessor(db: Session) -> None:
    queued = queued_pool(db, documents=2)
    queued.take(db, "Ada")
    queued.say(db, "Ada", "D01")
    queued.undo(db, "Ada", "D01")
    assert queued.take(db, "Ben") == ()
    assert "D01" in queued.has(db, "Ada")
    queued.say(db, "Ada", "D01", 0)
    assert grades(db) == {"D01": 1}


def test_undoing_unsure_gives_the_pair_back_only_while_no_colleague_has_it(db: Session) -> None:
    queued = queued_pool(db, documents=2)
    one, two = queued.take(db, "Ada")
    queued.say(db, "Ada", one, None)
    queued.say(db, "Ada", two, None)
    queued.undo(db, "Ada", one)
    assert queued.take(db, "Ben") == (two,)
    queued.undo(db, "Ada", two)
    assert queued.has(db, "Ada") == [one]


@pytest.mark.engines
def test_a_lease_ends_without_an_answer_and_only_when_somebody_needs_work(db: Session) -> None:
    queued = queued_pool(db, documents=3)
    first = queued.take(db, "Ada")
    queued.hours_later(db, 0.4)
    assert len(queued.take(db, "Ben")) == 1
    queued.hours_later(db, 0.2)
    # By now Ada's lease of half an hour is over; nothing happened as nobody asked.
    assert queued.has(db, "Ada") == list(first)
    again = queued.take(db, "Ben")
    assert len(again) == 1
    assert set(again) < set(first)
    assert queued.has(db, "Ada") == [docno for docno in first if docno not in again]


def test_a_host_whose_clock_is_fast_takes_nothing_that_is_out(
    postgresql_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgresql_database.writing() as db:
        queued = queued_pool(db, documents=1)
        (first,) = queued.take(db, "Ada")
        fast = datetime.now(UTC) + timedelta(minutes=31)
        monkeypatch.setattr(clock, "utc_now", lambda: fast)
        assert queued.take(db, "Ben") == ()
        assert queued.has(db, "Ada") == [first]
        add_test(db, "ada@example.org")
        assert any_due(db)
        assert db.scalars(select(MailMessageRow.due_at)).one() < fast - timedelta(minutes=30)


def test_answers_through_a_host_whose_clock_is_slow_renew_the_lease(
    postgresql_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgresql_database.writing() as db:
        queued = queued_pool(db, documents=2)
        one, two = queued.take(db, "Ada")
        queued.hours_later(db, 0.6)
        slow = datetime.now(UTC) - timedelta(minutes=31)
        monkeypatch.setattr(clock, "utc_now", lambda: slow)
        queued.say(db, "Ada", one)
        assert queued.take(db, "Ben") == ()
        assert two in queued.has(db, "Ada")


@pytest.mark.engines
def test_an_answer_renews_the_lease_of_all_that_the_assessor_has(db: Session) -> None:
    queued = queued_pool(db, documents=2)
    queued.take(db, "Ada")
    queued.hours_later(db, 0.4)
    queued.say(db, "Ada", "D01")
    queued.hours_later(db, 0.4)
    assert queued.take(db, "Ben") == ()


@pytest.mark.engines
def test_finished_work_is_never_abandoned(db: Session) -> None:
    queued = queued_pool(db, documents=2)
    queued.take(db, "Ada")
    queued.say(db, "Ada", "D01")
    queued.hours_later(db, 1000)
    assert queued.take(db, "Ben") == ("D02",)
    report = queue_report(db, queued.campaign_id, POOL)
    assert [(one.docno, one.assessor) for one in report.out] == [("D02", "Ben")]
    assert queued.has(db, "Ada") == ["D01"]


@pytest.mark.engines
def test_an_answer_after_the_lease_counts_while_the_pair_has_room(db: Session) -> None:
    queued = queued_pool(db, documents=1)
    queued.take(db, "Ada")
    assert take_back(db, queued.campaign_id, POOL) == 1
    assert queued.has(db, "Ada") == []
    [receipt] = receive(db, queued.made.accounts["Ada"], [sent(queued, "Ada", "D01", 1)])
    assert receipt.outcome is Outcome.RECORDED
    assert queued.take(db, "Ben") == ()


@pytest.mark.engines
def test_an_answer_after_the_lease_to_a_full_pair_is_kept_aside(db: Session) -> None:
    queued = queued_pool(db, documents=1)
    queued.take(db, "Ada")
    queued.hours_later(db, 1)
    assert queued.take(db, "Ben") == ("D01",)
    [receipt] = receive(db, queued.made.accounts["Ada"], [sent(queued, "Ada", "D01", 1)])
    assert receipt.outcome is Outcome.UNRECORDED
    # What colleagues do is for the organiser alone.
    assert receipt.why == "this document is no longer assigned to you"
    (stored,) = db.execute(select(KeptAsideRow.client_id, KeptAsideRow.why)).all()
    assert stored == (
        "client-Ada-D01",
        "the document has, or is getting, all the judgments that it needs",
    )
    queued.say(db, "Ben", "D01")
    assert grades(db) == {"D01": 1}


def test_what_is_put_off_stays_with_the_assessor_and_others_are_handed_out(db: Session) -> None:
    queued = queued_pool(db, documents=6)
    first = queued.take(db, "Ada")
    put_off(db, queued.tasks["Ada"], queued.made.accounts["Ada"], docno=first[0], client_id="later-please")
    assert len(queued.take(db, "Ada")) == 4
    assert queued.take(db, "Ben") == ()
    assert queued.coming(db, "Ada") == first[1]


def test_an_assessor_is_done_when_nothing_is_left_for_them(db: Session) -> None:
    queued = queued_pool(db, documents=3, per_pair=1)
    account = queued.made.accounts["Ada"]
    [line] = worklist(db, queued.campaign_id, account)
    assert (line.total, line.done) == (3, False)
    for _ in range(2):
        for docno in queued.take(db, "Ada"):
            queued.say(db, "Ada", docno)
    for name, total in (("Ada", 3), ("Ben", 0)):
        [line] = worklist(db, queued.campaign_id, queued.made.accounts[name])
        assert (line.total, line.done) == (total, True)
        assert left_to_judge(db, queued.campaign_id, queued.made.accounts[name]) == 0
    by = {one.name: (one.assigned, one.answered) for one in overview(db, queued.campaign_id).by_assessor}
    assert by == {"Ada": (3, 3), "Ben": (0, 0), "Cleo": (0, 0)}
    lines = {one.assessor: (one.pairs, one.answered) for one in assignments_of(db, queued.campaign_id)}
    assert lines == {"Ada": (3, 3), "Ben": (0, 0), "Cleo": (0, 0)}


def test_nobody_counts_as_finished_while_a_colleague_may_give_something_back(db: Session) -> None:
    """Else an adjudicator who judges could look at grades, and then be handed an abandoned pair."""
    queued = queued_pool(db, documents=2)
    queued.take(db, "Ada")
    ben = queued.made.accounts["Ben"]
    assert (queued.take(db, "Ben"), left_to_judge(db, queued.campaign_id, ben)) == ((), 2)
    queued.say(db, "Ada", "D01")
    assert left_to_judge(db, queued.campaign_id, ben) == 1
    # Of her own two Ada has one to answer, counted once.
    assert left_to_judge(db, queued.campaign_id, queued.made.accounts["Ada"]) == 1


@pytest.mark.engines
def test_an_open_pool_becomes_a_queue_while_people_judge_and_what_was_judged_counts(db: Session) -> None:
    queued = queued_pool(db, documents=3)
    end_queue(db, queued.campaign_id, POOL)
    assert len(queued.has(db, "Ada")) == len(queued.has(db, "Ben")) == 3
    queued.say(db, "Ada", "D02")
    make_queue(db, queued.campaign_id, POOL, 1)
    assert queued.has(db, "Ada") == ["D02"]
    assert sorted(queued.take(db, "Ben")) == ["D01", "D03"]
    # Cleo's desk is still the one from before: what nobody needs is not taken, what has room is.
    with pytest.raises(Conflict):
        queued.say(db, "Cleo", "D02")
    queued.undo(db, "Ada", "D02")
    assert queued.has(db, "Ada") == ["D02"]
    with pytest.raises(NotFound):
        queued.say(db, "Cleo", "D99")


def test_ending_a_queue_takes_back_what_is_out(db: Session) -> None:
    queued = queued_pool(db, documents=2)
    queued.take(db, "Ada")
    assert end_queue(db, queued.campaign_id, POOL) == 2
    assert end_queue(db, queued.campaign_id, POOL) == 0
    make_queue(db, queued.campaign_id, POOL, 2)
    assert queued.has(db, "Ada") == []


@pytest.mark.engines
def test_the_queue_is_given_whole_and_taken_back_by_topic(database: Database) -> None:
    with database.writing() as db:
        queued = queued_pool(db, documents=2, give=False)
    ids = queued.made.assessors
    with database.writing() as db:
        assert give_queue(db, queued.campaign_id, POOL, [ids["Ada"], ids["Ben"]]) == 2
        assert give_queue(db, queued.campaign_id, POOL, [ids["Ada"]]) == 0
        tasks = {one.assessor: one.id for one in assignments_of(db, queued.campaign_id)}
        queued = Queued(queued.made, queued.pool_id, tasks)
        assert len(queued.take(db, "Ada")) == 2
        revoke(db, queued.campaign_id, tasks["Ada"])
        assert len(queued.take(db, "Ben")) == 2


@pytest.mark.engines
def test_the_report_says_what_is_done_out_waiting_and_stuck(db: Session) -> None:
    """By hand: D01 graded by two of two; D02 by Ada, out with Ben; D03 with Ada only, so one place waits.

    Ben is unsure of D04, where Ada is handed it: one place waits for Cleo. When Cleo is unsure as well,
    nobody is left for that place.
    """
    queued = queued_pool(db, documents=4, per_pair=2)
    for name, grade in (("Ada", 1), ("Ben", 0)):
        queued.say(db, name, "D01", grade)
        queued.take(db, name)
    queued.say(db, "Ada", "D02", 1)
    queued.say(db, "Ben", "D04", None)
    ids = queued.made.assessors
    assert take_back_pair(db, queued.campaign_id, POOL, assessor_id=ids["Ben"], topic="T1", docno="D03")
    [line] = queue_report(db, queued.campaign_id, POOL).by_topic
    assert (line.pairs, line.done, line.out, line.waiting, line.stuck) == (4, 1, 3, 2, 0)
    assert (line.given, line.needed) == (3, 8)
    report = queue_report(db, queued.campaign_id, POOL)
    assert sorted((one.docno, one.assessor) for one in report.out) == [
        ("D02", "Ben"),
        ("D03", "Ada"),
        ("D04", "Ada"),
    ]
    assert not any(one.abandoned for one in report.out)
    assert report.assessors == ("Ada", "Ben", "Cleo")
    queued.say(db, "Cleo", "D04", None)
    assert queue_report(db, queued.campaign_id, POOL).stuck == 1
    assert take_back(db, queued.campaign_id, POOL, assessor="Ada") == 2
    assert not take_back_pair(db, queued.campaign_id, POOL, assessor_id=ids["Ada"], topic="T1", docno="D03")
    with pytest.raises(NotFound):
        take_back(db, queued.campaign_id, POOL, assessor="Nobody")
