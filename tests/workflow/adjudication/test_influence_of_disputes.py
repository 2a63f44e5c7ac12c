"""What the influence of disputed pairs is computed from: the ranks of graded documents, kept by content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.scoring.some_qrels import run
from tests.workflow.adjudication.disputed import FAR, disputed_campaign
from workbench.consensus.disputes import DisputeRule, disputes
from workbench.consensus.judgments import judgments_by_pair
from workbench.docnos import Places
from workbench.pooling.run_tops import RunTops
from workbench.records import FOUR_GRADES
from workbench.scoring.influence import Influence
from workbench.storage.engine import Database
from workbench.workflow.adjudication import influence
from workbench.workflow.adjudication.influence import GradedTopics, dispute_influences
from workbench.workflow.judging.current_judgments import current_judgments
from workbench.workflow.runs.packed_store import tops_of

LONG = "d" * 100
GRADES = {("2", "x"): 1, ("1", "a"): 0, ("1", "b"): 2, ("1", LONG): 1, ("2", "é"): 0}


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
    topics = GradedTopics(GRADES, runs=2)
    topics.read(tops())
    # Topics and documents in the order of the grades; r1 has x at rank 2 of topic 2, r0 has none there.
    expected = [
        ("2", ("x", "é"), (1, 0), [[0, 0], [2, 1]]),
        ("1", ("a", "b", LONG), (0, 2, 1), [[1, 3, 0], [0, 3, 1]]),
    ]
    for _ in range(2):
        found = [(one.topic, one.docnos, one.grades, one.ranks.tolist()) for one in topics]
        assert found == expected
    assert len(topics) == 2


def test_without_runs_or_grades_there_is_nothing_to_rank() -> None:
    unread = GradedTopics({("1", "a"): 1}, runs=0)
    unread.read([])
    assert [one.ranks.shape for one in unread] == [(0, 1)]
    ungraded = GradedTopics({}, runs=2)
    ungraded.read(tops())
    assert list(ungraded) == []


def test_what_was_computed_of_the_same_grades_and_runs_is_not_computed_again(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite_database.writing() as db:
        one = disputed_campaign(db)
    reads = []

    def counted(*given: Any, **named: Any) -> Iterator[RunTops]:
        reads.append(named["depth"])
        return tops_of(*given, **named)

    monkeypatch.setattr(influence, "tops_of", counted)

    def computed(decided: dict[tuple[str, str], int], measure: str) -> dict[tuple[str, str], Influence]:
        with sqlite_database.reading() as db:
            given = current_judgments(db, one.id, machines=False)
            found = disputes(given, rule=DisputeRule(), scale=FOUR_GRADES)
            by_pair = judgments_by_pair(given)
            return dispute_influences(
                db, one.id, found, judgments=by_pair, decided=decided, scale=FOUR_GRADES, measure=measure
            )

    first = computed({}, "nDCG@100")
    assert computed({}, "nDCG@100") == first
    assert reads == [100]
    # A decision, or another measure, is another result.
    assert computed({FAR: 3}, "nDCG@100").keys() == first.keys()
    assert computed({}, "nDCG@10").keys() == first.keys()
    assert reads == [100, 100, 10]
