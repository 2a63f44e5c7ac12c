"""The backup: one zip with the rows of every table as JSON lines, and a manifest with their hashes.

`rows/TABLE.jsonl` has one JSON array a row, with the columns that `manifest.json` lists. Bytes are in base64,
times in ISO 8601 and UTC.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from workbench import __version__
from workbench.errors import WorkbenchError
from workbench.outside import parsed_json
from workbench.storage.engine import Database
from workbench.storage.migrate import known_revisions
from workbench.storage.portable.contents import Contents, differing_tables
from workbench.storage.portable.rows import (
    Progress,
    Surveyor,
    TableSurvey,
    lines_of,
    no_progress,
)
from workbench.storage.portable.schema import PortableTable, known_revision, schema_of

FORM = "workbench backup"
FORM_VERSION = 1
MANIFEST = "manifest.json"
# Most of a backup is compressed already or compresses well: a higher level takes twice as long for 3 %.
LEVEL = 3
READ = 2**20
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was written and read back: where it is, its size and hash, and what it holds."""

    path: Path
    size: int
    sha256: str
    made_at: datetime
    contents: Contents


def write_backup(database: Database, path: Path, progress: Progress = no_progress) -> Backup:
    """Write a backup of one moment of the database, while others read and write; returns it, verified.

    The file has its name only once it is complete, on the disk, and read back without a difference. Raises
    WorkbenchError if there is such a file already, or it cannot be written.
    """
    if path.exists():
        raise WorkbenchError(f"{path} exists", remedy="name another file: a backup is never overwritten")
    revision = known_revision(database)
    if revision not in known_revisions():
        raise _unknown(revision, "the database")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _partial(path) as stream:
            contents, made_at = _write(database, revision, stream, progress)
            stream.flush()
            os.fsync(stream.fileno())
            with BackupFile(Path(stream.name)) as written:
                written.check(progress)
                if written.contents != contents:
                    raise WorkbenchError(
                        f"{path}: what was read back is not what was written",
                        remedy="check the disk, and write the backup to another one",
                    )
            size, sha256 = _size_and_hash(Path(stream.name))
            Path(stream.name).rename(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise WorkbenchError(
            f"the backup {path} cannot be written: {error.strerror or error}",
            remedy="make room, or name another place with --to; nothing was left behind",
        ) from error
    return Backup(path, size, sha256, made_at, contents)


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


def _write(
    database: Database, revision: str, stream: IO[bytes], progress: Progress
) -> tuple[Contents, datetime]:
    surveys = []
    with (
        database.reading() as db,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive,
    ):
        connection = db.connection()
        made_at = datetime.now(UTC)
        for table in schema_of(revision):
            surveyor = Surveyor(table)
            with archive.open(_member(_name_of(table)), "w", force_zip64=True) as member:
                for line in lines_of(connection, table):
                    member.write(line + b"\n")
                    surveyor.add(line)
                    progress("Writing", 1)
            surveys.append(surveyor.survey())
        contents = Contents(revision, tuple(surveys))
        manifest = {
            "form": FORM,
            "version": FORM_VERSION,
            "program": __version__,
            "made_at": made_at.isoformat(),
            "engine": database.engine.dialect.name,
            "revision": revision,
            "sha256": contents.sha256,
            "tables": [asdict(one) for one in contents.tables],
        }
        archive.writestr(_member(MANIFEST), json.dumps(manifest, indent=1))
    return contents, made_at


def _name_of(table: PortableTable) -> str:
    return f"rows/{table.name}.jsonl"


def _member(name: str) -> zipfile.ZipInfo:
    # With zip's own first date: the same rows at the same moment are the same bytes.
    member = zipfile.ZipInfo(name)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o600 << 16
    return member


def _size_and_hash(path: Path) -> tuple[int, str]:
    with path.open("rb") as stream:
        return os.fstat(stream.fileno()).st_size, hashlib.file_digest(stream, "sha256").hexdigest()


def _sync_folder(folder: Path) -> None:
    # The name of the file is on the disk only once its folder is.
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


class BackupFile:
    """A backup, open for reading; raises WorkbenchError if the file is none, or is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._reading():
            self._archive = zipfile.ZipFile(path)
        try:
            with self._reading():
                manifest = parsed_json(self._archive.read(MANIFEST))
            self.contents, self.made_at, self.program = self._understood(manifest)
        except BaseException:
            self._archive.close()
            raise

    def __enter__(self) -> BackupFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def lines(self, table: PortableTable) -> Generator[bytes, None, None]:
        """The rows of a table in the order of their key, one line each without its end."""
        with self._reading(table.name), self._archive.open(_name_of(table)) as member:
            for line in member:
                yield line.removesuffix(b"\n")

    def check(self, progress: Progress = no_progress) -> None:
        """Read everything; raise WorkbenchError unless it is what the manifest says."""
        found = []
        for table in self.contents.schema:
            surveyor = Surveyor(table)
            for line in self.lines(table):
                surveyor.add(line)
                progress("Checking", 1)
            found.append(surveyor.survey())
        different = differing_tables(found, self.contents.tables)
        if different:
            raise self._damaged(f"the rows of {', '.join(different)} are not those that were written")

    def _understood(self, manifest: Any) -> tuple[Contents, datetime, str]:
        if not isinstance(manifest, dict) or manifest.get("form") != FORM:
            raise self._damaged("it has no manifest of a backup")
        program = str(manifest.get("program"))
        if manifest.get("version") != FORM_VERSION or manifest.get("revision") not in known_revisions():
            raise _unknown(str(manifest.get("revision")), str(self.path), program)
        try:
            tables = tuple(
                TableSurvey(
                    name=str(one["name"]),
                    columns=tuple(map(str, one["columns"])),
                    rows=int(one["rows"]),
                    sha256=str(one["sha256"]),
                )
                for one in manifest["tables"]
            )
            contents = Contents(str(manifest["revision"]), tables)
            made_at = datetime.fromisoformat(manifest["made_at"])
        except (KeyError, TypeError, ValueError) as error:
            raise self._damaged(f"its manifest cannot be read: {error!r}") from error
        if contents.sha256 != manifest.get("sha256"):
            raise self._damaged("its manifest was changed")
        schema = {one.name: one.columns for one in contents.schema}
        if {one.name: one.columns for one in tables} != schema or len(tables) != len(schema):
            raise self._damaged(f"its tables are not those of revision {contents.revision}")
        return contents, made_at, program

    @contextmanager
    def _reading(self, table: str = "") -> Iterator[None]:
        try:
            yield
        except (*DAMAGE, KeyError, ValueError) as error:
            what = f"the rows of {table} cannot be read" if table else "it cannot be read as a backup"
            raise self._damaged(f"{what}: {error}") from error
        except OSError as error:
            raise WorkbenchError(f"{self.path} cannot be read: {error.strerror or error}") from error

    def _damaged(self, why: str) -> WorkbenchError:
        return WorkbenchError(f"{self.path} is not a complete backup: {why}", remedy="use another copy of it")


def _unknown(revision: str, what: str, program: str = "") -> WorkbenchError:
    by = f"Workbench {program}" if program else "a newer version of Workbench"
    return WorkbenchError(
        f"{what} has revision {revision}; this is Workbench {__version__}, which knows revisions up to"
        f" {known_revisions()[-1]}",
        remedy=f"install {by}",
    )
