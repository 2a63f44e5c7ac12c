"""Signing in at an OpenID provider: who comes in, with which account, and what everybody else is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from tests.builders import invite
from tests.cast import CHEAP, PASSWORD, Cast, signed_in
from tests.openid import NAME, RunningProvider
from tests.web.conftest import Enter
from tests.web.test_two_factor import shown_code, turned_on
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.storage.tables import (
    AccountRow,
    MemberRow,
    OpenIdIdentityRow,
    SessionRow,
    SignInAttemptRow,
)
from workbench.web.context import Context, init_app
from workbench.web.pages.openid import COOKIE, UNCOUNTED
from workbench.workflow.openid.browser_trips import TripPurpose, link_permission, new_trip
from workbench.workflow.openid.identities import ProviderIdentity, link_identity
from workbench.workflow.openid.provider import OpenIdProvider
from workbench.workflow.openid.refusals import NotSignedIn, SignInObstacle
from workbench.workflow.people.accounts import token_hash
from workbench.workflow.people.administration import disable_account
from workbench.workflow.people.membership import Role
from workbench.workflow.people.throttling import FREE_FAILURES, Guess, record_failure
from workbench.workflow.people.trail import TrailFilter, check_trail, trail_entries

GOES_ON = re.compile(r"0; url=(.*)")
Offer = Callable[..., None]


@pytest.fixture
def offer(
    app: Flask, settings: Settings, sqlite_database: Database, cast: Cast, running: RunningProvider
) -> Offer:
    """Have the site sign people in with the provider."""

    def offer(**changes: Any) -> None:
        chosen = running.settings(**changes)
        context = Context(
            replace(settings, openid=chosen), sqlite_database, CHEAP, provider=OpenIdProvider(chosen)
        )
        init_app(app, context)

    offer()
    return offer


def departure(answer: TestResponse) -> str:
    assert answer.status_code == 200
    goes_on = GOES_ON.fullmatch(answer.headers["Refresh"])
    assert goes_on is not None
    # Who has no browser that goes on by itself finds the same address as a link.
    assert f'href="{goes_on[1]}"' in unescape(answer.text)
    return goes_on[1]


def came_back(client: FlaskClient, running: RunningProvider, address: str, subject: str) -> TestResponse:
    return client.get("/openid/callback", query_string=running.signs_in(address, subject))


def enters(client: FlaskClient, running: RunningProvider, subject: str, **form: str) -> TestResponse:
    return came_back(client, running, departure(client.post("/openid", data=form)), subject)


def link(database: Database, running: RunningProvider, subject: str, account_id: int) -> None:
    with database.writing() as db:
        link_identity(db, ProviderIdentity(running.issuer, subject), account_id)


def who(client: FlaskClient, database: Database) -> str | None:
    cookie = client.get_cookie("workbench")
    with database.reading() as db:
        account = signed_in(db, cookie.value) if cookie else None
    return account.login if account else None


def refused(answer: TestResponse) -> tuple[SignInObstacle, ...]:
    """Which refusals a page shows."""
    text = unescape(answer.text)
    return tuple(
        one
        for one in SignInObstacle
        if (message := NotSignedIn(one, NAME).message) and message[:1].upper() + message[1:] in text
    )


@pytest.mark.usefixtures("offer")
def test_whoever_is_linked_signs_in_and_goes_on_to_the_page_wanted(
    app: Flask, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    link(sqlite_database, running, "linked", cast.accounts["Ada"].id)
    client = app.test_client()
    assert NAME in client.get("/sign-in").text
    answer = enters(client, running, "linked", next="/c/harbour/judge")
    assert (answer.status_code, answer.location) == (303, "/c/harbour/judge")
    assert who(client, sqlite_database) == "ada"
    assert client.get_cookie(COOKIE) is None
    with sqlite_database.reading() as db:
        assert db.scalars(select(OpenIdIdentityRow.used_at)).one() is not None
        assert list(check_trail(db)) == []
        (entry,) = trail_entries(db, TrailFilter())
    assert (entry.act, entry.login, entry.outcome) == ("openid.finish", "ada", "done")
    assert "linked" not in repr(entry.details)  # the subject


@pytest.mark.usefixtures("offer")
def test_an_account_with_a_second_factor_is_asked_for_its_code(
    app: Flask, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    link(sqlite_database, running, "linked", cast.accounts["Ada"].id)
    turned_on(sqlite_database, cast.accounts["Ada"].id)
    client = app.test_client()
    answer = enters(client, running, "linked")
    assert answer.location.startswith("/sign-in/code")
    assert who(client, sqlite_database) is None
    client.post("/sign-in/code", data={"code": shown_code()})
    assert who(client, sqlite_database) == "ada"


@pytest.mark.usefixtures("offer")
def test_an_account_is_never_found_by_name_or_address(
    app: Flask, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    with sqlite_database.writing() as db:
        db.get_one(AccountRow, cast.accounts["Olga"].id).address = "olga@example.org"
    running.add_person(
        "claims-much", name="Olga", preferred_username="olga", email="olga@example.org", email_verified=True
    )
    client = app.test_client()
    answer = enters(client, running, "claims-much")
    assert (answer.status_code, refused(answer)) == (403, (SignInObstacle.NOT_LINKED,))
    assert who(client, sqlite_database) is None


@pytest.mark.usefixtures("offer")
def test_an_invitation_is_accepted_at_the_provider_with_a_new_account(
    app: Flask, enter: Enter, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    running.add_person(
        "new", name="Ada", preferred_username="Ada", email="lovelace@example.org", email_verified=True
    )
    with sqlite_database.writing() as db:
        token = invite(db, cast.campaign_id, role=Role.VIEWER, invited_by=None).token
    client = app.test_client()
    assert NAME in client.get(f"/invitation/{token}").text
    assert enters(client, running, "new", invitation=token).status_code == 303
    # The login name is taken, so another is made of it.
    assert who(client, sqlite_database) == "ada-2"
    with sqlite_database.reading() as db:
        row = db.scalars(select(AccountRow).where(AccountRow.login == "ada-2")).one()
        roles = db.execute(select(MemberRow.campaign_id, MemberRow.role).filter_by(account_id=row.id)).all()
        assert (row.name, row.administrator) == ("Ada", False)
        assert [tuple(one) for one in roles] == [(cast.campaign_id, "viewer")]
        assert db.get_one(AccountRow, row.id).address == "lovelace@example.org"
        (entry,) = trail_entries(db, TrailFilter())
    assert {one["table"] for one in entry.details["changes"]} >= {"account", "member", "openid_identity"}
    assert "lovelace" not in repr(entry)
    # It works once, as every invitation does.
    assert app.test_client().post("/openid", data={"invitation": token}).status_code == 404
    page = enter("Olga").get(f"/administration/accounts/{row.id}").text
    assert "lovelace@example.org" in page
    # No password opens the new account, and it can be chosen by a reset link only.
    login = {"login": "ada-2", "password": "none"}
    assert app.test_client().post("/sign-in", data=login).status_code == 422


@pytest.mark.usefixtures("offer")
def test_whoever_is_linked_joins_with_that_account(
    app: Flask, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    link(sqlite_database, running, "otto", cast.accounts["Otto"].id)
    with sqlite_database.writing() as db:
        token = invite(db, cast.campaign_id, role=Role.VIEWER, invited_by=None).token
    client = app.test_client()
    enters(client, running, "otto", invitation=token)
    assert who(client, sqlite_database) == "otto"
    with sqlite_database.reading() as db:
        assert db.get(MemberRow, (cast.campaign_id, cast.accounts["Otto"].id, "viewer")) is not None


@pytest.mark.usefixtures("offer")
def test_a_disabled_account_stays_closed(
    app: Flask, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    link(sqlite_database, running, "ben", cast.accounts["Ben"].id)
    with sqlite_database.writing() as db:
        disable_account(db, cast.accounts["Ben"].id)
    answer = enters(app.test_client(), running, "ben")
    assert (answer.status_code, refused(answer)) == (403, (SignInObstacle.DISABLED,))
    with sqlite_database.reading() as db:
        (entry,) = trail_entries(db, TrailFilter())
    assert (entry.login, entry.outcome) == ("ben", "403")


@pytest.mark.usefixtures("offer")
def test_an_answer_that_another_browser_asked_for_signs_nobody_in(
    app: Flask, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    # Login CSRF: the answer to the attacker's own trip, opened in the victim's browser.
    link(sqlite_database, running, "evil", cast.accounts["Otto"].id)
    attacker, victim = app.test_client(), app.test_client()
    returned = running.signs_in(departure(attacker.post("/openid")), "evil")
    for client in (victim, app.test_client()):
        if client is victim:
            departure(client.post("/openid"))
        answer = client.get("/openid/callback", query_string=returned)
        assert (answer.status_code, refused(answer)) == (422, (SignInObstacle.LAPSED,))
        assert who(client, sqlite_database) is None
    assert victim.get_cookie(COOKIE) is not None  # the victim's own trip goes on
    assert running.exchanges == []
    # Nor can another site begin a trip.
    assert victim.post("/openid", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


@pytest.mark.usefixtures("offer")
def test_a_link_takes_the_password_and_belongs_to_the_session_in_which_it_began(
    app: Flask, enter: Enter, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    ada, form = enter("Ada"), {"old": PASSWORD}
    assert ada.post("/account/openid/link", data={"old": "guessed"}).status_code == 422
    returned = running.signs_in(departure(ada.post("/account/openid/link", data=form)), "hers")
    cookie = ada.get_cookie(COOKIE)
    assert cookie is not None
    # In a session that is another, or none, nothing is linked, whoever has the cookie.
    for client in (enter("Ben"), app.test_client()):
        client.set_cookie(COOKIE, cookie.value)
        answer = client.get("/openid/callback", query_string=returned)
        assert (answer.status_code, refused(answer)) == (422, (SignInObstacle.LAPSED,))
    assert ada.get("/openid/callback", query_string=returned).location == "/account/openid"
    with sqlite_database.reading() as db:
        row = db.scalars(select(OpenIdIdentityRow)).one()
        assert (row.account_id, row.subject) == (cast.accounts["Ada"].id, "hers")
        acts = [(one.login, one.act, one.outcome) for one in trail_entries(db, TrailFilter())]
    assert acts[0] == ("ada", "openid.finish", "done")
    assert acts[-2:] == [("ada", "openid_link.link", "done"), ("ada", "openid_link.link", "422")]


@pytest.mark.parametrize("known", ["nothing", "the hash of the session's token", "a permission of another"])
@pytest.mark.usefixtures("offer")
def test_whoever_took_over_a_session_links_nothing_without_the_password(
    enter: Enter, sqlite_database: Database, running: RunningProvider, cast: Cast, known: str
) -> None:
    # The cookie of a trip is no secret of its browser, which can make one up for any purpose.
    ada, ben = enter("Ada"), cast.accounts["Ben"].id
    stolen = ada.get_cookie("workbench")
    assert stolen is not None
    with sqlite_database.reading() as db:
        target = {
            "nothing": "",
            "the hash of the session's token": token_hash(stolen.value),
            "a permission of another": link_permission(db, ben, stolen.value),
        }[known]
    trip = new_trip(TripPurpose.LINK, target)
    ada.set_cookie(COOKIE, trip.kept)
    address = OpenIdProvider(running.settings()).departure(trip)
    answer = came_back(ada, running, address, "the attacker's")
    assert (answer.status_code, refused(answer)) == (422, (SignInObstacle.LAPSED,))
    with sqlite_database.reading() as db:
        assert db.scalars(select(OpenIdIdentityRow)).all() == []


@pytest.mark.usefixtures("offer")
def test_an_identity_is_linked_with_one_account_and_an_account_with_one(
    enter: Enter, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    link(sqlite_database, running, "first", cast.accounts["Ada"].id)
    ada, ben, form = enter("Ada"), enter("Ben"), {"old": PASSWORD}
    answers = [
        came_back(client, running, departure(client.post("/account/openid/link", data=form)), subject)
        for client, subject in ((ada, "first"), (ben, "first"), (ada, "second"))
    ]
    assert [one.status_code for one in answers] == [303, 409, 409]
    assert refused(answers[1]) == (SignInObstacle.LINKED_ELSEWHERE,)
    assert refused(answers[2]) == (SignInObstacle.LINKED_ALREADY,)


@pytest.mark.usefixtures("offer")
def test_the_last_way_in_cannot_be_unlinked(
    app: Flask, enter: Enter, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    link(sqlite_database, running, "hers", cast.accounts["Ada"].id)
    ada = enter("Ada")
    assert ada.post("/account/openid/unlink", data={"old": "guessed"}).status_code == 422
    assert ada.post("/account/openid/unlink", data={"old": PASSWORD}).status_code == 303
    assert ada.post("/account/openid/unlink", data={"old": PASSWORD}).status_code == 404
    answer = enters(app.test_client(), running, "hers")
    assert refused(answer) == (SignInObstacle.NOT_LINKED,)
    # An account without a password offers no form for it, and has none to give.
    link(sqlite_database, running, "hers", cast.accounts["Ada"].id)
    with sqlite_database.writing() as db:
        db.get_one(AccountRow, cast.accounts["Ada"].id).password_hash = "none"
    assert "/account/openid/unlink" not in ada.get("/account/openid").text
    assert ada.post("/account/openid/unlink", data={"old": "none"}).status_code == 422


@pytest.mark.usefixtures("offer")
def test_failures_are_throttled_where_they_come_from(
    app: Flask, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    link(sqlite_database, running, "linked", cast.accounts["Ada"].id)
    enters(app.test_client(), running, "nobody")
    with sqlite_database.writing() as db:
        failed = db.scalars(select(SignInAttemptRow)).one()
        for _ in range(FREE_FAILURES - 1):
            record_failure(db, Guess(failed.login, failed.address), failed.at)
    running.exchanges.clear()
    answer = enters(app.test_client(), running, "linked")
    assert (answer.status_code, refused(answer)) == (429, (SignInObstacle.THROTTLED,))
    assert int(answer.headers["Retry-After"]) > 0
    assert running.exchanges == []
    # Elsewhere nobody waits, and a password is another matter.
    client = app.test_client()
    back = running.signs_in(departure(client.post("/openid")), "linked")
    elsewhere = {"REMOTE_ADDR": "198.51.100.7"}
    assert client.get("/openid/callback", query_string=back, environ_base=elsewhere).status_code == 303
    password = app.test_client().post("/sign-in", data={"login": "ada", "password": PASSWORD})
    assert password.status_code == 303


def test_a_provider_that_is_away_is_nobodys_failure(
    app: Flask, sqlite_database: Database, offer: Offer, caplog: pytest.LogCaptureFixture
) -> None:
    offer(issuer="http://localhost:1")
    answer = app.test_client().post("/openid")
    assert (answer.status_code, refused(answer)) == (503, (SignInObstacle.AWAY,))
    assert SignInObstacle.AWAY in UNCOUNTED
    assert SignInObstacle.AWAY in caplog.text
    with sqlite_database.reading() as db:
        assert db.scalar(select(func.count()).select_from(SignInAttemptRow)) == 0


@pytest.mark.usefixtures("offer")
def test_signing_in_replaces_the_session_of_the_browser(
    enter: Enter, sqlite_database: Database, running: RunningProvider, cast: Cast
) -> None:
    link(sqlite_database, running, "bens", cast.accounts["Ben"].id)
    client = enter("Ada")
    enters(client, running, "bens")
    assert who(client, sqlite_database) == "ben"
    with sqlite_database.reading() as db:
        assert db.scalars(select(SessionRow.account_id)).all() == [cast.accounts["Ben"].id]


@pytest.mark.usefixtures("offer")
def test_signing_out_says_that_the_provider_knows_nothing_of_it(
    app: Flask, ada: FlaskClient, running: RunningProvider
) -> None:
    page = ada.post("/sign-out", follow_redirects=True)
    assert 'href="/openid/sign-out"' in page.text
    there = app.test_client().get("/openid/sign-out")
    assert there.location.startswith(f"{running.issuer}/oauth2/end_session?client_id=")


@pytest.mark.usefixtures("cast")
def test_a_site_without_a_provider_has_none_of_it(app: Flask, enter: Enter) -> None:
    assert app.test_client().post("/openid").status_code == 404
    assert app.test_client().get("/openid/callback?code=c&state=s").status_code == 404
    assert app.test_client().get("/openid/sign-out").status_code == 404
    assert 'action="/openid"' not in app.test_client().get("/sign-in").text
    assert enter("Ada").post("/account/openid/link", data={"old": PASSWORD}).status_code == 404


def test_what_is_said_of_a_failure_names_what_to_do() -> None:
    for obstacle in SignInObstacle:
        error = NotSignedIn(obstacle, NAME)
        assert error.remedy, obstacle
        assert "{" not in error.message + error.remedy
