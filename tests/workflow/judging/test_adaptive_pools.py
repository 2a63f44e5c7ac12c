"""Adaptive pools as their organiser sees them: made empty, told while they grow, replayed at any time."""

from __future__ import annotations

import gzip

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from tests.builders import ALPHA, campaign_with_people, run_text, send_runs
from tests.workflow.judging.handed_out import Live, live_pool
from workbench.errors import Conflict
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Judgment
from workbench.storage.tables import PoolEntryRow, PoolEventRow, RunRow
from workbench.workflow.judging.adaptive_handout import live_report
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools.listing import pool_report
from workbench.workflow.pools.making import make_pool
from workbench.workflow.pools.pool_rows import pool_events


def judge(db: Session, live: Live, name: str, *grades: int | None) -> list[str]:
    """Judge the next documents with these grades; gives their docnos."""
    seen = []
    for grade in grades:
        docno = live.next(db, name)
        assert docno is not None
        live.say(db, name, docno, grade)
        seen.append(docno)
    return seen


def test_a_supplementary_one_learns_from_what_people_judged_and_asks_only_for_the_rest(db: Session) -> None:
    """d1 was graded 1 by one person and 0 by another, the highest counts; a machine's word does not.

    d2 is in another pool and not judged: it is left out and teaches nothing. Of T1 d#3, d/4 and d6 are left.
    """
    made = campaign_with_people(db)
    send_runs(db, made.campaign.id, alpha=ALPHA, beta={"T1": ("d2", "d/4", "d1", "d6")})
    make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 1}, tags=["beta"]))
    said = [
        Judgment("Zoe", "T1", "d1", 0),
        Judgment("Yan", "T1", "d1", 1),
        Judgment("robot", "T1", "d6", 1),
        Judgment("Zoe", "T1", "nowhere", 1),
    ]
    import_judgments(db, made.campaign.id, said, source="elsewhere", machines=["robot"])
    live = live_pool(db, made=made, supplementary=True)
    events = pool_events(db, made.campaign.id, live.name)
    assert [(one.happening, one.docno, one.relevant, one.assessor) for one in events] == [
        ("judged", "d1", True, None),
        ("judged", "d2", None, None),
    ]
    assert pool_report(db, made.campaign.id, live.name).recipe["totals"] == {"T1": 3, "T2": 3}
    judge(db, live, "Ada", 0, 0, 0)
    assert live.next(db, "Ada") is None
    entries = db.scalars(select(PoolEntryRow.docno).where(PoolEntryRow.pool_id == live.pool_id)).all()
    assert sorted(entries) == ["d#3", "d/4", "d6"]
    assert live.replay(db).differences == ()


def test_the_report_tells_what_is_out_and_what_was_found(db: Session) -> None:
    live = live_pool(db)
    first = judge(db, live, "Ada", 1, 0)
    judge(db, live, "Ben", 1, None, 1)
    report = live_report(db, live.made.campaign.id, live.name)
    [one, two] = report.by_topic
    assert (one.topic, one.total, one.handed_out, one.answered, one.relevant) == ("T1", 5, 5, 5, 3)
    assert (two.topic, two.total, two.handed_out, two.answered) == ("T2", 4, 0, 0)
    # Five were answered, so the first cut-off is reached: three of them are relevant.
    assert (report.cutoffs, one.found, two.found) == ((5,), (3,), (None,))
    assert report.out == ()
    assert (report.total, report.handed_out, report.answered, report.relevant) == (9, 5, 5, 3)
    # A change of mind changes what was found, not when.
    live.say(db, "Ada", first[0], 0)
    assert live_report(db, live.made.campaign.id, live.name).by_topic[0].found == (2,)


def test_a_replay_tells_every_event_that_does_not_come_out(db: Session) -> None:
    live = live_pool(db)
    judge(db, live, "Ada", 0, 1, 0)
    assert [one.differs for one in live.replay(db).events] == [None] * 6
    # As if d2 had not been relevant: then alpha, not beta, would be asked after d#3 ... and comes d6.
    db.execute(update(PoolEventRow).where(PoolEventRow.docno == "d2").values(relevant=False))
    db.execute(delete(PoolEntryRow).where(PoolEntryRow.docno == "d#3"))
    replay = live.replay(db)
    assert replay.differences[-1] == "topic T1: the entry of d#3 is not what its events say"
    db.execute(update(PoolEventRow).where(PoolEventRow.number == 1).values(docno="d6"))
    [first, *_] = live.replay(db).differences
    assert first == "topic T1, event 1: not d6 but d1 comes next"


def test_a_gap_in_the_numbers_is_told(db: Session) -> None:
    live = live_pool(db)
    judge(db, live, "Ada", 0, 1)
    db.execute(update(PoolEventRow).where(PoolEventRow.number == 4).values(number=9))
    assert live.replay(db).differences == ("topic T1, event 9: it should have number 4",)


def test_runs_that_are_not_what_they_were_replay_nothing_and_choose_nothing(db: Session) -> None:
    live = live_pool(db)
    other = run_text("alpha", {"T1": ("d6", "d1")})
    db.execute(update(RunRow).where(RunRow.tag == "alpha").values(content_gzip=gzip.compress(other)))
    with pytest.raises(Conflict, match="no longer has its hash"):
        live.replay(db)
    db.execute(update(RunRow).where(RunRow.tag == "alpha").values(sha256="0" * 64))
    with pytest.raises(Conflict, match="run alpha has changed since"):
        live.replay(db)
    with pytest.raises(Conflict, match="run alpha has changed since"):
        live.next(db, "Ada")
