"""Home: every role finds what it is to do next, with the page where it is done."""

from __future__ import annotations

import re

from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import import_judgments, text_of, upload
from tests.web.conftest import Enter
from workbench.records import BINARY, Answer
from workbench.storage.engine import Database
from workbench.workflow.adjudication.decisions import Decision, DecisionSubmission, decide
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.judging.preference_tasks import compare_documents
from workbench.workflow.judging.record import record
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.membership import assessors_of


def ways(client: FlaskClient) -> dict[str, str]:
    """The links of the cards on the page of campaigns, addresses by label."""
    found = re.findall(r'<a class="above" href="([^"]+)">([^<]+)</a>', client.get("/").text)
    return {label: address for address, label in found}


def test_assessors_find_what_is_to_judge_to_discuss_and_to_compare(
    ada: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    assert ways(ada) == {"Judge": "/c/harbour/judge"}
    assert "6 documents left for you to judge." in text_of(ada.get("/").text)
    with sqlite_database.writing() as db:
        graded = Submission("d1", "of-ada-about-d1", answer=Answer.GRADE, grade=1)
        record(db, cast.assignments["Ada", "T1"], cast.accounts["Ada"].id, graded)
        back = DecisionSubmission(Decision.BACK, "back-of-the-test", reason="read it again")
        decide(db, cast.campaign_id, cast.accounts["Olga"].id, ("T1", "d1"), back)
        own = next(one.id for one in assessors_of(db, cast.campaign_id) if one.name == "Ada")
        pairs = {"T1": [("d1", "d2"), ("d1", "d/4")]}
        compare_documents(db, cast.campaign_id, pairs, assessor_ids=[own])
    assert ways(ada) == {
        "Judge": "/c/harbour/judge",
        "Discuss": "/c/harbour/discussions",
        "Compare": "/c/harbour/side-by-side",
    }
    text = text_of(ada.get("/").text)
    assert "5 documents left for you to judge." in text
    assert "1 pair to discuss with colleagues." in text
    assert "2 pairs to compare side by side." in text


def test_adjudicators_land_where_pairs_wait_for_them(enter: Enter) -> None:
    olga, judith = enter("Olga"), enter("Judith")
    page = judith.get("/").text
    assert "No pair is waiting for your decision" in text_of(page)
    # The card itself leads to the disputed pairs.
    assert 'class="whole" href="/c/harbour/adjudication"' in page
    answers = (("X", "0"), ("Y", "3"))
    import_judgments(olga, [("T1", docno, who, grade) for docno in ("d1", "d2") for who, grade in answers])
    assert ways(judith) == {"Decide": "/c/harbour/adjudicate"}
    assert "2 disputed pairs to decide." in text_of(judith.get("/").text)
    # On the overview too, whose to-do list is the organiser's.
    overview = judith.get("/c/harbour/").text
    assert "For you 2 disputed pairs to decide. Decide" in text_of(overview)
    assert "Disputes" not in re.findall(r'<ul class="todo">.*?</ul>', overview, re.DOTALL)[0]


def test_viewers_and_participants_find_their_next_page(enter: Enter, cast: Cast) -> None:
    olga, vera, petra = enter("Olga"), enter("Vera"), enter("Petra")
    assert ways(vera) == {}
    import_judgments(olga, [("T1", "d1", "X", "2")])
    assert ways(vera) == {"Scores": "/c/harbour/scores"}
    assert ways(petra) == {"Upload runs": "/c/harbour/own-runs"}
    sent = {"files": [upload("p.txt", "T1 Q0 d1 1 2 p\n")], "group": str(cast.group_id)}
    assert petra.post("/c/harbour/own-runs/checked", data=sent).status_code == 303
    assert ways(petra) == {"Review": "/c/harbour/own-runs"}
    assert "1 checked file not submitted yet." in text_of(petra.get("/").text)


def test_organisers_find_the_next_step_of_every_campaign(
    enter: Enter, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        create_campaign(db, name="New", scale=BINARY, organiser=cast.accounts["Olga"].id)
    # The cast's campaign is being judged: nothing is to be set up in it.
    assert ways(enter("Olga")) == {"Load topics": "/c/new/set-up"}
