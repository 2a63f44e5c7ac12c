"""What the desk knows of a topic: order, answers, what was put off, the assessor's own pace; nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import update
from sqlalchemy.orm import Session

from tests.workflow.judging.desk_days import day
from workbench.storage.tables import CampaignRow, JudgmentEventRow
from workbench.workflow.judging.desk_view import work_of


def test_time_left_is_the_median_of_ones_own_seconds_once_five_are_timed(db: Session) -> None:
    ada = day(db)
    for number, seconds in enumerate((2, 30, 4, 6)):
        ada.send(db, ada.event(f"event-0{number}", "d1", grade=1, active_ms=seconds * 1000))
    assert work_of(db, ada.assignment, ada.ada).seconds is None
    ada.send(db, ada.event("event-05", "d1", kind="undo"))
    ada.send(db, ada.event("event-06", "d1", grade=1, active_ms=8000))
    # 2, 4, 6, 8, 30: the one in the middle.
    assert work_of(db, ada.assignment, ada.ada).seconds == 6


def test_a_sitting_ends_with_a_pause_and_a_break_is_proposed_only_when_asked_for(db: Session) -> None:
    ada = day(db)
    now = datetime.now(UTC)
    # Two before a pause of twenty minutes, two since, of which one is judged twice.
    said = ((60, "d2"), (50, "d1"), (30, "d/4"), (20, "d1"), (10, "d1"))
    for number, (minutes, docno) in enumerate(said):
        ada.send(db, ada.event(f"event-0{number}", docno, grade=1))
        db.execute(
            update(JudgmentEventRow)
            .where(JudgmentEventRow.client_id == f"event-0{number}")
            .values(recorded_at=now - timedelta(minutes=minutes))
        )
    work = work_of(db, ada.assignment, ada.ada, now=now)
    assert (sorted(work.sitting.here), work.sitting.elsewhere) == (["d/4", "d1"], 0)
    assert (round(work.sitting.minutes), work.break_minutes) == (30, None)
    for asked, taken in ((45, 45), (0, None), ("45", None), (True, None)):
        db.get_one(CampaignRow, ada.made.campaign.id).desk_rules = {"break_minutes": asked}
        db.flush()
        assert work_of(db, ada.assignment, ada.ada).break_minutes == taken
