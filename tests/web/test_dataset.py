"""Loading a collection of `ir_datasets` from its page: started in a process of its own, shown, continued."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cast import Cast
from tests.catalogue import small_collection, vast_collection
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.web import dataset_fetches
from workbench.web.dataset_fetches import DatasetFetch, FetchState, last_fetch, start_fetch, write_fetch
from workbench.web.dataset_worker import load

ADDRESS = "/c/harbour/dataset"


class _Started:
    """Instead of a process: what would have been started."""

    commands: list[list[str]]
    stdin = None

    def __init__(self, command: list[str], **_: Any) -> None:
        self.commands.append(command)

    def wait(self) -> int:
        return 0


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of processes, none of which is started."""
    commands: list[list[str]] = []
    monkeypatch.setattr(_Started, "commands", commands, raising=False)
    monkeypatch.setattr("workbench.web.workers.subprocess.Popen", _Started)
    return commands


def test_a_collection_is_loaded_in_a_process_of_its_own(
    enter: Enter,
    cast: Cast,
    settings: Settings,
    sqlite_database: Database,
    tmp_path: Path,
    started: list[Any],
) -> None:
    olga, dataset_id = enter("Olga"), small_collection(tmp_path)
    sent = {"dataset": dataset_id, "part": ["topics", "qrels"], "assessor": "NIST"}
    assert olga.post(ADDRESS, data=sent).location == ADDRESS
    assert started[0][-1] == str(cast.campaign_id)
    running = olga.get(f"{ADDRESS}/progress").text
    assert 'hx-trigger="every 2s"' in running
    # A second one has to wait.
    assert olga.post(ADDRESS, data=sent).status_code == 409
    load(settings, sqlite_database, cast.campaign_id)
    page = olga.get(f"{ADDRESS}/progress").text
    assert "hx-trigger" not in page
    # Grades 1, 0, -1, 1, 0 of the five qrels; both topics were there, as "tides" and "nets", one with more.
    assert "4 judgments of NIST, 4 new. 1 judgment with a negative grade left out." in text_of(page)


def test_what_the_collection_lacks_or_nobody_chose_is_refused_at_once(
    enter: Enter, started: list[Any], tmp_path: Path
) -> None:
    olga, dataset_id = enter("Olga"), small_collection(tmp_path)
    for sent in (
        {"dataset": dataset_id},
        {"dataset": dataset_id, "part": "runs"},
        {"dataset": "no such collection", "part": "topics"},
    ):
        assert olga.post(ADDRESS, data=sent).status_code == 422
    assert not started


def test_an_error_and_an_interruption_can_be_continued(
    enter: Enter, cast: Cast, settings: Settings, sqlite_database: Database, started: list[Any]
) -> None:
    olga = enter("Olga")
    dataset_id, _ = vast_collection(fails_at=lambda _: True)
    with sqlite_database.writing() as db:
        from sqlalchemy import delete

        from workbench.storage.tables import CampaignRow, DocumentRow

        db.execute(delete(DocumentRow).where(DocumentRow.campaign_id == cast.campaign_id))
        db.get_one(CampaignRow, cast.campaign_id).documents = 0
    fetch = DatasetFetch(dataset_id, ("documents",))
    write_fetch(settings.instance, cast.campaign_id, fetch)
    load(settings, sqlite_database, cast.campaign_id)
    assert "the network was lost" in (page := olga.get(ADDRESS).text)
    assert "Try again" in page
    # A process that was killed stops writing.
    write_fetch(settings.instance, cast.campaign_id, fetch)
    long_ago = time.time() - 2 * dataset_fetches.ABANDONED_SECONDS
    os.utime(settings.instance / dataset_fetches.FOLDER / f"{cast.campaign_id}.json", (long_ago, long_ago))
    found = last_fetch(settings.instance, cast.campaign_id)
    assert found is not None
    assert found.state is FetchState.INTERRUPTED
    assert "Continue" in olga.get(ADDRESS).text
    assert olga.post(ADDRESS, data={"dataset": dataset_id, "part": "documents"}).status_code == 303


@pytest.mark.slow
def test_the_process_ends_with_the_reason_where_there_is_no_network(
    cast: Cast, settings: Settings, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IR_DATASETS_HOME", str(settings.instance / "collections"))
    for variable in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    monkeypatch.setenv("IR_DATASETS_DL_TRIES", "1")
    start_fetch(settings, cast.campaign_id, DatasetFetch("cranfield", ("topics",)))
    found = None
    for _ in range(600):
        found = last_fetch(settings.instance, cast.campaign_id)
        if found is not None and found.state is not FetchState.RUNNING:
            break
        time.sleep(0.1)
    assert found is not None
    assert found.state is FetchState.REFUSED
    assert str(settings.instance / "collections" / "downloads") in found.remedy
