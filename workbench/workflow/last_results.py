"""What slow calculations gave last, whatever was judged since: pages show it for a while, and say so."""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from sqlalchemy.orm import Session

from workbench.storage.events import events_after, newest_events
from workbench.workflow.caching import Cache
from workbench.workflow.clock import utc_now

Value = TypeVar("Value")
MOST_OLDER = 10
"""So many times as long as it took a result serves, so that a tenth of the time goes into it at most."""
QUICK_SECONDS = 0.25
"""What takes no longer is computed of the judgments as they are now."""


@dataclass(frozen=True, slots=True)
class ResultAge:
    """When a result was computed from all judgments, and how many answers have come since."""

    at: datetime
    answers: int


@dataclass(frozen=True, slots=True)
class Beginning:
    """When a calculation began, also by the monotonic clock, and the newest event then."""

    at: datetime
    clock: float
    newest: int


@dataclass(frozen=True, slots=True, eq=False)
class _Last(Generic[Value]):
    """A result, when it began and ended, the latter by the monotonic clock."""

    value: Value
    begun: Beginning
    end: float


class LastResults(Generic[Value]):
    """The results of the last `most` questions that took long, by campaign and question."""

    def __init__(self, most: int) -> None:
        self._last: Cache[Hashable, _Last[Value]] = Cache(most)

    def find(self, db: Session, campaign_id: int, question: Hashable) -> tuple[Value, ResultAge] | None:
        """The last result of a question and its age, as long as it serves."""
        last = self._last.peek(_key(db, campaign_id, question))
        if last is None or time.monotonic() - last.end >= MOST_OLDER * (last.end - last.begun.clock):
            return None
        newest = newest_events(db, campaign_id)
        since = [who for who, one in newest.items() if one > last.begun.newest]
        return last.value, ResultAge(last.begun.at, len(events_after(db, since, last.begun.newest)))

    def keep(self, db: Session, campaign_id: int, question: Hashable, value: Value, begun: Beginning) -> None:
        """Keep a result if it took long."""
        end = time.monotonic()
        if end - begun.clock > QUICK_SECONDS:
            self._last.put(_key(db, campaign_id, question), _Last(value, begun, end))


def beginning(db: Session, campaign_id: int) -> Beginning:
    """That a calculation begins now, from what this transaction sees."""
    newest = max(newest_events(db, campaign_id).values(), default=0)
    return Beginning(utc_now(None), time.monotonic(), newest)


def _key(db: Session, campaign_id: int, question: Hashable) -> Hashable:
    return str(db.get_bind().engine.url), campaign_id, question
