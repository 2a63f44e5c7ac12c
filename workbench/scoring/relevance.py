"""Qrels as scoring reads them: grades by topic and docno, found for strings and for arrays of docnos."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import Docnos, Words, fingerprints, words_of
from workbench.errors import WorkbenchError
from workbench.records import Qrel, id_bytes, sorted_ids

Floats = NDArray[np.float64]
Grades = NDArray[np.int64]
Positions = NDArray[np.intp]

LARGEST_GRADE = 100_000
"""trec_eval counts the documents of every grade up to the highest, so it needs memory for each."""
ABSENT = int(np.iinfo(np.int64).min)
"""Stands for the grade of a document that is not in the qrels; below every grade."""


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
        starts, grades = self.ideal
        return np.add.reduceat(grades >= rel, starts[:-1], dtype=np.intp)

    def grades_of(self, topic: str, docnos: Sequence[str]) -> list[int]:
        """The grade of each document of a topic, or ABSENT."""
        grades = self.grades[topic]
        return [grades.get(docno, ABSENT) for docno in docnos]

    def grades_in_arrays(self, docnos: Docnos, numbers: Positions) -> Grades:
        """The grade of each document, or ABSENT, given its docno and the number of its topic."""
        return self._table.find(words_of(docnos), numbers)

    @cached_property
    def _table(self) -> PairTable:
        return self.table([grade for of_topic in self.grades.values() for grade in of_topic.values()])

    def table(self, values: Sequence[int]) -> PairTable:
        """A table of one value for each pair, topic after topic in the order of `grades`."""
        listed = [id_bytes(docno) for grades in self.grades.values() for docno in grades]
        sizes = [len(grades) for grades in self.grades.values()]
        numbers = np.repeat(np.arange(len(sizes)), sizes)
        return PairTable(words_of(np.array(listed)), numbers, np.array(values, dtype=np.int64))


class PairTable:
    """Values by pair, such as grades: a hash table with a part for each topic, and one for what collides.

    A run's documents stand topic after topic, so that the part which is looked into stays in a processor's
    cache: half the time of sorted fingerprints with a directory.
    """

    def __init__(self, words: Sequence[Words], numbers: Positions, values: Grades, *, salt: int = 0) -> None:
        self._words, self._values, self._salt = words, values, salt
        # At least four slots for each pair of a topic, a power of two; none for a topic without pairs.
        bits = np.ceil(np.log2(4.0 * np.maximum(np.bincount(numbers), 1))).astype(np.int64)
        self._shifts = (64 - bits).astype(np.uint64)
        self._firsts = np.append(0, np.cumsum(1 << bits))
        slots = self._slots(words, numbers)
        places = np.arange(len(numbers), dtype=np.int32)
        self._table = np.full(self._firsts[-1], -1, dtype=np.int32)
        self._table[slots] = places
        lost = np.flatnonzero(self._table[slots] != places)
        # One pair in ten collides with another; by other hashes few do again.
        self._rest = (
            PairTable([word[lost] for word in words], numbers[lost], values[lost], salt=salt + 1)
            if len(lost)
            else None
        )

    def find(self, words: Sequence[Words], numbers: Positions) -> Grades:
        """The value of each pair, or ABSENT."""
        found = np.full(len(numbers), ABSENT, dtype=np.int64)
        inside = np.flatnonzero(numbers < len(self._shifts))
        if len(inside) < len(numbers):
            words, numbers = [word[inside] for word in words], numbers[inside]
        places = self._table[self._slots(words, numbers)]
        at = np.flatnonzero(places >= 0)
        places = places[at]
        same = np.ones(len(at), dtype=np.bool_)
        for word in range(max(len(words), len(self._words))):
            same &= _word(self._words, word, places) == _word(words, word, at)
        found[inside[at[same]]] = self._values[places[same]]
        others = at[~same]
        if self._rest is not None and len(others):
            found[inside[others]] = self._rest.find([word[others] for word in words], numbers[others])
        return found

    def _slots(self, words: Sequence[Words], numbers: Positions) -> Positions:
        prints = fingerprints(words, numbers + (self._salt << 32))
        prints >>= self._shifts[numbers]
        slots: Positions = prints.view(np.int64)
        slots += self._firsts[numbers]
        return slots


def _word(words: Sequence[Words], number: int, at: Positions) -> Words:
    """One word of the docnos at these places; docnos that are shorter are filled up with zeros."""
    return words[number][at] if number < len(words) else np.zeros(len(at), dtype=np.uint64)
