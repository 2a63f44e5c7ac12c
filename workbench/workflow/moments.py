"""Moments: the present, unless somebody says otherwise."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now(now: datetime | None) -> datetime:
    """The given moment, or this one."""
    return now or datetime.now(UTC)
