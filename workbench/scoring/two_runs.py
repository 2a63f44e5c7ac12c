"""Two runs topic by topic, with the tests of their difference: the result, and its CSV, JSON and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from functools import cached_property, partial
from math import isnan
from typing import Protocol

import numpy as np

from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.scoring.pairs_of_runs import ComparedRuns, Comparisons, compare_all, finds_nothing
from workbench.scoring.relevance import Floats, Positions
from workbench.scoring.scorer import RunScores, best_first, higher_is_better, topic_scores_of, topics_of_all
from workbench.scoring.significance import LEVEL, TOO_FEW_TOPICS, RunDifference, SignificanceTest, compare_two
from workbench.tables import (
    Export,
    between,
    document,
    escaped,
    number,
    percent,
    result_export,
    table,
    table_export,
)

TESTS = {
    SignificanceTest.T: "Paired t test",
    SignificanceTest.WILCOXON: "Wilcoxon signed-rank test",
    SignificanceTest.RANDOMISATION: "Randomisation test",
    SignificanceTest.BOOTSTRAP: "Paired bootstrap test",
}


@frozen_dataclass
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
    return result_export(found, (columns, found.topics), _two_data, _two_latex)


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
        "tests": [asdict(test) for test in one.tests],
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
        f"{counted(one.topics, 'topic')}: mean difference {number(one.mean, 4)}, {interval}, effect size "
        f"$d$ = {number(one.effect, 2)}; better on {one.better}, equal on {one.tied}, worse on {one.worse}. "
        f"Qrels: {escaped(found.qrels)}."
    )
    heads = ("Test", "$n$", "Statistic", "$p$", "Method")
    return document(table("lrrrl", heads, rows, caption, "tab:two-runs", size=r"\footnotesize"))


METHODS = {
    Comparisons.MAX_T: "Largest t of all pairs, bootstrap",
    Comparisons.T_HOLM: "Paired t tests, Holm",
    Comparisons.WILCOXON_HOLM: "Wilcoxon tests, Holm",
    Comparisons.RANDOMISATION_HOLM: "Randomisation tests, Holm",
}
MOST_RUNS = {Comparisons.WILCOXON_HOLM: 60, Comparisons.RANDOMISATION_HOLM: 25}
"""Up to how many runs a method takes no more than some seconds; the others are as fast for hundreds."""


@frozen_dataclass
class PairLine:
    """Two runs, the better one first; what is None is undefined."""

    first: str
    second: str
    difference: float
    low: float | None
    high: float | None
    effect: float | None
    p: float | None
    significant: bool


@dataclass(frozen=True, eq=False)
class AllPairs:
    """Every two runs by the measure `shown` on the same qrels, which `qrels` names.

    `ranked` has the runs, best first over the topics compared; those that a run lacks are `left_out`.
    """

    # No slots: what is counted is so once. Lines are made where they are shown: 1,000 runs have 499,500.
    qrels: str
    shown: str
    ranked: tuple[RunScores, ...]
    compared: ComparedRuns
    left_out: tuple[str, ...] = ()

    @property
    def pairs(self) -> int:
        """How many pairs of runs there are."""
        return len(self.compared.first)

    @property
    def lines(self) -> tuple[PairLine, ...]:
        """All pairs, the most certain difference first; made anew each time."""
        return self.first_lines(self.pairs)

    def first_lines(self, most: int) -> tuple[PairLine, ...]:
        """The first of the lines."""
        return tuple(_lines(self.compared, self.compared.order[:most], [run.tag for run in self.ranked]))

    @property
    def finds_nothing(self) -> str:
        """Why the test can find nothing, or hardly anything; empty where it can."""
        return finds_nothing(self.compared.comparisons, self.compared.topics, self.pairs)

    @cached_property
    def significant(self) -> int:
        """How many of the differences are significant."""
        return int(np.count_nonzero(self.compared.significant))

    @cached_property
    def wins(self) -> Mapping[str, int]:
        """How many runs each is significantly better than, by tag."""
        return self._counts(self.compared.first)

    @cached_property
    def losses(self) -> Mapping[str, int]:
        """How many runs each is significantly worse than, by tag."""
        return self._counts(self.compared.second)

    def _counts(self, places: Positions) -> dict[str, int]:
        counts = np.bincount(places[self.compared.significant], minlength=len(self.ranked))
        return dict(zip((run.tag for run in self.ranked), counts.tolist(), strict=True))


class _Compare(Protocol):
    def __call__(self, scores: Floats, comparisons: Comparisons, /, *, seed: int) -> ComparedRuns: ...


def all_pairs(
    runs: Iterable[RunScores],
    shown: str,
    method: Comparisons,
    *,
    qrels: str,
    seed: int = 0,
    compare: _Compare = compare_all,
    all_topics: bool = False,
) -> AllPairs:
    """Compare every two runs that were scored on the same qrels, over the topics that all of them have.

    With `all_topics` over those of the qrels: a run that lacks one counts as retrieving nothing there.

    Raises WorkbenchError for fewer than two runs or topics, and for more runs than the method can be asked
    for (MOST_RUNS).
    """
    ranked, scores, left_out = ranked_scores(runs, shown, all_topics=all_topics)
    most = MOST_RUNS.get(method)
    if most is not None and len(ranked) > most:
        raise WorkbenchError(
            f"{METHODS[method]}: too slow for {counted(len(ranked), 'run')}",
            remedy=f"choose up to {counted(most, 'run')}, or {METHODS[Comparisons.MAX_T]}",
        )
    compared = compare(scores, method, seed=seed)
    return AllPairs(qrels, shown, tuple(ranked), compared, left_out)


def ranked_scores(
    runs: Iterable[RunScores], shown: str, *, all_topics: bool = False
) -> tuple[list[RunScores], Floats, tuple[str, ...]]:
    """The runs, best first over the topics that all have, their scores there, and the topics left out.

    Scores have the shape (topics, runs). Raises WorkbenchError where runs have fewer than two in common.
    """
    ranked = best_first(runs, shown)
    scores = topic_scores_of(ranked, shown)
    left_out, shared = topics_of_all(ranked, shown)
    if all_topics or not left_out:
        return ranked, scores.T, ()
    if shared.sum() < 2:
        raise too_little_shared(ranked, int(shared.sum()))
    scores = scores[:, shared]
    sign = -1 if higher_is_better(shown) else 1
    order = sorted(range(len(ranked)), key=lambda at: (sign * scores[at].mean(), ranked[at].tag))
    return [ranked[at] for at in order], scores[order].T, left_out


def all_pairs_export(found: AllPairs) -> Export:
    """One row for every two runs."""
    columns = ("first", "second", "difference", "low", "high", "effect", "p_adjusted", "significant")
    rows = [astuple(one) for one in found.lines]
    data = {
        "measure": found.shown,
        "method": str(found.compared.comparisons),
        "topics": found.compared.topics,
        "left_out": list(found.left_out),
        "level": found.compared.level,
        "rounds": found.compared.rounds or None,
        "seed": found.compared.seed,
        "finds_nothing": found.finds_nothing,
    }
    return Export(
        columns,
        lambda: rows,
        lambda: {**data, "pairs": table_export(columns, rows).data()},
        partial(_all_latex, found),
    )


def method_in_words(compared: ComparedRuns) -> str:
    """How all pairs were tested, with what was drawn at random."""
    drawn = f", {compared.rounds:,} rounds, seed {compared.seed}" if compared.rounds else ""
    return METHODS[compared.comparisons] + drawn


def _lines(compared: ComparedRuns, chosen: Positions, tags: Sequence[str]) -> Iterator[PairLine]:
    columns = (compared.first, compared.second, compared.differences, compared.reach)
    measured = (compared.effects, compared.adjusted, compared.significant)
    for first, second, difference, reach, effect, p, significant in zip(
        *(column[chosen].tolist() for column in (*columns, *measured)), strict=True
    ):
        values = (difference - reach, difference + reach, effect, p)
        low, high, effect, p = (None if isnan(value) else value for value in values)
        yield PairLine(tags[first], tags[second], difference, low, high, effect, p, significant)


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
        f"Every two of {len(found.ranked)} runs by {escaped(found.shown)} over "
        f"{found.compared.topics} topics: {escaped(method_in_words(found.compared))}. {found.significant} of "
        f"{len(rows)} differences are significant at {1 - LEVEL:.2g}. Qrels: {escaped(found.qrels)}."
    )
    interval = f"{percent(LEVEL)} interval of all pairs together"
    heads = ("Better", "Other", "Difference", interval, "$d_z$", "$p$ adjusted")
    return document(table("llrrrr", heads, rows, caption, "tab:all-pairs", size=r"\footnotesize"))
