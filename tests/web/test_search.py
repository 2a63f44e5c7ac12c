"""Searching as pages: by an assessor for her topic, and by the organiser."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from tests.cast import Cast
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.records import Document
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow, PoolEntryRow, SearchEventRow, SearchRow
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.desk_rules import save_allows_search
from workbench.workflow.searching.searches import A_PAGE

HTMX = {"HX-Request": "true"}


@pytest.fixture
def allowed(sqlite_database: Database, cast: Cast) -> None:
    """The campaign allows searching, and has documents that are no run's."""
    with sqlite_database.writing() as db:
        save_allows_search(db, cast.campaign_id, True)
        new = [
            Document("new1", "Spring tides", "High water of spring tides."),
            Document("new2", "", "Neap tides."),
        ]
        load_documents(db, cast.campaign_id, new, source="new")


@pytest.fixture
def place(cast: Cast) -> str:
    """Where Ada searches for topic T1."""
    return f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}/search"


def searched(client: FlaskClient, place: str, query: str, **more: str) -> str:
    answer = client.post(place, data={"query": query, **more})
    assert answer.status_code == 303
    return str(answer.location)


def judgment(docno: str, answer: str = "2", client_id: str = "a-judgment-1") -> dict[str, str]:
    return {"docno": docno, "answer": answer, "client_id": client_id}


@pytest.mark.usefixtures("allowed")
def test_a_search_shows_what_was_understood_and_marks_the_words(ada: FlaskClient, place: str) -> None:
    page = ada.get(searched(ada, place, "tides -neap")).text
    assert "Ranked by tides; without neap ." in text_of(page)
    assert "<mark>tides</mark>" in page
    assert "new1" in page
    assert "new2" not in page


@pytest.mark.usefixtures("allowed")
def test_htmx_gets_the_hits_and_what_a_judgment_changes_of_them(ada: FlaskClient, place: str) -> None:
    hits = ada.post(place, data={"query": "spring tides"}, headers=HTMX)
    found = hits.headers["HX-Push-Url"]
    assert 'id="searching"' in hits.text
    assert "<html" not in hits.text
    assert "<mark>tides</mark>" in hits.text
    opened = ada.post(f"{found}/open", data={"docno": "new1"}, headers=HTMX)
    assert opened.headers["HX-Push-Url"] == f"{found}?docno=new1"
    assert ('data-rank="1"' in opened.text, "<li" in opened.text) == (True, False)
    judged = ada.post(f"{found}/judge", data=judgment("new1"), headers=HTMX)
    assert judged.headers["HX-Push-Url"] == f"{found}?docno=new2"
    # The next document, and of the hits the one that was judged.
    assert 'data-rank="2"' in judged.text
    assert re.findall(r'<li id="(hit-\d)" hx-swap-oob="outerHTML" class="done"', judged.text) == ["hit-1"]
    assert judged.text.count("<li") == 1
    refused = ada.post(place, data={"query": " "}, headers=HTMX)
    assert (refused.status_code, 'id="searching"' in refused.text) == (422, True)


@pytest.mark.usefixtures("allowed")
def test_htmx_gets_the_next_hits_alone(
    ada: FlaskClient, place: str, cast: Cast, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        more = [Document(f"more{number:02}", "", "Spring tides.") for number in range(A_PAGE + 1)]
        load_documents(db, cast.campaign_id, more, source="more")
    found = searched(ada, place, "spring")
    first, rest = f'id="hit-{A_PAGE}"', [f'id="hit-{A_PAGE + number}"' for number in (1, 2)]
    assert rest[0] not in ada.get(found).text
    following = ada.post(f"{found}/more", headers=HTMX).text
    assert [one in following for one in (first, *rest)] == [False, True, True]
    # Nothing is left: the button goes.
    assert 'hx-swap-oob="delete"' in following
    assert all(one in ada.get(found).text for one in (first, *rest))


@pytest.mark.usefixtures("allowed")
def test_a_changed_document_is_marked_anew(
    ada: FlaskClient, place: str, cast: Cast, sqlite_database: Database
) -> None:
    found = searched(ada, place, "spring")
    assert "High water of" in ada.get(found).text
    with sqlite_database.writing() as db:
        changed = Document("new1", "Spring tides", "Low water of spring tides.")
        load_documents(db, cast.campaign_id, [changed], source="changed")
    assert "Low water of" in ada.get(found).text


@pytest.mark.usefixtures("allowed")
def test_htmx_gets_the_hits_of_an_organiser(olga: FlaskClient, cast: Cast) -> None:
    hits = olga.post("/c/harbour/search", data={"query": "spring tides", "topic": "T1"}, headers=HTMX)
    found = hits.headers["HX-Push-Url"]
    assert ('id="searching"' in hits.text, "<html" in hits.text) == (True, False)
    opened = olga.post(f"{found}/open", data={"docno": "new1"}, headers=HTMX)
    assert opened.headers["HX-Push-Url"] == f"{found}?docno=new1"
    assert ("High water" in opened.text, "<li" in opened.text) == (True, False)


@pytest.mark.usefixtures("allowed")
def test_a_document_joins_the_pool_when_it_is_judged_with_query_rank_and_person(
    ada: FlaskClient, place: str, cast: Cast, sqlite_database: Database
) -> None:
    found = searched(ada, place, "spring tides")
    ada.post(f"{found}/open", data={"docno": "new1"})
    with sqlite_database.reading() as db:
        assert db.get(PoolEntryRow, (cast.pool_id, "T1", "new1")) is None
    answer = ada.post(f"{found}/judge", data=judgment("new1"))
    # On to the next hit without an answer.
    assert answer.location == f"{found}?docno=new2"
    with sqlite_database.reading() as db:
        (search,) = db.scalars(select(SearchRow))
        assert (search.typed, search.understood) == ("spring tides", "ranked by spring, tides")
        assert (search.engine[:7], search.documents, search.found) == ("tantivy", 8, 2)
        entry = db.get_one(PoolEntryRow, (cast.pool_id, "T1", "new1"))
        assert entry.reason == f"search {search.id}, hit 1: “spring tides”"
        assert (entry.added_by, entry.run_count) == (cast.accounts["Ada"].id, 0)
        event = db.scalars(select(JudgmentEventRow)).one()
        assert (event.docno, event.grade, event.source) == ("new1", 2, "screen")
        events = db.scalars(select(SearchEventRow).order_by(SearchEventRow.id)).all()
        assert [(one.happening, one.rank, one.docno) for one in events] == [
            ("shown", 2, None),
            ("opened", 1, "new1"),
            ("judged", 1, "new1"),
            ("opened", 2, "new2"),
        ]
        assert events[2].judgment_event_id == event.id


@pytest.mark.usefixtures("allowed")
def test_a_judgment_that_is_sent_twice_is_recorded_once(
    ada: FlaskClient, place: str, sqlite_database: Database
) -> None:
    found = searched(ada, place, "spring")
    for _ in range(2):
        assert ada.post(f"{found}/judge", data=judgment("new1")).status_code == 303
    with sqlite_database.reading() as db:
        assert len(db.scalars(select(JudgmentEventRow)).all()) == 1
        assert [one.happening for one in db.scalars(select(SearchEventRow))] == ["shown", "judged"]


@pytest.mark.usefixtures("allowed")
def test_only_what_a_search_has_shown_can_be_opened_or_judged_and_only_by_its_own_person(
    ada: FlaskClient, enter: Enter, place: str, cast: Cast
) -> None:
    found = searched(ada, place, "spring")
    assert ada.post(f"{found}/judge", data=judgment("new2")).status_code == 404
    assert ada.post(f"{found}/open", data={"docno": "d1"}).status_code == 404
    own, theirs = cast.assignments["Ada", "T1"], cast.assignments["Ben", "T1"]
    ben = found.replace(f"/judge/{own}/", f"/judge/{theirs}/")
    assert enter("Ben").get(ben).status_code == 404
    assert ada.get(ben).status_code == 404


@pytest.mark.usefixtures("allowed")
def test_filters_are_about_the_searcher_alone(ada: FlaskClient, enter: Enter, place: str, cast: Cast) -> None:
    task = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    assert ada.post(f"{task}/answer", data=judgment("d1")).status_code == 303
    theirs = f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}"
    assert (
        enter("Ben").post(f"{theirs}/answer", data=judgment("d2", client_id="bens-own-1")).status_code == 303
    )

    def hits(among: str) -> set[str]:
        page = ada.get(searched(ada, place, "text OR tides", among=among)).text
        return {docno for docno in ("d1", "d2", "d6", "new1", "new2") if f'value="{docno}"' in page}

    assert hits("mine") == {"d1"}
    assert hits("new") == {"d2", "d6", "new1", "new2"}
    # The pool has d/4, d1 and d2 of the topic.
    assert hits("pooled") == {"d1", "d2"}


@pytest.mark.usefixtures("allowed")
def test_the_organiser_adds_what_was_found_and_sees_what_no_run_had(
    enter: Enter, cast: Cast, place: str, sqlite_database: Database
) -> None:
    olga, ada = enter("Olga"), enter("Ada")
    found = searched(olga, "/c/harbour/search", "neap", topic="T1")
    answer = olga.post(f"{found}/add", data={"selected": "new2", "pool": str(cast.pool_id)})
    assert answer.status_code == 303
    assert "1 document added." in text_of(olga.get(answer.location).text)
    ada.post(f"{searched(ada, place, 'spring')}/judge", data=judgment("new1", "3"))
    page = text_of(olga.get("/c/harbour/search").text)
    # Two searches, nothing opened, two joined that no run had; one is judged, and all that is relevant.
    assert "T1 tides 2 0 2 2 1 1 100 % of 1" in page
    assert "Ada 1 1 1 1 Olga 1 1 0 0" in page
    table = olga.get("/c/harbour/search/found.csv?part=documents").text.splitlines()
    assert [line.split(",")[:2] for line in table[1:]] == [["T1", "new2"], ["T1", "new1"]]
    assert olga.get("/c/harbour/search/found.csv?part=hues").status_code == 422
    pool = text_of(olga.get(f"/c/harbour/pools/{cast.pool_id}/topic?topic=T1").text)
    assert "hit 1: “neap”" in pool
    assert "hit 1: “spring”" in pool


@pytest.mark.usefixtures("allowed")
def test_a_document_that_is_loaded_or_changed_later_is_found(
    ada: FlaskClient, place: str, cast: Cast, sqlite_database: Database
) -> None:
    ada.get(searched(ada, place, "spring"))
    with sqlite_database.writing() as db:
        changed = [Document("new1", "", "Ebb."), Document("later", "", "A bore.")]
        load_documents(db, cast.campaign_id, changed, source="later")
    assert "later" in ada.get(searched(ada, place, "bore")).text
    assert "Nothing found" in ada.get(searched(ada, place, "spring")).text


@pytest.mark.usefixtures("allowed")
def test_an_organiser_searches_for_more_like_the_document_that_is_open(olga: FlaskClient) -> None:
    found = searched(olga, "/c/harbour/search", "spring", topic="T1")
    page = olga.get(f"{found}?docno=new1").text
    assert '<input type="hidden" name="like" value="new1">' in page
    like = olga.get(searched(olga, "/c/harbour/search", "", topic="T1", like="new1")).text
    assert "Documents like new1 ." in text_of(like)
    assert "new2" in like


@pytest.mark.usefixtures("allowed")
def test_documents_like_one_that_is_open_are_searched(ada: FlaskClient, place: str) -> None:
    page = ada.get(searched(ada, place, "", like="new1")).text
    assert "new2" in page
    assert "Documents like new1 ." in text_of(page)


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("query", ["", "  ", "x" * 2001])
def test_an_empty_or_endless_query_is_refused_with_a_reason(ada: FlaskClient, place: str, query: str) -> None:
    answer = ada.post(place, data={"query": query})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("query", ['"', "((", "a:b", "title:", "NEAR", "<script>", "\u202e"])
def test_no_query_is_an_error(ada: FlaskClient, place: str, query: str) -> None:
    page = ada.get(searched(ada, place, query))
    assert page.status_code == 200
    assert "<script>" not in page.text.replace("<script src", "")


def off(client: FlaskClient, place: str) -> list[int]:
    return [client.get(place).status_code, client.post(place, data={"query": "tides"}).status_code]


def test_nothing_is_searched_unless_the_organiser_allows_it(
    ada: FlaskClient, olga: FlaskClient, place: str, cast: Cast
) -> None:
    desk = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    assert off(ada, place) == [409, 409]
    assert 'id="searching"' not in ada.get(desk).text
    assert "Searching is turned off" in text_of(olga.get("/c/harbour/search").text)
    assert olga.post("/c/harbour/settings/search", data={"search": "yes"}).status_code == 303
    assert ada.get(place).status_code == 200
    assert f'id="searching" href="{place}' in ada.get(desk).text
    olga.post("/c/harbour/settings/search", data={})
    assert off(ada, place) == [409, 409]
