"""The clock: the current time, which tests can replace, and times sent by clients."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session


def utc_now(now: datetime | None = None) -> datetime:
    """The given time, or the current one."""
    return now or datetime.now(UTC)


def shared_now(db: Session) -> datetime:
    """The current time by the clock that all hosts share: that of the database.

    For whatever one host begins and another may end: leases and claims.
    """
    if db.get_bind().dialect.name == "postgresql":
        found: datetime = db.execute(select(func.clock_timestamp())).scalar_one()
        return found
    return utc_now()


def parse_client_time(text: str) -> datetime | None:
    """The time that a client sent in ISO 8601 with a time zone, or None if it is not such a time."""
    try:
        sent = datetime.fromisoformat(text)
        return sent.astimezone(UTC) if sent.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
