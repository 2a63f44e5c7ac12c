"""Pools side by side, as a page."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import import_judgments, links, text_of

POOLS = "/c/harbour/pools"
ADDRESS = f"{POOLS}/compare"


@pytest.fixture
def number(olga: FlaskClient) -> str:
    """The number of a draft: depth 3 of alpha, T1 d1 d2 d#3, T2 d/4 d1 é5, and d6 added by hand to T2."""
    form = {"depth": "3", "ties": "trec_eval", "run": ["alpha"], "name": "plan <b>"}
    made = olga.post(POOLS, data=form).location
    olga.post(f"{made}/added?topic=T2", data={"docnos": "d6", "reason": "seen"})
    return made.rpartition("/")[2]


def test_two_pools_are_chosen_and_compared(olga: FlaskClient, cast: Cast, number: str) -> None:
    assert "plan &lt;b&gt; (draft)" in olga.get(ADDRESS).text
    import_judgments(olga, [("T1", "d#3", "X", "2"), ("T1", "d1", "X", "0")])
    page = olga.get(f"{ADDRESS}?a={cast.pool_id}&b={number}").text
    text = text_of(page)
    # By hand: depth 2 of both runs has d/4, d1 and d2 of each topic. T1 d#3, T2 d6 and T2 é5 enter, T1 d/4
    # and T2 d2 leave, four stay; of the seven T1 d#3 and T1 d1 are judged. None of beta's four is planned.
    assert "Added 3 6 pairs before, 7 after Removed 2" in text
    assert "In both 4 57 % of the pool after To judge 5" in text
    assert "T1 tides 3 +1 −1 3 1 T2 nets 3 +2 −1 4 4" in text
    assert "alpha 4 +2 0 6 4 beta 4 0 −4 0 0 added by hand 0 +1 0 1 1" in text
    assert "T1 d#3 runs judged" in text
    assert "T2 d6 added by hand" in text
    assert "T2 é5 runs" in text
    (leaving,) = links(page, "show=leaving")
    assert "T1 d/4 runs T2 d2 runs" in text_of(olga.get(leaving).text)


def test_the_pairs_of_one_topic_are_shown_alone(olga: FlaskClient, cast: Cast, number: str) -> None:
    page = olga.get(f"{ADDRESS}?a={cast.pool_id}&b={number}&show=staying&topic=T1").text
    text = text_of(page)
    assert "Pairs of topic T1" in text
    assert "T1 d1 runs T1 d2 runs" in text
    assert "T2 d1" not in text


def test_the_pairs_come_as_lines_under_headings(olga: FlaskClient, cast: Cast, number: str) -> None:
    answer = olga.get(f"{ADDRESS}/pairs.tsv?a={cast.pool_id}&b={number}")
    assert answer.data.splitlines()[:3] == [
        b"change\ttopic\tdocno\tjudged\torigin",
        b"entering\tT1\td#3\tunjudged\truns",
        b"leaving\tT1\td/4\tunjudged\truns",
    ]
    assert b"entering\tT2\td6\tunjudged\tmanual" in answer.data.splitlines()


def test_a_pool_that_is_not_there_or_of_another_campaign_is_not_found(olga: FlaskClient, cast: Cast) -> None:
    for query in ("a=judged&b=99", f"a=99&b={cast.pool_id}", f"a=x&b={cast.pool_id}"):
        assert olga.get(f"{ADDRESS}?{query}").status_code == 404
    olga.post("/campaigns/new", data={"name": "Other", "scale": "binary"})
    assert olga.get(f"/c/other/pools/compare?a=judged&b={cast.pool_id}").status_code == 404
    assert "Nothing to compare yet" in olga.get("/c/other/pools/compare").text
