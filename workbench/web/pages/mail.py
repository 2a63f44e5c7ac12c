"""Administration: the messages that this site sends, and a test."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.web.access import administrator, viewer
from workbench.web.context import app_context, reading, require_mail, writing
from workbench.web.forms import Findings, accepted, errors_on, form_text
from workbench.web.paging import A_PAGE, ListPage, start_within
from workbench.workflow.mail import queue
from workbench.workflow.people.mail_addresses import LONGEST_ADDRESS, address_of

blueprint = Blueprint("mail", __name__, url_prefix="/administration/mail")


@blueprint.get("")
@administrator
def index(findings: Findings = ()) -> str:
    """How mail is sent, how many messages are in each state, and the messages."""
    with reading() as db:
        counts = queue.count_messages(db)
        total = sum(counts.values())
        start = start_within(total)
        lines = queue.messages(db, start=start, most=A_PAGE)
        return render_template(
            "administration/mail.html",
            mail=app_context().settings.mail,
            counts=counts,
            page=ListPage(lines, start, total, total),
            own=address_of(db, viewer().id).address,
            longest=LONGEST_ADDRESS,
            findings=findings,
            typed=request.form if findings else {},
        )


@blueprint.post("/test")
@administrator
def test() -> Response:
    """Send a test message."""
    require_mail("set WORKBENCH_MAIL_HOST")
    with errors_on(index), writing() as db:
        queue.add_test(db, form_text("address"))
    return accepted(
        "A test message will be sent within seconds. Load this page again to see whether it was sent.",
        "mail.index",
    )


@blueprint.post("/<int:message_id>/again")
@administrator
def again(message_id: int) -> Response:
    """Send a failed message after all."""
    with writing() as db:
        queue.try_again(db, message_id)
    return accepted("The message will be sent again.", "mail.index")
