"""The JSON of webhooks and of what is delivered to them."""

from __future__ import annotations

from typing_extensions import TypedDict


class WebhookJson(TypedDict):
    """A webhook without its secret; `off_reason` is empty where somebody turned it off."""

    webhook: int
    url: str
    events: list[str]
    on: bool
    off_at: str | None
    off_reason: str
    failures: int
    waiting: int
    created_at: str


class NewWebhookJson(TypedDict):
    """A webhook that was just added, with the secret by which its deliveries are verified."""

    webhook: WebhookJson
    secret: str


class DeliveryJson(TypedDict):
    """A delivery to a webhook, with the status of the last attempt and why it failed."""

    delivery: int
    event: str
    type: str
    state: str
    created_at: str
    sent_at: str | None
    attempts: int
    next_attempt_at: str | None
    status: int | None
    reason: str
    answer: str
