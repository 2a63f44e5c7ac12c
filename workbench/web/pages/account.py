"""Your account: name, password, sessions, tokens, e-mail address, and how the desk looks and is worked.

The password is asked for again by forms that change what opens the account. Making a token takes it, since a
token outlives the session: whoever took over that gets none. Accounts without a password, whose owners sign
in at a provider, are not asked for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from flask import Blueprint, abort, g, make_response, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput
from workbench.figures import counted
from workbench.web import notices
from workbench.web.access import anyone, signed_in, viewer
from workbench.web.context import app_context, read_own, reading, require_mail, write_own, writing
from workbench.web.forms import Findings, accepted, errors_on, form_number, form_text, sent_text
from workbench.web.requests import (
    Reply,
    browser,
    drop_session,
    from_htmx,
    go_to,
    keep_session,
    refused_form,
    safe_next,
    see_other,
)
from workbench.workflow.judging.desk_settings import (
    COMMANDS,
    GRADES,
    SIDE_ANSWERS,
    TEXT_OPTIONS,
    chosen_keys,
    save_keys,
    save_text_settings,
)
from workbench.workflow.mail.queue import add_confirmation
from workbench.workflow.people import accounts as people
from workbench.workflow.people import mail_addresses, sessions, signing_in
from workbench.workflow.people.accounts import has_password, password_findings
from workbench.workflow.people.sessions import (
    LONGEST_TOKEN_NAME,
    USUAL_DAYS,
    NewAccessToken,
    Scope,
    access_tokens,
    make_access_token,
    revoke_access_token,
)
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
    asked = read_own(has_password)
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
    with errors_on(index):
        write_own(people.rename, form_text("name"))
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
    write_own(signing_in.sign_out_everywhere, tokens=tokens_too())
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
    ended = write_own(sessions.end_session, form_text("session"))
    return accepted(f"Signed out of {ended}.", "account.open_sessions")


@blueprint.post("/sessions/end-others")
@signed_in
def end_other_sessions() -> Response:
    """End every session of this account but this one, after the password was checked."""
    require_own_password(open_sessions)
    ended = write_own(sessions.end_other_sessions, g.token, tokens=tokens_too())
    return accepted(f"{counted(ended, 'other session')} ended.", "account.open_sessions")


desk_text = Blueprint("desk_text", __name__, url_prefix="/account/text")


@desk_text.get("", endpoint="index")
@signed_in
def text_page() -> str:
    """The choices, with a document to try them on."""
    return render_template("account/reading.html")


@desk_text.post("", endpoint="choose")
@signed_in
def choose_text() -> Reply:
    """Keep what was chosen; a script is told only that it was."""
    sent = {choice.name: request.form[choice.name] for choice in TEXT_OPTIONS if choice.name in request.form}
    try:
        write_own(save_text_settings, sent)
    except InvalidInput:
        if not from_htmx():
            raise
        return "", 422
    if from_htmx():
        return "", 204
    return accepted("Reading settings saved.", "desk_text.index")


desk_keys = Blueprint("desk_keys", __name__, url_prefix="/account/keys")
SHOWN_GRADES = GRADES[:4]


@desk_keys.get("", endpoint="index")
@signed_in
def keys_page() -> str:
    """The keys as they are now."""
    chosen = read_own(chosen_keys)
    return _keys_page(chosen)


@desk_keys.post("", endpoint="choose")
@signed_in
def choose_keys() -> Response:
    """Save the keys, or restore the defaults."""
    names = [command.name for command in (*COMMANDS, *SIDE_ANSWERS)] + list(GRADES)
    typed = {} if form_text("act") == "reset" else {name: sent_text(name) for name in names}
    with errors_on(partial(_keys_page, typed)):
        write_own(save_keys, typed)
    notices.add("Keys saved." if typed else "Default keys restored.")
    return see_other(safe_next(form_text("next")) or url_for("desk_keys.index"))


def _keys_page(typed: dict[str, str], findings: Findings = ()) -> str:
    return render_template(
        "account/keys.html",
        commands=COMMANDS,
        side_answers=SIDE_ANSWERS,
        # A scale may have more grades than most: those whose key somebody chose are shown as well.
        grades=[name for name in GRADES if name in SHOWN_GRADES or typed.get(name)],
        typed=typed,
        findings=findings,
        next=safe_next(request.values.get("next")),
    )


tokens = Blueprint("access_tokens", __name__, url_prefix="/account/tokens")
DAYS = (("7", "7 days"), ("30", "30 days"), ("90", "90 days"), ("365", "1 year"))


@tokens.get("", endpoint="index")
@signed_in
def tokens_page(findings: Findings = (), made: NewAccessToken | None = None) -> str:
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


@tokens.post("", endpoint="make")
@signed_in
def make_token() -> Reply:
    """Make a token and show it, after the password was checked; it is never shown again."""
    require_own_password(tokens_page)
    with errors_on(tokens_page, "Token", "name"):
        made = write_own(
            make_access_token,
            name=sent_text("name"),
            scopes=request.form.getlist("scope"),
            days=form_number("days") or 0,
        )
    return tokens_page(made=made), 201


@tokens.post("/<int:token_id>/revoke", endpoint="revoke")
@signed_in
def revoke_token(token_id: int) -> Response:
    """Revoke a token: programs that use it are refused from now on."""
    revoked = write_own(revoke_access_token, token_id)
    return accepted(
        f"Token “{revoked.name}” revoked. Programs that use it are refused from now on.",
        "access_tokens.index",
    )


addresses = Blueprint("mail_address", __name__, url_prefix="/account/address")


@addresses.get("", endpoint="index")
@signed_in
def address_page(findings: Findings = ()) -> str:
    """The address, and the form to change it."""
    with reading() as db:
        return render_template(
            "account/address.html",
            found=mail_addresses.address_of(db, viewer().id),
            longest=mail_addresses.LONGEST_ADDRESS,
            findings=findings,
            typed=request.form if findings else {},
        )


@addresses.post("", endpoint="change")
@signed_in
def change_address() -> Reply:
    """Have a new address confirmed, or remove the address, after the password was checked."""
    require_mail()
    typed = form_text("address")
    with errors_on(address_page):
        address = mail_addresses.checked_address(typed) if typed.strip() else ""
    checked = checked_password()
    with writing() as db:
        refused = signing_in.confirm_password(db, checked)
        if refused is None and address:
            mail_addresses.propose_address(db, viewer().id, address)
            add_confirmation(db, viewer().id, address)
        elif refused is None:
            mail_addresses.remove_address(db, viewer().id)
    if refused is not None:
        return refused_form(address_page((password_finding(refused),)), refused)
    return accepted(
        f"A message is on its way to {address}. Open the link in it to confirm the address."
        if address
        else "E-mail address removed.",
        "mail_address.index",
    )


@addresses.get("/confirm/<token>", endpoint="confirmation")
@anyone
def address_confirmation(token: str) -> str:
    """The button that confirms: programs that check mail for dangerous links open them, and press nothing."""
    with reading() as db:
        account, address = mail_addresses.proposed_by(db, token)
    return render_template("account/confirm_address.html", token=token, account=account, address=address)


@addresses.post("/confirm/<token>", endpoint="confirm")
@anyone
def confirm_address(token: str) -> str:
    """Have messages sent to the address from now on."""
    with writing() as db:
        address = mail_addresses.confirm_address(db, token)
    return render_template("account/confirm_address.html", token="", account=None, address=address)


BLUEPRINTS = (
    blueprint,
    desk_text,
    desk_keys,
    tokens,
    addresses,
)
