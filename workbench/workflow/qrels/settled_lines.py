"""What a rule gave, in arrays: the lines of the qrels, and the judged pairs that have none."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from ir_measures import Measure
from numpy.typing import NDArray

from workbench.consensus.settle import Consensus, Label, Summary, TableConsensus, Unsettled
from workbench.docnos import Docnos
from workbench.records import Qrel, id_bytes, sorted_ids
from workbench.scoring.kernels import Reads, reads
from workbench.scoring.relevance import ArrayRelevance
from workbench.scoring.scorer import Scorer

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SettledLines:
    """The lines by topic, then document (bytes), and the judged pairs without one, in the same order.

    Of each line there is the number of its topic among `topics`, of which each has a line, its document,
    grade and confidence, how many assessors graded it, and whether an adjudicator settled it.
    """

    topics: tuple[str, ...]
    numbers: Numbers
    docnos: Docnos
    grades: Numbers
    confidence: NDArray[np.float64]
    n: Numbers
    adjudicated: NDArray[np.bool_]
    unsettled: tuple[Unsettled, ...]
    relevant_from: int

    def __len__(self) -> int:
        return len(self.grades)

    def by_topic(self) -> Iterator[tuple[str, list[bytes], list[int]]]:
        """The documents of each topic with their grades."""
        starts = np.searchsorted(self.numbers, np.arange(len(self.topics) + 1)).tolist()
        for topic, (begin, end) in zip(self.topics, pairwise(starts), strict=True):
            yield topic, self.docnos[begin:end].tolist(), self.grades[begin:end].tolist()

    @property
    def qrels(self) -> Iterator[Qrel]:
        """The lines as records."""
        for topic, docnos, grades in self.by_topic():
            for docno, grade in zip(docnos, grades, strict=True):
                yield Qrel(topic, docno.decode("utf-8", "surrogateescape"), grade)

    @property
    def consensus(self) -> Consensus:
        """All of it as records, made anew each time."""
        qrels = tuple(self.qrels)
        columns = (one.tolist() for one in (self.confidence, self.n, self.adjudicated))
        labels = (Label(q.topic, q.docno, q.grade, *rest) for q, *rest in zip(qrels, *columns, strict=True))
        return Consensus(tuple(labels), self.unsettled, self.relevant_from, qrels)

    @property
    def digest(self) -> str:
        """A hash of what the lines say, the same for all rules that make the same lines."""
        parts = (self.numbers, self.docnos, self.grades)
        names = b"\n".join(map(id_bytes, self.topics)) + self.docnos.dtype.str.encode()
        return hashlib.sha256(names + b"".join(one.tobytes() for one in parts)).hexdigest()

    @property
    def summary(self) -> Summary:
        """The lines in numbers, as `consensus.settle.summary` counts records."""
        judged = sorted_ids({*self.topics, *(one.topic for one in self.unsettled)})
        relevant = self.relevant_by_topic(self.relevant_from)
        grades, counts = np.unique(self.grades, return_counts=True)
        return Summary(
            settled=len(self),
            adjudicated=int(self.adjudicated.sum()),
            unsettled=len(self.unsettled),
            left=tuple(Counter(one.reason for one in self.unsettled).most_common()),
            by_grade=tuple(zip(grades.tolist(), counts.tolist(), strict=True)),
            relevant_from=self.relevant_from,
            relevant=sum(relevant.values()),
            topics=len(self.topics),
            without_relevant=tuple(topic for topic in judged if topic not in relevant),
            confidence=math.fsum(self.confidence) / len(self) if len(self) else None,
        )

    def relevant_by_topic(self, threshold: int) -> dict[str, int]:
        """How many lines have at least this grade, for topics with any."""
        counts = np.bincount(self.numbers[self.grades >= threshold], minlength=len(self.topics))
        return {topic: count for topic, count in zip(self.topics, counts.tolist(), strict=True) if count}

    def without(self, topics: Collection[str]) -> SettledLines:
        """The same without some topics."""
        gone = frozenset(topics)
        old = np.array([at for at, topic in enumerate(self.topics) if topic not in gone], np.int64)
        kept = np.isin(self.numbers, old)
        return replace(
            self,
            topics=tuple(self.topics[at] for at in old.tolist()),
            numbers=np.searchsorted(old, self.numbers[kept]),
            docnos=self.docnos[kept],
            grades=self.grades[kept],
            confidence=self.confidence[kept],
            n=self.n[kept],
            adjudicated=self.adjudicated[kept],
            unsettled=tuple(one for one in self.unsettled if one.topic not in gone),
        )


def settled_lines(found: TableConsensus) -> SettledLines:
    """The lines of what a rule gave."""
    table, rows = found.table, found.rows
    used, numbers = np.unique(table.numbers[rows], return_inverse=True)
    left = zip(map(table.pair, found.left.tolist()), found.reasons, strict=True)
    return SettledLines(
        tuple(table.topics[at] for at in used.tolist()),
        numbers,
        np.array([table.docnos[row] for row in rows.tolist()], np.bytes_),
        found.grades,
        found.confidence,
        table.n[rows],
        np.isin(rows, found.decided),
        tuple(Unsettled(topic, docno, reason) for (topic, docno), reason in left),
        found.relevant_from,
    )


def scorer_of(lines: SettledLines, measures: Collection[Measure]) -> Scorer:
    """What scores runs on some lines.

    Raises WorkbenchError as `Scorer` does: where there is no line, for a grade beyond 100,000, and for a
    measure that needs subtopics.
    """
    if len(lines) and all(reads(measure) is not Reads.SUBTOPICS for measure in measures):
        return Scorer(ArrayRelevance(lines), list(measures))
    return Scorer(lines.qrels, list(measures))
