"""Holes: judged documents by cutoff, and what the others leave open."""

from __future__ import annotations

import pytest
from ir_measures import AP, RBP, P, nDCG

from workbench.formats.qrels import SampledQrel
from workbench.records import Qrel, Ranking, Run
from workbench.trust.collection_tables import holes_export
from workbench.trust.holes import Holes, SampledPool, holes

QRELS = [Qrel("1", "a", 1), Qrel("1", "b", 0), Qrel("2", "a", 1), Qrel("3", "a", 1)]


def run_of(tag: str, **topics: str) -> Run:
    rankings = {
        topic[1:]: Ranking(tuple(docnos), tuple(float(-place) for place in range(len(docnos))))
        for topic, docnos in topics.items()
    }
    return Run(tag, rankings)


@pytest.fixture
def found() -> Holes:
    """Of `half` x and y are not judged, and topic 3 is not answered; `whole` has judged documents only."""
    runs = [run_of("half", t1="xab", t2="ya"), run_of("whole", t1="ab", t2="a", t3="a")]
    return holes(QRELS, runs, [P @ 2, AP, RBP(p=0.5), nDCG @ 2], cutoffs=(1, 3))


def test_what_is_judged_by_cutoff(found: Holes) -> None:
    half, whole = found.runs
    # Rank 1: x and y. To rank 3: a, b of three and a of two.
    assert [(one.judged, one.retrieved, one.worst) for one in half.judged] == [(0, 2, 0.0), (3, 5, 0.5)]
    assert [one.share for one in half.judged] == [0.0, 0.6]
    assert [one.share for one in whole.judged] == [1.0, 1.0]
    assert (half.answered, whole.answered, found.topics) == (2, 3, 3)


def test_the_scores_of_holes_by_hand(found: Holes) -> None:
    precision, ap, rbp, ndcg = found.runs[0].scores
    # P@2: 1/2, 1/2 and 0 of three topics; with x and y 1, 1; without them ab and a: 1/2, 1/2.
    assert (precision.score.mean, precision.lowest, precision.highest) == pytest.approx((1 / 3, 1 / 3, 2 / 3))
    assert precision.condensed == pytest.approx(1 / 3)
    # AP: 1/2 and 1/2; with x and y (1 + 1) / 2 and so 1.
    assert (ap.score.mean, ap.lowest, ap.highest) == pytest.approx((1 / 3, 1 / 3, 2 / 3))
    assert ap.condensed == pytest.approx(2 / 3)
    # RBP: 1/4 and 1/4 of the second ranks; open are 1/2 of the first, 1/8 and 1/4 beyond the ends, and all of
    # topic 3.
    assert rbp.lowest == pytest.approx((1 / 4 + 1 / 4) / 3)
    assert rbp.highest == pytest.approx((1 / 4 + 1 / 2 + 1 / 8 + 1 / 4 + 1 / 2 + 1 / 4 + 1) / 3)
    assert (ndcg.lowest, ndcg.highest) == (None, None)


def test_what_is_judged_leaves_nothing_open(found: Holes) -> None:
    for one in found.runs[1].scores[:2]:
        assert one.lowest == one.highest == one.condensed == one.score.mean


def test_pairs_that_no_judgment_can_turn_round(found: Holes) -> None:
    # P@2 of whole is (1/2 + 1/2 + 1/2) / 3 = 1/2, within 1/3 to 2/3; its AP 1 is above 2/3.
    assert found.settled(0) == (0, 1)
    assert found.settled(1) == (1, 1)
    assert found.settled(3) is None


def test_a_sample_gives_estimates_over_its_topics() -> None:
    # Topic 1 as a pool of one stratum, all judged: AP of xab is 1/2. In topic 2 no relevant document was
    # drawn; topic 3 is not answered and counts 0.
    sample = [
        *(SampledQrel("1", docno, "1", grade) for docno, grade in (("a", 1), ("b", 0), ("x", 0))),
        SampledQrel("2", "a", "1", None),
        SampledQrel("3", "a", "1", 1),
    ]
    found = holes(QRELS, [run_of("half", t1="xab", t2="ya")], [AP], sample=SampledPool(tuple(sample)))
    estimate = found.runs[0].estimates["xinfAP"]
    assert estimate.topics == 2
    assert estimate.mean == pytest.approx(1 / 4, abs=1e-4)
    rows = holes_export(found, "estimates").rows()
    assert [row[:3] for row in rows] == [("half", one, 2) for one in ("infAP", "xinfAP", "infNDCG")]
