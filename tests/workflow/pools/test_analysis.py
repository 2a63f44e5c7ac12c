"""The analysis of a campaign's runs and pools."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import update

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from tests.pooling.by_pool import incidence_of_entries
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.pooling.contributions import Part
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Judgment
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.tables import GroupRow, RunRow
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools import analysis
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.analysis import analyse
from workbench.workflow.pools.listing import pool_entries
from workbench.workflow.pools.making import make_pool

LATE = {"T1": ("d6", "d1"), "T2": ("d6",)}


def give_group(db: Session, campaign_id: int, name: str, *tags: str) -> None:
    """Let a group have sent these runs."""
    group = GroupRow(campaign_id=campaign_id, name=name, created_at=datetime.now(UTC))
    db.add(group)
    db.flush()
    db.execute(
        update(RunRow)
        .where(RunRow.campaign_id == campaign_id, RunRow.tag.in_(tags))
        .values(group_id=group.id)
    )


@pytest.mark.engines
def test_what_each_run_brought_is_read_at_once_as_it_is_pair_by_pair(db: Session) -> None:
    made = campaign_with_people(db)
    send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    report = make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 4}))
    add_documents(db, made.campaign.id, report.pool.name, "T2", Additions({"d#3": 1}, "seen"), added_by=None)
    entries = [
        (one.topic, one.docno, [each.tag for each in one.contributions])
        for one in pool_entries(db, made.campaign.id, report.pool.name)
    ]
    found = analysis._pooled(db, report.pool)
    expected = incidence_of_entries(report.pool.tags, entries)
    assert (found.tags, found.pairs) == (expected.tags, len(entries))
    for mine, theirs in zip(found.topics, expected.topics, strict=True):
        assert (mine.topic, mine.docnos) == (theirs.topic, theirs.docnos)
        assert mine.runs.tolist() == theirs.runs.tolist()
        assert mine.documents.tolist() == theirs.documents.tolist()


def test_a_pool_of_another_strategy_has_its_entries_and_its_runs_tops(db: Session) -> None:
    made, _ = pooled_campaign(db)
    pool = make_pool(db, made.campaign.id, PoolRecipe(strategy="rrf", parameters={"budget": 1})).pool
    done = analyse(db, made.campaign.id, pool=pool.name)
    assert (done.found.pairs, done.found.depth) == (2, 100)
    assert done.found.growth[3].size == 9


def test_runs_that_are_replaced_or_set_aside_do_not_enter_but_stay_in_their_pool(db: Session) -> None:
    made, report = pooled_campaign(db)
    campaign_id = made.campaign.id
    db.execute(update(RunRow).where(RunRow.tag == "alpha").values(replaced_at=datetime.now(UTC)))
    send_runs(db, campaign_id, late=LATE)
    db.execute(update(RunRow).where(RunRow.tag == "late").values(verdict="set_aside"))
    assert analyse(db, campaign_id).found.tags == ("beta",)
    assert analyse(db, campaign_id, tags=["late"]).found.tags == ("late",)
    assert analyse(db, campaign_id, pool=report.pool.name).found.tags == ("alpha", "beta")


def test_what_is_not_there_is_said(db: Session) -> None:
    made = campaign_with_people(db)
    with pytest.raises(WorkbenchError, match="there is no run to analyse"):
        analyse(db, made.campaign.id)
    send_runs(db, made.campaign.id, late=LATE)
    report = make_pool(db, made.campaign.id)
    with pytest.raises(NotFound, match="there is no run early"):
        analyse(db, made.campaign.id, tags=["early", "late"])
    with pytest.raises(NotFound, match="there is no pool 'deep'"):
        analyse(db, made.campaign.id, pool="deep")
    with pytest.raises(WorkbenchError, match="there is no pool of depth 0"):
        analyse(db, made.campaign.id, depth=0)
    db.execute(update(RunRow).values(sha256="0" * 64))
    with pytest.raises(Conflict, match="of this pool is no longer stored"):
        analyse(db, made.campaign.id, pool=report.pool.name, depth=57)


@pytest.mark.engines
def test_what_was_judged_since_counts_and_so_does_what_was_added(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        judge(db, made.campaign.id, Judgment("Xia", "T2", "d/4", 0))
    pool = report.pool.name
    with database.writing() as db:
        judge(db, made.campaign.id, Judgment("Yann", "T1", "d1", 1))
    with database.reading() as db:
        found = analyse(db, made.campaign.id, pool=pool).found
    assert [(one.topic, one.judged, one.relevant) for one in found.topics] == [("T1", 1, 1), ("T2", 1, 0)]
    # d1 of T1 is what alpha alone brought.
    assert found.by_run[0] == Part("alpha", 4, 2, 1, 1)
    with database.writing() as db:
        give_group(db, made.campaign.id, "harbour office", "alpha", "beta")
        add_documents(db, made.campaign.id, pool, "T2", Additions({"d#3": 1}, "seen"), added_by=None)
    with database.reading() as db:
        found = analyse(db, made.campaign.id, pool=pool).found
    assert (found.pairs, found.by_group) == (7, (Part("harbour office", 6, 6, 1, 1),))


def judge(db: Session, campaign_id: int, judgment: Judgment) -> None:
    import_judgments(db, campaign_id, [judgment], source=f"{judgment.assessor}'s judgment")
