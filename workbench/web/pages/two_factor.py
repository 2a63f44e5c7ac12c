"""Two-factor sign-in: turning it on and off, recovery codes, and the code asked for after the password."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote, urlsplit

import segno
from flask import Blueprint, g, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from workbench.errors import Conflict, Finding
from workbench.settings import TwoFactorDemand
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import anyone, signed_in, viewer
from workbench.web.context import app_context, reading, write_own, writing
from workbench.web.forms import Findings, accepted, form_text
from workbench.web.pages.account import checked_password, password_finding
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
from workbench.workflow.people import signing_in, two_factor
from workbench.workflow.people.accounts import account_by_login, has_password
from workbench.workflow.people.sessions import end_other_sessions
from workbench.workflow.people.signing_in import WRONG, CheckedAttempt, Refused, confirm_code, enter_with_code
from workbench.workflow.people.two_factor import (
    RECOVERY_CODES,
    app_address,
    two_factor_state,
    waiting_account,
)

blueprint = Blueprint("two_factor", __name__, url_prefix="/account/two-factor")
# What was wrong in the form, and how long to wait.
Wrong = tuple[Finding, Refused]


@blueprint.get("")
@signed_in
def index(codes: tuple[str, ...] = (), findings: Findings = ()) -> str:
    """Whether two-factor sign-in is on, and the forms to change that."""
    with reading() as db:
        state = two_factor.two_factor_state(db, viewer().id)
        demanded = _is_demanded(db)
        with_password = has_password(db, viewer().id)
    return render_template(
        "account/two_factor.html",
        state=state,
        demanded=_demand().label if demanded else "",
        with_password=with_password,
        qr_code=_qr_code(state.secret) if state.secret else "",
        codes=codes,
        # A browser saves it without asking the server again, which has only the hashes.
        file="data:text/plain;charset=utf-8," + quote("\n".join((_site(), viewer().login, *codes, ""))),
        most=RECOVERY_CODES,
        findings=findings,
    )


@blueprint.post("/prepare")
@signed_in
def prepare() -> Response:
    """Make a secret for an app, which the page then shows."""
    write_own(two_factor.prepare_app)
    return go_to("two_factor.index")


@blueprint.post("/on")
@signed_in
def turn_on() -> Reply:
    """Turn it on once password and first code are right, and show the recovery codes; ends other sessions."""
    checked = checked_password()
    with writing() as db:
        wrong = _wrong_password(db, checked)
        codes = None if wrong else two_factor.turn_on(db, viewer().id, form_text("code"))
        if codes is not None:
            end_other_sessions(db, viewer().id, g.token)
    if codes is None:
        return _refusal(wrong or _code_wrong(Refused(timedelta(0), WRONG)))
    return index(codes), 201


@blueprint.post("/recovery-codes")
@signed_in
def renew() -> Reply:
    """Replace the recovery codes once password and code are right, and show the new ones."""
    checked = checked_password()
    with writing() as db:
        wrong = _wrong_password(db, checked) or _wrong_code(db)
        codes = () if wrong else two_factor.renew_recovery_codes(db, viewer().id)
    return _refusal(wrong) if wrong else (index(codes), 201)


@blueprint.post("/off")
@signed_in
def turn_off() -> Reply:
    """Turn it off once password and code are right; ends other sessions."""
    checked = checked_password()
    with writing() as db:
        if _is_demanded(db):
            raise Conflict(
                f"this site requires two-factor sign-in of {_demand().label}",
                remedy="ask an administrator to reset it if you change your app",
            )
        wrong = _wrong_password(db, checked) or _wrong_code(db)
        if wrong is None:
            two_factor.turn_off(db, viewer().id)
            end_other_sessions(db, viewer().id, g.token)
    if wrong is not None:
        return _refusal(wrong)
    return accepted(
        "Two-factor sign-in is off. You are signed out in every other browser.", "two_factor.index"
    )


def _demand() -> TwoFactorDemand:
    return app_context().settings.two_factor_demand


def _is_demanded(db: Session) -> bool:
    return two_factor.is_required(db.connection(), viewer().id, _demand())


def _wrong_password(db: Session, checked: CheckedAttempt) -> Wrong | None:
    refused = signing_in.confirm_password(db, checked)
    return (password_finding(refused), refused) if refused is not None else None


def _wrong_code(db: Session) -> Wrong | None:
    account = account_by_login(db, viewer().login)
    refused = confirm_code(db, account, form_text("code"))
    return _code_wrong(refused) if refused is not None else None


def _code_wrong(refused: Refused) -> Wrong:
    return Finding("Code", None, "code", str(refused)), refused


def _refusal(wrong: Wrong) -> Reply:
    finding, refused = wrong
    return refused_form(index(findings=(finding,)), refused)


def _site() -> str:
    # A colon would end the name of the site in the address that an app reads.
    name = urlsplit(f"//{request.host}").hostname or "this site"
    return f"Workbench at {name.replace(':', ' ')}"


def _qr_code(secret: str) -> Markup:
    """The address for the app as SVG; black on white in dark mode too, since cameras expect that."""
    code = segno.make(app_address(secret, viewer().login, _site()), error="m", micro=False)
    return Markup(code.svg_inline(omitsize=True, border=4, dark="#000", light="#fff"))  # noqa: S704 - drawn here


codes = Blueprint("sign_in_codes", __name__, url_prefix="/sign-in/code")
# How many recovery codes are few: whoever uses one is told.
FEW = 3


@codes.get("", endpoint="index")
@anyone
def ask_code() -> Reply:
    """The form for the code, after the password was right."""
    with reading() as db:
        account = waiting_account(db, code_step_token())
    return _expired() if account is None else _code_page(None)


@codes.post("", endpoint="check")
@anyone
def check_code() -> Reply:
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
        return refused_form(_code_page(outcome), outcome)
    # Notices are signed with the token of the session that will read them.
    g.token = outcome.token
    if request.form.get("recovery") and left <= FEW:
        notices.add(f"Recovery codes left: {left}. Create new ones under Your account.")
    response = see_other(safe_next(form_text("next")) or url_for("campaigns.index"))
    keep_session(response, outcome)
    drop_code_step(response)
    return response


def _code_page(refused: Refused | None) -> str:
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


BLUEPRINTS = (
    blueprint,
    codes,
)
