"""The illustrative campaign: its texts, its reference grades and its guidelines."""

from __future__ import annotations

import re
from collections import Counter

from markdown_it import MarkdownIt

from workbench.demo import collection
from workbench.records import Document, id_bytes

PLAIN = re.compile(r"<[^>]+>")


def words(document: Document) -> int:
    return len(PLAIN.sub(" ", document.text).split())


def test_there_are_eight_topics_and_each_states_what_is_relevant() -> None:
    topics = collection.demo_topics()
    assert [topic.id for topic in topics] == [f"T0{n}" for n in range(1, 9)]
    for topic in topics:
        assert topic.title
        assert topic.description.endswith("?")
        assert 2 <= len(re.findall(r"[.?!](?:\s|$)", topic.narrative)) <= 4
        assert "relevant" in topic.narrative


def test_there_are_at_least_seventy_two_documents_each_with_its_own_docno_title_and_text() -> None:
    documents = collection.demo_documents()
    assert len(documents) >= 72
    for field in ("docno", "title", "text"):
        values = [getattr(document, field) for document in documents]
        assert all(values)
        assert len(set(values)) == len(values)


def test_documents_are_ordered_by_docno() -> None:
    docnos = [document.docno for document in collection.demo_documents()]
    assert docnos == sorted(docnos, key=id_bytes)


def test_documents_are_120_to_300_words_except_one_short_and_one_long() -> None:
    odd = {d.docno: words(d) for d in collection.demo_documents() if not 120 <= words(d) <= 300}
    assert set(odd) == {"ALM-0040", "ALM-0017"}
    assert odd["ALM-0040"] < 60
    assert odd["ALM-0017"] >= 900


def test_documents_come_in_paragraphs() -> None:
    for document in collection.demo_documents():
        if words(document) >= 120:
            assert len(document.text.split("\n\n")) >= 2


def test_no_paragraph_is_used_twice() -> None:
    paragraphs = Counter(p for d in collection.demo_documents() for p in d.text.split("\n\n"))
    assert max(paragraphs.values()) == 1


def test_the_awkward_ids_of_real_life_are_among_the_docnos() -> None:
    docnos = {document.docno for document in collection.demo_documents()}
    assert {"ALM-0031#2", "MIN/1871-06", "NOTE:tide-bell", "KÜSTE-12"} <= docnos


def test_the_awkward_texts_of_real_life_are_among_the_documents() -> None:
    documents = collection.demo_documents()
    assert any(len(document.title) > 300 for document in documents)
    assert any(re.search(r"[\u0600-\u06ff]{3}", document.text) for document in documents)
    html = [document.text for document in documents if "<table>" in document.text]
    assert len(html) == 2
    assert all("<p>" in text and "<ul>" in text for text in html)


def test_every_graded_pair_exists_and_its_grade_is_on_the_scale() -> None:
    topics = {topic.id for topic in collection.demo_topics()}
    docnos = {document.docno for document in collection.demo_documents()}
    for (topic, docno), grade in collection.demo_truth().items():
        assert topic in topics
        assert docno in docnos
        assert collection.CAMPAIGN_SCALE.grade(grade).value == grade


def test_every_topic_has_documents_of_every_grade_and_near_misses() -> None:
    for topic in collection.demo_topics():
        grades = Counter(grade for (t, _), grade in collection.demo_truth().items() if t == topic.id)
        assert set(grades) == {0, 1, 2, 3}
        assert grades[0] >= 2
        assert 5 <= grades[1] + grades[2] + grades[3] <= 9


def test_some_documents_belong_to_no_topic() -> None:
    graded = {docno for _, docno in collection.demo_truth()}
    assert len([d for d in collection.demo_documents() if d.docno not in graded]) >= 8


def test_the_guidelines_have_headings_lists_and_a_table_with_every_grade() -> None:
    html = MarkdownIt("commonmark").enable("table").render(collection.GUIDELINES)
    for tag in ("<h1>", "<h2>", "<ul>", "<ol>", "<table>"):
        assert tag in html
    for grade in collection.CAMPAIGN_SCALE.grades:
        assert f"<td>{grade.value} {grade.label}</td>" in html


def test_the_name_of_the_campaign_shows_that_it_is_illustrative() -> None:
    assert collection.CAMPAIGN_NAME.endswith("(illustrative)")
