"""What a rule gave of one topic, in arrays of three bytes a pair; records are made where they are read."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby, pairwise
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.rule import Pair
from workbench.consensus.settle import Consensus, Label, TableConsensus, Unsettled
from workbench.consensus.summary import TopicSummary, exact_sum
from workbench.consensus.votes import Floats, Numbers
from workbench.formats.qrels import topic_lines
from workbench.records import Qrel, id_bytes, sorted_pairs
from workbench.workflow.pools.pooled_topics import TopicDocnos
from workbench.workflow.qrels.judged_docnos import JudgedDocnos

Narrow = NDArray[Any]
"""Whole numbers in as few bytes as they need."""


@dataclass(frozen=True, slots=True, eq=False)
class Confidence:
    """How many assessors graded each settled document, and the confidence as `shares` of these.

    Where it is no such share, it stands as it is in `other`.
    """

    n: Narrow
    shares: Narrow
    other: Floats | None = None

    @classmethod
    def of(cls, confidence: Floats, n: Numbers) -> Confidence:
        """The same, to the last bit."""
        shares = np.rint(confidence * n).astype(np.int64)
        found = cls(_narrow(n), _narrow(shares))
        if np.array_equal(found.numbers(), confidence):
            return found
        return cls(found.n, shares[:0], np.array(confidence, np.float64))

    def numbers(self) -> Floats:
        """The confidence of each settled document, from 0 to 1."""
        if self.other is not None:
            return self.other
        return self.shares.astype(np.float64) / np.maximum(self.n, 1)


@dataclass(frozen=True, eq=False)
class SettledTopic:
    """What a rule gave of the documents of a topic.

    Of each settled document there is its row, its grade and its confidence; `rows` is None where all are
    settled. `adjudicated` are the places among them of those that an adjudicator settled. Of each judged
    document without a grade there is its row, `left`, and a reason. `judged` says whether the topic has a
    judgment that counts.
    """

    # No slots: what is counted and hashed is so once.
    documents: JudgedDocnos
    relevant_from: int
    rows: Narrow | None
    grades: Narrow
    confidence: Confidence
    adjudicated: Narrow
    left: Narrow
    reasons: tuple[str, ...]
    judged: bool

    @property
    def topic(self) -> str:
        """The topic."""
        return self.documents.topic

    @property
    def settled(self) -> int:
        """How many documents have a grade."""
        return len(self.grades)

    @property
    def docnos(self) -> list[bytes]:
        """The documents with a grade, in the order of their lines."""
        ids = self.documents.ids
        return ids if self.rows is None else [ids[row] for row in self.rows.tolist()]

    @cached_property
    def by_grade(self) -> Mapping[int, int]:
        """How many documents have each grade."""
        grades, counts = np.unique(self.grades, return_counts=True)
        return dict(zip(grades.tolist(), counts.tolist(), strict=True))

    @cached_property
    def digest(self) -> str:
        """A hash of what its lines say, the same for all rules that make the same of a topic."""
        settled = self.documents.digest_of(self.rows)
        return hashlib.sha256(settled + self.grades.astype("<i8").tobytes()).hexdigest()

    @property
    def lines(self) -> bytes:
        """Its lines of the qrels file; raises WorkbenchError for ids that would not survive."""
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
        adjudicated = np.zeros(self.settled, np.bool_)
        adjudicated[self.adjudicated] = True
        columns = (self.grades, self.confidence.numbers(), self.confidence.n, adjudicated)
        rows = zip(self._decoded(self.rows), *(one.tolist() for one in columns), strict=True)
        labels = tuple(Label(self.topic, *row) for row in rows)
        return Consensus(labels, self.unsettled, self.relevant_from, self.qrels)

    @cached_property
    def summary(self) -> TopicSummary:
        """What the summary of all topics adds up."""
        confidence = exact_sum(self.confidence.numbers())
        left = Counter(self.reasons)
        return TopicSummary(self.topic, self.settled, len(self.adjudicated), left, self.by_grade, confidence)

    def graded_of(self, pooled: TopicDocnos) -> int:
        """How many of these documents have a grade."""
        if pooled.joined == self.documents.joined:
            return self.settled
        return len(pooled.docnos.intersection(self.docnos)) if self.settled else 0

    def among(self, docnos: Collection[str]) -> frozenset[str]:
        """Those of these documents that have a grade."""
        return frozenset(docnos).intersection(self._decoded(self.rows)) if docnos else frozenset()

    def _decoded(self, rows: Narrow | None) -> list[str]:
        if rows is not None and not len(rows):
            return []
        docnos = self.documents.docnos
        return docnos if rows is None else [docnos[row] for row in rows.tolist()]


def topics_of_table(found: TableConsensus, several: Sequence[JudgedDocnos]) -> Iterator[SettledTopic]:
    """What a rule gave to a table, of which the documents of these topics are the rows, topic by topic."""
    starts = np.cumsum([0, *(one.count for one in several)])
    adjudicated = np.flatnonzero(np.isin(found.rows, found.decided))
    settled, left, judged = (
        np.searchsorted(rows, starts) for rows in (found.rows, found.left, np.flatnonzero(found.table.judged))
    )
    n = found.table.n[found.rows]
    bounds = (one.tolist() for one in (starts, settled, left, judged, np.searchsorted(adjudicated, settled)))
    for own, (start, _), (begin, end), (first, last), (before, after), (one, other) in zip(
        several, *map(pairwise, bounds), strict=True
    ):
        yield SettledTopic(
            own,
            found.relevant_from,
            None if end - begin == own.count else _narrow(found.rows[begin:end] - start),
            _narrow(found.grades[begin:end]),
            Confidence.of(found.confidence[begin:end], n[begin:end]),
            _narrow(adjudicated[one:other] - begin),
            _narrow(found.left[first:last] - start),
            found.reasons[first:last],
            after > before,
        )


def topic_of_records(
    documents: JudgedDocnos, labels: Sequence[Label], unsettled: Sequence[Unsettled], relevant_from: int
) -> SettledTopic:
    """The same of the records of one topic, each in the order of bytes.

    The topic is judged where the rule settles or leaves a document.
    """
    row = {docno: at for at, docno in enumerate(documents.docnos)}
    numbers = np.array(
        [(row[one.docno], one.grade, one.n, one.adjudicated) for one in labels], np.int64
    ).reshape(-1, 4)
    return SettledTopic(
        documents,
        relevant_from,
        None if len(labels) == documents.count else _narrow(numbers[:, 0]),
        _narrow(numbers[:, 1]),
        Confidence.of(np.array([one.confidence for one in labels], np.float64), numbers[:, 2]),
        _narrow(np.flatnonzero(numbers[:, 3])),
        _narrow(np.array([row[one.docno] for one in unsettled], np.int64)),
        tuple(one.reason for one in unsettled),
        bool(labels or unsettled),
    )


def by_topic(found: Consensus | TableConsensus) -> tuple[SettledTopic, ...]:
    """What a rule gave, topic by topic in the order of bytes, of topics where it settles or leaves a pair."""
    if isinstance(found, TableConsensus):
        topics = topics_of_table(found, tuple(_documents(found.table.pairs)))
        return tuple(one for one in topics if one.settled or one.reasons)
    settled = [(one.topic, one.docno) for one in found.labels]
    pairs = sorted_pairs(settled + [(one.topic, one.docno) for one in found.unsettled])
    return topics_of_records(found, tuple(_documents(pairs)))


def _documents(pairs: Iterable[Pair]) -> Iterator[JudgedDocnos]:
    for topic, several in groupby(pairs, key=itemgetter(0)):
        ids = [id_bytes(docno) for _, docno in several]
        yield JudgedDocnos(topic, b"\n".join(ids), len(ids))


def topics_of_records(found: Consensus, several: Sequence[JudgedDocnos]) -> tuple[SettledTopic, ...]:
    """What a rule gave as records, of each of these topics, which have the documents that it tells of."""
    labels, unsettled = _of_topics(found.labels), _of_topics(found.unsettled)
    return tuple(
        topic_of_records(own, labels.get(own.topic, ()), unsettled.get(own.topic, ()), found.relevant_from)
        for own in several
    )


_Line = TypeVar("_Line", Label, Unsettled)


def _of_topics(lines: Iterable[_Line]) -> dict[str, tuple[_Line, ...]]:
    return {topic: tuple(several) for topic, several in groupby(lines, key=attrgetter("topic"))}


def together(topics: Sequence[SettledTopic]) -> Consensus:
    """What was settled topic by topic, as one; there is a topic, and they come in the order of bytes."""
    parts = [one.consensus for one in topics]
    return Consensus(
        labels=tuple(chain.from_iterable(part.labels for part in parts)),
        unsettled=tuple(chain.from_iterable(part.unsettled for part in parts)),
        relevant_from=topics[0].relevant_from,
        qrels=tuple(chain.from_iterable(part.qrels for part in parts)),
    )


def _narrow(values: NDArray[np.int64]) -> Narrow:
    if not len(values):
        return values.astype(np.int8)
    lowest = min(int(values.min()), -1 - int(values.max()))  # with a sign: differences are made of some
    return values.astype(np.min_scalar_type(lowest))
