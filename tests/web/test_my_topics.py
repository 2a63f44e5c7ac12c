"""My topics: what there is to judge, how long it takes, and what the first visit says."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from tests.cast import Cast
from tests.web.test_judging_pages import fields
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow
from workbench.web.pages.judging.my_topics import time_words
from workbench.workflow.people.membership import Role, add_role


def test_the_list_shows_what_there_is_to_judge(ada: FlaskClient, cast: Cast) -> None:
    page = ada.get("/c/harbour/judge").text
    assert "2 to judge, 2 in all" in page
    assert page.count(">0 of 3<") == 2
    for topic in ("T1", "T2"):
        assert f"/c/harbour/judge/{cast.assignments['Ada', topic]}" in page


def test_the_first_visit_says_what_judging_is_and_no_later_one_does(
    ada: FlaskClient, enter: Any, cast: Cast
) -> None:
    page = " ".join(ada.get("/c/harbour/judge").text.split())
    introduction = page[
        page.index('id="introduction"') : page.index("</section>", page.index("introduction"))
    ]
    for said in (
        "What a topic is",
        "What the grades mean",
        "Highly relevant",
        "Relevant from here up.",
        "The keys",
        "Everything is saved",
        "<h3>How to judge</h3>",
    ):
        assert said in introduction
    for key in "0123UXZ":
        assert f'<kbd class="key">{key}</kbd>' in introduction
    began = ada.post("/c/harbour/judge/begin")
    assert (began.status_code, began.location) == (303, f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")
    again = ada.get("/c/harbour/judge").text
    assert 'id="introduction"' not in again
    # The guidelines stay at hand.
    assert "<h3>How to judge</h3>" in again
    # Whoever begins without the button has begun.
    ben, desk = enter("Ben"), f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}"
    assert 'id="introduction"' in ben.get("/c/harbour/judge").text
    ben.post(f"{desk}/answer", data=fields(ben.get(desk).text) | {"answer": "1"})
    assert 'id="introduction"' not in ben.get("/c/harbour/judge").text


def test_the_list_says_how_much_is_left_and_how_long_it_takes(ada: FlaskClient, cast: Cast) -> None:
    assert "After a few answers the time left appears here" in ada.get("/c/harbour/judge").text
    for topic, count in (("T1", 3), ("T2", 2)):
        desk = f"/c/harbour/judge/{cast.assignments['Ada', topic]}"
        for _ in range(count):
            form = fields(ada.get(desk).text) | {"answer": "1", "active_ms": "150000"}
            ada.post(f"{desk}/answer", data=form)
    page = " ".join(re.sub("<[^>]*>", "", ada.get("/c/harbour/judge").text).split())
    # One of the six is left, at 150 s a document.
    assert "1 document left in 1 topic: about 2 min at 150 s a document" in page


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (20, "under a minute"),
        (40, "1 min"),
        (3540, "59 min"),
        (3600, "1 h"),
        (11_400, "3 h 10 min"),
        (75_000, "21 h"),
    ],
)
def test_a_time_is_told_as_people_plan_it(seconds: float, words: str) -> None:
    assert time_words(seconds) == words


def test_a_sitting_counts_documents_with_an_answer_each_once(ada: FlaskClient, cast: Cast, desk: str) -> None:
    other = f"/c/harbour/judge/{cast.assignments['Ada', 'T2']}"
    for address, answer in ((other, "1"), (desk, "2"), (desk, "unsure")):
        ada.post(f"{address}/answer", data=fields(ada.get(address).text) | {"answer": answer})
    first, second = (one["docno"] for one in ada.get(f"{desk}/work").json["said"])  # type: ignore[index]
    change = ada.get(f"{desk}?docno={first}").text
    ada.post(f"{desk}/answer", data=fields(change) | {"answer": "3"})
    sitting = ada.get(f"{desk}/work").json["sitting"]  # type: ignore[index]
    assert (sorted(sitting["here"]), sitting["elsewhere"]) == (sorted([first, second]), 1)
    ada.post(f"{desk}/undo", data=fields(ada.get(desk).text, "undo"))
    assert ada.get(f"{desk}/work").json["sitting"]["here"] == [second]  # type: ignore[index]


def test_without_guidelines_their_key_says_so(ada: FlaskClient, desk: str, sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        db.execute(update(CampaignRow).values(guidelines=" "))
    assert "This campaign has no written guidelines" in " ".join(ada.get(desk).text.split())
    assert "Guidelines" not in ada.get("/c/harbour/judge").text


def test_somebody_without_topics_is_told_to_wait(enter: Any, cast: Cast, sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        add_role(db, cast.campaign_id, cast.accounts["Vera"].id, Role.ASSESSOR)
    assert "Nothing to judge yet" in enter("Vera").get("/c/harbour/judge").text
