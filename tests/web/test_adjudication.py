"""The pages of adjudication: queue, desk, settings, exports; and those of discussions."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from uuid import uuid4

import pytest
from flask.testing import FlaskClient
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from tests.cast import Cast
from tests.submitted import record
from tests.web.conftest import Enter
from workbench.records import FOUR_GRADES, Answer, Scale
from workbench.storage import Session
from workbench.storage.adjudications import adjudicated_grades
from workbench.storage.engine import Database
from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.rules import AdjudicationRules, save_adjudication_rules
from workbench.workflow.campaigns.campaigns import change_campaign
from workbench.workflow.judging.desk_view import desk
from workbench.workflow.judging.submission import Annotations, Passage
from workbench.workflow.people.membership import Role, add_role

QUEUE, DESK, TALK = "/c/harbour/adjudication", "/c/harbour/adjudicate", "/c/harbour/discussions"
# What Ada and Ben say of the pool's pairs; three are disputed, by 3, 1 and 1 steps.
SAID = {("T1", "d1"): (0, 3), ("T1", "d2"): (2, 3), ("T1", "d/4"): (1, 1), ("T2", "d/4"): (1, 2)}
FAR, SLASHED = ("T1", "d1"), ("T2", "d/4")


def say_all(db: Session, cast: Cast) -> None:
    for (topic, docno), grades in SAID.items():
        for name, grade in zip(("Ada", "Ben"), grades, strict=True):
            say(db, cast, name, topic, docno, grade)


@pytest.fixture
def judged(sqlite_database: Database, cast: Cast) -> Cast:
    """The cast, with four of the six pairs judged by both assessors."""
    with sqlite_database.writing() as db:
        say_all(db, cast)
    return cast


def say(db: Session, cast: Cast, name: str, topic: str, docno: str, grade: int) -> None:
    record(
        db,
        cast.assignments[name, topic],
        cast.accounts[name].id,
        docno=docno,
        answer=Answer.GRADE,
        grade=grade,
        reason=f"{name}'s own words on {docno}",
        client_id=str(uuid4()),
    )


def decide(client: FlaskClient, pair: tuple[str, str], decision: str, **fields: str) -> TestResponse:
    headers = {"HX-Request": "true"} if fields.pop("htmx", "") else {}
    form = {
        "topic": pair[0],
        "docno": pair[1],
        "decision": decision,
        "client_id": str(uuid4()),
        "order": "topic",
        "seen": "0",
    }
    return client.post(f"{DESK}/decide", data=form | fields, headers=headers)


def grades(database: Database, cast: Cast) -> dict[tuple[str, str], int]:
    with database.reading() as db:
        return adjudicated_grades(db, cast.campaign_id)


@pytest.mark.usefixtures("judged")
def test_the_queue_lists_disputed_pairs_with_counts_and_filters(enter: Enter) -> None:
    judith = enter("Judith")
    page = judith.get(f"{QUEUE}?order=topic").text
    assert [docno for docno in ("Title of d1", "Title of d2", "Title of d/4") if docno in page] == [
        "Title of d1", "Title of d2", "Title of d/4",
    ]  # fmt: skip
    assert "3 disputed pairs need a decision." in page
    assert "Title of d1" not in judith.get(f"{QUEUE}?topic=T2").text
    assert "Title of" not in judith.get(f"{QUEUE}?state=decided").text


@pytest.mark.usefixtures("judged")
def test_nothing_is_to_be_decided_in_an_archived_campaign(enter: Enter) -> None:
    olga, to_desk = enter("Olga"), f'class="button primary" href="{DESK}'
    assert to_desk in olga.get(QUEUE).text
    assert olga.post("/c/harbour/settings/archive").status_code == 303
    assert to_desk not in olga.get(QUEUE).text


def test_a_decision_without_javascript_is_recorded_and_leads_to_the_next_pair(
    enter: Enter, sqlite_database: Database, judged: Cast
) -> None:
    judith = enter("Judith")
    page = judith.get(f"{DESK}?order=topic").text
    for shown in ("Text of d1", "When is high water?", "Only tables of the harbour.", "Ada", "Ben"):
        assert shown in page
    assert "Ada&#39;s own words on d1" in page
    answer = decide(judith, FAR, "2", reason="the table settles it")
    assert answer.status_code == 303
    assert "docno=d2" in (answer.location or "")
    assert grades(sqlite_database, judged) == {FAR: 2}
    assert decide(judith, SLASHED, "0").status_code == 303
    assert grades(sqlite_database, judged) == {FAR: 2, SLASHED: 0}
    again = judith.get(f"{DESK}?order=topic&topic=T1&docno=d1").text
    assert "the table settles it" in again
    assert decide(judith, FAR, "9").status_code == 422
    assert decide(judith, FAR, "").status_code == 422


def test_htmx_gets_the_pieces_of_the_next_pair_and_its_address(enter: Enter, judged: Cast) -> None:
    assert judged.slug == "harbour"
    response = decide(enter("Judith"), FAR, "2", htmx="yes")
    assert response.status_code == 200
    assert re.findall(r'id="(document|statement|said|verdicts)"', response.text) == [
        "document", "statement", "said", "verdicts",
    ]  # fmt: skip
    assert "<html" not in response.text
    assert "docno=d2" in response.headers["HX-Replace-Url"]


def test_the_second_adjudicator_is_told_and_what_was_typed_is_still_there(
    enter: Enter, sqlite_database: Database, judged: Cast
) -> None:
    decide(enter("Olga"), FAR, "2", reason="seen it first")
    late = decide(enter("Judith"), FAR, "0", reason="a long reason")
    assert late.status_code == 409
    for shown in ("Olga", "seen it first", 'data-overtaken="yes"', "a long reason"):
        assert shown in late.text
    assert grades(sqlite_database, judged) == {FAR: 2}
    seen = re.search(r'name="seen" value="(\d+)"', late.text)
    assert seen
    assert decide(enter("Judith"), FAR, "0", seen=seen[1]).status_code == 303
    assert grades(sqlite_database, judged) == {FAR: 0}
    with sqlite_database.reading() as db:
        assert db.scalar(select(func.count()).select_from(AdjudicationEventRow)) == 2
    history = enter("Judith").get(f"{DESK}?topic=T1&docno=d1").text
    assert "History: 2 events" in history
    assert "seen it first" in history
    # A page of hers that was opened before overwrites her own decision as little.
    late = decide(enter("Judith"), FAR, "1", seen=seen[1])
    assert (late.status_code, "<b>You</b> decided" in late.text) == (409, True)
    assert grades(sqlite_database, judged) == {FAR: 0}
    # With htmx the desk is swapped all the same, and says so.
    swapped = decide(enter("Olga"), FAR, "3", htmx="yes")
    assert (swapped.status_code, "data-overtaken" in swapped.text) == (200, True)


def test_a_decision_is_refused_where_somebody_else_has_signed_in_meanwhile(
    enter: Enter, sqlite_database: Database, judged: Cast
) -> None:
    page = enter("Judith").get(f"{DESK}?order=topic").text
    by = re.search(r'name="by" value="(\d+)"', page)
    assert by
    refused = decide(enter("Olga"), FAR, "2", by=by[1])
    assert refused.status_code == 409
    assert "was made with another account" in refused.text
    assert grades(sqlite_database, judged) == {}
    assert decide(enter("Judith"), FAR, "2", by=by[1]).status_code == 303


def test_a_passage_is_told_with_its_place_and_once_where_a_discussion_left_it_as_it_was(
    enter: Enter, sqlite_database: Database, judged: Cast
) -> None:
    with sqlite_database.writing() as db:
        record(
            db, judged.assignments["Ada", "T1"], judged.accounts["Ada"].id, docno="d1", answer=Answer.GRADE,
            grade=0, client_id=str(uuid4()), annotations=Annotations(evidence=(Passage(8, 10, "d1"),)),
        )  # fmt: skip
    judith = enter("Judith")
    quoted = '<blockquote dir="auto" data-start="8" data-end="10">d1</blockquote>'
    assert judith.get(f"{DESK}?topic=T1&docno=d1").text.count(quoted) == 1
    assert decide(judith, FAR, "back").status_code == 303
    ada = enter("Ada")
    said = {"topic": "T1", "docno": "d1", "answer": "3", "client_id": str(uuid4())}
    assert ada.post(f"{TALK}/pair", data=said).status_code == 303
    assert judith.get(f"{DESK}?topic=T1&docno=d1").text.count(quoted) == 1
    assert enter("Ben").get(f"{TALK}/pair?topic=T1&docno=d1").text.count(quoted) == 1


def test_a_grade_keeps_its_key_and_the_button_of_that_key_has_none(
    enter: Enter, sqlite_database: Database, judged: Cast
) -> None:
    with sqlite_database.writing() as db:
        first, *others = FOUR_GRADES.grades
        scale = Scale((replace(first, key="b"), *others), FOUR_GRADES.relevant_from)
        change_campaign(db, judged.campaign_id, name="Harbour", guidelines="", scale=scale)
    page = enter("Judith").get(f"{DESK}?order=topic").text
    assert page.count('data-key="b"') == 1
    assert re.search(r'value="0" data-key="b"', page)
    assert page.count('data-key="t"') == 1


def test_undo_goes_back_to_the_pair(enter: Enter, sqlite_database: Database, judged: Cast) -> None:
    judith, olga = enter("Judith"), enter("Olga")
    decide(judith, FAR, "2")
    decide(judith, ("T1", "d2"), "3")
    form = {"client_id": str(uuid4()), "order": "topic"}
    for _ in range(2):  # sent again, it takes nothing more back, and the way is the same
        done = judith.post(f"{DESK}/undo", data=form)
        assert (done.status_code, "docno=d2" in (done.location or "")) == (303, True)
        assert grades(sqlite_database, judged) == {FAR: 2}
    # What somebody else has decided since is theirs.
    seen = re.search(r'name="seen" value="(\d+)"', decide(olga, FAR, "0").text)
    assert seen
    decide(olga, FAR, "0", seen=seen[1])
    judith.post(f"{DESK}/undo", data=form | {"client_id": str(uuid4())})
    assert grades(sqlite_database, judged) == {FAR: 0}


def test_an_adjudicator_with_unfinished_judging_is_blind(
    enter: Enter, sqlite_database: Database, judged: Cast
) -> None:
    with sqlite_database.writing() as db:
        add_role(db, judged.campaign_id, judged.accounts["Ben"].id, Role.ADJUDICATOR)
    ben = enter("Ben")
    assert ben.get(QUEUE).status_code == 403
    assert decide(ben, FAR, "2").status_code == 403
    with sqlite_database.writing() as db:
        for topic in ("T1", "T2"):
            task = judged.assignments["Ben", topic]
            while (shown := desk(db, task, judged.accounts["Ben"].id).document) is not None:
                say(db, judged, "Ben", topic, shown.docno, 0)
    assert ben.get(QUEUE).status_code == 200
    assert "You are one of the assessors" in ben.get(f"{DESK}?topic=T1&docno=d1").text


def test_settings_are_saved_by_the_organiser_and_wrong_ones_told(
    enter: Enter, sqlite_database: Database, judged: Cast
) -> None:
    olga = enter("Olga")
    form = {"difference": "line", "steps": "2", "measure": "AP", "names_hidden": "yes"}
    assert olga.post(f"{QUEUE}/rules", data=form).status_code == 303
    page = olga.get(QUEUE).text
    assert re.findall(r'name="difference" value="(\w+)" required checked', page) == ["line"]
    wrong = olga.post(f"{QUEUE}/rules", data=form | {"difference": "distance", "steps": "4"})
    assert wrong.status_code == 422
    assert "at most 3" in wrong.text
    # A measure whose change by one grade is not computed here.
    assert olga.post(f"{QUEUE}/rules", data=form | {"measure": "P@1"}).status_code == 422
    assert olga.post(f"{QUEUE}/rules", data={"steps": "x"}).status_code == 422
    assert enter("Judith").post(f"{QUEUE}/rules", data=form).status_code == 403
    assert "adjudication/rules" not in enter("Judith").get(QUEUE).text


def test_the_keys_that_an_adjudicator_chose_decide_here_too(enter: Enter, judged: Cast) -> None:
    assert judged.slug == "harbour"
    judith = enter("Judith")
    assert 'value="3" data-key="3"' in judith.get(DESK).text
    # Grades in the home row; the key of undo goes to what both desks do, and B to a grade.
    typed = {"grade_0": "j", "grade_1": "k", "grade_2": "b", "grade_3": "0", "undo": "w"}
    assert judith.post("/account/keys", data=typed).status_code == 303
    page = judith.get(DESK).text
    found = dict(re.findall(r'name="decision" value="(\d)" data-key="([^"]+)"', page))
    assert found == {"0": "j", "1": "k", "2": "b", "3": "0"}
    assert 'data-key="w" data-undo' in page
    assert page.count('data-key="b"') == 1
    assert '<kbd class="key">J</kbd>' in page


def test_words_of_ones_own_are_kept_for_each_adjudicator_and_topic(enter: Enter, judged: Cast) -> None:
    assert judged.slug == "harbour"
    judith = enter("Judith")
    words = f"{DESK}/words?topic=T1"
    assert judith.put(words, json={"words": ["tide", " high  water"]}).get_json() == {
        "words": ["tide", "high water"]
    }
    assert judith.put(words, json={"words": ["a", "b", "c", "d", "e", "f"]}).status_code == 422
    assert judith.put(words, json=["tide"]).status_code == 422
    kept = '"words": ["tide", "high water"]'
    assert kept in unescape(judith.get(f"{DESK}?topic=T1&docno=d1").text)
    assert kept not in unescape(judith.get(f"{DESK}?topic=T2&docno=d/4").text)
    assert kept not in unescape(enter("Olga").get(f"{DESK}?topic=T1&docno=d1").text)
    assert enter("Ada").put(words, json={"words": ["tide"]}).status_code == 403


def test_a_decision_that_nobody_gave_is_marked_before_and_after(enter: Enter, judged: Cast) -> None:
    # Ada said 0 and Ben 3: 1 and 2 are nobody's.
    assert judged.slug == "harbour"
    judith = enter("Judith")
    page = judith.get(f"{DESK}?topic=T1&docno=d1").text
    buttons = re.findall(r'name="decision" value="(\d)".*?class="given" dir="auto">([^<]+)<', page, re.DOTALL)
    assert buttons == [("0", "Ada"), ("1", "given by nobody"), ("2", "given by nobody"), ("3", "Ben")]
    assert "data-announce" in page
    assert "Ada: 0 Not relevant. Ben: 3 Highly relevant." in page
    decide(judith, FAR, "3")
    assert "given by nobody" not in judith.get(f"{QUEUE}?state=decided").text
    decide(judith, ("T1", "d2"), "0")
    assert judith.get(f"{QUEUE}?state=decided").text.count("given by nobody") == 1


def test_hidden_names_are_in_nothing_that_an_adjudicator_fetches_here(
    enter: Enter, sqlite_database: Database, judged: Cast
) -> None:
    with sqlite_database.writing() as db:
        save_adjudication_rules(db, judged.campaign_id, AdjudicationRules(names_hidden=True))
    judith = enter("Judith")
    decide(judith, ("T1", "d2"), "back")
    for address in ("", "/disputes.csv", "/disputes.json", "/decisions.tsv"):
        page = judith.get(QUEUE + address).text
        assert "Ada" not in page, address
        assert "Ben" not in page, address
    shown = (
        judith.get(f"{DESK}?topic=T1&docno=d1")
        .text.replace("Ada&#39;s own words", "")
        .replace("Ben&#39;s own words", "")
    )
    assert "Ada" not in shown
    assert "Ben" not in shown


def test_the_queue_goes_out_as_csv_and_json_and_decisions_as_the_file_that_comes_in(
    enter: Enter, judged: Cast
) -> None:
    judith = enter("Judith")
    decide(judith, SLASHED, "1", reason="in passing")
    found = judith.get(f"{QUEUE}/disputes.json?order=distance").json
    assert found is not None
    assert (found["disputed"], found["done"]) == (3, 1)
    first = found["pairs"][0]
    assert (first["topic"], first["doc"], first["distance"]) == ("T1", "d1", 3)
    assert first["influence"]["shift"] > 0
    lines = judith.get(f"{QUEUE}/disputes.csv?topic=T2").text.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("T2,d/4,decided,Ada: 1; Ben: 2,1,1.0,yes,")
    tsv = judith.get(f"{QUEUE}/decisions.tsv").text
    assert tsv == "topic\tdoc\tgrade\treason\nT2\td/4\t1\tin passing\n"
    assert judged.slug == "harbour"


def test_an_unclear_statement_reaches_the_organiser_with_its_topic(enter: Enter, judged: Cast) -> None:
    assert judged.slug == "harbour"
    decide(enter("Judith"), FAR, "unclear", reason="which harbour?")
    olga = enter("Olga")
    assert f"{QUEUE}?state=unclear" in olga.get("/c/harbour/").text
    topic = olga.get("/c/harbour/topics/topic?topic=T1").text
    assert "which harbour?" in topic
    assert "Judith" in topic
    assert "which harbour?" in olga.get(f"{QUEUE}?state=unclear").text


def test_a_pair_sent_back_is_all_that_its_assessors_see_of_one_another(
    enter: Enter, sqlite_database: Database, judged: Cast
) -> None:
    assert judged.slug == "harbour"
    ada = enter("Ada")
    pair = {"topic": "T1", "docno": "d1"}
    assert "Nothing to discuss" in ada.get(TALK).text
    assert ada.get(f"{TALK}/pair", query_string=pair).status_code == 404
    assert '"pill fair">1</span>' not in ada.get("/c/harbour/judge").text
    decide(enter("Judith"), FAR, "back", reason="look at the table")
    assert 'To discuss <span class="pill fair">1</span>' in ada.get("/c/harbour/judge").text
    page = ada.get(f"{TALK}/pair", query_string=pair).text
    for shown in ("Ben", "Highly relevant", "Ben&#39;s own words on d1", "look at the table"):
        assert shown in page
    assert ada.get(f"{TALK}/pair", query_string={"topic": "T1", "docno": "d2"}).status_code == 404
    form = pair | {"answer": "3", "comment": "you are right", "client_id": str(uuid4())}
    assert ada.post(f"{TALK}/pair", data=form).status_code == 303
    # Sent twice it is one answer.
    assert ada.post(f"{TALK}/pair", data=form).status_code == 303
    assert ada.post(f"{TALK}/pair", data=pair | {"client_id": str(uuid4())}).status_code == 422
    # Ben sees it when both have answered, or at once where answers are shown as they come.
    assert "you are right" not in enter("Ben").get(f"{TALK}/pair", query_string=pair).text
    with sqlite_database.writing() as db:
        save_adjudication_rules(db, judged.campaign_id, AdjudicationRules(blind_discussion=False))
    assert "you are right" in enter("Ben").get(f"{TALK}/pair", query_string=pair).text
    assert State.SETTLED.label in enter("Judith").get(f"{QUEUE}?state=settled").text
