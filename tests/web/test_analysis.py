"""The page that shows what runs bring before anybody judges."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import check_files, import_judgments, keep_all, links, text_of, upload, upload_runs
from tests.web.conftest import Enter
from workbench.web.pages.pools import analysis

ADDRESS = "/c/harbour/analysis"


def drawn(page: str) -> list[tuple[str, Any]]:
    """Every plot of a page: its kind and its data."""
    found = re.findall(
        r'<figure class="plot" data-plot="(\w+)">.*?<script type="application/json">(.*?)</script>',
        page,
        re.S,
    )
    return [(kind, json.loads(data)) for kind, data in found]


def rows_of(client: FlaskClient, address: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(client.get(address).text)))


def test_the_page_comes_at_once_and_fetches_the_analysis(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    assert "Reading 2 runs…" in text_of(page)
    (address,) = re.findall(r'id="report" hx-get="([^"]*)"', page)
    fragment = olga.get(address.replace("&amp;", "&"), headers={"HX-Request": "true"}).text
    assert "<html" not in fragment
    assert "Growth by depth" in fragment


def test_a_pool_is_shown_with_the_numbers_of_its_recipe(olga: FlaskClient, cast: Cast) -> None:
    page = olga.get(f"{ADDRESS}?asked=1&pool={cast.pool_id}").text
    said = text_of(page)
    # By hand in tests/builders.py: six pairs of eight; alpha and beta share (T1, d2) and (T2, d/4).
    assert "2 runs of depth 2 contribute 6 pairs: 75 % of the maximum 8, if runs shared no documents." in said
    assert "1 3 4 75 % 2 6 8 75 % 3 8 11 73 % 4 9 13 69 %" in said
    assert "Run Pairs Unique Share unique alpha 4 2 50 % beta 4 2 50 %" in said
    assert "alpha beta 2 0.333" in said
    assert "every tie rule makes the same pool" in said
    assert "T1 tides 3 4 75 % T2 nets 3 4 75 %" in said


def test_what_is_judged_already_is_in_the_contributions_and_topics(olga: FlaskClient, cast: Cast) -> None:
    # Relevant from grade 2 on: d1 is alpha's alone, d2 is both runs'.
    import_judgments(olga, [("T1", "d1", "Xia", "2"), ("T1", "d2", "Xia", "3"), ("T1", "d/4", "Xia", "1")])
    page = olga.get(f"{ADDRESS}?asked=1&pool={cast.pool_id}").text
    said = text_of(page)
    assert "Relevant Unique relevant alpha 4 2 50 % 2 1 beta 4 2 50 % 1 0" in said
    assert "T1 tides 3 4 75 % 3 2 T2 nets 3 4 75 % 0 0" in said
    topics = drawn(page)[-1][1]
    assert (topics["parts"], topics["rows"][0]["values"]) == (
        ["relevant", "judged not relevant", "not judged"],
        [2, 1, 0],
    )


def test_ties_across_the_cut_are_told_by_rule(olga: FlaskClient) -> None:
    flat = "".join(f"T1 Q0 {docno} 1 5 flat\n" for docno in ("d2", "d1", "d6"))
    keep_all(olga, check_files(olga, upload("flat.txt", flat)))
    said = text_of(olga.get(f"{ADDRESS}?asked=1&depth=2&run=flat&chosen=1&ties=docno-ascending").text)
    # Ascending lets in d1 d2, descending d6 d2, the file d2 d1.
    assert "trec_eval docno descending 2 1 1" in said
    assert "docno-ascending docno ascending 2 – –" in said
    assert "file order of the file 2 0 0" in said


def test_near_duplicates_are_called_out(olga: FlaskClient) -> None:
    upload_runs(olga, twin={"T1": ("d1", "d2", "d#3", "d6"), "T2": ("d/4", "d1", "é5")})
    said = text_of(olga.get(f"{ADDRESS}?asked=1&depth=10").text)
    assert "1 pair of runs shares 95 % or more: near-duplicates" in said
    assert "alpha twin 7 1.000 near-duplicate" in said


@pytest.mark.parametrize(
    ("table", "header", "first"),
    [
        ("growth", "depth,pairs,new,largest_possible", "1,3,3,4"),
        ("growth-by-topic", "topic,depth,pairs,largest_possible", "T1,1,2,2"),
        ("contributions", "run,group,pairs,alone,relevant,relevant_alone", "alpha,,4,2,0,0"),
        ("overlap", "first,second,shared,share", "alpha,beta,2,0.3333333333333333"),
        ("matrix", "run,alpha,beta", "alpha,1.0,0.3333333333333333"),
        ("tie-rules", "ties,pairs,entering,leaving", "trec_eval,6,0,0"),
        ("topics", "topic,pairs,largest_possible,judged,relevant,unusual", "T1,3,4,0,0,"),
    ],
)
def test_every_table_comes_as_csv(olga: FlaskClient, cast: Cast, table: str, header: str, first: str) -> None:
    answer = olga.get(f"{ADDRESS}/{table}.csv?pool={cast.pool_id}")
    assert answer.text.splitlines()[:2] == [header, first]
    assert answer.headers["Content-Disposition"] == f'attachment; filename="harbour.depth 2.{table}.csv"'


def test_the_links_to_the_tables_ask_for_what_is_shown(olga: FlaskClient) -> None:
    page = olga.get(f"{ADDRESS}?asked=1&depth=1&run=beta&chosen=1").text
    (address,) = links(page, "contributions.csv")
    assert rows_of(olga, address)[1:] == [["beta", "", "2", "2", "0", "0"]]


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("depth=0", 422, "depth cannot be"),
        ("depth=ten", 422, "depth cannot be"),
        ("depth=10001", 422, "depth cannot be"),
        ("ties=coin", 422, "no tie rule is chosen"),
        ("chosen=1", 422, "no run is chosen"),
        ("run=gamma&chosen=1", 422, "there is no run gamma"),
        ("pool=777", 404, "There is no such pool"),
    ],
)
def test_what_cannot_be_analysed_is_said(olga: FlaskClient, query: str, status: int, said: str) -> None:
    answer = olga.get(f"{ADDRESS}?asked=1&{query}")
    assert answer.status_code == status
    assert said in text_of(answer.text)


def test_a_pool_that_its_runs_tops_do_not_explain_says_so(olga: FlaskClient, cast: Cast) -> None:
    notice = '<p class="notice">'
    assert notice not in olga.get(f"{ADDRESS}?asked=1&pool={cast.pool_id}").text
    assert notice in olga.get(f"{ADDRESS}?asked=1&pool={cast.pool_id}&depth=3").text


def test_organisers_and_viewers_are_led_here_and_adjudicators_are_not(enter: Enter, cast: Cast) -> None:
    for name, count in (("Olga", 1), ("Vera", 1), ("Judith", 0)):
        assert len(links(enter(name).get("/c/harbour/pools").text, "/analysis")) == count
        assert len(links(enter(name).get(f"/c/harbour/pools/{cast.pool_id}").text, "/analysis")) == count
    assert enter("Judith").get(ADDRESS).status_code == 403
    assert enter("Ada").get(ADDRESS).status_code == 403
    assert enter("Ada").get(f"{ADDRESS}/overlap.csv").status_code == 403


def test_of_many_runs_the_first_are_listed_and_the_file_has_all(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "MOST_ROWS", 1)
    upload_runs(olga, gamma={"T1": ("elsewhere", "else")}, delta={"T1": ("else", "elsewhere")})
    said = text_of(olga.get(f"{ADDRESS}?asked=1").text)
    assert "The first 1 of 4; the CSV has all." in said
    assert len(rows_of(olga, f"{ADDRESS}/contributions.csv?asked=1")) == 5
