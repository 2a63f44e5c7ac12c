"""The lowest and highest score that unjudged documents allow, against every grade that they could have."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from ir_measures import AP, ERR, RBP, RR, Measure, P, R, Success, nDCG

from workbench.records import Qrel, Ranking, Run
from workbench.scoring.scorer import Scorer
from workbench.trust.extremes import EXTREMES, score_extremes

TOPIC = "1"
MEASURES = (P @ 3, RR, Success @ 2, ERR @ 5, AP, AP(rel=2), AP @ 3, R @ 3, R(rel=2) @ 2, RBP(p=0.7) @ 4)


def run_of(docnos: str) -> Run:
    return Run("r", {TOPIC: Ranking(tuple(docnos), tuple(float(-place) for place in range(len(docnos))))})


def extremes_of(measure: Measure, qrels: list[Qrel], docnos: str) -> tuple[float, float]:
    scorer = Scorer(qrels, [measure])
    found = score_extremes(scorer.read(run_of(docnos)).judged, measure, highest=2)
    assert found is not None
    return float(found.lowest[0]), float(found.highest[0])


def tried(measure: Measure, qrels: list[Qrel], docnos: str) -> tuple[float, float]:
    """The lowest and highest score over every grade of every unjudged document."""
    known = {qrel.docno for qrel in qrels}
    open_ = [docno for docno in docnos if docno not in known]
    scores = [
        Scorer(
            [*qrels, *(Qrel(TOPIC, docno, grade) for docno, grade in zip(open_, grades, strict=True))],
            [measure],
        )
        .score(run_of(docnos))
        .values[str(measure)]
        for grades in product((0, 2), repeat=len(open_))
    ]
    return min(scores), max(scores)


def random_topic(seed: int) -> tuple[list[Qrel], str]:
    """Seven documents in random order, some of them judged, and some judged that are not retrieved."""
    random = np.random.default_rng(seed)
    docnos = "".join(random.permutation(list("abcdefg")))
    judged = [docno for docno in "abcdefgxyz" if random.random() < 0.5]
    return [Qrel(TOPIC, docno, int(random.integers(0, 3))) for docno in ["w", *judged]], docnos


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_they_are_those_of_all_grades_that_unjudged_documents_could_have(measure: Measure, seed: int) -> None:
    qrels, docnos = random_topic(seed)
    assert extremes_of(measure, qrels, docnos) == pytest.approx(tried(measure, qrels, docnos))


def test_every_measure_of_the_registry_is_tried() -> None:
    assert {measure.NAME for measure in MEASURES} == set(EXTREMES)


def test_ap_is_not_highest_where_all_is_relevant() -> None:
    # a is relevant, ten unjudged documents follow a judged one that is not: AP is 1, and falls with each.
    qrels = [Qrel(TOPIC, "a", 1), Qrel(TOPIC, "b", 0)]
    assert extremes_of(AP, qrels, "abcdefghijkl")[1] == 1.0


def test_the_residual_of_rbp_by_hand() -> None:
    # p = 1/2: a at rank 1 is relevant, 1/2; x at rank 2 unjudged, 1/4; nothing below rank 3, 1/8.
    found = extremes_of(RBP(p=0.5), [Qrel(TOPIC, "a", 1), Qrel(TOPIC, "b", 0)], "axb")
    assert found == pytest.approx((0.5, 0.5 + 0.25 + 0.125))


def test_a_negative_grade_is_none() -> None:
    assert extremes_of(P @ 2, [Qrel(TOPIC, "a", 1), Qrel(TOPIC, "b", -1)], "ab") == (0.5, 1.0)


def test_grades_above_those_of_the_scorer_change_nothing_of_err() -> None:
    judged = Scorer([Qrel(TOPIC, "a", 1)], [ERR]).read(run_of("ab")).judged
    high, higher = (score_extremes(judged, ERR, highest=grade) for grade in (4, 9))
    assert high is not None
    assert higher is not None
    assert high.highest.tolist() == higher.highest.tolist()


@pytest.mark.parametrize("measure", [nDCG @ 5, P(judged_only=True) @ 2])
def test_other_measures_have_none(measure: Measure) -> None:
    judged = Scorer([Qrel(TOPIC, "a", 1)], [measure]).read(run_of("ab")).judged
    assert score_extremes(judged, measure, highest=1) is None
