"""Reminders: assessors with open work, to whom an organiser has a message sent."""

from __future__ import annotations

from datetime import date

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import rejected
from workbench.figures import counted
from workbench.web.access import here, organiser
from workbench.web.context import app_context, reading, require_mail, writing
from workbench.web.forms import Findings, accepted, errors_on, form_text, sent_numbers
from workbench.workflow.mail.reminders import open_work, remind

blueprint = Blueprint("reminders", __name__, url_prefix="/c/<slug>/assignments/reminders")


@blueprint.get("")
@organiser
def index(findings: Findings = ()) -> str:
    """Who has how much left, and who can be reminded."""
    with reading() as db:
        return render_template(
            "assignments/reminders.html",
            lines=open_work(db, here().id),
            findings=findings,
            typed=request.form if findings else {},
            chosen=request.form.getlist("assessor") if findings else None,
        )


@blueprint.post("")
@organiser
def send() -> Response:
    """Have the selected assessors reminded."""
    require_mail("ask an administrator to set it up")
    with errors_on(index):
        deadline = _deadline(form_text("deadline").strip())
        number = remind(
            app_context().database, here().id, set(sent_numbers("assessor")), deadline, writing=writing
        )
    return accepted(f"{counted(number, 'reminder')} will be sent within seconds.", "reminders.index")


def _deadline(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise rejected(
            "Deadline",
            None,
            "deadline",
            f"{text[:40]!r} is not a date",
            "write year, month and day, such as 2026-12-05",
        ) from None
