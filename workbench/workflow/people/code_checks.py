"""Checking codes, slowed down like passwords and counted apart from them, and signing in with one."""

from __future__ import annotations

from sqlalchemy.orm import Session

from workbench.errors import NotAllowed
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import Account
from workbench.workflow.people.code_steps import end_code_step, waiting_account
from workbench.workflow.people.signing_in import (
    Browser,
    Refused,
    SignedIn,
    open_session,
    sign_out,
)
from workbench.workflow.people.throttling import (
    SIGNED_IN,
    Guess,
    code_name,
    forget_failures,
    network_of,
    one_at_a_time,
    record_failure,
    waiting_time,
)
from workbench.workflow.people.two_factor import use_code

WRONG = "The code is wrong, has expired, or was used before."


def enter_with_code(
    db: Session,
    token: str | None,
    typed: str,
    browser: Browser,
    *,
    replacing: str | None = None,
) -> SignedIn | Refused:
    """Open a session if the code was right, or store the failure. `replacing` is the token of one that ends.

    Raises NotAllowed if the sign-in has ended or expired meanwhile.
    """
    account = waiting_account(db, token)
    if token is None or account is None:
        raise NotAllowed("this sign-in has expired", remedy="sign in again")
    refused = confirm_code(db, account, typed, place=network_of(browser.address))
    if refused is not None:
        return refused
    end_code_step(db, token)
    if replacing:
        sign_out(db, replacing)
    return open_session(db, account, browser)


def confirm_code(db: Session, account: Account, typed: str, *, place: str = SIGNED_IN) -> Refused | None:
    """None if the code was right, by default of who is signed in; otherwise the failure is stored."""
    moment, guess = utc_now(), Guess(code_name(account.login), place)
    one_at_a_time(db, guess.login)
    wait = waiting_time(db, guess, moment)
    if wait:
        return Refused(wait)
    if not use_code(db, account.id, typed):
        record_failure(db, guess, moment)
        return Refused(waiting_time(db, guess, moment), WRONG)
    forget_failures(db, guess.login, guess.place)
    return None
