"""A move that is interrupted shows nothing at the new place, and the next one goes on with it."""

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
from workbench.errors import Conflict, NotFound, Unavailable, WorkbenchError
from workbench.records import BINARY
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, CampaignRow
from workbench.workflow.campaigns.archive import restore_campaign
from workbench.workflow.campaigns.arrivals import Arrival, Superseded, remove_leftovers
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


def interrupted(source: Database, there: Database, slug: str, portions: int) -> None:
    """Begin a move, and have it stop after so many portions of a row."""
    with pytest.MonkeyPatch.context() as stopping:
        stopped_after(stopping, portions)
        with pytest.raises(KeyboardInterrupt):
            move_campaign(source, there, CampaignMove(slug, slug))


def archived(database: Database, slug: str) -> bool:
    with database.reading() as db:
        return campaign_by_slug(db, slug, even_archived=True).archived_at is not None


@pytest.mark.engines
@pytest.mark.parametrize("portions", [0, 25])
def test_an_interrupted_move_is_gone_on_with(
    staffed: tuple[Database, Cast],
    own_database: Database,
    migrated_sqlite: Path,
    tmp_path: Path,
    portions: int,
) -> None:
    source, cast = staffed
    before = rows_of(source)
    interrupted(source, own_database, cast.slug, portions)
    # Nobody judges where it would have to begin anew.
    assert (rows_of(source), archived(source, cast.slug)) == (before, True)
    left = rows_of(own_database)
    assert (left["campaign"], left["account"], "member" in left) == (1, 6, False)  # all but Otto
    (tmp_path / "whole").mkdir()
    with opened_copy(migrated_sqlite, tmp_path / "whole") as other:
        whole, expected = move_campaign(source, other, CampaignMove(cast.slug, cast.slug)), rows_of(other)
    resumed = move_campaign(source, own_database, CampaignMove(cast.slug, cast.slug))
    # The portion that was interrupted is not there.
    assert (resumed.resumed, whole.resumed) == (portions, 0)
    assert resumed.contents == whole.contents
    assert rows_of(own_database) == expected
    # It was archived by the move alone, and is not at the new place.
    assert (archived(own_database, cast.slug), archived(source, cast.slug)) == (False, True)
    assert verify(own_database).findings == ()


def test_a_move_begins_anew_where_the_campaign_was_changed_since(
    staffed: tuple[Database, Cast], there: Database
) -> None:
    source, cast = staffed
    interrupted(source, there, cast.slug, 25)
    with source.writing() as db:
        restore_campaign(db, campaign_by_slug(db, cast.slug, even_archived=True).id)
        db.execute(update(CampaignRow).values(guidelines="Read twice."))
    assert move_campaign(source, there, CampaignMove(cast.slug, cast.slug)).resumed == 0
    with there.reading() as db:
        assert campaign_by_slug(db, cast.slug).guidelines == "Read twice."
    assert (rows_of(there)["campaign"], rows_of(there)["account"]) == (1, 6)
    assert verify(there).findings == ()


def test_a_move_begins_anew_where_other_people_are_there_than_before(
    staffed: tuple[Database, Cast], there: Database
) -> None:
    source, cast = staffed
    interrupted(source, there, cast.slug, 25)
    with there.writing() as db:
        create_account(db, account_without_password("ada", "Ada"))
    same = CampaignMove(cast.slug, cast.slug, same_people=True)
    assert move_campaign(source, there, same).resumed == 0
    assert rows_of(there)["account"] == 6
    assert verify(there).findings == ()


def test_of_two_processes_that_move_a_campaign_the_later_one_does(
    staffed: tuple[Database, Cast], there: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, cast = staffed
    begun: list[str] = []

    def starts_again(_: float) -> None:
        # The first sleeps after a portion, and the second one then.
        if not begun:
            begun.append("second")
            move_campaign(source, there, CampaignMove(cast.slug, cast.slug))

    monkeypatch.setattr("workbench.workflow.campaigns.arrivals.time.sleep", starts_again)
    with pytest.raises(Superseded, match="another process"):
        move_campaign(source, there, CampaignMove(cast.slug, "first"))
    # Neither deletes or restores what is the other's.
    assert (archived(there, cast.slug), archived(source, cast.slug)) == (False, True)
    assert verify(there).findings == ()


def test_a_move_without_its_database_is_an_interruption(
    staffed: tuple[Database, Cast], there: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, cast = staffed
    with monkeypatch.context() as away:
        away.setattr(campaign_move, "_survey", _gone_after_reading)
        with pytest.raises(Unavailable):
            move_campaign(source, there, CampaignMove(cast.slug, cast.slug))
    assert archived(source, cast.slug)
    resumed = move_campaign(source, there, CampaignMove(cast.slug, cast.slug))
    at_the_end = {"campaign", "member", "invitation"}
    assert resumed.resumed == sum(one.rows for one in resumed.contents.tables if one.name not in at_the_end)
    assert verify(there).findings == ()


def _gone_after_reading(*given: Any) -> Any:
    if given[-1] != "Reading":
        raise Unavailable("gone")
    return _SURVEY(*given)


_SURVEY = campaign_move._survey


@pytest.mark.engines
def test_what_an_interrupted_move_left_is_hidden_and_is_removed_later(
    staffed: tuple[Database, Cast], own_database: Database
) -> None:
    source, cast = staffed
    interrupted(source, own_database, cast.slug, 26)
    left = rows_of(own_database)
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
    remove_leftovers(own_database, older=timedelta())
    assert rows_of(own_database) == {}
    move_campaign(source, own_database, CampaignMove(cast.slug, cast.slug))
    with own_database.reading() as db:
        assert set(db.scalars(select(AccountRow.login))) == {"olga", "ada", "ben", "judith", "vera", "petra"}
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
    assert rows_of(there) == ({"campaign": 1, "instructions": 1} if taken == "slug" else {"account": 1})


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
