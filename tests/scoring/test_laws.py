"""Laws of every measure that is computed here: none in the registry escapes them."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scoring.some_qrels import qrels, run
from workbench.formats.packed_form import as_arrays
from workbench.records import Qrel, Ranking, Run
from workbench.scoring.kernels import KERNELS, Reads, kernel_of
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import Scorer, score_run

EXAMPLES = " ".join(one.example for one in KERNELS.values() if one.reads is not Reads.SUBTOPICS)
DIVERSITY = " ".join(one.example for one in KERNELS.values() if one.reads is Reads.SUBTOPICS)
NAMES = {name: str(parse_measures(kernel.example)[0]) for name, kernel in KERNELS.items()}
# Sums of gains, counts and search lengths have no upper bound; nor has effort, where few documents are read.
UNBOUNDED = {"alpha_DCG", "CG", "DCG", "ESL", "NumQ", "NumRel", "NumRet", "RecallEffort"}
# What does not look at the order of documents, or not at their grades.
INDIFFERENT = {"NumQ", "NumRel", "Judged", "RBPResidual"}
FEW = settings(max_examples=30, deadline=None)

Grades = list[int | None]
graded = st.lists(st.sampled_from([None, -1, 0, 0, 1, 2, 3]), min_size=1, max_size=12)
missed = st.lists(st.sampled_from([0, 1, 2]), max_size=4)


def judged(grades: Grades, others: list[int]) -> list[Qrel]:
    """Qrels of a ranking's documents (None: not judged), of some that it lacks, and of another topic."""
    pairs = {f"d{place:02}": grade for place, grade in enumerate(grades) if grade is not None}
    pairs |= {f"x{place}": grade for place, grade in enumerate([0, *others])}
    return qrels({"1": pairs, "2": {"d00": 1, "y": 0}})


def retrieved(order: list[int], *, prefix: str = "d") -> Run:
    return run({"1": {f"{prefix}{number:02}": -float(place) for place, number in enumerate(order)}})


def with_subtopics(pairs: list[Qrel]) -> list[Qrel]:
    """The same documents, in turn about one subtopic and about another."""
    return [replace(pair, iteration=str(1 + at % 2)) for at, pair in enumerate(pairs)]


def scored(pairs: list[Qrel], one: Run) -> dict[str, float]:
    """The value of every measure for topic 1, by the name of its kernel."""
    per_topic = {
        **Scorer(pairs, EXAMPLES).score(one).per_topic,
        **Scorer(with_subtopics(pairs), DIVERSITY).score(one).per_topic,
    }
    return {name: per_topic[written]["1"] for name, written in NAMES.items()}


def test_every_measure_has_an_example_that_names_it() -> None:
    for name, kernel in KERNELS.items():
        (measure,) = parse_measures(kernel.example)
        assert kernel_of(measure) is kernel, name
        assert measure.params.keys() <= kernel.parameters | {"judged_only"}


@given(graded, missed)
@FEW
def test_values_are_finite_and_within_their_bounds(grades: Grades, others: list[int]) -> None:
    found = scored(judged(grades, others), retrieved(list(range(len(grades)))))
    for name, value in found.items():
        assert value >= 0, name
        assert math.isfinite(value), name
        if name not in UNBOUNDED:
            assert value <= 1 + 1e-12, name


@given(graded, missed)
@FEW
def test_names_of_documents_do_not_matter(grades: Grades, others: list[int]) -> None:
    pairs, one = judged(grades, others), retrieved(list(range(len(grades))))
    # Reversed, so that every order by docno is turned round.
    names = {docno: f"r{99 - at:02}" for at, docno in enumerate(sorted({pair.docno for pair in pairs}))}
    renamed = [Qrel(pair.topic, names[pair.docno], pair.grade) for pair in pairs]
    ranking = one.rankings["1"]
    other = Run(
        "A", {"1": Ranking(tuple(names.get(docno, docno) for docno in ranking.docnos), ranking.scores)}
    )
    assert scored(renamed, other) == scored(pairs, one)


@given(graded, missed, st.data())
@FEW
def test_a_relevant_document_that_falls_by_one_rank_never_helps(
    grades: Grades, others: list[int], data: st.DataObject
) -> None:
    falls = [
        place
        for place, (above, below) in enumerate(pairwise(grades))
        if above is not None and above > 0 and below is not None and 0 <= below < above
    ]
    if not falls:
        return
    place = data.draw(st.sampled_from(falls))
    order = list(range(len(grades)))
    pairs = judged(grades, others)
    before = scored(pairs, retrieved(order))
    order[place], order[place + 1] = order[place + 1], order[place]
    after = scored(pairs, retrieved(order))
    for name, kernel in KERNELS.items():
        if kernel.reads is Reads.SUBTOPICS and grades[place + 1]:
            continue  # a second relevant document may cover a subtopic that the first does not
        if name in INDIFFERENT:
            assert after[name] == pytest.approx(before[name]), name
        elif kernel.descending:
            assert after[name] <= before[name] + 1e-12, name
        else:
            assert after[name] >= before[name] - 1e-12, name


@given(graded, missed)
@FEW
def test_a_run_as_arrays_and_with_other_topics_is_worth_the_same(grades: Grades, others: list[int]) -> None:
    pairs, one = judged(grades, others), retrieved(list(range(len(grades))))
    arrays = as_arrays(run({"0": {"q": 1.0}, "1": dict(zip(*_ranking(one), strict=True))}))
    assert arrays is not None
    for scorer in (Scorer(pairs, EXAMPLES), Scorer(with_subtopics(pairs), DIVERSITY)):
        assert scorer.score(arrays) == scorer.score(one)


def _ranking(one: Run) -> tuple[tuple[str, ...], tuple[float, ...]]:
    return one.rankings["1"].docnos, one.rankings["1"].scores


@pytest.mark.parametrize("name", KERNELS)
def test_a_topic_that_a_run_lacks_is_a_topic_of_which_it_retrieves_nothing(name: str) -> None:
    # With a topic of other documents only, each measure has the value of an empty ranking, or 0.
    pairs = qrels({"1": {"a": 2, "b": 0}, "2": {"a": 1, "b": 0, "c": 0}})
    written = NAMES[name]
    if KERNELS[name].reads is Reads.SUBTOPICS:
        pairs = with_subtopics(pairs)
    lacking = Scorer(pairs, written).score(run({"1": {"a": 1.0}})).per_topic[written]["2"]
    # By hand: nothing retrieved is E 1, half of the area, p ** 0, all but one document rightly left out; the
    # expected search length of one of three judged documents is the two others over 1 + 1.
    by_hand = {
        "E": 1.0,
        "AUC": 0.5,
        "RBPResidual": 1.0,
        "SetAccuracy": 528154 / 528155,
        "ESL": 2 / 2,
        # Facts of the qrels, whatever a run has.
        "NumQ": 1.0,
        "NumRel": 1.0,
    }
    assert lacking == pytest.approx(by_hand.get(name, 0.0), abs=1e-15)
    assert (name in by_hand) is KERNELS[name].of_empty


@pytest.mark.parametrize("name", KERNELS)
def test_a_topic_without_relevant_documents_has_a_value(name: str) -> None:
    # No value is a share of nothing: what would be is 0, its complement E is 1.
    pairs = qrels({"1": {"a": 0, "b": 0}})
    if KERNELS[name].reads is Reads.SUBTOPICS:
        pairs = with_subtopics(pairs)
    values = score_run(pairs, run({"1": {"a": 2.0, "b": 1.0}}), NAMES[name]).values
    by_hand = {
        "E": 1.0,
        "Fallout": 2 / 528155,
        "Judged": 1.0,
        "NumQ": 1.0,
        "RBPResidual": 0.8**2,
        "RecallEffort": 10 / 2,
        "SetAccuracy": 528153 / 528155,
    }
    assert values[NAMES[name]] == pytest.approx(by_hand.get(name, 0.0))
