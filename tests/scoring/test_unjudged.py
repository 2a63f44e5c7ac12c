"""How many of the documents that a measure reads are not judged, by hand."""

from __future__ import annotations

import pytest
from ir_measures import AP, ERR, RR, Judged, Measure, NumRet, P, R

from workbench.records import Qrel, Ranking, Run
from workbench.scoring.measures import parse_measures
from workbench.scoring.score_columns import reads_judgments, unjudged_and_read
from workbench.scoring.scorer import Scorer

QRELS = [Qrel("1", "a", 1), Qrel("1", "b", 0), Qrel("1", "z", 1), Qrel("2", "a", 1)]
# Of topic 1 the second and the fourth document are not judged; topic 2 is not answered.
RUN = Run("r", {"1": Ranking(("b", "x", "a", "y"), (4.0, 3.0, 2.0, 1.0))})


@pytest.mark.parametrize(
    ("measure", "unjudged", "read"), [(P @ 3, 1, 3), (RR, 2, 4), (AP, 2, 4), (R @ 3, 1, 3), (ERR @ 1, 0, 1)]
)
def test_what_is_read_ends_at_the_cutoff(measure: Measure, unjudged: int, read: int) -> None:
    found = unjudged_and_read(Scorer(QRELS, [measure]).read(RUN).judged, measure)
    assert tuple(int(many.sum()) for many in found) == (unjudged, read)


def test_measures_that_count_documents_and_those_of_other_scorers_read_none_that_is_known() -> None:
    assert [reads_judgments(one) for one in (Judged @ 3, NumRet, *parse_measures("SetAP AP"))] == [
        False,
        False,
        False,
        True,
    ]
