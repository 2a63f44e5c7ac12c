"""Scores of runs by the field's measures, computed by the field's scorers through ir_measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from subprocess import SubprocessError

import ir_measures
import numpy as np
from ir_measures import Measure

from workbench.errors import WorkbenchError
from workbench.ranking import ordered
from workbench.records import Qrel, Ranking, Run, TieRule, id_bytes, sorted_ids
from workbench.scoring.measures import LARGEST_GRADE, parse_measures

# No id of a file holds a control character.
_NO_DOCUMENT = "\x01"


class Relevance:
    """Grades by topic and docno, with ids that every scorer can take.

    Topics become numbers, since gdeval takes nothing else; docnos become characters one for each byte,
    because pytrec_eval does not survive what is no UTF-8.
    Raises WorkbenchError for qrels that are empty or hold a pair twice, and for grades beyond 100,000.
    """

    def __init__(self, qrels: Iterable[Qrel]) -> None:
        self.topics: dict[str, str] = {}
        self.grades: dict[str, dict[str, int]] = {}
        for qrel in qrels:
            topic = self.topics.setdefault(qrel.topic, str(len(self.topics) + 1))
            grades = self.grades.setdefault(topic, {})
            docno = _bytewise(qrel.docno)
            if docno in grades:
                raise WorkbenchError(
                    f"document {qrel.docno} has two grades for topic {qrel.topic}",
                    remedy="qrels hold one grade a pair",
                )
            if abs(qrel.grade) > LARGEST_GRADE:
                raise WorkbenchError(
                    f"the grade {qrel.grade} of document {qrel.docno} cannot be scored",
                    remedy=f"scorers take grades up to {LARGEST_GRADE:,}",
                )
            grades[docno] = qrel.grade
        if not self.grades:
            raise WorkbenchError("the qrels are empty", remedy="give at least one judged pair")
        for grades in self.grades.values():
            if max(grades.values()) < 0:
                # Negative grades mean "not judged". trec_eval stops, and pytrec_eval takes the process with
                # it, at a topic that has no others; a document that no run holds makes it a topic worth 0.
                grades[_NO_DOCUMENT] = 0

    def plain(self, docnos: Sequence[str]) -> Sequence[str]:
        """Docnos of a run as they stand in `grades`."""
        return docnos if "".join(docnos).isascii() else [_bytewise(docno) for docno in docnos]


def _bytewise(identifier: str) -> str:
    return identifier if identifier.isascii() else id_bytes(identifier).decode("latin-1")


# pytrec_eval keeps scores in single precision, whose whole numbers end here.
_LONGEST_RANKING = 2**24
_FAILURES = (
    ArithmeticError,
    AssertionError,
    LookupError,
    OSError,
    RuntimeError,
    SubprocessError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class RunScores:
    """A run's worth: `values` by measure over all topics of the qrels, `per_topic` by measure, then topic.

    `topics_scored` counts the topics of the qrels for which the run has documents; the others count as 0.
    `topics_near_tied` counts those in which doubles and single precision order the documents differently.
    """

    tag: str
    topics_scored: int
    topics_in_qrels: int
    topics_near_tied: int
    values: Mapping[str, float]
    per_topic: Mapping[str, Mapping[str, float]]


class Scorer:
    """Scores many runs against the same qrels by the same measures."""

    def __init__(self, qrels: Iterable[Qrel], measures: str | Sequence[Measure]) -> None:
        """Prepare the qrels once.

        Raises WorkbenchError for qrels that are empty or hold a pair twice, and for measures that are unknown
        or cannot be computed here.
        """
        self.measures = parse_measures(measures) if isinstance(measures, str) else tuple(measures)
        self._relevance = Relevance(qrels)
        self._topics = sorted_ids(self._relevance.topics)
        try:
            self._evaluators = [
                ir_measures.evaluator(measures, self._relevance.grades) for measures in _apart(self.measures)
            ]
        except _FAILURES as error:
            raise _failed(error) from error

    def score(
        self, run: Run, *, ties: TieRule = TieRule.TREC_EVAL, double_precision: bool = False
    ) -> RunScores:
        """Score one run.

        A mean is over all topics of the qrels, as by `trec_eval -c`: a topic that the run lacks counts as 0.
        What ir_measures adds up instead (NumRet, NumRel, NumQ) is a sum over the topics that the run has.
        Scores that a 32-bit float cannot tell apart are ties, as in ir_measures, pytrec_eval and trec_eval
        until 2023, whose figures these are; with `double_precision` they are not, as in trec_eval since and
        as in pools. Raises WorkbenchError where a scorer gives up.
        """
        scored: dict[str, dict[str, float]] = {}
        near_tied = 0
        for topic, ranking in run.rankings.items():
            if topic not in self._relevance.topics or not len(ranking):
                continue
            order = ordered(ranking, ties=ties)
            merged = _in_single_precision(ranking)
            if merged is not None and (single := ordered(merged, ties=ties)) != order:
                near_tied += 1
                order = order if double_precision else single
            scored[self._relevance.topics[topic]] = self._scored(order)
        per_topic = self._per_topic(scored)
        return RunScores(
            tag=run.tag,
            topics_scored=len(scored),
            topics_in_qrels=len(self._topics),
            topics_near_tied=near_tied,
            values={
                str(measure): _aggregated(measure, per_topic[str(measure)].values())
                for measure in self.measures
            },
            per_topic=per_topic,
        )

    def _scored(self, order: Sequence[str]) -> dict[str, float]:
        # Scores are replaced by descending whole numbers, so that every scorer keeps our one order: each has
        # ties of its own making otherwise, and one (pytrec_eval) its own precision.
        if len(order) > _LONGEST_RANKING:
            raise WorkbenchError(
                f"a ranking of {len(order):,} documents is too long to be scored",
                remedy=f"keep {_LONGEST_RANKING:,} or fewer for each topic",
            )
        docnos = self._relevance.plain(order)
        return dict(zip(docnos, map(float, range(len(order), 0, -1)), strict=True))

    def _per_topic(self, scored: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        found: dict[tuple[str, str], float] = {}
        try:
            for evaluator in self._evaluators:
                for metric in evaluator.iter_calc(scored):
                    found[str(metric.measure), metric.query_id] = float(metric.value)
        except _FAILURES as error:
            raise _failed(error) from error
        return {
            str(measure): {
                topic: found.get((str(measure), self._relevance.topics[topic]), float(measure.DEFAULT))
                for topic in self._topics
            }
            for measure in self.measures
        }


def score_run(
    qrels: Iterable[Qrel], run: Run, measures: str | Sequence[Measure], *, ties: TieRule = TieRule.TREC_EVAL
) -> RunScores:
    """Score one run once; for several runs make one `Scorer`.

    >>> run = Run("A", {"1": Ranking(("d1", "d2", "d3"), (3.0, 2.0, 1.0))})
    >>> dict(score_run([Qrel("1", "d1", 1), Qrel("1", "d3", 1)], run, "P@2 RR").values)
    {'P@2': 0.5, 'RR': 1.0}
    """
    return Scorer(qrels, measures).score(run, ties=ties)


def in_order(run: Run, *, ties: TieRule = TieRule.TREC_EVAL) -> Run:
    """A run as `Scorer.score` reads it, so that one that is scored many times is sorted once.

    It is worth the same as the run itself, but nothing is said any more of near ties.
    """
    rankings = {}
    for topic, ranking in run.rankings.items():
        merged = _in_single_precision(ranking)
        order = ordered(ranking if merged is None else merged, ties=ties)
        rankings[topic] = Ranking(tuple(order), tuple(map(float, range(len(order), 0, -1))))
    return Run(run.tag, rankings)


def _in_single_precision(ranking: Ranking) -> Ranking | None:
    """The ranking with scores rounded to 32 bits, or None where that makes no two scores equal."""
    doubles = np.array(ranking.scores, dtype=np.float64)
    with np.errstate(over="ignore"):
        singles = doubles.astype(np.float32)
    if len(np.unique(singles)) == len(np.unique(doubles)):
        return None
    return Ranking(ranking.docnos, tuple(singles.tolist()))


def _apart(measures: Iterable[Measure]) -> list[list[Measure]]:
    # ir_measures 0.4.3 computes NumRet together with any other measure that stands first in a set, and a
    # measure with judged_only takes the unjudged documents away from it.
    judged_only: list[Measure] = []
    others: list[Measure] = []
    for measure in measures:
        (judged_only if measure.params.get("judged_only") else others).append(measure)
    return [group for group in (others, judged_only) if group]


def _aggregated(measure: Measure, values: Iterable[float]) -> float:
    aggregator = measure.aggregator()
    for value in values:
        aggregator.add(value)
    return float(aggregator.result())


def _failed(error: Exception) -> WorkbenchError:
    return WorkbenchError(
        f"a scorer gave up: {type(error).__name__}: {error}",
        remedy="leave out measures one by one to find the one that cannot be computed here",
    )
