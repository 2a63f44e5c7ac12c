"""What opens an account: the sessions of browsers, and the access tokens by which programs act for it.

A session is named by the beginning of the hash that is stored of its token, which opens nothing.

Decisions, on access tokens:

- A token has the rights of its owner at the moment of a call, and of these only what its scopes name. It
  says nothing of roles, so that whoever loses a role loses it in every program too.
- What locks somebody out of an account, as another password does, revokes its tokens (`signing_in`).
- Every token ends: a year is the most. It is shown once; the database has its SHA-256.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from sqlalchemy import ColumnElement, and_, delete, func, select, update
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass, record_of
from workbench.storage.tables import AccessTokenRow, SessionRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import new_token, token_hash

NAME_LENGTH = 16
NOTED_EVERY = timedelta(hours=1)
EVER = datetime(1970, 1, 1, tzinfo=UTC)


@frozen_dataclass
class SessionLine:
    """A session in the list of its owner; `network` is empty where it is not known.

    `used_at` is to the hour; `current` says that it is the session of who asks.
    """

    name: str
    browser: str
    network: str
    created_at: datetime
    used_at: datetime
    current: bool


def last_use() -> ColumnElement[datetime]:
    """When a session was last used, as far as it is noted."""
    return func.coalesce(SessionRow.used_at, SessionRow.created_at)


def unused_since(now: datetime, idle: timedelta | None) -> datetime:
    """The last use before which a session has ended that may be unused for the time `idle`.

    Uses are noted to the hour, so a session ends at most that much later, and never before.
    """
    return now - idle - NOTED_EVERY if idle is not None else EVER


def is_open(now: datetime, idle: timedelta | None) -> ColumnElement[bool]:
    """Whether a session has not ended by now, neither by its time nor because it was not used."""
    return and_(SessionRow.expires_at > now, last_use() > unused_since(now, idle))


def sessions_of(
    db: Session,
    account_id: int,
    token: str | None = None,
    *,
    idle: timedelta | None = None,
) -> tuple[SessionLine, ...]:
    """The open sessions of an account, the one with this token first, then by last use."""
    mine = SessionRow.account_id == account_id
    rows = db.scalars(select(SessionRow).where(mine, is_open(utc_now(), idle)))
    current = token_hash(token) if token else None
    lines = [
        SessionLine(
            row.token_hash[:NAME_LENGTH],
            browser_words(row.browser),
            row.network,
            row.created_at,
            row.used_at or row.created_at,
            row.token_hash == current,
        )
        for row in rows
    ]
    return tuple(sorted(lines, key=lambda line: (line.current, line.used_at), reverse=True))


def end_session(db: Session, account_id: int, name: str) -> str:
    """End one session of an account, and give its browser in words; raises NotFound."""
    chosen = select(SessionRow).where(
        SessionRow.account_id == account_id, SessionRow.token_hash.startswith(name, autoescape=True)
    )
    row = db.scalar(chosen) if len(name) == NAME_LENGTH else None
    if row is None:
        raise NotFound("this session has ended already")
    db.delete(row)
    db.flush()
    return browser_words(row.browser)


def end_other_sessions(db: Session, account_id: int, token: str, *, tokens: bool = True) -> int:
    """End every session of an account but the one with this token; gives how many.

    Revokes the access tokens too, unless `tokens` is false.
    """
    if tokens:
        db.execute(delete(AccessTokenRow).where(AccessTokenRow.account_id == account_id))
    others = SessionRow.account_id == account_id, SessionRow.token_hash != token_hash(token)
    return len(db.scalars(delete(SessionRow).where(*others).returning(SessionRow.token_hash)).all())


def note_session_use(db: Session, token: str) -> None:
    """Note that a session is used now."""
    db.execute(update(SessionRow).where(SessionRow.token_hash == token_hash(token)).values(used_at=utc_now()))


# The first that a field contains counts: most browsers also call themselves by the names of older ones.
PROGRAMS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chromium", "Chromium"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
    ("curl", "curl"),
    ("Python", "Python"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)
# Enough to tell a provider or an institution, too little to tell a household.
KEPT_BITS = {4: 24, 6: 48}


def browser_words(name: str) -> str:
    """Program and system of a `User-Agent` field, as `Firefox on Linux`; what is unknown is left out."""
    program, system = (
        next((words for part, words in known if part in name), "") for known in (PROGRAMS, SYSTEMS)
    )
    return " on ".join(filter(None, (program or "Unknown browser", system)))


def shortened_address(address: str | None) -> str:
    """The network of an address, as `192.0.2.0/24`; of IPv6 the first 48 bits. Empty if there is none."""
    try:
        parsed = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return str(ipaddress.ip_network((parsed, KEPT_BITS[parsed.version]), strict=False))


PREFIX = "wbt_"
"""How every token begins, so that it is recognised where it does not belong, as in a public repository."""
LONGEST_TOKEN_NAME = 80
MOST_TOKENS = 50
MOST_DAYS = 366
USUAL_DAYS = 90
MINUTE = timedelta(minutes=1)


class Scope(StrEnum):
    """What a token may be used for."""

    READ = "read"
    JUDGE = "judge"
    DECIDE = "decide"
    RUNS = "runs"
    MANAGE = "manage"

    @property
    def description(self) -> str:
        """What the scope opens, in one line."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Scope.READ: "Read what your pages show",
    Scope.JUDGE: "Record judgments for your own assignments",
    Scope.DECIDE: "Decide disputed pairs",
    Scope.RUNS: "Check, submit and describe runs",
    Scope.MANAGE: "Change campaigns: settings, topics, documents, pools, people, assignments, releases",
}


@frozen_dataclass
class AccessToken:
    """A token as its owner sees it; `used_at` is right to the minute, None before its first use."""

    id: int
    name: str
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    expired: bool


@frozen_dataclass
class NewAccessToken:
    """A token that was just made; `secret` is shown once and stored nowhere."""

    secret: str
    token: AccessToken


def make_access_token(
    db: Session,
    account_id: int,
    *,
    name: str,
    scopes: Collection[str],
    days: int = USUAL_DAYS,
) -> NewAccessToken:
    """Make a token for an account, valid for `days`.

    Raises InvalidInput with every error, whose codes are the names of the fields, and Conflict for an account
    that has 50 already.
    """
    name = " ".join(storable(name).split())
    findings = _findings(name, scopes, days)
    if findings:
        raise InvalidInput(findings)
    own = select(func.count()).where(AccessTokenRow.account_id == account_id)
    if (db.scalar(own) or 0) >= MOST_TOKENS:
        raise Conflict(f"an account has at most {MOST_TOKENS} tokens", remedy="revoke one first")
    secret, moment = PREFIX + new_token(), utc_now()
    row = AccessTokenRow(
        account_id=account_id,
        name=name,
        token_hash=token_hash(secret),
        scopes=" ".join(scope for scope in Scope if scope in scopes),
        created_at=moment,
        expires_at=moment + timedelta(days=days),
    )
    db.add(row)
    db.flush()
    return NewAccessToken(secret, _access_token(row, moment))


def access_tokens(db: Session, account_id: int) -> tuple[AccessToken, ...]:
    """The tokens of an account, expired ones too, the latest first."""
    own = select(AccessTokenRow).where(AccessTokenRow.account_id == account_id)
    moment = utc_now()
    return tuple(_access_token(row, moment) for row in db.scalars(own.order_by(AccessTokenRow.id.desc())))


def revoke_access_token(db: Session, account_id: int, token_id: int) -> AccessToken:
    """Revoke a token of an account, from this moment on; raises NotFound."""
    row = db.get(AccessTokenRow, token_id)
    if row is None or row.account_id != account_id:
        raise NotFound("this account has no such token", remedy="see the list of its tokens")
    found = _access_token(row, utc_now())
    db.delete(row)
    db.flush()
    return found


def note_token_use(db: Session, token_id: int) -> None:
    """Store that a token is used now."""
    db.execute(update(AccessTokenRow).where(AccessTokenRow.id == token_id).values(used_at=utc_now()))


def use_is_noted(used_at: datetime | None) -> bool:
    """Whether the last use of a token that is stored is less than a minute ago."""
    return used_at is not None and utc_now() - used_at < MINUTE


def _findings(name: str, scopes: Collection[str], days: int) -> list[Finding]:
    findings = []
    if not name:
        findings.append(Finding("Name", None, "name", "the name is missing", "name what will use the token"))
    elif len(name) > LONGEST_TOKEN_NAME:
        most = f"at most {LONGEST_TOKEN_NAME} characters"
        findings.append(Finding("Name", None, "name", "the name is too long", most))
    unknown = sorted(set(scopes) - set(Scope))
    if unknown:
        known = f"choose from {', '.join(Scope)}"
        findings.append(Finding("Scopes", None, "scopes", f"{unknown[0][:40]!r} is not a scope", known))
    elif not scopes:
        findings.append(Finding("Scopes", None, "scopes", "no scope is chosen", "choose one or more"))
    if not 1 <= days <= MOST_DAYS:
        bounds = f"1 to {MOST_DAYS} days"
        findings.append(
            Finding("Valid for", None, "days", f"a token cannot be valid for {days} days", bounds)
        )
    return findings


def _access_token(row: AccessTokenRow, moment: datetime) -> AccessToken:
    return record_of(AccessToken, row, scopes=scopes_of(row.scopes), expired=row.expires_at <= moment)


def scopes_of(stored: str) -> tuple[Scope, ...]:
    """The scopes in a stored text; one that this version does not know opens nothing."""
    return tuple(scope for scope in Scope if scope in stored.split())
