"""One's own account: name, password, sessions."""

from __future__ import annotations

from flask import Blueprint, g, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput
from workbench.web import notices
from workbench.web.access import signed_in, viewer
from workbench.web.context import app_context, reading, writing
from workbench.web.requests import drop_token, keep_token, see_other
from workbench.workflow.people import accounts as people
from workbench.workflow.people import signing_in
from workbench.workflow.people.passwords import password_findings
from workbench.workflow.people.signing_in import Refused

blueprint = Blueprint("account", __name__, url_prefix="/account")
Answer = str | Response | tuple[str, int]


@blueprint.get("")
@signed_in
def index() -> str:
    """The page of one's own account."""
    return _page()


@blueprint.post("/name")
@signed_in
def rename() -> Answer:
    """Change what one is called."""
    try:
        with writing() as db:
            people.rename(db, viewer().id, request.form.get("name", ""))
    except InvalidInput as error:
        return _page(error.findings), 422
    notices.add("Your name is changed.")
    return see_other(url_for("account.index"))


@blueprint.post("/password")
@signed_in
def change_password() -> Answer:
    """Change the password; ends every other session."""
    form, login = request.form, viewer().login
    findings = password_findings(form.get("password", ""), login=login, repeated=form.get("repeated", ""))
    if findings:
        return _page(tuple(findings)), 422
    with reading() as db:
        claim = signing_in.begin_attempt(db, login=login, address=request.remote_addr)
    checked = signing_in.check_password(claim, form.get("old", ""), app_context().passwords)
    # Hashed for a right old password only: it is costly.
    new_hash = app_context().passwords.hash(form["password"]) if checked.right else ""
    with writing() as db:
        outcome = signing_in.change_password(db, checked, new_hash)
    if isinstance(outcome, Refused):
        wrong = "it is not your password" if not outcome.wait else str(outcome)
        return _page((Finding("Password so far", None, "old", wrong),)), 429 if outcome.wait else 422
    # The notice is signed by the session that reads it.
    g.token = outcome.token
    notices.add("Your password is changed; every other browser is signed out.")
    response = see_other(url_for("account.index"))
    keep_token(response, outcome.token, outcome.expires_at)
    return response


@blueprint.post("/sign-out-everywhere")
@signed_in
def sign_out_everywhere() -> Response:
    """End every session of this account."""
    with writing() as db:
        signing_in.sign_out_everywhere(db, viewer().id)
    response = see_other(url_for("entrance.sign_in", why="everywhere"))
    drop_token(response)
    return response


def _page(findings: tuple[Finding, ...] = ()) -> str:
    return render_template("account/index.html", findings=findings, typed=request.form)
