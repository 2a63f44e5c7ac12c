"""Collections of `ir_datasets` by id, with the real library and data sets that a test registered with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import ir_datasets
import pytest
from ir_datasets.formats import BaseQrels, BaseScoredDocs
from ir_datasets.formats.base import GenericScoredDoc
from ir_datasets.formats.trec import TrecDoc, TrecSubQrel, TrecSubtopic
from ir_datasets.util import Download, LocalDownload, RequestsDownload

from tests.catalogue import VAST, registered, small_collection, vast_collection
from workbench.datasets import DatasetPart, catalogue_entry, shown_document
from workbench.errors import NotFound, WorkbenchError
from workbench.records import Document, Qrel


def test_a_collection_has_topics_qrels_and_documents_that_are_looked_up(tmp_path: Path) -> None:
    entry = catalogue_entry(small_collection(tmp_path))
    assert entry.parts == (DatasetPart.TOPICS, DatasetPart.DOCUMENTS, DatasetPart.QRELS)
    assert [(topic.id, topic.title) for topic in entry.topics()] == [("T1", "tides"), ("T2", "nets")]
    assert entry.qrels()[2:4] == (Qrel("T1", "x", -1), Qrel("T2", "d/4", 1))
    # The library's own store, which is built on disk at the first look-up.
    found = {one.docno: one.text for one in entry.documents_of(["d/4", "absent", "d1"])}
    assert found == {"d/4": "The text of d/4", "d1": "The text of d1"}


def test_the_number_of_documents_is_known_without_listing_them() -> None:
    dataset_id, store = vast_collection()
    assert catalogue_entry("cranfield").documents == 1400  # of the library's own catalogue
    assert ir_datasets.load(dataset_id).docs_count() == VAST
    assert not store.asked


def test_an_unknown_id_names_similar_ones() -> None:
    with pytest.raises(NotFound) as refused:
        catalogue_entry("cranfeld")
    assert "cranfield" in refused.value.remedy


def test_a_part_that_a_collection_lacks_is_refused_with_those_it_has() -> None:
    dataset_id, _ = vast_collection()
    with pytest.raises(WorkbenchError) as refused:
        catalogue_entry(dataset_id).topics()
    assert "documents" in refused.value.remedy


def test_a_file_that_cannot_be_downloaded_is_named_with_the_place_where_it_must_lie(tmp_path: Path) -> None:
    place = tmp_path / "downloads" / "0123456789abcdef"
    message = f"If you have a local copy of https://example.org/topics.tsv, you can symlink it here: {place}"
    unreachable = RequestsDownload("http://127.0.0.1:9/topics.tsv", tries=1)
    download = Download([LocalDownload(place, message), unreachable], cache_path=str(tmp_path / "topics"))
    topics = ir_datasets.formats.TsvQueries(download)
    with pytest.raises(WorkbenchError) as refused:
        catalogue_entry(registered(ir_datasets.Dataset(topics))).topics()
    assert str(place) in refused.value.remedy
    assert "https://example.org/topics.tsv" in refused.value.remedy


def test_instructions_of_the_library_are_passed_on(tmp_path: Path) -> None:
    place = tmp_path / "corpus"
    documents = ir_datasets.formats.TsvDocs(
        LocalDownload(place, f"Sign the agreement, then put it at {place}")
    )
    entry = catalogue_entry(registered(ir_datasets.Dataset(documents)))
    with pytest.raises(WorkbenchError) as refused:
        list(entry.documents_of(["d1"]))
    assert "Sign the agreement" in refused.value.remedy


class _SubtopicQrels(BaseQrels):  # type: ignore[misc]  # the library has no types
    def qrels_cls(self) -> type[TrecSubQrel]:
        return TrecSubQrel  # type: ignore[no-any-return]


def test_grades_of_subtopics_are_no_qrels() -> None:
    entry = catalogue_entry(registered(ir_datasets.Dataset(_SubtopicQrels())))
    with pytest.raises(WorkbenchError, match="subtopics"):
        entry.qrels()


class _Ranked(BaseScoredDocs):  # type: ignore[misc]  # the library has no types
    def scoreddocs_iter(self) -> Iterator[GenericScoredDoc]:
        yield from (GenericScoredDoc("T1", "d2", 1.5), GenericScoredDoc("T1", "d1", 2.0))


def test_scored_documents_are_a_run_named_by_the_id() -> None:
    dataset_id = registered(ir_datasets.Dataset(_Ranked()))
    run = catalogue_entry(dataset_id).run()
    assert run.tag == dataset_id.replace("/", "-")
    assert run.rankings["T1"].docnos == ("d2", "d1")
    assert run.rankings["T1"].scores == (1.5, 2.0)


class _Article(NamedTuple):
    doc_id: str
    url: str
    title: str
    abstract: str
    body: str


class _Patent(NamedTuple):
    doc_id: str
    claims: str

    def default_text(self) -> str:
        return self.claims


@pytest.mark.parametrize(
    ("record", "document"),
    [
        (
            _Article("a", "http://x", " Two\nlines ", "Short.", "Long."),
            Document("a", "Two lines", "Short.\n\nLong."),
        ),
        (_Patent("p", "1. A net."), Document("p", "", "1. A net.")),
        (
            TrecDoc("t", "Nets Knots & ropes", "<HL>Nets</HL><TEXT><P>Knots &amp; ropes</P></TEXT>"),
            Document("t", "Nets", "Knots & ropes"),
        ),
    ],
)
def test_a_record_is_shown_by_its_fields(record: object, document: Document) -> None:
    assert shown_document(record) == document


class _WebQuery(NamedTuple):
    query_id: str
    query: str
    description: str
    subtopics: tuple[TrecSubtopic, ...]


class _WebQueries(ir_datasets.formats.BaseQueries):  # type: ignore[misc]  # the library has no types
    def queries_iter(self) -> Iterator[_WebQuery]:
        yield _WebQuery("51", "horse hooves", "Find information.", (TrecSubtopic("1", "anatomy", "inf"),))


def test_a_topic_has_its_statement_and_its_subtopics() -> None:
    (topic,) = catalogue_entry(registered(ir_datasets.Dataset(_WebQueries()))).topics()
    assert (topic.id, topic.title, topic.description) == ("51", "horse hooves", "Find information.")
    assert topic.subtopics == (("1", "anatomy"),)
