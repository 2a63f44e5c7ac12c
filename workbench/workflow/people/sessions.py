"""The sessions of an account: where it is signed in, since when, and ending any of them.

A session is named by the beginning of the hash that is stored of its token, which opens nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.storage.tables import SessionRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.browsers import browser_words
from workbench.workflow.people.tokens import token_hash

NAME_LENGTH = 16
NOTED_EVERY = timedelta(hours=1)


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


def sessions_of(
    db: Session, account_id: int, token: str | None = None, *, now: datetime | None = None
) -> tuple[SessionLine, ...]:
    """The open sessions of an account, the one with this token first, then by last use."""
    rows = db.scalars(
        select(SessionRow).where(SessionRow.account_id == account_id, SessionRow.expires_at > utc_now(now))
    )
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
    lines.sort(key=lambda line: line.used_at, reverse=True)
    return tuple(sorted(lines, key=lambda line: not line.current))


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


def end_other_sessions(db: Session, account_id: int, token: str) -> int:
    """End every session of an account but the one with this token; gives how many."""
    others = SessionRow.account_id == account_id, SessionRow.token_hash != token_hash(token)
    return len(db.scalars(delete(SessionRow).where(*others).returning(SessionRow.token_hash)).all())


def note_use(db: Session, token: str, *, now: datetime | None = None) -> None:
    """Note that a session is used now."""
    db.execute(
        update(SessionRow).where(SessionRow.token_hash == token_hash(token)).values(used_at=utc_now(now))
    )
