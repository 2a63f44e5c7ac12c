"""Administration: accounts, the state of the site, the mail that waits, the trail."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from functools import partial

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import Conflict
from workbench.figures import counted
from workbench.storage.migrate import known_revisions
from workbench.web import notices
from workbench.web.access import administrator, viewer
from workbench.web.context import app_context, reading, require_mail, writing
from workbench.web.downloads import attachment, csv_file
from workbench.web.forms import Findings, accepted, errors_on, form_text, query_text
from workbench.web.pages.account import tokens_too
from workbench.web.paging import A_PAGE, ListPage, start_within
from workbench.web.requests import Reply, go_to
from workbench.workflow.mail import queue
from workbench.workflow.openid.identities import linked_identities
from workbench.workflow.people import administration
from workbench.workflow.people.accounts import has_password
from workbench.workflow.people.mail_addresses import LONGEST_ADDRESS, address_of
from workbench.workflow.people.sessions import access_tokens, revoke_access_token, sessions_of
from workbench.workflow.people.signing_in import ResetLink, make_reset, sign_out_everywhere
from workbench.workflow.people.trail import (
    TrailEntry,
    TrailFilter,
    entry_data,
    every_entry,
    last_number,
    trail_entries,
)
from workbench.workflow.upkeep.erasure import erase_person
from workbench.workflow.upkeep.status import installation_status

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
    return _accepted(account_id, f"{row.login} is disabled and signed out everywhere. The judgments stay.")


@blueprint.post("/<int:account_id>/enable")
@administrator
def enable(account_id: int) -> Response:
    """Let the person sign in again."""
    with writing() as db:
        row = administration.enable_account(db, account_id)
    return _accepted(account_id, f"{row.login} can sign in again.")


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
    return _accepted(
        account_id, f"Two-factor sign-in of {row.login} is off, and the account is signed out everywhere."
    )


@blueprint.post("/<int:account_id>/end-sessions")
@administrator
def end_sessions(account_id: int) -> Response:
    """End every session of the account."""
    with writing() as db:
        row = administration.require_account(db, account_id)
        ended = sign_out_everywhere(db, row.id, tokens=tokens_too())
    if account_id == viewer().id:
        return go_to("entrance.sign_in", why="everywhere")
    return _accepted(account_id, f"{counted(ended, 'session')} of {row.login} ended.")


@blueprint.post("/<int:account_id>/tokens/<int:token_id>/revoke")
@administrator
def revoke_token(account_id: int, token_id: int) -> Response:
    """Revoke an access token of the account."""
    with writing() as db:
        revoked = revoke_access_token(db, account_id, token_id)
    return _accepted(
        account_id, f"Token “{revoked.name}” revoked. Programs that use it are refused from now on."
    )


@blueprint.post("/<int:account_id>/promote")
@administrator
def promote(account_id: int) -> Response:
    """Make the account an administrator."""
    with writing() as db:
        row = administration.set_administrator(db, account_id, True)
    return _accepted(account_id, f"{row.login} is an administrator.")


@blueprint.post("/<int:account_id>/demote")
@administrator
def demote(account_id: int) -> Response:
    """Make the account no longer an administrator."""
    with writing() as db:
        row = administration.set_administrator(db, account_id, False)
    if account_id == viewer().id:
        return go_to("campaigns.index")
    return _accepted(account_id, f"{row.login} is no longer an administrator.")


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
    return go_to("accounts.show", account_id=account_id)


def _accepted(account_id: int, text: str) -> Response:
    return accepted(text, "accounts.show", account_id=account_id)


status = Blueprint("status", __name__, url_prefix="/administration/status")


@status.get("", endpoint="index")
@administrator
def status_page() -> str:
    """Version, database, last backup, and this process: since when, how busy, and how many errors."""
    context = app_context()
    with reading() as db:
        found = installation_status(db, context.settings.instance, context.settings.session_idle)
    return render_template(
        "administration/status.html",
        found=found,
        latest=known_revisions()[-1],
        began=datetime.fromtimestamp(context.observed.began, UTC),
        uptime=_duration(time.time() - context.observed.began),
        process=os.getpid(),
        errors=context.observed.errors.last_hour(),
        days=(datetime.now(UTC) - found.backup.made_at).days if found.backup else None,
    )


def _duration(seconds: float) -> str:
    minutes = int(seconds // 60)
    days, hours = minutes // 1440, minutes // 60 % 24
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"


mail = Blueprint("mail", __name__, url_prefix="/administration/mail")


@mail.get("", endpoint="index")
@administrator
def mail_page(findings: Findings = ()) -> str:
    """How mail is sent, how many messages are in each state, and the messages."""
    with reading() as db:
        counts = queue.count_messages(db)
        total = sum(counts.values())
        start = start_within(total)
        lines = queue.messages(db, start=start, most=A_PAGE)
        return render_template(
            "administration/mail.html",
            mail=app_context().settings.mail,
            counts=counts,
            page=ListPage(lines, start, total, total),
            own=address_of(db, viewer().id).address,
            longest=LONGEST_ADDRESS,
            findings=findings,
            typed=request.form if findings else {},
        )


@mail.post("/test")
@administrator
def test() -> Response:
    """Send a test message."""
    require_mail("set WORKBENCH_MAIL_HOST")
    with errors_on(mail_page), writing() as db:
        queue.add_test(db, form_text("address"))
    return accepted(
        "A test message will be sent within seconds. Load this page again to see whether it was sent.",
        "mail.index",
    )


@mail.post("/<int:message_id>/again")
@administrator
def again(message_id: int) -> Response:
    """Send a failed message after all."""
    with writing() as db:
        queue.try_again(db, message_id)
    return accepted("The message will be sent again.", "mail.index")


trail = Blueprint("trail", __name__, url_prefix="/administration")
ON_A_PAGE = 100
COLUMNS = (
    *("entry", "time", "login", "account", "who", "act", "act_name"),
    *("outcome", "campaign", "request", "details", "hash"),
)


@trail.get("/trail", endpoint="index")
@administrator
def trail_page() -> str:
    """The latest entries that pass the filter; `before` continues at an entry."""
    filters = _filter()
    with reading() as db:
        entries = trail_entries(db, filters, before=request.args.get("before", type=int), most=ON_A_PAGE + 1)
        return render_template(
            "administration/trail.html",
            entries=entries[:ON_A_PAGE],
            more=entries[ON_A_PAGE - 1].number if len(entries) > ON_A_PAGE else None,
            total=last_number(db),
            filters=filters,
            asked={name: value for name, value in asdict(filters).items() if value},
        )


@trail.get("/trail.<any(csv, jsonl):kind>")
@administrator
def export(kind: str) -> Response:
    """Every entry that passes the filter, as a file."""
    with reading() as db:
        entries = every_entry(db, _filter())
        if kind == "csv":
            return csv_file(COLUMNS, map(_cells, entries), "trail.csv")
        lines = (json.dumps(entry_data(one), ensure_ascii=True).encode() + b"\n" for one in entries)
        return attachment(lines, "trail.jsonl", kind="application/jsonl")


def _filter() -> TrailFilter:
    return TrailFilter(*(query_text(one.name).strip()[:120] for one in fields(TrailFilter)))


def _cells(entry: TrailEntry) -> Sequence[object]:
    values = entry_data(entry).values()
    return [json.dumps(value) if isinstance(value, dict) else value for value in values]


BLUEPRINTS = (
    blueprint,
    status,
    mail,
    trail,
)
