"""The sessions of an account: where it is signed in, since when, and ending any of them.

A session is named by the beginning of the hash that is stored of its token, which opens nothing.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, func, select, update
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.storage.tables import AccessTokenRow, SessionRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.tokens import token_hash

NAME_LENGTH = 16
NOTED_EVERY = timedelta(hours=1)
EVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
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


def note_use(db: Session, token: str) -> None:
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
