"""Scores as trec_eval prints them, and the summary sheet of a run, as in the appendices of TREC.

trec_eval's measures, values and lines are computed by its own code (pytrec_eval). A sheet has counts,
11-point precision, and precision at cutoffs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ir_measures import AP, IPrec, Measure, NumRet, P, Rprec

from workbench.frozen import frozen_dataclass
from workbench.records import Qrel, Run, TieRule
from workbench.scoring.binary_kernels import LEVELS
from workbench.scoring.kernels import bytewise, descending
from workbench.scoring.measures import CUTOFFS, expanded, in_order, in_trec_evals_words, parse_measures
from workbench.scoring.relevance import Relevance
from workbench.scoring.scorer import RunScores
from workbench.scoring.scorer import in_order as run_in_order

_COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")
_OF_ALL_TOPICS_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")
_SMALLEST = 0.00001  # trec_eval's MIN_GEO_MEAN


class TrecEval:
    """trec_eval for many runs: its lines, over the topics of the qrels that are in the run or over all."""

    def __init__(self, qrels: Iterable[Qrel], names: Sequence[str]) -> None:
        """Prepare the qrels once; `names` are those of trec_eval or of ir_measures, several in one text.

        Raises WorkbenchError for a measure that trec_eval lacks and for more than one relevance level.
        """
        self.relevance = Relevance(qrels)
        self._names, self._level = _requested(names)

    def lines(
        self, run: Run, *, per_topic: bool, all_topics: bool, ties: TieRule = TieRule.TREC_EVAL
    ) -> Iterator[str]:
        """The lines of a run, without line ends; with `all_topics` as by `trec_eval -c`."""
        values = self._values(run_in_order(run, ties=ties))
        topics = self.relevance.topics if all_topics else [t for t in self.relevance.topics if t in values]

        def value(name: str, topic: str) -> float:
            return values.get(topic, {}).get(name, self._missing(name, topic))

        if per_topic:
            names = [name for name in self._names if name not in _OF_ALL_TOPICS_ONLY]
            yield from (_line(name, topic, value(name, topic)) for topic in topics for name in names)
        for name in self._names:
            column = [value(name, topic) for topic in topics]
            yield _line(name, "all", run.tag if name == "runid" else _summary(name, column))

    def _values(self, run: Run) -> Mapping[str, Mapping[str, float]]:
        """The values by topic, then measure."""
        import pytrec_eval

        unknown = set(self.relevance.without_grades())
        grades = {
            bytewise(topic): {bytewise(docno): grade for docno, grade in of_topic.items()}
            for topic, of_topic in self.relevance.grades.items()
            if topic not in unknown
        }
        evaluator = pytrec_eval.RelevanceEvaluator(
            grades,
            {name for name in self._names if name != "runid"} or {"num_q"},
            relevance_level=self._level,
        )
        topics = {bytewise(topic): topic for topic in run.rankings}
        found: Mapping[str, Mapping[str, float]] = evaluator.evaluate(
            {
                written: descending(run.rankings[topic].docnos)
                for written, topic in topics.items()
                if written in grades and len(run.rankings[topic])
            }
        )
        return {topics[written]: values for written, values in found.items()}

    def _missing(self, name: str, topic: str) -> float:
        """What counts for a topic without documents: 0, or what there is to find."""
        if name == "num_rel":
            return float(sum(grade >= self._level for grade in self.relevance.grades[topic].values()))
        if name == "num_q":
            return 1.0
        return math.log(_SMALLEST) if name.startswith("gm_") else 0.0


def _requested(names: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """The measures under trec_eval's names and their relevance level."""
    texts = [text for name in names for text in name.split()]
    trec: list[str] = []
    others: list[str] = []
    for text in texts:
        written = expanded(text)
        trec.extend(written)
        others.extend([] if written else [text])
    if not others:
        return in_order(trec), 1
    named, level = in_trec_evals_words(parse_measures(others))
    return in_order([*trec, *named]), level


def _summary(name: str, values: Collection[float]) -> float:
    if name in _COUNTS:
        return sum(values)
    if not values:
        return 0.0
    mean = sum(values) / len(values)
    return math.exp(mean) if name.startswith("gm_") else mean


def _line(name: str, topic: str, value: Any) -> str:
    digits = ".0f" if name in _COUNTS else "6.4f"
    shown = value if isinstance(value, str) else format(value, digits)
    return f"{name:<22}\t{topic}\t{shown}"


@frozen_dataclass
class SummarySheet:
    """What a run's sheet shows; `relevant_from` is the lowest grade that counts as relevant.

    The counts are of documents over all topics: `retrieved`, `relevant` in the qrels, `found` of these. All
    else are means over the topics of the qrels: `levels` the interpolated precision at each recall of LEVELS,
    `cutoffs` the precision at each rank of CUTOFFS.
    """

    relevant_from: int
    retrieved: int
    relevant: int
    found: int
    levels: tuple[float, ...]
    cutoffs: tuple[float, ...]
    average_precision: float
    r_precision: float


def sheet_measures(relevant_from: int) -> tuple[Measure, ...]:
    """The measures of which a sheet consists."""
    rel = relevant_from
    return (
        NumRet,
        NumRet(rel=rel),
        AP(rel=rel),
        Rprec(rel=rel),
        *(IPrec(rel=rel) @ level for level in LEVELS),
        *(P(rel=rel) @ cutoff for cutoff in CUTOFFS),
    )


def summary_sheet(scores: RunScores, *, relevant_from: int, relevant: int) -> SummarySheet:
    """The sheet of a run that was scored by `sheet_measures`; `relevant` documents are in the qrels."""
    names = map(str, sheet_measures(relevant_from))
    retrieved, found, average, r_precision, *means = (scores.values[name] for name in names)
    return SummarySheet(
        relevant_from=relevant_from,
        retrieved=round(retrieved),
        relevant=relevant,
        found=round(found),
        levels=tuple(means[: len(LEVELS)]),
        cutoffs=tuple(means[len(LEVELS) :]),
        average_precision=average,
        r_precision=r_precision,
    )
