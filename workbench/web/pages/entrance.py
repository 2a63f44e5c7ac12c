"""Signing in and out, creating the first account, joining by invitation, and forgotten passwords."""

from __future__ import annotations

from functools import partial
from ipaddress import ip_address
from urllib.parse import urlsplit

from flask import Blueprint, g, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Conflict, Finding, NotAllowed
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import anyone, signed_in, viewer, viewer_or_none
from workbench.web.context import app_context, reading, require_mail, writing
from workbench.web.forms import Findings, errors_on, form_text, query_text
from workbench.web.navigation import first_page
from workbench.web.pages.account import sent_password
from workbench.web.requests import (
    Reply,
    browser,
    drop_session,
    go_to,
    keep_code_step,
    keep_session,
    read_token,
    refused_form,
    retry_after,
    safe_next,
    see_other,
)
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.worklists import effective_roles
from workbench.workflow.mail.queue import LONGEST_TYPED, request_link
from workbench.workflow.people import accounts as people
from workbench.workflow.people import invitations, signing_in
from workbench.workflow.people.signing_in import Refused, SignedIn, wait_in_words
from workbench.workflow.people.two_factor import CodeNeeded

blueprint = Blueprint("entrance", __name__)
REASONS = {
    "signed-out": ("You are signed out.", "good"),
    "not-sent": ("You were signed out, so your input was not saved. Please submit it again.", "poor"),
    "everywhere": ("You are signed out in every browser.", "good"),
    "code-expired": ("Your sign-in has expired. Please sign in again.", "poor"),
}


@blueprint.get("/welcome")
@anyone
def welcome() -> Reply:
    """The form of the first visit: the administrator's account."""
    with reading() as db:
        if people.any_account(db):
            return go_to("entrance.sign_in")
    _require_own_name()
    return _welcome_page()


@blueprint.post("/welcome")
@anyone
def begin() -> Reply:
    """Create the first account and sign it in; of two simultaneous first visits one gets a Conflict."""
    with reading() as db:
        if people.any_account(db):
            raise Conflict("an account already exists", remedy="sign in, or ask for an invitation")
    _require_own_name()
    with errors_on(_welcome_page):
        new = _new_account()
    with writing() as db:
        session = signing_in.open_session(db, people.create_first_account(db, new), browser())
    return entered(session, url_for("campaigns.index"))


@blueprint.get("/sign-in")
@anyone
def sign_in() -> Reply:
    """The sign-in form."""
    following = safe_next(query_text("next"))
    if viewer_or_none() is not None:
        return see_other(following or url_for("campaigns.index"))
    with reading() as db:
        if not people.any_account(db):
            return go_to("entrance.welcome")
    return render_template(
        "entrance/sign_in.html", next=following, why=REASONS.get(query_text("why")), refused=None, login=""
    )


@blueprint.post("/sign-in")
@anyone
def enter() -> Reply:
    """Sign in, or show the form again with the reason."""
    login, following = form_text("login"), safe_next(form_text("next"))
    with reading() as db:
        attempt = signing_in.begin_attempt(db, login=login, browser=browser())
    g.attempted = attempt.account_id
    checked = signing_in.check_password(attempt, form_text("password"), app_context().passwords)
    with writing() as db:
        outcome = signing_in.sign_in(db, checked, replacing=read_token())
    if isinstance(outcome, Refused):
        return refused_form(
            render_template(
                "entrance/sign_in.html", next=following, why=None, refused=str(outcome), login=login
            ),
            outcome,
        )
    return entered(outcome, following or url_for("campaigns.index"))


@blueprint.post("/sign-out")
@signed_in
def sign_out() -> Response:
    """End this session."""
    with writing() as db:
        signing_in.sign_out(db, g.token)
    response = go_to("entrance.sign_in", why="signed-out")
    drop_session(response)
    return response


@blueprint.get("/invitation/<token>")
@anyone
def invitation(token: str, findings: Findings = ()) -> str:
    """What an invitation offers, with the forms to accept it."""
    with reading() as db:
        return render_template(
            "entrance/invitation.html",
            token=token,
            offer=invitations.offer_of(db, token),
            findings=findings,
            typed=request.form,
        )


@blueprint.post("/invitation/<token>/accept")
@signed_in
def accept(token: str) -> Response:
    """Accept an invitation with the account that is signed in."""
    with writing() as db:
        offer = invitations.accept(db, token, viewer().id)
    notices.add(f"You have joined {offer.campaign} as {offer.role}.")
    return see_other(start_page(offer.slug, viewer().id))


@blueprint.post("/invitation/<token>/register")
@anyone
def register(token: str) -> Reply:
    """Create an account and accept an invitation with it."""
    with reading() as db:
        # Checked first: hashing the password is expensive.
        invitations.offer_of(db, token)
    with errors_on(partial(invitation, token), "Login name", "login"):
        new = _new_account()
        with writing() as db:
            account, offer = invitations.accept_as_new(db, token, new)
            end_session_before(db)
            session = signing_in.open_session(db, account, browser())
    return entered(session, start_page(offer.slug, account.id))


@blueprint.get("/reset/<token>")
@anyone
def reset(token: str, findings: Findings = ()) -> str:
    """The form for another password, by the link of an administrator."""
    with reading() as db:
        return render_template(
            "entrance/reset.html", token=token, owner=signing_in.reset_owner(db, token), findings=findings
        )


@blueprint.post("/reset/<token>")
@anyone
def use_reset(token: str) -> Reply:
    """Replace the password, end all sessions and sign in."""
    with reading() as db:
        # Checked first: hashing the password is expensive.
        owner = signing_in.reset_owner(db, token)
    g.attempted = owner.id
    with errors_on(partial(reset, token)):
        password = sent_password(login=owner.login, name=owner.name)
    new_hash = app_context().passwords.hash(password)
    with writing() as db:
        outcome = signing_in.use_reset(db, token, new_hash, browser())
        end_session_before(db)
    return entered(outcome, url_for("campaigns.index"))


def _require_own_name() -> None:
    """Raise NotAllowed where the address may be the name of somebody else's site that leads here.

    Such a site has the same origin, and could have the first account created by whoever opens it.
    """
    if app_context().settings.hosts:
        return  # others were refused already
    name = urlsplit(f"//{request.host}").hostname or ""
    if name == "localhost" or name.endswith(".localhost"):
        return
    try:
        ip_address(name)
    except ValueError:
        raise NotAllowed(
            f"the first account cannot be created under the name {name}",
            remedy="run `workbench init`, set WORKBENCH_HOSTS, or open the site by its IP address",
        ) from None


def _welcome_page(findings: Findings = ()) -> str:
    return render_template("entrance/welcome.html", findings=findings, typed=request.form)


def _new_account() -> people.NewAccount:
    return people.prepare_account(
        login=form_text("login"),
        name=form_text("name"),
        password=form_text("password"),
        repeated=form_text("repeated"),
        passwords=app_context().passwords,
    )


def start_page(slug: str, account_id: int) -> str:
    """Where a person begins in a campaign."""
    with reading() as db:
        roles = effective_roles(db, campaign_by_slug(db, slug).id, account_id)
    return first_page(slug, roles) or url_for("campaigns.index")


def end_session_before(db: Session) -> None:
    """End the session that this browser had, before another begins or its cookie is replaced."""
    before = read_token()
    if before:
        signing_in.sign_out(db, before)


def entered(outcome: SignedIn | CodeNeeded, address: str) -> Response:
    """Go on to an address with a new session, or to the form for the code that the account needs."""
    if isinstance(outcome, CodeNeeded):
        response = go_to("sign_in_codes.index", next=address)
        keep_code_step(response, outcome)
        return response
    response = see_other(address)
    keep_session(response, outcome)
    return response


lost_passwords = Blueprint("lost_passwords", __name__)


@lost_passwords.get("/lost-password", endpoint="index")
@anyone
def lost_password(findings: Findings = ()) -> str:
    """The form, or what to do where this site sends no mail; after it was sent, what happens next."""
    return render_template(
        "entrance/lost_password.html",
        asked="asked" in request.args,
        longest=LONGEST_TYPED,
        findings=findings,
        typed=request.form,
    )


@lost_passwords.post("/lost-password", endpoint="ask")
@anyone
def ask_link() -> Reply:
    """Have a link sent to whoever is meant; the answer does not depend on whether that is anybody."""
    require_mail("ask an administrator for a link")
    typed = form_text("login").strip()
    if not typed:
        message, remedy = "nothing was entered", "your login name or e-mail address"
        return lost_password((Finding("Login name", None, "login", message, remedy),)), 422
    with writing() as db:
        refused = request_link(db, typed, request.remote_addr)
    if refused is not None:
        message = f"there were too many requests; try again in {wait_in_words(refused.seconds)}"
        return lost_password((Finding("Login name", None, "login", message),)), 429, retry_after(refused)
    return go_to("lost_passwords.index", asked="yes")


BLUEPRINTS = (
    blueprint,
    lost_passwords,
)
