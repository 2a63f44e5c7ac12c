"""The administrator's pages of accounts, reset links, and one's own sessions."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, update

from tests.api import API, program
from tests.cast import PASSWORD, Cast
from tests.web.test_access import address_of, everything
from tests.web.test_access import samples as samples  # a fixture
from tests.web.test_desk_api import Desk
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, AssessorRow, JudgmentEventRow, SessionRow
from workbench.web.access import Access, Who, access_of
from workbench.web.context import context_of, init_app
from workbench.web.paging import A_PAGE
from workbench.workflow.people.accounts import WITHOUT_PASSWORD, NewAccount, create_account

PAGE = "/administration/accounts"
NEW = "four strange words here"


def test_the_list_is_searched_and_paged(olga: FlaskClient, sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        for number in range(A_PAGE):
            create_account(db, NewAccount(f"x{number:03}", "Ximena", "-"))
    first, second = olga.get(PAGE).text, olga.get(f"{PAGE}?from=100").text
    assert (first.count(f'href="{PAGE}/'), second.count(f'href="{PAGE}/')) == (A_PAGE, 7)
    found = olga.get(f"{PAGE}?search=JUD").text
    assert ("judith" in found, "ximena" in found.casefold()) == (True, False)
    assert olga.get(f"{PAGE}?search=nobody-here").text.count(f'href="{PAGE}/') == 0


def test_disabling_ends_the_work_of_a_browser_and_keeps_the_judgment(
    enter: Any, cast: Cast, sqlite_database: Database, app: Flask
) -> None:
    ada, one = enter("Ada"), f"{PAGE}/{cast.accounts['Ada'].id}"
    desk = Desk(ada, f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")
    assert desk.send(desk.event("d1", 1)).status_code == 200
    olga = enter("Olga")
    assert olga.post(f"{one}/disable").status_code == 303
    assert desk.send(desk.event("d2", 1)).status_code == 401
    assert app.test_client().post("/sign-in", data={"login": "ada", "password": PASSWORD}).status_code == 422
    with sqlite_database.reading() as db:
        assert len(db.scalars(select(JudgmentEventRow)).all()) == 1
    olga.post(f"{one}/enable")
    assert app.test_client().post("/sign-in", data={"login": "ada", "password": PASSWORD}).status_code == 303
    # Nobody is the last to leave.
    assert olga.post(f"{PAGE}/{cast.accounts['Olga'].id}/disable").status_code == 409
    assert olga.post(f"{PAGE}/{cast.accounts['Olga'].id}/demote").status_code == 409


def test_a_reset_link_is_shown_once_and_signs_in(app: Flask, enter: Any, cast: Cast) -> None:
    olga, one = enter("Olga"), f"{PAGE}/{cast.accounts['Ben'].id}"
    made = olga.post(f"{one}/reset")
    assert made.status_code == 201
    (path,) = re.findall(r'value="http://localhost(/reset/[^"]+)"', made.text)
    assert path not in olga.get(one).text
    ben = app.test_client()
    assert ben.get(path).status_code == 200
    weak = ben.post(path, data={"password": "short", "repeated": "short"})
    assert (weak.status_code, 'id="password-error-1"' in weak.text) == (422, True)
    assert ben.post(path, data={"password": NEW, "repeated": NEW}).location == "/"
    assert "ben" in ben.get("/account").text
    assert ben.get(path).status_code == 404
    assert app.test_client().post("/sign-in", data={"login": "ben", "password": PASSWORD}).status_code == 422
    # The trail tells of both, and not by which link.
    trail = olga.get("/administration/trail.jsonl").text
    assert [name in trail for name in ("accounts.reset", "entrance.use_reset", path[8:])] == [
        True,
        True,
        False,
    ]


def test_an_administrator_ends_sessions_and_makes_administrators(enter: Any, cast: Cast) -> None:
    vera, olga, one = enter("Vera"), enter("Olga"), f"{PAGE}/{cast.accounts['Vera'].id}"
    assert vera.get(PAGE).status_code == 403
    olga.post(f"{one}/promote")
    assert vera.get(PAGE).status_code == 200
    olga.post(f"{one}/demote")
    assert vera.get(PAGE).status_code == 403
    olga.post(f"{one}/end-sessions")
    assert vera.get("/account").status_code == 303
    assert olga.get(f"{PAGE}/999").status_code == 404


@pytest.mark.parametrize(
    ("path", "field"),
    [("password", "old"), ("sign-out-everywhere", "everywhere"), ("sessions/end-others", "old")],
)
@pytest.mark.parametrize("ticked", [True, False])
def test_a_new_password_and_ended_sessions_revoke_tokens_unless_the_box_is_cleared(
    path: str, field: str, ticked: bool, app: Flask, enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    vera, _ = enter("Vera"), enter("Vera")
    page = "/account" if path == "password" else "/account/sessions"
    # Without tokens there is nothing to choose; one that is made meanwhile is revoked.
    assert 'type="hidden" name="tokens"' in vera.get(page).text
    client = program(app, sqlite_database, cast.accounts["Vera"])
    assert "Also revoke access tokens (1)" in vera.get(page).text
    form = {field: PASSWORD, "password": NEW, "repeated": NEW} | ({"tokens": "yes"} if ticked else {})
    assert vera.post(f"/account/{path}", data=form).status_code == 303
    assert client.get(f"{API}/campaigns").status_code == (401 if ticked else 200)


@pytest.mark.parametrize("ticked", [True, False])
def test_an_administrator_ends_sessions_and_tokens(
    ticked: bool, app: Flask, enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    enter("Vera")
    client = program(app, sqlite_database, cast.accounts["Vera"])
    olga, one = enter("Olga"), f"{PAGE}/{cast.accounts['Vera'].id}"
    assert "Also revoke access tokens (1)" in olga.get(one).text
    olga.post(f"{one}/end-sessions", data={"tokens": "yes"} if ticked else {})
    assert client.get(f"{API}/campaigns").status_code == (401 if ticked else 200)


def test_an_administrator_sees_tokens_and_revokes_one(
    app: Flask, enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    olga, one = enter("Olga"), f"{PAGE}/{cast.accounts['Vera'].id}"
    client = program(app, sqlite_database, cast.accounts["Vera"], ["read", "runs"])
    kept = program(app, sqlite_database, cast.accounts["Vera"])
    page = olga.get(one).text
    assert ("a program" in page, "read, runs" in page) == (True, True)
    path = re.findall(r'action="([^"]+/tokens/\d+/revoke)"', page)[-1]
    assert enter("Ada").post(path).status_code == 403
    assert olga.post(path).status_code == 303
    assert [each.get(f"{API}/campaigns").status_code for each in (client, kept)] == [401, 200]
    # A token of somebody else is not revoked by the address of this account.
    other = path.replace(f"/{cast.accounts['Vera'].id}/", f"/{cast.accounts['Ada'].id}/")
    assert olga.post(other).status_code == 404


def test_a_disabled_account_and_a_reset_link_end_tokens_for_good(
    app: Flask, enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    olga, one = enter("Olga"), f"{PAGE}/{cast.accounts['Vera'].id}"
    client = program(app, sqlite_database, cast.accounts["Vera"])
    olga.post(f"{one}/disable")
    olga.post(f"{one}/enable")
    assert client.get(f"{API}/campaigns").status_code == 401
    client = program(app, sqlite_database, cast.accounts["Vera"])
    (link,) = re.findall(r'value="http://localhost(/reset/[^"]+)"', olga.post(f"{one}/reset").text)
    assert client.get(f"{API}/campaigns").status_code == 200
    app.test_client().post(link, data={"password": NEW, "repeated": NEW})
    assert client.get(f"{API}/campaigns").status_code == 401


def test_own_sessions_are_listed_and_ended(enter: Any) -> None:
    here, there, elsewhere = enter("Vera"), enter("Vera"), enter("Vera")
    page = here.get("/account/sessions").text
    assert page.count("this browser") == 1
    other, _ = re.findall(r'name="session" value="([0-9a-f]+)"', page)
    one = {"session": other, "old": PASSWORD}
    assert here.post("/account/sessions/end", data=one).status_code == 303
    assert sorted(one.get("/account").status_code for one in (there, elsewhere)) == [200, 303]
    assert here.post("/account/sessions/end", data=one).status_code == 404
    assert here.post("/account/sessions/end-others", data={"old": PASSWORD}).status_code == 303
    assert [one.get("/account").status_code for one in (here, there, elsewhere)] == [200, 303, 303]


def test_whoever_took_over_a_session_ends_none_without_the_password(
    enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    here, there = enter("Vera"), enter("Vera")
    (other,) = re.findall(r'name="session" value="([0-9a-f]+)"', here.get("/account/sessions").text)
    fields = {"sessions/end": "old", "sessions/end-others": "old", "sign-out-everywhere": "everywhere"}
    for path, field in fields.items():
        answer = here.post(f"/account/{path}", data={"session": other, field: "a guess"})
        assert (answer.status_code, f'id="{field}-error-1"' in answer.text) == (422, True)
    assert [one.get("/account").status_code for one in (here, there)] == [200, 200]
    # Who signs in at a provider has none, and is not asked for one.
    with sqlite_database.writing() as db:
        db.get_one(AccountRow, cast.accounts["Vera"].id).password_hash = WITHOUT_PASSWORD
    assert 'type="password"' not in here.get("/account/sessions").text
    assert here.post("/account/sessions/end-others").status_code == 303
    assert there.get("/account").status_code == 303


def test_a_session_that_is_not_used_ends(
    app: Flask, enter: Any, cast: Cast, settings: Settings, sqlite_database: Database
) -> None:
    desk = Desk(enter("Ada"), f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")
    event = desk.event("d1", 1)

    def unused_for(idle: timedelta | None, **time: int) -> tuple[int, int, int]:
        """The status of a page, and of the short way of the desk, and how many sessions Olga sees."""
        init_app(app, replace(context_of(app), settings=replace(settings, session_idle=idle)))
        with sqlite_database.writing() as db:
            used_at = datetime.now(UTC) - timedelta(**time)
            mine = SessionRow.account_id == cast.accounts["Ada"].id
            db.execute(update(SessionRow).where(mine).values(used_at=used_at))
        listed = olga.get(f"{PAGE}/{cast.accounts['Ada'].id}").text.count('data-of="From"')
        statuses = desk.send(event).status_code, desk.client.get("/account").status_code
        context_of(app).uses.wait()
        return *statuses, listed

    olga = enter("Olga")
    two_hours = timedelta(hours=2)
    # Its use is noted to the hour: in the third it may have been used two hours ago.
    assert unused_for(two_hours, minutes=179) == (200, 200, 1)
    assert unused_for(two_hours, minutes=181) == (401, 303, 0)
    assert unused_for(None, days=29) == (200, 200, 1)
    assert unused_for(settings.session_idle, days=14) == (200, 200, 1)
    assert unused_for(settings.session_idle, days=15) == (401, 303, 0)


def test_the_last_use_is_noted_once_an_hour(
    app: Flask, enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    ada = enter("Ada")
    desk = Desk(ada, f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")
    for act, times in ((lambda: ada.get("/account"), 59), (lambda: desk.send(desk.event("d1", 1)), 61)):
        before = datetime.now(UTC) - timedelta(minutes=times)
        with sqlite_database.writing() as db:
            db.execute(update(SessionRow).values(used_at=before))
        assert act().status_code == 200
        context_of(app).uses.wait()
        with sqlite_database.reading() as db:
            (noted,) = db.scalars(select(SessionRow.used_at)).all()
        assert (noted == before) is (times < 60)


def test_personal_data_is_deleted_once_the_login_name_is_typed(enter: Any, cast: Cast) -> None:
    olga, one = enter("Olga"), f"{PAGE}/{cast.accounts['Ben'].id}"
    wrong = olga.post(f"{one}/erase", data={"login": "bel"})
    assert (wrong.status_code, 'id="login-error-1"' in wrong.text) == (422, True)
    assert olga.post(f"{PAGE}/{cast.accounts['Olga'].id}/erase", data={"login": "olga"}).status_code == 409
    assert olga.post(f"{one}/erase", data={"login": "Ben"}).status_code == 303
    page = olga.get(one).text
    assert "Erased account" in page
    assert f'action="{one}/enable"' not in page
    assert olga.post(f"{one}/enable").status_code == 409


@pytest.mark.slow
def test_no_page_and_no_export_names_a_person_whose_data_was_deleted(
    app: Flask, enter: Any, cast: Cast, sqlite_database: Database, samples: dict[str, Any]
) -> None:
    ben = cast.accounts["Ben"]
    with sqlite_database.writing() as db:
        db.execute(update(AssessorRow).where(AssessorRow.account_id == ben.id).values(name="Quillfeather"))
        db.execute(
            update(AccountRow).where(AccountRow.id == ben.id).values(name="Quillfeather", login="zephyr")
        )
    desk = Desk(enter("Ben"), f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}")
    assert desk.send(desk.event("d1", 1)).status_code == 200
    olga = enter("Olga")
    addresses = [
        address_of(app, endpoint, method, samples | {"account_id": ben.id})
        for endpoint, method in everything()
        if method == "GET" and access_of(app, endpoint) not in (None, Access(Who.ANYONE))
    ]
    kinds = [
        address.replace("csv", kind) for address in addresses for kind in ("csv", "json", "tsv", "jsonl")
    ]

    def naming() -> list[str]:
        found = []
        for address in dict.fromkeys((*addresses, *kinds)):
            text = olga.get(address, buffered=True).data.decode("utf-8", "replace").casefold()
            if "quillfeather" in text or "zephyr" in text:
                found.append(address)
        return found

    assert len(naming()) > 10
    assert olga.post(f"{PAGE}/{ben.id}/erase", data={"login": "zephyr"}).status_code == 303
    assert naming() == []
