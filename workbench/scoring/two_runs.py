"""Two runs topic by topic, with the tests of their difference: the result, and its CSV, JSON and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from workbench.counts import counted
from workbench.errors import WorkbenchError
from workbench.export import Export, table_export
from workbench.latex import between, document, escaped, number, percent, table
from workbench.scoring.scorer import RunScores, higher_is_better, topics_of_all
from workbench.scoring.significance import TOO_FEW_TOPICS, RunDifference, SignificanceTest, compare_two

TESTS = {
    SignificanceTest.T: "Paired t test",
    SignificanceTest.WILCOXON: "Wilcoxon signed-rank test",
    SignificanceTest.RANDOMISATION: "Randomisation test",
    SignificanceTest.BOOTSTRAP: "Paired bootstrap test",
}


@dataclass(frozen=True, slots=True)
class TwoRuns:
    """Two runs by the measure `shown` on the same qrels, which `qrels` names: `first` less `second`.

    Topics that one of them lacks are `left_out`.
    """

    qrels: str
    shown: str
    first: RunScores
    second: RunScores
    difference: RunDifference
    left_out: tuple[str, ...] = ()

    @property
    def higher_is_better(self) -> bool:
        """Whether the first run is better where the difference is above 0."""
        return higher_is_better(self.shown)

    @property
    def topics(self) -> tuple[tuple[str, float, float, float], ...]:
        """Topic, both scores and their difference; where the first is furthest ahead comes first."""
        pairs = zip(
            self.first.per_topic[self.shown].items(), self.second.per_topic[self.shown].values(), strict=True
        )
        gone = frozenset(self.left_out)
        lines = [(topic, one, other, one - other) for (topic, one), other in pairs if topic not in gone]
        sign = -1 if self.higher_is_better else 1
        return tuple(sorted(lines, key=lambda line: sign * line[3]))


def two_runs(
    first: RunScores, second: RunScores, shown: str, *, qrels: str, seed: int = 0, all_topics: bool = False
) -> TwoRuns:
    """Compare two runs that were scored on the same qrels, over the topics that both have.

    With `all_topics` over those of the qrels: a run that lacks one counts as retrieving nothing there. Raises
    WorkbenchError for a run with itself and for runs without a topic in common.
    """
    if first.tag == second.tag:
        raise WorkbenchError("a run cannot be compared with itself", remedy="choose another one")
    left_out, shared = topics_of_all([first, second], shown)
    if all_topics:
        left_out, shared = (), np.ones_like(shared)
    if not shared.any():
        raise too_little_shared([first, second], 0)
    difference = compare_two(
        first.row(shown)[shared],
        second.row(shown)[shared],
        seed=seed,
        higher_is_better=higher_is_better(shown),
    )
    return TwoRuns(qrels, shown, first, second, difference, left_out)


def too_little_shared(runs: Sequence[RunScores], topics: int) -> WorkbenchError:
    """The refusal of runs that have so few topics in common, with the run that has fewest."""
    fewest = min(runs, key=lambda run: run.topics_scored)
    remedy = "leave this run out"
    if fewest.topics_scored:
        remedy += "; from files, --average-over qrels counts topics that a run lacks"
    return WorkbenchError(
        f"the runs have {counted(topics, 'topic') if topics else 'no topic'} of the qrels in common: "
        f'"{fewest.tag}" has '
        f"{fewest.topics_scored} of {fewest.topics_in_qrels}",
        remedy=remedy,
    )


def two_runs_export(found: TwoRuns) -> Export:
    """One row a topic as CSV; the comparison and its tests too as JSON; a table of the tests as LaTeX."""
    columns = ("topic", found.first.tag, found.second.tag, "difference")
    rows = found.topics
    return Export(columns, lambda: rows, partial(_two_data, found), partial(_two_latex, found))


def _two_data(found: TwoRuns) -> dict[str, object]:
    one = found.difference
    return {
        "first": found.first.tag,
        "second": found.second.tag,
        "measure": found.shown,
        "topics": one.topics,
        "left_out": list(found.left_out),
        "difference": one.mean,
        "low": one.low,
        "high": one.high,
        "level": one.level,
        "effect": one.effect,
        "better": one.better,
        "tied": one.tied,
        "worse": one.worse,
        "tests": [
            {
                "test": str(test.test),
                "n": test.n,
                "statistic": test.statistic,
                "p": test.p,
                "method": test.method,
                "seed": test.seed,
                "undefined": test.undefined,
            }
            for test in one.tests
        ],
        "by_topic": table_export(("topic", "first", "second", "difference"), found.topics).data(),
    }


def _two_latex(found: TwoRuns) -> str:
    one = found.difference
    rows = [
        (TESTS[test.test], str(test.n), number(test.statistic), number(test.p, 4), escaped(test.method))
        for test in one.tests
    ]
    interval = (
        f"no interval of {TOO_FEW_TOPICS}"
        if one.low is None
        else f"{between(one.low, one.high, 4)} ({percent(one.level)} $t$ interval)"
    )
    caption = (
        f"{escaped(found.first.tag)} less {escaped(found.second.tag)}, {escaped(found.shown)} over "
        f"{one.topics} topics: mean difference {number(one.mean, 4)}, {interval}, effect size "
        f"$d$ = {number(one.effect, 2)}; better on {one.better}, equal on {one.tied}, worse on {one.worse}. "
        f"Qrels: {escaped(found.qrels)}."
    )
    heads = ("Test", "$n$", "Statistic", "$p$", "Method")
    return document(table("lrrrl", heads, rows, caption, "tab:two-runs", size=r"\footnotesize"))
