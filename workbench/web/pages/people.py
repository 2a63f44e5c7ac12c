"""The people of a campaign: their roles, and invitation links."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput
from workbench.web import notices
from workbench.web.access import here, member, viewer
from workbench.web.context import reading, writing
from workbench.web.requests import see_other
from workbench.workflow.people import invitations, membership
from workbench.workflow.people.roles import Role

blueprint = Blueprint("people", __name__, url_prefix="/c/<slug>/people")
# Participants belong to a group, so they are invited on the page of groups.
ROLES = tuple(role for role in Role if role is not Role.PARTICIPANT)


@blueprint.get("")
@member(Role.ORGANISER)
def index() -> str:
    """Members and invitations."""
    return _page()


@blueprint.post("/invitations")
@member(Role.ORGANISER)
def invite() -> tuple[str, int]:
    """Create an invitation link and show it; it is never shown again."""
    role, note = _role("role"), request.form.get("note", "")
    with writing() as db:
        made = invitations.invite(db, here().id, role=role, note=note, invited_by=viewer().id)
    link = url_for("entrance.invitation", token=made.token, _external=True)
    return _page(link=link, made=made.id), 201


@blueprint.post("/invitations/<int:invitation_id>/revoke")
@member(Role.ORGANISER)
def revoke(invitation_id: int) -> Response:
    """Revoke an invitation."""
    with writing() as db:
        invitations.revoke_invitation(db, here().id, invitation_id)
    notices.add("Invitation revoked: the link no longer works.")
    return see_other(url_for("people.index"))


@blueprint.post("/<int:account_id>/roles")
@member(Role.ORGANISER)
def add_role(account_id: int) -> Response | tuple[str, int]:
    """Add a role to a member; asks for confirmation if the person would judge and submit runs."""
    role, both = _role("role"), "both" in request.form
    with writing() as db:
        membership.require_member(db, here().id, account_id)
        person = next(one for one in membership.members(db, here().id) if one.account_id == account_id)
        if not both and person.groups and role in membership.JUDGES:
            return render_template("people/both.html", person=person, role=role), 409
        membership.add_role(db, here().id, account_id, role, both_sides=both)
    return see_other(url_for("people.index"))


@blueprint.post("/<int:account_id>/roles/remove")
@member(Role.ORGANISER)
def remove_role(account_id: int) -> Response:
    """Remove a role; the person's judgments remain."""
    role = _role("role")
    with writing() as db:
        membership.remove_role(db, here().id, account_id, role)
    if account_id == viewer().id and role is Role.ORGANISER:
        return see_other(url_for("campaigns.index"))
    return see_other(url_for("people.index"))


def _role(field: str) -> Role:
    text = request.form.get(field, "")
    try:
        return Role(text)
    except ValueError:
        roles = ", ".join(Role)
        raise InvalidInput(
            [Finding("Role", None, field, f"{text[:40]!r} is not a role", f"one of {roles}")]
        ) from None


def _page(link: str | None = None, made: int | None = None) -> str:
    with reading() as db:
        members = membership.members(db, here().id)
        waiting = invitations.invitations(db, here().id)
    return render_template(
        "people/index.html", members=members, invitations=waiting, roles=ROLES, link=link, made=made
    )
