"""Signing in and out: sessions and their tokens, and throttling of failed attempts."""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, bindparam, delete, func, select
from sqlalchemy.orm import Session

from workbench.errors import NotAllowed
from workbench.storage.tables import AccountRow, SessionRow, SignInAttemptRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import Account, account_from, account_row, fold_login
from workbench.workflow.people.passwords import Passwords


def new_token() -> str:
    """256 random bits that stand in a cookie or an address."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """The SHA-256 under which a token is kept; no salt, since a token cannot be guessed."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


FAILURES_OF_A_LOGIN = 5
FAILURES_OF_AN_ADDRESS = 30
BURST = timedelta(minutes=15)
MEMORY = timedelta(days=1)
FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(minutes=15)


def waiting_time(db: Session, *, login: str, address: str, now: datetime) -> timedelta:
    """How long nobody may try this login name, or anything from this address; zero when at once.

    After so many failures within a quarter of an hour, 30 seconds; every further failure of the day doubles
    the wait, up to a quarter of an hour.
    """
    return max(
        _wait(_failures(db, SignInAttemptRow.login == login, now), FAILURES_OF_A_LOGIN, now),
        _wait(_failures(db, SignInAttemptRow.address == address, now), FAILURES_OF_AN_ADDRESS, now),
    )


def one_at_a_time(db: Session, login: str) -> None:
    """Let the attempts at a login name wait for one another until the transaction ends.

    Otherwise many guesses sent at once would each be counted before any of them was remembered.
    """
    if db.get_bind().dialect.name == "postgresql":
        # SQLite lets one writer in at a time anyway.
        db.execute(select(func.pg_advisory_xact_lock(func.hashtext(f"sign-in {login}"))))


def record_failure(db: Session, *, login: str, address: str, now: datetime) -> None:
    """Remember a failed sign-in, and forget those of other days."""
    db.execute(delete(SignInAttemptRow).where(SignInAttemptRow.at < now - MEMORY))
    db.add(SignInAttemptRow(login=login, address=address, at=now))
    db.flush()


def forget_failures(db: Session, login: str) -> None:
    """Forget the failures of a login name, since its owner is here."""
    db.execute(delete(SignInAttemptRow).where(SignInAttemptRow.login == login))


def throttled_address(address: str | None) -> str:
    """The address that failures are counted for; of IPv6 the network, since its user has all of it."""
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
    # The exponent is bounded before it is used: a day of failures would make a number too big for a time.
    doublings = min(len(failures) - allowed, 10)
    wait = min(FIRST_WAIT * (1 << doublings), LONGEST_WAIT)
    return max(failures[-1] + wait - now, timedelta(0))


SESSION_LASTS = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """Somebody says to be this account; `stored` is None where there is no such account."""

    login: str
    address: str
    account_id: int | None
    stored: str | None
    wait: timedelta


@dataclass(frozen=True, slots=True)
class CheckedAttempt:
    """A claim with what its password was worth; `renewed` is a stronger hash to keep instead."""

    claim: SignInAttempt
    right: bool
    renewed: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A sign-in that failed; `wait` is how long further attempts are refused unseen."""

    wait: timedelta

    def __str__(self) -> str:
        if not self.wait:
            return "The login name or the password is wrong."
        return f"Too many attempts failed. Try again in {_in_words(self.wait)}."


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session; the token goes to the browser and is kept nowhere else."""

    account: Account
    token: str
    expires_at: datetime


def begin_attempt(
    db: Session, *, login: str, address: str | None, now: datetime | None = None
) -> SignInAttempt:
    """What is known of a login name and an address before any password is looked at."""
    # Bounded and without NUL: it is kept with the failure, whatever it was.
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


def check_password(claimed: SignInAttempt, password: str, passwords: Passwords) -> CheckedAttempt:
    """Check a password, outside any transaction; one that must wait is not looked at."""
    if claimed.wait or not passwords.matches(password, claimed.stored):
        return CheckedAttempt(claimed, right=False)
    outdated = claimed.stored is not None and passwords.outdated(claimed.stored)
    return CheckedAttempt(claimed, right=True, renewed=passwords.hash(password) if outdated else None)


def sign_in(
    db: Session, checked: CheckedAttempt, *, replacing: str | None = None, now: datetime | None = None
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
    db: Session, checked: CheckedAttempt, password_hash: str, *, now: datetime | None = None
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


def _settle(db: Session, checked: CheckedAttempt, now: datetime) -> AccountRow | Refused:
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


def _in_words(wait: timedelta) -> str:
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


def set_password(db: Session, login: str, password_hash: str) -> Account:
    """Give an account another password without asking for the old one; ends its sessions. Raises NotFound."""
    row = account_row(db, login)
    row.password_hash = password_hash
    db.execute(delete(SessionRow).where(SessionRow.account_id == row.id))
    forget_failures(db, row.login)
    db.flush()
    return account_from(row)
