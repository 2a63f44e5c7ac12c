"""The six runs: real methods, whole rankings, and visibly different effectiveness."""

from __future__ import annotations

import math

import pytest

from workbench.demo import collection
from workbench.demo.collection import CAMPAIGN_SCALE, demo_documents, demo_topics, demo_truth, terms
from workbench.ranking import ordered
from workbench.records import Document, Run, Topic

# Two documents, {tide: 2, bell: 1} and {moon: 1}: small enough for every score to be worked by hand.
SMALL = collection.Index.of([Document("A", "", "tide tide bell"), Document("B", "", "moon")])
TIDE = Topic("1", "Tides")


def average_precision(run: Run, topic: str) -> float:
    relevant = {
        docno
        for (graded, docno), grade in demo_truth().items()
        if graded == topic and grade >= CAMPAIGN_SCALE.relevant_from
    }
    precisions: list[float] = []
    for rank, docno in enumerate(ordered(run.rankings[topic]), start=1):
        if docno in relevant:
            precisions.append((len(precisions) + 1) / rank)
    return sum(precisions) / len(relevant)


def test_there_are_six_runs_of_forty_documents_for_every_topic() -> None:
    docnos = {document.docno for document in demo_documents()}
    assert len({run.tag for run in collection.demo_runs()}) == 6
    for run in collection.demo_runs():
        assert list(run.rankings) == [topic.id for topic in demo_topics()]
        for ranking in run.rankings.values():
            assert len(set(ranking.docnos)) == len(ranking) == 40
            assert set(ranking.docnos) <= docnos


def test_runs_are_the_same_when_they_are_made_again() -> None:
    first = collection.demo_runs()
    collection.demo_runs.cache_clear()
    assert collection.demo_runs() == first


def test_runs_differ_visibly_in_mean_average_precision() -> None:
    worth = {
        run.tag: sum(average_precision(run, topic.id) for topic in demo_topics()) / 8
        for run in collection.demo_runs()
    }
    best, *_, worst = sorted(worth.values(), reverse=True)
    assert 0.55 < best < 0.8
    assert 0.05 < worst < 0.3
    assert len({round(value, 2) for value in worth.values()}) >= 5
    assert worth["harbour-bm25-verbose"] == best
    assert worth["lantern-titles"] == worst


def test_bm25_agrees_with_a_calculation_by_hand() -> None:
    # N = 2, in 1 document: idf = ln(1 + 1.5/1.5) = ln 2. Length 3 of a mean of 2, k1 = 0.9, b = 0.4:
    # 2 / (2 + 0.9 * (0.6 + 0.4 * 1.5)) = 2 / 3.08.
    assert collection.bm25(SMALL, TIDE) == pytest.approx([math.log(2) * 2 / 3.08, 0.0])


def test_the_language_model_agrees_with_a_calculation_by_hand() -> None:
    # p(tide) in the collection is 2/4, mu = 200: (2 + 100) / (3 + 200) and (0 + 100) / (1 + 200).
    assert collection.likelihood(SMALL, TIDE) == pytest.approx([math.log(102 / 203), math.log(100 / 201)])


def test_the_cosine_agrees_with_a_calculation_by_hand() -> None:
    # Every idf is ln 2 and cancels: (2, 1) against (1, 0) is 2 / sqrt(5).
    assert collection.cosine(SMALL, TIDE) == pytest.approx([2 / math.sqrt(5), 0.0])


def test_coordination_counts_different_words() -> None:
    topic = Topic("3", "The bell of the tides", "Bells and moons?")
    assert collection.coordination(SMALL, topic).tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The tides, and the tide's bell", ["tide", "tide", "bell"]),
        ("<p>berries &amp; glass</p>", ["berry", "amp", "glass"]),
        ("1871 KÜSTE", ["küste"]),
        ("تمليح السمك", ["تمليح", "السمك"]),
    ],
)
def test_terms_are_casefolded_singular_words_without_markup(text: str, expected: list[str]) -> None:
    assert terms(text) == expected
