"""`workbench campaign archive`, `restore`, `duplicate` and `delete`."""

from __future__ import annotations

import click

from workbench.cli.database import database_options, open_database
from workbench.settings import Settings
from workbench.workflow.campaigns.archive import (
    CampaignContents,
    archive_campaign,
    contents_of,
    duplicate_campaign,
    restore_campaign,
)
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.campaigns.deletion import delete_campaign, finish_deletions
from workbench.workflow.people.accounts import account_by_login


@click.command("archive")
@click.argument("campaign")
@database_options
def archive(settings: Settings, campaign: str) -> None:
    """Make CAMPAIGN read only, and take it off the lists; exports still work."""
    with open_database(settings) as database, database.writing() as db:
        archive_campaign(db, campaign_by_slug(db, campaign).id)
    click.echo(f"{campaign} is archived; to restore it: workbench campaign restore {campaign}")


@click.command("restore")
@click.argument("campaign")
@database_options
def restore(settings: Settings, campaign: str) -> None:
    """Restore CAMPAIGN, which was archived."""
    with open_database(settings) as database, database.writing() as db:
        restore_campaign(db, campaign_by_slug(db, campaign, even_archived=True).id)
    click.echo(f"{campaign} is restored")


@click.command("duplicate")
@click.argument("campaign")
@click.argument("name")
@click.option("--organiser", help="Login name of the organiser.")
@database_options
def duplicate(settings: Settings, campaign: str, name: str, organiser: str | None) -> None:
    """Create a campaign called NAME with the settings of CAMPAIGN, and print its short name.

    Copied are the scale, the guidelines and all rules: for runs, of the judging desk, of adjudication.
    Topics, documents, runs, pools, people and judgments are not.
    """
    with open_database(settings) as database, database.writing() as db:
        found = campaign_by_slug(db, campaign, even_archived=True)
        account_id = account_by_login(db, organiser).id if organiser else None
        made = duplicate_campaign(db, found.id, name=name, organiser=account_id)
    click.echo(made.slug)


@click.command("delete")
@click.argument("campaign")
@click.option("--name", help="Name of the campaign, to confirm; asked for if missing.")
@database_options
def delete(settings: Settings, campaign: str, name: str | None) -> None:
    """Delete CAMPAIGN with everything in it; accounts stay. It cannot be undone.

    Export first what you want to keep: judgments, decisions, records, qrels.
    """
    with open_database(settings) as database:
        if campaign in finish_deletions(database):
            click.echo(f"{campaign} is deleted: an interrupted deletion was completed")
            return
        with database.reading() as db:
            found = campaign_by_slug(db, campaign)
            contents = contents_of(db, found.id)
        click.echo(f"{found.name} ({campaign}) contains {_in_words(contents)}.", err=True)
        if name is None:
            name = click.prompt("All of it is deleted. Type the name of the campaign", err=True)
        delete_campaign(database, found.id, typed_name=name)
    click.echo(f"{campaign} is deleted")


def _in_words(contents: CampaignContents) -> str:
    counts = (
        (contents.topics, "topic"),
        (contents.documents, "document"),
        (contents.runs, "run"),
        (contents.pools, "pool"),
        (contents.judgments, "answer"),
    )
    return ", ".join(f"{number:,} {noun if number == 1 else noun + 's'}" for number, noun in counts)
