"""The pace of each assessor is counted once, for all processes, and anew where an answer was added."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.builders import Made, campaign_with_people
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.workflow.overview import attention
from workbench.workflow.overview.attention import AssessorPace, activity_of

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


def asked(database: Database, made: Made) -> attention.Activity:
    with database.reading() as db:
        return activity_of(db, made.campaign.id, NOW)


def test_what_was_counted_serves_a_process_that_begins(
    sqlite_database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    counting = attention._counted

    def note(db: Session, assessors: Collection[int]) -> dict[int, AssessorPace | None]:
        counted.extend(assessors)
        return counting(db, assessors)

    monkeypatch.setattr(attention, "_counted", note)
    monkeypatch.setattr(attention, "RECENT", timedelta(days=4, hours=1))
    first = asked(sqlite_database, made)
    assert sorted(counted) == sorted(made.assessors[name] for name in NAMES)
    assert first.by_assessor == {
        name: AssessorPace(float(number), number - 1, NOW - timedelta(days=number))
        for number, name in enumerate(NAMES[:-1], start=1)
        if number > 1
    }
    # Ben's one answer, Cyd's two, and of Dan's three those four days ago and an hour earlier.
    assert (first.recent, first.since) == (5, NOW - timedelta(days=4, hours=1))
    counted.clear()
    attention._ANSWERED._entries.clear()
    assert asked(sqlite_database, made) == first
    assert counted == []
    with sqlite_database.writing() as db:
        append_events(db, [event(made, "Eve", "d9", NOW - timedelta(hours=1), active_ms=9000)])
    later = asked(sqlite_database, made)
    assert counted == [made.assessors["Eve"]]
    # Four answers of five seconds and one of nine.
    assert later.by_assessor["Eve"] == AssessorPace(5.8, 5, NOW - timedelta(hours=1))
    assert later.recent == first.recent + 1
