"""A move that is interrupted shows nothing at the new place and leaves nothing there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from tests.cast import Cast, assemble
from tests.databases import TABLES, opened_copy
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.records import BINARY
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, CampaignRow
from workbench.workflow.campaigns import arrivals
from workbench.workflow.campaigns.arrivals import Arrival, remove_leftovers
from workbench.workflow.campaigns.campaigns import all_campaigns, campaign_by_slug, create_campaign
from workbench.workflow.campaigns.deletion import finish_deletions
from workbench.workflow.people.accounts import account_without_password, create_account
from workbench.workflow.people.administration import accounts_found, count_accounts
from workbench.workflow.upkeep import campaign_move
from workbench.workflow.upkeep.campaign_move import CampaignMove, move_campaign
from workbench.workflow.upkeep.verify import verify


@pytest.fixture
def staffed(migrated_sqlite: Path, tmp_path: Path) -> Iterator[tuple[Database, Cast]]:
    """An instance in which people work."""
    (tmp_path / "staffed").mkdir()
    with opened_copy(migrated_sqlite, tmp_path / "staffed") as database:
        yield database, assemble(database)


@pytest.fixture
def there(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """An instance that nobody uses yet."""
    with opened_copy(migrated_sqlite, tmp_path) as database:
        yield database


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
    monkeypatch.setattr(campaign_move, "FIRST_PORTION", 1)


def rows_of(database: Database) -> dict[str, int]:
    with database.reading() as db:
        counts = {table.name: db.scalar(select(func.count()).select_from(table)) or 0 for table in TABLES}
    return {name: count for name, count in counts.items() if count}


@pytest.mark.parametrize("portions", [0, 3, 25])
def test_an_interrupted_move_leaves_nothing(
    staffed: tuple[Database, Cast],
    there: Database,
    monkeypatch: pytest.MonkeyPatch,
    portions: int,
) -> None:
    source, cast = staffed
    before = rows_of(source)
    with monkeypatch.context() as stopping:
        stopped_after(stopping, portions)
        with pytest.raises(KeyboardInterrupt):
            move_campaign(source, there, CampaignMove(cast.slug, cast.slug))
    assert rows_of(there) == {}
    assert rows_of(source) == before
    with source.reading() as db:
        assert campaign_by_slug(db, cast.slug).archived_at is None
    move_campaign(source, there, CampaignMove(cast.slug, cast.slug))
    assert not verify(there).findings


@pytest.mark.engines
def test_what_a_killed_process_left_is_hidden_and_is_removed_later(
    staffed: tuple[Database, Cast], own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, cast = staffed
    with monkeypatch.context() as killing:
        stopped_after(killing, 25)
        killing.setattr(arrivals, "_abandon", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            move_campaign(source, own_database, CampaignMove(cast.slug, cast.slug))
    left = rows_of(own_database)
    assert left["campaign"] == 1
    assert left["account"] == 6  # all but Otto
    assert "member" not in left
    # No server deletes it as it starts, since it may be that the other process goes on.
    assert finish_deletions(own_database) == ()
    remove_leftovers(own_database)
    assert rows_of(own_database) == left
    assert not verify(own_database).findings
    with own_database.reading() as db:
        assert all_campaigns(db) + all_campaigns(db, archived=True) == ()
        with pytest.raises(NotFound):
            campaign_by_slug(db, cast.slug)
        with pytest.raises(NotFound):
            campaign_by_slug(db, db.scalars(select(CampaignRow.slug)).one())
        assert (count_accounts(db), accounts_found(db, "~")) == (0, ())
    # It is moved again, and nothing of the first attempt stays.
    move_campaign(source, own_database, CampaignMove(cast.slug, cast.slug))
    assert rows_of(own_database)["account"] == 12
    remove_leftovers(own_database, older=timedelta())
    with own_database.reading() as db:
        logins = set(db.scalars(select(AccountRow.login)))
        assert [one.slug for one in all_campaigns(db)] == [cast.slug]
    assert logins == {"olga", "ada", "ben", "judith", "vera", "petra"}
    assert not verify(own_database).findings


def test_a_move_stops_where_its_campaign_was_deleted_meanwhile(
    staffed: tuple[Database, Cast], there: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, cast = staffed
    monkeypatch.setattr(
        "workbench.workflow.campaigns.arrivals.time.sleep",
        lambda _: remove_leftovers(there, older=timedelta()),
    )
    with pytest.raises(WorkbenchError, match="deleted before it was complete"):
        move_campaign(source, there, CampaignMove(cast.slug, cast.slug))
    assert rows_of(there) == {}


@pytest.mark.parametrize("taken", ["slug", "login"])
def test_a_name_that_is_taken_while_a_campaign_arrives_stops_it_and_is_kept(
    staffed: tuple[Database, Cast], there: Database, monkeypatch: pytest.MonkeyPatch, taken: str
) -> None:
    source, cast = staffed
    made: list[Any] = []

    def others(_: float) -> None:
        # Between two portions anybody can write.
        if made:
            return
        with there.writing() as db:
            if taken == "slug":
                made.append(create_campaign(db, name="Another", scale=BINARY, slug=cast.slug))
            else:
                made.append(create_account(db, account_without_password("ada", "Another Ada")))

    monkeypatch.setattr("workbench.workflow.campaigns.arrivals.time.sleep", others)
    with pytest.raises(Conflict, match=cast.slug if taken == "slug" else "ada"):
        move_campaign(source, there, CampaignMove(cast.slug, cast.slug))
    assert rows_of(there) == {"campaign" if taken == "slug" else "account": 1}


def test_people_cannot_sign_in_before_their_campaign_is_complete(
    staffed: tuple[Database, Cast], there: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, cast = staffed
    seen = []

    def looks(_: float) -> None:
        with there.reading() as db:
            enabled = select(AccountRow).where(AccountRow.disabled_at.is_(None))
            seen.append((db.scalars(enabled).all(), set(db.scalars(select(AccountRow.password_hash)))))

    with source.writing() as db:
        db.execute(update(AccountRow).values(password_hash="secret"))
    monkeypatch.setattr("workbench.workflow.campaigns.arrivals.time.sleep", looks)
    move_campaign(source, there, CampaignMove(cast.slug, cast.slug))
    assert len(seen) > 5
    assert all(one == ([], {"-"}) for one in seen)
    with there.reading() as db:
        assert set(db.scalars(select(AccountRow.password_hash))) == {"secret"}
