"""Campaigns at their end, by several people at one moment; on both databases."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from tests.cast import Cast, assemble
from tests.databases import TABLES
from workbench.errors import Conflict, InvalidInput, NotFound
from workbench.records import BINARY
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow, TopicRow
from workbench.workflow.campaigns import archive
from workbench.workflow.campaigns.archive import (
    archive_campaign,
    delete_campaign,
    finish_deletions,
    restore_campaign,
)
from workbench.workflow.campaigns.campaigns import (
    all_campaigns,
    campaign_by_slug,
    campaign_of,
    create_campaign,
)
from workbench.workflow.judging.sync import Outcome, receive
from workbench.workflow.overview.cards import campaigns_of

pytestmark = pytest.mark.engines


@pytest.fixture
def cast(database: Database) -> Cast:
    return assemble(database)


def filled(database: Database) -> set[str]:
    with database.reading() as db:
        return {table.name for table in TABLES if db.execute(select(table)).first()}


def at_once(act: Callable[[], None], refusal: type[Exception]) -> int:
    """How many of four who do something at one moment succeed; the others get the refusal."""

    def one(_: int) -> bool:
        try:
            act()
        except refusal:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        return sum(pool.map(one, range(4)))


def test_of_several_who_archive_restore_or_delete_at_one_moment_one_succeeds(
    database: Database, cast: Cast
) -> None:
    number = cast.campaign_id

    def change(act: Callable[[Session, int], None]) -> None:
        with database.writing() as db:
            act(db, number)

    assert at_once(lambda: change(archive_campaign), Conflict) == 1
    with pytest.raises(Conflict, match="is archived"), database.writing() as db:
        campaign_by_slug(db, cast.slug)
    with database.reading() as db:
        assert campaign_by_slug(db, cast.slug).archived_at is not None
    assert at_once(lambda: change(restore_campaign), Conflict) == 1
    assert at_once(lambda: delete_campaign(database, number, typed_name="Harbour"), NotFound) == 1
    assert filled(database) == {"account", "campaign", "instructions", "member"}
    with database.reading() as db:
        assert [row.name for row in db.scalars(select(CampaignRow))] == ["Elsewhere"]


@pytest.mark.parametrize("portions", [0, 1, 5, 12])
def test_an_interrupted_deletion_shows_nothing_and_is_completed(
    database: Database, cast: Cast, monkeypatch: pytest.MonkeyPatch, portions: int
) -> None:
    with pytest.raises(InvalidInput):
        delete_campaign(database, cast.campaign_id, typed_name="harbour")
    countdown, original = iter(range(portions)), archive._delete_some

    def killed(*given: Any) -> int:
        next(countdown)
        return original(*given)

    with monkeypatch.context() as killing:
        killing.setattr(archive, "FIRST_PORTION", 1)
        killing.setattr(archive, "MOST_ROWS", 1)
        killing.setattr(archive, "_delete_some", killed)
        with pytest.raises(StopIteration):
            delete_campaign(database, cast.campaign_id, typed_name="Harbour")
    with database.reading() as db:
        assert [one.name for one in (*all_campaigns(db), *all_campaigns(db, archived=True))] == ["Elsewhere"]
        assert [one.name for one in campaigns_of(db, cast.accounts["Ada"].id)] == []
        with pytest.raises(NotFound):
            campaign_by_slug(db, cast.slug)
        with pytest.raises(NotFound):
            campaign_of(db, cast.campaign_id)
    # Its slug is free again, and an answer on its way stops nothing.
    with database.writing() as db:
        assert create_campaign(db, name="Harbour", scale=BINARY, slug=cast.slug).slug == cast.slug
        event = {"assignment": cast.assignments["Ada", "T1"], "client_id": "client-late", "kind": "answer"}
        (receipt,) = receive(db, cast.accounts["Ada"].id, [event])
        assert receipt.outcome in {Outcome.UNRECORDED, Outcome.REFUSED}
    assert finish_deletions(database) == (cast.slug,)
    assert finish_deletions(database) == ()
    assert filled(database) == {"account", "campaign", "instructions", "member"}
    with database.reading() as db:
        assert sorted(row.name for row in db.scalars(select(CampaignRow))) == ["Elsewhere", "Harbour"]
    # Foreign keys are checked again for whoever uses the connection next.
    with pytest.raises(IntegrityError), database.writing() as db:
        db.add(TopicRow(campaign_id=cast.campaign_id, topic="T9", position=9, title=""))


def test_others_write_between_two_portions(
    database: Database, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def writes(_: float) -> None:
        with database.writing() as db:
            db.execute(
                update(CampaignRow).where(CampaignRow.name == "Elsewhere").values(guidelines="written")
            )
        seen.append(len(filled(database)))

    monkeypatch.setattr(archive, "FIRST_PORTION", 1)
    monkeypatch.setattr("workbench.workflow.campaigns.archive.time.sleep", writes)
    delete_campaign(database, cast.campaign_id, typed_name="Harbour")
    assert seen == sorted(seen, reverse=True)
    assert len(seen) > 3
