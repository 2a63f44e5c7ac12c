"""The account page: name, password, sessions."""

from __future__ import annotations

from flask import Blueprint, g, render_template, request
from werkzeug.wrappers import Response

from workbench.figures import counted
from workbench.web import notices
from workbench.web.access import signed_in, viewer
from workbench.web.context import app_context, reading, writing
from workbench.web.forms import Findings, accepted, errors_on, form_text
from workbench.web.own_password import (
    checked_password,
    password_finding,
    require_own_password,
    sent_password,
    tokens_too,
)
from workbench.web.requests import (
    Reply,
    drop_session,
    go_to,
    keep_session,
    refused_form,
)
from workbench.workflow.people import accounts as people
from workbench.workflow.people import sessions, signing_in
from workbench.workflow.people.access_tokens import access_tokens
from workbench.workflow.people.signing_in import Refused

blueprint = Blueprint("account", __name__, url_prefix="/account")
# The field of the second form on the page of sessions.
EVERYWHERE = "everywhere"


@blueprint.get("")
@signed_in
def index(findings: Findings = ()) -> str:
    """The viewer's account."""
    with reading() as db:
        return render_template(
            "account/index.html", tokens=access_tokens(db, viewer().id), findings=findings, typed=request.form
        )


@blueprint.post("/name")
@signed_in
def rename() -> Response:
    """Change the viewer's name."""
    with errors_on(index), writing() as db:
        people.rename(db, viewer().id, form_text("name"))
    return accepted("Name saved.", "account.index")


@blueprint.post("/password")
@signed_in
def change_password() -> Reply:
    """Change the password; ends every other session."""
    with errors_on(index):
        password = sent_password(login=viewer().login, name=viewer().name)
    checked = checked_password()
    # Hashing is expensive: only done if the current password is right.
    new_hash = app_context().passwords.hash(password) if checked.right else ""
    with writing() as db:
        outcome = signing_in.change_password(db, checked, new_hash, tokens=tokens_too())
    if isinstance(outcome, Refused):
        return refused_form(index((password_finding(outcome),)), outcome)
    # Notices are signed with the token of the session that will read them.
    g.token = outcome.token
    notices.add("Password changed. You are signed out in every other browser.")
    response = go_to("account.index")
    keep_session(response, outcome)
    return response


@blueprint.post("/sign-out-everywhere")
@signed_in
def sign_out_everywhere() -> Response:
    """End every session of this account, after the password was checked."""
    require_own_password(open_sessions, EVERYWHERE)
    with writing() as db:
        signing_in.sign_out_everywhere(db, viewer().id, tokens=tokens_too())
    response = go_to("entrance.sign_in", why="everywhere")
    drop_session(response)
    return response


@blueprint.get("/sessions")
@signed_in
def open_sessions(findings: Findings = ()) -> str:
    """Where the viewer is signed in."""
    with reading() as db:
        return render_template(
            "account/sessions.html",
            sessions=sessions.sessions_of(db, viewer().id, g.token, idle=app_context().settings.session_idle),
            tokens=access_tokens(db, viewer().id),
            with_password=people.has_password(db, viewer().id),
            findings=findings,
        )


@blueprint.post("/sessions/end")
@signed_in
def end_session() -> Response:
    """End one session of this account, after the password was checked."""
    require_own_password(open_sessions)
    with writing() as db:
        ended = sessions.end_session(db, viewer().id, form_text("session"))
    return accepted(f"Signed out of {ended}.", "account.open_sessions")


@blueprint.post("/sessions/end-others")
@signed_in
def end_other_sessions() -> Response:
    """End every session of this account but this one, after the password was checked."""
    require_own_password(open_sessions)
    with writing() as db:
        ended = sessions.end_other_sessions(db, viewer().id, g.token, tokens=tokens_too())
    return accepted(f"{counted(ended, 'other session')} ended.", "account.open_sessions")
