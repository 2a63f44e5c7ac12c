from __future__ import annotations

import hashlib

import pytest
from flask.testing import FlaskClient

from tests.uploads import import_judgments, links, text_of
from tests.web.conftest import Enter

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
}


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    client = enter("Olga")
    assert import_judgments(client, ROWS).status_code == 303
    return client


@pytest.mark.parametrize("rule", FILES)
def test_each_rule_gives_its_file_and_never_a_line_for_unsure(olga: FlaskClient, rule: str) -> None:
    page = olga.get(f"{ADDRESS}?rule={rule}").text
    (address,) = links(page, "qrels/file")
    answer = olga.get(address)
    assert answer.data.decode() == FILES[rule]
    assert answer.content_type == "text/plain; charset=utf-8"
    name = rule.partition("&")[0]
    assert f'filename="harbour.{name}' in answer.headers["Content-Disposition"]
    assert answer.headers["Content-Disposition"].endswith('.qrels"')
    assert hashlib.sha256(answer.data).hexdigest() in page


def test_the_page_counts_lines_topics_and_what_has_no_line(olga: FlaskClient) -> None:
    text = text_of(olga.get(ADDRESS).text)
    assert "3 Highly relevant 1 50 % 1 Related 1 50 % All lines 2" in text
    assert "Topics 2 Relevant 1 from grade 2" in text
    assert "Without a line 2, of these 1 only unsure or cannot judge" in text
    assert "T1 d#3 nobody gave a grade T1 d2 equally many assessors gave different grades" in text


def test_all_rules_are_offered_with_what_they_do(olga: FlaskClient) -> None:
    page = olga.get(f"{ADDRESS}?rule=upper-median").text
    assert page.count('name="rule"') == 9  # six simple rules and three models
    assert "the middle grade, the upper of two" in page
    assert 'value="upper-median" checked' in page


@pytest.mark.parametrize(
    ("query", "said"),
    [("rule=coin", "there is no consensus rule"), ("rule=majority&ties=coin", "ties cannot be")],
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
