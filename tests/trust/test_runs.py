"""Other runs: the uniques test by hand, against published figures and a brute-force recomputation."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from tests.scoring.some_qrels import ranked
from tests.support import Oracle, cases, shared
from tests.trust.some_scores import table
from workbench.formats.packed_runs import PackedRun
from workbench.formats.qrels import read_qrels
from workbench.formats.runs import read_run_arrays
from workbench.pooling.depth import depth_pool
from workbench.records import Qrel, Run, TieRule
from workbench.scoring.measures import parse_measures
from workbench.scoring.scorer import Scorer
from workbench.trust.alternatives import AlternativeQrels, score_under
from workbench.trust.runs import (
    WHOLE,
    PooledPairs,
    expected_loss,
    left_out_run,
    other_runs,
    pooled_pairs,
    qrels_without,
)

stats = Oracle("scipy.stats")
FILE = "23_uniques_leave_out.json"


def run_of(tag: str, docnos: list[str]) -> Run:
    return Run(tag, ranked(docnos).rankings)


def test_the_small_example_by_hand() -> None:
    case = cases(FILE)["leave_out_small"]
    given, expected = case["input"], case["expected"]
    runs = [run_of(tag, one["ranking"]) for tag, one in given["runs"].items()]
    groups = {tag: one["group"] for tag, one in given["runs"].items()}
    # Found by its content: its key is spelt as this project does not.
    (judged,) = [value for value in given.values() if isinstance(value, dict) and "d6" in value]
    qrels = AlternativeQrels(WHOLE, {("1", docno): grade for docno, grade in judged.items()})
    pooled = pooled_pairs(depth_pool(runs, depth=given["depth"]), qrels, groups)
    unique = {name: [docno for _, docno in pairs] for name, pairs in pooled.unique.items()}
    assert unique == expected["uniques"]
    left = qrels_without(qrels, pooled)
    assert [sorted(docno for _, docno in one.grades) for one in left[1:]] == [
        expected["qrels_without_g1"],
        expected["qrels_without_g2"],
    ]
    (measure,) = parse_measures("AP")
    found = other_runs(score_under(left, runs, measure), qrels, pooled)
    by_tag = {one.run: one for one in found.pooled}
    assert [by_tag["A"].score, by_tag["A"].without] == [expected["AP_A_full"], expected["AP_A_without_g1"]]
    assert [by_tag["C"].score, by_tag["C"].without] == pytest.approx(
        [expected["AP_C_full"], expected["AP_C_without_g2"]]
    )
    assert {one.group: (one.runs, one.unique, one.unique_relevant) for one in found.groups} == {
        "g1": (2, 3, 2),
        "g2": (1, 1, 1),
    }
    assert (found.pool, found.pool_judged, found.graded, found.late) == (6, 6, 6, ())


def test_the_published_losses_of_trec_8() -> None:
    """Voorhees 2001: .78 % on average over the 71 pooled runs and 9.9 % at most, by how much MAP changes."""
    case = cases(FILE)["trec8_leave_out_uniques_map"]
    (rows,) = [value for value in case["expected"].values() if isinstance(value, list)]
    runs = [left_out_run(run, group, whole, without, 1, 1) for run, group, _, whole, without in rows]
    found = expected_loss(runs)
    assert found is not None
    assert (found.runs, found.largest_of) == (71, "READWARE2")
    assert 100 * found.largest == pytest.approx(case["expected"]["max_abs_pct_change"])
    changes = [abs(one.share or 0.0) for one in runs]
    assert 100 * sum(changes) / len(changes) == pytest.approx(case["expected"]["mean_abs_pct_change"])
    # Some runs gain: the mean loss is below the mean change.
    assert found.mean == pytest.approx(sum(one.share or 0.0 for one in runs) / 71)
    assert found.interval.low is not None
    assert found.interval.high is not None
    assert found.interval.low < found.mean < found.interval.high


def two_groups() -> PooledPairs:
    return PooledPairs({"r0": "g", "r1": "h"}, {"g": (), "h": ()}, pairs=0, judged=0, graded=2)


def test_ranks_and_late_runs_by_hand() -> None:
    # r0 .8 -> .6 without g, r1 .7 -> .35 without h: losses of 1/4 and 1/2, .375 on average.
    qrels = {WHOLE: [[0.8, 0.7, 0.5]], "without g": [[0.6, 0.7, 0.4]], "without h": [[0.8, 0.35, 0.5]]}
    found = other_runs(table(qrels), AlternativeQrels(WHOLE, {("t0", "d"): 1}), two_groups())
    first, second = found.pooled
    assert (first.run, first.rank, first.rank_without, first.ranks_lost) == ("r0", 1, 2, 1)
    assert (second.run, second.rank, second.rank_without, second.ranks_lost) == ("r1", 2, 3, 1)
    assert [first.lost, first.share] == pytest.approx([0.2, 0.25])
    assert found.expected is not None
    assert [found.expected.mean, found.expected.largest] == pytest.approx([0.375, 0.5])
    assert (found.expected.largest_of, found.expected.groups) == ("r1", 2)
    # Nine in ten lose at most .25 + .9 (.5 - .25) = .475. r2 is late: .5 may be what is left of .5 / .625,
    # which is .8 and ties with the first, or of .5 / .525.
    assert found.expected.nine_in_ten == pytest.approx(0.475)
    (late,) = found.late
    assert (late.run, late.rank, late.rank_at_mean, late.rank_at_nine_in_ten) == ("r2", 3, 1, 1)


def test_a_loss_needs_a_score() -> None:
    found = expected_loss([left_out_run("r", "g", 0.5, 0.4, 1, 1)])
    assert found is not None
    assert found.mean == pytest.approx(0.2)
    assert expected_loss([left_out_run("r", "g", 0.0, 0.0, 1, 1)]) is None
    assert expected_loss([]) is None


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_few_groups_have_no_interval_however_many_runs_they_have(groups: int) -> None:
    runs = [left_out_run(f"r{at}", f"g{at % groups}", 1.0, 0.9 - 0.001 * at, 1, 1) for at in range(40)]
    found = expected_loss(runs)
    assert found is not None
    assert (found.groups, found.interval.low, found.interval.high) == (groups, None, None)
    assert "5 groups" in found.interval.undefined


def test_groups_of_many_runs_weigh_more() -> None:
    # Nine runs of one group lose nothing, one run of each of six others .1: .6 / 15 on average. Without one
    # of the six it is .5 / 14, without the large group .1.
    large = [left_out_run(f"l{at}", "large", 1.0, 1.0, 1, 1) for at in range(9)]
    small = [left_out_run(f"s{at}", f"g{at}", 1.0, 0.9, 1, 1) for at in range(6)]
    found = expected_loss([*large, *small])
    assert found is not None
    assert found.mean == pytest.approx(0.04)
    low, high = found.interval.low, found.interval.high
    assert low is not None
    assert high is not None
    # The middle of pseudo-values: 7 times the mean less 6 times that of those without each (Tukey 1958).
    assert (low + high) / 2 == pytest.approx(7 * 0.04 - 6 * (6 * 0.5 / 14 + 0.1) / 7)


@pytest.fixture(scope="module")
def round_1() -> Path:
    """The folder of TREC-COVID's first round."""
    return shared("data", "trec-covid", "round1")


@pytest.mark.slow
def test_leaving_out_a_team_of_trec_covid_is_what_brute_force_gives(round_1: Path) -> None:
    """Every pooled team of round 1: the qrels cut line by line, the run scored anew, all runs ranked anew."""
    with (round_1 / "runs.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    pooled_tags = {row["run"] for row in rows if row["contributed"] == "yes"}
    runs = []
    for path in sorted((round_1 / "runs").glob("*.gz")):
        with path.open("rb") as stream_of_run:
            run = read_run_arrays(stream_of_run, source=path.name, depth=None)
        assert isinstance(run, PackedRun)
        runs.append(replace(run, tag=path.name.removesuffix(".gz")))
    with (round_1 / "qrels.txt").open("rb") as stream_of_qrels:
        lines = read_qrels(stream_of_qrels, source="qrels")
    teams = {row["run"]: row["team"] for row in rows}
    qrels = AlternativeQrels(WHOLE, {(one.topic, one.docno): one.grade for one in lines})
    contributed = [run.top(7, ties=TieRule.DOCNO_ASCENDING) for run in runs if run.tag in pooled_tags]
    pooled = pooled_pairs(depth_pool(contributed, depth=7, ties=TieRule.DOCNO_ASCENDING), qrels, teams)
    (measure,) = parse_measures("AP")
    found = other_runs(score_under(qrels_without(qrels, pooled), runs, measure), qrels, pooled)
    assert (found.pool, len(found.pooled), len(found.late)) == (6959, 56, len(runs) - 56)

    brought: dict[tuple[str, str], set[str]] = {}
    for run in contributed:
        for entry in depth_pool([run], depth=7, ties=TieRule.DOCNO_ASCENDING).entries:
            brought.setdefault((entry.topic, entry.docno), set()).add(teams[run.tag])
    for one in found.pooled[::8]:
        kept = [
            Qrel(line.topic, line.docno, line.grade)
            for line in lines
            if brought.get((line.topic, line.docno)) != {one.group}
        ]
        scorer = Scorer(kept, [measure])
        scores = {run.tag: scorer.score(run).values["AP"] for run in runs}
        assert one.without == pytest.approx(scores[one.run], abs=1e-12)
        better = sum(score > scores[one.run] + 1e-12 for score in scores.values())
        assert one.rank_without == better + 1
        (group,) = [each for each in found.groups if each.group == one.group]
        assert group.unique == len(lines) - len(kept)
