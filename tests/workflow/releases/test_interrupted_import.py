"""A release comes into a campaign in portions: unseen before all of it is there, and whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from tests.databases import TABLES
from tests.workflow.releases.test_round_trip import EVERYTHING, exported, read
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.records import BINARY
from workbench.releases.contents import ReleaseContents
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow, MemberRow
from workbench.workflow.campaigns.arrivals import Arrival, remove_leftovers
from workbench.workflow.campaigns.campaigns import all_campaigns, campaign_by_slug, create_campaign
from workbench.workflow.campaigns.deletion import finish_deletions
from workbench.workflow.people.accounts import account_without_password, create_account
from workbench.workflow.releases import importing
from workbench.workflow.releases.importing import import_release

PAUSE = "workbench.workflow.campaigns.arrivals.time.sleep"


@pytest.fixture
def contents(sqlite_database: Database) -> ReleaseContents:
    """A release with everything in it; its campaign is deleted."""
    return read(exported(sqlite_database, *EVERYTHING))


def rows_of(database: Database) -> int:
    with database.reading() as db:
        return sum(db.scalar(select(func.count()).select_from(table)) or 0 for table in TABLES)


def stopped_after(monkeypatch: pytest.MonkeyPatch, portions: int) -> None:
    """Have the process stop at the portion after so many, each of one row."""
    countdown, original = iter(range(portions)), Arrival.portion

    @contextmanager
    def portion(arrival: Arrival) -> Iterator[Session]:
        with original(arrival) as db:
            yield db
            if next(countdown, None) is None:
                raise KeyboardInterrupt
        arrival.rows = 1

    monkeypatch.setattr(Arrival, "portion", portion)
    monkeypatch.setattr(importing, "FIRST_PORTION", 1)


@pytest.mark.parametrize("portions", [1, 20])
def test_an_interrupted_import_leaves_nothing(
    sqlite_database: Database, contents: ReleaseContents, monkeypatch: pytest.MonkeyPatch, portions: int
) -> None:
    before = rows_of(sqlite_database)
    stopped_after(monkeypatch, portions)
    with pytest.raises(KeyboardInterrupt):
        import_release(sqlite_database, contents, sha256="")
    assert rows_of(sqlite_database) == before


def test_what_a_killed_import_left_is_hidden_and_is_removed_later(
    sqlite_database: Database, contents: ReleaseContents, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows_of(sqlite_database)
    with monkeypatch.context() as killed:
        stopped_after(killed, 20)
        killed.setattr(Arrival, "abandon", lambda _: None)
        with pytest.raises(KeyboardInterrupt):
            import_release(sqlite_database, contents, sha256="")
    left = rows_of(sqlite_database)
    assert left > before
    # No server deletes it as it starts, since it may be that the other process goes on.
    assert finish_deletions(sqlite_database) == ()
    remove_leftovers(sqlite_database)
    assert rows_of(sqlite_database) == left
    with sqlite_database.reading() as db:
        assert all_campaigns(db) + all_campaigns(db, archived=True) == ()
        with pytest.raises(NotFound):
            campaign_by_slug(db, db.scalars(select(CampaignRow.slug)).one())
    remove_leftovers(sqlite_database, older=timedelta())
    assert rows_of(sqlite_database) == before


def test_an_import_stops_where_its_campaign_was_deleted_meanwhile(
    sqlite_database: Database, contents: ReleaseContents, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows_of(sqlite_database)
    monkeypatch.setattr(PAUSE, lambda _: remove_leftovers(sqlite_database, older=timedelta()))
    with pytest.raises(WorkbenchError, match="deleted before it was complete"):
        import_release(sqlite_database, contents, sha256="")
    assert rows_of(sqlite_database) == before


def test_nobody_sees_an_import_before_it_is_complete(
    sqlite_database: Database, contents: ReleaseContents, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def looks(_: float) -> None:
        with sqlite_database.reading() as db:
            members = db.scalar(select(func.count()).select_from(MemberRow))
            seen.append((all_campaigns(db), all_campaigns(db, archived=True), members))

    with sqlite_database.writing() as db:
        organiser = create_account(db, account_without_password("olga", "Olga")).id
    monkeypatch.setattr(PAUSE, looks)
    import_release(sqlite_database, contents, sha256="", organiser=organiser)
    assert len(seen) > 5
    assert set(seen) == {((), (), 0)}
    looks(0)
    ((campaign,), archived, members) = seen[-1]
    assert (campaign.slug, archived, members) == ("harbour", (), 1)


@pytest.mark.parametrize("slug", [None, "harbour"])
def test_a_short_name_that_is_taken_meanwhile(
    sqlite_database: Database,
    contents: ReleaseContents,
    monkeypatch: pytest.MonkeyPatch,
    slug: str | None,
) -> None:
    def takes(_: float) -> None:
        with sqlite_database.writing() as db:
            if db.scalar(select(func.count()).where(CampaignRow.slug == "harbour")) == 0:
                create_campaign(db, name="Another", scale=BINARY, slug="harbour")

    monkeypatch.setattr(PAUSE, takes)
    if slug is None:
        # The release asks for it; whoever imports did not.
        assert import_release(sqlite_database, contents, sha256="").campaign.slug == "harbour-2"
        return
    with pytest.raises(Conflict, match="harbour"):
        import_release(sqlite_database, contents, sha256="", slug=slug)
    with sqlite_database.reading() as db:
        assert [one.name for one in all_campaigns(db)] == ["Another"]
