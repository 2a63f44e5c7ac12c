"""Several runs by a curve, by hand."""

from __future__ import annotations

import json

import pytest

from workbench.records import Qrel, Ranking, Run
from workbench.scoring.binary_kernels import LEVELS
from workbench.scoring.curves import COLUMNS, RULES, CurveOptions, RunCurves, run_curves, run_curves_export
from workbench.scoring.own_measures import INTERPOLATIONS
from workbench.scoring.scorer import Scorer

QRELS = [Qrel("1", "a", 1), Qrel("1", "b", 1), Qrel("2", "c", 1)]
# Topic 1: relevant at ranks 1 and 3. `half` lacks topic 2, on which `both` has its relevant document second.
HALF = Run("half", {"1": Ranking(("a", "x", "b"), (3.0, 2.0, 1.0))})
BOTH = Run("both", {"1": Ranking(("a", "x", "b"), (3.0, 2.0, 1.0)), "2": Ranking(("y", "c"), (2.0, 1.0))})


def curves(kind: str, **options: int | str) -> RunCurves:
    scorer = Scorer(QRELS, "AP")
    read = (scorer.read(run) for run in (HALF, BOTH))
    return run_curves(read, kind, CurveOptions(**options), topics=2, qrels="2026.qrels")  # type: ignore[arg-type]


def test_precision_by_recall_is_a_mean_over_the_topics_of_the_qrels() -> None:
    found = curves("recall-precision")
    assert found.x == LEVELS
    half, both = found.lines
    assert (half.tag, half.scored, both.scored) == ("half", 1, 2)
    # Topic 1 has precision 1 to recall .5 and 2/3 beyond; topic 2 has 1/2, or 0 where it is lacking.
    assert half.values == pytest.approx([1 / 2] * 6 + [1 / 3] * 5)
    assert both.values == pytest.approx([3 / 4] * 6 + [7 / 12] * 5)


def test_ndcg_goes_by_rank() -> None:
    _, both = curves("gain", depth=2).lines
    # At rank 1: 1 and 0; at rank 2: 1 / (1 + 1 / log2 3), and 1 / log2 3 of at most 1.
    discounted = 0.6309297535714575
    assert both.values == pytest.approx([1 / 2, (1 / (1 + discounted) + discounted) / 2])


def test_a_table_has_a_column_for_each_run() -> None:
    export = run_curves_export(curves("gain", depth=2))
    assert export.columns == ("rank", "half", "both")
    assert [row[0] for row in export.rows()] == [1, 2]
    data = json.loads(export.json())
    assert (data["figure"], data["topics"], data["interpolation"]) == ("nDCG", 2, None)
    assert [run["topics_scored"] for run in data["runs"]] == [1, 2]


@pytest.mark.parametrize("rule", INTERPOLATIONS)
def test_the_rule_of_interpolation_is_named(rule: str) -> None:
    assert RULES[rule] in curves("recall-precision", interpolation=rule).in_words
    assert RULES.keys() == set(INTERPOLATIONS)
    assert COLUMNS
