"""Repeatable requests: what a program sends again under the same idempotency key is done once.

Decisions:

- A key is claimed in a transaction of its own before anything is done, so that of two processes one does it.
- The response is stored after it. A request that failed gives its key back: nothing was done. One whose
  process ended in between keeps its key without a response: nobody knows whether it was done, and it is
  never done again under that key.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, InvalidInput, NotYet, rejected
from workbench.frozen import frozen_dataclass
from workbench.storage.tables import RepeatableRequestRow
from workbench.workflow.clock import shared_now

KEPT = timedelta(days=1)
RUNNING = timedelta(minutes=15)
"""No request asks the database for longer (`web.server`)."""
_KEY = re.compile(r"[\x21-\x7e]{1,100}")


@frozen_dataclass
class GivenResponse:
    """The response that a request was given before; `answer` is None where it had a secret in it."""

    status: int
    answer: str | None


def checked_key(key: str) -> str:
    """An idempotency key; raises InvalidInput for what cannot be one."""
    if not _KEY.fullmatch(key):
        raise _wrong("this cannot be an idempotency key", "1 to 100 visible ASCII characters, such as a UUID")
    return key


def begin_request(db: Session, account_id: int, key: str, fingerprint: str) -> GivenResponse | None:
    """Claim a key for a request, or give the response that the same request had under it before.

    Raises InvalidInput for a key that was used for another request, and Conflict while the first one runs or
    when its outcome is unknown.
    """
    moment = shared_now(db)
    db.execute(delete(RepeatableRequestRow).where(RepeatableRequestRow.begun_at < moment - KEPT))
    try:
        with db.begin_nested():
            db.add(
                RepeatableRequestRow(account_id=account_id, key=key, fingerprint=fingerprint, begun_at=moment)
            )
            db.flush()
    except IntegrityError:
        return _before(db.get_one(RepeatableRequestRow, (account_id, key)), fingerprint, moment)
    return None


def complete_request(db: Session, account_id: int, key: str, response: GivenResponse) -> None:
    """Store the response to the request that has claimed a key."""
    db.execute(
        update(RepeatableRequestRow)
        .where(RepeatableRequestRow.account_id == account_id, RepeatableRequestRow.key == key)
        .values(status=response.status, answer=response.answer)
    )


def give_up_request(db: Session, account_id: int, key: str) -> None:
    """Give back the key of a request that failed."""
    db.execute(
        delete(RepeatableRequestRow).where(
            RepeatableRequestRow.account_id == account_id,
            RepeatableRequestRow.key == key,
            RepeatableRequestRow.status.is_(None),
        )
    )


def _before(row: RepeatableRequestRow, fingerprint: str, moment: datetime) -> GivenResponse:
    if row.fingerprint != fingerprint:
        raise _wrong("this key was used for another request", "make a new key")
    if row.status is None and moment - row.begun_at < RUNNING:
        minutes = f"{RUNNING.total_seconds() / 60:.0f} minutes"
        raise NotYet(
            "the first request with this key is still running, or its server was stopped",
            remedy=f"send it again: the first one counts as interrupted {minutes} after it began",
        )
    if row.status is None:
        raise Conflict(
            "the first request with this key was interrupted, and its outcome is unknown",
            remedy="check what is there, then send what is missing with a new key",
        )
    return GivenResponse(row.status, row.answer)


def _wrong(message: str, remedy: str) -> InvalidInput:
    return rejected("Idempotency-Key", None, "idempotency-key", message, remedy)
