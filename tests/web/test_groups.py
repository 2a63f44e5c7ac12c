"""The organiser's pages of groups, and the link by which a group's people come."""

from __future__ import annotations

import re

from flask import Flask
from flask.testing import FlaskClient

from tests.cast import PASSWORD, Cast
from tests.uploads import text_of

GROUPS = "/c/harbour/groups"


def test_groups_are_made_many_at_once_or_not_at_all(olga: FlaskClient) -> None:
    assert olga.post(GROUPS, data={"names": "North\r\n\r\n South "}).status_code == 303
    assert "North 0 nobody South 0 nobody Tidewater 0 Petra" in text_of(olga.get(GROUPS).text)
    refused = olga.post(GROUPS, data={"names": "East\nnorth"})
    assert refused.status_code == 409
    assert "two groups cannot be called north" in refused.text
    assert "East" not in olga.get(GROUPS).text
    assert olga.post(GROUPS, data={"names": " \n"}).status_code == 422


def test_somebody_joins_by_the_link_of_the_group(app: Flask, olga: FlaskClient, cast: Cast) -> None:
    made = olga.post(f"{GROUPS}/{cast.group_id}/invitations", data={"people": "Paul"})
    assert made.status_code == 201
    (link,) = re.findall(r'value="http://localhost(/invitation/[\w-]+)"', made.text)
    newcomer = app.test_client()
    assert "participant of Tidewater" in text_of(newcomer.get(link).text)
    person = {"name": "Paul", "login": "paul", "password": PASSWORD, "repeated": PASSWORD}
    joined = newcomer.post(f"{link}/register", data=person)
    assert joined.location == "/c/harbour/own-runs"
    assert "Group Tidewater" in text_of(newcomer.get(joined.location).text)
    assert "participant: Tidewater" in text_of(olga.get("/c/harbour/people").text)
    address = re.findall(rf'action="({GROUPS}/\d+/members/\d+/remove)"', olga.get(f"{GROUPS}/1").text)
    for one in address:
        assert olga.post(one).status_code == 303
    assert newcomer.get("/c/harbour/own-runs").status_code == 404


def test_a_group_is_renamed_and_removed(olga: FlaskClient, cast: Cast) -> None:
    olga.post(GROUPS, data={"names": "North"})
    page = f"{GROUPS}/{cast.group_id + 1}"
    assert olga.post(f"{page}/name", data={"name": "tidewater"}).status_code == 409
    assert olga.post(f"{page}/name", data={"name": ""}).status_code == 422
    assert olga.post(f"{page}/name", data={"name": "Norden"}).status_code == 303
    assert "Norden" in olga.get(page).text
    assert olga.post(f"{GROUPS}/{cast.group_id}/remove").status_code == 409
    assert olga.post(f"{page}/remove").status_code == 303
    assert olga.get(page).status_code == 404


def test_one_person_is_on_both_sides_only_on_purpose(olga: FlaskClient, cast: Cast) -> None:
    ada, petra = cast.accounts["Ada"].id, cast.accounts["Petra"].id
    members = f"{GROUPS}/{cast.group_id}/members"
    asked = olga.post(members, data={"account": ada})
    assert (asked.status_code, "Allow both" in asked.text) == (409, True)
    assert olga.post(members, data={"account": ada, "both": "yes"}).status_code == 303
    roles = f"/c/harbour/people/{petra}/roles"
    asked = olga.post(roles, data={"role": "assessor"})
    assert (asked.status_code, "as well" in asked.text) == (409, True)
    assert "judges and submits runs" in text_of(olga.get("/c/harbour/people").text)
    assert olga.post(roles, data={"role": "assessor", "both": "yes"}).status_code == 303
    assert text_of(olga.get("/c/harbour/people").text).count("judges and submits runs") == 2
    assert olga.post(members, data={"account": cast.accounts["Otto"].id}).status_code == 404
    assert olga.post(members, data={"account": "x"}).status_code == 404
    # Nobody becomes a participant without a group.
    assert olga.post(roles, data={"role": "participant"}).status_code == 422
