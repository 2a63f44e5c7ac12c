"""The answers of topics that a process knows are those of the database, and only what is new is read."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from tests.workflow.judging.desk_days import Day, day
from workbench.agreement.ratings import UNSURE
from workbench.storage.engine import Database
from workbench.storage.events import append_events, current_events
from workbench.workflow.pools.current_answers import answers_by_topic, changes_of

pytestmark = pytest.mark.engines


def known(db: Session, ada: Day) -> dict[str, list[tuple[str, int, int]]]:
    """Docno, assessor and code of the answers of every topic."""
    found = {}
    for topic, answers in answers_by_topic(db, ada.made.campaign.id).items():
        docnos = [answers.docnos[place] for place in answers.places.tolist()]
        rows = zip(docnos, answers.assessors.tolist(), answers.codes.tolist(), strict=True)
        found[topic] = list(rows)
    return found


def event(ada: Day, client_id: str, docno: str, **said: Any) -> dict[str, Any]:
    """An event of Ada in T1 as it is appended."""
    place = {"campaign_id": ada.made.campaign.id, "assessor_id": ada.made.assessors["Ada"], "topic": "T1"}
    beside = {"reason": "", "comment": "", "source": "screen", "purpose": "judging"}
    answer = {"answer": "grade", "grade": 1, "recorded_at": datetime.now(UTC)}
    return {**place, **beside, **answer, "docno": docno, "client_id": client_id, **said}


def test_what_is_read_at_once_is_what_the_events_say_one_by_one(database: Database) -> None:
    draw = random.Random(7)
    docnos = ["d1", "d2", "d10", "ä", "\uffff", "\U00010000"]
    said = [("grade", 0), ("grade", 3), ("unsure", None), ("withdrawn", None), ("later", None)]
    with database.writing() as db:
        ada = day(db)
        people = sorted(ada.made.assessors.values())
        events = []
        for number in range(300):
            answer, grade = draw.choice(said)
            where = {"topic": draw.choice(["T1", "T2"]), "assessor_id": draw.choice(people)}
            one = event(ada, f"event-{number}", draw.choice(docnos), answer=answer, grade=grade, **where)
            events.append(one | {"purpose": draw.choice(["judging", "judging", "repeat"])})
        append_events(db, events)
    expected: dict[str, list[tuple[str, int, int]]] = {}
    with database.reading() as db:
        for row in current_events(db, ada.made.campaign.id):
            code = UNSURE if row.grade is None else row.grade
            expected.setdefault(row.topic, []).append((row.docno, row.assessor_id, code))
        by_bytes = {
            topic: sorted(rows, key=lambda row: (row[0].encode(), row[1])) for topic, rows in expected.items()
        }
        assert known(db, ada) == by_bytes
    # A topic that is read alone, after a save, says the same.
    with database.writing() as db:
        append_events(db, [event(ada, "event-last", "d3", grade=1)])
    with database.reading() as db:
        number = ada.made.assessors["Ada"]
        by_bytes["T1"] = sorted(
            [*by_bytes["T1"], ("d3", number, 1)], key=lambda row: (row[0].encode(), row[1])
        )
        assert known(db, ada) == by_bytes


def test_what_is_not_committed_is_known_to_its_transaction_alone(database: Database) -> None:
    with database.writing() as db:
        ada = day(db)
    with database.reading() as db:
        assert known(db, ada) == {}
    with database.writing() as db:
        ada.send(db, ada.event("event-01", "d1", grade=2))
        assert known(db, ada) == {"T1": [("d1", ada.made.assessors["Ada"], 2)]}
        db.rollback()
    with database.reading() as db:
        assert known(db, ada) == {}


def test_a_transaction_that_began_earlier_makes_nothing_older(database: Database) -> None:
    with database.writing() as db:
        ada = day(db)
    with database.reading() as earlier:
        assert known(earlier, ada) == {}
        with database.writing() as db:
            ada.send(db, ada.event("event-01", "d1", grade=2))
        with database.reading() as db:
            version = changes_of(db, ada.made.campaign.id)
            assert changes_of(earlier, ada.made.campaign.id) not in {version, 0}
        known(earlier, ada)
    with database.reading() as db:
        assert known(db, ada)["T1"] == [("d1", ada.made.assessors["Ada"], 2)]
        assert changes_of(db, ada.made.campaign.id) == version


def test_an_event_that_appears_after_one_with_a_higher_number_is_taken_in(database: Database) -> None:
    if database.embedded:
        return  # of SQLite's one writer the numbers appear in their order
    with database.writing() as db:
        ada = day(db)
    with database.reading() as db:
        known(db, ada)
    ben = ada.made.assessors["Ben"]
    with database.writing() as slow:
        append_events(slow, [event(ada, "event-01", "d1", grade=3)])
        with database.writing() as db:
            append_events(db, [event(ada, "event-02", "d2", grade=2) | {"assessor_id": ben}])
        with database.reading() as db:
            assert [docno for docno, _, _ in known(db, ada)["T1"]] == ["d2"]
    with database.reading() as db:
        assert [docno for docno, _, _ in known(db, ada)["T1"]] == ["d1", "d2"]


def test_events_of_an_assessor_appear_in_the_order_of_their_numbers(database: Database) -> None:
    if database.embedded:
        return
    with database.writing() as db:
        ada = day(db)
    with database.writing() as stalled:
        append_events(stalled, [event(ada, "event-01", "d1", grade=3)])
        # However long an import rests before its commit, nothing of the same assessor overtakes it.
        with database.writing() as db:
            db.execute(text("set local lock_timeout = 200"))
            with pytest.raises(OperationalError, match="lock timeout"):
                append_events(db, [event(ada, "event-02", "d2", grade=2)])
            db.rollback()
