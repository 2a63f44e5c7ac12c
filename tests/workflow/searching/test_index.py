"""A campaign's index: derived from the documents, repaired by itself, correct whoever writes meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.builders import DOCNOS, campaign_with_people
from workbench.errors import Conflict
from workbench.records import Document
from workbench.searching.query import read_query
from workbench.searching.tantivy_engine import TantivyEngine
from workbench.storage.engine import Database
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.searching import index
from workbench.workflow.searching.index import (
    index_folder,
    index_state,
    is_current,
    open_engine,
    refresh_index,
    remove_old_indexes,
)


@pytest.fixture
def campaign(sqlite_database: Database) -> int:
    """A campaign with six documents, each with the word text."""
    with sqlite_database.writing() as db:
        return campaign_with_people(db).campaign.id


def load(database: Database, campaign_id: int, *documents: Document) -> None:
    with database.writing() as db:
        load_documents(db, campaign_id, documents, source="more")


def found(database: Database, instance: Path, campaign_id: int, query: str) -> set[str]:
    with database.reading() as db:
        folder = index_folder(db, instance, campaign_id)
    return {one.docno for one in open_engine(folder).search(read_query(query), limit=20).documents}


def test_an_index_has_every_document_and_knows_when_it_is_behind(
    sqlite_database: Database, campaign: int, tmp_path: Path
) -> None:
    with sqlite_database.reading() as db:
        folder = index_folder(db, tmp_path, campaign)
        assert not is_current(db, folder, campaign)
    refresh_index(sqlite_database, tmp_path, campaign)
    assert found(sqlite_database, tmp_path, campaign, "text") == set(DOCNOS)
    load(sqlite_database, campaign, Document("d1", "", "changed"), Document("new", "", "text"))
    with sqlite_database.reading() as db:
        assert not is_current(db, folder, campaign)
    refresh_index(sqlite_database, tmp_path, campaign)
    assert found(sqlite_database, tmp_path, campaign, "text") == {*DOCNOS, "new"} - {"d1"}
    assert found(sqlite_database, tmp_path, campaign, "changed") == {"d1"}
    with sqlite_database.reading() as db:
        assert is_current(db, folder, campaign)
    # Loading the same again changes nothing.
    load(sqlite_database, campaign, Document("new", "", "text"))
    with sqlite_database.reading() as db:
        assert is_current(db, folder, campaign)


def test_losing_or_damaging_the_index_loses_nothing(
    sqlite_database: Database, campaign: int, tmp_path: Path
) -> None:
    refresh_index(sqlite_database, tmp_path, campaign)
    with sqlite_database.reading() as db:
        folder = index_folder(db, tmp_path, campaign)
    shutil.rmtree(folder)
    assert index_state(folder) is None
    refresh_index(sqlite_database, tmp_path, campaign)
    assert found(sqlite_database, tmp_path, campaign, "text") == set(DOCNOS)
    (folder / index.ENGINE / "meta.json").write_text("{}")
    (folder / index.LISTED).unlink()
    refresh_index(sqlite_database, tmp_path, campaign)
    assert found(sqlite_database, tmp_path, campaign, "text") == set(DOCNOS)


class Killed(BaseException):
    """What ends an indexer in the middle."""


@pytest.mark.parametrize("after", [1, 2])
def test_an_indexer_that_is_killed_is_continued(
    sqlite_database: Database, campaign: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    # Commits after every two documents; the second or third one ends before it is listed.
    monkeypatch.setattr(index, "COMMIT_EVERY", 2)
    times = 0
    whole = TantivyEngine.index

    def killed(self: TantivyEngine, documents: Iterable[Document], *, removed: Iterable[str] = ()) -> None:
        nonlocal times
        whole(self, documents, removed=removed)
        times += 1
        if times > after:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(TantivyEngine, "index", killed)
        with pytest.raises(Killed):
            refresh_index(sqlite_database, tmp_path, campaign)
    with sqlite_database.reading() as db:
        assert not is_current(db, index_folder(db, tmp_path, campaign), campaign)
    # What was committed can be searched already.
    assert len(found(sqlite_database, tmp_path, campaign, "text")) == 2 * (after + 1)
    load(sqlite_database, campaign, Document("d1", "", "changed meanwhile"))
    refresh_index(sqlite_database, tmp_path, campaign)
    assert found(sqlite_database, tmp_path, campaign, "text") == set(DOCNOS) - {"d1"}
    with sqlite_database.reading() as db:
        folder = index_folder(db, tmp_path, campaign)
    assert open_engine(folder).version().documents == len(DOCNOS)


def test_documents_that_are_gone_leave_the_index(
    sqlite_database: Database, campaign: int, tmp_path: Path
) -> None:
    refresh_index(sqlite_database, tmp_path, campaign)
    with sqlite_database.reading() as db:
        folder = index_folder(db, tmp_path, campaign)
    listed = folder / index.LISTED
    lines = [*listed.read_text().splitlines(), "d5\tgone", "zz\tgone"]
    listed.write_text("".join(f"{line}\n" for line in sorted(lines, key=str.encode)))
    open_engine(folder).index([Document("d5", "", "text"), Document("zz", "", "text")])
    refresh_index(sqlite_database, tmp_path, campaign)
    assert found(sqlite_database, tmp_path, campaign, "text") == set(DOCNOS)
    assert "gone" not in listed.read_text()


def test_one_process_updates_an_index_while_others_search_it(
    sqlite_database: Database, campaign: int, tmp_path: Path
) -> None:
    refresh_index(sqlite_database, tmp_path, campaign)
    load(sqlite_database, campaign, Document("new", "", "text"))

    def meanwhile(_: int) -> None:
        with pytest.raises(Conflict):
            refresh_index(sqlite_database, tmp_path, campaign)
        assert len(found(sqlite_database, tmp_path, campaign, "text")) >= len(DOCNOS)

    refresh_index(sqlite_database, tmp_path, campaign, meanwhile)
    assert found(sqlite_database, tmp_path, campaign, "text") == {*DOCNOS, "new"}


def test_indexes_of_campaigns_that_are_gone_are_deleted(
    sqlite_database: Database, campaign: int, tmp_path: Path
) -> None:
    refresh_index(sqlite_database, tmp_path, campaign)
    stray = tmp_path / index.FOLDER / "77-0123456789abcdef"
    stray.mkdir()
    remove_old_indexes(sqlite_database, tmp_path)
    assert not stray.exists()
    assert found(sqlite_database, tmp_path, campaign, "text") == set(DOCNOS)
