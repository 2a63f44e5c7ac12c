from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime

import pytest
from flask.testing import FlaskClient
from markupsafe import escape

from tests.cast import Cast
from tests.uploads import import_judgments, links, text_of
from tests.web.conftest import Enter
from workbench.consensus.rules import RULES
from workbench.storage.engine import Database
from workbench.storage.tables import AdjudicationEventRow

ADDRESS = "/c/harbour/qrels"
# d1: 3, 3, 0. d2: 2, 0. d#3: unsure alone. é5 of T2: 1 and cannot judge.
ROWS = [
    ("T1", "d1", "X", "3"), ("T1", "d1", "Y", "3"), ("T1", "d1", "Z", "0"),
    ("T1", "d2", "X", "2"), ("T1", "d2", "Y", "0"),
    ("T1", "d#3", "X", "unsure"), ("T2", "é5", "X", "1"), ("T2", "é5", "Y", "cannot_judge"),
]  # fmt: skip
FILES = {
    "majority": "T1 0 d1 3\nT2 0 é5 1\n",
    "majority&ties=higher": "T1 0 d1 3\nT1 0 d2 2\nT2 0 é5 1\n",
    "majority&ties=lower": "T1 0 d1 3\nT1 0 d2 0\nT2 0 é5 1\n",
    "one&assessor=Z": "T1 0 d1 0\n",
    "any": "T1 0 d1 3\nT1 0 d2 2\nT2 0 é5 1\n",
    "all": "T1 0 d1 0\nT1 0 d2 0\nT2 0 é5 1\n",
    "lower-median": "T1 0 d1 3\nT1 0 d2 0\nT2 0 é5 1\n",
    "upper-median": "T1 0 d1 3\nT1 0 d2 2\nT2 0 é5 1\n",
    "two-and-adjudicator": "",
    "sum": "T1 0 d1 6\n",
    "sum&fewer=sum": "T1 0 d1 6\nT1 0 d2 2\nT2 0 é5 1\n",
    "sum&fewer=sum&line=2&binary=yes": "T1 0 d1 1\nT1 0 d2 1\nT2 0 é5 0\n",
    "adjudicated&then=any": "T1 0 d1 3\nT1 0 d2 2\nT2 0 é5 1\n",
}


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    client = enter("Olga")
    assert import_judgments(client, ROWS).status_code == 303
    return client


def test_the_rule_of_one_assessor_begins_with_whoever_graded_most(olga: FlaskClient) -> None:
    # X graded three pairs, Y two, Z one; A, the first by name, one, and a machine four.
    import_judgments(olga, [("T1", "d1", "A", "0")])
    import_judgments(olga, [("T1", f"m{n}", "robot", "0") for n in range(4)], machine="yes")
    page = olga.get(f"{ADDRESS}?rule=one").text
    assert re.findall(r'<option value="([^"]*)" selected', page.partition('name="assessor"')[2])[0] == "X"


@pytest.mark.parametrize("rule", FILES)
def test_each_rule_gives_its_file_and_never_a_line_for_unsure(olga: FlaskClient, rule: str) -> None:
    page = olga.get(f"{ADDRESS}?rule={rule}").text
    addresses = links(page, "qrels/file")
    assert len(addresses) == bool(FILES[rule])
    answer = olga.get(addresses[0] if addresses else f"{ADDRESS}/file?rule={rule}")
    assert answer.data.decode() == FILES[rule]
    assert answer.content_type == "text/plain; charset=utf-8"
    name = rule.partition("&")[0]
    assert f'filename="harbour.{name}' in answer.headers["Content-Disposition"]
    assert answer.headers["Content-Disposition"].endswith('.qrels"')
    assert not addresses or hashlib.sha256(answer.data).hexdigest() in page


def test_the_page_counts_lines_topics_and_what_has_no_line(olga: FlaskClient) -> None:
    text = text_of(olga.get(ADDRESS).text)
    assert "3 Highly relevant 1 50 % 1 Related 1 50 % All lines 2" in text
    assert "2 lines by majority; 2 judged pairs have no line: " in text
    assert "1 line is relevant, from grade 2" in text
    assert "T1 tides d#3 nobody gave a grade T1 tides d2 equally many assessors gave different grades" in text


def test_every_rule_says_what_it_would_give(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    (address,) = links(page, "qrels/rules")
    text = text_of(olga.get(address).text)
    # Four pairs are judged, one of them without a grade. "Any" has three lines, two of them from grade 2;
    # "one assessor" has none for who gave no grade.
    assert "14 rules give 0 to 3 lines , of which 0 to 2 are relevant" in text
    assert "Majority 2 2 1" in text
    # Two people are too few for the model.
    assert "Dawid and Skene" in text


def test_all_rules_are_offered_with_what_they_do(olga: FlaskClient) -> None:
    page = olga.get(f"{ADDRESS}?rule=upper-median").text
    # Six simple rules, two with an adjudicator, sum and mean, and Dawid and Skene.
    assert page.count('name="rule"') == 11
    assert all(escape(rule.help) in page for rule in RULES.values())
    assert "the middle grade, the upper of two" in page
    assert 'value="upper-median" checked' in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("rule=coin", "there is no consensus rule"),
        ("rule=majority&ties=coin", "ties cannot be"),
        ("rule=one&assessor=Nobody", "Nobody is not an assessor of this campaign"),
    ],
)
def test_a_rule_that_cannot_be_is_said(olga: FlaskClient, query: str, said: str) -> None:
    answer = olga.get(f"{ADDRESS}?{query}")
    assert answer.status_code == 422
    assert said in answer.text
    assert olga.get(f"{ADDRESS}/file?{query}").status_code == 422


def test_without_judgments_there_is_no_line_to_download(olga: FlaskClient) -> None:
    olga.post("/campaigns/new", data={"name": "Bare", "scale": "binary"})
    page = olga.get("/c/bare/qrels").text
    assert "No line yet" in page
    assert not links(page, "qrels/file")
    assert olga.get("/c/bare/qrels/file").data == b""


def test_machines_have_no_voice_unless_they_are_given_one(olga: FlaskClient) -> None:
    # d2 has 2 and 0 of people: with the machine's 0 the majority is 0.
    import_judgments(olga, [("T1", "d2", "robot", "0")], machine="yes")
    assert olga.get(f"{ADDRESS}/file").data.decode() == FILES["majority"]
    page = olga.get(f"{ADDRESS}?machines=yes").text
    (address,) = links(page, "qrels/file")
    assert olga.get(address).data.decode() == "T1 0 d1 3\nT1 0 d2 0\nT2 0 é5 1\n"


def test_the_stylesheet_shows_the_parameters_of_the_chosen_rule_alone(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    (address,) = re.findall(r'href="([^"]+/fields\.css)"', page)
    assert 'fields.css"' in olga.get("/c/harbour/scores").text
    answer = olga.get(address)
    assert answer.content_type.startswith("text/css")
    hidden = {line.rsplit(".for-")[-1].split(" ")[0]: line for line in answer.text.splitlines()}
    for rule in RULES.values():
        for parameter in rule.parameters:
            assert f'name="{parameter.name}"' in page
            assert f"field for-{parameter.name}" in page
            assert f":not(:has([name=rule][value={rule.name}]:checked" in hidden[parameter.name]


def test_sums_have_a_line_of_their_own(olga: FlaskClient) -> None:
    text = text_of(olga.get(f"{ADDRESS}?rule=sum&fewer=sum&line=3").text)
    assert "6 relevant 1 33 % 2 not relevant 1 33 % 1 not relevant 1 33 % All lines 3" in text
    assert "1 line is relevant, from grade 3" in text
    # The scores count as relevant what the sum does, unless other measures are named.
    assert 'value="AP(rel=3) ' in olga.get("/c/harbour/scores?rule=sum&line=3").text


def test_labels_say_how_sure_they_are_and_what_is_left(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    addresses = links(page, "qrels/labels.")
    rows = olga.get(addresses[0]).text.splitlines()
    assert rows[0] == "topic,docno,grade,confidence,n,settled_by,unsettled"
    assert rows[1] == f"T1,d1,3,{2 / 3},3,rule,"
    assert "T1,d2,,,,,equally many assessors gave different grades" in rows
    assert json.loads(olga.get(addresses[1]).data)[1]["confidence"] == 1.0


def test_a_mean_is_a_soft_label_and_no_qrels(olga: FlaskClient) -> None:
    page = olga.get(f"{ADDRESS}?rule=mean").text
    assert "Soft labels 3" in text_of(page)
    assert not links(page, "qrels/file")
    assert olga.get(f"{ADDRESS}/file?rule=mean").status_code == 422
    table, objects = (olga.get(address) for address in links(page, "qrels/soft."))
    assert table.text.splitlines()[:2] == [
        "topic,docno,mean,n,share_0,share_1,share_2,share_3",
        f"T1,d1,2.0,3,{1 / 3},0.0,0.0,{2 / 3}",
    ]
    assert [one["mean"] for one in objects.json or ()] == [2.0, 1.0, 1.0]


def test_every_assessor_is_a_group_of_one_file(olga: FlaskClient) -> None:
    import_judgments(olga, [("T2", "d1", "B. Hall", "2")])
    page = olga.get(ADDRESS).text
    (address,) = links(page, "qrels/groups")
    assert "B. Hall is B._Hall" in text_of(page)
    lines = olga.get(address).text.splitlines()
    assert lines[:3] == ["T1 X d1 3", "T1 X d2 2", "T1 Y d1 3"]
    assert "T2 B._Hall d1 2" in lines


def test_pooled_pairs_without_a_grade_may_have_a_line_of_their_own(olga: FlaskClient) -> None:
    # The pool of the cast: d1, d2 and d/4 for each of two topics.
    (address,) = links(olga.get(f"{ADDRESS}?unjudged=yes").text, "qrels/file")
    assert olga.get(address).data.decode().splitlines() == [
        "T1 0 d/4 -1", "T1 0 d1 3", "T1 0 d2 -1", "T2 0 d/4 -1", "T2 0 d1 -1", "T2 0 d2 -1", "T2 0 é5 1",
    ]  # fmt: skip


def test_topics_without_a_relevant_document_are_named_and_can_be_left_out(olga: FlaskClient) -> None:
    import_judgments(olga, [("T2", "é5", "V", "0"), ("T2", "é5", "W", "0")])
    page = olga.get(ADDRESS).text
    assert "Nothing relevant 1 topic: T2." in text_of(page)
    assert "All lines 2" in text_of(page)
    (address,) = links(page, "qrels/file")
    assert olga.get(address).data.decode() == "T1 0 d1 3\nT2 0 é5 0\n"
    page = olga.get(f"{ADDRESS}?without=empty").text
    # The page counts what is in the file, and names what is not.
    assert "Nothing relevant 1 topic: T2. Left out" in text_of(page)
    assert "All lines 1" in text_of(page)
    (address,) = links(page, "qrels/file")
    assert olga.get(address).data.decode() == "T1 0 d1 3\n"


def test_an_adjudicators_decisions_come_first_as_soon_as_there_are_any(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        decided = AdjudicationEventRow(
            campaign_id=cast.campaign_id, topic="T1", docno="d2", decision="grade", grade=1, seen=[],
            client_id="c", recorded_at=datetime(2026, 1, 2, tzinfo=UTC),
        )  # fmt: skip
        db.add(decided)
    page = olga.get(ADDRESS).text
    assert 'value="adjudicated" checked' in page
    assert "By an adjudicator 1" in text_of(page)
    (address,) = links(page, "qrels/file")
    assert olga.get(address).data.decode() == "T1 0 d1 3\nT1 0 d2 1\nT2 0 é5 1\n"
