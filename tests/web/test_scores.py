from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.builders import run_text
from tests.cast import Cast
from tests.uploads import check_files, import_judgments, keep_all, links, text_of, upload, upload_runs
from tests.web.conftest import Enter
from workbench.records import Topic
from workbench.scoring.curves import RULES
from workbench.storage.engine import Database
from workbench.web.pages.scores import leaderboard
from workbench.web.pages.scores.runs import INTERPOLATIONS
from workbench.workflow.campaigns.collection import load_topics

ADDRESS = "/c/harbour/scores"
MEASURES = {"measures": "AP(rel=2) P(rel=2)@2"}
# T1: d1 and d2 are relevant; T2: d/4 is. Grades of 3 for all, relevant from 2.
ROWS = [
    ("T1", "d1", "X", "3"), ("T1", "d2", "X", "3"), ("T1", "d6", "X", "0"), ("T2", "d/4", "X", "3"),
    ("T2", "d1", "X", "1"),
]  # fmt: skip


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    client = enter("Olga")
    assert import_judgments(client, ROWS).status_code == 303
    return client


def test_runs_are_scored_by_measures_best_first(olga: FlaskClient) -> None:
    # Alpha: d1 d2 .. and d/4 ..: AP 1, P@2 (1 + 1/2) / 2. Beta: d2 d/4 d1 ..: (1 + 2/3) / 2 and 1, so AP
    # (5/6 + 1) / 2 = 0.9167; P@2 1/2 and 1/2.
    page = olga.get(ADDRESS, query_string=MEASURES).text
    text = text_of(page)
    # Two topics are too few for an interval, and for telling runs apart.
    assert "alpha has the best AP(rel=2): 1.000 (2 topics)." in " ".join(text.split())
    assert "With fewer than five topics, no run can be told apart from another." in text
    assert "beta 0.9167" in text
    assert "An interval needs five topics" in page
    # Of the 2 + 2 documents that P@2 reads, of beta d/4 of T1 and d2 of T2 are not judged.
    by_depth = olga.get(ADDRESS, query_string=MEASURES | {"by": "P(rel=2)@2"}).text
    assert 'title="2 of 4 documents">' in " ".join(by_depth.split())
    assert text.index("alpha 1.0000") < text.index("beta 0.9167")
    # Whoever sorts while a table is on its way gets what was asked last.
    headings = re.findall(r'<a class="sort".*?>', page, re.DOTALL)
    assert len(headings) == 3
    assert all('hx-sync="#table:replace"' in heading for heading in headings)
    turned = text_of(olga.get(ADDRESS, query_string=MEASURES | {"by": "run", "reverse": "yes"}).text)
    assert turned.index("beta 0.9167") < turned.index("alpha 1.0000")
    assert olga.get(ADDRESS, query_string=MEASURES | {"by": "hue"}).status_code == 422


def test_the_first_line_says_which_runs_can_be_told_apart_from_the_best(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    # RR on six topics: best 1 on all; near 1/2 on one, so a mean difference of 1/12 and t = 1; far 1/2 on
    # four and 1/5 on two: differences of mean .6 and standard deviation .155, t = 9.5 and p = .0002, three
    # times as much by Holm.
    topics = [f"T{number}" for number in range(1, 7)]
    with sqlite_database.writing() as db:
        load_topics(db, cast.campaign_id, [Topic(one, one) for one in topics[2:]], source="topics")
    others = ["a", "b", "c", "d", "e"]

    def ranked(*ranks: int) -> dict[str, list[str]]:
        listed = zip(topics, ranks, strict=True)
        return {one: [*others[: rank - 1], "hit", *others[rank - 1 :]] for one, rank in listed}

    upload_runs(
        olga, best=ranked(1, 1, 1, 1, 1, 1), near=ranked(2, 1, 1, 1, 1, 1), far=ranked(2, 5, 2, 5, 2, 2)
    )
    import_judgments(olga, [(one, "hit", "X", "3") for one in topics])
    query = {"asked": "1", "measures": "RR", "run": ["best", "near", "far"]}
    page = olga.get(ADDRESS, query_string=query).text
    text = " ".join(text_of(page).split())
    assert "best has the best RR: 1.000" in text
    assert "6 topics)." in text
    assert "1 of the 2 other runs cannot be told apart from it." in text
    marked = re.findall(r'tag=(\w+)[^"]*"(?:(?!tag=).)*?>not told apart<', page, re.DOTALL)
    assert marked == ["near"]


def test_topics_that_a_run_lacks_count_as_nothing_and_are_told(olga: FlaskClient) -> None:
    half = upload("half.txt", run_text("half/1", {"T1": ("d1", "d2")}))
    keep_all(olga, check_files(olga, half))
    page = olga.get(ADDRESS, query_string={"measures": "AP(rel=2)"}).text
    assert "half/1" in text_of(page)
    assert "1 of 2 topics 0.5000" in text_of(page)
    (address,) = links(page, "tag=half")
    topics = text_of(olga.get(address).text)
    assert "1 of 2 topics answered" in topics
    # Medians of alpha 1 and 1, beta 5/6 and 1, half 1 and 0; relevant two documents and one.
    assert "T1 tides 1.0000 1.0000 0.0000 2 T2 nets 0.0000 1.0000 −1.0000 1" in topics


def test_the_first_view_proposes_measures_and_lets_the_page_fetch_the_table(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    assert 'value="AP(rel=2) nDCG@10 P(rel=2)@10 RR(rel=2)"' in page
    assert "Scoring 2 runs…" in page
    assert "Press “Score”" in page
    (fetched,) = [
        part.partition('"')[0].replace("&amp;", "&")
        for part in page.split('hx-get="')[1:]
        if "measures=" in part.partition('"')[0]
    ]
    fragment = olga.get(fetched, headers={"HX-Request": "true", "HX-Request-Type": "partial"}).text
    assert fragment.lstrip().startswith('<section class="card" id="table">')
    assert "alpha" in fragment
    assert "<html" not in fragment


def test_runs_can_be_chosen(olga: FlaskClient) -> None:
    query = {"asked": "1", "measures": "AP", "run": ["beta"]}
    page = olga.get(ADDRESS, query_string=query).text
    assert "1 run over 2 topics" in text_of(page)
    assert 'value="beta" checked' in page
    assert 'value="alpha"> ' in page
    assert all("run=beta" in link for link in links(page, "table.csv"))
    nothing = olga.get(ADDRESS, query_string={"asked": "1", "measures": "AP"})
    assert nothing.status_code == 422
    assert "No run is chosen" in nothing.text


def test_the_rule_of_the_qrels_can_be_chosen(olga: FlaskClient) -> None:
    import_judgments(olga, [("T1", "d1", "Y", "0")])
    query = {"measures": "P(rel=2)@1", "rule": "all"}
    # With the lowest grade d1 is not relevant: alpha's first of T1 is lost.
    assert "alpha 0.5000" in text_of(olga.get(ADDRESS, query_string=query).text)
    any_rule = olga.get(ADDRESS, query_string=query | {"rule": "any"}).text
    assert "alpha 1.0000" in text_of(any_rule)
    assert '<option value="any" selected>' in any_rule


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true", "HX-Request-Type": "partial"}])
def test_an_unknown_measure_is_said_and_what_was_typed_is_kept(
    olga: FlaskClient, headers: dict[str, str]
) -> None:
    answer = olga.get(ADDRESS, query_string={"measures": "AP ndgc@10 <x>"}, headers=headers)
    assert answer.status_code == 422
    assert answer.text.count("here is no measure &#34;ndgc&#34;") == 1
    if not headers:
        assert 'value="AP ndgc@10 &lt;x&gt;"' in answer.text
        assert 'aria-invalid="true"' in answer.text


def test_the_table_comes_as_csv_with_all_digits(olga: FlaskClient) -> None:
    answer = olga.get(f"{ADDRESS}/table.csv", query_string={"measures": "AP(rel=2)"})
    rows = [line.split(",") for line in answer.text.splitlines()]
    assert rows[0][:4] == ["run", "AP(rel=2)", "topics_scored", "topics_in_qrels"]
    assert [rows[1][0], float(rows[1][1])] == ["alpha", 1.0]
    assert float(rows[2][1]) == pytest.approx(11 / 12, rel=1e-6)
    assert olga.get(f"{ADDRESS}/table.csv?measures=no").status_code == 422


@pytest.mark.parametrize(
    ("page", "root"),
    [("run?tag=beta&", "run"), ("two?", "two"), ("two?first=beta&second=alpha&", "two"), ("pairs?", "pairs"),
     ("pairs?method=t-holm&seed=3&", "pairs"), ("topics?order=disagreement&", "topics")],
)  # fmt: skip
def test_the_pages_in_detail_show_their_table_and_give_it_as_files(
    olga: FlaskClient, page: str, root: str
) -> None:
    address = f"{ADDRESS}/{page}measures=AP(rel=2)+P(rel=2)@2&by=P(rel=2)@2"
    part = olga.get(address, headers={"HX-Request": "true", "HX-Request-Type": "partial"}).text
    assert part.lstrip().startswith("<")
    assert "<html" not in part
    assert f'id="{root}" hx-get="' not in part
    whole = olga.get(address)
    assert whole.status_code == 200
    assert f'id="{root}"' in whole.text
    assert '<option value="P(rel=2)@2" selected>' in whole.text
    files = [link for link in links(whole.text, ".csv?") + links(whole.text, ".tex?") if "/scores/" in link]
    assert files
    assert {olga.get(file).status_code for file in files} == {200}


def test_scores_are_of_the_judgments_as_they_are_now(olga: FlaskClient) -> None:
    # What an address says beside is no part of the program's own addresses.
    address = f"{ADDRESS}/pairs?measures=AP(rel=2)&method=t-holm&endpoint=x&slug=y"
    # Alpha 1 and beta .9167 until d6, which both have fourth in T1, is relevant: there AP is
    # (1 + 1 + 3/4) / 3 and (1 + 2/3 + 3/4) / 3 then, which makes .9583 and .9028.
    assert "alpha 1.0000 0 1 0 beta 0.9167 0 1 0" in text_of(olga.get(address).text)
    assert import_judgments(olga, [("T1", "d6", "X", "3")]).status_code == 303
    assert "alpha 0.9583 0 1 0 beta 0.9028 0 1 0" in text_of(olga.get(address).text)
    row = olga.get(f"{ADDRESS}/pairs.csv?measures=AP(rel=2)&method=t-holm").text.splitlines()[1].split(",")
    assert row[:2] == ["alpha", "beta"]
    assert float(row[2]) == pytest.approx(1 / 18)


@pytest.mark.parametrize(
    ("page", "status"),
    [("run?tag=gamma&measures=AP", 404), ("run?measures=AP", 404), ("two?first=gamma&measures=AP", 404),
     ("two?first=beta&second=beta&measures=AP", 422), ("two?measures=AP&seed=x", 422),
     ("pairs?measures=AP&method=luck", 422), ("topics?measures=AP&order=luck", 422),
     ("topics?measures=AP&by=RR", 422), ("pairs?measures=Ap", 422), ("pairs?asked=1&measures=AP", 422)],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused(olga: FlaskClient, page: str, status: int) -> None:
    assert olga.get(f"{ADDRESS}/{page}").status_code == status


def test_without_runs_or_judgments_the_page_says_what_is_lacking(olga: FlaskClient) -> None:
    olga.post("/campaigns/new", data={"name": "Bare", "scale": "binary"})
    for page in ("scores", "scores/two", "scores/pairs", "scores/topics"):
        assert "No run to score" in olga.get(f"/c/bare/{page}").text
    topics = upload("t.jsonl", '{"id": "1", "title": "one"}\n')
    olga.post("/c/bare/topics", data={"files": [topics]})
    keep_all(olga, check_files(olga, upload("a.txt", "1 Q0 d 1 1.0 a\n"), campaign="bare"))
    for page in ("scores", "scores/pairs"):
        assert "Nothing is judged yet" in olga.get(f"/c/bare/{page}").text
    assert olga.get("/c/bare/scores?measures=AP").status_code == 422


def test_runs_are_drawn_by_a_curve(olga: FlaskClient) -> None:
    # Of T1 alpha has both relevant documents first, beta at ranks 1 and 3; T2 has one, which both have first.
    assert INTERPOLATIONS.keys() == RULES.keys()
    page = olga.get(f"{ADDRESS}/curves", query_string=MEASURES)
    assert "alpha beta 0.0 1.0000 1.0000" in text_of(page.text)
    assert "1.0 1.0000 0.8333" in text_of(page.text)
    one = olga.get(
        f"{ADDRESS}/curves/table.json",
        query_string=MEASURES | {"curve": "gain", "drawn": "beta", "depth": "3"},
    )
    assert one.json is not None
    assert ([run["run"] for run in one.json["runs"]], one.json["rank"]) == (["beta"], [1, 2, 3])


@pytest.mark.parametrize("wrong", [{"curve": "x"}, {"interpolation": "x"}, {"depth": "0"}, {"drawn": "x"}])
def test_a_curve_that_cannot_be_drawn_is_refused(olga: FlaskClient, wrong: dict[str, str]) -> None:
    assert olga.get(f"{ADDRESS}/curves", query_string=MEASURES | wrong).status_code in {404, 422}


def test_a_run_says_what_it_costs(olga: FlaskClient) -> None:
    address = "/c/harbour/runs/run?tag=beta"
    assert olga.post(address, data={"seconds_per_query": "0.25", "index_bytes": "3000"}).status_code == 303
    assert "0.25 s a query, index of" in text_of(olga.get(address).text)
    wrong = olga.post(address, data={"seconds_per_query": "0", "index_bytes": "3 GB"})
    assert wrong.status_code == 422
    assert 'id="seconds_per_query-error-1"' in wrong.text
    assert 'id="index_bytes-error-1"' in wrong.text


def test_a_long_leaderboard_is_shown_a_page_at_a_time_in_the_order_of_all_runs(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    gamma = upload("gamma.txt", run_text("gamma", {"T1": ("d6", "d1"), "T2": ("d1", "d/4")}))
    keep_all(olga, check_files(olga, gamma))
    monkeypatch.setattr(leaderboard, "LEADERS", 2)
    # P(rel=2)@2: alpha (1 + 1/2) / 2, beta 1/2 and gamma 1/2; by run alpha is the first and gamma the last.
    query = MEASURES | {"by": "run", "reverse": "yes"}
    first = olga.get(ADDRESS, query_string=query).text
    assert "gamma" in shown_runs(first)[0]
    assert len(shown_runs(first)) == 2
    assert "1 to 2 of 3" in text_of(first)
    (following,) = links(first, "from=2")
    second = olga.get(following).text
    assert [row.split()[0] for row in shown_runs(second)] == ["alpha"]
    # The axis is that of all runs, so that pages can be compared.
    axes = [re.search(r'<th scope="col" class="bars axis">.*?</th>', page) for page in (first, second)]
    assert axes[0] is not None
    assert axes[1] is not None
    assert axes[0][0] == axes[1][0]
    # Another heading begins with the first page again; files have every run.
    assert not [link for link in links(second, "by=AP") if "from=" in link]
    (file,) = links(second, "table.csv")
    assert len(olga.get(file).text.splitlines()) == 1 + 3


def test_a_run_is_found_on_its_page_of_the_leaderboard(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaderboard, "LEADERS", 1)
    run = olga.get(f"{ADDRESS}/run", query_string=MEASURES | {"tag": "beta", "by": "P(rel=2)@2"}).text
    (address,) = links(run, "at=beta")
    found = olga.get(address).text
    # By P@2 beta, with 1/2 and 1/2, comes after alpha.
    assert [row.split()[0] for row in shown_runs(found)] == ["beta"]
    assert '<tr id="at"' in found
    assert "2 to 2 of 2" in text_of(found)
    missing = olga.get(ADDRESS, query_string=MEASURES | {"at": "delta"})
    assert missing.status_code == 200
    assert "There is no run delta on this leaderboard." in text_of(missing.text)
    assert "alpha" in shown_runs(missing.text)[0]


def shown_runs(page: str) -> list[str]:
    """The rows of the leaderboard as text."""
    table = page.partition('<table class="leaders">')[2].partition("</table>")[0].partition("<tbody>")[2]
    return [text_of(row) for row in table.split("</tr>")[:-1]]


def test_the_pages_know_of_which_measures_lower_is_better(olga: FlaskClient) -> None:
    """E@2 by hand: alpha 0 and 1/3, beta 1/2 and 1/3; T2 is the harder topic in the median, 1/3 for 1/4."""
    query = {"measures": "E(rel=2)@2"}
    page = olga.get(ADDRESS, query_string=query).text
    assert text_of(page).index("alpha 0.1667") < text_of(page).index("beta 0.4167")
    assert 'aria-sort="ascending"' in page
    two = text_of(olga.get(f"{ADDRESS}/two", query_string=query | {"first": "alpha", "second": "beta"}).text)
    assert "better on 1 , equal on 1, worse on 0" in two
    assert "below zero the first is better" in two
    topics = text_of(olga.get(f"{ADDRESS}/topics", query_string=query).text)
    assert topics.index("T2 nets 0.3333") < topics.index("T1 tides 0.2500")
    assert "hard where the median run scores high" in topics


def test_a_topic_without_a_relevant_document_is_not_called_hard(enter: Enter) -> None:
    """Every run has 0 on T2, where nothing is relevant; AP on T1 is 1 and 5/6, 11/12 in the median."""
    olga = enter("Olga")
    import_judgments(olga, [*ROWS[:3], ("T2", "d/4", "X", "1")])
    topics = text_of(olga.get(f"{ADDRESS}/topics", query_string=MEASURES).text)
    assert "T1 is the hardest topic: the median run has AP(rel=2) 0.917." in topics
    assert "1 topic without a relevant document is left out here." in topics
    assert "T2 nets 0.0000" in topics


def test_the_leaderboard_tells_the_two_measures_called_accuracy_apart(olga: FlaskClient) -> None:
    text = text_of(olga.get(ADDRESS, query_string={"measures": "Accuracy"}).text)
    assert "the accuracy of textbooks" in text
    assert "the accuracy of textbooks" not in text_of(olga.get(ADDRESS, query_string={"measures": "AP"}).text)
