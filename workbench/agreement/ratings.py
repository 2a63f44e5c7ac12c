"""The answers of any number of assessors, their grades as arrays, and what two of them gave, as tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import places_of, sorted_pairs

Table = NDArray[np.int64]
Codes = NDArray[np.int8]
"""Places of grades in a list of categories, from 0; MISSING where there is no grade."""

Bits = NDArray[np.uint64]
"""Sets of pairs, a bit for each."""

MISSING = -1
MOST_CATEGORIES = 100

# A table up to this size is counted by bits, place by place; a larger one sooner by index.
_BY_BITS = 8
_BITS = 64
_BYTES = np.iinfo(np.int8)


def contingency(first: ArrayLike, second: ArrayLike, *, categories: Sequence[int]) -> Table:
    """The table of two assessors' grades of the same pairs, in the same order.

    Rows are the first assessor's grades, columns the second's, both in the order of `categories`; shape
    (categories, categories). Raises WorkbenchError where the lengths differ or a grade is in no category.

    >>> contingency([1, 1, 0, 0], [1, 0, 0, 0], categories=(1, 0)).tolist()
    [[1, 1], [0, 2]]
    """
    codes = [coded(each, categories) for each in (first, second)]
    if codes[0].shape != codes[1].shape:
        raise WorkbenchError(
            f"{codes[0].size} grades cannot be compared with {codes[1].size}",
            remedy="give both assessors' grades of the same pairs",
        )
    return table_of_codes(*codes, size=len(categories))


def table_of_codes(first: Codes, second: Codes, *, size: int) -> Table:
    """The table of places from 0 to size - 1; pairs that either did not judge are left out."""
    if size > _BY_BITS:
        both = (first != MISSING) & (second != MISSING)
        cells = first[both].astype(np.int64) * size + second[both]
        return np.bincount(cells, minlength=size * size).reshape(size, size)
    return tables_of_bits(bits_of(first, range(size)), bits_of(second, range(size)))


def bits_of(values: NDArray[np.integer[Any]], codes: Sequence[int]) -> Bits:
    """For each of these codes the pairs that have it, as bits; shape (codes, words)."""
    words = -(-len(values) // _BITS)
    bits = np.empty((len(codes), words), dtype=np.uint64)
    marks = np.zeros(words * _BITS, dtype=np.bool_)
    for number, one in enumerate(codes):
        np.equal(values, one, out=marks[: len(values)])
        bits[number] = np.packbits(marks).view(np.uint64)
    return bits


def tables_of_bits(rows: Bits, columns: Bits) -> Table:
    """How many pairs are in every row and column, which takes half of the time of comparing bytes."""
    counts = np.empty((len(rows), len(columns)), dtype=np.int64)
    for number, row in enumerate(rows):
        np.bitwise_count(row & columns).sum(axis=1, out=counts[number])
    return counts


def coded(grades: ArrayLike, categories: Sequence[int], *, missing: int | None = None) -> Codes:
    """The place of every grade in the categories, MISSING for the number that means that there is none.

    Raises WorkbenchError for a grade that has no place, and for categories that repeat or are too many.
    """
    codes: Codes = coded_rows([np.asarray(grades)], categories, missing=missing)[0]
    return codes


def coded_rows(
    rows: Sequence[NDArray[Any]], categories: Sequence[int], *, missing: int | None = None
) -> Codes:
    """The places of the grades of several assessors, row by row and of one length; raises as `coded` does."""
    _check_categories(categories)
    codes = np.empty((len(rows), *rows[0].shape), dtype=np.int8)
    step = _step(categories)
    for values, places in zip(rows, codes, strict=True):
        if not step or not _by_distance(values, categories, step, missing, places):
            _by_category(values, categories, missing, places)
    return codes


def _step(categories: Sequence[int]) -> int:
    """1 where each category is one more than that before it, -1 where it is one less, else 0."""
    step = -1 if categories[-1] < categories[0] else 1
    return step if all(after - before == step for before, after in pairwise(categories)) else 0


def _by_distance(
    values: NDArray[Any], categories: Sequence[int], step: int, missing: int | None, places: Codes
) -> bool:
    """Write places on a scale without gaps, where no grade is beyond its ends, else leave it to others.

    There a place is a distance from the first category, and to check and compute it takes three passes
    over the grades, not three for each category. What is missing may stand just below the scale, as -1 does.
    """
    low, high = min(categories[0], categories[-1]), max(categories[0], categories[-1])
    lowest = low - 1 if missing == low - 1 else low
    if (
        values.dtype.kind not in "iu"
        or not values.size
        or not _BYTES.min <= lowest <= np.minimum.reduce(values, axis=None)
        or not np.maximum.reduce(values, axis=None) <= high <= _BYTES.max
    ):
        return False
    np.copyto(places, values, casting="unsafe")
    if step < 0:
        np.subtract(np.int8(high), places, out=places)
        if lowest < low:
            places[places == len(categories)] = MISSING
    elif low:
        places -= np.int8(low)
    return True


def _by_category(values: NDArray[Any], categories: Sequence[int], missing: int | None, places: Codes) -> None:
    """Write places on any scale; raises WorkbenchError for a grade that is in no category."""
    small = _in_bytes(values)
    places[...] = MISSING
    for place, category in enumerate(categories):
        places += (small == category).view(np.int8) * np.int8(place + 1)
    strange = places == MISSING
    if missing is not None:
        strange &= small != missing
    if strange.any():
        raise WorkbenchError(
            f"{small[strange][0]} is not a category of the table",
            remedy=f"use one of {', '.join(map(str, categories))}",
        )


def _check_categories(categories: Sequence[int]) -> None:
    if len(set(categories)) != len(categories) or not 0 < len(categories) <= MOST_CATEGORIES:
        raise WorkbenchError(
            "the categories of a table must differ",
            remedy=f"list every grade once, {MOST_CATEGORIES} at most",
        )


def _in_bytes(grades: ArrayLike) -> NDArray[np.integer[Any]]:
    """Whole numbers as bytes where they fit: all that follows then touches an eighth of the memory."""
    values: NDArray[Any] = np.asarray(grades)
    if values.dtype.kind not in "iu":
        values = values.astype(np.int64)
    if values.dtype == np.int8 or not values.size:
        return values
    if values.min() < _BYTES.min or values.max() > _BYTES.max:
        return values
    return values.astype(np.int8)


def checked(table: ArrayLike) -> Table:
    """A table that a coefficient can work on; raises WorkbenchError where it is not square or not counts."""
    counts = np.asarray(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not counts.size:
        raise WorkbenchError(
            "a contingency table is square", remedy="give one row and one column for each grade"
        )
    if not np.issubdtype(counts.dtype, np.integer) or (counts < 0).any():
        raise WorkbenchError("a contingency table holds counts", remedy="give whole numbers of 0 or more")
    return counts.astype(np.int64, copy=False)


Kept = TypeVar("Kept")
Pair = tuple[str, str]
"""A topic and a docno."""

# Pairs at a time: bounds memory, and keeps what is counted in a processor's cache.
_COLUMNS = 2**17
# Where fewer places than one in so many have a grade, these are written one by one.
_SPARSE = 16

NO_ANSWER, UNSURE, CANNOT_JUDGE = -1, -2, -3

AnswerCodes = NDArray[np.int8] | NDArray[np.int16] | NDArray[np.int64]
"""Answers as numbers; in one byte each, or two, wherever the largest grade goes into them."""


@frozen_dataclass
class Assessor:
    """One who answers: a person, or a machine."""

    name: str
    machine: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers by assessor and pair: a grade, or NO_ANSWER, UNSURE or CANNOT_JUDGE.

    `grades` has the shape (assessors, pairs). Pairs and topics are sorted by bytes, so that neither depends
    on who answered first; `topics` numbers the topic of every pair, `topic_names` says what it is called.
    """

    assessors: tuple[Assessor, ...]
    grades: AnswerCodes
    pairs: tuple[Pair, ...]
    topics: NDArray[np.int64]
    topic_names: tuple[str, ...]


def unanswered(shape: tuple[int, int], highest: int) -> AnswerCodes:
    """NO_ANSWER in every place, in the smallest numbers that this highest grade goes into."""
    if highest <= np.iinfo(np.int8).max:
        return np.full(shape, NO_ANSWER, np.int8)
    if highest <= np.iinfo(np.int16).max:
        return np.full(shape, NO_ANSWER, np.int16)
    return np.full(shape, NO_ANSWER, np.int64)


def answers_of(assessors: Sequence[Assessor], given_rows: Sequence[tuple[int, str, str, int]]) -> Answers:
    """Answers from rows of the assessor's place, topic, docno and answer; the last row of a pair counts."""
    who, its_topics, docnos, answers = zip(*given_rows, strict=True) if given_rows else ((), (), (), ())
    given = list(zip(its_topics, docnos, strict=True))
    place, topics, names = _numbered(given)
    grades = unanswered((len(assessors), len(place)), max(answers, default=0))
    columns = np.fromiter(map(place.__getitem__, given), np.int64, len(given))
    # Where a place is given twice, numpy keeps the last.
    grades[np.array(who, np.int64), columns] = np.array(answers, grades.dtype)
    return Answers(tuple(assessors), grades, tuple(place), topics, names)


def _numbered(given: Iterable[Pair]) -> tuple[dict[Pair, int], NDArray[np.int64], tuple[str, ...]]:
    """The places of the pairs, and the topics, both sorted by bytes; between them each pair's topic."""
    pairs = sorted_pairs(set(given))
    names = tuple(dict.fromkeys(topic for topic, _ in pairs))
    number = places_of(names)
    topics = np.fromiter((number[topic] for topic, _ in pairs), np.int64, len(pairs))
    return places_of(pairs), topics, names


@dataclass(frozen=True, slots=True, eq=False)
class GivenGrades:
    """The grades that were given, by assessor and pair: who gave which to what; all of shape (grades,).

    `codes` are places in the categories of the ratings.
    """

    assessors: NDArray[np.int32]
    pairs: NDArray[np.int32]
    codes: Codes

    def within(self, included: NDArray[np.bool_]) -> GivenGrades:
        """The grades of the pairs that are included, which are numbered anew."""
        if included.all():
            return self
        columns = np.cumsum(included, dtype=np.int32) - np.int32(1)
        kept = included[self.pairs]
        return GivenGrades(self.assessors[kept], columns[self.pairs[kept]], self.codes[kept])


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Grades by assessor and pair, as places in the `categories`; MISSING where there is none.

    `codes` has the shape (assessors, pairs).
    `topics` numbers the topic of every pair from 0 and `n_topics` counts them; where no topics are known
    all pairs are of one. `unlisted`, shape (topics,), counts pairs of each topic that have no column since
    nobody judged them, and on which everybody stands for the lowest grade; there are none where it is None.
    """

    codes: Codes
    categories: tuple[int, ...]
    topics: NDArray[np.int64]
    n_topics: int
    unlisted: NDArray[np.int64] | None = None
    _kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def n_assessors(self) -> int:
        """How many assessors there are."""
        return len(self.codes)

    @property
    def lowest(self) -> int:
        """The place of the lowest grade among the categories."""
        return self.categories.index(min(self.categories))

    def only(self, assessors: Sequence[int]) -> Ratings:
        """The ratings of some assessors, by their numbers."""
        return replace(self, codes=self.codes[list(assessors)])

    def with_all(self) -> Ratings:
        """The ratings of those pairs that every assessor judged."""
        full = (self.codes != MISSING).all(axis=0)
        return replace(self, codes=self.codes[:, full], topics=self.topics[full])

    def shared(self) -> Ratings:
        """The ratings of those pairs that two assessors or more judged, and of their topics only."""
        given = self._few_given()
        if given is None:
            several = np.count_nonzero(self.codes != MISSING, axis=0) >= 2
        else:
            several = np.bincount(given.pairs, minlength=self.codes.shape[1]) >= 2
        if several.all():
            return self
        places, numbers = np.unique(self.topics[several], return_inverse=True)
        unlisted = None if self.unlisted is None else self.unlisted[places]
        rest = self.categories, numbers, len(places), unlisted
        if given is None:
            return Ratings(self.codes.compress(several, axis=1), *rest)
        shared = given.within(several)
        return Ratings.of_given(shared, (self.n_assessors, int(several.sum())), *rest)

    @classmethod
    def of_given(
        cls,
        given: GivenGrades,
        shape: tuple[int, int],
        categories: tuple[int, ...],
        topics: NDArray[np.int64],
        n_topics: int,
        unlisted: NDArray[np.int64] | None = None,
    ) -> Ratings:
        """Ratings of so many assessors and pairs from the grades that were given, assessor by assessor."""
        codes = np.full(shape, MISSING, dtype=np.int8)
        codes[given.assessors, given.pairs] = given.codes
        found = cls(codes, categories, topics, n_topics, unlisted)
        found._kept["given"] = given
        return found

    def from_grade(self, relevant_from: int) -> Ratings:
        """The ratings with every grade made 1, relevant, from `relevant_from` on, or 0."""
        places = [int(grade < relevant_from) for grade in self.categories]
        return self.with_places(places, (1, 0))

    def with_places(self, places: Sequence[int], categories: tuple[int, ...]) -> Ratings:
        """The ratings with grade k at `places[k]` of other categories."""
        table = np.full(256, MISSING, dtype=np.int8)
        table[: len(places)] = places
        given = self._few_given()
        if given is None:
            # As bytes: a tenth of the time of an index, which numpy widens to words.
            found = np.frombuffer(self.codes.tobytes().translate(table.tobytes()), dtype=np.int8)
            return replace(self, codes=found.reshape(self.codes.shape), categories=categories)
        mapped = replace(given, codes=table[given.codes])
        return Ratings.of_given(
            mapped, self.codes.shape, categories, self.topics, self.n_topics, self.unlisted
        )

    def _few_given(self) -> GivenGrades | None:
        """What was given, where that is known already and so little that one goes through it alone."""
        given: GivenGrades | None = self._kept.get("given")
        return None if given is None or len(given.codes) > self.codes.size // _SPARSE else given

    def given(self) -> GivenGrades:
        """Every grade that was given: of a crowd one place in two hundred has one."""
        return self.keep("given", self._given)

    def _given(self) -> GivenGrades:
        # As bytes, since the places of truth values are found in a tenth of the time of numbers.
        at = np.flatnonzero((self.codes != MISSING).ravel())
        assessors, pairs = np.divmod(at, max(self.codes.shape[1], 1))
        return GivenGrades(assessors.astype(np.int32), pairs.astype(np.int32), self.codes.ravel()[at])

    def keep(self, what: Hashable, make: Callable[[], Kept]) -> Kept:
        """What is computed of these ratings alone, made once and kept as long as they are."""
        if what not in self._kept:
            self._kept[what] = make()
        found: Kept = self._kept[what]
        return found


def ratings_of(
    grades: Sequence[ArrayLike] | NDArray[Any],
    *,
    categories: Sequence[int],
    missing: int | None = None,
    topics: ArrayLike | None = None,
) -> Ratings:
    """Ratings from grades in rows, an assessor each; the `missing` number stands for a pair not judged.

    `categories` are all grades of the declared scale, in its order. Raises WorkbenchError for a grade that
    is not among them, for rows of different lengths and for topics that are not one a pair.
    """
    kept = tuple(categories)
    rows = [np.asarray(row) for row in grades]
    if not rows or len({row.shape for row in rows}) != 1 or rows[0].ndim != 1:
        raise WorkbenchError("assessors' rows differ in length", remedy="one place for every pair in each")
    codes = coded_rows(rows, kept, missing=missing)
    if topics is None:
        # One zero that is seen at every pair: to write it everywhere takes longer than anything reads it.
        return Ratings(codes, kept, np.broadcast_to(np.int64(0), codes.shape[1:]), 1)
    numbers = np.asarray(topics)
    if numbers.shape != codes.shape[1:]:
        raise WorkbenchError("there must be one topic for every pair", remedy="give as many topics as pairs")
    names, places = np.unique(numbers, return_inverse=True)
    return Ratings(codes, kept, places.astype(np.int64, copy=False), len(names))


def judged_ratings(
    judged: Mapping[str, Mapping[tuple[str, str], int]], *, categories: Sequence[int]
) -> tuple[Ratings, tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Ratings from grades by assessor and (topic, docno), the pairs of the columns, and the topics' names.

    Pairs and topics are sorted by bytes, so that neither depends on who judged first. Raises WorkbenchError
    for a grade that is not among the categories.
    """
    place, topics, names = _numbered(chain.from_iterable(judged.values()))
    codes = np.full((len(judged), len(place)), MISSING, dtype=np.int8)
    for row, graded in zip(codes, judged.values(), strict=True):
        at = np.fromiter((place[pair] for pair in graded), np.int64, len(graded))
        row[at] = coded(np.fromiter(graded.values(), np.int64, len(graded)), categories)
    return Ratings(codes, tuple(categories), topics, len(names)), tuple(place), names


def pair_tables(ratings: Ratings) -> NDArray[np.int64]:
    """How often assessor g gave grade k where assessor h gave grade l; shape (g, h, k, l).

    `pair_tables(ratings)[g, h]` is the contingency table of g and h over the pairs that both judged.
    """
    r, q = ratings.n_assessors, len(ratings.categories)
    tables = np.zeros((r * q, r * q), dtype=np.int64)
    for start in range(0, ratings.codes.shape[1], _COLUMNS):
        codes = ratings.codes[:, start : start + _COLUMNS]
        gave = np.concatenate([bits_of(row, range(q)) for row in codes])
        tables += tables_of_bits(gave, gave)
    whole = tables.reshape(r, q, r, q).transpose(0, 2, 1, 3)
    if ratings.unlisted is not None:
        whole[:, :, ratings.lowest, ratings.lowest] += ratings.unlisted.sum()
    return whole


def tables_of_two(ratings: Ratings, among: Sequence[int]) -> NDArray[np.int64]:
    """The tables by topic of every two of some assessors, as `combinations` has them.

    Over the pairs that both judged; shape (twos, topics, q, q).
    """
    n, q, topics = len(among), len(ratings.categories), ratings.n_topics
    place = np.full(ratings.n_assessors, -1)
    place[list(among)] = np.arange(n)
    given = ratings.given()
    chosen = np.flatnonzero(place[given.assessors] >= 0)
    # Of one pair those with the lower place among the assessors first.
    order = chosen[np.lexsort((place[given.assessors[chosen]], given.pairs[chosen]))]
    rows, pairs, codes = place[given.assessors[order]], given.pairs[order], given.codes[order]
    tables = np.zeros(n * (n - 1) // 2 * topics * q * q, np.int64)
    for apart in range(1, n):
        one = np.flatnonzero(pairs[apart:] == pairs[:-apart])
        if not one.size:
            break
        first, second = rows[one], rows[one + apart]
        two = first * (2 * n - first - 1) // 2 + second - first - 1
        cells = ((two * topics + ratings.topics[pairs[one]]) * q + codes[one]) * q + codes[one + apart]
        tables += np.bincount(cells, minlength=len(tables))
    found = tables.reshape(-1, topics, q, q)
    if ratings.unlisted is not None:
        found[:, :, ratings.lowest, ratings.lowest] += ratings.unlisted
    return found
