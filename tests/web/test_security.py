"""What a browser is told, what a cookie is, and what another site cannot do."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, update
from werkzeug.test import TestResponse

from tests.cast import CHEAP, PASSWORD, Cast, signed_in_client
from tests.uploads import notices_in
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.storage.tables import SessionRow, SignInAttemptRow
from workbench.web.app import create_app
from workbench.web.context import context_of, init_app
from workbench.web.requests import safe_next

PAGES_OF_ANYONE = (
    "/sign-in",
    "/welcome",
    "/nothing",
    "/invitation/none",
    "/healthz",
    "/static/workbench.css",
)
PAGES_OF_OLGA = ("/", "/account", "/c/harbour/people", "/c/nothing/people", "/c/harbour/judge")
PAGES_OF_ADA = ("/", "/c/harbour/judge", "/c/harbour/judge/{desk}", "/c/harbour/judge/{desk}/answers")

# What may stand in no page: a policy that forbids it breaks the page for those whose browser obeys.
INLINE = re.compile(r"<style|\sstyle\s*=|\son[a-z]+\s*=|javascript:|<script(?![^>]*\ssrc=)|<base|<iframe")


def pages(app: Flask, database: Database, cast: Cast) -> list[TestResponse]:
    """Every kind of page there is, errors as well."""
    desk = cast.assignments["Ada", "T1"]
    answers = [app.test_client().get(path, buffered=True) for path in PAGES_OF_ANYONE]
    for name, paths in (("Olga", PAGES_OF_OLGA), ("Ada", PAGES_OF_ADA)):
        client = signed_in_client(app, database, cast.accounts[name])
        answers += [client.get(path.format(desk=desk)) for path in paths]
        answers += [client.post("/account/name"), client.post("/sign-in"), client.put("/sign-in")]
    return answers


def sign_in(
    app: Flask, login: str = "ada", password: str = PASSWORD, **form: str
) -> tuple[FlaskClient, TestResponse]:
    client = app.test_client()
    return client, client.post("/sign-in", data={"login": login, "password": password, **form})


def test_every_answer_carries_the_policy(app: Flask, sqlite_database: Database, cast: Cast) -> None:
    for answer in pages(app, sqlite_database, cast):
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        for part in ("form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'", "connect-src 'self'"):
            assert part in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_no_page_holds_what_the_policy_forbids(app: Flask, sqlite_database: Database, cast: Cast) -> None:
    for answer in pages(app, sqlite_database, cast):
        if answer.mimetype == "text/html":
            assert INLINE.findall(answer.text) == [], answer.request.path


def test_no_page_is_kept_by_a_cache(app: Flask, sqlite_database: Database, cast: Cast) -> None:
    for answer in pages(app, sqlite_database, cast):
        if not answer.request.path.startswith("/static/"):
            assert answer.headers["Cache-Control"] == "no-store"


def test_static_files_are_kept_for_ever_under_their_hash(app: Flask, cast: Cast) -> None:
    client = app.test_client()
    found = re.search(r"/static/workbench\.css\?v=[0-9a-f]{12}", client.get("/sign-in").text)
    assert found is not None
    assert "immutable" in client.get(found[0], buffered=True).headers["Cache-Control"]
    for other in ("/static/workbench.css", "/static/workbench.css?v=000000000000"):
        assert client.get(other, buffered=True).headers["Cache-Control"] == "no-cache"
    assert client.get("/static/none.css").status_code == 404
    assert client.get("/static/../pyproject.toml").status_code == 404


@pytest.mark.parametrize(
    ("headers", "taken"),
    [
        ({}, True),
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, False),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}, True),
        ({"Origin": "http://localhost"}, True),
        ({"Origin": "http://localhost.example.org"}, False),
        ({"Origin": "http://localhost:8080"}, False),
        ({"Origin": "null"}, False),
        ({"Origin": "http://[broken"}, False),
    ],
)
def test_a_form_from_another_site_is_refused(ada: FlaskClient, headers: dict[str, str], taken: bool) -> None:
    answer = ada.post("/account/name", data={"name": "Changed"}, headers=headers)
    assert answer.status_code == (303 if taken else 403)
    assert ("Changed" in ada.get("/account").text) is taken


def test_another_site_cannot_sign_anybody_in_or_out(app: Flask, ada: FlaskClient) -> None:
    foreign = {"Sec-Fetch-Site": "cross-site"}
    form = {"login": "ada", "password": PASSWORD}
    assert ada.post("/sign-out", headers=foreign).status_code == 403
    assert ada.get("/account").status_code == 200
    assert app.test_client().post("/sign-in", data=form, headers=foreign).status_code == 403


def test_the_cookie_is_for_this_host_and_no_script(app: Flask, cast: Cast) -> None:
    _, answer = sign_in(app)
    cookies = answer.headers.getlist("Set-Cookie")
    assert [cookie.partition("=")[0] for cookie in cookies] == ["workbench"]
    for cookie in cookies:
        parts = {part.strip() for part in cookie.split(";")}
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= parts
        assert "Secure" not in parts
        assert not any(part.startswith("Domain") for part in parts)


def test_over_https_the_cookie_is_bound_to_it(app: Flask, cast: Cast) -> None:
    client = app.test_client()
    form = {"login": "ada", "password": PASSWORD}
    answer = client.post("/sign-in", data=form, base_url="https://localhost")
    for cookie in answer.headers.getlist("Set-Cookie"):
        assert cookie.startswith("__Host-workbench=")
        assert "; Secure" in cookie
    assert client.get("/account", base_url="https://localhost").status_code == 200


def test_over_https_a_cookie_without_the_prefix_is_nobodys(
    app: Flask, sqlite_database: Database, cast: Cast
) -> None:
    # A neighbouring host can set `workbench`, but not `__Host-workbench`.
    client = signed_in_client(app, sqlite_database, cast.accounts["Ada"])
    assert client.get("/account", base_url="https://localhost").status_code == 303


def test_behind_a_proxy_its_headers_are_believed_and_else_not(
    settings: Settings, sqlite_database: Database, app: Flask, cast: Cast
) -> None:
    behind = create_app(replace(settings, behind_proxy=1), sqlite_database, passwords=CHEAP)
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "judge.example.org"}
    form = {"login": "ada", "password": PASSWORD}
    for application, prefix in ((behind, "__Host-"), (app, "workbench")):
        answer = application.test_client().post("/sign-in", data=form, headers=forwarded)
        assert answer.headers["Set-Cookie"].startswith(prefix)


def test_signing_out_ends_the_session_on_the_server(app: Flask, cast: Cast) -> None:
    client, answer = sign_in(app)
    stolen = answer.headers["Set-Cookie"].split(";")[0].partition("=")[2]
    out = client.post("/sign-out")
    assert out.location == "/sign-in?why=signed-out"
    client.set_cookie("workbench", stolen)
    assert client.get("/account").status_code == 303


def test_another_password_ends_every_other_session(app: Flask, cast: Cast) -> None:
    (here, _), (there, _) = sign_in(app), sign_in(app)
    before = here.get_cookie("workbench")
    changed = here.post(
        "/account/password",
        data={"old": PASSWORD, "password": "a new long one", "repeated": "a new long one"},
    )
    assert changed.status_code == 303
    assert here.get_cookie("workbench") != before
    assert notices_in(here.get("/account").text) == ["good"]
    assert there.get("/account").status_code == 303
    assert sign_in(app)[1].status_code == 422
    assert sign_in(app, password="a new long one")[1].status_code == 303


def test_a_session_ends_by_itself(app: Flask, sqlite_database: Database, cast: Cast) -> None:
    client, _ = sign_in(app)
    with sqlite_database.writing() as db:
        db.execute(update(SessionRow).values(expires_at=datetime.now(UTC) - timedelta(seconds=1)))
    assert client.get("/account").status_code == 303


def test_signing_in_gives_a_new_token_and_ends_the_old_one(app: Flask, cast: Cast) -> None:
    client, first = sign_in(app)
    old = first.headers["Set-Cookie"].split(";")[0].partition("=")[2]
    again = client.post("/sign-in", data={"login": "ada", "password": PASSWORD})
    assert again.status_code == 303
    client.set_cookie("workbench", old)
    assert client.get("/account").status_code == 303


def test_guessing_is_slowed_down_and_says_for_how_long(app: Flask, cast: Cast) -> None:
    statuses = [sign_in(app, password=f"guess {number}")[1].status_code for number in range(6)]
    assert statuses == [422, 422, 422, 422, 429, 429]
    _, right = sign_in(app)
    assert right.status_code == 429
    assert re.search(r"Try again in (30|29|28) seconds", right.text)
    assert 0 < int(right.headers["Retry-After"]) <= 30
    assert "Set-Cookie" not in right.headers


def test_who_is_signed_in_is_not_slowed_down_by_others(app: Flask, cast: Cast) -> None:
    owner, _ = sign_in(app)
    for number in range(6):
        sign_in(app, password=f"guess {number}")
    assert sign_in(app)[1].status_code == 429
    form = {"old": PASSWORD, "password": "a new long one", "repeated": "a new long one"}
    assert owner.post("/account/password", data=form).status_code == 303


def test_signing_out_empties_the_cache_and_leaves_unsent_answers(app: Flask, cast: Cast) -> None:
    for path in ("/sign-out", "/account/sign-out-everywhere"):
        client, _ = sign_in(app)
        answer = client.post(path, data={"everywhere": PASSWORD})
        assert answer.headers["Clear-Site-Data"] == '"cache"'


def test_over_https_browsers_are_told_to_stay_there(app: Flask, settings: Settings, cast: Cast) -> None:
    answer = app.test_client().get("/sign-in", base_url="https://localhost")
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "Strict-Transport-Security" not in app.test_client().get("/sign-in").headers
    # Of its subdomains only somebody else knows.
    init_app(app, replace(context_of(app), settings=replace(settings, strict_subdomains=True)))
    answer = app.test_client().get("/sign-in", base_url="https://localhost")
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"


@pytest.mark.parametrize(
    ("address", "believed"),
    [
        ("127.0.0.1", True),
        ("10.1.2.3", True),
        ("::ffff:10.1.2.3", True),
        ("203.0.113.9", False),
        ("::2", False),
    ],
)
def test_only_proxies_are_believed(
    settings: Settings, sqlite_database: Database, cast: Cast, address: str, believed: bool
) -> None:
    behind = create_app(replace(settings, behind_proxy=1), sqlite_database, passwords=CHEAP)
    client = behind.test_client()
    client.post(
        "/sign-in",
        data={"login": "nobody", "password": "wrong"},
        headers={"X-Forwarded-For": "198.51.100.7", "X-Forwarded-Prefix": "/elsewhere"},
        environ_overrides={"REMOTE_ADDR": address},
    )
    with sqlite_database.reading() as db:
        (counted,) = db.scalars(select(SignInAttemptRow.address)).all()
    assert (counted == "198.51.100.7") is believed


def test_the_site_answers_under_its_own_names_only(
    settings: Settings, sqlite_database: Database, cast: Cast, caplog: pytest.LogCaptureFixture
) -> None:
    named = create_app(replace(settings, hosts=("judge.example.org",)), sqlite_database, passwords=CHEAP)
    client = named.test_client()
    assert client.get("/sign-in", base_url="http://judge.example.org:8000").status_code == 200
    for host in ("evil.example", "judge.example.org.evil.example", "127.0.0.1"):
        answer = client.get("/sign-in", base_url=f"http://{host}")
        assert answer.status_code == 400
        assert host not in answer.text
        # The administrator who forgot the setting finds it on the page and in the log.
        assert "WORKBENCH_HOSTS" in answer.text
        assert f"request to '{host}' refused: WORKBENCH_HOSTS is judge.example.org" in caplog.text


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_name_for_this_machine_creates_no_first_account(app: Flask, method: str) -> None:
    # A site whose name is made to lead here has the origin of these pages: browsers say `same-origin`.
    client = app.test_client()
    form = {"login": "eve", "name": "Eve", "password": PASSWORD, "repeated": PASSWORD}
    for host in ("rebound.example", "localhost.evil.example", "127.0.0.1.evil.example"):
        data = form if method == "POST" else None
        answer = client.open("/welcome", method=method, data=data, base_url=f"http://{host}")
        assert answer.status_code == 403
    for host in ("localhost:8765", "127.0.0.1:8765", "[::1]:8765", "192.0.2.4"):
        assert client.get("/welcome", base_url=f"http://{host}").status_code == 200


def test_the_login_name_is_typed_once_only(app: Flask, cast: Cast) -> None:
    page = sign_in(app, login='"><script>alert(1)</script>', password="wrong")[1].text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/x\\y",
        "javascript:alert(1)",
        " /account",
        "/a\nb",
        "/\t/evil.example",
        "account",
        "",
    ],
)
def test_signing_in_leads_to_no_other_site(app: Flask, cast: Cast, address: str) -> None:
    with app.test_request_context():
        assert safe_next(address) is None
    assert sign_in(app, next=address)[1].location == "/"


def test_signing_in_leads_back_to_the_page_asked_for(app: Flask, cast: Cast) -> None:
    asked = app.test_client().get("/c/harbour/judge/1?docno=d%2F4")
    assert asked.location == "/sign-in?next=/c/harbour/judge/1?docno%3Dd%252F4"
    _, answer = sign_in(app, next="/c/harbour/judge/1?docno=d%2F4")
    assert answer.location == "/c/harbour/judge/1?docno=d%2F4"


def test_a_form_sent_after_the_session_ended_is_said_to_be_lost(app: Flask, cast: Cast) -> None:
    client = app.test_client()
    answer = client.post(
        "/c/harbour/judge/1/answer", headers={"Referer": "http://localhost/c/harbour/judge/1"}
    )
    assert answer.location == "/sign-in?next=/c/harbour/judge/1&why=not-sent"
    assert notices_in(client.get(answer.location).text) == ["poor"]
    foreign = client.post("/sign-out", headers={"Referer": "http://evil.example/x"})
    assert foreign.location == "/sign-in?next=/&why=not-sent"


def test_strangers_may_not_send_much(app: Flask, enter: Any) -> None:
    much = {"login": "x" * 100_000, "password": "y"}
    assert app.test_client().post("/sign-in", data=much).status_code == 413


def test_a_notice_that_somebody_else_wrote_is_not_shown(app: Flask, enter: Any) -> None:
    ada, ben = enter("Ada"), enter("Ben")
    ada.post("/account/name", data={"name": "Ada"})
    notice = ada.get_cookie("workbench-notice")
    assert notice is not None
    ben.set_cookie("workbench-notice", notice.value)
    assert notices_in(ben.get("/account").text) == []
    assert notices_in(ada.get("/account").text) == ["good"]
    assert notices_in(ada.get("/account").text) == []
