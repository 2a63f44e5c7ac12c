"""Qrels as scoring reads them: grades by topic and docno, found for strings and for arrays of docnos."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import Docnos, Words
from workbench.errors import WorkbenchError
from workbench.records import Qrel, id_bytes, places_of, sorted_ids
from workbench.scoring.pair_table import ABSENT, PairTable, pairs_of

Floats = NDArray[np.float64]
Grades = NDArray[np.int64]
Positions = NDArray[np.intp]

LARGEST_GRADE = 100_000
"""trec_eval counts the documents of every grade up to the highest, so it needs memory for each."""


class QrelArrays(Protocol):
    """Qrels as arrays: of each pair the number of its topic, its docno and its grade, in file order."""

    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def numbers(self) -> Positions: ...
    @property
    def docnos(self) -> Docnos: ...
    @property
    def grades(self) -> Grades: ...


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
                    remedy="keep one grade per pair; only diversity measures read grades by subtopic",
                )
            if abs(qrel.grade) > LARGEST_GRADE:
                _refuse_grade(qrel.grade, qrel.docno)
            of_topic[qrel.docno] = qrel.grade
        if not grades:
            raise WorkbenchError("the qrels are empty", remedy="give at least one judged pair")
        self._of_topics: Mapping[str, Mapping[str, int]] = grades
        self._name(grades)

    def _name(self, topics: Iterable[str]) -> None:
        self.topics = sorted_ids(topics)
        self.numbers = places_of(self.topics)

    @cached_property
    def grades(self) -> Mapping[str, Mapping[str, int]]:
        """The grades by topic and docno."""
        return {topic: self._of_topics[topic] for topic in self.topics}

    @property
    def pairs(self) -> int:
        """How many pairs have a grade."""
        return sum(map(len, self.grades.values()))

    @cached_property
    def ideal(self) -> tuple[Positions, Grades]:
        """Where the grades of each topic begin, shape (topics + 1,), and the grades, the highest first."""
        sizes = [len(grades) for grades in self.grades.values()]
        values = [sorted(grades.values(), reverse=True) for grades in self.grades.values()]
        return np.cumsum([0, *sizes]), flattened(values)

    def best_grades(self, depth: int | None) -> tuple[Positions, Grades]:
        """As `ideal`, of each topic the first `depth` grades at most; all where it is None."""
        starts, grades = self.ideal
        if depth is None:
            return starts, grades
        sizes = np.minimum(np.diff(starts), depth)
        return np.append(0, np.cumsum(sizes)), grades[places_from(starts[:-1], sizes)]

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

    def grades_in_arrays(self, docnos: Docnos, numbers: Positions, hashed: Words | None = None) -> Grades:
        """The grade of each document, or ABSENT, given its docno and the number of its topic.

        `hashed` are the docnos' hashes, where they are known.
        """
        return self._table.find(pairs_of(docnos, numbers, hashed))

    def ready_for_arrays(self) -> None:
        """Make the table that `grades_in_arrays` looks into, which is otherwise made when first needed."""
        _ = self._table

    @cached_property
    def _table(self) -> PairTable:
        return self.table([grade for of_topic in self.grades.values() for grade in of_topic.values()])

    def table(self, values: Sequence[int]) -> PairTable:
        """A table of one value for each pair, topic after topic in the order of `grades`."""
        listed = [id_bytes(docno) for grades in self.grades.values() for docno in grades]
        sizes = [len(grades) for grades in self.grades.values()]
        numbers = np.repeat(np.arange(len(sizes)), sizes)
        return PairTable(pairs_of(np.array(listed), numbers), np.array(values, dtype=np.int64))


class ArrayRelevance(Relevance):
    """The grades of qrels that were read as arrays, of which no records need be made."""

    def __init__(self, qrels: QrelArrays) -> None:
        """Take over the pairs, none of which is there twice; raises WorkbenchError as `Relevance` does."""
        large = np.flatnonzero(np.abs(qrels.grades) > LARGEST_GRADE)
        if len(large):
            _refuse_grade(int(qrels.grades[large[0]]), strings(qrels.docnos[large[:1]])[0])
        self._name(qrels.topics)
        numbers = np.array([self.numbers[topic] for topic in qrels.topics], dtype=np.intp)[qrels.numbers]
        by_topic = np.argsort(numbers, kind="stable")
        self._numbers, self._values = numbers[by_topic], qrels.grades[by_topic]
        self._docnos = qrels.docnos[by_topic]

    @cached_property
    def grades(self) -> Mapping[str, Mapping[str, int]]:
        """The grades by topic and docno."""
        docnos, grades = strings(self._docnos), self._values.tolist()
        return {
            topic: dict(zip(docnos[begin:end], grades[begin:end], strict=True))
            for topic, (begin, end) in zip(self.topics, pairwise(self._starts.tolist()), strict=True)
        }

    @property
    def pairs(self) -> int:
        """As of all qrels."""
        return len(self._values)

    @cached_property
    def ideal(self) -> tuple[Positions, Grades]:
        """As of all qrels."""
        return self._starts, self._values[np.lexsort((-self._values, self._numbers))]

    def without_grades(self) -> tuple[str, ...]:
        """As of all qrels."""
        starts, grades = self.ideal
        return tuple(self.topics[number] for number in np.flatnonzero(grades[starts[:-1]] < 0).tolist())

    @cached_property
    def _starts(self) -> Positions:
        return np.searchsorted(self._numbers, np.arange(len(self.topics) + 1))

    @cached_property
    def _table(self) -> PairTable:
        return PairTable(pairs_of(self._docnos, self._numbers), self._values)


def places_from(starts: Positions, sizes: Positions) -> Positions:
    """So many places from each start on, one after the other: of 5, 9 and sizes 2, 3 it is 5 6 9 10 11."""
    places: Positions = np.arange(sizes.sum()) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return places


def flattened(lists: Iterable[Iterable[int]]) -> Grades:
    """The numbers of lists, one list after the other."""
    return np.fromiter(chain.from_iterable(lists), np.int64)


def _refuse_grade(grade: int, docno: str) -> NoReturn:
    raise WorkbenchError(
        f"the grade {grade} of document {docno} cannot be scored",
        remedy=f"use grades up to {LARGEST_GRADE:,}",
    )


def strings(docnos: Docnos) -> list[str]:
    """Docnos, one or more, as text."""
    return b"\n".join(docnos.tolist()).decode("utf-8", "surrogateescape").split("\n")
