"""Deciding disputed pairs: recorded once, nobody overwritten unawares, everything kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.workflow.adjudication.disputed import AGREED, FAR, LINE, NEAR, Disputed, disputed_campaign
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.records import Answer, Judgment
from workbench.storage.adjudications import adjudicated_grades, decision_counts
from workbench.storage.engine import Database
from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow.adjudication.decisions import Decision, DecisionRecorded, DecisionSubmission, decide
from workbench.workflow.adjudication.disputes import disputed_pair
from workbench.workflow.adjudication.rules import AdjudicationRules, save_adjudication_rules
from workbench.workflow.judging.importing import import_judgments


def held(database: Database, one: Disputed) -> list[tuple[str, int | None]]:
    """All events as they were appended."""
    with database.reading() as db:
        rows = db.execute(
            select(AdjudicationEventRow.decision, AdjudicationEventRow.grade)
            .where(AdjudicationEventRow.campaign_id == one.id)
            .order_by(AdjudicationEventRow.id)
        )
        return [(decision, grade) for decision, grade in rows]


@pytest.mark.engines
def test_a_decision_keeps_what_lay_before_and_becomes_the_grade_of_the_pair(database: Database) -> None:
    with database.writing() as db:
        one = disputed_campaign(db)
        done = one.decide(db, FAR, 2, reason=" clear \0")
    with database.reading() as db:
        assert adjudicated_grades(db, one.id) == {FAR: 2}
        assert decision_counts(db, one.id) == {"grade": 1}
        row = db.get_one(AdjudicationEventRow, done.event_id)
        assert [[answer, grade] for _, _, answer, grade in row.seen] == [["grade", 0], ["grade", 3]]
        assert [who for _, who, _, _ in row.seen] == [one.made.assessors["Ada"], one.made.assessors["Ben"]]
        assert row.reason == "clear \ufffd"


def test_what_an_assessor_says_after_the_pair_was_shown_counts_as_said_since(db: Session) -> None:
    one = disputed_campaign(db)
    shown = disputed_pair(db, one.id, FAR, one.judith)
    one.say(db, "Ada", FAR, 3)
    submission = DecisionSubmission(
        Decision.GRADE, "shown-before-that", 2, seen=shown.seen, heard=shown.heard
    )
    decide(db, one.id, one.judith, FAR, submission)
    row = db.scalars(select(AdjudicationEventRow)).one()
    # Ada's 0 lay before her, and not the 3 by which nobody differs any more.
    assert sorted(grade for _, _, _, grade in row.seen) == [0, 3]
    assert disputed_pair(db, one.id, FAR, one.judith).changed


@pytest.mark.engines
def test_an_answer_that_was_not_shown_is_not_said_to_be_seen(database: Database) -> None:
    if database.embedded:
        return  # of SQLite's one writer nothing appears under a lower number
    with database.writing() as db:
        one = disputed_campaign(db)
        one.say(db, "Ben", FAR, 3)
    with database.writing() as slow:
        one.say(slow, "Ada", FAR, 2)
        with database.writing() as db:
            one.say(db, "Ben", FAR, 1)
        with database.reading() as db:
            shown = disputed_pair(db, one.id, FAR, one.judith)
    assert [opinion.now.grade for opinion in shown.opinions] == [0, 1]
    with database.writing() as db:
        submission = DecisionSubmission(
            Decision.GRADE, "without-her-two", 1, seen=shown.seen, heard=shown.heard
        )
        decide(db, one.id, one.judith, FAR, submission)
        row = db.scalars(select(AdjudicationEventRow)).one()
    assert sorted(grade for _, _, _, grade in row.seen) == [0, 1]


@pytest.mark.engines
def test_a_decision_sent_twice_is_recorded_once_and_its_id_says_nothing_else(database: Database) -> None:
    with database.writing() as db:
        one = disputed_campaign(db)
        first = one.decide(db, FAR, 2, client_id="the-same-id", seen=0)
        assert one.decide(db, FAR, 2, client_id="the-same-id", seen=0) == DecisionRecorded(
            first.event_id, True
        )
        with pytest.raises(Conflict, match="already recorded"):
            one.decide(db, FAR, 3, client_id="the-same-id", seen=0)
    assert held(database, one) == [("grade", 2)]


@pytest.mark.engines
def test_of_two_at_the_same_moment_exactly_one_is_told(database: Database) -> None:
    with database.writing() as db:
        one = disputed_campaign(db)
    together = Barrier(2)

    def go(who: int, grade: int) -> DecisionRecorded:
        together.wait(timeout=30)
        with database.writing() as db:
            return one.decide(db, FAR, grade, by=who, seen=0)

    with ThreadPoolExecutor(2) as threads:
        done = [threads.submit(go, one.judith, 0), threads.submit(go, one.jonas, 3)]
        results = [each.result(timeout=60) for each in done]
    assert sorted(each.overtaken is not None for each in results) == [False, True]
    assert len(held(database, one)) == 1


def test_what_cannot_be_decided_is_refused(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        one = disputed_campaign(db)
        with pytest.raises(WorkbenchError, match="7 is not a grade"):
            one.decide(db, FAR, 7)
        with pytest.raises(NotFound, match="nobody has judged"):
            one.decide(db, ("T2", "d2"), 1)
        with pytest.raises(WorkbenchError, match="malformed client id"):
            one.decide(db, FAR, 1, client_id="short")
        wrong = DecisionSubmission(Decision.BACK, "an-id-of-its-own", 2)
        with pytest.raises(WorkbenchError, match="no grade"):
            decide(db, one.id, one.judith, FAR, wrong)
        elsewhere = ("T2", "d/4")
        import_judgments(
            db, one.id, [Judgment("x", *elsewhere, 0), Judgment("y", *elsewhere, 3)], source="file"
        )
        with pytest.raises(WorkbenchError, match="nobody would see it"):
            one.decide(db, elsewhere, Decision.BACK)
    assert held(sqlite_database, one) == []


def test_hidden_names_are_letters_in_an_order_of_the_pairs_own(db: Session) -> None:
    names = [f"assessor {number}" for number in range(6)]
    one = disputed_campaign(db)
    said = [
        Judgment(name, topic, docno, number % 2, Answer.GRADE)
        for topic, docno in (FAR, NEAR, LINE)
        for number, name in enumerate(names)
    ]
    import_judgments(db, one.id, said, source="file")
    save_adjudication_rules(db, one.id, AdjudicationRules(names_hidden=True))
    orders = []
    for pair in (FAR, NEAR, LINE):
        voices = disputed_pair(db, one.id, pair, one.judith).opinions
        assert [voice.name for voice in voices] == list("ABCDEFGH")
        assert voices == disputed_pair(db, one.id, pair, one.jonas).opinions
        orders.append([voice.assessor_id for voice in voices])
    # Six people fall into the same order twice with a chance of 1 in 40,320.
    assert orders[0] != orders[1] != orders[2]
    assert AGREED not in (FAR, NEAR, LINE)
