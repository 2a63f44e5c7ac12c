"""Drafts of pools, opening and closing, as pages."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import import_judgments, links, text_of
from tests.web.conftest import Enter
from workbench.storage.engine import Database
from workbench.workflow.people.membership import Role, add_role

ADDRESS = "/c/harbour/pools"
RECIPE = {"depth": "3", "ties": "trec_eval", "run": ["alpha", "beta"], "name": "deeper"}


@pytest.fixture
def draft(olga: FlaskClient) -> str:
    """The address of a draft to depth 3.

    By hand: T1 d1 d2 d#3 of alpha and d2 d/4 d1 of beta, T2 d/4 d1 é5 and d/4 d2: four pairs each, of which
    depth 2, the open pool of the cast, has six.
    """
    return olga.post(ADDRESS, data=RECIPE).location


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None
    return found[1]


def test_a_pool_is_saved_as_a_draft_and_opened_after_a_question(olga: FlaskClient, draft: str) -> None:
    assert set(links(olga.get(draft).text, "/open")) == {f"{draft}/open"}
    assert "deeper depth 3 2 8 " in text_of(olga.get(ADDRESS).text)
    assert 'class="pill fair">draft' in olga.get(ADDRESS).text
    question = olga.get(f"{draft}/open").text
    text = text_of(question)
    assert "Pairs 8 in 2 topics" in text
    assert "at 30 seconds a pair (assumed" in text
    assert "6 pairs in depth 2 (open)" in text
    answer = olga.post(f"{draft}/open", data={"sha256": hidden(question, "sha256")})
    assert answer.status_code == 303
    assert "Pool “deeper” is open for judging." in text_of(olga.get(answer.location).text)
    assert "Open for judging" in olga.get(draft).text


def test_opening_twice_opens_once_and_says_so(olga: FlaskClient, draft: str) -> None:
    seen = hidden(olga.get(f"{draft}/open").text, "sha256")
    for _ in range(2):
        answer = olga.post(f"{draft}/open", data={"sha256": seen})
        assert answer.status_code == 303
    assert "already open" in olga.get(answer.location).text
    assert olga.get(f"{draft}/open").location == draft
    for _ in range(2):
        answer = olga.post(f"{draft}/close")
    assert "already closed" in olga.get(answer.location).text
    assert olga.get(f"{draft}/close").location == draft


def test_a_draft_is_renamed_built_again_and_deleted(olga: FlaskClient, draft: str) -> None:
    assert "Draft: deeper" in olga.get(f"{draft}/draft").text
    taken = olga.post(f"{draft}/rename", data={"name": "depth 2"})
    assert (taken.status_code, 'value="depth 2"' in taken.text) == (409, True)
    assert olga.post(f"{draft}/rename", data={"name": " "}).status_code == 422
    olga.post(f"{draft}/rename", data={"name": "the plan"})
    assert "the plan" in olga.get(ADDRESS).text
    built = olga.post(f"{draft}/rebuild")
    assert "was rebuilt: 0 pairs added, 0 removed." in text_of(olga.get(built.location).text)
    gone = olga.post(f"{draft}/delete")
    assert gone.location == ADDRESS
    assert "The draft “the plan” was deleted." in olga.get(ADDRESS).text
    assert olga.get(draft).status_code == 404


def test_what_only_a_draft_allows_is_refused_to_an_open_pool(olga: FlaskClient, cast: Cast) -> None:
    pool = f"{ADDRESS}/{cast.pool_id}"
    page = olga.get(pool).text
    assert not links(page, f"{pool}/draft")
    assert olga.get(f"{pool}/draft").location == pool
    for act in ("rebuild", "delete", "rename"):
        assert olga.post(f"{pool}/{act}", data={"name": "x"}).status_code == 409
    assert "depth 2" in olga.get(ADDRESS).text


def test_closing_says_what_stays_unjudged(olga: FlaskClient, cast: Cast) -> None:
    import_judgments(olga, [("T1", "d1", "X", "2")])
    page = text_of(olga.get(f"{ADDRESS}/{cast.pool_id}/close").text)
    assert "1 of 6 pairs: 5 stay unjudged" in page
    assert "Assignments 4" in page


def test_only_organisers_know_of_a_draft(
    enter: Enter, cast: Cast, sqlite_database: Database, draft: str
) -> None:
    with sqlite_database.writing() as db:
        # Ben has judged nothing, so that a viewer's role rests; Vera has nothing to judge.
        add_role(db, cast.campaign_id, cast.accounts["Ben"].id, Role.VIEWER)
    for name, status in (("Vera", 404), ("Judith", 404), ("Ben", 403), ("Ada", 403)):
        client = enter(name)
        for page in ("", "/topic?topic=T1", "/pairs.tsv", "/topics.csv"):
            assert client.get(f"{draft}{page}").status_code == status, (name, page)
    assert "deeper" not in enter("Vera").get(ADDRESS).text
    assert "deeper" not in enter("Ada").get("/c/harbour/judge").text


def test_a_supplementary_draft_offers_to_leave_out_what_came_since(olga: FlaskClient) -> None:
    made = olga.post(ADDRESS, data={**RECIPE, "depth": "9", "supplementary": "yes", "name": "more"}).location
    import_judgments(olga, [("T1", "d#3", "X", "2")])
    page = text_of(olga.get(f"{made}/open").text)
    # Depth 9 has nine pairs, three of them beyond depth 2: T1 d#3, T1 d6, T2 é5.
    assert "Pairs 3 in 2 topics" in page
    assert "1 of its pairs" in page
    assert "Rebuild" in page
    olga.post(f"{made}/rebuild")
    assert "Pairs 2 in 2 topics" in text_of(olga.get(f"{made}/open").text)
