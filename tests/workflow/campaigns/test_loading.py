"""Documents are loaded while people save: all of the files or none, and never long in one transaction."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from tests.builders import campaign_with_people, pooled_campaign
from workbench.errors import Conflict, Finding, InvalidInput
from workbench.records import Answer, Document, Judgment
from workbench.storage import engine
from workbench.storage.engine import Database
from workbench.workflow.campaigns import collection, loading
from workbench.workflow.campaigns.collection import Loaded, document, document_count
from workbench.workflow.campaigns.loading import load_in_portions
from workbench.workflow.judging.importing import import_judgments

BEFORE = 6  # documents of the campaign of `pooled_campaign`


@pytest.fixture
def campaign(sqlite_database: Database, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(collection, "BATCH", 10)
    monkeypatch.setattr(loading, "PAUSE", 0)
    with sqlite_database.writing() as db:
        return pooled_campaign(db)[0].campaign.id


def new(count: int, *, body: str = "text") -> Iterator[Document]:
    return (Document(f"n{number:03}", "", body) for number in range(count))


def count(database: Database, campaign: int) -> int:
    with database.reading() as db:
        return document_count(db, campaign)


def judge(database: Database, campaign: int, docno: str) -> None:
    with database.writing() as db:
        import_judgments(db, campaign, [Judgment("X", "T1", docno, None, Answer.UNSURE)], source="x.tsv")


def test_others_write_while_files_are_read_and_between_two_portions(
    sqlite_database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.05)
    other = Database(sqlite_database.url)  # as another process has one
    written: list[str] = []

    def write(when: str) -> None:
        with other.writing() as db:
            db.execute(text("update campaign set guidelines = 'new'"))
        written.append(when)

    def slowly() -> Iterator[Document]:
        for one in new(25):
            write("reading")
            yield one

    monkeypatch.setattr(time, "sleep", lambda _: write("writing"))
    ((source, loaded),) = load_in_portions(sqlite_database, campaign, [("slow", slowly())])
    assert (source, loaded.read, loaded.added) == ("slow", 25, 25)
    assert written == ["reading"] * 25 + ["writing"] * 3  # 25 documents in tens
    assert count(sqlite_database, campaign) == BEFORE + 25
    other.close()


def test_a_refused_file_leaves_nothing_of_any_and_all_errors_are_told(
    sqlite_database: Database, campaign: int
) -> None:
    judge(sqlite_database, campaign, "d1")

    def broken() -> Iterator[Document]:
        yield from new(25)
        raise InvalidInput([Finding("broken", 26, "text", "not UTF-8")])

    files = [
        ("good", new(30)),
        ("broken", broken()),
        ("judged", iter([Document("d1", "another title", "")])),
    ]
    with pytest.raises(InvalidInput) as refused:
        load_in_portions(sqlite_database, campaign, files)
    assert [(one.source, one.code) for one in refused.value.findings] == [
        ("broken", "text"),
        ("judged", "document-judged"),
    ]
    assert count(sqlite_database, campaign) == BEFORE


def test_what_is_judged_meanwhile_keeps_its_text(
    sqlite_database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judging() -> Iterator[Document]:
        yield from new(10)
        yield Document("d1", "another title", "")

    monkeypatch.setattr(
        time, "sleep", lambda _: judge(sqlite_database, campaign, "d1")
    )  # after the first portion
    with pytest.raises(Conflict, match=r"d1 is judged.*; 10 of 11 documents are stored"):
        load_in_portions(sqlite_database, campaign, [("f", judging())])
    with sqlite_database.reading() as db:
        assert document(db, campaign, "d1").title == "Title of d1"


def test_loading_that_was_interrupted_is_completed_by_loading_again(
    sqlite_database: Database, campaign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as first:
        first.setattr(time, "sleep", killed)
        with pytest.raises(KeyboardInterrupt):
            load_in_portions(sqlite_database, campaign, [("f", new(25))])
    assert count(sqlite_database, campaign) == BEFORE + 10
    ((_, loaded),) = load_in_portions(sqlite_database, campaign, [("f", new(25))])
    assert loaded == Loaded(25, 15, 0, 10, missing=loaded.missing)
    # A newer text of those that nobody judged takes the place of the old one.
    ((_, loaded),) = load_in_portions(sqlite_database, campaign, [("f", new(2, body="newer"))])
    assert (loaded.changed, count(sqlite_database, campaign)) == (2, BEFORE + 25)
    with sqlite_database.reading() as db:
        assert document(db, campaign, "n001").text == "newer"


def test_two_loads_of_the_same_documents_at_once_are_both_done(postgresql_database: Database) -> None:
    with postgresql_database.writing() as db:
        campaign = campaign_with_people(db).campaign.id

    def load(_: int) -> int:
        ((_name, loaded),) = load_in_portions(postgresql_database, campaign, [("f", new(200))])
        return loaded.added

    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(load, range(2))) == 200
    assert count(postgresql_database, campaign) == BEFORE + 200
