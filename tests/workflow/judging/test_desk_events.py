"""The desk's events: in order, once each, and what cannot be recorded is kept aside, never dropped."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError

from tests.workflow.judging.desk_days import day, kept, said
from tests.workflow.judging.handed_out import live_pool
from workbench.records import Answer
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, JudgmentEventRow
from workbench.workflow.judging import sync
from workbench.workflow.judging.assignments import revoke
from workbench.workflow.judging.current_judgments import current_judgments
from workbench.workflow.judging.desk_view import desk
from workbench.workflow.judging.submission import read_submission
from workbench.workflow.judging.sync import Outcome, receive
from workbench.workflow.people.membership import Role, remove_role
from workbench.workflow.pools.drafts import close_pool

SHA = "a" * 64


@pytest.mark.engines
def test_events_are_recorded_in_the_order_in_which_they_were_sent(database: Database) -> None:
    with database.writing() as db:
        ada = day(db)
        assert (
            ada.outcomes(
                db,
                ada.event("event-01", "d/4", grade=3),
                ada.event("event-02", "d1", grade=0),
                ada.event("event-03", "d1", kind="undo"),
                ada.event("event-04", "d1", answer="unsure", kind="answer"),
                ada.event("event-05", "d2", kind="later"),
                ada.event("event-06", "d2", kind="answer", answer="cannot_judge", reason="broken"),
            )
            == ["recorded"] * 6
        )
        assert said(db) == [
            ("d/4", "grade", 3),
            ("d1", "grade", 0),
            ("d1", "withdrawn", None),
            ("d1", "unsure", None),
            ("d2", "later", None),
            ("d2", "cannot_judge", None),
        ]
        held = {(one.docno, one.answer, one.grade) for one in current_judgments(db, ada.made.campaign.id)}
        assert held == {
            ("d/4", Answer.GRADE, 3),
            ("d1", Answer.UNSURE, None),
            ("d2", Answer.CANNOT_JUDGE, None),
        }


@pytest.mark.engines
def test_what_is_sent_again_is_recorded_once(database: Database) -> None:
    with database.writing() as db:
        ada = day(db)
        events = [
            ada.event("event-01", "d/4", grade=1),
            ada.event("event-02", "d/4", kind="undo"),
            ada.event("event-03", "d1", kind="later"),
            ada.event("event-04", "d2", grade=2),
            ada.event("event-05", "d2", kind="comment", comment="a table"),
        ]
        assert ada.outcomes(db, *events) == ["recorded"] * 5
        assert ada.outcomes(db, *events) == ["repeated"] * 5
        assert len(said(db)) == 5
        assert kept(db) == []


def test_an_event_carries_all_that_the_screen_knew(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = day(db)
        ada.send(
            db,
            ada.event(
                "event-01",
                "d1",
                grade=2,
                comment=" read twice\0 ",
                active_ms=4200,
                shown_sha256=SHA,
                said_at="1999-12-31T23:59:59.5-01:00",
            ),
        )
        event = db.scalars(select(JudgmentEventRow)).one()
        assert (event.comment, event.active_ms, event.document_sha256) == ("read twice\ufffd", 4200, SHA)
        assert (event.position, event.source, event.assignment_id) == (2, "screen", ada.assignment)
        # A clock may say anything: it is kept, and orders nothing.
        assert event.said_at == datetime(2000, 1, 1, 0, 59, 59, 500000, tzinfo=UTC)
        assert datetime.now(UTC) - event.recorded_at < timedelta(minutes=1)


@pytest.mark.parametrize(
    "clock", ["", "yesterday", "2026-01-01T00:00:00", "0001-01-01T00:00:00+14:00", 7, None]
)
def test_a_clock_that_says_nothing_is_no_reason_to_refuse(sqlite_database: Database, clock: object) -> None:
    with sqlite_database.writing() as db:
        ada = day(db)
        assert ada.outcomes(db, ada.event("event-01", "d1", grade=2, said_at=clock)) == ["recorded"]
        assert db.scalar(select(JudgmentEventRow.said_at)) is None


def test_the_screen_is_told_what_another_screen_had_said_and_the_latest_counts(database: Database) -> None:
    with database.writing() as db:
        ada = day(db)
        first, second, third, fourth = ada.send(
            db,
            ada.event("screen-a-1", "d1", grade=2),
            ada.event("screen-b-1", "d1", grade=0, before=""),
            # The same screen, which knows what it said itself.
            ada.event("screen-b-2", "d1", grade=1, before="screen-b-1"),
            ada.event("screen-a-2", "d1", kind="undo", before="screen-a-1"),
        )
        assert first.elsewhere is None
        assert second.elsewhere is not None
        assert (second.elsewhere.answer, second.elsewhere.grade) == (Answer.GRADE, 2)
        assert third.elsewhere is None
        assert fourth.elsewhere is not None
        assert fourth.elsewhere.grade == 1
        assert current_judgments(db, ada.made.campaign.id) == ()
        # Asked again after a lost receipt it says the same.
        (again,) = ada.send(db, ada.event("screen-b-1", "d1", grade=0, before=""))
        assert (again.outcome, again.elsewhere) == (Outcome.REPEATED, second.elsewhere)


def test_a_document_put_off_comes_after_the_others_and_then_in_the_order_of_being_put_off(
    database: Database,
) -> None:
    with database.writing() as db:
        ada = day(db)

        def next_docno() -> str | None:
            document = desk(db, ada.assignment, ada.ada).document
            return document.docno if document else None

        ada.send(db, ada.event("event-01", "d/4", kind="later"), ada.event("event-02", "d1", kind="later"))
        assert next_docno() == "d2"
        ada.send(db, ada.event("event-03", "d2", grade=0))
        assert next_docno() == "d/4"
        ada.send(db, ada.event("event-04", "d/4", kind="later"))
        assert next_docno() == "d1"
        ada.send(db, ada.event("event-05", "d1", grade=0), ada.event("event-06", "d/4", grade=0))
        assert next_docno() is None
        # What has an answer is not put off: that would take the answer back.
        assert ada.outcomes(db, ada.event("event-07", "d1", kind="later")) == ["kept_aside"]


def test_a_comment_says_again_what_holds(database: Database) -> None:
    with database.writing() as db:
        ada = day(db)
        ada.send(
            db,
            ada.event("event-01", "d1", answer="cannot_judge", kind="answer", reason="broken"),
            ada.event("event-02", "d1", kind="comment", comment="half a page"),
        )
        event = db.scalars(select(JudgmentEventRow).order_by(JudgmentEventRow.id.desc()).limit(1)).one()
        assert (event.answer, event.reason, event.comment) == ("cannot_judge", "broken", "half a page")
        assert ada.outcomes(db, ada.event("event-03", "d2", kind="comment", comment="?")) == ["kept_aside"]


def test_the_events_of_a_closed_pool_are_kept_aside_one_by_one(database: Database) -> None:
    with database.writing() as db:
        ada = day(db)
        ada.send(db, ada.event("event-01", "d1", grade=1))
        close_pool(db, ada.made.campaign.id, ada.pool)
        late = ada.event("event-02", "d2", grade=3, comment="late\ud800\0", more={"a": [1, float("inf")]})
        # What was recorded before it was closed is answered as before.
        assert ada.outcomes(db, ada.event("event-01", "d1", grade=1), late) == ["repeated", "kept_aside"]
        assert ada.outcomes(db, late) == ["kept_aside"]
        assert kept(db) == [("event-02", "this pool is closed")]
        assert said(db) == [("d1", "grade", 1)]


def test_a_revoked_topic_a_disabled_account_and_a_foreign_document_keep_aside(database: Database) -> None:
    with database.writing() as db:
        ada = day(db)
        assert ada.outcomes(
            db,
            ada.event("event-01", "d6", grade=1),
            ada.event("event-02", "d1", grade=9),
            ada.event("event-03", "d1", kind="answer", answer="perhaps"),
            ada.event("event-04", "d1", kind="shrug"),
            ada.event("event-05", "d1", grade=1),
        ) == ["kept_aside"] * 4 + ["recorded"]
        revoke(db, ada.made.campaign.id, ada.assignment)
        assert ada.outcomes(db, ada.event("event-06", "d2", grade=1)) == ["kept_aside"]
        remove_role(db, ada.made.campaign.id, ada.ada, Role.ASSESSOR)
        assert ada.outcomes(db, ada.event("event-08", "d2", grade=1)) == ["kept_aside"]
        db.execute(update(AccountRow).where(AccountRow.id == ada.ada).values(disabled_at=datetime.now(UTC)))
        db.expire_all()
        assert ada.outcomes(db, ada.event("event-07", "d2", grade=1)) == ["kept_aside"]
        assert [why for _, why in kept(db)] == [
            "this document is not in your part of the pool",
            "9 is not a grade of this scale",
            "unknown answer: 'perhaps'",
            "unknown kind of event: 'shrug'",
            "this is no longer assigned to you",
            "no longer an assessor of this campaign",
            "the account is disabled",
        ]


def test_what_was_never_this_accounts_to_say_is_refused_and_kept_nowhere(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        ada = day(db)
        foreign = ada.event("event-01", "d1", grade=1)
        ben = ada.made.accounts["Ben"]
        assert [one.outcome for one in receive(db, ben, [foreign])] == [Outcome.REFUSED]
        assert ada.outcomes(db, ada.event("short", "d1", grade=1)) == ["refused"]
        assert (said(db), kept(db)) == ([], [])


def test_in_an_adaptive_pool_an_answer_counts_and_nothing_is_put_off(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        live = live_pool(db)
        first = live.next(db, "Ada")
        assert first is not None
        ada, task = live.made.accounts["Ada"], live.tasks["Ada"]
        later = {"assignment": task, "client_id": "event-01", "docno": first, "kind": "later"}
        answer = later | {"client_id": "event-02", "kind": "answer", "answer": "grade", "grade": 1}
        outcomes = [one.outcome for one in receive(db, ada, [later, answer])]
        assert outcomes == [Outcome.UNRECORDED, Outcome.RECORDED]
        assert live.next(db, "Ada") not in {None, first}


@pytest.mark.engines
def test_a_docno_that_no_database_stores_stops_nothing_behind_it(database: Database) -> None:
    with database.writing() as db:
        ada = day(db)
        events = (
            ada.event("event-01", "\udcff", grade=1),
            ada.event("event-02", "nul\0", grade=1),
            ada.event("event-03", "d1", grade=2, reason="\ud800", comment="\0"),
        )
        assert ada.outcomes(db, *events) == ["kept_aside", "kept_aside", "recorded"]
        assert [why for _, why in kept(db)] == ["no document has this docno"] * 2
        assert said(db) == [("d1", "grade", 2)]


@pytest.mark.engines
def test_an_event_that_fails_unforeseen_is_kept_and_those_behind_it_are_recorded(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails_on_two(sent: Any, **how: Any) -> Any:
        if sent["client_id"] == "event-02":
            raise KeyError("nobody thought of this")
        return read_submission(sent, **how)

    monkeypatch.setattr(sync, "read_submission", fails_on_two)
    with database.writing() as db:
        ada = day(db)
        events = [ada.event(f"event-0{number}", "d1", grade=number) for number in (1, 2, 3)]
        receipts = receive(db, ada.ada, events)
        assert [str(one.outcome) for one in receipts] == ["recorded", "kept_aside", "recorded"]
        assert kept(db) == [("event-02", "it cannot be recorded (KeyError)")]


@pytest.mark.engines
def test_a_database_that_does_not_answer_is_no_fault_of_an_event(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: Any, **__: Any) -> None:
        raise OperationalError("insert", {}, Exception("database is locked"))

    monkeypatch.setattr(sync, "record_own", locked)
    with database.writing() as db:
        ada = day(db)
        with pytest.raises(OperationalError):
            ada.send(db, ada.event("event-01", "d1", grade=1))
        assert kept(db) == []


@pytest.mark.engines
def test_what_was_recorded_is_recognised_after_the_topic_was_taken_back(database: Database) -> None:
    with database.writing() as db:
        ada = day(db)
        first = ada.event("event-01", "d1", grade=1)
        ada.send(db, first)
        revoke(db, ada.made.campaign.id, ada.assignment)
        other = ada.event("event-01", "d2", grade=1)  # its id belongs to what was said of d1
        assert ada.outcomes(db, first, ada.event("event-02", "d2", grade=1), other) == [
            "repeated",
            "kept_aside",
            "kept_aside",
        ]
        remove_role(db, ada.made.campaign.id, ada.ada, Role.ASSESSOR)
        db.execute(update(AccountRow).values(disabled_at=datetime.now(UTC)))
        assert ada.outcomes(db, first) == ["repeated"]
        assert said(db) == [("d1", "grade", 1)]
        assert [client_id for client_id, _ in kept(db)] == ["event-02", "event-01"]
