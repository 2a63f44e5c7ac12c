"""Campaigns at their end, by several people at one moment; on both databases."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from tests.cast import Cast, assemble
from workbench.errors import Conflict, InvalidInput, NotFound
from workbench.storage.engine import Database
from workbench.storage.tables import Base, CampaignRow, TopicRow
from workbench.workflow.campaigns.archive import archive_campaign, delete_campaign, restore_campaign
from workbench.workflow.campaigns.campaigns import campaign_by_slug

pytestmark = pytest.mark.engines


@pytest.fixture
def cast(database: Database) -> Cast:
    return assemble(database)


def filled(database: Database) -> set[str]:
    with database.reading() as db:
        return {table.name for table in Base.metadata.sorted_tables if db.execute(select(table)).first()}


def at_once(database: Database, act: Callable[[Session], None], refusal: type[Exception]) -> int:
    """How many of four who do something at one moment succeed; the others get the refusal."""

    def one(_: int) -> bool:
        try:
            with database.writing() as db:
                act(db)
        except refusal:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        return sum(pool.map(one, range(4)))


def test_of_several_who_archive_restore_or_delete_at_one_moment_one_succeeds(
    database: Database, cast: Cast
) -> None:
    number = cast.campaign_id
    assert at_once(database, lambda db: archive_campaign(db, number), Conflict) == 1
    with pytest.raises(Conflict, match="is archived"), database.writing() as db:
        campaign_by_slug(db, cast.slug)
    with database.reading() as db:
        assert campaign_by_slug(db, cast.slug).archived_at is not None
    assert at_once(database, lambda db: restore_campaign(db, number), Conflict) == 1
    assert at_once(database, lambda db: delete_campaign(db, number, typed_name="Harbour"), NotFound) == 1
    assert filled(database) == {"account", "campaign", "member"}
    with database.reading() as db:
        assert [row.name for row in db.scalars(select(CampaignRow))] == ["Elsewhere"]


def test_a_deletion_that_is_broken_off_deletes_nothing(database: Database, cast: Cast) -> None:
    before = filled(database)

    def break_off() -> None:
        with database.deleting() as db:
            delete_campaign(db, cast.campaign_id, typed_name="Harbour")
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        break_off()
    with pytest.raises(InvalidInput), database.deleting() as db:
        delete_campaign(db, cast.campaign_id, typed_name="harbour")
    assert filled(database) == before
    with database.deleting() as db:
        delete_campaign(db, cast.campaign_id, typed_name="Harbour")
    assert filled(database) == {"account", "campaign", "member"}
    # Foreign keys are checked again for whoever uses the connection next.
    with pytest.raises(IntegrityError), database.writing() as db:
        db.add(TopicRow(campaign_id=cast.campaign_id, topic="T9", position=9, title=""))
