"""Scores as trec_eval prints them: its measures, values and lines, computed by its own code (pytrec_eval)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from workbench.records import Qrel, Run, TieRule
from workbench.scoring.field_scorers import bytewise, descending
from workbench.scoring.measures import expanded, in_order, in_trec_evals_words, parse_measures
from workbench.scoring.relevance import Relevance
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
