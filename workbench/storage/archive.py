"""The archive of a database: one zip with the rows of every table as JSON lines, which either engine reads.

`rows/TABLE.jsonl` has one JSON array a row, in the order of the primary key; `manifest.json` lists the
columns of each table, and counts and hashes its rows. An archive is loaded into the schema of its own
revision, which is migrated afterwards, all in one transaction: a restore that is interrupted leaves nothing,
and restoring into the other engine is moving.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any

from alembic import command
from alembic.runtime.migration import MigrationContext
from sqlalchemy import (
    String,
    Table,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DataError, IntegrityError

from workbench import __version__
from workbench.errors import Conflict, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.outside import parsed_json
from workbench.storage.engine import Database
from workbench.storage.migrate import (
    changing_schema,
    configuration,
    known_revisions,
    reachable,
    require_known,
    upgrade_to_latest,
    wait_for_others,
)
from workbench.storage.rows import (
    LEFT_OUT,
    MOST_ROWS,
    VERSION_TABLE,
    Contents,
    Progress,
    TableSurvey,
    carried,
    contents_of,
    lines_of,
    no_progress,
    revision_of,
    row_of,
    survey,
)

FORM = "workbench backup"
MANIFEST = "manifest.json"
# Most of a backup is compressed already or compresses well: a higher level takes twice as long for 3 %.
LEVEL = 3
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, KeyError, ValueError)


@frozen_dataclass
class Backup:
    """An archive that was written and read back: where it is, its size and hash, and what it holds."""

    path: Path
    size: int
    sha256: str
    made_at: datetime
    contents: Contents


def write_archive(database: Database, path: Path, progress: Progress = no_progress) -> Backup:
    """Write the rows of one moment, while others read and write; returns the archive, verified.

    The file has its name only once it is complete, on the disk, and read back without a difference. Raises
    WorkbenchError if there is such a file already, or it cannot be written.
    """
    if path.exists():
        raise WorkbenchError(f"{path} exists", remedy="name another file: a backup is never overwritten")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _partial(path) as stream:
            contents, made_at = _write(database, stream, progress)
            stream.flush()
            os.fsync(stream.fileno())
            with ArchiveFile(Path(stream.name)) as written:
                written.check(progress)
                if written.contents != contents:
                    raise WorkbenchError(
                        f"{path}: what was read back is not what was written",
                        remedy="check the disk, and write the backup to another one",
                    )
            with Path(stream.name).open("rb") as whole:
                sha256 = hashlib.file_digest(whole, "sha256").hexdigest()
            Path(stream.name).rename(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise WorkbenchError(
            f"the backup {path} cannot be written: {error.strerror or error}",
            remedy="free disk space, or choose another place with --to; nothing was left behind",
        ) from error
    return Backup(path, path.stat().st_size, sha256, made_at, contents)


class ArchiveFile:
    """An archive, open for reading; raises WorkbenchError if the file is none, or is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._reading():
            self._archive = zipfile.ZipFile(path)
        try:
            with self._reading():
                manifest = parsed_json(self._archive.read(MANIFEST))
            self.contents = self._understood(manifest)
        except BaseException:
            self._archive.close()
            raise

    def __enter__(self) -> ArchiveFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def lines(self, table: str) -> Generator[bytes, None, None]:
        """The rows of a table in the order of their key, one line each without its end."""
        with self._reading(table), self._archive.open(f"rows/{table}.jsonl") as member:
            for line in member:
                yield line.removesuffix(b"\n")

    def check(self, progress: Progress = no_progress) -> None:
        """Read everything; raise WorkbenchError unless it is what the manifest says."""
        surveys = [
            survey(one.name, one.columns, self.lines(one.name), progress, "Checking")
            for one in self.contents.tables
        ]
        different = Contents(self.contents.revision, tuple(surveys)).differing(self.contents)
        if different:
            raise self.damaged(f"the rows of {', '.join(different)} are not those that were written")

    def damaged(self, why: str) -> WorkbenchError:
        """That the file is not what was written."""
        return WorkbenchError(f"{self.path} is not a complete backup: {why}", remedy="use another copy of it")

    def _understood(self, manifest: Any) -> Contents:
        if not isinstance(manifest, dict) or manifest.get("form") != FORM:
            raise self.damaged("it has no manifest of a backup")
        if manifest.get("revision") not in known_revisions():
            raise WorkbenchError(
                f"{self.path} has revision {manifest.get('revision')}; this is Workbench {__version__}, which"
                f" knows revisions up to {known_revisions()[-1]}",
                remedy=f"install Workbench {manifest.get('program')}",
            )
        with self._reading():
            tables = tuple(
                TableSurvey(**one | {"columns": tuple(one["columns"])}) for one in manifest["tables"]
            )
        contents = Contents(str(manifest["revision"]), tables)
        if contents.sha256 != manifest.get("sha256"):
            raise self.damaged("its manifest was changed")
        return contents

    @contextmanager
    def _reading(self, table: str = "") -> Iterator[None]:
        try:
            yield
        except (*DAMAGE, TypeError) as error:
            what = f"the rows of {table} cannot be read" if table else "it cannot be read as a backup"
            raise self.damaged(f"{what}: {error}") from error
        except OSError as error:
            raise WorkbenchError(f"{self.path} cannot be read: {error.strerror or error}") from error


def restore(archive: ArchiveFile, database: Database, progress: Progress = no_progress) -> Contents:
    """Fill an empty database with the rows of an archive, compare them, and upgrade it to this version.

    Raises Conflict unless it is empty, WorkbenchError if the rows cannot be stored or are not the same
    afterwards. Then nothing is there.
    """
    reachable(database)
    with changing_schema(database) as connection:
        wait_for_others(connection)
        if inspect(connection).get_table_names():
            _require_empty(connection)
            command.downgrade(configuration(connection), "base")
        command.upgrade(configuration(connection), archive.contents.revision)
        tables = carried(connection)
        stated = {one.name: one.columns for one in archive.contents.tables}
        if stated != {table.name: tuple(table.columns.keys()) for table in tables}:
            raise archive.damaged(f"its tables are not those of revision {archive.contents.revision}")
        for table in tables:
            _fill(connection, archive, table, progress)
        different = contents_of(connection, progress, "Verifying").differing(archive.contents)
        if different:
            raise WorkbenchError(
                f"the rows of {', '.join(different)} are not those of the backup",
                remedy="run `workbench verify` where they come from",
            )
        if not database.embedded:
            for table in tables:
                _number_after_last(connection, table)
        upgrade_to_latest(connection)
    return archive.contents


def _write(database: Database, stream: IO[bytes], progress: Progress) -> tuple[Contents, datetime]:
    surveys = []
    with (
        database.reading() as db,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive,
    ):
        connection = db.connection()
        made_at, revision = datetime.now(UTC), revision_of(connection)
        require_known(connection)
        for table in carried(connection):
            with archive.open(_member(f"rows/{table.name}.jsonl"), "w", force_zip64=True) as member:
                lines = _written(lines_of(connection, table), member)
                surveys.append(survey(table.name, table.columns.keys(), lines, progress, "Writing"))
        contents = Contents(revision, tuple(surveys))
        manifest = {
            "form": FORM,
            "program": __version__,
            "made_at": made_at.isoformat(),
            "engine": database.engine.dialect.name,
            "revision": revision,
            "sha256": contents.sha256,
            "tables": [asdict(one) for one in contents.tables],
        }
        archive.writestr(_member(MANIFEST), json.dumps(manifest, indent=1))
    return contents, made_at


def _written(lines: Iterable[bytes], member: IO[bytes]) -> Iterator[bytes]:
    for line in lines:
        member.write(line + b"\n")
        yield line


@contextmanager
def _partial(path: Path) -> Iterator[IO[bytes]]:
    """A file beside the one to come, for its owner only: a backup has the hashes of passwords."""
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}.", suffix=".partial", delete=False
    ) as stream:
        try:
            yield stream
        except BaseException:
            with suppress(OSError):
                Path(stream.name).unlink()
            raise


def _member(name: str) -> zipfile.ZipInfo:
    # With zip's own first date: the same rows at the same moment are the same bytes.
    member = zipfile.ZipInfo(name)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o600 << 16
    return member


def _sync_folder(folder: Path) -> None:
    # The name of the file is on the disk only once its folder is.
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _fill(connection: Connection, archive: ArchiveFile, table: Table, progress: Progress) -> None:
    remaining = archive.lines(table.name)
    while lines := list(islice(remaining, MOST_ROWS)):
        try:
            rows = [row_of(line, table) for line in lines]
        except ValueError as error:
            raise archive.damaged(f"a row of {table.name} cannot be read: {error}") from error
        if connection.dialect.name == "postgresql":
            for row in rows:
                _check_fits(row, table)
        try:
            connection.execute(insert(table), rows)
        except (DataError, IntegrityError) as error:
            raise WorkbenchError(
                f"rows of {table.name} cannot be stored: {str(error.orig).strip().splitlines()[0]}",
                remedy="run `workbench verify` where they come from",
            ) from error
        progress("Copying", len(rows))


def _check_fits(row: dict[str, Any], table: Table) -> None:
    """Raise WorkbenchError for text that PostgreSQL cannot store and SQLite does: too long, or with a NUL."""
    for column in table.columns:
        value = row[column.name]
        if not isinstance(value, str) or not isinstance(column.type, String):
            continue
        longest = column.type.length
        problem = "has a NUL character" if "\0" in value else ""
        if longest is not None and len(value) > longest:
            problem = f"has {len(value)} characters, and {longest} are allowed"
        if problem:
            key = ", ".join(str(row[one.name]) for one in table.primary_key)
            raise WorkbenchError(
                f"{table.name} ({key}): {column.name} {problem}, which PostgreSQL does not store",
                remedy="correct it in the source database, or stay on SQLite",
            )


def _require_empty(connection: Connection) -> None:
    require_known(connection)
    ours = carried(connection) if MigrationContext.configure(connection).get_current_revision() else []
    names = {table.name for table in ours} | LEFT_OUT | {VERSION_TABLE} if ours else set()
    strange = sorted(set(inspect(connection).get_table_names()) - names)
    filled = [table.name for table in ours if connection.scalar(select(func.count()).select_from(table)) or 0]
    if strange or filled:
        what = f"has rows in {', '.join(filled[:3])}" if filled else f"has the table {strange[0]}"
        raise Conflict(
            f"the database is not empty: it {what}",
            remedy="name an empty one; nothing was changed, and nothing is ever overwritten",
        )


def _number_after_last(connection: Connection, table: Table) -> None:
    """Have PostgreSQL number the next row of a table after its last one; SQLite does so by itself."""
    if "id" in table.columns:
        number = table.c.id
        sequence = func.pg_get_serial_sequence(table.name, "id")
        last = func.greatest(func.max(number), 1)
        connection.execute(select(func.setval(sequence, last, func.max(number).is_not(None))))
