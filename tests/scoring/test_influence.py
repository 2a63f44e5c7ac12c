"""What a dispute's outcome does to the ranking of runs: against the field's scorer, and by hand."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.scoring.some_qrels import qrels, run
from workbench.errors import WorkbenchError
from workbench.records import Run
from workbench.scoring.influence import (
    NONE,
    GainMeasure,
    Influence,
    RankingMeans,
    pairs_that_could_swap,
    topic_influences,
)
from workbench.scoring.own_measures import gain_measure, influence_measures
from workbench.scoring.scorer import Scorer


@dataclass(frozen=True)
class TopicGrades:
    """A topic: its documents, the rank of each in every run, and its grade."""

    topic: str
    docnos: tuple[str, ...]
    ranks: NDArray[Any]
    grades: tuple[int, ...]


def influences(
    topics: Sequence[TopicGrades],
    outcomes: Mapping[tuple[str, str], Sequence[int]],
    *,
    measure: GainMeasure,
) -> dict[tuple[str, str], Influence]:
    """The influence of every document that has outcomes."""
    found: dict[tuple[str, str], Influence] = {}
    of_topics = []
    for one in topics:
        places = [place for place, docno in enumerate(one.docnos) if (one.topic, docno) in outcomes]
        gains = measure.topic(one.ranks, one.grades, np.array(places, dtype=np.int64))
        of_topics.append((gains, [(one.topic, one.docnos[place]) for place in places]))
    means = RankingMeans.of([gains.scores for gains, _ in of_topics])
    for gains, pairs in of_topics:
        given = [outcomes[pair] for pair in pairs]
        found |= zip(pairs, topic_influences(gains, given, measure=measure, means=means)[0], strict=True)
    return found


DOCUMENTS = tuple(f"d{number:02}" for number in range(14))


def made_topics(draw: random.Random, runs: int) -> tuple[list[TopicGrades], list[Run]]:
    """Two topics with graded documents, and runs that have some of them and others."""
    rankings: list[dict[str, dict[str, float]]] = [{} for _ in range(runs)]
    topics = []
    for topic in ("1", "2"):
        ranks = np.zeros((runs, len(DOCUMENTS)), dtype=np.int64)
        for number in range(runs):
            order = draw.sample([*DOCUMENTS, "u1", "u2", "u3"], draw.randint(3, 12))
            rankings[number][topic] = {docno: float(-place) for place, docno in enumerate(order)}
            for rank, docno in enumerate(order, start=1):
                if docno in DOCUMENTS:
                    ranks[number, DOCUMENTS.index(docno)] = rank
        topics.append(TopicGrades(topic, DOCUMENTS, ranks, tuple(draw.choices(range(3), k=len(DOCUMENTS)))))
    return topics, [run(scores, tag=f"r{number}") for number, scores in enumerate(rankings)]


def scored(
    topics: list[TopicGrades], runs: list[Run], measure: str, changed: Mapping[str, int]
) -> list[float]:
    """The means by the field's scorer, where documents of topic 1 have other grades."""
    grades = {one.topic: dict(zip(one.docnos, one.grades, strict=True)) for one in topics}
    grades["1"] |= changed
    scorer = Scorer(qrels(grades), measure)
    return [scorer.score(each).values[measure] for each in runs]


@pytest.mark.parametrize(("name", "official"), [("nDCG@5", "nDCG@5"), ("nDCG", "nDCG"), ("AP", "AP(rel=2)")])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_change_is_what_the_scorer_says_before_and_after(name: str, official: str, seed: int) -> None:
    topics, runs = made_topics(random.Random(seed), 5)
    measure = gain_measure(name, relevant_from=2)
    for docno in DOCUMENTS[:6]:
        found = influences(topics, {("1", docno): (0, 2)}, measure=measure)["1", docno]
        low, high = (scored(topics, runs, official, {docno: grade}) for grade in (0, 2))
        change = [after - before for before, after in zip(low, high, strict=True)]
        pairs = list(combinations(range(len(runs)), 2))
        swaps = sum(abs(sign(low[a] - low[b]) - sign(high[a] - high[b])) / 2 for a, b in pairs)
        assert found.swaps == swaps
        assert found.shift == pytest.approx(sum(map(abs, change)), abs=1e-9)
        uneven = sum(abs(change[a] - change[b]) for a, b in pairs) / len(pairs)
        assert found.uneven == pytest.approx(uneven, abs=1e-9)


def sign(value: float) -> int:
    return 0 if abs(value) < 1e-12 else 1 if value > 0 else -1


def test_rank_biased_precision_by_hand() -> None:
    # p = .5: rank 1 is worth .5 and rank 2 .25. With x relevant A has .5 and B .25 more; y gives B .5.
    one = TopicGrades("1", ("x", "y"), np.array([[1, 0], [2, 1]]), (0, 1))
    measure = gain_measure("RBP(p=0.5)", relevant_from=1)
    found = influences([one], {("1", "x"): (0, 1)}, measure=measure)["1", "x"]
    # Without x: A 0, B .5. With x: A .5, B .75: no change of places, .25 of difference, .75 in all.
    assert (found.swaps, found.uneven, found.shift) == pytest.approx((0, 0.25, 0.75))


def test_a_document_that_all_runs_rank_alike_moves_no_ranking() -> None:
    ranks = np.array([[1, 2, 0], [1, 0, 2]])
    one = TopicGrades("1", ("same", "first", "second"), ranks, (0, 1, 0))
    measure = gain_measure("RBP(p=0.8)", relevant_from=1)
    outcomes = {("1", "same"): (0, 1), ("1", "second"): (0, 1)}
    found = influences([one], outcomes, measure=measure)
    same, second = found["1", "same"], found["1", "second"]
    assert (same.swaps, same.uneven) == (0, 0)
    assert same.shift > second.shift
    # With it the second run ties with the first, so it is to be settled first all the same.
    assert second.swaps == 0.5
    assert second > same


def test_what_no_run_has_or_there_is_nothing_to_compare_moves_nothing() -> None:
    unseen = TopicGrades("1", ("x",), np.array([[0], [0]]), (1,))
    only = TopicGrades("1", ("x",), np.array([[1]]), (1,))
    measure = gain_measure("RBP(p=0.8)", relevant_from=1)
    assert influences([unseen], {("1", "x"): (0, 1)}, measure=measure) == {("1", "x"): NONE}
    assert influences([only], {("1", "x"): (0, 1)}, measure=measure) == {("1", "x"): NONE}


@pytest.mark.parametrize("name", ["P@10", "nDCG@0", "nDCG@5000", "RBP(p=0.0)", "ndcg", ""])
def test_a_measure_that_is_not_known_here_is_refused_with_those_that_are(name: str) -> None:
    with pytest.raises(WorkbenchError, match="nDCG@100"):
        gain_measure(name, relevant_from=1)


@pytest.mark.parametrize("name", influence_measures())
def test_a_changed_grade_counts_as_if_it_had_always_been_so(name: str) -> None:
    topics, _ = made_topics(random.Random(3), 4)
    measure = gain_measure(name, relevant_from=1)
    for document in range(5):
        grades = list(topics[0].grades)
        gains = measure.topic(topics[0].ranks, grades, np.arange(len(grades)))
        changed = measure.changed(gains, np.array([document] * 3), (0, 1, 2))
        for grade in (0, 1, 2):
            grades[document] = grade
            again = measure.topic(topics[0].ranks, grades, np.arange(1))
            assert changed[grade] == pytest.approx(again.scores)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_outcomes_together_swap_no_more_pairs_of_runs_than_the_bound_says(seed: int) -> None:
    topics, _ = made_topics(random.Random(seed), 6)
    measure = gain_measure("nDCG@5", relevant_from=1)
    first, other = topics
    places = np.arange(4)
    gains = measure.topic(first.ranks, first.grades, places)
    rest = measure.topic(other.ranks, other.grades, np.arange(1))
    means = RankingMeans.of([gains.scores, rest.scores])
    each, (lowest, highest) = topic_influences(gains, [(0, 1, 2)] * 4, measure=measure, means=means)
    bound = pairs_that_could_swap(means.means, lowest.sum(axis=0), highest.sum(axis=0))
    # Every outcome of the four documents at once, each scored as if its grades had always been so.
    swapped = set()
    for grades in product((0, 1, 2), repeat=4):
        given = [*grades, *first.grades[4:]]
        scores = (measure.topic(first.ranks, given, places).scores + rest.scores) / 2
        swapped |= {
            (one, another)
            for one, another in combinations(range(6), 2)
            if sign(scores[one] - scores[another]) != sign(means.means[one] - means.means[another])
        }
    assert len(swapped) <= bound <= 15
    # One document alone is bounded by what it does alone.
    alone = pairs_that_could_swap(means.means, lowest[0], highest[0])
    assert each[0].swaps <= alone <= bound
