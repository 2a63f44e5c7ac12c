"""Left-out documents: the scores and ranks of runs with and without them, by hand."""

from __future__ import annotations

import pytest

from tests.scoring.some_qrels import ranked
from workbench.errors import WorkbenchError
from workbench.records import Run
from workbench.scoring.measures import parse_measures
from workbench.trust.alternatives import AlternativeQrels, score_under
from workbench.trust.left_out import left_out_export, scores_left_out, without_pairs

# Topic 1: d1 and s1 are relevant, n1 is not; topic 2: d2. Left out are s1 and n1.
GRADES = {("1", "d1"): 1, ("1", "s1"): 1, ("1", "n1"): 0, ("2", "d2"): 1}
LEFT_OUT = {("1", "s1"), ("1", "n1"), ("1", "never judged")}
RANKED = {
    "a": {"1": ["s1", "d1"], "2": ["d2"]},
    "b": {"1": ["d1"], "2": ["d2"]},
    "c": {"1": ["x"], "2": ["x"]},
}


def run_of(tag: str) -> Run:
    rankings = {topic: ranked(docnos).rankings["1"] for topic, docnos in RANKED[tag].items()}
    return Run(tag, rankings)


def test_scores_ranks_and_correlations_by_hand() -> None:
    whole, rest, out = without_pairs(AlternativeQrels("qrels", GRADES), LEFT_OUT, "found", 1)
    assert (out.pairs, out.relevant, out.topics, out.graded, out.all_relevant) == (2, 1, 1, 4, 3)
    (measure,) = parse_measures("AP")
    found = scores_left_out(score_under([whole, rest], map(run_of, RANKED), measure), out, seed=4)
    # AP of a on topic 1: 1 with s1, else 1/2 (d1 is second); of b 1/2, else 1; on topic 2 both have 1.
    lines = [(one.run, one.score, one.without, one.rank, one.rank_without) for one in found.runs]
    assert lines == [("a", 1.0, 0.75, 1, 2), ("b", 0.75, 1.0, 2, 1), ("c", 0.0, 0.0, 3, 3)]
    assert [(one.change, one.ranks_risen) for one in found.runs] == [(0.25, 1), (-0.25, -1), (0.0, 0)]
    # Of three pairs of runs one changes places: (2 - 1) / 3. Of the two runs below the top of either ranking
    # one has nobody above it whom both put there, the other all: 2 (0 + 1) / 2 - 1.
    assert (found.swapped, found.run_pairs) == (1, 3)
    assert found.tau_b.value == pytest.approx(1 / 3)
    assert found.tau_ap.value == pytest.approx(0.0)
    # A resample of two topics has topic 1 twice, once or never, with probabilities 1/4, 1/2, 1/4.
    assert [(one.low, one.high) for one in found.runs] == [(0.0, 0.5), (-0.5, 0.0), (0.0, 0.0)]
    # Of topic 1 twice the order is a b c against b a c, else a and b are tied at most: tau b is 1/3 at least.
    assert found.tau_b.low == pytest.approx(1 / 3)
    assert found.tau_b.high == pytest.approx(1.0)


def test_the_export_has_every_run_and_the_seed() -> None:
    whole, rest, out = without_pairs(AlternativeQrels("qrels", GRADES), LEFT_OUT, "found", 1)
    (measure,) = parse_measures("AP")
    export = left_out_export(scores_left_out(score_under([whole, rest], map(run_of, "ab"), measure), out))
    rows = [dict(zip(export.columns, row, strict=True)) for row in export.rows()]
    assert [(row["run"], row["change"], row["ranks_risen"]) for row in rows] == [
        ("a", 0.25, 1),
        ("b", -0.25, -1),
    ]
    data = export.data()
    assert isinstance(data, dict)
    assert (data["seed"], data["rounds"], data["left_out"]["pairs"]) == (0, 1000, 2)
    assert export.latex is not None
    assert r"\tau_b" in export.latex()


@pytest.mark.parametrize("pairs", [{("1", "never judged")}, set(GRADES)])
def test_nothing_left_out_and_nothing_left_are_refused(pairs: set[tuple[str, str]]) -> None:
    with pytest.raises(WorkbenchError):
        without_pairs(AlternativeQrels("qrels", GRADES), pairs, "found", 1)


def test_a_ranking_takes_two_runs() -> None:
    whole, rest, out = without_pairs(AlternativeQrels("qrels", GRADES), LEFT_OUT, "found", 1)
    (measure,) = parse_measures("AP")
    with pytest.raises(WorkbenchError):
        scores_left_out(score_under([whole, rest], [run_of("a")], measure), out)
