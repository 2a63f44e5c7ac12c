"""Forgotten passwords: asking for a link by e-mail, with one answer for everybody."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from workbench.errors import Finding
from workbench.web.access import anyone
from workbench.web.context import require_mail, writing
from workbench.web.forms import Findings, form_text
from workbench.web.requests import Reply, go_to, retry_after
from workbench.workflow.mail.password_requests import LONGEST_TYPED, request_link
from workbench.workflow.people.signing_in import wait_in_words

blueprint = Blueprint("lost_passwords", __name__)


@blueprint.get("/lost-password")
@anyone
def index(findings: Findings = ()) -> str:
    """The form, or what to do where this site sends no mail; after it was sent, what happens next."""
    return render_template(
        "entrance/lost_password.html",
        asked="asked" in request.args,
        longest=LONGEST_TYPED,
        findings=findings,
        typed=request.form,
    )


@blueprint.post("/lost-password")
@anyone
def ask() -> Reply:
    """Have a link sent to whoever is meant; the answer does not depend on whether that is anybody."""
    require_mail("ask an administrator for a link")
    typed = form_text("login").strip()
    if not typed:
        message, remedy = "nothing was entered", "your login name or e-mail address"
        return index((Finding("Login name", None, "login", message, remedy),)), 422
    with writing() as db:
        refused = request_link(db, typed, request.remote_addr)
    if refused is not None:
        message = f"there were too many requests; try again in {wait_in_words(refused.seconds)}"
        return index((Finding("Login name", None, "login", message),)), 429, retry_after(refused)
    return go_to("lost_passwords.index", asked="yes")
