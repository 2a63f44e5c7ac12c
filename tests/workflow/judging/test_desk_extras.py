"""What goes with a judgment beside its grade: kept, said again, never lost, exported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import JSON, select, update
from sqlalchemy.orm import Session

from tests.workflow.judging.desk_days import Day, day, kept
from workbench.errors import Conflict, InvalidInput, WorkbenchError
from workbench.records import Topic
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow, KeptAsideRow, PoolRow
from workbench.workflow.campaigns.collection import load_topics, topics_of
from workbench.workflow.judging.current_judgments import (
    TickedBy,
    annotated_judgments,
    judgment_json,
    subtopic_judgments,
)
from workbench.workflow.judging.desk_rules import (
    DeskQuestions,
    Question,
    desk_questions_of,
    questions_as_text,
    read_questions,
    save_desk_questions,
)
from workbench.workflow.judging.desk_view import desk, work_of
from workbench.workflow.judging.submission import Annotations, Passage, read_annotations
from workbench.workflow.judging.task import annotations_of
from workbench.workflow.judging.unrecorded import Settlement, settle, unrecorded_lines

EVERYTHING: dict[str, Any] = {
    "evidence": [[3, 8, "tides"], [20, 25, "höhe\0"]],
    "ratings": {"Readability": 2},
    "subtopics": ["1", "b"],
}
SAID = Annotations((Passage(3, 8, "tides"), Passage(20, 25, "höhe\ufffd")), {"Readability": 2}, ("1", "b"))


@pytest.fixture
def db(sqlite_database: Database) -> Iterator[Session]:
    """A transaction on the embedded database: what differs between databases is in the first test."""
    with sqlite_database.writing() as session:
        yield session


def holds(db: Session, made: Day, docno: str = "d1") -> Annotations:
    """What goes with Ada's answer, as her desk has it."""
    current = desk(db, made.assignment, made.ada, docno=docno).current
    assert current is not None
    return current.extras


def test_everything_that_goes_with_a_grade_is_kept_and_shown_on_return(database: Database) -> None:
    with database.writing() as db:
        made = day(db)
        assert made.outcomes(db, made.event("event-001", "d1", grade=2, **EVERYTHING)) == ["recorded"]
        assert holds(db, made) == SAID
        assert [one.extras for one in work_of(db, made.assignment, made.ada).answers] == [SAID]


@pytest.mark.engines
def test_events_with_nothing_beside_them_are_not_read_for_it(database: Database) -> None:
    with database.writing() as db:
        made = day(db)
        made.send(db, made.event("event-001", "d1", grade=2), made.event("event-002", "d2", grade=2))
        # As many rows at once are written: JSON's null, not the database's.
        nothing = dict.fromkeys(("evidence", "ratings", "subtopics"), JSON.NULL)
        db.execute(update(JudgmentEventRow).where(JudgmentEventRow.docno == "d2").values(nothing))
        made.send(db, made.event("event-003", "d1", grade=1, ratings={"Readability": 2}))
        ada = made.made.assessors["Ada"]
        found = annotations_of(db, made.made.campaign.id, ada, "T1")
        assert list(found.values()) == [Annotations((), {"Readability": 2}, ())]


def test_a_comment_keeps_what_went_with_the_grade_and_the_other_way_round(db: Session) -> None:
    made = day(db)
    shown = "a" * 64
    made.send(db, made.event("event-001", "d1", grade=2, shown_sha256=shown, **EVERYTHING))
    made.send(db, made.event("event-002", "d1", kind="comment", comment="so it is"))
    assert holds(db, made) == SAID
    made.send(db, made.event("event-003", "d1", kind="extras", ratings={"Readability": 0}))
    held = desk(db, made.assignment, made.ada, docno="d1").current
    assert held is not None
    assert (held.grade, held.comment, held.extras) == (2, "so it is", Annotations((), {"Readability": 0}, ()))
    # The offsets of passages belong to the text that was shown: its hash stays with every event.
    assert set(db.scalars(select(JudgmentEventRow.document_sha256))) == {shown}


@pytest.mark.parametrize(
    "wrong",
    [
        {"evidence": "all of it"},
        {"evidence": [[0, 5]]},
        {"evidence": [[5, 5, "x"]]},
        {"evidence": [[-1, 5, "x"]]},
        {"evidence": [[0, True, "x"]]},
        {"evidence": [[0, 5, "  "]]},
        {"evidence": [[0, 5001, "x" * 5001]]},
        {"evidence": [[0, 1, "x"]] * 21},
        {"ratings": ["Readability"]},
        {"ratings": {"Readability": "easy"}},
        {"ratings": {"": 1}},
        {"ratings": {"Readability": -1}},
        {"subtopics": "1"},
        {"subtopics": [1]},
        {"subtopics": [""]},
    ],
)
def test_what_has_another_shape_is_kept_aside_with_its_grade(db: Session, wrong: dict[str, Any]) -> None:
    made = day(db)
    assert made.outcomes(db, made.event("event-001", "d1", grade=2, **wrong)) == ["kept_aside"]
    assert [client_id for client_id, _ in kept(db)] == ["event-001"]


def test_what_was_kept_aside_is_recorded_with_what_went_with_it(db: Session) -> None:
    made = day(db)
    db.execute(update(PoolRow).values(closed_at=db.scalar(select(PoolRow.opened_at))))
    assert made.outcomes(db, made.event("event-001", "d1", grade=2, **EVERYTHING)) == ["kept_aside"]
    number = db.scalars(select(KeptAsideRow.id)).one()
    settle(db, made.made.campaign.id, number, made.ada, settlement=Settlement.RECORDED)
    assert holds(db, made) == SAID
    assert len(unrecorded_lines(db, made.made.campaign.id)) == 1


def test_questions_are_typed_one_a_line() -> None:
    text = "Readability: hard, fair, easy\n\n Trust  it (required) :no,  yes "
    questions = read_questions(text)
    assert questions == (
        Question("Readability", ("hard", "fair", "easy")),
        Question("Trust it", ("no", "yes"), required=True),
    )
    assert read_questions(questions_as_text(questions)) == questions


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("hard, easy", "hard, easy has an empty label", 1),
        (": a, b", "the question has no name", 1),
        ("A: x, y\na: x, y", "a is already a question", 2),
        ("A: x", "A has 1 label", 1),
        ("A: x, X", "A has a label twice", 1),
        ("A: x,,y", "A has an empty label", 1),
        ("\n".join(f"Q{n}: x, y" for n in range(9)), "9 questions about every document", None),
    ],
)
def test_what_is_no_question_is_told_by_line(text: str, said: str, line: int | None) -> None:
    with pytest.raises(InvalidInput) as error:
        read_questions(text)
    assert [(finding.message, finding.line) for finding in error.value.findings] == [(said, line)]


def test_a_campaign_asks_and_stops_asking_and_other_rules_stay(db: Session) -> None:
    made = day(db)
    here = made.made.campaign.id
    questions = (Question("Readability", ("hard", "fair", "easy"), required=True),)
    save_desk_questions(db, here, questions, {3, 0})
    asked = desk_questions_of(db, here)
    assert asked == DeskQuestions(questions, (0, 3))
    assert asked.missing(3, " ", {}) == ("Readability", "a comment")
    assert asked.missing(1, "", {"Readability": 0}) == ()
    with pytest.raises(InvalidInput, match=r"^Comments: 4\b"):
        save_desk_questions(db, here, (), {4})
    save_desk_questions(db, here, (), ())
    assert desk_questions_of(db, here) == DeskQuestions()


def test_a_question_with_answers_loses_no_label_that_was_given(db: Session) -> None:
    made = day(db)
    here = made.made.campaign.id
    made.send(db, made.event("event-001", "d1", grade=2, **EVERYTHING))
    with pytest.raises(Conflict, match="Readability has answers beyond 2 labels"):
        save_desk_questions(db, here, read_questions("Readability: hard, easy"), ())
    save_desk_questions(db, here, read_questions("Readability: hard, so-so, light"), ())


def test_an_answer_that_waited_while_the_rules_changed_is_recorded(db: Session) -> None:
    made = day(db)
    save_desk_questions(db, made.made.campaign.id, read_questions("Trust (required): no, yes"), {2})
    assert made.outcomes(db, made.event("event-001", "d1", grade=2, **EVERYTHING)) == ["recorded"]


def test_a_judged_topic_gets_subtopics_and_loses_none(db: Session) -> None:
    made = day(db)
    here = made.made.campaign.id
    known = next(topic for topic in topics_of(db, here) if topic.id == "T1")
    made.send(db, made.event("event-001", "d1", grade=2))

    def load(*subtopics: tuple[str, str], title: str = known.title) -> int:
        topic = Topic("T1", title, known.description, known.narrative, subtopics)
        return load_topics(db, here, [topic], source="topics").changed

    assert load(("1", "height")) == 1
    assert load(("1", "height"), ("2", "time")) == 1
    assert load() == 0  # a file that knows of none takes none away
    for wrong in ([("2", "time")], [("1", "depth"), ("2", "time")]):
        with pytest.raises(InvalidInput, match="T1 is judged"):
            load(*wrong)
    with pytest.raises(InvalidInput):
        load(("1", "height"), ("2", "time"), ("3", "x"), title="another")
    assert next(iter(topics_of(db, here))).subtopics == (("1", "height"), ("2", "time"))


def test_everything_is_exported_and_subtopics_as_judgments(db: Session) -> None:
    made = day(db)
    here = made.made.campaign.id
    known = next(topic for topic in topics_of(db, here) if topic.id == "T1")
    subtopics = (("1", "height"), ("b", "time"))
    topic = Topic("T1", known.title, known.description, known.narrative, subtopics)
    load_topics(db, here, [topic], source="topics")
    save_desk_questions(db, here, read_questions("Readability: hard, fair, easy"), ())
    made.send(
        db,
        made.event("event-001", "d1", grade=2, **EVERYTHING),
        made.event("event-002", "d2", grade=0),
        made.event("event-003", "d/4", answer="unsure", subtopics=["1"]),
    )
    first = judgment_json(next(one for one in annotated_judgments(db, here) if one.docno == "d1"))
    assert first["evidence"][0] == {"start": 3, "end": 8, "quote": "tides"}
    assert first["ratings"] == {"Readability": {"value": 2, "label": "easy"}}
    assert first["subtopics"] == ["1", "b"]
    # d/4 has no grade, so that nothing is said of it.
    assert sorted(subtopic_judgments(db, here)) == [
        ("T1", "1", "d1", 1),
        ("T1", "1", "d2", 0),
        ("T1", "b", "d1", 1),
        ("T1", "b", "d2", 0),
    ]


@pytest.mark.parametrize(("rule", "expected"), [("any", 1), ("majority", 0), ("all", 0)])
def test_one_tick_of_two_graders_counts_by_the_rule(db: Session, rule: str, expected: int) -> None:
    made = day(db)
    here = made.made.campaign.id
    known = next(topic for topic in topics_of(db, here) if topic.id == "T1")
    topic = Topic("T1", known.title, known.description, known.narrative, (("1", "height"),))
    load_topics(db, here, [topic], source="topics")
    made.send(db, made.event("event-001", "d1", grade=2, subtopics=["1"]))
    row = db.scalars(select(JudgmentEventRow)).one()
    other = next(number for number in made.made.assessors.values() if number != row.assessor_id)
    db.add(
        JudgmentEventRow(
            campaign_id=here, assessor_id=other, topic="T1", docno="d1", answer="grade", grade=1,
            client_id="of-another", source="screen", recorded_at=row.recorded_at,
        )
    )  # fmt: skip
    db.flush()
    found = list(subtopic_judgments(db, here, ticked_by=TickedBy(rule)))
    assert found == [("T1", "1", "d1", expected)]


def test_a_surrogate_in_a_name_is_made_storable() -> None:
    assert read_annotations(None, {"a\udc80": 1}, None).ratings == {"a\ufffd": 1}
    with pytest.raises(WorkbenchError):
        read_annotations([None], None, None)
