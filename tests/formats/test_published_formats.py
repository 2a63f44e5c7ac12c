"""Topics, documents and qrels as books, tools and collections print them (shared cases 31 and 32)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.strategies import codes, stream
from tests.support import cases
from workbench.errors import InvalidInput
from workbench.formats.documents import read_documents
from workbench.formats.fields import collapsed
from workbench.formats.qrels import read_qrels
from workbench.formats.topics import read_topics
from workbench.records import Document, Qrel, Topic


def case(file: str, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    found = cases(file)[name]
    return found["input"], found["expected"]


@pytest.mark.parametrize("name", ["topic_168", "topic_508"])
def test_topics_of_the_textbooks(name: str) -> None:
    given, expected = case("31_formats_topics_docs.json", name)
    (topic,) = expected["topics"]
    assert read_topics(stream(given["text"]), source="t") == (
        Topic(topic["id"], topic["title"], topic["desc"], topic["narr"]),
    )


def test_fields_on_one_line_give_the_same_topic_though_line_parsers_find_none() -> None:
    given, expected = case("31_formats_topics_docs.json", "topic_508_on_one_line")
    on_lines, _ = case("31_formats_topics_docs.json", "topic_508")
    assert expected["ir_datasets"] == []
    assert read_topics(stream(given["text"]), source="t") == read_topics(stream(on_lines["text"]), source="t")


def test_the_document_of_the_textbook_in_either_case() -> None:
    given, expected = case("31_formats_topics_docs.json", "doc_WSJ880406-0090")
    for text in (given["text"], given["text"].replace("<doc", "<DOC").replace("</doc", "</DOC")):
        (document,) = read_documents(stream(text), source="d")
        assert document.docno == expected["docno"]
        assert document.title == expected["hl"]
        assert document.text.startswith(expected["text_starts"])


def test_topics_of_the_web_track() -> None:
    given, expected = case("31_formats_topics_docs.json", "web_track_xml")
    subtopics = (("1", "Find the TIME magazine photo essay."), ("2", "Where did his parents come from?"))
    assert read_topics(stream(given["text"]), source="t") == (
        Topic(expected["id"], expected["query"], expected["description"], subtopics=subtopics),
    )


def test_cranfield_as_it_is_distributed() -> None:
    given, expected = case("31_formats_topics_docs.json", "cranfield_smart")
    first, second = read_documents(stream(given["text"]), source="d")
    told = expected["docs"]
    assert (first.docno, first.title) == (told[0]["id"], told[0]["title"])
    # The repetition of the title is gone, so the text begins with what follows it in the input.
    origin, text = first.text.split("\n\n")
    assert origin == f"{told[0]['author']} — {told[0]['bib']}"
    assert collapsed(text).startswith("an experimental study of a wing in a propeller slipstream was made")
    assert second == Document(told[1]["id"], told[1]["title"], told[1]["text_starts"])


def test_qrels_of_four_columns() -> None:
    given, expected = case("32_formats_qrels_variants.json", "qrels_four_columns")
    assert read_qrels(stream(given["text"]), source="q") == tuple(
        Qrel(topic, docno, grade) for topic, docno, grade, _ in expected["rows_topic_doc_rel_iteration"]
    )


def test_prels_are_no_qrels() -> None:
    given, _ = case("32_formats_qrels_variants.json", "prels_million_query")
    with pytest.raises(InvalidInput) as refused:
        read_qrels(stream(given["text"]), source="q")
    assert codes(refused.value) == [(1, "columns")]


def test_qrels_of_beir() -> None:
    given, expected = case("32_formats_qrels_variants.json", "beir_qrels_tsv")
    assert read_qrels(stream(given["text"]), source="q") == tuple(
        Qrel(topic, docno, grade)
        for topic, graded in expected["qrels"].items()
        for docno, grade in graded.items()
    )


def test_the_files_of_ms_marco() -> None:
    given, expected = case("32_formats_qrels_variants.json", "msmarco_tsv")
    assert list(read_documents(stream(given["collection"]), source="d")) == [
        Document(docno, "", text) for docno, text in expected["passages"]
    ]
    assert read_topics(stream(given["queries"]), source="t") == tuple(
        Topic(topic, title) for topic, title in expected["queries"]
    )
    assert read_qrels(stream(given["qrels"]), source="q") == tuple(
        Qrel(topic, docno, grade) for topic, docno, grade in expected["qrels"]
    )


def test_no_case_is_forgotten() -> None:
    tested = {
        *("topic_168", "topic_508", "topic_508_on_one_line", "doc_WSJ880406-0090", "web_track_xml"),
        *("cranfield_smart", "qrels_four_columns", "prels_million_query", "beir_qrels_tsv"),
        *("beir_qrels_without_header_loses_a_line", "msmarco_tsv"),
    }
    files = ("31_formats_topics_docs.json", "32_formats_qrels_variants.json")
    assert {name for file in files for name in cases(file)} == tested
