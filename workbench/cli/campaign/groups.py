"""`workbench campaign group`: the groups that send runs."""

from __future__ import annotations

import click

from workbench.cli.campaign.campaigns import JSON
from workbench.cli.database import database_options, open_database
from workbench.cli.output import say_json, say_table
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.people.groups import add_group, group_named, groups_of, remove_group, rename_group
from workbench.workflow.people.people_json import group_json


@click.group("group")
def group() -> None:
    """Create, list, rename and remove the groups that submit runs to a campaign."""


@group.command("add")
@click.argument("campaign")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@database_options
def add(settings: Settings, campaign: str, names: tuple[str, ...]) -> None:
    """Create groups in CAMPAIGN; all of them, or none."""
    with open_database(settings) as database, database.writing() as db:
        found = campaign_by_slug(db, campaign)
        for name in names:
            add_group(db, found.id, name)
    click.echo(f"{len(names)} {'group' if len(names) == 1 else 'groups'} created")


@group.command("list")
@click.argument("campaign")
@JSON
@database_options
def list_(settings: Settings, campaign: str, as_json: bool) -> None:
    """List the groups of CAMPAIGN with their runs and people."""
    with open_database(settings) as database, database.reading() as db:
        groups = groups_of(db, campaign_by_slug(db, campaign).id)
    if as_json:
        say_json([group_json(one) for one in groups])
        return
    say_table(
        ["group", "runs", "received", "people"],
        [(one.name, one.runs, one.waiting, ", ".join(who.login for who in one.members)) for one in groups],
        numeric=[1, 2],
    )


@group.command("rename")
@click.argument("campaign")
@click.argument("name")
@click.argument("new_name")
@database_options
def rename(settings: Settings, campaign: str, name: str, new_name: str) -> None:
    """Rename the group NAME of CAMPAIGN."""
    with open_database(settings) as database, database.writing() as db:
        found = campaign_by_slug(db, campaign)
        rename_group(db, found.id, group_named(db, found.id, name), new_name)
    click.echo(f"{name} is now {new_name}")


@group.command("remove")
@click.argument("campaign")
@click.argument("name")
@database_options
def remove(settings: Settings, campaign: str, name: str) -> None:
    """Remove the group NAME of CAMPAIGN, if it has no runs and no people."""
    with open_database(settings) as database, database.writing() as db:
        found = campaign_by_slug(db, campaign)
        remove_group(db, found.id, group_named(db, found.id, name))
    click.echo(f"{name} is removed")
