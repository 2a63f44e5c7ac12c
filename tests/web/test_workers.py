"""The processes that do long things for one campaign: they work on the server's instance and end with it."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.records import Document
from workbench.searching.engine import UnwritableIndex
from workbench.settings import Settings, environment_of, read_settings
from workbench.storage.engine import Database
from workbench.web import dataset_worker, index_builds, index_worker
from workbench.web.dataset_fetches import DatasetFetch, FetchState, last_fetch, write_fetch
from workbench.web.workers import start_worker
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.desk_rules import save_allows_search
from workbench.workflow.searching.index import campaign_index, is_current

SEARCH = "/c/harbour/search"


@pytest.fixture
def stored(settings: Settings, sqlite_database: Database) -> Settings:
    """The settings of a server on the database of this test, which no variable of the environment names."""
    return replace(settings, database_url=sqlite_database.url)


@pytest.fixture
def olga(enter: Enter, cast: Cast, sqlite_database: Database) -> FlaskClient:
    """The organiser of a campaign that allows searching, with more documents than are indexed at once."""
    with sqlite_database.writing() as db:
        save_allows_search(db, cast.campaign_id, True)
        new = [Document(f"new{number}", "", "Neap tides.") for number in range(index_builds.SMALL)]
        load_documents(db, cast.campaign_id, new, source="new")
    return enter("Olga")


def test_a_process_gets_the_settings_of_the_server_that_starts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_INSTANCE", "/elsewhere")
    monkeypatch.setenv("WORKBENCH_LOG_JSON", "yes")
    variables = {"WORKBENCH_DATABASE_URL": "postgresql://host/name", "WORKBENCH_INSTANCE": str(tmp_path)}
    given = read_settings(variables)
    read = read_settings(environment_of(given))
    assert (read.instance, read.database_url, read.log_json) == (given.instance, given.database_url, True)


class _Ended:
    """Instead of a process: one that has ended with a code."""

    stdin = None
    codes: list[int | None]

    def __init__(self, command: list[str], *, env: dict[str, str], **_: object) -> None:
        self.returncode = self.codes.pop(0)

    def poll(self) -> int | None:
        return self.returncode

    def wait(self) -> int:
        return self.returncode or 0


def test_an_index_that_cannot_be_updated_is_said_to_be_and_is_tried_again_later(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[int | None] = [index_worker.UNWRITABLE, -9, None]
    monkeypatch.setattr(_Ended, "codes", codes, raising=False)
    monkeypatch.setattr("workbench.web.workers.subprocess.Popen", _Ended)
    assert "0 of 306 documents" in text_of(olga.get(SEARCH).text)
    assert "the disk is full" in text_of(olga.get(SEARCH).text)
    # Not at once again: only the first process was started.
    assert len(codes) == 2
    monkeypatch.setattr(index_builds, "RETRY_SECONDS", 0.0)
    olga.get(SEARCH)
    monkeypatch.setattr(index_builds, "RETRY_SECONDS", 30.0)
    assert "has failed" in text_of(olga.get(SEARCH).text)
    # A search answers meanwhile.
    answer = olga.post(SEARCH, data={"query": "tides", "topic": "T1"})
    assert "0 documents of 0 found. Nothing was indexed" in text_of(olga.get(answer.location).text)


def test_a_small_index_that_cannot_be_written_is_no_error_of_the_page(
    enter: Enter, cast: Cast, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise UnwritableIndex("no space left")

    monkeypatch.setattr(index_builds, "refresh_index", full)
    with sqlite_database.writing() as db:
        save_allows_search(db, cast.campaign_id, True)
    page = enter("Olga").get(SEARCH)
    assert (page.status_code, "the disk is full" in text_of(page.text)) == (200, True)


def ended(process: subprocess.Popen[bytes]) -> int:
    return process.wait(timeout=60)


@pytest.mark.slow
@pytest.mark.usefixtures("olga")
def test_a_process_indexes_the_documents_of_the_server_that_starts_it(
    cast: Cast, stored: Settings, sqlite_database: Database
) -> None:
    assert ended(start_worker(stored, index_worker.__name__, cast.campaign_id)) == 0
    with sqlite_database.reading() as db:
        index = campaign_index(db, stored.instance, cast.campaign_id)
        assert is_current(db, index, cast.campaign_id)
    assert index.progress() == 306


@pytest.mark.slow
@pytest.mark.usefixtures("olga")
def test_a_process_that_cannot_write_the_index_says_so(cast: Cast, stored: Settings) -> None:
    # A file where the folder of the indexes belongs.
    (stored.instance / "search").write_text("")
    code = ended(start_worker(stored, index_worker.__name__, cast.campaign_id))
    assert code == index_worker.UNWRITABLE


@pytest.mark.slow
def test_a_process_loads_a_collection_for_the_server_that_starts_it(cast: Cast, stored: Settings) -> None:
    write_fetch(stored.instance, cast.campaign_id, DatasetFetch("no such collection", ("topics",)))
    ended(start_worker(stored, dataset_worker.__name__, cast.campaign_id))
    fetch = last_fetch(stored.instance, cast.campaign_id)
    assert fetch is not None
    assert fetch.state is FetchState.REFUSED


WAITING = """
import sys, time
from workbench.web.workers import run_worker
run_worker(lambda *_: time.sleep(60), ["1"])
"""


@pytest.mark.slow
def test_a_process_ends_with_the_server(stored: Settings) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING], stdin=subprocess.PIPE, env=environment_of(stored)
    )
    time.sleep(0.1)
    assert process.stdin is not None
    process.stdin.close()
    assert ended(process) == 1
