"""Curves of a run over recall or rank: precision, F, ROC, cumulated gain beside the best possible.

To add one, write a function that takes a JudgedRun and CurveOptions and returns a Curve, and name it in
`CURVES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from ir_measures import Measure

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.scoring.binary_kernels import LEVELS, check_collection, eleven_points, f_measure
from workbench.scoring.graded_kernels import discounts, gains, ideal_gains
from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.own_measures import own_measures
from workbench.scoring.relevance import Floats
from workbench.scoring.scorer import OrderedRun
from workbench.tables import Export, result_export


@frozen_dataclass
class CurveOptions:
    """Ranks up to `depth`, `rel` as the lowest relevant grade, `beta` of F, and what single curves ask.

    `base` is that of the logarithm that discounts gains, None for log2(rank + 1); `interpolation` is the rule
    of `kernels.binary.interpolated_precision`; `docs` is the size of the collection, where it is known.
    """

    depth: int = 20
    rel: int = 1
    beta: float = 1.0
    base: float | None = None
    interpolation: str = "max"
    docs: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Columns over the points `x`, a level of recall or a rank; each of shape (topics, points).

    Where averages of columns are divided by one another, and not averages taken of what is divided,
    `of_means` names the two.
    """

    over: str
    x: tuple[float, ...]
    columns: Mapping[str, Floats]
    of_means: Mapping[str, tuple[str, str]]

    def mean(self) -> dict[str, Floats]:
        """The mean of every column over the topics, and what is computed of these means."""
        means: dict[str, Floats] = {name: column.mean(axis=0) for name, column in self.columns.items()}
        return means | {name: share(means[of], means[by]) for name, (of, by) in self.of_means.items()}

    def of_topic(self, row: int) -> dict[str, Floats]:
        """The columns of one topic."""
        return {name: column[row] for name, column in self.columns.items()}


def recall_precision(run: JudgedRun, options: CurveOptions) -> Curve:
    """Interpolated precision at the eleven standard levels of recall."""
    return Curve("recall", LEVELS, {"precision": eleven_points(run, options.rel, options.interpolation)}, {})


def by_rank(run: JudgedRun, options: CurveOptions) -> Curve:
    """Precision, recall and F of the first k documents."""
    found, ranks = _found(run, options), np.arange(1, options.depth + 1)
    precision, recall = found / ranks, share(found, run.relevant(options.rel)[:, np.newaxis])
    columns = {"precision": precision, "recall": recall}
    return Curve(
        "rank", _ranks(options), columns | {"F": f_measure(precision, recall, beta=options.beta)}, {}
    )


def roc(run: JudgedRun, options: CurveOptions) -> Curve:
    """Recall against fallout of the first k documents: of the judged, or of a collection of `docs`.

    The area under the whole curve is the measure AUC.
    """
    relevant, rel = run.relevant(options.rel), options.rel
    others = run.grades < rel
    if options.docs is None:
        others &= run.grades >= 0
        all_others = run.not_relevant(rel)
        if not all_others.any():
            raise WorkbenchError(
                "fallout is undefined: the qrels have no document that is not relevant",
                remedy="give the number of documents in the collection: docs",
            )
    else:
        auc: Any = own_measures()["AUC"]
        found = run.counted(run.hits(rel).rows)
        check_collection(auc(docs=options.docs), run.retrieved + relevant - found)
        all_others = options.docs - relevant
    read = np.cumsum(_matrix(run, others.astype(np.float64), options.depth), axis=1)
    columns = {
        "fallout": share(read, all_others[:, np.newaxis]),
        "recall": share(_found(run, options), relevant[:, np.newaxis]),
    }
    return Curve("rank", _ranks(options), columns, {})


def gain(run: JudgedRun, options: CurveOptions) -> Curve:
    """CG and DCG of the first k documents, those of the best ranking, and the quotients of both.

    nCG and nDCG are averaged over topics; the columns CG/ICG and DCG/IDCG are averages divided by
    averages, as Jarvelin and Kekalainen (2002) and Baeza-Yates and Ribeiro-Neto normalise.
    """
    kind: Any = own_measures()["nDCG"]
    measure: Measure = kind if options.base is None else kind(base=options.base)
    discount = discounts(np.arange(1, options.depth + 1), measure)
    gained = _matrix(run, gains(run.grades, measure), options.depth)
    best = _matrix(*ideal_gains(run, measure), options.depth)[run.topics]
    cg, ideal_cg = np.cumsum(gained, axis=1), np.cumsum(best, axis=1)
    dcg, ideal_dcg = np.cumsum(gained / discount, axis=1), np.cumsum(best / discount, axis=1)
    columns = {
        "CG": cg,
        "DCG": dcg,
        "ICG": ideal_cg,
        "IDCG": ideal_dcg,
        "nCG": share(cg, ideal_cg),
        "nDCG": share(dcg, ideal_dcg),
    }
    quotients = {"CG/ICG": ("CG", "ICG"), "DCG/IDCG": ("DCG", "IDCG")}
    return Curve("rank", _ranks(options), columns, quotients)


CURVES: dict[str, Callable[[JudgedRun, CurveOptions], Curve]] = {
    "recall-precision": recall_precision,
    "rank": by_rank,
    "roc": roc,
    "gain": gain,
}
"""The curves by the names under which commands know them."""


def _ranks(options: CurveOptions) -> tuple[int, ...]:
    return tuple(range(1, options.depth + 1))


def _found(run: JudgedRun, options: CurveOptions) -> Floats:
    """How many relevant documents there are up to each rank; shape (topics, depth)."""
    relevant = (run.grades >= options.rel).astype(np.float64)
    return np.cumsum(_matrix(run, relevant, options.depth), axis=1)


def _matrix(run: JudgedRun, values: Floats, depth: int) -> Floats:
    """The values of documents by topic and rank, 0 behind the last document; shape (topics, depth)."""
    matrix = np.zeros((len(run), depth))
    kept = run.ranks <= depth
    matrix[run.rows[kept], run.ranks[kept] - 1] = values[kept]
    return matrix


COLUMNS = {"recall-precision": "precision", "gain": "nDCG"}
"""The curves that show one figure of several runs, and the column of the curve that this is."""
RULES = {
    "max": "highest from this recall on (TREC)",
    "bucket": "highest below the next level (textbooks)",
}
"""What each rule of interpolation takes at a level of recall."""


@frozen_dataclass
class RunCurve:
    """The mean of a run at each point of the curve; `scored` counts the topics that it has."""

    tag: str
    scored: int
    values: tuple[float, ...]


@frozen_dataclass
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
    return result_export(found, (columns, rows), _data)


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
