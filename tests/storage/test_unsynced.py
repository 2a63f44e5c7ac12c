"""Transactions whose commit waits for no disk: parts of what is done again after a power failure."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from workbench.errors import Conflict
from workbench.records import BINARY
from workbench.storage import Session
from workbench.storage.engine import MOVED_AFTER, Database
from workbench.storage.tables import CampaignRow
from workbench.workflow.campaigns.campaigns import create_campaign

FULL, NORMAL = 2, 1
"""Of SQLite's `synchronous`: with NORMAL the log is not synced at a commit, with FULL it is."""
Transaction = Callable[..., AbstractContextManager[Session]]


@pytest.fixture(params=["writing", "deleting"])
def transaction(request: pytest.FixtureRequest, sqlite_database: Database) -> Transaction:
    found: Transaction = getattr(sqlite_database, request.param)
    return found


def settings(db: Session) -> tuple[int, int]:
    names = ("synchronous", "wal_autocheckpoint")
    first, second = (db.execute(text(f"pragma {name}")).scalar_one() for name in names)
    return first, second


def test_only_such_a_transaction_does_not_wait(sqlite_database: Database, transaction: Transaction) -> None:
    with transaction() as db:
        assert settings(db) == (FULL, 1000)
    with transaction(synced=False) as db:
        assert settings(db) == (NORMAL, 0)
    # The pool gives the same connection again, also after an error.
    with sqlite_database.writing() as db:
        assert settings(db) == (FULL, 1000)
    with suppress(Conflict), transaction(synced=False):
        raise Conflict("somebody was faster")
    with sqlite_database.writing() as db:
        assert settings(db) == (FULL, 1000)


@pytest.mark.engines
def test_it_is_committed_or_undone_as_every_other(database: Database) -> None:
    with database.writing(synced=False) as db:
        create_campaign(db, name="Harbour", scale=BINARY)
    with suppress(Conflict), database.writing(synced=False) as db:
        create_campaign(db, name="Tides", scale=BINARY)
        raise Conflict("somebody was faster")
    with database.reading() as db:
        assert db.scalars(select(CampaignRow.slug)).all() == ["harbour"]


def test_the_log_of_many_of_them_stays_short(sqlite_database: Database, tmp_path: Path) -> None:
    with sqlite_database.writing() as db:
        create_campaign(db, name="Harbour", scale=BINARY)
    log = tmp_path / f"{Path(sqlite_database.url).name}-wal"
    before = log.stat().st_size
    for number in range(6 * MOVED_AFTER):
        with sqlite_database.writing(synced=False) as db:
            db.execute(text("update campaign set guidelines = :text"), {"text": f"{number:4}" * 25_000})
    # 100,000 characters are 25 pages, of which no more than MOVED_AFTER transactions have written before they
    # are moved; the other pages of each, of the row and of what refers to it, are few.
    assert log.stat().st_size - before < (MOVED_AFTER + 1) * 35 * 4096
    with sqlite_database.reading() as db:
        assert db.scalar(select(func.length(CampaignRow.guidelines))) == 100_000
