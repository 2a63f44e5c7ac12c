"""Runs against one another: two of them topic by topic, and every two with their number corrected for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from math import isnan

import numpy as np

from workbench.consensus.rule_choice import choice_label
from workbench.errors import WorkbenchError
from workbench.export import Export, table_export
from workbench.latex import between, document, escaped, number, percent, table
from workbench.scoring.pairs_of_runs import ComparedRuns, Comparisons, compare_all
from workbench.scoring.scorer import RunScores, best_first
from workbench.scoring.significance import LEVEL, RunDifference, SignificanceTest, compare_two
from workbench.workflow.caching import Cache
from workbench.workflow.scores.score_table import ScoreTable

TESTS = {
    SignificanceTest.T: "Paired t test",
    SignificanceTest.WILCOXON: "Wilcoxon signed-rank test",
    SignificanceTest.RANDOMISATION: "Randomisation test",
}
METHODS = {
    Comparisons.RANDOMISED_TUKEY: "Tukey HSD, randomised",
    Comparisons.TUKEY: "Tukey HSD",
    Comparisons.T_HOLM: "Paired t tests, Holm",
    Comparisons.WILCOXON_HOLM: "Wilcoxon tests, Holm",
    Comparisons.RANDOMISATION_HOLM: "Randomisation tests, Holm",
}
MOST_RUNS = {Comparisons.TUKEY: 30, Comparisons.WILCOXON_HOLM: 60, Comparisons.RANDOMISATION_HOLM: 25}
"""Up to how many runs a method takes no more than some seconds; the others are as fast for hundreds."""


@dataclass(frozen=True, slots=True)
class TwoRuns:
    """Two runs of a table by the measure `shown`: `first` less `second`."""

    table: ScoreTable
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


@dataclass(frozen=True, slots=True)
class PairLine:
    """Two runs, the better one first; `effect` and `p` are None where they are undefined."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    effect: float | None
    p: float | None
    significant: bool


@dataclass(frozen=True, slots=True)
class AllPairs:
    """Every two runs of a table by the measure `shown`; the most certain difference comes first.

    `wins` and `losses` count, by tag, the runs that a run is significantly better and worse than.
    """

    table: ScoreTable
    shown: str
    compared: ComparedRuns
    lines: tuple[PairLine, ...]
    wins: dict[str, int]
    losses: dict[str, int]

    @property
    def significant(self) -> int:
        """How many of the differences are significant."""
        return sum(line.significant for line in self.lines)

    @property
    def ranked(self) -> tuple[RunScores, ...]:
        """The runs, best first by the measure shown."""
        return tuple(best_first(self.table.runs, self.shown))


_COMPARED: Cache[tuple[str, Comparisons, int], ComparedRuns] = Cache(16)
"""Every two of the last runs, by the hash of their scores."""


def two_runs(found: ScoreTable, shown: str, first: str, second: str, *, seed: int = 0) -> TwoRuns:
    """Compare two runs of a table, which must be whole.

    Raises WorkbenchError for a run with itself, and KeyError for a run that is not in the table.
    """
    if first == second:
        raise WorkbenchError("a run cannot be compared with itself", remedy="choose another one")
    one, other = found.run(first), found.run(second)
    scores = [np.fromiter(run.per_topic[shown].values(), dtype=np.float64) for run in (one, other)]
    return TwoRuns(found, shown, one, other, compare_two(*scores, seed=seed))


def all_pairs(found: ScoreTable, shown: str, method: Comparisons, *, seed: int = 0) -> AllPairs:
    """Compare every two runs of a table, which must be whole.

    Raises WorkbenchError for fewer than two runs or topics, and for more runs than the method can be asked
    for (MOST_RUNS).
    """
    most = MOST_RUNS.get(method)
    if most is not None and len(found.runs) > most:
        raise WorkbenchError(
            f"{METHODS[method]}: too slow for {len(found.runs)} runs",
            remedy=f"choose up to {most} runs, or {METHODS[Comparisons.RANDOMISED_TUKEY]}",
        )
    runs = best_first(found.runs, shown)
    scores = np.array([list(run.per_topic[shown].values()) for run in runs], dtype=np.float64).T
    key = hashlib.sha256(np.ascontiguousarray(scores).tobytes() + repr(scores.shape).encode()).hexdigest()
    compared = _COMPARED.get((key, method, seed), lambda: compare_all(scores, method, seed=seed))
    tags = [run.tag for run in runs]
    lines = _lines(compared, tags)
    wins, losses = dict.fromkeys(tags, 0), dict.fromkeys(tags, 0)
    for line in lines:
        wins[line.first] += line.significant
        losses[line.second] += line.significant
    return AllPairs(found, shown, compared, lines, wins, losses)


def two_runs_export(found: TwoRuns) -> Export:
    """One row a topic as CSV; the comparison and its tests too as JSON; a table of the tests as LaTeX."""
    columns = ("topic", found.first.tag, found.second.tag, "difference")
    rows = found.topics
    return Export(columns, lambda: rows, partial(_two_data, found), partial(_two_latex, found))


def all_pairs_export(found: AllPairs) -> Export:
    """One row for every two runs."""
    columns = ("first", "second", "difference", "low", "high", "effect", "p_adjusted", "significant")
    rows = [
        (one.first, one.second, one.difference, one.low, one.high, one.effect, one.p, one.significant)
        for one in found.lines
    ]
    data = {
        "measure": found.shown,
        "method": str(found.compared.comparisons),
        "topics": found.compared.topics,
        "level": found.compared.level,
        "rounds": found.compared.rounds or None,
        "seed": found.compared.seed,
    }
    return Export(
        columns,
        lambda: rows,
        lambda: {**data, "pairs": table_export(columns, rows).data()},
        partial(_all_latex, found),
    )


def method_in_words(compared: ComparedRuns) -> str:
    """How all pairs were tested, with what was drawn at random."""
    drawn = f", {compared.rounds:,} permutations, seed {compared.seed}" if compared.rounds else ""
    return METHODS[compared.comparisons] + drawn


def _lines(compared: ComparedRuns, tags: list[str]) -> tuple[PairLine, ...]:
    lines = []
    for place, significant in enumerate(compared.significant.tolist()):
        difference, reach = float(compared.differences[place]), float(compared.reach[place])
        lines.append(
            PairLine(
                tags[int(compared.first[place])],
                tags[int(compared.second[place])],
                difference,
                difference - reach,
                difference + reach,
                _defined(compared.effects[place]),
                _defined(compared.adjusted[place]),
                significant,
            )
        )
    return tuple(sorted(lines, key=lambda line: (2.0 if line.p is None else line.p, -line.difference)))


def _defined(value: float) -> float | None:
    return None if isnan(value) else float(value)


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
        f"{escaped(choice_label(found.table.qrels.choice))}."
    )
    heads = ("Test", "$n$", "Statistic", "$p$", "Method")
    return document(table("lrrrl", heads, rows, caption, "tab:two-runs", size=r"\footnotesize"))


def _all_latex(found: AllPairs) -> str:
    rows = [
        (
            escaped(line.first),
            escaped(line.second),
            number(line.difference, 4),
            between(line.low, line.high, 4),
            number(line.effect, 2),
            number(line.p, 4),
        )
        for line in found.lines
    ]
    caption = (
        f"Every two of {len(found.table.runs)} runs by {escaped(found.shown)} over "
        f"{found.compared.topics} topics: {escaped(method_in_words(found.compared))}. {found.significant} of "
        f"{len(rows)} differences are significant at {1 - LEVEL:.2g}."
    )
    heads = ("Better", "Other", "Difference", f"{percent(LEVEL)} interval", "$d$", "$p$ adjusted")
    return document(table("llrrrr", heads, rows, caption, "tab:all-pairs", size=r"\footnotesize"))
