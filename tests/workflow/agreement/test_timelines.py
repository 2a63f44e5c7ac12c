"""Agreement over the sitting and the days, from events as they are recorded."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select

from tests.builders import Made, campaign_with_people
from workbench.agreement.assessor_times import AssessorTime, assessor_time, in_words
from workbench.agreement.drift import Trend
from workbench.agreement.options import AgreementOptions
from workbench.errors import WorkbenchError
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.storage.tables import AssessorRow, ComputedResultRow
from workbench.workflow.agreement import screen_answers, timelines
from workbench.workflow.agreement.timelines import TIME_COLUMNS, over_time, time_rows
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools import current_answers
from workbench.workflow.pools.current_answers import answers_by_topic

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def event(made: Made, name: str, docno: str, at: datetime, **more: Any) -> dict[str, Any]:
    return {
        "campaign_id": made.campaign.id, "assessor_id": made.assessors[name], "topic": "T1",
        "docno": docno, "answer": "grade", "grade": 0, "reason": "", "source": "screen",
        "client_id": f"{name}-{docno}-{at.isoformat()}"[:64], "assignment_id": None, "position": None,
        "document_sha256": None, "order_rule": None, "seed": None, "active_ms": 12_000, "recorded_at": at,
        "purpose": "judging", **more,
    }  # fmt: skip


@pytest.fixture
def made(sqlite_database: Database) -> Made:
    """Six sittings of ten on three days; from the 6th pair on Ada calls relevant what another does not.

    The other's judgments are from a file, and so is what a machine says, always relevant.
    """
    with sqlite_database.writing() as db:
        made = campaign_with_people(db)
        events = []
        for number in range(60):
            sitting, place = divmod(number, 10)
            at = START + timedelta(days=sitting // 2, hours=sitting % 2, seconds=30 * place)
            events.append(
                event(made, "Ada", f"n{number:02}", at, grade=int(place >= 5), active_ms=1000 * (20 - place))
            )
        assert append_events(db, events) == 60
        said = [Judgment("Elsewhere", "T1", f"n{number:02}", 0) for number in range(60)]
        import_judgments(db, made.campaign.id, said, source="file")
        robot = [Judgment("robot", "T1", f"n{number:02}", 1) for number in range(60)]
        import_judgments(db, made.campaign.id, robot, source="file", machines=["robot"])
    return made


def test_position_in_the_sitting_is_told_from_the_pauses(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.reading() as db:
        report = over_time(db, made.campaign.id, AgreementOptions(bin_size=5))
    (ada,) = report.assessors
    assert (ada.name, ada.judgments, ada.compared, ada.sittings) == ("Ada", 60, 60, 6)
    # All of the first five of each sitting agree, none of the second five does.
    first, second = ada.by_position
    assert (first.agreement, first.judgments, second.agreement, second.judgments) == (1.0, 30, 0.0, 30)
    assert (report.share_relevant(first), report.share_relevant(second)) == (0.0, 1.0)
    # Active seconds fall from 20 to 16, then from 15 to 11.
    assert (first.seconds, second.seconds) == (18.0, 13.0)
    # The slope of a step of one in the middle of ten: sum of (x - 5.5)(y - .5) is -12.5, of squares 82.5.
    assert ada.fatigue.slope == pytest.approx(-12.5 / 82.5)
    assert ada.fatigue.shown
    assert ada.sentence.startswith("Agrees less with the others the longer a sitting lasts: −151.5 points")
    assert ada.slower is not None
    assert ada.slower < 0
    assert [(day.day.day, day.found.judgments, day.found.agreement) for day in ada.by_day] == [
        (2, 20, 0.5), (3, 20, 0.5), (4, 20, 0.5),
    ]  # fmt: skip
    assert ada.sentence_of_days.startswith("No drift that these 60 pairs of 6 sittings could show")
    assert report.imported == ("Elsewhere",)
    # Two bins, three days, four trends.
    rows = [dict(zip(TIME_COLUMNS, row, strict=True)) for row in time_rows(report)]
    assert [row["by"] for row in rows] == ["position"] * 2 + ["day"] * 3 + ["trend"] * 4
    assert all(bool(row["undefined"]) == bool(row["would_define"]) for row in rows)


def test_an_answer_counts_once_where_it_holds_and_probes_never(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.writing() as db:
        later = START + timedelta(days=9)
        changes = [
            event(made, "Ada", "n00", later, grade=1),
            event(made, "Ada", "n01", later, answer="withdrawn", grade=None),
            event(made, "Ada", "n02", later, purpose="repeat"),
            event(made, "Ada", "n03", later, answer="unsure", grade=None),
        ]
        assert append_events(db, changes) == 4
        (ada,) = over_time(db, made.campaign.id, AgreementOptions()).assessors
    # n00 moved to the last day, n03 as well but without a grade, n01 is gone, n02 stays where it was.
    assert (ada.judgments, ada.compared) == (59, 58)
    assert [(day.day.day, day.found.judgments) for day in ada.by_day] == [(2, 17), (3, 20), (4, 20), (11, 2)]


def test_a_longer_pause_joins_sittings(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.reading() as db:
        (ada,) = over_time(db, made.campaign.id, AgreementOptions(gap_minutes=90)).assessors
        with pytest.raises(WorkbenchError, match="pauses of 0 minutes"):
            over_time(db, made.campaign.id, AgreementOptions(gap_minutes=0))
        with pytest.raises(WorkbenchError, match="cannot be the lowest"):
            over_time(db, made.campaign.id, AgreementOptions(relevant_from=0))
    assert ada.sittings == 3


def test_one_sitting_is_called_by_the_singular() -> None:
    trend = Trend(0.001, None, None, 0.5, 88, 1, 1000, 0)
    assert in_words(trend, "sitting") == (
        "No fatigue that these 88 pairs of 1 sitting could show: +1.0 points per ten judgments, p = 0.500."
    )


def test_a_campaign_in_which_nobody_has_judged_has_no_course(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        made = campaign_with_people(db)
        assert over_time(db, made.campaign.id, AgreementOptions()).assessors == ()


@pytest.fixture
def two_topics(sqlite_database: Database) -> Made:
    """Ada and Ben on the same 24 pairs of T1, and Cyd alone on 24 pairs of T2."""
    with sqlite_database.writing() as db:
        made = campaign_with_people(db, assessors=("Ada", "Ben", "Cyd"))
        events = []
        for number in range(24):
            at = START + timedelta(seconds=30 * number)
            for name, topic in (("Ada", "T1"), ("Ben", "T1"), ("Cyd", "T2")):
                grade = int(number % 3 == 0 or (name == "Ben" and number % 5 == 0))
                events.append(event(made, name, f"n{number:02}", at, topic=topic, grade=grade))
        assert append_events(db, events) == 72
    return made


def test_a_saved_answer_has_its_topic_read_and_those_computed_who_judged_its_pair(
    sqlite_database: Database, two_topics: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    computed: list[str] = []
    reading, computing = screen_answers._read, assessor_time

    def note_topic(*said: Any) -> screen_answers.ScreenAnswers:
        read.append(said[-1].topic)
        return reading(*said)

    def note_name(*said: Any) -> AssessorTime:
        computed.append(said[0])
        return computing(*said)

    monkeypatch.setattr(screen_answers, "_read", note_topic)
    monkeypatch.setattr(timelines, "assessor_time", note_name)
    campaign = two_topics.campaign.id
    # A seed of this test alone, since the process keeps what others asked for.
    options = AgreementOptions(seed=4711)
    with sqlite_database.reading() as db:
        over_time(db, campaign, options)
    assert (sorted(read), computed) == (["T1", "T2"], ["Ada", "Ben", "Cyd"])
    read.clear()
    computed.clear()
    with sqlite_database.writing() as db:
        append_events(db, [event(two_topics, "Ada", "n01", START + timedelta(hours=3), grade=1)])
    with sqlite_database.reading() as db:
        after = over_time(db, campaign, options)
    # Ben gave nothing new, but Ada was the other one on a pair of his.
    assert (read, computed) == (["T1"], ["Ada", "Ben"])
    # Apart on n05, n10, n20 by Ben's own choice, and now on n01.
    assert [one.by_day[0].found.agreement for one in after.assessors] == [20 / 24, 20 / 24, None]
    # A transaction that writes sees what is its own, and takes nothing that is kept with topics.
    with sqlite_database.writing() as db:
        timelines._REPORTS._entries.clear()
        timelines._ASSESSORS._entries.clear()
        assert over_time(db, campaign, options) == after


def forget() -> None:
    """What a process that begins does not know."""
    for kept in (timelines._REPORTS, timelines._PEOPLE, timelines._ASSESSORS):
        kept._entries.clear()
    current_answers._STORES.clear()


def test_a_process_that_begins_reads_what_another_computed_and_no_event(
    sqlite_database: Database, two_topics: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign, options = two_topics.campaign.id, AgreementOptions(seed=12)
    with sqlite_database.reading() as db:
        first = over_time(db, campaign, options)
    with sqlite_database.reading() as db:
        stored = db.scalars(select(ComputedResultRow.content)).all()
        # Whoever is deleted is named nowhere.
        assert len(stored) == 3
        assert not [one for one in stored if b"Ada" in zlib.decompress(one)]
    forget()
    reading = screen_answers._read
    monkeypatch.setattr(screen_answers, "_read", lambda *_: pytest.fail("events were read again"))
    with sqlite_database.reading() as db:
        assert over_time(db, campaign, options) == first
    read: list[str] = []

    def note(*said: Any) -> screen_answers.ScreenAnswers:
        read.append(said[-1].topic)
        return reading(*said)

    monkeypatch.setattr(screen_answers, "_read", note)
    # The same grade once more, at another moment: no answer differs, and yet it is another course.
    with sqlite_database.writing() as db:
        append_events(db, [event(two_topics, "Cyd", "n01", START + timedelta(hours=3), topic="T2")])
    forget()
    with sqlite_database.reading() as db:
        later = over_time(db, campaign, options)
    assert read == ["T2"]
    assert later.assessors[:2] == first.assessors[:2]
    assert (first.assessors[2].sittings, later.assessors[2].sittings) == (1, 2)
    # Ben is made a machine: nobody else graded Ada's pairs then.
    with sqlite_database.writing() as db:
        db.get_one(AssessorRow, two_topics.assessors["Ben"]).machine = True
    with sqlite_database.reading() as db:
        alone = over_time(db, campaign, options)
    assert [(one.name, one.compared) for one in alone.assessors] == [("Ada", 0), ("Cyd", 0)]


def test_who_cannot_wait_is_told_of_more_people_each_time_and_in_the_end_of_all(
    sqlite_database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite_database.writing() as db:
        eve = AssessorRow(campaign_id=made.campaign.id, name="Eve", machine=False)
        db.add(eve)
        db.flush()
        made.assessors["Eve"] = eve.id
        assert append_events(db, [event(made, name, "n00", START) for name in ("Ben", "Eve")]) == 2

    def asked(seconds: float | None) -> timelines.TimeReport:
        forget()
        with sqlite_database.reading() as db:
            return over_time(db, made.campaign.id, AgreementOptions(), seconds=seconds)

    monkeypatch.setattr(timelines, "AT_ONCE", 1)
    # No time at all: each process computes one person by name, "Elsewhere" of the file too, and finds others.
    found = [asked(0.0) for _ in range(4)]
    assert [len(one.assessors) for one in found] == [1, 2, 2, 3]
    assert [one.waiting for one in found] == [3, 2, 1, 0]
    assert [one.imported for one in found] == [(), (), ("Elsewhere",), ("Elsewhere",)]
    with sqlite_database.writing() as db:
        db.execute(delete(ComputedResultRow))
    assert asked(None) == found[-1]


def test_what_a_transaction_reads_that_is_behind_others_is_not_kept(
    sqlite_database: Database, two_topics: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite_database.reading() as db:
        answers = answers_by_topic(db, two_topics.campaign.id)
        everybody = two_topics.assessors.values()
        with monkeypatch.context() as behind:
            behind.setattr(screen_answers, "changes_of", lambda *_: -1)
            first = screen_answers.screen_answers(db, two_topics.campaign.id, answers, everybody)
        kept = screen_answers.screen_answers(db, two_topics.campaign.id, answers, everybody)
        again = screen_answers.screen_answers(db, two_topics.campaign.id, answers, everybody)
    assert first["T1"] is not kept["T1"]
    assert kept["T1"] is again["T1"]
