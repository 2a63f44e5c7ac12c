"""Deliveries: claimed one at a time, and noted as accepted or not; whoever does not accept them rests."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.storage.tables import WebhookDeliveryRow, WebhookRow
from workbench.workflow.clock import shared_now
from workbench.workflow.delivery_queue import (
    LONGEST_REASON,
    WAITS,
    DeliveryQueue,
    DeliveryState,
    begin_again,
    claim,
)
from workbench.workflow.webhooks.webhooks import begin_counting, locked_webhook, require_on

QUEUE = DeliveryQueue(WebhookDeliveryRow)
MOST_ATTEMPTS = len(WAITS) + 1
"""After so many failures in a row a webhook is turned off: within a day, as each rests it longer."""


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A delivery that this process sends now; neither the address nor the secret is for a log."""

    id: int
    url: str = field(repr=False)
    secret: str = field(repr=False)
    event_id: str
    payload: str


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """Why an attempt failed; `status` and the beginning of the `answer` where the receiver gave any."""

    reason: str
    status: int | None = None
    answer: str = ""

    @property
    def gone(self) -> bool:
        """Whether the receiver wants no more deliveries."""
        return self.status == 410


@dataclass(frozen=True, slots=True)
class Delivery:
    """A delivery in the organiser's list: its event, and what became of it."""

    id: int
    event_id: str
    type: str
    state: DeliveryState
    created_at: datetime
    due_at: datetime
    sent_at: datetime | None
    attempts: int
    status: int | None
    reason: str
    answer: str
    payload: str


def claim_next(db: Session, *, now: datetime | None = None) -> ClaimedDelivery | None:
    """Claim the delivery that is due first, of webhooks that are on and do not rest; None if none is due."""
    moment = shared_now(db, now)
    row = QUEUE.next_due(db, moment, _awake(moment))
    if row is None:
        return None
    claim(row, moment)
    webhook = db.get_one(WebhookRow, row.webhook_id)
    db.flush()
    return ClaimedDelivery(row.id, webhook.url, webhook.secret, row.event_id, row.payload)


def any_due(db: Session, *, now: datetime | None = None) -> bool:
    """Whether a delivery waits that could be sent now."""
    moment = shared_now(db, now)
    return QUEUE.any_due(db, moment, _awake(moment))


def note_accepted(db: Session, delivery_id: int, status: int, *, now: datetime | None = None) -> None:
    """Note that the receiver accepted a delivery; forgets deliveries that are a month old."""
    row = QUEUE.note_sent(db, delivery_id, shared_now(db, now))
    if row is not None:
        row.status, row.answer = status, ""
        begin_counting(db.get_one(WebhookRow, row.webhook_id, with_for_update=True))
        db.flush()


def note_failed(
    db: Session, delivery_id: int, attempt: FailedAttempt, *, now: datetime | None = None
) -> None:
    """Note why an attempt failed. The webhook rests, longer each time, and is turned off after the last."""
    moment = shared_now(db, now)
    row = QUEUE.note_failed(db, delivery_id, attempt.reason, moment)
    if row is None:
        return
    row.status, row.answer = attempt.status, attempt.answer[:LONGEST_REASON]
    webhook = db.get_one(WebhookRow, row.webhook_id, with_for_update=True)
    webhook.failures += 1
    if attempt.gone or webhook.failures >= MOST_ATTEMPTS:
        webhook.off_at, webhook.resting_until = moment, None
        tried = f"{webhook.failures} attempts in a row failed, the last one with: {row.reason}"
        webhook.off_reason = "the receiver wants no more deliveries (status 410)" if attempt.gone else tried
    else:
        webhook.resting_until = moment + WAITS[webhook.failures - 1]
    db.flush()


def send_again(
    db: Session, campaign_id: int, webhook_id: int, delivery_id: int, *, now: datetime | None = None
) -> None:
    """Send a delivery at once, whatever became of it, under the same id.

    Raises NotFound, Conflict for a webhook that is off.
    """
    webhook = locked_webhook(db, campaign_id, webhook_id)
    row = db.get(WebhookDeliveryRow, delivery_id, with_for_update=True)
    if row is None or row.webhook_id != webhook_id:
        raise NotFound("this webhook has no such delivery", remedy="see the list of its deliveries")
    require_on(webhook)
    begin_counting(webhook)
    begin_again(row, shared_now(db, now))
    db.flush()


def count_deliveries(db: Session, webhook_id: int) -> int:
    """How many deliveries a webhook has."""
    return db.scalar(select(func.count()).where(WebhookDeliveryRow.webhook_id == webhook_id)) or 0


def deliveries(
    db: Session, webhook_id: int, *, start: int = 0, most: int | None = None
) -> tuple[Delivery, ...]:
    """The deliveries to a webhook, the latest first."""
    rows = db.scalars(
        select(WebhookDeliveryRow)
        .where(WebhookDeliveryRow.webhook_id == webhook_id)
        .order_by(WebhookDeliveryRow.id.desc())
        .offset(start)
        .limit(most)
    )
    return tuple(
        Delivery(
            id=row.id,
            event_id=row.event_id,
            type=row.type,
            state=DeliveryState(row.state),
            created_at=row.created_at,
            due_at=row.due_at,
            sent_at=row.sent_at,
            attempts=row.tries,
            status=row.status,
            reason=row.reason,
            answer=row.answer,
            payload=row.payload,
        )
        for row in rows
    )


def _awake(moment: datetime) -> ColumnElement[bool]:
    rested = or_(WebhookRow.resting_until.is_(None), WebhookRow.resting_until <= moment)
    return WebhookDeliveryRow.webhook_id.in_(select(WebhookRow.id).where(WebhookRow.off_at.is_(None), rested))
