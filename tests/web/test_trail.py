"""What requests leave in the audit trail, and who sees it."""

from __future__ import annotations

import csv
import json
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from tests.cast import PASSWORD, Cast
from tests.web.test_desk_api import Desk
from workbench.storage.engine import Database
from workbench.web.access import access_of
from workbench.web.logs import QUIET_SECONDS, Repeats
from workbench.web.trail import LED_BACK, is_recorded
from workbench.workflow.people.acts import ACTS, act_in_words
from workbench.workflow.people.membership import Role
from workbench.workflow.people.trail import TrailEntry, TrailFilter, check_trail, trail_entries


def entries(database: Database) -> list[TrailEntry]:
    with database.reading() as db:
        assert list(check_trail(db)) == []
        return trail_entries(db, TrailFilter())


def test_an_act_tells_who_where_and_what_it_changed(
    sqlite_database: Database, enter: Any, cast: Cast
) -> None:
    vera = cast.accounts["Vera"]
    answer = enter("Olga").post(f"/c/harbour/people/{vera.id}/roles", data={"role": "adjudicator"})
    (entry,) = entries(sqlite_database)
    assert (entry.login, entry.act, entry.campaign, entry.outcome) == (
        "olga",
        "people.add_role",
        "harbour",
        "done",
    )
    assert entry.request == answer.headers["X-Request-ID"]
    assert entry.details["asked"] == {"account_id": vera.id}
    (change,) = entry.details["changes"]
    assert (change["table"], change["kind"]) == ("member", "added")
    assert change["values"][0]["role"] == [None, Role.ADJUDICATOR.value]


def test_rows_that_changed_are_counted_in_words(olga: FlaskClient, cast: Cast) -> None:
    olga.post("/c/harbour/people/invitations", data={"role": "assessor", "people": "Carla\nDora"})
    assert "<summary>2 invitations added</summary>" in olga.get("/administration/trail").text


def test_a_refused_act_is_told_and_a_flood_of_it_once(
    sqlite_database: Database, ada: FlaskClient, cast: Cast
) -> None:
    for _ in range(3):
        assert ada.post("/c/harbour/people/invitations").status_code == 403
        assert ada.get("/c/harbour/people").status_code == 403
    told = [(one.login, one.act, one.outcome) for one in entries(sqlite_database)]
    assert sorted(told) == [("ada", "people.index", "403"), ("ada", "people.invite", "403")]


def test_sign_ins_and_failures_are_told_without_what_was_typed(
    app: Flask, sqlite_database: Database, cast: Cast
) -> None:
    client = app.test_client()
    client.post("/sign-in", data={"login": "ada", "password": "secret wrong guess"})
    client.post("/sign-in", data={"login": "no such login", "password": "secret wrong guess"})
    client.post("/sign-in", data={"login": "ada", "password": PASSWORD})
    found = entries(sqlite_database)
    assert [(one.login, one.outcome) for one in found] == [("ada", "done"), ("", "422"), ("ada", "422")]
    text = repr(found)
    assert "secret" not in text
    assert "such" not in text


def test_what_assessors_save_is_not_in_the_trail(sqlite_database: Database, enter: Any, cast: Cast) -> None:
    desk = cast.assignments["Ada", "T1"]
    ada = Desk(enter("Ada"), f"/c/harbour/judge/{desk}")
    assert ada.send(ada.event("d1", 1)).status_code == 200
    assert entries(sqlite_database) == []


def test_administrators_filter_and_export_the_trail(enter: Any, cast: Cast) -> None:
    olga = enter("Olga")
    for name in ("One", "Two"):
        olga.post("/account/name", data={"name": name})
    olga.post("/account/text", data={})
    page = olga.get("/administration/trail?act=own+NAME").text
    assert page.count("Change own name") == 2
    assert "One" not in page
    rows = list(csv.DictReader(olga.get("/administration/trail.csv?login=olga").text.splitlines()))
    assert [row["entry"] for row in rows] == ["2", "1"]
    of_one = olga.get(f"/administration/trail.csv?request={rows[0]['request']}").text.splitlines()
    assert [line.split(",")[0] for line in of_one] == ["entry", "2"]
    lines = olga.get("/administration/trail.jsonl").text.splitlines()
    assert [json.loads(line)["act"] for line in lines] == ["account.rename"] * 2
    assert enter("Vera").get("/administration/trail").status_code == 403


def test_every_recorded_act_has_a_name_and_no_other(app: Flask) -> None:
    recorded = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if (rule.methods or set()) - {"GET", "HEAD", "OPTIONS"}
        and is_recorded(access_of(app, rule.endpoint), rule.endpoint)
    }
    assert recorded | LED_BACK == ACTS.keys()
    assert len(set(ACTS.values())) == len(ACTS)
    assert act_in_words("people.index") == "Open page: people"


def test_every_answer_has_an_id_of_its_own(app: Flask, cast: Cast) -> None:
    client = app.test_client()
    ids = {
        client.get(path, headers={"X-Request-ID": "mine"}).headers["X-Request-ID"] for path in ("/", "/none")
    }
    assert len(ids) == 2
    assert all(len(one) == 16 for one in ids)


def test_repeats_are_told_once_a_minute_with_their_number() -> None:
    now = [0.0]
    repeats = Repeats(lambda: now[0])
    assert [repeats.times("a"), repeats.times("a"), repeats.times("a"), repeats.times("b")] == [1, 0, 0, 1]
    now[0] = QUIET_SECONDS
    # The two that were not told, and this one.
    assert repeats.times("a") == 3
