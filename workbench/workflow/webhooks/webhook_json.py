"""Webhooks and deliveries as JSON."""

from __future__ import annotations

from datetime import datetime

from workbench.json_forms import DeliveryJson, NewWebhookJson, WebhookJson
from workbench.workflow.delivery_queue import DeliveryState
from workbench.workflow.webhooks.deliveries import Delivery
from workbench.workflow.webhooks.webhooks import NewWebhook, Webhook


def webhook_json(one: Webhook) -> WebhookJson:
    """A webhook in the list."""
    return {
        "webhook": one.id,
        "url": one.url,
        "events": [str(event) for event in one.events],
        "on": one.off_at is None,
        "off_at": _moment(one.off_at),
        "off_reason": one.off_reason,
        "failures": one.failures,
        "waiting": one.waiting,
        "created_at": one.created_at.isoformat(),
    }


def new_webhook_json(made: NewWebhook) -> NewWebhookJson:
    """A webhook that was just added, with its secret."""
    return {"webhook": webhook_json(made.webhook), "secret": made.secret}


def delivery_json(one: Delivery) -> DeliveryJson:
    """A delivery in the list."""
    return {
        "delivery": one.id,
        "event": one.event_id,
        "type": one.type,
        "state": one.state,
        "created_at": one.created_at.isoformat(),
        "sent_at": _moment(one.sent_at),
        "attempts": one.attempts,
        "next_attempt_at": _moment(one.due_at if one.state is DeliveryState.WAITING else None),
        "status": one.status,
        "reason": one.reason,
        "answer": one.answer,
    }


def _moment(at: datetime | None) -> str | None:
    return at.isoformat() if at is not None else None
