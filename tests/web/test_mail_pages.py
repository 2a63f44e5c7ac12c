"""Mail on the pages: who forgot the password, reminders, own addresses, and what the administrator sees."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from tests.cast import CHEAP, Cast
from tests.web.conftest import Enter
from workbench.settings import MailSettings, Settings
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, MailMessageRow
from workbench.web.context import Context, init_app

MAIL = MailSettings("mail.example.org", 587, "starttls", "w@example.org", "https://judge.example.org")


@pytest.fixture
def sending(app: Flask, settings: Settings, sqlite_database: Database) -> None:
    """The site sends mail."""
    init_app(app, Context(replace(settings, mail=MAIL), sqlite_database, CHEAP))


def kinds(database: Database) -> list[tuple[str, str]]:
    with database.reading() as db:
        return [
            (one.kind, one.asked) for one in db.scalars(select(MailMessageRow).order_by(MailMessageRow.id))
        ]


@pytest.mark.usefixtures("sending", "cast")
def test_the_answer_to_a_forgotten_password_tells_nothing(app: Flask, sqlite_database: Database) -> None:
    client = app.test_client()
    answers = [client.post("/lost-password", data={"login": one}) for one in ("ada", "nobody")]
    assert {(one.status_code, one.location) for one in answers} == {(303, "/lost-password?asked=yes")}
    # Whose it is is found out by the sender, so that neither takes longer.
    assert kinds(sqlite_database) == [("new password", "ada"), ("new password", "nobody")]


@pytest.mark.usefixtures("cast")
def test_a_site_without_mail_offers_no_message(app: Flask, enter: Enter, sqlite_database: Database) -> None:
    assert app.test_client().post("/lost-password", data={"login": "ada"}).status_code == 404
    assert enter("Olga").post("/administration/mail/test", data={"address": "a@b.org"}).status_code == 404
    assert app.test_client().get("/lost-password").status_code == 200
    assert enter("Ada").post("/account/address", data={"address": "a@b.org"}).status_code == 404
    assert kinds(sqlite_database) == []


@pytest.mark.usefixtures("sending")
def test_an_organiser_reminds_those_with_open_work_and_an_address_once_a_day(
    enter: Enter, cast: Cast, sqlite_database: Database
) -> None:
    ada, ben = (str(cast.accounts[name].id) for name in ("Ada", "Ben"))
    with sqlite_database.writing() as db:
        db.get_one(AccountRow, int(ada)).address = "ada@example.org"
    olga = enter("Olga")
    place = "/c/harbour/assignments/reminders"
    assert olga.post(place, data={"assessor": [ada, ben]}).status_code == 303
    # Ben has no address, and a second click reminds nobody.
    assert kinds(sqlite_database) == [("reminder", "")]
    assert olga.post(place, data={"assessor": [ada, ben]}).status_code == 422
    assert enter("Ada").get(place).status_code == 403


@pytest.mark.usefixtures("sending", "cast")
def test_an_administrator_sees_messages_and_sends_a_failed_one_again(
    olga: FlaskClient, sqlite_database: Database
) -> None:
    assert olga.post("/administration/mail/test", data={"address": "no address"}).status_code == 422
    assert olga.post("/administration/mail/test", data={"address": "olga@example.org"}).status_code == 303
    with sqlite_database.writing() as db:
        row = db.scalars(select(MailMessageRow)).one()
        row.state, row.tries, row.reason = "failed", 1, "550 no such user"
        number = row.id
    page = olga.get("/administration/mail").text
    assert "550 no such user" in page
    assert "olga@example.org" in page
    assert olga.post(f"/administration/mail/{number}/again").status_code == 303
    assert olga.post(f"/administration/mail/{number}/again").status_code == 409
