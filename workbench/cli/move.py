"""`workbench move`: the whole instance, or one campaign, goes to another database."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import click

from workbench.cli.campaign.campaigns import JSON
from workbench.cli.database import database_options, existing_database, open_database
from workbench.cli.row_progress import row_progress, say_copied
from workbench.errors import Unavailable
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.storage.portable.loading import Copied
from workbench.storage.portable.moving import move_instance
from workbench.storage.portable.rows import Progress
from workbench.workflow.upkeep.campaign_move import CampaignMove, move_campaign


@click.command("move")
@click.option(
    "--to",
    "to",
    required=True,
    help="URL of the other database: sqlite:///FILE or postgresql://USER@HOST/NAME.",
)
@click.option("--campaign", metavar="SLUG", help="Move only this campaign; the other database may have more.")
@click.option("--slug", help="The short name of the campaign there (default: the same).")
@click.option(
    "--same-people", is_flag=True, help="Accounts there with the same sign-in names are the same people."
)
@JSON
@database_options
def move(
    settings: Settings, to: str, campaign: str | None, slug: str | None, same_people: bool, as_json: bool
) -> None:
    """Carry everything, or one campaign, to another database, from SQLite to PostgreSQL or back.

    Everything: stop the servers first; as long as it runs, answers are refused and wait in the browsers. The
    other database must be empty, and no version of Workbench opens it until all rows have been compared. If
    it is interrupted, run the same command again: it continues. The old database stays; its campaigns are
    archived, so that nobody goes on judging there.

    One campaign (--campaign): servers may run on at both ends. The campaign is archived first and stays here
    archived. Hidden at first, it appears there with its people, none of them an administrator, after all rows
    have been compared. If it is interrupted, run the same command again within twelve hours: it continues.
    """
    if campaign is None:
        if slug or same_people:
            raise click.UsageError("--slug and --same-people need --campaign")
        with (
            existing_database(settings) as source,
            closing(Database(to)) as destination,
            row_progress() as progress,
        ):
            copied = move_instance(source, destination, progress)
    else:
        request = CampaignMove(campaign, slug or campaign, same_people)
        with (
            existing_database(settings),
            open_database(settings) as source,
            open_database(replace(settings, database_url=to)) as destination,
            row_progress() as progress,
        ):
            copied = _moved(source, destination, request, progress)
    say_copied(copied, "Moved and compared", as_json=as_json)
    if as_json:
        return
    if campaign is None:
        click.echo("Start every server with WORKBENCH_DATABASE_URL set to the new database.")
    else:
        click.echo(f"It is archived here. There it is {slug or campaign}, with the members that it has here.")


def _moved(source: Database, destination: Database, request: CampaignMove, progress: Progress) -> Copied:
    try:
        return move_campaign(source, destination, request, progress)
    except (KeyboardInterrupt, Unavailable):
        click.echo(
            "\nThe move was interrupted. Run the same command again within twelve hours: it continues. The "
            "campaign stays archived here; to go on judging here instead, restore it in its settings.",
            err=True,
        )
        raise
