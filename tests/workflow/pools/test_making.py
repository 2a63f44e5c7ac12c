"""Pools of a campaign."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from workbench.errors import NotFound, Unavailable, WorkbenchError
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import RunRow
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools.drafts import close_pool
from workbench.workflow.pools.listing import pool_entries
from workbench.workflow.pools.making import make_pool


@pytest.mark.engines
def test_the_report_has_sizes_the_share_of_the_largest_and_what_each_run_brought(db: Session) -> None:
    _, report = pooled_campaign(db)
    assert (report.pool.pairs, report.pool.largest_possible, report.pool.share) == (6, 8, 0.75)
    assert [(size.topic, size.pairs, size.largest_possible) for size in report.by_topic] == [
        ("T1", 3, 4),
        ("T2", 3, 4),
    ]
    # Alpha alone brought (T1, d1) and (T2, d1), beta alone (T1, d/4) and (T2, d2).
    assert [(part.tag, part.pairs, part.alone) for part in report.by_run] == [("alpha", 4, 2), ("beta", 4, 2)]


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


def test_a_pool_needs_runs_that_exist(db: Session) -> None:
    made = campaign_with_people(db)
    with pytest.raises(WorkbenchError, match="at least one run"):
        make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 2}))
    with pytest.raises(NotFound, match="gamma"):
        make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 2}, tags=["gamma"]))
    with pytest.raises(NotFound):
        close_pool(db, made.campaign.id, "nothing")


def test_a_budgeted_pool_keeps_the_weights_that_chose_it(db: Session) -> None:
    made = campaign_with_people(db)
    send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    report = make_pool(db, made.campaign.id, PoolRecipe(strategy="rrf", parameters={"budget": "1"}))
    entries = pool_entries(db, made.campaign.id, report.pool.name)
    # T1: d1 has 1/61 + 1/63, d2 1/62 + 1/61 and wins; T2: d/4 is first twice, 2/61.
    assert [(entry.topic, entry.docno) for entry in entries] == [("T1", "d2"), ("T2", "d/4")]
    assert [entry.weight for entry in entries] == pytest.approx([1 / 62 + 1 / 61, 2 / 61])
    assert report.pool.recipe == report.pool.name == "rrf, budget 1, k 60"


@pytest.mark.engines
def test_a_sampled_pool_keeps_its_inclusion_probabilities(db: Session) -> None:
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
def test_a_supplementary_pool_leaves_out_what_is_pooled_or_judged_by_people(db: Session) -> None:
    made, _ = pooled_campaign(db)
    people = [Judgment("X", "T1", "d6", 1)]
    machine = [Judgment("M", "T1", "d#3", 1)]
    import_judgments(db, made.campaign.id, people, source="f")
    import_judgments(db, made.campaign.id, machine, source="m", machines=["M"])
    report = make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 9}, supplementary=True))
    entries = pool_entries(db, made.campaign.id, report.pool.name)
    # All nine pairs of both runs less the six of depth 2 and the judged (T1, d6).
    assert [(entry.topic, entry.docno) for entry in entries] == [("T1", "d#3"), ("T2", "é5")]
