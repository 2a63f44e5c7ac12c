"""One's own account, the list of campaigns, and the people of a campaign."""

from __future__ import annotations

import re
from typing import Any

from flask import Flask

from tests.cast import PASSWORD, Cast
from tests.uploads import notices_in
from workbench.storage.engine import Database
from workbench.workflow.people.membership import add_role
from workbench.workflow.people.roles import Role


def test_a_link_is_shown_once_and_works(app: Flask, enter: Any) -> None:
    olga = enter("Olga")
    made = olga.post("/c/harbour/people/invitations", data={"role": "viewer", "note": "Carla <b>"})
    assert made.status_code == 201
    found = re.search(r'value="http://localhost(/invitation/[\w-]+)"', made.text)
    assert found is not None
    assert "Carla &lt;b&gt;" in made.text
    assert app.test_client().get(found[1]).status_code == 200
    assert found[1] not in olga.get("/c/harbour/people").text


def test_a_link_can_be_taken_back(app: Flask, enter: Any) -> None:
    olga = enter("Olga")
    made = olga.post("/c/harbour/people/invitations", data={"role": "viewer"}).text
    (link,) = re.findall(r"http://localhost(/invitation/[\w-]+)", made)
    (revoke,) = re.findall(r'action="(/c/harbour/people/invitations/\d+/revoke)"', made)
    assert olga.post(revoke).status_code == 303
    assert notices_in(olga.get("/c/harbour/people").text) == ["good"]
    assert app.test_client().get(link).status_code == 404
    assert olga.post(revoke).status_code == 404


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
    assert olga.post(f"{people}/{otto}/roles", data={"role": "viewer"}).status_code == 404


def test_the_last_organiser_cannot_leave(enter: Any, cast: Cast) -> None:
    olga, self = enter("Olga"), cast.accounts["Olga"].id
    leave = {"role": "organiser"}
    answer = olga.post(f"/c/harbour/people/{self}/roles/remove", data=leave)
    assert answer.status_code == 409
    assert "needs an organiser" in answer.text


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
    assert "<strong>6</strong> documents left for you to judge" in page
    assert '<a class="whole" href="/c/harbour/judge">' in page


def test_somebody_without_a_campaign_is_told_what_to_do(
    enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    olga = enter("Olga")
    olga.post(f"/c/harbour/people/{cast.accounts['Vera'].id}/roles/remove", data={"role": "viewer"})
    page = enter("Vera").get("/").text
    assert 'class="empty"' in page
    assert 'class="whole"' not in page


def test_a_name_is_changed_and_shown_without_harm(enter: Any) -> None:
    ada = enter("Ada")
    assert ada.post("/account/name", data={"name": "<script>x</script>"}).status_code == 303
    page = ada.get("/account").text
    assert notices_in(page) == ["good"]
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    refused = ada.post("/account/name", data={"name": ""})
    assert refused.status_code == 422
    assert 'id="name-error-1"' in refused.text


def test_a_wrong_old_password_changes_nothing(app: Flask, enter: Any) -> None:
    ada = enter("Ada")
    form = {"old": "wrong", "password": "another long one", "repeated": "another long one"}
    answer = ada.post("/account/password", data=form)
    assert answer.status_code == 422
    assert 'id="old-error-1"' in answer.text
    short = ada.post("/account/password", data=form | {"old": PASSWORD, "password": "x"})
    assert short.status_code == 422
    assert app.test_client().post("/sign-in", data={"login": "ada", "password": PASSWORD}).status_code == 303


def test_guessing_ones_own_password_is_slowed_down_too(enter: Any) -> None:
    ada = enter("Ada")
    form = {"old": "wrong", "password": "another long one", "repeated": "another long one"}
    statuses = [ada.post("/account/password", data=form).status_code for _ in range(6)]
    assert statuses == [422, 422, 422, 422, 429, 429]
    assert ada.post("/account/password", data=form | {"old": PASSWORD}).status_code == 429


def test_signing_out_everywhere_ends_every_session(enter: Any) -> None:
    here, there = enter("Ada"), enter("Ada")
    assert here.post("/account/sign-out-everywhere").status_code == 303
    assert here.get("/account").status_code == 303
    assert there.get("/account").status_code == 303


def test_while_work_is_left_an_assessors_other_roles_rest(
    enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        add_role(db, cast.campaign_id, cast.accounts["Ada"].id, Role.VIEWER)
    page = enter("Ada").get("/c/harbour/judge").text
    assert '<span class="roles">, assessor</span>' in page
