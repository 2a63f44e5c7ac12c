"""Signing in with the OpenID provider, and the account's link with it, made and removed with the password."""

from __future__ import annotations

import logging
from collections.abc import Callable

from flask import Blueprint, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import NotFound
from workbench.storage import Session
from workbench.web.access import anyone, signed_in, viewer, viewer_or_none
from workbench.web.context import app_context, read_own, reading, write_own, writing
from workbench.web.forms import Findings, accepted, form_text, query_text
from workbench.web.pages.account import require_password
from workbench.web.pages.entrance import end_session_before, entered, start_page
from workbench.web.requests import browser, cookie_name, drop_cookie, go_to, safe_next, set_cookie
from workbench.workflow.clock import utc_now
from workbench.workflow.openid.browser_trips import (
    TRIP_LASTS,
    BrowserTrip,
    TripPurpose,
    is_permitted,
    link_permission,
    new_trip,
    returned_trip,
)
from workbench.workflow.openid.identities import (
    ProviderIdentity,
    admitted,
    admitted_by_invitation,
    link_own,
    linked_identities,
    owner_of,
    unlink_identities,
)
from workbench.workflow.openid.provider import OpenIdProvider
from workbench.workflow.openid.refusals import NotSignedIn, SignInObstacle
from workbench.workflow.people.accounts import Account, any_account, has_password
from workbench.workflow.people.invitations import offer_of
from workbench.workflow.people.signing_in import Refused, SignedIn, enter
from workbench.workflow.people.throttling import network_of, provider_guess, record_failure, waiting_time
from workbench.workflow.people.two_factor import CodeNeeded

COOKIE = "workbench-openid"
OBSTACLES = {
    503: (SignInObstacle.AWAY, SignInObstacle.BUSY),
    429: (SignInObstacle.THROTTLED,),
    403: (SignInObstacle.DENIED, SignInObstacle.NOT_LINKED, SignInObstacle.DISABLED),
    409: (SignInObstacle.LINKED_ELSEWHERE, SignInObstacle.LINKED_ALREADY),
    404: (SignInObstacle.NO_SIGN_OUT,),
}
"""By the status of the page that tells of them; 422 is that of others."""
LOG = logging.getLogger(__name__)


def require_provider() -> OpenIdProvider:
    """The provider with which people sign in here; raises NotFound on a site without one."""
    found = app_context().provider
    if found is None:
        raise NotFound("this site has no sign-in with OpenID Connect", remedy="sign in with a password")
    return found


def depart(provider: OpenIdProvider, trip: BrowserTrip) -> Response:
    """A page that goes on to the provider by itself, and the cookie by which the browser is known again."""
    try:
        address = provider.departure(trip)
    except NotSignedIn as error:
        return failed_trip(error)
    page = render_template("openid/departing.html", name=provider.settings.name, address=address)
    # Not a redirect: the policy allows forms to lead to this site only, also by way of a redirect.
    response = Response(
        page, content_type="text/html; charset=utf-8", headers={"Refresh": f"0; url={address}"}
    )
    # Sent when the provider leads the browser back, as a link does, and with nothing else of other sites.
    set_cookie(response, COOKIE, trip.kept, max_age=TRIP_LASTS)
    return response


def end_trip(response: Response) -> Response:
    """Forget the trip, whatever came of it: its state is of no use a second time."""
    drop_cookie(response, COOKIE)
    return response


def failed_trip(error: NotSignedIn) -> Response:
    """The page of a failure, which says what to do; its cause is for the log."""
    if error.cause:
        LOG.warning("no sign-in with OpenID Connect (%s): %s", error.obstacle, error.cause)
    page = render_template("openid/failed.html", error=error, linking=viewer_or_none() is not None)
    status = next((status for status, some in OBSTACLES.items() if error.obstacle in some), 422)
    response = Response(page, status, content_type="text/html; charset=utf-8")
    seconds = error.seconds or {SignInObstacle.AWAY: 60, SignInObstacle.BUSY: 5}.get(error.obstacle)
    if seconds:
        response.headers["Retry-After"] = str(seconds)
    return response


blueprint = Blueprint("openid", __name__, url_prefix="/openid")
# Of these, nobody who signs in is to blame; and whoever cancels guesses nothing.
UNCOUNTED = frozenset(
    {
        SignInObstacle.AWAY,
        SignInObstacle.BUSY,
        SignInObstacle.DENIED,
        SignInObstacle.SET_UP,
        SignInObstacle.THROTTLED,
    }
)
Arrival = Callable[[OpenIdProvider, BrowserTrip, ProviderIdentity], Response]


@blueprint.post("")
@anyone
def begin() -> Response:
    """Go to the provider, to sign in or to join by an invitation."""
    provider, invitation = require_provider(), form_text("invitation")
    with reading() as db:
        if not any_account(db):
            # The first account is the administrator's, who has to get in without a provider.
            return go_to("entrance.welcome")
        if invitation:
            offer_of(db, invitation)
    if invitation:
        return depart(provider, new_trip(TripPurpose.JOIN, invitation))
    return depart(provider, new_trip(TripPurpose.SIGN_IN, safe_next(form_text("next")) or ""))


@blueprint.get("/callback")
@anyone
def finish() -> Response:
    """Come back from the provider: sign in, join or link, as the trip was begun for."""
    provider = require_provider()
    trip = returned_trip(request.cookies.get(cookie_name(COOKIE), ""), query_text("state"))
    if trip is None:
        # The cookie stays: it may be that of a trip in another tab.
        return failed_trip(NotSignedIn(SignInObstacle.LAPSED, provider.settings.name))
    try:
        return end_trip(_arrived(provider, trip))
    except NotSignedIn as error:
        return end_trip(failed_trip(error))


@blueprint.get("/sign-out")
@anyone
def leave() -> Response:
    """Go to the provider's own page for signing out, where it has one."""
    provider = require_provider()
    try:
        return redirect(provider.sign_out_address())
    except NotSignedIn as error:
        return failed_trip(error)


def _arrived(provider: OpenIdProvider, trip: BrowserTrip) -> Response:
    if trip.purpose is TripPurpose.LINK and not _may_link(trip):
        raise NotSignedIn(SignInObstacle.LAPSED, provider.settings.name)
    with reading() as db:
        guess = provider_guess(network_of(browser().address))
        wait = Refused(waiting_time(db, guess, utc_now(None)))
    if wait.seconds:
        raise NotSignedIn(SignInObstacle.THROTTLED, provider.settings.name, seconds=wait.seconds)
    try:
        identity = provider.identity(request.args.to_dict(), trip)
        return _ARRIVALS[trip.purpose](provider, trip, identity)
    except NotSignedIn as error:
        if error.obstacle not in UNCOUNTED:
            # Not by `writing`: the trail tells of the sign-in, and not of what is counted.
            with app_context().database.writing() as db:
                record_failure(db, guess, utc_now(None))
        raise


def _sign_in(provider: OpenIdProvider, trip: BrowserTrip, identity: ProviderIdentity) -> Response:
    _note_who(identity)
    with writing() as db:
        account = admitted(db, identity, provider.settings)
        session = _new_session(db, account)
    return entered(session, safe_next(trip.target) or url_for("campaigns.index"))


def _join(provider: OpenIdProvider, trip: BrowserTrip, identity: ProviderIdentity) -> Response:
    _note_who(identity)
    with writing() as db:
        account, offer = admitted_by_invitation(db, identity, provider.settings, trip.target)
        session = _new_session(db, account)
    return entered(session, start_page(offer.slug, account.id))


def _link(provider: OpenIdProvider, _trip: BrowserTrip, identity: ProviderIdentity) -> Response:
    viewer = viewer_or_none()
    if viewer is None:
        raise NotSignedIn(SignInObstacle.LAPSED, provider.settings.name)
    with writing() as db:
        link_own(db, identity, provider.settings, viewer.id)
    return accepted(f"You can now sign in with {provider.settings.name}.", "openid_link.index")


def _may_link(trip: BrowserTrip) -> bool:
    viewer = viewer_or_none()
    if viewer is None:
        return False
    with reading() as db:
        return is_permitted(db, trip.target, viewer.id, g.token)


def _note_who(identity: ProviderIdentity) -> None:
    """Name in the trail whose account it is, also if it cannot be entered."""
    with reading() as db:
        owner = owner_of(db, identity)
    g.attempted = owner.id if owner is not None else None


def _new_session(db: Session, account: Account) -> SignedIn | CodeNeeded:
    end_session_before(db)
    return enter(db, account, browser())


_ARRIVALS: dict[TripPurpose, Arrival] = {
    TripPurpose.SIGN_IN: _sign_in,
    TripPurpose.JOIN: _join,
    TripPurpose.LINK: _link,
}


links = Blueprint("openid_link", __name__, url_prefix="/account/openid")


@links.get("", endpoint="index")
@signed_in
def linked_page(findings: Findings = ()) -> str:
    """The identity that is linked, or how to link one."""
    with reading() as db:
        return render_template(
            "account/openid.html",
            linked=linked_identities(db, viewer().id),
            with_password=has_password(db, viewer().id),
            findings=findings,
        )


@links.post("/link")
@signed_in
def link() -> Response:
    """Go to the provider to link an identity, after the password was checked."""
    provider = require_provider()
    require_password(linked_page)
    permission = read_own(link_permission, g.token)
    return depart(provider, new_trip(TripPurpose.LINK, permission))


@links.post("/unlink")
@signed_in
def unlink() -> Response:
    """Let nobody sign in to this account with the provider any more, after the password was checked."""
    require_password(linked_page)
    write_own(unlink_identities)
    return accepted("Unlinked. You sign in with your password from now on.", "openid_link.index")


BLUEPRINTS = (
    blueprint,
    links,
)
