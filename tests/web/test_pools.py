from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.builders import run_text
from tests.cast import Cast
from tests.uploads import check_files, keep_all, links, text_of, upload
from workbench.pooling.strategies import ALL_STRATEGIES
from workbench.web.pages.pools import pools
from workbench.web.pages.pools.pools import USE_WHEN

ADDRESS = "/c/harbour/pools"


def test_the_form_proposes_all_runs_and_explains_the_ties(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    assert page.count('name="run"') == page.count("checked> <bdi") == 2
    assert "equal scores by docno, ascending (TREC-COVID&#39;s pools)" in page
    assert "depth 2 depth 2 2 6 75 %" in text_of(page)


def test_the_common_strategies_come_first_and_say_when_to_use_them(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    folded = r"<legend>Strategy</legend>(.*?)<summary>\d+ other strategies</summary>(.*?)</fieldset>"
    choices = re.search(folded, page, re.DOTALL)
    assert choices is not None
    first, others = (re.findall(r'name="strategy" value="([^"]+)"', part) for part in choices.groups())
    assert set(first) == set(USE_WHEN)
    assert all(sentence in text_of(choices[1]) for sentence in USE_WHEN.values())
    assert {*first, *others} == set(ALL_STRATEGIES)


def test_a_pool_is_made_by_its_recipe(olga: FlaskClient) -> None:
    form = {"name": "deep  one", "depth": "4", "ties": "docno-ascending", "run": ["alpha"]}
    answer = olga.post(ADDRESS, data=form)
    assert answer.status_code == 303
    page = text_of(olga.get(answer.location).text)
    # Alpha alone brings all seven of its documents, and nothing else could.
    assert "Pool “deep one” was saved as a draft of 7 pairs." in page
    assert "100.0 %" in page
    assert "depth 4 1 run" in page
    assert "docno-ascending" in page
    assert "alpha 7 7 100 %" in page


def test_the_depth_begins_within_the_runs_may_be_empty_and_has_an_end(olga: FlaskClient) -> None:
    # Alpha has four documents for T1 and three for T2, beta no more: deeper than 4 there is nothing.
    assert re.search(r'id="depth"[^>]*value="4"', olga.get(ADDRESS).text)
    form = {"ties": "file", "run": ["alpha"]}
    # "Optional" is true: an empty field is the strategy's own default.
    empty = olga.post(ADDRESS, data={**form, "name": "by default", "depth": " "})
    assert empty.status_code == 303
    assert "depth 100" in text_of(olga.get(empty.location).text)
    for field, strategy in (("depth", "depth"), ("take-n-budget", "take-n")):
        slip = olga.post(ADDRESS, data={**form, "strategy": strategy, field: "1000000000"})
        assert slip.status_code == 422
        assert "cannot be 1000000000: give 1 to 1,000,000" in text_of(slip.text)


def test_what_is_wrong_is_said_and_what_was_typed_is_kept(olga: FlaskClient) -> None:
    form = {"name": "shallow", "depth": "0", "ties": "file", "run": ["beta"]}
    answer = olga.post(ADDRESS, data=form)
    assert answer.status_code == 422
    page = answer.text
    assert "Depth cannot be" in page
    assert 'value="shallow"' in page
    assert 'name="ties" value="file" required checked' in page
    assert 'value="alpha"> ' in page
    assert 'value="beta" checked' in page


@pytest.mark.parametrize(
    ("form", "status", "said"),
    [
        ({"depth": "2", "ties": "file"}, 422, "no run is chosen"),
        ({"depth": "2", "ties": "coin", "run": ["alpha"]}, 422, "no tie rule is chosen"),
        ({"depth": "2", "ties": "file", "run": ["gamma"]}, 422, "there is no run gamma"),
        ({"depth": "2", "ties": "file", "run": ["alpha"], "name": "depth 2"}, 409, "there is already a pool"),
    ],
)
def test_a_recipe_that_makes_no_pool_is_refused(
    olga: FlaskClient, form: dict[str, object], status: int, said: str
) -> None:
    answer = olga.post(ADDRESS, data=form)
    assert answer.status_code == status
    assert said in answer.text
    assert "1 pool" in text_of(olga.get(ADDRESS).text)


def test_a_pool_shows_its_topics_and_what_each_run_brought(olga: FlaskClient, cast: Cast) -> None:
    page = text_of(olga.get(f"{ADDRESS}/{cast.pool_id}").text)
    # T1: d1, d2 of alpha and d2, d/4 of beta; T2: d/4, d1 and d/4, d2. Alone: d1 of alpha in both, and d/4
    # and d2 of beta.
    assert "T1 tides 3 4 75 % T2 nets 3 4 75 %" in page
    assert "alpha 4 2 50 % beta 4 2 50 %" in page


def test_a_topic_of_a_pool_shows_which_runs_brought_what_and_how_high(olga: FlaskClient, cast: Cast) -> None:
    page = text_of(olga.get(f"{ADDRESS}/{cast.pool_id}/topic?topic=T1").text)
    # d2 is beta's first and alpha's second, d1 is alpha's first.
    assert "d2 2 beta 1 alpha 2 d1 1 alpha 1 d/4 1 beta 2" in page


def test_a_large_topic_is_shown_page_by_page(olga: FlaskClient) -> None:
    big = run_text("big", {"T1": [f"n{n:04}" for n in range(612)]})
    keep_all(olga, check_files(olga, upload("big.txt", big)))
    made = olga.post(ADDRESS, data={"depth": "700", "ties": "trec_eval", "run": ["big"]})
    first = olga.get(f"{made.location}/topic?topic=T1").text
    assert first.count("documents/document?") == 30
    assert "1 to 30 of 612" in text_of(first)
    (following,) = links(first, "from=30")
    assert "31 to 60 of 612" in text_of(olga.get(following).text)
    last = olga.get(f"{made.location}/topic?topic=T1&from=600").text
    assert last.count("documents/document?") == 12
    assert "601 to 612 of 612" in text_of(last)


def test_a_pair_names_its_first_runs_and_all_of_them_on_request(olga: FlaskClient) -> None:
    # 22 runs that have n1 at ranks 1 to 22, behind as many others of their own.
    for number in range(22):
        docnos = [*(f"own{number}-{place}" for place in range(number)), "n1"]
        keep_all(olga, check_files(olga, upload("run.txt", run_text(f"run{number:02}", {"T1": docnos}))))
    tags = [f"run{number:02}" for number in range(22)]
    made = olga.post(ADDRESS, data={"depth": "22", "ties": "trec_eval", "run": tags})
    page = olga.get(f"{made.location}/topic?topic=T1").text
    assert f"n1 22 {' '.join(f'run{n:02} {n + 1}' for n in range(20))} and 2 more runs" in text_of(page)
    (every,) = links(page, "runs=all")
    assert f"n1 22 {' '.join(f'run{n:02} {n + 1}' for n in range(22))} own" in text_of(olga.get(every).text)


def test_the_pairs_come_as_lines_sorted_by_bytes(olga: FlaskClient, cast: Cast) -> None:
    answer = olga.get(f"{ADDRESS}/{cast.pool_id}/pairs.tsv")
    assert answer.data == b"".join(
        b"%s\t%s\truns\n" % (topic, docno) for topic in (b"T1", b"T2") for docno in (b"d/4", b"d1", b"d2")
    )
    assert answer.headers["Content-Disposition"] == 'attachment; filename="harbour.depth 2.tsv"'
    table = olga.get(f"{ADDRESS}/{cast.pool_id}/topics.csv")
    assert table.text.splitlines() == [
        "topic,title,pairs,largest_possible,added_by_hand",
        "T1,tides,3,4,0",
        "T2,nets,3,4,0",
    ]


def test_a_pool_of_another_campaign_is_not_there(olga: FlaskClient, cast: Cast) -> None:
    olga.post("/campaigns/new", data={"name": "Other", "scale": "binary"})
    for page in ("", "/topic?topic=T1", "/pairs.tsv", "/topics.csv", "/close"):
        assert olga.get(f"/c/other/pools/{cast.pool_id}{page}").status_code == 404
    assert olga.post(f"/c/other/pools/{cast.pool_id}/close").status_code == 404


def test_a_campaign_without_runs_has_a_learner_or_people_choose_from_its_documents(olga: FlaskClient) -> None:
    olga.post("/campaigns/new", data={"name": "Other", "scale": "binary"})
    assert "Add runs or documents first" in olga.get("/c/other/pools").text
    topics = upload("topics.jsonl", '{"id": "T1", "title": "tides"}\n')
    texts = "".join(f"<DOC><DOCNO>d{n}</DOCNO><TEXT>tide {n}</TEXT></DOC>\n" for n in range(3))
    documents = upload("documents.trec", texts)
    olga.post("/c/other/set-up", data={"files": [topics, documents]})
    olga.post("/c/other/set-up/add")
    overview = olga.get("/c/other/").text
    assert "If there are none, make a pool without runs" in text_of(overview)
    assert "/c/other/pools" in links(olga.get("/c/other/set-up").text, "pools")
    form = olga.get("/c/other/pools").text
    assert re.findall(r'name="strategy" value="([^"]+)"', form) == ["learner", "by-hand"]
    assert 'name="run"' not in form
    sent = {"strategy": "learner", "ties": "trec_eval", "learner-budget": "2"}
    assert "At most 2 pairs" in olga.get("/c/other/pools/plan", query_string=sent).text
    made = olga.post("/c/other/pools", data=sent)
    assert made.status_code == 303
    assert "saved as a draft of at most 2 pairs" in text_of(olga.get(made.location).text)
    assert "Add the runs" not in olga.get("/c/other/").text
    # The other way: a pool that begins empty and takes what people found by searching.
    made = olga.post("/c/other/pools", data={"strategy": "by-hand", "ties": "trec_eval"})
    assert "Pool “by-hand” was saved as a draft of 0 pairs" in text_of(olga.get(made.location).text)
    found = olga.post(f"{made.location}/added?topic=T1", data={"docnos": "d1", "reason": "by searching"})
    assert found.status_code == 303, text_of(found.text)
    assert "1 document added." in text_of(olga.get(found.location).text)


def test_any_strategy_can_be_chosen_with_its_parameters(olga: FlaskClient) -> None:
    form = {"strategy": "rrf", "rrf-budget": "2", "ties": "trec_eval", "run": ["alpha", "beta"]}
    made = olga.post(ADDRESS, data=form)
    assert made.status_code == 303
    page = text_of(olga.get(made.location).text)
    assert "rrf, budget 2, k 60" in page
    assert "Pairs 4" in page


def test_a_parameter_that_cannot_be_is_told_at_its_field_and_kept(olga: FlaskClient) -> None:
    form = {"strategy": "rrf", "rrf-budget": "many", "ties": "file", "run": ["alpha"]}
    answer = olga.post(ADDRESS, data=form)
    assert answer.status_code == 422
    assert 'id="rrf-budget-error-1"' in answer.text
    assert 'value="many"' in answer.text
    large = olga.post(ADDRESS, data=form | {"rrf-budget": "9" * 20})
    assert "it is too large" in large.text
    assert "give 1 to 1,000,000" in large.text
    strange = olga.post(ADDRESS, data={"strategy": "luck", "ties": "file", "run": ["alpha"]})
    assert (strange.status_code, "no strategy is chosen" in strange.text) == (422, True)


def test_only_runs_up_to_a_priority_are_pooled(olga: FlaskClient) -> None:
    form = {"depth": "2", "ties": "trec_eval", "run": ["alpha", "beta"]}
    refused = olga.post(ADDRESS, data={**form, "priority": "first"})
    assert refused.status_code == 422
    assert 'id="priority-error-1"' in refused.text
    assert 'value="first"' in refused.text
    # None of the runs has a priority.
    none = olga.post(ADDRESS, data={**form, "priority": "1"})
    assert "no chosen run has a priority up to 1" in text_of(none.text)
    assert olga.post(ADDRESS, data={**form, "priority": " "}).status_code == 303
    plan = olga.get("/c/harbour/pools/plan?priority=1&all=yes").text
    assert "no chosen run has a priority up to 1" in text_of(plan)


def test_beside_the_form_stands_what_the_pool_would_cost(olga: FlaskClient) -> None:
    page = olga.get("/c/harbour/pools").text
    assert 'hx-get="/c/harbour/pools/plan"' in page
    assert "hx-params" not in page
    # Six pairs of depth 2 (tests/builders.py) at half a minute are three minutes, shared by Ada and Ben.
    text = text_of(olga.get("/c/harbour/pools/plan?depth=2&all=yes").text)
    assert "6 pairs, 0.1 hours. 2 runs (all that are accepted); 30 s a judgment" in text
    assert "(assumed: fewer than 20 answers are timed), each pair judged once" in text
    assert "0.0 hours for each of 2 assessors" in text
    assert "By depth Depth Pairs Hours 1 3 0.0" in text
    one = text_of(olga.get("/c/harbour/pools/plan?strategy=rrf&rrf-budget=3&run=alpha").text)
    assert "6 pairs, 0.1 hours. 1 run;" in one
    assert "By depth" not in one
    assert "About 3 pairs" in text_of(
        olga.get("/c/harbour/pools/plan?strategy=random&random-budget=9&supplementary=yes&all=yes").text
    )


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("depth=0", "cannot be"),
        ("strategy=luck", "no strategy"),
        ("run=gamma", "gamma"),
        ("", "no run is chosen"),
    ],
)
def test_a_pool_that_cannot_be_is_told_beside_the_form(olga: FlaskClient, query: str, said: str) -> None:
    answer = olga.get(f"/c/harbour/pools/plan?{query}")
    assert answer.status_code == 200
    assert text_of(answer.text).startswith("No pool yet: ")
    assert said in text_of(answer.text)


def test_of_many_runs_the_form_asks_without_their_tags(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "MOST_OF_TAGS", 3)
    page = olga.get("/c/harbour/pools").text
    assert """hx-params="not run" hx-vals='{"all": "yes"}'""" in page
