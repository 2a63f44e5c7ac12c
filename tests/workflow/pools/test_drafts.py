"""A pool's life: a draft, open for judging, closed for ever."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from tests.assigned import assign, assign_in_turn
from tests.builders import ALPHA, BETA, Made, campaign_with_people, pooled_campaign, send_runs
from tests.submitted import record
from workbench.errors import Conflict, NotFound
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Answer
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow, PoolRow, RunRow
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.record import undo_last
from workbench.workflow.pools.additions import Additions, add_documents, remove_addition
from workbench.workflow.pools.drafts import (
    before_opening,
    changed_runs,
    close_pool,
    delete_draft,
    open_pool,
    rebuild,
)
from workbench.workflow.pools.listing import PoolReport, pool_entries, pool_report
from workbench.workflow.pools.making import make_pool


def drafted(db: Session, *, depth: int = 2, name: str = "plan") -> Made:
    """A campaign with two runs and a draft over them: six pairs at depth 2, see tests/builders.py."""
    made = campaign_with_people(db)
    send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": depth}), name=name, draft=True)
    return made


def say(db: Session, made: Made, task: int, docno: str) -> None:
    record(
        db,
        task,
        made.accounts["Ada"],
        docno=docno,
        answer=Answer.GRADE,
        grade=1,
        client_id=f"an-answer-{docno.encode().hex()}",
    )


def pairs(db: Session, campaign_id: int, name: str) -> set[tuple[str, str]]:
    return {(one.topic, one.docno) for one in pool_entries(db, campaign_id, name)}


def test_a_closed_pool_takes_nothing_by_any_way(db: Session) -> None:
    made, report = pooled_campaign(db)
    campaign_id, ada = made.campaign.id, made.accounts["Ada"]
    assign(db, report.pool.id, topics=["T1"], assessor_ids=[made.assessors["Ada"]])
    task = assignments_of(db, campaign_id)[0].id
    add_documents(db, campaign_id, "depth 2", "T1", Additions({"d6": 1, "é5": 2}, "seen"), added_by=ada)
    say(db, made, task, "d1")
    close_pool(db, campaign_id, "depth 2")
    before = pool_report(db, campaign_id, "depth 2"), pool_entries(db, campaign_id, "depth 2")
    for act in (
        lambda: say(db, made, task, "d2"),
        lambda: undo_last(db, task, ada, client_id="an-undo-1"),
        lambda: assign(db, report.pool.id, topics=["T2"], assessor_ids=made.assessors.values()),
        lambda: assign_in_turn(db, report.pool.id, assessor_ids=list(made.assessors.values())),
        lambda: add_documents(db, campaign_id, "depth 2", "T2", Additions({"d6": 1}, "seen"), added_by=ada),
        lambda: remove_addition(db, campaign_id, "depth 2", topic="T1", docno="d6"),
    ):
        with pytest.raises(Conflict, match="closed"):
            act()
    assert before == (pool_report(db, campaign_id, "depth 2"), pool_entries(db, campaign_id, "depth 2"))
    assert len(db.scalars(select(JudgmentEventRow)).all()) == 1


def test_a_draft_that_changed_after_somebody_looked_at_it_is_not_opened(db: Session) -> None:
    campaign_id = drafted(db).campaign.id
    seen = before_opening(db, campaign_id, "plan").sha256
    add_documents(db, campaign_id, "plan", "T2", Additions({"d6": 1}, "seen"), added_by=None)
    with pytest.raises(Conflict, match="has changed since you looked at it"):
        open_pool(db, campaign_id, "plan", seen=seen)
    assert open_pool(db, campaign_id, "plan", seen=before_opening(db, campaign_id, "plan").sha256)


def test_a_pool_without_pairs_is_not_opened(db: Session) -> None:
    made, _ = pooled_campaign(db)
    make_pool(
        db,
        made.campaign.id,
        PoolRecipe(parameters={"depth": 2}, supplementary=True),
        draft=True,
        name="nothing",
    )
    with pytest.raises(Conflict, match="no pairs"):
        open_pool(db, made.campaign.id, "nothing")


def test_a_rebuilt_draft_keeps_what_was_added_by_hand(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        made = drafted(db)
        campaign_id = made.campaign.id
        found = Additions({"d6": 1, "é5": 2}, "found by searching")
        add_documents(db, campaign_id, "plan", "T1", found, added_by=made.organiser)
        # Now beta ranks é5 first for T1: it is brought by a run and stays marked.
        db.execute(delete(RunRow).where(RunRow.tag == "beta"))
        send_runs(db, campaign_id, beta={"T1": ("é5", "d2"), "T2": ("d/4", "d2")})
        (changed,) = changed_runs(db, campaign_id, "plan")
    assert (changed.tag, changed.sha256_now != changed.sha256) == ("beta", True)
    assert rebuild(sqlite_database, campaign_id, "plan").kept == 2
    with sqlite_database.reading() as db:
        report = pool_report(db, campaign_id, "plan")
        assert changed_runs(db, campaign_id, "plan") == ()
        entries = {(one.topic, one.docno): one for one in pool_entries(db, campaign_id, "plan")}
    assert report.recipe["additions"] == 2
    assert (report.pool.added, report.pool.added_alone) == (2, 1)
    assert entries["T1", "d6"].origin == "manual"
    assert entries["T1", "é5"].origin == "runs+manual"
    mark = entries["T1", "é5"].added
    assert mark is not None
    assert (mark.by, mark.reason) == ("Olga", "found by searching")
    assert entries["T1", "d1"].origin == "runs"
    assert report.pool.pairs == len(entries)


def test_a_draft_tells_which_of_its_runs_are_gone_and_is_built_without_them(
    sqlite_database: Database,
) -> None:
    with sqlite_database.writing() as db:
        campaign_id = drafted(db).campaign.id
        db.execute(update(RunRow).where(RunRow.tag == "beta").values(replaced_at=datetime.now(UTC)))
        (gone,) = changed_runs(db, campaign_id, "plan")
    assert (gone.tag, gone.sha256_now) == ("beta", None)
    rebuild(sqlite_database, campaign_id, "plan")
    with sqlite_database.writing() as db:
        # Alpha alone, depth 2.
        assert pool_report(db, campaign_id, "plan").pool.tags == ("alpha",)
        assert pairs(db, campaign_id, "plan") == {("T1", "d1"), ("T1", "d2"), ("T2", "d/4"), ("T2", "d1")}
        db.execute(update(RunRow).values(replaced_at=datetime.now(UTC)))
    with pytest.raises(Conflict, match="no run"):
        rebuild(sqlite_database, campaign_id, "plan")


def test_two_organisers_at_once_do_not_open_what_is_being_deleted(postgresql_database: Database) -> None:
    with postgresql_database.writing() as db:
        campaign_id = drafted(db).campaign.id
    with postgresql_database.writing() as first:
        delete_draft(first, campaign_id, "plan")
        # The second would wait for the first; it is told not to, which proves that the row is locked.
        with postgresql_database.writing() as second, pytest.raises(Exception, match="could not obtain lock"):
            second.scalar(select(PoolRow.id).where(PoolRow.name == "plan").with_for_update(nowait=True))
    with postgresql_database.writing() as db, pytest.raises(NotFound):
        open_pool(db, campaign_id, "plan")


def test_a_pool_is_held_open_while_an_answer_is_written(postgresql_database: Database) -> None:
    with postgresql_database.writing() as db:
        made, report = pooled_campaign(db)
        assign(db, report.pool.id, topics=["T1"], assessor_ids=[made.assessors["Ada"]])
        task = assignments_of(db, made.campaign.id)[0].id
    with postgresql_database.writing() as first:
        say(first, made, task, "d1")
        with postgresql_database.writing() as second, pytest.raises(Exception, match="could not obtain lock"):
            second.scalar(select(PoolRow.id).with_for_update(nowait=True))
        # Another assessor writes at the same time.
        with postgresql_database.writing() as third:
            third.scalar(select(PoolRow.id).with_for_update(read=True, nowait=True))


def test_a_default_name_that_is_too_long_is_cut(db: Session) -> None:
    made = campaign_with_people(db)
    send_runs(db, made.campaign.id, alpha=ALPHA)
    strata = " ".join(f"{n}:{n}:0.5" for n in range(1, 60))
    report: PoolReport = make_pool(
        db, made.campaign.id, PoolRecipe(strategy="stratified", parameters={"strata": strata})
    )
    assert len(report.pool.name) <= 120
    assert report.pool.name.endswith("…")
