"""Webhooks of a campaign: addresses of programs that are told of runs, finished topics and releases."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, WorkbenchError
from workbench.web import notices
from workbench.web.access import here, organiser
from workbench.web.context import app_context, reading, writing
from workbench.web.forms import findings_of, sent_text, status_of
from workbench.web.meanwhile import marks, merged
from workbench.web.paging import A_PAGE, ListPage, start_asked
from workbench.web.requests import see_other
from workbench.web.webhook_changes import changing_webhooks
from workbench.workflow.webhooks import webhooks
from workbench.workflow.webhooks.deliveries import count_deliveries, deliveries, send_again
from workbench.workflow.webhooks.destination import LONGEST_URL
from workbench.workflow.webhooks.outbox import EventType

blueprint = Blueprint("webhooks", __name__, url_prefix="/c/<slug>/settings/webhooks")
Answer = Response | tuple[str, int]
SOON = "Load this page again in some seconds to see what became of it."
NOTHING = "Nothing more is delivered to it."


@blueprint.get("")
@organiser
def index() -> str:
    """The webhooks of the campaign, and the form for one more."""
    return _list_page()


@blueprint.post("")
@organiser
def add() -> tuple[str, int]:
    """Add a webhook, and show its secret; it is never shown again."""
    try:
        with changing_webhooks() as db:
            made = webhooks.add_webhook(
                db,
                here().id,
                sent_text("url"),
                request.form.getlist("event"),
                inside=app_context().settings.webhook_hosts,
            )
    except WorkbenchError as error:
        return _list_page(findings=findings_of(error, "Address", "url")), status_of(error)
    return _list_page(made), 201


@blueprint.get("/<int:webhook_id>")
@organiser
def show(webhook_id: int) -> str:
    """A webhook: its events, and what was delivered to it."""
    return _page(webhook_id)


@blueprint.post("/<int:webhook_id>")
@organiser
def change(webhook_id: int) -> Answer:
    """Choose other events."""
    try:
        with changing_webhooks() as db:
            now = sorted(webhooks.webhook_of(db, here().id, webhook_id).events)
            found = merged({"events": sorted(request.form.getlist("event"))}, {"events": now})
            webhooks.change_events(db, here().id, webhook_id, found["events"])
    except WorkbenchError as error:
        return _page(webhook_id, findings_of(error, "Events", "events")), status_of(error)
    notices.add("Events saved. They apply to what happens from now on.")
    return see_other(url_for("webhooks.show", webhook_id=webhook_id))


@blueprint.post("/<int:webhook_id>/state")
@organiser
def change_state(webhook_id: int) -> Response:
    """Turn a webhook off, or on again."""
    on = sent_text("state") == "on"
    with changing_webhooks() as db:
        act = webhooks.turn_on if on else webhooks.turn_off
        act(db, here().id, webhook_id)
    notices.add(f"Webhook turned on. {SOON}" if on else f"Webhook turned off. {NOTHING}")
    return see_other(url_for("webhooks.show", webhook_id=webhook_id))


@blueprint.post("/<int:webhook_id>/test")
@organiser
def test(webhook_id: int) -> Response:
    """Have a test delivered."""
    with writing() as db:
        webhooks.send_test(db, here().id, webhook_id)
    notices.add(f"The test is on its way. {SOON}")
    return see_other(url_for("webhooks.show", webhook_id=webhook_id))


@blueprint.post("/<int:webhook_id>/deliveries/<int:delivery_id>/again")
@organiser
def again(webhook_id: int, delivery_id: int) -> Response:
    """Send a delivery once more, under the same id."""
    with writing() as db:
        send_again(db, here().id, webhook_id, delivery_id)
    notices.add(f"The delivery is on its way again. {SOON}")
    return see_other(url_for("webhooks.show", webhook_id=webhook_id))


@blueprint.post("/<int:webhook_id>/remove")
@organiser
def remove(webhook_id: int) -> Response:
    """Remove a webhook with its deliveries."""
    with writing() as db:
        webhooks.remove_webhook(db, here().id, webhook_id)
    notices.add(f"Webhook removed. {NOTHING}")
    return see_other(url_for("webhooks.index"))


def _list_page(made: webhooks.NewWebhook | None = None, findings: tuple[Finding, ...] = ()) -> str:
    with reading() as db:
        found = webhooks.webhooks(db, here().id)
    return render_template(
        "settings/webhooks.html",
        webhooks=found,
        made=made,
        kinds=tuple(EventType),
        most=webhooks.MOST_WEBHOOKS,
        longest=LONGEST_URL,
        findings=findings,
        typed=sent_text("url") if findings else "",
        chosen=request.form.getlist("event") if findings else [],
    )


def _page(webhook_id: int, findings: tuple[Finding, ...] = ()) -> str:
    with reading() as db:
        webhook = webhooks.webhook_of(db, here().id, webhook_id)
        total = count_deliveries(db, webhook_id)
        start = min(start_asked(), max(0, total - 1) // A_PAGE * A_PAGE)
        rows = deliveries(db, webhook_id, start=start, most=A_PAGE)
    return render_template(
        "settings/webhook.html",
        webhook=webhook,
        was=marks({"events": sorted(webhook.events)}),
        page=ListPage(rows, start, total, total, A_PAGE, ""),
        kinds=tuple(EventType),
        chosen=request.form.getlist("event") if findings else webhook.events,
        findings=findings,
    )
