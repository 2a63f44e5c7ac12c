"""`workbench backup`, `restore` and `verify`: copies of a database, and how far they are."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from workbench.cli.database import database_command, existing_database, same_database
from workbench.cli.output import JSON_OBJECT, OLD_FILE, REFUSED, printable, say_json
from workbench.errors import Finding, WorkbenchError, finding_to_json
from workbench.figures import counted
from workbench.settings import Settings
from workbench.storage.archive import ArchiveFile, write_archive
from workbench.storage.archive import restore as restored
from workbench.storage.engine import Database
from workbench.storage.rows import Contents, Progress, no_progress
from workbench.workflow.upkeep.checks import verify as verify_database
from workbench.workflow.upkeep.status import LastBackup, give_to_owner, note_backup

# Showing each row would take longer than copying it.
SHOWN_EVERY = 997
COUNTED = {
    "campaign": "campaign",
    "account": "account",
    "topic": "topic",
    "document": "document",
    "run": "run",
    "pool": "pool",
    "judgment_event": "judgment event",
    "adjudication_event": "decision",
    "collection_release": "release",
}
"""What people count, by table."""


@contextmanager
def row_progress() -> Iterator[Progress]:
    """Shows on standard error what is being done, if that is a terminal."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield partial(_count, status, Counter())


def _count(status: Any, done: Counter[str], step: str, rows: int) -> None:
    """Count the rows of a step, and show now and then how many were done."""
    before = done[step] // SHOWN_EVERY if step in done else -1
    done[step] += rows
    if done[step] // SHOWN_EVERY != before:
        status.update(f"{step}: {done[step]:,} rows" if done[step] else step)


def described(contents: Contents) -> str:
    """What a database or backup holds, in words."""
    counts = [counted(count, noun) for table, noun in COUNTED.items() if (count := contents.count(table))]
    rows = f"{contents.rows:,} rows in {len(contents.tables)} tables"
    return f"{', '.join(counts)}; {rows}" if counts else rows


def contents_json(contents: Contents) -> dict[str, object]:
    """What a database or backup holds, for programs."""
    return {
        "revision": contents.revision,
        "sha256": contents.sha256,
        "rows": contents.rows,
        "tables": {one.name: {"rows": one.rows, "sha256": one.sha256} for one in contents.tables},
    }


@database_command("backup")
@click.option(
    "--to",
    "to",
    type=click.Path(path_type=Path),
    help="File, or folder (a name without an ending), to write to; by default, `backups` of the instance.",
)
@JSON_OBJECT
def backup(settings: Settings, to: Path | None, as_json: bool) -> None:
    """Write everything in the database to one file, while people go on judging.

    The file is of one moment, is read back before it gets its name, and never replaces another. It suits
    SQLite and PostgreSQL alike, and every later version of Workbench. Keep it as safe as the database:
    it has the hashes of passwords. Sessions are left out: after a restore everybody signs in again.
    """
    path = to or settings.instance / "backups"
    if to is None or path.is_dir() or not (path.exists() or path.suffix):
        path = path / f"workbench-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.zip"
    with existing_database(settings) as database, row_progress() as progress:
        made = write_archive(database, path, progress)
    note_backup(settings.instance, LastBackup(made.made_at, str(path.absolute()), made.size, made.sha256))
    if to is None:
        give_to_owner(settings.instance, path.parent, path)
    if as_json:
        written = {"path": str(path), "size": made.size, "sha256": made.sha256}
        say_json(written | {"made_at": made.made_at.isoformat(), "contents": contents_json(made.contents)})
        return
    click.echo(f"{path}: {made.size:,} bytes, complete and read back")
    click.echo(f"SHA-256 {made.sha256}")
    click.echo(f"{made.made_at:%Y-%m-%d %H:%M:%S} UTC: {described(made.contents)}")
    click.echo(f"contents {made.contents.sha256}")


@database_command("restore")
@click.argument("file", type=OLD_FILE)
@click.option("--sha256", help="Refuse a file without this SHA-256, which `workbench backup` printed.")
@JSON_OBJECT
def restore(settings: Settings, file: Path, sha256: str | None, as_json: bool) -> None:
    """Fill an empty instance from the backup FILE.

    Nothing is ever overwritten: a database that has rows is refused. The whole file is checked first, and the
    rows are compared with it afterwards. If it is interrupted, nothing is there: run the same command again.
    """
    if sha256 is not None and _hash(file) != sha256.strip().lower():
        raise WorkbenchError(f"{file} does not have this SHA-256", remedy="use another copy of the backup")
    with (
        ArchiveFile(file) as source,
        closing(Database(settings.database_url)) as database,
        row_progress() as progress,
    ):
        source.check(progress)
        contents = restored(source, database, progress)
    if as_json:
        say_json({"contents": contents_json(contents)})
        return
    click.echo(f"Restored and compared with the backup: {described(contents)}")
    click.echo(f"contents {contents.sha256}")
    click.echo(f"Start it with: {same_database('serve')}")


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@database_command("verify")
@click.option(
    "--against",
    type=OLD_FILE,
    help="Backup that must have the same rows.",
)
@JSON_OBJECT
def verify(settings: Settings, against: Path | None, as_json: bool) -> None:
    """Recount what must always hold, and name every row that breaks it.

    Checked are the file and schema of the database, every constraint and reference, the hashes of documents,
    runs and releases, that the current judgment of each pair is its latest, and the counters. Nothing is
    changed, and people may go on judging. The exit code is 1 if there is an error.

    Two databases with the same rows have the same `contents`.
    """
    with existing_database(settings) as database, row_progress() as progress:
        found = verify_database(database, progress)
    findings, sound = found.findings, found.sound
    if against is not None:
        differences = _differences(found.contents, against)
        findings, sound = (*findings, *differences), sound and not differences
    if as_json:
        checked = {"sound": sound, "checks": found.checks, "contents": contents_json(found.contents)}
        say_json(checked | {"findings": [finding_to_json(one) for one in findings]})
    else:
        for one in findings:
            click.echo(f"{one.severity} {one.code}: {printable(one)}")
        result = counted(len(findings), "finding") if findings else "nothing found"
        click.echo(f"{len(found.checks)} checks of {described(found.contents)}: {result}")
        click.echo(f"contents {found.contents.sha256}")
    if not sound:
        sys.exit(REFUSED)


def _differences(contents: Contents, against: Path) -> list[Finding]:
    with ArchiveFile(against) as backup:
        if backup.contents.revision != contents.revision:
            raise WorkbenchError(
                f"{against} has revision {backup.contents.revision}, the database {contents.revision}",
                remedy="restore the backup into an empty instance, and compare the contents of both",
            )
        backup.check()
        tables = contents.differing(backup.contents)
        message = "its rows are not those of the backup"
        remedy = (
            "nothing to do if people have worked since; otherwise restore the backup into an empty instance"
        )
        return [Finding(table, None, "not-as-backup", message, remedy) for table in tables]
