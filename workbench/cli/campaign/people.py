"""`workbench campaign group`, `invite`, `invitations`: groups that send runs, links by which people join."""

from __future__ import annotations

from collections.abc import Sequence

import click

from workbench.cli.database import ChosenCampaign, campaign_command
from workbench.cli.inputs import open_input
from workbench.cli.output import (
    JSON_ARRAY,
    JSON_OBJECT,
    OneOf,
    Texts,
    arguments,
    flag,
    say_list,
    setting,
    text_option,
)
from workbench.errors import NotFound, WorkbenchError
from workbench.figures import counted
from workbench.workflow.people.groups import add_group, group_named, groups_of, remove_group, rename_group
from workbench.workflow.people.invitations import (
    Invitation,
    InvitationState,
    OfferedRole,
    group_json,
    invitation_json,
    invite_all,
    renew_invitations,
)
from workbench.workflow.people.invitations import invitations as invitations_of
from workbench.workflow.people.membership import Role


@click.group("group")
def group() -> None:
    """Create, list, rename and remove the groups that submit runs to a campaign."""


@campaign_command("add", group)
@arguments("names", metavar="NAME...")
def add(at: ChosenCampaign, names: Texts) -> None:
    """Create groups in CAMPAIGN; all of them, or none."""
    with at.writing() as (db, campaign_id):
        for name in names:
            add_group(db, campaign_id, name)
    click.echo(f"{counted(len(names), 'group')} created")


@campaign_command("list", group)
@JSON_OBJECT
def list_(at: ChosenCampaign, as_json: bool) -> None:
    """List the groups of CAMPAIGN with their runs and people."""
    groups = at.read(groups_of)
    say_list(
        [group_json(one) for one in groups],
        as_json,
        ["group", "runs", "received", "people"],
        [(one.name, one.runs, one.waiting, ", ".join(who.login for who in one.members)) for one in groups],
        numeric=[1, 2],
    )


@campaign_command("rename", group)
@click.argument("name")
@click.argument("new_name")
def rename(at: ChosenCampaign, name: str, new_name: str) -> None:
    """Rename the group NAME of CAMPAIGN."""
    with at.writing() as (db, campaign_id):
        rename_group(db, campaign_id, group_named(db, campaign_id, name), new_name)
    click.echo(f"{name} is now {new_name}")


@campaign_command("remove", group)
@click.argument("name")
def remove(at: ChosenCampaign, name: str) -> None:
    """Remove the group NAME of CAMPAIGN, if it has no runs and no people."""
    with at.writing() as (db, campaign_id):
        remove_group(db, campaign_id, group_named(db, campaign_id, name))
    click.echo(f"{name} is removed")


LONGEST_LIST = 1_000_000


@campaign_command("invite")
@arguments("people", metavar="[PERSON]...", required=False)
@click.option("--from", "source", metavar="FILE", help="File of people, one per line; - for standard input.")
@setting("--role", type=OneOf(Role), default="assessor")
@click.option("--group", help="For a participant: the group whose runs the person submits.")
@flag("--new-link", help="Replace the links of people already invited.")
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
    new_link: bool,
    address: str,
) -> None:
    """Print a link for each PERSON to join CAMPAIGN; links are shown only now.

    A PERSON is a name or an e-mail address, which only organisers see. Without any there is one link; with
    several, each is printed after its person and a tab.
    """
    listed = [*people, *(_lines(source) if source is not None else ())]
    with at.writing() as (db, campaign_id):
        group_id = group_named(db, campaign_id, group) if group else None
        if new_link:
            known = _known(invitations_of(db, campaign_id), listed, role, group)
            made = renew_invitations(db, campaign_id, known)
        else:
            made = invite_all(db, campaign_id, listed, OfferedRole(role, group_id), invited_by=None)
    for one in made:
        before = f"{one.note}\t" if len(made) > 1 else ""
        click.echo(f"{before}{address.rstrip('/')}/invitation/{one.token}")


@campaign_command("invitations")
@JSON_ARRAY
def invitations(at: ChosenCampaign, as_json: bool) -> None:
    """List the invitations to CAMPAIGN with their state: open, accepted, expired or withdrawn."""
    found = at.read(invitations_of)
    say_list(
        [invitation_json(one) for one in found],
        as_json,
        ["person", "role", "group", "state", "until", "accepted by"],
        [
            (one.note, one.role, one.group, one.state, f"{one.expires_at:%Y-%m-%d}", one.used_by)
            for one in found
        ],
    )


def _lines(source: str) -> Sequence[str]:
    with open_input(source) as (stream, name):
        content = stream.read(LONGEST_LIST)
    try:
        return content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise WorkbenchError(f"{name} is not UTF-8", remedy="convert it to UTF-8") from None


def _known(found: Sequence[Invitation], people: Sequence[str], role: Role, group: str | None) -> list[int]:
    numbers, known_group = [], " ".join((group or "").split()).casefold()
    for person in filter(str.strip, people):
        note = " ".join(person.split()).casefold()
        number = next(
            (
                one.id
                for one in found
                if (one.note.casefold(), one.role, one.group.casefold()) == (note, role, known_group)
                and one.state is not InvitationState.ACCEPTED
            ),
            None,
        )
        if number is None:
            raise NotFound(f"{person} has no unused invitation as {role}", remedy="leave out --new-link")
        numbers.append(number)
    if not numbers:
        raise WorkbenchError("nobody is named", remedy="name the people who need a new link")
    return numbers
