"""Pools made, rebuilt and opened in a process of their own: the same, and the same errors."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import ALPHA, BETA, Made, campaign_with_people, send_runs
from workbench.errors import Conflict, InvalidInput, NotFound, WorkbenchError
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools import maker, portions
from workbench.workflow.pools.adaptive_pools import pool_events
from workbench.workflow.pools.maker import make_apart, open_apart, rebuild_apart
from workbench.workflow.pools.making import NewPool, make_pool
from workbench.workflow.pools.portions import make_in_portions


@pytest.fixture
def made(sqlite_database: Database, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Two runs, which are not few enough for this process."""
    monkeypatch.setattr(maker, "SMALL", 0)
    with sqlite_database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    return made


@pytest.mark.parametrize(
    ("recipe", "error"),
    [
        (PoolRecipe(tags=["none"]), NotFound),
        pytest.param(PoolRecipe(parameters={"depth": 0}), InvalidInput, marks=pytest.mark.slow),
        pytest.param(PoolRecipe(strategy="none"), WorkbenchError, marks=pytest.mark.slow),
    ],
)
def test_a_process_of_its_own_makes_the_same_pool_and_raises_the_same(
    sqlite_database: Database, made: Made, recipe: PoolRecipe, error: type[Exception]
) -> None:
    with pytest.raises(error) as apart:
        make_apart(sqlite_database, NewPool(made.campaign.id, recipe))
    with pytest.raises(error) as here:
        make_in_portions(sqlite_database, NewPool(made.campaign.id, recipe))
    assert str(apart.value) == str(here.value)
    if error is NotFound:
        report = make_apart(
            sqlite_database, NewPool(made.campaign.id, PoolRecipe(parameters={"depth": 2}), draft=True)
        )
        assert (report.pool.pairs, report.pool.draft) == (6, True)


@pytest.mark.slow  # it starts three
def test_a_process_of_its_own_rebuilds_and_opens_a_draft_that_leaves_out_what_is_known(
    sqlite_database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite_database.writing() as db:
        import_judgments(db, made.campaign.id, [Judgment("Zoe", "T1", "d1", 1)], source="elsewhere")
        live = PoolRecipe(strategy="hedge", supplementary=True)
        make_pool(db, made.campaign.id, live, name="live", draft=True)
    for slow in ("make_in_portions", "rebuilt", "known_pairs_of"):
        monkeypatch.setattr(portions, slow, not_here)
    # Nothing has changed since: nothing enters, nothing leaves.
    done = rebuild_apart(sqlite_database, made.campaign.id, "live")
    assert (done.entered, done.left, done.kept) == (0, 0, 0)
    with pytest.raises(NotFound):
        open_apart(sqlite_database, made.campaign.id, "no such pool")
    with pytest.raises(Conflict):
        open_apart(sqlite_database, made.campaign.id, "live", seen="another hash")
    assert open_apart(sqlite_database, made.campaign.id, "live")
    with sqlite_database.reading() as db:
        known = [(one.topic, one.docno, one.relevant) for one in pool_events(db, made.campaign.id, "live")]
    assert known == [("T1", "d1", True)]


def not_here(*_: Any) -> None:
    raise AssertionError("computed in the process of the server")
