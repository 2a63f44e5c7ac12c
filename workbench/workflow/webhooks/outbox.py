"""The outbox: events, stored in the transaction of what they tell, for each webhook that asked for them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import CampaignRow, WebhookDeliveryRow, WebhookRow
from workbench.workflow.clock import utc_now


class EventType(StrEnum):
    """What happens in a campaign, under the name that receivers read."""

    RUN_RECEIVED = "run.received"
    TOPIC_FINISHED = "topic.finished"
    RELEASE_MADE = "release.made"

    @property
    def label(self) -> str:
        """When it is sent, in one line."""
        return _LABELS[self]


_LABELS = {
    EventType.RUN_RECEIVED: "Run received: a run was submitted or added, or a new version of one",
    EventType.TOPIC_FINISHED: "Topic finished: every assigned document of a topic has been judged",
    EventType.RELEASE_MADE: "Release made: a version of the collection was released",
}
TEST = "webhook.test"
"""The type of a test, which is sent to one webhook when somebody asks for it."""


def add_event(
    db: Session,
    campaign_id: int,
    kind: EventType,
    ids: Mapping[str, str],
    *,
    now: datetime | None = None,
) -> None:
    """Have the webhooks of a campaign that asked for this kind of event told of it; `ids` say of what."""
    asked = [one for one in webhooks_on(db, campaign_id) if kind in one.events.split()]
    if asked:
        _put(db, campaign_id, kind, ids, asked, now)


def add_test(db: Session, webhook: WebhookRow, *, now: datetime | None = None) -> None:
    """Have a test delivered to one webhook, whatever it asked for."""
    _put(db, webhook.campaign_id, TEST, {}, [webhook], now)


def webhooks_on(db: Session, campaign_id: int) -> tuple[WebhookRow, ...]:
    """The webhooks of a campaign that are not turned off."""
    chosen = select(WebhookRow).where(WebhookRow.campaign_id == campaign_id, WebhookRow.off_at.is_(None))
    return tuple(db.scalars(chosen))


def _put(
    db: Session,
    campaign_id: int,
    kind: str,
    ids: Mapping[str, str],
    webhooks: Iterable[WebhookRow],
    now: datetime | None,
) -> None:
    moment, event_id = utc_now(now), f"evt_{secrets.token_hex(16)}"
    event = {
        "id": event_id,
        "type": kind,
        "timestamp": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "data": {"campaign": db.get_one(CampaignRow, campaign_id).slug, **ids},
    }
    payload = json.dumps(event, separators=(",", ":"))
    db.add_all(
        WebhookDeliveryRow(
            webhook_id=one.id,
            event_id=event_id,
            type=kind,
            payload=payload,
            created_at=moment,
            due_at=moment,
        )
        for one in webhooks
    )
    db.flush()
