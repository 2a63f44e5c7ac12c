"""A collection of `ir_datasets` in a campaign: pooled documents are looked up, and after a kill the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import delete

from tests.builders import pooled_campaign
from tests.catalogue import small_collection, vast_collection
from workbench import datasets as catalogue
from workbench.datasets import DatasetPart, catalogue_entry
from workbench.errors import WorkbenchError
from workbench.records import BINARY, Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow, DocumentRow
from workbench.workflow import datasets
from workbench.workflow.campaigns import loading
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.campaigns.collection import document, document_count, topics_of
from workbench.workflow.datasets import documents_to_fetch, load_dataset
from workbench.workflow.judging.current_judgments import current_judgments

DOCUMENTS = [DatasetPart.DOCUMENTS]


@pytest.fixture
def campaign(sqlite_database: Database, monkeypatch: pytest.MonkeyPatch) -> int:
    """A campaign whose pool has d1, d2 and d/4, of which no text is there."""
    monkeypatch.setattr(datasets, "PORTION", 2)
    monkeypatch.setattr(loading, "PAUSE", 0)
    with sqlite_database.writing() as db:
        campaign_id = pooled_campaign(db)[0].campaign.id
        db.execute(delete(DocumentRow).where(DocumentRow.campaign_id == campaign_id))
        db.get_one(CampaignRow, campaign_id).documents = 0
    return campaign_id


def test_of_a_hundred_million_documents_the_pooled_ones_are_looked_up(
    sqlite_database: Database, campaign: int
) -> None:
    dataset_id, store = vast_collection(known=lambda docno: docno != "d2")
    seen: list[tuple[int, int]] = []
    done = load_dataset(
        sqlite_database,
        campaign,
        catalogue_entry(dataset_id),
        DOCUMENTS,
        progress=lambda _, so_far, total: seen.append((so_far, total)),
    )
    assert store.asked == ["d/4", "d1", "d2"]
    assert done.documents is not None
    assert (done.documents.lacking, done.documents.loaded.added, done.documents.absent) == (3, 2, ("d2",))
    assert seen == [(0, 3), (2, 3), (3, 3)]
    with sqlite_database.reading() as db:
        assert document(db, campaign, "d/4").text == "Body of d/4"


def test_what_is_there_is_not_looked_up_again(sqlite_database: Database, campaign: int) -> None:
    failing, first = vast_collection(fails_at=lambda docno: docno == "d2")
    with pytest.raises(WorkbenchError, match="the network was lost at d2"):
        load_dataset(sqlite_database, campaign, catalogue_entry(failing), DOCUMENTS)
    assert first.asked == ["d/4", "d1"]
    with sqlite_database.reading() as db:
        assert document_count(db, campaign) == 2
    assert documents_to_fetch(sqlite_database, campaign) == ("d2",)
    working, second = vast_collection()
    load_dataset(sqlite_database, campaign, catalogue_entry(working), DOCUMENTS)
    assert second.asked == ["d2"]


def test_without_a_pool_no_document_is_looked_up(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        empty = create_campaign(db, name="Empty", scale=BINARY).id
    dataset_id, store = vast_collection()
    with pytest.raises(WorkbenchError, match="no pool"):
        load_dataset(sqlite_database, empty, catalogue_entry(dataset_id), DOCUMENTS)
    assert not store.asked


def test_topics_and_qrels_come_in_whole_and_twice_changes_nothing(
    sqlite_database: Database, campaign: int, tmp_path: Path
) -> None:
    entry = catalogue_entry(small_collection(tmp_path))
    parts = [DatasetPart.TOPICS, DatasetPart.QRELS]
    with pytest.raises(WorkbenchError):
        load_dataset(sqlite_database, campaign, entry, [*parts, DatasetPart.RUNS])
    with sqlite_database.reading() as db:
        assert not current_judgments(db, campaign)  # the missing run was noticed before
    done = load_dataset(sqlite_database, campaign, entry, parts, assessor="NIST")
    again = load_dataset(sqlite_database, campaign, entry, parts, assessor="NIST")
    assert done.qrels is not None
    assert again.qrels is not None
    assert (done.qrels.assessors[0].new, again.qrels.assessors[0].new) == (4, 0)
    assert done.left_out == 1  # grade -1: nobody judged it
    with sqlite_database.reading() as db:
        assert Judgment("NIST", "T2", "d/4", 1) in current_judgments(db, campaign)
        assert [topic.id for topic in topics_of(db, campaign)] == ["T1", "T2"]


def test_without_the_library_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(WorkbenchError) as refused:
        catalogue_entry("cranfield")
    assert refused.value.remedy == catalogue.INSTALL
