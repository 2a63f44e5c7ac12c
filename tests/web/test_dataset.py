"""Loading a collection of `ir_datasets` from its page: done by a job, shown, ended, tried again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, update

from tests.cast import Cast
from tests.catalogue import small_collection, vast_collection
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow, DocumentRow
from workbench.workflow.worker import do_waiting

ADDRESS = "/c/harbour/dataset"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Those of a site whose jobs a worker does."""
    return replace(settings, worker=True)


def test_a_collection_is_loaded_by_a_job(
    enter: Enter, cast: Cast, settings: Settings, sqlite_database: Database, tmp_path: Path
) -> None:
    olga, dataset_id = enter("Olga"), small_collection(tmp_path)
    sent = {"dataset": dataset_id, "part": ["topics", "qrels"], "assessor": "NIST"}
    assert olga.post(ADDRESS, data=sent).location == ADDRESS
    waiting = olga.get(f"{ADDRESS}/progress").text
    assert 'hx-trigger="every 2s"' in waiting
    assert "Waiting for a worker to load topics, qrels" in text_of(waiting)
    # A second one has to wait.
    assert olga.post(ADDRESS, data=sent).status_code == 409
    do_waiting(settings, sqlite_database)
    page = olga.get(f"{ADDRESS}/progress").text
    assert "hx-trigger" not in page
    # Grades 1, 0, -1, 1, 0 of the five qrels; both topics were there, as "tides" and "nets", one with more.
    assert "4 judgments of NIST, 4 new. 1 judgment with a negative grade left out." in text_of(page)


def test_what_the_collection_lacks_or_nobody_chose_is_refused_at_once(enter: Enter, tmp_path: Path) -> None:
    olga, dataset_id = enter("Olga"), small_collection(tmp_path)
    for sent in (
        {"dataset": dataset_id},
        {"dataset": dataset_id, "part": "runs"},
        {"dataset": "no such collection", "part": "topics"},
    ):
        assert olga.post(ADDRESS, data=sent).status_code == 422
    assert "Waiting for a worker" not in olga.get(ADDRESS).text


def test_what_was_refused_is_tried_again_and_what_was_ended_is_continued(
    enter: Enter, cast: Cast, settings: Settings, sqlite_database: Database
) -> None:
    olga = enter("Olga")
    dataset_id, _ = vast_collection(fails_at=lambda _: True)
    with sqlite_database.writing() as db:
        db.execute(delete(DocumentRow).where(DocumentRow.campaign_id == cast.campaign_id))
        db.execute(update(CampaignRow).values(documents=0))
    sent = {"dataset": dataset_id, "part": "documents"}
    olga.post(ADDRESS, data=sent)
    do_waiting(settings, sqlite_database)
    page = olga.get(ADDRESS).text
    assert "the network was lost" in page
    assert "Try again" in page
    olga.post(ADDRESS, data=sent)
    assert olga.post(f"{ADDRESS}/end").location == ADDRESS
    assert "Continue" in olga.get(ADDRESS).text
    do_waiting(settings, sqlite_database)
    assert "What is loaded stays" in olga.get(ADDRESS).text
    assert olga.post(ADDRESS, data=sent).status_code == 303
