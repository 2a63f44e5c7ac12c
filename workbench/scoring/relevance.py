"""Qrels as scoring reads them: grades by topic and docno, found for strings and for arrays of docnos.

A `PairTable` has the values, such as grades, that are found for arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import LONGEST, Docnos, Words, hashes, rows_of
from workbench.errors import WorkbenchError
from workbench.records import Qrel, id_bytes, id_text, places_of, sorted_ids

Floats = NDArray[np.float64]
Grades = NDArray[np.int64]
Positions = NDArray[np.intp]

LARGEST_GRADE = 100_000
"""trec_eval counts the documents of every grade up to the highest, so it needs memory for each."""

Values = NDArray[np.int64]
Marks = NDArray[np.bool_]
Rows = NDArray[np.uint64]
Halves = NDArray[np.uint32]

ABSENT = int(np.iinfo(np.int64).min)
"""Stands for the value of a pair that is not in the table; below every grade."""

# A pair is a slot's only one unless it has lost the slot to another: with these sizes one in ten of the first
# table, and one in forty of those in the second, is looked up further on.
_SLOTS_A_PAIR = (4, 16)
_OTHER_HASH = np.uint64(0x9E3779B97F4A7C15)
_LOST, _PLACE = np.uint64(1 << 31), np.uint32(2**31 - 1)
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Documents to be found: docnos as words of eight bytes, shape (pairs, words), and their topics' numbers.

    `prints` are hashes of the docnos whose lowest bit is set; shape (pairs,).
    """

    docnos: Rows
    numbers: Positions
    prints: Words

    def at(self, places: Positions) -> Pairs:
        """These of the pairs."""
        return Pairs(_fetched(self.docnos, places), self.numbers.take(places), self.prints.take(places))


def pairs_of(docnos: Docnos, numbers: Positions, hashed: Words | None = None) -> Pairs:
    """Docnos with the numbers of their topics, and with the hashes of the docnos where they are known."""
    rows = rows_of(docnos)
    if hashed is None or docnos.itemsize > LONGEST:
        hashed = hashes(tuple(rows.T))
    return Pairs(rows, numbers, hashed | np.uint64(1))


class PairTable:
    """A hash table with a part for each topic; equal hashes never pass for equal docnos.

    A run's documents stand topic after topic, so that the part which is looked into stays in a processor's
    cache. Waiting for memory takes most of the time: so a slot is one word, half of a pair's hash over its
    place, and a pair's docno and value stand side by side.
    """

    def __init__(self, pairs: Pairs, values: Values, *, level: int = 0) -> None:
        # A power of two of slots for each topic; one for a topic without pairs.
        sizes = np.maximum(np.bincount(pairs.numbers), 1)
        bits = np.ceil(np.log2(_SLOTS_A_PAIR[level] * sizes)).astype(np.int64)
        self._shifts = (64 - bits).astype(np.uint64)
        self._firsts = np.append(0, np.cumsum(1 << bits))
        self._rows = np.column_stack((pairs.docnos, values.view(np.uint64)))
        slots, places = self._slots(pairs), np.arange(len(values), dtype=np.uint64)
        # An empty slot is zero, which no hash with its lowest bit set is.
        self._table = np.zeros(self._firsts[-1], dtype=np.uint64)
        self._table[slots] = pairs.prints << _HALF | places
        lost = np.flatnonzero(self._table[slots] & np.uint64(_PLACE) != places)
        self._table[slots[lost]] |= _LOST
        self._next: PairTable | None = None
        self._last: dict[tuple[bytes, int], int] = {}
        if len(lost) and level + 1 < len(_SLOTS_A_PAIR):
            self._next = PairTable(_hashed_again(pairs.at(lost)), values[lost], level=level + 1)
        elif len(lost):
            # Few, unless somebody has made docnos with equal hashes.
            self._last = dict(zip(_keys(pairs.at(lost)), values[lost].tolist(), strict=True))

    def find(self, pairs: Pairs) -> Values:
        """The value of each pair, or ABSENT."""
        found = np.full(len(pairs.numbers), ABSENT, dtype=np.int64)
        if pairs.numbers.max(initial=0) >= len(self._shifts):
            inside = np.flatnonzero(pairs.numbers < len(self._shifts))
            found[inside] = self.find(pairs.at(inside))
            return found
        entries = self._table.take(self._slots(pairs))
        places, prints = _low(entries), _low(entries >> _HALF)
        same = prints == _low(pairs.prints)
        at = np.flatnonzero(same)
        rows = _fetched(self._rows, (places.take(at) & _PLACE).astype(np.intp))
        equal = _equal(_fetched(pairs.docnos, at), rows[:, :-1])
        if not equal.all():
            same[at[~equal]] = False
            at, rows = at[equal], rows[equal]
        found[at] = rows[:, -1].view(np.int64)
        # Whoever has lost a slot is looked for where others are that have; most slots were never fought for.
        others = np.flatnonzero((places > _PLACE) & ~same)
        if len(others):
            found[others] = self._further(pairs.at(others))
        return found

    def _further(self, pairs: Pairs) -> Values:
        if self._next is not None:
            return self._next.find(_hashed_again(pairs))
        return np.array([self._last.get(key, ABSENT) for key in _keys(pairs)], dtype=np.int64)

    def _slots(self, pairs: Pairs) -> Positions:
        slots: Positions = (pairs.prints >> self._shifts.take(pairs.numbers)).view(np.int64)
        slots += self._firsts.take(pairs.numbers)
        return slots


def _hashed_again(pairs: Pairs) -> Pairs:
    """The pairs by other hashes; only equal hashes stay equal."""
    return Pairs(pairs.docnos, pairs.numbers, pairs.prints * _OTHER_HASH | np.uint64(1))


def _keys(pairs: Pairs) -> list[tuple[bytes, int]]:
    """Pairs as keys of a dictionary."""
    whole = pairs.docnos.view(f"S{pairs.docnos.shape[1] * pairs.docnos.itemsize}").ravel()
    return list(zip(whole.tolist(), pairs.numbers.tolist(), strict=True))


def _low(words: Words) -> Halves:
    """The lower halves of words."""
    return words.astype("<u8", copy=False).view(np.uint32)[::2]


def _fetched(rows: Rows, at: Positions) -> Rows:
    """The rows at these places, each fetched in one piece: half the time of word after word."""
    whole = rows.view(f"V{rows.shape[1] * rows.itemsize}").ravel()
    return whole.take(at).view(np.uint64).reshape(len(at), rows.shape[1])


def _equal(one: Rows, other: Rows) -> Marks:
    """Whether two docnos are the same, row by row; shorter ones are filled up with zeros."""
    both = min(one.shape[1], other.shape[1])
    equal: Marks = ~np.any(one[:, both:], axis=1) & ~np.any(other[:, both:], axis=1)
    for word in range(both):
        equal &= one[:, word] == other[:, word]
    return equal


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
    return id_text(b"\n".join(docnos.tolist())).split("\n")
