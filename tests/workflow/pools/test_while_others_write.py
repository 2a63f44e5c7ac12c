"""Pools that are computed while others write: the same as in one transaction, whole or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import pytest
from sqlalchemy import delete, func, select, update

from tests.builders import ALPHA, BETA, Made, campaign_with_people, send_runs
from workbench.errors import Conflict
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Judgment
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.tables import PackedRunRow, PoolEntryRow, PoolEventRow, PoolRow, RunRow
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools import drafts, making
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.drafts import open_pool, open_while_others_write, rebuild
from workbench.workflow.pools.listing import pool_entries, pool_report, pools_of
from workbench.workflow.pools.making import (
    NewPool,
    make_pool,
    make_while_others_write,
    pool_by_recipe,
    write_entries,
)
from workbench.workflow.pools.pool_rows import initial_adaptive_pool, pool_events

pytestmark = pytest.mark.engines
DEPTH_2 = PoolRecipe(parameters={"depth": 2})
LIVE = PoolRecipe(strategy="hedge", supplementary=True)


@pytest.fixture
def made(database: Database) -> Made:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    return made


def names(database: Database, made: Made) -> list[str]:
    with database.reading() as db:
        return [line.name for line in pools_of(db, made.campaign.id)]


def rows(database: Database) -> tuple[int, int]:
    """How many pools and entries the tables have."""
    with database.reading() as db:
        count = [db.scalar(select(func.count()).select_from(row)) or 0 for row in (PoolRow, PoolEntryRow)]
    return count[0], count[1]


def meanwhile(
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[], None],
    *,
    of: Any = making,
    computing: Callable[..., Any] = pool_by_recipe,
) -> None:
    """Have somebody act when a pool is computed, before it is written."""

    def computes(*given: Any) -> Any:
        # In a thread: that of the maker holds no lock that would keep this one waiting.
        thread = threading.Thread(target=act)
        thread.start()
        thread.join(timeout=20)
        assert not thread.is_alive()
        return computing(*given)

    monkeypatch.setattr(of, computing.__name__, computes)


def replace_beta(database: Database, hashes: Iterator[str], most: int) -> None:
    for sha256 in islice(hashes, most):
        with database.writing() as db:
            db.execute(update(RunRow).where(RunRow.tag == "beta").values(sha256=sha256))


def test_it_is_the_pool_that_one_transaction_makes(database: Database, made: Made) -> None:
    with database.writing() as db:
        db.execute(delete(PackedRunRow))  # as a process leaves it that ends before it has packed them
    report = make_while_others_write(database, NewPool(made.campaign.id, DEPTH_2, created_by=made.organiser))
    with database.writing() as db:
        whole = make_pool(db, made.campaign.id, DEPTH_2, name="whole", created_by=made.organiser)
        assert pool_entries(db, made.campaign.id, report.pool.name) == pool_entries(
            db, made.campaign.id, "whole"
        )
    assert report.pool.name == "depth 2"
    assert report.recipe == whole.recipe
    assert (report.pool.state, report.pool.pairs) == (whole.pool.state, 6)
    assert report.by_run == whole.by_run


def test_a_killed_process_leaves_nothing(
    database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*given: Any) -> None:
        write_entries(*given)
        raise SystemExit

    monkeypatch.setattr(making, "write_entries", killed)
    with pytest.raises(SystemExit):
        make_while_others_write(database, NewPool(made.campaign.id, DEPTH_2))
    monkeypatch.undo()
    assert rows(database) == (0, 0)
    assert make_while_others_write(database, NewPool(made.campaign.id, DEPTH_2)).pool.pairs == 6


def test_a_run_that_is_replaced_meanwhile_is_pooled_as_it_is_then(
    database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes = iter(["f" * 64])
    meanwhile(monkeypatch, lambda: replace_beta(database, hashes, 1))
    report = make_while_others_write(database, NewPool(made.campaign.id, DEPTH_2))
    assert report.recipe["runs"][1] == {"tag": "beta", "sha256": "f" * 64}
    assert rows(database) == (1, 6)


def test_runs_that_change_again_and_again_are_an_error_that_leaves_nothing(
    database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes = (f"{number:064}" for number in range(100))
    meanwhile(monkeypatch, lambda: replace_beta(database, hashes, 1))
    with pytest.raises(Conflict, match="changed while the pool was being made"):
        make_while_others_write(database, NewPool(made.campaign.id, DEPTH_2))
    assert rows(database) == (0, 0)


def test_a_double_click_makes_one_pool_and_two_organisers_make_two(
    database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three ask at the same time; each has computed its pool when the first is shown."""
    first = NewPool(made.campaign.id, DEPTH_2, draft=True, created_by=made.organiser)
    second = NewPool(made.campaign.id, DEPTH_2, draft=True, created_by=made.organiser)
    other = NewPool(made.campaign.id, DEPTH_2, draft=True, created_by=made.accounts["Ada"])
    ready = threading.Barrier(3)

    def all_at_once(*given: Any) -> Any:
        ready.wait(timeout=30)
        return pool_by_recipe(*given)

    monkeypatch.setattr(making, "pool_by_recipe", all_at_once)
    with ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(make_while_others_write, database, new) for new in (first, second, other)]
        shown = [one.result(timeout=60).pool.name for one in asked]
    assert shown[0] == shown[1] != shown[2]
    assert sorted(names(database, made)) == ["depth 2", "depth 2 (2)"]
    assert rows(database) == (2, 12)
    # Asked for again later it is another pool.
    monkeypatch.undo()
    again = NewPool(made.campaign.id, DEPTH_2, draft=True, created_by=made.organiser)
    assert make_while_others_write(database, again).pool.name == "depth 2 (3)"


def test_a_name_that_is_taken_meanwhile_is_a_conflict_that_leaves_nothing(
    database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = iter(["mine"])

    def takes_the_name() -> None:
        for name in others:
            with database.writing() as db:
                make_pool(db, made.campaign.id, DEPTH_2, name=name)

    meanwhile(monkeypatch, takes_the_name)
    with pytest.raises(Conflict, match="there is already a pool 'mine'"):
        make_while_others_write(database, NewPool(made.campaign.id, DEPTH_2, name="mine"))
    assert rows(database) == (1, 6)


def test_two_supplementary_pools_at_once_share_no_pair(
    database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another is opened while this one is written: what it has is not asked for twice."""
    recipe = PoolRecipe(parameters={"depth": 2}, supplementary=True)
    others = iter([PoolRecipe(parameters={"depth": 1}, supplementary=True)])

    def another_opens() -> None:
        for other in others:
            with database.writing() as db:
                make_pool(db, made.campaign.id, other, name="first")

    meanwhile(monkeypatch, another_opens)
    make_while_others_write(database, NewPool(made.campaign.id, recipe, name="second"))
    with database.reading() as db:
        # Depth 1: T1 has d1 and d2, T2 has d/4; of the six pairs of depth 2 three remain.
        pairs = [
            {(one.topic, one.docno) for one in pool_entries(db, made.campaign.id, name)}
            for name in ("first", "second")
        ]
    assert pairs == [
        {("T1", "d1"), ("T1", "d2"), ("T2", "d/4")},
        {("T1", "d/4"), ("T2", "d1"), ("T2", "d2")},
    ]


def test_a_draft_is_rebuilt_as_in_one_transaction_and_its_old_pairs_go(
    database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document is added by hand while the rebuilt pool is written: it is in it all the same."""
    campaign_id = made.campaign.id
    make_while_others_write(database, NewPool(campaign_id, DEPTH_2, name="plan", draft=True))
    by_hand = iter([Additions({"d6": 1}, "found by searching")])

    def adding() -> None:
        for one in by_hand:
            with database.writing() as db:
                add_documents(db, campaign_id, "plan", "T1", one, added_by=made.organiser)

    with database.writing() as db:
        db.execute(delete(RunRow).where(RunRow.tag == "beta"))
        send_runs(db, campaign_id, beta={"T1": ("é5",)})  # d/4 and T2's d2 were beta's alone
    meanwhile(monkeypatch, adding, of=drafts)
    done = rebuild(database, campaign_id, "plan")
    # Of d/4, d1, d2 and T2's three stay T1's d1, d2 (alpha) and T2's d/4, d1; é5 comes, and d6 by hand.
    assert (done.entered, done.left, done.kept, done.pool.pool.pairs) == (1, 2, 1, 6)
    assert done.pool.pool.draft
    assert rows(database) == (1, 6)
    with database.reading() as db:
        assert {one.docno for one in pool_entries(db, campaign_id, "plan", topic="T1")} == {
            "d1",
            "d2",
            "d6",
            "é5",
        }


def supplementary_draft(db: Session, made: Made) -> None:
    """A draft of an adaptive pool; of its nine documents d1 is judged and d2 in another pool."""
    make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 1}, tags=["beta"]), name="other")
    import_judgments(db, made.campaign.id, [Judgment("Zoe", "T1", "d1", 1)], source="elsewhere")
    make_pool(db, made.campaign.id, LIVE, name="live", draft=True)


def events_of(database: Database, made: Made) -> list[tuple[str, str, bool | None]]:
    with database.reading() as db:
        return [(one.topic, one.docno, one.relevant) for one in pool_events(db, made.campaign.id, "live")]


def test_a_supplementary_adaptive_pool_opens_while_others_judge(
    database: Database, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.writing() as db:
        supplementary_draft(db, made)
        open_pool(db, made.campaign.id, "live")
    whole = events_of(database, made)
    with database.writing() as db:
        db.execute(delete(PoolEventRow))
        db.execute(update(PoolRow).where(PoolRow.name == "live").values(opened_at=None))

    def judges() -> None:
        with database.writing() as db:
            import_judgments(db, made.campaign.id, [Judgment("Yan", "T1", "d/4", 0)], source="meanwhile")

    meanwhile(monkeypatch, judges, computing=initial_adaptive_pool)
    assert open_while_others_write(database, made.campaign.id, "live")
    assert not open_while_others_write(database, made.campaign.id, "live")
    # What was judged while it was computed is known as well, and not handed out.
    assert sorted(events_of(database, made)) == sorted([*whole, ("T1", "d/4", False)])
    with database.reading() as db:
        totals = pool_report(db, made.campaign.id, "live").recipe["totals"]
        # T1 has five documents, T2 four.
        left = {"T1": 5, "T2": 4}
        for topic, _, _ in events_of(database, made):
            left[topic] -= 1
        assert totals == left


def test_one_that_is_made_open_knows_the_same(database: Database, made: Made) -> None:
    with database.writing() as db:
        supplementary_draft(db, made)
    make_while_others_write(database, NewPool(made.campaign.id, LIVE, name="at once"))
    assert open_while_others_write(database, made.campaign.id, "live")
    with database.reading() as db:
        at_once = [(one.topic, one.docno) for one in pool_events(db, made.campaign.id, "at once")]
    assert at_once == [(topic, docno) for topic, docno, _ in events_of(database, made)] != []
