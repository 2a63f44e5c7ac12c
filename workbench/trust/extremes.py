"""The lowest and highest score that a run could have, whatever its unjudged documents are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from ir_measures import Measure

from workbench.scoring.binary_kernels import cutoff_of, last_rank
from workbench.scoring.judged_run import JudgedRun, share
from workbench.scoring.kernels import compute, kernel_of
from workbench.scoring.relevance import Floats, Marks

_ERRS_HIGHEST = 4


@dataclass(frozen=True, slots=True, eq=False)
class Extremes:
    """The lowest and highest score of each topic of a run, over all grades of its unjudged documents.

    Documents that the run did not retrieve stay as they are. Shapes (topics of the run,). `missing` is the
    highest score of a topic that the run does not answer: 1 where a longer run could still gain it, else 0.
    """

    lowest: Floats
    highest: Floats
    missing: float = 0.0


def score_extremes(run: JudgedRun, measure: Measure, *, highest: int) -> Extremes | None:
    """The extremes of a measure in `EXTREMES`; None for others, and where a parameter changes what counts.

    `highest` is the highest grade that a document can have. A negative grade means not judged.
    """
    find, kernel = EXTREMES.get(str(measure.NAME)), kernel_of(measure)
    if find is None or kernel is None or "judged_only" in measure.params:
        return None
    return find(run, measure, max(highest, run.relevance.highest, int(measure.params.get("rel", 1))))


def _monotone(run: JudgedRun, measure: Measure, highest: int) -> Extremes:
    """A measure that no relevant document lowers: all unjudged not relevant, and all of the highest grade."""
    kernel = kernel_of(measure)
    assert kernel is not None  # noqa: S101 - `score_extremes` looked
    filled = np.where(run.grades < 0, highest, run.grades)
    best = JudgedRun(run.relevance, run.topics, run.starts, filled)
    return Extremes(compute(kernel, run, measure), compute(kernel, best, measure))


def _rank_biased(run: JudgedRun, measure: Measure, highest: int) -> Extremes:
    """RBP without and with its residual: what is unjudged, and all ranks that the run does not fill.

    Source: Moffat and Zobel 2008.
    """
    found = _monotone(run, measure, highest)
    p, cutoff = float(measure["p"]), cutoff_of(measure)
    if cutoff is not None:
        # Cut off, ranks below count for nobody; those that a short run leaves empty still could.
        filled = np.minimum(run.retrieved, cutoff)
        return Extremes(found.lowest, found.highest + p**filled - p**cutoff, 1 - p**cutoff)
    return Extremes(found.lowest, found.highest + p ** run.retrieved.astype(np.float64), 1.0)


def _cascade(run: JudgedRun, measure: Measure, highest: int) -> Extremes:
    """ERR, whose scale ends at grade 4 unless the qrels have a higher one."""
    return _monotone(run, measure, min(highest, max(_ERRS_HIGHEST, run.relevance.highest)))


def _average_precision(run: JudgedRun, measure: Measure, _highest: int) -> Extremes:
    """AP: of so many relevant documents among the unjudged, those at the top gain most, at the end least.

    A relevant document also raises the number that AP divides by, so that the extremes may lie between all
    and none: every number of them is tried.
    """
    rel, last = int(measure["rel"]), last_rank(measure)
    relevant = run.relevant(rel)
    lowest, highest = np.zeros(len(run)), np.zeros(len(run))
    for row in range(len(run)):
        grades = run.grades[run.starts[row] : run.starts[row + 1]]
        lowest[row], highest[row] = _ap_extremes(grades >= rel, grades < 0, int(relevant[row]), last)
    return Extremes(lowest, highest)


def _ap_extremes(hits: Marks, unjudged: Marks, relevant: int, last: int) -> tuple[float, float]:
    """The extremes of one topic; `hits` and `unjudged` by rank."""
    ranks = np.arange(1.0, len(hits) + 1.0)
    above = np.cumsum(hits)
    worth = np.where(ranks <= last, 1.0 / ranks, 0.0)
    of_hits = np.where(hits, worth, 0.0)
    below = of_hits.sum() - np.cumsum(of_hits)
    at = np.flatnonzero(unjudged)
    order = np.arange(1, len(at) + 1)
    # From the top: its own precision, with those added before it, and what each hit below it gains.
    gained = (above[at] + order) * worth[at] + below[at]
    # From the end: nothing added stands above it, and those added before gain by it.
    end = at[::-1]
    lost = (above[end] + 1) * worth[end] + below[end] + np.cumsum(worth[end]) - worth[end]
    start = float((above * of_hits).sum())
    # Without any relevant document AP is 0, as are the sums that it would be made of.
    wholes = np.maximum(relevant + np.arange(len(at) + 1.0), 1.0)
    best = (start + np.append(0.0, np.cumsum(gained))) / wholes
    worst = (start + np.append(0.0, np.cumsum(lost))) / wholes
    return float(worst.min()), float(best.max())


def _recall(run: JudgedRun, measure: Measure, _highest: int) -> Extremes:
    """Recall: highest where all unjudged documents to the cutoff are relevant, lowest where those below."""
    rel, within = int(measure["rel"]), run.ranks <= last_rank(measure)
    unjudged = run.grades < 0
    inside, outside = (run.counted(run.rows[unjudged & part]) for part in (within, ~within))
    found, relevant = run.counted(run.rows[within & (run.grades >= rel)]), run.relevant(rel)
    return Extremes(share(found, relevant + outside), share(found + inside, relevant + inside))


EXTREMES: dict[str, Callable[[JudgedRun, Measure, int], Extremes]] = {
    "P": _monotone,
    "RR": _monotone,
    "Success": _monotone,
    "ERR": _cascade,
    "RBP": _rank_biased,
    "AP": _average_precision,
    "R": _recall,
}
"""The measures whose extremes are known, by the name that ir_measures gives them."""
