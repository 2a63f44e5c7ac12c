"""The ratings of many topics, of each those few assessors alone who judged it.

Whatever is summed over pairs follows from sums of topics, which are kept with the ratings of a topic: where
one topic changes, the sums of all others are there already. What asks for the whole table has it still.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.ratings import Ratings, pair_tables

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class TopicRatings(NamedTuple):
    """The ratings of one topic, and the numbers of its assessors among all, which ascend."""

    rows: Numbers
    ratings: Ratings


class TablesOfTwo(NamedTuple):
    """The tables of two assessors of the topics in which they share a pair; shapes (n,) and (n, q, q)."""

    topics: Numbers
    tables: Floats


class RatingsByTopic(Ratings):
    """Ratings whose columns are those of one topic after the other; each has a column or more, and grades.

    The whole table is made where it is asked for; sums need it not.
    """

    __slots__ = ("_assessors", "parts")

    parts: tuple[TopicRatings, ...]
    _assessors: int

    def __init__(self, parts: Sequence[TopicRatings], n_assessors: int, categories: tuple[int, ...]) -> None:
        fields = {"parts": tuple(parts), "_assessors": n_assessors, "categories": categories}
        fields |= {"n_topics": len(parts), "unlisted": None, "_kept": {}}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def n_assessors(self) -> int:
        """How many assessors there are."""
        return self._assessors

    @property
    def n_pairs(self) -> int:
        """How many columns there are."""
        return sum(one.ratings.codes.shape[1] for one in self.parts)

    @property
    def codes(self) -> Codes:
        """The whole table."""
        return self.keep("codes", self._whole)

    @property
    def topics(self) -> Numbers:
        """The topic of every column."""
        sizes = [one.ratings.codes.shape[1] for one in self.parts]
        return self.keep("topics", lambda: np.repeat(np.arange(len(sizes)), sizes))

    def only(self, assessors: Sequence[int]) -> RatingsByTopic:
        """The ratings of some assessors, by their numbers; pairs without a grade stay."""
        numbers = np.full(self._assessors, -1)
        numbers[list(assessors)] = np.arange(len(assessors))
        parts = []
        for rows, ratings in self.parts:
            chosen = numbers[rows]
            local = np.flatnonzero(chosen >= 0)
            local = local[np.argsort(chosen[local])]
            parts.append(TopicRatings(chosen[local], ratings.only(local.tolist())))
        return RatingsByTopic(parts, len(assessors), self.categories)

    def with_all(self) -> Ratings:
        """The ratings of those pairs that every assessor judged."""
        return self.whole().with_all()

    def whole(self) -> Ratings:
        """The same in one table."""
        return Ratings(self.codes, self.categories, self.topics, self.n_topics)

    def shared(self) -> RatingsByTopic:
        """The ratings of those pairs that two assessors or more judged, and of their topics only."""
        return self.keep("shared", self._shared)

    def with_places(self, places: Sequence[int], categories: tuple[int, ...]) -> RatingsByTopic:
        """The ratings with grade k at `places[k]` of other categories."""
        key = "places", tuple(places), categories

        def make() -> RatingsByTopic:
            parts = [
                TopicRatings(rows, own.keep(key, partial(own.with_places, places, categories)))
                for rows, own in self.parts
            ]
            return RatingsByTopic(parts, self._assessors, categories)

        return self.keep(key, make)

    def given_counts(self) -> Numbers:
        """How many grades every assessor gave; shape (assessors,)."""
        found = np.zeros(self._assessors, np.int64)
        for rows, ratings in self.parts:
            found[rows] += ratings.keep("given counts", ratings.given_counts)
        return found

    def _whole(self) -> Codes:
        codes = np.full((self._assessors, self.n_pairs), MISSING, dtype=np.int8)
        start = 0
        for rows, ratings in self.parts:
            end = start + ratings.codes.shape[1]
            codes[rows, start:end] = ratings.codes
            start = end
        return codes

    def _shared(self) -> RatingsByTopic:
        parts = []
        for part in self.parts:
            rows, ratings = part.ratings.keep("shared", partial(_shared_part, part.ratings))
            if ratings is part.ratings:
                parts.append(part)
            elif ratings.codes.shape[1]:
                parts.append(TopicRatings(part.rows[rows], ratings))
        return RatingsByTopic(parts, self._assessors, self.categories)


def part_of(ratings: Ratings, place: int) -> TopicRatings:
    """The ratings of one topic, by its number, and those of its assessors who gave a grade."""
    if isinstance(ratings, RatingsByTopic):
        return ratings.parts[place]
    columns = np.flatnonzero(ratings.topics == place)
    codes = ratings.codes[:, columns]
    rows = np.flatnonzero((codes != MISSING).any(axis=1))
    own = Ratings(codes[rows], ratings.categories, np.zeros(len(columns), np.int64), 1)
    return TopicRatings(rows, own)


def _shared_part(ratings: Ratings) -> tuple[Numbers, Ratings]:
    """The ratings of the pairs of a topic that two judged, and the rows of those who gave them a grade."""
    several = ratings.shared()
    if several is ratings:
        return np.arange(ratings.n_assessors), ratings
    rows = np.flatnonzero((several.codes != MISSING).any(axis=1))
    return rows, several if len(rows) == ratings.n_assessors else several.only(rows.tolist())


class TablesAmong:
    """The tables of every two of some assessors, by topic."""

    def __init__(self, ratings: Ratings, among: Sequence[int]) -> None:
        self._ratings = ratings
        self._found = _tables(ratings, among) if isinstance(ratings, RatingsByTopic) else None

    def of(self, first: int, second: int) -> TablesOfTwo:
        """Those of two of them, by their numbers, the lower first."""
        q = len(self._ratings.categories)
        if self._found is not None:
            nothing = TablesOfTwo(np.zeros(0, np.int64), np.zeros((0, q, q)))
            return self._found.get((first, second), nothing)
        tables = tables_by_topic(self._ratings, first, second)
        there = np.flatnonzero(tables.any(axis=(1, 2)))
        return TablesOfTwo(there, tables[there])


def tables_among(ratings: Ratings, among: Sequence[int]) -> TablesAmong:
    """The tables of every two of some assessors, over the pairs that both judged; kept with the ratings."""
    if isinstance(ratings, RatingsByTopic):
        return ratings.keep(("tables", tuple(among)), lambda: TablesAmong(ratings, among))
    return TablesAmong(ratings, among)


def whole_table(ratings: Ratings) -> Numbers:
    """The table of two assessors who are all that there are."""
    if isinstance(ratings, RatingsByTopic):
        whole: Numbers = tables_among(ratings, (0, 1)).of(0, 1).tables.sum(axis=0).astype(np.int64)
    else:
        whole = pair_tables(ratings)[0, 1]
    return whole


def tables_by_topic(ratings: Ratings, first: int, second: int) -> Floats:
    """The tables of two assessors over the pairs that both judged; shape (topics, q, q)."""
    q = len(ratings.categories)
    a, b = ratings.codes[first], ratings.codes[second]
    both = (a != MISSING) & (b != MISSING)
    cells = (ratings.topics[both] * q + a[both]) * q + b[both]
    tables = np.bincount(cells, minlength=ratings.n_topics * q * q).reshape(ratings.n_topics, q, q)
    if ratings.unlisted is not None:
        tables[:, ratings.lowest, ratings.lowest] += ratings.unlisted
    return tables.astype(np.float64)


def _tables(ratings: RatingsByTopic, among: Sequence[int]) -> dict[tuple[int, int], TablesOfTwo]:
    chosen = np.zeros(ratings.n_assessors, np.bool_)
    chosen[list(among)] = True
    numbers, keys, tables = [], [], []
    for number, (rows, own) in enumerate(ratings.parts):
        local = np.flatnonzero(chosen[rows])
        if len(local) < 2:
            continue
        # Who is chosen changes seldom: of others nothing need be kept.
        first, second, of_topic = own.keep_few("tables", local.tobytes(), partial(_tables_of, own, local))
        keys.append(rows[first] * ratings.n_assessors + rows[second])
        numbers.append(np.full(len(first), number))
        tables.append(of_topic)
    if not keys:
        return {}
    every = np.concatenate(keys)
    order = np.argsort(every, kind="stable")
    every, topics = every[order], np.concatenate(numbers)[order]
    found = np.concatenate(tables)[order].astype(np.float64)
    two, starts = np.unique(every, return_index=True)
    ends = [*starts[1:].tolist(), len(every)]
    pairs = zip(*(one.tolist() for one in np.divmod(two, ratings.n_assessors)), strict=True)
    return {
        pair: TablesOfTwo(topics[start:end], found[start:end])
        for pair, start, end in zip(pairs, starts.tolist(), ends, strict=True)
    }


def _tables_of(ratings: Ratings, local: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Of a topic's assessors every two who share a pair, the lower first, and their tables."""
    tables = pair_tables(ratings if len(local) == ratings.n_assessors else ratings.only(local.tolist()))
    first, second = np.nonzero(np.triu(tables.any(axis=(2, 3)), k=1))
    return local[first], local[second], tables[first, second]
