"""The clock: the current time, which tests can replace, and times sent by clients."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now(now: datetime | None) -> datetime:
    """The given time, or the current one."""
    return now or datetime.now(UTC)


def parse_client_time(text: str) -> datetime | None:
    """The time that a client sent in ISO 8601 with a time zone, or None if it is not such a time."""
    try:
        sent = datetime.fromisoformat(text)
        return sent.astimezone(UTC) if sent.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
