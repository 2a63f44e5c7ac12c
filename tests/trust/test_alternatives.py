"""Runs scored under several qrels at once: what the scorer gives for each of them."""

from __future__ import annotations

import io

import numpy as np
import pytest

from tests.scoring.some_qrels import run
from workbench.errors import Conflict, InvalidInput, WorkbenchError
from workbench.formats.runs import read_run_arrays
from workbench.records import Qrel, Run
from workbench.scoring.measures import at_threshold, parse_measures
from workbench.scoring.run_arrays import RunArrays
from workbench.scoring.scorer import Scorer
from workbench.trust.alternatives import LOWER_IS_BETTER, AlternativeQrels, ranking_measure, score_under

DOCNOS = [f"d{number}" for number in range(12)]


def some_qrels(
    seed: int, *, topics: tuple[str, ...] = ("1", "2", "3"), relevant_from: int = 1
) -> AlternativeQrels:
    generator = np.random.default_rng(seed)
    grades = {
        (topic, docno): int(generator.integers(-1, 3))
        for topic in topics
        for docno in DOCNOS
        if generator.random() < 0.6
    }
    return AlternativeQrels(f"q{seed}", grades, relevant_from)


def some_runs() -> list[Run]:
    generator = np.random.default_rng(9)
    return [
        run(
            {
                topic: {docno: float(generator.integers(0, 5)) for docno in generator.permutation(DOCNOS)[:8]}
                for topic in topics
            },
            tag=tag,
        )
        for tag, topics in (("A", "123"), ("B", "12"), ("C", "34"))
    ]


def as_arrays(one: Run) -> Run | RunArrays:
    lines = [
        f"{topic} Q0 {docno} {rank} {score} {one.tag}\n"
        for topic, ranking in one.rankings.items()
        for rank, (docno, score) in enumerate(zip(ranking.docnos, ranking.scores, strict=True))
    ]
    return read_run_arrays(io.BytesIO("".join(lines).encode()), source="run", depth=None)


QRELS = [some_qrels(1), some_qrels(2, relevant_from=2), some_qrels(3, topics=("2", "4"))]


# Computed here, with a threshold, of judged documents only, by the field's scorer, and not 0 of a topic that
# a run lacks.
@pytest.mark.parametrize(
    "name", ["AP", "nDCG@5", "P(rel=2)@5", "P(judged_only=True)@5", "Bpref", "Compat", "AUC(docs=50)"]
)
@pytest.mark.parametrize("arrays", [False, True])
def test_scores_are_those_of_the_scorer(name: str, arrays: bool) -> None:
    (measure,) = parse_measures(name)
    runs = [as_arrays(one) if arrays else one for one in some_runs()]
    found = score_under(QRELS, runs, measure)
    assert (found.topics, found.runs) == (("1", "2", "3", "4"), ("A", "B", "C"))
    for side, one in enumerate(QRELS):
        own = at_threshold(measure, one.relevant_from)
        scorer = Scorer([Qrel(*pair, grade) for pair, grade in one.grades.items()], [own])
        for place, each in enumerate(runs):
            wanted = scorer.score(each).per_topic[str(own)]
            values = dict(zip(found.topics, found.values[side, :, place].tolist(), strict=True))
            assert {topic: values[topic] for topic in wanted} == pytest.approx(dict(wanted), abs=1e-12)
            assert not any(value for topic, value in values.items() if topic not in wanted)
    assert found.covered.tolist() == [[True, True, True, False]] * 2 + [[False, True, False, True]]


def test_pairs_are_counted() -> None:
    one = AlternativeQrels("one", {("1", "a"): 1, ("1", "b"): 0})
    other = AlternativeQrels("other", {("1", "b"): 1})
    (measure,) = parse_measures("AP")
    found = score_under([one, other], [run({"1": {"a": 2, "b": 1}})], measure)
    assert (found.graded, found.pairs) == ((2, 1), 2)
    # The first puts its relevant document first, the second has it at rank 2.
    assert found.values.tolist() == [[[1.0]], [[0.5]]]


@pytest.mark.parametrize("name", ["E(beta=1)@5", "ESL(n=1)", "Fallout(docs=50)@5", "RBPResidual(p=0.8)"])
def test_a_measure_that_is_better_when_lower_ranks_nothing_upside_down(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        ranking_measure(name)
    assert [one.code for one in refused.value.findings] == [LOWER_IS_BETTER]
    with pytest.raises(InvalidInput) as refused:
        score_under(QRELS, some_runs(), parse_measures(name)[0])
    assert [one.code for one in refused.value.findings] == [LOWER_IS_BETTER]


def test_what_cannot_be_scored_is_refused() -> None:
    (measure,) = parse_measures("AP")
    with pytest.raises(WorkbenchError):
        score_under([], [], measure)
    with pytest.raises(WorkbenchError, match="nobody"):
        score_under([AlternativeQrels("nobody", {})], [], measure)
    with pytest.raises(Conflict, match="q1"):
        score_under([QRELS[0], QRELS[0]], [], measure)
    with pytest.raises(Conflict, match="A"):
        score_under(QRELS, [some_runs()[0]] * 2, measure)
