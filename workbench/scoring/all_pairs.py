"""Every two of several runs, the most certain difference first: the result, and its CSV, JSON and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import Protocol

from workbench.errors import WorkbenchError
from workbench.export import Export, table_export
from workbench.latex import between, document, escaped, number, percent, table
from workbench.scoring.pairs_of_runs import ComparedRuns, Comparisons, compare_all
from workbench.scoring.relevance import Floats
from workbench.scoring.scorer import RunScores, best_first, topic_scores_of
from workbench.scoring.significance import LEVEL

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
    """Every two runs by the measure `shown` on the same qrels, which `qrels` names.

    `ranked` has the runs, best first. `wins` and `losses` count, by tag, the runs that a run is significantly
    better and worse than.
    """

    qrels: str
    shown: str
    ranked: tuple[RunScores, ...]
    compared: ComparedRuns
    lines: tuple[PairLine, ...]
    wins: Mapping[str, int]
    losses: Mapping[str, int]

    @property
    def significant(self) -> int:
        """How many of the differences are significant."""
        return sum(line.significant for line in self.lines)


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
) -> AllPairs:
    """Compare every two runs that were scored on the same qrels.

    Raises WorkbenchError for fewer than two runs or topics, and for more runs than the method can be asked
    for (MOST_RUNS).
    """
    ranked = best_first(runs, shown)
    most = MOST_RUNS.get(method)
    if most is not None and len(ranked) > most:
        raise WorkbenchError(
            f"{METHODS[method]}: too slow for {len(ranked)} runs",
            remedy=f"choose up to {most} runs, or {METHODS[Comparisons.RANDOMISED_TUKEY]}",
        )
    scores = topic_scores_of(ranked, shown).T
    compared = compare(scores, method, seed=seed)
    tags = [run.tag for run in ranked]
    lines = _lines(compared, tags)
    wins, losses = dict.fromkeys(tags, 0), dict.fromkeys(tags, 0)
    for line in lines:
        wins[line.first] += line.significant
        losses[line.second] += line.significant
    return AllPairs(qrels, shown, tuple(ranked), compared, lines, wins, losses)


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


def _lines(compared: ComparedRuns, tags: Sequence[str]) -> tuple[PairLine, ...]:
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
    heads = ("Better", "Other", "Difference", f"{percent(LEVEL)} interval", "$d$", "$p$ adjusted")
    return document(table("llrrrr", heads, rows, caption, "tab:all-pairs", size=r"\footnotesize"))
