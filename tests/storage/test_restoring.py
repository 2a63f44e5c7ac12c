"""A restored database equals its archive, or there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select, update

from tests.databases import new_postgresql_database, opened, opened_copy
from tests.workflow.releases.filled import filled_campaign, filled_release
from workbench.errors import Conflict, WorkbenchError
from workbench.storage.archive import ArchiveFile, restore, write_archive
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.storage.releases import read_parts
from workbench.storage.rows import Contents
from workbench.storage.tables import AccountRow, DocumentRow, JudgmentEventRow, ReleaseRow
from workbench.workflow.upkeep.checks import verify

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def filled(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """An instance with a campaign, its records of every kind, and a release."""
    with opened_copy(migrated_sqlite, tmp_path) as database:
        with database.writing() as db:
            db.add(AccountRow(login="ada", name="Ada", password_hash="-", created_at=NOW))
            campaign_id = filled_campaign(db)
        filled_release(database, campaign_id)
        yield database


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Database]:
    """A database without tables."""
    with opened(f"sqlite:///{tmp_path / 'empty.sqlite3'}") as database:
        yield database


def released(database: Database) -> bytes:
    with database.reading() as db:
        return b"".join(read_parts(db, db.scalars(select(ReleaseRow.id)).one()))


def killed(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The first rows, and then the end of the process."""
    yield next(lines)
    yield next(lines)
    raise KeyboardInterrupt


def misread(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The rows, one of which arrives otherwise than it was."""
    return (line.replace(b"Title of d1", b"Title of d7") for line in lines)


def of_another_form(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The rows, and a line that is none."""
    yield from lines
    yield b"[1]"


def twice(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The rows, the last of them twice."""
    for line in lines:
        yield line
    yield line


@pytest.mark.parametrize(
    ("spoiled", "error", "told"),
    [
        (killed, KeyboardInterrupt, None),
        (misread, WorkbenchError, "rows of document are not"),
        (of_another_form, WorkbenchError, "a row of document cannot be read"),
        (twice, WorkbenchError, "rows of document cannot be stored"),
    ],
)
def test_a_restore_that_fails_leaves_nothing_and_can_be_done_again(
    filled: Database,
    empty: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoiled: Callable[[Iterator[bytes]], Iterator[bytes]],
    error: type[BaseException],
    told: str | None,
) -> None:
    made, lines = write_archive(filled, tmp_path / "b.zip"), ArchiveFile.lines

    def changed(archive: ArchiveFile, table: str) -> Iterator[bytes]:
        return spoiled(lines(archive, table)) if table == "document" else lines(archive, table)

    with ArchiveFile(made.path) as backup:
        with monkeypatch.context() as patch:
            patch.setattr(ArchiveFile, "lines", changed)
            with pytest.raises(error, match=told):
                restore(backup, empty)
        with empty.reading() as db:
            assert db.connection().exec_driver_sql("select * from sqlite_master").all() == []
        assert restore(backup, empty) == made.contents
    migrate(empty)
    assert released(empty) == released(filled)


def test_what_has_rows_is_never_overwritten(filled: Database, tmp_path: Path) -> None:
    path = write_archive(filled, tmp_path / "b.zip").path
    with ArchiveFile(path) as backup, pytest.raises(Conflict, match="not empty"):
        restore(backup, filled)
    with opened(f"sqlite:///{tmp_path / 'other.sqlite3'}") as other:
        with other.writing() as db:
            db.connection().exec_driver_sql("create table harbour (ships integer)")
        with ArchiveFile(path) as backup, pytest.raises(Conflict, match="harbour"):
            restore(backup, other)


@pytest.mark.slow
@pytest.mark.engines
def test_to_postgresql_and_back_gives_the_same_rows_and_release(
    filled: Database, empty: Database, postgresql_url: str, tmp_path: Path
) -> None:
    before = verify(filled).contents
    with new_postgresql_database(postgresql_url) as url, opened(url) as other:
        assert carried(filled, other, tmp_path / "there.zip") == before
        migrate(other)
        with other.writing() as db:
            # The next event comes after those that were carried: the number is given, then forgotten.
            db.add(next_event())
            db.flush()
            number = db.scalar(select(JudgmentEventRow.id).where(JudgmentEventRow.client_id == "next"))
            db.rollback()
        assert number == before.count("judgment_event") + 1
        assert verify(other).findings == ()
        assert carried(other, empty, tmp_path / "back.zip") == before
    assert verify(empty).findings == ()
    assert released(empty) == released(filled)


def carried(source: Database, destination: Database, path: Path) -> Contents:
    with ArchiveFile(write_archive(source, path).path) as backup:
        return restore(backup, destination)


def next_event() -> JudgmentEventRow:
    return JudgmentEventRow(
        campaign_id=1, assessor_id=1, topic="T1", docno="d1", answer="later", client_id="next", source="s",
        recorded_at=NOW,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.engines
def test_text_that_postgresql_does_not_store_is_named(
    filled: Database, postgresql_database: Database, tmp_path: Path
) -> None:
    with filled.writing() as db:
        db.execute(update(DocumentRow).where(DocumentRow.docno == "d2").values(title="a\0b"))
    with pytest.raises(WorkbenchError, match=r"document \(1, d2\): title has a NUL"):
        carried(filled, postgresql_database, tmp_path / "spoiled.zip")
    with filled.writing() as db:
        db.execute(update(DocumentRow).values(title="whole"))
    carried(filled, postgresql_database, tmp_path / "whole.zip")
