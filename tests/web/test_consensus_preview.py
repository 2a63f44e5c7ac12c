from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.uploads import import_judgments, links, text_of
from tests.web.conftest import Enter
from workbench.web.pages.consensus import preview

ADDRESS = "/c/harbour/qrels/preview"
PARTIAL = {"HX-Request": "true", "HX-Request-Type": "partial"}
# As in tests/workflow/qrels/test_rule_preview.py: under `any` alpha is first, under `all` beta.
ROWS = [
    ("T1", "d1", "X", "3"), ("T1", "d1", "Y", "0"), ("T1", "d2", "X", "2"), ("T1", "d2", "Y", "2"),
    ("T2", "d/4", "X", "0"), ("T2", "d/4", "Y", "3"),
]  # fmt: skip
ASKED = {"asked": "1", "rule": ["any", "all"]}


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    client = enter("Olga")
    assert import_judgments(client, ROWS).status_code == 303
    return client


def test_the_first_view_proposes_rules_and_lets_the_page_fetch_them(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    assert "Applying 9 rules…" in page
    assert "Press “Compare”" in page
    assert 'name="rule" value="majority" checked' in page
    assert 'name="rule" value="dawid-skene">' in page
    assert 'value="mean"' not in page
    (fetched,) = [found.replace("&amp;", "&") for found in re.findall(r'hx-get="([^"]*asked=1[^"]*)"', page)]
    fragment = olga.get(fetched, headers=PARTIAL).text
    assert fragment.lstrip().startswith('<div class="stack apart" id="report">')
    assert "Majority 2 left: equally many assessors gave different grades 1 2" in text_of(fragment)


def test_rules_are_compared_by_what_they_settle_and_how_they_rank(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS, query_string=ASKED).text
    text = text_of(page)
    assert "3 judged pairs of 2 topics" in text
    assert "Any 3 3: 2 · 2: 1 3 from 2 0.67" in text
    assert "All 3 2: 1 · 0: 2 1 from 2 1 0.67" in text
    assert "Topics without any relevant document Rule Topics All T2 nets" in text
    assert "All −1.000 1 alpha before beta alpha 1 → 2; beta 2 → 1" in text
    assert links(page, "qrels?rule=any")
    turned = text_of(olga.get(ADDRESS, query_string=ASKED | {"against": "all"}).text)
    assert "Any −1.000 1 beta before alpha alpha 2 → 1; beta 1 → 2" in turned


def test_the_table_of_many_runs_has_the_best_and_names_the_file_of_all(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "runs under Any; the CSV file has all"
    assert said not in text_of(olga.get(ADDRESS, query_string=ASKED).text)
    monkeypatch.setattr(preview, "MOST_RUNS", 1)
    page = olga.get(ADDRESS, query_string=ASKED).text
    assert f"The best 1 of 2 {said}." in text_of(page)
    (table,) = re.findall(r"Scores of the runs under every rule.*?</table>", page, re.DOTALL)
    assert ("alpha" in table, "beta" in table) == (True, False)
    assert len(olga.get(f"{ADDRESS}/scores.csv", query_string=ASKED).text.splitlines()) == 3


def test_the_assessor_to_begin_with_has_graded_something(olga: FlaskClient) -> None:
    # Ada and Ben come first by name, and have said nothing.
    text = text_of(olga.get(ADDRESS, query_string={"asked": "1", "rule": ["one"]}).text)
    assert "One assessor (X)" in text
    assert 'value="X" selected' in olga.get("/c/harbour/qrels?rule=one").text


def test_several_assessors_are_compared_each_alone(olga: FlaskClient) -> None:
    query = {"asked": "1", "rule": ["one"], "assessor": ["X", "Y"]}
    text = text_of(olga.get(ADDRESS, query_string=query).text)
    assert "One assessor (X)" in text
    assert "One assessor (Y)" in text


def test_scores_that_take_longer_are_fetched_piece_by_piece(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.web.pages.consensus.preview.SECONDS", -1.0)
    monkeypatch.setattr("workbench.workflow.scores.rule_scores.AT_ONCE", 1)
    query = ASKED | {"measure": "P@4"}
    page = olga.get(ADDRESS, query_string=query).text
    assert "Scoring by P@4: 2 of 4 scores" in text_of(page)
    (further,) = [found.replace("&amp;", "&") for found in re.findall(r'hx-get="([^"]*/ranking[^"]*)"', page)]
    assert 'id="ranks"' in olga.get(further, headers=PARTIAL).text
    assert "Score the rest" in page
    assert links(page, "whole=1")


def test_the_tables_come_as_csv(olga: FlaskClient) -> None:
    def rows(table: str) -> list[str]:
        answer = olga.get(f"{ADDRESS}/{table}.csv", query_string=ASKED)
        assert answer.status_code == 200
        return answer.text.splitlines()

    assert rows("rules")[1].startswith("any,3,0,0,2,3,0,")
    assert rows("scores")[1] == "alpha,1.0,1,0.25,2"
    assert rows("swaps")[1].startswith("any,all,alpha,beta,")
    assert rows("moves")[1:] == ["any,all,alpha,1,2,-1", "any,all,beta,2,1,1"]


def test_what_cannot_be_applied_or_ranked_is_said_in_its_place(olga: FlaskClient) -> None:
    query = {"asked": "1", "rule": ["coin", "any", "sum", "dawid-skene"], "line": "x", "measure": "nope"}
    text = text_of(olga.get(ADDRESS, query_string=query).text)
    assert 'Cannot be applied: there is no consensus rule "coin"' in text
    assert 'Cannot be applied: line cannot be "x"' in text
    assert "Cannot be applied: Dawid and Skene's model needs three assessors or more; here 2 gave" in text
    assert 'There is no measure "nope"' in text
    assert "No rule is chosen" in olga.get(ADDRESS, query_string={"asked": "1"}).text


def test_without_judgments_the_page_says_what_is_lacking(olga: FlaskClient) -> None:
    olga.post("/campaigns/new", data={"name": "Bare", "scale": "binary"})
    assert "Nothing is judged yet" in olga.get("/c/bare/qrels/preview").text


def test_a_rule_that_took_seconds_says_as_of_when_it_is_and_how_many_answers_came_since(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.workflow.last_results.QUICK_SECONDS", -1.0)
    monkeypatch.setattr("workbench.workflow.last_results.MOST_OLDER", 1e9)
    assert import_judgments(olga, [("T1", "d1", "Z", "3")]).status_code == 303
    query = {"asked": "1", "rule": ["any", "dawid-skene"]}
    assert "came since" not in text_of(olga.get(ADDRESS, query_string=query).text)
    assert import_judgments(olga, [("T1", "d9", "X", "0")]).status_code == 303
    page = olga.get(ADDRESS, query_string=query).text
    assert "; 1 answer came since. Its figures and its ranking are from then." in text_of(page)
    table = olga.get(f"{ADDRESS}/rules.csv", query_string=query).text.splitlines()
    # A file is always of now: d9 has a line, too.
    assert [line.split(",")[:2] for line in table[1:]] == [["any", "4"], ["dawid-skene", "4"]]
    (anew,) = links(page, "anew=1")
    assert "came since" not in text_of(olga.get(anew).text)
