"""The entrance: the first visit, signing in, and coming by an invitation."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask

from tests.builders import invite
from tests.cast import CHEAP, PASSWORD, Cast, signed_in_client
from tests.uploads import notices_in
from workbench.storage.engine import Database
from workbench.web.pages import entrance
from workbench.workflow.people import invitations
from workbench.workflow.people.accounts import create_first_account, prepare_account
from workbench.workflow.people.membership import Role, members
from workbench.workflow.people.signing_in import make_reset

OLGA = {"login": "olga", "name": "Olga", "password": PASSWORD, "repeated": PASSWORD}
CARLA = OLGA | {"login": "carla", "name": "Carla"}


@pytest.fixture
def token(sqlite_database: Database, cast: Cast) -> str:
    with sqlite_database.writing() as db:
        return invite(db, cast.campaign_id, role=Role.ASSESSOR, invited_by=cast.accounts["Olga"].id).token


def test_the_first_visit_makes_the_first_account_and_signs_it_in(app: Flask) -> None:
    client = app.test_client()
    assert client.get("/").location == "/welcome"
    assert client.get("/sign-in").location == "/welcome"
    assert 'method="post" action="/welcome"' in client.get("/welcome").text

    made = client.post("/welcome", data=OLGA)

    assert (made.status_code, made.location) == (303, "/")
    assert "Olga" in client.get("/").text
    assert "administrator" in client.get("/account").text


def test_the_first_visit_is_over_once_there_is_an_account(app: Flask, cast: Cast) -> None:
    client = app.test_client()
    assert client.get("/welcome").location == "/sign-in"
    assert client.post("/welcome", data=CARLA).status_code == 409
    assert client.post("/sign-in", data=CARLA).status_code == 422


def test_of_two_first_visits_the_later_is_refused(
    app: Flask, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = entrance._new_account

    def while_somebody_is_faster() -> Any:
        new = prepare()
        with sqlite_database.writing() as db:
            create_first_account(
                db, prepare_account(login="otto", name="Otto", password=PASSWORD, passwords=CHEAP)
            )
        return new

    monkeypatch.setattr(entrance, "_new_account", while_somebody_is_faster)
    answer = app.test_client().post("/welcome", data=OLGA)
    assert answer.status_code == 409
    assert "the first account exists already" in answer.text.lower()
    assert "Set-Cookie" not in answer.headers


def test_everything_wrong_is_said_beside_its_field_and_nothing_typed_is_lost(app: Flask) -> None:
    bad = {"login": "o l", "name": "Olga <b>", "password": "short", "repeated": "other"}
    answer = app.test_client().post("/welcome", data=bad)
    assert answer.status_code == 422
    for field in ("login", "password", "repeated"):
        assert f'id="{field}-error-1"' in answer.text
        assert re.search(rf'<input id="{field}"[^>]* aria-invalid="true"', answer.text)
    assert 'value="Olga &lt;b&gt;"' in answer.text
    assert "short" not in answer.text.replace("too short", "")


def test_a_failed_sign_in_keeps_the_login_name_and_says_one_thing(app: Flask, cast: Cast) -> None:
    answer = app.test_client().post("/sign-in", data={"login": "ada", "password": "wrong guess"})
    assert answer.status_code == 422
    assert "The login name or the password is wrong." in answer.text
    assert 'value="ada"' in answer.text
    assert "wrong guess" not in answer.text


def test_whoever_is_signed_in_needs_no_form(enter: Any) -> None:
    assert enter("Ada").get("/sign-in?next=/account").location == "/account"


def test_an_assessor_begins_at_the_topics(
    app: Flask, cast: Cast, token: str, sqlite_database: Database
) -> None:
    client = app.test_client()
    page = client.get(f"/invitation/{token}").text
    assert "You are invited as <b>assessor</b>" in page
    assert '<bdi dir="auto">Olga</bdi>' in page

    joined = client.post(f"/invitation/{token}/register", data=CARLA)

    assert (joined.status_code, joined.location) == (303, "/c/harbour/judge")
    assert client.get("/c/harbour/judge").status_code == 200
    with sqlite_database.reading() as db:
        assert "Carla" in [one.name for one in members(db, cast.campaign_id)]


@pytest.mark.parametrize("by", ["an invitation", "a reset link"])
def test_a_link_that_signs_in_ends_the_session_that_the_browser_had(
    app: Flask, cast: Cast, token: str, sqlite_database: Database, by: str
) -> None:
    client, again = (signed_in_client(app, sqlite_database, cast.accounts["Otto"]) for _ in range(2))
    before = client.get_cookie("workbench")
    assert before is not None
    if by == "an invitation":
        client.post(f"/invitation/{token}/register", data=CARLA)
    else:
        with sqlite_database.writing() as db:
            link = make_reset(db, cast.accounts["Ada"].id).token
        client.post(f"/reset/{link}", data={"password": "a new long one", "repeated": "a new long one"})
    assert client.get("/account").status_code == 200
    client.set_cookie("workbench", before.value)
    # In another browser Otto stays signed in.
    assert [one.get("/account").status_code for one in (client, again)] == [303, 200]


def test_whoever_has_an_account_joins_with_it(enter: Any, token: str) -> None:
    otto = enter("Otto")
    assert "Join as" in otto.get(f"/invitation/{token}").text
    joined = otto.post(f"/invitation/{token}/accept")
    assert joined.location == "/c/harbour/judge"
    assert notices_in(otto.get(joined.location).text) == ["good"]


def test_a_used_link_says_so(app: Flask, enter: Any, token: str) -> None:
    enter("Otto").post(f"/invitation/{token}/accept")
    stranger = app.test_client()
    for answer in (
        stranger.get(f"/invitation/{token}"),
        stranger.post(f"/invitation/{token}/register", data=CARLA),
        enter("Vera").post(f"/invitation/{token}/accept"),
    ):
        assert answer.status_code == 404
        assert invitations.NOT_VALID[1:] in answer.text


def test_a_login_name_that_is_taken_is_said_beside_its_field(app: Flask, token: str) -> None:
    client = app.test_client()
    answer = client.post(f"/invitation/{token}/register", data=CARLA | {"login": "Ada"})
    assert answer.status_code == 409
    assert "The login name ada is taken" in answer.text
    answer = client.post(f"/invitation/{token}/register", data=CARLA | {"password": "x"})
    assert answer.status_code == 422
    assert client.post(f"/invitation/{token}/register", data=CARLA).status_code == 303


def test_no_password_is_hashed_for_somebody_without_a_link(
    app: Flask, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrance, "_new_account", lambda: pytest.fail("hashed"))
    client = app.test_client()
    assert client.post("/invitation/none/register", data=CARLA).status_code == 404
    assert client.post("/welcome", data=CARLA).status_code == 409


def test_the_page_of_a_healthy_server_says_ok(app: Flask) -> None:
    answer = app.test_client().get("/healthz")
    assert (answer.status_code, answer.text) == (200, "ok\n")


def test_passwords_are_masked_and_left_to_password_managers(app: Flask, cast: Cast, token: str) -> None:
    for path, kind in (("/sign-in", "current-password"), (f"/invitation/{token}", "new-password")):
        page = app.test_client().get(path).text
        (field,) = re.findall(r'<input id="password"[^>]*>', page)
        assert 'type="password"' in field
        assert f'autocomplete="{kind}"' in field
        assert "paste" not in page
