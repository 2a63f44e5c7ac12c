"""Campaigns archived and restored, duplicated, and deleted after their name was typed."""

from __future__ import annotations

import json
from functools import wraps
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from tests.builders import invite
from tests.cast import Cast, signed_in_client
from tests.databases import TABLES
from tests.uploads import notices_in, text_of
from workbench.storage.engine import Database
from workbench.storage.tables import Base, CampaignRow, KeptAsideRow
from workbench.workflow.campaigns.archive import archive_campaign, delete_campaign, duplicate_campaign
from workbench.workflow.people.membership import Role

PAGE = "/c/harbour/settings/archive"


def archive(database: Database, cast: Cast) -> None:
    with database.writing() as db:
        archive_campaign(db, cast.campaign_id)


def test_an_archived_campaign_leaves_the_lists_and_comes_back(enter: Any) -> None:
    olga, ada = enter("Olga"), enter("Ada")
    card = '<a class="whole" href="/c/harbour/'
    assert card in ada.get("/").text
    assert olga.post(PAGE).location == PAGE
    assert notices_in(olga.get(PAGE).text) == ["fair", "good"]
    home = ada.get("/").text
    assert (card in home, "Archived (1)" in home, '<a href="/c/harbour/judge">' in home) == (
        False,
        True,
        True,
    )
    assert "is read only" in ada.get("/c/harbour/judge").text
    assert olga.post(PAGE).status_code == 409
    assert olga.post(f"{PAGE}/restore").status_code == 303
    assert card in ada.get("/").text
    assert olga.post(f"{PAGE}/restore").status_code == 409


def test_an_archived_campaign_asks_for_nothing_and_still_says_who_has_which_role(
    enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    # A duplicate has no topics yet, so that there is something to do.
    olga, removing = enter("Olga"), "Remove the role organiser from Olga"
    with sqlite_database.writing() as db:
        made = duplicate_campaign(db, cast.campaign_id, name="Empty", organiser=cast.accounts["Olga"].id)
    pages = f"/c/{made.slug}/", f"/c/{made.slug}/people"
    overview, people = (olga.get(page).text for page in pages)
    assert ('class="todo"' in overview, "button primary" in overview, removing in people) == (True,) * 3
    with sqlite_database.writing() as db:
        archive_campaign(db, made.id)
    overview, people = (olga.get(page).text for page in pages)
    assert ('class="todo"' in overview, "button primary" in overview, removing in people) == (False,) * 3
    assert '<span class="pill">organiser' in people


def test_the_topics_of_an_archived_campaign_are_closed_and_not_done(
    enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    ada = enter("Ada")
    assert "documents left" in text_of(ada.get("/c/harbour/judge").text)
    with sqlite_database.writing() as db:
        archive_campaign(db, cast.campaign_id)
    text = text_of(ada.get("/c/harbour/judge").text)
    assert "All your topics are closed." in text
    assert "left" not in text


def test_what_a_desk_sends_to_an_archived_campaign_is_kept_for_the_organiser(
    enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    archive(sqlite_database, cast)
    event = {
        "assignment": cast.assignments["Ada", "T1"],
        "client_id": "typed-before-it-was-archived",
        "docno": "d1",
        "kind": "answer",
        "answer": "grade",
        "grade": 1,
    }
    sent = {"account": cast.accounts["Ada"].key, "events": [event]}
    answer = enter("Ada").post("/desk/events", data=json.dumps(sent), content_type="application/json")
    (receipt,) = answer.json["receipts"]
    assert (receipt["outcome"], receipt["why"]) == ("kept_aside", "this campaign is archived")
    form = {"docno": "d2", "client_id": "typed-in-the-plain-form", "answer": "0"}
    enter("Ada").post(f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}/answer", data=form)
    with sqlite_database.reading() as db:
        kept = {row.client_id for row in db.scalars(select(KeptAsideRow))}
    assert kept == {event["client_id"], form["client_id"]}


def test_a_link_leads_into_no_archived_campaign(
    app: Flask, enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        link = f"/invitation/{invite(db, cast.campaign_id, role=Role.VIEWER, invited_by=None).token}"
    archive(sqlite_database, cast)
    assert app.test_client().get(link).status_code == 409
    assert enter("Otto").post(f"{link}/accept").status_code == 409
    assert enter("Otto").get("/c/harbour/").status_code == 404


def test_a_duplicate_has_the_settings_and_nothing_else(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    olga.post("/c/harbour/settings/breaks", data={"break_minutes": "25"})
    with sqlite_database.writing() as db:
        source = db.get_one(CampaignRow, cast.campaign_id)
        source.desk_rules = source.desk_rules | {"let_through": [{"assignment": 1}]}
        source.run_rules = {"max_per_topic": 100}
        source.adjudication_rules = {"steps": 3}
    assert olga.post(f"{PAGE}/duplicate", data={"copy_name": "  "}).status_code == 422
    made = olga.post(f"{PAGE}/duplicate", data={"copy_name": "Harbour again"})
    assert made.location == "/c/harbour-again/"
    with sqlite_database.reading() as db:
        copy = db.scalars(select(CampaignRow).where(CampaignRow.slug == "harbour-again")).one()
        source = db.get_one(CampaignRow, cast.campaign_id)
        assert (copy.scale, copy.guidelines) == (source.scale, source.guidelines)
        assert (copy.run_rules, copy.adjudication_rules) == ({"max_per_topic": 100}, {"steps": 3})
        assert copy.desk_rules == {"break_minutes": 25}
        filled = {
            table.name
            for table in Base.metadata.sorted_tables
            if "campaign_id" in table.c
            and db.execute(select(table).where(table.c.campaign_id == copy.id)).first()
        }
    assert filled == {"instructions", "member"}


def test_an_organiser_who_is_no_administrator_duplicates_nothing(enter: Any, cast: Cast) -> None:
    enter("Olga").post(f"/c/harbour/people/{cast.accounts['Vera'].id}/roles", data={"role": "organiser"})
    vera = enter("Vera")
    assert f'action="{PAGE}/duplicate"' not in vera.get(PAGE).text
    assert vera.post(f"{PAGE}/duplicate", data={"copy_name": "Mine"}).status_code == 403


def rows(database: Database) -> dict[str, int]:
    # The trail stays, and tells who deleted what.
    tables = [table for table in TABLES if table.name != "trail"]
    with database.reading() as db:
        return {table.name: len(db.execute(select(table)).all()) for table in tables}


def test_deleting_asks_for_the_name_and_leaves_nothing_behind(
    app: Flask, enter: Any, cast: Cast, sqlite_database: Database
) -> None:
    olga: FlaskClient = enter("Olga")
    page = " ".join(olga.get(PAGE).text.split())
    assert "1 pool, 2 runs, 2 topics, 6 documents, 0 releases, all decisions" in page
    before = rows(sqlite_database)
    wrong = olga.post(f"{PAGE}/delete", data={"name": "harbour"})
    assert wrong.status_code == 422
    assert 'id="name-error-1"' in wrong.text
    assert rows(sqlite_database) == before
    assert olga.post(f"{PAGE}/delete", data={"name": " Harbour "}).location == "/"
    left = {name: count for name, count in rows(sqlite_database).items() if count}
    # Otto's campaign stays with its organiser, and so do the accounts with their sessions.
    assert left.pop("session") >= 1
    assert left == {"account": 7, "campaign": 1, "instructions": 1, "member": 1}
    assert olga.get(PAGE).status_code == 404
    assert olga.post(f"{PAGE}/delete", data={"name": "Harbour"}).status_code == 404


def test_who_changes_a_campaign_that_is_deleted_at_that_moment_is_told_so(
    app: Flask, olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    original = app.view_functions["settings.breaks"]

    @wraps(original)
    def overtaken() -> Any:
        delete_campaign(sqlite_database, cast.campaign_id, typed_name="Harbour")
        return original()

    app.view_functions["settings.breaks"] = overtaken
    answer = olga.post("/c/harbour/settings/breaks", data={"break_minutes": "25"})
    assert answer.status_code == 404
    assert signed_in_client(app, sqlite_database, cast.accounts["Olga"]).get("/").status_code == 200
