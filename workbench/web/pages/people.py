"""The people of a campaign: their roles, and invitation links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import InvalidInput, rejected
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import here, member, viewer
from workbench.web.context import reading_here, sends_mail, write_here, writing, writing_here
from workbench.web.forms import (
    Findings,
    accepted,
    errors_on,
    form_text,
    named,
    sent_numbers,
    sent_text,
)
from workbench.web.navigation import next_way
from workbench.web.requests import Reply, go_to
from workbench.workflow.mail.queue import add_invitation
from workbench.workflow.people import invitations, membership
from workbench.workflow.people.invitations import (
    Invited,
    OfferedRole,
    invitation_text,
    invite_all,
    renew_invitations,
)
from workbench.workflow.people.mail_addresses import checked_address
from workbench.workflow.people.membership import Role


@frozen_dataclass
class Link:
    """A link with a message to send it; `mail` opens that in a mail program, where an address is known.

    One that the site sends itself has only `sent_to`: nobody else sees the link.
    """

    note: str
    address: str = ""
    text: str = ""
    mail: str = ""
    sent_to: str = ""


def invite_sent(role: Role, group_id: int | None = None) -> list[Link]:
    """Invite the people of the request's form, one a line; without any line one person.

    Raises as `OfferedRole` and `invite_all`.
    """
    people, offered = sent_text("people").splitlines(), OfferedRole(role, group_id)
    with writing() as db:
        made = invite_all(db, here().id, people, offered, invited_by=viewer().id, form=sent_text("form"))
        return _links_of(db, made)


def sent_invitations() -> list[int]:
    """The invitations that a form of their list means: the one of its own button, else the ticked ones."""
    return sent_numbers("only" if request.form.getlist("only") else "selected")


def _links_of(db: Session, made: Iterable[Invited]) -> list[Link]:
    """The links of new invitations, or to whom the site sends them, if the form asks for that."""
    send = sends_mail() and "mail" in request.form
    found = []
    for one in made:
        to = _address(one) if send else ""
        if to:
            add_invitation(db, here().id, one.id, to)
            found.append(Link(one.note, sent_to=to))
        else:
            found.append(_shown(one))
    return found


def _shown(one: Invited) -> Link:
    address = url_for("entrance.invitation", token=one.token, _external=True)
    text = invitation_text(one, campaign=here().name, link=address)
    subject = quote(f"Invitation to {' '.join(here().name.split())}")
    mail = f"mailto:{quote(one.address, safe='@')}?subject={subject}&body={quote(text)}"
    return Link(one.note, address, text, mail if one.address else "")


def _address(one: Invited) -> str:
    try:
        return checked_address(one.address)
    except InvalidInput:
        return ""


blueprint = Blueprint("people", __name__, url_prefix="/c/<slug>/people")
# Participants belong to a group, so they are invited on the page of groups.
ROLES = tuple(role for role in Role if role is not Role.PARTICIPANT)


@blueprint.get("")
@member(Role.ORGANISER)
def index(findings: Findings = (), links: Sequence[Link] = ()) -> str:
    """Members and invitations."""
    with reading_here() as (db, campaign_id):
        return render_template(
            "people/index.html",
            members=membership.members(db, campaign_id),
            invitations=invitations.invitations(db, campaign_id),
            roles=ROLES,
            links=links,
            then=next_way() if links else None,
            findings=findings,
            typed=request.form if findings else {},
        )


@blueprint.post("/invitations")
@member(Role.ORGANISER)
def invite() -> Reply:
    """Invite everybody of a pasted list and show the links; they are never shown again."""
    role = _role()
    with errors_on(index):
        return index(links=invite_sent(role)), 201


@blueprint.post("/invitations/links")
@member(Role.ORGANISER)
def renew() -> Reply:
    """Give the chosen invitations new links and show them."""
    with errors_on(index, "Invitations"), writing() as db:
        links = _links_of(db, renew_invitations(db, here().id, sent_invitations()))
    return index(links=links), 201


@blueprint.post("/invitations/withdraw")
@member(Role.ORGANISER)
def withdraw() -> Response:
    """Withdraw the chosen invitations."""
    with errors_on(index, "Invitations"):
        number = write_here(invitations.withdraw_invitations, sent_invitations())
    stopped = "its link no longer works" if number == 1 else "their links no longer work"
    return accepted(
        f"{counted(number, 'invitation')} withdrawn: {stopped}.", "people.index", _anchor="invitations"
    )


@blueprint.post("/<int:account_id>/roles")
@member(Role.ORGANISER)
def add_role(account_id: int) -> Reply:
    """Add a role to a member; asks for confirmation if the person would judge and submit runs."""
    role, both = _role(), "both" in request.form
    with errors_on(index, "Role"), writing_here() as (db, campaign_id):
        person = membership.member_of(db, campaign_id, account_id)
        if not both and person.groups and role in membership.JUDGES:
            return render_template("people/both.html", person=person, role=role), 409
        membership.add_role(db, campaign_id, account_id, role, both_sides=both)
    return go_to("people.index")


@blueprint.post("/<int:account_id>/roles/remove")
@member(Role.ORGANISER)
def remove_role(account_id: int) -> Response:
    """Remove a role; the person's judgments remain."""
    role = _role()
    with errors_on(index, "Role"), writing_here() as (db, campaign_id):
        people = {one.account_id: one.name for one in membership.members(db, campaign_id)}
        membership.remove_role(db, campaign_id, account_id, role)
    notices.add(f"{people[account_id]} is no longer {role}. Judgments stay. Add the role again to undo this.")
    if account_id == viewer().id and role is Role.ORGANISER:
        return go_to("campaigns.index")
    return go_to("people.index")


def _role() -> Role:
    text = form_text("role")
    role = named(Role, text)
    if role is None:
        raise rejected(
            "Role", None, "role", f"{text[:40]!r} is not a role", f"choose one of {', '.join(Role)}"
        )
    return role
