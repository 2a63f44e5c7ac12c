"""Two-factor sign-in by its pages: turned on, asked for, turned off, reset, and demanded by a setting."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update

from tests.api import bearing, token_of
from tests.cast import CHEAP, PASSWORD, Cast, signed_in_client
from tests.web.test_desk_api import Desk
from workbench.errors import WorkbenchError
from workbench.settings import Settings, TwoFactorDemand, read_settings
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow
from workbench.web.context import Context, init_app
from workbench.workflow.clock import utc_now
from workbench.workflow.people import two_factor
from workbench.workflow.people.accounts import WITHOUT_PASSWORD
from workbench.workflow.people.administration import set_administrator
from workbench.workflow.people.two_factor import code_at, step_at

PAGE = "/account/two-factor"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
RECOVERY = re.compile(r"<code>([a-z2-7]{4}(?:-[a-z2-7]{4}){3})</code>")


def shown_code(secret: str = SECRET) -> str:
    """What the app shows now; a test lasts less than the period of drift that is allowed."""
    return code_at(secret, step_at(utc_now(None)))


def turned_on(database: Database, account_id: int) -> tuple[str, ...]:
    """An account whose app was confirmed an hour ago; its recovery codes."""
    with database.writing() as db:
        since = utc_now(None) - timedelta(hours=1)
        account = db.get_one(AccountRow, account_id)
        account.app_secret, account.app_confirmed_at = SECRET, since
        return two_factor.renew_recovery_codes(db, account_id)


def after_password(app: Flask, login: str, **form: str) -> tuple[FlaskClient, Any]:
    client = app.test_client()
    return client, client.post("/sign-in", data={"login": login, "password": PASSWORD} | form)


def test_it_is_turned_on_by_password_and_code_and_asked_for_from_then_on(app: Flask, enter: Any) -> None:
    ben, elsewhere = enter("Ben"), enter("Ben")
    assert ben.post(f"{PAGE}/prepare").location == PAGE
    page = ben.get(PAGE).text
    (secret,) = re.findall(r'value="([A-Z2-7]{32})"', page)
    assert "<svg" in page
    # The policy of the pages allows no style that stands inline.
    assert "style=" not in page
    form = {"old": PASSWORD, "code": shown_code(secret)}
    for wrong, field in (({"old": "wrong"}, "old"), ({"code": "000000"}, "code")):
        answer = ben.post(f"{PAGE}/on", data=form | wrong)
        assert (answer.status_code, f'id="{field}-error-1"' in answer.text) == (422, True)
    assert elsewhere.get("/account").status_code == 200
    made = ben.post(f"{PAGE}/on", data=form)
    assert (made.status_code, len(set(RECOVERY.findall(made.text))), secret in made.text) == (201, 10, False)
    again = ben.get(PAGE).text
    assert (RECOVERY.findall(again), secret in again) == ([], False)
    assert elsewhere.get("/account").status_code == 303

    client, answer = after_password(app, "ben", next="/c/harbour/")
    assert answer.location == "/sign-in/code?next=/c/harbour/"
    assert client.get("/account").status_code == 303
    asked = re.search(r'<input id="code"[^>]*>', client.get(answer.location).text)
    assert asked is not None
    for said in ('autocomplete="one-time-code"', 'inputmode="numeric"', 'aria-describedby="code-hint"'):
        assert said in asked[0]
    (code,) = set(RECOVERY.findall(made.text)[:1])
    used = {"code": form["code"], "next": "/c/harbour/"}
    assert client.post("/sign-in/code", data=used).status_code == 422
    entered = client.post("/sign-in/code", data={"recovery": code, "next": "/c/harbour/"})
    assert (entered.status_code, entered.location) == (303, "/c/harbour/")
    assert client.get("/account").status_code == 200


def test_without_the_step_the_form_leads_back_to_the_password(app: Flask, cast: Cast) -> None:
    client = app.test_client()
    for answer in (client.get("/sign-in/code"), client.post("/sign-in/code", data={"code": "000000"})):
        assert answer.location == "/sign-in?why=code-expired"


def test_the_cookie_of_the_step_is_for_no_script_and_goes_with_it(
    app: Flask, cast: Cast, sqlite_database: Database
) -> None:
    turned_on(sqlite_database, cast.accounts["Ada"].id)
    client, answer = after_password(app, "ada")
    (cookie,) = answer.headers.getlist("Set-Cookie")
    assert {part.strip() for part in cookie.split(";")} >= {
        "HttpOnly",
        "SameSite=Lax",
        "Path=/",
        "Max-Age=300",
    }
    entered = client.post("/sign-in/code", data={"code": shown_code()})
    assert [one.split("=")[0] for one in entered.headers.getlist("Set-Cookie")] == [
        "workbench",
        "workbench-code",
    ]
    assert client.get_cookie("workbench-code") is None


def test_it_is_turned_off_by_password_and_code(
    app: Flask, ada: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    codes = turned_on(sqlite_database, cast.accounts["Ada"].id)
    assert ada.post(f"{PAGE}/prepare").status_code == 409
    assert ada.post(f"{PAGE}/off", data={"old": PASSWORD, "code": "000000"}).status_code == 422
    assert ada.post(f"{PAGE}/off", data={"old": "wrong", "code": codes[0]}).status_code == 422
    renewed = ada.post(f"{PAGE}/recovery-codes", data={"old": PASSWORD, "code": codes[0]})
    assert renewed.status_code == 201
    assert not set(RECOVERY.findall(renewed.text)) & set(codes)
    assert ada.post(f"{PAGE}/off", data={"old": PASSWORD, "code": shown_code()}).status_code == 303
    assert after_password(app, "ada")[1].location == "/"


def test_an_administrator_resets_it_and_the_trail_has_no_secret(
    app: Flask, enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    one = cast.accounts["Ben"].id
    codes = turned_on(sqlite_database, one)
    client, _ = after_password(app, "ben")
    client.post("/sign-in/code", data={"code": "000000"})
    client.post("/sign-in/code", data={"code": shown_code()})
    olga, address = enter("Olga"), f"/administration/accounts/{one}"
    assert f"{address}/reset-two-factor" in olga.get(address).text
    assert olga.post(f"{address}/reset-two-factor").status_code == 303
    assert client.get("/account").status_code == 303
    assert after_password(app, "ben")[1].location == "/"
    assert olga.post(f"{address}/reset-two-factor").status_code == 409
    trail = olga.get("/administration/trail.jsonl").text
    assert trail.count('"sign_in_codes.check"') == 2
    assert "accounts.reset_two_factor" in trail
    assert [each for each in (SECRET, shown_code(), *codes) if each in trail] == []


def test_programs_are_asked_for_no_code(app: Flask, cast: Cast, sqlite_database: Database) -> None:
    ada = cast.accounts["Ada"]
    turned_on(sqlite_database, ada.id)
    program = bearing(app.test_client(), token_of(sqlite_database, ada))
    assert program.get("/api/v1/campaigns").status_code == 200


@pytest.fixture
def demanding(app: Flask, settings: Settings, sqlite_database: Database) -> Flask:
    """The application where organisers and administrators need a second factor."""
    demanded = replace(settings, two_factor_demand=TwoFactorDemand.RESPONSIBLE)
    init_app(app, Context(demanded, sqlite_database, CHEAP))
    return app


def test_where_it_is_demanded_an_organiser_can_do_nothing_before(
    demanding: Flask, cast: Cast, sqlite_database: Database
) -> None:
    olga = signed_in_client(demanding, sqlite_database, cast.accounts["Olga"])
    for address in ("/", "/account", "/c/harbour/", "/administration/accounts"):
        answer = olga.get(address)
        assert (answer.status_code, answer.location) == (303, PAGE)
    assert olga.post("/account/name", data={"name": "Changed"}).location == PAGE
    program = bearing(demanding.test_client(), token_of(sqlite_database, cast.accounts["Olga"]))
    assert program.get("/api/v1/campaigns").status_code == 403
    assert olga.get(PAGE).status_code == 200
    turned_on(sqlite_database, cast.accounts["Olga"].id)
    assert [olga.get(address).status_code for address in ("/", "/administration/accounts")] == [200, 200]
    assert program.get("/api/v1/campaigns").status_code == 200
    off = olga.post(f"{PAGE}/off", data={"old": PASSWORD, "code": shown_code()})
    assert off.status_code == 409
    # Who is no organiser need not, and signing out works before.
    assert (
        signed_in_client(demanding, sqlite_database, cast.accounts["Ada"]).get("/account").status_code == 200
    )
    with sqlite_database.writing() as db:
        db.execute(update(AccountRow).values(app_confirmed_at=None))
    assert olga.get("/").location == PAGE
    assert olga.post("/sign-out").location.startswith("/sign-in")


def test_where_it_is_demanded_of_everybody_an_assessor_is_led_through_it(
    app: Flask, settings: Settings, cast: Cast, sqlite_database: Database
) -> None:
    demanded = replace(settings, two_factor_demand=TwoFactorDemand.EVERYBODY)
    init_app(app, Context(demanded, sqlite_database, CHEAP))
    ada = signed_in_client(app, sqlite_database, cast.accounts["Ada"])
    assert ada.get("/c/harbour/judge").location == PAGE
    assert demanded.two_factor_demand.label in ada.get(PAGE).text
    ada.post(f"{PAGE}/prepare")
    (secret,) = re.findall(r'value="([A-Z2-7]{32})"', ada.get(PAGE).text)
    made = ada.post(f"{PAGE}/on", data={"old": PASSWORD, "code": shown_code(secret)})
    # Beside the recovery codes stands the way on.
    assert '<a class="button" href="/">' in made.text
    assert [ada.get(each).status_code for each in ("/", "/c/harbour/judge")] == [200, 200]
    assert ada.post(f"{PAGE}/off", data={"old": PASSWORD, "code": shown_code(secret)}).status_code == 409
    # Who came by a provider chooses a password first.
    with sqlite_database.writing() as db:
        db.get_one(AccountRow, cast.accounts["Ben"].id).password_hash = WITHOUT_PASSWORD
    page = signed_in_client(app, sqlite_database, cast.accounts["Ben"]).get(PAGE).text
    assert f"{PAGE}/prepare" not in page


@pytest.mark.parametrize(
    ("text", "demand"),
    [("", "no"), ("no", "no"), ("yes", "yes"), ("1", "yes"), (" Everybody ", "everybody")],
)
def test_the_setting_says_of_whom_it_is_demanded(text: str, demand: str) -> None:
    assert read_settings({"WORKBENCH_REQUIRE_TWO_FACTOR": text}).two_factor_demand == demand
    with pytest.raises(WorkbenchError, match="WORKBENCH_REQUIRE_TWO_FACTOR"):
        read_settings({"WORKBENCH_REQUIRE_TWO_FACTOR": f"{text} somebody"})


def test_where_it_is_demanded_the_desk_has_no_way_around(
    demanding: Flask, cast: Cast, sqlite_database: Database
) -> None:
    ada = cast.accounts["Ada"]
    address = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    desk = Desk(signed_in_client(demanding, sqlite_database, ada), address)
    ahead = f"{address}/documents?docno=d2"
    assert desk.client.get(ahead).status_code == 200
    with sqlite_database.writing() as db:
        set_administrator(db, ada.id, True)
    desk.client = signed_in_client(demanding, sqlite_database, ada)
    # The first is what the quick way takes for a session that was valid lately.
    for _ in range(2):
        assert desk.client.get(ahead, headers={"Accept": "application/json"}).status_code == 403
    # What she has judged is taken all the same, as from an account that was disabled: no judgment is lost.
    assert desk.send(desk.event("d1", 1)).status_code == 200
    assert desk.client.get(ahead, headers={"Accept": "application/json"}).status_code == 403
