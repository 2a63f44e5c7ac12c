"""Signing in at the OpenID provider: going there, coming back, and signing out there."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, g, redirect, request, url_for
from werkzeug.wrappers import Response

from workbench.storage import Session
from workbench.web.access import anyone, viewer_or_none
from workbench.web.context import app_context, reading, writing
from workbench.web.forms import accepted, form_text
from workbench.web.pages.entrance import end_session_before, entered, start_page
from workbench.web.provider_trips import depart, end_trip, failed_trip, require_provider, trip_of_request
from workbench.web.requests import browser, go_to, safe_next
from workbench.workflow.clock import utc_now
from workbench.workflow.openid.admission import admitted, admitted_by_invitation, link_own
from workbench.workflow.openid.browser_trips import BrowserTrip, TripPurpose, new_trip
from workbench.workflow.openid.identities import ProviderIdentity, owner_of
from workbench.workflow.openid.link_permissions import is_permitted
from workbench.workflow.openid.provider import OpenIdProvider
from workbench.workflow.openid.refusals import NotSignedIn, SignInObstacle
from workbench.workflow.people.accounts import Account, any_account
from workbench.workflow.people.code_steps import CodeNeeded
from workbench.workflow.people.invitations import offer_of
from workbench.workflow.people.signing_in import Refused, SignedIn, enter
from workbench.workflow.people.throttling import network_of, provider_guess, record_failure, waiting_time

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
    provider, trip = require_provider(), trip_of_request()
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
