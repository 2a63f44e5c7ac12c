"""Searching pages over a cluster: the same hits and marks, and no page that fails where it is away."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from tests.cast import Cast
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.records import Document, SearchCluster
from workbench.searching.engine import EngineUnavailable, RefusedQuery
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow, SearchRow
from workbench.web import jobs
from workbench.web.pages import search
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.desk_rules import save_allows_search
from workbench.workflow.searching.index import refresh_index
from workbench.workflow.worker import do_waiting

ORGANISER = "/c/harbour/search"


@pytest.fixture
def settings(settings: Settings, cluster: SearchCluster) -> Settings:
    """Those of a site that searches in a cluster, and whose jobs a worker does."""
    return replace(settings, cluster=cluster, worker=True)


@pytest.fixture
def place(sqlite_database: Database, cast: Cast) -> str:
    """Where Ada searches, in a campaign that allows it."""
    with sqlite_database.writing() as db:
        save_allows_search(db, cast.campaign_id, True)
        new = Document("new1", "Spring tides", "At noon. High water of spring tides. It ebbs.")
        load_documents(db, cast.campaign_id, [new], source="new")
    return f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}/search"


@pytest.fixture
def ada(enter: Enter) -> FlaskClient:
    return enter("Ada")


def test_hits_of_a_cluster_are_marked_judged_and_recorded_as_those_of_the_embedded_engine(
    ada: FlaskClient, place: str, cast: Cast, settings: Settings, sqlite_database: Database
) -> None:
    refresh_index(sqlite_database, settings.instance, cast.campaign_id, cluster=settings.cluster)
    found = str(ada.post(place, data={"query": '"spring tide" -neap'}).location)
    page = ada.get(found).text
    assert "Must have “spring tide”; without neap ." in text_of(page)
    assert "High water of <mark>spring tides</mark>." in page
    assert "It ebbs" not in page
    judged = {"docno": "new1", "answer": "2", "client_id": "a-judgment-1"}
    assert ada.post(f"{found}/judge", data=judged).status_code == 303
    like = str(ada.post(place, data={"like": "new1"}).location)
    assert "Documents like new1 ." in text_of(ada.get(like).text)
    with sqlite_database.reading() as db:
        first = db.scalars(select(SearchRow)).first()
        assert first is not None
        assert (first.engine.split()[0], first.documents, first.docnos) == ("opensearch", 7, ["new1"])


def test_a_cluster_is_indexed_by_a_job_for_which_no_page_waits(
    ada: FlaskClient, place: str, settings: Settings, sqlite_database: Database
) -> None:
    assert "being built: 0 of 7 documents" in text_of(ada.get(place).text)
    do_waiting(settings, sqlite_database)
    found = str(ada.post(place, data={"query": "spring"}).location)
    assert "1 document of 7 found" in text_of(ada.get(found).text)


def away(settings: Settings) -> Settings:
    """A cluster at a port where nobody listens."""
    assert settings.cluster is not None
    return replace(settings, cluster=replace(settings.cluster, nodes=("http://127.0.0.1:9",)))


class TestClusterAway:
    """The cluster does not answer."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return away(settings)

    def test_the_page_says_so_the_desk_goes_on_and_nobody_waits_again(
        self,
        ada: FlaskClient,
        enter: Enter,
        place: str,
        sqlite_database: Database,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        for client, where in ((ada, place), (enter("Olga"), ORGANISER)):
            page = client.get(where)
            assert (page.status_code, "does not answer" in text_of(page.text)) == (200, True)
        answer = ada.post(place, data={"query": "spring"})
        assert (answer.status_code, 'value="spring"' in answer.text) == (503, True)
        desk = place.removesuffix("/search")
        assert ada.get(desk).status_code == 200
        judged = {"docno": "d1", "answer": "2", "client_id": "a-judgment-1"}
        assert ada.post(f"{desk}/answer", data=judged).status_code == 303
        with sqlite_database.reading() as db:
            assert len(db.scalars(select(JudgmentEventRow)).all()) == 1
            assert db.scalars(select(SearchRow)).all() == []

        def asked(*_: object) -> None:
            raise AssertionError("it was asked a moment ago")

        monkeypatch.setattr(jobs, "_has_seen", asked)
        assert ada.get(place).status_code == 200


def test_a_cluster_that_goes_away_between_the_look_and_the_search_is_said_to_be_away(
    ada: FlaskClient, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise EngineUnavailable("gone")

    monkeypatch.setattr(search, "answer_search", gone)
    assert ada.post(place, data={"query": "spring"}).status_code == 503
    assert "does not answer" in text_of(ada.get(place).text)


def test_a_query_that_a_cluster_refuses_does_not_stop_others(
    ada: FlaskClient, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise RefusedQuery("too many words", remedy="use fewer words")

    monkeypatch.setattr(search, "answer_search", refused)
    assert ada.post(place, data={"query": "spring"}).status_code == 422
    assert "does not answer" not in text_of(ada.get(place).text)
