"""Events keep the order in which they were recorded, whatever the clock says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from tests.builders import campaign_with_people
from workbench.storage.engine import Database
from workbench.storage.events import Pair, append_event, current_event, current_events
from workbench.storage.tables import JudgmentEventRow

NOW = datetime(2026, 3, 29, 1, 0, tzinfo=UTC)


@pytest.mark.engines
def test_a_clock_that_is_set_back_changes_neither_the_order_nor_what_is_current(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        ada = made.assessors["Ada"]
        for number, grade in enumerate((0, 1, 0, 1)):
            # An hour earlier each time.
            append_event(
                db,
                {
                    "campaign_id": made.campaign.id, "assessor_id": ada, "topic": "T1", "docno": "d1",
                    "answer": "grade", "grade": grade, "reason": "", "client_id": f"c{number}",
                    "source": "screen", "comment": "", "purpose": "judging",
                    "recorded_at": NOW - timedelta(hours=number),
                },
            )  # fmt: skip
    with database.reading() as db:
        event = JudgmentEventRow
        stored = db.scalars(select(event.client_id).order_by(event.id)).all()
        current = current_event(db, Pair(made.campaign.id, ada, "T1", "d1"))
        (same,) = current_events(db, made.campaign.id)
    assert list(stored) == ["c0", "c1", "c2", "c3"]
    assert current is not None
    assert (current.client_id, same.client_id) == ("c3", "c3")
