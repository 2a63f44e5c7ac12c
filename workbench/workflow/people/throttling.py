"""Throttling of sign-ins: guessing gets slower with every failure, for a login name and for an address."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from workbench.storage.tables import SignInAttemptRow

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
