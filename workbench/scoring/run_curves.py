"""Several runs by one curve, averaged over topics: the result, and its CSV, JSON and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from workbench.export import Export
from workbench.latex import document, escaped, number, table
from workbench.scoring.curves import CURVES, CurveOptions
from workbench.scoring.scorer import OrderedRun

COLUMNS = {"recall-precision": "precision", "gain": "nDCG"}
"""The curves that show one figure of several runs, and the column of the curve that this is."""
RULES = {
    "max": "highest from this recall on (TREC)",
    "bucket": "highest below the next level (textbooks)",
}
"""What each rule of interpolation takes at a level of recall."""


@dataclass(frozen=True, slots=True)
class RunCurve:
    """The mean of a run at each point of the curve; `scored` counts the topics that it has."""

    tag: str
    scored: int
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RunCurves:
    """Runs by a curve on qrels that `qrels` names: means over `topics` topics at the points `x`.

    `kind` is one of COLUMNS; `over` is recall or rank. A topic that a run lacks counts as 0.
    """

    qrels: str
    kind: str
    options: CurveOptions
    over: str
    x: tuple[float, ...]
    topics: int
    lines: tuple[RunCurve, ...]

    @property
    def figure(self) -> str:
        """What is averaged: precision or nDCG."""
        return COLUMNS[self.kind]

    @property
    def in_words(self) -> str:
        """What the values are, with the rule of interpolation or the last rank."""
        if self.kind == "gain":
            return f"Mean nDCG of the first 1 to {self.options.depth} documents"
        return f"Interpolated precision at eleven levels of recall: {RULES[self.options.interpolation]}"


def run_curves(
    runs: Iterable[OrderedRun], kind: str, options: CurveOptions, *, topics: int, qrels: str
) -> RunCurves:
    """The curve of each run, in the order given, of one run or more; `topics` counts those of the qrels."""
    lines = []
    for run in runs:
        curve = CURVES[kind](run.judged.of_all_topics(), options)
        values = tuple(map(float, curve.mean()[COLUMNS[kind]]))
        lines.append(RunCurve(run.tag, len(run.judged), values))
    return RunCurves(qrels, kind, options, curve.over, curve.x, topics, tuple(lines))


def run_curves_export(found: RunCurves) -> Export:
    """One row for each point, with a column for each run."""
    columns = (found.over, *(line.tag for line in found.lines))
    rows = [(x, *(line.values[at] for line in found.lines)) for at, x in enumerate(found.x)]
    return Export(columns, lambda: rows, partial(_data, found), partial(_latex, found))


def _data(found: RunCurves) -> dict[str, object]:
    recall = found.over == "recall"
    return {
        "curve": found.kind,
        "figure": found.figure,
        "interpolation": found.options.interpolation if recall else None,
        "relevant_from": found.options.rel if recall else None,
        "topics": found.topics,
        found.over: list(found.x),
        "runs": [
            {"run": line.tag, "topics_scored": line.scored, found.figure: list(line.values)}
            for line in found.lines
        ],
    }


def _latex(found: RunCurves) -> str:
    rows = [(f"{x:g}", *(number(line.values[at], 4) for line in found.lines)) for at, x in enumerate(found.x)]
    caption = f"{escaped(found.in_words)}. Means over {found.topics} topics; qrels: {escaped(found.qrels)}."
    heads = (found.over.capitalize(), *(escaped(line.tag) for line in found.lines))
    layout = f"r{'r' * len(found.lines)}"
    return document(table(layout, heads, rows, caption, "tab:curves", size=r"\footnotesize"))
