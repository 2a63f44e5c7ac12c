"""Accounts, for administrators: list, disable and enable, reset links, sessions, other administrators."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import Conflict
from workbench.figures import counted
from workbench.web import notices
from workbench.web.access import administrator, viewer
from workbench.web.context import app_context, reading, writing
from workbench.web.forms import Findings, errors_on, form_text, query_text
from workbench.web.own_password import tokens_too
from workbench.web.paging import A_PAGE, ListPage, start_within
from workbench.web.requests import Reply, go_to
from workbench.workflow.openid.identities import linked_identities
from workbench.workflow.people import administration
from workbench.workflow.people.access_tokens import access_tokens, revoke_access_token
from workbench.workflow.people.accounts import has_password
from workbench.workflow.people.resets import ResetLink, make_reset
from workbench.workflow.people.sessions import sessions_of
from workbench.workflow.people.signing_in import sign_out_everywhere
from workbench.workflow.upkeep.erasure import erase_person

blueprint = Blueprint("accounts", __name__, url_prefix="/administration/accounts")
# Notices have room for a few.
MOST_PLACES = 3


@blueprint.get("")
@administrator
def index() -> str:
    """The accounts whose login or name contains what is searched, a page at a time."""
    search = query_text("search").strip()[:120]
    with reading() as db:
        total = administration.count_accounts(db)
        found = administration.count_accounts(db, search) if search else total
        start = start_within(found)
        lines = administration.accounts_found(db, search, start=start, most=A_PAGE)
    return render_template(
        "administration/accounts.html", page=ListPage(lines, start, found, total, search=search)
    )


@blueprint.get("/<int:account_id>")
@administrator
def show(account_id: int, made: ResetLink | None = None, findings: Findings = ()) -> str:
    """One account with its campaigns, sessions and access tokens."""
    with reading() as db:
        details = administration.account_details(db, account_id)
        return render_template(
            "administration/account.html",
            one=details.line,
            details=details,
            sessions=sessions_of(db, account_id, idle=app_context().settings.session_idle),
            tokens=access_tokens(db, account_id),
            linked=linked_identities(db, account_id),
            with_password=has_password(db, account_id),
            made=made,
            findings=findings,
            typed=request.form,
        )


@blueprint.post("/<int:account_id>/disable")
@administrator
def disable(account_id: int) -> Response:
    """End the account's sessions, revoke its tokens, and let nobody sign in with it."""
    if account_id == viewer().id:
        raise Conflict("you cannot disable your own account", remedy="ask another administrator")
    with writing() as db:
        row = administration.disable_account(db, account_id)
    notices.add(f"{row.login} is disabled and signed out everywhere. The judgments stay.")
    return _back(account_id)


@blueprint.post("/<int:account_id>/enable")
@administrator
def enable(account_id: int) -> Response:
    """Let the person sign in again."""
    with writing() as db:
        row = administration.enable_account(db, account_id)
    notices.add(f"{row.login} can sign in again.")
    return _back(account_id)


@blueprint.post("/<int:account_id>/reset")
@administrator
def reset(account_id: int) -> Reply:
    """Make a link by which the person chooses another password, and show it this once."""
    with writing() as db:
        made = make_reset(db, account_id)
    return show(account_id, made), 201


@blueprint.post("/<int:account_id>/reset-two-factor")
@administrator
def reset_two_factor(account_id: int) -> Response:
    """Have no code asked of a person who lost app and recovery codes; ends sessions and tokens."""
    if account_id == viewer().id:
        raise Conflict("you cannot reset your own two-factor sign-in", remedy="use Your account")
    with writing() as db:
        row = administration.reset_two_factor(db, account_id)
    notices.add(f"Two-factor sign-in of {row.login} is off, and the account is signed out everywhere.")
    return _back(account_id)


@blueprint.post("/<int:account_id>/end-sessions")
@administrator
def end_sessions(account_id: int) -> Response:
    """End every session of the account."""
    with writing() as db:
        row = administration.require_account(db, account_id)
        ended = sign_out_everywhere(db, row.id, tokens=tokens_too())
    if account_id == viewer().id:
        return go_to("entrance.sign_in", why="everywhere")
    notices.add(f"{counted(ended, 'session')} of {row.login} ended.")
    return _back(account_id)


@blueprint.post("/<int:account_id>/tokens/<int:token_id>/revoke")
@administrator
def revoke_token(account_id: int, token_id: int) -> Response:
    """Revoke an access token of the account."""
    with writing() as db:
        revoked = revoke_access_token(db, account_id, token_id)
    notices.add(f"Token “{revoked.name}” revoked. Programs that use it are refused from now on.")
    return _back(account_id)


@blueprint.post("/<int:account_id>/promote")
@administrator
def promote(account_id: int) -> Response:
    """Make the account an administrator."""
    with writing() as db:
        row = administration.set_administrator(db, account_id, True)
    notices.add(f"{row.login} is an administrator.")
    return _back(account_id)


@blueprint.post("/<int:account_id>/demote")
@administrator
def demote(account_id: int) -> Response:
    """Make the account no longer an administrator."""
    with writing() as db:
        row = administration.set_administrator(db, account_id, False)
    if account_id == viewer().id:
        return go_to("campaigns.index")
    notices.add(f"{row.login} is no longer an administrator.")
    return _back(account_id)


@blueprint.post("/<int:account_id>/erase")
@administrator
def erase(account_id: int) -> Reply:
    """Delete what names the person, if the login name was typed; judgments stay."""
    if account_id == viewer().id:
        raise Conflict("you cannot delete your own data here", remedy="ask another administrator")
    with errors_on(partial(show, account_id)):
        erased = erase_person(
            app_context().database, account_id, typed_login=form_text("login"), writing=writing
        )
    notices.add("Personal data deleted. The judgments stay.")
    if not erased.overwritten:
        notices.add(erased.log_in_use)
    for place, number in erased.mentions[:MOST_PLACES]:
        notices.add(
            f"The person is still named in {counted(number, 'row')} of {place}: free text is not changed."
        )
    return _back(account_id)


def _back(account_id: int) -> Response:
    return go_to("accounts.show", account_id=account_id)
