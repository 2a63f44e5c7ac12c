"""Invitations in forms: the people that a form names, and the links that it made, shown this once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from flask import request, url_for

from workbench.web.access import here, viewer
from workbench.web.context import writing
from workbench.web.forms import sent_text, whole_number
from workbench.workflow.people.invitations import Invited, invitation_text, invite_all
from workbench.workflow.people.roles import Role


@dataclass(frozen=True, slots=True)
class Link:
    """A link with a message to send it; `mail` opens that in a mail program, where an address is known."""

    note: str
    address: str
    text: str
    mail: str


def invite_sent(role: Role, group_id: int | None = None) -> list[Link]:
    """Invite the people of the request's form, one a line; without any line one person.

    Raises as `invite_all`.
    """
    with writing() as db:
        made = invite_all(
            db,
            here().id,
            sent_text("people").splitlines(),
            role=role,
            group_id=group_id,
            invited_by=viewer().id,
            form=sent_text("form"),
        )
    return links_of(made)


def sent_invitations() -> list[int]:
    """The invitations that a form of their list means: the one of its own button, else the ticked ones."""
    chosen = request.form.getlist("only") or request.form.getlist("selected")
    numbers = map(whole_number, chosen)
    return [number for number in numbers if number is not None]


def links_of(made: Iterable[Invited]) -> list[Link]:
    """The links of new invitations."""
    found = []
    for one in made:
        address = url_for("entrance.invitation", token=one.token, _external=True)
        text = invitation_text(one, campaign=here().name, link=address)
        subject = quote(f"Invitation to {' '.join(here().name.split())}")
        mail = f"mailto:{quote(one.address, safe='@')}?subject={subject}&body={quote(text)}"
        found.append(Link(one.note, address, text, mail if one.address else ""))
    return found
