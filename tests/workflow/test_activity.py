"""The pace of each assessor comes of the latest answers at the desk, not of imported or withdrawn ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.builders import Made, campaign_with_people
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.workflow.overview import attention
from workbench.workflow.overview.attention import Activity, AssessorPace, activity_of
from workbench.workflow.pools import planning
from workbench.workflow.pools.planning import latest_answers

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
NAMES = ("Ada", "Ben", "Cyd", "Dan", "Eve", "Fay")


def event(made: Made, name: str, docno: str, at: datetime, **more: Any) -> dict[str, Any]:
    return {
        "campaign_id": made.campaign.id, "assessor_id": made.assessors[name], "topic": "T1",
        "docno": docno, "answer": "grade", "grade": 0, "reason": "", "source": "screen",
        "client_id": f"{name}-{docno}-{at.isoformat()}"[:64], "recorded_at": at, "purpose": "judging", **more,
    }  # fmt: skip


@pytest.fixture
def made(sqlite_database: Database) -> Made:
    """Of six people number n gave n answers of n seconds, the last of them n days ago, and an hour apart.

    The first answer of each was imported, and Fay withdrew hers: Ada has none at the desk.
    """
    with sqlite_database.writing() as db:
        made = campaign_with_people(db, assessors=NAMES)
        for number, name in enumerate(NAMES, start=1):
            last = NOW - timedelta(days=number)
            for place in range(number):
                at = last - timedelta(hours=number - 1 - place)
                more: dict[str, Any] = {} if place else {"source": "import: file"}
                if name == "Fay":
                    more |= {"answer": "withdrawn", "grade": None}
                append_events(db, [event(made, name, f"d{place}", at, active_ms=1000 * number, **more)])
    return made


def asked(database: Database, made: Made) -> Activity:
    with database.reading() as db:
        return activity_of(db, made.campaign.id, NOW, latest_answers(db, made.campaign.id))


def test_the_pace_of_each_comes_of_their_answers_at_the_desk(
    sqlite_database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "RECENT", timedelta(days=4, hours=1))
    found = asked(sqlite_database, made)
    assert found.by_assessor == {
        name: AssessorPace(float(number), number - 1, NOW - timedelta(days=number))
        for number, name in enumerate(NAMES[:-1], start=1)
        if number > 1
    }
    # Ben's one answer, Cyd's two, and of Dan's three those four days ago and an hour earlier.
    assert (found.recent, found.since) == (5, NOW - timedelta(days=4, hours=1))
    assert found.all
    with sqlite_database.writing() as db:
        append_events(db, [event(made, "Eve", "d9", NOW - timedelta(hours=1), active_ms=9000)])
    later = asked(sqlite_database, made)
    # Four answers of five seconds and one of nine.
    assert later.by_assessor["Eve"] == AssessorPace(5.8, 5, NOW - timedelta(hours=1))
    assert later.recent == found.recent + 1


def test_of_very_many_answers_the_latest_tell_the_pace_and_none_is_forgotten(
    sqlite_database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "LATEST", 3)
    found = asked(sqlite_database, made)
    # The latest events are Fay's six, withdrawn, and Eve's five, of which four were given at the desk; among
    # the latest twelve is one of Dan's. Of the others only the time of the newest answer is asked for.
    assert found.by_assessor["Eve"] == AssessorPace(5.0, 4, NOW - timedelta(days=5))
    assert found.by_assessor["Ben"] == AssessorPace(None, 0, NOW - timedelta(days=2))
    assert set(found.by_assessor) == {"Ben", "Cyd", "Dan", "Eve"}
    # All of these are recent, so that earlier ones may be missing.
    assert (found.recent, found.all) == (5, False)
