"""The page of a queue: made, given, watched, taken back; and the desk that works through it."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.pooling.strategies import PoolRecipe
from workbench.storage.engine import Database
from workbench.workflow.judging.queues import queue_report
from workbench.workflow.pools.listing import pools_of
from workbench.workflow.pools.making import make_pool


@pytest.fixture
def page(cast: Cast) -> str:
    return f"/c/harbour/pools/{cast.pool_id}/queue"


@pytest.fixture
def queue(olga: FlaskClient, page: str) -> str:
    """The page, after the pool (T1: d/4, d1, d2) was made a queue while it is open."""
    assert olga.post(page, data={"per_pair": "1", "lease_minutes": "45"}).status_code == 303
    return page


def test_an_open_pool_is_made_a_queue_and_no_queue_again(olga: FlaskClient, page: str) -> None:
    assert "Make it a queue" in text_of(olga.get(page).text)
    answer = olga.post(page, data={"per_pair": "2", "lease_minutes": "45"})
    shown = text_of(olga.get(answer.location).text)
    assert "2 judgments per pair" in shown
    assert 'value="45"' in olga.get(page).text
    shown = text_of(olga.get(olga.post(f"{page}/end").location).text)
    assert "is no longer a queue" in shown
    assert "Not a queue" in shown


@pytest.mark.parametrize(
    ("per_pair", "lease"), [("0", "30"), ("many", "30"), ("101", "30"), ("1", "0"), ("1", "20000")]
)
def test_what_cannot_be_asked_for_is_refused_and_nothing_is_changed(
    per_pair: str, lease: str, olga: FlaskClient, page: str
) -> None:
    answer = olga.post(page, data={"per_pair": per_pair, "lease_minutes": lease})
    assert answer.status_code == 422
    assert "Nothing was changed" in text_of(answer.text)
    assert "Not a queue" in text_of(olga.get(page).text)


def test_the_queue_is_given_to_the_ticked_assessors(olga: FlaskClient, queue: str) -> None:
    numbers = re.findall(r'name="assessor" value="(\d+)"', olga.get(queue).text)
    answer = olga.post(f"{queue}/give", data={"assessor": numbers})
    assert answer.status_code == 303
    assert olga.get(queue).text.count(">assigned<") == 2


def test_the_desk_takes_from_the_queue_and_the_organiser_sees_and_takes_back(
    enter: Enter, olga: FlaskClient, queue: str, cast: Cast
) -> None:
    ada, ben = enter("Ada"), enter("Ben")
    work = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    found = ada.get(f"{work}/work").json or {}
    assert (found["in_batches"], found["one_by_one"], found["total"]) == (True, False, 3)
    # Who looks at a topic takes two of its three, and the others with the first answer.
    assert len(found["order"]) == 2
    _answer_first(ada, cast, "T1")
    found = ada.get(f"{work}/work").json or {}
    assert sorted(found["order"]) == ["d/4", "d1", "d2"]
    # All is Ada's: Ben has nothing, and no word of why.
    other = ben.get(f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}/work").json or {}
    assert (other["order"], other["total"]) == ([], 0)
    # His list and the list of campaigns count the same: three that he can have, and none once Ada has them.
    assert "Up to 3 documents left in 1 topic" in text_of(ben.get("/c/harbour/judge").text)
    assert "3 documents left for you to judge" in text_of(ben.get("/").text)
    _answer_first(ada, cast, "T2")
    assert ada.get(f"/c/harbour/judge/{cast.assignments['Ada', 'T2']}/work").status_code == 200
    assert "Nothing to judge now. Colleagues have the last 4 documents." in text_of(
        ben.get("/c/harbour/judge").text
    )
    assert "4 documents that colleagues have may come back to you." in text_of(ben.get("/").text)
    shown = text_of(olga.get(queue).text)
    assert "T1 tides 3 1 2 0 1 of 3" in shown
    forms = re.findall(
        r'name="assessor"\s+value="(\d+)">\s*<input type="hidden"\s+name="topic"\s+value="([^"]+)">'
        r'\s*<input type="hidden"\s+name="docno"\s+value="([^"]+)"',
        olga.get(queue).text,
    )
    assert len(forms) == 4
    assessor, topic, docno = forms[0]
    form = {"assessor": assessor, "topic": topic, "docno": docno}
    assert "Document released" in text_of(olga.get(olga.post(f"{queue}/take-back", data=form).location).text)
    assert "no longer out" in text_of(olga.get(olga.post(f"{queue}/take-back", data=form).location).text)
    other = ben.get(f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}/work").json or {}
    assert other["order"] == [docno]


def _answer_first(ada: FlaskClient, cast: Cast, topic: str) -> None:
    address = f"/c/harbour/judge/{cast.assignments['Ada', topic]}"
    found = re.search(r'name="docno" value="([^"]+)"', ada.get(address).text)
    assert found
    form = {"docno": found[1], "answer": "1", "client_id": f"first-of-{topic}"}
    assert ada.post(f"{address}/answer", data=form).status_code == 303


def test_without_scripts_an_answer_brings_the_next_pair(
    ada: FlaskClient, queue: str, cast: Cast, sqlite_database: Database
) -> None:
    address = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    for number in range(3):
        found = re.search(r'name="docno" value="([^"]+)"', ada.get(address).text)
        assert found
        form = {"docno": found[1], "answer": "1", "client_id": f"client-{number}"}
        assert ada.post(f"{address}/answer", data=form).status_code == 303
    assert "Nothing left to judge" in ada.get(address).text
    with sqlite_database.reading() as db:
        [pool] = pools_of(db, cast.campaign_id)
        report = queue_report(db, cast.campaign_id, pool.name)
    assert [(line.done, line.given) for line in report.by_topic if line.topic == "T1"] == [(3, 3)]


def test_an_adaptive_pool_is_no_queue(olga: FlaskClient, cast: Cast, sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        made = make_pool(db, cast.campaign_id, PoolRecipe(strategy="max-mean"), name="as we go")
    page = f"/c/harbour/pools/{made.pool.id}/queue"
    assert "cannot be a queue" in text_of(olga.get(page).text)
    assert olga.post(page, data={"per_pair": "1", "lease_minutes": "30"}).status_code == 409
