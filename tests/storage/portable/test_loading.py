"""A copy is complete or closed: it continues after an interruption, and equals its source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest
from sqlalchemy import select, update

from tests.databases import new_postgresql_database, opened, opened_copy
from tests.workflow.releases.filled import filled_campaign, filled_release
from workbench.errors import Conflict, WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.migrate import UNFINISHED, known_revisions, migrate
from workbench.storage.portable import loading
from workbench.storage.portable.backup_file import BackupFile, write_backup
from workbench.storage.portable.contents import Contents
from workbench.storage.portable.loading import Copied, load
from workbench.storage.portable.rows import survey
from workbench.storage.portable.schema import PortableTable, revision_of, schema_of
from workbench.storage.releases import read_parts
from workbench.storage.tables import AccountRow, DocumentRow, JudgmentEventRow, ReleaseRow
from workbench.workflow.upkeep.verify import verify

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


class Interrupted:
    """A source that ends after so many rows of one table, as a killed process leaves it."""

    def __init__(self, source: BackupFile, table: str, rows: int) -> None:
        self.contents: Contents = source.contents
        self._source, self._table, self._rows = source, table, rows

    def lines(self, table: PortableTable) -> Iterator[bytes]:
        """The rows of a table."""
        lines = self._source.lines(table)
        if table.name != self._table:
            yield from lines
            return
        with closing(lines):
            yield from islice(lines, self._rows)
        raise KeyboardInterrupt


def released(database: Database) -> bytes:
    with database.reading() as db:
        return b"".join(read_parts(db, db.scalars(select(ReleaseRow.id)).one()))


def test_an_interrupted_copy_is_opened_by_nobody_and_continues(
    filled: Database, empty: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_backup(filled, tmp_path / "b.zip").path
    monkeypatch.setattr(loading, "MOST_ROWS", 2)
    with BackupFile(path) as backup:
        # Of six documents four are there in two transactions when it ends; the fifth was not committed.
        with pytest.raises(KeyboardInterrupt):
            load(Interrupted(backup, "document", 5), empty)
        with pytest.raises(WorkbenchError, match="interrupted"):
            migrate(empty)
        with empty.reading() as db:
            assert revision_of(db.connection()) == UNFINISHED
            there = len(db.scalars(select(DocumentRow.docno)).all())
        assert there == 4
        copied = load(backup, empty)
    assert copied.resumed > there
    migrate(empty)
    with empty.reading() as db:
        assert survey(db.connection(), schema_of(known_revisions()[-1])) == copied.contents.tables
    assert released(empty) == released(filled)


@pytest.mark.slow
def test_a_copy_of_something_else_starts_over(filled: Database, empty: Database, tmp_path: Path) -> None:
    first = write_backup(filled, tmp_path / "first.zip").path
    with BackupFile(first) as backup, pytest.raises(KeyboardInterrupt):
        load(Interrupted(backup, "run", 0), empty)
    with filled.writing() as db:
        db.execute(update(DocumentRow).where(DocumentRow.docno == "d1").values(title="Changed"))
    second = write_backup(filled, tmp_path / "second.zip").path
    with BackupFile(second) as backup:
        assert load(backup, empty).resumed == 0
    with empty.reading() as db:
        assert db.scalar(select(DocumentRow.title).where(DocumentRow.docno == "d1")) == "Changed"


class Misread:
    """A source of which one row arrives otherwise than it was."""

    def __init__(self, source: BackupFile) -> None:
        self.contents: Contents = source.contents
        self._source = source

    def lines(self, table: PortableTable) -> Iterator[bytes]:
        """The rows of a table."""
        for line in self._source.lines(table):
            yield line.replace(b"Title of d1", b"Title of d7")


@pytest.mark.slow
def test_rows_that_arrive_otherwise_keep_it_closed(filled: Database, empty: Database, tmp_path: Path) -> None:
    path = write_backup(filled, tmp_path / "b.zip").path
    with BackupFile(path) as backup, pytest.raises(WorkbenchError, match="rows of document are not"):
        load(Misread(backup), empty)
    with pytest.raises(WorkbenchError, match="interrupted"):
        migrate(empty)


class Spoiled:
    """A source with a damaged line after the rows of one table."""

    def __init__(self, source: BackupFile, table: str, line: bytes | None) -> None:
        self.contents: Contents = source.contents
        self._source, self._table, self._line = source, table, line

    def lines(self, table: PortableTable) -> Iterator[bytes]:
        """The rows of a table; without a line its last row comes twice."""
        line = b""
        for line in self._source.lines(table):
            yield line
        if table.name == self._table:
            yield line if self._line is None else self._line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "told"),
    [(b"[1]\n", "rows? of account cannot be read"), (None, "rows of account cannot be stored")],
    ids=["a line of another form", "a row that comes twice"],
)
def test_a_row_that_cannot_be_stored_is_named_and_keeps_it_closed(
    migrated_sqlite: Path, empty: Database, tmp_path: Path, line: bytes | None, told: str
) -> None:
    with opened_copy(migrated_sqlite, tmp_path) as database:
        with database.writing() as db:
            db.add(AccountRow(login="ada", name="Ada", password_hash="-", created_at=NOW))
        path = write_backup(database, tmp_path / "b.zip").path
    with BackupFile(path) as backup, pytest.raises(WorkbenchError, match=told):
        load(Spoiled(backup, "account", line), empty)
    with pytest.raises(WorkbenchError, match="interrupted"):
        migrate(empty)
    # What was stored before is no obstacle to the whole copy.
    with BackupFile(path) as backup:
        load(backup, empty)
    migrate(empty)


def test_what_has_rows_is_never_overwritten(filled: Database, tmp_path: Path) -> None:
    path = write_backup(filled, tmp_path / "b.zip").path
    with BackupFile(path) as backup, pytest.raises(Conflict, match="not empty"):
        load(backup, filled)
    with opened(f"sqlite:///{tmp_path / 'other.sqlite3'}") as other:
        with other.writing() as db:
            db.connection().exec_driver_sql("create table harbour (ships integer)")
        with BackupFile(path) as backup, pytest.raises(Conflict, match="harbour"):
            load(backup, other)


@pytest.mark.slow
@pytest.mark.engines
def test_to_postgresql_and_back_gives_the_same_rows_and_release(
    filled: Database, empty: Database, postgresql_url: str, tmp_path: Path
) -> None:
    before = verify(filled).contents
    with new_postgresql_database(postgresql_url) as url, opened(url) as other:
        assert carried(filled, other, tmp_path / "there.zip").contents == before
        migrate(other)
        with other.writing() as db:
            # The next event comes after those that were carried: the number is given, then forgotten.
            db.add(next_event())
            db.flush()
            number = db.scalar(select(JudgmentEventRow.id).where(JudgmentEventRow.client_id == "next"))
            db.rollback()
        assert number == before.count("judgment_event") + 1
        assert verify(other).findings == ()
        assert carried(other, empty, tmp_path / "back.zip").contents == before
    assert verify(empty).findings == ()
    assert released(empty) == released(filled)


def carried(source: Database, destination: Database, path: Path) -> Copied:
    with BackupFile(write_backup(source, path).path) as backup:
        return load(backup, destination)


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
