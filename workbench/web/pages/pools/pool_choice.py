"""The pool that a page or form means: by the number in its address, and only in its own campaign."""

from __future__ import annotations

from workbench.errors import NotFound
from workbench.storage import Session
from workbench.web.access import here
from workbench.web.forms import whole_number
from workbench.web.requests import of_api
from workbench.workflow.people.roles import Role
from workbench.workflow.pools.listing import PoolLine, pools_of


def pools_shown(db: Session) -> tuple[PoolLine, ...]:
    """The pools that the viewer of this page may know of, oldest first.

    Drafts are for organisers: what is in one may be given to any of the others, who is to judge it blind.
    """
    organiser = Role.ORGANISER in here().roles
    return tuple(line for line in pools_of(db, here().id) if organiser or not line.draft)


def pool_line(db: Session, which: int | str | None) -> PoolLine:
    """The pool with this number or name in this campaign, if the viewer may know of it; raises NotFound."""
    for line in pools_shown(db):
        if which in (line.id, line.name):
            return line
    raise NotFound("there is no such pool in this campaign", remedy="see the list of pools")


def pool_sent(db: Session, text: str) -> PoolLine:
    """The pool that an address names by its number, or a program by its name."""
    number = whole_number(text)
    return pool_line(db, text if of_api() and number is None else number)
