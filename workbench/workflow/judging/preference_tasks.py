"""Work side by side: the pairs that an assessor has to compare, and how far that is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.records import id_bytes
from workbench.storage.tables import AssessorRow, PreferenceTaskRow, TopicRow
from workbench.workflow.judging.preference_events import held_choices

Pair = tuple[str, str]


class Kind(StrEnum):
    """What stands side by side."""

    DOCUMENTS = "documents"
    RUNS = "runs"


@dataclass(frozen=True, slots=True)
class PreferenceTask:
    """One topic's pairs for one assessor; `done` counts those with an answer."""

    id: int
    kind: Kind
    topic: str
    title: str
    assessor: str
    pairs: int
    done: int
    seed: int


def tasks_of(db: Session, campaign_id: int, *, account_id: int | None = None) -> tuple[PreferenceTask, ...]:
    """The tasks of a campaign that are in force, or those of an account; by topic, then assessor."""
    chosen = (
        select(PreferenceTaskRow, AssessorRow.name, TopicRow.title)
        .join(AssessorRow, AssessorRow.id == PreferenceTaskRow.assessor_id)
        .join(
            TopicRow,
            (TopicRow.campaign_id == PreferenceTaskRow.campaign_id)
            & (TopicRow.topic == PreferenceTaskRow.topic),
        )
        .where(PreferenceTaskRow.campaign_id == campaign_id, PreferenceTaskRow.revoked_at.is_(None))
        .order_by(TopicRow.position, AssessorRow.name, PreferenceTaskRow.id)
    )
    if account_id is not None:
        chosen = chosen.where(AssessorRow.account_id == account_id)
    rows = db.execute(chosen).all()
    held = held_choices(db, [row.id for row, _, _ in rows])
    return tuple(
        PreferenceTask(
            row.id,
            Kind(row.kind),
            row.topic,
            title,
            name,
            len(row.pairs),
            len(held.get(row.id, {})),
            row.seed,
        )
        for row, name, title in rows
    )


def left_to_compare(db: Session, campaign_id: int, account_id: int) -> int:
    """How many pairs an account has still to compare."""
    return sum(task.pairs - task.done for task in tasks_of(db, campaign_id, account_id=account_id))


def require_task(db: Session, campaign_id: int, task_id: int) -> None:
    """Raise NotFound where a task is not of this campaign."""
    _row(db, campaign_id, task_id)


def revoke_task(db: Session, campaign_id: int, task_id: int) -> None:
    """Take a task back; what was said of its pairs stays. Raises NotFound."""
    row = _row(db, campaign_id, task_id)
    row.revoked_at = row.revoked_at or datetime.now(UTC)
    db.flush()


def shown_left(seed: int, pair: Pair) -> bool:
    """Whether the first of a pair stands left: by lot, the same on every machine and in every version."""
    said = b"\0".join([str(seed).encode(), id_bytes(pair[0]), id_bytes(pair[1])])
    return hashlib.sha256(said).digest()[0] % 2 == 0


def _row(db: Session, campaign_id: int, task_id: int) -> PreferenceTaskRow:
    row = db.get(PreferenceTaskRow, task_id)
    if row is None or row.campaign_id != campaign_id:
        raise NotFound("there is no such task")
    return row
