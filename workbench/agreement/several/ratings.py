"""What any number of assessors said, as one array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.table import MISSING, Codes, coded, coded_rows
from workbench.errors import WorkbenchError


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

    def from_grade(self, relevant_from: int) -> Ratings:
        """The ratings with every grade made 1, relevant, from `relevant_from` on, or 0."""
        relevant = np.array([*(grade >= relevant_from for grade in self.categories), False])
        codes = np.where(self.codes == MISSING, MISSING, ~relevant[self.codes]).astype(np.int8)
        return replace(self, codes=codes, categories=(1, 0))


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
    pairs = sorted(
        set[tuple[str, str]]().union(*judged.values()),
        key=lambda pair: (_bytes(pair[0]), _bytes(pair[1])),
    )
    names = tuple(dict.fromkeys(topic for topic, _ in pairs))
    place = {pair: number for number, pair in enumerate(pairs)}
    topic_place = {topic: number for number, topic in enumerate(names)}
    codes = np.full((len(judged), len(pairs)), MISSING, dtype=np.int8)
    for row, graded in zip(codes, judged.values(), strict=True):
        at = np.fromiter((place[pair] for pair in graded), np.int64, len(graded))
        row[at] = coded(np.fromiter(graded.values(), np.int64, len(graded)), categories)
    topics = np.fromiter((topic_place[topic] for topic, _ in pairs), np.int64, len(pairs))
    return Ratings(codes, tuple(categories), topics, len(names)), tuple(pairs), names


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
