"""What a rule gave of one topic, in arrays of some ten bytes a pair; records are made where they are read."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.models.votes import Floats
from workbench.consensus.settle import Consensus, Label, TableConsensus, Unsettled
from workbench.consensus.summary import TopicSummary
from workbench.formats.qrels import topic_lines
from workbench.records import Qrel, id_bytes
from workbench.workflow.pools.pooled_topics import TopicDocnos

Narrow = NDArray[Any]
"""Whole numbers in as few bytes as they need."""


@dataclass(frozen=True, eq=False)
class SettledTopic:
    """What a rule gave of the documents of a topic, `joined` by line feeds and sorted by bytes.

    Of each settled document there is its row, its grade, its confidence and how many assessors graded it,
    and whether an adjudicator settled it; of each judged one without a grade its row, `left`, and a reason.
    """

    # No slots: the hash is computed once, and so are the lines where a file is asked for.
    topic: str
    joined: bytes
    relevant_from: int
    rows: Narrow
    grades: Narrow
    confidence: Floats
    n: Narrow
    adjudicated: NDArray[np.bool_]
    left: Narrow
    reasons: tuple[str, ...]

    @classmethod
    def of_table(
        cls, topic: str, joined: bytes, found: TableConsensus, begin: int = 0, end: int | None = None
    ) -> SettledTopic:
        """What a rule gave to a table whose rows from `begin` to before `end` are these documents."""
        stop = len(found.table.pairs) if end is None else end
        settled, left = (
            slice(*np.searchsorted(one, (begin, stop)).tolist()) for one in (found.rows, found.left)
        )
        rows = found.rows[settled]
        return cls(
            topic,
            joined,
            found.relevant_from,
            _narrow(rows - begin),
            _narrow(found.grades[settled]),
            np.array(found.confidence[settled], np.float64),
            _narrow(found.table.n[rows]),
            np.isin(rows, found.decided),
            _narrow(found.left[left] - begin),
            found.reasons[left],
        )

    @classmethod
    def of_records(
        cls, topic: str, labels: Sequence[Label], unsettled: Sequence[Unsettled], relevant_from: int
    ) -> SettledTopic:
        """The same of the records of one topic, each in the order of bytes."""
        settled, left = [id_bytes(one.docno) for one in labels], [id_bytes(one.docno) for one in unsettled]
        every = sorted((*settled, *left))
        row = {docno: at for at, docno in enumerate(every)}
        return cls(
            topic,
            b"\n".join(every),
            relevant_from,
            _narrow(np.array([row[docno] for docno in settled], np.int64)),
            _narrow(np.array([one.grade for one in labels], np.int64)),
            np.array([one.confidence for one in labels], np.float64),
            _narrow(np.array([one.n for one in labels], np.int64)),
            np.array([one.adjudicated for one in labels], np.bool_),
            _narrow(np.array([row[docno] for docno in left], np.int64)),
            tuple(one.reason for one in unsettled),
        )

    @property
    def settled(self) -> int:
        """How many documents have a grade."""
        return len(self.rows)

    @property
    def docnos(self) -> list[bytes]:
        """The documents with a grade, in the order of their lines."""
        docnos = self.joined.split(b"\n")
        if len(docnos) == len(self.rows):
            return docnos
        return [docnos[row] for row in self.rows.tolist()]

    @cached_property
    def lines(self) -> bytes:
        """Its lines of the qrels file; raises WorkbenchError for ids that would not survive."""
        return self._lines()

    @cached_property
    def sha256(self) -> str:
        """The hash of these lines, which are not kept for it."""
        return hashlib.sha256(self._lines()).hexdigest()

    def _lines(self) -> bytes:
        return topic_lines(self.topic, self.docnos, self.grades.tolist())

    @property
    def qrels(self) -> tuple[Qrel, ...]:
        """Its lines as records."""
        graded = zip(self._decoded(self.rows), self.grades.tolist(), strict=True)
        return tuple(Qrel(self.topic, docno, grade) for docno, grade in graded)

    @property
    def unsettled(self) -> tuple[Unsettled, ...]:
        """The judged documents without a grade, and why."""
        left = zip(self._decoded(self.left), self.reasons, strict=True)
        return tuple(Unsettled(self.topic, docno, reason) for docno, reason in left)

    @property
    def consensus(self) -> Consensus:
        """All of it as records, made anew each time."""
        columns = (self.grades, self.confidence, self.n, self.adjudicated)
        rows = zip(self._decoded(self.rows), *(one.tolist() for one in columns), strict=True)
        labels = tuple(Label(self.topic, *row) for row in rows)
        return Consensus(labels, self.unsettled, self.relevant_from, self.qrels)

    @cached_property
    def summary(self) -> TopicSummary:
        """What the summary of all topics adds up."""
        grades, counts = np.unique(self.grades, return_counts=True)
        return TopicSummary(
            self.topic,
            int(np.count_nonzero(self.adjudicated)),
            Counter(self.reasons),
            dict(zip(grades.tolist(), counts.tolist(), strict=True)),
            self.confidence,
        )

    def graded_of(self, pooled: TopicDocnos) -> int:
        """How many of these documents have a grade."""
        if pooled.joined == self.joined:
            return self.settled
        return len(pooled.docnos.intersection(self.docnos)) if self.settled else 0

    def _decoded(self, rows: Narrow) -> list[str]:
        if not len(rows):
            return []
        docnos = self.joined.decode("utf-8", "surrogateescape").split("\n")
        return [docnos[row] for row in rows.tolist()]


def _narrow(values: NDArray[np.int64]) -> Narrow:
    if not len(values):
        return values.astype(np.uint8)
    return values.astype(np.result_type(*map(np.min_scalar_type, (values.min(), values.max()))))
