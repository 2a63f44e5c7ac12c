"""Pools beside each other, and beside what is judged."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from workbench.pooling.comparison import PoolChange
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.comparison import ComparedPair, PairChange, compare_pools
from workbench.workflow.pools.making import make_pool

pytestmark = pytest.mark.engines


def test_runs_are_told_apart_whatever_they_are_called(db: Session) -> None:
    made = campaign_with_people(db)
    send_runs(db, made.campaign.id, **{"\u03b1[1],": ALPHA, "beta": BETA})
    for name, tags in (("both", None), ("one", ["\u03b1[1],"])):
        make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 2}, tags=tags), name=name)
    found = compare_pools(db, made.campaign.id, "both", "one").comparison.by_run
    # Each of two runs brings two documents to two topics.
    assert [(one.name, one.before, one.after) for one in found] == [("beta", 4, 0), ("\u03b1[1],", 4, 4)]


def test_a_pool_that_grows_is_read_anew(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        campaign_id = made.campaign.id
    sizes = []
    for docno in ("d6", "d#3"):
        with database.reading() as db:
            sizes.append(compare_pools(db, campaign_id, None, "depth 2").comparison.total.after)
        with database.writing() as db:
            add_documents(db, campaign_id, "depth 2", "T2", Additions({docno: 1}, "seen"), added_by=None)
            found = compare_pools(db, campaign_id, None, "depth 2").comparison
            sizes.append(found.total.after)
    # What is not committed yet counts, too, and is counted once.
    assert sizes == [6, 7, 7, 8]
    assert found.by_hand.after == 2


def test_a_pool_is_compared_with_everything_that_people_judged(db: Session) -> None:
    made, _ = pooled_campaign(db)
    people = [Judgment("X", "T1", "d1", 1), Judgment("X", "T2", "d6", 0)]
    import_judgments(db, made.campaign.id, people, source="f")
    machine = [Judgment("M", "T1", "d2", 1)]
    import_judgments(db, made.campaign.id, machine, source="m", machines=["M"])
    found = compare_pools(db, made.campaign.id, None, "depth 2")
    assert found.before is None
    # Of six pairs one is judged; what a machine said does not count.
    assert found.comparison.total == PoolChange("", 2, 6, 5, 1, 1, 5)
    assert list(found.pairs)[-1] == ComparedPair(PairChange.REMOVED, "T2", "d6", True, "judged")
    # Nothing is timed: five pairs of an assumed half minute.
    assert found.hours == pytest.approx(5 * 30 / 3600)


@pytest.mark.parametrize("before", [None, "one"])
def test_what_was_judged_since_counts(database: Database, before: str | None) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        campaign_id = made.campaign.id
        make_pool(db, campaign_id, PoolRecipe(parameters={"depth": 1}), name="one")
    asked = before, "depth 2"
    with database.reading() as db:
        first = compare_pools(db, campaign_id, *asked).comparison
    with database.writing() as db:
        import_judgments(db, campaign_id, [Judgment("X", "T2", "d/4", 1)], source="f")
    with database.reading() as db:
        found = compare_pools(db, campaign_id, *asked).comparison
    # Of the six pairs one is judged now; it is in both pools, or is all that is judged.
    assert [one.to_judge for one in (first.total, found.total)] == [6, 5]
    assert found.total.before == (1 if before is None else 3)
