"""The viewer's own password, asked for again by forms that change what opens the account."""

from __future__ import annotations

from flask import request

from workbench.errors import Finding
from workbench.web.access import viewer
from workbench.web.context import app_context, reading
from workbench.web.requests import browser
from workbench.workflow.people import signing_in
from workbench.workflow.people.signing_in import Refused

FIELD = "old"


def wrong_password(field: str = FIELD) -> Refused | None:
    """None if the form has the right one; otherwise the failure is stored, and slows down the next."""
    with reading() as db:
        attempt = signing_in.begin_attempt(db, login=viewer().login, browser=browser(), signed_in=True)
    checked = signing_in.check_password(attempt, request.form.get(field, ""), app_context().passwords)
    # Not by `writing`: the trail tells of the act that follows or of its refusal, and not of what is counted.
    with app_context().database.writing() as db:
        return signing_in.confirm_password(db, checked)


def tokens_too() -> bool:
    """Whether the form revokes access tokens as well, for which it has a ticked box (`ui.tokens_too`)."""
    return "tokens" in request.form


def password_finding(refused: Refused, field: str = FIELD) -> Finding:
    """What is wrong, for the field of the form."""
    wrong = str(refused) if refused.wait else "this is not your password"
    return Finding("Current password", None, field, wrong)
