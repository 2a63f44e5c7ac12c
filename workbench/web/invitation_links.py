"""Invitations in forms: the people that a form names, and the links that it made, shown this once or sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from flask import request, url_for

from workbench.errors import InvalidInput
from workbench.storage import Session
from workbench.web.access import here, viewer
from workbench.web.context import sends_mail, writing
from workbench.web.forms import sent_numbers, sent_text
from workbench.workflow.mail.queue import add_invitation
from workbench.workflow.people.invitations import (
    Invited,
    OfferedRole,
    invitation_text,
    invite_all,
    renew_invitations,
)
from workbench.workflow.people.mail_addresses import checked_address
from workbench.workflow.people.roles import Role


@dataclass(frozen=True, slots=True)
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


def renew_sent() -> list[Link]:
    """Give the invitations that a form of their list means new links; raises as `renew_invitations`."""
    with writing() as db:
        return _links_of(db, renew_invitations(db, here().id, sent_invitations()))


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
