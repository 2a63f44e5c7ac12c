"""Groups that send runs: the list, making several at once, and one group with its people and its runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import NotFound, rejected
from workbench.figures import counted
from workbench.web.access import here, organiser
from workbench.web.context import reading_here, write_here, writing, writing_here
from workbench.web.forms import (
    Findings,
    accepted,
    errors_on,
    form_number,
    sent_text,
)
from workbench.web.navigation import next_way
from workbench.web.pages.people import Link, invite_sent
from workbench.web.requests import Reply
from workbench.workflow.people import groups, invitations, membership
from workbench.workflow.people.accounts import clean_name
from workbench.workflow.people.membership import Role
from workbench.workflow.runs.run_records import runs_of

blueprint = Blueprint("groups", __name__, url_prefix="/c/<slug>/groups")


@blueprint.get("")
@organiser
def index(findings: Findings = ()) -> str:
    """The groups of the campaign."""
    with reading_here() as (db, campaign_id):
        found = groups.groups_of(db, campaign_id)
        alone = sum(run.metadata.group_id is None for run in runs_of(db, campaign_id))
    return render_template(
        "groups/index.html",
        groups=found,
        alone=alone,
        typed=sent_text("names") if findings else "",
        findings=findings,
    )


@blueprint.post("")
@organiser
def add() -> Response:
    """Make groups, one a line; all of them, or none."""
    with errors_on(index, "Groups", "names"):
        names = [name for name in sent_text("names").splitlines() if clean_name(name)]
        if not names:
            raise rejected("Names", None, "names", "the names are missing", "enter one group per line")
        with writing() as db:
            for name in names:
                groups.add_group(db, here().id, name)
    return accepted(f"{counted(len(names), 'group')} created.", "groups.index")


@blueprint.get("/<int:group_id>")
@organiser
def group(group_id: int, *, links: Sequence[Link] = (), findings: Findings = ()) -> str:
    """One group: its people, links for more, its runs."""
    with reading_here() as (db, campaign_id):
        groups.require_group(db, campaign_id, group_id)
        found = next(one for one in groups.groups_of(db, campaign_id) if one.id == group_id)
        runs = runs_of(db, campaign_id, group_ids=[group_id])
        members = membership.members(db, campaign_id)
        waiting = [
            one for one in invitations.invitations(db, campaign_id)
            if one.group == found.name and one.state is not invitations.InvitationState.ACCEPTED
        ]  # fmt: skip
    inside = {one.account_id for one in found.members}
    return render_template(
        "groups/group.html",
        group=found,
        runs=runs,
        others=[one for one in members if one.account_id not in inside],
        invitations=waiting,
        links=links,
        then=next_way() if links else None,
        typed=request.form if findings else {},
        name=request.form.get("name", found.name),
        findings=findings,
    )


@blueprint.post("/<int:group_id>/name")
@organiser
def rename(group_id: int) -> Response:
    """Call the group otherwise."""
    with errors_on(partial(group, group_id), "Name", of="name"):
        write_here(groups.rename_group, group_id, sent_text("name"))
    return accepted("The group is renamed.", "groups.group", group_id=group_id)


@blueprint.post("/<int:group_id>/remove")
@organiser
def remove(group_id: int) -> Response:
    """Forget a group without runs and people."""
    write_here(groups.remove_group, group_id)
    return accepted("The group is removed.", "groups.index")


@blueprint.post("/<int:group_id>/invitations")
@organiser
def invite(group_id: int) -> Reply:
    """Invite people who send the group's runs, and show their links, this once."""
    with errors_on(partial(group, group_id)):
        return group(group_id, links=invite_sent(Role.PARTICIPANT, group_id)), 201


@blueprint.post("/<int:group_id>/members")
@organiser
def add_member(group_id: int) -> Reply:
    """Let somebody of the campaign send the group's runs; asks once more where the person judges."""
    account_id, both = form_number("account"), "both" in request.form
    if account_id is None:
        raise NotFound("this person is not in this campaign", remedy="choose somebody from the list")
    with writing_here() as (db, campaign_id):
        person = membership.member_of(db, campaign_id, account_id)
        name = groups.require_group(db, campaign_id, group_id)
        if not both and not membership.JUDGES.isdisjoint(person.roles):
            page = render_template("groups/both.html", person=person, name=name, group_id=group_id)
            return page, 409
        groups.join(db, campaign_id, group_id, account_id, both_sides=both)
    return accepted(f"{person.name} now submits runs for {name}.", "groups.group", group_id=group_id)


@blueprint.post("/<int:group_id>/members/<int:account_id>/remove")
@organiser
def remove_member(group_id: int, account_id: int) -> Response:
    """Let somebody send nothing for the group any more; its runs stay."""
    write_here(groups.leave, group_id, account_id)
    return accepted("This person no longer sees the group's runs.", "groups.group", group_id=group_id)
