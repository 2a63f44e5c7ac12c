"""Developing a topic as pages: written beside the search, judged, taken into the campaign or put aside."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import func, select

from tests.cast import Cast
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.records import Document
from workbench.storage.engine import Database
from workbench.storage.tables import (
    DraftJudgmentRow,
    JudgmentEventRow,
    PoolEntryRow,
    SearchEventRow,
    TopicDraftRow,
    TopicRow,
)
from workbench.web import trail
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.desk_rules import save_allows_search
from workbench.workflow.people.trail import TrailFilter, trail_entries
from workbench.workflow.searching.fitness import DevelopmentRules, TopicFitness
from workbench.workflow.searching.report import found_by_search
from workbench.workflow.searching.session_run import searchers
from workbench.workflow.searching.topic_drafts import next_topic_id, save_development_rules, topic_draft

LIST = "/c/harbour/topics/drafts"
DRAFT = f"{LIST}/1"
TIDES = {"title": "Spring tides", "description": "How high?", "narrative": "Heights count."}


@pytest.fixture(autouse=True)
def _allowed(sqlite_database: Database, cast: Cast) -> None:
    """Assessors develop topics: of the first 4 documents judged 1 to 2 are to be relevant."""
    with sqlite_database.writing() as db:
        save_allows_search(db, cast.campaign_id, True)
        save_development_rules(db, cast.campaign_id, DevelopmentRules(4, 1, 2, assessors=True))
        new = [Document(f"new{n}", "Spring tides", f"Tides {'spring ' * n}") for n in range(1, 6)]
        load_documents(db, cast.campaign_id, new, source="new")


@pytest.fixture
def ada(enter: Enter) -> FlaskClient:
    return enter("Ada")


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    return enter("Olga")


def begun(client: FlaskClient, client_id: str = "a-draft-of-hers") -> str:
    answer = client.post(LIST, data={"client_id": client_id})
    assert answer.status_code == 303
    return str(answer.location)


def searched(client: FlaskClient, draft: str = DRAFT, query: str = "spring", **more: str) -> str:
    answer = client.post(f"{draft}/search", data={"query": query, **more})
    assert answer.status_code == 303, answer.text
    return str(answer.location)


def judged(client: FlaskClient, found: str, **grades: int) -> None:
    for docno, grade in grades.items():
        sent = {"docno": docno, "answer": str(grade), "client_id": f"{docno}-is-{grade}"}
        assert client.post(f"{found}/judge", data=sent).status_code == 303


def taken(ada: FlaskClient, olga: FlaskClient, **grades: int) -> None:
    """Ada's draft with these grades is topic T9."""
    begun(ada)
    ada.post(DRAFT, data=TIDES | {"revision": "0"})
    judged(ada, searched(ada), **grades)
    assert olga.post(f"{DRAFT}/take", data={"topic": "T9"}).status_code == 303


def test_a_topic_is_written_searched_for_and_judged(
    ada: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    assert begun(ada) == DRAFT
    assert ada.post(DRAFT, data=TIDES | {"revision": "0"}).status_code == 303
    found = searched(ada)
    ada.post(f"{found}/open", data={"docno": "new5"})
    answer = ada.post(f"{found}/judge", data={"docno": "new5", "answer": "2", "client_id": "first-one"})
    # On to the next hit without a grade.
    assert str(answer.location).startswith(f"{found}?docno=new")
    judged(ada, found, new4=1, new3=3, new2=2)
    with sqlite_database.reading() as db:
        draft = topic_draft(db, cast.campaign_id, 1)
        assert (draft.author, draft.statement.title, draft.statement.narrative) == (
            "Ada",
            "Spring tides",
            "Heights count.",
        )
        # Relevant from grade 2 on, as the scale says: three of the first four, and at most two are fit.
        assert (draft.progress.judged, draft.progress.relevant) == (4, 3)
        assert draft.progress.fitness is TopicFitness.MANY
        # What is judged for a draft is no judgment of the campaign, and its searches are none for a topic.
        assert db.scalar(select(func.count(JudgmentEventRow.id))) == 0
        assert searchers(db, cast.campaign_id) == ()
        assert found_by_search(db, cast.campaign_id).people == ()
        happened = [one.happening for one in db.scalars(select(SearchEventRow).order_by(SearchEventRow.id))]
    assert happened[:4] == ["shown", "opened", "judged", "opened"]
    page = text_of(ada.get(found).text)
    assert TopicFitness.MANY in page
    assert "Your searches" in text_of(ada.get(DRAFT).text)
    assert "new1" not in ada.get(searched(ada, among="mine")).text


def test_a_further_grade_replaces_the_first_and_the_same_again_is_recorded_once(
    ada: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    begun(ada)
    found = searched(ada)
    judged(ada, found, new5=2)
    judged(ada, found, new5=2)
    judged(ada, found, new5=0)
    other = {"docno": "new4", "answer": "1", "client_id": "new5-is-0"}
    assert ada.post(f"{found}/judge", data=other).status_code == 409
    assert (
        ada.post(f"{found}/judge", data=other | {"client_id": "of-its-own", "answer": "9"}).status_code == 422
    )
    assert (
        ada.post(f"{found}/judge", data=other | {"docno": "d1", "client_id": "of-its-own"}).status_code == 404
    )
    with sqlite_database.reading() as db:
        assert db.scalars(select(DraftJudgmentRow.grade).order_by(DraftJudgmentRow.id)).all() == [2, 0]
        progress = topic_draft(db, cast.campaign_id, 1).progress
        assert (progress.judged, progress.relevant) == (1, 0)


def test_a_double_click_begins_one_draft_and_two_tabs_lose_nothing(
    ada: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    assert begun(ada) == begun(ada) == DRAFT
    assert begun(ada, "another-draft") == f"{LIST}/2"
    script = {"HX-Request": "true"}
    first = ada.post(DRAFT, data=TIDES | {"revision": "0"}, headers=script)
    assert first.get_json() == {"revision": 1}
    # The same again is stored already, whatever the tab has seen; other words are not written over.
    assert ada.post(DRAFT, data=TIDES | {"revision": "0"}, headers=script).get_json() == {"revision": 1}
    late = TIDES | {"title": "Neap tides", "revision": "0"}
    assert ada.post(DRAFT, data=late, headers=script).status_code == 409
    page = ada.post(DRAFT, data=late)
    assert page.status_code == 409
    # The page has both: what was typed and what is stored.
    assert 'value="Neap tides"' in page.text
    assert "Spring tides" in text_of(page.text)
    # Who has seen both and saves again, means it.
    assert 'name="revision" value="1"' in page.text
    assert ada.post(DRAFT, data=late | {"revision": "1"}).status_code == 303
    long = ada.post(DRAFT, data=late | {"title": "x" * 501, "revision": "2"})
    assert (long.status_code, 'id="title-error-1"' in long.text) == (422, True)
    with sqlite_database.reading() as db:
        assert topic_draft(db, cast.campaign_id, 1).statement.title == "Neap tides"


def test_what_is_saved_while_somebody_types_has_one_entry_of_the_trail(
    ada: FlaskClient, olga: FlaskClient, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(ada)

    def typed(title: str, revision: int, **form: str) -> None:
        script = {"HX-Request": "true"}
        answer = ada.post(DRAFT, data={"title": title, "revision": str(revision), **form}, headers=script)
        assert answer.get_json() == {"revision": revision + 1}

    def told() -> list[tuple[str, list[str]]]:
        """Each entry from the first change on: the act, and the title before and after."""
        with sqlite_database.reading() as db:
            entries = trail_entries(db, TrailFilter())[::-1][1:]
        return [(one.act, one.details["changes"][0]["values"][0]["title"]) for one in entries]

    for revision, title in enumerate(("S", "Spr", "Spring")):
        typed(title, revision)
    assert told() == [("draft_desk.change", ["", "S"])]
    # The same once more changes nothing, and has no entry.
    ada.post(DRAFT, data={"title": "Spring", "revision": "3"}, headers={"HX-Request": "true"})
    # Who presses Save means it; who decides sees what was written last.
    ada.post(DRAFT, data={"title": "Spring tide", "revision": "3"})
    typed("Spring tides", 4)
    assert olga.post(f"{DRAFT}/aside", data={"reason": "later"}).status_code == 303
    since = [("draft_desk.change", ["", "S"]), ("draft_desk.change", ["Spring", "Spring tide"])]
    assert told() == [*since, ("drafts.put_aside", ["Spring tides"])]
    # The next stretch begins with what the one before ended with, also where another text is changed first.
    ada.post(f"{DRAFT}/up")
    typed("Spring tides", 5, narrative="Heights")
    typed("Neap tides", 6, narrative="Heights")
    since = told()[-2:]
    assert since == [("drafts.take_up", ["Spring tides"]), ("draft_desk.change", ["Spring tides"])]
    monkeypatch.setattr(trail, "STRETCH", timedelta(0))
    typed("Neaps", 7)
    assert told()[-1] == ("draft_desk.change", ["Neap tides", "Neaps"])


def test_only_its_author_changes_a_draft_and_colleagues_do_not_see_it(
    ada: FlaskClient, olga: FlaskClient, enter: Enter
) -> None:
    begun(ada)
    found = searched(ada)
    ben = enter("Ben")
    assert [ben.get(one).status_code for one in (DRAFT, found)] == [404, 404]
    assert ben.post(f"{DRAFT}/aside", data={"reason": "no"}).status_code == 404
    assert "/drafts/1" not in ben.get(LIST).text
    assert json.loads(ben.get(f"{LIST}/table.json").text) == []
    # The organiser looks at it, and neither writes nor judges.
    assert olga.get(DRAFT).status_code == 200
    assert olga.get(found).status_code == 404
    assert olga.post(DRAFT, data=TIDES | {"revision": "0"}).status_code == 404
    assert olga.post(f"{DRAFT}/search", data={"query": "spring"}).status_code == 404
    # A search for a draft is none of the organiser's own pages.
    begun(olga, "draft-of-olga")
    number = searched(olga, f"{LIST}/2").rpartition("/")[2]
    assert olga.get(f"/c/harbour/search/{number}").status_code == 404


def test_who_develops_topics_the_organiser_says(
    ada: FlaskClient, olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    begun(ada)
    assert LIST in ada.get("/c/harbour/judge").text
    sent = {"first": "30", "least": "5", "most": "31"}
    refused = olga.post(f"{LIST}/rules", data=sent)
    assert (refused.status_code, 'id="most-error-1"' in refused.text) == (422, True)
    assert olga.post(f"{LIST}/rules", data=sent | {"most": "20"}).status_code == 303
    assert ada.post(LIST, data={"client_id": "one-more-draft"}).status_code == 409
    assert ada.post(f"{DRAFT}/search", data={"query": "spring"}).status_code == 409
    assert LIST not in ada.get("/c/harbour/judge").text
    with sqlite_database.writing() as db:
        save_allows_search(db, cast.campaign_id, False)
    assert olga.post(LIST, data={"client_id": "draft-of-olga"}).status_code == 409


def test_a_draft_becomes_a_topic_and_stays_beside_it(
    ada: FlaskClient, olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    begun(ada)
    untitled = olga.post(f"{DRAFT}/take", data={"topic": "T9"})
    assert untitled.status_code == 422
    ada.post(DRAFT, data=TIDES | {"revision": "0"})
    # Who read the draft before that is shown what it says now.
    assert 'name="seen" value="1"' in olga.get(DRAFT).text
    assert olga.post(f"{DRAFT}/take", data={"topic": "T9", "seen": "0"}).status_code == 409
    assert ada.post(f"{DRAFT}/take", data={"topic": "T9"}).status_code == 403
    for topic, status in (("T1", 409), ("two words", 422), ("", 422), ("T9", 303), ("T9", 303), ("T8", 409)):
        assert olga.post(f"{DRAFT}/take", data={"topic": topic}).status_code == status, topic
    with sqlite_database.reading() as db:
        row = db.get_one(TopicRow, (cast.campaign_id, "T9"))
        assert (row.title, row.description, row.narrative) == tuple(TIDES.values())
        assert db.get(TopicRow, (cast.campaign_id, "T8")) is None
    assert ada.post(DRAFT, data=TIDES | {"title": "Other", "revision": "1"}).status_code == 409
    assert olga.post(f"{DRAFT}/aside", data={"reason": "too late"}).status_code == 409


def test_a_draft_is_put_aside_for_a_reason_and_taken_up_again(
    ada: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    begun(ada)
    assert ada.post(f"{DRAFT}/aside", data={"reason": "  "}).status_code == 422
    assert ada.post(f"{DRAFT}/aside", data={"reason": "too many relevant"}).status_code == 303
    assert "too many relevant" in text_of(ada.get(LIST).text)
    assert ada.post(f"{DRAFT}/search", data={"query": "spring"}).status_code == 409
    assert ada.post(f"{DRAFT}/up").status_code == 303
    with sqlite_database.reading() as db:
        row = db.scalars(select(TopicDraftRow)).one()
        assert (row.state, row.reason, row.decided_by) == ("open", "", cast.accounts["Ada"].id)


def test_a_pool_takes_what_was_judged_as_judgments_of_the_author(
    ada: FlaskClient, olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    taken(ada, olga, new5=2, new4=0)
    assert olga.post(f"{DRAFT}/keep", data={"pool": "99"}).status_code == 404
    assert olga.post(f"{DRAFT}/keep", data={"pool": str(cast.pool_id)}).status_code == 303
    assert olga.post(f"{DRAFT}/keep", data={"pool": str(cast.pool_id)}).status_code == 409
    with sqlite_database.reading() as db:
        events = db.scalars(select(JudgmentEventRow).order_by(JudgmentEventRow.id)).all()
        assert [(one.topic, one.docno, one.grade, one.source) for one in events] == [
            ("T9", "new5", 2, "topic development"),
            ("T9", "new4", 0, "topic development"),
        ]
        reason = db.get_one(PoolEntryRow, (cast.pool_id, "T9", "new5")).reason
        assert (reason or "").startswith("topic development, draft 1: search 1, hit ")
    assert "depth 2" not in ada.get(DRAFT).text


def test_an_export_has_statement_state_and_verdict(ada: FlaskClient, olga: FlaskClient) -> None:
    taken(ada, olga, new5=2, new4=0, new3=0, new2=0)
    (line,) = json.loads(olga.get(f"{LIST}/table.json").text)
    names = ("number", "author", "state", "topic", "judged", "verdict")
    assert [line[name] for name in names] == [1, "Ada", "accepted", "T9", 4, TopicFitness.FIT]
    assert olga.get(f"{LIST}/table.csv").text.startswith("number,author,state,topic,title")


@pytest.mark.parametrize(
    ("topics", "suggested"),
    [([], "1"), (["T01", "T09"], "T10"), (["7", "31"], "32"), (["31", "7"], "32"), (["a", "b"], "")],
)
def test_the_id_that_is_suggested_continues_those_of_the_campaign(topics: list[str], suggested: str) -> None:
    assert next_topic_id(topics) == suggested


@pytest.mark.slow
def test_what_somebody_writes_in_a_statement_is_shown_as_text(
    ada: FlaskClient, olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    begun(ada)
    hostile = "</textarea><script>alert(1)</script>{{ 7 * 7 }}\u202e\x00"
    assert ada.post(DRAFT, data=dict.fromkeys(TIDES, hostile) | {"revision": "0"}).status_code == 303
    assert olga.post(f"{DRAFT}/take", data={"topic": "T9"}).status_code == 303
    for client, page in (
        (ada, DRAFT),
        (ada, LIST),
        (olga, DRAFT),
        (olga, "/c/harbour/topics/topic?topic=T9"),
    ):
        answer = client.get(page)
        assert "<script>alert" not in answer.text
        assert "alert(1)" in answer.text, page
    with sqlite_database.reading() as db:
        assert "\x00" not in db.get_one(TopicRow, (cast.campaign_id, "T9")).description


@pytest.mark.slow
def test_in_an_archived_campaign_drafts_are_read_and_nothing_is_sent(
    ada: FlaskClient, olga: FlaskClient
) -> None:
    begun(ada)
    found = searched(ada)
    assert olga.post("/c/harbour/settings/archive", data={"name": "Harbour"}).status_code == 303
    assert olga.get(DRAFT).status_code == 200
    for client, sent in ((ada, found + "/judge"), (ada, DRAFT), (olga, f"{DRAFT}/take"), (olga, LIST)):
        data = TIDES | {
            "docno": "new5",
            "answer": "2",
            "client_id": "too-late-1",
            "topic": "T9",
            "revision": "0",
        }
        assert client.post(sent, data=data).status_code == 409, sent
