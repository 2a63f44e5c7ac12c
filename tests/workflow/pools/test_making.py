"""Pools of a campaign."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from workbench.errors import Conflict, InvalidInput, NotFound, Unavailable, WorkbenchError
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Contribution, Judgment, TieRule
from workbench.storage.engine import Database
from workbench.storage.tables import RunRow
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools.drafts import close_pool
from workbench.workflow.pools.listing import pool_entries, pools_of
from workbench.workflow.pools.making import make_pool
from workbench.workflow.pools.planning import plan_pool


def test_a_pool_has_each_pair_once_with_who_brought_it_and_how_high(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        entries = pool_entries(db, made.campaign.id, report.pool.name)
    # By hand in tests/builders.py; bytes order "/" before the digits.
    assert [(e.topic, e.docno, e.contributions) for e in entries] == [
        ("T1", "d/4", (Contribution("beta", 2),)),
        ("T1", "d1", (Contribution("alpha", 1),)),
        ("T1", "d2", (Contribution("beta", 1), Contribution("alpha", 2))),
        ("T2", "d/4", (Contribution("alpha", 1), Contribution("beta", 1))),
        ("T2", "d1", (Contribution("alpha", 2),)),
        ("T2", "d2", (Contribution("beta", 2),)),
    ]


@pytest.mark.engines
def test_the_report_has_sizes_the_share_of_the_largest_and_what_each_run_brought(database: Database) -> None:
    with database.writing() as db:
        _, report = pooled_campaign(db)
    assert (report.pool.pairs, report.pool.largest_possible, report.pool.share) == (6, 8, 0.75)
    assert [(size.topic, size.pairs, size.largest_possible) for size in report.by_topic] == [
        ("T1", 3, 4),
        ("T2", 3, 4),
    ]
    # Alpha alone brought (T1, d1) and (T2, d1), beta alone (T1, d/4) and (T2, d2).
    assert [(part.tag, part.pairs, part.alone) for part in report.by_run] == [("alpha", 4, 2), ("beta", 4, 2)]


def test_the_recipe_is_kept_with_the_hashes_of_its_runs(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        report = make_pool(
            db,
            made.campaign.id,
            PoolRecipe(parameters={"depth": 1}, ties=TieRule.DOCNO_ASCENDING, tags=["beta"]),
        )
    assert report.recipe["parameters"]["depth"] == "1"
    assert report.recipe["ties"] == "docno-ascending"
    assert [run["tag"] for run in report.recipe["runs"]] == ["beta"]
    assert len(report.recipe["runs"][0]["sha256"]) == 64


def test_only_runs_up_to_a_priority_are_pooled(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, first=ALPHA, second=BETA, third=BETA, unsaid=ALPHA)
        for tag, number in (("first", 1), ("second", 2), ("third", 3)):
            db.execute(update(RunRow).where(RunRow.tag == tag).values(priority=number))
        some = make_pool(db, made.campaign.id, PoolRecipe(priority=2))
        # Of the chosen ones, too; the plan is of the same runs.
        one = make_pool(db, made.campaign.id, PoolRecipe(priority=2, tags=["second", "third", "unsaid"]))
        assert plan_pool(db, made.campaign.id, PoolRecipe(priority=2)).runs == 2
        with pytest.raises(WorkbenchError, match="no chosen run has a priority up to 1"):
            make_pool(db, made.campaign.id, PoolRecipe(priority=1, tags=["second", "unsaid"]))
    assert [run["tag"] for run in some.recipe["runs"]] == ["first", "second"]
    assert [run["tag"] for run in one.recipe["runs"]] == ["second"]


def test_no_run_is_replaced_while_it_is_pooled(postgresql_database: Database) -> None:
    with postgresql_database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    replacing = select(RunRow.id).where(RunRow.tag == "alpha").with_for_update(nowait=True)
    with postgresql_database.writing() as pooling:
        make_pool(pooling, made.campaign.id)
        refused = pytest.raises(Unavailable, match="could not obtain lock")
        with refused, postgresql_database.writing() as other:
            other.scalar(replacing)
    with postgresql_database.writing() as other:
        assert other.scalar(replacing) is not None


def test_names_are_free_or_refused(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        assert make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 2})).pool.name == "depth 2 (2)"
        with pytest.raises(Conflict, match="'depth 2' already"):
            make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 2}), name="depth 2")
        assert [pool.name for pool in pools_of(db, made.campaign.id)] == ["depth 2", "depth 2 (2)"]


def test_a_pool_needs_runs_that_exist(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        with pytest.raises(WorkbenchError, match="at least one run"):
            make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 2}))
        with pytest.raises(NotFound, match="gamma"):
            make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 2}, tags=["gamma"]))
        with pytest.raises(NotFound):
            close_pool(db, made.campaign.id, "nothing")


def test_a_budgeted_pool_keeps_the_weights_that_chose_it(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        report = make_pool(db, made.campaign.id, PoolRecipe(strategy="rrf", parameters={"budget": "1"}))
        entries = pool_entries(db, made.campaign.id, report.pool.name)
    # T1: d1 has 1/61 + 1/63, d2 1/62 + 1/61 and wins; T2: d/4 is first twice, 2/61.
    assert [(entry.topic, entry.docno) for entry in entries] == [("T1", "d2"), ("T2", "d/4")]
    assert [entry.weight for entry in entries] == pytest.approx([1 / 62 + 1 / 61, 2 / 61])
    assert report.pool.recipe == report.pool.name == "rrf, budget 1, k 60"


@pytest.mark.engines
def test_a_sampled_pool_keeps_its_inclusion_probabilities(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        parameters = {"strata": "1:1:1 2:4:0.5", "budget": "9", "seed": "3"}
        report = make_pool(db, made.campaign.id, PoolRecipe(strategy="stratified", parameters=parameters))
        entries = pool_entries(db, made.campaign.id, report.pool.name)
    first = {(entry.topic, entry.docno) for entry in entries if entry.stratum == 1}
    # Best rank 1: d1 and d2 for T1, d/4 for T2; they are taken for certain.
    assert first == {("T1", "d1"), ("T1", "d2"), ("T2", "d/4")}
    assert {entry.inclusion for entry in entries if entry.stratum == 1} == {1.0}
    assert all(
        entry.inclusion is not None and 0 < entry.inclusion < 1 for entry in entries if entry.stratum == 2
    )


@pytest.mark.engines
def test_a_supplementary_pool_leaves_out_what_is_pooled_or_judged_by_people(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        people = [Judgment("X", "T1", "d6", 1)]
        machine = [Judgment("M", "T1", "d#3", 1)]
        import_judgments(db, made.campaign.id, people, source="f")
        import_judgments(db, made.campaign.id, machine, source="m", machines=["M"])
        report = make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 9}, supplementary=True))
        entries = pool_entries(db, made.campaign.id, report.pool.name)
    # All nine pairs of both runs less the six of depth 2 and the judged (T1, d6).
    assert [(entry.topic, entry.docno) for entry in entries] == [("T1", "d#3"), ("T2", "é5")]


def test_what_a_strategy_does_not_take_is_refused_and_nothing_made(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA)
        with pytest.raises(WorkbenchError, match="no pooling strategy"):
            make_pool(db, made.campaign.id, PoolRecipe(strategy="luck"))
        with pytest.raises(InvalidInput, match="has no parameter"):
            make_pool(db, made.campaign.id, PoolRecipe(parameters={"width": 2}))
        assert pools_of(db, made.campaign.id) == ()
