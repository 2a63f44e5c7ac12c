"""The official pool of TREC-COVID's first round: depth 7 over the 56 runs that contributed."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pytest

from tests.pooling.by_pool import cut_ties, decided, summarise
from tests.support import shared
from workbench.formats.runs import read_run
from workbench.pooling.depth import depth_pool
from workbench.ranking import top
from workbench.records import Ranking, Run, TieRule


def _contributed() -> Iterator[Run]:
    folder = shared("data", "trec-covid", "round1")
    with (folder / "runs.tsv").open(encoding="utf-8") as table:
        names = [row["run"] for row in csv.DictReader(table, delimiter="\t") if row["contributed"] == "yes"]
    for name in names:
        with (folder / "runs" / f"{name}.gz").open("rb") as stream:
            yield read_run(stream, source=name).run


@pytest.fixture(scope="module")
def contributed() -> list[Run]:
    """The runs, cut to what can be among the first seven under any tie rule: all with the seventh score."""
    return [_cut(run) for run in _contributed()]


def _cut(run: Run) -> Run:
    rankings = {}
    for topic, ranking in run.rankings.items():
        floor = sorted(ranking.scores, reverse=True)[:7][-1]
        kept = [(d, s) for d, s in zip(ranking.docnos, ranking.scores, strict=True) if s >= floor]
        rankings[topic] = Ranking(tuple(d for d, _ in kept), tuple(s for _, s in kept))
        assert top(rankings[topic], 7) == top(ranking, 7)
    return Run(run.tag, rankings)


@pytest.fixture(scope="module")
def official() -> set[tuple[str, str]]:
    lines = shared("data", "trec-covid", "round1", "pool_depth7.txt").read_text(encoding="utf-8").splitlines()
    return {(topic, docno) for topic, docno in map(str.split, lines)}


def test_ties_by_docno_ascending_give_the_official_pool_exactly(
    contributed: list[Run], official: set[tuple[str, str]]
) -> None:
    pool = depth_pool(contributed, depth=7, ties=TieRule.DOCNO_ASCENDING)
    assert len(contributed) == 56
    assert len(pool.entries) == 6959
    assert {(entry.topic, entry.docno) for entry in pool.entries} == official


def test_ties_by_docno_descending_differ_in_six_pairs(
    contributed: list[Run], official: set[tuple[str, str]]
) -> None:
    pool = depth_pool(contributed, depth=7, ties=TieRule.TREC_EVAL)
    ours = pool.pairs
    assert (len(ours - official), len(official - ours)) == (6, 6)
    # The tie rule's choices name them beforehand.
    named = decided(pool, cut_ties(contributed, depth=7, ties=TieRule.TREC_EVAL))
    assert ours - official <= set(named.let_in)
    assert official - ours <= set(named.kept_out)


def test_the_summary_tells_how_much_the_runs_overlap(contributed: list[Run]) -> None:
    # 56 runs x 30 topics x 7 documents are 11,760; some runs have fewer than seven documents for a topic.
    summary = summarise(depth_pool(contributed, depth=7, ties=TieRule.DOCNO_ASCENDING))
    assert len(summary.topics) == 30
    assert summary.largest_possible <= 11_760
    assert summary.share == pytest.approx(0.5923, abs=5e-5)
