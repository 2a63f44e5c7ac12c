"""The page of agreement by topic and of a topic's disputed pairs."""

from __future__ import annotations

import csv

import pytest
from flask.testing import FlaskClient

from tests.uploads import import_judgments, links, text_of
from tests.web.conftest import Enter
from workbench.agreement.estimates import FEWEST

ADDRESS = "/c/harbour/agreement/topics"
# Relevant from grade 2. T1: both relevant on 12, both not on 12, and on n25 and n26 X alone: 24 of 26 agree.
# T2: never judged by two. On T1's n24 they differ within "not relevant".
T1 = [(f"n{number:02}", "3" if number <= 12 else "0") for number in range(1, 25)]


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    client = enter("Olga")
    rows = [("T1", docno, name, grade) for docno, grade in T1 for name in ("X", "Y")]
    rows[-1] = ("T1", "n24", "Y", "1")
    rows += [
        ("T1", docno, name, grade) for docno in ("n25", "n26") for name, grade in (("X", "2"), ("Y", "0"))
    ]
    rows += [("T2", "n01", "X", "3")]
    assert import_judgments(client, rows).status_code == 303
    return client


def test_every_topic_stands_with_its_values_and_intervals(olga: FlaskClient) -> None:
    # Pooled: 26 of 52 grades are relevant, so that chance is 1/2: (12/13 - 1/2) / (1/2) = 11/13 = 0.846.
    page = olga.get(ADDRESS).text
    text = text_of(page)
    (row,) = csv.DictReader(olga.get(f"{ADDRESS}/table.csv").text.splitlines())
    low, high = (float(row[f"pooled_{end}"]) for end in ("low", "high"))
    assert f"They agree least on T1 tides : Pooled κ 0.85 ({low:.2f} to {high:.2f}) on 26 documents." in text
    assert f"T1 tides 26 2 0.846 {low:.3f} to {high:.3f} 0.923" in text
    assert "Mean over 1 topic 0.85; all documents together 0.85" in text
    assert "1 topic without a document that two assessors judged: assign it to a second assessor" in text
    # And as JSON, by what was chosen: 24 of 26 agree.
    data = olga.get(links(olga.get(f"{ADDRESS}?by=observed").text, "table.json")[0]).get_json()
    assert data["by"] == "observed"
    assert data["rows"][0]["observed"] == pytest.approx(12 / 13)


def test_the_next_topics_are_compared_from_the_same_grade(olga: FlaskClient) -> None:
    first, second = (text_of(olga.get(f"{ADDRESS}?from={row}").text) for row in (0, 20))
    assert "T1" in first
    assert "cannot be compared" not in second


def test_a_topic_without_a_value_says_what_would_define_it(olga: FlaskClient) -> None:
    rows = [("T2", f"m{number}", name, "0") for number in range(2) for name in ("X", "Y")]
    assert import_judgments(olga, rows).status_code == 303
    text = text_of(olga.get(ADDRESS).text)
    assert (
        "T2 nets Undefined: everyone gave the same grade, so agreement by chance is already 1; "
        "it is defined once somebody gives another grade in the topic."
    ) in text
    # T1, which has a value, comes first.
    assert text.index("T1 tides 26") < text.index("T2 nets")


def test_the_disputed_pairs_of_a_topic_are_one_click_away(olga: FlaskClient) -> None:
    (address,) = links(olga.get(ADDRESS).text, "topics/pairs?topic=T1")
    text = text_of(olga.get(address).text)
    assert "different grades on 3 of 26 pairs" in text
    assert "n25 2 0 2 across the threshold" in text
    assert "n24 0 1 1" in text
    assert olga.get(f"{ADDRESS}/pairs?topic=T9").status_code == 404


def test_a_topic_with_too_few_of_a_rarer_grade_has_no_interval_and_it_is_said(olga: FlaskClient) -> None:
    # Of T2 ten documents are relevant to both and two to one each.
    said = [("3", "3")] * 10 + [("3", "0"), ("0", "3")]
    rows = [
        ("T2", f"m{number:02}", name, grade)
        for number, grades in enumerate(said)
        for name, grade in zip(("X", "Y"), grades, strict=True)
    ]
    assert import_judgments(olga, rows).status_code == 303
    text = text_of(olga.get(ADDRESS).text)
    # Grades of not relevant are 2 of 24: (10/12 - p) / (1 - p) with p = (22/24)^2 + (2/24)^2.
    assert "T2 nets 12 2 −0.091 0.833 0.552 to 0.953" in text
    needed = f"Grey: fewer than {FEWEST} documents of the rarer grade, too few for an interval."
    assert needed in text
    table = {row["topic"]: row for row in csv.DictReader(olga.get(f"{ADDRESS}/table.csv").text.splitlines())}
    assert (table["T2"]["pooled_low"], table["T2"]["pooled_high"]) == ("", "")
    assert table["T1"]["pooled_low"] != ""


def test_where_two_share_no_pair_no_topic_has_a_value(enter: Enter) -> None:
    person = enter("Olga")
    assert import_judgments(person, [("T1", "a", "X", "1"), ("T2", "b", "Y", "0")]).status_code == 303
    shown = person.get(ADDRESS)
    assert shown.status_code == 200
    assert "No document was judged by two assessors." in text_of(shown.text)
