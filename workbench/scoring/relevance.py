"""Qrels as scoring reads them: grades by topic and docno, found for strings and for arrays of docnos."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import Docnos, Words, fingerprints, rows_of
from workbench.errors import WorkbenchError
from workbench.records import Qrel, id_bytes, sorted_ids

Floats = NDArray[np.float64]
Grades = NDArray[np.int64]
Positions = NDArray[np.intp]
Marks = NDArray[np.bool_]
Rows = NDArray[np.uint64]

LARGEST_GRADE = 100_000
"""trec_eval counts the documents of every grade up to the highest, so it needs memory for each."""
ABSENT = int(np.iinfo(np.int64).min)
"""Stands for the grade of a document that is not in the qrels; below every grade."""

_HALF, _PLACE, _EMPTY = np.uint64(32), np.uint64(2**32 - 1), np.uint64(2**64 - 1)


class Relevance:
    """The grades of qrels; topics are numbered from 0 in the order of `sorted_ids`.

    Raises WorkbenchError for qrels that are empty or hold a pair twice, and for grades beyond 100,000.
    """

    def __init__(self, qrels: Iterable[Qrel]) -> None:
        grades: dict[str, dict[str, int]] = {}
        for qrel in qrels:
            of_topic = grades.setdefault(qrel.topic, {})
            if qrel.docno in of_topic:
                raise WorkbenchError(
                    f"document {qrel.docno} has two grades for topic {qrel.topic}",
                    remedy="qrels hold one grade a pair; only diversity measures read grades by subtopic",
                )
            if abs(qrel.grade) > LARGEST_GRADE:
                raise WorkbenchError(
                    f"the grade {qrel.grade} of document {qrel.docno} cannot be scored",
                    remedy=f"scorers take grades up to {LARGEST_GRADE:,}",
                )
            of_topic[qrel.docno] = qrel.grade
        if not grades:
            raise WorkbenchError("the qrels are empty", remedy="give at least one judged pair")
        self.topics = sorted_ids(grades)
        self.grades: Mapping[str, Mapping[str, int]] = {topic: grades[topic] for topic in self.topics}
        self.numbers = {topic: number for number, topic in enumerate(self.topics)}

    @cached_property
    def ideal(self) -> tuple[Positions, Grades]:
        """Where the grades of each topic begin, shape (topics + 1,), and the grades, the highest first."""
        sizes = [len(grades) for grades in self.grades.values()]
        values = [sorted(grades.values(), reverse=True) for grades in self.grades.values()]
        return np.cumsum([0, *sizes]), np.array([grade for one in values for grade in one], dtype=np.int64)

    @cached_property
    def highest(self) -> int:
        """The highest grade of all topics."""
        return int(self.ideal[1].max())

    def without_grades(self) -> tuple[str, ...]:
        """The topics of which every grade is negative, which scorers read as not judged."""
        return tuple(topic for topic, grades in self.grades.items() if max(grades.values()) < 0)

    def relevant(self, rel: int) -> Positions:
        """How many documents of each topic have at least the grade `rel`; shape (topics,)."""
        if rel not in self._relevant_from:
            starts, grades = self.ideal
            self._relevant_from[rel] = np.add.reduceat(grades >= rel, starts[:-1], dtype=np.intp)
        return self._relevant_from[rel]

    @cached_property
    def _relevant_from(self) -> dict[int, Positions]:
        """What `relevant` found, since every run asks for it again."""
        return {}

    @cached_property
    def of_measures(self) -> dict[str, Floats]:
        """What a measure computes of qrels alone for each topic, by its name; kernels keep it here."""
        return {}

    def grades_of(self, topic: str, docnos: Sequence[str]) -> list[int]:
        """The grade of each document of a topic, or ABSENT."""
        grades = self.grades[topic]
        return [grades.get(docno, ABSENT) for docno in docnos]

    def grades_in_arrays(self, docnos: Docnos, numbers: Positions) -> Grades:
        """The grade of each document, or ABSENT, given its docno and the number of its topic."""
        return self._table.find(rows_of(docnos), numbers)

    @cached_property
    def _table(self) -> PairTable:
        return self.table([grade for of_topic in self.grades.values() for grade in of_topic.values()])

    def table(self, values: Sequence[int]) -> PairTable:
        """A table of one value for each pair, topic after topic in the order of `grades`."""
        listed = [id_bytes(docno) for grades in self.grades.values() for docno in grades]
        sizes = [len(grades) for grades in self.grades.values()]
        numbers = np.repeat(np.arange(len(sizes)), sizes)
        return PairTable(rows_of(np.array(listed)), numbers, np.array(values, dtype=np.int64))


class PairTable:
    """Values by pair, such as grades: a hash table with a part for each topic, and one for what collides.

    A run's documents stand topic after topic, so that the part which is looked into stays in a processor's
    cache: half the time of sorted fingerprints with a directory. A slot is one word, half of a pair's
    fingerprint and then its place, so that docnos are fetched and compared only where that half is equal.
    """

    def __init__(self, docnos: Rows, numbers: Positions, values: Grades, *, salt: int = 0) -> None:
        self._docnos, self._values, self._salt = docnos, values, salt
        # At least four slots for each pair of a topic, a power of two; none for a topic without pairs.
        bits = np.ceil(np.log2(4.0 * np.maximum(np.bincount(numbers), 1))).astype(np.int64)
        self._shifts = (64 - bits).astype(np.uint64)
        self._firsts = np.append(0, np.cumsum(1 << bits))
        prints, slots = self._slots(docnos, numbers)
        places = np.arange(len(numbers), dtype=np.uint64)
        self._table = np.full(self._firsts[-1], _EMPTY, dtype=np.uint64)
        self._table[slots] = prints << _HALF | places
        lost = np.flatnonzero(self._table[slots] & _PLACE != places)
        # One pair in ten collides with another; by other hashes few do again.
        self._rest = (
            PairTable(docnos[lost], numbers[lost], values[lost], salt=salt + 1) if len(lost) else None
        )

    def find(self, docnos: Rows, numbers: Positions) -> Grades:
        """The value of each pair, or ABSENT; docnos as words of eight bytes, shape (pairs, words)."""
        found = np.full(len(numbers), ABSENT, dtype=np.int64)
        if numbers.max(initial=0) >= len(self._shifts):
            inside = np.flatnonzero(numbers < len(self._shifts))
            found[inside] = self.find(docnos[inside], numbers[inside])
            return found
        prints, slots = self._slots(docnos, numbers)
        entries = self._table.take(slots)
        same = (entries >> _HALF == prints & _PLACE) & (entries != _EMPTY)
        at = np.flatnonzero(same)
        places = (entries.take(at) & _PLACE).view(np.int64)
        equal = _equal(_fetched(docnos, at), _fetched(self._docnos, places))
        if not equal.all():
            same[at[~equal]] = False
            at, places = at[equal], places[equal]
        found[at] = self._values.take(places)
        others = np.flatnonzero((entries != _EMPTY) & ~same)
        if self._rest is not None and len(others):
            found[others] = self._rest.find(_fetched(docnos, others), numbers[others])
        return found

    def _slots(self, docnos: Rows, numbers: Positions) -> tuple[Words, Positions]:
        """The fingerprint of each pair, and its slot."""
        prints = fingerprints(tuple(docnos.T), numbers + (self._salt << 32))
        slots: Positions = (prints >> self._shifts.take(numbers)).view(np.int64)
        slots += self._firsts.take(numbers)
        return prints, slots


def _fetched(docnos: Rows, at: Positions) -> Rows:
    """The docnos at these places, each fetched in one piece: half the time of word after word."""
    whole = docnos.view(f"V{docnos.shape[1] * docnos.itemsize}").ravel()
    return whole.take(at).view(np.uint64).reshape(len(at), docnos.shape[1])


def _equal(one: Rows, other: Rows) -> Marks:
    """Whether two docnos are the same, row by row; shorter ones are filled up with zeros."""
    both = min(one.shape[1], other.shape[1])
    equal: Marks = ~np.any(one[:, both:], axis=1) & ~np.any(other[:, both:], axis=1)
    for word in range(both):
        equal &= one[:, word] == other[:, word]
    return equal
