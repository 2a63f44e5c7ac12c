"""Trips to the OpenID provider in requests: the way out, its cookie, and the page of a failure."""

from __future__ import annotations

import logging

from flask import render_template, request
from werkzeug.wrappers import Response

from workbench.errors import NotFound
from workbench.web.access import viewer_or_none
from workbench.web.context import app_context
from workbench.web.forms import query_text
from workbench.web.requests import cookie_name, drop_cookie, set_cookie
from workbench.workflow.openid.browser_trips import TRIP_LASTS, BrowserTrip, returned_trip
from workbench.workflow.openid.provider import OpenIdProvider
from workbench.workflow.openid.refusals import NotSignedIn, SignInObstacle

COOKIE = "workbench-openid"
STATUS = {
    SignInObstacle.AWAY: 503,
    SignInObstacle.BUSY: 503,
    SignInObstacle.THROTTLED: 429,
    SignInObstacle.DENIED: 403,
    SignInObstacle.NOT_LINKED: 403,
    SignInObstacle.DISABLED: 403,
    SignInObstacle.LINKED_ELSEWHERE: 409,
    SignInObstacle.LINKED_ALREADY: 409,
    SignInObstacle.NO_SIGN_OUT: 404,
}
"""Of a failure; 422 of others."""
RETRY_SECONDS = {SignInObstacle.AWAY: 60, SignInObstacle.BUSY: 5}
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


def trip_of_request() -> BrowserTrip | None:
    """The trip from which this browser comes back, None if this is not the answer to it."""
    return returned_trip(request.cookies.get(cookie_name(COOKIE), ""), query_text("state"))


def end_trip(response: Response) -> Response:
    """Forget the trip, whatever came of it: its state is of no use a second time."""
    drop_cookie(response, COOKIE)
    return response


def failed_trip(error: NotSignedIn) -> Response:
    """The page of a failure, which says what to do; its cause is for the log."""
    if error.cause:
        LOG.warning("no sign-in with OpenID Connect (%s): %s", error.obstacle, error.cause)
    page = render_template("openid/failed.html", error=error, linking=viewer_or_none() is not None)
    response = Response(page, STATUS.get(error.obstacle, 422), content_type="text/html; charset=utf-8")
    seconds = error.seconds or RETRY_SECONDS.get(error.obstacle)
    if seconds:
        response.headers["Retry-After"] = str(seconds)
    return response
