"""Results that every process reads: stored by hash, bounded in size, the least recently used first to go."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from tests.builders import ALPHA, campaign_with_people, send_runs
from workbench.errors import Unavailable
from workbench.storage.engine import Database, afterwards
from workbench.storage.results import (
    FEWEST_BYTES,
    USED,
    most_bytes,
    note_use,
    store_results,
    stored_results,
)
from workbench.storage.tables import CampaignRow, ComputedResultRow, RunRow

pytestmark = pytest.mark.engines
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def names_in(db: Session) -> list[str]:
    return sorted(db.scalars(select(ComputedResultRow.sha256)))


def test_results_are_found_in_their_campaign_and_replaced_by_the_same(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db).campaign.id
        for _ in range(2):
            store_results(db, made, {"a": b"one", "b": b"two"}, now=NOON)
        assert stored_results(db, made, ["a", "b", "c"], now=NOON) == ({"a": b"one", "b": b"two"}, ())
        assert stored_results(db, made + 1, ["a"], now=NOON) == ({}, ())


def test_the_least_recently_used_go_where_there_are_too_many(database: Database) -> None:
    later = NOON + 2 * USED
    with database.writing() as db:
        made = campaign_with_people(db).campaign.id
        for minute, name in enumerate("abcd"):
            store_results(db, made, {name: b"x" * 20}, now=NOON + timedelta(minutes=minute), most=80)
        # The first is used again; its time is noted once an hour at most.
        assert stored_results(db, made, ["a"], now=NOON + USED / 2)[1] == ()
        _, to_note = stored_results(db, made, ["a"], now=later)
        note_use(db, made, to_note, now=later)
        assert names_in(db) == ["a", "b", "c", "d"]
        # 100 bytes are 20 too many, and 10 more go so that the next one fits: b and c.
        store_results(db, made, {"e": b"x" * 20}, now=later, most=80)
        assert names_in(db) == ["a", "d", "e"]


def test_a_database_with_more_runs_has_room_for_more_results(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db).campaign.id
        assert most_bytes(db) == FEWEST_BYTES
        send_runs(db, made, alpha=ALPHA)
        assert most_bytes(db) == FEWEST_BYTES
        # 50 million lines, as 1,000 runs with 100 documents for each of 500 topics have: six bytes for each.
        db.execute(update(RunRow).values(lines=50_000_000))
        assert most_bytes(db) == 300_000_000


def test_what_a_reader_puts_off_is_written_after_it_and_not_where_it_fails(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db).campaign.id

    def store(db: Session) -> None:
        store_results(db, made, {"a": b"one"})

    with database.reading() as db:
        afterwards(db, store)
        assert names_in(db) == []
    with suppress(LookupError), database.reading() as db:
        assert names_in(db) == ["a"]
        afterwards(db, lambda db: store_results(db, made, {"b": b"two"}))
        raise LookupError
    with database.writing() as db:
        afterwards(db, lambda db: store_results(db, made, {"c": b"three"}))
    with database.reading() as db:
        assert names_in(db) == ["a"]


def test_a_reader_is_not_told_that_its_result_could_not_be_stored(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    def store(db: Session) -> None:
        store_results(db, 77, {"a": b"of a campaign that is gone"})

    def fail(db: Session) -> None:
        raise Unavailable("locked")

    for act in (store, fail):
        caplog.clear()
        with database.reading() as db:
            afterwards(db, act)
            assert db.scalar(select(func.count()).select_from(CampaignRow)) == 0
        assert "not stored" in caplog.text
