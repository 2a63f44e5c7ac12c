"""What is read of the answers on the screen is what their events say, one by one."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import select

from tests.workflow.judging.desk_days import day
from tests.workflow.judging.test_current_answers import event
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.agreement.screen_answers import NOT_GRADED, NOWHERE, screen_answers
from workbench.workflow.judging.importing import IMPORTED
from workbench.workflow.pools.current_answers import answers_by_topic


@pytest.mark.engines
def test_the_last_answer_on_the_screen_has_its_moment_and_its_seconds(database: Database) -> None:
    draw = random.Random(11)
    said = [("grade", 0), ("grade", 3), ("unsure", None), ("withdrawn", None), ("later", None)]
    begin = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
    with database.writing() as db:
        ada = day(db)
        people = sorted(ada.made.assessors.values())
        events = []
        for number in range(200):
            answer, grade = draw.choice(said)
            # Some on the second, and one every 12.5 minutes of a day of 25 hours.
            at = begin + timedelta(
                seconds=750 * draw.randrange(120), microseconds=draw.choice([0, 1, 999_999])
            )
            beside = {"assessor_id": draw.choice(people), "active_ms": draw.choice([None, 0, 1, 12_345])}
            purpose = {"purpose": draw.choice(["judging"] * 3 + ["discussion", "repeat"])}
            source = {"source": draw.choice(["screen"] * 3 + [f"{IMPORTED}x.tsv"])}
            one = event(ada, f"event-{number}", draw.choice(["d1", "d2", "ä"]), answer=answer, grade=grade)
            events.append(one | beside | purpose | source | {"recorded_at": at})
        append_events(db, events)
    with database.reading() as db:
        answers = answers_by_topic(db, ada.made.campaign.id)
        found = screen_answers(db, ada.made.campaign.id, answers, people)["T1"]
        last: dict[tuple[int, str], JudgmentEventRow] = {}
        for row in db.scalars(select(JudgmentEventRow).order_by(JudgmentEventRow.id)):
            if row.purpose == "judging" and row.source == "screen":
                last[row.assessor_id, row.docno] = row
        place = {docno: at for at, docno in enumerate(answers["T1"].docnos)}
        expected = {
            (
                row.assessor_id,
                row.id,
                place.get(row.docno, NOWHERE),
                NOT_GRADED if row.grade is None else row.grade,
                row.recorded_at.timestamp(),
                row.active_ms / 1000 if row.active_ms else -1.0,
            )
            for row in last.values()
            if row.answer not in ("withdrawn", "later")
        }
    seconds = np.nan_to_num(found.seconds, nan=-1.0)
    parts = (found.assessors, found.events, found.places, found.grades, found.moments, seconds)
    assert len(expected) > 1
    assert set(zip(*(part.tolist() for part in parts), strict=True)) == expected
