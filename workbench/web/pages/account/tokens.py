"""Access tokens of the viewer: by each, a program acts for this account.

Making one takes the password, since a token outlives the session: whoever took over that gets none. Accounts
without a password, whose owners sign in at a provider, are not asked for it.
"""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.web.access import signed_in, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import Findings, accepted, errors_on, form_number, sent_text
from workbench.web.own_password import require_own_password
from workbench.web.requests import Reply
from workbench.workflow.people.access_tokens import (
    LONGEST_TOKEN_NAME,
    USUAL_DAYS,
    NewAccessToken,
    Scope,
    access_tokens,
    make_access_token,
    revoke_access_token,
)
from workbench.workflow.people.accounts import has_password

blueprint = Blueprint("access_tokens", __name__, url_prefix="/account/tokens")
DAYS = (("7", "7 days"), ("30", "30 days"), ("90", "90 days"), ("365", "1 year"))


@blueprint.get("")
@signed_in
def index(findings: Findings = (), made: NewAccessToken | None = None) -> str:
    """The tokens of the viewer, and the form for one more."""
    with reading() as db:
        return render_template(
            "account/tokens.html",
            tokens=access_tokens(db, viewer().id),
            with_password=has_password(db, viewer().id),
            made=made,
            scopes=tuple(Scope),
            days=DAYS,
            usual_days=str(USUAL_DAYS),
            longest=LONGEST_TOKEN_NAME,
            findings=findings,
            typed=request.form if findings else {},
            chosen=request.form.getlist("scope") if findings else [str(Scope.READ)],
        )


@blueprint.post("")
@signed_in
def make() -> Reply:
    """Make a token and show it, after the password was checked; it is never shown again."""
    require_own_password(index)
    with errors_on(index, "Token", "name"), writing() as db:
        made = make_access_token(
            db,
            viewer().id,
            name=sent_text("name"),
            scopes=request.form.getlist("scope"),
            days=form_number("days") or 0,
        )
    return index(made=made), 201


@blueprint.post("/<int:token_id>/revoke")
@signed_in
def revoke(token_id: int) -> Response:
    """Revoke a token: programs that use it are refused from now on."""
    with writing() as db:
        revoked = revoke_access_token(db, viewer().id, token_id)
    return accepted(
        f"Token “{revoked.name}” revoked. Programs that use it are refused from now on.",
        "access_tokens.index",
    )
