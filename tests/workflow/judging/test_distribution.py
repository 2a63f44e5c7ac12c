"""Topics given to assessors: once each, and never of a closed pool."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
from sqlalchemy import func, select

from tests.builders import Made, pooled_campaign
from workbench.errors import Conflict, NotFound
from workbench.storage import locks
from workbench.storage.engine import Database
from workbench.storage.tables import AssignmentRow
from workbench.workflow.judging.assignments import (
    Distribution,
    assignments_of,
    distribute,
    revoke,
    to_each,
)
from workbench.workflow.pools.drafts import close_pool

NAMES = ["Ada", "Ben", "Cyd"]


def prepared(database: Database, seed: int | None = None) -> tuple[Made, Distribution]:
    """A pool of T1 and T2, of which every topic is to be given to three people."""
    with database.writing() as db:
        made, report = pooled_campaign(db, assessors=NAMES)
        given = to_each(db, report.pool.id, [made.assessors[name] for name in NAMES])
    return made, Distribution(report.pool.id, given, seed=seed)


def given(database: Database) -> int:
    with database.reading() as db:
        return db.scalar(select(func.count()).where(AssignmentRow.revoked_at.is_(None))) or 0


def distributed(database: Database, whole: Distribution) -> int:
    with database.writing() as db:
        return distribute(db, whole)


@pytest.mark.engines
def test_the_same_again_adds_nothing_and_each_assessor_has_a_seed(database: Database) -> None:
    made, whole = prepared(database, seed=5)
    assert distributed(database, whole) == 6
    assert distributed(database, whole) == 0
    with database.reading() as db:
        seeds = {(one.assessor, one.seed) for one in assignments_of(db, made.campaign.id)}
    # The first four bytes of SHA-256 of the seed and the assessor's number, as 31 bits.
    digests = {name: sha256(f"5\0{made.assessors[name]}".encode()).digest()[:4] for name in NAMES}
    assert seeds == {(name, int.from_bytes(digest) % 2**31) for name, digest in digests.items()}


@pytest.mark.engines
def test_what_was_removed_comes_back_as_it_was(database: Database) -> None:
    made, whole = prepared(database)
    distributed(database, whole)
    with database.writing() as db:
        before = assignments_of(db, made.campaign.id)
        revoke(db, made.campaign.id, before[0].id)
    assert distributed(database, whole) == 1
    with database.reading() as db:
        assert assignments_of(db, made.campaign.id) == before


@pytest.mark.engines
def test_a_closed_pool_takes_none(database: Database) -> None:
    made, whole = prepared(database)
    with database.writing() as db:
        close_pool(db, made.campaign.id, "depth 2")
    with pytest.raises(Conflict, match="is closed"):
        distributed(database, whole)
    assert given(database) == 0


def test_nothing_is_given_where_anything_cannot_be(database: Database) -> None:
    made, whole = prepared(database)
    ada = made.assessors["Ada"]
    for wrong, said in ((("T9", ada), "T9"), (("T1", 999_999), "with an account here")):
        with pytest.raises(NotFound, match=said):
            distributed(database, Distribution(whole.pool_id, [*whole.given, wrong]))
    assert given(database) == 0


@pytest.mark.engines
def test_two_who_give_the_same_at_once_give_each_topic_once(database: Database) -> None:
    made, whole = prepared(database)
    other = Database(database.url)

    def late() -> int:
        with other.writing() as db:
            locks.change(db, made.campaign.id)
            return distribute(db, whole)

    with ThreadPoolExecutor(1) as thread:
        with database.writing() as db:
            locks.change(db, made.campaign.id)
            first = distribute(db, whole)
            second = thread.submit(late)
            time.sleep(0.3)
        assert (first, second.result(timeout=30)) == (6, 0)
    other.close()
    assert given(database) == 6
