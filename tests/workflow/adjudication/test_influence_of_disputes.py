"""What the influence of disputed pairs is computed from: the ranks of graded documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.scoring.some_qrels import run
from workbench.docnos import Places
from workbench.pooling.run_tops import RunTops
from workbench.workflow.adjudication import influence
from workbench.workflow.adjudication.influence import GradedRanks

LONG = "d" * 100
TOPICS = [("2", np.array([b"x", "é".encode()])), ("1", np.array([b"a", b"b", LONG.encode()]))]


def tops() -> list[RunTops]:
    """Two runs whose topics come in another order, with docnos of other widths, and what has no grade."""
    return [
        RunTops.of(run({"1": {"a": 3, "u": 2, "b": 1}, "3": {"a": 1}}, tag="r0")),
        RunTops.of(run({"2": {"é": 2, "x": 1}, "1": {LONG: 5, LONG + "d": 4, "b": 3}}, tag="r1")),
    ]


def same_print(words: Any, numbers: Places) -> Any:
    return np.zeros(len(numbers), dtype=np.uint64)


@pytest.mark.parametrize("merged", [1, 2**22])
@pytest.mark.parametrize("clash", [False, True])
def test_the_ranks_of_graded_documents_are_those_of_the_runs(
    monkeypatch: pytest.MonkeyPatch, merged: int, clash: bool
) -> None:
    monkeypatch.setattr(influence, "_MERGED", merged)
    if clash:
        monkeypatch.setattr(influence, "fingerprints", same_print)
    graded = GradedRanks(TOPICS, runs=2)
    graded.read(tops())
    # Topics and documents in their order; r1 has x at rank 2 of topic 2, r0 has none there.
    assert graded.ranks(0).tolist() == [[0, 0], [2, 1]]
    assert graded.ranks(1).tolist() == [[1, 3, 0], [0, 3, 1]]
    assert len(graded) == 2


def test_without_runs_or_grades_there_is_nothing_to_rank() -> None:
    unread = GradedRanks([("1", np.array([b"a"]))], runs=0)
    unread.read([])
    assert unread.ranks(0).shape == (0, 1)
    ungraded = GradedRanks([], runs=2)
    ungraded.read(tops())
    assert len(ungraded) == 0
