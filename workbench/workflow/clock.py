"""Moments: the present, unless somebody says otherwise, and what other clocks say."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now(now: datetime | None) -> datetime:
    """The given moment, or this one."""
    return now or datetime.now(UTC)


def parse_client_time(text: str) -> datetime | None:
    """The moment that a sender's clock says in ISO 8601 with its zone, or None where it says none."""
    try:
        said = datetime.fromisoformat(text)
        return said.astimezone(UTC) if said.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
