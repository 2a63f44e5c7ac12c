"""A name that somebody takes at the moment in which a campaign gets it: PostgreSQL has several writers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.workflow.releases.test_round_trip import exported, read
from workbench.errors import Conflict
from workbench.records import BINARY
from workbench.releases.contents import ReleaseContents
from workbench.storage.engine import Database
from workbench.workflow.campaigns import campaigns
from workbench.workflow.campaigns.campaigns import all_campaigns, create_campaign
from workbench.workflow.releases.importing import import_release


@pytest.fixture
def contents(sqlite_database: Database) -> ReleaseContents:
    """A release of the short name `harbour`."""
    return read(exported(sqlite_database))


def taken_after(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, call: int, take: Callable[[], object]
) -> None:
    """Have somebody take a name after a check of it, which found it free at its call of that number."""
    original, calls = getattr(owner, name), iter(range(1, 100))

    def checked(*given: Any) -> Any:
        found = original(*given)
        if next(calls) == call:
            take()
        return found

    monkeypatch.setattr(owner, name, checked)


def takes(database: Database, slug: str) -> Callable[[], None]:
    def take() -> None:
        with database.writing() as db:
            create_campaign(db, name="Another", scale=BINARY, slug=slug)

    return take


def names(database: Database) -> list[tuple[str, str]]:
    with database.reading() as db:
        found = all_campaigns(db) + all_campaigns(db, archived=True)
    return sorted((one.slug, one.name) for one in found)


def test_a_short_name_taken_as_a_campaign_is_created_is_refused(
    postgresql_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken_after(monkeypatch, campaigns, "_slug_used", 1, takes(postgresql_database, "harbour"))
    with pytest.raises(Conflict, match="harbour already exists"), postgresql_database.writing() as db:
        create_campaign(db, name="Harbour", scale=BINARY, slug="harbour")
    assert names(postgresql_database) == [("harbour", "Another")]


def test_a_campaign_that_asked_for_no_short_name_gets_the_next(
    postgresql_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken_after(monkeypatch, campaigns, "_slug_used", 1, takes(postgresql_database, "harbour"))
    with postgresql_database.writing() as db:
        assert create_campaign(db, name="Harbour", scale=BINARY).slug == "harbour-2"
    assert names(postgresql_database) == [("harbour", "Another"), ("harbour-2", "Harbour")]


@pytest.mark.parametrize("slug", [None, "harbour"], ids=["of the release", "asked for"])
def test_a_short_name_taken_while_a_release_is_imported(
    postgresql_database: Database,
    contents: ReleaseContents,
    monkeypatch: pytest.MonkeyPatch,
    slug: str | None,
) -> None:
    taken_after(monkeypatch, campaigns, "_slug_used", 1, takes(postgresql_database, "harbour"))
    if slug is None:
        made = import_release(postgresql_database, contents)
        assert made.campaign.slug == "harbour-2"
        assert names(postgresql_database) == [("harbour", "Another"), ("harbour-2", "Harbour")]
        return
    with pytest.raises(Conflict, match="harbour already exists"):
        import_release(postgresql_database, contents, slug=slug)
    assert names(postgresql_database) == [("harbour", "Another")]
