"""A release comes into a campaign whole or not at all."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import func, select

from tests.databases import TABLES
from tests.workflow.releases.test_round_trip import EVERYTHING, exported, read
from workbench.releases.contents import ReleaseContents
from workbench.storage.engine import Database
from workbench.workflow.campaigns.campaigns import all_campaigns
from workbench.workflow.releases import importing
from workbench.workflow.releases.importing import import_release


@pytest.fixture
def contents(sqlite_database: Database) -> ReleaseContents:
    """A release with everything in it; its campaign is deleted."""
    return read(exported(sqlite_database, *EVERYTHING))


def rows_of(database: Database) -> int:
    with database.reading() as db:
        return sum(db.scalar(select(func.count()).select_from(table)) or 0 for table in TABLES)


@pytest.mark.parametrize("act", ["load_topics", "store_run", "append_events", "write_entries"])
def test_an_interrupted_import_leaves_nothing_and_nobody_sees_it_before(
    sqlite_database: Database, contents: ReleaseContents, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    before, done = rows_of(sqlite_database), getattr(importing, act)

    def interrupted(*given: Any, **named: Any) -> None:
        done(*given, **named)
        with sqlite_database.reading() as db:
            assert all_campaigns(db) + all_campaigns(db, archived=True) == ()
        raise KeyboardInterrupt

    monkeypatch.setattr(importing, act, interrupted)
    with pytest.raises(KeyboardInterrupt):
        import_release(sqlite_database, contents)
    assert rows_of(sqlite_database) == before
