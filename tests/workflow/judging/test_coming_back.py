"""What comes back to an adaptive pool: answers, topics, documents, and what was never to be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.workflow.judging.handed_out import happened, live_pool
from workbench.errors import NotFound
from workbench.storage.engine import Database
from workbench.storage.tables import PoolEventRow
from workbench.workflow.judging.adaptive_handout import LEASE
from workbench.workflow.judging.assignments import revoke
from workbench.workflow.judging.desk_view import desk
from workbench.workflow.judging.record import undo_last
from workbench.workflow.judging.worklists import worklist
from workbench.workflow.pools.drafts import close_pool
from workbench.workflow.pools.listing import pool_entries


def long_ago(db: Session, docno: str) -> None:
    """Let a document have been handed out before the lease began."""
    before = datetime.now(UTC) - LEASE - timedelta(minutes=1)
    db.execute(update(PoolEventRow).where(PoolEventRow.docno == docno).values(at=before))


def test_an_answer_taken_back_is_no_judgment_and_its_document_stays_with_the_assessor(db: Session) -> None:
    live = live_pool(db)
    assert live.next(db, "Ada") == "d1"
    live.say(db, "Ada", "d1", 1)
    second = live.next(db, "Ada")
    account = live.made.accounts["Ada"]
    assert second is not None
    assert undo_last(db, live.tasks["Ada"], account, client_id=str(uuid4())) == "d1"
    assert live.next(db, "Ada") == "d1"
    live.say(db, "Ada", "d1", 0)
    assert live.next(db, "Ada") == second
    assert happened(db, live)[1:] == [
        ("judged", "d1", True),
        ("handed_out", second, None),
        ("judged", "d1", None),
        ("judged", "d1", False),
    ]
    assert live.replay(db).differences == ()


def test_a_topic_that_is_taken_back_gives_its_open_document_to_others(db: Session) -> None:
    live = live_pool(db)
    first = live.next(db, "Ada")
    assert first is not None
    live.say(db, "Ada", first, 0)
    second = live.next(db, "Ada")
    revoke(db, live.made.campaign.id, live.tasks["Ada"])
    assert happened(db, live)[-1] == ("given_back", second, None)
    assert [entry.docno for entry in pool_entries(db, live.made.campaign.id, live.name)] == [first]
    assert live.next(db, "Ben") == second
    with pytest.raises(NotFound):
        live.next(db, "Ada")
    assert live.replay(db).differences == ()


def test_a_topic_given_again_goes_on_where_it_was(db: Session) -> None:
    live = live_pool(db)
    assert live.next(db, "Ada") == "d1"
    live.say(db, "Ada", "d1", 0)
    revoke(db, live.made.campaign.id, live.tasks["Ada"])
    assign(db, live.pool_id, topics=["T1"], assessor_ids=[live.made.assessors["Ada"]])
    shown = desk(db, live.tasks["Ada"], live.made.accounts["Ada"])
    assert (shown.answered, shown.total) == (1, 5)


def test_what_was_left_lying_goes_to_a_colleague_who_would_have_nothing(db: Session) -> None:
    live = live_pool(db, budget=2)
    lying = live.next(db, "Ada")
    other = live.next(db, "Ben")
    assert lying is not None
    assert other is not None
    live.say(db, "Ben", other, 0)
    # Not yet: Ada may be reading.
    assert live.next(db, "Ben") is None
    long_ago(db, lying)
    [line] = worklist(db, live.made.campaign.id, live.made.accounts["Ben"])
    assert (line.total, line.done) == (2, False)
    assert live.next(db, "Ben") == lying
    assert live.next(db, "Ada") is None
    with pytest.raises(NotFound):
        live.say(db, "Ada", lying, 1)
    assert live.replay(db).differences == ()


def test_what_was_left_lying_stays_while_there_is_something_else(db: Session) -> None:
    live = live_pool(db)
    lying = live.next(db, "Ada")
    assert lying is not None
    long_ago(db, lying)
    assert live.next(db, "Ben") not in {None, lying}
    assert live.next(db, "Ada") == lying


def test_an_answered_document_is_never_taken_back(db: Session) -> None:
    live = live_pool(db, budget=1)
    docno = live.next(db, "Ada")
    assert docno is not None
    live.say(db, "Ada", docno, None)
    long_ago(db, docno)
    assert live.next(db, "Ben") is None


def test_a_closed_pool_hands_out_nothing(db: Session) -> None:
    live = live_pool(db)
    first = live.next(db, "Ada")
    close_pool(db, live.made.campaign.id, live.name)
    assert live.next(db, "Ben") is None
    shown = desk(db, live.tasks["Ben"], live.made.accounts["Ben"])
    assert (shown.document, shown.total, shown.waits) == (None, 0, False)
    shown = desk(db, live.tasks["Ada"], live.made.accounts["Ada"])
    assert shown.document is not None
    assert (shown.document.docno, shown.total, shown.closed) == (first, 1, True)


def test_what_was_undone_with_its_transaction_is_forgotten(database: Database) -> None:
    with database.writing() as db:
        live = live_pool(db)
        assert live.next(db, "Ada") == "d1"

    for _ in range(2):
        with database.writing() as db:
            live.say(db, "Ada", "d1", 1)
            # The process has read what will never have been.
            live.next(db, "Ada")
            live.next(db, "Ben")
            db.rollback()
    with database.writing() as db:
        live.say(db, "Ada", "d1", 0)
        live.next(db, "Ada")
        live.next(db, "Ben")
        assert live.replay(db).differences == ()
