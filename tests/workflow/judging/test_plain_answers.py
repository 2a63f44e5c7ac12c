"""A plain answer is recorded as every other is, only sooner; what is not plain is left alone."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from tests.workflow.judging.desk_days import Day, day
from workbench.storage.engine import Database
from workbench.storage.tables import (
    AccountRow,
    AssignmentRow,
    CampaignRow,
    JudgmentEventRow,
    MemberRow,
    PoolRow,
)
from workbench.workflow.clock import utc_now
from workbench.workflow.judging import sync
from workbench.workflow.judging.plain_answers import record_plainly
from workbench.workflow.judging.queues import make_queue
from workbench.workflow.judging.submission import read_submission
from workbench.workflow.judging.sync import receive

SENT: tuple[dict[str, Any], ...] = (
    {"grade": 2, "active_ms": 900, "reason": " why ", "comment": "so", "shown_sha256": "a" * 64},
    {"grade": 3, "before": "event-01", "evidence": [[0, 4, "text"]], "ratings": {"Readability": 1}},
    {"grade": 1, "said_at": "2026-03-01T12:00:00+02:00", "subtopics": ["a"]},
    {"answer": "unsure", "kind": "answer"},
)


def rows(db: Session) -> list[dict[str, Any]]:
    """Every event without what differs each time."""
    table = JudgmentEventRow.__table__
    found = db.execute(select(table).order_by(table.c.id)).mappings()
    return [
        {name: value for name, value in row.items() if name not in {"id", "recorded_at"}} for row in found
    ]


@pytest.mark.engines
@pytest.mark.parametrize("plainly", [True, False])
def test_both_ways_tell_of_the_other_screen(
    database: Database, plainly: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not plainly:
        monkeypatch.setattr(sync, "record_plainly", lambda *_: None)
    with database.writing() as db:
        ada = day(db)
        events = [ada.event(f"event-0{at}", "d1", **sent) for at, sent in enumerate(SENT, start=1)]
        receipts = receive(db, ada.ada, events)
        assert [str(one.outcome) for one in receipts] == ["recorded"] * 4
        # The second knew of the first; the third and the fourth believed that there was nothing.
        seen = [one.elsewhere and one.elsewhere.grade for one in receipts]
        assert seen == [None, None, 3, 1]


@pytest.mark.engines
def test_both_ways_make_the_same_event(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for plainly in (True, False):
        if not plainly:
            monkeypatch.setattr(sync, "record_plainly", lambda *_: None)
        with database.writing() as db:
            ada = day(db)
            events = [ada.event(f"event-0{at}", "d2", **sent) for at, sent in enumerate(SENT, start=1)]
            receive(db, ada.ada, events)
            found.append(rows(db))
            db.rollback()
    numbered = {"campaign_id", "assessor_id", "assignment_id", "seed"}
    plain, long = ([{key: one[key] for key in one if key not in numbered} for one in each] for each in found)
    assert len(plain) == len(SENT)
    assert plain == long


def plain(db: Session, ada: Day, docno: str = "d1", **sent: Any) -> bool:
    """Whether an answer is recorded as a plain one."""
    submission = read_submission(ada.event("event-01", docno, **sent))
    return record_plainly(db, ada.assignment, ada.ada, submission) is not None


def revoked(db: Session, ada: Day) -> None:
    db.execute(update(AssignmentRow).values(revoked_at=utc_now(None)))


def closed(db: Session, ada: Day) -> None:
    db.execute(update(PoolRow).values(closed_at=utc_now(None)))


def archived(db: Session, ada: Day) -> None:
    db.execute(update(CampaignRow).values(archived_at=utc_now(None)))


def disabled(db: Session, ada: Day) -> None:
    db.execute(update(AccountRow).values(disabled_at=utc_now(None)))


def no_assessor(db: Session, ada: Day) -> None:
    db.execute(update(MemberRow).where(MemberRow.account_id == ada.ada).values(role="viewer"))


def checked(db: Session, ada: Day) -> None:
    db.execute(update(CampaignRow).values(desk_rules={"probes": {"one_in": 5}}))


def queued(db: Session, ada: Day) -> None:
    make_queue(db, ada.made.campaign.id, ada.pool, 1)


@pytest.mark.parametrize(
    "change",
    [revoked, closed, archived, disabled, no_assessor, checked, queued],
    ids=lambda one: one.__name__,
)
def test_what_is_not_plain_any_more_is_left_to_the_long_way(database: Database, change: Any) -> None:
    with database.writing() as db:
        ada = day(db)
        change(db, ada)
        assert not plain(db, ada, grade=1)
        assert rows(db) == []


def test_only_a_new_answer_to_an_own_document_is_plain(database: Database) -> None:
    with database.writing() as db:
        ada = day(db)
        assert not plain(db, ada, "d6", grade=1)
        assert not plain(db, ada, grade=9)
        assert not plain(db, ada, kind="later")
        assert rows(db) == []
        assert plain(db, ada, grade=1)
        assert not plain(db, ada, grade=1)
        assert len(rows(db)) == 1
