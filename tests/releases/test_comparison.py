"""Two releases compared: pairs, grades, what decided them, and the ranking of runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from tests.releases.made import AT, answer, small_release
from workbench.errors import WorkbenchError
from workbench.records import Qrel, Ranking, Run
from workbench.releases.comparison import compare_releases, comparison_export
from workbench.releases.contents import ReleasedDecision, ReleasedRun
from workbench.scoring.pairs_of_runs import compare_all

LATER = AT + timedelta(days=1)
FIRST = replace(
    small_release(),
    qrels=(Qrel("T1", "a", 1), Qrel("T1", "b", 0), Qrel("T1", "c", 1), Qrel("T1", "e", 0)),
    runs=(),
)
# a is decided anew, b is judged anew, c is gone, d came by another judgment, e is as it was.
SECOND = replace(
    FIRST,
    about=replace(FIRST.about, version="1.1"),
    qrels=(Qrel("T1", "a", 0), Qrel("T1", "b", 1), Qrel("T1", "d", 1), Qrel("T1", "e", 0)),
    answers=(
        *FIRST.answers,
        replace(answer("assessor-1", "b", 1), recorded_at=LATER, purpose="discussion"),
        replace(answer("assessor-1", "d", 1), recorded_at=LATER),
    ),
    decisions=(*FIRST.decisions, ReleasedDecision("T1", "a", "grade", 0, LATER)),
)


def run(tag: str, *docnos: str) -> Run:
    return Run(tag, {"T1": Ranking(docnos, tuple(float(-at) for at in range(len(docnos))))})


RUNS = (run("one", "a", "b"), run("two", "b", "a"))


def test_pairs_that_came_went_and_changed_say_what_decided_them() -> None:
    found = compare_releases(FIRST, SECOND, runs=RUNS)
    assert [(one.docno, one.before, one.after, one.decided_by) for one in found.changed] == [
        ("a", 1, 0, "adjudication"),
        ("b", 0, 1, "discussion"),
    ]
    assert [(one.docno, one.decided_by, one.decided_at) for one in found.added] == [("d", "judgment", LATER)]
    assert [(one.docno, one.after, one.decided_by) for one in found.removed] == [("c", None, "rule")]
    # a: 1 to 0, b: 0 to 1, e: 0 to 0.
    assert found.grades == ((0, 0, 1), (0, 1, 1), (1, 0, 1))
    assert (found.gained, found.lost, found.lines) == (1, 1, (4, 4))
    rows = list(comparison_export(found).rows())
    assert len(rows) == 4


def test_the_runs_swap_as_their_relevant_documents_do() -> None:
    ranking = compare_releases(FIRST, SECOND, runs=RUNS).ranking
    assert ranking is not None
    # Before, a and c are relevant: one finds a at rank 1, AP = 1/2; two at rank 2, (1/2)/2 = 1/4. After, b
    # and d: the other way round. So the one pair of runs is discordant, tau -1.
    scores = {one.tag: (one.before, one.after, one.rank_before, one.rank_after) for one in ranking.runs}
    assert scores == {"one": (0.5, 0.25, 1, 2), "two": (0.25, 0.5, 2, 1)}
    assert ranking.comparison.tau.value == -1
    assert [(one.ahead, one.behind) for one in ranking.comparison.swaps] == [("one", "two")]
    assert ranking.topics == (1, 1)


def test_without_runs_nothing_is_ranked_and_with_those_of_a_release_they_are() -> None:
    assert compare_releases(FIRST, SECOND).ranking is None
    content = b"T1 Q0 a 1 2 one\nT1 Q0 b 2 1 one\n"
    included = replace(SECOND, runs=(ReleasedRun("one", "", 1, 2, content=content),))
    ranking = compare_releases(FIRST, included).ranking
    assert ranking is not None
    assert [(one.tag, one.before, one.after) for one in ranking.runs] == [("one", 0.5, 0.25)]


def test_a_measure_that_ranks_nothing_is_refused() -> None:
    with pytest.raises(WorkbenchError):
        compare_releases(FIRST, SECOND, runs=RUNS, measure="AP nDCG")


def test_the_grades_are_a_table_in_which_no_line_is_a_row_and_a_column() -> None:
    table = compare_releases(FIRST, SECOND, runs=RUNS).grade_table
    # a: 1 to 0, b: 0 to 1, e: 0 to 0, c (1) is gone, d (1) came.
    assert table.columns == (0, 1, None)
    assert table.rows == ((0, (1, 1, 0)), (1, (1, 0, 1)), (None, (0, 1, 0)))


def test_runs_that_change_places_are_tested_under_both_releases() -> None:
    def qrels(good: str, topics: int) -> tuple[Qrel, ...]:
        return tuple(Qrel(f"T{number}", good, 1) for number in range(topics))

    def over(tag: str, first: str, second: str) -> Run:
        ranked = {
            f"T{number}": (first, *(f"x{at}" for at in range(number)), second) for number in range(9)
        } | {"T9": ("a", "b")}
        return Run(
            tag,
            {
                topic: Ranking(ids, tuple(-float(at) for at in range(len(ids))))
                for topic, ids in ranked.items()
            },
        )

    runs = (over("one", "a", "b"), over("two", "b", "a"))
    before, after = (
        replace(release, qrels=qrels(good, 10)) for release, good in ((FIRST, "a"), (SECOND, "b"))
    )
    ranking = compare_releases(before, after, runs=runs).ranking
    assert ranking is not None
    (swap,) = ranking.swaps
    # By hand: on topic n of nine the relevant document is first in the one run and at rank n + 2 in the
    # other, so that AP is 1 against 1 / (n + 2); on the tenth both have the same.
    scores = np.array([[1, 1 / (number + 2)] for number in range(9)] + [[1, 1]])
    gap = float((scores[:, 0] - scores[:, 1]).mean())
    p = float(compare_all(scores).p[0])
    assert (swap.ahead, swap.behind) == ("one", "two")
    assert swap.gaps == pytest.approx((gap, gap))
    assert swap.p == pytest.approx((p, p))
    assert p < 0.05
    assert swap.significant == (True, True)
    single = compare_releases(FIRST, SECOND, runs=RUNS).ranking
    assert single is not None
    assert [one.p for one in single.swaps] == [(None, None)]
