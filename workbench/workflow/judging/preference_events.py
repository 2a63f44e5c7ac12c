"""What was said side by side: events appended once each; what holds of a pair is the latest."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, WorkbenchError
from workbench.storage.tables import PreferenceEventRow
from workbench.workflow.checks import storable

WITHDRAWN = "withdrawn"
LONGEST_REASON = 2000
LONGEST_ACTIVE_MS = 24 * 3600 * 1000


class Choice(StrEnum):
    """Which of two is better, in the order of the task's pair."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"
    BOTH_BAD = "both_bad"


@dataclass(frozen=True, slots=True)
class HeldChoice:
    """What holds of a pair; `id` is its event's number, which only grows."""

    id: int
    first: str
    second: str
    choice: Choice
    first_was_left: bool
    reason: str
    recorded_at: datetime


def held_choices(db: Session, task_ids: Collection[int]) -> dict[int, dict[tuple[str, str], HeldChoice]]:
    """What holds of the pairs of tasks, by task and pair, in the order in which it was said."""
    event = PreferenceEventRow
    newest = (
        select(func.max(event.id).label("id"))
        .where(event.task_id.in_(list(task_ids)))
        .group_by(event.task_id, event.first, event.second)
        .subquery()
    )
    rows = db.scalars(
        select(event)
        .join(newest, event.id == newest.c.id)
        .where(event.choice != WITHDRAWN)
        .order_by(event.id)
    )
    held: dict[int, dict[tuple[str, str], HeldChoice]] = {}
    for row in rows:
        held.setdefault(row.task_id, {})[row.first, row.second] = HeldChoice(
            row.id, row.first, row.second, Choice(row.choice), row.first_was_left, row.reason, row.recorded_at
        )
    return held


def append_choice(
    db: Session,
    task_id: int,
    pair: tuple[str, str],
    choice: str,
    *,
    first_was_left: bool,
    client_id: str,
    reason: str = "",
    active_ms: int | None = None,
) -> bool:
    """Append one answer; the same client id again changes nothing. Returns whether it is new.

    The caller holds the task's row, so that two at once cannot both be new. Raises Conflict where the client
    id said something else before.
    """
    if not re.fullmatch(r"[A-Za-z0-9-]{8,64}", client_id):
        raise WorkbenchError("the answer carries no proper id of its own", remedy="load the page again")
    known = db.scalar(
        select(PreferenceEventRow).where(
            PreferenceEventRow.task_id == task_id, PreferenceEventRow.client_id == client_id
        )
    )
    if known is not None:
        if (known.first, known.second, known.choice) != (*pair, choice):
            raise Conflict(
                "this page's answer was recorded before, and was another one", remedy="load it again"
            )
        return False
    db.add(
        PreferenceEventRow(
            task_id=task_id,
            first=pair[0],
            second=pair[1],
            first_was_left=first_was_left,
            choice=choice,
            reason=storable(reason.strip())[:LONGEST_REASON],
            client_id=client_id,
            active_ms=None if active_ms is None else max(0, min(active_ms, LONGEST_ACTIVE_MS)),
            recorded_at=datetime.now(UTC),
        )
    )
    db.flush()
    return True
