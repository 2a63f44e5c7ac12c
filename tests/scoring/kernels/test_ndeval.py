"""Diversity measures against NIST's ndeval, as `pyndeval` packs it and as ir_measures asks it."""

from __future__ import annotations

import random

import pytest

from tests.scoring.kernels.test_diversity import JUDGED, RANKED
from tests.scoring.some_qrels import run
from workbench.records import Qrel, Run
from workbench.scoring.scorer import Scorer

pytest.importorskip("pyndeval", reason="pyndeval of the extra `test` is not installed")

# Not the cutoff 1 of the two measures that ndeval does not normalise there, and none beyond its 20.
MEASURES = (
    "ERR_IA@2 ERR_IA@5 ERR_IA@20 nERR_IA@1 nERR_IA@5 alpha_DCG@3 alpha_DCG@20 alpha_DCG(rel=2)@5 "
    "alpha_nDCG@1 alpha_nDCG@5 alpha_nDCG@20 alpha_nDCG(alpha=0.3)@5 alpha_nDCG(alpha=1.0)@5 "
    "alpha_nDCG(alpha=0.0,rel=2)@20 NRBP NRBP(alpha=0.3,beta=0.9) nNRBP AP_IA AP_IA(rel=2) P_IA@1 P_IA@20 "
    "StRecall@1 StRecall@20 StRecall(rel=2)@5"
)


def random_set(seed: int) -> tuple[list[Qrel], Run]:
    """Three topics of two to five subtopics, with grades from -2 to 2, and a run with unjudged documents."""
    draw = random.Random(seed)
    judged = [Qrel(topic, "d0", 1, "1") for topic in "123"]
    for topic in "123":
        subtopics = range(1, draw.randint(3, 6))
        judged += [
            Qrel(topic, f"d{number}", draw.choice([-2, 0, 0, 1, 1, 2]), str(subtopic))
            for number in range(1, draw.randint(2, 14))
            for subtopic in subtopics
            if draw.random() < 0.6
        ]
    rankings = {
        topic: {
            f"d{number}": float(draw.randint(0, 8)) for number in draw.sample(range(18), draw.randint(1, 16))
        }
        for topic in "1234"
    }
    return judged, run(rankings)


def test_kernels_are_equal_to_ndeval_on_random_sets() -> None:
    for seed in range(40):
        judged, retrieved = random_set(seed)
        ours = Scorer(judged, MEASURES).score(retrieved)
        theirs = Scorer(judged, MEASURES, field=True).score(retrieved)
        for name, column in theirs.per_topic.items():
            # Where nothing is relevant ndeval divides 0 by 0 for nNRBP.
            expected = {topic: 0.0 if value != value else value for topic, value in column.items()}
            assert dict(ours.per_topic[name]) == pytest.approx(expected, abs=1e-12), (seed, name)


def test_what_ndeval_leaves_out_at_the_first_rank() -> None:
    theirs = Scorer(JUDGED, "ERR_IA@1 alpha_DCG@1", field=True).score(RANKED).values
    assert dict(theirs) == {"ERR_IA@1": 1.0, "alpha_DCG@1": 1.0}
