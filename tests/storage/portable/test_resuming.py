"""A copy that was begun: rows are added to it until they are all there, and it stays closed until then."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, text

from tests.builders import campaign_with_people
from tests.databases import opened_copy
from workbench.errors import WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.migrate import UNFINISHED, known_revisions, migrate
from workbench.storage.portable.backup_file import BackupFile, write_backup
from workbench.storage.portable.contents import CopySource
from workbench.storage.portable.loading import load
from workbench.storage.portable.rows import check_fits, row_of
from workbench.storage.portable.schema import PortableTable, schema_of
from workbench.storage.tables import AccountRow, DocumentRow


@pytest.fixture
def source(sqlite_database: Database) -> Database:
    """A campaign with an organiser, two assessors and six documents."""
    with sqlite_database.writing() as db:
        campaign_with_people(db)
    return sqlite_database


@pytest.fixture
def begun(backup: BackupFile, migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """A copy of it that was interrupted before its first row: the schema, and what it is to become.

    From a database that was migrated before, since creating the schema takes a second.
    """
    contents = backup.contents
    (tmp_path / "begun").mkdir()
    with opened_copy(migrated_sqlite, tmp_path / "begun") as database:
        with database.writing() as db:
            db.execute(text("create table unfinished_copy (sha256 varchar(64), revision varchar(32))"))
            mark = {"sha256": contents.sha256, "revision": contents.revision}
            db.execute(text("insert into unfinished_copy values (:sha256, :revision)"), mark)
            db.execute(text("update alembic_version set version_num = :it"), {"it": UNFINISHED})
        yield database


@pytest.fixture
def backup(source: Database, tmp_path: Path) -> Iterator[BackupFile]:
    """A backup of it."""
    with BackupFile(write_backup(source, tmp_path / "b.zip").path) as opened_file:
        yield opened_file


class Changed:
    """A source of which rows arrive otherwise; `line` follows those of one table, None for its last again."""

    def __init__(self, source: CopySource, table: str, line: bytes | None = b"", turned: bytes = b"") -> None:
        self.contents = source.contents
        self._source, self._table, self._line, self._turned = source, table, line, turned

    def lines(self, table: PortableTable) -> Iterator[bytes]:
        """The rows of a table."""
        line = b""
        for line in self._source.lines(table):
            yield line.replace(self._turned, b"?") if self._turned else line
        if table.name == self._table and self._line != b"":
            yield line if self._line is None else self._line


def test_a_restore_that_was_begun_is_completed(backup: BackupFile, begun: Database) -> None:
    seen: list[tuple[str, int]] = []
    copied = load(backup, begun, lambda step, rows: seen.append((step, rows)))
    assert copied.resumed == 0
    assert copied.contents.count("document") == 6
    assert copied.contents.count("no such table") == 0
    # Each row is copied and verified.
    done = {step: sum(rows for one, rows in seen if one == step) for step in dict(seen)}
    assert done == dict.fromkeys(("Copying", "Verifying"), copied.contents.rows)
    migrate(begun)
    with begun.reading() as db:
        assert "d#3" in db.scalars(select(DocumentRow.docno)).all()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"[1]", "a row of account cannot be read: a row of account must have"),
        (b"{}", "a row of account cannot be read: a row of account must have"),
        (None, "rows of account cannot be stored: UNIQUE constraint failed"),
    ],
    ids=["too few values", "no list", "a row that comes twice"],
)
def test_a_row_that_cannot_be_stored_is_named_and_the_copy_stays_closed(
    backup: BackupFile, begun: Database, line: bytes | None, told: str
) -> None:
    with pytest.raises(WorkbenchError, match=told):
        load(Changed(backup, "account", line), begun)
    with pytest.raises(WorkbenchError, match="interrupted"):
        migrate(begun)


def test_rows_that_arrive_otherwise_are_named_and_the_copy_stays_closed(
    backup: BackupFile, begun: Database
) -> None:
    with pytest.raises(WorkbenchError, match="the rows of document are not") as told:
        load(Changed(backup, "document", turned=b"Title of d1"), begun)
    assert "delete it, and start again" in told.value.remedy
    with pytest.raises(WorkbenchError, match="interrupted"):
        migrate(begun)


def table_named(name: str) -> PortableTable:
    (found,) = (one for one in schema_of(known_revisions()[-1]) if one.name == name)
    return found


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"login": "a\0b"}, "account (7): login has a NUL character"),
        ({"name": "x" * 1000}, "account (7): name has 1000 characters, and"),
    ],
    ids=["NUL", "too long"],
)
def test_text_that_postgresql_does_not_store_is_named_by_row_and_column(
    changed: dict[str, str], told: str
) -> None:
    table = table_named(AccountRow.__tablename__)
    row = dict.fromkeys(table.columns) | {"id": 7, "login": "ada", "name": "Ada"}
    check_fits(row, table)
    with pytest.raises(WorkbenchError) as error:
        check_fits(row | changed, table)
    assert error.value.message.startswith(told)
    assert error.value.remedy == "change it where it is, or stay on SQLite"


def test_a_value_of_another_form_is_named_by_its_column() -> None:
    table = table_named(AccountRow.__tablename__)
    values = [12 if name == "created_at" else None for name in table.columns]
    with pytest.raises(ValueError, match="created_at: "):
        row_of(json.dumps(values).encode(), table)
