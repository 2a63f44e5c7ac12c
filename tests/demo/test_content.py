"""The illustrative campaign: its texts, its reference grades and its guidelines."""

from __future__ import annotations

import re
from collections import Counter

from workbench.demo import collection


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


def test_every_topic_has_documents_of_every_grade_and_near_misses() -> None:
    for topic in collection.demo_topics():
        grades = Counter(grade for (t, _), grade in collection.demo_truth().items() if t == topic.id)
        assert set(grades) == {0, 1, 2, 3}
        assert grades[0] >= 2
        assert 5 <= grades[1] + grades[2] + grades[3] <= 9
