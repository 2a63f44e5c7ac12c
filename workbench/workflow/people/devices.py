"""Devices: browsers in which an account was signed in before, known by a cookie of their own."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from workbench.storage.tables import DeviceRow
from workbench.workflow.people.tokens import new_token, token_hash

DEVICE_LASTS = timedelta(days=365)


def is_device_of(db: Session, token: str | None, account_id: int | None) -> bool:
    """Whether an account was signed in before in the browser that has this token."""
    if not token or account_id is None:
        return False
    return db.get(DeviceRow, (token_hash(token), account_id)) is not None


def remember_device(db: Session, token: str | None, account_id: int, now: datetime) -> str:
    """Note that an account signed in; the token that its browser keeps, for a year from now.

    A browser has one for all accounts that are used in it. One that was not made here is replaced.
    """
    db.execute(delete(DeviceRow).where(DeviceRow.used_at < now - DEVICE_LASTS))
    if not token or not is_device(db, token):
        token = new_token()
    db.merge(DeviceRow(token_hash=token_hash(token), account_id=account_id, used_at=now))
    db.flush()
    return token


def is_device(db: Session, token: str) -> bool:
    """Whether any account was signed in before in the browser that has this token."""
    made = select(DeviceRow.account_id).where(DeviceRow.token_hash == token_hash(token))
    return db.scalar(made.limit(1)) is not None
