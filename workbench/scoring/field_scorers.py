"""Measures by the field's scorers, through ir_measures: those without a kernel, and all on request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from subprocess import SubprocessError

import ir_measures
from ir_measures import Measure

from workbench.errors import WorkbenchError
from workbench.records import id_bytes
from workbench.scoring.kernels import Reads, reads
from workbench.scoring.relevance import Relevance
from workbench.scoring.subtopics import SubtopicRelevance

# No id of a file holds a control character.
_NO_DOCUMENT = "\x01"
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


class FieldScorers:
    """What ir_measures computes of a run, with ids that every scorer of its can take.

    Topics become numbers, since gdeval takes nothing else; docnos become characters one for each byte,
    because pytrec_eval does not survive what is no UTF-8.
    """

    def __init__(self, relevance: Relevance, measures: Sequence[Measure]) -> None:
        """Prepare the qrels once; raises WorkbenchError for measures that cannot be computed here."""
        self._numbers = {topic: str(number) for number, topic in enumerate(relevance.topics, start=1)}
        grades = {
            self._numbers[topic]: {bytewise(docno): grade for docno, grade in of_topic.items()}
            for topic, of_topic in relevance.grades.items()
        }
        for topic in relevance.without_grades():
            # trec_eval stops, and pytrec_eval takes the process with it, at a topic that has no other grades;
            # a document that no run holds makes it a topic worth 0.
            grades[self._numbers[topic]][_NO_DOCUMENT] = 0
        try:
            self._evaluators = [
                ir_measures.evaluator(
                    group, self._lines(relevance) if reads(group[0]) is Reads.SUBTOPICS else grades
                )
                for group in _apart(measures)
            ]
        except _FAILURES as error:
            raise _failed(error) from error

    def _lines(self, relevance: Relevance) -> list[ir_measures.Qrel]:
        """The lines of qrels with subtopics; none of other qrels."""
        lines = relevance.lines if isinstance(relevance, SubtopicRelevance) else ()
        return [
            ir_measures.Qrel(self._numbers[one.topic], bytewise(one.docno), one.grade, one.iteration)
            for one in lines
        ]

    def values(self, given: Mapping[str, Mapping[str, float]]) -> dict[tuple[str, str], float]:
        """The values by measure and topic, given each topic's docnos, as `bytewise` has them, with scores.

        Raises WorkbenchError where a scorer gives up.
        """
        topics = {self._numbers[topic]: topic for topic in given}
        scored = {self._numbers[topic]: dict(of_topic) for topic, of_topic in given.items()}
        found: dict[tuple[str, str], float] = {}
        try:
            for evaluator in self._evaluators:
                for metric in evaluator.iter_calc(scored):
                    if metric.query_id in topics:
                        found[str(metric.measure), topics[metric.query_id]] = float(metric.value)
        except _FAILURES as error:
            raise _failed(error) from error
        return found


def descending(order: Sequence[str]) -> dict[str, float]:
    """A ranking, best first, as these scorers take it; raises WorkbenchError for one that is too long."""
    # Scores are replaced by descending whole numbers, so that every scorer keeps our one order: each has
    # ties of its own making otherwise, and one (pytrec_eval) its own precision.
    if len(order) > _LONGEST_RANKING:
        raise WorkbenchError(
            f"a ranking of {len(order):,} documents is too long to be scored",
            remedy=f"keep {_LONGEST_RANKING:,} or fewer for each topic",
        )
    docnos = order if "".join(order).isascii() else [bytewise(docno) for docno in order]
    return dict(zip(docnos, map(float, range(len(order), 0, -1)), strict=True))


def bytewise(identifier: str) -> str:
    """An id as characters one for each byte, where it is not ASCII: pytrec_eval dies of a lone surrogate."""
    return identifier if identifier.isascii() else id_bytes(identifier).decode("latin-1")


def _apart(measures: Iterable[Measure]) -> list[list[Measure]]:
    # ir_measures 0.4.3 computes NumRet and nDCG together with any other measure that stands first in a set:
    # one with judged_only takes the unjudged documents away from it, one with gains gives it these gains.
    # Its evaluator of diversity measures gives the run to the first of several sets of parameters only.
    groups: dict[tuple[object, ...], list[Measure]] = {}
    for measure in measures:
        key: tuple[object, ...] = bool(measure.params.get("judged_only")), str(measure.params.get("gains"))
        if reads(measure) is Reads.SUBTOPICS:
            key += tuple(measure.params.get(name) for name in ("rel", "alpha", "beta"))
        groups.setdefault(key, []).append(measure)
    return list(groups.values())


def _failed(error: Exception) -> WorkbenchError:
    return WorkbenchError(
        f"a scorer gave up: {type(error).__name__}: {error}",
        remedy="leave out measures one by one to find the one that cannot be computed here",
    )
