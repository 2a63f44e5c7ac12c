"""Rankings of one topic that are kept, against the runs they were made of: the same cells to the last bit."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.scoring.test_score_columns import ALONE, JUDGED_ONLY, TOPICS, arrays_of, drawn
from workbench.scoring import score_columns
from workbench.scoring.score_columns import ScoreCells, score_cells, topic_cells
from workbench.scoring.scorer import Scorer
from workbench.scoring.topic_rankings import TopicRankings, topic_rankings
from workbench.workflow.result_form import result_bytes, result_from

FIELDS = [field.name for field in dataclasses.fields(ScoreCells)]


def same(one: ScoreCells, other: ScoreCells) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in FIELDS)


@pytest.mark.parametrize("measures", [ALONE, JUDGED_ONLY])
@pytest.mark.parametrize("at_once", [30, 10_000])
def test_kept_rankings_score_as_the_runs_do(
    measures: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score_columns, "MOST_IDEAL", at_once)
    qrels, runs = drawn()
    arrays = [arrays_of(run) for run in runs]
    near_tied = 0
    for topic in TOPICS:
        scorer = Scorer([one for one in qrels if one.topic == topic], measures)
        whole = ScoreCells.joined(list(score_cells(scorer, arrays)), axis=0)
        kept = topic_rankings(arrays, topic)
        halves = TopicRankings.joined([topic_rankings(arrays[:3], topic), topic_rankings(arrays[3:], topic)])
        again = result_from(TopicRankings, result_bytes(kept))
        for found in (kept, halves, again):
            assert same(topic_cells(scorer, found), whole)
        chosen = np.array([5, 0, 3])
        some = topic_cells(scorer, halves.of_runs(chosen))
        assert same(some, whole.of_runs(chosen))
        near_tied += int(whole.near_tied.sum())
    # The runs that are drawn have documents that only doubles tell apart.
    assert near_tied


def test_runs_without_the_topic_have_nothing() -> None:
    qrels, runs = drawn()
    scorer = Scorer([one for one in qrels if one.topic == "1"], "AP NumRet")
    nothing = topic_rankings([arrays_of(run) for run in runs[:2]], "no such topic")
    cells = topic_cells(scorer, nothing)
    assert (len(nothing), cells.values.shape) == (2, (2, 1, 2))
    assert not cells.values.any()
    assert not cells.retrieved.any()
