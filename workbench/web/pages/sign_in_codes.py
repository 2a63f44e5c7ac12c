"""The second step of signing in: the code of the authenticator app, or a recovery code."""

from __future__ import annotations

from flask import Blueprint, g, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding
from workbench.web import notices
from workbench.web.access import anyone
from workbench.web.context import reading, writing
from workbench.web.forms import form_text
from workbench.web.requests import (
    Reply,
    browser,
    code_step_token,
    drop_code_step,
    go_to,
    keep_session,
    read_token,
    refused_form,
    safe_next,
    see_other,
)
from workbench.workflow.people.code_checks import enter_with_code
from workbench.workflow.people.code_steps import waiting_account
from workbench.workflow.people.signing_in import Refused
from workbench.workflow.people.two_factor import two_factor_state

blueprint = Blueprint("sign_in_codes", __name__, url_prefix="/sign-in/code")
# How many recovery codes are few: whoever uses one is told.
FEW = 3


@blueprint.get("")
@anyone
def index() -> Reply:
    """The form for the code, after the password was right."""
    with reading() as db:
        account = waiting_account(db, code_step_token())
    return _expired() if account is None else _page(None)


@blueprint.post("")
@anyone
def check() -> Reply:
    """Sign in, or show the form again with the reason."""
    token = code_step_token()
    with reading() as db:
        account = waiting_account(db, token)
    if account is None:
        return _expired()
    g.attempted = account.id
    typed = form_text("recovery") or form_text("code")
    with writing() as db:
        outcome = enter_with_code(db, token, typed, browser(), replacing=read_token())
        left = two_factor_state(db, account.id).recovery_left
    if isinstance(outcome, Refused):
        return refused_form(_page(outcome), outcome)
    # Notices are signed with the token of the session that will read them.
    g.token = outcome.token
    if request.form.get("recovery") and left <= FEW:
        notices.add(f"Recovery codes left: {left}. Create new ones under Your account.")
    response = see_other(safe_next(form_text("next")) or url_for("campaigns.index"))
    keep_session(response, outcome)
    drop_code_step(response)
    return response


def _page(refused: Refused | None) -> str:
    following = safe_next(request.values.get("next"))
    by_recovery = "recovery" in request.form
    field = "recovery" if by_recovery else "code"
    return render_template(
        "entrance/code.html",
        next=following,
        findings=(Finding("Code", None, field, str(refused)),) if refused is not None else (),
        by_recovery=by_recovery,
    )


def _expired() -> Response:
    response = go_to("entrance.sign_in", why="code-expired", next=safe_next(request.values.get("next")))
    drop_code_step(response)
    return response
