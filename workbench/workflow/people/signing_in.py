"""Signing in and out: sessions and their tokens, and throttling of failed attempts.

An attempt is begun in one transaction, its password is checked outside any, and it is completed in another. A
refusal is returned, not raised: an exception would roll back the stored failure.
"""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from workbench.errors import NotAllowed
from workbench.storage.tables import AccountRow, SessionRow, SignInAttemptRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import Account, account_from, account_row, fold_login
from workbench.workflow.people.passwords import Passwords


def new_token() -> str:
    """256 random bits for a cookie or a URL."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """The SHA-256 under which a token is stored; unsalted, since a token cannot be guessed."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


FAILURES_OF_A_LOGIN = 5
FAILURES_OF_AN_ADDRESS = 30
BURST = timedelta(minutes=15)
MEMORY = timedelta(days=1)
FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(minutes=15)


def waiting_time(db: Session, *, login: str, address: str, now: datetime) -> timedelta:
    """How long attempts at this login name or from this address are refused; zero if they are not.

    After a number of failures within 15 minutes, 30 seconds; every further failure within a day doubles the
    wait, up to 15 minutes.
    """
    return max(
        _wait(_failures(db, SignInAttemptRow.login == login, now), FAILURES_OF_A_LOGIN, now),
        _wait(_failures(db, SignInAttemptRow.address == address, now), FAILURES_OF_AN_ADDRESS, now),
    )


def one_at_a_time(db: Session, login: str) -> None:
    """Serialise the attempts at a login name until the transaction ends.

    Otherwise, of many guesses sent at once, each would be checked before the failure of another is stored.
    """
    if db.get_bind().dialect.name == "postgresql":
        # SQLite lets one writer in at a time anyway.
        db.execute(select(func.pg_advisory_xact_lock(func.hashtext(f"sign-in {login}"))))


def record_failure(db: Session, *, login: str, address: str, now: datetime) -> None:
    """Store a failed sign-in, and delete those older than a day."""
    db.execute(delete(SignInAttemptRow).where(SignInAttemptRow.at < now - MEMORY))
    db.add(SignInAttemptRow(login=login, address=address, at=now))
    db.flush()


def forget_failures(db: Session, login: str) -> None:
    """Delete the failures of a login name, after its owner has signed in."""
    db.execute(delete(SignInAttemptRow).where(SignInAttemptRow.login == login))


def throttled_address(address: str | None) -> str:
    """The address for which failures are counted; for IPv6 the /64 network, since one user has all of it."""
    try:
        parsed = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def _failures(db: Session, which: ColumnElement[bool], now: datetime) -> Sequence[datetime]:
    return db.scalars(
        select(SignInAttemptRow.at)
        .where(which, SignInAttemptRow.at > now - MEMORY)
        .order_by(SignInAttemptRow.at)
    ).all()


def _wait(failures: Sequence[datetime], allowed: int, now: datetime) -> timedelta:
    burst = any(last - first <= BURST for first, last in zip(failures, failures[allowed - 1 :], strict=False))
    if not burst:
        return timedelta(0)
    # The exponent is bounded first: a day of failures would make a number too big for a timedelta.
    doublings = min(len(failures) - allowed, 10)
    wait = min(FIRST_WAIT * (1 << doublings), LONGEST_WAIT)
    return max(failures[-1] + wait - now, timedelta(0))


SESSION_LASTS = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """An attempt to sign in; `stored`, the password hash, is None if there is no such account."""

    login: str
    address: str
    account_id: int | None
    stored: str | None
    wait: timedelta


@dataclass(frozen=True, slots=True)
class CheckedAttempt:
    """An attempt whose password was checked; `renewed` is a stronger hash to store instead."""

    attempt: SignInAttempt
    right: bool
    renewed: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A failed sign-in; `wait` is how long further attempts are refused without being checked."""

    wait: timedelta

    def __str__(self) -> str:
        if not self.wait:
            return "The login name or the password is wrong."
        return f"Too many attempts failed. Try again in {_in_words(self.wait)}."


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session; the token is sent to the browser and stored nowhere else."""

    account: Account
    token: str
    expires_at: datetime


def begin_attempt(
    db: Session, *, login: str, address: str | None, now: datetime | None = None
) -> SignInAttempt:
    """Look up a login name and its throttling, before the password is checked."""
    # Bounded and without NUL, since it is stored if the attempt fails.
    folded = fold_login(login).replace("\0", "")[:120]
    where = throttled_address(address)
    row = db.scalar(select(AccountRow).where(AccountRow.login == folded, AccountRow.disabled_at.is_(None)))
    return SignInAttempt(
        login=folded,
        address=where,
        account_id=row.id if row else None,
        stored=row.password_hash if row else None,
        wait=waiting_time(db, login=folded, address=where, now=utc_now(now)),
    )


def check_password(attempt: SignInAttempt, password: str, passwords: Passwords) -> CheckedAttempt:
    """Check the password of an attempt, outside any transaction; a throttled one is not checked."""
    if attempt.wait or not passwords.matches(password, attempt.stored):
        return CheckedAttempt(attempt, right=False)
    outdated = attempt.stored is not None and passwords.outdated(attempt.stored)
    return CheckedAttempt(attempt, right=True, renewed=passwords.hash(password) if outdated else None)


def sign_in(
    db: Session, checked: CheckedAttempt, *, replacing: str | None = None, now: datetime | None = None
) -> SignedIn | Refused:
    """Open a session, or store the failure. `replacing` is the token of a session that ends."""
    account = _verified(db, checked, utc_now(now))
    if isinstance(account, Refused):
        return account
    if checked.renewed is not None:
        account.password_hash = checked.renewed
    if replacing:
        sign_out(db, replacing)
    return open_session(db, account_from(account), now=now)


def change_password(
    db: Session, checked: CheckedAttempt, password_hash: str, *, now: datetime | None = None
) -> SignedIn | Refused:
    """Replace the password after the old one was checked; ends all sessions and opens a new one."""
    account = _verified(db, checked, utc_now(now))
    if isinstance(account, Refused):
        return account
    account.password_hash = password_hash
    sign_out_everywhere(db, account.id)
    return open_session(db, account_from(account), now=now)


def open_session(db: Session, account: Account, *, now: datetime | None = None) -> SignedIn:
    """Open a session for a verified account; it expires after 30 days."""
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


def sign_out(db: Session, token: str) -> None:
    """End one session."""
    db.execute(delete(SessionRow).where(SessionRow.token_hash == token_hash(token)))


def sign_out_everywhere(db: Session, account_id: int) -> None:
    """End every session of an account."""
    db.execute(delete(SessionRow).where(SessionRow.account_id == account_id))


def _verified(db: Session, checked: CheckedAttempt, now: datetime) -> AccountRow | Refused:
    # Checked again under the lock: of many guesses sent at once, those over the limit must not be checked.
    login, address = checked.attempt.login, checked.attempt.address
    one_at_a_time(db, login)
    wait = waiting_time(db, login=login, address=address, now=now)
    if wait:
        return Refused(wait)
    if not checked.right or checked.attempt.account_id is None:
        record_failure(db, login=login, address=address, now=now)
        return Refused(waiting_time(db, login=login, address=address, now=now))
    account = db.get(AccountRow, checked.attempt.account_id)
    if account is None or account.disabled_at or account.password_hash != checked.attempt.stored:
        raise NotAllowed("the account was changed meanwhile", remedy="sign in again")
    forget_failures(db, login)
    return account


def _in_words(wait: timedelta) -> str:
    seconds = -(-wait // timedelta(seconds=1))
    if seconds < 60:
        return "1 second" if seconds == 1 else f"{seconds} seconds"
    minutes = -(-seconds // 60)
    return "1 minute" if minutes == 1 else f"{minutes} minutes"


def set_password(db: Session, login: str, password_hash: str) -> Account:
    """Give an account another password without asking for the old one; ends its sessions. Raises NotFound."""
    row = account_row(db, login)
    row.password_hash = password_hash
    db.execute(delete(SessionRow).where(SessionRow.account_id == row.id))
    forget_failures(db, row.login)
    db.flush()
    return account_from(row)
