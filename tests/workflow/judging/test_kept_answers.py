"""What the database keeps of current answers is what its events say, and a new process need not read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from tests.workflow.judging.desk_days import Day, day
from tests.workflow.judging.test_current_answers import event, known
from tests.workflow.judging.test_saving_plans import Statements
from workbench.agreement.ratings import UNSURE
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.storage.kept_answers import KeptAnswers, keep_answers, kept_answers, kept_mark
from workbench.storage.tables import JudgmentEventRow, KeptAnswersRow
from workbench.workflow.pools import current_answers
from workbench.workflow.pools.current_answers import answers_by_topic, differing_topics, keep_current
from workbench.workflow.pools.topic_reading import TopicReading
from workbench.workflow.upkeep.record_checks import check_kept


@pytest.fixture(autouse=True)
def _kept_at_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    forget(database)  # the campaign of another test
    monkeypatch.setattr(current_answers, "FEWEST_NEW", 1)
    monkeypatch.setattr(current_answers, "UNSETTLED", 0)
    monkeypatch.setattr("workbench.storage.kept_answers.UNSETTLED", 0)


def filled(database: Database) -> Day:
    """Ada's answers to two documents of T1 and one of T2, kept."""
    with database.writing() as db:
        ada = day(db)
        answers = [event(ada, "e-1", "d1", grade=3), event(ada, "e-2", "d2"), event(ada, "e-3", "d1")]
        append_events(db, [*answers, event(ada, "e-4", "d9", topic="T2", answer="unsure", grade=None)])
    keep(database, ada)
    return ada


def keep(database: Database, ada: Day) -> None:
    """What the process that answers does after a page that counts."""
    with database.reading() as db:
        answers_by_topic(db, ada.made.campaign.id)
    keep_current(database)


def forget(database: Database) -> None:
    """As a process that has just started."""
    current_answers._STORES.pop(database.engine.pool, None)


def reads_events(db: Session, ada: Day) -> int:
    """How many rows of events a new process reads to know all that is current."""
    with Statements(db) as seen:
        known(db, ada)
    return sum("judgment_event.docno" in statement for statement, *_ in seen)


@pytest.mark.engines
def test_a_new_process_begins_with_what_is_kept_and_reads_the_topics_changed_since(
    database: Database,
) -> None:
    ada = filled(database)
    number = ada.made.assessors["Ada"]
    unsure = ("d9", number, UNSURE)
    forget(database)
    with database.reading() as db:
        assert reads_events(db, ada) == 0
        assert known(db, ada) == {"T1": [("d1", number, 1), ("d2", number, 1)], "T2": [unsure]}
    with database.writing() as db:
        append_events(db, [event(ada, "e-5", "d2", grade=2)])
        append_events(db, [event(ada, "e-6", "d1", answer="withdrawn", grade=None)])
    forget(database)
    with database.reading() as db:
        assert reads_events(db, ada) == 1  # of T1
        assert known(db, ada) == {"T1": [("d2", number, 2)], "T2": [unsure]}
        assert differing_topics(db, ada.made.campaign.id) == ()
    # A transaction that writes sees the same, and its own.
    with database.writing() as db:
        append_events(db, [event(ada, "e-7", "d7", topic="T2", grade=3)])
        assert known(db, ada) == {"T1": [("d2", number, 2)], "T2": [("d7", number, 3), unsure]}


@pytest.mark.engines
def test_what_is_kept_equals_what_all_events_say_after_any_of_them(database: Database) -> None:
    random = np.random.default_rng(16)
    with database.writing() as db:
        ada = day(db)
    campaign, number = ada.made.campaign.id, 0
    for _ in range(6):
        events = []
        for _ in range(5):
            number += 1
            answer = ("grade", "unsure", "withdrawn", "later", "cannot_judge")[int(random.integers(0, 5))]
            said: dict[str, Any] = {"answer": answer, "grade": 1 if answer == "grade" else None}
            said["topic"] = f"T{random.integers(1, 4)}"
            said["purpose"] = "discussion" if random.random() < 0.1 else "judging"
            events.append(event(ada, f"e-{number}", f"d{random.integers(1, 4)}", **said))
        with database.writing() as db:
            append_events(db, events)
        if random.random() < 0.5:
            forget(database)
        keep(database, ada)
        with database.reading() as db:
            assert kept_mark(db, campaign) == db.scalar(select(func.max(JudgmentEventRow.id)))
            assert differing_topics(db, campaign) == ()


def test_portions_leave_the_mark_until_the_last_one(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(current_answers, "PORTION_BYTES", 1)
    written: list[KeptAnswers] = []

    def noted(db: Session, campaign_id: int, kept: KeptAnswers, *, since: int) -> bool:
        written.append(kept)
        return keep_answers(db, campaign_id, kept, since=since)

    monkeypatch.setattr(current_answers, "keep_answers", noted)
    filled(database)
    # Each topic in a transaction of its own: 3 events of T1, then T2's with the number 4.
    assert [(part.mark, list(part.topics)) for part in written] == [(0, ["T1"]), (4, ["T2"])]


def test_who_comes_second_keeps_nothing(database: Database) -> None:
    ada = filled(database)
    with database.writing() as db:
        campaign = ada.made.campaign.id
        before = kept_answers(db, campaign)
        assert not keep_answers(db, campaign, KeptAnswers(9, {"T1": b"older"}), since=before.mark - 1)
        assert kept_answers(db, campaign) == before


NOTHING = TopicReading("T1").arrays().packed()


@pytest.mark.parametrize("content", [b"", b"x", NOTHING])
def test_what_was_changed_behind_the_program_is_found(database: Database, content: bytes) -> None:
    ada = filled(database)
    with database.writing() as db:
        db.execute(update(KeptAnswersRow).where(KeptAnswersRow.topic == "T1").values(content=content))
    with database.reading() as db:
        assert {finding.code for finding in check_kept(db)} == {"kept-answers"}
    forget(database)
    if len(content) < 2:
        # What cannot be read is counted from the events.
        with database.reading() as db:
            assert set(known(db, ada)) == {"T1", "T2"}


@pytest.mark.engines
def test_nothing_is_kept_while_a_number_may_still_appear(database: Database) -> None:
    if database.embedded:
        return  # of SQLite's one writer the numbers appear in their order
    ada = filled(database)
    campaign = ada.made.campaign.id
    with database.writing() as slow:
        append_events(slow, [event(ada, "slow", "d5", grade=3)])
        with database.writing() as db:
            append_events(db, [event(ada, "quick", "d6", grade=2)])
        keep(database, ada)
        with database.reading() as db:
            assert kept_mark(db, campaign) == 4
    keep(database, ada)
    with database.reading() as db:
        assert kept_mark(db, campaign) == 6
        assert differing_topics(db, campaign) == ()
