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
    """Values by pair, such as grades: sorted fingerprints, and where those that share their first bits begin.

    One look into the directory leaves a candidate or two, which takes a fifth of the time of a binary search.
    """

    def __init__(self, words: Sequence[Words], numbers: Positions, values: Grades) -> None:
        self._salt = 0
        while True:
            prints = self._prints(words, numbers)
            order = np.argsort(prints)
            self._sorted = prints[order]
            if not (self._sorted[1:] == self._sorted[:-1]).any():
                break
            self._salt += 1  # two pairs share a fingerprint: once in ten million sets of a million pairs
        bits = max(8, len(order).bit_length() + 1)
        self._shift = np.uint64(64 - bits)
        firsts = np.arange(1 << bits, dtype=np.uint64) << self._shift
        self._directory = np.append(np.searchsorted(self._sorted, firsts), len(order))
        self._words = [word[order] for word in words]
        self._numbers, self._values = numbers[order], values[order]

    def find(self, words: Sequence[Words], numbers: Positions) -> Grades:
        """The value of each pair, or ABSENT."""
        prints = self._prints(words, numbers)
        slots = (prints >> self._shift).astype(np.intp)
        at, ends = self._directory[slots], self._directory[slots + 1]
        found = np.full(len(prints), -1, dtype=np.intp)
        open_ = np.flatnonzero(at < ends)
        while len(open_):
            here = at[open_]
            same = self._sorted[here] == prints[open_]
            found[open_[same]] = here[same]
            at[open_] += 1
            open_ = open_[~same & (at[open_] < ends[open_])]
        hits = np.flatnonzero(found >= 0)
        places = found[hits]
        right = self._numbers[places] == numbers[hits]
        for word in range(max(len(words), len(self._words))):
            right &= _word(self._words, word, places) == _word(words, word, hits)
        values = np.full(len(prints), ABSENT, dtype=np.int64)
        values[hits[right]] = self._values[places[right]]
        return values

    def _prints(self, words: Sequence[Words], numbers: Positions) -> Words:
        return fingerprints(words, numbers + (self._salt << 32))


def _word(words: Sequence[Words], number: int, at: Positions) -> Words:
    """One word of the docnos at these places; docnos that are shorter are filled up with zeros."""
    return words[number][at] if number < len(words) else np.zeros(len(at), dtype=np.uint64)
