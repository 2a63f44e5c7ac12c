"""Signing in at a provider that others wrote: Django OAuth Toolkit, in a process of its own, over HTTP.

What other tests assume of providers, this one does by itself: its discovery document, login form and consent,
PKCE, ID tokens signed with RS256, and names that only its userinfo endpoint gives. It needs the extra
`provider`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from tests.cast import CHEAP, PASSWORD, Cast
from tests.django_provider import CLIENT, PEOPLE, SECRET, running_django_provider
from tests.django_provider import PASSWORD as THERE
from tests.openid import NAME, SITE, StaysHere
from tests.web.conftest import Enter
from workbench.cli.main import workbench
from workbench.settings import OpenIdSettings, Settings
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, OpenIdIdentityRow
from workbench.web.context import Context, init_app
from workbench.workflow.openid.browser_trips import TripPurpose, new_trip
from workbench.workflow.openid.provider import OpenIdProvider
from workbench.workflow.openid.refusals import NotSignedIn, SignInObstacle

pytestmark = pytest.mark.slow
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?')
GOES_ON = re.compile(r"0; url=(.*)")


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("oauth2_provider", reason="needs the extra `provider`")
    with running_django_provider(tmp_path_factory.mktemp("provider"), SITE) as issuer:
        assert issuer, "the provider did not start"
        yield issuer


@pytest.fixture
def chosen(issuer: str) -> OpenIdSettings:
    return OpenIdSettings(issuer, CLIENT, SECRET, NAME, SITE, ("example.org",))


@pytest.fixture
def client(
    app: Flask, settings: Settings, sqlite_database: Database, cast: Cast, chosen: OpenIdSettings
) -> FlaskClient:
    """A browser at a site whose people sign in there."""
    context = Context(
        replace(settings, openid=chosen), sqlite_database, CHEAP, provider=OpenIdProvider(chosen)
    )
    init_app(app, context)
    return app.test_client()


class PersonThere:
    """Somebody's browser at the provider, who is not signed in yet."""

    def __init__(self, login: str) -> None:
        self._login = login
        self._opener = build_opener(StaysHere, HTTPCookieProcessor(CookieJar()))

    def comes_back(self, address: str, *, agrees: bool = True) -> dict[str, str]:
        """The fields with which the browser comes back, after signing in if it is asked to, and agreeing."""
        form: dict[str, str] | None = None
        for _ in range(8):
            address, page = self._step(address, form)
            if address.startswith(SITE):
                parts = urlsplit(address)
                assert parts.path == "/openid/callback"
                return {name: values[0] for name, values in parse_qs(parts.query).items()}
            form = None
            if page:
                form = {name: unescape(value) for name, value in HIDDEN.findall(page)}
                if "username" in page:
                    form |= {"username": self._login, "password": THERE}
                elif agrees:
                    form["allow"] = "Authorize"
        raise AssertionError(f"the provider goes in circles at {address}")

    def _step(self, address: str, form: dict[str, str] | None) -> tuple[str, str]:
        """Where a page or its form leads, and the page if it leads nowhere else."""
        body = urlencode(form).encode() if form is not None else None
        request = Request(address, body, {"Referer": address})
        try:
            with self._opener.open(request, timeout=10) as answer:
                return address, answer.read().decode()
        except HTTPError as error:
            with error:
                if error.code != 302:
                    raise AssertionError(error.read().decode()) from error
                return urljoin(address, error.headers["Location"]), ""


def departure(client: FlaskClient, path: str = "/openid", **form: str) -> str:
    answer = client.post(path, data=form)
    goes_on = GOES_ON.fullmatch(answer.headers["Refresh"])
    assert goes_on is not None
    return goes_on[1]


def test_a_person_comes_in_by_a_verified_address_and_finds_the_same_account_again(
    client: FlaskClient, sqlite_database: Database, issuer: str
) -> None:
    ada = PersonThere("ada")
    back = ada.comes_back(departure(client))
    assert back["iss"] == issuer
    answer = client.get("/openid/callback", query_string=back)
    assert (answer.status_code, answer.location) == (303, "/")
    with sqlite_database.reading() as db:
        identity = db.scalars(select(OpenIdIdentityRow)).one()
        account = db.get_one(AccountRow, identity.account_id)
        address = account.address
    # The ID token has the subject only: name and address were asked for at the userinfo endpoint.
    assert (identity.issuer, account.name, address) == (issuer, PEOPLE["ada"][0], "ada@example.org")
    client.post("/sign-out")
    again = client.get("/openid/callback", query_string=ada.comes_back(departure(client)))
    assert again.status_code == 303
    with sqlite_database.reading() as db:
        assert db.scalars(select(OpenIdIdentityRow.account_id)).one() == account.id


def test_a_person_whose_address_nobody_verified_links_an_account_with_its_password(
    client: FlaskClient, enter: Enter, sqlite_database: Database, cast: Cast
) -> None:
    ben = PersonThere("ben")
    refused = client.get("/openid/callback", query_string=ben.comes_back(departure(client)))
    assert refused.status_code == 403
    mine = enter("Ben")
    going = departure(mine, "/account/openid/link", old=PASSWORD)
    assert mine.get("/openid/callback", query_string=ben.comes_back(going)).location == "/account/openid"
    entered = client.get("/openid/callback", query_string=ben.comes_back(departure(client)))
    assert entered.location == "/"
    with sqlite_database.reading() as db:
        assert db.scalars(select(OpenIdIdentityRow.account_id)).all() == [cast.accounts["Ben"].id]


def test_whoever_cancels_is_told_so(client: FlaskClient) -> None:
    back = PersonThere("ada").comes_back(departure(client), agrees=False)
    assert (back["error"], "state" in back) == ("access_denied", True)
    answer = client.get("/openid/callback", query_string=back)
    assert answer.status_code == 403
    assert NotSignedIn(SignInObstacle.DENIED, NAME).message[1:] in unescape(answer.text)


def test_a_state_of_another_browser_is_refused_and_ones_own_fits_once(
    app: Flask, client: FlaskClient
) -> None:
    back = PersonThere("ada").comes_back(departure(client))
    # In a browser that was never on its way, and in one that was, with the answer of another.
    assert app.test_client().get("/openid/callback", query_string=back).status_code == 422
    other = client.get("/openid/callback", query_string=back | {"state": "of-another-browser"})
    assert other.status_code == 422
    # A link that somebody else sent spoils no sign-in.
    assert client.get("/openid/callback", query_string=back).status_code == 303
    assert client.get("/openid/callback", query_string=back).status_code == 422


@pytest.mark.parametrize(
    ("changed", "obstacle"),
    [
        ("nonce=[^&]+", SignInObstacle.TOKEN),
        ("code_challenge=[^&]+", SignInObstacle.REJECTED),
    ],
    ids=["nonce", "PKCE"],
)
def test_an_answer_to_another_trip_is_refused(
    chosen: OpenIdSettings, changed: str, obstacle: SignInObstacle
) -> None:
    provider, trip = OpenIdProvider(chosen), new_trip(TripPurpose.SIGN_IN)
    value = changed.partition("=")[0] + "=" + "x" * 43
    going = re.sub(changed, value, provider.departure(trip))
    back = PersonThere("ada").comes_back(going)
    with pytest.raises(NotSignedIn) as refused:
        provider.identity(back, trip)
    assert refused.value.obstacle is obstacle


@pytest.mark.parametrize(
    "change", [{"client_secret": "another"}, {"client_id": "nobody"}], ids=["secret", "client"]
)
def test_a_client_that_the_provider_does_not_know_is_refused(
    chosen: OpenIdSettings, change: dict[str, Any]
) -> None:
    trip = new_trip(TripPurpose.SIGN_IN)
    back = PersonThere("ada").comes_back(OpenIdProvider(chosen).departure(trip))
    with pytest.raises(NotSignedIn) as refused:
        OpenIdProvider(replace(chosen, **change)).identity(back, trip)
    assert refused.value.obstacle is SignInObstacle.SET_UP


def test_a_code_works_once(chosen: OpenIdSettings) -> None:
    provider, trip = OpenIdProvider(chosen), new_trip(TripPurpose.SIGN_IN)
    back = PersonThere("ada").comes_back(provider.departure(trip))
    assert provider.identity(back, trip).address == "ada@example.org"
    with pytest.raises(NotSignedIn) as refused:
        provider.identity(back, trip)
    assert refused.value.obstacle is SignInObstacle.REJECTED


def test_what_it_publishes_is_checked_and_people_can_sign_out_there(
    chosen: OpenIdSettings, issuer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert OpenIdProvider(chosen).sign_out_address() == f"{issuer}/logout/?client_id={CLIENT}"
    given = {"OPENID_ISSUER": issuer, "OPENID_CLIENT_ID": CLIENT, "OPENID_CLIENT_SECRET": SECRET}
    for name, value in (given | {"ADDRESS": SITE}).items():
        monkeypatch.setenv(f"WORKBENCH_{name}", value)
    checked = CliRunner().invoke(workbench, ["openid", "check"])
    assert checked.exit_code == 0, checked.output
    assert "with 1 key\n" in checked.output
    # The issuer as somebody may write it from the address of the login page.
    monkeypatch.setenv("WORKBENCH_OPENID_ISSUER", issuer.removesuffix("/o"))
    assert CliRunner().invoke(workbench, ["openid", "check"]).exit_code != 0
