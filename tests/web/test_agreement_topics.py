"""The page of agreement by topic and of a topic's disputed pairs."""

from __future__ import annotations

import csv

import pytest
from flask.testing import FlaskClient

from tests.uploads import import_judgments, links, text_of
from tests.web.conftest import Enter

ADDRESS = "/c/harbour/agreement/topics"
# Relevant from grade 2. T1: both relevant on 6, both not on 6, and on d13 X alone: 12 of 13. T2: never judged
# by two. On T1's d12 they differ within "not relevant".
T1 = [(f"n{number:02}", "3" if number <= 6 else "0") for number in range(1, 13)]


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    client = enter("Olga")
    rows = [("T1", docno, name, grade) for docno, grade in T1 for name in ("X", "Y")]
    rows[-1] = ("T1", "n12", "Y", "1")
    rows += [("T1", "n13", "X", "2"), ("T1", "n13", "Y", "0"), ("T2", "n01", "X", "3")]
    assert import_judgments(client, rows).status_code == 303
    return client


def test_every_topic_stands_with_its_values_and_intervals(olga: FlaskClient) -> None:
    # Pooled: 13 of 26 grades are relevant, so that chance is 1/2: (12/13 - 1/2) / (1/2) = 11/13 = 0.846.
    page = olga.get(ADDRESS).text
    text = text_of(page)
    assert "13 pairs of topic and document that both judged" in text
    assert "T1 tides 13 1 0.923" in text
    assert "0.846" in text
    assert "Mean over 1 topic, each counting once: 0.846 ." in text
    assert "Topics without agreement 1 topic without a document that two assessors judged" in text
    assert '"value": 0.846' in page


def test_a_topic_without_a_value_says_what_would_define_it(olga: FlaskClient) -> None:
    rows = [("T2", f"m{number}", name, "0") for number in range(2) for name in ("X", "Y")]
    assert import_judgments(olga, rows).status_code == 303
    text = text_of(olga.get(ADDRESS).text)
    assert (
        "T2 nets few pairs Undefined: everyone gave the same grade, so agreement by chance is already "
        "complete; it is defined once anybody gives another grade in the topic."
    ) in text
    assert ". 1 topic without a value is left out of it." in text


def test_the_disputed_pairs_of_a_topic_are_one_click_away(olga: FlaskClient) -> None:
    (address,) = links(olga.get(ADDRESS).text, "topics/pairs?topic=T1")
    text = text_of(olga.get(address).text)
    assert "different grades on 2 of 13 pairs" in text
    assert "n13 2 0 2 across the threshold" in text
    assert "n12 0 1 1" in text
    assert olga.get(f"{ADDRESS}/pairs?topic=T9").status_code == 404


def test_the_csv_has_all_digits(olga: FlaskClient) -> None:
    rows = list(csv.DictReader(olga.get(f"{ADDRESS}/table.csv?by=observed").text.splitlines()))
    assert [(row["topic"], row["n"], row["disputed"]) for row in rows] == [("T1", "13", "1")]
    assert float(rows[0]["pooled"]) == pytest.approx(11 / 13, abs=1e-15)
    assert float(rows[0]["pooled_low"]) < 11 / 13
    assert (rows[0]["level"], rows[0]["rounds"], rows[0]["seed"]) == ("0.95", "1000", "0")


def test_the_page_is_taken_along_as_latex_and_json_too(olga: FlaskClient) -> None:
    page = olga.get(f"{ADDRESS}?by=observed").text
    latex = olga.get(links(page, "table.tex")[0]).text
    # 12 of 13 agree, chance is 1/2; d13 is the disputed one.
    assert "T1 & 13 & 1 & 0.923 [" in latex
    assert "Mean over topics &  &  & 0.923 & 0.846" in latex
    assert "bootstrap over pairs, expanded percentiles (Hesterberg 2015), 1,000 rounds, seed 0." in latex
    data = olga.get(links(page, "table.json")[0]).json
    assert data is not None
    assert (data["by"], data["rounds"], data["seed"]) == ("observed", 1000, 0)
    assert data["rows"][0]["observed"] == pytest.approx(12 / 13)


def test_before_two_have_judged_the_page_says_so(enter: Enter) -> None:
    text = text_of(enter("Vera").get(ADDRESS).text)
    assert "Nothing to compare yet Agreement needs two people who gave grades" in text


def test_where_two_share_no_pair_no_topic_has_a_value(enter: Enter) -> None:
    person = enter("Olga")
    assert import_judgments(person, [("T1", "a", "X", "1"), ("T2", "b", "Y", "0")]).status_code == 303
    shown = person.get(ADDRESS)
    assert shown.status_code == 200
    assert "No topic has a value." in text_of(shown.text)
