"""A campaign's index in a cluster: shared by hosts, made anew when it must be, never ahead of documents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from tests.builders import DOCNOS, campaign_with_people
from tests.searches import is_current
from workbench.records import Document, SearchCluster
from workbench.searching.engine import EngineUnavailable, read_query
from workbench.searching.opensearch_engine import IndexedDocument, OpenSearchEngine, client_of
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.searching import index, indexes
from workbench.workflow.searching.index import (
    CampaignIndex,
    campaign_index,
    refresh_index,
    remove_old_indexes,
)
from workbench.workflow.searching.indexes import ClusterIndex
from workbench.workflow.searching.searches import answered


@pytest.fixture
def campaign(sqlite_database: Database) -> int:
    """A campaign with six documents, each with the word text."""
    with sqlite_database.writing() as db:
        return campaign_with_people(db).campaign.id


class Host:
    """A host of the site, with the database and the cluster that it shares with others."""

    def __init__(self, database: Database, folder: Path, campaign: int, cluster: SearchCluster) -> None:
        self.database, self.folder, self.campaign, self.cluster = database, folder, campaign, cluster

    def index(self) -> CampaignIndex:
        with self.database.reading() as db:
            return campaign_index(db, self.folder, self.campaign, self.cluster)

    def is_current(self) -> bool:
        with self.database.reading() as db:
            return is_current(db, self.index(), self.campaign)

    def refresh(self) -> None:
        refresh_index(self.database, self.folder, self.campaign, cluster=self.cluster)

    def found(self, query: str) -> set[str]:
        results, _ = answered(
            self.index(), lambda engine: (engine.search(read_query(query), limit=20), engine.version())
        )
        return {one.docno for one in results.documents}

    def load(self, *documents: Document) -> None:
        with self.database.writing() as db:
            load_documents(db, self.campaign, documents, source="more")

    def names(self) -> list[str]:
        """The numbered indexes of the cluster, by their numbers."""
        names = client_of(self.cluster).indices.get(index=f"{self.cluster.prefix}-*")
        return sorted(name.rpartition(".")[2] for name in names)


@pytest.fixture
def host(sqlite_database: Database, tmp_path: Path, campaign: int, cluster: SearchCluster) -> Host:
    return Host(sqlite_database, tmp_path / "first", campaign, cluster)


def test_an_index_has_every_document_and_hosts_share_it(host: Host, tmp_path: Path) -> None:
    other = Host(host.database, tmp_path / "second", host.campaign, host.cluster)
    assert (host.found("text"), host.is_current()) == (set(), False)
    host.refresh()
    assert host.found("text") == other.found("text") == set(DOCNOS)
    assert other.is_current()
    host.load(Document("d1", "", "changed"), Document("new", "", "text"))
    assert not other.is_current()
    other.refresh()
    assert host.is_current()
    assert host.found("text") == {*DOCNOS, "new"} - {"d1"}
    assert host.found("changed") == {"d1"}
    assert host.names() == ["000001"]


class Killed(BaseException):
    """What ends an indexer in the middle."""


def test_the_first_index_answers_with_what_it_has_and_is_continued(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "COMMIT_EVERY", 2)
    monkeypatch.setattr(index, "REPORT_EVERY", 1)

    def killed(done: int) -> None:
        if done == 4:
            raise Killed

    with pytest.raises(Killed):
        refresh_index(host.database, host.folder, host.campaign, killed, host.cluster)
    assert (len(host.found("text")), host.is_current()) == (4, False)
    sent: list[int] = []
    whole = OpenSearchEngine.write

    def counted(self: OpenSearchEngine, documents: list[IndexedDocument], **more: Any) -> None:
        documents = list(documents)
        sent.append(len(documents))
        whole(self, documents, **more)

    monkeypatch.setattr(OpenSearchEngine, "write", counted)
    host.refresh()
    assert (host.found("text"), sum(sent)) == (set(DOCNOS), 2)


def test_documents_that_are_gone_leave_the_index(host: Host) -> None:
    host.refresh()
    engine = host.index().engine()
    assert engine is not None
    engine.index([Document("d5x", "", "text"), Document("zz", "", "text")])
    host.refresh()
    assert host.found("text") == set(DOCNOS)


def changes_set_to(host: Host, changes: int) -> None:
    with host.database.writing() as db:
        db.execute(update(CampaignRow).values(document_changes=changes))


def test_after_a_restore_the_index_is_made_anew_and_the_old_one_answers_until_then(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.load(Document("lost", "", "text"))
    host.refresh()
    # An earlier state of the database, as far as the index can tell.
    changes_set_to(host, 1)

    def killed(_: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        refresh_index(host.database, host.folder, host.campaign, killed, host.cluster)
    assert host.names() == ["000001", "000002"]
    assert "lost" in host.found("text")
    host.refresh()
    assert host.names() == ["000002"]
    assert (host.found("text"), host.is_current()) == ({*DOCNOS, "lost"}, True)


def test_terms_that_are_made_in_another_way_need_another_index(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.refresh()
    monkeypatch.setattr(indexes, "ANALYSIS", 2)
    assert not host.is_current()


def test_what_a_host_has_read_later_stays(host: Host) -> None:
    host.refresh()
    engine = host.index().engine()
    assert isinstance(engine, OpenSearchEngine)
    engine.write([IndexedDocument(Document("d1", "", "later"), "later")], changes=9)
    engine.write([IndexedDocument(Document("d1", "", "earlier"), "earlier")], changes=8, removed=["zz"])
    assert (host.found("later"), host.found("earlier")) == ({"d1"}, set())


def test_indexes_of_campaigns_that_are_gone_are_deleted_and_no_others(host: Host) -> None:
    host.refresh()
    mine = host.index()
    assert isinstance(mine, ClusterIndex)
    gone = mine.name.rpartition(f"-{host.campaign}-")[0] + "-77-0123456789abcdef.000001"
    strange = f"{host.cluster.prefix}-0123456789abcdef-1-0123456789abcdef.000003"
    for name in (gone, strange):
        OpenSearchEngine(host.cluster, name).make()
    remove_old_indexes(host.database, host.folder, host.cluster)
    # That of another database, which has the cluster as well, stays.
    assert host.names() == ["000001", "000003"]
    assert host.found("text") == set(DOCNOS)
    mine.discard()
    assert (host.names(), host.found("text")) == (["000003"], set())


def test_a_cluster_that_is_away_is_an_error_and_no_empty_answer(host: Host) -> None:
    host.cluster = replace(host.cluster, nodes=("http://127.0.0.1:9",))
    for asked in (host.refresh, host.is_current, lambda: host.found("text")):
        with pytest.raises(EngineUnavailable):
            asked()
