from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import check_files, import_judgments, keep_all, links, text_of, upload
from tests.web.conftest import Enter
from workbench.records import BINARY, Topic
from workbench.storage.engine import Database
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.campaigns.collection import load_topics


def to_do(page: str) -> list[tuple[str, str]]:
    """The label and the address of everything that needs attention."""
    listed = page.partition('<ul class="todo">')[2].partition("</ul>")[0]
    return re.findall(r'<span class="pill[^"]*">([^<]+)</span>.*?<a href="([^"]+)">', listed, re.DOTALL)


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    return enter("Olga")


def test_it_names_the_campaign_its_topics_and_its_scale(olga: FlaskClient) -> None:
    text = text_of(olga.get("/c/harbour/").text)
    assert "Harbour 2 topics, grades 0 to 3, relevant from 2" in text


def test_the_steps_count_runs_pairs_and_answers(olga: FlaskClient) -> None:
    # The cast's pool has six pairs of the largest possible eight; two assessors have all of it.
    text = text_of(olga.get("/c/harbour/").text)
    assert "Runs 2" in text
    assert "Pool 6 pairs depth 2, 75 %" in text
    assert "Judged 0 of 6 0 of 12" in text
    assert "Agreement –" in text


def test_agreement_is_that_of_people_and_machines_are_marked(olga: FlaskClient) -> None:
    # X and Y on four pairs, relevant from 2: both, X alone, neither twice. Observed 3/4; relevant are 3 of
    # the 8 grades, so expected is (3/8)^2 + (5/8)^2 = 34/64, and kappa (48 - 34) / (64 - 34) = 0.467.
    said = (("d1", "3", "2"), ("d2", "3", "0"), ("d/4", "0", "0"), ("d6", "1", "1"))
    import_judgments(olga, [("T1", d, "X", x) for d, x, _ in said] + [("T1", d, "Y", y) for d, _, y in said])
    import_judgments(olga, [("T1", d, "robot", "0") for d, _, _ in said], machine="yes")
    page = text_of(olga.get("/c/harbour/").text)
    assert "κ 0.47 dubious pooled" in page
    assert "robot machine" in page
    assert "X – 4 0.47" in page
    # d1 and d2 have different grades, two of the four pairs that people judged.
    assert "Disputed 2 50 %" in page


def test_an_undefined_agreement_says_why(olga: FlaskClient) -> None:
    import_judgments(olga, [("T1", "d1", who, "0") for who in ("X", "Y")])
    text = text_of(olga.get("/c/harbour/").text)
    assert "undefined everyone gave the same grade, so agreement by chance is already complete" in text
    assert "nan" not in text.lower()


def test_a_new_campaign_is_led_from_step_to_step(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        made = create_campaign(db, name="New", scale=BINARY, organiser=cast.accounts["Olga"].id)
    page = olga.get("/c/new/").text
    assert to_do(page) == [("First", "/c/new/topics")]
    with sqlite_database.writing() as db:
        load_topics(db, made.id, [Topic("1", "one")], source="topics")
    assert to_do(olga.get("/c/new/").text) == [("Next", "/c/new/runs")]
    run = upload("a.txt", "1 Q0 d1 1 2.0 a\n")
    keep_all(olga, check_files(olga, run, campaign="new"))
    assert to_do(olga.get("/c/new/").text) == [("Next", "/c/new/pools")]
    pool = olga.post("/c/new/pools", data={"depth": "5", "ties": "trec_eval", "run": ["a"]})
    assert pool.status_code == 303
    assert to_do(olga.get("/c/new/").text) == [("Next", pool.location)]
    assert olga.post(f"{pool.location}/open").status_code == 303
    page = olga.get("/c/new/").text
    assert to_do(page) == [("Missing", "/c/new/documents"), ("Assessors", "/c/new/people")]
    assert "1 pooled document" in text_of(page)


def test_low_agreement_and_odd_answers_need_the_organiser(olga: FlaskClient) -> None:
    # Twenty pairs; X finds all odd ones relevant, Y all even ones: they never agree.
    rows = [("T1", f"x{n}", "X", "3" if n % 2 else "0") for n in range(20)]
    rows += [("T1", f"x{n}", "Y", "0" if n % 2 else "3") for n in range(20)]
    import_judgments(olga, [*rows, ("T2", "d1", "X", "unsure"), ("T2", "d2", "Y", "cannot_judge")])
    page = olga.get("/c/harbour/").text
    assert "κ −1.00 between X and Y on 20 pairs" in text_of(page)
    assert [label for label, _ in to_do(page)] == ["Low agreement", "Unsure", "Cannot judge"]
    assert olga.get(links(page, "agreement/pair")[0]).status_code == 200
    assert "1 answer “unsure”" in text_of(page)
    assert "1 answer “cannot judge”" in text_of(page)
    assert "T2 d1 X unsure" in text_of(olga.get(links(page, "only=unsure")[0]).text)


def test_when_all_is_judged_the_qrels_are_next(olga: FlaskClient, cast: Cast) -> None:
    for assignment in cast.assignments.values():
        olga.post("/c/harbour/assignments/revoke", data={"assignment": assignment})
    pairs = [(topic, docno) for topic in ("T1", "T2") for docno in ("d1", "d2", "d/4")]
    import_judgments(olga, [(topic, docno, "X", "2") for topic, docno in pairs])
    assert to_do(olga.get("/c/harbour/").text) == [("Ready", "/c/harbour/qrels")]


def test_an_illustrative_campaign_is_marked(olga: FlaskClient, cast: Cast, sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        create_campaign(db, name="Shown", scale=BINARY, organiser=cast.accounts["Olga"].id, illustrative=True)
    assert 'class="pill fair">illustrative' in olga.get("/c/shown/").text


def test_titles_and_names_of_any_script_are_escaped_and_find_their_direction(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    title = "متى يكون المد عالياً <script>alert(1)</script> " + "طويل " * 60
    with sqlite_database.writing() as db:
        load_topics(db, cast.campaign_id, [Topic("T3", title)], source="topics")
    import_judgments(olga, [("T3", "d1", "نورا <i>", "1")])
    for address in ("/c/harbour/", "/c/harbour/topics", "/c/harbour/topics/topic?topic=T3"):
        page = olga.get(address).text
        assert "<script>alert" not in page
        assert "<i>" not in page.replace('<i class="swatch', "")
        assert 'dir="auto">متى' in page
    assert 'dir="auto">نورا &lt;i&gt;' in olga.get("/c/harbour/").text
