"""Arrays of what runs reach, against a plain dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pooling.some_runs import ABC, MANY_SCORES, Scores, run
from tests.support import examples
from workbench.errors import Conflict
from workbench.pooling import run_tops
from workbench.pooling.run_tops import ReachedDocnos, RunTops, known_tops, reached
from workbench.ranking import top
from workbench.records import Ranking, Run, id_bytes


def tops(runs: list[Run], depth: int) -> list[RunTops]:
    """The first documents of each run, as arrays."""
    cut = []
    for one in runs:
        first = {topic: top(ranking, depth) for topic, ranking in one.rankings.items()}
        rankings = {topic: Ranking(docnos, (0.0,) * len(docnos)) for topic, docnos in first.items()}
        cut.append(RunTops.of(Run(one.tag, rankings)))
    return cut


def told(found: ReachedDocnos) -> dict[tuple[str, bytes], tuple[int, bytes, int, bool]]:
    """Best rank, first run, number of runs and whether known, by pair."""
    counted = (found.best, found.first, found.runs, found.known)
    rows = zip(found.numbers, found.docnos.tolist(), *counted, strict=True)
    return {
        (found.topics[number], docno): (int(best), id_bytes(found.tags[first]), int(runs), bool(known))
        for number, docno, best, first, runs, known in rows
    }


def plainly(
    runs: list[Run], depth: int, known: set[tuple[str, str]]
) -> dict[tuple[str, bytes], tuple[int, bytes, int, bool]]:
    ranks: dict[tuple[str, str], list[tuple[int, bytes]]] = {}
    for one in runs:
        for topic, ranking in one.rankings.items():
            for rank, docno in enumerate(top(ranking, depth), 1):
                ranks.setdefault((topic, docno), []).append((rank, id_bytes(one.tag)))
    return {
        (pair[0], id_bytes(pair[1])): (min(each)[0], min(each)[1], len(each), pair in known)
        for pair, each in ranks.items()
    }


@given(MANY_SCORES, st.integers(1, 6), st.data())
@settings(max_examples=examples(50), deadline=None)
def test_every_pair_is_told_once_with_its_best_rank_and_runs(
    scores: dict[str, Scores], depth: int, data: st.DataObject
) -> None:
    runs = [run(tag, topics) for tag, topics in scores.items()]
    pairs = [
        (topic, docno) for one in runs for topic, found in one.rankings.items() for docno in found.docnos
    ]
    known = set(data.draw(st.lists(st.sampled_from([*pairs, ("1", "elsewhere"), ("x", "y")]), max_size=5)))
    found = told(reached(tops(runs, depth), known=known_tops(known)))
    expected = plainly(runs, depth, known)
    assert found == expected
    backwards = told(reached(tops(runs[::-1], depth), known=known_tops(known)))
    assert backwards == found


@pytest.mark.parametrize("portion", [1, 3, 5])
def test_runs_merged_in_portions_reach_the_same(portion: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # The pairs of one topic are in the same order, too: samples are drawn by their places.
    runs = [
        run(f"r{number}", {"1": {f"d{number % 3}": 2.0, f"d{number}": 1.0, "a-longer-docno": 0.5}})
        for number in range(5)
    ]
    known = known_tops({("1", "d1"), ("1", "elsewhere")})
    at_once = reached(tops(runs, 3), known=known)
    monkeypatch.setattr(run_tops, "_PORTION", portion)
    in_portions = reached(tops(runs, 3), known=known)
    assert told(in_portions) == told(at_once) == plainly(runs, 3, {("1", "d1")})
    assert in_portions.docnos.tolist() == at_once.docnos.tolist()


def test_pairs_that_share_a_fingerprint_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = told(reached(tops(ABC, 5)))
    monkeypatch.setattr(run_tops, "fingerprints", lambda words, numbers: np.zeros(len(numbers), np.uint64))
    assert told(reached(tops(ABC, 5))) == expected


def test_a_tag_that_comes_twice_is_refused() -> None:
    with pytest.raises(Conflict, match="two runs have the tag"):
        reached(tops([ABC[0], ABC[0]], 3))
