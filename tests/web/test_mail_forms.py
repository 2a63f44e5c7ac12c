"""The forms of e-mail: what is refused beside which field, and what an address, once confirmed, is for."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from tests.cast import CHEAP, PASSWORD, Cast
from tests.uploads import text_of
from tests.web.test_mail_pages import MAIL
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, MailMessageRow
from workbench.web.context import Context, init_app
from workbench.workflow.mail.queue import claim_next, note_failed
from workbench.workflow.people.mail_addresses import set_address

SITE = "https://judge.example.org"


@pytest.fixture
def sending(app: Flask, settings: Settings, sqlite_database: Database) -> None:
    """The site sends mail."""
    init_app(app, Context(replace(settings, mail=MAIL), sqlite_database, CHEAP))


@pytest.mark.usefixtures("sending", "cast")
def test_a_forgotten_password_needs_a_name_and_patience(app: Flask, sqlite_database: Database) -> None:
    client = app.test_client()
    page = client.get("/lost-password")
    assert page.status_code == 200
    empty = client.post("/lost-password", data={"login": "  "})
    assert empty.status_code == 422
    assert "nothing was entered" in text_of(empty.text).casefold()
    answers = [client.post("/lost-password", data={"login": "ada"}) for _ in range(6)]
    # Five are free, as of failed sign-ins; then half a minute.
    assert [one.status_code for one in answers] == [303] * 5 + [429]
    assert answers[5].headers["Retry-After"] == "30"
    assert "try again in 30 seconds" in text_of(answers[5].text)


@pytest.mark.usefixtures("sending")
def test_what_is_no_address_is_refused_before_the_password_is_looked_at(
    ada: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    answer = ada.post("/account/address", data={"address": "ada", "old": PASSWORD})
    assert answer.status_code == 422
    assert 'id="address-error-1"' in answer.text
    with sqlite_database.reading() as db:
        assert db.scalars(select(MailMessageRow.id)).all() == []


@pytest.mark.usefixtures("sending")
def test_an_address_is_confirmed_by_its_link_and_removed_by_an_empty_field(
    app: Flask, ada: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    form = {"address": "ada@example.org", "old": PASSWORD}
    assert ada.post("/account/address", data=form | {"old": "guessed"}).status_code == 422
    assert ada.post("/account/address", data=form).status_code == 303
    with sqlite_database.writing() as db:
        claimed = claim_next(db, SITE)
    assert not isinstance(claimed, bool)
    (link,) = re.findall(r"/account/address/confirm/\S+", claimed.message.body)
    # Opening the link changes nothing; its button does.
    stranger = app.test_client()
    opened = stranger.get(link)
    assert "ada@example.org" in text_of(opened.text)
    with sqlite_database.reading() as db:
        assert db.get_one(AccountRow, cast.accounts["Ada"].id).address is None
    assert stranger.post(link).status_code == 200
    with sqlite_database.reading() as db:
        assert db.get_one(AccountRow, cast.accounts["Ada"].id).address == "ada@example.org"
    assert "ada@example.org" in ada.get("/account/address").text
    assert ada.post("/account/address", data={"address": " ", "old": PASSWORD}).status_code == 303
    assert "E-mail address removed." in text_of(ada.get("/account/address").text)
    with sqlite_database.reading() as db:
        assert db.get_one(AccountRow, cast.accounts["Ada"].id).address is None
    # The link is used up.
    assert stranger.get(link).status_code == 404


@pytest.mark.usefixtures("sending")
def test_reminders_are_offered_for_those_with_an_address(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        set_address(db, cast.accounts["Ada"].id, "ada@example.org")
    place = "/c/harbour/assignments/reminders"
    ada = str(cast.accounts["Ada"].id)
    page = olga.get(place)
    assert page.status_code == 200
    past = olga.post(place, data={"assessor": ada, "deadline": "2001-01-01"})
    assert (past.status_code, 'id="deadline-error-1"' in past.text) == (422, True)
    wrong = olga.post(place, data={"assessor": ada, "deadline": "tomorrow"})
    assert wrong.status_code == 422
    assert olga.post(place, data={"assessor": ada, "deadline": "2999-12-31"}).status_code == 303


@pytest.mark.usefixtures("sending")
def test_an_invitation_is_mailed_where_its_note_has_an_address(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    sent = {"role": "assessor", "people": "Eva <eva@example.org>\nJo", "mail": "yes"}
    answer = olga.post("/c/harbour/people/invitations", data=sent)
    assert answer.status_code == 201
    page = text_of(answer.text)
    # Eva's link is in the message only, Jo's on this page only.
    assert "1 invitation on the way" in page
    assert page.count("/invitation/") == 1
    assert "Message to send Jo" in page
    with sqlite_database.reading() as db:
        assert db.scalars(select(MailMessageRow.address)).all() == ["eva@example.org"]
    # The same person, written in another way.
    again = olga.post("/c/harbour/people/invitations", data={"role": "assessor", "people": "EVA@example.org"})
    assert again.status_code == 422
    assert "EVA@example.org has an open invitation" in text_of(again.text)
    with sqlite_database.writing() as db:
        (message,) = db.scalars(select(MailMessageRow.id)).all()
        note_failed(db, message, "550 no such mailbox", for_good=True)
    assert "mail not sent 550 no such mailbox." in text_of(olga.get("/c/harbour/people").text)
