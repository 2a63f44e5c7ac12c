"""Signing in and out: a claim is read, checked outside any transaction, and then settled in one.

A refusal is returned, not raised: raising would undo the transaction that remembers the failure.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from workbench.errors import NotAllowed
from workbench.storage.tables import AccountRow, SessionRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import Account, account_from, fold_login
from workbench.workflow.people.passwords import Passwords
from workbench.workflow.people.throttling import (
    forget_failures,
    one_at_a_time,
    record_failure,
    throttled_address,
    waiting_time,
)
from workbench.workflow.people.tokens import new_token, token_hash

SESSION_LASTS = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody says to be this account; `stored` is None where there is no such account."""

    login: str
    address: str
    account_id: int | None
    stored: str | None
    wait: timedelta


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim with what its password was worth; `renewed` is a stronger hash to keep instead."""

    claim: Claim
    right: bool
    renewed: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A sign-in that failed; `wait` is how long further attempts are refused unseen."""

    wait: timedelta

    def __str__(self) -> str:
        if not self.wait:
            return "The login name or the password is wrong."
        return f"Too many attempts failed. Try again in {_spoken(self.wait)}."


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session; the token goes to the browser and is kept nowhere else."""

    account: Account
    token: str
    expires_at: datetime


def claim(db: Session, *, login: str, address: str | None, now: datetime | None = None) -> Claim:
    """What is known of a login name and an address before any password is looked at."""
    # Bounded and without NUL: it is kept with the failure, whatever it was.
    folded = fold_login(login).replace("\0", "")[:120]
    where = throttled_address(address)
    row = db.scalar(select(AccountRow).where(AccountRow.login == folded, AccountRow.disabled_at.is_(None)))
    return Claim(
        login=folded,
        address=where,
        account_id=row.id if row else None,
        stored=row.password_hash if row else None,
        wait=waiting_time(db, login=folded, address=where, now=utc_now(now)),
    )


def check(claimed: Claim, password: str, passwords: Passwords) -> Checked:
    """Check a password, outside any transaction; one that must wait is not looked at."""
    if claimed.wait or not passwords.matches(password, claimed.stored):
        return Checked(claimed, right=False)
    outdated = claimed.stored is not None and passwords.outdated(claimed.stored)
    return Checked(claimed, right=True, renewed=passwords.hash(password) if outdated else None)


def sign_in(
    db: Session, checked: Checked, *, replacing: str | None = None, now: datetime | None = None
) -> SignedIn | Refused:
    """Settle a claim: a session, or a refusal that is remembered. `replacing` is a token that ends here."""
    account = _settle(db, checked, utc_now(now))
    if isinstance(account, Refused):
        return account
    if checked.renewed is not None:
        account.password_hash = checked.renewed
    if replacing:
        sign_out(db, replacing)
    return open_session(db, account_from(account), now=now)


def change_password(
    db: Session, checked: Checked, password_hash: str, *, now: datetime | None = None
) -> SignedIn | Refused:
    """Replace the password after the old one was checked; ends every session and opens a new one."""
    account = _settle(db, checked, utc_now(now))
    if isinstance(account, Refused):
        return account
    account.password_hash = password_hash
    sign_out_everywhere(db, account.id)
    return open_session(db, account_from(account), now=now)


def open_session(db: Session, account: Account, *, now: datetime | None = None) -> SignedIn:
    """A session for an account that has proved itself; it ends by itself after 30 days."""
    moment = utc_now(now)
    db.execute(delete(SessionRow).where(SessionRow.expires_at <= moment))
    token, expires_at = new_token(), moment + SESSION_LASTS
    db.add(
        SessionRow(
            token_hash=token_hash(token), account_id=account.id, created_at=moment, expires_at=expires_at
        )
    )
    db.flush()
    return SignedIn(account, token, expires_at)


def signed_in_account(db: Session, token: str, *, now: datetime | None = None) -> Account | None:
    """Whose session this token is, or None where it ended or the account is disabled."""
    row = _of_session(db, token, now)
    return account_from(row) if row is not None and row.disabled_at is None else None


def session_account(db: Session, token: str, *, now: datetime | None = None) -> Account | None:
    """Whose session this token is, disabled or not: what was said is taken from both, and nothing else is."""
    row = _of_session(db, token, now)
    return account_from(row) if row is not None else None


def sign_out(db: Session, token: str) -> None:
    """End one session."""
    db.execute(delete(SessionRow).where(SessionRow.token_hash == token_hash(token)))


def sign_out_everywhere(db: Session, account_id: int) -> None:
    """End every session of an account."""
    db.execute(delete(SessionRow).where(SessionRow.account_id == account_id))


def _of_session(db: Session, token: str, now: datetime | None) -> AccountRow | None:
    return db.scalar(_OF_SESSION, {"token_hash": token_hash(token), "now": utc_now(now)})


def _settle(db: Session, checked: Checked, now: datetime) -> AccountRow | Refused:
    # Asked again here: of many guesses sent at once, those that come too late must not count.
    login, address = checked.claim.login, checked.claim.address
    one_at_a_time(db, login)
    wait = waiting_time(db, login=login, address=address, now=now)
    if wait:
        return Refused(wait)
    if not checked.right or checked.claim.account_id is None:
        record_failure(db, login=login, address=address, now=now)
        return Refused(waiting_time(db, login=login, address=address, now=now))
    account = db.get(AccountRow, checked.claim.account_id)
    if account is None or account.disabled_at or account.password_hash != checked.claim.stored:
        raise NotAllowed("the account changed meanwhile", remedy="sign in again")
    forget_failures(db, login)
    return account


def _spoken(wait: timedelta) -> str:
    seconds = -(-wait // timedelta(seconds=1))
    if seconds < 60:
        return "1 second" if seconds == 1 else f"{seconds} seconds"
    minutes = -(-seconds // 60)
    return "1 minute" if minutes == 1 else f"{minutes} minutes"


# Every request asks this: it is put together once, which takes longer than asking it.
_OF_SESSION = (
    select(AccountRow)
    .join(SessionRow, SessionRow.account_id == AccountRow.id)
    .where(SessionRow.token_hash == bindparam("token_hash"), SessionRow.expires_at > bindparam("now"))
)
