"""Webhooks: addresses that are told of events, and what was delivered to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from workbench.json_forms import DeliveryJson, NewWebhookJson, PageJson, WebhookJson
from workbench.web.access import here, organiser
from workbench.web.api.cursors import FORBID, Flag, PageQuery, page_of
from workbench.web.api.operations import operation
from workbench.web.context import app_context, reading, writing
from workbench.web.webhook_changes import changing_webhooks
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.webhooks import webhooks
from workbench.workflow.webhooks.deliveries import deliveries, send_again
from workbench.workflow.webhooks.outbox import EventType
from workbench.workflow.webhooks.webhook_json import delivery_json, new_webhook_json, webhook_json

blueprint = Blueprint("webhooks", __name__, url_prefix="/campaigns/<slug>/webhooks")


@dataclass(frozen=True, slots=True)
class SentWebhook:
    """An address of a public host over HTTPS, and the events that it is told of."""

    __pydantic_config__ = FORBID
    url: Annotated[str, Field(max_length=4000)]
    events: list[EventType]


@dataclass(frozen=True, slots=True)
class WebhookChange:
    """Other events, and whether it is on; what is left out stays as it is."""

    __pydantic_config__ = FORBID
    events: list[EventType] | None = None
    on: Flag | None = None


@blueprint.get("")
@organiser
@operation(PageJson[WebhookJson], scope=Scope.MANAGE, query=PageQuery)
def index(query: PageQuery) -> PageJson[WebhookJson]:
    """List the webhooks of the campaign, without their secrets."""
    with reading() as db:
        found = webhooks.webhooks(db, here().id)
    return page_of(found, query, key=lambda one: one.id, form=webhook_json)


@blueprint.post("")
@organiser
@operation(NewWebhookJson, scope=Scope.MANAGE, body=SentWebhook, status=201, secret=True)
def add(body: SentWebhook) -> NewWebhookJson:
    """Add a webhook; its secret is in this answer only."""
    with changing_webhooks() as db:
        made = webhooks.add_webhook(
            db, here().id, body.url, body.events, inside=app_context().settings.webhook_hosts
        )
    return new_webhook_json(made)


@blueprint.patch("/<int:webhook_id>")
@organiser
@operation(WebhookJson, scope=Scope.MANAGE, body=WebhookChange)
def change(webhook_id: int, body: WebhookChange) -> WebhookJson:
    """Choose other events, turn a webhook off, or on again."""
    with changing_webhooks() as db:
        if body.events is not None:
            webhooks.change_events(db, here().id, webhook_id, body.events)
        if body.on is not None:
            act = webhooks.turn_on if body.on else webhooks.turn_off
            act(db, here().id, webhook_id)
        return webhook_json(webhooks.webhook_of(db, here().id, webhook_id))


@blueprint.delete("/<int:webhook_id>")
@organiser
@operation(None, scope=Scope.MANAGE)
def remove(webhook_id: int) -> None:
    """Remove a webhook with its deliveries."""
    with writing() as db:
        webhooks.remove_webhook(db, here().id, webhook_id)


@blueprint.post("/<int:webhook_id>/test")
@organiser
@operation(WebhookJson, scope=Scope.MANAGE)
def test(webhook_id: int) -> WebhookJson:
    """Have a test delivered."""
    with writing() as db:
        webhooks.send_test(db, here().id, webhook_id)
        return webhook_json(webhooks.webhook_of(db, here().id, webhook_id))


@blueprint.get("/<int:webhook_id>/deliveries")
@organiser
@operation(PageJson[DeliveryJson], scope=Scope.MANAGE, query=PageQuery)
def delivery_list(webhook_id: int, query: PageQuery) -> PageJson[DeliveryJson]:
    """List what was delivered within 30 days and what waits, the oldest first."""
    with reading() as db:
        webhooks.webhook_of(db, here().id, webhook_id)
        found = deliveries(db, webhook_id)[::-1]
    return page_of(found, query, key=lambda one: one.id, form=delivery_json)


@blueprint.post("/<int:webhook_id>/deliveries/<int:delivery_id>/again")
@organiser
@operation(None, scope=Scope.MANAGE)
def again(webhook_id: int, delivery_id: int) -> None:
    """Send a delivery once more, under the same id."""
    with writing() as db:
        send_again(db, here().id, webhook_id, delivery_id)
