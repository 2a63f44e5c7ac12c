"""The judgment log: what a process knows of the events is what the database has, however it was taken in."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.event import listen as event_of
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from tests.workflow.judging.desk_days import Day, day
from workbench.agreement.ratings import UNSURE
from workbench.storage.engine import Database
from workbench.storage.events import AnswerColumns, append_events, current_events
from workbench.workflow import large_campaigns
from workbench.workflow.log import CODES, answers_by_topic, folded, no_answers
from workbench.workflow.overview.progress import overview

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
            known(db, ada)
        known(earlier, ada)
    with database.reading() as db:
        assert known(db, ada)["T1"] == [("d1", ada.made.assessors["Ada"], 2)]


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


SAID = ["0", "2", "unsure", "cannot_judge", "withdrawn", "later"]
EVENTS = st.lists(
    st.tuples(st.sampled_from([3, 5, 40]), st.sampled_from(["d1", "d10", "ä"]), st.sampled_from(SAID))
)


def columns(events: list[tuple[int, int, str, str]]) -> list[AnswerColumns]:
    """Events (number, assessor, docno, answer) as the database joins them: by assessor, in any order."""
    found = []
    for who in {one for _, one, _, _ in events}:
        own = [event for event in reversed(events) if event[1] == who]
        numbers, _, docnos, answers = (list(column) for column in zip(*own, strict=True))
        ids = np.array(numbers, np.int64)
        found.append(AnswerColumns(who, "T1", [one.encode() for one in docnos], answers, ids, False))
    return found


@given(EVENTS, st.data())
def test_folding_in_any_cuts_gives_the_last_answer_of_each_assessor(
    drawn: list[tuple[int, str, str]], data: st.DataObject
) -> None:
    events = [(number, *one) for number, one in enumerate(drawn, start=1)]
    last = {(docno.encode(), who): said for _, who, docno, said in events}
    codes = {
        one: CODES.get(said) if said in CODES else int(said)
        for one, said in last.items()
        if said in CODES or said.isdigit()
    }
    cuts = data.draw(st.sets(st.integers(0, len(events))))
    answers, begin = no_answers("T1"), 0
    for end in (*sorted(cuts), len(events)):
        # What was taken in before may come again with what is new.
        answers = folded(answers, columns(events[data.draw(st.integers(0, begin)) : end]))
        begin = end
    docnos = answers.joined.split(b"\n")
    rows = zip(answers.places.tolist(), answers.assessors.tolist(), answers.codes.tolist(), strict=True)
    assert [((docnos[place], who), code) for place, who, code in rows] == sorted(codes.items())
    assert answers.documents == len({docno for docno, _ in codes})
    assert answers.put_off == {one for one, said in last.items() if said == "later"}


def test_a_server_knows_large_campaigns_before_anybody_asks(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.writing() as db:
        ada = day(db)
        append_events(db, [event(ada, "event-1", "d1")])
    monkeypatch.setattr(large_campaigns, "LARGE", 1)
    large_campaigns.know_large(database, overview)
    asked: list[str] = []
    with database.reading() as db:
        event_of(db.get_bind(), "before_cursor_execute", lambda *given: asked.append(given[2]))
        assert known(db, ada) == {"T1": [("d1", ada.made.assessors["Ada"], 1)]}
    # The campaign, and the newest event of each assessor; no other event.
    assert len([one for one in asked if one.startswith("SELECT")]) == 2
