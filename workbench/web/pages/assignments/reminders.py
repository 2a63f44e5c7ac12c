"""Reminders: assessors with open work, to whom an organiser has a message sent."""

from __future__ import annotations

from datetime import date

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, NotFound, rejected
from workbench.figures import counted
from workbench.web import notices
from workbench.web.access import here, organiser
from workbench.web.context import app_context, reading, writing
from workbench.web.forms import whole_number
from workbench.web.requests import see_other
from workbench.workflow.mail.reminders import open_work, remind

blueprint = Blueprint("reminders", __name__, url_prefix="/c/<slug>/assignments/reminders")


@blueprint.get("")
@organiser
def index() -> str:
    """Who has how much left, and who can be reminded."""
    return _page()


@blueprint.post("")
@organiser
def send() -> Response | tuple[str, int]:
    """Have the selected assessors reminded."""
    if app_context().settings.mail is None:
        raise NotFound("this site sends no e-mail", remedy="ask an administrator to set it up")
    chosen = {whole_number(each) for each in request.form.getlist("assessor")} - {None}
    try:
        deadline = _deadline(request.form.get("deadline", "").strip())
        people = [one for one in chosen if one is not None]
        number = remind(app_context().database, here().id, people, deadline, writing=writing)
    except InvalidInput as error:
        return _page(error.findings), 422
    notices.add(f"{counted(number, 'reminder')} will be sent within seconds.")
    return see_other(url_for("reminders.index"))


def _deadline(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        message, remedy = f"{text[:40]!r} is not a date", "year, month and day, such as 2026-12-05"
        raise rejected("Deadline", None, "deadline", message, remedy) from None


def _page(findings: tuple[Finding, ...] = ()) -> str:
    with reading() as db:
        lines = open_work(db, here().id)
    return render_template(
        "assignments/reminders.html",
        lines=lines,
        sends_mail=app_context().settings.mail is not None,
        findings=findings,
        typed=request.form if findings else {},
        chosen=request.form.getlist("assessor") if findings else None,
    )
