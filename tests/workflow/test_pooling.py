"""Pools of a campaign."""

from __future__ import annotations

import pytest

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.records import Contribution, TieRule
from workbench.storage.engine import Database
from workbench.workflow.pooling import close_pool, make_pool, pool_entries, pools_of


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
        report = make_pool(db, made.campaign.id, depth=1, ties=TieRule.DOCNO_ASCENDING, tags=["beta"])
    assert (report.recipe["depth"], report.recipe["ties"]) == (1, "docno-ascending")
    assert [run["tag"] for run in report.recipe["runs"]] == ["beta"]
    assert len(report.recipe["runs"][0]["sha256"]) == 64


def test_names_are_free_or_refused(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        assert make_pool(db, made.campaign.id, depth=2).pool.name == "depth 2 (2)"
        with pytest.raises(Conflict, match="'depth 2' already"):
            make_pool(db, made.campaign.id, depth=2, name="depth 2")
        assert [pool.name for pool in pools_of(db, made.campaign.id)] == ["depth 2", "depth 2 (2)"]


def test_a_pool_needs_runs_that_exist(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        with pytest.raises(WorkbenchError, match="at least one run"):
            make_pool(db, made.campaign.id, depth=2)
        with pytest.raises(NotFound, match="gamma"):
            make_pool(db, made.campaign.id, depth=2, tags=["gamma"])
        with pytest.raises(NotFound):
            close_pool(db, made.campaign.id, "nothing")
