"""A delivery queue: rows of a table that wait to be sent, are claimed by one process each, and tried again.

A page adds a row in the transaction of what it tells, and a thread of the server sends it later. A process
that is killed meanwhile leaves its claim, which ends after ten minutes: so every row is sent at least once,
and twice only if the process ends between the receiver's answer and the next statement.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Generic, TypeVar

from sqlalchemy import ColumnElement, delete, or_, select
from sqlalchemy.orm import Session

from workbench.errors import Unavailable
from workbench.storage.engine import Database
from workbench.storage.tables.columns import QueuedColumns

CLAIM_LASTS = timedelta(minutes=10)
"""Longer than any attempt takes, within its time limits."""
WAITS = tuple(timedelta(minutes=each) for each in (1, 5, 15, 60, 180, 360, 720))
"""Before the second attempt, the third and so on; after the last of them a delivery has failed."""
KEPT = timedelta(days=30)
"""How long a row is listed once it is sent, or will not be."""
LONGEST_REASON = 300
NOTED_AGAIN = 1.0
"""Seconds before a note that the database did not take is made again."""
LOG = logging.getLogger(__name__)

Row = TypeVar("Row", bound=QueuedColumns)


class DeliveryState(StrEnum):
    """What became of a row."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"
    NOT_NEEDED = "not needed"


@dataclass(frozen=True, slots=True)
class DeliveryQueue(Generic[Row]):
    """The queue in one table."""

    rows: type[Row]

    def any_due(self, db: Session, moment: datetime) -> bool:
        """Whether a row waits that could be sent now."""
        return db.scalar(select(self.rows.id).where(*self._due(moment)).limit(1)) is not None

    def next_due(self, db: Session, moment: datetime, *, locked: bool = True) -> Row | None:
        """The row that is due first and that no process sends now, locked; None if there is none."""
        rows = self.rows
        first = (
            select(rows)
            .where(
                *self._due(moment),
                or_(rows.claimed_until.is_(None), rows.claimed_until <= moment),
            )
            .order_by(rows.due_at, rows.id)
            .limit(1)
        )
        return db.scalar(first.with_for_update(skip_locked=True) if locked else first)

    def note_sent(self, db: Session, row_id: int, moment: datetime) -> Row | None:
        """Note that the receiver accepted a row, if it is still there; forgets rows that are a month old."""
        row = db.get(self.rows, row_id)
        if row is not None:
            row.state, row.sent_at, row.reason, row.claimed_until = DeliveryState.SENT, moment, "", None
        rows = self.rows
        over = rows.state != DeliveryState.WAITING, rows.created_at < moment - KEPT
        db.execute(delete(rows).where(*over))
        return row

    def note_failed(
        self, db: Session, row_id: int, reason: str, moment: datetime, *, for_good: bool = False
    ) -> Row | None:
        """Note why an attempt failed: there is another later, unless it failed `for_good` or too often."""
        row = db.get(self.rows, row_id)
        if row is None:
            return None
        row.reason, row.claimed_until = reason[:LONGEST_REASON], None
        if for_good or row.tries > len(WAITS):
            row.state = DeliveryState.FAILED
        else:
            row.due_at = moment + WAITS[row.tries - 1]
        db.flush()
        return row

    def _due(self, moment: datetime) -> Iterator[ColumnElement[bool]]:
        yield self.rows.state == DeliveryState.WAITING
        yield self.rows.due_at <= moment


def note(database: Database, change: Callable[[Session], object]) -> None:
    """Note what became of an attempt, again and again until the database takes it.

    The receiver has it: a claim that ended without a note would have it sent twice.
    """
    while True:
        try:
            with database.writing() as db:
                change(db)
            return
        except Unavailable as error:
            LOG.warning("what became of a delivery is noted again: %s", error)
            time.sleep(NOTED_AGAIN)


def claim(row: QueuedColumns, moment: datetime) -> None:
    """Note that this process makes another attempt now."""
    row.tries += 1
    row.claimed_until = moment + CLAIM_LASTS


def begin_again(row: QueuedColumns, moment: datetime) -> None:
    """Have a row sent as if it had not been tried."""
    row.state, row.tries, row.due_at, row.claimed_until = DeliveryState.WAITING, 0, moment, None
