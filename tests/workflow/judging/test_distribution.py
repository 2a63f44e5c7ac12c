"""Topics given in portions: checked first, while others write, once each, and never into a closed pool."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tests.builders import Made, pooled_campaign
from workbench.errors import Conflict, NotFound
from workbench.storage.engine import Database
from workbench.storage.tables import AssignmentRow
from workbench.workflow.judging import distribution
from workbench.workflow.judging.assignments import assignments_of, revoke
from workbench.workflow.judging.distribution import (
    Distribution,
    distribute,
    distribute_in_portions,
    to_each,
)
from workbench.workflow.pools.drafts import close_pool

NAMES = ["Ada", "Ben", "Cyd"]


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "PORTION", 2)


def prepared(database: Database, seed: int | None = None) -> tuple[Made, Distribution]:
    """A pool of T1 and T2, of which every topic is to be given to three people."""
    with database.writing() as db:
        made, report = pooled_campaign(db, assessors=NAMES)
        given = to_each(db, report.pool.id, [made.assessors[name] for name in NAMES])
    return made, Distribution(report.pool.id, given, seed=seed)


def given(database: Database) -> int:
    with database.reading() as db:
        return db.scalar(select(func.count()).where(AssignmentRow.revoked_at.is_(None))) or 0


@pytest.mark.engines
def test_others_see_each_portion_and_the_same_again_adds_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, whole = prepared(database)
    seen: list[int] = []
    monkeypatch.setattr(time, "sleep", lambda _: seen.append(given(database)))
    assert distribute_in_portions(database, whole) == 6
    assert seen == [2, 4, 6]
    assert distribute_in_portions(database, whole) == 0


@pytest.mark.engines
def test_seeds_and_orders_are_those_of_one_transaction(database: Database) -> None:
    made, whole = prepared(database, seed=5)
    with database.writing() as db:
        distribute(db, whole)
        at_once = [(one.topic, one.assessor, one.seed) for one in assignments_of(db, made.campaign.id)]
        db.rollback()
    distribute_in_portions(database, whole)
    with database.reading() as db:
        assert at_once == [
            (one.topic, one.assessor, one.seed) for one in assignments_of(db, made.campaign.id)
        ]
        assert len({seed for _, _, seed in at_once}) == 3


@pytest.mark.engines
def test_what_was_given_before_a_kill_stays_and_what_was_removed_comes_back_as_it_was(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, whole = prepared(database)

    def killed(_: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(time, "sleep", killed)
        distribute_in_portions(database, whole)
    assert given(database) == 2
    with database.writing() as db:
        before = assignments_of(db, made.campaign.id)
        revoke(db, made.campaign.id, before[0].id)
    assert distribute_in_portions(database, whole) == 5
    with database.reading() as db:
        after = {one.id: one for one in assignments_of(db, made.campaign.id)}
    assert [after[one.id] for one in before] == list(before)
    assert len(after) == 6


@pytest.mark.engines
def test_a_pool_that_is_closed_between_two_portions_takes_no_more(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, whole = prepared(database)

    def close(_: float) -> None:
        with database.writing() as db:
            close_pool(db, made.campaign.id, "depth 2")

    monkeypatch.setattr(time, "sleep", close)
    with pytest.raises(Conflict, match="is closed"):
        distribute_in_portions(database, whole)
    assert given(database) == 2


def test_nothing_is_given_where_anything_cannot_be(database: Database) -> None:
    made, whole = prepared(database)
    ada = made.assessors["Ada"]
    for wrong, said in ((("T9", ada), "T9"), (("T1", 999_999), "with an account here")):
        with pytest.raises(NotFound, match=said):
            distribute_in_portions(database, Distribution(whole.pool_id, [*whole.given, wrong]))
    assert given(database) == 0


@pytest.mark.engines
def test_two_who_give_the_same_at_once_give_each_topic_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second looks before the first has written anything, and writes while the first does."""
    monkeypatch.setattr(distribution, "PORTION", 6)
    _, whole = prepared(database)
    other = Database(database.url)

    @contextmanager
    def late() -> Iterator[Session]:
        with ThreadPoolExecutor(1) as thread:
            with database.writing() as db:
                yield db
                # SQLite has one writer: the other one waits for the whole transaction.
                added = thread.submit(distribute_in_portions, other, whole)
                time.sleep(0.3)
            counts.append(added.result(timeout=30))

    counts: list[int] = []
    counts.append(distribute_in_portions(database, whole, writing=late))
    other.close()
    assert sorted(counts) == [0, 6]
    assert given(database) == 6
