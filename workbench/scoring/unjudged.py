"""What unjudged documents leave open of a score: how many it reads, and what it were with them relevant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels.cutoff import cutoff_of
from workbench.scoring.kernels.registry import compute, kernel_of
from workbench.scoring.pair_table import ABSENT
from workbench.scoring.relevance import Grades, Positions, Relevance

# They count documents: what is not judged leaves no score open.
_COUNTS = frozenset({"Judged", "NumQ", "NumRet", "NumRel"})


@dataclass(frozen=True, slots=True)
class ScoreBounds:
    """What a run's unjudged documents leave open of a mean over all topics of the qrels.

    `unjudged` of the `read` documents are not in the qrels: those down to the measure's cutoff, all retrieved
    where it has none. `low` and `high` are the lower and the higher of two means: with all of these documents
    not relevant, as the run is scored, and with all of them relevant.
    """

    unjudged: int
    read: int
    low: float
    high: float

    @property
    def width(self) -> float:
        """How far the mean can move between the two."""
        return self.high - self.low


def score_bounds(run: JudgedRun, measure: Measure, *, highest: int) -> ScoreBounds | None:
    """The bounds of a run's mean score; `highest` is the grade that unjudged documents could have.

    As relevant, they also raise the number of relevant documents by which AP, recall and nDCG divide: for
    these measures the two are no extremes, since some judged relevant and some not may give less or more.
    None where the measure has no kernel (see `kernels.registry`) or counts documents.
    """
    kernel = kernel_of(measure)
    if kernel is None or measure.NAME in _COUNTS:
        return None
    if kernel.of_empty:
        run = run.of_all_topics()
    cutoff = cutoff_of(measure)
    read = np.ones(len(run.grades), dtype=np.bool_) if cutoff is None else run.ranks <= cutoff
    unjudged = read & (run.grades == ABSENT)
    without = compute(kernel, run, measure)
    relevant = without
    if unjudged.any():
        grade = max(highest, run.relevance.highest, int(measure.params.get("rel", 1)))
        more = np.zeros(len(run.relevance.topics), dtype=np.intp)
        more[run.topics] = np.bincount(run.rows[unjudged], minlength=len(run))
        grades = np.where(unjudged, grade, run.grades)
        more_relevant = _MoreRelevant(run.relevance, more, grade)
        filled = JudgedRun(more_relevant, run.topics, run.starts, grades, scores=run.scores)
        relevant = compute(kernel, filled, measure)
    topics = len(run.relevance.topics)
    low, high = sorted((float(without.sum()) / topics, float(relevant.sum()) / topics))
    return ScoreBounds(int(unjudged.sum()), int(read.sum()), low, high)


class _MoreRelevant(Relevance):
    """Qrels with so many more documents of the highest grade for each topic; shape (topics,)."""

    def __init__(self, qrels: Relevance, more: Positions, grade: int) -> None:
        self.topics, self.grades, self.numbers = qrels.topics, qrels.grades, qrels.numbers
        self._qrels, self._more, self._grade = qrels, more, grade

    @cached_property
    def ideal(self) -> tuple[Positions, Grades]:
        """As of the qrels, the documents that were added first in each topic."""
        starts, grades = self._qrels.ideal
        added = np.insert(grades, np.repeat(starts[:-1], self._more), self._grade)
        return starts + np.append(0, np.cumsum(self._more)), added
