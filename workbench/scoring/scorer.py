"""Scores of runs by the field's measures: by a kernel where there is one, else by the field's scorers.

Coverage and novelty say what a run finds of the relevant documents that a user knows already, and beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from ir_measures import Measure
from ir_measures.measures.base import MeanAgg

from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.ranking import array_order, ordered
from workbench.records import Qrel, Ranking, Run, TieRule, pair_of, sorted_ids
from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels import FieldScorers, Reads, bytewise, compute, descending, kernel_of, reads
from workbench.scoring.measures import in_the_field, parse_measures
from workbench.scoring.relevance import Floats, Marks, Positions, Relevance, flattened, strings
from workbench.scoring.run_arrays import RunArrays, documents_of, in_single_precision, judged_rows
from workbench.scoring.subtopics import SubtopicRelevance
from workbench.tables import ResultRows, ResultTable


@dataclass(frozen=True, slots=True, eq=False)
class TopicRows(Mapping[str, Mapping[str, float]]):
    """The scores of one run by measure, then topic; those of a measure are made when they are asked for.

    A thousand runs on 500 topics have two million scores: as dictionaries they take half a second to make and
    200 MB. `columns` are by measure, of shape (runs, topics), and `run` is the row of this one.
    """

    topics: tuple[str, ...]
    columns: Mapping[str, Floats]
    run: int

    def __getitem__(self, measure: str) -> dict[str, float]:
        return dict(zip(self.topics, self.row(measure).tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __eq__(self, other: object) -> bool:
        return dict(self) == dict(other) if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as of any mapping

    def row(self, measure: str) -> Floats:
        """The scores by one measure; shape (topics,)."""
        row: Floats = self.columns[measure][self.run]
        return row


_EMPTY = Ranking((), ())


@frozen_dataclass
class RunScores(ResultTable):
    """A run's worth: `values` by measure over all topics of the qrels, `per_topic` by measure, then topic.

    `scored` names the topics of the qrels for which the run has documents; of the others it has
    nothing.
    `topics_near_tied` counts those in which doubles and single precision order the documents differently.
    """

    tag: str
    scored: tuple[str, ...]
    topics_in_qrels: int
    topics_near_tied: int
    values: Mapping[str, float]
    per_topic: Mapping[str, Mapping[str, float]]

    @property
    def topics_scored(self) -> int:
        """How many topics of the qrels the run has documents for."""
        return len(self.scored)

    def row(self, name: str) -> Floats:
        """The scores by one measure in the order of the topics; shape (topics,)."""
        if isinstance(self.per_topic, TopicRows):
            return self.per_topic.row(name)
        return np.fromiter(self.per_topic[name].values(), np.float64, len(self.per_topic[name]))

    def table(self) -> ResultRows:
        """A row for each topic of the qrels, a column for each measure."""
        measures = tuple(self.per_topic)
        topics = list(dict.fromkeys(topic for values in self.per_topic.values() for topic in values))
        rows = ((topic, *(self.per_topic[one].get(topic) for one in measures)) for topic in topics)
        means = ", ".join(f"{one} {self.values[one]:.4f}" for one in measures)
        found = f"documents in {self.topics_scored:,} of {counted(self.topics_in_qrels, 'topic')}"
        return ResultRows(f"Run {self.tag}: {means}; {found}", ("topic", *measures), rows, len(topics))


@frozen_dataclass
class OrderedRun:
    """A run in the order in which it is read: its grades, and its docnos by topic, decoded when asked for.

    Doubles and single precision order the documents of the topics `near_tied` differently. `given` has the
    scores of the file by topic and docno, in its order, where the field's own order of ties is wanted.
    """

    tag: str
    judged: JudgedRun
    near_tied: Positions
    orders: Callable[[], Mapping[str, Sequence[str]]]
    given: Callable[[], Mapping[str, Mapping[str, float]]] | None = None


class Scorer:
    """Scores many runs against the same qrels by the same measures."""

    def __init__(
        self,
        qrels: Iterable[Qrel] | Relevance,
        measures: str | Sequence[Measure],
        *,
        field: bool = False,
        own_ties: bool = False,
    ) -> None:
        """Prepare the qrels once; with `field` the field's scorers compute whatever they can.

        With `own_ties` they order documents of one score each in its own way.

        A `Relevance` is arranged as it is: of qrels with subtopics it has to be a `SubtopicRelevance`.

        Raises WorkbenchError for qrels that are empty or hold a pair twice, for measures that are unknown or
        cannot be computed here, and where the qrels have subtopics and a measure needs none, or the reverse.
        """
        self.measures = parse_measures(measures) if isinstance(measures, str) else tuple(measures)
        self.relevance = qrels if isinstance(qrels, Relevance) else _relevance(qrels, self.measures)
        # By name, since ir_measures writes the name anew whenever a measure is looked up.
        self._own_ties = own_ties
        self._names = {str(measure): measure for measure in self.measures}
        self._kernels = {
            name: kernel
            for name, measure in self._names.items()
            if (kernel := kernel_of(measure)) and not (field and in_the_field(measure))
        }
        self._of_empty = any(kernel.of_empty for kernel in self._kernels.values())
        others = [measure for name, measure in self._names.items() if name not in self._kernels]
        self._field = FieldScorers(self.relevance, others) if others else None

    def read(
        self, run: Run | RunArrays, *, ties: TieRule = TieRule.TREC_EVAL, double_precision: bool = False
    ) -> OrderedRun:
        """A run in the order in which `score` reads it, for whoever needs more of it than its scores."""
        read = self._of_run if isinstance(run, Run) else self._of_arrays
        ordered_run = read(run, ties, double_precision)  # type: ignore[arg-type]  # as `isinstance` says
        if self._own_ties:
            return replace(ordered_run, given=partial(_as_given, self.relevance, run))
        return ordered_run

    def score(
        self,
        run: Run | RunArrays | OrderedRun,
        *,
        ties: TieRule = TieRule.TREC_EVAL,
        double_precision: bool = False,
        all_topics: bool = True,
    ) -> RunScores:
        """Score one run; of one that `read` ordered, its tie rule and precision count.

        A mean is over all topics of the qrels, as by `trec_eval -c`: on a topic that the run lacks it
        retrieves nothing.
        Without `all_topics` it is over those that the run has, as by trec_eval without -c. What ir_measures
        adds up instead (NumRet, NumRel, NumQ) is a sum over the same topics.
        Scores that a 32-bit float cannot tell apart are ties, as in ir_measures, pytrec_eval and trec_eval
        until 2023, whose figures these are; with `double_precision` they are not, as in trec_eval since and
        as in pools. Raises WorkbenchError where a scorer gives up.
        """
        ordered_run = (
            run
            if isinstance(run, OrderedRun)
            else self.read(run, ties=ties, double_precision=double_precision)
        )
        judged = ordered_run.judged
        scored = tuple(self.relevance.topics[number] for number in judged.topics.tolist())
        elsewhere = self.field_values(ordered_run)
        topics = self.relevance.topics if all_topics else sorted_ids(scored)
        per_topic: dict[str, dict[str, float]] = {}
        everywhere = judged.of_all_topics() if all_topics and self._of_empty else judged
        for name, measure in self._names.items():
            kernel = self._kernels.get(name)
            column = per_topic[name] = dict.fromkeys(topics, float(measure.DEFAULT))
            if kernel is None:
                column |= {topic: elsewhere[name, topic] for topic in scored if (name, topic) in elsewhere}
            else:
                of, run_there = (topics, everywhere) if kernel.of_empty else (scored, judged)
                column |= zip(of, compute(kernel, run_there, measure).tolist(), strict=True)
        return RunScores(
            tag=ordered_run.tag,
            scored=tuple(sorted_ids(scored)),
            topics_in_qrels=len(self.relevance.topics),
            topics_near_tied=len(ordered_run.near_tied),
            values={
                name: aggregated(measure, per_topic[name].values()) for name, measure in self._names.items()
            },
            per_topic=per_topic,
        )

    def field_values(self, run: OrderedRun) -> dict[tuple[str, str], float]:
        """What the field's scorers compute of a run, by measure and topic; nothing where none is needed."""
        if self._field is None:
            return {}
        if run.given is not None:
            return self._field.values(run.given())
        return self._field.values({topic: descending(order) for topic, order in run.orders().items()})

    def _of_run(self, run: Run, ties: TieRule, double_precision: bool) -> OrderedRun:
        orders: dict[str, Sequence[str]] = {}
        near_tied: list[int] = []
        for topic in self.relevance.topics:
            ranking = run.rankings.get(topic, _EMPTY)
            if not len(ranking):
                continue
            order = ordered(ranking, ties=ties)
            merged = _in_single_precision(ranking)
            if merged is not None and (single := ordered(merged, ties=ties)) != order:
                near_tied.append(self.relevance.numbers[topic])
                order = order if double_precision else single
            orders[topic] = order
        relevance = self.relevance
        pairs = None
        if isinstance(relevance, SubtopicRelevance):
            pairs = flattened(relevance.pairs_of(topic, order) for topic, order in orders.items())
        judged = JudgedRun(
            relevance,
            np.array([relevance.numbers[topic] for topic in orders], dtype=np.intp),
            np.cumsum([0, *map(len, orders.values())]),
            flattened(relevance.grades_of(topic, order) for topic, order in orders.items()),
            pairs,
            partial(_scores_in_order, run, orders, np.dtype(np.float64 if double_precision else np.float32)),
        )
        return OrderedRun(run.tag, judged, np.array(near_tied, dtype=np.intp), lambda: orders)

    def _of_arrays(self, run: RunArrays, ties: TieRule, double_precision: bool) -> OrderedRun:
        documents = documents_of(self.relevance, run)
        numbers = documents.numbers
        found = judged_rows(self.relevance, documents, numbers, ties=ties, double_precision=double_precision)

        def orders() -> dict[str, list[str]]:
            scores = documents.scores if double_precision else in_single_precision(documents.scores)
            listed = strings(documents.docnos[array_order(documents.docnos, scores, numbers, ties)])
            bounds = pairwise(found.judged.starts.tolist())
            return {
                self.relevance.topics[number]: listed[begin:end]
                for number, (begin, end) in zip(found.judged.topics.tolist(), bounds, strict=True)
            }

        return OrderedRun(run.tag, found.judged, found.near_tied, orders)


def _relevance(qrels: Iterable[Qrel], measures: Sequence[Measure]) -> Relevance:
    """The qrels as these measures read them; raises WorkbenchError where measures need different ones."""
    if all(reads(measure) is not Reads.SUBTOPICS for measure in measures):
        return Relevance(qrels)
    relevance = SubtopicRelevance(qrels)
    plain = [measure for measure in measures if reads(measure) is Reads.GRADES]
    second = relevance.second_subtopic() if plain else None
    if second is not None:
        raise WorkbenchError(
            f"{plain[0]} cannot be computed against qrels with subtopics: document {second.docno} of topic "
            f"{second.topic} has several grades",
            remedy=f"score {plain[0]} apart from diversity measures, against qrels with one grade a document",
        )
    return relevance


def score_run(
    qrels: Iterable[Qrel], run: Run, measures: str | Sequence[Measure], *, ties: TieRule = TieRule.TREC_EVAL
) -> RunScores:
    """Score one run once; for several runs make one `Scorer`.

    >>> run = Run("A", {"1": Ranking(("d1", "d2", "d3"), (3.0, 2.0, 1.0))})
    >>> dict(score_run([Qrel("1", "d1", 1), Qrel("1", "d3", 1)], run, "P@2 RR").values)
    {'P@2': 0.5, 'RR': 1.0}
    """
    return Scorer(qrels, measures).score(run, ties=ties)


def higher_is_better(name: str) -> bool:
    """Whether a higher value of a measure is a better one."""
    (measure,) = parse_measures(name)
    kernel = kernel_of(measure)
    return kernel is None or kernel.descending


def best_first(runs: Iterable[RunScores], name: str) -> list[RunScores]:
    """Runs by one of their measures, best first, then by tag; the lowest first where lower is better."""
    sign = -1 if higher_is_better(name) else 1
    return sorted(runs, key=lambda run: (sign * run.values[name], run.tag))


def topics_of_all(runs: Sequence[RunScores], name: str) -> tuple[tuple[str, ...], Marks]:
    """The topics that some run lacks, and which of the measure's topics every run has; shape (topics,).

    A run says nothing of a topic that it lacks: no difference there is that of two systems.
    """
    topics = tuple(runs[0].per_topic[name]) if runs else ()
    shared = frozenset(topics).intersection(*(run.scored for run in runs))
    marks = np.array([topic in shared for topic in topics], dtype=np.bool_)
    return tuple(topic for topic in topics if topic not in shared), marks


def topic_scores_of(runs: Iterable[RunScores], name: str) -> Floats:
    """What runs on the same qrels score by a measure; shape (runs, topics), or (0,) of no runs."""
    return np.array([run.row(name) for run in runs], dtype=np.float64)


def in_order(run: Run, *, ties: TieRule = TieRule.TREC_EVAL) -> Run:
    """A run as `Scorer.score` reads it, so that one that is scored many times is sorted once.

    It is worth the same as the run itself, but nothing is said any more of near ties, and no documents are
    tied: ESL, which reads tied documents in any order, is that of the run itself only.
    """
    rankings = {}
    for topic, ranking in run.rankings.items():
        merged = _in_single_precision(ranking)
        order = ordered(ranking if merged is None else merged, ties=ties)
        rankings[topic] = Ranking(tuple(order), tuple(map(float, range(len(order), 0, -1))))
    return Run(run.tag, rankings)


def _as_given(relevance: Relevance, run: Run | RunArrays) -> dict[str, dict[str, float]]:
    """The scores of a file by topic and docno, as `bytewise` has docnos, in the order of the file."""
    if isinstance(run, Run):
        return {
            topic: dict(zip(map(bytewise, ranking.docnos), ranking.scores, strict=True))
            for topic, ranking in run.rankings.items()
            if topic in relevance.numbers and len(ranking)
        }
    given = {}
    for topic, (begin, end) in zip(run.topics, pairwise(run.starts.tolist()), strict=True):
        if topic in relevance.numbers and begin < end:
            docnos = [docno.decode("latin-1") for docno in run.docnos[begin:end].tolist()]
            given[topic] = dict(zip(docnos, run.scores[begin:end].tolist(), strict=True))
    return given


def _scores_in_order(run: Run, orders: Mapping[str, Sequence[str]], precision: np.dtype[Any]) -> Floats:
    """The scores of a run in the order in which it is read, as precise as it is read."""
    scores: list[float] = []
    for topic, order in orders.items():
        ranking = run.rankings[topic]
        by_docno = dict(zip(ranking.docnos, ranking.scores, strict=True))
        scores.extend(by_docno[docno] for docno in order)
    with np.errstate(over="ignore"):
        return np.array(scores, dtype=np.float64).astype(precision).astype(np.float64)


def _in_single_precision(ranking: Ranking) -> Ranking | None:
    """The ranking with scores rounded to 32 bits, or None where that makes no two scores equal."""
    doubles = np.array(ranking.scores, dtype=np.float64)
    with np.errstate(over="ignore"):
        singles = doubles.astype(np.float32)
    if len(np.unique(singles)) == len(np.unique(doubles)):
        return None
    return Ranking(ranking.docnos, tuple(singles.tolist()))


def aggregated(measure: Measure, values: Collection[float]) -> float:
    """The mean of a measure's values over topics, or their sum where it counts; 0 of none."""
    aggregator = measure.aggregator()
    if type(aggregator) is MeanAgg and values:
        # One by one, as it does itself, in a sixth of the time; sum() rounds otherwise since Python 3.12.
        total = 0.0
        for value in values:
            total += value
        return total / len(values)
    for value in values:
        aggregator.add(value)
    return float(aggregator.result())


COVERAGE, NOVELTY = "Coverage", "Novelty"


@frozen_dataclass
class KnownDocuments:
    """The relevant documents of qrels, and those of them that users know.

    `topics` counts those that have known documents.
    """

    relevant: Scorer
    known: Scorer
    topics: int

    def score(
        self, run: Run | RunArrays, scores: RunScores, *, ties: TieRule = TieRule.TREC_EVAL
    ) -> RunScores:
        """The scores of a run with Coverage and Novelty added, for the topics that they have.

        Coverage is the share of the known relevant documents that the run retrieves, Novelty the share of
        what it retrieves that is relevant and was not known. Both are 0 where they are a share of nothing.
        Source: Korfhage 1997; Baeza-Yates and Ribeiro-Neto 1999, section 3.2.2.
        """
        found = self.relevant.score(run, ties=ties).per_topic["NumRet(rel=1)"]
        seen = self.known.score(run, ties=ties).per_topic
        topics = next(iter(scores.per_topic.values()), {})
        added: dict[str, dict[str, float]] = {COVERAGE: {}, NOVELTY: {}}
        for topic in topics:
            already = seen["NumRet(rel=1)"].get(topic, 0.0)
            added[COVERAGE][topic] = seen["SetR"].get(topic, 0.0)
            added[NOVELTY][topic] = (found[topic] - already) / found[topic] if found[topic] else 0.0
        means = {name: sum(of.values()) / max(1, len(of)) for name, of in added.items()}
        return replace(scores, values={**scores.values, **means}, per_topic={**scores.per_topic, **added})


def known_documents(qrels: Iterable[Qrel], known: Iterable[Qrel]) -> KnownDocuments:
    """The pairs of `known` that are relevant by the qrels, grade 1 or more, whatever their own grade.

    Raises WorkbenchError where there is none.
    """
    grades: dict[tuple[str, str], int] = {}
    for one in qrels:
        # Qrels with subtopics have a line for each.
        grades[pair_of(one)] = max(one.grade, grades.get(pair_of(one), one.grade))
    both = [pair for one in known if grades.get(pair := pair_of(one), 0) >= 1]
    if not both:
        raise WorkbenchError(
            "no known document is relevant in the qrels",
            remedy="give the relevant documents that users know, as lines of qrels",
        )
    return KnownDocuments(
        Scorer([Qrel(*pair, int(grade >= 1)) for pair, grade in grades.items()], "NumRet(rel=1)"),
        Scorer([Qrel(*pair, 1) for pair in both], "NumRet(rel=1) SetR"),
        len({topic for topic, _ in both}),
    )
