"""What unjudged documents leave open of a score: how many it reads, and what it were with them relevant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from ir_measures import Measure

from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels.cutoff import cutoff_of
from workbench.scoring.kernels.registry import Kernel, compute, kernel_of
from workbench.scoring.pair_table import ABSENT
from workbench.scoring.relevance import Floats, Grades, Positions, Relevance, places_from

# They count documents: what is not judged leaves no score open.
_COUNTS = frozenset({"Judged", "NumQ", "NumRet", "NumRel"})


@dataclass(frozen=True, slots=True)
class ScoreBounds:
    """What a run's unjudged documents leave open of a mean over all topics of the qrels.

    `unjudged` of the `read` documents are not in the qrels: those down to the measure's cutoff, all retrieved
    where it has none. The two means have all of these documents not relevant, as the run is scored, or all of
    them relevant, which can lower a score: one that divides by the relevant documents, or one of which lower
    is better.
    """

    unjudged: int
    read: int
    as_not_relevant: float
    as_relevant: float

    @property
    def low(self) -> float:
        """The lower of the two."""
        return min(self.as_not_relevant, self.as_relevant)

    @property
    def high(self) -> float:
        """The higher of the two."""
        return max(self.as_not_relevant, self.as_relevant)

    @property
    def width(self) -> float:
        """How far the mean can move between the two."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, eq=False)
class OpenScores:
    """What a run's unjudged documents leave open of a measure, topic by topic; all of shape (topics,).

    `unjudged` of the `read` documents are not in the qrels; `without` and `filled` are the values with these
    not relevant, and with all of them relevant.
    """

    unjudged: Positions
    read: Positions
    without: Floats
    filled: Floats

    def bounds(self, topics: int) -> ScoreBounds:
        """The bounds of the mean over so many topics; those that are not here count as 0."""
        ends = float(self.without.sum()) / topics, float(self.filled.sum()) / topics
        return ScoreBounds(int(self.unjudged.sum()), int(self.read.sum()), *ends)


def score_bounds(run: JudgedRun, measure: Measure, *, highest: int) -> ScoreBounds | None:
    """The bounds of a run's mean score; `highest` is the grade that unjudged documents could have.

    As relevant, they also raise the number of relevant documents by which AP, recall and nDCG divide: for
    these measures the two are no extremes, since some judged relevant and some not may give less or more.
    None where the measure has no kernel (see `kernels.registry`) or counts documents.
    """
    kernel = bounded_kernel(measure)
    if kernel is None:
        return None
    topics = len(run.relevance.topics)
    return open_scores(run.of_all_topics() if kernel.of_empty else run, measure, highest=highest).bounds(
        topics
    )


def bounded_kernel(measure: Measure) -> Kernel | None:
    """The kernel of a measure of which unjudged documents leave something open, else None."""
    return None if measure.NAME in _COUNTS else kernel_of(measure)


def open_scores(run: JudgedRun, measure: Measure, *, highest: int) -> OpenScores:
    """What is open of each row of a run; raises KeyError where the measure has no `bounded_kernel`."""
    kernel = bounded_kernel(measure)
    if kernel is None:
        raise KeyError(str(measure))
    cutoff = cutoff_of(measure)
    read = np.ones(len(run.grades), dtype=np.bool_) if cutoff is None else run.ranks <= cutoff
    unjudged = read & (run.grades == ABSENT)
    more = run.counted(run.rows[unjudged])
    without = filled = compute(kernel, run, measure)
    if unjudged.any():
        grade = max(highest, run.relevance.highest, int(measure.params.get("rel", 1)))
        # Rows of one topic that lack the same number have the same qrels.
        most = int(more.max()) + 1
        numbers, row_of = np.unique(run.topics * most + more, return_inverse=True)
        more_relevant = _MoreRelevant(run.relevance, numbers // most, numbers % most, grade)
        grades = np.where(unjudged, grade, run.grades)
        judged = JudgedRun(more_relevant, row_of, run.starts, grades, scores=run.scores)
        filled = compute(kernel, judged, measure)
    return OpenScores(more, run.counted(run.rows[read]), without, filled)


class _MoreRelevant(Relevance):
    """Topics of qrels, each with so many more documents of the highest grade; both of shape (topics,)."""

    def __init__(self, qrels: Relevance, numbers: Positions, more: Positions, grade: int) -> None:
        self._qrels, self._of, self._more, self._grade = qrels, numbers, more, grade

    @property
    def highest(self) -> int:
        """The grade that was added."""
        return self._grade

    def relevant(self, rel: int) -> Positions:
        """As of the qrels, with what was added."""
        return self._qrels.relevant(rel)[self._of] + self._more * (self._grade >= rel)

    @cached_property
    def ideal(self) -> tuple[Positions, Grades]:
        """As of the qrels, the documents that were added first in each topic."""
        return self.best_grades(None)

    def best_grades(self, depth: int | None) -> tuple[Positions, Grades]:
        """As of all qrels."""
        firsts, known = self._qrels.best_grades(depth)
        sizes, more = np.diff(firsts)[self._of], self._more
        if depth is not None:
            more = np.minimum(more, depth)
            sizes = np.minimum(sizes, depth - more)
        starts = np.append(0, np.cumsum(more + sizes))
        grades = np.full(starts[-1], self._grade, dtype=np.int64)
        grades[places_from(starts[:-1] + more, sizes)] = known[places_from(firsts[self._of], sizes)]
        return starts, grades
