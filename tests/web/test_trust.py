"""The page on trust: what it computes when it is asked, for whom, and its files."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.builders import run_text
from tests.uploads import check_files, import_judgments, keep_all, links, text_of, upload
from tests.web.conftest import Enter
from workbench.pooling.strategies import PoolRecipe
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.web.pages import trust
from workbench.web.pages.trust import QUESTIONS
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.pools.making import make_pool
from workbench.workflow.worker import do_waiting

ADDRESS = "/c/harbour/trust"
ROWS = [
    ("T1", "d1", "X", "3"), ("T1", "d2", "X", "0"), ("T2", "d/4", "X", "3"),
    ("T1", "d1", "Y", "3"), ("T1", "d2", "Y", "3"), ("T2", "d/4", "Y", "3"),
]  # fmt: skip


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    client = enter("Olga")
    assert import_judgments(client, ROWS).status_code == 303
    return client


def test_the_report_names_assessors_mixtures_and_coverage(olga: FlaskClient) -> None:
    text = text_of(olga.get(ADDRESS, query_string={"measure": "AP"}).text)
    assert "1,000 random mixtures of assessors" in text
    # Two runs are too few for a verdict, however alike they rank.
    assert "Would other assessors rank the runs the same? cannot be said yet" in text
    assert "2 runs are too few for a verdict" in text
    assert "X 2" in text  # assessor, topics
    # As Scores counts: d2 of T1 was graded, and the majority of 0 and 3 gives it no line.
    assert "Provisional. 2 of 6 pooled pairs (33 %) are in the qrels, on 2 of 2 topics." in text
    # Neither run has a group.
    assert "only it or its group contributed" in text
    assert "of 2 groups" not in text


def test_of_many_runs_the_first_are_shown_and_the_file_has_all(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = upload("late.txt", run_text("late", {"T1": ("d1", "d2")}))
    other = upload("other.txt", run_text("other", {"T1": ("d2", "d1")}))
    keep_all(olga, check_files(olga, late, other))
    assert "the CSV has all" not in text_of(olga.get(ADDRESS, query_string={"measure": "AP"}).text)
    monkeypatch.setattr(trust, "MOST_RUNS", 1)
    page = text_of(olga.get(ADDRESS, query_string={"measure": "AP"}).text)
    # Two runs were pooled, two came later.
    assert page.count("The first 1 of 2; the CSV has all.") == 2


def test_every_table_is_a_file(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS, query_string={"measure": "AP"}).text
    (csv_file, *_) = links(page, "judges.csv")
    assert olga.get(csv_file).text.startswith("qrels,n,topics,graded,tau_b")
    (json_file, *_) = links(page, "judges.json")
    assert json.loads(olga.get(json_file).text)["options"]["reference"] == "qrels"
    assert olga.get(f"{ADDRESS}/judges.csv?part=late").status_code == 422


def test_a_wrong_measure_is_refused_beside_its_field(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS, query_string={"measure": "hue"})
    assert page.status_code == 422
    assert "hue" in text_of(page.text)


def test_assessors_do_not_see_it(olga: FlaskClient, enter: Enter) -> None:
    assert enter("Ada").get(ADDRESS).status_code == 403


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_comes_with_its_answer_and_what_it_rests_on(olga: FlaskClient, question: str) -> None:
    fragment = olga.get(
        f"{ADDRESS}/{question}", headers={"HX-Request": "true", "HX-Request-Type": "partial"}
    ).text
    assert "<html" not in fragment
    assert f'<section class="card" id="{question}">' in fragment
    assert '<details class="more" open>' not in fragment
    # Whoever has no scripts follows a link to the same as a page.
    page = olga.get(ADDRESS, query_string={"measure": "AP"}).text
    (address, *_) = links(page, f"/trust/{question}")
    alone = olga.get(address).text
    assert f'<section class="card" id="{question}">' in alone
    assert alone.count('<details class="more" open>') == fragment.count("<summary>More</summary>")


def test_the_files_of_a_question_are_its_tables(olga: FlaskClient) -> None:
    assert olga.get(f"{ADDRESS}/holes.csv?part=judged").text.startswith("run,answered,cutoff")
    assert len(json.loads(olga.get(f"{ADDRESS}/holes.json").text)["runs"]) == 2
    assert olga.get(f"{ADDRESS}/holes.csv?part=bands").status_code == 422


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_measure_that_is_better_when_lower_is_refused(olga: FlaskClient, question: str) -> None:
    assert olga.get(f"{ADDRESS}/{question}?measure=ESL(n=1)").status_code == 422


def test_the_report_is_a_page_and_a_file_for_all_who_read(olga: FlaskClient, enter: Enter) -> None:
    page = olga.get(f"{ADDRESS}/report").text
    assert '<article class="card collection-report"><h2' in page
    (file, *_) = links(page, "report.md")
    answer = enter("Vera").get(file)
    assert answer.mimetype == "text/markdown"
    assert answer.text.startswith("# ")
    assert olga.get(f"{ADDRESS}/report?measure=ESL(n=1)").status_code == 422
    assert enter("Ada").get(file).status_code == 403


def test_runs_that_tie_are_said_to(olga: FlaskClient) -> None:
    # A copy of a run under another name has its score, whoever judged.
    ranked = {"T1": ("d1", "d2"), "T2": ("d/4",)}
    files = [upload(f"{tag}.txt", run_text(tag, ranked)) for tag in ("one", "two")]
    keep_all(olga, check_files(olga, *files))
    page = olga.get(ADDRESS, query_string={"measure": "AP"}).text
    # Both share their rank, and say so, in the table of the runs that were not pooled.
    late = [row for row in page.split("<tr>") if re.search(r">(one|two)</bdi>", row)]
    assert [">tied</span>" in row for row in late] == [True, True]


def test_estimates_stand_below_the_holes_or_the_reason_why_not(
    olga: FlaskClient, sqlite_database: Database
) -> None:
    page = text_of(olga.get(f"{ADDRESS}/holes").text)
    assert "no opened pool was drawn at random" in page
    with sqlite_database.writing() as db:
        campaign = campaign_by_slug(db, "harbour").id
        make_pool(db, campaign, PoolRecipe("random", {"depth": 2, "budget": 5}))
    page = text_of(olga.get(f"{ADDRESS}/holes").text)
    assert "no opened pool was drawn at random" not in page
    of_topics = r", \d of \d topics?"
    assert re.search(f"infAP{of_topics} xinfAP{of_topics} infNDCG{of_topics}", page)


class TestWorker:
    """A worker does the jobs of the site."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return replace(settings, worker=True)

    def test_a_page_waits_for_the_worker_and_shows_the_last_figures_until_there_are_newer(
        self, olga: FlaskClient, settings: Settings, sqlite_database: Database
    ) -> None:
        waiting = olga.get(ADDRESS).text
        assert "Waiting for a worker…" in text_of(waiting)
        (again,) = [
            part.partition('"')[0].replace("&amp;", "&")
            for part in waiting.split('hx-get="')[1:]
            if part.partition("?")[0].endswith("/trust") and "delay:1s" in part.partition(">")[0]
        ]
        do_waiting(settings, sqlite_database)
        partial = {"HX-Request": "true", "HX-Request-Type": "partial"}
        fragment = olga.get(again, headers=partial).text
        assert fragment.lstrip().startswith('<div id="report"')
        assert "1,000 random mixtures of assessors" in text_of(fragment)
        assert "delay:1s" not in fragment
        # Another judgment: the figures stay, say of when they are, and others are computed.
        assert import_judgments(olga, [("T2", "d1", "Y", "0")]).status_code == 303
        older = olga.get(again, headers=partial).text
        assert "These figures are as of" in text_of(older)
        assert "1,000 random mixtures of assessors" in text_of(older)
        do_waiting(settings, sqlite_database)
        assert "These figures are as of" not in text_of(olga.get(again, headers=partial).text)

    def test_each_question_and_the_report_wait_by_themselves(
        self, olga: FlaskClient, settings: Settings, sqlite_database: Database
    ) -> None:
        addresses = [f"{ADDRESS}/{name}" for name in (*QUESTIONS, "report")]
        assert all("Waiting for a worker…" in olga.get(one).text for one in addresses)
        do_waiting(settings, sqlite_database)
        assert not [one for one in addresses if "Waiting for a worker…" in olga.get(one).text]
        # A file waits for what it holds, which is there now.
        assert olga.get(f"{ADDRESS}/report.md").text.startswith("# ")


def test_the_rankings_by_every_two_assessors_are_a_file(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS, query_string={"measure": "AP"}).text
    (address,) = links(page, "part=between")
    assert olga.get(address).text.startswith("first,second,topics,tau_b")


def test_a_campaign_that_is_judged_to_the_end_of_its_runs_has_a_page(olga: FlaskClient) -> None:
    """Both runs end at rank 4 of T1 and 3 of T2, and all that they have is judged."""
    left = [("T1", "d#3"), ("T1", "d6"), ("T1", "d/4"), ("T2", "d1"), ("T2", "d2"), ("T2", "é5")]
    rows = [(topic, docno, "X", "3" if docno == "d2" else "0") for topic, docno in left]
    assert import_judgments(olga, rows).status_code == 303
    answer = olga.get(f"{ADDRESS}/depth", headers={"HX-Request": "true", "HX-Request-Type": "partial"})
    assert answer.status_code == 200
    assert "nothing left to judge" in text_of(answer.text)
