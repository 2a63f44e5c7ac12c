from __future__ import annotations

import pytest

from workbench.records import Qrel, Ranking, Run
from workbench.scoring.scorer import Scorer
from workbench.scoring.trec_eval_output import sheet_measures, summary_sheet


def test_a_sheet_has_counts_levels_of_recall_and_cutoffs() -> None:
    # Relevant from 2 are a and c of topic 1, found at ranks 1 and 4; topic 2 has one, which is not found.
    qrels = [Qrel("1", "a", 2), Qrel("1", "b", 1), Qrel("1", "c", 3), Qrel("2", "a", 2)]
    run = Run("r", {"1": Ranking(("a", "b", "x", "c"), (4.0, 3.0, 2.0, 1.0)), "2": Ranking(("x",), (1.0,))})
    scores = Scorer(qrels, sheet_measures(2)).score(run)
    sheet = summary_sheet(scores, relevant_from=2, relevant=3)
    assert (sheet.retrieved, sheet.relevant, sheet.found) == (5, 3, 2)
    # Precision 1 up to recall .5, then 2 of 4; means with the 0 of topic 2.
    assert sheet.levels == pytest.approx([0.5] * 6 + [0.25] * 5)
    assert sheet.cutoffs[:2] == pytest.approx([0.2, 0.1])  # 2 of 5, 2 of 10
    assert sheet.average_precision == pytest.approx((1 + 2 / 4) / 2 / 2)
    assert sheet.r_precision == pytest.approx(1 / 4)  # of the first two one is relevant
