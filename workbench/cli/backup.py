"""`workbench backup` and `workbench restore`: the whole instance in one file, and back."""

from __future__ import annotations

import hashlib
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import click

from workbench.cli.campaign.campaigns import JSON
from workbench.cli.database import database_options, existing_database, same_database
from workbench.cli.output import say_json
from workbench.cli.row_progress import contents_json, described, row_progress, say_copied
from workbench.errors import WorkbenchError
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.storage.portable.backup_file import BackupFile, write_backup
from workbench.storage.portable.loading import load
from workbench.workflow.upkeep.status import LastBackup, give_to_owner, note_backup


@click.command("backup")
@click.option(
    "--to",
    "to",
    type=click.Path(path_type=Path),
    help="File to write, or a folder; without it, the folder `backups` of the instance.",
)
@JSON
@database_options
def backup(settings: Settings, to: Path | None, as_json: bool) -> None:
    """Write everything in the database to one file, while people go on judging.

    The file is of one moment, is read back before it gets its name, and never replaces another. It suits
    SQLite and PostgreSQL alike, and every later version of Workbench. Keep it as safe as the database:
    it has the hashes of passwords. Sessions are left out: after a restore everybody signs in again.
    """
    path = to or settings.instance / "backups"
    if to is None or path.is_dir():
        path = path / f"workbench-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.zip"
    with existing_database(settings) as database, row_progress() as progress:
        made = write_backup(database, path, progress)
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


@click.command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--sha256", help="Refuse a file without this SHA-256, which `workbench backup` printed.")
@JSON
@database_options
def restore(settings: Settings, file: Path, sha256: str | None, as_json: bool) -> None:
    """Fill an empty instance from the backup FILE.

    Nothing is ever overwritten: a database that has rows is refused. The whole file is checked first, and the
    rows are compared with it afterwards; until then no version of Workbench opens the database. If it is
    interrupted, run the same command again: it continues.
    """
    if sha256 is not None and _hash(file) != sha256.strip().lower():
        raise WorkbenchError(f"{file} does not have this SHA-256", remedy="use another copy of the backup")
    with (
        BackupFile(file) as source,
        closing(Database(settings.database_url)) as database,
        row_progress() as progress,
    ):
        source.check(progress)
        copied = load(source, database, progress)
    say_copied(copied, "Restored and compared with the backup", as_json=as_json)
    if not as_json:
        click.echo(f"Start it with: {same_database('serve')}")


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
