"""What runs have of one topic, in the order in which they are scored: ready for whatever is judged next.

A judgment changes grades, not rankings. The grades of all documents that any run has are found once, and each
run is a list of places among these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import Docnos
from workbench.records import TieRule
from workbench.scoring.judged_run import JudgedRun
from workbench.scoring.relevance import Floats, Positions, Relevance, places_from
from workbench.scoring.run_arrays import RunArrays, RunsTogether, reading_order

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TopicRankings:
    """The documents of one topic in several runs: of run number i those from `starts[i]` to `starts[i + 1]`.

    They stand as `Scorer.score` reads them, each by its place among `known`, the docnos that any of the runs
    has, sorted; `tied` with the one before where both have one score. In the runs `near_tied` doubles and
    single precision order the documents differently.
    """

    starts: NDArray[np.int64]
    known: Docnos
    places: NDArray[np.uint32]
    tied: Flags
    near_tied: Flags

    def __len__(self) -> int:
        return len(self.near_tied)

    @property
    def nbytes(self) -> int:
        """The bytes that it has in memory."""
        return sum(one.nbytes for one in (self.starts, self.known, self.places, self.tied, self.near_tied))

    def of_runs(self, numbers: Positions) -> TopicRankings:
        """Those of some runs, in the order of the numbers."""
        if np.array_equal(numbers, np.arange(len(self))):
            return self
        sizes = np.diff(self.starts)[numbers]
        at = places_from(self.starts[numbers], sizes)
        starts = np.append(0, np.cumsum(sizes))
        return TopicRankings(starts, self.known, self.places[at], self.tied[at], self.near_tied[numbers])

    @classmethod
    def joined(cls, several: Sequence[TopicRankings]) -> TopicRankings:
        """The runs of several, one or more, one after the other."""
        known, found = np.unique(np.concatenate([one.known for one in several]), return_inverse=True)
        own = np.split(found, np.cumsum([len(one.known) for one in several])[:-1])
        places = [of_one[one.places] for one, of_one in zip(several, own, strict=True)]
        sizes = np.concatenate([np.diff(one.starts) for one in several])
        return cls(
            np.append(0, np.cumsum(sizes)),
            known,
            np.concatenate(places).astype(np.uint32),
            np.concatenate([one.tied for one in several]),
            np.concatenate([one.near_tied for one in several]),
        )

    def judged(self, relevance: Relevance, topic: str) -> RunsTogether:
        """The runs with their grades in qrels that have no other topic."""
        number = relevance.numbers[topic]
        numbers = np.full(len(self.known), number, dtype=np.intp)
        grades = relevance.grades_in_arrays(self.known, numbers)[self.places]
        rows = np.flatnonzero(np.diff(self.starts))
        judged = JudgedRun(
            relevance,
            np.full(len(rows), number, dtype=np.intp),
            np.append(self.starts[rows], self.starts[-1]),
            grades,
            scores=self._levels,
        )
        return RunsTogether(len(self), judged, rows, np.flatnonzero(self.near_tied))

    def in_parts(self, most: int) -> Iterator[TopicRankings]:
        """So many runs at a time."""
        for begin in range(0, len(self), most):
            yield self.of_runs(np.arange(begin, min(begin + most, len(self))))

    def _levels(self) -> Floats:
        """Numbers that are equal where scores are: all that is asked of them."""
        return np.cumsum(~self.tied).astype(np.float64)


def topic_rankings(runs: Sequence[RunArrays], topic: str) -> TopicRankings:
    """What runs, one or more, have of a topic."""
    parts = [_of_topic(run, topic) for run in runs]
    sizes = np.array([end - begin for begin, end in parts], dtype=np.intp)
    docnos, scores = (
        np.concatenate([values[begin:end] for values, (begin, end) in zip(found, parts, strict=True)])
        for found in ([run.docnos for run in runs], [run.scores for run in runs])
    )
    rows = np.repeat(np.arange(len(runs)), sizes)
    order, read, near = reading_order(docnos, scores, rows, TieRule.TREC_EVAL)
    known, places = np.unique(docnos[order], return_inverse=True)
    read, numbers = read[order], rows[order]
    tied = np.append(False, (read[1:] == read[:-1]) & (numbers[1:] == numbers[:-1]))[: len(read)]
    near_tied = np.zeros(len(runs), dtype=np.bool_)
    near_tied[near] = True
    return TopicRankings(np.append(0, np.cumsum(sizes)), known, places.astype(np.uint32), tied, near_tied)


def _of_topic(run: RunArrays, topic: str) -> tuple[int, int]:
    """Where the documents of a topic begin and end in a run."""
    if topic not in run.topics:
        return 0, 0
    number = run.topics.index(topic)
    return int(run.starts[number]), int(run.starts[number + 1])
