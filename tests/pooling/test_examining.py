"""One reading of the runs gives what each of the sciences gives by itself."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pooling.some_runs import ABC, MANY_SCORES, Scores, run
from tests.support import shared
from workbench.errors import Conflict, WorkbenchError
from workbench.formats.runs import read_run_leading
from workbench.pooling.cut_ties import cut_ties, decided
from workbench.pooling.depth import depth_pool
from workbench.pooling.examining import BEYOND, examine
from workbench.pooling.growth import growth
from workbench.pooling.overlap import overlap
from workbench.records import Run, TieRule


@given(MANY_SCORES, st.integers(1, 4), st.sampled_from(TieRule))
def test_every_part_is_what_it_is_by_itself(scores: dict[str, Scores], depth: int, ties: TieRule) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    found = examine(iter(runs), depth=depth, ties=ties)
    at_cut = cut_ties(runs, depth=depth, ties=ties)
    longest = max((len(topic) for topics in scores.values() for topic in topics.values()), default=1)
    assert found.growth == growth(runs, range(1, min(BEYOND * depth, longest) + 1), ties=ties)
    assert found.at_depth.topics == growth(runs, [depth], ties=ties)[0].topics
    assert found.overlap == overlap(runs, depth=depth, ties=ties)
    assert found.at_cut == at_cut
    assert found.decided == decided(depth_pool(runs, depth=depth, ties=ties), at_cut)


def test_a_depth_below_one_and_a_tag_twice_are_refused() -> None:
    with pytest.raises(WorkbenchError, match="there is no pool of depth 0"):
        examine(ABC, depth=0)
    with pytest.raises(Conflict):
        examine([ABC[0], ABC[0]])


def contributed() -> Iterator[Run]:
    folder = shared("data", "trec-covid", "round1")
    with (folder / "runs.tsv").open(encoding="utf-8") as table:
        names = [row["run"] for row in csv.DictReader(table, delimiter="\t") if row["contributed"] == "yes"]
    for name in names:
        with (folder / "runs" / f"{name}.gz").open("rb") as stream:
            yield read_run_leading(stream, source=name, depth=BEYOND * 7).run


def test_the_official_pool_of_trec_covid_is_six_pairs_from_that_of_trec_evals_ties() -> None:
    found = examine(contributed(), depth=7)
    official = {one.rule: one for one in found.rules}[TieRule.DOCNO_ASCENDING]
    assert (official.pairs, len(official.entering), len(official.leaving)) == (6959, 6, 6)
    assert len(found.tops.tags) == 56
    lines = shared("data", "trec-covid", "round1", "pool_depth7.txt").read_text(encoding="utf-8").splitlines()
    assert set(official.entering) <= {(topic, docno) for topic, docno in map(str.split, lines)}
