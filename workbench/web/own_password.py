"""The viewer's own password, asked for again by forms that change what opens the account."""

from __future__ import annotations

from collections.abc import Callable

from flask import abort, make_response, request

from workbench.errors import Finding, InvalidInput
from workbench.web.access import viewer
from workbench.web.context import app_context, reading
from workbench.web.forms import form_text
from workbench.web.requests import browser, refused_form
from workbench.workflow.people import signing_in
from workbench.workflow.people.accounts import has_password
from workbench.workflow.people.passwords import password_findings
from workbench.workflow.people.signing_in import CheckedAttempt, Refused

FIELD = "old"


def checked_password(field: str = FIELD) -> CheckedAttempt:
    """Whether the form has the right one, while nothing of that is stored yet."""
    with reading() as db:
        attempt = signing_in.begin_attempt(db, login=viewer().login, browser=browser(), signed_in=True)
    return signing_in.check_password(attempt, form_text(field), app_context().passwords)


def wrong_password(field: str = FIELD) -> Refused | None:
    """None if the form has the right one; otherwise the failure is stored, and slows down the next."""
    checked = checked_password(field)
    # Not by `writing`: the trail tells of the act that follows or of its refusal, and not of what is counted.
    with app_context().database.writing() as db:
        return signing_in.confirm_password(db, checked)


def require_password(page: Callable[..., str], field: str = FIELD) -> None:
    """End the request with a page, which says what is wrong, unless the form has the right one."""
    refused = wrong_password(field)
    if refused is not None:
        abort(make_response(refused_form(page(findings=(password_finding(refused, field),)), refused)))


def require_own_password(page: Callable[..., str], field: str = FIELD) -> None:
    """The same for an account that has a password; others are not asked for any."""
    with reading() as db:
        asked = has_password(db, viewer().id)
    if asked:
        require_password(page, field)


def sent_password(*, login: str, name: str) -> str:
    """The new password that a form has typed twice; raises InvalidInput."""
    password = form_text("password")
    findings = password_findings(password, login=login, name=name, repeated=form_text("repeated"))
    if findings:
        raise InvalidInput(findings)
    return password


def tokens_too() -> bool:
    """Whether the form revokes access tokens as well, for which it has a ticked box (`ui.tokens_too`)."""
    return "tokens" in request.form


def password_finding(refused: Refused, field: str = FIELD) -> Finding:
    """What is wrong, for the field of the form."""
    wrong = str(refused) if refused.wait else "this is not your password"
    return Finding("Current password", None, field, wrong)
