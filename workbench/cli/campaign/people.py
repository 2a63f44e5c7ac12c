"""`workbench campaign groups` and `invite`: groups that send runs, links by which people join."""

from __future__ import annotations

from collections.abc import Sequence

import click

from workbench.cli.database import ChosenCampaign, campaign_command
from workbench.cli.files import open_input
from workbench.cli.output import (
    JSON_OBJECT,
    OneOf,
    Texts,
    arguments,
    say_list,
    setting,
    text_option,
)
from workbench.errors import WorkbenchError
from workbench.settings import site_address
from workbench.workflow.people.groups import add_group, group_named, groups_of
from workbench.workflow.people.invitations import (
    OfferedRole,
    invite_all,
)
from workbench.workflow.people.membership import Role


@campaign_command("groups")
@arguments("names", metavar="[NAME]...", required=False)
@JSON_OBJECT
def groups(at: ChosenCampaign, names: Texts, as_json: bool) -> None:
    """Create groups in CAMPAIGN by NAME, all of them or none; list its groups with their runs and people."""
    if names:
        with at.writing() as (db, campaign_id):
            for name in names:
                add_group(db, campaign_id, name)
    found = at.read(groups_of)
    say_list(
        [
            {
                "group": one.name,
                "runs": one.runs,
                "received": one.waiting,
                "people": [{"login": who.login, "name": who.name} for who in one.members],
            }
            for one in found
        ],
        as_json,
        ["group", "runs", "received", "people"],
        [(one.name, one.runs, one.waiting, ", ".join(who.login for who in one.members)) for one in found],
        numeric=[1, 2],
    )


LONGEST_LIST = 1_000_000


@campaign_command("invite")
@arguments("people", metavar="[PERSON]...", required=False)
@click.option("--from", "source", metavar="FILE", help="File of people, one per line; - for standard input.")
@setting("--role", type=OneOf(Role), default="assessor")
@click.option("--group", help="For a participant: the group whose runs the person submits.")
@text_option(
    "--address",
    envvar="WORKBENCH_ADDRESS",
    help="Address of the site for complete links, such as https://judge.example.org (or WORKBENCH_ADDRESS).",
)
def invite(
    at: ChosenCampaign,
    people: Texts,
    source: str | None,
    role: Role,
    group: str | None,
    address: str,
) -> None:
    """Print a link for each PERSON to join CAMPAIGN; links are shown only now.

    A PERSON is a name or an e-mail address, which only organisers see. Without any there is one link; with
    several, each is printed after its person and a tab.
    """
    site = site_address(address, "the address of the site") if address else ""
    listed = [*people, *(_lines(source) if source is not None else ())]
    with at.writing() as (db, campaign_id):
        group_id = group_named(db, campaign_id, group) if group else None
        made = invite_all(db, campaign_id, listed, OfferedRole(role, group_id), invited_by=None)
    for one in made:
        before = f"{one.note}\t" if len(made) > 1 else ""
        click.echo(f"{before}{site}/invitation/{one.token}")


def _lines(source: str) -> Sequence[str]:
    with open_input(source) as (stream, name):
        content = stream.read(LONGEST_LIST)
    try:
        return content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise WorkbenchError(f"{name} is not UTF-8", remedy="convert it to UTF-8") from None
