"""The scores of many runs on all topics, several at a time, and what each run scores by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from ir_measures import Measure
from ir_measures.measures.base import MeanAgg
from numpy.typing import NDArray

from workbench.frozen import frozen_dataclass
from workbench.records import Run
from workbench.scoring.binary_kernels import last_rank
from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.kernels import Reads, compute, kernel_of
from workbench.scoring.relevance import ABSENT, Floats, Positions
from workbench.scoring.run_arrays import JudgedRows, RunArrays, read_together
from workbench.scoring.scorer import RunScores, Scorer, TopicRows, aggregated

# They count documents: no judgment is missing from their value.
_COUNTS = frozenset({"Judged", "NumQ", "NumRet", "NumRel"})


def reads_judgments(measure: Measure) -> bool:
    """Whether a missing judgment can change a measure, and the documents that it reads are known."""
    return measure.NAME not in _COUNTS and kernel_of(measure) is not None


def unjudged_and_read(run: JudgedRun, measure: Measure) -> tuple[Positions, Positions]:
    """The documents without a judgment among those that a measure reads, and all that it reads; (topics,).

    It reads down to its cutoff, or all that was retrieved where it has none.
    """
    read = run.ranks <= last_rank(measure)
    return run.counted(run.rows[read & (run.grades == ABSENT)]), run.counted(run.rows[read])


Flags = NDArray[np.bool_]
Counts = NDArray[np.int32]
NOWHERE: Mapping[tuple[str, str], float] = MappingProxyType({})
AT_ONCE = 2**19
"""Documents of runs that are read together: some 50 MB."""
MOST_IDEAL = 2**21
"""Judged documents of the ideal rankings of runs that are read together, where a measure has no cutoff."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreCells:
    """What runs score on topics; all of shape (runs, topics), the last three with a measure each behind.

    `retrieved` says whether a run has documents of a topic, `near_tied` whether their order depends on the
    precision of scores. Of the documents `read` by a measure `unjudged` have no judgment: both 0 of measures
    that read none.
    """

    retrieved: Flags
    near_tied: Flags
    values: Floats
    unjudged: Counts
    read: Counts


def scored_alone(measure: Measure) -> bool:
    """Whether a topic's score by a measure follows from its own judgments, and from nothing of other topics.

    The field's scorers are not asked, nor what reads subtopics; ERR reads the highest grade of all topics.
    """
    kernel = kernel_of(measure)
    return kernel is not None and kernel.reads is not Reads.SUBTOPICS and measure.NAME != "ERR"


def score_cells(scorer: Scorer, runs: Iterable[Run | RunArrays]) -> Iterator[ScoreCells]:
    """The cells of some runs after the other, in their order, on all topics of the qrels.

    The values are those of `Scorer.score`, to the last bit. Raises WorkbenchError where a scorer gives up.
    """
    alone = all(map(scored_alone, scorer.measures))
    judged = scorer.relevance.pairs
    waiting: list[RunArrays] = []
    documents = 0
    for run in runs:
        if alone and not isinstance(run, Run):
            waiting.append(run)
            documents += len(run.docnos)
            if documents < AT_ONCE and judged * len(waiting) < MOST_IDEAL:
                continue
        if waiting:
            yield _cells(scorer, len(waiting), read_together(scorer.relevance, waiting))
            waiting, documents = [], 0
        if isinstance(run, Run) or not alone:
            ordered = scorer.read(run)
            found = JudgedRows(ordered.judged, ordered.judged.topics, ordered.near_tied)
            yield _cells(scorer, 1, found, scorer.field_values(ordered))
    if waiting:
        yield _cells(scorer, len(waiting), read_together(scorer.relevance, waiting))


def _cells(
    scorer: Scorer, runs: int, found: JudgedRows, elsewhere: Mapping[tuple[str, str], float] = NOWHERE
) -> ScoreCells:
    topics, measures = scorer.relevance.topics, scorer.measures
    shape = runs * len(topics), len(measures)
    retrieved, near_tied = np.zeros((2, shape[0]), dtype=np.bool_)
    retrieved[found.rows], near_tied[found.near_tied] = True, True
    values = np.zeros(shape)
    unjudged, read = np.zeros((2, *shape), dtype=np.int32)
    everywhere = found.judged.with_rows(found.rows, runs)
    for number, measure in enumerate(measures):
        kernel, name = kernel_of(measure), str(measure)
        values[:, number] = measure.DEFAULT
        rows, run = found.rows, found.judged
        if kernel is None:
            # Of one run, whose rows are its topics.
            values[rows, number] = [
                elsewhere.get((name, topics[row]), measure.DEFAULT) for row in rows.tolist()
            ]
            continue
        if kernel.of_empty:
            rows, run = np.arange(shape[0]), everywhere
        values[rows, number] = compute(kernel, run, measure)
        if reads_judgments(measure):
            unjudged[rows, number], read[rows, number] = unjudged_and_read(run, measure)
    of_runs, of_measures = (runs, len(topics)), (runs, len(topics), len(measures))
    return ScoreCells(
        retrieved=retrieved.reshape(of_runs),
        near_tied=near_tied.reshape(of_runs),
        values=values.reshape(of_measures),
        unjudged=unjudged.reshape(of_measures),
        read=read.reshape(of_measures),
    )


@frozen_dataclass
class ScoredRun:
    """A run by all measures, and the documents `unjudged` and read by each that reads judgments."""

    scores: RunScores
    unjudged: Mapping[str, tuple[int, int]]


def scored_runs(
    cells: ScoreCells, *, tags: Sequence[str], topics: Sequence[str], measures: Sequence[Measure]
) -> list[ScoredRun]:
    """The runs of cells: their means over all topics, which are those of the qrels in the order of bytes."""
    names = [str(measure) for measure in measures]
    ids = tuple(topics)
    columns = {name: np.ascontiguousarray(cells.values[:, :, at]) for at, name in enumerate(names)}
    means = [means_over_topics(measure, columns[str(measure)]) for measure in measures]
    counts = [
        list(zip(*(one[:, :, at].sum(axis=1).tolist() for one in (cells.unjudged, cells.read)), strict=True))
        for at in range(len(measures))
    ]
    near_tied = cells.near_tied.sum(axis=1).tolist()
    everywhere: list[bool] = np.all(cells.retrieved, axis=1).tolist()
    found = []
    for run, tag in enumerate(tags):
        scored = ids
        if not everywhere[run]:
            scored = tuple(ids[number] for number in np.flatnonzero(cells.retrieved[run]).tolist())
        scores = RunScores(
            tag=tag,
            scored=scored,
            topics_in_qrels=len(topics),
            topics_near_tied=near_tied[run],
            values={name: mean[run] for name, mean in zip(names, means, strict=True)},
            per_topic=TopicRows(ids, columns, run),
        )
        own = {
            name: one[run]
            for name, one, measure in zip(names, counts, measures, strict=True)
            if reads_judgments(measure)
        }
        found.append(ScoredRun(scores, own))
    return found


def means_over_topics(measure: Measure, column: Floats) -> list[float]:
    """The mean of each run over topics, or the sum, exactly as `aggregated` does; shape (runs, topics)."""
    if type(measure.aggregator()) is not MeanAgg:
        return [aggregated(measure, row) for row in column.tolist()]
    total = np.zeros(len(column))
    # One after the other: numpy's own sum adds in another order, and rounds otherwise.
    for of_topic in column.T:
        total += of_topic
    return list((total / column.shape[1]).tolist())
