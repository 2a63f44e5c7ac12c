"""Reminders: what is in the message, and who gets none because there is nothing to do by then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.builders import Made, pooled_campaign
from tests.mail import SITE
from tests.moments import at
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, AssignmentRow, CampaignRow, MailMessageRow
from workbench.workflow.mail.messages import Message, long_date, work_left
from workbench.workflow.mail.queue import claim_next, remind
from workbench.workflow.people.mail_addresses import set_address

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
ADA = "ada@example.org"


@pytest.fixture
def made(sqlite_database: Database) -> Made:
    """Ada, who has an address, and Ben, who has none, have both topics: three documents each."""
    with sqlite_database.writing() as db:
        made, report = pooled_campaign(db)
        assign(db, report.pool.id, topics=["T1", "T2"], assessor_ids=list(made.assessors.values()))
        set_address(db, made.accounts["Ada"], ADA)
    return made


def written(db: Session) -> Message:
    with at(NOW):
        claimed = claim_next(db, SITE)
    assert not isinstance(claimed, bool)
    return claimed.message


def test_a_reminder_says_how_much_is_left_until_when_and_where(sqlite_database: Database, made: Made) -> None:
    ada = [made.accounts["Ada"]]
    with at(NOW):
        assert remind(sqlite_database, made.campaign.id, ada, date(2026, 12, 5)) == 1
    with sqlite_database.writing() as db:
        message = written(db)
    assert (message.to, message.subject) == (ADA, "Documents left to judge: Harbour")
    assert message.body == (
        "Hello Ada,\n\n"
        "you have 6 documents left to judge in the campaign\n"
        "“Harbour”.\n\n"
        "Please finish by 5 December 2026.\n\n"
        f"Continue here:\n{SITE}/c/harbour/judge\n\n"
        "The organisers of the campaign sent you this reminder.\n"
    )


def test_a_reminder_without_a_deadline_names_none(sqlite_database: Database, made: Made) -> None:
    with at(NOW):
        remind(sqlite_database, made.campaign.id, [made.accounts["Ada"]], None)
    with sqlite_database.writing() as db:
        assert "finish by" not in written(db).body


def archived(db: Session, made: Made) -> None:
    db.execute(update(CampaignRow).values(archived_at=NOW))


def disabled(db: Session, made: Made) -> None:
    db.execute(update(AccountRow).values(disabled_at=NOW))


def moved(db: Session, made: Made) -> None:
    set_address(db, made.accounts["Ada"], "ada@elsewhere.example.org")


def done(db: Session, made: Made) -> None:
    db.execute(delete(AssignmentRow))


@pytest.mark.parametrize("change", [archived, disabled, moved, done])
def test_who_has_nothing_left_or_has_left_by_then_gets_no_message(
    sqlite_database: Database, made: Made, change: Callable[[Session, Made], None]
) -> None:
    with at(NOW):
        remind(sqlite_database, made.campaign.id, [made.accounts["Ada"]], None)
    with sqlite_database.writing() as db:
        change(db, made)
        db.expire_all()
        with at(NOW):
            assert claim_next(db, SITE) is True  # written, and not needed
        assert db.scalars(select(MailMessageRow.state)).all() == ["not needed"]


@pytest.mark.parametrize(
    ("documents", "comparisons", "words"),
    [
        (1, 0, "1 document"),
        (0, 1, "1 comparison"),
        (1200, 2, "1,200 documents and 2 comparisons"),
    ],
)
def test_what_is_left_is_said_in_words(documents: int, comparisons: int, words: str) -> None:
    assert work_left(documents, comparisons) == words
    assert long_date(date(2026, 12, 15)) == "15 December 2026"
