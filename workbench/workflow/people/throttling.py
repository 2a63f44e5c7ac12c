"""Throttling: how long a guess of a password waits, and why nobody can keep the owner of an account out.

Decisions:

- Failures are counted for a login name *and* where they come from. Whoever guesses elsewhere makes the owner
  wait for nothing, and an address that many people share serves them all.
- Failures of whoever is signed in and changes the password are counted by themselves, whatever others do at
  the same address.
- A code is guessed by somebody who has the password, and three of a million are right at any time. After 50
  wrong ones within a day, from wherever, all browsers may together try one in 15 minutes: 96 a day, so that
  guessing for a month succeeds in one case of a hundred. Another password ends it.
- A login name that is guessed from many addresses, or an address from which many names are guessed, keeps one
  free failure of five, and such an address is answered once a second. A first attempt waits no longer.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.storage.tables import SignInAttemptRow

# Before the first wait; fewer once a login name or an address is guessed at in earnest.
FREE_FAILURES, FREE_UNDER_ATTACK = 5, 1
LONGEST_COUNTED = 120
FAILURES_OF_A_LOGIN = 50
FAILURES_OF_AN_ADDRESS = 100
BURST = timedelta(minutes=15)
MEMORY = timedelta(days=1)
FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(minutes=15)
PACE = timedelta(seconds=1)
CODE_PACE = timedelta(minutes=15)
SIGNED_IN = "signed in"
# What else than passwords is counted, each by itself: login names have no spaces.
LINKS = "link "
SIGN_IN_CODES = "code "
OPENID = "openid "


@frozen_dataclass
class Guess:
    """What failures are counted for: a login name and where an attempt comes from.

    `place` is made by `network_of`, or is `SIGNED_IN`.
    """

    login: str
    place: str


def counted_names(logins: Iterable[str]) -> set[str]:
    """The names under which attempts of these logins are stored, of every kind."""
    return {f"{kind}{login}"[:LONGEST_COUNTED] for login in logins for kind in ("", LINKS, SIGN_IN_CODES)}


def code_name(login: str) -> str:
    """The name under which wrong codes of a login are stored."""
    return f"{SIGN_IN_CODES}{login}"[:LONGEST_COUNTED]


def network_of(address: str | None) -> str:
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


def provider_guess(place: str) -> Guess:
    """What sign-ins at a provider that fail are counted for: where they come from, since nobody is named."""
    return Guess(f"{OPENID}{place}", place)


def waiting_time(db: Session, guess: Guess, now: datetime) -> timedelta:
    """How long such attempts are refused; zero if they are not.

    After a number of failures within 15 minutes, 30 seconds; every further failure within a day doubles the
    wait, up to 15 minutes.
    """
    here = SignInAttemptRow.address == guess.place
    own = _failures(db, (SignInAttemptRow.login == guess.login) & here, now - MEMORY)
    if guess.place == SIGNED_IN:
        return _wait(own, FREE_FAILURES, now)
    nearby = _count(db, here, now - BURST)
    attacked = (
        nearby >= FAILURES_OF_AN_ADDRESS
        or _count(db, SignInAttemptRow.login == guess.login, now - MEMORY) >= FAILURES_OF_A_LOGIN
    )
    wait = _wait(own, FREE_UNDER_ATTACK if attacked else FREE_FAILURES, now)
    if nearby >= FAILURES_OF_AN_ADDRESS:
        wait = max(wait, _latest(db, here) + PACE - now)
    if guess.login.startswith(SIGN_IN_CODES):
        wait = max(wait, _until_next_code(db, guess.login, now))
    return wait


def one_at_a_time(db: Session, login: str) -> None:
    """Serialise the attempts at a login name until the transaction ends.

    Otherwise, of many guesses sent at once, each would be checked before the failure of another is stored.
    """
    if db.get_bind().dialect.name == "postgresql":
        # SQLite lets one writer in at a time anyway.
        db.execute(select(func.pg_advisory_xact_lock(func.hashtext(f"sign-in {login}"))))


def record_failure(db: Session, guess: Guess, now: datetime) -> None:
    """Store a failed sign-in, and delete those older than a day."""
    db.execute(delete(SignInAttemptRow).where(SignInAttemptRow.at < now - MEMORY))
    db.add(SignInAttemptRow(login=guess.login, address=guess.place, at=now))
    db.flush()


def forget_failures(db: Session, login: str, place: str | None = None) -> None:
    """Delete the failures of a login name, at one place or everywhere, after its owner has signed in."""
    of_login = SignInAttemptRow.login == login
    db.execute(
        delete(SignInAttemptRow).where(
            of_login if place is None else of_login & (SignInAttemptRow.address == place)
        )
    )


def _failures(db: Session, which: ColumnElement[bool], since: datetime) -> Sequence[datetime]:
    return db.scalars(
        select(SignInAttemptRow.at).where(which, SignInAttemptRow.at > since).order_by(SignInAttemptRow.at)
    ).all()


def _until_next_code(db: Session, login: str, now: datetime) -> timedelta:
    strange = (SignInAttemptRow.login == login) & (SignInAttemptRow.address != SIGNED_IN)
    if _count(db, strange, now - MEMORY) < FAILURES_OF_A_LOGIN:
        return timedelta(0)
    return max(_latest(db, strange) + CODE_PACE - now, timedelta(0))


def _latest(db: Session, which: ColumnElement[bool]) -> datetime:
    latest = select(SignInAttemptRow.at).where(which).order_by(SignInAttemptRow.at.desc()).limit(1)
    return db.scalars(latest).one()


def _count(db: Session, which: ColumnElement[bool], since: datetime) -> int:
    return db.scalar(select(func.count()).where(which, SignInAttemptRow.at > since)) or 0


def _wait(failures: Sequence[datetime], allowed: int, now: datetime) -> timedelta:
    burst = any(last - first <= BURST for first, last in zip(failures, failures[allowed - 1 :], strict=False))
    if not burst:
        return timedelta(0)
    # The exponent is bounded first: a day of failures would make a number too big for a timedelta.
    doublings = min(len(failures) - allowed, 10)
    wait = min(FIRST_WAIT * (1 << doublings), LONGEST_WAIT)
    return max(failures[-1] + wait - now, timedelta(0))
