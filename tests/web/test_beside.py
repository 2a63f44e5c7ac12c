"""What is asked beside the grade: in the settings, in the desk's forms without scripts, in the exports."""

from __future__ import annotations

import io
import json

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from tests.cast import Cast
from tests.web.test_judging_pages import fields
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow, JudgmentEventRow, TopicRow
from workbench.workflow.judging.desk_rules import read_questions, save_desk_questions


@pytest.fixture
def asking(sqlite_database: Database, cast: Cast) -> Database:
    """The campaign has a question that must be answered, grade 3 needs a comment, T1 has a subtopic."""
    with sqlite_database.writing() as db:
        campaign = db.get_one(CampaignRow, cast.campaign_id)
        save_desk_questions(db, campaign.id, read_questions("Trust (required): none, full"), {3})
        db.get_one(TopicRow, (campaign.id, "T1")).subtopics = [["1", "height & more"]]
    return sqlite_database


def test_an_organiser_asks_further_questions(olga: FlaskClient) -> None:
    address = "/c/harbour/settings"
    typed = {"questions": "Trust (required): none, full\r\nEase: low, high", "comment_for": ["0", "3"]}
    assert olga.post(f"{address}/asked", data=typed).status_code == 303
    page = olga.get(address).text
    assert "Trust (required): none, full\nEase: low, high</textarea>" in page
    assert page.count('name="comment_for" value="0" checked') == 1
    refused = olga.post(f"{address}/asked", data={"questions": "Trust: none", "comment_for": "1"})
    assert (refused.status_code, "ine 1: Trust has 1 label" in refused.text) == (422, True)
    assert "Trust: none</textarea>" in refused.text
    assert "Ease: low, high</textarea>" in olga.get(address).text


def test_without_scripts_the_forms_carry_everything(asking: Database, ada: FlaskClient, cast: Cast) -> None:
    address = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    page = " ".join(ada.get(address).text.split())
    assert 'name="rating:Trust" value="1">' in page
    assert "height &amp; more" in page
    sent = fields(page) | {"answer": "3", "comment": "", "subtopic": "1"}
    refused = ada.post(f"{address}/answer", data=sent)
    assert refused.status_code == 422
    assert "this grade needs more: Trust, a comment" in refused.text.replace("This", "this")
    whole = sent | {"rating:Trust": "1", "comment": "so it is"}
    assert ada.post(f"{address}/answer", data=whole).status_code == 303
    # Unsure and what cannot be judged need nothing more.
    page = ada.get(address).text
    assert ada.post(f"{address}/answer", data=fields(page) | {"answer": "unsure"}).status_code == 303
    with asking.reading() as db:
        event = JudgmentEventRow
        rows = db.execute(
            select(event.answer, event.comment, event.ratings, event.subtopics).order_by(event.id)
        ).all()
    assert [tuple(row) for row in rows] == [
        ("grade", "so it is", {"Trust": 1}, ["1"]),
        ("unsure", "", None, None),
    ]
    back = " ".join(ada.get(f"{address}?docno={sent['docno']}").text.split())
    assert 'name="rating:Trust" value="1" checked' in back
    assert 'name="subtopic" value="1" checked' in back


def test_a_grade_given_again_by_a_form_keeps_the_passages(
    asking: Database, ada: FlaskClient, cast: Cast
) -> None:
    address = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    first = fields(ada.get(address).text) | {"answer": "1", "rating:Trust": "0"}
    assert ada.post(f"{address}/answer", data=first).status_code == 303
    with asking.writing() as db:
        db.scalars(select(JudgmentEventRow)).one().evidence = [[0, 4, "Text"]]
    again = fields(ada.get(f"{address}?docno={first['docno']}").text)
    assert ada.post(f"{address}/answer", data=first | again | {"answer": "2"}).status_code == 303
    remark = first | {"comment": "why", "client_id": "another-one", "rating:Trust": "1"}
    assert ada.post(f"{address}/comment", data=remark).status_code == 303
    with asking.reading() as db:
        event = JudgmentEventRow
        rows = db.execute(select(event.grade, event.evidence, event.ratings).order_by(event.id)).all()
    assert [tuple(row) for row in rows] == [
        (1, [[0, 4, "Text"]], {"Trust": 0}),
        (2, [[0, 4, "Text"]], {"Trust": 0}),
        (2, [[0, 4, "Text"]], {"Trust": 1}),
    ]


def test_the_exports_have_what_went_with_the_grades(
    asking: Database, olga: FlaskClient, ada: FlaskClient, cast: Cast
) -> None:
    address = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    sent = fields(ada.get(address).text) | {"answer": "1", "rating:Trust": "0", "subtopic": "1"}
    assert ada.post(f"{address}/answer", data=sent).status_code == 303
    [line] = olga.get("/c/harbour/judgments/all.jsonl").text.splitlines()
    assert json.loads(line)["ratings"] == {"Trust": {"value": 0, "label": "none"}}
    assert "Subtopics as qrels" in olga.get("/c/harbour/judgments").text
    docno = json.loads(line)["docno"]
    found = olga.get("/c/harbour/judgments/subtopics.qrels?ticked_by=any")
    assert found.data == f"T1 1 {docno} 1\n".encode()
    assert olga.get("/c/harbour/judgments/subtopics.qrels?ticked_by=nobody").status_code == 422
    assert ada.get("/c/harbour/judgments/all.jsonl").status_code == 403


def test_subtopics_come_with_the_topics_and_stand_on_their_page(olga: FlaskClient) -> None:
    line = json.dumps({"id": "T9", "title": "x", "subtopics": ["height", {"id": "b", "label": "time"}]})
    sent = {"files": (io.BytesIO(line.encode()), "topics.jsonl")}
    assert olga.post("/c/harbour/topics", data=sent).status_code == 303
    page = " ".join(olga.get("/c/harbour/topics/topic?topic=T9").text.split())
    assert "height" in page
    assert "Assessors tick the subtopics" in page
