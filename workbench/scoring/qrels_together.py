"""Runs scored on several qrels of the same pairs: documents are looked up once, and graded for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from ir_measures import Measure
from numpy.typing import NDArray

from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels.registry import compute, kernel_of
from workbench.scoring.pair_table import ABSENT, PairTable, pairs_of
from workbench.scoring.relevance import Floats, Grades, Positions, Relevance, places_from
from workbench.scoring.run_arrays import RunArrays, RunsTogether, read_together
from workbench.scoring.topic_rankings import TopicRankings


class PairNumbers(Relevance):
    """The pairs of several topics, in the order of bytes, each by its number where qrels have a grade."""

    def __init__(self, docnos: Mapping[str, Sequence[bytes]]) -> None:
        """Number the docnos of each topic, which are sorted by bytes; there is a pair."""
        self._name(docnos)
        sizes = [len(docnos[topic]) for topic in self.topics]
        self.starts = np.cumsum([0, *sizes])
        listed = np.array(list(chain.from_iterable(docnos[topic] for topic in self.topics)))
        numbers = np.repeat(np.arange(len(sizes)), sizes)
        self._pairs = PairTable(pairs_of(listed, numbers), np.arange(len(listed), dtype=np.int64))

    @property
    def _table(self) -> PairTable:
        return self._pairs


class GradeLists(Relevance):
    """The grades of qrels by topic, none beyond LARGEST_GRADE, whatever the documents."""

    def __init__(self, grades: Mapping[str, Grades]) -> None:
        self._name(grades)
        self._lists = [grades[topic].astype(np.int64) for topic in self.topics]

    @cached_property
    def ideal(self) -> tuple[Positions, Grades]:
        """As of all qrels."""
        ordered = [np.sort(one)[::-1] for one in self._lists]
        return np.cumsum([0, *map(len, ordered)]), np.concatenate(ordered)


@dataclass(frozen=True, slots=True, eq=False)
class GradesOfPairs:
    """What qrels give of the pairs of a topic: the `grades` of these `rows`, or of all where it is None."""

    rows: NDArray[np.int32] | None
    grades: NDArray[np.signedinteger]


class QrelsGrades:
    """Qrels of some of the topics of `PairNumbers`, as scores read them."""

    def __init__(self, pairs: PairNumbers, topics: Mapping[str, GradesOfPairs]) -> None:
        self.relevance = GradeLists({topic: one.grades for topic, one in topics.items()})
        self._of_pair = np.full(pairs.starts[-1] + 1, ABSENT, np.int64)
        self._own = np.full(len(pairs.topics), -1, np.intp)
        for number, topic in enumerate(self.relevance.topics):
            at = pairs.numbers[topic]
            self._own[at] = number
            of_topic = self._of_pair[pairs.starts[at] : pairs.starts[at + 1]]
            of_topic[slice(None) if topics[topic].rows is None else topics[topic].rows] = topics[topic].grades

    def graded(self, found: RunsTogether) -> RunsTogether:
        """Runs that were read with numbers of pairs, with grades in their place."""
        judged, topics = found.judged, len(self.relevance.topics)
        own = self._own[judged.topics]
        starts, numbers, rows, scores = judged.starts, judged.grades, found.rows, judged.scores
        if topics < len(self._own):
            chosen = np.flatnonzero(own >= 0)
            sizes = judged.retrieved[chosen]
            at = places_from(starts[chosen], sizes)
            numbers, scores = numbers[at], None if scores is None else _chosen(scores, at)
            starts = np.append(0, np.cumsum(sizes))
            own, rows = own[chosen], rows[chosen]
        # What is not judged at all is the last of the grades.
        grades = self._of_pair[np.where(numbers == ABSENT, -1, numbers)]
        of_runs = rows // len(self._own) * topics + own
        graded = JudgedRun(self.relevance, own, starts, grades, scores=scores)
        return RunsTogether(found.runs, graded, of_runs, np.zeros(0, np.intp))

    def values(self, found: RunsTogether, measure: Measure) -> Floats:
        """What runs that were read with numbers of pairs score by topic, to the last bit as `Scorer` has it.

        Of shape (runs, topics of the qrels). The measure must be `scored_alone`.
        """
        own, kernel = self.graded(found), kernel_of(measure)
        if kernel is None:
            raise KeyError(str(measure))
        topics = len(self.relevance.topics)
        values = np.full(own.runs * topics, float(measure.DEFAULT))
        if kernel.of_empty:
            values[:] = compute(kernel, own.with_all_rows(), measure)
        else:
            values[own.rows] = compute(kernel, own.judged, measure)
        return values.reshape(own.runs, topics)


def _chosen(scores: Callable[[], Floats], at: Positions) -> Callable[[], Floats]:
    return lambda: scores()[at]


def read_pairs(pairs: PairNumbers, runs: Sequence[RunArrays]) -> RunsTogether:
    """Several runs in the order in which `Scorer.score` reads them, with numbers of pairs for grades."""
    return read_together(pairs, runs)


def ranked_pairs(pairs: PairNumbers, rankings: TopicRankings) -> RunsTogether:
    """The same of rankings of the only topic of the pairs."""
    (topic,) = pairs.topics
    return rankings.judged(pairs, topic)
