"""Results by name: each table that a page offers as a file, for programs, with the rights of its page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api import API, program
from tests.cast import Cast
from tests.uploads import import_judgments
from tests.web.conftest import Enter
from tests.web.test_scores import score_one_by_one
from workbench.storage.engine import Database
from workbench.web.access import access_of
from workbench.web.api.named_results import ResultQuery
from workbench.web.api.openapi import _query_parameters
from workbench.web.api.operations import Schema
from workbench.web.pages.trust import UNDER_WAY
from workbench.web.result_columns import column_json
from workbench.web.results import CSV, JSON, TEX, TEXT, offered_results
from workbench.workflow.people.membership import add_role
from workbench.workflow.people.roles import Role

RESULTS = f"{API}/campaigns/harbour/results"
ROWS = [
    ("T1", "d1", "X", "3"), ("T1", "d2", "X", "0"), ("T2", "d/4", "X", "3"),
    ("T1", "d1", "Y", "3"), ("T1", "d2", "Y", "3"), ("T2", "d/4", "Y", "3"),
]  # fmt: skip
Of = Callable[[str], FlaskClient]


@pytest.fixture
def of(app: Flask, sqlite_database: Database, cast: Cast) -> Of:
    """The program of somebody in the cast."""
    return lambda name: program(app, sqlite_database, cast.accounts[name])


@pytest.fixture
def olga(of: Of, enter: Enter) -> FlaskClient:
    """The organiser's program in a campaign in which X and Y have judged three pairs each."""
    assert import_judgments(enter("Olga"), ROWS).status_code == 303
    return of("Olga")


def said(answer: Any) -> Any:
    """The JSON of an answer."""
    return answer.json


def codes(answer: Any) -> list[str]:
    assert answer.status_code == 422
    return [finding["code"] for finding in answer.json["findings"]]


def test_each_result_takes_from_its_options_what_its_page_has_in_its_path(app: Flask) -> None:
    offered = offered_results(app)
    of_endpoint = {app.view_functions[rule.endpoint]: rule for rule in app.url_map.iter_rules()}
    makers = {getattr(view, "__wrapped__", None): rule for view, rule in of_endpoint.items()}
    assert len(offered) > 30
    for one in offered.values():
        rule = makers[one.make]
        parts = {option.part for option in one.stated.options if option.part}
        assert parts == set(rule.arguments) - {"slug", "kind"}, rule
        names = [option.name for option in one.stated.options]
        assert len(set(names)) == len(names), one.stated.name
        assert {"format", "data"}.isdisjoint(names)
        assert set(one.stated.formats) <= {JSON, CSV, TEX, TEXT}
        access = access_of(app, rule.endpoint)
        assert access is not None
        assert one.roles == access.roles != frozenset()


OF_ORGANISERS = {"judgments.subtopics", "missed", "search.found"}


def test_each_sees_the_results_of_the_pages_that_are_open_to_them(of: Of, olga: FlaskClient) -> None:
    names = {
        name: {one["name"] for one in said(of(name).get(RESULTS))["results"]}
        for name in ("Olga", "Judith", "Vera")
    }
    # Which run ranked a document how high would bias an adjudicator.
    assert names["Olga"] - names["Judith"] == {"pools.analysis"} | OF_ORGANISERS
    assert names["Olga"] - names["Vera"] == OF_ORGANISERS
    assert of("Judith").get(f"{RESULTS}/pools.analysis").status_code == 403
    assert of("Vera").get(f"{RESULTS}/judgments.subtopics").status_code == 403
    assert of("Ada").get(RESULTS).status_code == 403
    assert of("Petra").get(f"{RESULTS}/scores").status_code == 403
    assert olga.get(f"{RESULTS}/nothing").status_code == 404


def test_whoever_still_judges_gets_no_result(of: Of, sqlite_database: Database, cast: Cast) -> None:
    with sqlite_database.writing() as db:
        add_role(db, cast.campaign_id, cast.accounts["Ada"].id, Role.VIEWER)
    # Her other roles are suspended until her assignments are done.
    assert of("Ada").get(f"{RESULTS}/scores").status_code == 403


FILES = (
    ("scores", "scores/table.csv", "measures=AP"),
    ("scores.topics", "scores/topics/table.csv", "measures=AP&order=disagreement"),
    ("agreement", "agreement/report.csv", "machines=among&graded=yes"),
    ("pools.analysis", "analysis/contributions.csv", "table=contributions"),
    ("qrels.labels", "qrels/labels.csv", "rule=any"),
    ("trust.question", "trust/holes.csv", "question=holes&part=judged&measure=AP"),
    ("qrels.groups", "qrels/groups", ""),
    ("missed", "missed/table.csv", ""),
    ("search.found", "search/found.csv", "part=people"),
    ("preferences", "preferences/runs.csv", "table=runs"),
)


def test_a_file_is_the_file_of_the_page(olga: FlaskClient, enter: Enter) -> None:
    browser = enter("Olga")
    for name, page, query in FILES:
        of_page = browser.get(f"/c/harbour/{page}?{query}", buffered=True)
        of_api = olga.get(f"{RESULTS}/{name}?{query}", headers={"Accept": "text/csv"}, buffered=True)
        assert of_api.status_code == of_page.status_code == 200, name
        assert of_api.data == of_page.data, name
        assert of_api.content_type == of_page.content_type, name


def test_a_table_has_its_columns_and_says_on_what_it_rests(olga: FlaskClient) -> None:
    found = said(olga.get(f"{RESULTS}/scores.pairs?measures=AP&seed=3"))
    assert [one["name"] for one in found["columns"]][:3] == ["first", "second", "difference"]
    assert all(one["meaning"] for one in found["columns"])
    # The majority settles d1 of T1 and d/4 of T2, two of the six pairs of the pool; on d2 X and Y differ.
    about = found["about"]
    assert about["coverage"] == {"topics": 2, "all_topics": 2, "pairs": 2, "pooled": 6}
    assert (about["measure"], about["seed"], about["qrels"]) == ("AP", 3, "majority")
    assert found["data"] is None
    (row,) = found["rows"]
    assert {row[0], row[1]} == {"alpha", "beta"}
    whole = said(olga.get(f"{RESULTS}/scores.pairs?measures=AP&seed=3&data=true"))["data"]
    assert whole["pairs"][0]["difference"] == row[2]


def test_a_parameter_of_a_rule_is_no_run_to_draw(olga: FlaskClient, enter: Enter) -> None:
    asked = "rule=sum&line=3&measures=AP"
    assert enter("Olga").get(f"/c/harbour/scores/curves?{asked}").status_code == 200
    drawn = said(olga.get(f"{RESULTS}/scores.curves?{asked}&drawn=beta"))
    assert [one["name"] for one in drawn["columns"]] == ["recall", "beta"]


def test_the_pool_of_a_result_is_named(olga: FlaskClient) -> None:
    found = said(olga.get(f"{RESULTS}/pools.compare", query_string={"a": "judged", "b": "depth 2"}))
    # The pool has six pairs; all that X and Y judged is among them.
    assert found["about"]["pairs"] == len(found["rows"]) == 6
    assert olga.get(f"{RESULTS}/stopping?pool=nothing").status_code == 404
    assert olga.get(f"{RESULTS}/stopping?pool=depth+2").status_code == 422  # it is not adaptive


WRONG = (
    ("scores?measure=AP", "unknown-parameter"),
    ("scores?by=AP&by=P", "repeated-parameter"),
    ("scores?rule=tossed", "option"),
    ("trust.question?question=judges", "option"),
    ("scores?format=xlsx", "format"),
    ("qrels.groups?format=json", "format"),
    ("scores?data=perhaps", "bool-type"),
)


def test_an_option_that_is_none_is_named(of: Of) -> None:
    olga = of("Olga")
    for asked, code in WRONG:
        assert codes(olga.get(f"{RESULTS}/{asked}")) == [code], asked


def test_what_takes_long_says_how_far_it_is(olga: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    score_one_by_one(monkeypatch)
    first = olga.get(f"{RESULTS}/scores?measures=P@7")
    assert (first.status_code, said(first)["done"], said(first)["total"]) == (202, 1, 2)
    assert float(first.headers["Retry-After"]) > 0
    assert len(said(olga.get(f"{RESULTS}/scores?measures=P@7"))["rows"]) == 2


def test_what_a_page_computes_already_says_how_far_it_is(olga: FlaskClient, cast: Cast) -> None:
    with UNDER_WAY.follow((cast.campaign_id, "report", ("measure", "AP"))) as steps:
        next(iter(steps([1, 2, 3], "mixtures")))
        found = olga.get(f"{RESULTS}/trust.judges?measure=AP&part=runs")
    assert (found.status_code, said(found)["total"]) == (202, 3)
    rows = said(olga.get(f"{RESULTS}/trust.judges?measure=AP&part=runs"))["rows"]
    assert {row[0] for row in rows} == {"alpha", "beta"}


def test_a_figure_with_a_bound_says_what_the_bound_is_of() -> None:
    assert column_json("agreement.topics", "gwet_low")["meaning"] == (
        f"{column_json('agreement.topics', 'gwet')['meaning']}: the lower bound of its interval"
    )
    assert column_json("pools.compare", "judged") != column_json("pools.analysis", "judged")
    assert column_json("scores.two", "alpha.run")["meaning"] is None


def test_a_query_with_options_is_documented_as_one_parameter_for_each() -> None:
    documented = {one["name"]: one for one in _query_parameters(Schema(ResultQuery), {})}
    options = documented["options"]
    assert (options["style"], options["explode"], options["schema"]["type"]) == ("form", True, "object")
    assert "style" not in documented["format"]
