"""Requests of people who forgot the password: counted like failed sign-ins, the same whatever was typed."""

from __future__ import annotations

from sqlalchemy.orm import Session

from workbench.workflow.clock import utc_now
from workbench.workflow.mail.queue import add_password_request
from workbench.workflow.people.accounts import fold_login
from workbench.workflow.people.signing_in import Refused
from workbench.workflow.people.throttling import (
    LINKS,
    LONGEST_COUNTED,
    Guess,
    network_of,
    one_at_a_time,
    record_failure,
    waiting_time,
)

LONGEST_TYPED = 254


def request_link(db: Session, typed: str, address: str | None) -> Refused | None:
    """Have a link sent to the owner of a login name or a mail address, if there is one.

    `address` is where the request comes from. Too many requests have to wait, by what was typed and by where
    they come from.
    """
    moment = utc_now()
    typed = fold_login(typed).replace("\0", "")[:LONGEST_TYPED]
    guess = Guess(f"{LINKS}{typed}"[:LONGEST_COUNTED], LINKS + network_of(address))
    one_at_a_time(db, guess.login)
    wait = waiting_time(db, guess, moment)
    if wait:
        return Refused(wait)
    record_failure(db, guess, moment)
    if typed:
        add_password_request(db, typed)
    return None
