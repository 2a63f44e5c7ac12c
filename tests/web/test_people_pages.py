"""One's own account, the list of campaigns, and the people of a campaign."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import quote

from flask import Flask
from flask.testing import FlaskClient

from tests.cast import PASSWORD, Cast
from tests.uploads import notices_in, text_of
from workbench.storage.engine import Database

PEOPLE = "/c/harbour/people"
LINK = re.compile(r'value="http://localhost(/invitation/[\w-]+)"')


def invitation_numbers(page: str) -> list[str]:
    return re.findall(r'name="selected" value="(\d+)"', page)


def test_a_pasted_list_makes_a_link_and_a_message_for_each(app: Flask, olga: FlaskClient) -> None:
    people = "Carla <b>\n\n Dora Day <dora@example.org>\n" + "".join(f"Guest {n}\n" for n in range(18))
    made = olga.post(f"{PEOPLE}/invitations", data={"role": "viewer", "people": people})
    assert made.status_code == 201
    links = LINK.findall(made.text)
    assert (len(links), len(set(links))) == (20, 20)
    assert {app.test_client().get(link).status_code for link in links} == {200}
    assert "Carla &lt;b&gt;" in made.text
    # A message for each, and one that a mail program takes where there is an address.
    assert len(re.findall(r'<textarea readonly id="text-\d+"', made.text)) == 20
    (mail,) = re.findall(r'href="(mailto:[^"]*)"', made.text)
    assert mail.startswith("mailto:dora@example.org?")
    assert quote(f"http://localhost{links[1]}") in unescape(mail)
    listed = olga.get(PEOPLE).text
    assert (len(invitation_numbers(listed)), LINK.findall(listed)) == (20, [])


def test_a_list_with_a_fault_comes_back_with_the_lines_as_they_were_typed(olga: FlaskClient) -> None:
    typed = {"role": "adjudicator", "people": "\nCarla\n\nDora\ncarla\n"}
    refused = olga.post(f"{PEOPLE}/invitations", data=typed)
    assert refused.status_code == 422
    assert 'id="people-error-1"' in refused.text
    assert "Line 5: carla is already on line 2" in refused.text
    assert "Dora\r\ncarla" in refused.text or "Dora\ncarla" in refused.text
    assert 'value="adjudicator" required checked' in refused.text
    assert invitation_numbers(olga.get(PEOPLE).text) == []


def test_links_are_replaced_and_invitations_withdrawn_one_or_several(app: Flask, olga: FlaskClient) -> None:
    made = olga.post(f"{PEOPLE}/invitations", data={"role": "viewer", "people": "Ann\nBea\nCem"}).text
    first, numbers = LINK.findall(made), invitation_numbers(made)
    # Its own button means this one, whatever is ticked.
    one = olga.post(f"{PEOPLE}/invitations/links", data={"only": numbers[0], "selected": numbers})
    assert (one.status_code, len(LINK.findall(one.text))) == (201, 1)
    renewed = LINK.findall(olga.post(f"{PEOPLE}/invitations/links", data={"selected": numbers}).text)
    assert [app.test_client().get(link).status_code for link in first + renewed] == [404] * 3 + [200] * 3
    assert olga.post(f"{PEOPLE}/invitations/withdraw", data={"selected": numbers[:2]}).status_code == 303
    page = olga.get(PEOPLE).text
    assert notices_in(page) == ["good"]
    assert re.findall(r'class="pill[^"]*">(open|withdrawn)<', page) == ["withdrawn", "withdrawn", "open"]
    assert sum(app.test_client().get(link).status_code == 200 for link in renewed) == 1
    # A slip leaves people on their page.
    for act, sent, said in (
        ("links", {}, "no invitation is selected"),
        ("withdraw", {}, "no invitation is selected"),
        ("links", {"selected": str(2**80)}, "no invitation is selected"),
        ("links", {"selected": "999"}, "there is no such invitation"),
    ):
        refused = olga.post(f"{PEOPLE}/invitations/{act}", data=sent)
        assert refused.status_code == 422
        assert "<h2>Members</h2>" in refused.text
        assert said in refused.text


def test_a_role_that_does_not_exist_is_refused_in_a_table(enter: Any) -> None:
    answer = enter("Olga").post("/c/harbour/people/invitations", data={"role": "king"})
    assert answer.status_code == 422
    assert 'class="mono place">Role<' in answer.text
    assert "&#39;king&#39;" in answer.text


def test_roles_are_given_to_members_and_taken_back(enter: Any, cast: Cast) -> None:
    olga, vera, otto = enter("Olga"), cast.accounts["Vera"].id, cast.accounts["Otto"].id
    people = "/c/harbour/people"
    assert olga.post(f"{people}/{vera}/roles", data={"role": "adjudicator"}).status_code == 303
    assert olga.post(f"{people}/{vera}/roles/remove", data={"role": "viewer"}).status_code == 303
    row = re.search(r"<tr>(?:(?!</tr>).)*Vera.*?</tr>", olga.get(people).text, re.DOTALL)
    assert row is not None
    assert re.findall(r'<span class="pill">(\w+)', row[0]) == ["adjudicator"]
    # Somebody outside is invited, not taken.
    assert olga.post(f"{people}/{otto}/roles", data={"role": "viewer"}).status_code == 422
    # So does a role that another tab has removed.
    twice = olga.post(f"{people}/{vera}/roles/remove", data={"role": "viewer"})
    assert twice.status_code == 422
    assert "Nothing was changed" in twice.text
    assert "this person does not have this role" in twice.text


def test_the_last_organiser_cannot_leave(enter: Any, cast: Cast) -> None:
    olga, self = enter("Olga"), cast.accounts["Olga"].id
    leave = {"role": "organiser"}
    answer = olga.post(f"/c/harbour/people/{self}/roles/remove", data=leave)
    assert answer.status_code == 409
    assert "needs an organiser" in answer.text
    # Whom one click takes out is named, and how to undo it.
    gone = olga.post(
        f"/c/harbour/people/{cast.accounts['Vera'].id}/roles/remove",
        data={"role": "viewer"},
        follow_redirects=True,
    )
    assert "Vera is no longer viewer. Judgments stay. Add the role again" in gone.text


def test_an_organiser_who_leaves_is_led_out(enter: Any, cast: Cast) -> None:
    olga, self = enter("Olga"), cast.accounts["Olga"].id
    olga.post(f"/c/harbour/people/{cast.accounts['Vera'].id}/roles", data={"role": "organiser"})
    answer = olga.post(f"/c/harbour/people/{self}/roles/remove", data={"role": "organiser"})
    assert answer.location == "/"
    assert olga.get("/c/harbour/people").status_code == 404


def test_campaigns_are_listed_with_what_is_left_to_do(enter: Any) -> None:
    page = enter("Ada").get("/").text
    assert "Harbour" in page
    assert "Elsewhere" not in page
    assert "6 documents left for you to judge" in text_of(page)
    assert 'href="/c/harbour/judge"' in page


def test_who_has_a_role_that_is_suspended_is_told_until_when(enter: Any, cast: Cast) -> None:
    people = f"/c/harbour/people/{cast.accounts['Ada'].id}/roles"
    assert enter("Olga").post(people, data={"role": "adjudicator"}).status_code == 303
    refused = enter("Ada").get("/c/harbour/adjudication")
    assert refused.status_code == 403
    text = text_of(refused.text)
    assert "Your role as adjudicator is suspended while you have documents to judge." in text
    assert "Ask an organiser" not in text
    assert "Ask an organiser" in text_of(enter("Ben").get("/c/harbour/adjudication").text)


def test_somebody_without_a_campaign_is_told_what_to_do(
    enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    olga = enter("Olga")
    olga.post(f"/c/harbour/people/{cast.accounts['Vera'].id}/roles/remove", data={"role": "viewer"})
    page = enter("Vera").get("/").text
    assert 'class="empty"' in page
    assert 'class="whole"' not in page


def test_a_name_is_changed_and_shown_without_harm(ada: FlaskClient) -> None:
    assert ada.post("/account/name", data={"name": "<script>x</script>"}).status_code == 303
    page = ada.get("/account").text
    assert notices_in(page) == ["good"]
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    refused = ada.post("/account/name", data={"name": ""})
    assert refused.status_code == 422
    assert 'id="name-error-1"' in refused.text


def test_a_wrong_old_password_changes_nothing(app: Flask, ada: FlaskClient) -> None:
    form = {"old": "wrong", "password": "another long one", "repeated": "another long one"}
    answer = ada.post("/account/password", data=form)
    assert answer.status_code == 422
    assert 'id="old-error-1"' in answer.text
    short = ada.post("/account/password", data=form | {"old": PASSWORD, "password": "x"})
    assert short.status_code == 422
    assert app.test_client().post("/sign-in", data={"login": "ada", "password": PASSWORD}).status_code == 303


def test_guessing_ones_own_password_is_slowed_down_too(ada: FlaskClient) -> None:
    form = {"old": "wrong", "password": "another long one", "repeated": "another long one"}
    statuses = [ada.post("/account/password", data=form).status_code for _ in range(6)]
    assert statuses == [422, 422, 422, 422, 429, 429]
    assert ada.post("/account/password", data=form | {"old": PASSWORD}).status_code == 429
