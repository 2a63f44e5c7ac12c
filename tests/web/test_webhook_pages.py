"""Webhooks on the pages and by the API: a secret that is shown once, and topics told as they finish."""

from __future__ import annotations

import json
import re

from flask import Flask
from sqlalchemy import select

from tests.api import API, program
from tests.cast import Cast
from tests.submitted import record, withdraw
from tests.web.conftest import Enter
from tests.webhooks import PUBLIC
from workbench.records import Answer
from workbench.storage.engine import Database
from workbench.storage.migrate import known_revisions
from workbench.storage.portable.schema import schema_of
from workbench.storage.tables import TrailRow, WebhookDeliveryRow, WebhookRow
from workbench.workflow.judging.finished_topics import announce_finished_topics, finished_topics
from workbench.workflow.webhooks.deliveries import deliveries
from workbench.workflow.webhooks.webhooks import webhooks

PAGE = "/c/harbour/settings/webhooks"


def secret_in(text: str) -> str:
    (found,) = re.findall(r"whsec_[A-Za-z0-9+/=]+", text)
    return str(found)


def test_a_secret_is_shown_once_and_is_in_no_trail(
    enter: Enter, cast: Cast, sqlite_database: Database
) -> None:
    olga = enter("Olga")
    added = olga.post(PAGE, data={"url": PUBLIC, "event": ["run.received", "release.made"]})
    secret = secret_in(added.text)
    with sqlite_database.reading() as db:
        (one,) = webhooks(db, cast.campaign_id)
        assert db.scalars(select(WebhookRow.secret)).one() == secret
    for address in (PAGE, f"{PAGE}/{one.id}"):
        assert secret not in olga.get(address).text
    for act, form in (
        ("", {"event": "topic.finished"}),
        ("/test", {}),
        ("/state", {"state": "off"}),
        ("/state", {"state": "on"}),
    ):
        assert olga.post(f"{PAGE}/{one.id}{act}", data=form).status_code == 303
    assert olga.post(f"{PAGE}/{one.id}/remove").status_code == 303
    with sqlite_database.reading() as db:
        entries = db.scalars(select(TrailRow)).all()
        # Added, changed, tested, off, on, removed: each is there, and says neither secret nor address.
        assert [entry.act for entry in entries] == [
            f"webhooks.{act}" for act in ("add", "change", "test", "change_state", "change_state", "remove")
        ]
        trail = "".join(entry.details for entry in entries)
    assert secret not in trail
    assert "example.org" not in trail


def test_each_cell_of_a_delivery_names_its_column_where_a_phone_shows_no_headings(enter: Enter) -> None:
    olga = enter("Olga")
    assert olga.post(PAGE, data={"url": PUBLIC, "event": "run.received"}).status_code == 201
    assert olga.post(f"{PAGE}/1/test").status_code == 303
    _, _, after = olga.get(f"{PAGE}/1").text.partition('<div class="stacked">')
    headings, _, rows = after.partition("</thead>")
    columns = re.findall(r"<th [^>]*>([^<]*)</th>", headings)
    # The first says itself what it is, and the last is a button.
    assert columns == ["Event", *re.findall(r'data-of="([^"]+)"', rows), ""]
    assert rows.count("<tr>") == 1


def test_a_form_that_is_refused_says_why_and_adds_nothing(
    enter: Enter, cast: Cast, sqlite_database: Database
) -> None:
    olga = enter("Olga")
    answer = olga.post(PAGE, data={"url": "https://10.0.0.1/<b>"})
    assert answer.status_code == 422
    assert 'id="url-error-1"' in answer.text
    assert 'id="events-error-1"' in answer.text
    assert "https://10.0.0.1/&lt;b&gt;" in answer.text
    with sqlite_database.reading() as db:
        assert webhooks(db, cast.campaign_id) == ()


def test_a_program_adds_tests_and_removes_a_webhook(
    app: Flask, cast: Cast, sqlite_database: Database
) -> None:
    olga = program(app, sqlite_database, cast.accounts["Olga"])
    place, once = f"{API}/campaigns/harbour/webhooks", {"Idempotency-Key": "once-and-once"}
    sent = {"url": PUBLIC, "events": ["topic.finished"]}
    made = olga.post(place, json=sent, headers=once)
    assert made.status_code == 201
    number = made.get_json()["webhook"]["webhook"]
    secret_in(made.get_json()["secret"])
    # The secret is not stored for a request that is repeated.
    again = olga.post(place, json=sent, headers=once)
    assert again.get_json()["findings"][0]["code"] == "shown-once"
    assert olga.post(f"{place}/{number}/test").get_json()["waiting"] == 1
    (delivery,) = olga.get(f"{place}/{number}/deliveries").get_json()["items"]
    assert (delivery["type"], delivery["state"]) == ("webhook.test", "waiting")
    again = olga.post(f"{place}/{number}/deliveries/{delivery['delivery']}/again")
    assert again.status_code == 204
    changed = olga.patch(f"{place}/{number}", json={"on": False}).get_json()
    assert (changed["on"], changed["events"]) == (False, ["topic.finished"])
    assert "whsec" not in olga.get(place).text
    assert olga.delete(f"{place}/{number}").status_code == 204
    with sqlite_database.reading() as db:
        assert db.scalars(select(WebhookDeliveryRow)).all() == []


def judge(database: Database, cast: Cast, name: str, topic: str, most: int | None = None) -> None:
    """Have an assessor answer the documents of a topic, the first `most` of them."""
    assignment, account = cast.assignments[name, topic], cast.accounts[name].id
    for docno in ("d1", "d2", "d/4")[:most]:
        with database.writing() as db:
            record(
                db, assignment, account, docno=docno, answer=Answer.GRADE, grade=1,
                client_id=f"{name}-{topic}-{docno}".replace("/", "-"),
            )  # fmt: skip


def announced(database: Database, cast: Cast) -> list[str]:
    """The topics that the webhook was told of, in this order."""
    with database.reading() as db:
        (one,) = webhooks(db, cast.campaign_id)
        return [json.loads(each.payload)["data"]["topic"] for each in deliveries(db, one.id)[::-1]]


def test_a_topic_is_told_once_everybody_has_judged_it_and_again_if_it_was_open_again(
    enter: Enter, cast: Cast, sqlite_database: Database
) -> None:
    # Three documents of each topic are pooled (tests.builders), for Ada and Ben each.
    judge(sqlite_database, cast, "Ada", "T2")
    judge(sqlite_database, cast, "Ben", "T2")
    assert enter("Olga").post(PAGE, data={"url": PUBLIC, "event": "topic.finished"}).status_code == 201
    # What was finished before is not told.
    assert announce_finished_topics(sqlite_database) == 0
    judge(sqlite_database, cast, "Ada", "T1")
    judge(sqlite_database, cast, "Ben", "T1", most=2)
    assert announce_finished_topics(sqlite_database) == 0
    judge(sqlite_database, cast, "Ben", "T1")
    assert announce_finished_topics(sqlite_database) == 1
    assert announce_finished_topics(sqlite_database) == 0
    assert announced(sqlite_database, cast) == ["T1"]
    account, assignment = cast.accounts["Ben"].id, cast.assignments["Ben", "T1"]
    with sqlite_database.writing() as db:
        withdraw(db, assignment, account, docno="d1", client_id="withdrawn-by-ben")
    assert announce_finished_topics(sqlite_database) == 0
    with sqlite_database.reading() as db:
        assert finished_topics(db, cast.campaign_id) == {"T2"}
    with sqlite_database.writing() as db:
        record(db, assignment, account, docno="d1", answer=Answer.UNSURE, client_id="unsure-after-all")
    assert announce_finished_topics(sqlite_database) == 1
    assert announced(sqlite_database, cast) == ["T1", "T1"]


def test_webhooks_stay_behind_when_a_database_is_copied() -> None:
    # `workbench backup` and `restore` carry these tables and no others.
    carried = {table.name for table in schema_of(known_revisions()[-1])}
    assert carried & {"webhook", "webhook_delivery", "finished_topic"} == set()
    assert "run" in carried
