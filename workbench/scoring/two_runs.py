"""Two runs topic by topic, with the tests of their difference: the result, and its CSV, JSON and LaTeX."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from workbench.errors import WorkbenchError
from workbench.export import Export, table_export
from workbench.latex import between, document, escaped, number, percent, table
from workbench.scoring.scorer import RunScores
from workbench.scoring.significance import RunDifference, SignificanceTest, compare_two

TESTS = {
    SignificanceTest.T: "Paired t test",
    SignificanceTest.WILCOXON: "Wilcoxon signed-rank test",
    SignificanceTest.RANDOMISATION: "Randomisation test",
    SignificanceTest.BOOTSTRAP: "Paired bootstrap test",
}


@dataclass(frozen=True, slots=True)
class TwoRuns:
    """Two runs by the measure `shown` on the same qrels, which `qrels` names: `first` less `second`."""

    qrels: str
    shown: str
    first: RunScores
    second: RunScores
    difference: RunDifference

    @property
    def topics(self) -> tuple[tuple[str, float, float, float], ...]:
        """Topic, both scores and their difference; where the first is furthest ahead comes first."""
        pairs = zip(
            self.first.per_topic[self.shown].items(), self.second.per_topic[self.shown].values(), strict=True
        )
        lines = [(topic, one, other, one - other) for (topic, one), other in pairs]
        return tuple(sorted(lines, key=lambda line: -line[3]))


def two_runs(first: RunScores, second: RunScores, shown: str, *, qrels: str, seed: int = 0) -> TwoRuns:
    """Compare two runs that were scored on the same qrels; raises WorkbenchError for a run with itself."""
    if first.tag == second.tag:
        raise WorkbenchError("a run cannot be compared with itself", remedy="choose another one")
    difference = compare_two(first.row(shown), second.row(shown), seed=seed)
    return TwoRuns(qrels, shown, first, second, difference)


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
    caption = (
        f"{escaped(found.first.tag)} less {escaped(found.second.tag)}, {escaped(found.shown)} over "
        f"{one.topics} topics: mean difference {number(one.mean, 4)} {between(one.low, one.high, 4)} "
        f"({percent(one.level)} $t$ interval), effect size $d$ = {number(one.effect, 2)}; better on "
        f"{one.better}, equal on {one.tied}, worse on {one.worse}. Qrels: "
        f"{escaped(found.qrels)}."
    )
    heads = ("Test", "$n$", "Statistic", "$p$", "Method")
    return document(table("lrrrl", heads, rows, caption, "tab:two-runs", size=r"\footnotesize"))
