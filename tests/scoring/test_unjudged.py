"""What unjudged documents leave open of a score, by hand and by scoring with longer qrels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, ERR, RR, Judged, Measure, NumRet, P, R, Rprec, nDCG

from workbench.records import Qrel, Ranking, Run
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import Scorer
from workbench.scoring.unjudged import ScoreBounds, score_bounds

QRELS = [Qrel("1", "a", 1), Qrel("1", "b", 0), Qrel("1", "z", 1), Qrel("2", "a", 1)]
# Of topic 1 the second and the fourth document are not judged; topic 2 is not answered.
RUN = Run("r", {"1": Ranking(("b", "x", "a", "y"), (4.0, 3.0, 2.0, 1.0))})


def bounds_of(measure: Measure, qrels: list[Qrel] = QRELS, run: Run = RUN) -> ScoreBounds | None:
    scorer = Scorer(qrels, [measure])
    return score_bounds(scorer.read(run).judged, measure, highest=1)


@pytest.mark.parametrize(
    ("measure", "unjudged", "read", "low", "high"),
    [
        # Means over two topics, of which the second counts 0. Of b x a, x is not judged: 1/3, or 2/3.
        (P @ 3, 1, 3, 1 / 6, 1 / 3),
        (RR, 2, 4, 1 / 6, 1 / 4),  # a at rank 3, or x at rank 2
        # Relevant are a and z: precision 1/3 at rank 3, by 2. With x and y: 1/2, 2/3 and 3/4, by 4.
        (AP, 2, 4, 1 / 12, (1 / 2 + 2 / 3 + 3 / 4) / 8),
        (R @ 3, 1, 3, 1 / 4, 1 / 3),  # 1 of 2, or 2 of 3
    ],
)
def test_bounds_are_means_without_and_with_unjudged_documents_relevant(
    measure: Measure, unjudged: int, read: int, low: float, high: float
) -> None:
    found = bounds_of(measure)
    assert found is not None
    assert (found.unjudged, found.read) == (unjudged, read)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_topics_that_a_run_lacks_have_the_value_of_an_empty_ranking() -> None:
    # E is 1 for topic 2. Of b x a found 1 of 3 and 1 of 2, F 2/5; with x relevant 2 of 3 and 2 of 3, F 2/3.
    (measure,) = parse_measures("E@3")
    found = bounds_of(measure)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(((1 / 3 + 1) / 2, (3 / 5 + 1) / 2))


def test_nothing_is_open_where_all_is_judged() -> None:
    judged = [*QRELS, Qrel("1", "x", 0), Qrel("1", "y", 1)]
    found = bounds_of(AP, judged)
    assert found is not None
    assert (found.unjudged, found.width) == (0, 0)


def test_unjudged_documents_can_have_the_highest_grade_of_the_scale() -> None:
    scorer = Scorer(QRELS, [ERR])
    judged = scorer.read(RUN).judged
    binary, graded = (score_bounds(judged, ERR, highest=highest) for highest in (1, 3))
    assert binary is not None
    assert graded is not None
    assert binary.low == graded.low
    assert binary.high < graded.high


def test_counts_have_no_bounds() -> None:
    assert bounds_of(Judged @ 10) is None
    assert bounds_of(NumRet) is None


DOCNOS = st.sampled_from("abcdefgh")


@settings(max_examples=25)
@given(
    graded=st.dictionaries(st.tuples(st.sampled_from("12"), DOCNOS), st.integers(0, 2), min_size=1),
    retrieved=st.dictionaries(st.sampled_from("12"), st.lists(DOCNOS, unique=True, min_size=1), min_size=1),
)
def test_the_upper_score_is_that_of_qrels_in_which_the_documents_are_relevant(
    graded: dict[tuple[str, str], int], retrieved: dict[str, list[str]]
) -> None:
    qrels = [Qrel(*pair, grade) for pair, grade in graded.items()]
    topics = {qrel.topic for qrel in qrels}
    scores = tuple(map(float, range(8, 0, -1)))
    run = Run("r", {t: Ranking(tuple(d), scores[: len(d)]) for t, d in retrieved.items()})
    for measure in (P @ 3, AP, nDCG @ 3, nDCG, Rprec, *parse_measures("RBP(p=0.8) Bpref R@2")):
        cutoff = measure.params.get("cutoff", 10)
        added = [
            Qrel(topic, docno, 2)
            for topic, docnos in retrieved.items()
            if topic in topics
            for docno in docnos[:cutoff]
            if (topic, docno) not in graded
        ]
        found = score_bounds(Scorer(qrels, [measure]).read(run).judged, measure, highest=2)
        assert found is not None
        name = str(measure)
        without = Scorer(qrels, [measure]).score(run).per_topic[name]
        relevant = Scorer(qrels + added, [measure]).score(run).per_topic[name]
        assert found.unjudged == len(added)
        means = [sum(scores[topic] for topic in topics) / len(topics) for scores in (without, relevant)]
        assert [found.low, found.high] == pytest.approx(sorted(means))
