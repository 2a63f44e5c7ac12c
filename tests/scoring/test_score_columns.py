"""Scores of many runs at once against the same of one run after the other, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.formats.packed_form import as_arrays
from workbench.records import Qrel, Ranking, Run
from workbench.scoring import score_columns
from workbench.scoring.kernels import KERNELS, Reads
from workbench.scoring.measures import parse_measures
from workbench.scoring.run_arrays import RunArrays
from workbench.scoring.score_columns import (
    reads_judgments,
    score_cells,
    scored_alone,
    scored_runs,
    unjudged_and_read,
)
from workbench.scoring.scorer import Scorer

TOPICS = ("1", "10", "2", "3")
# Every measure of one grade a pair that is computed here; ERR reads other topics, and is not among them.
ALONE = " ".join(
    kernel.example
    for name, kernel in KERNELS.items()
    if kernel.reads is not Reads.SUBTOPICS and name != "ERR"
)
JUDGED_ONLY = "P(judged_only=True)@2 Bpref RR(rel=2)"
# ERR reads the highest grade of all topics; the second is computed by the field's scorers.
NOT_ALONE = "AP ERR@5 SetAP"


def drawn() -> tuple[list[Qrel], list[Run]]:
    """Qrels of four topics, and runs with ties, near ties, unjudged documents and missing topics."""
    random = np.random.default_rng(7)
    docnos = [f"d{number}" for number in range(40)]
    qrels = [
        Qrel(topic, docno, int(random.integers(-1, 4)))
        for topic in TOPICS
        for docno in random.choice(docnos, 18, replace=False)
    ]
    runs = []
    for number in range(7):
        rankings = {}
        for topic in random.permutation(TOPICS)[: 4 - number % 3].tolist():
            count = int(random.integers(1, 25))
            # Every second score differs from the one before by less than single precision can tell.
            scores = np.repeat(np.round(random.random(count), 1), 1) + 1 + 1e-12 * (np.arange(count) % 2)
            names = random.choice(docnos, count, replace=False).tolist()
            rankings[topic] = Ranking(tuple(names), tuple(scores.tolist()))
        runs.append(Run(f"r{number}", rankings))
    return qrels, runs


def arrays_of(run: Run) -> RunArrays:
    arrays = as_arrays(run)
    assert arrays is not None
    return arrays


@pytest.mark.parametrize("measures", [ALONE, JUDGED_ONLY, NOT_ALONE])
@pytest.mark.parametrize("at_once", [1, 30, 10_000])
def test_many_runs_at_once_score_as_one_after_the_other(
    measures: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score_columns, "AT_ONCE", at_once)
    qrels, runs = drawn()
    scorer = Scorer(qrels, measures)
    given = [run if number == 3 else arrays_of(run) for number, run in enumerate(runs)]
    found = []
    tags = iter(run.tag for run in runs)
    for cells in score_cells(scorer, given):
        found += scored_runs(
            cells,
            tags=[next(tags) for _ in range(len(cells.values))],
            topics=scorer.relevance.topics,
            measures=scorer.measures,
        )
    assert any(one.scores.topics_near_tied for one in found)
    for run, one in zip(runs, found, strict=True):
        read = scorer.read(run)
        alone = scorer.score(read)
        assert one.scores == alone
        for name in alone.per_topic:
            assert one.scores.row(name).tolist() == alone.row(name).tolist()
            assert list(one.scores.per_topic[name]) == list(alone.per_topic[name])
        assert one.unjudged == {
            str(name): tuple(int(many.sum()) for many in unjudged_and_read(read.judged, name))
            for name in scorer.measures
            if reads_judgments(name)
        }


def test_measures_that_read_other_topics_are_told_apart() -> None:
    assert all(map(scored_alone, parse_measures(ALONE)))
    assert [scored_alone(one) for one in parse_measures(NOT_ALONE)] == [True, False, False]
    assert not scored_alone(*parse_measures("alpha_nDCG@20"))
