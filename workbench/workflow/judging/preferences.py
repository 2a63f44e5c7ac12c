"""Preferences between two documents or two runs, recorded once each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.storage.tables import PreferenceEventRow
from workbench.workflow.checks import checked_client_id, storable
from workbench.workflow.judging.submission import sent_number, sent_text

WITHDRAWN = "withdrawn"
LONGEST_REASON = 2000
LONGEST_ACTIVE_MS = 24 * 3600 * 1000
TASK_FIELD = "task"
"""The field of a desk's event that makes it a preference: the number of its task."""


class PreferenceKind(StrEnum):
    """What stands side by side."""

    DOCUMENTS = "documents"
    RUNS = "runs"


class Choice(StrEnum):
    """Which of two is better, in the order of the task's pair."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"
    BOTH_BAD = "both_bad"


def current_choices(
    db: Session, task_ids: Collection[int]
) -> dict[int, dict[tuple[str, str], PreferenceEventRow]]:
    """The current answers to the pairs of tasks, by task and pair, in the order in which they were given.

    The rows are for use-cases to read, not to return.
    """
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
    found: dict[int, dict[tuple[str, str], PreferenceEventRow]] = {}
    for row in rows:
        found.setdefault(row.task_id, {})[row.first, row.second] = row
    return found


@dataclass(frozen=True, slots=True)
class SideAnswer:
    """An assessor's choice in the pair with this number (from 1): "left", "right", "tie" or "both_bad".

    WITHDRAWN as the choice takes the answer to the pair back.
    """

    number: int
    choice: str
    client_id: str
    reason: str = ""
    active_ms: int | None = None


def read_side_answer(sent: Mapping[str, Any]) -> SideAnswer:
    """A choice from an event of the desk; a field of the wrong type counts as absent."""
    return SideAnswer(
        number=sent_number(sent, "pair") or 0,
        choice=sent_text(sent, "said"),
        client_id=sent_text(sent, "client_id"),
        reason=sent_text(sent, "reason"),
        active_ms=sent_number(sent, "active_ms"),
    )


def append_choice(
    db: Session, task_id: int, pair: tuple[str, str], choice: str, answer: SideAnswer, *, first_was_left: bool
) -> bool:
    """Append one answer; the same client id again changes nothing. Returns whether it is new.

    The caller has locked the task's row, so that two at once cannot both be new. Raises Conflict where the
    client id was used for another answer.
    """
    client_id, active_ms = checked_client_id(answer.client_id), answer.active_ms
    known = db.scalar(
        select(PreferenceEventRow).where(
            PreferenceEventRow.task_id == task_id, PreferenceEventRow.client_id == client_id
        )
    )
    if known is not None:
        if (known.first, known.second, known.choice) != (*pair, choice):
            raise Conflict("this page already recorded another answer", remedy="reload the page")
        return False
    db.add(
        PreferenceEventRow(
            task_id=task_id,
            first=pair[0],
            second=pair[1],
            first_was_left=first_was_left,
            choice=choice,
            reason=storable(answer.reason.strip())[:LONGEST_REASON],
            client_id=client_id,
            active_ms=None if active_ms is None else max(0, min(active_ms, LONGEST_ACTIVE_MS)),
            recorded_at=datetime.now(UTC),
        )
    )
    db.flush()
    return True
