"""`workbench verify`: recount every invariant of the database."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workbench.cli.campaign.campaigns import JSON
from workbench.cli.database import database_options, existing_database
from workbench.cli.output import REFUSED, printable, say_json
from workbench.cli.row_progress import contents_json, described, row_progress
from workbench.errors import Finding, WorkbenchError, finding_to_json
from workbench.settings import Settings
from workbench.storage.portable.backup_file import BackupFile
from workbench.storage.portable.contents import Contents, differing_tables
from workbench.workflow.upkeep.verify import verify as verify_database


@click.command("verify")
@click.option(
    "--against",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A backup whose rows must be the same.",
)
@JSON
@database_options
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
        click.echo(f"{len(found.checks)} checks of {described(found.contents)}: {_count(findings)}")
        click.echo(f"contents {found.contents.sha256}")
    if not sound:
        sys.exit(REFUSED)


def _differences(contents: Contents, against: Path) -> list[Finding]:
    with BackupFile(against) as backup:
        if backup.contents.revision != contents.revision:
            raise WorkbenchError(
                f"{against} has revision {backup.contents.revision}, the database {contents.revision}",
                remedy="restore the backup into an empty instance, and compare the contents of both",
            )
        backup.check()
        tables = differing_tables(contents.tables, backup.contents.tables)
        message = "its rows are not those of the backup"
        remedy = "nothing, if people worked since; else restore the backup into an empty instance"
        return [Finding(table, None, "not-as-backup", message, remedy) for table in tables]


def _count(findings: tuple[Finding, ...]) -> str:
    if not findings:
        return "nothing found"
    return "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
