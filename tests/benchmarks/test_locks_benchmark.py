"""The benchmark of locks watches every transaction that writes, however it ends, and no other."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from sqlalchemy import text

from tests.benchmarks.locks import Watch
from tests.databases import opened_copy


def test_transactions_that_write_are_watched_and_no_others(migrated_sqlite: Path, tmp_path: Path) -> None:
    watch = Watch()
    with opened_copy(migrated_sqlite, tmp_path) as database:
        watch.attach(database)
        with database.reading() as db:
            db.execute(text("select 1"))
        assert watch.held == []
        with database.writing() as db:
            db.execute(text("delete from campaign"))
        with suppress(ValueError), database.writing():
            raise ValueError("undone")
        with database.deleting() as db:
            db.execute(text("delete from topic"))
    assert len(watch.held) == 3
    assert all(clock > 0 for clock, _ in watch.held)
    assert watch.begun == {}
