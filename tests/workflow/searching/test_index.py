"""A campaign's index: derived from the documents, repaired by itself, correct whoever writes meanwhile."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.builders import DOCNOS, campaign_with_people
from tests.searches import is_current
from workbench.errors import Conflict
from workbench.records import Document
from workbench.searching.engine import UnwritableIndex, read_query
from workbench.searching.tantivy_engine import TantivyEngine
from workbench.storage.engine import Database
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.searching import index, indexes
from workbench.workflow.searching.index import campaign_index, refresh_index, remove_old_indexes
from workbench.workflow.searching.indexes import HostIndex
from workbench.workflow.searching.searches import answered


@pytest.fixture
def campaign(sqlite_database: Database) -> int:
    """A campaign with six documents, each with the word text."""
    with sqlite_database.writing() as db:
        return campaign_with_people(db).campaign.id


def load(database: Database, campaign_id: int, *documents: Document) -> None:
    with database.writing() as db:
        load_documents(db, campaign_id, documents, source="more")


def found(database: Database, instance: Path, campaign_id: int, query: str) -> set[str]:
    engine = index_of(database, instance, campaign_id).engine()
    return {one.docno for one in engine.search(read_query(query), limit=20).documents} if engine else set()


def index_of(database: Database, instance: Path, campaign_id: int) -> HostIndex:
    with database.reading() as db:
        index = campaign_index(db, instance, campaign_id)
    assert isinstance(index, HostIndex)
    return index


def test_an_index_has_every_document_and_knows_when_it_is_behind(
    sqlite_database: Database, campaign: int, tmp_path: Path
) -> None:
    with sqlite_database.reading() as db:
        one = campaign_index(db, tmp_path, campaign)
        assert not is_current(db, one, campaign)
    refresh_index(sqlite_database, tmp_path, campaign)
    assert found(sqlite_database, tmp_path, campaign, "text") == set(DOCNOS)
    load(sqlite_database, campaign, Document("d1", "", "changed"), Document("new", "", "text"))
    with sqlite_database.reading() as db:
        assert not is_current(db, one, campaign)
    refresh_index(sqlite_database, tmp_path, campaign)
    assert found(sqlite_database, tmp_path, campaign, "text") == {*DOCNOS, "new"} - {"d1"}
    assert found(sqlite_database, tmp_path, campaign, "changed") == {"d1"}
    with sqlite_database.reading() as db:
        assert is_current(db, one, campaign)
    # Loading the same again changes nothing.
    load(sqlite_database, campaign, Document("new", "", "text"))
    with sqlite_database.reading() as db:
        assert is_current(db, one, campaign)


def test_losing_or_damaging_the_index_loses_nothing(
    sqlite_database: Database, campaign: int, tmp_path: Path
) -> None:
    refresh_index(sqlite_database, tmp_path, campaign)
    folder = index_of(sqlite_database, tmp_path, campaign).folder
    shutil.rmtree(folder)
    assert HostIndex(folder).state() is None
    refresh_index(sqlite_database, tmp_path, campaign)
    assert found(sqlite_database, tmp_path, campaign, "text") == set(DOCNOS)
    (folder / indexes.ENGINE / "meta.json").write_text("{}")
    (folder / indexes.LISTED).unlink()
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
        assert not is_current(db, campaign_index(db, tmp_path, campaign), campaign)
    # What was committed can be searched already.
    assert len(found(sqlite_database, tmp_path, campaign, "text")) == 2 * (after + 1)
    load(sqlite_database, campaign, Document("d1", "", "changed meanwhile"))
    refresh_index(sqlite_database, tmp_path, campaign)
    assert found(sqlite_database, tmp_path, campaign, "text") == set(DOCNOS) - {"d1"}
    folder = index_of(sqlite_database, tmp_path, campaign).folder
    assert TantivyEngine(folder / indexes.ENGINE).version().documents == len(DOCNOS)


def test_documents_that_are_gone_leave_the_index(
    sqlite_database: Database, campaign: int, tmp_path: Path
) -> None:
    refresh_index(sqlite_database, tmp_path, campaign)
    folder = index_of(sqlite_database, tmp_path, campaign).folder
    listed = folder / indexes.LISTED
    lines = [*listed.read_text().splitlines(), "d5\tgone", "zz\tgone"]
    listed.write_text("".join(f"{line}\n" for line in sorted(lines, key=str.encode)))
    TantivyEngine(folder / indexes.ENGINE).index([Document("d5", "", "text"), Document("zz", "", "text")])
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


@pytest.mark.engines
def test_two_hosts_have_an_index_each_over_one_database(database: Database, tmp_path: Path) -> None:
    with database.writing() as db:
        campaign = campaign_with_people(db).campaign.id
    hosts = [tmp_path / "first", tmp_path / "second"]
    for host in hosts:
        refresh_index(database, host, campaign)
    load(database, campaign, Document("d1", "", "changed"), Document("new", "", "text"))
    refresh_index(database, hosts[0], campaign)
    with database.reading() as db:
        current = [is_current(db, campaign_index(db, host, campaign), campaign) for host in hosts]
    assert current == [True, False]
    # The other one still answers, with what it has.
    assert found(database, hosts[1], campaign, "text") == set(DOCNOS)
    refresh_index(database, hosts[1], campaign)
    assert found(database, hosts[1], campaign, "text") == {*DOCNOS, "new"} - {"d1"}


def answer(host: HostIndex) -> tuple[int, int]:
    """How many documents a search for text finds, among how many."""
    results, version = answered(
        host, lambda engine: (engine.search(read_query("text"), limit=1), engine.version())
    )
    return results.total, version.documents


def test_a_search_answers_without_an_index_and_with_one_that_is_damaged_or_deleted(
    sqlite_database: Database, campaign: int, tmp_path: Path
) -> None:
    host = index_of(sqlite_database, tmp_path, campaign)
    assert answer(host) == (0, 0)
    # Whoever searches makes no index.
    assert not host.folder.exists()
    refresh_index(sqlite_database, tmp_path, campaign)
    assert answer(host) == (6, 6)
    for name in ("*.term", "meta.json"):
        (damaged,) = (host.folder / indexes.ENGINE).glob(name)
        # In the place of the file: whoever still has it mapped would be killed by what is cut off.
        half = damaged.with_suffix(".half")
        half.write_bytes(damaged.read_bytes()[:7])
        half.replace(damaged)
        host.close()
        assert answer(host) == (0, 0)
        # It is no index any more, so that the next look at it has it made anew.
        assert host.state() is None
        refresh_index(sqlite_database, tmp_path, campaign)
        assert answer(host) == (6, 6)
    # Deleted and made anew while this process has it open.
    shutil.rmtree(host.folder)
    assert answer(host) == (0, 0)
    refresh_index(sqlite_database, tmp_path, campaign)
    assert answer(host) == (6, 6)


@pytest.mark.parametrize("writes_before", [0, 1])
def test_a_full_disk_is_an_error_and_what_was_indexed_is_found(
    sqlite_database: Database,
    campaign: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    writes_before: int,
) -> None:
    refresh_index(sqlite_database, tmp_path, campaign)
    load(sqlite_database, campaign, Document("new", "", "text"))
    writes, whole = 0, TantivyEngine.index

    def full(self: TantivyEngine, documents: Iterable[Document], *, removed: Iterable[str] = ()) -> None:
        nonlocal writes
        writes += 1
        if writes > writes_before:
            raise OSError(28, "No space left on device")
        whole(self, documents, removed=removed)

    monkeypatch.setattr(index, "COMMIT_EVERY", 1)
    load(sqlite_database, campaign, Document("later", "", "text"))
    with monkeypatch.context() as patched:
        patched.setattr(TantivyEngine, "index", full)
        with pytest.raises(UnwritableIndex, match="No space left on device"):
            refresh_index(sqlite_database, tmp_path, campaign)
    assert len(found(sqlite_database, tmp_path, campaign, "text")) == 6 + writes_before
    refresh_index(sqlite_database, tmp_path, campaign)
    assert found(sqlite_database, tmp_path, campaign, "text") == {*DOCNOS, "new", "later"}


# Indexes in small portions, so that there is something to interrupt.
SLOWLY = """
import sys
from pathlib import Path
from workbench.storage.engine import Database
from workbench.workflow.searching import index
index.COMMIT_EVERY = 20
print(index.refresh_index(Database(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])).documents)
"""


@pytest.mark.slow
def test_an_indexer_that_is_killed_at_any_moment_loses_nothing(
    sqlite_database: Database, campaign: int, tmp_path: Path
) -> None:
    many = [Document(f"n{number}", f"text {number}", f"text of {number}") for number in range(800)]
    load(sqlite_database, campaign, *many)
    command = [sys.executable, "-c", SLOWLY, sqlite_database.url, str(tmp_path), str(campaign)]
    host = index_of(sqlite_database, tmp_path, campaign)
    counts: list[int] = []
    for kill in range(5):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        # After so many more commits, and at another moment of the next one each time.
        enough = (counts[-1] if counts else 0) + 20
        while process.poll() is None and answer(host)[1] < enough:
            time.sleep(0.001 * (1 + kill % 3))
        process.kill()
        process.communicate()
        counts.append(answer(host)[1])
    assert counts == sorted(counts)
    assert 0 < counts[0] < 806
    finished = subprocess.run(command, capture_output=True, check=True, text=True)
    assert finished.stdout == "806\n"
    # Every document once: those that are named by number, and all by their common word.
    assert answer(host) == (806, 806)
    with sqlite_database.reading() as db:
        assert is_current(db, host, campaign)
