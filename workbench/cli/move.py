"""`workbench move`: the whole instance goes to another database."""

from __future__ import annotations

from contextlib import closing

import click

from workbench.cli.campaign.campaigns import JSON
from workbench.cli.database import database_options, existing_database
from workbench.cli.row_progress import row_progress, say_copied
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.storage.portable.moving import move_instance


@click.command("move")
@click.option(
    "--to",
    "to",
    required=True,
    help="URL of an empty database: sqlite:///FILE or postgresql://USER@HOST/NAME.",
)
@JSON
@database_options
def move(settings: Settings, to: str, as_json: bool) -> None:
    """Carry everything to another database, from SQLite to PostgreSQL or back.

    Stop the servers first: as long as it runs, answers are refused and wait in the browsers. No version of
    Workbench opens the new database until all rows have been compared. If it is interrupted, run the same
    command again: it continues. The old database stays; its campaigns are archived, so that nobody goes on
    judging there.
    """
    with (
        existing_database(settings) as source,
        closing(Database(to)) as destination,
        row_progress() as progress,
    ):
        copied = move_instance(source, destination, progress)
    say_copied(copied, "Moved and compared", as_json=as_json)
    if not as_json:
        click.echo("Start every server with WORKBENCH_DATABASE_URL set to the new database.")
