"""The webhooks of a campaign: added with a secret that is shown once, changed, turned off and removed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import NoReturn

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.storage.tables import CampaignRow, WebhookDeliveryRow, WebhookRow
from workbench.workflow.clock import utc_now
from workbench.workflow.delivery_queue import DeliveryState
from workbench.workflow.webhooks.destination import destination_of
from workbench.workflow.webhooks.outbox import EventType, add_test, webhooks_on
from workbench.workflow.webhooks.signing import new_secret

MOST_WEBHOOKS = 10


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook as organisers see it, without its secret.

    `off_at` is when it was turned off, `off_reason` why, empty where somebody did; `waiting` counts
    deliveries that are still to be sent, and `failures` attempts since the last one that succeeded.
    """

    id: int
    url: str
    events: tuple[EventType, ...]
    created_at: datetime
    failures: int
    resting_until: datetime | None
    off_at: datetime | None
    off_reason: str
    waiting: int


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """A webhook that was just added; its secret is not shown again."""

    secret: str = field(repr=False)
    webhook: Webhook


def add_webhook(
    db: Session,
    campaign_id: int,
    url: str,
    events: Collection[str],
    *,
    inside: Collection[str] = (),
    now: datetime | None = None,
) -> NewWebhook:
    """Have an address told of some kinds of events; `inside` are hosts of this network that it may name.

    Raises InvalidInput with the codes "url" and "events", Conflict for a campaign that has ten webhooks.
    """
    findings: list[Finding] = []
    url = url.strip()
    try:
        destination_of(url, inside)
    except InvalidInput as error:
        findings += error.findings
    try:
        chosen = _chosen(events)
    except InvalidInput as error:
        findings += error.findings
    if findings:
        raise InvalidInput(findings)
    # Locked, so that two at once are not one too many.
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    own = select(func.count()).where(WebhookRow.campaign_id == campaign_id)
    if (db.scalar(own) or 0) >= MOST_WEBHOOKS:
        raise Conflict(f"a campaign has at most {MOST_WEBHOOKS} webhooks", remedy="remove one first")
    row = WebhookRow(
        campaign_id=campaign_id, url=url, events=chosen, secret=new_secret(), created_at=utc_now(now)
    )
    db.add(row)
    db.flush()
    return NewWebhook(row.secret, _webhook(row, 0))


def webhooks(db: Session, campaign_id: int) -> tuple[Webhook, ...]:
    """The webhooks of a campaign, the first added first."""
    waiting = select(func.count()).where(
        WebhookDeliveryRow.webhook_id == WebhookRow.id, WebhookDeliveryRow.state == DeliveryState.WAITING
    )
    rows = db.execute(
        select(WebhookRow, waiting.scalar_subquery())
        .where(WebhookRow.campaign_id == campaign_id)
        .order_by(WebhookRow.id)
    )
    return tuple(_webhook(row, count) for row, count in rows)


def webhook_of(db: Session, campaign_id: int, webhook_id: int) -> Webhook:
    """A webhook of a campaign; raises NotFound."""
    found = next((one for one in webhooks(db, campaign_id) if one.id == webhook_id), None)
    return found or _missing()


def change_events(db: Session, campaign_id: int, webhook_id: int, events: Collection[str]) -> None:
    """Choose other kinds of events; raises NotFound, InvalidInput with the code "events"."""
    locked_webhook(db, campaign_id, webhook_id).events = _chosen(events)
    db.flush()


def turn_off(db: Session, campaign_id: int, webhook_id: int, *, now: datetime | None = None) -> None:
    """Deliver nothing more, and store no further events; what waits stays. Raises NotFound."""
    row = locked_webhook(db, campaign_id, webhook_id)
    row.off_at, row.off_reason = row.off_at or utc_now(now), ""
    db.flush()


def turn_on(db: Session, campaign_id: int, webhook_id: int, *, now: datetime | None = None) -> None:
    """Deliver again, at once, what waits and what comes; raises NotFound."""
    row = locked_webhook(db, campaign_id, webhook_id)
    row.off_at, row.off_reason = None, ""
    begin_counting(row)
    # What failed before would wait for its next attempt, up to twelve hours.
    waits = WebhookDeliveryRow.state == DeliveryState.WAITING
    of_it = WebhookDeliveryRow.webhook_id == webhook_id
    db.execute(update(WebhookDeliveryRow).where(of_it, waits).values(due_at=utc_now(now)))
    db.flush()


def remove_webhook(db: Session, campaign_id: int, webhook_id: int) -> None:
    """Remove a webhook with its deliveries; raises NotFound."""
    db.delete(locked_webhook(db, campaign_id, webhook_id))
    db.flush()


def send_test(db: Session, campaign_id: int, webhook_id: int, *, now: datetime | None = None) -> None:
    """Have a test delivered at once; raises NotFound, Conflict for a webhook that is off."""
    row = locked_webhook(db, campaign_id, webhook_id)
    require_on(row)
    begin_counting(row)
    add_test(db, row, now=now)


def has_listener(db: Session, campaign_id: int, kind: EventType) -> bool:
    """Whether a webhook of a campaign is told of this kind of event."""
    return any(kind in one.events.split() for one in webhooks_on(db, campaign_id))


def campaigns_listening(db: Session, kind: EventType) -> tuple[int, ...]:
    """The campaigns of which a webhook is told of this kind of event."""
    on = select(WebhookRow.campaign_id, WebhookRow.events).where(WebhookRow.off_at.is_(None))
    return tuple(sorted({campaign for campaign, events in db.execute(on) if kind in events.split()}))


def locked_webhook(db: Session, campaign_id: int, webhook_id: int) -> WebhookRow:
    """The row of a webhook of this campaign, locked; raises NotFound."""
    row = db.get(WebhookRow, webhook_id, with_for_update=True)
    return row if row is not None and row.campaign_id == campaign_id else _missing()


def require_on(row: WebhookRow) -> None:
    """Raise Conflict for a webhook that is off."""
    if row.off_at is not None:
        raise Conflict("this webhook is off", remedy="turn it on first")


def begin_counting(row: WebhookRow) -> None:
    """Forget the failures of a webhook, so that it is tried at once."""
    row.failures, row.resting_until = 0, None


def _chosen(events: Collection[str]) -> str:
    unknown = sorted(set(events) - set(EventType))
    if unknown or not events:
        message = f"there is no event {unknown[0][:40]!r}" if unknown else "no event was chosen"
        raise InvalidInput(
            [Finding("Events", None, "events", message, f"choose among {', '.join(EventType)}")]
        )
    return " ".join(one for one in EventType if one in events)


def _webhook(row: WebhookRow, waiting: int) -> Webhook:
    return Webhook(
        id=row.id,
        url=row.url,
        events=tuple(EventType(one) for one in row.events.split()),
        created_at=row.created_at,
        failures=row.failures,
        resting_until=row.resting_until,
        off_at=row.off_at,
        off_reason=row.off_reason,
        waiting=waiting,
    )


def _missing() -> NoReturn:
    raise NotFound("there is no such webhook in this campaign", remedy="see the list of its webhooks")
