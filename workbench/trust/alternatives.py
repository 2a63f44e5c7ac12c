"""Runs scored under several qrels: each run is read and ordered once, whatever the number of qrels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from ir_measures import Measure

from workbench.errors import Conflict, WorkbenchError, rejected
from workbench.pooling.pool import Pair, each_tag_once
from workbench.records import Qrel, Run, TieRule, pair_of
from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels import Kernel, compute, kernel_of
from workbench.scoring.measures import at_threshold, parse_measures
from workbench.scoring.relevance import ABSENT, Floats, Grades, Marks, Positions, Relevance
from workbench.scoring.run_arrays import RunArrays
from workbench.scoring.scorer import Scorer

LOWER_IS_BETTER = "lower-is-better"
"""The code of the error for a measure by which the best run would come last."""


@dataclass(frozen=True, slots=True, eq=False)
class AlternativeQrels:
    """What the qrels could also be: grades by topic and docno, relevant from `relevant_from` on."""

    name: str
    grades: Mapping[Pair, int]
    relevant_from: int = 1

    @property
    def relevant(self) -> int:
        """How many pairs are relevant."""
        return sum(grade >= self.relevant_from for grade in self.grades.values())


@dataclass(frozen=True, slots=True, eq=False)
class TopicScores:
    """What every run scores on every topic under each of several qrels.

    `values` has the shape (qrels, topics, runs) and is 0 where `covered`, shape (qrels, topics), says that
    the qrels have no pair of the topic. Of the `pairs` that any of the qrels have each has `graded`.
    """

    measure: str
    qrels: tuple[str, ...]
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: Floats
    covered: Marks
    graded: tuple[int, ...]
    pairs: int


def one_measure(name: str) -> Measure:
    """The one measure of this name; raises WorkbenchError for several."""
    measures = parse_measures(name)
    if len(measures) > 1:
        raise WorkbenchError("a ranking is by one measure", remedy="name one, such as AP")
    return measures[0]


def ranking_measure(name: str) -> Measure:
    """The one measure of this name by which the best run comes first.

    Raises WorkbenchError for several, and InvalidInput for one that is better the lower it is.
    """
    measure = one_measure(name)
    _check_direction(measure)
    return measure


def relevance_of_any(qrels: Iterable[AlternativeQrels]) -> Relevance:
    """The pairs that any of the qrels have, all of one grade; raises WorkbenchError where there is none."""
    return Relevance(
        Qrel(topic, docno, 0) for topic, docno in dict.fromkeys(pair for one in qrels for pair in one.grades)
    )


def score_under(
    qrels: Sequence[AlternativeQrels],
    runs: Iterable[Run | RunArrays],
    measure: Measure,
    *,
    ties: TieRule = TieRule.TREC_EVAL,
) -> TopicScores:
    """Score runs under each of the qrels; a topic of the qrels that a run lacks counts as in `Scorer.score`.

    Topics are those of any of the qrels, sorted (bytes); runs stand in the order given, are taken one by one
    and not kept. Raises WorkbenchError for no qrels, for empty ones, for a measure that is better the lower
    it is, and where a scorer gives up, Conflict where two runs have the same tag or two qrels the same name.
    """
    _check_direction(measure)
    if not qrels:
        raise WorkbenchError("there are no qrels to score with", remedy="give at least one set")
    for one in qrels:
        if not one.grades:
            raise WorkbenchError(
                f'"{one.name}" has no graded pair', remedy="leave it out, or give its judgments"
            )
    names = [one.name for one in qrels]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise Conflict(f'two qrels are called "{twice}"', remedy="give each its own name")
    pairs = _Pairs(qrels)
    sides = [_Side(one, measure, pairs) for one in qrels]
    tags: list[str] = []
    columns: list[Floats] = []
    for run in each_tag_once(runs):
        tags.append(run.tag)
        judged = pairs.scorer.read(run, ties=ties).judged
        at = judged.in_qrels()
        found = pairs.places(judged, at)
        columns.append(np.stack([side.scores(run, judged, at, found, ties) for side in sides]))
    covered = np.stack([side.covered for side in sides])
    values = np.stack(columns, axis=-1) if columns else np.zeros((*covered.shape, 0))
    return TopicScores(
        measure=str(measure),
        qrels=tuple(names),
        topics=pairs.topics,
        runs=tuple(tags),
        values=values,
        covered=covered,
        graded=tuple(len(one.grades) for one in qrels),
        pairs=len(pairs.place),
    )


def _check_direction(measure: Measure) -> None:
    """Every ranking, gap and loss of this room reads the higher score as the better one."""
    kernel = kernel_of(measure)
    if kernel is not None and not kernel.descending:
        message = f"lower values of {measure} are better: runs would be ranked upside down"
        remedy = "choose a measure of which higher values are better, such as AP or nDCG@10"
        raise rejected("measure", None, LOWER_IS_BETTER, message, remedy)


class _Pairs:
    """All pairs of any of the qrels, numbered topic by topic."""

    def __init__(self, qrels: Sequence[AlternativeQrels]) -> None:
        counts: dict[str, int] = {}
        numbered: list[Qrel] = []
        for pair in dict.fromkeys(pair for one in qrels for pair in one.grades):
            topic, docno = pair
            number = counts.get(topic, 0)
            counts[topic] = number + 1
            # The number of a pair in its topic stands where scoring has its grade, and is found as fast.
            numbered.append(Qrel(topic, docno, number))
        self.scorer = Scorer(numbered, "NumQ")
        self.topics = tuple(self.scorer.relevance.topics)
        self.numbers = self.scorer.relevance.numbers
        self.firsts = np.cumsum([0, *(counts[topic] for topic in self.topics)])
        self.place = {pair_of(one): int(self.firsts[self.numbers[one.topic]]) + one.grade for one in numbered}

    def places(self, judged: JudgedRun, at: Positions) -> Positions:
        """The number among all pairs of each retrieved document that has one."""
        return self.firsts[judged.topics[judged.rows[at]]] + judged.grades[at].astype(np.intp)


class _Side:
    """One of the qrels: its grades by the number of the pair, and how a run is scored under it."""

    def __init__(self, qrels: AlternativeQrels, measure: Measure, pairs: _Pairs) -> None:
        listed = [Qrel(topic, docno, grade) for (topic, docno), grade in qrels.grades.items()]
        self._measure = at_threshold(measure, qrels.relevant_from)
        self._kernel: Kernel | None = kernel_of(self._measure)
        self._scorer = Scorer(listed, [self._measure])
        self._relevance: Relevance = self._scorer.relevance
        self._topics = pairs.topics
        own = [self._relevance.numbers.get(topic, -1) for topic in pairs.topics]
        self._own: Positions = np.array(own, dtype=np.intp)
        self.covered: Marks = self._own >= 0
        self._grades: Grades = np.full(len(pairs.place), ABSENT)
        self._grades[[pairs.place[pair] for pair in qrels.grades]] = list(qrels.grades.values())

    def scores(
        self, run: Run | RunArrays, judged: JudgedRun, at: Positions, places: Positions, ties: TieRule
    ) -> Floats:
        """The run's score on every topic; shape (topics,)."""
        values = np.where(self.covered, float(self._measure.DEFAULT), 0.0)
        if self._kernel is None:
            per_topic = self._scorer.score(run, ties=ties).per_topic[str(self._measure)]
            of_topic = [per_topic.get(topic, 0.0) for topic in self._topics]
            return np.where(self.covered, of_topic, 0.0)
        grades = np.full(len(judged.grades), ABSENT)
        grades[at] = self._grades[places]
        own, starts, rows = self._own[judged.topics], judged.starts, np.arange(len(judged))
        kept = own >= 0
        if not kept.all():
            grades = grades[np.repeat(kept, judged.retrieved)]
            starts = np.append(0, np.cumsum(judged.retrieved[kept]))
            own, rows = own[kept], rows[kept]
        under = JudgedRun(self._relevance, own, starts, grades)
        if self._kernel.of_empty:
            # Its value of a topic that the run lacks is not 0: computed, as in `Scorer.score`.
            values[self.covered] = compute(self._kernel, under.of_all_topics(), self._measure)
        else:
            values[judged.topics[rows]] = compute(self._kernel, under, self._measure)
        return values
